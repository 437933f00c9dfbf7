/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupt causes, the pending bitmaps behind them, and MSI-X vectors. */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/inject.h"
#include "core/base/intr.h"
#include "core/base/io.h"
#include "core/base/trace.h"

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

void ppu_intr_message(struct ppu_core *core, unsigned vector)
{
	core->ctr[PPU_CTR_IRQS]++;
	PPU_TRACE(core, INTR, vector, core->intr->status, 0, 0, 0);
	if (core->ports.raise_irq)
		core->ports.raise_irq(core->ports.opaque, vector);
}

static void send(struct ppu_core *core, uint32_t bits)
{
	const struct ppu_config *cfg = &core->cfg;

	for (unsigned v = 0; v < PPU_NUM_VECTORS; v++) {
		if (!(bits & vec_bits[v]))
			continue;
		if ((cfg->fault_irq_lose || cfg->fault_irq_delay_ns) && ppu_inject_message(core, v))
			continue;
		ppu_intr_message(core, v);
		if (cfg->fault_irq_spurious)
			ppu_inject_sent(core, v);
	}
}

/* The driver has cleared the causes `bits`: tell inject.c of each enabled vector that has no cause left. */
static void cleared(struct ppu_core *core, uint32_t bits)
{
	const struct ppu_intr *s = core->intr;

	for (unsigned v = 0; v < PPU_NUM_VECTORS; v++)
		if ((bits & vec_bits[v]) && !(s->status & vec_bits[v]) && (s->enable & vec_bits[v]))
			ppu_inject_cleared(core, v);
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
	if (core->cfg.fault_irq_race && (core->intr->status & bitmaps[bm].cause))
		ppu_inject_hold(core, bm, n);
	else
		ppu_intr_bit_now(core, bm, n);
}

void ppu_intr_bit_now(struct ppu_core *core, enum ppu_bitmap bm, unsigned n)
{
	words(core, bm)[n / 32] |= 1u << (n % 32);
	ppu_intr_raise(core, bitmaps[bm].cause);
}

/* Finds the bitmap that a register belongs to, and the word in it.  PPU_BM_COUNT: the register belongs to
 * none. */
static enum ppu_bitmap find(unsigned reg, unsigned *word)
{
	enum ppu_bitmap bm;

	for (bm = 0; bm < PPU_BM_COUNT; bm++) {
		*word = (reg - bitmaps[bm].reg) / 4;
		if (*word < bitmaps[bm].words)
			break;
	}
	return bm;
}

uint32_t ppu_intr_read(struct ppu_core *core, unsigned reg)
{
	enum ppu_bitmap bm;
	unsigned word;
	uint32_t val;

	switch (reg) {
	case PPU_REG_INTR_STATUS:
		return core->intr->status;
	case PPU_REG_INTR_ENABLE:
		return core->intr->enable;
	}
	bm = find(reg, &word);
	if (bm == PPU_BM_COUNT)
		return 0;
	val = words(core, bm)[word];
	if (core->cfg.fault_irq_race)
		ppu_inject_read(core, bm, word);
	return val;
}

void ppu_intr_write(struct ppu_core *core, unsigned reg, uint32_t val)
{
	struct ppu_intr *s = core->intr;
	enum ppu_bitmap bm;
	unsigned word;

	switch (reg) {
	case PPU_REG_INTR_STATUS:
		val &= s->status;
		s->status &= ~val;
		if (core->cfg.fault_irq_spurious)
			cleared(core, val);
		return;
	case PPU_REG_INTR_ENABLE:
		s->enable = val & PPU_INTR_ALL;
		send(core, s->status & s->enable);
		return;
	case PPU_REG_INTR_TEST:
		ppu_intr_raise(core, val);
		return;
	}
	bm = find(reg, &word);
	if (bm != PPU_BM_COUNT)
		words(core, bm)[word] &= ~val;
}

int ppu_intr_create(struct ppu_core *core)
{
	core->intr = ppu_alloc(1, sizeof(*core->intr));
	return core->intr ? 0 : -1;
}

void ppu_intr_destroy(struct ppu_core *core)
{
	ppu_free(core->intr);
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
