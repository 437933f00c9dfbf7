/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans: pages in a row that the TLB has and that lie in a row in host memory, too.
 *
 * Words that are scattered over a span need one comparison for all lanes, and one vector load; without it each needs an
 * entry of the TLB.  A span says no more than its entries do: each of its pages is found in the TLB, for this context,
 * at this place of the host.  So whoever uses a span cannot miss, and nothing of it can be seen.  For this a page leaves
 * its span when it leaves the TLB.
 *
 * Spans are looked for rarely, where words have been gathered without one.  When that happens changes no result.
 *
 * State: span[] and what belongs to it, in struct ppu_sm.
 * Thread safety: the thread that runs the SM.
 * Time: none.
 */
#ifndef PPU_SPAN_H
#define PPU_SPAN_H

#include "core/sm/sm.h"

/* Looks for the span around va, which has just been read, and sets span_wait. */
void ppu_spans_learn(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va);
/* The page leaves the TLB. */
void ppu_spans_cut(struct ppu_sm *sm, uint64_t page);
/* All pages do. */
void ppu_spans_clear(struct ppu_sm *sm);

#endif
