/* SPDX-License-Identifier: MIT */
/*
 * Graphs that threads launch.  The host has made a TMD of each node (api/launch/graph.c).  A graph runs as a kernel of one
 * thread: it launches the nodes one after the other and waits for them.  What they have launched into the graph's tail is
 * kept in a list; when the nodes are complete, the same thread goes on with it.  So a graph that launches itself again and
 * again never gets deeper.
 */
#include "compiler/devabi/box.h"
#include "compiler/devabi/cdp.h"

/* CUDA's constants for streams. */
#define GRAPH_TAIL			0x0100000000000000ull
#define GRAPH_FIRE_AND_FORGET		0x0200000000000000ull
#define GRAPH_FIRE_AND_FORGET_SIBLING	0x0300000000000000ull

DEV u64 atom_exch(u64 *p, u64 v)
{
	u64 old;

	asm volatile("atom.global.exch.b64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
	return old;
}

DEV u64 own_graph(void)
{
	u64 v;

	asm("mov.u64 %0, %%envreg0;" : "=l"(v));	/* PPU_GRAPH_ENV */
	return v;
}

DEV struct ppu_graph *find(u64 handle)
{
	struct ppu_graph *g = (struct ppu_graph *)load_now(&__ppu_cdp_context()->graphs);

	while (g && (!handle || g->handle != handle))
		g = (struct ppu_graph *)load_now(&g->next);
	return g;
}

/* In other kernels than nodes the register may mean something else. */
CDP_FN2(u64, GetCurrentGraphExec, (void), ())
{
	return find(own_graph()) ? own_graph() : 0;
}

/* A graph may be in one tail only; one that runs only in its own. */
DEV bool reserve_for_tail(struct ppu_graph *g, const struct ppu_graph *own)
{
	u64 busy = g == own ? PPU_GRAPH_RUNS : 0;

	return atom_cas(&g->busy, busy, busy | PPU_GRAPH_WAITS) == busy;
}

static __device__ int to_tail(struct ppu_graph *g, struct ppu_graph *own)
{
	struct ppu_graph *before;

	if (!reserve_for_tail(g, own))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	g->tail_next = 0;
	fence();
	before = (struct ppu_graph *)atom_exch(&own->tail_last, (u64)g);
	store_now(before ? &before->tail_next : &own->tail_first, (u64)g);
	return 0;
}

static __device__ int start(struct ppu_graph *g, u64 order)
{
	int error;

	if (atom_cas(&g->busy, 0, PPU_GRAPH_RUNS))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	g->start.order = order;
	g->start.id = (g->start.id & ~0xffffffffull) | (u32)own_id();
	g->start.envreg[PPU_CDP_ENV_LOCAL] = env_local();
	fence();
	error = __ppu_cdp_start(&g->start);
	if (error)
		store_now(&g->busy, 0);
	return error;
}

CDP_FN(int, GraphLaunch, (u64 exec, stream_t stream), (exec, stream))
{
	struct ppu_graph *g = find(exec), *own = find(own_graph());

	if (!g)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	switch (stream) {
	case GRAPH_TAIL:
		return own ? to_tail(g, own) : start(g, PPU_ORDER_TAIL);
	case GRAPH_FIRE_AND_FORGET:
	case GRAPH_FIRE_AND_FORGET_SIBLING:
		return start(g, PPU_ORDER_NONE);
	default:
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	}
}

/* ---- a graph runs ------------------------------------------------------------------------------------------ */

/* What no error can be returned for ends the context. */
DEV void wait_for_nodes(void)
{
	u32 answer;

	asm volatile("tsync.u32 %0;" : "=r"(answer) : : "memory");
	if (answer)
		asm volatile("trap;");
}

static __device__ void run_node(struct ppu_tmd *t)
{
	int answer;

	t->id = (t->id & ~0xffffffffull) | (u32)own_id();
	t->envreg[PPU_CDP_ENV_LOCAL] = env_local();
	fence();
	asm volatile("tlaunch.u32 %0, %1;" : "=r"(answer) : "l"(t) : "memory");
	if (answer == PPU_LAUNCH_POOL || answer == PPU_LAUNCH_PENDING) {
		wait_for_nodes();
		asm volatile("tlaunch.u32 %0, %1;" : "=r"(answer) : "l"(t) : "memory");
	}
	if (answer != PPU_LAUNCH_OK && answer != PPU_LAUNCH_STOPPED)
		asm volatile("trap;");
}

static __device__ void run_slot(u64 *slot)
{
	u64 node = load_now(slot);

	if (node & PPU_NODE_CHANGES) {
		wait_for_nodes();
		node = load_now(slot);
	}
	if (!(node & PPU_NODE_OFF))
		run_node((struct ppu_tmd *)(node & ~PPU_NODE_CHANGES));
}

extern "C" __attribute__((global, weak)) void __ppu_graph_start(struct ppu_graph *first)
{
	struct ppu_graph *g = first, *waiting = 0;

	while (g) {
		store_now(&g->busy, PPU_GRAPH_RUNS);
		for (u64 i = 0; i < g->num_nodes; i++)
			run_slot((u64 *)g->nodes + i);
		wait_for_nodes();
		/* Its own tail goes before what waits in the tails of others. */
		if (load_now(&g->tail_first)) {
			struct ppu_graph *last = (struct ppu_graph *)load_now(&g->tail_last);

			last->tail_next = (u64)waiting;
			waiting = (struct ppu_graph *)load_now(&g->tail_first);
			g->tail_first = g->tail_last = 0;
		}
		store_now(&g->busy, load_now(&g->busy) & ~PPU_GRAPH_RUNS);
		g = waiting;
		if (g)
			waiting = (struct ppu_graph *)load_now(&g->tail_next);
	}
}

/* ---- kernels change nodes ---------------------------------------------------------------------------------- */

/* NULL: the node's graph is not on the device. */
DEV struct ppu_tmd *tmd_of(struct ppu_graph_node *n)
{
	return n ? (struct ppu_tmd *)load_now(&n->tmd) : 0;
}

CDP_FN2(int, GraphKernelNodeSetParam, (struct ppu_graph_node *n, u64 offset, const void *value, u64 size),
	(n, offset, value, size))
{
	struct ppu_tmd *t = tmd_of(n);

	if (!t || offset > t->param_bytes || size > t->param_bytes - offset)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	for (u64 i = 0; i < size; i++)
		((u8 *)t->param_va)[offset + i] = ((const u8 *)value)[i];
	fence();
	return 0;
}

CDP_FN2(int, GraphKernelNodeSetEnabled, (struct ppu_graph_node *n, bool enable), (n, enable))
{
	u64 *slot, old;

	if (!tmd_of(n))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	slot = (u64 *)load_now(&n->slot);
	old = load_now(slot);
	store_now(slot, enable ? old & ~PPU_NODE_OFF : old | PPU_NODE_OFF);
	fence();
	return 0;
}

CDP_FN2(int, GraphKernelNodeSetGridDim, (struct ppu_graph_node *n, struct dim3 grid), (n, grid))
{
	struct ppu_tmd *t = tmd_of(n);

	if (!t || !grid.x || !grid.y || !grid.z || grid.x >= 1u << 31 || grid.y > 65535 || grid.z > 65535)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	t->grid[0] = grid.x;
	t->grid[1] = grid.y;
	t->grid[2] = grid.z;
	fence();
	return 0;
}

/* CUDA's struct and its constants. */
struct node_update {
	struct ppu_graph_node *node;
	int field;
	union {
		struct dim3 grid;
		struct {
			const void *value;
			u64 offset, size;
		} param;
		u32 enabled;
	} data;
};
enum { FIELD_GRID = 1, FIELD_PARAM, FIELD_ENABLED };

static __device__ int apply(const struct node_update *u)
{
	switch (u->field) {
	case FIELD_GRID:
		return __cudaCDP2GraphKernelNodeSetGridDim(u->node, u->data.grid);
	case FIELD_PARAM:
		return __cudaCDP2GraphKernelNodeSetParam(u->node, u->data.param.offset, u->data.param.value, u->data.param.size);
	case FIELD_ENABLED:
		return __cudaCDP2GraphKernelNodeSetEnabled(u->node, u->data.enabled != 0);
	default:
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	}
}

CDP_FN2(int, GraphKernelNodeUpdatesApply, (const struct node_update *updates, u64 num), (updates, num))
{
	int error = 0;

	for (u64 i = 0; !error && i < num; i++)
		error = apply(&updates[i]);
	return error;
}

/* ---- nodes that are no kernels of the program -------------------------------------------------------------- */

extern "C" __attribute__((global, weak)) void __ppu_graph_copy(struct ppu_box to, struct ppu_box from, struct ppu_extent e,
								   u32 unit)
{
	copy_box(&to, &from, &e, unit);
}

extern "C" __attribute__((global, weak)) void __ppu_graph_fill(struct ppu_box to, struct ppu_extent e, u32 unit, u32 value)
{
	if (unit == 4)
		fill<u32>(&to, &e, value);
	else if (unit == 2)
		fill<u16>(&to, &e, (u16)value);
	else
		fill<u8>(&to, &e, (u8)value);
}
