/* SPDX-License-Identifier: GPL-2.0-only */
//LAB 6 file
/* Lab 6: what lab_chan.c and lab_fence.c share. */
#ifndef LAB_FENCE_H
#define LAB_FENCE_H

#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include "lab.h"

struct drm_syncobj;
struct lab_chan;

/*
 * The submissions of a channel as a row of numbers. The timeline outlives the channel, because fences hold
 * references to the timeline. The word may be read by lab_vram_read64() only while the channel exists.
 */
struct lab_timeline {
	struct kref ref;		/* one of the channel, one of each fence */
	spinlock_t lock;		/* protects pending; also the lock of the fences */
	struct list_head pending;	/* struct lab_fence that have not signalled, oldest first */
	spinlock_t word_lock;		/* protects ldev; taken last */
	struct lab_dev *ldev;		/* NULL: the channel is gone */
	u64 word;			/* VRAM offset of the semaphore */
	u64 base;			/* value of the word when the channel was made */
	u64 context;			/* of the channel's dma_fences */
	char name[24];
};

struct lab_fence {
	struct dma_fence base;		/* base.seqno: value of the word when the submission is complete */
	struct lab_timeline *tl;
	struct list_head link;		/* in tl->pending */
};

/* What a submission waits for, and what tells that the submission is complete. All zero at first. */
struct lab_sync {
	struct dma_fence *in;		/* the fence that the device waits for, or NULL */
	struct drm_syncobj *out;	/* the syncobj that gets the fence, or NULL */
	struct lab_fence *fence;
	bool emitted;			/* fence is a dma_fence and has its number */
};

/* lab_submit.c */
int lab_fence_chan_init(struct lab_chan *chan);
/* Makes channels that wait in the device look again at a word that the CPU has written. */
void lab_fence_kick(struct lab_dev *ldev);

/* lab_fence.c */
void lab_fence_chan_fini(struct lab_chan *chan);
int lab_fence_prepare(struct drm_file *file, const struct lab_submit *args, struct lab_sync *sync);
u32 *lab_fence_head(struct lab_chan *chan, const struct lab_sync *sync, u32 *w);
u32 *lab_fence_tail(struct lab_chan *chan, u64 value, u32 *w);
void lab_fence_emit(struct lab_chan *chan, struct lab_sync *sync, u64 value);
void lab_fence_finish(struct lab_sync *sync);
void lab_fence_event(struct lab_chan *chan);
void lab_fence_fail(struct lab_chan *chan, int error);

/* A semaphore command: SEM_ACQUIRE and SEM_RELEASE with a value. */
static inline u32 *lab_cmd_sem(u32 *w, u32 op, u32 flags, u64 va, u64 value)
{
	*w++ = PPU_CMD_HDR(op, PPU_CMD_SIZE_SEM_ACQUIRE, flags);
	*w++ = lower_32_bits(va);
	*w++ = upper_32_bits(va);
	*w++ = lower_32_bits(value);
	*w++ = upper_32_bits(value);
	return w;
}

/* For kref_put(). */
static inline void lab_timeline_free(struct kref *ref)
{
	kfree(container_of(ref, struct lab_timeline, ref));
}

/* The number that the device has written into the word. U64_MAX, the highest, once the channel is gone. */
static inline u64 lab_timeline_value(struct lab_timeline *tl)
{
	unsigned long flags;
	u64 value = U64_MAX;

	spin_lock_irqsave(&tl->word_lock, flags);
	if (tl->ldev) {
		value = lab_vram_read64(tl->ldev, tl->word);
		/* Everything reads as all ones from a device that has fallen off the bus. */
		if (value == U64_MAX)
			value = 0;
	}
	spin_unlock_irqrestore(&tl->word_lock, flags);
	return value;
}

#endif
