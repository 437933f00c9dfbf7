// SPDX-License-Identifier: GPL-2.0-only
//LAB 6 file
/*
 * Lab 6: semaphores and fences. Each channel has a word in VRAM, into which the device writes the
 * number of each complete submission. A dma_fence stands for one such number: for the rest of the
 * kernel and, through syncobjs, for every program.
 */
#include <linux/dma-fence.h>
#include <linux/slab.h>
#include <drm/drm_syncobj.h>
#include "lab.h"
#include "lab_chan.h"
#include "lab_fence.h"

/* --- dma_fence ------------------------------------------------------------------------------ */

static struct lab_fence *to_lab_fence(struct dma_fence *fence)
{
	return container_of(fence, struct lab_fence, base);
}

static const char *lab_fence_driver_name(struct dma_fence *fence)
{
	return "lab";
}

static const char *lab_fence_timeline_name(struct dma_fence *fence)
{
	return to_lab_fence(fence)->tl->name;
}

//LAB 6 write: Has the device written this fence's number, or a later one? Interrupts come late or get
//LAB      lost: look at the word itself (lab_timeline_value()). May be called in any context, also
//LAB      after the channel is gone.
static bool lab_fence_signaled(struct dma_fence *fence)
{
	return lab_timeline_value(to_lab_fence(fence)->tl) >= fence->seqno;
}

//LAB instead
static bool lab_fence_signaled(struct dma_fence *fence)
{
	return false;
}

//LAB end
//LAB 6 write: Somebody is about to sleep until this fence signals. The device sends an interrupt
//LAB      after every submission, so there is nothing to switch on. But if the device has reached the
//LAB      fence's number already, its interrupt may be over: then return false.
static bool lab_fence_enable_signaling(struct dma_fence *fence)
{
	return !lab_fence_signaled(fence);
}

//LAB instead
static bool lab_fence_enable_signaling(struct dma_fence *fence)
{
	return true;
}

//LAB end
//LAB 6 write: Nobody has a reference to this fence any more. Give back what lab_fence_emit() took: the
//LAB      reference to the timeline (lab_timeline_free()), the module, and the fence's memory
//LAB      (dma_fence_free(): others may still be looking at the fence under RCU). May be called in an
//LAB      interrupt.
static void lab_fence_release(struct dma_fence *fence)
{
	kref_put(&to_lab_fence(fence)->tl->ref, lab_timeline_free);
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

//LAB instead
static void lab_fence_release(struct dma_fence *fence)
{
}

//LAB end
static const struct dma_fence_ops lab_fence_ops = {
	.use_64bit_seqno = true,
	.get_driver_name = lab_fence_driver_name,
	.get_timeline_name = lab_fence_timeline_name,
	.enable_signaling = lab_fence_enable_signaling,
	.signaled = lab_fence_signaled,
	.release = lab_fence_release,
};

/* --- a submission --------------------------------------------------------------------------- */

//LAB 6 write: Find the fence of args->in_syncobj (drm_syncobj_find_fence() gives a reference). If the
//LAB      device itself can wait for the fence, keep it in sync->in for lab_fence_head(). Otherwise
//LAB      wait here, where no lock is held, and let a signal interrupt the wait. If there is nothing
//LAB      to wait for, sync->in stays NULL.
static int lab_fence_wait_in(struct drm_file *file, u32 handle, struct lab_sync *sync)
{
	struct dma_fence *in;
	int ret;

	ret = drm_syncobj_find_fence(file, handle, 0, 0, &in);
	if (ret)
		return ret;
	if (in->ops == &lab_fence_ops && !dma_fence_is_signaled(in)) {
		sync->in = in;
		return 0;
	}
	ret = dma_fence_wait(in, true);
	dma_fence_put(in);
	return ret;
}

//LAB instead
static int __maybe_unused lab_fence_wait_in(struct drm_file *file, u32 handle, struct lab_sync *sync)
{
	return -EINVAL;
}

//LAB end
//LAB 6 write: Everything that can fail or sleep, before anything is written to the ring: find
//LAB      args->out_syncobj (drm_syncobj_find(); -ENOENT), allocate sync->fence, wait for
//LAB      args->in_syncobj. 0 means that there is no syncobj. On an error keep nothing. No lock
//LAB      is held. The device may be gone: nothing here may touch it.
/* Called without locks; the device may be gone. */
int lab_fence_prepare(struct drm_file *file, const struct lab_submit *args, struct lab_sync *sync)
{
	int ret = 0;

	if (args->out_syncobj) {
		sync->out = drm_syncobj_find(file, args->out_syncobj);
		if (!sync->out)
			return -ENOENT;
	}
	sync->fence = kzalloc(sizeof(*sync->fence), GFP_KERNEL);
	if (!sync->fence)
		ret = -ENOMEM;
	else if (args->in_syncobj)
		ret = lab_fence_wait_in(file, args->in_syncobj, sync);
	if (ret)
		lab_fence_finish(sync);
	return ret;
}

//LAB instead
int lab_fence_prepare(struct drm_file *file, const struct lab_submit *args, struct lab_sync *sync)
{
	return args->in_syncobj || args->out_syncobj ? -EINVAL : 0;
}

//LAB end
//LAB 6 write: The commands before the program's: if there is sync->in, hold the channel until the word of
//LAB      that fence has the fence's number or a later one (lab_cmd_sem(), lab_chan_va()). Returns
//LAB      the end of the commands.
u32 *lab_fence_head(struct lab_chan *chan, const struct lab_sync *sync, u32 *w)
{
	struct dma_fence *in = sync->in;

	if (in)
		w = lab_cmd_sem(w, PPU_CMD_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_GE),
				lab_chan_va(chan, to_lab_fence(in)->tl->word), in->seqno);
	return w;
}

