/* SPDX-License-Identifier: MIT */
/* Work for a stream: it is made from a call's arguments, and run now or kept for later. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "cuda/graph/work.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/conditional.h"
#include "cuda/memory/copy.h"
#include "cuda/module/function.h"
#include "cuda/module/launch.h"
#include "cuda/stream/event.h"
#include "cuda/stream/ipcevent.h"
#include "cuda/stream/memop.h"
#include "cuda/stream/stream.h"

static void *copied(const void *from, size_t bytes)
{
	void *to = malloc(bytes ? bytes : 1);

	if (to && bytes)
		memcpy(to, from, bytes);
	return to;
}

/* The other form of arguments: pairs of a tag and a value, and an end mark. */
static CUresult parse_extra(void **extra, const void **buffer, size_t *bytes)
{
	*buffer = NULL;
	*bytes = 0;
	while (*extra != CU_LAUNCH_PARAM_END) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*buffer = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			*bytes = *(const size_t *)extra[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
		extra += 2;
	}
	return *buffer || !*bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Called before anything is read through the program's pointers. */
static CUresult check_size(const struct CUfunc_st *f, ppuDim3 grid, ppuDim3 block)
{
	uint64_t threads = (uint64_t)block.x * block.y * block.z;
	ppuDeviceProp p;
	CUresult r = cu_device(f->obj.ctx->device, &p);

	if (r)
		return r;
	return !grid.x || !grid.y || !grid.z || grid.x > p.max_grid[0] || grid.y > p.max_grid[1] ||
	       grid.z > p.max_grid[2] || !threads || block.x > p.max_block[0] || block.y > p.max_block[1] ||
	       block.z > p.max_block[2] || threads > p.max_threads_per_block ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* Copies the arguments into the layout that the kernel reads, with a pointer to each. */
static CUresult pack(struct cu_op *op, const ppuFunctionAttributes *a, void **params, const void *buffer)
{
	ppuFunction f = op->kernel.function->ppu;
	CUresult r = CUDA_SUCCESS;

	op->kernel.arg_bytes = a->param_bytes;
	op->kernel.args = calloc(1, a->param_bytes ? a->param_bytes : 1);
	op->kernel.params = calloc(a->num_params + 1, sizeof(void *));
	if (!op->kernel.args || !op->kernel.params)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (buffer)
		memcpy(op->kernel.args, buffer, a->param_bytes);
	for (uint32_t i = 0; !r && i < a->num_params; i++) {
		size_t offset, bytes;

		r = cu_result(ppuFunctionGetParam(f, i, &offset, &bytes));
		if (r)
			break;
		op->kernel.params[i] = (char *)op->kernel.args + offset;
		if (!buffer && !params[i])
			r = CUDA_ERROR_INVALID_VALUE;
		else if (!buffer)
			memcpy(op->kernel.params[i], params[i], bytes);
	}
	return r;
}

CUresult cu_op_kernel(struct cu_op *op, CUfunction function, ppuDim3 grid, ppuDim3 block, unsigned int shared_bytes,
		      bool cooperative, void **params, void **extra)
{
	ppuFunctionAttributes a;
	const void *buffer = NULL;
	struct CUfunc_st *f;
	size_t bytes = 0;
	CUresult r = cu_function_attributes(function, &f, &a);

	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;	/* nothing to clear */
	if (r)
		return r;
	r = params && extra ? CUDA_ERROR_INVALID_VALUE : check_size(f, grid, block);
	if (!r && extra)
		r = parse_extra(extra, &buffer, &bytes);
	if (!r && a.num_params && !params && !buffer)
		r = CUDA_ERROR_INVALID_VALUE;
	/* Programs may round the buffer's size up; bytes behind the parameters are not read. */
	if (!r && buffer && bytes < a.param_bytes)
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r && shared_bytes > (unsigned int)cu_function_max_dynamic(f, &a))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r) {
		cu_obj_put(f);
		return r;
	}
	op->type = CU_GRAPH_NODE_TYPE_KERNEL;
	op->kernel.function = f;
	op->kernel.grid = grid;
	op->kernel.block = block;
	op->kernel.shared_bytes = shared_bytes;
	op->kernel.cooperative = cooperative;
	r = pack(op, &a, params, buffer);
	if (r)
		cu_op_clear(op);
	return r;
}

