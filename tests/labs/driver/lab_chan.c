// SPDX-License-Identifier: GPL-2.0-only
//LAB 5 file
/*
 * Lab 5: the ring of a channel. Write entries, ring the doorbell, look which entries are done.
 *
 * lab_submit.c calls the functions of this file; lab_chan.h says what the fields mean.
 */
#include <linux/iopoll.h>
#include "lab_chan.h"

/* A wait also looks without an interrupt, this often: the message of an interrupt can get lost. */
#define LAB_LOOK_JIFFIES	(HZ / 20)
#define LAB_STOP_US		1000000

static inline u32 lab_chan_read(struct lab_chan *chan, u32 reg)
{
	return lab_read(chan->ldev, lab_chcfg(chan->chid, reg));
}

static inline void lab_chan_write(struct lab_chan *chan, u32 reg, u32 val)
{
	lab_write(chan->ldev, lab_chcfg(chan->chid, reg), val);
}

static inline void lab_chan_write64(struct lab_chan *chan, u32 reg, u64 val)
{
	lab_write64(chan->ldev, lab_chcfg(chan->chid, reg), val);
}

//LAB 5 write: Make the device work on this channel. RESET it, so that the device forgets what the hardware
//LAB      channel was used for before. Write its whole configuration (also the registers that shall be 0:
//LAB      registers keep their values). The ring is then empty; set chan->get and chan->put to the
//LAB      device's values. Then ENABLE the channel, and check that the device agrees: -EIO if not.
int lab_chan_on(struct lab_chan *chan)
{
	lab_chan_write(chan, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
	lab_chan_write64(chan, PPU_REG_CH_INST_LO, chan->ctx->inst);
	lab_chan_write64(chan, PPU_REG_CH_RING_LO, lab_chan_va(chan, chan->ring));
	lab_chan_write(chan, PPU_REG_CH_RING_ENTRIES, chan->entries);
	lab_chan_write(chan, PPU_REG_CH_CLASS, chan->class);
	lab_chan_write(chan, PPU_REG_CH_PRIORITY, 0);
	lab_chan_write(chan, PPU_REG_CH_TIMESLICE_NS, chan->timeslice_ns);
	lab_chan_write(chan, PPU_REG_CH_ENGINE_MASK, 0);
	lab_chan_write(chan, PPU_REG_CH_FLAGS, chan->flags);
	lab_chan_write(chan, PPU_REG_CH_GET, 0);
	lab_chan_write(chan, PPU_REG_CH_PUT, 0);
	chan->get = 0;
	chan->put = 0;
	lab_chan_write(chan, PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
	return lab_chan_read(chan, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED ? 0 : -EIO;
}

//LAB instead
int lab_chan_on(struct lab_chan *chan)
{
	return -ENOSYS;
}

//LAB end
//LAB 5 write: Make the device leave the channel alone, whatever the device is doing: STOP the channel, wait
//LAB      until it has stopped (not forever), RESET it. Afterwards the caller gives the channel's memory
//LAB      back: nothing may read the ring or run its commands any more.
void lab_chan_off(struct lab_chan *chan)
{
	u32 status;

	lab_chan_write(chan, PPU_REG_CH_CMD, PPU_CH_CMD_STOP);
	if (read_poll_timeout(lab_chan_read, status, status & PPU_CHS_STOPPED, 100, LAB_STOP_US, false,
			      chan, PPU_REG_CH_STATUS))
		dev_err(&chan->ldev->pdev->dev, "channel %u does not stop\n", chan->chid);
	lab_chan_write(chan, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
}

//LAB instead
void lab_chan_off(struct lab_chan *chan)
{
}

//LAB end
//LAB 5 write: How many entries can be written now? chan->get == chan->put means that the ring is empty.
//LAB      With `entries` entries outstanding, the two would be equal as well.
static u32 lab_chan_room(const struct lab_chan *chan)
{
	return (chan->get + chan->entries - chan->put - 1) % chan->entries;
}

static u32 lab_chan_next(const struct lab_chan *chan, u32 entry)
{
	return entry + 1 == chan->entries ? 0 : entry + 1;
}

//LAB instead
static u32 __maybe_unused lab_chan_room(const struct lab_chan *chan)
{
	return 0;
}

//LAB end
//LAB 5 write: Look how far the device is: USERD_GP_GET, USERD_ERROR. Call lab_chan_passed() for each entry
//LAB      that GP_GET has passed, in order, and lab_chan_fail(chan, -EIO) if there is an error. Which
//LAB      of the two registers is to be read first? A device that has fallen off the bus reads as ~0,
//LAB      which is no entry: -ENODEV. While chan->on is not set there are no registers to read.
void lab_chan_look(struct lab_chan *chan)
{
	u32 error, get;

	if (!chan->on || chan->error)
		return;
	/* The error is read first: once there is one, GP_GET does not change any more. */
	error = lab_read(chan->ldev, lab_userd(chan->chid, PPU_REG_USERD_ERROR));
	get = lab_read(chan->ldev, lab_userd(chan->chid, PPU_REG_USERD_GP_GET));
	if (get >= chan->entries) {
		lab_chan_fail(chan, -ENODEV);
		return;
	}
	while (chan->get != get) {
		lab_chan_passed(chan, chan->get);
		chan->get = lab_chan_next(chan, chan->get);
	}
	if (error)
		lab_chan_fail(chan, -EIO);
}

//LAB instead
void lab_chan_look(struct lab_chan *chan)
{
}

//LAB end
//LAB 5 write: A program names a block of `words` words at `offset`. Does the block lie in a buffer of `size`
//LAB      bytes, at a multiple of 4, and is its length one that an entry can have? Trust no number.
bool lab_chan_block_ok(u64 size, u64 offset, u32 words)
{
	return words && words <= PPU_BLOCK_MAX_WORDS && IS_ALIGNED(offset, 4) && offset <= size &&
	       words * 4ull <= size - offset;
}

//LAB instead
bool lab_chan_block_ok(u64 size, u64 offset, u32 words)
{
	return true;
}

//LAB end
//LAB 5 write: Put a job into the ring, with chan->lock held. Give the job the next seqno (job->seqno and
//LAB      chan->submitted, before its parts are written). Write all its parts (lab_job_part()) or, if there
//LAB      is no room even after a look, none: -EAGAIN. Then ring the doorbell: one store to USERD_GP_PUT for
//LAB      all parts. The ring is in write-combining memory: what must stand between the entries and
//LAB      the doorbell? A channel with an error takes no job: return that error.
static void lab_chan_write_entry(struct lab_chan *chan, const struct ppu_gpfifo_entry *e)
{
	void __iomem *at = chan->ldev->vram + chan->ring + chan->put * sizeof(*e);

	writeq(e->va, at + offsetof(struct ppu_gpfifo_entry, va));
	writel(e->length, at + offsetof(struct ppu_gpfifo_entry, length));
	writel(e->flags, at + offsetof(struct ppu_gpfifo_entry, flags));
	chan->put = lab_chan_next(chan, chan->put);
}

static void lab_chan_write_job(struct lab_chan *chan, struct lab_job *job)
{
	struct ppu_gpfifo_entry e;
	u32 i;

	job->seqno = ++chan->submitted;
	for (i = 0; i < job->parts; i++) {
		lab_job_part(chan, job, i, chan->put, &e);
		lab_chan_write_entry(chan, &e);
	}
	wmb();	/* entries and blocks are in VRAM before the device hears of them */
	lab_write(chan->ldev, lab_userd(chan->chid, PPU_REG_USERD_GP_PUT), chan->put);
}

int lab_chan_submit(struct lab_chan *chan, struct lab_job *job)
{
	int ret;

	mutex_lock(&chan->lock);
	lab_chan_look(chan);
	ret = chan->error;
	if (!ret && lab_chan_room(chan) < job->parts)
		ret = -EAGAIN;
	if (!ret)
		lab_chan_write_job(chan, job);
	mutex_unlock(&chan->lock);
	return ret;
}

//LAB instead
int lab_chan_submit(struct lab_chan *chan, struct lab_job *job)
{
	return -ENOSYS;
}

//LAB end
//LAB 5 write: Sleep on chan->wait until submission `seqno` is complete (0), the channel has failed
//LAB      (chan->error), a signal comes, or timeout_ns are over (-ETIME; 0: only look). A submission that
//LAB      was complete before the channel failed stays complete. The interrupt that should wake the thread
//LAB      may be lost: look again every LAB_LOOK_JIFFIES.
int lab_chan_wait(struct lab_chan *chan, u64 seqno, s64 timeout_ns)
{
	ktime_t end = ktime_add_safe(ktime_get(), ns_to_ktime(timeout_ns));
	unsigned long nap;
	s64 left;
	long ret;

	for (;;) {
		mutex_lock(&chan->lock);
		lab_chan_look(chan);
		ret = chan->completed >= seqno ? 0 : chan->error ? : 1;
		mutex_unlock(&chan->lock);
		if (ret <= 0)
			return ret;
		left = ktime_to_ns(ktime_sub(end, ktime_get()));
		if (left <= 0)
			return -ETIME;
		nap = min_t(u64, nsecs_to_jiffies64(left) + 1, LAB_LOOK_JIFFIES);
		ret = wait_event_interruptible_timeout(chan->wait, READ_ONCE(chan->completed) >= seqno ||
						       READ_ONCE(chan->error), nap);
		if (ret < 0)
			return ret;
	}
}
//LAB instead
int lab_chan_wait(struct lab_chan *chan, u64 seqno, s64 timeout_ns)
{
	return -ENOSYS;
}
//LAB end
