/* SPDX-License-Identifier: MIT */
/*
 * The CUDA Runtime API over the Driver API: inside.
 *
 *   calls.c     the exported functions: log, last error, per-thread variants, then i_NAME below
 *   error.c     CUresult -> cudaError_t, names, which errors are sticky
 *   context.c   the device of a thread and its primary context, made at first use
 *   fatbin_register.c  what a compiled program registers: fat binaries, kernels, variables; their modules
 *   launch.c    launches, attributes of kernels, occupancy
 *   device.c    devices, properties, limits       versioned.c  what differs between CUDA 11, 12 and 13
 *   memory.c    allocations, pointers, pools      copy.c  copies and fills
 *   array.c     arrays, textures, surfaces        stream.c  streams, events, callbacks
 *   graph.c     graphs and capture      graph_nodes.c  their nodes     graph_params.c  the nodes' parameters
 *
 * The runtime uses nothing but the Driver API, so that programs can mix both.  Handles of streams, events, arrays
 * and graphs are the Driver API's.
 *
 * Locks: fatbin_register.c has one for its tables, which is not held while a module is compiled.
 */
#ifndef PPU_CUDART_H
#define PPU_CUDART_H

#include <stdbool.h>
#include <stdint.h>
#define PPU_CUDART_NO_NAMES
#include <cuda_runtime_api.h>
#include "driver.h"

/* The version of CUDA whose interface this library has: 11, 12 or 13 (versioned.c). */
#ifndef CUDART_MAJOR
#define CUDART_MAJOR 12
#endif

#pragma GCC visibility push(hidden)

/* ---- calls.c -------------------------------------------------------------------------------- */
/* In the running call, stream 0 means the thread's own stream. */
extern __thread bool crt_per_thread;
/* For names with _ptsz and _ptds: a call in which that is so. */
#define CRT_OWN_STREAM(call) ({ \
	bool before_ = crt_per_thread; \
	cudaError_t e_; \
	crt_per_thread = true; \
	e_ = call; \
	crt_per_thread = before_; \
	e_; \
})
static inline CUstream crt_stream(cudaStream_t stream)
{
	return !stream && crt_per_thread ? CU_STREAM_PER_THREAD : stream;
}

/* ---- error.c -------------------------------------------------------------------------------- */
cudaError_t crt_error(CUresult res);
/* Keeps an error of the thread's call for cudaGetLastError, and returns it. */
cudaError_t crt_finish(cudaError_t err);
/* For cudaDeviceReset, which ends the broken context: forgets sticky errors. */
void crt_errors_forget(void);
const char *crt_error_name(cudaError_t err);	/* NULL: no such code */

/* ---- context.c ------------------------------------------------------------------------------ */
cudaError_t crt_init(void);			/* cuInit was called */
/* Makes sure that the thread has a current context: the one that the program set, or else the primary context of
 * the thread's device, which starts at first use. */
cudaError_t crt_enter(void);
/* A function that hands its arguments on to the Driver API's. */
#define CRT_FORWARD(name, function, params, ...) \
cudaError_t i_##name params \
{ \
	cudaError_t e = crt_enter(); \
	return e ? e : CRT_CALL(function, __VA_ARGS__); \
}
/* As crt_enter(), and returns the context and its id.  Ids are never used twice. */
cudaError_t crt_context(CUcontext *ctx, unsigned long long *id);

/* ---- fatbin_register.c ---------------------------------------------------------------------- */
/* The function of a kernel in the current context; its module is loaded at first use. */
cudaError_t crt_function(const void *host, CUfunction *function);
/* The host's address of a kernel; a function that none was asked for: the function. */
void *crt_function_host(CUfunction function);
/* A variable's address in the current context. */
cudaError_t crt_variable(const void *host, CUdeviceptr *ptr, size_t *bytes);
/* The handle that stands for a kernel in all contexts; NULL: not registered. */
struct CUkern_st *crt_kernel(const void *host);

/* ---- array.c -------------------------------------------------------------------------------- */
/* Bytes of an array's element; 0: not an array. */
size_t crt_array_element(cudaArray_const_t array);

/* ---- copy.c --------------------------------------------------------------------------------- */
/* A copy as the Driver API describes it. */
cudaError_t crt_copy_3d(CUDA_MEMCPY3D *out, const struct cudaMemcpy3DParms *copy);

/* Prototypes of the functions i_NAME. */
#define RT_I_(symbol, ...) cudaError_t i_##symbol(CUDART_PARAMS(__VA_ARGS__));
#define RT_I_V_(symbol) cudaError_t i_##symbol(void);
CUDART_CALLS(RT_I_, RT_I_, RT_I_, RT_I_V_)
#undef RT_I_
#undef RT_I_V_

#pragma GCC visibility pop
#endif
