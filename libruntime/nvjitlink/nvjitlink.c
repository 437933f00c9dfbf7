/* SPDX-License-Identifier: MIT */
/* libnvJitLink's functions, over the PTX compiler and the linker of libppu. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu_image.h>
#include "common/file.h"
#include "cuda/context/error.h"
#include "cuda/module/fatbin.h"
#include "nvjitlink/jitlink.h"

#define EXPORT __attribute__((visibility("default")))
#define MAGIC 0x6b6e6c6au

/* Versions of CUDA by the library's name; the build makes two libraries. */
#ifndef NVJITLINK_MAJOR
#define NVJITLINK_MAJOR 12
#endif
#define MINOR (NVJITLINK_MAJOR == 12 ? 9 : 0)

struct nvJitLink {
	unsigned int magic;
	struct jl_options options;
	struct ppu_image *img;
	struct ppu_log log, info;
	uint8_t *binary;
	size_t bytes;
	nvJitLinkResult failed;		/* the first error; all later calls that link return it */
};

static bool is_handle(nvJitLinkHandle h)
{
	return h && h->magic == MAGIC;
}

static void drop(struct nvJitLink *h)
{
	ppu_image_free(h->img);
	ppu_log_free(&h->log);
	ppu_log_free(&h->info);
	free(h->binary);
	/* A plain store to what is freed next is one that the compiler leaves out. */
	*(volatile unsigned int *)&h->magic = 0;
	free(h);
}

EXPORT nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t num, const char **options)
{
	struct jl_options o;
	struct nvJitLink *h;

	if (!handle || (num && !options))
		return NVJITLINK_ERROR_INVALID_INPUT;
	if (!jl_options_parse(&o, num, options))
		return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
	if (!o.arch)
		return NVJITLINK_ERROR_MISSING_ARCH;
	h = calloc(1, sizeof(*h));
	if (!h)
		return NVJITLINK_ERROR_INTERNAL;
	h->magic = MAGIC;
	h->options = o;
	ppu_log_init(&h->log);
	ppu_log_init(&h->info);
	h->img = ppu_image_new();
	if (!h->img) {
		drop(h);
		return NVJITLINK_ERROR_INTERNAL;
	}
	*handle = h;
	return NVJITLINK_SUCCESS;
}

EXPORT nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *handle)
{
	if (!handle || !is_handle(*handle))
		return NVJITLINK_ERROR_INVALID_INPUT;
	drop(*handle);
	*handle = NULL;
	return NVJITLINK_SUCCESS;
}

/* ---- inputs --------------------------------------------------------------------------------------- */

struct input {
	struct nvJitLink *handle;
	const char *name;
	nvJitLinkResult result;
};

static nvJitLinkResult result_of(int rc, nvJitLinkResult otherwise)
{
	return !rc ? NVJITLINK_SUCCESS : rc == -ENOMEM ? NVJITLINK_ERROR_INTERNAL : otherwise;
}

/* PTX or a PPU image, alone or in a fat binary. */
static nvJitLinkResult add_image(struct nvJitLink *h, const void *data, size_t bytes, const char *name)
{
	struct ppu_ptx_options o = { .max_regs = h->options.max_regs };
	struct ppu_image *img = NULL;
	struct cu_image in = { 0 };
	nvJitLinkResult r;

	cu_why_forget();
	if (cu_image_find(&in, data, bytes)) {
		ppu_log_printf(&h->log, "%s: error: %s\n", name,
			       *cu_why() ? cu_why() : "the input has no kernels that can be read");
		r = NVJITLINK_ERROR_INVALID_INPUT;
	} else if (in.ptx) {
		r = result_of(ppu_ptx_compile(in.data, in.bytes, name, &o, &img, &h->log), NVJITLINK_ERROR_PTX_COMPILE);
	} else {
		r = result_of(ppu_image_read(in.data, in.bytes, &img, &h->log), NVJITLINK_ERROR_INVALID_INPUT);
	}
	if (!r)
		r = result_of(ppu_image_link(h->img, img, &h->log), NVJITLINK_ERROR_INVALID_INPUT);
	ppu_image_free(img);
	free(in.owned);
	return r;
}

static int add_found(void *opaque, const uint8_t *data, size_t bytes)
{
	struct input *in = opaque;

	in->result = add_image(in->handle, data, bytes, in->name);
	return in->result;
}

