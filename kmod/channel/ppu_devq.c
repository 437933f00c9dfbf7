// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: device-owned work queues.
 *
 * Set-up and repair are part of the driver core (core/channel.h).  This file has what the uAPI
 * makes of a queue, and what becomes of the channel that waits for the queue.
 */

#include <linux/delay.h>
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
#include "core/channel.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_mmu.h"
#include "memory/ppu_vm.h"
#include "report/ppu_fault.h"

static_assert(sizeof(struct ppu_gpfifo_entry) == PPU_DEVQ_ENTRY_BYTES);

static u64 ppu_devq_read(const struct ppu_channel *chan, u64 offset)
{
	return ppu_bus.mem_rd(chan->ppu, ppu_bo_addr(chan->ring, offset, NULL));
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
	u32 needs = PPU_FEAT_DEVQ;

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
	if (args->devq_flags & DRM_PPU_DEVQ_AUTO_REFRESH)
		needs |= PPU_FEAT_DEVQ_ASSIST;
	if (PPU_CHECK(ppu, needs & ~ppu->caps.features))
		return -EOPNOTSUPP;
	return 0;
}

/* What an error of the queue means to the channel that waits for it */

/*
 * Does the owner still wait?  An error of the owner's own, which may have stopped the queue with
 * its VM, says more than the error of the queue.  The owner's error must not get lost because this
 * worker came before the interrupt's thread.
 */
static bool ppu_devq_owner_lives(struct ppu_channel *owner)
{
	bool lives = false;
	int idx;

	lockdep_assert_held(&owner->lock);

	if (!owner->destroyed && ppu_enter(owner->ppu, &idx)) {
		lives = !ppu_fault_catch_up(owner);
		ppu_exit(owner->ppu, idx);
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
	if (ppu_devq_owner_lives(owner))
		ppu_channel_end(owner, &stopped);
	mutex_unlock(&owner->lock);
	ppu_channel_put(chan);
}

/**
 * ppu_devq_failed - a channel stopped with an error
 * @chan: channel; ppu_device.chan_lock is held
 *
 * The owner of the queue, if there is one, waits for what will never come.  A worker stops it,
 * since stopping takes the owner's lock.
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

#define PPU_DEVQ_STAND_MS	5000

/* Here nothing happens, unless a test wants to see the device between two steps (WQ-38). */
static int ppu_devq_stand(struct ppu_channel *chan, unsigned int step)
{
	struct ppu_devq_stand *stand = &chan->ppu->devq_stand;
	unsigned long end = jiffies + msecs_to_jiffies(PPU_DEVQ_STAND_MS);
	u32 own = chan->chid + 1;

	/* Only one set-up stands: whatever becomes of the test, others do not wait for it. */
	if (likely(READ_ONCE(stand->after) != step) || cmpxchg(&stand->after, step, 0) != step)
		return 0;
	WRITE_ONCE(stand->chid, own);
	/* What is read after it, @fail, is at least as new.  A reset does not wait for the test. */
	while (smp_load_acquire(&stand->chid) == own && time_before(jiffies, end) &&
	       !READ_ONCE(chan->ppu->gate.closing)) {
		if (msleep_interruptible(1))
			break;
	}
	cmpxchg(&stand->chid, own, 0);
	return READ_ONCE(stand->fail) ? -EIO : 0;
}

/**
 * ppu_devq_init - steps 405 to 412 of method 400 (WQ-28..WQ-34)
 * @chan: channel that is configured and not enabled; its object is zero-filled
 *
 * Return: 0, -ENODEV, or -EIO if a test wants it.
 */
int ppu_devq_init(struct ppu_channel *chan)
{
	const struct ppu_devq_layout *layout = &chan->devq.layout;
	struct ppu_device *ppu = chan->ppu;
	struct ppu_devq_setup setup = {
		.bus = &ppu_bus,
		.dev = ppu,
		.chid = chan->chid,
		.count = chan->ring_entries,
		.va = chan->ring_map->start,
		.layout = layout,
		.mem = ppu_mmu_backing(chan->ring),
	};
	unsigned int i;
	int idx, ret = 0;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	for (i = 0; i < PPU_DEVQ_NUM_STEPS && !ret; i++) {
		ret = ppu_devq_step(&setup, ppu_devq_steps[i]);
		if (!ret)
			ret = ppu_devq_stand(chan, ppu_devq_steps[i]);
	}
	if (!ret)
		trace_ppu_devq_init(chan->chid, setup.get,
				    ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_PUT),
				    ppu_devq_read(chan, layout->soft),
				    ppu_devq_read(chan, layout->shadow));
	ppu_exit(ppu, idx);
	return ret;
}

/**
 * ppu_devq_ring_low - the interrupt: GP_GET has moved by half a ring
 * @chan: channel; ppu_device.chan_lock is held
 */
void ppu_devq_ring_low(struct ppu_channel *chan)
{
	lockdep_assert_held(&chan->ppu->chan_lock);

	/* The bit may have been set for the channel that had this number before. */
	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE || !chan->enabled || chan->dead)
		return;
	ppu_devq_refresh(&ppu_bus, chan->ppu, chan->chid);
	chan->devq.refreshes++;
	trace_ppu_devq_refresh(chan->chid, chan->vm->context_id);
}

/* Looking at it */

/**
 * ppu_devq_to_user - tell where the parts of a queue are
 * @chan: channel of any type
 * @args: gets their places
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
 * @look: gets the counters; zero for other channels
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
 *
 * Return: true if it is a device-owned queue that waits at its next launch.
 */
bool ppu_devq_rests(const struct ppu_channel *chan, u64 blocked_va)
{
	return chan->type == DRM_PPU_CHANNEL_DEVICE_QUEUE &&
	       blocked_va == chan->ring_map->start + chan->devq.layout.x;
}
