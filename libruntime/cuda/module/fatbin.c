/* SPDX-License-Identifier: MIT */
/*
 * The images that programs load: PTX text, a PPUB binary, or a fat binary with PTX inside.
 *
 * A fat binary is a container of entries for several architectures, each with a header of its own.  Entries
 * of kind PTX are text, plain or compressed: an LZ4 block, or a Zstandard frame, which the system's library
 * unpacks if it is there.  The layout is known from public descriptions; it was tested with containers that our
 * tests write and with the output of nvcc 13 in each of its compression modes.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu_image.h>
#include "common/capability.h"
#include "cuda/module/fatbin.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"

#define WRAPPER_MAGIC	0x466243b1u
#define FATBIN_MAGIC	0xba55ed50u
#define KIND_PTX	1u
#define FLAG_LZ4	0x2000u
#define FLAG_ZSTD	0x8000u
#define MAX_PTX		(256u << 20)

struct wrapper {
	uint32_t magic, version;
	const void *data;
	void *more;
};
struct container {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;			/* of the entries behind the header */
};
struct entry {
	uint16_t kind, attribute;
	uint32_t header_bytes;
	uint64_t bytes;			/* payload with padding */
	uint32_t compressed_bytes, unknown;
	uint16_t minor, major;
	uint32_t arch;			/* 75: sm_75 */
	uint32_t name_offset, name_bytes;
	uint64_t flags, zero;
	uint64_t plain_bytes;		/* uncompressed size, 0: not compressed */
};

/* Unpacks an LZ4 block, which has literals and matches in turn.  False: it does not give exactly n bytes. */
static bool unpack_lz4(const uint8_t *in, size_t len, uint8_t *out, size_t n)
{
	size_t i = 0, o = 0, lit, match, back;

	while (i < len) {
		uint8_t token = in[i++], more;

		lit = token >> 4;
		match = token & 15;
		if (lit == 15) {
			do {
				if (i == len)
					return false;
				more = in[i++];
				lit += more;
			} while (more == 255);
		}
		if (lit > len - i || lit > n - o)
			return false;
		memcpy(out + o, in + i, lit);
		i += lit;
		o += lit;
		if (i == len)		/* the last sequence has no match */
			break;
		if (len - i < 2)
			return false;
		back = in[i] | (size_t)in[i + 1] << 8;
		i += 2;
		if (match == 15) {
			do {
				if (i == len)
					return false;
				more = in[i++];
				match += more;
			} while (more == 255);
		}
		match += 4;
		if (!back || back > o || match > n - o)
			return false;
		for (; match; match--, o++)	/* a match may overlap its own output */
			out[o] = out[o - back];
	}
	return o == n;
}

