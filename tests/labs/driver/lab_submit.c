// SPDX-License-Identifier: GPL-2.0-only
//LAB 5 file
/*
 * Channels: ids and hardware numbers, memory, references, and the ioctls. lab_chan.c drives the
 * ring. You need not change this file.
 *
 * Locks, outer first: lab_file.lock, lab_chan.lock, lab_dev.chan_lock.
 */
#include <linux/slab.h>
#include "lab_chan.h"
//LAB 6 given
#include <drm/drm_drv.h>
#include "lab_fence.h"
//LAB end
//LAB 8 given
#include "lab_sched.h"
//LAB end
//LAB 7 given
#include "lab_vm.h"
//LAB end
//LAB 12 given
#include "lab_hot.h"
//LAB end

static void lab_chan_free(struct kref *ref)
{
	struct lab_chan *chan = container_of(ref, struct lab_chan, ref);

	kvfree(chan->slots);
	mutex_destroy(&chan->lock);
	kfree(chan);
}

void lab_chan_put(struct lab_chan *chan)
{
	kref_put(&chan->ref, lab_chan_free);
}

struct lab_chan *lab_chan_get(struct lab_file *lfile, u32 id)
{
	struct lab_chan *chan;

	mutex_lock(&lfile->lock);
	chan = xa_load(&lfile->chans, id);
	if (chan)
		kref_get(&chan->ref);
	mutex_unlock(&lfile->lock);
	return chan;
}

/* The channel with this hardware number, with a reference taken; or NULL. */
static struct lab_chan *lab_chan_of(struct lab_dev *ldev, u32 chid)
{
	struct lab_chan *chan = NULL;
	unsigned long flags;

	spin_lock_irqsave(&ldev->chan_lock, flags);
	if (chid < LAB_CHANNELS)
		chan = ldev->chan[chid];
	if (chan)
		kref_get(&chan->ref);
	spin_unlock_irqrestore(&ldev->chan_lock, flags);
	return chan;
}

//LAB 7 given
u32 lab_chan_id(struct lab_dev *ldev, u32 chid)
{
	struct lab_chan *chan = lab_chan_of(ldev, chid);
	u32 id = 0;

	if (chan) {
		id = chan->id;
		lab_chan_put(chan);
	}
	return id;
}

//LAB end
//LAB 11 given
struct lab_chan *lab_chan_busy(struct lab_vm *vm, u64 *seqno)
{
	struct lab_chan *chan;
	bool busy;
	u32 chid;

	for (chid = LAB_CE_CHAN + 1; chid < LAB_CHANNELS; chid++) {
		chan = lab_chan_of(vm->ldev, chid);
		if (!chan)
			continue;
		mutex_lock(&chan->lock);
		lab_chan_look(chan);
		*seqno = chan->submitted;
		busy = chan->vm == vm && chan->on && !chan->error && chan->completed < *seqno;
		mutex_unlock(&chan->lock);
		if (busy)
			return chan;
		lab_chan_put(chan);
	}
	return NULL;
}

//LAB end
/* --- what happens to the work in a ring ------------------------------------------------------ */

/* Every caller has to hold chan->lock. lockdep would notice the mistake only in a debug kernel. */
static noinline void lab_chan_locked(struct lab_chan *chan)
{
	WARN_ONCE(!mutex_is_locked(&chan->lock), "chan->lock is not held\n");
}

static void lab_chan_drop(struct lab_slot *slot)
{
	if (slot->obj)
		drm_gem_object_put(slot->obj);
	slot->obj = NULL;
	slot->seqno = 0;
}

void lab_chan_passed(struct lab_chan *chan, u32 entry)
{
	struct lab_slot *slot = &chan->slots[entry];

	lab_chan_locked(chan);
	if (slot->seqno) {
		WRITE_ONCE(chan->completed, slot->seqno);
		wake_up_all(&chan->wait);
	}
	lab_chan_drop(slot);
}

void lab_chan_fail(struct lab_chan *chan, int error)
{
	if (!chan->error)
		WRITE_ONCE(chan->error, error);
//LAB 6 given
	lab_fence_fail(chan, error);
//LAB end
//LAB 8 given
	lab_sched_give_back(chan);
//LAB end
	wake_up_all(&chan->wait);
}

/* An interrupt thread saw an INTR command of this channel, or an error of this channel. */
void lab_chan_event(struct lab_dev *ldev, u32 chid)
{
	struct lab_chan *chan = lab_chan_of(ldev, chid);

	if (!chan)
		return;
	mutex_lock(&chan->lock);
	lab_chan_look(chan);
//LAB 6 given
	if (chan->on)
		lab_fence_event(chan);
//LAB end
	mutex_unlock(&chan->lock);
	lab_chan_put(chan);
}

