/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way to large pages. */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/memory/ctx.h"
#include "core/memory/mem.h"
#include "core/sm/mem/trail.h"

/* Leaves with none of these are simple; what they may have. */
#define LEAF	(PPU_PTE_VALID | PPU_PTE_LARGE)
#define FREE	(PPU_PTE_ADDR | PPU_PTE_READONLY | PPU_PTE_NOEXEC | PPU_PTE_UNCACHED)

/* The word of a table in VRAM.  NULL: it is elsewhere. */
static const uint64_t *word_of(struct ppu_core *core, struct ppu_phys table, uint64_t va, int level)
{
	uint64_t len = sizeof(uint64_t);
	uint8_t *host;

	if (table.sys)
		return NULL;
	table.addr += (va >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES * sizeof(uint64_t);
	host = ppu_mem_map(core, table, &len, false);
	return len < sizeof(uint64_t) ? NULL : (const uint64_t *)host;
}

/*
 * The words from the root on, as far as the way is simple: behind that they are 0, so the leaf is none.  What they say is
 * judged as they were read: another SM may write them.
 */
static void walk(struct ppu_core *core, const struct ppu_ctx *ctx, uint64_t va, struct ppu_trail *t)
{
	struct ppu_phys table = { ctx->blk.pt_root & ~PPU_APERTURE_MASK, ctx->blk.pt_root & PPU_APERTURE_MASK };
	int level;

	for (level = PPU_PT_LEVELS - 1; level > 0; level--) {
		unsigned i = (unsigned)(PPU_PT_LEVELS - 1 - level);

		t->word[i] = word_of(core, table, va, level);
		if (!t->word[i])
			return;
		t->was[i] = __atomic_load_n(t->word[i], __ATOMIC_RELAXED);
		if (level > 1 && (t->was[i] & ~PPU_PTE_ADDR) != PPU_PTE_VALID)
			return;
		table.addr = t->was[i] & PPU_PTE_ADDR;
	}
}

void ppu_trails_note(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va)
{
	struct ppu_trail t = { .ctx = ctx, .frame = va >> PPU_LARGE_SHIFT };
	struct ppu_core *core = sm->core;
	struct ppu_phys page = { 0 };
	uint64_t leaf;

	if (va >= PPU_VA_KERNEL_END)
		return;
	walk(core, ctx, va, &t);
	leaf = t.was[PPU_TRAIL_WORDS - 1];
	page.addr = leaf & PPU_PTE_ADDR;
	if ((leaf & ~FREE) != LEAF || page.addr % PPU_LARGE_SIZE || page.addr >= core->cfg.vram ||
	    core->cfg.vram - page.addr < PPU_LARGE_SIZE || ppu_mem_watched_range(core, page, PPU_LARGE_SIZE))
		return;
	t.addr = page.addr;
	t.flags = leaf & PPU_PTE_READONLY ? 0 : PPU_TLB_WRITE;
	sm->trail[PPU_TRAIL_INDEX(va)] = t;
}

void ppu_trails_clear(struct ppu_sm *sm)
{
	memset(sm->trail, 0, sizeof(sm->trail));
}