/* Unpacks a Zstandard frame of exactly n bytes.  Once the library is found, it stays loaded. */
static CUresult unpack_zstd(const void *in, size_t len, void *out, size_t n)
{
	static size_t (*decompress)(void *, size_t, const void *, size_t);	/* ZSTD_decompress */
	void *lib;

	if (!__atomic_load_n(&decompress, __ATOMIC_ACQUIRE)) {
		lib = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
		__atomic_store_n(&decompress, lib ? dlsym(lib, "ZSTD_decompress") : NULL, __ATOMIC_RELEASE);
	}
	if (!decompress) {
		cu_why_set("the PTX is compressed with Zstandard and there is no libzstd.so.1 here: install it, "
			   "or build with nvcc --compress-mode=speed or none");
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	return decompress(out, n, in, len) == n ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

static CUresult take(struct cu_image *img, const struct entry *e, const uint8_t *payload)
{
	CUresult r;

	img->ptx = true;
	if (!(e->flags & (FLAG_LZ4 | FLAG_ZSTD))) {
		img->data = payload;
		img->bytes = strnlen((const char *)payload, e->bytes);
		return CUDA_SUCCESS;
	}
	if (e->compressed_bytes > e->bytes || !e->plain_bytes || e->plain_bytes > MAX_PTX)
		return CUDA_ERROR_INVALID_IMAGE;
	img->owned = malloc(e->plain_bytes + 1);
	if (!img->owned)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (e->flags & FLAG_ZSTD)
		r = unpack_zstd(payload, e->compressed_bytes, img->owned, e->plain_bytes);
	else
		r = unpack_lz4(payload, e->compressed_bytes, img->owned, e->plain_bytes) ? CUDA_SUCCESS :
		    CUDA_ERROR_INVALID_IMAGE;
	if (r) {
		free(img->owned);
		img->owned = NULL;
		return r;
	}
	((char *)img->owned)[e->plain_bytes] = 0;
	img->data = img->owned;
	img->bytes = strlen(img->owned);
	return CUDA_SUCCESS;
}

#define WHAT_TO_DO \
	"have PTX put in, with nvcc by -gencode arch=compute_75,code=compute_75 (or that in NVCC_APPEND_FLAGS)"

/* The text for a container without PTX: which GPUs its machine code is for. */
static CUresult no_ptx(const uint8_t *p, uint64_t at, uint64_t end)
{
	char list[200] = "";
	struct entry e;
	size_t n = 0;

	for (; end - at >= sizeof(e); at += e.header_bytes + e.bytes) {
		memcpy(&e, p + at, sizeof(e));
		if (n < sizeof(list) - 20)
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%ssm_%u", n ? ", " : "", e.arch);
	}
	cu_why_set(n ? "there is no PTX inside, only machine code for %s, which is not this GPU's: " WHAT_TO_DO :
		   "there are no kernels inside%s: " WHAT_TO_DO, list);
	return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* The newest architecture that is not newer than the device is best, or else the one that is newer by the least. */
static bool better(uint32_t arch, uint32_t than)
{
	const uint32_t own = (uint32_t)ppu_cuda_capability();

	return arch <= own ? than > own || arch > than : than > own && arch < than;
}

/* Takes the PTX of the best architecture from a container. */
static CUresult open_container(struct cu_image *img, const uint8_t *p, size_t room)
{
	struct container c;
	const uint8_t *best = NULL;
	struct entry e, b = { 0 };
	uint64_t at, end;

	memcpy(&c, p, sizeof(c));
	if (c.magic != FATBIN_MAGIC || c.header_bytes < sizeof(c) || c.bytes > SIZE_MAX / 2 ||
	    (room && c.header_bytes + c.bytes > room))
		return CUDA_ERROR_INVALID_IMAGE;
	end = c.header_bytes + c.bytes;
	for (at = c.header_bytes; end - at >= sizeof(e); at += e.header_bytes + e.bytes) {
		memcpy(&e, p + at, sizeof(e));
		if (e.header_bytes < sizeof(e) || e.header_bytes > end - at || e.bytes > end - at - e.header_bytes)
			return CUDA_ERROR_INVALID_IMAGE;
		if (e.kind == KIND_PTX && (!best || better(e.arch, b.arch))) {
			b = e;
			best = p + at + e.header_bytes;
		}
	}
	return best ? take(img, &b, best) : no_ptx(p, c.header_bytes, end);
}

CUresult cu_image_find(struct cu_image *img, const void *data, size_t bytes)
{
	const struct wrapper *w = data;
	uint32_t magic;
	uint64_t len;

	*img = (struct cu_image){ .data = data, .bytes = bytes };
	if (!data || (bytes && bytes < 4))
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&magic, data, 4);
	if (magic == WRAPPER_MAGIC)
		return w->data ? open_container(img, w->data, 0) : CUDA_ERROR_INVALID_IMAGE;
	if (magic == FATBIN_MAGIC)
		return bytes && bytes < sizeof(struct container) ? CUDA_ERROR_INVALID_IMAGE :
		       open_container(img, data, bytes);
	if (magic == PPUB_MAGIC) {
		if (bytes && bytes < 16)
			return CUDA_ERROR_INVALID_IMAGE;
		memcpy(&len, (const char *)data + 8, 8);	/* the file's header has its length */
		if (bytes && len > bytes)
			return CUDA_ERROR_INVALID_IMAGE;
		img->bytes = len;
		return CUDA_SUCCESS;
	}
	if (!memcmp(data, "\177ELF", 4)) {
		cu_why_set("this is machine code of another GPU: load the kernels as PTX; for a program, " WHAT_TO_DO);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	img->ptx = true;
	img->bytes = bytes ? strnlen(data, bytes) : strlen(data);
	return img->bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}