void lab_chan_error(struct lab_dev *ldev, u32 chid)
{
	lab_chan_event(ldev, chid);
}

/* --- submissions --------------------------------------------------------------------------------- */

//LAB 6 given
/* Writes the driver's commands that come before the program's. Returns their end. */
static u32 *lab_job_head(struct lab_chan *chan, const struct lab_job *job, u32 *words)
{
	words = lab_fence_head(chan, job->sync, words);
//LAB end
//LAB 8 given
	words = lab_sched_head(chan, words);
//LAB end
//LAB 6 given
	return words;
}

//LAB end
static u32 lab_job_parts(struct lab_chan *chan, const struct lab_job *job)
{
//LAB 6 given
	u32 words[LAB_BLOCK_BYTES / 4];

	if (lab_job_head(chan, job, words) != words)
		return 3;
//LAB end
	return 2;	/* the program's block, and the driver's behind it */
}

/* Copies words to the driver's block of this entry. Returns how many. */
static u32 lab_job_block(struct lab_chan *chan, u32 entry, const u32 *words, const u32 *end)
{
	u32 __iomem *block = chan->ldev->vram + lab_chan_block(chan, entry);
	u32 i, n = end - words;

	for (i = 0; i < n; i++)
		writel(words[i], block + i);
	return n;
}

/* Writes the commands behind the program's to the driver's block of this entry. Returns how many words. */
static u32 lab_job_tail(struct lab_chan *chan, struct lab_job *job, u32 entry)
{
	u32 words[LAB_BLOCK_BYTES / 4], *w = words;

//LAB 6 before
	/* INTR is the last command of the last block, so GP_GET has passed the block when the message arrives. */
	*w++ = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);
	*w++ = lower_32_bits(job->seqno);
//LAB end
//LAB 6 given
	w = lab_fence_tail(chan, chan->tl->base + job->seqno, w);
	lab_fence_emit(chan, job->sync, chan->tl->base + job->seqno);
//LAB end
//LAB 8 given
	w = lab_sched_tail(chan, w);
//LAB end
	return lab_job_block(chan, entry, words, w);
}

void lab_job_part(struct lab_chan *chan, struct lab_job *job, u32 i, u32 entry,
		  struct ppu_gpfifo_entry *e)
{
	struct lab_slot *slot = &chan->slots[entry];
//LAB 6 given
	u32 words[LAB_BLOCK_BYTES / 4];
//LAB end

	lab_chan_locked(chan);
	lab_chan_drop(slot);	/* does nothing, unless the entry is written too early */
	e->flags = 0;
	if (i == job->parts - 1) {
		e->va = lab_chan_va(chan, lab_chan_block(chan, entry));
		e->length = lab_job_tail(chan, job, entry);
		slot->seqno = job->seqno;
//LAB 6 given
	} else if (i == 0 && job->parts == 3) {
		e->va = lab_chan_va(chan, lab_chan_block(chan, entry));
		e->length = lab_job_block(chan, entry, words, lab_job_head(chan, job, words));
//LAB end
	} else {
		e->va = job->va;
		e->length = job->words;
		drm_gem_object_get(job->obj);
		slot->obj = job->obj;
	}
}

//LAB 7 before
/* At which address the channel's context sees this byte of a buffer. */
static int lab_submit_va(struct lab_file *lfile, struct lab_bo *bo, u64 offset, u64 *va)
{
	*va = LAB_VA_VRAM + bo->node.start + offset;
	return 0;
}

//LAB end
//LAB 7 given
/* Where the file has mapped this block of a buffer. */
static int lab_submit_va(struct lab_file *lfile, struct lab_bo *bo, u64 offset, u64 bytes, u64 *va)
{
	return lab_vm_find(lfile->vm, bo, offset, bytes, va);
}

//LAB end
static int lab_submit_job(struct lab_file *lfile, struct lab_chan *chan, struct lab_job *job,
			  struct lab_submit *args)
{
	struct drm_gem_object *obj = job->obj;
	int ret;

	if (!lab_chan_block_ok(obj->size, args->offset, args->words))
		return -EINVAL;
//LAB 7 before
	ret = lab_submit_va(lfile, to_lab_bo(obj), args->offset, &job->va);
//LAB end
//LAB 7 given
	ret = lab_submit_va(lfile, to_lab_bo(obj), args->offset, args->words * 4ull, &job->va);
//LAB end
	if (ret)
		return ret;
	job->parts = lab_job_parts(chan, job);
	ret = lab_chan_submit(chan, job);
	if (!ret)
		args->seqno = job->seqno;
//LAB 8 given
	if (!ret)
		lab_sched_watch(chan);
//LAB end
	return ret;
}

