// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: engine time of channels and of files.
 *
 * The device counts the engine time of a channel until the channel, or the device, is reset.
 * Before that the driver reads the count for the last time.  What it tells never goes back.
 */

#include <hw/ppu_regs.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_gate.h"
#include "base/ppu_io.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_runtime.h"

/* Reads the count of a device that answers. */
static void ppu_runtime_read(struct ppu_channel *chan)
{
	u64 ns;

	lockdep_assert_held(&chan->ppu->hw_lock);

	ns = ppu_rd64_locked(chan->ppu, ppu_ch_off(chan->chid, PPU_REG_CH_RUNTIME_LO));
	/* A device that was pulled out reads as all ones. */
	if (ns != U64_MAX)
		chan->runtime_ns = max(chan->runtime_ns, ns);
}

/**
 * ppu_runtime - engine time of a channel
 * @chan: channel, which may have ended
 *
 * Return: nanoseconds of device time.
 */
u64 ppu_runtime(struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	unsigned long flags;
	u64 ns;
	int idx;

	spin_lock_irqsave(&ppu->hw_lock, flags);
	if (!chan->runtime_final && ppu_try_enter(ppu, &idx)) {
		ppu_runtime_read(chan);
		ppu_try_exit(ppu, idx);
	}
	ns = chan->runtime_ns;
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	return ns;
}

/** ppu_runtime_begin - the channel was configured: its time counts as its file's */
void ppu_runtime_begin(struct ppu_channel *chan)
{
	struct ppu_file *file = chan->file;

	mutex_lock(&file->runtime_lock);
	list_add_tail(&chan->runtime_link, &file->running);
	mutex_unlock(&file->runtime_lock);
}

/** ppu_runtime_end - the channel will be reset, and its number may become another channel's */
void ppu_runtime_end(struct ppu_channel *chan)
{
	struct ppu_file *file = chan->file;
	struct ppu_device *ppu = chan->ppu;
	u64 ns;

	mutex_lock(&file->runtime_lock);
	ns = ppu_runtime(chan);
	spin_lock_irq(&ppu->hw_lock);
	chan->runtime_final = true;
	spin_unlock_irq(&ppu->hw_lock);
	list_del(&chan->runtime_link);
	file->runtime_ns[chan->type] += ns;
	mutex_unlock(&file->runtime_lock);
}

/**
 * ppu_runtime_lost - the device will be reset, or the driver leaves it
 * @ppu: device, which answers
 */
void ppu_runtime_lost(struct ppu_device *ppu)
{
	unsigned int i;

	spin_lock_irq(&ppu->chan_lock);
	spin_lock(&ppu->hw_lock);
	for (i = 0; i < ppu->chan_top; i++) {
		struct ppu_channel *chan = ppu->chans[i];

		if (chan && !chan->runtime_final) {
			ppu_runtime_read(chan);
			chan->runtime_final = true;
		}
	}
	spin_unlock(&ppu->hw_lock);
	spin_unlock_irq(&ppu->chan_lock);
}

/**
 * ppu_runtime_file - engine time of a file's channels, also of those that are gone
 * @file: open file
 * @type: DRM_PPU_CHANNEL_* of the channels
 *
 * Return: nanoseconds of device time.
 */
u64 ppu_runtime_file(struct ppu_file *file, u32 type)
{
	struct ppu_channel *chan;
	u64 ns;

	mutex_lock(&file->runtime_lock);
	ns = file->runtime_ns[type];
	list_for_each_entry(chan, &file->running, runtime_link)
		if (chan->type == type)
			ns += ppu_runtime(chan);
	mutex_unlock(&file->runtime_lock);
	return ns;
}
