// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: channels, as the device has them: started, paused and stopped.
 */

#include <linux/delay.h>

#include <drm/drm_print.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_patience.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_group.h"
#include "core/channel.h"
#include "memory/ppu_vm.h"

/**
 * ppu_channel_stop - stop a channel on the device, in bounded time
 * @chan: channel
 * @cmd: PPU_CH_CMD_STOP or PPU_CH_CMD_RESET
 * @resets: ppu_device.reset_count when the device was told to
 *
 * Several may stop a channel, each for himself.
 *
 * Return: true if it is stopped, also when the device is gone or was reset; false if the device did
 * not do it in time: ppu_channel_stuck() is next, with *@resets.
 */
bool ppu_channel_stop(struct ppu_channel *chan, u32 cmd, int *resets)
{
	const u32 busy = PPU_CHS_ENABLED | PPU_CHS_RUNNING;
	struct ppu_device *ppu = chan->ppu;
	struct ppu_patience patience;
	bool done, late;
	u32 status;
	int idx;

	if (!ppu_try_enter(ppu, &idx))
		return true;
	*resets = atomic_read(&ppu->reset_count);
	patience = ppu_patience_begin(PPU_STOP_TIMEOUT_MS);
	ppu_ch_wr(ppu, chan->chid, PPU_REG_CH_CMD, cmd);
	for (;;) {
		late = ppu_patience_over(&patience);
		status = ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_STATUS);
		/* All ones: it was pulled out. */
		done = !(status & busy) || status == U32_MAX;
		if (done || late)
			break;
		fsleep(1000);
	}
	ppu_try_exit(ppu, idx);
	return done;
}

/**
 * ppu_channel_stuck - the device did not stop the channel: a worker resets the device
 * @chan: channel
 * @resets: from ppu_channel_stop(); if somebody has reset the device since, nothing is done
 */
void ppu_channel_stuck(struct ppu_channel *chan, int resets)
{
	drm_err(&chan->ppu->drm, "channel %d does not stop\n", chan->chid);
	ppu_vm_set_faulted(chan->vm);
	ppu_device_want_reset(chan->ppu, resets);
}

/** ppu_channel_timeslice_ns - as the device takes it; 0: the device's default */
u32 ppu_channel_timeslice_ns(const struct ppu_channel *chan)
{
	return chan->timeslice_us * 1000;
}

/**
 * ppu_channel_update_pause - let the channel fetch, or not, as things are now
 * @chan: channel; ppu_device.chan_lock is held and the device entered
 *
 * To be called when anything that this function looks at has changed.
 */
void ppu_channel_update_pause(struct ppu_channel *chan)
{
	const struct ppu_group *group = chan->group;
	bool pause = chan->paused || chan->vm->held || chan->vm->evict.stop ||
		     (group && !ppu_has_groups(chan->ppu) && ppu_group_holds(group));

	lockdep_assert_held(&chan->ppu->chan_lock);

	if (!chan->enabled || chan->dead || pause == chan->hw_paused)
		return;
	ppu_ch_wr(chan->ppu, chan->chid, PPU_REG_CH_CMD,
		  pause ? PPU_CH_CMD_PAUSE : PPU_CH_CMD_RESUME);
	chan->hw_paused = pause;
}

/**
 * ppu_channel_enable - let the device fetch from the channel
 * @chan: channel; the device is entered
 *
 * Return: 0, or -EIO if the channel, its VM or its group ended meanwhile.
 */
int ppu_channel_enable(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;
	int ret = 0;
	u32 err;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	/* The group may have been stopped, or the device reset, while the channel was made. */
	if (chan->dead || READ_ONCE(chan->vm->faulted) || (chan->group && chan->group->stopped)) {
		ret = -EIO;
		goto out;
	}
	ppu_ch_wr(ppu, chan->chid, PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
	if (!(ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED)) {
		err = ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_ERROR);
		/* Creation succeeds if the channel stopped at once: its owner sees the error. */
		if (!err || err == PPU_ERR_BAD_CONFIG)
			ret = -EIO;
	}
	chan->enabled = !ret;
	ppu_channel_update_pause(chan);
	if (chan->group)
		ppu_group_update(chan->group);
out:
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return ret;
}

/**
 * ppu_channel_start - ppu_channel_enable() for a channel that was just published
 * @chan: channel
 *
 * Return: -ENODEV, too: the device is gone.
 */
int ppu_channel_start(struct ppu_channel *chan)
{
	int idx, ret;

	if (!ppu_enter(chan->ppu, &idx))
		return -ENODEV;
	ret = ppu_channel_enable(chan);
	ppu_exit(chan->ppu, idx);
	return ret;
}

static u32 ppu_channel_hw_flags(const struct ppu_channel *chan)
{
	u32 flags = 0;

	if (chan->ppu->caps.features & PPU_FEAT_TASK_TIME)
		flags |= PPU_CHF_TASK_TIME;
	if (chan->devq.flags & DRM_PPU_DEVQ_AUTO_REFRESH)
		return flags | PPU_CHF_AUTO_REFRESH;
	return chan->user_submit ? flags : flags | PPU_CHF_KERNEL_SUBMIT;
}

/* GPU address of the shadow of GP_PUT; 0: the channel has none. */
static u64 ppu_channel_shadow(const struct ppu_channel *chan)
{
	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return 0;
	return chan->ring_map->start + chan->devq.layout.shadow;
}

/**
 * ppu_channel_program - reset the channel on the device, and put its configuration there
 * @chan: channel; everything that the configuration names is there
 *
 * Return: 0, -EIO if the device does not reset it, -ENODEV if the device is gone.
 */
int ppu_channel_program(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	const struct ppu_chan_config config = {
		.inst = chan->vm->inst.addr,
		.ring_va = chan->ring_map->start,
		.entries = chan->ring_entries,
		.hw_class = chan->hw_class,
		.priority = chan->priority,
		.timeslice_ns = ppu_channel_timeslice_ns(chan),
		.engine_mask = chan->engine_mask,
		.flags = ppu_channel_hw_flags(chan),
		.group = chan->group ? chan->group->id : 0,
		.get = chan->devq.initial_get,
		.shadow_va = ppu_channel_shadow(chan),
	};
	int idx, resets;

	if (!ppu_channel_stop(chan, PPU_CH_CMD_RESET, &resets)) {
		ppu_channel_stuck(chan, resets);
		return -EIO;
	}
	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	ppu_chan_configure(&ppu_bus, ppu, chan->chid, &config);
	ppu_exit(ppu, idx);
	return 0;
}