static int lab_submit(struct drm_file *file, struct lab_submit *args, struct lab_job *job)
{
	struct lab_file *lfile = file->driver_priv;
	struct lab_chan *chan = lab_chan_get(lfile, args->chan);
	int ret = -ENOENT;

	if (!chan)
		return -ENOENT;
	job->words = args->words;
	job->obj = drm_gem_object_lookup(file, args->handle);
	if (job->obj) {
//LAB 11 before
		ret = lab_submit_job(lfile, chan, job, args);
//LAB end
//LAB 11 given
		/* From the moment at which the job is in the ring the address space is busy, and its buffers stay. */
		ret = lab_place_begin(lfile->vm);
		if (!ret) {
			ret = lab_submit_job(lfile, chan, job, args);
			lab_place_end(lfile->vm);
		}
//LAB end
		drm_gem_object_put(job->obj);
	}
	lab_chan_put(chan);
	return ret;
}

//LAB 6 before
int lab_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_submit *args = data;
	struct lab_job job = { 0 };
	int idx, ret;

	if (args->flags || args->in_syncobj || args->out_syncobj)
		return -EINVAL;
	if (!drm_dev_enter(drm, &idx))
		return -ENODEV;
	ret = lab_submit(file, args, &job);
	drm_dev_exit(idx);
	return ret;
}

//LAB end
//LAB 6 given
/* This ioctl may wait long, for another driver's fence, so it enters the device only after the wait. */
int lab_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_submit *args = data;
	struct lab_sync sync = { 0 };
	struct lab_job job = { .sync = &sync };
	int idx, ret;

	if (args->flags)
		return -EINVAL;
	ret = lab_fence_prepare(file, args, &sync);
	if (ret)
		return ret;
	ret = -ENODEV;
	if (drm_dev_enter(drm, &idx)) {
//LAB end
//LAB 12 given
		lab_gate_enter(container_of(drm, struct lab_dev, drm));
//LAB end
//LAB 6 given
		ret = lab_submit(file, args, &job);
//LAB end
//LAB 12 given
		lab_gate_exit(container_of(drm, struct lab_dev, drm));
//LAB end
//LAB 6 given
		drm_dev_exit(idx);
	}
	lab_fence_finish(&sync);
	return ret;
}

//LAB end

int lab_chan_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_chan_wait *args = data;
	struct lab_chan *chan;
	u64 submitted;
	int ret = -EINVAL;

	if (args->pad || args->timeout_ns < 0)
		return -EINVAL;
	chan = lab_chan_get(file->driver_priv, args->chan);
	if (!chan)
		return -ENOENT;
	mutex_lock(&chan->lock);
	submitted = chan->submitted;
	mutex_unlock(&chan->lock);
	if (args->seqno && args->seqno <= submitted)
		ret = lab_chan_wait(chan, args->seqno, args->timeout_ns);
	lab_chan_put(chan);
	return ret;
}

/* --- life -------------------------------------------------------------------------------------------- */

/* Finds a free hardware channel and takes it. */
static int lab_chan_number(struct lab_chan *chan)
{
	struct lab_dev *ldev = chan->ldev;
	u32 end = min_t(u32, LAB_CHANNELS, ldev->channels), chid;
	unsigned long flags;
	int ret = -EBUSY;

	spin_lock_irqsave(&ldev->chan_lock, flags);
	for (chid = LAB_CE_CHAN + 1; chid < end && ret; chid++) {
		if (ldev->chan[chid])
			continue;
		ldev->chan[chid] = chan;
		chan->chid = chid;
		ret = 0;
	}
	spin_unlock_irqrestore(&ldev->chan_lock, flags);
	return ret;
}

static void lab_chan_no_number(struct lab_chan *chan)
{
	struct lab_dev *ldev = chan->ldev;
	unsigned long flags;

	spin_lock_irqsave(&ldev->chan_lock, flags);
	ldev->chan[chan->chid] = NULL;
	spin_unlock_irqrestore(&ldev->chan_lock, flags);
}

