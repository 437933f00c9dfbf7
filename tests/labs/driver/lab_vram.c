// SPDX-License-Identifier: GPL-2.0-only
//LAB 3 file
/*
 * The driver's own part of VRAM, in pages. You need not change this file.
 */
#include "lab.h"

static unsigned long pages(size_t bytes)
{
	return DIV_ROUND_UP(bytes, PAGE_SIZE);
}

int lab_vram_init(struct lab_dev *ldev)
{
	struct lab_own *own = &ldev->own;

	if (ldev->vram_size < 2 * LAB_VRAM_OWN)
		return -ENOSPC;
	mutex_init(&own->lock);
	bitmap_zero(own->used, LAB_OWN_PAGES);
	/* Page 0 is never given out, so offset 0 can mean "none". */
	__set_bit(0, own->used);
	return 0;
}

void lab_vram_fini(struct lab_dev *ldev)
{
	/* By now all pages have been given back; page 0 is always in use. */
	WARN_ON(bitmap_weight(ldev->own.used, LAB_OWN_PAGES) != 1);
	mutex_destroy(&ldev->own.lock);
}

int lab_vram_alloc(struct lab_dev *ldev, size_t bytes, u64 *offset)
{
	struct lab_own *own = &ldev->own;
	unsigned long at;

	mutex_lock(&own->lock);
	at = bitmap_find_next_zero_area(own->used, LAB_OWN_PAGES, 0, pages(bytes), 0);
	if (at < LAB_OWN_PAGES)
		bitmap_set(own->used, at, pages(bytes));
	mutex_unlock(&own->lock);
	if (at >= LAB_OWN_PAGES)
		return -ENOMEM;
	*offset = (u64)at << PAGE_SHIFT;
	memset_io(ldev->vram + *offset, 0, PAGE_ALIGN(bytes));
	return 0;
}

void lab_vram_free(struct lab_dev *ldev, u64 offset, size_t bytes)
{
	struct lab_own *own = &ldev->own;

	mutex_lock(&own->lock);
	bitmap_clear(own->used, offset >> PAGE_SHIFT, pages(bytes));
	mutex_unlock(&own->lock);
}

u64 lab_vram_read64(struct lab_dev *ldev, u64 offset)
{
	return readq(ldev->vram + offset);
}

void lab_vram_write64(struct lab_dev *ldev, u64 offset, u64 val)
{
	writeq(val, ldev->vram + offset);
}
