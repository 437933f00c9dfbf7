// SPDX-License-Identifier: GPL-2.0-only
//LAB 2 file
/*
 * Lab 2: interrupts. Four MSI-X vectors. For each, a hard handler takes the causes from the device and a
 * thread handles them. Interrupts can be masked, and a timer looks for lost messages.
 */
#include <linux/interrupt.h>
#include "lab.h"

/* The causes, bits of INTR_STATUS, of each vector. */
static const u32 lab_causes[PPU_NUM_VECTORS] = {
	[PPU_VEC_ERROR] = PPU_INTR_CHERR | PPU_INTR_FAULT,
	[PPU_VEC_CHANNEL] = PPU_INTR_CHINTR | PPU_INTR_RINGLOW | PPU_INTR_PREEMPT,
	[PPU_VEC_WATCH] = PPU_INTR_WATCH,
	[PPU_VEC_SM] = PPU_INTR_SMEXC,
};

static const char * const lab_vector_names[PPU_NUM_VECTORS] = {
	[PPU_VEC_ERROR] = "error",
	[PPU_VEC_CHANNEL] = "channel",
	[PPU_VEC_WATCH] = "watch",
	[PPU_VEC_SM] = "sm",
};

//LAB 2 write: The thread's part. For each cause, clear its bitmap, then act on the bits that were set.
//LAB      CHERR_PENDING and CHINTR_PENDING have a bit for each channel: call lab_on_channel_error() or
//LAB      lab_on_channel_event(), which may sleep. FAULT: call lab_on_fault(). RINGLOW_PENDING,
//LAB      PREEMPT_PENDING and WATCH_PENDING: only clear the bitmap, nobody needs them yet.
/* Clears a bitmap of n bits and calls `tell` for each bit that was set; returns how many were set. */
static u32 lab_scan(struct lab_dev *ldev, u32 reg, u32 n, void (*tell)(struct lab_dev *, u32))
{
	u32 i, found = 0;

	for (i = 0; i < n; i += 32) {
		unsigned long bits = lab_read(ldev, reg + i / 8);
		unsigned int bit;

		if (!bits)
			continue;
		/* Clear first: an event from here on sets its bit, and raises its cause, again. */
		lab_write(ldev, reg + i / 8, bits);
		for_each_set_bit(bit, &bits, 32) {
			found++;
			if (tell)
				tell(ldev, i + bit);
		}
	}
	return found;
}

/* Handles the causes; returns how many channel events there were. May sleep. */
static u32 lab_handle(struct lab_dev *ldev, u32 causes)
{
	u32 events = 0;

	if (causes & PPU_INTR_CHERR)
		lab_scan(ldev, PPU_REG_CHERR_PENDING, ldev->channels, lab_on_channel_error);
	if (causes & PPU_INTR_FAULT)
		lab_on_fault(ldev);
	if (causes & PPU_INTR_CHINTR)
		events = lab_scan(ldev, PPU_REG_CHINTR_PENDING, ldev->channels,
				  lab_on_channel_event);
	if (causes & PPU_INTR_RINGLOW)
		lab_scan(ldev, PPU_REG_RINGLOW_PENDING, ldev->channels, NULL);
	if (causes & PPU_INTR_PREEMPT)
		lab_scan(ldev, PPU_REG_PREEMPT_PENDING, ldev->channels, NULL);
	if (causes & PPU_INTR_WATCH)
		lab_scan(ldev, PPU_REG_WATCH_PENDING, lab_read(ldev, PPU_REG_CAP_WATCHES), NULL);
	return events;
}

static irqreturn_t lab_irq_thread(int nr, void *data)
{
	struct lab_vector *vector = data;
	struct lab_dev *ldev = vector->ldev;
	struct lab_irq *irq = &ldev->irq;
	u32 causes, events;
	int i;

	spin_lock_irq(&irq->lock);
	causes = irq->todo[vector->n];
	irq->todo[vector->n] = 0;
	spin_unlock_irq(&irq->lock);

	events = lab_handle(ldev, causes);

	spin_lock_irq(&irq->lock);
	irq->stats.channel_events += events;
	for (i = 0; i < ARRAY_SIZE(irq->stats.causes); i++)
		irq->stats.causes[i] += causes >> i & 1;
	spin_unlock_irq(&irq->lock);
	wake_up_all(&irq->wait);
	return IRQ_HANDLED;
}
//LAB end

//LAB 2 write: The hard handler's part: take from the device those causes of this vector that are
//LAB      pending and not masked, clear them there, and leave them to the thread. Also count them.
/* Takes from the device those of `causes` that are pending; irq->lock is held. */
static u32 lab_take(struct lab_dev *ldev, u32 causes)
{
	u32 pending = lab_read(ldev, PPU_REG_INTR_STATUS) & causes & ldev->irq.enabled;
	int n;

	/* Clear only the causes that were read: others may have come since. */
	if (pending)
		lab_write(ldev, PPU_REG_INTR_STATUS, pending);
	for (n = 0; n < PPU_NUM_VECTORS; n++)
		ldev->irq.todo[n] |= pending & lab_causes[n];
	return pending;
}

