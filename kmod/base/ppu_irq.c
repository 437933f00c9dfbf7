// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: MSI-X vectors.
 *
 * Each handler first clears its causes in INTR_STATUS and then handles what these causes stand
 * for.  Whatever happens in between sets the cause, and sends the vector, again.
 *
 * Errors are handled in a thread, since they end in long work; completions and watches are
 * handled in the interrupt itself, since someone waits for them.
 *
 * A client can make the device interrupt without end (INTR commands in a row), but must not keep
 * a CPU busy that way.  When a vector comes more often than ppu_irq_rate, each interrupt beyond a
 * burst waits until the rate allows it.  Meanwhile its causes collect in the device.
 * its causes collect in the device meanwhile.
 */

#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>

#include <drm/drm_print.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_irq.h"
#include "base/ppu_trace.h"

static unsigned int ppu_irq_rate = 8000;
module_param_named(irq_rate, ppu_irq_rate, uint, 0600);
MODULE_PARM_DESC(irq_rate, "most interrupts per second and vector, 0: no limit");

#define PPU_PACE_BURST	32	/* interrupts that come as fast as they may */

/* Writes INTR_ENABLE to match the present state. */
static void ppu_irq_update(struct ppu_device *ppu)
{
	lockdep_assert_held(&ppu->intr_lock);
	ppu_wr(ppu, PPU_REG_INTR_ENABLE, ppu->intr_enabled ? PPU_INTR_ALL & ~ppu->intr_held : 0);
}

/* Counts an interrupt.  Returns for how many ns the next one is held back; 0: not at all. */
static u64 ppu_pace_count(struct ppu_pace *pace)
{
	unsigned int rate = READ_ONCE(ppu_irq_rate);
	u64 now = ktime_get_ns(), gap, burst;

	WRITE_ONCE(pace->total, pace->total + 1);
	if (!rate)
		return 0;
	gap = max(NSEC_PER_SEC / rate, 1L);
	burst = PPU_PACE_BURST * gap;
	/*
	 * Some interrupts come late, since they were held back; the rate may have been lower
	 * before.
	 */
	pace->due = clamp_t(u64, pace->due, now, now + 2 * burst) + gap;
	if (pace->due - now <= burst)
		return 0;
	WRITE_ONCE(pace->held, pace->held + 1);
	return pace->due - now - burst;
}

/* In the interrupt itself: mask the causes, which the device then keeps for a while. */
static void ppu_pace_irq(struct ppu_device *ppu, unsigned int vec)
{
	struct ppu_pace *pace = &ppu->pace[vec];
	u64 hold = ppu_pace_count(pace);

	if (!hold)
		return;
	spin_lock(&ppu->intr_lock);
	ppu->intr_held |= pace->mask;
	ppu_irq_update(ppu);
	spin_unlock(&ppu->intr_lock);
	hrtimer_start(&pace->timer, ns_to_ktime(hold), HRTIMER_MODE_REL);
}

static enum hrtimer_restart ppu_pace_timer(struct hrtimer *timer)
{
	struct ppu_pace *pace = container_of(timer, struct ppu_pace, timer);
	struct ppu_device *ppu = pace->ppu;
	unsigned long flags;

	/* The device interrupts at once if there was a cause meanwhile. */
	spin_lock_irqsave(&ppu->intr_lock, flags);
	ppu->intr_held &= ~pace->mask;
	ppu_irq_update(ppu);
	spin_unlock_irqrestore(&ppu->intr_lock, flags);
	return HRTIMER_NORESTART;
}

/* In a thread: holding back is just sleeping. */
static void ppu_pace_thread(struct ppu_device *ppu, unsigned int vec)
{
	u64 hold = ppu_pace_count(&ppu->pace[vec]);

	if (hold)
		usleep_range(hold / NSEC_PER_USEC, 2 * hold / NSEC_PER_USEC + 1);
}

static u32 ppu_irq_ack(struct ppu_device *ppu, u32 mask)
{
	u32 status = ppu_rd(ppu, PPU_REG_INTR_STATUS);

	/* A device that was pulled out reads as all ones: nothing of that has happened. */
	status = status == U32_MAX ? 0 : status & mask;
	if (status)
		ppu_wr(ppu, PPU_REG_INTR_STATUS, status);
	trace_ppu_irq(mask, status);
	return status;
}

