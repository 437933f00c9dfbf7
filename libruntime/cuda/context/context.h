/* SPDX-License-Identifier: MIT */
/* Contexts, and each thread's current one. */
#ifndef PPU_CUDA_CONTEXT_INT_H
#define PPU_CUDA_CONTEXT_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"

#pragma GCC visibility push(hidden)

struct CUctx_st {
	struct cu_obj obj;
	ppuCtx ppu;			/* NULL: a primary context that is not active */
	CUdevice device;
	unsigned int flags;
	unsigned long long id;		/* unique in the process; a new one at each activation */
	bool primary, dead;
	unsigned int retained;		/* primary */
	unsigned int attached;		/* by cuCtxAttach */
	CUfunc_cache cache;
	CUsharedconfig shared;
	ppuFunction waiter;		/* memop.c; of the context whose id is waiter_id */
	unsigned long long waiter_id;
};
/* The calling thread's current context, made libppu's too; with a reference. */
CUresult cu_current(struct CUctx_st **ctx);
/* Frees device memory of a context that need not be the current one; nothing when that is gone. */
void cu_free_in(struct CUctx_st *ctx, unsigned long long id, void *mem);
/* The thread's own default stream of a context; made at first use. */
CUresult cu_thread_stream(struct CUctx_st *ctx, ppuStream *stream);

#pragma GCC visibility pop
#endif
