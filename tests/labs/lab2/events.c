// SPDX-License-Identifier: MIT
/* See events.h. All that a channel needs lies in VRAM, so neither the CPU's memory nor the driver's is touched. */
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include "lablib.h"
#include "events.h"

#define BASE		(8ull << 20)	/* this program's part of VRAM, 2 MiB, mapped as one large page */
#define VA		0x100000000ull
#define INST		(BASE + 0x0000)
#define TABLES		(BASE + 0x1000)	/* levels 3, 2, 1 */
#define RINGS		(BASE + 0x10000)
#define RING_BYTES	0x40u		/* of one channel's ring: four entries */
#define RING_ENTRIES	4
#define BLOCK		(BASE + 0x8000)

static volatile char *vram(uint64_t at)
{
	volatile char *bar = lab_bar_map(PPU_BAR_VRAM, NULL);

	if (!bar)
		lab_fatal("BAR2 cannot be mapped from user space");
	return bar + at;
}

static void put32(uint64_t at, uint32_t value)
{
	*(volatile uint32_t *)vram(at) = value;
}

static void put64(uint64_t at, uint64_t value)
{
	*(volatile uint64_t *)vram(at) = value;
}

static void set64(uint32_t reg, uint64_t value)
{
	lab_reg_write(reg, (uint32_t)value);
	lab_reg_write(reg + 4, (uint32_t)(value >> 32));
}

void watch_event(unsigned int n)
{
	uint32_t at = PPU_BAR0_WATCH + n * PPU_WATCH_STRIDE;

	/* The entry compares a word with the value that the word has at this moment, so it matches. */
	set64(at + PPU_REG_WATCH_ADDR_LO, BASE - 8);
	set64(at + PPU_REG_WATCH_VALUE_LO, *(volatile uint64_t *)vram(BASE - 8));
	lab_reg_write(at + PPU_REG_WATCH_CTRL, PPU_WATCH_ARM);
}

static uint32_t chcfg(unsigned int n, uint32_t reg)
{
	return PPU_BAR0_CHCFG + n * PPU_CHCFG_STRIDE + reg;
}

void error_event(unsigned int n)
{
	lab_reg_write(chcfg(n, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
	lab_reg_write(chcfg(n, PPU_REG_CH_CMD), PPU_CH_CMD_ENABLE);
}

/* An instance block, page tables, and a block with one command. */
void channels_prepare(void)
{
	for (unsigned int i = 0; i < 0x4000; i += 8)
		put64(INST + i, 0);
	put32(INST + offsetof(struct ppu_inst_block, magic), PPU_INST_MAGIC);
	put32(INST + offsetof(struct ppu_inst_block, version), PPU_INST_VERSION);
	put64(INST + offsetof(struct ppu_inst_block, pt_root), TABLES);
	put32(INST + offsetof(struct ppu_inst_block, max_depth), 1);
	for (int level = 3; level > 1; level--)
		put64(TABLES + 0x1000 * (3 - level) + (VA >> PPU_PT_SHIFT(level) & 511) * 8,
		      (TABLES + 0x1000 * (4 - level)) | PPU_PTE_VALID);
	put64(TABLES + 0x2000 + (VA >> PPU_PT_SHIFT(1) & 511) * 8, BASE | PPU_PTE_LARGE | PPU_PTE_VALID);
	put32(BLOCK, PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0));
	put32(BLOCK + 4, 0);
	__sync_synchronize();
	set64(PPU_REG_CTX_INST_LO, INST);
	lab_reg_write(PPU_REG_CTX_CMD, PPU_CTX_CMD_LOAD);
	if (!(lab_reg(PPU_REG_CTX_STATUS) & PPU_CTX_LOADED))
		lab_fatal("The grader's context was not loaded: did something else write CTX_INST?");
}

void channel_event(unsigned int n)
{
	uint64_t ring = RINGS + n * RING_BYTES;

	for (unsigned int i = 0; i < RING_ENTRIES; i++) {
		put64(ring + i * sizeof(struct ppu_gpfifo_entry), VA + BLOCK - BASE);
		put64(ring + i * sizeof(struct ppu_gpfifo_entry) + 8, 2);
	}
	__sync_synchronize();
	lab_reg_write(chcfg(n, PPU_REG_CH_CMD), PPU_CH_CMD_RESET);
	set64(chcfg(n, PPU_REG_CH_INST_LO), INST);
	set64(chcfg(n, PPU_REG_CH_RING_LO), VA + ring - BASE);
	lab_reg_write(chcfg(n, PPU_REG_CH_RING_ENTRIES), RING_ENTRIES);
	lab_reg_write(chcfg(n, PPU_REG_CH_CLASS), PPU_CLASS_COMPUTE);
	lab_reg_write(chcfg(n, PPU_REG_CH_CMD), PPU_CH_CMD_ENABLE);
	lab_reg_write(PPU_BAR0_USERD + n * PPU_USERD_STRIDE + PPU_REG_USERD_GP_PUT, 1);
}

bool channel_is_done(unsigned int n)
{
	return lab_reg(PPU_BAR0_USERD + n * PPU_USERD_STRIDE + PPU_REG_USERD_GP_GET) == 1;
}

unsigned int bitmap_left(uint32_t reg, unsigned int words)
{
	unsigned int left = 0;

	for (unsigned int i = 0; i < words; i++)
		left += lab_reg(reg + i * 4) != 0;
	return left;
}
