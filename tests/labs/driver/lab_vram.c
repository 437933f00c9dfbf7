// SPDX-License-Identifier: GPL-2.0-only
//LAB 3 file
/*
 * The driver's own part of VRAM, in pages. You need not change this file.
 */
#include "lab.h"

int lab_vram_init(struct lab_dev *ldev)
{
	int ret;

	if (ldev->vram_size < 2 * LAB_VRAM_OWN)
		return -ENOSPC;
	ldev->own = gen_pool_create(PAGE_SHIFT, -1);
	if (!ldev->own)
		return -ENOMEM;
	/* Page 0 is left out: offset 0 is nobody's. */
	ret = gen_pool_add(ldev->own, PAGE_SIZE, LAB_VRAM_OWN - PAGE_SIZE, -1);
	if (ret)
		gen_pool_destroy(ldev->own);
	return ret;
}

void lab_vram_fini(struct lab_dev *ldev)
{
	gen_pool_destroy(ldev->own);
}

int lab_vram_alloc(struct lab_dev *ldev, size_t bytes, u64 *offset)
{
	unsigned long at = gen_pool_alloc(ldev->own, PAGE_ALIGN(bytes));

	if (!at)
		return -ENOMEM;
	memset_io(ldev->vram + at, 0, PAGE_ALIGN(bytes));
	*offset = at;
	return 0;
}

void lab_vram_free(struct lab_dev *ldev, u64 offset, size_t bytes)
{
	gen_pool_free(ldev->own, offset, PAGE_ALIGN(bytes));
}

u64 lab_vram_read64(struct lab_dev *ldev, u64 offset)
{
	return readq(ldev->vram + offset);
}

void lab_vram_write64(struct lab_dev *ldev, u64 offset, u64 val)
{
	writeq(val, ldev->vram + offset);
}
