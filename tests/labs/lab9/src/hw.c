/* SPDX-License-Identifier: MIT */
/* Lab 9, given: the functions of hw.h, except those for the image (image.c). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_tmd.h>
#include "hw.h"
#include "image.h"

#define LOCAL_BYTES	256u	/* of each thread */

void (*hw_watch)(struct hw *hw, uint32_t offset, uint32_t val);

uint32_t hw_read(struct hw *hw, uint32_t offset)
{
	return hw->regs[offset / 4];
}

void hw_write(struct hw *hw, uint32_t offset, uint32_t val)
{
	if (hw_watch)
		hw_watch(hw, offset, val);
	hw->regs[offset / 4] = val;
}

static uint32_t ch_reg(uint32_t channel, uint32_t reg)
{
	return PPU_BAR0_CHCFG + channel * PPU_CHCFG_STRIDE + reg;
}

uint32_t hw_ch_read(struct hw *hw, uint32_t channel, uint32_t reg)
{
	return hw_read(hw, ch_reg(channel, reg));
}

void hw_ch_write(struct hw *hw, uint32_t channel, uint32_t reg, uint32_t val)
{
	hw_write(hw, ch_reg(channel, reg), val);
}

void hw_ch_write64(struct hw *hw, uint32_t channel, uint32_t reg_lo, uint64_t val)
{
	hw_ch_write(hw, channel, reg_lo, (uint32_t)val);
	hw_ch_write(hw, channel, reg_lo + 4, (uint32_t)(val >> 32));
}

/* ---- memory ----------------------------------------------------------------------------------------- */

static uint64_t take(struct hw *hw, uint64_t *next, uint64_t end, uint64_t bytes, uint64_t align)
{
	uint64_t at = (*next + align - 1) / align * align, i;

	if (at + bytes > end) {
		fprintf(stderr, "no room in VRAM for %llu bytes\n", (unsigned long long)bytes);
		exit(1);
	}
	*next = at + bytes;
	for (i = 0; i < (bytes + 3) / 4; i++)
		((volatile uint32_t *)(hw->vram + at))[i] = 0;
	return at;
}

uint64_t hw_alloc(struct hw *hw, uint64_t bytes, uint64_t align)
{
	return HW_VA + take(hw, &hw->next, HW_MAPPED_END, bytes, align < 8 ? 8 : align);
}

volatile void *hw_at(struct hw *hw, uint64_t va)
{
	return hw->vram + (va - HW_VA);
}

/* Page tables, one page for each level: level 1 maps pieces of 2 MiB. */
static uint64_t page_tables(struct hw *hw)
{
	uint64_t table[4], at, va = HW_VA + HW_MAPPED;
	int level;

	for (level = 3; level >= 1; level--)
		table[level] = take(hw, &hw->priv, HW_MAPPED, PPU_PAGE_SIZE, PPU_PAGE_SIZE);
	for (level = 3; level >= 2; level--)
		((volatile uint64_t *)(hw->vram + table[level]))[va >> PPU_PT_SHIFT(level) & 511] =
			table[level - 1] | PPU_PTE_VALID;
	for (at = HW_MAPPED; at < HW_MAPPED_END; at += PPU_LARGE_SIZE)
		((volatile uint64_t *)(hw->vram + table[1]))[(HW_VA + at) >> PPU_PT_SHIFT(1) & 511] =
			at | PPU_PTE_VALID | PPU_PTE_LARGE;
	return table[3];
}

static void area(struct hw *hw, __u64 *base, __u64 *size, uint64_t bytes)
{
	*base = take(hw, &hw->priv, HW_MAPPED, bytes, PPU_PAGE_SIZE);
	*size = bytes;
}

static int context(struct hw *hw, uint64_t watchdog_ns)
{
	uint32_t sms = hw_read(hw, PPU_REG_CAP_GPCS) * hw_read(hw, PPU_REG_CAP_SMS_PER_GPC);
	uint32_t warps = hw_read(hw, PPU_REG_CAP_WARPS_PER_SM);
	struct ppu_inst_block block = {
		.magic = PPU_INST_MAGIC, .version = PPU_INST_VERSION, .context_id = 9, .max_depth = 1,
		.local_per_thread = LOCAL_BYTES, .watchdog_ns = watchdog_ns,
	};

	hw->inst = take(hw, &hw->priv, HW_MAPPED, PPU_INST_SIZE, PPU_PAGE_SIZE) | PPU_APERTURE_VRAM;
	block.pt_root = page_tables(hw);
	area(hw, &block.tokq_base, &block.tokq_size,
	     PPU_TOKQ_AREA_BYTES(sms, warps, hw_read(hw, PPU_REG_CAP_TOKENQ_ENTRIES)));
	area(hw, &block.local_base, &block.local_size, PPU_LOCAL_AREA_BYTES(sms, warps, LOCAL_BYTES));
	memcpy((void *)(hw->vram + hw->inst), &block, sizeof(block));
	hw_write(hw, PPU_REG_CTX_INST_LO, (uint32_t)hw->inst);
	hw_write(hw, PPU_REG_CTX_INST_HI, (uint32_t)(hw->inst >> 32));
	hw_write(hw, PPU_REG_CTX_CMD, PPU_CTX_CMD_LOAD);
	return hw_read(hw, PPU_REG_CTX_STATUS) & PPU_CTX_LOADED ? 0 : -EINVAL;
}

