/* SPDX-License-Identifier: MIT */
/* Streams, and what a stream argument means. */
#ifndef PPU_CUDA_STREAM_INT_H
#define PPU_CUDA_STREAM_INT_H

#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"

#pragma GCC visibility push(hidden)

/* In the running call, stream 0 means the thread's own stream. */
extern __thread bool cu_per_thread;

struct CUstream_st {
	struct cu_obj obj;
	ppuStream ppu;
	unsigned long long id;
	/* As the program set them; without effect. */
	int sync_policy;
	CUaccessPolicyWindow window;
};
/* What a stream argument means.  ctx and own hold references, which cu_stream_put() gives back. */
struct cu_stream_use {
	struct CUctx_st *ctx;
	struct CUstream_st *own;	/* NULL: one of the default streams */
	ppuStream ppu;
};
CUresult cu_stream_get(CUstream handle, struct cu_stream_use *use);
void cu_stream_put(struct cu_stream_use *use);

#pragma GCC visibility pop
#endif
