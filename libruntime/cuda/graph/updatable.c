/* SPDX-License-Identifier: MIT */
/*
 * Kernel nodes that kernels change.  The program's handle is the address of two words in device memory; when the graph is
 * brought to the device (api/launch/graph.c), they say where the node is (compiler/devlib/graph.cu).
 */
#include <ppu.h>
#include "cuda/graph/updatable.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"
#include "cuda/module/function.h"

struct cu_updatable {
	struct cu_obj obj;		/* no handle; counts references */
	void *node;
};

static void release(void *obj)
{
	struct cu_updatable *u = obj;

	cu_free_in(u->obj.ctx, u->obj.ctx_id, u->node);
}

CUresult cu_updatable_make(struct cu_kernel *k)
{
	struct cu_updatable *u;
	CUresult r;

	if (k->updatable)
		return CUDA_SUCCESS;
	u = cu_obj_new(CU_UPDATABLE, sizeof(*u), k->function->obj.ctx, NULL);
	if (!u)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* The program's current context may be another one. */
	r = cu_go_to(u->obj.ctx, u->obj.ctx_id) ? cu_result(ppuMalloc(&u->node, PPU_GRAPH_DEVICE_NODE)) : CUDA_ERROR_INVALID_HANDLE;
	if (!r) {
		u->obj.release = release;
		r = cu_result(ppuMemset(u->node, 0, 1, PPU_GRAPH_DEVICE_NODE));
	}
	if (r)
		cu_obj_put(u);
	else
		k->updatable = u;
	return r;
}

uint64_t cu_updatable_node(const struct cu_updatable *u)
{
	return u ? (uintptr_t)u->node : 0;
}

void cu_updatable_leave(struct cu_updatable *u)
{
	if (u && cu_go_to(u->obj.ctx, u->obj.ctx_id))
		ppuMemset(u->node, 0, 1, PPU_GRAPH_DEVICE_NODE);
}