//LAB instead
u32 *lab_fence_head(struct lab_chan *chan, const struct lab_sync *sync, u32 *w)
{
	return w;
}

//LAB end
//LAB 6 write: The commands after the program's: write the number `value` into the channel's word, then
//LAB      INTR. When would the word name a submission that is not complete yet? (See LAUNCH in
//LAB      Documentation/hw/commands.md, and chan->class.)
u32 *lab_fence_tail(struct lab_chan *chan, u64 value, u32 *w)
{
	if (chan->class == PPU_CLASS_COMPUTE)
		*w++ = PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);
	w = lab_cmd_sem(w, PPU_CMD_SEM_RELEASE, 0, lab_chan_va(chan, chan->tl->word), value);
	*w++ = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);
	*w++ = lower_32_bits(value);
	return w;
}

//LAB instead
u32 *lab_fence_tail(struct lab_chan *chan, u64 value, u32 *w)
{
	*w++ = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);
	*w++ = lower_32_bits(value);
	return w;
}

//LAB end
//LAB 6 write: The submission gets its number. Make sync->fence a dma_fence (dma_fence_init(), with the
//LAB      lock and the context of the timeline). Put it at the end of the timeline's pending list,
//LAB      which takes a reference; sync keeps the first one. The fence lives longer than the channel,
//LAB      so it holds a reference to the timeline (kref_get()). It holds a reference to the module, too:
//LAB      whoever still has the fence calls its operations, even after it has signalled. chan->lock
//LAB      is held, nothing can fail any more, and the doorbell comes after this.
/* Called with chan->lock held, when nothing can fail any more and before the doorbell. */
void lab_fence_emit(struct lab_chan *chan, struct lab_sync *sync, u64 value)
{
	struct lab_timeline *tl = chan->tl;
	struct lab_fence *f = sync->fence;
	unsigned long flags;

	__module_get(THIS_MODULE);
	kref_get(&tl->ref);
	f->tl = tl;
	dma_fence_init(&f->base, &lab_fence_ops, &tl->lock, tl->context, value);
	dma_fence_get(&f->base);
	spin_lock_irqsave(&tl->lock, flags);
	list_add_tail(&f->link, &tl->pending);
	spin_unlock_irqrestore(&tl->lock, flags);
	sync->emitted = true;
}

//LAB instead
void lab_fence_emit(struct lab_chan *chan, struct lab_sync *sync, u64 value)
{
}