static irqreturn_t lab_irq_hard(int nr, void *data)
{
	struct lab_vector *vector = data;
	struct lab_irq *irq = &vector->ldev->irq;
	u32 pending;

	spin_lock(&irq->lock);
	irq->stats.messages[vector->n]++;
	pending = lab_take(vector->ldev, lab_causes[vector->n]);
	if (!pending)
		irq->stats.spurious++;
	spin_unlock(&irq->lock);
	return pending ? IRQ_WAKE_THREAD : IRQ_NONE;
}
//LAB end

//LAB 2 write: A message may get lost. Ten times a second, look whether a cause has been pending for
//LAB      a while. If so, do what the hard handler would have done (irq_wake_thread() starts
//LAB      the thread).
#define LAB_POLL	(HZ / 10)

static void lab_irq_poll(struct timer_list *timer)
{
	struct lab_irq *irq = from_timer(irq, timer, poll);
	struct lab_dev *ldev = container_of(irq, struct lab_dev, irq);
	unsigned long flags;
	u32 lost;
	int n;

	spin_lock_irqsave(&irq->lock, flags);
	/* Only causes that were pending at the last look, too: the message of a younger one may be on its way. */
	lost = lab_take(ldev, irq->overdue);
	irq->overdue = lab_read(ldev, PPU_REG_INTR_STATUS) & irq->enabled;
	irq->stats.recovered += hweight32(lost);
	/* With the lock held, so that no thread starts after lab_irq_mask(). */
	for (n = 0; n < PPU_NUM_VECTORS; n++)
		if (lost & lab_causes[n])
			irq_wake_thread(irq->vector[n].irq, &irq->vector[n]);
	spin_unlock_irqrestore(&irq->lock, flags);
	mod_timer(&irq->poll, jiffies + LAB_POLL);
}
//LAB end

/* true: the device sends no interrupts. false: it sends them again, also for what happened meanwhile. */
void lab_irq_mask(struct lab_dev *ldev, bool masked)
{
//LAB 2 write: Switch all causes off or on in the device. When this function returns with the causes
//LAB      off, no handler and no thread is running any more, and none starts.
	struct lab_irq *irq = &ldev->irq;
	unsigned long flags;
	int n;

	spin_lock_irqsave(&irq->lock, flags);
	irq->enabled = masked ? 0 : PPU_INTR_ALL;
	/* This write makes the device send a message for every cause that is pending. */
	lab_write(ldev, PPU_REG_INTR_ENABLE, irq->enabled);
	spin_unlock_irqrestore(&irq->lock, flags);
	if (!masked)
		return;
	for (n = 0; n < PPU_NUM_VECTORS; n++)
		synchronize_irq(pci_irq_vector(ldev->pdev, n));
//LAB end
}

//LAB 2 write: Exactly four MSI-X vectors; for each, a hard handler and a thread, called "lab-error"
//LAB      and so on. Then the timer. The device may send interrupts only after that.
static int lab_irq_start(struct lab_dev *ldev)
{
	struct lab_irq *irq = &ldev->irq;
	int n, ret;

	ret = pci_alloc_irq_vectors(ldev->pdev, PPU_NUM_VECTORS, PPU_NUM_VECTORS, PCI_IRQ_MSIX);
	if (ret < 0)
		return ret;
	for (n = 0; n < PPU_NUM_VECTORS; n++) {
		irq->vector[n].ldev = ldev;
		irq->vector[n].n = n;
		irq->vector[n].irq = pci_irq_vector(ldev->pdev, n);
		ret = pci_request_irq(ldev->pdev, n, lab_irq_hard, lab_irq_thread, &irq->vector[n],
				      "lab-%s", lab_vector_names[n]);
		if (ret)
			goto err_free;
	}
	timer_setup(&irq->poll, lab_irq_poll, 0);
	mod_timer(&irq->poll, jiffies + LAB_POLL);
	lab_irq_mask(ldev, false);
	return 0;

err_free:
	while (n--)
		pci_free_irq(ldev->pdev, n, &irq->vector[n]);
	pci_free_irq_vectors(ldev->pdev);
	return ret;
}
//LAB end

int lab_irq_init(struct lab_dev *ldev)
{
	spin_lock_init(&ldev->irq.lock);
	init_waitqueue_head(&ldev->irq.wait);
//LAB 2 write: Start the interrupts.
	return lab_irq_start(ldev);
//LAB instead
	return 0;
//LAB end
}

void lab_irq_fini(struct lab_dev *ldev)
{
//LAB 2 write: Events may be coming all the time. First let nothing new begin, then let end what
//LAB      runs, then give back what lab_irq_init() took.
	struct lab_irq *irq = &ldev->irq;
	int n;

	lab_irq_mask(ldev, true);
	del_timer_sync(&irq->poll);
	for (n = PPU_NUM_VECTORS - 1; n >= 0; n--)
		pci_free_irq(ldev->pdev, n, &irq->vector[n]);
	pci_free_irq_vectors(ldev->pdev);
//LAB end
}