/* Allocates ring and blocks in VRAM, and maps them in the context. */
static int lab_chan_memory(struct lab_file *lfile, struct lab_chan *chan)
{
	struct lab_dev *ldev = chan->ldev;
	int ret;

	chan->bytes = (size_t)chan->entries * (sizeof(struct ppu_gpfifo_entry) + LAB_BLOCK_BYTES);
	ret = lab_vram_alloc(ldev, chan->bytes, &chan->ring);
	if (ret)
		return ret;
//LAB 7 before
	chan->ctx = &ldev->ctx;
	chan->base = LAB_VA_VRAM;
//LAB end
//LAB 7 given
	chan->vm = lfile->vm;
	chan->ctx = &lfile->vm->ctx;
	chan->base = LAB_VA_KERNEL;
	ret = lab_vm_map_own(chan->vm, chan->ring, chan->bytes, 0);
	if (ret)
		lab_vram_free(ldev, chan->ring, chan->bytes);
//LAB end
	return ret;
}

static void lab_chan_no_memory(struct lab_chan *chan)
{
//LAB 7 given
	lab_vm_unmap_own(chan->vm, chan->ring, chan->bytes);
//LAB end
	lab_vram_free(chan->ldev, chan->ring, chan->bytes);
}

//LAB 6 given
/* A channel that gets the word later counts on from its value, so a wait for an old number always ends. */
static int lab_timeline_new(struct lab_chan *chan)
{
	struct lab_timeline *tl = kzalloc(sizeof(*tl), GFP_KERNEL);

	if (!tl)
		return -ENOMEM;
	kref_init(&tl->ref);
	spin_lock_init(&tl->lock);
	spin_lock_init(&tl->word_lock);
	INIT_LIST_HEAD(&tl->pending);
	tl->ldev = chan->ldev;
	tl->word = chan->ldev->words + chan->chid * 8;
	tl->base = lab_vram_read64(chan->ldev, tl->word);
	tl->context = dma_fence_context_alloc(1);
	snprintf(tl->name, sizeof(tl->name), "channel %u", chan->chid);
	chan->tl = tl;
	return 0;
}

int lab_fence_chan_init(struct lab_chan *chan)
{
//LAB end
//LAB 7 given
	int ret;

	/* Each address space sees all words, because a channel may have to wait for a channel of any other file. */
	ret = lab_vm_map_own(chan->vm, chan->ldev->words, PAGE_SIZE, 0);
	if (ret)
		return ret;
//LAB end
//LAB 6 given
	return lab_timeline_new(chan);
}

void lab_fence_kick(struct lab_dev *ldev)
{
	u32 chid;

	wmb();	/* the word is in VRAM before the kick */
	for (chid = LAB_CE_CHAN + 1; chid < min_t(u32, LAB_CHANNELS, ldev->channels); chid++)
		lab_write(ldev, lab_userd(chid, PPU_REG_USERD_KICK), 1);
}

//LAB end
/*
 * The end of a channel. The first of two callers does the work: the owner, or the driver that leaves. The
 * device lets go of the channel, the channel loses its memory and number, and its waiters get the error.
 */
static void lab_chan_shutdown(struct lab_chan *chan, int error)
{
	u32 i;

	mutex_lock(&chan->lock);
	if (chan->on) {
//LAB 8 given
		lab_sched_stop(chan);
//LAB end
		lab_chan_off(chan);
		chan->on = false;
		lab_chan_fail(chan, error);
//LAB 7 given
		/* The channel's faults are found by its number, which it is about to lose. */
		lab_vm_on_fault(chan->ldev);
//LAB end
//LAB 6 given
		lab_fence_chan_fini(chan);
//LAB end
//LAB 8 given
		lab_sched_chan_fini(chan);
//LAB end
		for (i = 0; i < chan->entries; i++)
			lab_chan_drop(&chan->slots[i]);
		lab_chan_no_memory(chan);
		lab_chan_no_number(chan);
	}
	mutex_unlock(&chan->lock);
//LAB 8 given
	lab_sched_quiet(chan);
//LAB end
}

static struct lab_chan *lab_chan_alloc(struct lab_dev *ldev, const struct lab_chan_create *args)
{
	struct lab_chan *chan = kzalloc(sizeof(*chan), GFP_KERNEL);

	if (!chan)
		return NULL;
	chan->slots = kvcalloc(args->entries, sizeof(*chan->slots), GFP_KERNEL);
	if (!chan->slots) {
		kfree(chan);
		return NULL;
	}
	chan->ldev = ldev;
	chan->class = args->class;
	chan->entries = args->entries;
	kref_init(&chan->ref);
	mutex_init(&chan->lock);
	init_waitqueue_head(&chan->wait);
	return chan;
}

