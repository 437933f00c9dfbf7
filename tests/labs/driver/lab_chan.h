/* SPDX-License-Identifier: GPL-2.0-only */
//LAB 5 file
/*
 * A channel of a program: its ring, and what the driver knows about the work in the ring.
 *
 * lab_chan.c (lab 5, yours) drives the ring with registers, entries, GP_GET and GP_PUT.
 * lab_submit.c (given) does everything around the ring: ids, memory, references, the ioctls.
 */
#ifndef LAB_CHAN_H
#define LAB_CHAN_H

#include <linux/kref.h>
#include "lab.h"

#define LAB_BLOCK_BYTES		128	/* the driver's own block beside each ring entry */

/* What the driver remembers of a ring entry until GP_GET has passed it. */
struct lab_slot {
	u64 seqno;			/* of the submission whose last entry this is; 0: not the last entry of one */
	struct drm_gem_object *obj;	/* the buffer that the device reads here, a reference; or NULL */
};

struct lab_chan {
	struct lab_dev *ldev;
//LAB 7 given
	struct lab_vm *vm;		/* lab 7: where the channel's memory is mapped */
//LAB end
	struct lab_ctx *ctx;		/* the context that the channel runs in */
	u64 base;			/* plus a VRAM offset in the channel's memory: address of that byte in ctx */
	struct kref ref;		/* one for the id, one for each user at the moment */
	u32 chid;			/* hardware number */
//LAB 7 given
	u32 id;				/* by which the file names the channel */
//LAB end
	u32 class;			/* PPU_CLASS_* */
	u32 entries;
	u32 timeslice_ns;		/* 0: the device's default */
	u32 flags;			/* PPU_CHF_* */
//LAB 8 given
	u32 priority;			/* lab 8: priority of the channel's copies, 0 is the lowest */
//LAB end

	u64 ring;			/* VRAM offset of the channel's memory: the ring, and behind it the blocks */
	size_t bytes;

	struct mutex lock;		/* protects the fields below; taken in interrupt threads */
	bool on;			/* the device is there and knows the channel: only then touch registers */
	u32 put;			/* entry to be written next; GP_PUT after the last doorbell */
	u32 get;			/* GP_GET when it was last looked at */
	u64 submitted, completed;	/* seqno of the last submission, and of the last complete one */
	int error;			/* if not 0, nothing more will complete. -EIO, -ENODEV */
	struct lab_slot *slots;		/* one for each entry */
//LAB 6 given
	struct lab_timeline *tl;	/* lab 6: the channel's semaphore word and fences */
//LAB end
//LAB 8 given
	bool given_back;		/* lab 8: lab_sched_give_back() has run */
	struct delayed_work hang_work;	/* lab 8: looks at the channel, and has a reference, while it is busy */
	bool stuck;			/* lab 8: whether the channel was stuck at the last look, */
	u32 stuck_at;			/* lab 8: and CH_RUNTIME_LO at that time */
//LAB end

	wait_queue_head_t wait;		/* woken when completed or error changes */
};

/* One submission: `parts` entries in a row; either all of them are written or none. */
struct lab_job {
	u64 va;				/* the program's block */
	u32 words;
	struct drm_gem_object *obj;	/* the buffer of that block */
	u32 parts;			/* ring entries that it needs */
	u64 seqno;			/* set when it is submitted */
//LAB 6 given
	struct lab_sync *sync;		/* lab 6: what the submission waits for, and its fence */
//LAB end
};

/* VRAM offset of the driver's block that belongs to a ring entry. */
static inline u64 lab_chan_block(const struct lab_chan *chan, u32 entry)
{
	return chan->ring + chan->entries * sizeof(struct ppu_gpfifo_entry) + entry * LAB_BLOCK_BYTES;
}

/* GPU address, in the channel's context, of a byte of its memory. */
static inline u64 lab_chan_va(const struct lab_chan *chan, u64 offset)
{
	return chan->base + offset;
}

/* lab_submit.c; all with chan->lock held */
/* Fill in part i (0 .. job->parts - 1) as ring entry number `entry`. Set job->seqno before. */
void lab_job_part(struct lab_chan *chan, struct lab_job *job, u32 i, u32 entry,
		  struct ppu_gpfifo_entry *e);
/* GP_GET has passed this entry. */
void lab_chan_passed(struct lab_chan *chan, u32 entry);
/* Nothing more will complete. A later error does not replace the first one. */
void lab_chan_fail(struct lab_chan *chan, int error);

struct lab_chan *lab_chan_get(struct lab_file *lfile, u32 id);	/* takes a reference; may return NULL */
void lab_chan_put(struct lab_chan *chan);

//LAB 7 given
/* The id in its file of the channel with this hardware number; 0: there is none. May not sleep. */
u32 lab_chan_id(struct lab_dev *ldev, u32 chid);
//LAB end
//LAB 11 given
/*
 * A channel of this address space that has work to do, with a reference, or NULL. *seqno: the last of that work, for
 * lab_chan_wait().
 */
struct lab_chan *lab_chan_busy(struct lab_vm *vm, u64 *seqno);
//LAB end

/* lab_chan.c */
int lab_chan_on(struct lab_chan *chan);				/* chan->lock held */
void lab_chan_off(struct lab_chan *chan);			/* chan->lock held */
void lab_chan_look(struct lab_chan *chan);			/* chan->lock held */
bool lab_chan_block_ok(u64 size, u64 offset, u32 words);
int lab_chan_submit(struct lab_chan *chan, struct lab_job *job);
int lab_chan_wait(struct lab_chan *chan, u64 seqno, s64 timeout_ns);

#endif
