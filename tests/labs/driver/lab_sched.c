// SPDX-License-Identifier: GPL-2.0-only
//LAB 8 file
/*
 * Lab 8: scheduling. Time slices are the device's work. Copy priorities are made of semaphore commands
 * around each submission; the device knows nothing of priorities. A channel that hangs is stopped, and
 * what it held is given back.
 */
#include <linux/moduleparam.h>
#include "lab.h"
#include "lab_chan.h"
#include "lab_fence.h"
#include "lab_sched.h"
#include "lab_vm.h"

static unsigned int hang_ms = 2000;
module_param(hang_ms, uint, 0644);
MODULE_PARM_DESC(hang_ms, "ms without progress after which a channel is recovered; 0: never");

/* --- time slices ---------------------------------------------------------------------------- */

//LAB 8 write: Check what LAB_CHAN_CREATE asks for: priorities are for copy channels, and there are
//LAB      LAB_COPY_PRIORITIES of them (-EINVAL). Keep chan->priority, and chan->timeslice_ns,
//LAB      which lab_chan_on() writes into CH_TIMESLICE_NS (0: the device's default). A time that
//LAB      does not fit into that register is -EINVAL, too.
int lab_sched_check(struct lab_chan *chan, const struct lab_chan_create *args)
{
	if (args->priority >= LAB_COPY_PRIORITIES ||
	    (args->priority && args->class != PPU_CLASS_COPY) ||
	    args->timeslice_us > U32_MAX / NSEC_PER_USEC)
		return -EINVAL;
	chan->priority = args->priority;
	chan->timeslice_ns = args->timeslice_us * NSEC_PER_USEC;
	return 0;
}

//LAB instead
int lab_sched_check(struct lab_chan *chan, const struct lab_chan_create *args)
{
	return 0;
}

//LAB end
/* --- copy priorities ------------------------------------------------------------------------ */

/* VRAM offset of the word that counts the copies of a priority, 1 .. LAB_COPY_PRIORITIES - 1. */
static u64 lab_counter(const struct lab_chan *chan, u32 priority)
{
	return chan->vm->counters + priority * 8;
}

//LAB 8 write: The commands before a submission of a copy channel, behind those of lab_fence_head(). Hold
//LAB      the channel with gates while copies of higher priorities are counted, one gate for each
//LAB      priority, upwards. Then count this copy (the lowest priority has no counter). Use
//LAB      lab_cmd_sem(), lab_cmd_count(), lab_chan_va(). SEM_INC must be the last command: then GET
//LAB      leaves the block at the moment of the SEM_INC, and lab_sched_give_back() can rely on that.
u32 *lab_sched_head(struct lab_chan *chan, u32 *w)
{
	u32 p;

	if (chan->class != PPU_CLASS_COPY)
		return w;
	for (p = chan->priority + 1; p < LAB_COPY_PRIORITIES; p++)
		w = lab_cmd_sem(w, PPU_CMD_SEM_ACQUIRE,
				PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ) | PPU_CMDF_SEM_GATE,
				lab_chan_va(chan, lab_counter(chan, p)), 0);
	if (chan->priority)
		w = lab_cmd_count(w, PPU_CMD_SEM_INC,
				  lab_chan_va(chan, lab_counter(chan, chan->priority)));
	return w;
}

//LAB instead
u32 *lab_sched_head(struct lab_chan *chan, u32 *w)
{
	return w;
}

//LAB end
//LAB 8 write: The commands behind those of lab_fence_tail(): the copy is no longer counted. SEM_DEC must
//LAB      be the last command, for the same reason.
u32 *lab_sched_tail(struct lab_chan *chan, u32 *w)
{
	if (chan->priority)
		w = lab_cmd_count(w, PPU_CMD_SEM_DEC,
				  lab_chan_va(chan, lab_counter(chan, chan->priority)));
	return w;
}

//LAB instead
u32 *lab_sched_tail(struct lab_chan *chan, u32 *w)
{
	return w;
}

