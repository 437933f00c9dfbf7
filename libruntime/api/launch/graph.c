/* SPDX-License-Identifier: MIT */
/*
 * The host's half of graphs that threads launch (libruntime/compiler/devlib/graph.cu): a graph becomes a structure in device
 * memory with a TMD for each node, in a list of the context that kernels search.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/cdp.h"
#include "api/launch/launch.h"
#include "api/launch/module.h"
#include "api/memory/mem.h"
#include "compiler/devabi/devlib.h"
#include "compiler/devlib/library.h"

struct ppuGraph_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;		/* with a reference */
	struct ppuGraph_st *next;	/* as in device memory */
	uint64_t va;
};

static pthread_mutex_t graphs_lock = PTHREAD_MUTEX_INITIALIZER;	/* of the lists of all contexts */

static void release(struct rt_obj *obj)
{
	struct ppuGraph_st *g = (struct ppuGraph_st *)obj;

	rt_obj_put(&g->ctx->obj);
	free(g);
}

/* With graphs_lock.  The current context's module with the library's kernels. */
static ppuResult kernels(struct ppuCtx_st *ctx)
{
	const ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .name = "device library graph" };
	ppuModule m;
	ppuResult res;

	if (ctx->graph_module)
		return PPU_SUCCESS;
	res = ppuModuleLoadData(&m, ppu_library_text("cudaGraphLaunch"), 0, &o);
	if (!res)
		ctx->graph_module = m;
	return res;
}

static uint64_t up(uint64_t bytes)
{
	return (bytes + PPU_TMD_ALIGN - 1) & ~(uint64_t)(PPU_TMD_ALIGN - 1);
}

/* ---- nodes ------------------------------------------------------------------------------------ */

/* A node as a launch; the parameters of copies and fills are put into `own`. */
struct launch {
	ppuGraphNode node;
	union {
		struct ppu_box_copy copy;
		struct ppu_box_fill fill;
	} own;
};

static void of_box(struct launch *l, const ppuGraphNode *n)
{
	uint64_t bytes = n->width * n->height * n->depth, blocks = (bytes + PPU_BOX_BLOCK_BYTES - 1) / PPU_BOX_BLOCK_BYTES;
	const struct ppu_box to = { n->dst, n->dst_pitch, n->dst_slice }, from = { n->src, n->src_pitch, n->src_slice };
	const struct ppu_extent e = { n->width, n->height, n->depth };

	if (n->kind == PPU_GRAPH_COPY) {
		l->own.copy = (struct ppu_box_copy){ to, from, e, ppu_box_unit(to.data | to.pitch | to.slice | from.data |
									       from.pitch | from.slice | n->width) };
		l->node.packed_bytes = offsetof(struct ppu_box_copy, unit) + sizeof(l->own.copy.unit);
	} else {
		l->own.fill = (struct ppu_box_fill){ to, e, n->element, n->value };
		l->node.packed_bytes = sizeof(l->own.fill);
	}
	l->node.packed = &l->own;
	l->node.grid = ppuDim(blocks < PPU_BOX_BLOCKS ? (unsigned)blocks : PPU_BOX_BLOCKS, 1, 1);
	l->node.block = ppuDim(PPU_BOX_THREADS, 1, 1);
}

static ppuResult as_launch(struct ppuCtx_st *ctx, const ppuGraphNode *n, struct launch *l)
{
	l->node = *n;
	switch (n->kind) {
	case PPU_GRAPH_KERNEL:
		return PPU_SUCCESS;
	case PPU_GRAPH_FILL:
		if (n->element != 1 && n->element != 2 && n->element != 4)
			break;
		/* fall through */
	case PPU_GRAPH_COPY:
		if (!n->width || !n->height || !n->depth)
			break;
		of_box(l, n);
		return ppuModuleGetFunction(&l->node.function, ctx->graph_module,
					    n->kind == PPU_GRAPH_COPY ? "__ppu_graph_copy" : "__ppu_graph_fill");
	}
	return rt_error(PPU_ERROR_INVALID_VALUE);
}

