// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: keeps all channels of a VM from running.
 *
 * A channel of user space gets work by a store to its USERD page, of which the driver hears
 * nothing.  So these pages are taken away first; the next access faults, and its handler has the VM
 * brought back (ppu_vm_use()).  Then the channels are paused.  A command or a task that runs is
 * waited for, in bounded time.
 */

#include <linux/delay.h>

#include <drm/drm_gem.h>
#include <drm/drm_vma_manager.h>

#include <hw/ppu_regs.h>

#include "base/ppu_device.h"
#include "base/ppu_gate.h"
#include "base/ppu_io.h"
#include "base/ppu_patience.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_channel_hw.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_group.h"
#include "channel/ppu_hold.h"
#include "channel/ppu_runtime.h"
#include "channel/ppu_userd.h"
#include "memory/ppu_vm.h"

/* Longest wait for what a VM executes.  Wall-clock time: it is the others who wait. */
#define PPU_HOLD_WAIT_MS	1000
#define PPU_HOLD_POLL_US	200

/* A device-owned queue that waits for its next launch has nothing to do. */
static bool ppu_hold_has_work(struct ppu_channel *chan, u32 status)
{
	if (chan->dead || !(status & PPU_CHS_PENDING))
		return false;
	return !(status & PPU_CHS_SEM_BLOCKED) ||
	       !ppu_devq_rests(chan, ppu_rd64(chan->ppu, ppu_ch_off(chan->chid,
								    PPU_REG_CH_BLOCK_VA_LO)));
}

/**
 * ppu_hold_look - see what a VM's channels do
 * @vm: VM
 * @look: gets it; nothing for a device that does not answer
 */
void ppu_hold_look(struct ppu_vm *vm, struct ppu_hold_look *look)
{
	struct ppu_device *ppu = vm->ppu;
	struct ppu_channel *chan;
	unsigned long flags;
	int idx;

	memset(look, 0, sizeof(*look));
	if (!ppu_try_enter(ppu, &idx))
		return;
	spin_lock_irqsave(&ppu->chan_lock, flags);
	list_for_each_entry(chan, &vm->channels, vm_link) {
		u32 status = ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_STATUS);

		look->runtime_ns += ppu_runtime(chan);
		/* All ones: it was pulled out. */
		if (status == U32_MAX)
			continue;
		look->work |= ppu_hold_has_work(chan, status);
		look->runs |= !!(status & PPU_CHS_RUNNING);
	}
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	ppu_try_exit(ppu, idx);
	look->runs |= ppu_vm_busy(vm);
}

/* The next USERD page of the VM's channels with at least this number, with a reference. */
static struct ppu_userd *ppu_hold_next_userd(struct ppu_vm *vm, int *chid)
{
	struct ppu_device *ppu = vm->ppu;
	struct ppu_userd *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ppu->chan_lock, flags);
	for (; *chid < ppu->chan_top && !found; ++*chid) {
		struct ppu_channel *chan = ppu->chans[*chid];

		if (chan && chan->vm == vm && chan->userd) {
			found = chan->userd;
			drm_gem_object_get(&found->base);
		}
	}
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	return found;
}

/* Nobody makes new mappings meanwhile: who does that uses the VM. */
static void ppu_hold_unmap_doorbells(struct ppu_vm *vm)
{
	struct ppu_userd *userd;
	int chid = 0;

	while ((userd = ppu_hold_next_userd(vm, &chid))) {
		drm_vma_node_unmap(&userd->base.vma_node, vm->ppu->drm.anon_inode->i_mapping);
		drm_gem_object_put(&userd->base);
	}
}

static void ppu_hold_set(struct ppu_vm *vm, bool stop)
{
	struct ppu_device *ppu = vm->ppu;
	struct ppu_channel *chan;
	unsigned long flags;
	int idx;
	bool in;

	/* If the device is being reset, the VM has ended: only the flag is left to change. */
	in = ppu_try_enter(ppu, &idx);
	spin_lock_irqsave(&ppu->chan_lock, flags);
	vm->evict.stop = stop;
	if (in)
		list_for_each_entry(chan, &vm->channels, vm_link)
			ppu_channel_update_pause(chan);
	spin_unlock_irqrestore(&ppu->chan_lock, flags);
	if (in)
		ppu_try_exit(ppu, idx);
}

/**
 * ppu_hold_stop - keep a VM's channels from running
 * @vm: VM that nobody uses: nobody rings for its channels but through their USERD pages
 *
 * Return: true if nothing of the VM runs any more; false if what runs did not end in time: all
 * channels go on.
 */
bool ppu_hold_stop(struct ppu_vm *vm)
{
	struct ppu_patience patience = ppu_patience_begin(PPU_HOLD_WAIT_MS);
	struct ppu_hold_look look;

	ppu_hold_unmap_doorbells(vm);
	ppu_hold_set(vm, true);
	for (;;) {
		bool late = ppu_patience_over(&patience);

		ppu_hold_look(vm, &look);
		if (!look.runs)
			return true;
		if (late)
			break;
		usleep_range(PPU_HOLD_POLL_US, 2 * PPU_HOLD_POLL_US);
	}
	ppu_hold_go(vm);
	return false;
}

/** ppu_hold_go - let the VM's channels run */
void ppu_hold_go(struct ppu_vm *vm)
{
	ppu_hold_set(vm, false);
}

/** ppu_hold_hides_pause - the channel is paused, but not for anybody who could ask about it */
bool ppu_hold_hides_pause(const struct ppu_channel *chan)
{
	return READ_ONCE(chan->vm->evict.stop) && !chan->paused &&
	       !(chan->group && ppu_group_holds(chan->group));
}
