// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: fences that wait for others, and need not.
 *
 * A job waits for its in-fences, which may be those of another driver, or of a job that takes
 * minutes.  The scheduler frees a job only after they have signalled.  So what the scheduler waits
 * for is a fence of our own, which signals when all in-fences have, or when it is cancelled since
 * the job's channel has ended.
 */

#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "fence/ppu_join.h"

struct ppu_join;

/** struct ppu_join_part - one of the fences that are waited for */
struct ppu_join_part {
	struct dma_fence_cb cb;
	struct ppu_join *join;
	struct dma_fence *fence;
};

/** struct ppu_join - a fence; each part that has not signalled holds a reference */
struct ppu_join {
	struct dma_fence base;
	/** @lock: of @base. */
	spinlock_t lock;
	/** @left: parts that have not signalled. */
	atomic_t left;
	struct ppu_join_part part[];
};

static const char *ppu_join_driver_name(struct dma_fence *fence)
{
	return "ppu";
}

static const char *ppu_join_timeline_name(struct dma_fence *fence)
{
	return "ppu-join";
}

/* Its parts call into the module, so it holds the module. */
static void ppu_join_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops ppu_join_ops = {
	.get_driver_name = ppu_join_driver_name,
	.get_timeline_name = ppu_join_timeline_name,
	.release = ppu_join_release,
};

static void ppu_join_cb(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ppu_join_part *part = container_of(cb, struct ppu_join_part, cb);
	struct ppu_join *join = part->join;

	if (atomic_dec_and_test(&join->left))
		dma_fence_signal(&join->base);
	dma_fence_put(part->fence);
	dma_fence_put(&join->base);
}

/**
 * ppu_join_create - make a fence that signals when all others have
 * @fences: the others; their references are taken over, and NULL is left
 * @n: how many, not 0
 *
 * Errors of the others are not handed on.
 *
 * Return: fence with one reference, or NULL if there is no memory.
 */
struct dma_fence *ppu_join_create(struct dma_fence **fences, u32 n)
{
	struct ppu_join *join = kzalloc(struct_size(join, part, n), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!join)
		return NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&join->lock);
	dma_fence_init(&join->base, &ppu_join_ops, &join->lock, dma_fence_context_alloc(1), 1);
	atomic_set(&join->left, n);
	for (i = 0; i < n; i++) {
		struct ppu_join_part *part = &join->part[i];

		part->join = join;
		part->fence = fences[i];
		fences[i] = NULL;
		dma_fence_get(&join->base);
		if (dma_fence_add_callback(part->fence, &part->cb, ppu_join_cb))
			ppu_join_cb(part->fence, &part->cb);
	}
	return &join->base;
}

/** ppu_join_cancel - wait no longer; any context, and more than once */
void ppu_join_cancel(struct dma_fence *fence)
{
	dma_fence_signal(fence);
}