/* What the data are, whatever the caller says. */
static nvJitLinkInputType look(const uint8_t *data, size_t bytes)
{
	uint16_t machine;

	if (bytes >= 8 && !memcmp(data, "!<arch>\n", 8))
		return NVJITLINK_INPUT_LIBRARY;
	if (bytes >= 4 && !memcmp(data, "PPUB", 4))
		return NVJITLINK_INPUT_CUBIN;
	if (bytes >= 4 && !memcmp(data, "\x50\xed\x55\xba", 4))
		return NVJITLINK_INPUT_FATBIN;
	if (bytes >= 4 && !memcmp(data, "BC\xc0\xde", 4))
		return NVJITLINK_INPUT_LTOIR;
	if (bytes >= 4 && !memcmp(data, "\xb1\x43\x62\x46", 4))
		return NVJITLINK_INPUT_NONE;	/* what points to a fat binary, inside a program */
	if (bytes < 20 || memcmp(data, "\177ELF", 4))
		return NVJITLINK_INPUT_PTX;
	memcpy(&machine, data + 18, 2);
	return machine == EM_CUDA ? NVJITLINK_INPUT_CUBIN : NVJITLINK_INPUT_OBJECT;
}

static const char *const type_names[] = {
	[NVJITLINK_INPUT_NONE] = "the description of a fat binary",
	[NVJITLINK_INPUT_CUBIN] = "a binary", [NVJITLINK_INPUT_PTX] = "PTX", [NVJITLINK_INPUT_LTOIR] = "LTO IR",
	[NVJITLINK_INPUT_FATBIN] = "a fat binary", [NVJITLINK_INPUT_OBJECT] = "an object",
	[NVJITLINK_INPUT_LIBRARY] = "an archive",
};

static nvJitLinkResult add(struct nvJitLink *h, nvJitLinkInputType type, const uint8_t *data, size_t bytes,
			   const char *name)
{
	struct input in = { h, name, NVJITLINK_SUCCESS };
	nvJitLinkInputType is = look(data, bytes);
	int rc;

	if (type == NVJITLINK_INPUT_LTOIR || is == NVJITLINK_INPUT_LTOIR) {
		ppu_log_printf(&h->log, "%s: error: this linker takes no LTO IR: give it PTX, with nvcc by "
			       "-gencode arch=compute_75,code=compute_75\n", name);
		return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
	}
	if (!is && type == NVJITLINK_INPUT_ANY)
		type = NVJITLINK_INPUT_FATBIN;
	if (type != NVJITLINK_INPUT_ANY && type != is) {
		ppu_log_printf(&h->log, "%s: error: this is %s, not %s\n", name, type_names[is], type_names[type]);
		return NVJITLINK_ERROR_INVALID_INPUT;
	}
	if (is != NVJITLINK_INPUT_OBJECT && is != NVJITLINK_INPUT_LIBRARY)
		return add_image(h, data, bytes, name);
	rc = (is == NVJITLINK_INPUT_OBJECT ? jl_object : jl_archive)(data, bytes, add_found, &in);
	if (rc < 0) {
		ppu_log_printf(&h->log, "%s: error: this is no object for this machine, or a damaged one\n", name);
		return NVJITLINK_ERROR_INVALID_INPUT;
	}
	return in.result;
}

/* CUDA's library of functions for kernels that launch kernels: the PPU's device library has them. */
static bool is_device_runtime(nvJitLinkInputType type, const char *name)
{
	const char *base = name ? strrchr(name, '/') : NULL;

	base = base ? base + 1 : name;
	return (type == NVJITLINK_INPUT_LIBRARY || type == NVJITLINK_INPUT_ANY) && base && strstr(base, "cudadevrt");
}

static nvJitLinkResult add_check(nvJitLinkHandle h, nvJitLinkInputType type)
{
	if (!is_handle(h))
		return NVJITLINK_ERROR_INVALID_INPUT;
	if (h->failed)
		return h->failed;
	if (h->binary)
		return NVJITLINK_ERROR_INVALID_INPUT;
	if ((type < NVJITLINK_INPUT_CUBIN || type > NVJITLINK_INPUT_LIBRARY) && type != NVJITLINK_INPUT_ANY)
		return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
	return NVJITLINK_SUCCESS;
}

EXPORT nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle h, nvJitLinkInputType type, const void *data, size_t bytes,
					const char *name)
{
	nvJitLinkResult r = add_check(h, type);

	if (r)
		return r;
	if (is_device_runtime(type, name))
		return NVJITLINK_SUCCESS;
	if (!data || !bytes)
		return NVJITLINK_ERROR_INVALID_INPUT;
	return h->failed = add(h, type, data, bytes, name ? name : "input");
}

EXPORT nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle h, nvJitLinkInputType type, const char *path)
{
	nvJitLinkResult r = add_check(h, type);
	size_t bytes;
	char *data;

	if (r)
		return r;
	if (!path)
		return NVJITLINK_ERROR_INVALID_INPUT;
	if (is_device_runtime(type, path))
		return NVJITLINK_SUCCESS;
	data = ppu_read_file(path, &bytes);
	if (!data) {
		ppu_log_printf(&h->log, "%s: error: %s\n", path, strerror(errno));
		return h->failed = NVJITLINK_ERROR_INVALID_INPUT;
	}
	r = nvJitLinkAddData(h, type, data, bytes, path);
	free(data);
	return r;
}

