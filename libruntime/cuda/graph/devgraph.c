/* SPDX-License-Identifier: MIT */
/* Graphs that kernels launch: what may be in them, and what becomes of it. */
#include <stdlib.h>
#include "cuda/graph/devgraph.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/updatable.h"
#include "cuda/graph/work.h"
#include "cuda/memory/copy.h"
#include "cuda/module/function.h"

bool cu_devnode_allowed(const struct cu_op *op)
{
	switch (op->type) {
	case CU_GRAPH_NODE_TYPE_KERNEL:
		return !op->kernel.cooperative;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		return cu_copy_by_kernel(&op->copy);
	case CU_GRAPH_NODE_TYPE_MEMSET:
	case CU_GRAPH_NODE_TYPE_GRAPH:
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return true;
	default:
		return false;
	}
}

static void kernel(const struct cu_kernel *k, ppuGraphNode *n)
{
	n->kind = PPU_GRAPH_KERNEL;
	n->function = k->function->ppu;
	n->grid = k->grid;
	n->block = k->block;
	n->cluster = k->cluster;
	n->dynamic_shared = k->shared_bytes;
	n->packed = k->args;
	n->packed_bytes = k->arg_bytes;
	n->device_node = cu_updatable_node(k->updatable);
}

static void fill(const CUDA_MEMSET_NODE_PARAMS *f, ppuGraphNode *n)
{
	n->kind = PPU_GRAPH_FILL;
	n->dst = f->dst;
	n->width = f->width * f->elementSize;
	n->height = f->height;
	n->depth = 1;
	n->dst_pitch = f->height == 1 ? n->width : f->pitch;
	n->dst_slice = n->dst_pitch * n->height;
	n->value = f->value;
	n->element = f->elementSize;
}

CUresult cu_devnodes_add(struct cu_devnodes *list, const struct cu_op *op, bool off)
{
	ppuGraphNode n = { .off = off }, *more;
	CUresult r = CUDA_SUCCESS;

	switch (op->type) {
	case CU_GRAPH_NODE_TYPE_EMPTY:
		return CUDA_SUCCESS;
	case CU_GRAPH_NODE_TYPE_KERNEL:
		if (!cu_obj_alive(op->kernel.function))
			return CUDA_ERROR_INVALID_HANDLE;
		kernel(&op->kernel, &n);
		break;
	case CU_GRAPH_NODE_TYPE_MEMSET:
		fill(&op->fill, &n);
		break;
	case CU_GRAPH_NODE_TYPE_MEMCPY:
		r = cu_copy_node(&op->copy, &n);
		break;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	if (r || (n.kind != PPU_GRAPH_KERNEL && (!n.width || !n.height || !n.depth)))
		return r;
	more = realloc(list->node, (list->num + 1) * sizeof(*more));
	if (!more)
		return CUDA_ERROR_OUT_OF_MEMORY;
	list->node = more;
	list->node[list->num++] = n;
	return CUDA_SUCCESS;
}

void cu_devnodes_clear(struct cu_devnodes *list)
{
	free(list->node);
	*list = (struct cu_devnodes){ 0 };
}
