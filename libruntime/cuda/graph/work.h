/* SPDX-License-Identifier: MIT */
/* Work for a stream. */
#ifndef PPU_CUDA_WORK_INT_H
#define PPU_CUDA_WORK_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUevent_st;
struct CUfunc_st;
struct CUgraph_st;
struct cu_cond;
struct cu_stream_use;

/*
 * A piece of work for a stream.  It owns all that it needs: arguments are copied.  A piece of work is run at
 * once, or becomes a node of a graph.
 */
struct cu_op {
	CUgraphNodeType type;
	union {
		struct cu_kernel {
			struct CUfunc_st *function;	/* with a reference */
			ppuDim3 grid, block;
			unsigned int shared_bytes;
			bool cooperative;
			ppuDim3 cluster;		/* 0: as the kernel says */
			int priority;			/* of a node, as the program set it */
			struct cu_updatable *updatable;	/* with a reference; NULL: kernels do not change it */
			void *args;			/* packed */
			size_t arg_bytes;
			void **params;			/* one pointer into args for each parameter */
		} kernel;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		struct CUevent_st *event;		/* with a reference */
		struct {
			struct CUgraph_st *child;	/* of GRAPH and CONDITIONAL, with a reference; no other op has it */
			/* Of CONDITIONAL, whose bodies are the nodes of `child`: */
			struct cu_cond *word;		/* with a reference */
			CUgraphConditionalNodeType type;
			unsigned int size;
			CUgraph *bodies;		/* what the program was told; NULL in copies */
		} cond;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr free;
		struct {
			unsigned int count;
			CUstreamBatchMemOpParams *ops;
		} mem;
	};
};
CUresult cu_op_kernel(struct cu_op *op, CUfunction function, ppuDim3 grid, ppuDim3 block, unsigned int shared_bytes,
		      bool cooperative, void **params, void **extra);
/* Attributes stay when a node gets another kernel. */
void cu_kernel_like(struct cu_kernel *k, const struct cu_kernel *old);
CUresult cu_op_event(struct cu_op *op, CUgraphNodeType type, CUevent event);
CUresult cu_op_mem(struct cu_op *op, unsigned int count, const CUstreamBatchMemOpParams *ops);
CUresult cu_op_copy_of(struct cu_op *to, const struct cu_op *from);
void cu_op_clear(struct cu_op *op);
CUresult cu_op_run(const struct cu_op *op, const struct cu_stream_use *u);
/* Runs the op in the stream, or adds it to the stream's capture.  wait: returns when the op is done.  The op stays
 * the caller's. */
CUresult cu_op_submit(const struct cu_op *op, CUstream stream, bool wait);

#pragma GCC visibility pop
#endif
