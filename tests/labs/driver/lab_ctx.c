// SPDX-License-Identifier: GPL-2.0-only
//LAB 3 file
/*
 * The kernel's context: an address space in which VRAM and the bus addresses below
 * LAB_VA_SYS_BYTES lie at fixed places. You need not change this file; the address spaces that you
 * write in lab 7 are not so simple.
 */
#include "lab.h"

/* Finds the table below entry `index` of `table`, or makes it if there is none. */
static int next_table(struct lab_dev *ldev, u64 table, unsigned int index, u64 *next)
{
	u64 pde = lab_vram_read64(ldev, table + index * 8);
	int ret;

	if (pde & PPU_PTE_VALID) {
		*next = pde & PPU_PTE_ADDR;
		return 0;
	}
	ret = lab_vram_alloc(ldev, PAGE_SIZE, next);
	if (!ret)
		lab_vram_write64(ldev, table + index * 8, *next | PPU_PTE_VALID);
	return ret;
}

/* Map [phys, phys + bytes) at va with pages of 2 MiB. */
static int map_large(struct lab_dev *ldev, u64 root, u64 va, u64 phys, u64 bytes, u64 flags)
{
	u64 end = va + bytes, table;
	int level, ret;

	for (; va < end; va += PPU_LARGE_SIZE, phys += PPU_LARGE_SIZE) {
		table = root;
		for (level = PPU_PT_LEVELS - 1; level > 1; level--) {
			ret = next_table(ldev, table, va >> PPU_PT_SHIFT(level) & 511, &table);
			if (ret)
				return ret;
		}
		lab_vram_write64(ldev, table + (va >> PPU_PT_SHIFT(1) & 511) * 8,
				 phys | flags | PPU_PTE_LARGE | PPU_PTE_VALID);
	}
	return 0;
}

void lab_pt_free(struct lab_dev *ldev, u64 table, int level)
{
	int i;

	for (i = 0; level > 0 && i < PPU_PT_ENTRIES; i++) {
		u64 pde = lab_vram_read64(ldev, table + i * 8);

		if (pde & PPU_PTE_VALID && !(pde & PPU_PTE_LARGE))
			lab_pt_free(ldev, pde & PPU_PTE_ADDR, level - 1);
	}
	lab_vram_free(ldev, table, PAGE_SIZE);
}

int lab_ctx_load(struct lab_dev *ldev, struct lab_ctx *ctx)
{
	void __iomem *inst = ldev->vram + ctx->inst;
	int ret;

	/* Fields that are not written here are 0: lab_vram_alloc() zeroes its pages. */
	writel(PPU_INST_MAGIC, inst + offsetof(struct ppu_inst_block, magic));
	writel(PPU_INST_VERSION, inst + offsetof(struct ppu_inst_block, version));
	writeq(ctx->root, inst + offsetof(struct ppu_inst_block, pt_root));
	writel(ctx->id, inst + offsetof(struct ppu_inst_block, context_id));
	writel(1, inst + offsetof(struct ppu_inst_block, max_depth));
	wmb();	/* the block is in VRAM before the device reads it */
	mutex_lock(&ldev->ctx_lock);
	lab_write64(ldev, PPU_REG_CTX_INST_LO, ctx->inst);
	lab_write(ldev, PPU_REG_CTX_CMD, PPU_CTX_CMD_LOAD);
	ret = lab_read(ldev, PPU_REG_CTX_STATUS) & PPU_CTX_BAD ? -EINVAL : 0;
	mutex_unlock(&ldev->ctx_lock);
	return ret;
}

void lab_ctx_forget(struct lab_dev *ldev, struct lab_ctx *ctx)
{
	mutex_lock(&ldev->ctx_lock);
	lab_write64(ldev, PPU_REG_CTX_INST_LO, ctx->inst);
	lab_write(ldev, PPU_REG_CTX_CMD, PPU_CTX_CMD_FORGET);
	mutex_unlock(&ldev->ctx_lock);
}

int lab_ctx_init(struct lab_dev *ldev)
{
	struct lab_ctx *ctx = &ldev->ctx;
	u64 vram = round_down(ldev->vram_size, PPU_LARGE_SIZE);
	int ret;

	mutex_init(&ldev->ctx_lock);
	ret = lab_vram_alloc(ldev, PPU_INST_SIZE, &ctx->inst);
	if (ret)
		return ret;
	ret = lab_vram_alloc(ldev, PAGE_SIZE, &ctx->root);
	if (ret)
		goto err_inst;
	ctx->id = 1;
	ret = map_large(ldev, ctx->root, LAB_VA_VRAM, 0, vram, 0);
	if (!ret)
		ret = map_large(ldev, ctx->root, LAB_VA_SYS, 0, LAB_VA_SYS_BYTES, PPU_PTE_SYS);
	if (!ret)
		ret = lab_ctx_load(ldev, ctx);
	if (!ret)
		return 0;
	lab_pt_free(ldev, ctx->root, PPU_PT_LEVELS - 1);
err_inst:
	lab_vram_free(ldev, ctx->inst, PPU_INST_SIZE);
	return ret;
}

void lab_ctx_fini(struct lab_dev *ldev)
{
	lab_ctx_forget(ldev, &ldev->ctx);
	lab_pt_free(ldev, ldev->ctx.root, PPU_PT_LEVELS - 1);
	lab_vram_free(ldev, ldev->ctx.inst, PPU_INST_SIZE);
}
