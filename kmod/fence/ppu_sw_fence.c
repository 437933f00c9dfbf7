// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: fences that the driver itself signals.
 *
 * (Those of jobs, which the device completes, are in ppu_submit.c.)
 */

#include <linux/dma-fence.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "fence/ppu_sw_fence.h"

/** struct ppu_sw_fence - a fence that needs nothing but itself */
struct ppu_sw_fence {
	struct dma_fence base;
	/** @lock: of @base; in the fence, since the fence outlives its maker. */
	spinlock_t lock;
	const char *timeline;
	/** @cb: on the fence that this one follows. */
	struct dma_fence_cb cb;
};

static const char *ppu_sw_fence_driver_name(struct dma_fence *fence)
{
	return "ppu";
}

static const char *ppu_sw_fence_timeline_name(struct dma_fence *fence)
{
	return container_of(fence, struct ppu_sw_fence, base)->timeline;
}

/* A fence may outlive everything but its operations, so it holds the module. */
static void ppu_sw_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops ppu_sw_fence_ops = {
	.get_driver_name = ppu_sw_fence_driver_name,
	.get_timeline_name = ppu_sw_fence_timeline_name,
	.release = ppu_sw_fence_release,
};

/**
 * ppu_sw_fence_create - make a fence
 * @timeline: name, a string constant
 * @context: fence context
 * @seqno: number in it
 *
 * Return: fence with one reference, or NULL.
 */
struct dma_fence *ppu_sw_fence_create(const char *timeline, u64 context, u64 seqno)
{
	struct ppu_sw_fence *fence = kzalloc(sizeof(*fence), GFP_KERNEL_ACCOUNT);

	if (!fence)
		return NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	fence->timeline = timeline;
	dma_fence_init(&fence->base, &ppu_sw_fence_ops, &fence->lock, context, seqno);
	return &fence->base;
}

static void ppu_sw_fence_cb(struct dma_fence *leader, struct dma_fence_cb *cb)
{
	struct ppu_sw_fence *fence = container_of(cb, struct ppu_sw_fence, cb);

	ppu_sw_fence_signal(&fence->base, leader->error);
	dma_fence_put(&fence->base);
}

/**
 * ppu_sw_fence_follow - make a fence signal when another one does, with its error
 * @fence: of ppu_sw_fence_create()
 * @leader: the other one
 */
void ppu_sw_fence_follow(struct dma_fence *fence, struct dma_fence *leader)
{
	struct ppu_sw_fence *f = container_of(fence, struct ppu_sw_fence, base);

	dma_fence_get(fence);
	if (dma_fence_add_callback(leader, &f->cb, ppu_sw_fence_cb))
		ppu_sw_fence_cb(leader, &f->cb);
}

/** ppu_sw_fence_signal - signal a fence; @err: 0 or a negative error */
void ppu_sw_fence_signal(struct dma_fence *fence, int err)
{
	if (err)
		dma_fence_set_error(fence, err);
	dma_fence_signal(fence);
}