//LAB end
/* Counts one less; as atomic as the device's own SEM_DEC. */
static void __maybe_unused lab_counter_dec(struct lab_chan *chan)
{
	u64 at = lab_counter(chan, chan->priority);

	atomic64_dec((atomic64_t __force *)(chan->ldev->vram + at));
	lab_fence_kick(chan->ldev);
}

//LAB 8 write: The device has let go of the channel, perhaps in the middle of a copy that is counted. Then
//LAB      nobody else would ever undo the count: do so (lab_counter_dec()), once (chan->given_back). Each
//LAB      submission of a channel with a priority above 0 has LAB_PARTS_COUNTED entries, and
//LAB      CH_GETABS says how many entries are done: at which of the three does the channel
//LAB      stand? Called by lab_chan_fail() and by you, more than once, and also after the device
//LAB      is gone (!chan->on).
/* Called once the channel has stopped and before RESET; maybe more than once. */
void lab_sched_give_back(struct lab_chan *chan)
{
	if (!chan->priority || !chan->on || chan->given_back)
		return;
	chan->given_back = true;
	if (lab_read(chan->ldev, lab_chcfg(chan->chid, PPU_REG_CH_GETABS_LO)) % LAB_PARTS_COUNTED)
		lab_counter_dec(chan);
}

//LAB instead
void lab_sched_give_back(struct lab_chan *chan)
{
}

//LAB end
/* --- hangs ---------------------------------------------------------------------------------- */

//LAB 8 write: The channel is about to be destroyed, perhaps with work in it. Stop it first: after RESET
//LAB      nothing tells any more at which entry it stands. Then give back.
void lab_sched_stop(struct lab_chan *chan)
{
	lab_write(chan->ldev, lab_chcfg(chan->chid, PPU_REG_CH_CMD), PPU_CH_CMD_STOP);
	lab_sched_give_back(chan);
}

//LAB instead
void lab_sched_stop(struct lab_chan *chan)
{
}

//LAB end
static u64 __maybe_unused lab_sched_blocked_va(struct lab_chan *chan)
{
	u64 va;

	/* Reading LO latches HI, in one place for all channels. */
	mutex_lock(&chan->ldev->pair_lock);
	va = lab_read(chan->ldev, lab_chcfg(chan->chid, PPU_REG_CH_BLOCK_VA_LO));
	va |= (u64)lab_read(chan->ldev, lab_chcfg(chan->chid, PPU_REG_CH_BLOCK_VA_HI)) << 32;
	mutex_unlock(&chan->ldev->pair_lock);
	return va;
}

//LAB 8 write: Does this channel wait for something that only its owner can give? That is the end of a task, or
//LAB      a word that is not one of the driver's (those lie above LAB_VA_KERNEL). See the bits of
//LAB      CH_STATUS, and lab_sched_blocked_va(). A channel that waits for an engine, a fence or copies
//LAB      of higher priority is not to blame.
static bool lab_sched_stuck(struct lab_chan *chan)
{
	u32 status = lab_read(chan->ldev, lab_chcfg(chan->chid, PPU_REG_CH_STATUS));

	if (status & PPU_CHS_WFI)
		return true;
	return status & PPU_CHS_SEM_BLOCKED && lab_sched_blocked_va(chan) < LAB_VA_KERNEL;
}

//LAB instead
static bool __maybe_unused lab_sched_stuck(struct lab_chan *chan)
{
	return false;
}

//LAB end
//LAB 8 write: Recover from a hang. The hardware stops; the fences of submissions that are not complete end with
//LAB      -ETIMEDOUT; the channel has failed (lab_chan_fail() with -EIO, which also ends
//LAB      fences and gives back: in which order must all this happen?).
static void __maybe_unused lab_sched_recover(struct lab_chan *chan)
{
	dev_warn(&chan->ldev->pdev->dev, "channel %u hangs and is stopped\n", chan->chid);
	lab_sched_stop(chan);
	/* The channel may have made progress at the last moment. */
	lab_chan_look(chan);
	lab_fence_fail(chan, -ETIMEDOUT);
	lab_chan_fail(chan, -EIO);
}

