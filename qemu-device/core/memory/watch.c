/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The watch table: words that the CPU waits for, with an interrupt when the condition holds. */
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/guest_error.h"
#include "core/base/intr.h"
#include "core/base/io.h"
#include "core/base/trace.h"
#include "core/memory/mem.h"
#include "core/memory/sem.h"
#include "core/memory/watch.h"

struct watch {
	uint64_t addr, value;
	uint32_t ctrl;
	struct ppu_waiter w;
};

struct ppu_watches {
	uint32_t n;
	struct watch v[];
};

/* The condition of an entry holds: the entry stops waiting and raises its interrupt. */
static void fire(struct ppu_core *core, struct ppu_waiter *w, uint64_t word)
{
	struct watch *watch = &core->watches->v[w->id];

	ppu_sem_unwait(core, w);
	watch->ctrl &= ~PPU_WATCH_ARM;
	PPU_TRACE(core, WATCH, w->id, 0, watch->addr, word, 0);
	ppu_intr_bit(core, PPU_BM_WATCH, w->id);
}

static void arm(struct ppu_core *core, unsigned i)
{
	struct watch *watch = &core->watches->v[i];
	struct ppu_phys p = { watch->addr & ~3ull, watch->addr & PPU_APERTURE_MASK };
	bool is32 = watch->ctrl & PPU_WATCH_32BIT;
	unsigned op = watch->ctrl >> PPU_WATCH_OP_SHIFT & 0xf;
	uint64_t word, len = 8;
	struct ppu_phys granule = { p.addr & ~7ull, p.sys };

	if (op > PPU_SEM_OP_MAX || (watch->addr & 2) || (!is32 && p.addr % 8) ||
	    !ppu_mem_map(core, granule, &len, false) || len < 8) {
		ppu_guest_error(core, "watch %u: bad operation, alignment or address", i);
		watch->ctrl &= ~PPU_WATCH_ARM;
		return;
	}
	watch->w = (struct ppu_waiter){ .id = i, .wake = fire, .op = (uint8_t)op, .is32 = is32,
					.value = watch->value };
	if (ppu_sem_wait(core, &watch->w, p, watch->addr & ~2ull))
		return;
	if (!ppu_sem_load(core, granule, &word))
		word = 0;
	fire(core, &watch->w, word);
}

uint32_t ppu_watch_read(struct ppu_core *core, unsigned i, unsigned reg)
{
	const struct watch *w = &core->watches->v[i];

	switch (reg) {
	case PPU_REG_WATCH_ADDR_LO: return (uint32_t)w->addr;
	case PPU_REG_WATCH_ADDR_HI: return (uint32_t)(w->addr >> 32);
	case PPU_REG_WATCH_VALUE_LO: return (uint32_t)w->value;
	case PPU_REG_WATCH_VALUE_HI: return (uint32_t)(w->value >> 32);
	case PPU_REG_WATCH_CTRL: return w->ctrl;
	}
	return 0;
}

void ppu_watch_write(struct ppu_core *core, unsigned i, unsigned reg, uint32_t val)
{
	struct watch *w = &core->watches->v[i];

	/* A new address or value takes effect when the entry is armed. */
	switch (reg) {
	case PPU_REG_WATCH_ADDR_LO:
		w->addr = (w->addr & ~0xffffffffull) | val;
		break;
	case PPU_REG_WATCH_ADDR_HI:
		w->addr = (w->addr & 0xffffffffull) | (uint64_t)val << 32;
		break;
	case PPU_REG_WATCH_VALUE_LO:
		w->value = (w->value & ~0xffffffffull) | val;
		break;
	case PPU_REG_WATCH_VALUE_HI:
		w->value = (w->value & 0xffffffffull) | (uint64_t)val << 32;
		break;
	case PPU_REG_WATCH_CTRL:
		ppu_sem_unwait(core, &w->w);
		w->ctrl = val & (PPU_WATCH_ARM | PPU_WATCH_32BIT | 0xf << PPU_WATCH_OP_SHIFT);
		if (val & PPU_WATCH_ARM)
			arm(core, i);
		break;
	}
}

/* ---- unit -------------------------------------------------------------------------------------- */

int ppu_watches_create(struct ppu_core *core)
{
	core->watches = ppu_alloc(1, sizeof(*core->watches) + core->cfg.watches * sizeof(struct watch));
	if (!core->watches)
		return -1;
	core->watches->n = core->cfg.watches;
	return 0;
}

void ppu_watches_destroy(struct ppu_core *core)
{
	ppu_free(core->watches);
	core->watches = NULL;
}

void ppu_watches_reset(struct ppu_core *core)
{
	struct ppu_watches *s = core->watches;

	for (unsigned i = 0; i < s->n; i++)
		ppu_sem_unwait(core, &s->v[i].w);
	memset(s->v, 0, s->n * sizeof(s->v[0]));
}

void ppu_watches_io(struct ppu_core *core, struct ppu_io *io)
{
	for (unsigned i = 0; i < core->watches->n; i++) {
		struct watch *watch = &core->watches->v[i];

		ppu_io_u64(io, &watch->addr);
		ppu_io_u64(io, &watch->value);
		ppu_io_u32(io, &watch->ctrl);
		watch->w.id = i;
		watch->w.ctx = NULL;
		watch->w.wake = fire;
		ppu_sem_io_waiter(core, io, &watch->w);
		if (!io->failed && io->loading &&
		    !!(watch->ctrl & PPU_WATCH_ARM) != (watch->w.word != NULL))
			ppu_io_fail(io, "a watch is armed and does not wait");
	}
}