/* Adds a TMD and its parameters to an image of memory at va; *at: the first byte that is free. */
static ppuResult add(struct ppuCtx_st *ctx, const ppuGraphNode *n, uint8_t *image, uint64_t va, uint64_t *at)
{
	struct ppu_tmd *t = (struct ppu_tmd *)(image + *at);
	struct ppuFunction_st *f = rt_obj_get(n->function, RT_FUNCTION);
	ppuResult res;

	if (!f)
		return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no function", (void *)n->function);
	if (f->mod->ctx != ctx)
		res = rt_fail(PPU_ERROR_INVALID_CONTEXT, "a graph's kernels are of different contexts");
	else if (f->sym->flags & PPU_SYMF_QUEUE)
		res = rt_fail(PPU_ERROR_NOT_SUPPORTED, "kernel %s makes work for a queue: it cannot be in a graph that threads launch",
			      f->sym->name);
	else if (n->packed_bytes > f->sym->param_bytes || (f->sym->num_params && !n->packed))
		res = rt_fail(PPU_ERROR_INVALID_VALUE, "kernel %s wants %u parameters, %u bytes", f->sym->name, f->sym->num_params,
			      f->sym->param_bytes);
	else
		res = rt_launch_describe(f, n->grid, n->block, n->cluster, n->dynamic_shared, t);
	rt_obj_put(&f->obj);
	if (res)
		return res;
	t->order = PPU_ORDER_CTA;
	*at += PPU_TMD_SIZE;
	if (t->param_bytes) {
		t->param_va = va + *at;
		memcpy(image + *at, n->packed, n->packed_bytes);
		*at = up(*at + t->param_bytes);
	}
	return PPU_SUCCESS;
}

/* ---- the graph -------------------------------------------------------------------------------- */

static ppuResult fill_in(struct ppuGraph_st *g, uint64_t handle, const ppuGraphNode *nodes, size_t num, uint8_t *image)
{
	struct ppu_graph *head = (struct ppu_graph *)image;
	uint64_t *list = (uint64_t *)(image + sizeof(*head)), at = 0, tmd, self = g->va;
	ppuGraphNode start = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .packed = &self, .packed_bytes = sizeof(self) };
	ppuResult res = ppuModuleGetFunction(&start.function, g->ctx->graph_module, "__ppu_graph_start");

	if (!res)
		res = add(g->ctx, &start, image, g->va, &at);
	at = up(sizeof(*head) + num * sizeof(*list));
	for (size_t i = 0; !res && i < num; i++) {
		struct launch l;

		res = as_launch(g->ctx, &nodes[i], &l);
		tmd = at;
		list[i] = (g->va + tmd) | (nodes[i].device_node ? PPU_NODE_CHANGES | (nodes[i].off ? PPU_NODE_OFF : 0) : 0);
		if (!res)
			res = add(g->ctx, &l.node, image, g->va, &at);
		if (!res)
			((struct ppu_tmd *)(image + tmd))->envreg[PPU_GRAPH_ENV] = handle;
	}
	head->handle = handle;
	head->nodes = g->va + sizeof(*head);
	head->num_nodes = num;
	return res;
}

/* An upper bound of what the graph needs. */
static uint64_t bytes_of(const ppuGraphNode *nodes, size_t num)
{
	uint64_t bytes = up(sizeof(struct ppu_graph) + num * sizeof(uint64_t));

	for (size_t i = 0; i < num; i++) {
		struct ppuFunction_st *f = nodes[i].kind == PPU_GRAPH_KERNEL ? rt_obj_get(nodes[i].function, RT_FUNCTION) : NULL;

		bytes += PPU_TMD_SIZE + up(f ? f->sym->param_bytes : sizeof(struct ppu_box_copy));
		if (f)
			rt_obj_put(&f->obj);
	}
	return bytes;
}

/* With graphs_lock.  Makes the list in device memory go from one graph, or from the context, to another one. */
static ppuResult link_to(struct ppuCtx_st *ctx, const struct ppuGraph_st *from, const struct ppuGraph_st *to)
{
	uint64_t va = to ? to->va : 0;

	return rt_cdp_upload(ctx, from ? from->va + offsetof(struct ppu_graph, next) :
					 ctx->cdp_va + offsetof(struct ppu_cdp_ctx, graphs), &va, sizeof(va));
}

static void free_memory(struct ppuGraph_st *g)
{
	pthread_mutex_lock(&g->ctx->lock);
	if (!g->ctx->dead && g->va)
		rt_free(g->ctx, g->va);
	pthread_mutex_unlock(&g->ctx->lock);
}