//LAB instead
static void __maybe_unused lab_sched_recover(struct lab_chan *chan)
{
}

//LAB end
//LAB 8 write: Called every hang_ms while the channel has work. Recover the channel if it is stuck, was stuck
//LAB      at the last look, and has done nothing since (CH_RUNTIME_LO is the same: each command costs some
//LAB      time). chan->stuck and chan->stuck_at keep what the last look saw.
static void lab_sched_look(struct lab_chan *chan)
{
	u32 done = lab_read(chan->ldev, lab_chcfg(chan->chid, PPU_REG_CH_RUNTIME_LO));
	bool stuck = lab_sched_stuck(chan);

	if (stuck && chan->stuck && chan->stuck_at == done)
		lab_sched_recover(chan);
	chan->stuck = stuck;
	chan->stuck_at = done;
}

//LAB instead
static void lab_sched_look(struct lab_chan *chan)
{
}

//LAB end
/* Looks at the channel every hang_ms from now on, until the channel has nothing to do. */
static void lab_sched_look_later(struct lab_chan *chan)
{
	unsigned int ms = READ_ONCE(hang_ms);

	if (!ms || !chan->on || chan->error || chan->completed == chan->submitted)
		return;
	kref_get(&chan->ref);
	if (!schedule_delayed_work(&chan->hang_work, msecs_to_jiffies(ms)))
		lab_chan_put(chan);
}

static void lab_sched_work(struct work_struct *work)
{
	struct lab_chan *chan = container_of(work, struct lab_chan, hang_work.work);

	mutex_lock(&chan->lock);
	lab_chan_look(chan);
	if (chan->on && !chan->error && chan->completed != chan->submitted)
		lab_sched_look(chan);
	lab_sched_look_later(chan);
	mutex_unlock(&chan->lock);
	lab_chan_put(chan);
}

/* Something was submitted. Called without chan->lock. */
void lab_sched_watch(struct lab_chan *chan)
{
	mutex_lock(&chan->lock);
	lab_sched_look_later(chan);
	mutex_unlock(&chan->lock);
}

/* The channel is off: nobody looks at it any more. Called without chan->lock. */
void lab_sched_quiet(struct lab_chan *chan)
{
	if (cancel_delayed_work_sync(&chan->hang_work))
		lab_chan_put(chan);
}

/* --- life ----------------------------------------------------------------------------------- */

static DEFINE_MUTEX(lab_counting_lock);	/* protects counters and counting of address spaces */

/* The first copy channel of an address space makes its counters, all 0; the last one frees them. */
int lab_sched_chan_init(struct lab_chan *chan)
{
	struct lab_vm *vm = chan->vm;
	int ret = 0;

	INIT_DELAYED_WORK(&chan->hang_work, lab_sched_work);
	mutex_lock(&lab_counting_lock);
	if (!vm->counting) {
		ret = lab_vram_alloc(chan->ldev, PAGE_SIZE, &vm->counters);
		if (!ret) {
			ret = lab_vm_map_own(vm, vm->counters, PAGE_SIZE, 0);
			if (ret)
				lab_vram_free(chan->ldev, vm->counters, PAGE_SIZE);
		}
	}
	if (!ret)
		vm->counting++;
	mutex_unlock(&lab_counting_lock);
	return ret;
}

void lab_sched_chan_fini(struct lab_chan *chan)
{
	struct lab_vm *vm = chan->vm;

	mutex_lock(&lab_counting_lock);
	if (!--vm->counting) {
		lab_vm_unmap_own(vm, vm->counters, PAGE_SIZE);
		lab_vram_free(chan->ldev, vm->counters, PAGE_SIZE);
	}
	mutex_unlock(&lab_counting_lock);
}
