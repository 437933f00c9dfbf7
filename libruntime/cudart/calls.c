/* SPDX-License-Identifier: MIT */
/*
 * The exported functions: each calls its i_NAME and remembers an error for cudaGetLastError.  With
 * PPU_CUDA_LOG=FILE in the environment ("-": standard error) every call is logged with its arguments and
 * result, in the same file as the Driver API's calls below it.
 */
#include "common/calllog.h"
#include "cudart.h"
#include "unsupported.h"

#define EXPORT __attribute__((visibility("default")))

__thread bool crt_per_thread;

static struct ppu_calllog call_log = { .library = "libcudart" };

static struct ppu_arg arg_dim(const char *name, dim3 v)
{
	return ppu_arg_triple(name, v.x, v.y, v.z);
}

static struct ppu_arg arg_extent(const char *name, struct cudaExtent v)
{
	return ppu_arg_triple(name, (unsigned int)v.width, (unsigned int)v.height, (unsigned int)v.depth);
}

static struct ppu_arg arg_pitched(const char *name, struct cudaPitchedPtr v)
{
	return ppu_arg_pointer(name, v.ptr);
}

/* Of a handle for other processes nothing is told: whoever knows it has the memory. */
static struct ppu_arg arg_mem_handle(const char *name, cudaIpcMemHandle_t v)
{
	return ppu_arg_string(name, "...");
}

static struct ppu_arg arg_event_handle(const char *name, cudaIpcEventHandle_t v)
{
	return ppu_arg_string(name, "...");
}

#define ARG(type, name, ...) _Generic(name, \
	dim3: arg_dim, struct cudaExtent: arg_extent, struct cudaPitchedPtr: arg_pitched, \
	cudaIpcMemHandle_t: arg_mem_handle, cudaIpcEventHandle_t: arg_event_handle, PPU_ARG_TYPES)(#name, name)

static void log_call(const char *symbol, cudaError_t r, unsigned int num, const struct ppu_arg *args)
{
	ppu_calllog_write(&call_log, symbol, num, args, crt_error_name(r), "");
}

#define CALL(symbol, ...) \
EXPORT cudaError_t symbol(CUDART_PARAMS(__VA_ARGS__)) \
{ \
	cudaError_t r = crt_finish(i_##symbol(CUDART_NAMES(__VA_ARGS__))); \
	if (ppu_calllog_on(&call_log)) { \
		const struct ppu_arg args_[] = { CUDART_MAP(ARG, __VA_ARGS__) }; \
		log_call(#symbol, r, CUDART_COUNT(__VA_ARGS__), args_); \
	} \
	return r; \
}
#define CALL_PT(suffix, symbol, ...) \
CALL(symbol, __VA_ARGS__) \
EXPORT cudaError_t symbol##suffix(CUDART_PARAMS(__VA_ARGS__)) \
{ \
	return CRT_OWN_STREAM(symbol(CUDART_NAMES(__VA_ARGS__))); \
}
#define CALL_Z(symbol, ...) CALL_PT(_ptsz, symbol, __VA_ARGS__)
#define CALL_D(symbol, ...) CALL_PT(_ptds, symbol, __VA_ARGS__)
#define CALL_V(symbol) \
EXPORT cudaError_t symbol(void) \
{ \
	cudaError_t r = crt_finish(i_##symbol()); \
	if (ppu_calllog_on(&call_log)) \
		log_call(#symbol, r, 0, NULL); \
	return r; \
}
CUDART_CALLS(CALL, CALL_Z, CALL_D, CALL_V)

/* Functions that exist only so that programs can be linked: they return cudaErrorNotSupported. */
#define UNSUPPORTED(name) \
EXPORT cudaError_t name(void); \
cudaError_t name(void) \
{ \
	if (ppu_calllog_on(&call_log)) \
		log_call(#name, cudaErrorNotSupported, 0, NULL); \
	return crt_finish(cudaErrorNotSupported); \
}
CUDART_UNSUPPORTED(UNSUPPORTED)