/* Tells where the nodes are that kernels change. */
static ppuResult tell_nodes(struct ppuGraph_st *g, const ppuGraphNode *nodes, size_t num, const uint8_t *image)
{
	const struct ppu_graph *head = (const struct ppu_graph *)image;
	const uint64_t *list = (const uint64_t *)(image + (head->nodes - g->va));
	ppuResult res = PPU_SUCCESS;

	_Static_assert(sizeof(struct ppu_graph_node) == PPU_GRAPH_DEVICE_NODE, "the program allocates it");
	for (size_t i = 0; !res && i < num; i++) {
		const struct ppu_graph_node n = { list[i] & ~(PPU_NODE_OFF | PPU_NODE_CHANGES), head->nodes + i * sizeof(*list) };

		if (nodes[i].device_node)
			res = rt_cdp_upload(g->ctx, nodes[i].device_node, &n, sizeof(n));
	}
	return res;
}

/* With graphs_lock. */
static ppuResult create(struct ppuGraph_st *g, uint64_t handle, const ppuGraphNode *nodes, size_t num)
{
	uint64_t bytes = bytes_of(nodes, num);
	uint8_t *image = NULL;
	ppuResult res = kernels(g->ctx);

	if (!res)
		res = rt_cdp_allocate(g->ctx, bytes, &g->va);
	if (!res)
		image = calloc(1, bytes);
	if (!res && !image)
		res = rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	if (!res)
		res = fill_in(g, handle, nodes, num, image);
	if (!res) {
		((struct ppu_graph *)image)->next = g->ctx->graphs ? g->ctx->graphs->va : 0;
		res = rt_cdp_upload(g->ctx, g->va, image, bytes);
	}
	if (!res)
		res = tell_nodes(g, nodes, num, image);
	if (!res)
		res = link_to(g->ctx, NULL, g);
	free(image);
	if (res) {
		free_memory(g);
		return res;
	}
	g->next = g->ctx->graphs;
	g->ctx->graphs = g;
	return PPU_SUCCESS;
}

ppuResult ppuGraphCreate(ppuGraph *out, uint64_t handle, const ppuGraphNode *nodes, size_t num)
{
	struct ppuGraph_st *g;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!out || !nodes || !num || num > UINT32_MAX)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	g = calloc(1, sizeof(*g));
	if (!g) {
		rt_obj_put(&ctx->obj);
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	}
	rt_obj_init(&g->obj, RT_GRAPH, release);
	g->ctx = ctx;		/* keeps the reference */
	pthread_mutex_lock(&graphs_lock);
	res = create(g, handle, nodes, num);
	pthread_mutex_unlock(&graphs_lock);
	if (res) {
		rt_obj_put(&g->obj);
		return res;
	}
	rt_obj_publish(&g->obj);
	*out = g;
	return PPU_SUCCESS;
}

ppuResult ppuGraphLaunch(ppuGraph graph, ppuStream stream)
{
	struct ppuGraph_st *g = rt_obj_get(graph, RT_GRAPH);
	ppuFunction start;
	ppuResult res;

	if (!g)
		return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no graph", (void *)graph);
	res = ppuModuleGetFunction(&start, g->ctx->graph_module, "__ppu_graph_start");
	if (!res)
		res = ppuLaunchKernel(start, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, stream, NULL, &g->va, sizeof(g->va));
	rt_obj_put(&g->obj);
	return res;
}

ppuResult ppuGraphDestroy(ppuGraph graph)
{
	struct ppuGraph_st *g = rt_obj_get(graph, RT_GRAPH), **p, *before = NULL;
	ppuResult res = PPU_SUCCESS;

	if (!g)
		return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no graph", (void *)graph);
	if (rt_obj_withdraw(&g->obj)) {
		pthread_mutex_lock(&graphs_lock);
		for (p = &g->ctx->graphs; *p && *p != g; p = &(*p)->next)
			before = *p;
		*p = g->next;
		pthread_mutex_lock(&g->ctx->lock);
		if (!g->ctx->dead)
			res = g->ctx->broken ? rt_check(g->ctx) : rt_wait_all(g->ctx);
		pthread_mutex_unlock(&g->ctx->lock);
		if (!res && !g->ctx->dead)
			res = link_to(g->ctx, before, g->next);
		pthread_mutex_unlock(&graphs_lock);
		free_memory(g);
		rt_obj_put(&g->obj);
	}
	rt_obj_put(&g->obj);
	return res;
}
