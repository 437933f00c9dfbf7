/* SPDX-License-Identifier: MIT */
#include <ppu_queue.h>
#include "kernel.h"

#define THREADS		64u
#define MAX_LEVELS	64u

/* A graph and the state of a search in the graph; the frontier of level n is in list[n & 1]. */
struct search {
	const u32 *first, *edge;	/* edges of node v: edge[first[v]] to edge[first[v + 1] - 1] */
	u32 *distance;			/* ~0: not seen yet */
	u32 *list[2];
	u32 *size;			/* number of nodes in each level */
	u32 *blocks_done;		/* finished blocks of each level's kernel */
	u32 *errors;
};

INLINE u32 compare_and_swap(u32 *p, u32 old, u32 v)
{
	u32 r;

	asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(p), "r"(old), "r"(v) : "memory");
	return r;
}

struct level_args {
	struct search *s;
	u32 level;
};

/* The nodes of one level: neighbours that no node has seen yet become the next level.  The block that finishes last
 * knows how many these are, and puts the kernel of the next level into the queue. */
KERNEL bfs(struct search *s, u32 level)
{
	u32 *to = s->list[~level & 1], i = blockIdx_x * THREADS + threadIdx_x, n, e;
	struct level_args next = { s, level + 1 };

	if (i < s->size[level]) {
		u32 v = s->list[level & 1][i];

		for (e = s->first[v]; e < s->first[v + 1]; e++)
			if (compare_and_swap(&s->distance[s->edge[e]], ~0u, level + 1) == ~0u)
				to[atomic_add(&s->size[level + 1], 1)] = s->edge[e];
	}
	syncthreads();
	if (threadIdx_x)
		return;
	asm volatile("membar.gl;" ::: "memory");
	if (atomic_add(&s->blocks_done[level], 1) != gridDim_x - 1)
		return;
	n = *(volatile u32 *)&s->size[level + 1];
	if (n && level + 2 < MAX_LEVELS &&
	    ppuQueueLaunchWait(PPU_KERNEL(bfs), (n + THREADS - 1) / THREADS, 1, 1, THREADS, 1, 1, 0, &next, sizeof(next)))
		atomic_add(s->errors, 1);
}
