// SPDX-License-Identifier: GPL-2.0-only
//LAB 3 file
/*
 * The driver's own copy channel. Its ring is in VRAM, and it uses the kernel's context. You need not change
 * this file; in lab 5 you write channels yourself.
 */
#include "lab.h"

#define RING_ENTRIES	64
#define SEM_OFFSET	2048	/* in the ring's page, behind the ring */

/* How long a copy may take. A parameter, so that tests need not wait 5 seconds. */
unsigned int lab_ce_timeout_ms = 5000;
module_param_named(timeout_ms, lab_ce_timeout_ms, uint, 0644);
MODULE_PARM_DESC(timeout_ms, "how long to wait for a copy, ms");

static void lab_ce_enable(struct lab_dev *ldev)
{
	struct lab_ce *ce = &ldev->ce;

	ce->put = 0;
	lab_write64(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_INST_LO), ldev->ctx.inst);
	lab_write64(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_RING_LO), LAB_VA_VRAM + ce->ring);
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_RING_ENTRIES), RING_ENTRIES);
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_CLASS), PPU_CLASS_COPY);
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_GET), 0);
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_PUT), 0);
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_CMD), PPU_CH_CMD_ENABLE);
}

u32 lab_ce_error(struct lab_dev *ldev)
{
	return lab_read(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_ERROR));
}

void lab_ce_restart(struct lab_dev *ldev)
{
	/* This write ends a copy in progress. When it has returned, the channel moves nothing any more. */
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
	lab_read(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_STATUS));
	lab_ce_enable(ldev);
}

void lab_ce_submit(struct lab_dev *ldev, u32 words)
{
	struct lab_ce *ce = &ldev->ce;
	u64 entry = ce->ring + ce->put * sizeof(struct ppu_gpfifo_entry);

	lockdep_assert_held(&ce->lock);
	lab_vram_write64(ldev, entry, LAB_VA_SYS + ce->blocks_dma);
	/* The length in words; the flags are in the bits above the length, and none is set. */
	lab_vram_write64(ldev, entry + 8, words);
	ce->put = (ce->put + 1) % RING_ENTRIES;
	wmb();	/* the device may read block and entry as soon as the doorbell rings */
	lab_write(ldev, lab_userd(LAB_CE_CHAN, PPU_REG_USERD_GP_PUT), ce->put);
}

/* The channel executed INTR, or stopped with an error. */
void lab_ce_event(struct lab_dev *ldev)
{
	wake_up_all(&ldev->irq.wait);
}

int lab_ce_init(struct lab_dev *ldev)
{
	struct lab_ce *ce = &ldev->ce;
	int ret;

	mutex_init(&ce->lock);
	ret = lab_vram_alloc(ldev, PAGE_SIZE, &ce->ring);
	if (ret)
		return ret;
	ret = lab_vram_alloc(ldev, LAB_DMA_BYTES, &ce->window);
	if (ret)
		goto err_ring;
	ce->sem = ce->ring + SEM_OFFSET;
	ce->submitted = 0;
	lab_ce_enable(ldev);
	ret = lab_ce_error(ldev) ? -EIO : 0;
	if (!ret)
		return 0;
	lab_vram_free(ldev, ce->window, LAB_DMA_BYTES);
err_ring:
	lab_vram_free(ldev, ce->ring, PAGE_SIZE);
	return ret;
}

void lab_ce_fini(struct lab_dev *ldev)
{
	lab_write(ldev, lab_chcfg(LAB_CE_CHAN, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
	lab_vram_free(ldev, ldev->ce.window, LAB_DMA_BYTES);
	lab_vram_free(ldev, ldev->ce.ring, PAGE_SIZE);
}
