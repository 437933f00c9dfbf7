// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: device-owned work queues.
 *
 * A channel that threads on the GPU fill: they cannot reach GP_GET and GP_PUT,
 * so the whole ring is open from the start, and only the semaphore the host
 * interface stands at keeps it from entries that nobody wrote.  Therefore the
 * order of what is done here (method 400, WQ-27..WQ-38):
 *
 *   404, 405	ring, semaphores, X, Y in one object, zero-filled
 *   406	a block that waits for X
 *   408	the entry at GP_GET points to it
 *   410	GP_PUT is the entry before GP_GET: the ring is open
 *   412	soft and shadow GP_PUT
 *
 * and only then is the channel enabled: if it ends anywhere in between, the host
 * interface has seen nothing.
 *
 * As GP_GET moves, GP_PUT and the shadow must follow (refresh): by a command in
 * the channel of the CPU, by the device itself, or by the interrupt below.  All
 * three are one step of the device, so they can meet in any order.
 */

#include <linux/io.h>

#include <drm/drm_drv.h>

#include <hw/ppu_cmd.h>
#include <hw/ppu_devq.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_trace.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_devq.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_vm.h"
#include "report/ppu_fault.h"

static_assert(sizeof(struct ppu_gpfifo_entry) == PPU_DEVQ_ENTRY_BYTES);

static void __iomem *ppu_devq_at(const struct ppu_channel *chan, u64 offset)
{
	return chan->ppu->vram_io + ppu_bo_addr(chan->ring, offset, NULL);
}

static u64 ppu_devq_read(const struct ppu_channel *chan, u64 offset)
{
	return readq(ppu_devq_at(chan, offset));
}

/**
 * ppu_devq_check - check what CHANNEL_CREATE says about a queue
 * @ppu: device
 * @args: argument
 *
 * Return: 0, -EINVAL, or -EOPNOTSUPP if the device cannot do it.
 */
int ppu_devq_check(struct ppu_device *ppu, const struct drm_ppu_channel_create *args)
{
	if (PPU_CHECK(ppu, args->devq_pad))
		return -EINVAL;
	if (args->type != DRM_PPU_CHANNEL_DEVICE_QUEUE) {
		if (PPU_CHECK(ppu, args->devq_flags) ||
		    PPU_CHECK(ppu, args->devq_initial_get) ||
		    PPU_CHECK(ppu, args->devq_owner))
			return -EINVAL;
		return 0;
	}
	if (PPU_CHECK(ppu, args->flags & ~DRM_PPU_CHANNEL_START_DISABLED) ||
	    PPU_CHECK(ppu, args->devq_flags & ~DRM_PPU_DEVQ_AUTO_REFRESH) ||
	    PPU_CHECK(ppu, args->gpfifo_entries < PPU_DEVQ_MIN_ENTRIES) ||
	    PPU_CHECK(ppu, args->devq_initial_get >= args->gpfifo_entries))
		return -EINVAL;
	if (PPU_CHECK(ppu, !(ppu->caps.features & PPU_FEAT_DEVQ)) ||
	    PPU_CHECK(ppu, args->devq_flags & DRM_PPU_DEVQ_AUTO_REFRESH &&
			    !(ppu->caps.features & PPU_FEAT_DEVQ_ASSIST)))
		return -EOPNOTSUPP;
	return 0;
}

/* What an error of the queue means to the channel that waits for it */

/*
 * Does the owner still wait?  An error of its own, which may have stopped the queue
 * with its VM, says more than the queue's: it must not get lost because the worker
 * came before the interrupt's thread.
 */
static bool ppu_devq_owner_lives(struct ppu_channel *owner)
{
	bool lives = false;
	int idx;

	lockdep_assert_held(&owner->lock);

	if (!owner->destroyed && drm_dev_enter(&owner->ppu->drm, &idx)) {
		lives = !ppu_fault_catch_up(owner);
		drm_dev_exit(idx);
	}
	return lives;
}

