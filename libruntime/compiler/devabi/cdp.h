/* SPDX-License-Identifier: MIT */
/* What the library's files for launches by threads share. */
#ifndef CDP_H
#define CDP_H

#include "compiler/devabi/dev.h"

/* A function that CUDA's compilers call, under its name in today's device runtime and in the older one. */
#define CDP_FN2(ret, name, params, args) \
LIBRARY ret __cudaCDP2##name params; \
LIBRARY ret cuda##name params { return __cudaCDP2##name args; } \
LIBRARY ret __cudaCDP2##name params
/* The same with a third name, for programs with a default stream per thread.  Here all three do the same. */
#define CDP_FN(ret, name, params, args) \
LIBRARY ret __cudaCDP2##name params; \
LIBRARY ret __cudaCDP2##name##_ptsz params { return __cudaCDP2##name args; } \
LIBRARY ret cuda##name params { return __cudaCDP2##name args; } \
LIBRARY ret __cudaCDP2##name params

struct dim3 {
	u32 x, y, z;
};
typedef u64 stream_t;	/* a constant of CUDA (STREAM_* in launch.cu), or a handle */

/* Errors of CUDA that the library reports: the library's name, CUDA's number, CUDA's name, CUDA's text. */
#define CDP_ERRORS(E) \
E(SUCCESS,           0, cudaSuccess,                          "no error") \
E(INVALID_VALUE,     1, cudaErrorInvalidValue,                "invalid argument") \
E(NO_MEMORY,         2, cudaErrorMemoryAllocation,            "out of memory") \
E(CONFIGURATION,     9, cudaErrorInvalidConfiguration,        "invalid configuration argument") \
E(DEPTH,            65, cudaErrorLaunchMaxDepthExceeded,      "launch would exceed maximum depth of nested launches") \
E(PENDING,          69, cudaErrorLaunchPendingCountExceeded,  "launch would exceed maximum number of pending launches") \
E(FUNCTION,         98, cudaErrorInvalidDeviceFunction,       "invalid device function") \
E(DEVICE,          101, cudaErrorInvalidDevice,               "invalid device ordinal") \
E(HANDLE,          400, cudaErrorInvalidResourceHandle,       "invalid resource handle") \
E(RESOURCES,       701, cudaErrorLaunchOutOfResources,        "too many resources requested for launch") \
E(FAILURE,         719, cudaErrorLaunchFailure,               "unspecified launch failure") \
E(UNSUPPORTED,     801, cudaErrorNotSupported,                "operation not supported")
enum cdp_error {
#define E(name, number, cuda, text) CDP_##name,
	CDP_ERRORS(E)
#undef E
	CDP_NUM_ERRORS
};

/* In launch.cu.  Keeps the error for cudaGetLastError; returns CUDA's number of the error. */
extern "C" __device__ int __ppu_cdp_error(int error);
/* The kernel at an address; 0: there is none. */
extern "C" __device__ const struct ppu_cdp_kernel *__ppu_cdp_kernel(const void *address);
extern "C" __device__ const struct ppu_cdp_ctx *__ppu_cdp_context(void);
/* Launches a TMD that is complete; returns CUDA's number of the error. */
extern "C" __device__ int __ppu_cdp_start(struct ppu_tmd *tmd);
/* cudaGetParameterBufferV2 and cudaLaunchDeviceV2. */
extern "C" __device__ void *__cudaCDP2GetParameterBufferV2(const void *kernel, struct dim3 grid, struct dim3 block, u32 shared);
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void *buffer, stream_t stream);

/* The id of the running task. */
DEV u64 own_id(void)
{
	u64 v;

	asm("mov.u64 %0, %%tmdid;" : "=l"(v));
	return v;
}

DEV u64 env_local(void)
{
	u64 v;

	asm("mov.u64 %0, %%envreg3;" : "=l"(v));	/* PPU_CDP_ENV_LOCAL */
	return v;
}

#endif