static irqreturn_t ppu_irq_error(int irq, void *arg)
{
	struct ppu_device *ppu = arg;
	u32 status = ppu_irq_ack(ppu, ppu->pace[PPU_VEC_ERROR].mask);

	if (status)
		ppu->handlers->error(ppu);
	ppu_pace_thread(ppu, PPU_VEC_ERROR);
	return IRQ_RETVAL(status);
}

/* Calls @fn for each channel whose bit is set, and clears the bits. */
static void ppu_irq_channels(struct ppu_device *ppu, u32 bitmap,
			     void (*fn)(struct ppu_channel *chan))
{
	unsigned int word, words = DIV_ROUND_UP(READ_ONCE(ppu->chan_top), 32);

	for (word = 0; word < words; word++) {
		unsigned long bits = ppu_rd(ppu, bitmap + word * 4);
		unsigned long flags;
		unsigned int bit;

		if (!bits)
			continue;
		ppu_wr(ppu, bitmap + word * 4, bits);
		if (!fn)
			continue;
		spin_lock_irqsave(&ppu->chan_lock, flags);
		for_each_set_bit(bit, &bits, 32) {
			struct ppu_channel *chan = NULL;

			if (word * 32 + bit < ppu->caps.channels)
				chan = ppu->chans[word * 32 + bit];
			if (chan)
				fn(chan);
		}
		spin_unlock_irqrestore(&ppu->chan_lock, flags);
	}
}

static irqreturn_t ppu_irq_channel(int irq, void *arg)
{
	struct ppu_device *ppu = arg;
	u32 status = ppu_irq_ack(ppu, ppu->pace[PPU_VEC_CHANNEL].mask);

	if (status & PPU_INTR_CHINTR)
		ppu_irq_channels(ppu, PPU_REG_CHINTR_PENDING, ppu->handlers->channel);
	if (status & PPU_INTR_RINGLOW)
		ppu_irq_channels(ppu, PPU_REG_RINGLOW_PENDING, ppu->handlers->ring_low);
	if (status & PPU_INTR_PREEMPT) {
		ppu_irq_channels(ppu, PPU_REG_PREEMPT_PENDING, NULL);
		wake_up_all(&ppu->stop_wq);
	}
	ppu_pace_irq(ppu, PPU_VEC_CHANNEL);
	return IRQ_RETVAL(status);
}

static irqreturn_t ppu_irq_watch(int irq, void *arg)
{
	struct ppu_device *ppu = arg;
	u32 status = ppu_irq_ack(ppu, ppu->pace[PPU_VEC_WATCH].mask);

	if (status)
		ppu->handlers->watch(ppu);
	ppu_pace_irq(ppu, PPU_VEC_WATCH);
	return IRQ_RETVAL(status);
}

static irqreturn_t ppu_irq_sm(int irq, void *arg)
{
	struct ppu_device *ppu = arg;
	u32 status = ppu_irq_ack(ppu, ppu->pace[PPU_VEC_SM].mask);

	if (status)
		ppu->handlers->sm(ppu);
	ppu_pace_thread(ppu, PPU_VEC_SM);
	return IRQ_RETVAL(status);
}

static const struct {
	const char *name;
	u32 mask;
	irq_handler_t handler;
	irq_handler_t thread;
} ppu_vectors[PPU_NUM_VECTORS] = {
	[PPU_VEC_ERROR] = { "ppu-error", PPU_INTR_CHERR | PPU_INTR_FAULT, NULL, ppu_irq_error },
	[PPU_VEC_CHANNEL] = { "ppu-channel", PPU_INTR_CHINTR | PPU_INTR_RINGLOW | PPU_INTR_PREEMPT,
			      ppu_irq_channel, NULL },
	[PPU_VEC_WATCH] = { "ppu-watch", PPU_INTR_WATCH, ppu_irq_watch, NULL },
	[PPU_VEC_SM] = { "ppu-sm", PPU_INTR_SMEXC, NULL, ppu_irq_sm },
};

