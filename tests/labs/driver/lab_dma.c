// SPDX-License-Identifier: GPL-2.0-only
//LAB 3 file
/*
 * Lab 3: DMA. Memory that the driver and the device share until the driver leaves; commands for the
 * copy engine; and pages of programs, pinned and mapped for as long as a copy takes.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include "lab.h"

int lab_dma_init(struct lab_dev *ldev)
{
//LAB 3 write: Allocate coherent memory for command blocks, LAB_CE_BLOCK_BYTES. Its address for the CPU
//LAB      goes to ldev->ce.blocks, its address for the device to ldev->ce.blocks_dma.
	struct lab_ce *ce = &ldev->ce;

	ce->blocks = dma_alloc_coherent(&ldev->pdev->dev, LAB_CE_BLOCK_BYTES, &ce->blocks_dma,
					GFP_KERNEL);
	return ce->blocks ? 0 : -ENOMEM;
//LAB instead
	return 0;
//LAB end
}

void lab_dma_fini(struct lab_dev *ldev)
{
//LAB 3 write: Give the coherent memory back.
	dma_free_coherent(&ldev->pdev->dev, LAB_CE_BLOCK_BYTES, ldev->ce.blocks,
			  ldev->ce.blocks_dma);
//LAB end
}

//LAB 3 write: What lab_ce_copy() needs. First, a block of three commands (include/hw/ppu_cmd.h) in
//LAB      ce->blocks: copy; then store a new value, one more than the last, in the semaphore (VRAM
//LAB      offset ce->sem, of 64 bits); then ask for an interrupt. Second, a wait until the semaphore
//LAB      has that value or the channel has an error, for at most lab_ce_timeout_ms. Interrupts
//LAB      wake ldev->irq.wait.
/* Writes the block; returns how many words it has. */
static u32 lab_dma_block(struct lab_dev *ldev, u64 src_va, u64 dst_va, u64 bytes)
{
	struct lab_ce *ce = &ldev->ce;
	u64 sem_va = LAB_VA_VRAM + ce->sem, value = ++ce->submitted;
	u32 *b = ce->blocks;

	*b++ = PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0);
	*b++ = lower_32_bits(src_va);
	*b++ = upper_32_bits(src_va);
	*b++ = lower_32_bits(dst_va);
	*b++ = upper_32_bits(dst_va);
	*b++ = lower_32_bits(bytes);
	*b++ = upper_32_bits(bytes);
	*b++ = PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0);
	*b++ = lower_32_bits(sem_va);
	*b++ = upper_32_bits(sem_va);
	*b++ = lower_32_bits(value);
	*b++ = upper_32_bits(value);
	*b++ = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);
	*b++ = lower_32_bits(value);
	return b - ce->blocks;
}

static bool lab_dma_done(struct lab_dev *ldev)
{
	return lab_vram_read64(ldev, ldev->ce.sem) >= ldev->ce.submitted;
}

static int lab_dma_wait(struct lab_dev *ldev)
{
	wait_event_timeout(ldev->irq.wait, lab_dma_done(ldev) || lab_ce_error(ldev),
			   msecs_to_jiffies(READ_ONCE(lab_ce_timeout_ms)));
	if (lab_dma_done(ldev))
		return 0;
	return lab_ce_error(ldev) ? -EIO : -ETIMEDOUT;
}
//LAB end

/* Copy between two addresses of the kernel's context and wait. -EIO, -ETIMEDOUT. May sleep. */
int lab_ce_copy(struct lab_dev *ldev, u64 src_va, u64 dst_va, u64 bytes)
{
//LAB 3 write: Write the block, lab_ce_submit() it, wait. If the copy has failed (-EIO) or takes too
//LAB      long (-ETIMEDOUT), then this function must stop the device before it returns, and the
//LAB      next copy must work: lab_ce_restart(). One copy at a time: ce->lock.
	int ret;

	mutex_lock(&ldev->ce.lock);
	lab_ce_submit(ldev, lab_dma_block(ldev, src_va, dst_va, bytes));
	ret = lab_dma_wait(ldev);
	if (ret)
		lab_ce_restart(ldev);
	mutex_unlock(&ldev->ce.lock);
	return ret;
//LAB instead
	return -EOPNOTSUPP;
//LAB end
}

