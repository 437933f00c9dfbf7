// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: CHANNEL_QUERY and CHANNEL_SET_PROPERTY.
 */

#include <drm/drm_file.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_hold.h"
#include "channel/ppu_runtime.h"
#include "channel/ppu_submit.h"
#include "report/ppu_fault.h"

static u32 ppu_channel_hw_state(const struct ppu_channel *chan, u32 hw)
{
	u32 state = chan->userd ? DRM_PPU_CHANNEL_STATE_USER_SUBMIT : 0;

	if (hw & PPU_CHS_ENABLED && (!(hw & PPU_CHS_PAUSED) || ppu_hold_hides_pause(chan)))
		state |= DRM_PPU_CHANNEL_STATE_ENABLED;
	if (hw & PPU_CHS_RUNNING)
		state |= DRM_PPU_CHANNEL_STATE_RUNNING;
	if (hw & PPU_CHS_PENDING)
		state |= DRM_PPU_CHANNEL_STATE_PENDING;
	if (hw & PPU_CHS_SEM_BLOCKED)
		state |= DRM_PPU_CHANNEL_STATE_SEM_BLOCKED;
	if (hw & PPU_CHS_WFI)
		state |= DRM_PPU_CHANNEL_STATE_WFI;
	return state;
}

static void ppu_channel_query(struct ppu_channel *chan, struct drm_ppu_channel_query *args)
{
	struct ppu_device *ppu = chan->ppu;
	struct ppu_devq_look look;
	int chid = chan->chid;
	u32 hw;
	int dead;

	dead = ppu_fault_catch_up(chan);
	hw = ppu_ch_rd(ppu, chid, PPU_REG_CH_STATUS);
	args->state = ppu_channel_hw_state(chan, hw);
	args->gp_get = ppu_ch_rd(ppu, chid, PPU_REG_CH_GET);
	args->gp_put = ppu_ch_rd(ppu, chid, PPU_REG_CH_PUT);
	args->timeslices = ppu_ch_rd(ppu, chid, PPU_REG_CH_SLICES);
	args->preemptions = ppu_ch_rd(ppu, chid, PPU_REG_CH_PREEMPTS);
	args->tasks = ppu_ch_rd(ppu, chid, PPU_REG_CH_TASKS);
	/*
	 * The cause is shown together with its effect: whoever reads FAULTED
	 * must not be able to submit or to set a property afterwards.
	 */
	if (dead) {
		args->state |= chan->failure.cause;
		args->error = chan->failure.error;
		args->error_get = chan->failure.get;
		args->error_va = chan->failure.va;
	}
	args->blocked_va = ppu_rd64(ppu, ppu_ch_off(chid, PPU_REG_CH_BLOCK_VA_LO));
	ppu_devq_look(chan, &look);
	args->devq_soft = look.soft;
	args->devq_shadow = look.shadow;
	args->devq_x = look.x;
	args->devq_y = look.y;
	args->devq_get = look.get;
}

int ppu_ioctl_channel_query(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_channel_query *args = data;
	struct ppu_channel *chan;
	int idx, ret = 0;

	if (PPU_CHECK(ppu, args->pad))
		return -EINVAL;
	args->error = 0;
	args->error_get = 0;
	args->error_va = 0;
	chan = ppu_channel_lookup(filp->driver_priv, args->channel_id);
	if (!chan)
		return -ENOENT;

	mutex_lock(&chan->lock);
	if (chan->destroyed) {
		ret = -ENOENT;
	} else if (!ppu_enter(ppu, &idx)) {
		ret = -ENODEV;
	} else {
		args->runtime_ns = ppu_runtime(chan);
		ppu_channel_query(chan, args);
		ppu_exit(ppu, idx);
		args->seqno_submitted = chan->seqno_submitted;
		args->seqno_completed = READ_ONCE(chan->seqno_completed);
		args->priority = chan->priority;
		args->timeslice_us = chan->timeslice_us ?: ppu->caps.timeslice_ns / 1000;
	}
	mutex_unlock(&chan->lock);
	ppu_channel_put(chan);
	return ret;
}

static int ppu_channel_set_enabled(struct ppu_channel *chan, u64 value)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;

	if (value > 1)
		return -EINVAL;
	if (!chan->user_submit)
		return -EINVAL;
	if (value && !chan->enabled)
		return ppu_channel_enable(chan);
	if (!chan->enabled || value == !chan->paused)
		return 0;
	spin_lock_irqsave(&ppu->chan_lock, flags);
	chan->paused = !value;
	ppu_channel_update_pause(chan);
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return 0;
}

/*
 * The queue priority is part of the configuration, which the device takes only
 * while the channel is disabled: a channel that runs keeps it.
 */
static int ppu_channel_set_priority(struct ppu_channel *chan, u64 value)
{
	if (value > PPU_QUEUE_PRIO_MAX)
		return -EINVAL;
	if (value > ppu_max_priority())
		return -EACCES;
	if (chan->enabled && value != chan->priority)
		return -EBUSY;
	ppu_ch_wr(chan->ppu, chan->chid, PPU_REG_CH_PRIORITY, value);
	chan->priority = value;
	return 0;
}

static int ppu_channel_set_timeslice(struct ppu_channel *chan, u64 value)
{
	if (value > PPU_TIMESLICE_LIMIT_US)
		return -EINVAL;
	if (value > ppu_max_timeslice_us())
		return -EACCES;
	chan->timeslice_us = value;
	ppu_ch_wr(chan->ppu, chan->chid, PPU_REG_CH_TIMESLICE_NS, ppu_channel_timeslice_ns(chan));
	return 0;
}

static int ppu_channel_set_timeout(struct ppu_channel *chan, u64 value)
{
	if (chan->user_submit || !value || value > PPU_JOB_TIMEOUT_MAX_MS)
		return -EINVAL;
	if (value > ppu_channel_max_timeout_ms())
		return -EACCES;
	chan->timeout_ms = value;
	chan->sched.timeout = msecs_to_jiffies(value);
	return 0;
}

static int ppu_channel_set_property(struct ppu_channel *chan, u32 property, u64 value)
{
	lockdep_assert_held(&chan->lock);

	switch (property) {
	case DRM_PPU_CHANNEL_PROP_PRIORITY:
		return ppu_channel_set_priority(chan, value);
	case DRM_PPU_CHANNEL_PROP_TIMESLICE_US:
		return ppu_channel_set_timeslice(chan, value);
	case DRM_PPU_CHANNEL_PROP_ENABLED:
		return ppu_channel_set_enabled(chan, value);
	case DRM_PPU_CHANNEL_PROP_TIMEOUT_MS:
		return ppu_channel_set_timeout(chan, value);
	default:
		return -EINVAL;
	}
}

int ppu_ioctl_channel_set_property(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_ppu_channel_set_property *args = data;
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_channel *chan;
	int idx, ret;

	if (PPU_CHECK(ppu, args->property > DRM_PPU_CHANNEL_PROP_TIMEOUT_MS))
		return -EINVAL;
	chan = ppu_channel_lookup(filp->driver_priv, args->channel_id);
	if (!chan)
		return -ENOENT;

	mutex_lock(&chan->lock);
	if (chan->destroyed) {
		ret = -ENOENT;
	} else if (!ppu_enter(ppu, &idx)) {
		ret = -ENODEV;
	} else {
		if (ppu_fault_catch_up(chan))
			ret = -EIO;
		else
			ret = ppu_channel_set_property(chan, args->property, args->value);
		ppu_exit(ppu, idx);
	}
	mutex_unlock(&chan->lock);
	ppu_channel_put(chan);
	return ret;
}