CUresult cu_op_event(struct cu_op *op, CUgraphNodeType type, CUevent event)
{
	memset(op, 0, sizeof(*op));
	op->type = type;
	return cu_obj_find(event, CU_EVENT, &op->event);
}

CUresult cu_op_mem(struct cu_op *op, unsigned int count, const CUstreamBatchMemOpParams *ops)
{
	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
	op->mem.count = count;
	op->mem.ops = copied(ops, count * sizeof(*ops));
	return op->mem.ops ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult copy_kernel(struct cu_op *to, const struct cu_op *from)
{
	size_t n = 0;

	while (from->kernel.params[n])
		n++;
	to->kernel.args = copied(from->kernel.args, from->kernel.arg_bytes);
	to->kernel.params = copied(from->kernel.params, (n + 1) * sizeof(void *));
	cu_obj_ref(to->kernel.function);
	if (to->kernel.updatable)
		cu_obj_ref(to->kernel.updatable);
	if (!to->kernel.args || !to->kernel.params) {
		cu_op_clear(to);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	for (size_t i = 0; i < n; i++)
		to->kernel.params[i] = (char *)to->kernel.args +
				       ((char *)from->kernel.params[i] - (char *)from->kernel.args);
	return CUDA_SUCCESS;
}

void cu_kernel_like(struct cu_kernel *k, const struct cu_kernel *old)
{
	k->cooperative = old->cooperative;
	k->cluster = old->cluster;
	k->priority = old->priority;
	k->updatable = old->updatable;
	if (k->updatable)
		cu_obj_ref(k->updatable);
}

CUresult cu_op_copy_of(struct cu_op *to, const struct cu_op *from)
{
	*to = *from;
	switch (from->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return copy_kernel(to, from);
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		cu_obj_ref(to->event);
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		cu_obj_ref(to->cond.word);
		to->cond.bodies = NULL;
		/* fall through */
	case CU_GRAPH_NODE_TYPE_GRAPH:
		cu_obj_ref(to->cond.child);
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return cu_op_mem(to, from->mem.count, from->mem.ops);
	default:
		return CUDA_SUCCESS;
	}
}

void cu_op_clear(struct cu_op *op)
{
	switch (op->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		cu_obj_put(op->kernel.function);
		cu_obj_put(op->kernel.updatable);
		free(op->kernel.args);
		free(op->kernel.params);
		break;
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		cu_obj_put(op->event);
		break;
	case CU_GRAPH_NODE_TYPE_CONDITIONAL:
		cu_cond_clear(op);
		/* fall through */
	case CU_GRAPH_NODE_TYPE_GRAPH:
		cu_obj_put(op->cond.child);
		break;
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		free(op->mem.ops);
		break;
	default:
		break;
	}
	memset(op, 0, sizeof(*op));
	op->type = CU_GRAPH_NODE_TYPE_EMPTY;
}

CUresult cu_op_run(const struct cu_op *op, const struct cu_stream_use *u)
{
	switch (op->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return cu_run_kernel(op, u);
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return cu_run_copy(&op->copy, u);
	case CU_GRAPH_NODE_TYPE_MEMSET:
		return cu_run_fill(&op->fill, u);
	case CU_GRAPH_NODE_TYPE_HOST:
		return cu_result(ppuLaunchHostFunc(u->ppu, op->host.fn, op->host.userData));
	case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
		return op->event->ipc ? cu_ipc_event_wait(op->event->ipc, u->ppu) :
		       cu_result(ppuStreamWaitEvent(u->ppu, op->event->ppu));
	case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
		return op->event->ipc ? cu_ipc_event_record(op->event->ipc, op->event->ppu, u->ppu) :
		       cu_result(ppuEventRecord(op->event->ppu, u->ppu));
	case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
		return cu_run_mem(op, u);
	case CU_GRAPH_NODE_TYPE_EMPTY:
	case CU_GRAPH_NODE_TYPE_MEM_ALLOC:	/* a graph's memory lives as long as the graph */
	case CU_GRAPH_NODE_TYPE_MEM_FREE:
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

CUresult cu_op_submit(const struct cu_op *op, CUstream stream, bool wait)
{
	struct cu_stream_use u;
	bool captured = false;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	r = wait ? cu_capture_forbids(&u) : cu_capture_op(&u, op, &captured);
	if (!r && !captured) {
		r = cu_op_run(op, &u);
		if (!r && wait)
			r = cu_result(ppuStreamSynchronize(u.ppu));
	}
	cu_stream_put(&u);
	return r;
}
