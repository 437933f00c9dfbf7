// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: how a channel's work ends.
 *
 * A channel that stopped with an error stays stopped: ppu_channel.dead is set
 * once, by ppu_channel_fail(), and never cleared.
 */

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_trace.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_group.h"
#include "channel/ppu_notifier.h"
#include "channel/ppu_submit.h"
#include "memory/ppu_vm.h"
#include "report/ppu_coredump.h"
#include "sync/ppu_eventfd.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"

/* Causes that are errors of the work: the channel's group is told of them. */
#define PPU_CAUSE_ERROR \
	(DRM_PPU_CHANNEL_STATE_FAULTED | DRM_PPU_CHANNEL_STATE_TIMEDOUT | \
	 DRM_PPU_CHANNEL_STATE_INNOCENT)

/* Causes that somebody will want to look into. */
#define PPU_CAUSE_GUILT	(DRM_PPU_CHANNEL_STATE_FAULTED | DRM_PPU_CHANNEL_STATE_TIMEDOUT)

/**
 * ppu_channel_fail - end a channel's work with an error
 * @chan: channel; it no longer executes, or never will
 * @failure: why
 *
 * Only the first call has an effect.  The cause is stored before anything tells of it: state,
 * fences, events, waits.
 *
 * Return: true for the first call.
 */
bool ppu_channel_fail(struct ppu_channel *chan, const struct ppu_failure *failure)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;
	bool first;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	first = !chan->dead;
	if (first) {
		chan->failure = *failure;
		/*
		 * Queue the dump before anybody hears of the error and may destroy the channel.
		 */
		if (failure->cause & PPU_CAUSE_GUILT)
			ppu_coredump_queue(chan);
		/* Whatever ended it, but its destruction. */
		if (failure->cause)
			atomic_inc(&chan->vm->failed_channels);
		if (failure->cause & PPU_CAUSE_ERROR) {
			ppu_group_channel_failed(chan);
			ppu_devq_failed(chan);
		}
		if (failure->cause)
			ppu_notifier_write(chan);
		WRITE_ONCE(chan->dead, failure->err);
	}
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	if (!first)
		return false;

	trace_ppu_channel_fail(chan->chid, chan->vm->context_id, failure->err, failure->error);
	if (!chan->user_submit)
		ppu_submit_fail(chan, failure->err);
	ppu_eventfd_notify(ppu, DRM_PPU_EVENT_CHANNEL_ERROR, chan);
	ppu_sem_fence_fail(ppu, chan, -EIO);
	ppu_sem_wake_all(ppu);
	return true;
}

/**
 * ppu_channel_end - stop a channel, and end its work with an error
 * @chan: channel
 * @failure: why
 */
void ppu_channel_end(struct ppu_channel *chan, const struct ppu_failure *failure)
{
	int resets;
	bool stopped = chan->destroyed || ppu_channel_stop(chan, PPU_CH_CMD_STOP, &resets);

	ppu_channel_fail(chan, failure);
	/* After that: a reset has another reason for all channels that are not dead. */
	if (!stopped)
		ppu_channel_stuck(chan, resets);
}

/**
 * ppu_channel_dead - did the channel's work end with an error?
 * @chan: channel
 *
 * A caller that has read of the error in the notifier waits here until the rest is stored.
 *
 * Return: ppu_channel.dead; if it is not 0, ppu_channel.failure is valid.
 */
int ppu_channel_dead(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;
	int dead;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	dead = chan->dead;
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return dead;
}

/** ppu_channel_fail_all - the device is gone: end everything */
void ppu_channel_fail_all(struct ppu_device *ppu, int err)
{
	const struct ppu_failure lost = { .err = err, .cause = DRM_PPU_CHANNEL_STATE_LOST };
	u32 chid;

	for (chid = 0; chid < ppu->caps.channels; chid++) {
		struct ppu_channel *chan = ppu_channel_get_by_chid(ppu, chid);

		if (chan)
			ppu_channel_fail(chan, &lost);
		ppu_channel_put(chan);
	}
}
