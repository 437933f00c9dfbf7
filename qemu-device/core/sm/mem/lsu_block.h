/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fast paths of lsu.c and lsu_atom.c: the TLB, and blocks of memory that serve all lanes of an instruction.
 *
 * State: the TLB in struct ppu_sm.
 * Thread safety: the thread that runs the SM.
 * Time: none.
 */
#ifndef PPU_LSU_BLOCK_H
#define PPU_LSU_BLOCK_H

#include <hw/ppu_mmu.h>
#include "core/sm/mem/lsu.h"

/* ---- TLB ---- */

/* Fills a TLB entry.  Returns 0 or PPU_ERR_*. */
int ppu_lsu_tlb_fill(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		     struct ppu_tlbe *e, unsigned *level);
/* [va, va + len) inside the page of e was or will be written. */
void ppu_lsu_note_store(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_tlbe *e, uint64_t va,
			uint32_t len);

/* The entry for this access, without filling it.  NULL: the TLB has none. */
static inline struct ppu_tlbe *tlb_hit(struct ppu_sm *sm, const struct ppu_ctx *ctx, uint64_t va, unsigned acc)
{
	struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT)];

	return __builtin_expect(e->page == va >> PPU_PAGE_SHIFT && e->ctx == ctx, 1) &&
	       (acc == PPU_ACC_READ || (e->flags & PPU_TLB_WRITE)) ? e : NULL;
}

static inline struct ppu_tlbe *tlb(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
				   int *err, unsigned *level)
{
	struct ppu_tlbe *e = tlb_hit(sm, ctx, va, acc);

	if (e)
		return e;
	e = &sm->tlb[PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT)];
	*err = ppu_lsu_tlb_fill(sm, ctx, va, acc, e, level);
	return *err ? NULL : e;
}

static inline void note_store(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_tlbe *e, uint64_t va,
			      uint32_t len)
{
	if ((e->flags & (PPU_TLB_DIRTY | PPU_TLB_WATCHED)) != PPU_TLB_DIRTY)
		ppu_lsu_note_store(sm, w, e, va, len);
}

/* ppu_lsu_ref(), and a short way for global memory that the TLB knows. */
static inline enum ppu_step lane_ref(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, unsigned lane,
				     struct ref *r)
{
	uint64_t va = lane_va(a, lane);
	struct ppu_tlbe *e = NULL;

	if (a->space == PPU_SPACE_GLOBAL || (a->space == PPU_SPACE_GENERIC && va >> 32 < PPU_VA_PARAM_BASE >> 32))
		e = tlb_hit(sm, w->cta->task->ctx, va, a->acc);
	if (!e || (va & (a->bytes - 1u)))
		return ppu_lsu_ref(sm, w, a, lane, r);
	r->va = va;
	r->local = false;
	r->e = e;
	r->p = e->host + (va & PAGE_MASK);
	return PPU_GO;
}

/* ---- blocks ---- */

enum pattern { SCATTERED, CONSECUTIVE, EQUAL };
/* Where the lanes in mask point, 64-bit addresses when hi is not NULL. */
enum pattern ppu_lsu_classify(const uint32_t *lo, const uint32_t *hi, uint32_t mask, uint32_t size);

/* A block of memory that serves all lanes of an instruction. */
struct block {
	enum pattern pattern;
	uint8_t *p;		/* memory of the lowest lane */
	unsigned first, last;	/* lowest and highest lane */
	bool wide;		/* lanes 0..31 would also be inside, so reading too much is harmless */
	struct ppu_tlbe *e;
	uint64_t va;
};

static inline bool inside(const struct access *a, struct block *b, uint64_t off, uint64_t span,
			  uint64_t limit)
{
	uint64_t before = b->pattern == CONSECUTIVE ? (uint64_t)b->first * a->bytes : 0;

	if ((off & (a->bytes - 1u)) || off + span + a->bytes > limit)
		return false;
	b->wide = off >= before && off - before + PPU_LANES * a->bytes <= limit;
	return true;
}

/* Finds the block for all lanes.  False: go lane by lane (lanes are scattered or cross a page, or an access
 * is wrong). */
static inline bool find_block(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, uint32_t mask,
		       struct block *b)
{
	struct ppu_cta *cta = w->cta;
	unsigned space = a->space, level;
	uint64_t va, span;
	int err;

	b->pattern = a->fixed ? EQUAL : ppu_lsu_classify(a->lo, a->hi, mask, a->bytes);
	if (b->pattern == SCATTERED)
		return false;
	b->first = (unsigned)__builtin_ctz(mask);
	b->last = 31 - (unsigned)__builtin_clz(mask);
	span = b->pattern == CONSECUTIVE ? (uint64_t)(b->last - b->first) * a->bytes : 0;
	va = lane_va(a, b->first);
	if (a->is64) {
		if (a->lo[b->first] + span > UINT32_MAX)
			return false;
		if (space == PPU_SPACE_GENERIC) {
			uint64_t window = va >> 32;

			space = PPU_SPACE_GLOBAL;
			if (__builtin_expect(window >= PPU_VA_PARAM_BASE >> 32, 0)) {
				if ((va + span) >> 32 != window)
					return false;
				if (window == PPU_VA_SHARED_BASE >> 32)
					space = PPU_SPACE_SHARED;
				else if (window == PPU_VA_LOCAL_BASE >> 32)
					space = PPU_SPACE_LOCAL;
				else if (window == PPU_VA_PARAM_BASE >> 32)
					space = PPU_SPACE_PARAM;
				va = (uint32_t)va;
			}
		}
	}
	b->e = NULL;
	b->va = va;
	switch (space) {
	case PPU_SPACE_GLOBAL: case PPU_SPACE_CONST:
		if (!inside(a, b, va & PAGE_MASK, span, PPU_PAGE_SIZE))
			return false;
		b->e = tlb(sm, cta->task->ctx, va, a->acc, &err, &level);
		if (!b->e)
			return false;
		b->p = b->e->host + (va & PAGE_MASK);
		return true;
	case PPU_SPACE_SHARED:
		if (!inside(a, b, va, span, cta->shared_bytes))
			return false;
		b->p = cta->shared + va;
		return true;
	case PPU_SPACE_PARAM:
		if (a->acc != PPU_ACC_READ ||
		    !inside(a, b, va, span, cta->param_bytes))
			return false;
		b->p = cta->params + va;
		return true;
	case PPU_SPACE_LOCAL:
		/* Local memory is interleaved: the words at one offset of all lanes are consecutive. */
		if (b->pattern != EQUAL || a->bytes != 4 || va % 4 || va + 4 > cta->local_bytes)
			return false;
		b->pattern = CONSECUTIVE;
		b->p = w->local + va * PPU_LANES + b->first * 4;
		b->wide = true;
		w->local_dirty |= a->acc != PPU_ACC_READ;
		return true;
	default:
		return false;
	}
}

/* Offsets of words in shared memory, wherever they are.  False: something is wrong, go lane by lane. */
static inline bool shared_words(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, uint32_t mask,
			 uint32_t *off)
{
	uint32_t bytes = w->cta->shared_bytes;

	return a->space == PPU_SPACE_SHARED && a->esz == 4 && a->n == 1 && bytes >= 4 &&
	       sm->simd->offsets(a->lo, (uint32_t)a->imm, bytes - 4, mask, off);
}

#endif