//LAB 3 write: What lab_dma_user() needs: pin the pages of [user, user + bytes), make a table of
//LAB      their segments (sg_alloc_table_from_pages_segment(), none longer than
//LAB      dma_get_max_seg_size() and dma_max_mapping_size()), map the table, copy each segment,
//LAB      and then undo all of that.
/* A program's memory, prepared for the device. */
struct lab_pages {
	struct page **page;
	unsigned int num;
	struct sg_table sgt;
};

/* A copy from VRAM stores to user memory: then the pages must be writable. */
static int lab_dma_pin(struct lab_pages *p, const struct lab_dma *args)
{
	unsigned int flags = args->to_vram ? 0 : FOLL_WRITE;
	int pinned;

	p->num = DIV_ROUND_UP(offset_in_page(args->user) + args->bytes, PAGE_SIZE);
	p->page = kvmalloc_array(p->num, sizeof(*p->page), GFP_KERNEL);
	if (!p->page)
		return -ENOMEM;
	pinned = pin_user_pages_fast(args->user & PAGE_MASK, p->num, flags, p->page);
	if (pinned == p->num)
		return 0;
	/* Fewer pages than asked for: the process's memory may end in the middle. */
	if (pinned > 0)
		unpin_user_pages(p->page, pinned);
	kvfree(p->page);
	return pinned < 0 ? pinned : -EFAULT;
}

static void lab_dma_unpin(struct lab_pages *p, bool dirty)
{
	/* Tell the kernel that the device wrote the pages; the CPU's page tables do not show it. */
	unpin_user_pages_dirty_lock(p->page, p->num, dirty);
	kvfree(p->page);
}

static int lab_dma_table(struct lab_dev *ldev, struct lab_pages *p, const struct lab_dma *args)
{
	struct device *dev = &ldev->pdev->dev;
	size_t most = min_t(size_t, dma_get_max_seg_size(dev), dma_max_mapping_size(dev));

	return sg_alloc_table_from_pages_segment(&p->sgt, p->page, p->num,
						 offset_in_page(args->user), args->bytes, most,
						 GFP_KERNEL);
}

/* Copy each segment from or to its place in the window. */
static int lab_dma_segments(struct lab_dev *ldev, struct lab_pages *p, const struct lab_dma *args)
{
	u64 vram = LAB_VA_VRAM + ldev->ce.window + args->vram;
	struct scatterlist *sg;
	int i, ret = 0;

	for_each_sgtable_dma_sg(&p->sgt, sg, i) {
		u64 user = LAB_VA_SYS + sg_dma_address(sg);

		if (args->to_vram)
			ret = lab_ce_copy(ldev, user, vram, sg_dma_len(sg));
		else
			ret = lab_ce_copy(ldev, vram, user, sg_dma_len(sg));
		if (ret)
			break;
		vram += sg_dma_len(sg);
	}
	return ret;
}
//LAB end

/* Length and range in the window have been checked; the user's address has not. */
int lab_dma_user(struct lab_dev *ldev, const struct lab_dma *args)
{
//LAB 3 write: Copy between a program's memory and the window in VRAM (VRAM offset
//LAB      ce->window + args->vram) with the copy engine; return when the copy is done. -EFAULT if
//LAB      the memory is not the program's, or if it would be written and is read-only; -ENOMEM;
//LAB      or the error of lab_ce_copy().
	enum dma_data_direction dir = args->to_vram ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
	struct device *dev = &ldev->pdev->dev;
	struct lab_pages p;
	int ret;

	ret = lab_dma_pin(&p, args);
	if (ret)
		return ret;
	ret = lab_dma_table(ldev, &p, args);
	if (ret)
		goto err_unpin;
	ret = dma_map_sgtable(dev, &p.sgt, dir, 0);
	if (ret)
		goto err_table;
	ret = lab_dma_segments(ldev, &p, args);
	/* The CPU may look at what the device wrote only after this. */
	dma_unmap_sgtable(dev, &p.sgt, dir, 0);
err_table:
	sg_free_table(&p.sgt);
err_unpin:
	lab_dma_unpin(&p, !args->to_vram);
	return ret;
//LAB instead
	return -EOPNOTSUPP;
//LAB end
}
