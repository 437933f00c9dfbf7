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
	ppuCtx ppu;			/* libppu's context; a primary context has one only while it is active */
	CUdevice device;
	unsigned int flags;
	unsigned long long id;		/* unique in the process; a new one at each activation */
	bool primary, dead;
	unsigned int retained;		/* primary contexts: how often */
	unsigned int attached;		/* how often, by cuCtxAttach */
	CUfunc_cache cache;
	CUsharedconfig shared;
	struct CUctx_st *next_live;
	struct cu_stored *stored;	/* storage.c's */
};
/* The calling thread's current context, with a reference.  It becomes libppu's current context, too. */
CUresult cu_current(struct CUctx_st **ctx);
/* The same for a call about memory: the context that the memory belongs to, if the thread's current one is another or there
 * is none. Addresses are unique in the process. */
CUresult cu_current_of(struct CUctx_st **ctx, CUdeviceptr ptr);
/* The context with this handle, which may be dead; NULL: the current one.  With a reference. */
CUresult cu_named(CUcontext ctx, struct CUctx_st **c);
/* libppu's current context is that one; false: the context with this id is gone. */
bool cu_go_to(const struct CUctx_st *ctx, unsigned long long id);
/* Free device or pinned memory of a context that need not be current.  Do nothing if the context with this id is gone. */
void cu_free_in(struct CUctx_st *ctx, unsigned long long id, void *mem);
void cu_free_host_in(struct CUctx_st *ctx, unsigned long long id, void *mem);
/* The calling thread's own default stream in a context, which is made at first use. */
CUresult cu_thread_stream(struct CUctx_st *ctx, ppuStream *stream);

#pragma GCC visibility pop
#endif