static void ppu_pace_init(struct ppu_device *ppu)
{
	unsigned int i;

	spin_lock_init(&ppu->intr_lock);
	for (i = 0; i < PPU_NUM_VECTORS; i++) {
		struct ppu_pace *pace = &ppu->pace[i];

		pace->ppu = ppu;
		pace->mask = ppu_vectors[i].mask;
		hrtimer_setup(&pace->timer, ppu_pace_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	}
}

/* The device sends no interrupts any more. */
static void ppu_irq_disable(struct ppu_device *ppu)
{
	unsigned long flags;

	spin_lock_irqsave(&ppu->intr_lock, flags);
	ppu->intr_enabled = false;
	ppu_irq_update(ppu);
	spin_unlock_irqrestore(&ppu->intr_lock, flags);
}

/**
 * ppu_irq_fini - free the vectors
 * @ppu: device
 *
 * No handler runs when this function has returned.
 */
void ppu_irq_fini(struct ppu_device *ppu)
{
	int i;

	if (!ppu->irqs_on)
		return;
	ppu_irq_disable(ppu);
	for (i = 0; i < PPU_NUM_VECTORS; i++) {
		free_irq(pci_irq_vector(ppu->pci, i), ppu);
		hrtimer_cancel(&ppu->pace[i].timer);
	}
	pci_free_irq_vectors(ppu->pci);
	ppu->irqs_on = false;
}

/* Lets the device, which was reset, send interrupts. */
static void ppu_irq_enable(struct ppu_device *ppu)
{
	unsigned long flags;

	spin_lock_irqsave(&ppu->intr_lock, flags);
	ppu->intr_enabled = true;
	ppu_irq_update(ppu);
	spin_unlock_irqrestore(&ppu->intr_lock, flags);
}

/**
 * ppu_irq_stop - the device will be reset: no interrupt, no handler, until ppu_irq_restart()
 * @ppu: device
 */
void ppu_irq_stop(struct ppu_device *ppu)
{
	int i;

	ppu_irq_disable(ppu);
	/* An interrupt that is on its way is handled when the device answers again. */
	for (i = 0; i < PPU_NUM_VECTORS; i++) {
		disable_irq(pci_irq_vector(ppu->pci, i));
		hrtimer_cancel(&ppu->pace[i].timer);
	}
}

/**
 * ppu_irq_last_watches - the device will forget which entries of the watch table matched
 * @ppu: device, which still answers; after ppu_irq_stop()
 *
 * Their interrupt may have been held back, or on its way.
 */
void ppu_irq_last_watches(struct ppu_device *ppu)
{
	if (ppu_irq_ack(ppu, ppu->pace[PPU_VEC_WATCH].mask))
		ppu->handlers->watch(ppu);
}

/** ppu_irq_restart - the device was reset: undo ppu_irq_stop() */
void ppu_irq_restart(struct ppu_device *ppu)
{
	int i;

	/* Nothing is held back: the timers that would end that were cancelled. */
	ppu->intr_held = 0;
	for (i = 0; i < PPU_NUM_VECTORS; i++)
		enable_irq(pci_irq_vector(ppu->pci, i));
	ppu_irq_enable(ppu);
}

/**
 * ppu_irq_init - request the vectors and let the device send them
 * @ppu: device
 * @handlers: what to do about them
 *
 * Return: 0 or a negative error.
 */
int ppu_irq_init(struct ppu_device *ppu, const struct ppu_irq_handlers *handlers)
{
	struct pci_dev *pci = ppu->pci;
	int i, ret;

	ppu->handlers = handlers;
	ppu_pace_init(ppu);
	ret = pci_alloc_irq_vectors(pci, PPU_NUM_VECTORS, PPU_NUM_VECTORS, PCI_IRQ_MSIX);
	if (ret < 0) {
		drm_err(&ppu->drm, "no MSI-X vectors (%d)\n", ret);
		return ret;
	}

	for (i = 0; i < PPU_NUM_VECTORS; i++) {
		ret = request_threaded_irq(pci_irq_vector(pci, i), ppu_vectors[i].handler,
					   ppu_vectors[i].thread,
					   ppu_vectors[i].handler ? 0 : IRQF_ONESHOT,
					   ppu_vectors[i].name, ppu);
		if (ret)
			goto err;
	}

	ppu->irqs_on = true;
	ppu_irq_enable(ppu);
	return 0;

err:
	while (i--)
		free_irq(pci_irq_vector(pci, i), ppu);
	pci_free_irq_vectors(pci);
	return ret;
}