static void ppu_devq_stop_owner(struct work_struct *work)
{
	const struct ppu_failure stopped = {
		.err = -EIO,
		.cause = DRM_PPU_CHANNEL_STATE_STOPPED,
	};
	struct ppu_channel *chan = container_of(work, struct ppu_channel, devq.stop_work);
	struct ppu_channel *owner = chan->devq.owner;

	mutex_lock(&owner->lock);
	if (ppu_devq_owner_lives(owner)) {
		if (!ppu_channel_stop(owner, PPU_CH_CMD_STOP))
			ppu_vm_set_faulted(owner->vm);
		ppu_channel_fail(owner, &stopped);
	}
	mutex_unlock(&owner->lock);
	ppu_channel_put(chan);
}

/**
 * ppu_devq_failed - a channel stopped with an error
 * @chan: channel; ppu_device.chan_lock is held
 *
 * Its owner, if it has one, waits for what will never come: it is stopped, by a
 * worker, since that takes its lock.
 */
void ppu_devq_failed(struct ppu_channel *chan)
{
	lockdep_assert_held(&chan->ppu->chan_lock);

	if (!chan->devq.owner)
		return;
	kref_get(&chan->kref);
	if (!queue_work(chan->ppu->wq, &chan->devq.stop_work))
		ppu_channel_put(chan);
}

static int ppu_devq_set_owner(struct ppu_channel *chan, u32 id)
{
	struct ppu_channel *owner;

	if (!id)
		return 0;
	owner = ppu_channel_lookup(chan->file, id);
	if (!owner)
		return -ENOENT;
	if (PPU_CHECK(chan->ppu, owner->vm != chan->vm) ||
	    PPU_CHECK(chan->ppu, !owner->userd)) {
		ppu_channel_put(owner);
		return -EINVAL;
	}
	chan->devq.owner = owner;
	return 0;
}

/* Life */

/**
 * ppu_devq_alloc - prepare the queue's part of a channel
 * @chan: channel that was just allocated
 * @args: checked argument
 *
 * Return: 0 or a negative error.
 */
int ppu_devq_alloc(struct ppu_channel *chan, const struct drm_ppu_channel_create *args)
{
	INIT_WORK(&chan->devq.stop_work, ppu_devq_stop_owner);
	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return 0;
	chan->devq.layout = ppu_devq_layout(chan->ring_entries);
	chan->devq.initial_get = args->devq_initial_get;
	chan->devq.flags = args->devq_flags;
	return ppu_devq_set_owner(chan, args->devq_owner);
}

/* Step 406 (WQ-30): what the host interface will stand at until the first work is there. */
static void ppu_devq_write_start(struct ppu_channel *chan)
{
	u64 x = chan->ring_map->start + chan->devq.layout.x;
	u32 __iomem *block = ppu_devq_at(chan, chan->devq.layout.start);

	writel(PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
			   PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)), &block[0]);
	writel(lower_32_bits(x), &block[1]);
	writel(upper_32_bits(x), &block[2]);
	writel(lower_32_bits(PPU_DEVQ_FIRST_X), &block[3]);
	writel(upper_32_bits((u64)PPU_DEVQ_FIRST_X), &block[4]);
}

/* Step 408 (WQ-31): the first free entry of a fresh ring is the one at GP_GET. */
static void ppu_devq_write_entry(struct ppu_channel *chan, u32 get)
{
	struct ppu_gpfifo_entry __iomem *entry = ppu_devq_at(chan, get * sizeof(*entry));

	writeq(chan->ring_map->start + chan->devq.layout.start, &entry->va);
	writel(PPU_CMD_SIZE_SEM_ACQUIRE, &entry->length);
}

/**
 * ppu_devq_init - steps 406 to 412 (WQ-30..WQ-35), see above
 * @chan: channel that is configured and not enabled; its object is zero-filled
 *
 * Return: 0 or -ENODEV.
 */