//LAB end
//LAB 6 write: The end of a submission, good or bad. If its fence was emitted, give the fence to the
//LAB      out-syncobj (drm_syncobj_replace_fence()). Then give back what sync holds (a fence that was
//LAB      never emitted is plain memory). No lock is held.
/* Called without locks. */
void lab_fence_finish(struct lab_sync *sync)
{
	if (sync->out && sync->emitted)
		drm_syncobj_replace_fence(sync->out, &sync->fence->base);
	if (sync->emitted)
		dma_fence_put(&sync->fence->base);
	else
		kfree(sync->fence);
	if (sync->out)
		drm_syncobj_put(sync->out);
	dma_fence_put(sync->in);
}

//LAB instead
void lab_fence_finish(struct lab_sync *sync)
{
}

//LAB end
/* --- how a fence ends ----------------------------------------------------------------------- */

//LAB 6 write: Signal the pending fences whose number the word has reached: the oldest first, each once. Take
//LAB      tl->lock with interrupts off. It is the lock of the fences as well, so use
//LAB      dma_fence_signal_locked(). Drop the list's reference. Called by an interrupt thread, with
//LAB      chan->lock held; there may be nothing to signal.
/* Called by an interrupt thread with chan->lock held; there may be nothing to signal. */
void lab_fence_event(struct lab_chan *chan)
{
	struct lab_timeline *tl = chan->tl;
	u64 value = lab_timeline_value(tl);
	struct lab_fence *f, *next;
	unsigned long flags;

	spin_lock_irqsave(&tl->lock, flags);
	list_for_each_entry_safe(f, next, &tl->pending, link) {
		if (f->base.seqno > value)
			break;
		list_del(&f->link);
		dma_fence_signal_locked(&f->base);
		dma_fence_put(&f->base);
	}
	spin_unlock_irqrestore(&tl->lock, flags);
}

//LAB instead
void lab_fence_event(struct lab_chan *chan)
{
}

//LAB end
//LAB 6 write: The channel is stopped and will do nothing more. Fences of complete submissions signal as
//LAB      always; all others signal with this error (dma_fence_set_error()). Other channels may be
//LAB      waiting in the device for a word that the device will never write now: write the last number
//LAB      into the word yourself, and call lab_fence_kick(). Called with chan->lock held, perhaps
//LAB      more than once.
/* Called with chan->lock held. */
void lab_fence_fail(struct lab_chan *chan, int error)
{
	struct lab_timeline *tl = chan->tl;
	struct lab_fence *f, *next;
	unsigned long flags;
	u64 last = 0;

	lab_fence_event(chan);
	spin_lock_irqsave(&tl->lock, flags);
	list_for_each_entry_safe(f, next, &tl->pending, link) {
		last = f->base.seqno;
		list_del(&f->link);
		dma_fence_set_error(&f->base, error);
		dma_fence_signal_locked(&f->base);
		dma_fence_put(&f->base);
	}
	spin_unlock_irqrestore(&tl->lock, flags);
	if (!last)
		return;
	lab_vram_write64(chan->ldev, tl->word, last);
	lab_fence_kick(chan->ldev);
}

//LAB instead
void lab_fence_fail(struct lab_chan *chan, int error)
{
}

//LAB end
//LAB 6 write: The channel goes away; the hardware has forgotten it already. Its fences end with
//LAB      -ECANCELED. Whoever still has one must not reach chan or VRAM through the fence: set
//LAB      tl->ldev = NULL under the lock that protects it, then give back the channel's
//LAB      reference to the timeline. chan->lock is held.
void lab_fence_chan_fini(struct lab_chan *chan)
{
	struct lab_timeline *tl = chan->tl;
	unsigned long flags;

	lab_fence_fail(chan, -ECANCELED);
	spin_lock_irqsave(&tl->word_lock, flags);
	tl->ldev = NULL;
	spin_unlock_irqrestore(&tl->word_lock, flags);
	kref_put(&tl->ref, lab_timeline_free);
}

//LAB instead
void lab_fence_chan_fini(struct lab_chan *chan)
{
	kref_put(&chan->tl->ref, lab_timeline_free);
}

//LAB end