/* ---- channel 0 --------------------------------------------------------------------------------------- */

static int cpu_channel(struct hw *hw)
{
	hw->cpu_ring = hw_alloc(hw, HW_CPU_RING * sizeof(struct ppu_gpfifo_entry), 16);
	hw->channels = 1;
	hw_ch_write64(hw, 0, PPU_REG_CH_INST_LO, hw->inst);
	hw_ch_write64(hw, 0, PPU_REG_CH_RING_LO, hw->cpu_ring);
	hw_ch_write(hw, 0, PPU_REG_CH_RING_ENTRIES, HW_CPU_RING);
	hw_ch_write(hw, 0, PPU_REG_CH_CLASS, PPU_CLASS_COMPUTE);
	hw_ch_write(hw, 0, PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
	return hw_ch_read(hw, 0, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED ? 0 : -EINVAL;
}

uint64_t hw_block(struct hw *hw, const uint32_t *words, uint32_t n)
{
	uint64_t va = hw_alloc(hw, 4ull * n, 64);
	volatile uint32_t *to = hw_at(hw, va);
	uint32_t i;

	for (i = 0; i < n; i++)
		to[i] = words[i];
	return va;
}

void hw_submit(struct hw *hw, uint64_t va, uint32_t n)
{
	volatile struct ppu_gpfifo_entry *e = hw_at(hw, hw->cpu_ring);
	uint32_t next = (hw->cpu_put + 1) % HW_CPU_RING;

	while (next == hw_read(hw, PPU_BAR0_USERD + PPU_REG_USERD_GP_GET))
		if (hw_ch_read(hw, 0, PPU_REG_CH_ERROR))
			return;
	e += hw->cpu_put;
	e->va = va;
	e->length = n;
	e->flags = 0;
	__sync_synchronize();
	hw->cpu_put = next;
	hw_write(hw, PPU_BAR0_USERD + PPU_REG_USERD_GP_PUT, next);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

uint64_t hw_tmd(struct hw *hw, const char *kernel, uint32_t grid, uint32_t block, const uint64_t *params, uint32_t n)
{
	uint64_t va = hw_alloc(hw, PPU_TMD_SIZE, PPU_TMD_ALIGN), param_va = hw_alloc(hw, 8ull * n + 8, 16);
	const struct hw_kernel *k = hw->kernels, *end = k + hw->num_kernels;
	uint32_t i;

	while (k < end && strcmp(k->name, kernel))
		k++;
	if (k == end || 8 * n < k->param_bytes) {
		fprintf(stderr, "the image has no kernel %s with %u parameters\n", kernel, n);
		exit(1);
	}
	struct ppu_tmd tmd = {
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE, .kind = PPU_TMD_GRID,
		.regs_per_thread = (uint16_t)k->regs, .code_va = hw->code, .code_insns = hw->insns, .entry_pc = k->entry,
		.grid = { grid, 1, 1 }, .block = { block, 1, 1 }, .local_per_thread = k->local,
		.num_barriers = k->barriers, .param_va = param_va, .param_bytes = 8 * n,
	};
	memcpy((void *)hw_at(hw, va), &tmd, sizeof(tmd));
	for (i = 0; i < n; i++)
		((volatile uint64_t *)hw_at(hw, param_va))[i] = params[i];
	return va;
}

int hw_open(struct hw *hw, volatile void *regs, volatile void *vram, const char *image, uint64_t watchdog_ns)
{
	int err;

	memset(hw, 0, sizeof(*hw));
	hw->regs = regs;
	hw->vram = vram;
	hw->priv = PPU_PAGE_SIZE;
	hw->next = HW_MAPPED;
	hw_write(hw, PPU_REG_RESET, 1);
	err = context(hw, watchdog_ns);
	if (!err)
		err = cpu_channel(hw);
	if (!err)
		err = image_load(hw, image);
	return err;
}
