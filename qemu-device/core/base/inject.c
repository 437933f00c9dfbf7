/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults on purpose: interrupt messages that are lost, late or sent once too often, events that fall between
 * two accesses of a handler, copies that are late or fail.  Documentation/hw/faults.md.  Counters, not random
 * numbers, choose which message or copy is hit, and times are device time: the same run has the same faults.
 */
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/base/inject.h"
#include "core/base/io.h"
#include "core/base/trace.h"

struct vector {
	struct ppu_event event;		/* a message on its way */
	/* due: messages since the last one that was lost. sent: messages since the last one that is
	 * followed by another. */
	uint32_t due, sent;
	bool again;			/* send one more when the causes are cleared */
};

struct ppu_inject {
	struct vector v[PPU_NUM_VECTORS];
	uint32_t held[PPU_BM_COUNT][PPU_BITMAP_WORDS_WATCH];
	uint32_t copies, dmas;		/* copies since the last one that was hit */
	uint32_t stops;			/* channels that have stopped since the last one that did not */
	uint32_t deaf[PPU_BITMAP_WORDS_CH];	/* channels that do not stop */
};

/* Counts an occasion.  True for every nth one, where the count starts again. */
static bool hit(uint32_t *count, uint32_t nth)
{
	if (!nth || ++*count < nth)
		return false;
	*count = 0;
	return true;
}

static void note(struct ppu_core *core, unsigned where, unsigned kind)
{
	core->ctr[PPU_CTR_FAULTS_INJECTED]++;
	PPU_TRACE(core, INJECT, where, kind, 0, 0, 0);
}

/* ---- messages ---- */

static void arrives(struct ppu_core *core, void *arg)
{
	unsigned vector = (unsigned)((struct vector *)arg - core->inject->v);

	ppu_intr_message(core, vector);
	ppu_inject_sent(core, vector);
}

bool ppu_inject_message(struct ppu_core *core, unsigned vector)
{
	struct vector *v = &core->inject->v[vector];

	if (hit(&v->due, core->cfg.fault_irq_lose)) {
		note(core, vector, PPU_TRI_LOST);
		return true;
	}
	if (!core->cfg.fault_irq_delay_ns)
		return false;
	/* A message that is on its way already stands for this one too, as a pending bit of MSI-X does. */
	if (!ppu_event_pending(&v->event)) {
		note(core, vector, PPU_TRI_LATE);
		ppu_event_schedule(core, &v->event, core->now + core->cfg.fault_irq_delay_ns);
	}
	return true;
}

void ppu_inject_sent(struct ppu_core *core, unsigned vector)
{
	struct vector *v = &core->inject->v[vector];

	if (hit(&v->sent, core->cfg.fault_irq_spurious))
		v->again = true;
}

void ppu_inject_cleared(struct ppu_core *core, unsigned vector)
{
	struct vector *v = &core->inject->v[vector];

	if (!v->again)
		return;
	v->again = false;
	note(core, vector, PPU_TRI_SPURIOUS);
	ppu_intr_message(core, vector);
}

/* ---- bits of the bitmaps ---- */

void ppu_inject_hold(struct ppu_core *core, enum ppu_bitmap bm, unsigned n)
{
	uint32_t *w = &core->inject->held[bm][n / 32];

	if (!(*w & 1u << (n % 32)))
		note(core, n, PPU_TRI_HELD);
	*w |= 1u << (n % 32);
}

void ppu_inject_read(struct ppu_core *core, enum ppu_bitmap bm, unsigned word)
{
	uint32_t *w = &core->inject->held[bm][word];

	for (unsigned i = 0; *w; i++) {
		if (*w & 1u << i)
			ppu_intr_bit_now(core, bm, word * 32 + i);
		*w &= ~(1u << i);
	}
}

/* ---- copies ---- */

uint64_t ppu_inject_copy(struct ppu_core *core, unsigned engine)
{
	if (!hit(&core->inject->copies, core->cfg.fault_ce_reorder))
		return 0;
	note(core, engine, PPU_TRI_COPY_LATE);
	return core->cfg.fault_ce_late_ns;
}

bool ppu_inject_dma(struct ppu_core *core, unsigned engine)
{
	if (!hit(&core->inject->dmas, core->cfg.fault_dma_fail))
		return false;
	note(core, engine, PPU_TRI_DMA);
	return true;
}

/* ---- channels ---- */

bool ppu_inject_stop(struct ppu_core *core, unsigned chid)
{
	uint32_t *w = &core->inject->deaf[chid / 32], bit = 1u << (chid % 32);

	if (!(*w & bit) && !hit(&core->inject->stops, core->cfg.fault_stop))
		return false;
	*w |= bit;
	note(core, chid, PPU_TRI_DEAF);
	return true;
}

/* ---- life ---- */

int ppu_inject_create(struct ppu_core *core)
{
	core->inject = ppu_alloc(1, sizeof(*core->inject));
	if (!core->inject || !ppu_events_reserve(core, PPU_NUM_VECTORS))
		return -1;
	for (unsigned i = 0; i < PPU_NUM_VECTORS; i++)
		ppu_event_init(&core->inject->v[i].event, PPU_EVP_HOST, arrives, &core->inject->v[i]);
	return 0;
}

void ppu_inject_destroy(struct ppu_core *core)
{
	ppu_free(core->inject);
	core->inject = NULL;
}

void ppu_inject_reset(struct ppu_core *core)
{
	struct ppu_inject *s = core->inject;

	for (unsigned i = 0; i < PPU_NUM_VECTORS; i++) {
		ppu_event_cancel(core, &s->v[i].event);
		s->v[i].due = s->v[i].sent = 0;
		s->v[i].again = false;
	}
	memset(s->held, 0, sizeof(s->held));
	s->copies = s->dmas = s->stops = 0;
	memset(s->deaf, 0, sizeof(s->deaf));
}

/* A saved count is always below nth, because hit() starts again at nth: refuse a larger one. */
static void io_count(struct ppu_io *io, uint32_t *count, uint32_t nth)
{
	ppu_io_u32(io, count);
	if (*count && *count >= nth)
		ppu_io_fail(io, "a fault to be injected is overdue");
}

void ppu_inject_io(struct ppu_core *core, struct ppu_io *io)
{
	const struct ppu_config *cfg = &core->cfg;
	struct ppu_inject *s = core->inject;

	for (unsigned i = 0; i < PPU_NUM_VECTORS; i++) {
		struct vector *v = &s->v[i];

		io_count(io, &v->due, cfg->fault_irq_lose);
		io_count(io, &v->sent, cfg->fault_irq_spurious);
		ppu_io_bool(io, &v->again);
		ppu_io_event(core, io, &v->event);
		if ((v->again && !cfg->fault_irq_spurious) ||
		    (ppu_event_pending(&v->event) && !cfg->fault_irq_delay_ns))
			ppu_io_fail(io, "vector %u has a fault that was not asked for", i);
	}
	for (unsigned bm = 0; cfg->fault_irq_race && bm < PPU_BM_COUNT; bm++)
		for (unsigned i = 0; i < PPU_BITMAP_WORDS_WATCH; i++)
			ppu_io_u32(io, &s->held[bm][i]);
	io_count(io, &s->copies, cfg->fault_ce_reorder);
	io_count(io, &s->dmas, cfg->fault_dma_fail);
	if (!cfg->fault_stop)
		return;
	io_count(io, &s->stops, cfg->fault_stop);
	for (unsigned i = 0; i < PPU_BITMAP_WORDS_CH; i++)
		ppu_io_u32(io, &s->deaf[i]);
}