/* ---- the result ----------------------------------------------------------------------------------- */

static void describe(struct nvJitLink *h)
{
	for (uint32_t i = 0; i < h->img->num_symbols; i++) {
		const struct ppu_symbol *s = &h->img->symbols[i];

		if (s->kind == PPU_SYM_KERNEL)
			ppu_log_printf(&h->info, "%s: %u registers, %u bytes of shared memory, %u of local memory, "
				       "%u of parameters\n", s->name, s->regs, s->shared_bytes, s->local_bytes, s->param_bytes);
	}
}

EXPORT nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle h)
{
	nvJitLinkResult r = add_check(h, NVJITLINK_INPUT_ANY);

	if (r)
		return r;
	if (h->options.ptx) {
		ppu_log_printf(&h->log, "error: the result of linking is code, not PTX: leave out -ptx\n");
		return h->failed = NVJITLINK_ERROR_NVVM_COMPILE;
	}
	r = result_of(ppu_image_finish(h->img, &ppu_device_library, &h->log), NVJITLINK_ERROR_FINALIZE);
	if (!r)
		r = result_of(ppu_image_write(h->img, &h->binary, &h->bytes), NVJITLINK_ERROR_INTERNAL);
	if (!r && h->options.verbose)
		describe(h);
	return h->failed = r;
}

EXPORT nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle h, size_t *bytes)
{
	if (!is_handle(h) || !bytes || !h->binary)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*bytes = h->bytes;
	return NVJITLINK_SUCCESS;
}

EXPORT nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle h, void *cubin)
{
	if (!is_handle(h) || !cubin || !h->binary)
		return NVJITLINK_ERROR_INVALID_INPUT;
	memcpy(cubin, h->binary, h->bytes);
	return NVJITLINK_SUCCESS;
}

/* There is none: see -ptx above. */
EXPORT nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle h, size_t *bytes)
{
	(void)h;
	(void)bytes;
	return NVJITLINK_ERROR_INVALID_INPUT;
}

EXPORT nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle h, char *ptx)
{
	(void)h;
	(void)ptx;
	return NVJITLINK_ERROR_INVALID_INPUT;
}

/* Messages of the compiler and the linker are errors when something failed, else warnings: information. */
static const char *log_text(const struct nvJitLink *h, bool error)
{
	const char *text = !error && h->info.text ? h->info.text : error == !!h->failed ? h->log.text : NULL;

	return text ? text : "";
}

static nvJitLinkResult log_size(nvJitLinkHandle h, size_t *bytes, bool error)
{
	if (!is_handle(h) || !bytes)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*bytes = strlen(log_text(h, error));
	*bytes += *bytes > 0;	/* the NUL, if there is a log */
	return NVJITLINK_SUCCESS;
}

static nvJitLinkResult get_log(nvJitLinkHandle h, char *log, bool error)
{
	const char *text;

	if (!is_handle(h) || !log)
		return NVJITLINK_ERROR_INVALID_INPUT;
	text = log_text(h, error);
	if (*text)
		memcpy(log, text, strlen(text) + 1);
	return NVJITLINK_SUCCESS;
}

EXPORT nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle h, size_t *bytes)
{
	return log_size(h, bytes, true);
}

EXPORT nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle h, char *log)
{
	return get_log(h, log, true);
}

EXPORT nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle h, size_t *bytes)
{
	return log_size(h, bytes, false);
}

EXPORT nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle h, char *log)
{
	return get_log(h, log, false);
}

EXPORT nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor)
{
	if (!major || !minor)
		return NVJITLINK_ERROR_INVALID_INPUT;
	*major = NVJITLINK_MAJOR;
	*minor = MINOR;
	return NVJITLINK_SUCCESS;
}

/* Programs that were compiled with the vendor's header ask for names with that header's version in them. */
#define ALIAS(name, version) \
	EXPORT __typeof__(nvJitLink##name) __nvJitLink##name##_##version __attribute__((alias("nvJitLink" #name)));
#if NVJITLINK_MAJOR == 12
#define ALIASES(name, args) ALIAS(name, 12_0) ALIAS(name, 12_1) ALIAS(name, 12_2) ALIAS(name, 12_3) ALIAS(name, 12_4) \
	ALIAS(name, 12_5) ALIAS(name, 12_6) ALIAS(name, 12_7) ALIAS(name, 12_8) ALIAS(name, 12_9)
#else
#define ALIASES(name, args) ALIAS(name, 13_0) ALIAS(name, 13_1)
#endif
NVJITLINK_CALLS(ALIASES)