/* Gives the channel memory and number, and makes it known to the device. */
static int lab_chan_start(struct lab_file *lfile, struct lab_chan *chan)
{
	int ret;

	ret = lab_chan_memory(lfile, chan);
	if (ret)
		return ret;
	ret = lab_chan_number(chan);
	if (ret)
		goto err_memory;
//LAB 6 given
	ret = lab_fence_chan_init(chan);
	if (ret)
		goto err_number;
//LAB end
//LAB 8 given
	ret = lab_sched_chan_init(chan);
	if (ret)
		goto err_fence;
//LAB end
	mutex_lock(&chan->lock);
	ret = lab_chan_on(chan);
	chan->on = !ret;
	mutex_unlock(&chan->lock);
	if (!ret)
		return 0;
//LAB 8 given
	lab_sched_chan_fini(chan);
err_fence:
//LAB end
//LAB 6 given
	lab_fence_chan_fini(chan);
err_number:
//LAB end
	lab_chan_no_number(chan);
err_memory:
	lab_chan_no_memory(chan);
	return ret;
}

static bool lab_chan_args_ok(struct lab_dev *ldev, const struct lab_chan_create *args)
{
	if (args->pad || args->entries < 3 || args->entries > 65536 ||
	    args->entries > lab_read(ldev, PPU_REG_CAP_RING_MAX))
		return false;
//LAB 8 before
	if (args->priority || args->timeslice_us)
		return false;
//LAB end
	return args->class == PPU_CLASS_COMPUTE || args->class == PPU_CLASS_COPY;
}

int lab_chan_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_file *lfile = file->driver_priv;
	struct lab_dev *ldev = lfile->ldev;
	struct lab_chan_create *args = data;
	struct lab_chan *chan;
	int ret;

	if (!lab_chan_args_ok(ldev, args))
		return -EINVAL;
	chan = lab_chan_alloc(ldev, args);
	if (!chan)
		return -ENOMEM;
//LAB 8 given
	ret = lab_sched_check(chan, args);
	if (ret)
		goto err_put;
//LAB end
	ret = lab_chan_start(lfile, chan);
	if (ret)
		goto err_put;
	mutex_lock(&lfile->lock);
	ret = xa_alloc(&lfile->chans, &args->id, chan, xa_limit_31b, GFP_KERNEL);
//LAB 7 given
	chan->id = args->id;
//LAB end
	mutex_unlock(&lfile->lock);
	if (!ret)
		return 0;
	lab_chan_shutdown(chan, -EIO);
err_put:
	lab_chan_put(chan);
	return ret;
}

int lab_chan_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_file *lfile = file->driver_priv;
	struct lab_chan_destroy *args = data;
	struct lab_chan *chan;

	if (args->pad)
		return -EINVAL;
	mutex_lock(&lfile->lock);
	chan = xa_erase(&lfile->chans, args->id);
	mutex_unlock(&lfile->lock);
	if (!chan)
		return -ENOENT;
	lab_chan_shutdown(chan, -EIO);
	lab_chan_put(chan);
	return 0;
}

/* The file is closed. */
void lab_chan_close_all(struct lab_file *lfile)
{
	struct lab_chan *chan;
	unsigned long id;

	xa_for_each(&lfile->chans, id, chan) {
		lab_chan_shutdown(chan, -EIO);
		lab_chan_put(chan);
	}
}

int lab_chan_init(struct lab_dev *ldev)
{
	spin_lock_init(&ldev->chan_lock);
//LAB 8 given
	mutex_init(&ldev->pair_lock);
//LAB end
//LAB 6 before
	return 0;
//LAB end
//LAB 6 given
	return lab_vram_alloc(ldev, PAGE_SIZE, &ldev->words);
//LAB end
}

//LAB 12 before
static void lab_chan_lose_all(struct lab_dev *ldev, int error)
//LAB end
//LAB 12 given
void lab_chan_lose_all(struct lab_dev *ldev, int error)
//LAB end
{
	struct lab_chan *chan;
	u32 chid;

	for (chid = 0; chid < LAB_CHANNELS; chid++) {
		chan = lab_chan_of(ldev, chid);
		if (!chan)
			continue;
//LAB 12 given
		if (error == -EIO)
			lab_reset_lost(chan);
//LAB end
		lab_chan_shutdown(chan, error);
		lab_chan_put(chan);
	}
}

/* The driver leaves while files with channels may still be open. */
void lab_chan_fini(struct lab_dev *ldev)
{
	lab_chan_lose_all(ldev, -ENODEV);
//LAB 6 given
	lab_vram_free(ldev, ldev->words, PAGE_SIZE);
//LAB end
}
