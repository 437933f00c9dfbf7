// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: error notifiers of channels.
 *
 * A notifier is a struct drm_ppu_notification in a buffer object of the channel's owner.  The
 * driver only writes the notification, once, and never reads it.
 */

#include <linux/ktime.h>

#include <drm/drm_drv.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_notifier.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_move.h"

static_assert(sizeof(struct drm_ppu_notification) == 64);

/**
 * ppu_notifier_init - give a channel its notifier
 * @chan: channel
 * @filp: open file of its owner
 * @handle: GEM handle
 * @offset: multiple of the notification's size, which then is in one page
 *
 * Return: 0 or a negative error.
 */
int ppu_notifier_init(struct ppu_channel *chan, struct drm_file *filp, u32 handle, u64 offset)
{
	struct ppu_device *ppu = chan->ppu;
	struct ppu_notifier *n = &chan->notifier;
	struct ppu_bo *bo = ppu_bo_lookup(filp, handle);
	int ret = -EINVAL;

	if (!bo)
		return -ENOENT;
	if (PPU_CHECK(ppu, bo->imported) || PPU_CHECK(ppu, bo->readonly)) {
		ret = -EPERM;
		goto err;
	}
	if (PPU_CHECK(ppu, bo->placement != DRM_PPU_PLACEMENT_SYSTEM) ||
	    PPU_CHECK(ppu, offset >= ppu_bo_gem(bo)->size))
		goto err;
	/* Notifications are written where nobody can wait for the page. */
	ret = ppu_bo_pin(bo);
	if (ret)
		goto err;
	n->slot = ppu_bo_map_page(bo, offset, &n->vmapped);
	if (!n->slot) {
		ppu_bo_unpin(bo);
		ret = -ENOMEM;
		goto err;
	}
	n->bo = bo;
	memset(n->slot, 0, sizeof(*n->slot));
	return 0;

err:
	ppu_bo_put(bo);
	return ret;
}

/** ppu_notifier_fini - the channel is dead: nobody writes any more */
void ppu_notifier_fini(struct ppu_channel *chan)
{
	struct ppu_notifier *n = &chan->notifier;

	if (!n->bo)
		return;
	ppu_bo_unmap_page(n->slot, n->vmapped);
	ppu_bo_unpin(n->bo);
	ppu_bo_put(n->bo);
	n->bo = NULL;
}

/** ppu_notifier_write - the channel stopped: ppu_channel.failure says why; chan_lock is held */
void ppu_notifier_write(struct ppu_channel *chan)
{
	struct drm_ppu_notification *slot = chan->notifier.slot;
	int idx;

	lockdep_assert_held(&chan->ppu->chan_lock);

	if (!chan->notifier.bo)
		return;
	slot->error = chan->failure.error;
	slot->error_get = chan->failure.get;
	slot->channel_id = chan->id;
	slot->error_va = chan->failure.va;
	slot->cpu_ns = ktime_get_ns();
	if (ppu_try_enter(chan->ppu, &idx)) {
		slot->gpu_ns = ppu_device_time(chan->ppu);
		ppu_try_exit(chan->ppu, idx);
	}
	/* Release: a process that sees the state also sees the rest. */
	smp_store_release(&slot->state, chan->failure.cause);
}
