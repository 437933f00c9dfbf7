/* SPDX-License-Identifier: MIT */
/*
 * The exported functions: each calls its i_NAME.  With PPU_CUDA_LOG=FILE in the environment ("-": standard error)
 * every call is logged with its arguments and result.
 */
#include <stdint.h>

#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/error.h"
#include "cuda/context/unsupported.h"
#include "cuda/stream/stream.h"
#include "common/calllog.h"

#define EXPORT __attribute__((visibility("default")))

static struct ppu_calllog call_log = { .library = "libcuda" };

static struct ppu_arg arg_location(const char *name, CUmemLocation v)
{
	return ppu_arg_uint(name, (uint64_t)v.type << 16 | (uint16_t)v.id);
}

/* Of a handle for other processes nothing is told: whoever knows it has the memory. */
static struct ppu_arg arg_mem_handle(const char *name, CUipcMemHandle v)
{
	return ppu_arg_string(name, "...");
}

static struct ppu_arg arg_event_handle(const char *name, CUipcEventHandle v)
{
	return ppu_arg_string(name, "...");
}

#define ARG(type, name) _Generic(*(type *)0, CUmemLocation: arg_location, CUipcMemHandle: arg_mem_handle, \
				 CUipcEventHandle: arg_event_handle, PPU_ARG_TYPES)(#name, name)

void cu_log_call(const char *symbol, CUresult r, unsigned int num, const struct ppu_arg *args)
{
	if (ppu_calllog_on(&call_log))
		ppu_calllog_write(&call_log, symbol, num, args, cu_error_name(r),
				  r && r != CUDA_ERROR_NOT_READY ? cu_why() : "");
}

#define CALL(symbol, base, since, ...) \
EXPORT CUresult symbol(CU_PARAMS(__VA_ARGS__)) \
{ \
	CUresult r = (cu_why_forget(), i_##symbol(CU_NAMES(__VA_ARGS__))); \
	if (ppu_calllog_on(&call_log)) { \
		const struct ppu_arg args[] = { CU_MAP(ARG, __VA_ARGS__) }; \
		cu_log_call(#symbol, r, CU_COUNT(__VA_ARGS__), args); \
	} \
	return r; \
}
#define CALL_PT(symbol, pt, base, since, ...) \
CALL(symbol, base, since, __VA_ARGS__) \
EXPORT CUresult pt(CU_PARAMS(__VA_ARGS__)) \
{ \
	bool before = cu_per_thread; \
	CUresult r; \
	cu_per_thread = true; \
	r = symbol(CU_NAMES(__VA_ARGS__)); \
	cu_per_thread = before; \
	return r; \
}
#define CALL_V(symbol, base, since) \
EXPORT CUresult symbol(void) \
{ \
	CUresult r = (cu_why_forget(), i_##symbol()); \
	cu_log_call(#symbol, r, 0, NULL); \
	return r; \
}
CU_CALLS(CALL, CALL_PT, CALL_V)

#define ALIAS(name, symbol) EXPORT extern __typeof__(symbol) name __attribute__((alias(#symbol)));
CU_ALIASES(ALIAS)

/* Functions that exist only so that programs can be linked: they return CUDA_ERROR_NOT_SUPPORTED. */
#define UNSUPPORTED(name) \
EXPORT CUresult name(void); \
CUresult name(void) \
{ \
	cu_log_call(#name, CUDA_ERROR_NOT_SUPPORTED, 0, NULL); \
	return CUDA_ERROR_NOT_SUPPORTED; \
}
CU_UNSUPPORTED(UNSUPPORTED)

#define SYMBOL(symbol, base, since, ...) { #symbol, #base, since, false, (void *)symbol },
#define SYMBOL_PT(symbol, pt, base, since, ...) \
	{ #symbol, #base, since, false, (void *)symbol }, { #pt, #base, since, true, (void *)pt },
#define SYMBOL_V(symbol, base, since) { #symbol, #base, since, false, (void *)symbol },
#define SYMBOL_UNSUPPORTED(name) { #name, #name, 2000, false, (void *)name },
#define SYMBOL_PROC(base, since, symbol) { #symbol, #base, since, false, (void *)symbol },
#define SYMBOL_PROC_PT(base, since, symbol) \
	{ #symbol, #base, since, false, (void *)symbol }, { #symbol "_ptsz", #base, since, true, (void *)symbol##_ptsz },
const struct cu_symbol cu_symbols[] = {
	CU_CALLS(SYMBOL, SYMBOL_PT, SYMBOL_V)
	CU_PROCS(SYMBOL_PROC) CU_PROCS_PT(SYMBOL_PROC_PT)
	CU_UNSUPPORTED(SYMBOL_UNSUPPORTED)
	{ 0 }
};
