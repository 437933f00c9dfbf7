/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupt causes, the pending bitmaps behind them, and MSI-X vectors. */
#include <stdlib.h>
#include <string.h>
#include "ppu_int.h"

struct ppu_intr {
	uint32_t status, enable;
	uint32_t ch[PPU_BM_WATCH][PPU_BITMAP_WORDS_CH];
	uint32_t watch[PPU_BITMAP_WORDS_WATCH];
};

static const uint32_t vec_bits[PPU_NUM_VECTORS] = {
	[PPU_VEC_ERROR] = PPU_INTR_CHERR | PPU_INTR_FAULT,
	[PPU_VEC_CHANNEL] = PPU_INTR_CHINTR | PPU_INTR_RINGLOW | PPU_INTR_PREEMPT,
	[PPU_VEC_WATCH] = PPU_INTR_WATCH,
	[PPU_VEC_SM] = PPU_INTR_SMEXC,
};

static const struct {
	uint32_t cause, reg, words;
} bitmaps[PPU_BM_COUNT] = {
	[PPU_BM_CHERR] = { PPU_INTR_CHERR, PPU_REG_CHERR_PENDING, PPU_BITMAP_WORDS_CH },
	[PPU_BM_CHINTR] = { PPU_INTR_CHINTR, PPU_REG_CHINTR_PENDING, PPU_BITMAP_WORDS_CH },
	[PPU_BM_RINGLOW] = { PPU_INTR_RINGLOW, PPU_REG_RINGLOW_PENDING, PPU_BITMAP_WORDS_CH },
	[PPU_BM_PREEMPT] = { PPU_INTR_PREEMPT, PPU_REG_PREEMPT_PENDING, PPU_BITMAP_WORDS_CH },
	[PPU_BM_WATCH] = { PPU_INTR_WATCH, PPU_REG_WATCH_PENDING, PPU_BITMAP_WORDS_WATCH },
};

static uint32_t *words(struct ppu_core *core, unsigned bm)
{
	return bm == PPU_BM_WATCH ? core->intr->watch : core->intr->ch[bm];
}

static void send(struct ppu_core *core, uint32_t bits)
{
	for (unsigned v = 0; v < PPU_NUM_VECTORS; v++) {
		if (!(bits & vec_bits[v]))
			continue;
		core->ctr[PPU_CTR_IRQS]++;
		PPU_TRACE(core, INTR, v, core->intr->status, 0, 0, 0);
		if (core->ports.raise_irq)
			core->ports.raise_irq(core->ports.opaque, v);
	}
}

void ppu_intr_raise(struct ppu_core *core, uint32_t bits)
{
	struct ppu_intr *s = core->intr;
	uint32_t fresh = bits & ~s->status & PPU_INTR_ALL;

	s->status |= fresh;
	send(core, fresh & s->enable);
}

void ppu_intr_bit(struct ppu_core *core, enum ppu_bitmap bm, unsigned n)
{
	words(core, bm)[n / 32] |= 1u << (n % 32);
	ppu_intr_raise(core, bitmaps[bm].cause);
}

static uint32_t *bitmap_word(struct ppu_core *core, unsigned reg)
{
	for (unsigned bm = 0; bm < PPU_BM_COUNT; bm++)
		if (reg - bitmaps[bm].reg < bitmaps[bm].words * 4)
			return &words(core, bm)[(reg - bitmaps[bm].reg) / 4];
	return NULL;
}

uint32_t ppu_intr_read(struct ppu_core *core, unsigned reg)
{
	const uint32_t *w;

	switch (reg) {
	case PPU_REG_INTR_STATUS:
		return core->intr->status;
	case PPU_REG_INTR_ENABLE:
		return core->intr->enable;
	}
	w = bitmap_word(core, reg);
	return w ? *w : 0;
}

void ppu_intr_write(struct ppu_core *core, unsigned reg, uint32_t val)
{
	struct ppu_intr *s = core->intr;
	uint32_t *w;

	switch (reg) {
	case PPU_REG_INTR_STATUS:
		s->status &= ~val;
		return;
	case PPU_REG_INTR_ENABLE:
		s->enable = val & PPU_INTR_ALL;
		send(core, s->status & s->enable);
		return;
	case PPU_REG_INTR_TEST:
		ppu_intr_raise(core, val);
		return;
	}
	w = bitmap_word(core, reg);
	if (w)
		*w &= ~val;
}

int ppu_intr_create(struct ppu_core *core)
{
	core->intr = calloc(1, sizeof(*core->intr));
	return core->intr ? 0 : -1;
}

void ppu_intr_destroy(struct ppu_core *core)
{
	free(core->intr);
	core->intr = NULL;
}

void ppu_intr_reset(struct ppu_core *core)
{
	memset(core->intr, 0, sizeof(*core->intr));
}

void ppu_intr_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_intr *s = core->intr;

	ppu_io_u32(io, &s->status);
	ppu_io_u32(io, &s->enable);
	for (unsigned bm = 0; bm < PPU_BM_COUNT; bm++)
		for (unsigned i = 0; i < bitmaps[bm].words; i++)
			ppu_io_u32(io, &words(core, bm)[i]);
	if ((s->status | s->enable) & ~PPU_INTR_ALL)
		ppu_io_fail(io, "unknown interrupt causes");
}
