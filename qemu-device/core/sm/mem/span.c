/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs of pages in the TLB. */
#include <string.h>
#include "core/sm/mem/span.h"
#include <hw/ppu_mmu.h>

/* Gathers without a span until the next search, which looks at as many entries as the span has pages. */
#define WAIT_LEAST	16
#define WAIT_MOST	4096

static const struct ppu_tlbe *hit(const struct ppu_sm *sm, const struct ppu_ctx *ctx, uint64_t page)
{
	const struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(page)];

	return e->page == page && e->ctx == ctx ? e : NULL;
}

/* The pages around `page`, which is in the TLB. */
static struct ppu_span around(const struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t page)
{
	const struct ppu_tlbe *e = hit(sm, ctx, page), *x;
	uint64_t below = 0, above = 0;

	/* There are no more pages in a row than entries, and the numbers do not wrap: page ~0 is no page. */
	while (below < page && (x = hit(sm, ctx, page - below - 1)) && x->host + (below + 1) * PPU_PAGE_SIZE == e->host)
		below++;
	while ((x = hit(sm, ctx, page + above + 1)) && x->host == e->host + (above + 1) * PPU_PAGE_SIZE)
		above++;
	return (struct ppu_span){ (page - below) << PPU_PAGE_SHIFT, e->host - below * PPU_PAGE_SIZE, ctx,
				  (uint32_t)((below + above + 1) * PPU_PAGE_SIZE), (uint32_t)(below + above + 1) };
}

/* Where a new span goes: in the place of the one that it grew from, or of the least. */
static struct ppu_span *place(struct ppu_sm *sm, const struct ppu_span *new)
{
	unsigned i, least = (sm->span_last + 1) % PPU_SPANS;

	for (i = 0; i < PPU_SPANS; i++)
		if (sm->span[i].ctx == new->ctx && sm->span[i].va - new->va < new->bytes)
			return &sm->span[i];
	for (i = 0; i < PPU_SPANS; i++)
		if (sm->span[i].weight < sm->span[least].weight)
			least = i;
	/* What was large once does not stay for ever. */
	for (i = 0; i < PPU_SPANS; i++)
		sm->span[i].weight -= sm->span[i].weight > 0;
	sm->span_last = least;
	return &sm->span[least];
}

void ppu_spans_learn(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va)
{
	bool news = false;

	if (hit(sm, ctx, va >> PPU_PAGE_SHIFT)) {
		struct ppu_span new = around(sm, ctx, va >> PPU_PAGE_SHIFT);

		if (new.bytes > PPU_PAGE_SIZE) {
			struct ppu_span *s = place(sm, &new);

			news = s->ctx != new.ctx || s->va != new.va || s->bytes != new.bytes;
			*s = new;
			sm->spans = true;
			sm->span_period = WAIT_LEAST + new.weight / 4;
		}
	}
	if (!news)
		sm->span_period = sm->span_period * 2 < WAIT_MOST ? sm->span_period * 2 + WAIT_LEAST : WAIT_MOST;
	sm->span_wait = sm->span_period;
}

void ppu_spans_cut(struct ppu_sm *sm, uint64_t page)
{
	unsigned i;

	for (i = 0; i < PPU_SPANS; i++) {
		struct ppu_span *s = &sm->span[i];
		uint64_t at = (page << PPU_PAGE_SHIFT) - s->va;

		if (!s->ctx || at >= s->bytes)
			continue;
		/* The longer part stays. */
		if (at < s->bytes / 2) {
			at += PPU_PAGE_SIZE;
			s->va += at;
			s->host += at;
			s->bytes -= (uint32_t)at;
		} else {
			s->bytes = (uint32_t)at;
		}
		s->weight = s->bytes / PPU_PAGE_SIZE;
		if (!s->bytes)
			s->ctx = NULL;
	}
}

void ppu_spans_clear(struct ppu_sm *sm)
{
	memset(sm->span, 0, sizeof(sm->span));
	sm->spans = false;
	sm->span_period = 0;
	sm->span_wait = 1;
}
