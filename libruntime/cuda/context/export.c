/* SPDX-License-Identifier: MIT */
/*
 * cuGetExportTable: tables of functions that the vendor's libraries call beside the API.  What is known of them comes
 * from public descriptions and from the calls that arrive here; Documentation/runtime/cudart.md says what that is.  A
 * place of which nothing is known has a function that logs the call and refuses it.
 *
 * One place is refused on purpose.  By it, the vendor's runtime (from 11.2 on) lets the driver prove that it is the
 * vendor's.  This driver is not, and does not say so.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cuda/context/calls.h"
#include "cuda/context/error.h"
#include "cuda/context/storage.h"
#include "common/calllog.h"

typedef void place(void);

struct table {
	const char *name;
	unsigned char id[16];
	/* The first place holds the table's size in bytes; the table of stored values has no size, and ends with NULL. */
	place *const *places;
};

/* ---- places of which nothing is known --------------------------------------------------------- */

static CUresult unknown(const char *where, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d)
{
	const struct ppu_arg args[] = {
		ppu_arg_uint("a", a), ppu_arg_uint("b", b), ppu_arg_uint("c", c), ppu_arg_uint("d", d),
	};

	cu_log_call(where, CUDA_ERROR_NOT_SUPPORTED, sizeof(args) / sizeof(*args), args);
	return CUDA_ERROR_NOT_SUPPORTED;
}

#define UNKNOWN(table, n) \
static CUresult table##_##n(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d) \
{ \
	return unknown("(" #table " " #n ")", a, b, c, d); \
}
UNKNOWN(runtime, 3) UNKNOWN(runtime, 4) UNKNOWN(runtime, 5) UNKNOWN(runtime, 9) UNKNOWN(runtime, 10)
UNKNOWN(runtime, 11)
UNKNOWN(hooks, 1) UNKNOWN(hooks, 3) UNKNOWN(hooks, 4) UNKNOWN(hooks, 5)
UNKNOWN(tools, 1) UNKNOWN(tools, 2) UNKNOWN(tools, 3)
UNKNOWN(checks, 1)
UNKNOWN(validity, 2)

/* ---- what the runtime asks for ---------------------------------------------------------------- */

static CUresult load(CUmodule *module, const void *image)
{
	cu_why_forget();
	return i_cuModuleLoadData(module, image);
}

/* What the last three arguments mean is not known; they were always zero. */
static CUresult load_more(CUmodule *module, const void *image, const void *a, const void *b, unsigned int c)
{
	return a || b || c ? unknown("(runtime 6)", (uintptr_t)image, (uintptr_t)a, (uintptr_t)b, c) : load(module, image);
}

static CUresult load_container(const void *image, CUmodule *module, const void *a, const void *b, unsigned int c)
{
	return load_more(module, image, a, b, c);
}

static CUresult primary(CUcontext *ctx, CUdevice device)
{
	cu_why_forget();
	return i_cuDevicePrimaryCtxRetain(ctx, device);
}

static void nothing(void)
{
}

static CUresult success(void)
{
	return CUDA_SUCCESS;
}

/* Two buffers of words with which tools say what they want to see.  There are no tools here. */
static void hooks_calls(uint32_t **words, size_t *num)
{
	static uint32_t none[1024];

	*words = none;
	*num = sizeof(none) / sizeof(*none);
}

static void hooks_other(uint32_t **words, size_t *num)
{
	static uint32_t none[14];

	*words = none;
	*num = sizeof(none) / sizeof(*none);
}

/* Is there something special about a context, or about the process?  There is not. */
static CUresult context_is_special(CUcontext ctx, uint32_t *special, const void **why)
{
	(void)ctx;
	(void)why;
	*special = 0;
	return CUDA_SUCCESS;
}

static uint32_t process_is_special(void)
{
	return 0;
}

/* The driver is asked to prove that it is the vendor's: see above. */
static CUresult prove(unsigned int version, uint64_t seconds, uint64_t result[2])
{
	static bool told;

	(void)version;
	(void)seconds;
	(void)result;
	if (!__atomic_exchange_n(&told, true, __ATOMIC_ACQ_REL))
		fputs("libcuda: the vendor's runtime, which is inside this program or library, works with the vendor's driver "
		      "only. Use this project's: link with -L.../cuda/lib64 or -cudart shared (with nvcc also by "
		      "NVCC_PREPEND_FLAGS)\n", stderr);
	return unknown("(validity 1)", version, seconds, 0, 0);
}

/* ---- the tables ------------------------------------------------------------------------------- */

#define SIZE(n) ((place *)(uintptr_t)((n) * sizeof(place *)))
#define P(f) ((place *)(f))

static place *const runtime[] = {
	SIZE(13), P(load), P(primary), P(runtime_3), P(runtime_4), P(runtime_5), P(load_more), nothing, P(load_container),
	P(runtime_9), P(runtime_10), P(runtime_11), P(success),
};
static place *const hooks[] = {
	SIZE(7), P(hooks_1), P(hooks_calls), P(hooks_3), P(hooks_4), P(hooks_5), P(hooks_other),
};
static place *const tools[] = { SIZE(4), P(tools_1), P(tools_2), P(tools_3) };
static place *const checks[] = { SIZE(4), P(checks_1), P(context_is_special), P(process_is_special) };
static place *const stored[] = { P(cu_store_put), P(cu_store_remove), P(cu_store_get), NULL };
static place *const validity[] = { SIZE(3), P(prove), P(validity_2) };

static const struct table tables[] = {
	{ "runtime", { 0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9 },
	  runtime },
	{ "hooks", { 0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66 },
	  hooks },
	{ "tools", { 0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7, 0x8a, 0x3a, 0xec, 0xdc },
	  tools },
	{ "checks", { 0x26, 0x3e, 0x88, 0x60, 0x7c, 0xd2, 0x61, 0x43, 0x92, 0xf6, 0xbb, 0xd5, 0x00, 0x6d, 0xfa, 0x7e },
	  checks },
	{ "stored", { 0xc6, 0x93, 0x33, 0x6e, 0x11, 0x21, 0xdf, 0x11, 0xa8, 0xc3, 0x68, 0xf3, 0x55, 0xd8, 0x95, 0x93 },
	  stored },
	{ "validity", { 0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12, 0x3c, 0x66, 0xe1, 0xf2 },
	  validity },
};

CUresult i_cuGetExportTable(const void **table, const CUuuid *id)
{
	char text[33];

	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		if (!memcmp(id->bytes, tables[i].id, sizeof(tables[i].id))) {
			*table = tables[i].places;
			return CUDA_SUCCESS;
		}
	}
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)id->bytes[i]);
	cu_why_set("there is no table %s", text);
	return CUDA_ERROR_NOT_FOUND;
}