int ppu_devq_init(struct ppu_channel *chan)
{
	const struct ppu_devq_layout *layout = &chan->devq.layout;
	u32 count = chan->ring_entries, get;
	struct ppu_device *ppu = chan->ppu;
	int idx, ret = 0;

	if (!drm_dev_enter(&ppu->drm, &idx))
		return -ENODEV;
	ppu_devq_write_start(chan);
	get = ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_GET);
	/* A device that was pulled out reads as all ones. */
	if (get >= count) {
		ret = -ENODEV;
		goto out;
	}
	ppu_devq_write_entry(chan, get);
	/* The entry is in memory before GP_PUT says that it may be fetched. */
	wmb();
	ppu_ch_wr(ppu, chan->chid, PPU_REG_CH_PUT, ppu_devq_first_put(get, count));
	writeq(ppu_devq_first_soft(get), ppu_devq_at(chan, layout->soft));
	writeq(ppu_devq_first_shadow(get, count), ppu_devq_at(chan, layout->shadow));
	/* And the counters before anybody hears of the queue. */
	wmb();
	trace_ppu_devq_init(chan->chid, get, ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_PUT),
			    ppu_devq_read(chan, layout->soft),
			    ppu_devq_read(chan, layout->shadow));
out:
	drm_dev_exit(idx);
	return ret;
}

/**
 * ppu_devq_ring_low - the interrupt: GP_GET has moved by half a ring
 * @chan: channel; ppu_device.chan_lock is held
 */
void ppu_devq_ring_low(struct ppu_channel *chan)
{
	lockdep_assert_held(&chan->ppu->chan_lock);

	/* The bit may be one of the channel that had this number before. */
	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE || !chan->enabled || chan->dead)
		return;
	ppu_ch_wr(chan->ppu, chan->chid, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
	chan->devq.refreshes++;
	trace_ppu_devq_refresh(chan->chid, chan->vm->context_id);
}

/* Looking at it */

/**
 * ppu_devq_to_user - tell where the parts of a queue are
 * @chan: channel of any type
 * @args: gets it
 */
void ppu_devq_to_user(const struct ppu_channel *chan, struct drm_ppu_channel_create *args)
{
	const struct ppu_devq_layout *layout = &chan->devq.layout;
	u64 start = chan->ring_map->start;

	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return;
	args->ring_size = layout->bytes;
	args->devq_ring_va = start;
	args->devq_sem_va = start + layout->sems;
	args->devq_soft_va = start + layout->soft;
	args->devq_shadow_va = start + layout->shadow;
	args->devq_x_va = start + layout->x;
	args->devq_y_va = start + layout->y;
}

/**
 * ppu_devq_look - read the counters of a queue
 * @chan: channel of any type; its lock is held, the device entered
 * @look: gets them; zero for other channels
 */
void ppu_devq_look(struct ppu_channel *chan, struct ppu_devq_look *look)
{
	const struct ppu_devq_layout *layout = &chan->devq.layout;

	lockdep_assert_held(&chan->lock);

	memset(look, 0, sizeof(*look));
	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return;
	look->get = ppu_rd64(chan->ppu, ppu_ch_off(chan->chid, PPU_REG_CH_GETABS_LO));
	look->soft = ppu_devq_read(chan, layout->soft);
	look->shadow = ppu_devq_read(chan, layout->shadow);
	look->x = ppu_devq_read(chan, layout->x);
	look->y = ppu_devq_read(chan, layout->y);
}

/**
 * ppu_devq_rests - does a queue wait for its next launch, as it should?
 * @chan: channel of any type
 * @blocked_va: address of the semaphore it waits for
 */
bool ppu_devq_rests(const struct ppu_channel *chan, u64 blocked_va)
{
	return chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE &&
	       blocked_va == chan->ring_map->start + chan->devq.layout.x;
}
