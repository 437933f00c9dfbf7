// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: contents of VRAM while the machine sleeps.
 *
 * The device may lose its power, and with it all memory.  Pages that are not zero are copied to
 * pages of a shmem file, which the kernel can swap, and which are part of an image on disk.
 */

#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>

#include <hw/ppu_mmu.h>

#include "base/ppu_device.h"
#include "memory/ppu_vram.h"
#include "memory/ppu_vram_save.h"

/** struct ppu_vram_save - contents of VRAM */
struct ppu_vram_save {
	/** @file: the pages, at the offsets that they have in VRAM. */
	struct file *file;
	/** @kept: bit n: page n is in @file; the others are zero. */
	unsigned long *kept;
	/** @pages: pages of VRAM. */
	unsigned long pages;
};

static struct page *ppu_vram_save_page(struct ppu_vram_save *save, unsigned long n)
{
	return shmem_read_mapping_page(save->file->f_mapping, n);
}

static int ppu_vram_save_put(struct ppu_vram_save *save, unsigned long n, const void *data)
{
	struct page *page = ppu_vram_save_page(save, n);

	if (IS_ERR(page))
		return PTR_ERR(page);
	memcpy_to_page(page, 0, data, PAGE_SIZE);
	set_page_dirty(page);
	put_page(page);
	__set_bit(n, save->kept);
	return 0;
}

static int ppu_vram_save_all(struct ppu_device *ppu, struct ppu_vram_save *save, void *buf)
{
	unsigned long n;
	int ret;

	for (n = 0; n < save->pages; n++) {
		memcpy_fromio(buf, ppu->vram_io + ((u64)n << PAGE_SHIFT), PAGE_SIZE);
		if (memchr_inv(buf, 0, PAGE_SIZE)) {
			ret = ppu_vram_save_put(save, n, buf);
			if (ret)
				return ret;
		}
		cond_resched();
	}
	return 0;
}

/** ppu_vram_save_free - drop saved contents; NULL is fine */
void ppu_vram_save_free(struct ppu_vram_save *save)
{
	if (!save)
		return;
	if (save->file)
		fput(save->file);
	kvfree(save->kept);
	kfree(save);
}

static int ppu_vram_save_init(struct ppu_vram_save *save, u64 size)
{
	struct file *file;

	save->pages = size >> PAGE_SHIFT;
	save->kept = kvcalloc(BITS_TO_LONGS(save->pages), sizeof(long), GFP_KERNEL);
	if (!save->kept)
		return -ENOMEM;
	file = shmem_file_setup("ppu-vram", size, PPU_SHMEM_NORESERVE);
	if (IS_ERR(file))
		return PTR_ERR(file);
	save->file = file;
	return 0;
}

/**
 * ppu_vram_save - copy what is in VRAM
 * @ppu: device, which nobody else touches
 *
 * Return: contents, for ppu_vram_restore() and ppu_vram_save_free(), or ERR_PTR.
 */
struct ppu_vram_save *ppu_vram_save(struct ppu_device *ppu)
{
	struct ppu_vram_save *save = kzalloc(sizeof(*save), GFP_KERNEL);
	void *buf = kmalloc(PAGE_SIZE, GFP_KERNEL);
	int ret = -ENOMEM;

	if (save && buf)
		ret = ppu_vram_save_init(save, round_down(ppu->vram_size, PAGE_SIZE));
	if (!ret)
		ret = ppu_vram_save_all(ppu, save, buf);
	kfree(buf);
	if (!ret)
		return save;
	ppu_vram_save_free(save);
	return ERR_PTR(ret);
}

/**
 * ppu_vram_restore - copy contents back
 * @ppu: device, which nobody else touches
 * @save: what ppu_vram_save() returned
 *
 * Return: 0, or the error of the first page that could not be read; the others are there.
 */
int ppu_vram_restore(struct ppu_device *ppu, struct ppu_vram_save *save)
{
	struct page *page;
	unsigned long n;
	void *data;
	int ret = 0;

	for (n = 0; n < save->pages; n++) {
		u64 addr = (u64)n << PAGE_SHIFT;

		page = test_bit(n, save->kept) ? ppu_vram_save_page(save, n) : NULL;
		if (IS_ERR_OR_NULL(page)) {
			ppu_vram_zero(ppu, addr, PAGE_SIZE);
			ret = ret ?: PTR_ERR_OR_ZERO(page);
			continue;
		}
		data = kmap_local_page(page);
		memcpy_toio(ppu->vram_io + addr, data, PAGE_SIZE);
		kunmap_local(data);
		put_page(page);
		cond_resched();
	}
	/* VRAM is write-combined. */
	wmb();
	return ret;
}
