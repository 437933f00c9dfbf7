// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: MSI-X vectors.
 *
 * Each handler first clears its causes in INTR_STATUS and then drains what they
 * stand for: whatever happens in between sets the cause, and sends the vector,
 * again.
 *
 * Errors are handled in a thread, since they end in long work; completions and
 * watches in the interrupt itself, since someone waits for them.
 */

#include <linux/interrupt.h>

#include "ppu_drv.h"
#include "ppu_trace.h"

static u32 ppu_irq_ack(struct ppu_device *pdev, u32 mask)
{
	u32 status = ppu_rd(pdev, PPU_REG_INTR_STATUS) & mask;

	if (status)
		ppu_wr(pdev, PPU_REG_INTR_STATUS, status);
	trace_ppu_irq(mask, status);
	return status;
}

static irqreturn_t ppu_irq_error(int irq, void *arg)
{
	struct ppu_device *pdev = arg;
	u32 status = ppu_irq_ack(pdev, PPU_INTR_CHERR | PPU_INTR_FAULT);

	/* Records first: they say why the channels stopped. */
	if (status)
		ppu_fault_drain(pdev);
	if (status)
		ppu_fault_channels(pdev);
	return IRQ_RETVAL(status);
}

/* Calls @fn for each channel whose bit is set, and clears the bits. */
static void ppu_irq_channels(struct ppu_device *pdev, u32 bitmap,
			     void (*fn)(struct ppu_channel *chan))
{
	unsigned int word, words = DIV_ROUND_UP(READ_ONCE(pdev->chan_top), 32);

	for (word = 0; word < words; word++) {
		unsigned long bits = ppu_rd(pdev, bitmap + word * 4);
		unsigned long flags;
		unsigned int bit;

		if (!bits)
			continue;
		ppu_wr(pdev, bitmap + word * 4, bits);
		if (!fn)
			continue;
		spin_lock_irqsave(&pdev->chan_lock, flags);
		for_each_set_bit(bit, &bits, 32) {
			struct ppu_channel *chan = NULL;

			if (word * 32 + bit < pdev->caps.channels)
				chan = pdev->chans[word * 32 + bit];
			if (chan)
				fn(chan);
		}
		spin_unlock_irqrestore(&pdev->chan_lock, flags);
	}
}

static void ppu_irq_chintr(struct ppu_channel *chan)
{
	if (chan->user_submit)
		ppu_event_notify(chan->pdev, DRM_PPU_EVENT_CHANNEL_INTR, chan);
	else
		ppu_submit_retire(chan);
}

static irqreturn_t ppu_irq_channel(int irq, void *arg)
{
	struct ppu_device *pdev = arg;
	u32 status = ppu_irq_ack(pdev, PPU_INTR_CHINTR | PPU_INTR_RINGLOW | PPU_INTR_PREEMPT);

	if (status & PPU_INTR_CHINTR)
		ppu_irq_channels(pdev, PPU_REG_CHINTR_PENDING, ppu_irq_chintr);
	if (status & PPU_INTR_RINGLOW)
		ppu_irq_channels(pdev, PPU_REG_RINGLOW_PENDING, NULL);
	if (status & PPU_INTR_PREEMPT) {
		ppu_irq_channels(pdev, PPU_REG_PREEMPT_PENDING, NULL);
		wake_up_all(&pdev->stop_wq);
	}
	return IRQ_RETVAL(status);
}

static irqreturn_t ppu_irq_watch(int irq, void *arg)
{
	struct ppu_device *pdev = arg;
	u32 status = ppu_irq_ack(pdev, PPU_INTR_WATCH);

	if (status)
		ppu_watch_irq(pdev);
	return IRQ_RETVAL(status);
}

static irqreturn_t ppu_irq_sm(int irq, void *arg)
{
	struct ppu_device *pdev = arg;
	u32 status = ppu_irq_ack(pdev, PPU_INTR_SMEXC);

	if (status)
		ppu_recentre(pdev);
	return IRQ_RETVAL(status);
}

static const struct {
	const char *name;
	irq_handler_t handler;
	irq_handler_t thread;
} ppu_vectors[PPU_NUM_VECTORS] = {
	[PPU_VEC_ERROR] = { "ppu-error", NULL, ppu_irq_error },
	[PPU_VEC_CHANNEL] = { "ppu-channel", ppu_irq_channel, NULL },
	[PPU_VEC_WATCH] = { "ppu-watch", ppu_irq_watch, NULL },
	[PPU_VEC_SM] = { "ppu-sm", NULL, ppu_irq_sm },
};

/**
 * ppu_irq_fini - free the vectors
 * @pdev: device
 *
 * When it returns no handler runs.
 */
void ppu_irq_fini(struct ppu_device *pdev)
{
	int i;

	if (!pdev->irqs_on)
		return;
	ppu_wr(pdev, PPU_REG_INTR_ENABLE, 0);
	for (i = 0; i < PPU_NUM_VECTORS; i++)
		free_irq(pci_irq_vector(pdev->pdev, i), pdev);
	pci_free_irq_vectors(pdev->pdev);
	pdev->irqs_on = false;
}

/** ppu_irq_enable - let the device, which was reset, send interrupts */
void ppu_irq_enable(struct ppu_device *pdev)
{
	ppu_wr(pdev, PPU_REG_INTR_STATUS, PPU_INTR_ALL);
	ppu_wr(pdev, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
}

/**
 * ppu_irq_init - request the vectors and let the device send them
 * @pdev: device
 *
 * Return: 0 or a negative error.
 */
int ppu_irq_init(struct ppu_device *pdev)
{
	struct pci_dev *pci = pdev->pdev;
	int i, ret;

	ret = pci_alloc_irq_vectors(pci, PPU_NUM_VECTORS, PPU_NUM_VECTORS, PCI_IRQ_MSIX);
	if (ret < 0) {
		drm_err(&pdev->drm, "no MSI-X vectors (%d)\n", ret);
		return ret;
	}

	for (i = 0; i < PPU_NUM_VECTORS; i++) {
		ret = request_threaded_irq(pci_irq_vector(pci, i), ppu_vectors[i].handler,
					   ppu_vectors[i].thread,
					   ppu_vectors[i].handler ? 0 : IRQF_ONESHOT,
					   ppu_vectors[i].name, pdev);
		if (ret)
			goto err;
	}

	pdev->irqs_on = true;
	ppu_irq_enable(pdev);
	return 0;

err:
	while (i--)
		free_irq(pci_irq_vector(pci, i), pdev);
	pci_free_irq_vectors(pci);
	return ret;
}
