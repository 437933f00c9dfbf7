/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load/store unit: every memory access of SM threads, the mapping of the unified address space,
 * and the SM's TLB.
 *
 * An instruction first looks at its 32 addresses together: consecutive and equal addresses, which
 * is what most programs have, move as a block.  Everything else, and everything that may fault,
 * goes lane by lane in ascending order, so that a fault names the lowest lane that has one, and
 * when lanes store to one address the highest wins.
 *
 * Stores go to memory at once.  storebuf.c is the other store path, for the store-delay and
 * store-reorder properties: a second set of handlers, chosen when a program is decoded.  Pages with
 * waiters are marked in the TLB; stores to them become effects.
 *
 * Accesses are single-copy atomic up to 64 bits.
 */
#include <string.h>
#include "core/sm/mem/lsu.h"

#if defined(__x86_64__)
#define HAVE_CX16 1
#endif

static const uint32_t lane_bit[PPU_LANES] __attribute__((aligned(64))) = {
	1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7,
	1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};

/* Without a library call on hosts that lack the instruction. */
static inline unsigned count_lanes(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* ---- TLB ------------------------------------------------------------------------------------------ */

void ppu_lsu_report_dirty(struct ppu_sm *sm)
{
	uint32_t i;

	for (i = 0; i < sm->num_dirty; i++) {
		struct ppu_tlbe *e = &sm->tlb[sm->dirty[i]];

		if (e->flags & PPU_TLB_DIRTY)
			ppu_mem_dirty(sm->core, e->phys, PPU_PAGE_SIZE);
		e->flags &= ~PPU_TLB_DIRTY;
	}
	sm->num_dirty = 0;
}

void ppu_lsu_flush(struct ppu_sm *sm)
{
	unsigned i;

	ppu_lsu_report_dirty(sm);
	for (i = 0; i < PPU_TLB_ENTRIES; i++)
		sm->tlb[i].page = ~0ull;
	sm->xlat_gen = sm->core->xlat_gen;
}

/* 0 or PPU_ERR_*. */
static int tlb_fill(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		    struct ppu_tlbe *e, unsigned *level)
{
	struct ppu_xlat x;
	int err;

	sm->ctr[PPU_CTR_TLB_MISSES]++;
	memset(&x, 0, sizeof(x));
	err = ppu_mmu_translate(sm->core, ctx, va & ~PAGE_MASK, acc, 0, &x);
	*level = x.level;
	if (err)
		return err;
	if (!x.host || x.len < PPU_PAGE_SIZE)
		return PPU_ERR_SM_DMA;
	if (e->page != ~0ull && (e->flags & PPU_TLB_DIRTY))
		ppu_mem_dirty(sm->core, e->phys, PPU_PAGE_SIZE);
	e->page = va >> PPU_PAGE_SHIFT;
	e->ctx = ctx;
	e->host = x.host;
	e->phys = x.phys;
	e->flags = (x.pte & PPU_PTE_READONLY ? 0 : PPU_TLB_WRITE) | (x.watched ? PPU_TLB_WATCHED : 0);
	return 0;
}

static inline struct ppu_tlbe *tlb(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
				   int *err, unsigned *level)
{
	struct ppu_tlbe *e = &sm->tlb[(va >> PPU_PAGE_SHIFT) % PPU_TLB_ENTRIES];

	if (__builtin_expect(e->page == va >> PPU_PAGE_SHIFT && e->ctx == ctx, 1) &&
	    (acc == PPU_ACC_READ || (e->flags & PPU_TLB_WRITE)))
		return e;
	*err = tlb_fill(sm, ctx, va, acc, e, level);
	return *err ? NULL : e;
}

/* [va, va + len) inside the page of e was or will be written. */
static void note_store_slow(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_tlbe *e, uint64_t va,
			    uint32_t len)
{
	if (!(e->flags & PPU_TLB_DIRTY)) {
		if (sm->num_dirty == PPU_TLB_ENTRIES)
			ppu_lsu_report_dirty(sm);
		e->flags |= PPU_TLB_DIRTY;
		sm->dirty[sm->num_dirty++] = (uint16_t)(e - sm->tlb);
	}
	if (e->flags & PPU_TLB_WATCHED) {
		uint64_t addr = e->phys.addr + (va & PAGE_MASK), time = ppu_sm_time(sm);
		struct ppu_effect *x = sm->fx.n ? &sm->fx.v[sm->fx.n - 1] : NULL;

		/* Lanes of one instruction make one effect. */
		if (x && x->kind == PPU_FX_STORE && x->task == w->cta->task && x->time == time &&
		    x->phys.sys == e->phys.sys && addr >= x->phys.addr &&
		    addr <= x->phys.addr + x->len) {
			if (addr + len > x->phys.addr + x->len)
				x->len = addr + len - x->phys.addr;
			return;
		}
		x = ppu_sm_effect(sm, PPU_FX_STORE, w->cta->task);
		if (x) {
			x->phys = e->phys;
			x->phys.addr = addr;
			x->len = len;
			x->arg[0] = va;
		}
	}
}

static inline void note_store(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_tlbe *e, uint64_t va,
			      uint32_t len)
{
	if ((e->flags & (PPU_TLB_DIRTY | PPU_TLB_WATCHED)) != PPU_TLB_DIRTY)
		note_store_slow(sm, w, e, va, len);
}

/* ---- addresses of an instruction ------------------------------------------------------------------- */

enum pattern { SCATTERED, CONSECUTIVE, EQUAL };

/* How the register values of the lanes in mask relate; hi may be NULL.  The first and the last lane say
 * which pattern it can be at all, so one pass decides. */
PPU_SIMD_CLONES
static enum pattern classify(const uint32_t *lo, const uint32_t *hi, uint32_t mask, uint32_t size)
{
	unsigned first = (unsigned)__builtin_ctz(mask), last = 31 - (unsigned)__builtin_clz(mask), i;
	uint32_t step = lo[first] == lo[last] ? 0 : size, base = lo[first] - first * step, bad = 0;
	uint32_t hi0 = hi ? hi[first] : 0;

	if (mask == ~0u && hi)
		for (i = 0; i < PPU_LANES; i++)
			bad |= (lo[i] ^ (base + i * step)) | (hi[i] ^ hi0);
	else if (mask == ~0u)
		for (i = 0; i < PPU_LANES; i++)
			bad |= lo[i] ^ (base + i * step);
	else if (hi)
		for (i = 0; i < PPU_LANES; i++)
			bad |= mask & lane_bit[i] ? (lo[i] ^ (base + i * step)) | (hi[i] ^ hi0) : 0;
	else
		for (i = 0; i < PPU_LANES; i++)
			bad |= mask & lane_bit[i] ? lo[i] ^ (base + i * step) : 0;
	return bad ? SCATTERED : step ? CONSECUTIVE : EQUAL;
}

/* A block of memory that serves all lanes of an instruction. */
struct block {
	enum pattern pattern;
	uint8_t *p;		/* of the lowest lane */
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

/* False: lane by lane (scattered, crosses a page, or something is wrong with it). */
static inline bool find_block(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, uint32_t mask,
		       struct block *b)
{
	struct ppu_cta *cta = w->cta;
	unsigned space = a->space, level;
	uint64_t va, span;
	int err;

	b->pattern = a->fixed ? EQUAL : classify(a->lo, a->hi, mask, a->bytes);
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
		/* Interleaved: one word at one offset in every lane is consecutive. */
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

/* ---- one lane ---------------------------------------------------------------------------------------- */

static enum ppu_step lane_fault(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a,
				unsigned code, unsigned lane, uint64_t va, unsigned level)
{
	return ppu_sm_fault(sm, w, code, lane, va, a->acc, level);
}

enum ppu_step ppu_lsu_ref(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, unsigned lane,
			  struct ref *r)
{
	struct ppu_cta *cta = w->cta;
	unsigned space = a->space, level = 0;
	uint64_t va = lane_va(a, lane), off = va;
	int err = 0;

	if (space == PPU_SPACE_GENERIC) {
		space = PPU_SPACE_GLOBAL;
		off = (uint32_t)va;
		switch (va >> 32) {
		case PPU_VA_SHARED_BASE >> 32:	space = PPU_SPACE_SHARED; break;
		case PPU_VA_LOCAL_BASE >> 32:	space = PPU_SPACE_LOCAL; break;
		case PPU_VA_PARAM_BASE >> 32:	space = PPU_SPACE_PARAM; break;
		}
	}
	r->va = va;
	r->local = false;
	r->e = NULL;
	if (a->acc == PPU_ACC_ATOMIC && (space == PPU_SPACE_LOCAL || space == PPU_SPACE_PARAM))
		return lane_fault(sm, w, a, PPU_ERR_ATOMIC_SPACE, lane, va, 0);
	if (va & (a->bytes - 1u))
		return lane_fault(sm, w, a, PPU_ERR_MISALIGNED, lane, va, 0);
	switch (space) {
	case PPU_SPACE_SHARED:
		if (off + a->bytes > cta->shared_bytes)
			return lane_fault(sm, w, a, PPU_ERR_WINDOW_RANGE, lane, va, 0);
		r->p = cta->shared + off;
		return PPU_GO;
	case PPU_SPACE_PARAM:
		if (a->acc != PPU_ACC_READ)
			return lane_fault(sm, w, a, PPU_ERR_PARAM_WRITE, lane, va, 0);
		if (off + a->bytes > cta->param_bytes)
			return lane_fault(sm, w, a, PPU_ERR_WINDOW_RANGE, lane, va, 0);
		r->p = cta->params + off;
		return PPU_GO;
	case PPU_SPACE_LOCAL:
		/* A stack that has grown too far has wrapped below 0. */
		if (off + a->bytes > cta->local_bytes)
			return lane_fault(sm, w, a, off >> 31 & 1 ? PPU_ERR_STACK_OVERFLOW
							: PPU_ERR_WINDOW_RANGE, lane, va, 0);
		r->p = w->local;
		r->off = (uint32_t)off;
		r->local = true;
		w->local_dirty |= a->acc != PPU_ACC_READ;
		return PPU_GO;
	default:
		if (space == PPU_SPACE_CONST && a->acc != PPU_ACC_READ)
			return lane_fault(sm, w, a, PPU_ERR_MMU_READONLY, lane, va, 0);
		r->e = tlb(sm, cta->task->ctx, va, a->acc, &err, &level);
		if (!r->e)
			return lane_fault(sm, w, a, (unsigned)err, lane, va, level);
		r->p = r->e->host + (va & PAGE_MASK);
		return PPU_GO;
	}
}

/* ---- blocks -------------------------------------------------------------------------------------------- */

PPU_SIMD_CLONES
static void blend_splat(uint32_t *d, uint32_t v, uint32_t mask)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		d[i] = mask & lane_bit[i] ? v : d[i];
}

PPU_SIMD_CLONES
static void load_words(uint32_t *d, const uint32_t *p, uint32_t mask)
{
	unsigned i;

	if (mask == ~0u)
		for (i = 0; i < PPU_LANES; i++)
			d[i] = p[i];
	else
		for (i = 0; i < PPU_LANES; i++)
			d[i] = mask & lane_bit[i] ? p[i] : d[i];
}

PPU_SIMD_CLONES
static void load_pairs(uint32_t *d0, uint32_t *d1, const uint64_t *p, uint32_t mask)
{
	unsigned i;

	if (mask == ~0u)
		for (i = 0; i < PPU_LANES; i++) {
			uint64_t v = p[i];

			d0[i] = (uint32_t)v;
			d1[i] = (uint32_t)(v >> 32);
		}
	else
		for (i = 0; i < PPU_LANES; i++) {
			uint64_t v = p[i];

			d0[i] = mask & lane_bit[i] ? (uint32_t)v : d0[i];
			d1[i] = mask & lane_bit[i] ? (uint32_t)(v >> 32) : d1[i];
		}
}

/* Touches no memory of other lanes. */
PPU_SIMD_CLONES
static void store_words(const uint32_t *b, uint32_t *p, uint32_t mask)
{
	unsigned i;

#pragma GCC ivdep
	for (i = 0; i < PPU_LANES; i++)
		if (mask & lane_bit[i])
			p[i] = b[i];
}

PPU_SIMD_CLONES
static void store_pairs(const uint32_t *b0, const uint32_t *b1, uint64_t *p)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		p[i] = b0[i] | (uint64_t)b1[i] << 32;
}

/* Bytes and halves, extended to words. */
#define LOAD_NARROW(name, type) \
PPU_SIMD_CLONES \
static void name(uint32_t *d, const uint8_t *mem, uint32_t mask) \
{ \
	const type *p = (const type *)mem; \
	unsigned i; \
\
	if (mask == ~0u) \
		for (i = 0; i < PPU_LANES; i++) \
			d[i] = (uint32_t)p[i]; \
	else \
		for (i = 0; i < PPU_LANES; i++) \
			d[i] = mask & lane_bit[i] ? (uint32_t)p[i] : d[i]; \
}
LOAD_NARROW(load_u8, uint8_t)
LOAD_NARROW(load_s8, int8_t)
LOAD_NARROW(load_u16, uint16_t)
LOAD_NARROW(load_s16, int16_t)

static void load_narrow(uint32_t *d, const uint8_t *p, const struct access *a, uint32_t mask)
{
	if (a->esz == 1)
		(a->sign ? load_s8 : load_u8)(d, p, mask);
	else
		(a->sign ? load_s16 : load_u16)(d, p, mask);
}

static void load_block(struct ppu_warp *w, const struct access *a, const struct block *b,
		       unsigned d, uint32_t mask)
{
	struct ref r = { .p = b->p };
	uint32_t out[4];
	unsigned i, k, rows = a->n * a->regs;

	if (b->pattern == EQUAL) {
		lane_load(a, &r, 0, out);
		for (k = 0; k < rows; k++)
			blend_splat(w->v.row[d + k], out[k], mask);
		return;
	}
	if (b->wide && a->n == 1 && a->esz == 4) {
		load_words(w->v.row[d], (const uint32_t *)(b->p - b->first * 4), mask);
		return;
	}
	if (b->wide && a->n == 1 && a->esz == 8) {
		load_pairs(w->v.row[d], w->v.row[d + 1],
			   (const uint64_t *)(b->p - b->first * 8), mask);
		return;
	}
	if (b->wide && a->n == 1 && a->esz < 4) {
		load_narrow(w->v.row[d], b->p - b->first * a->esz, a, mask);
		return;
	}
	for (i = b->first; i <= b->last; i++, r.p += a->bytes) {
		if (!(mask >> i & 1))
			continue;
		lane_load(a, &r, 0, out);
		for (k = 0; k < rows; k++)
			w->v.row[d + k][i] = out[k];
	}
}

static void store_block(struct ppu_warp *w, const struct access *a, const struct block *b,
			unsigned s, uint32_t mask)
{
	struct ref r = { .p = b->p };
	uint32_t in[4];
	unsigned i, k, rows = a->n * a->regs;

	if (b->pattern == CONSECUTIVE && mask == ~0u && a->n == 1) {
		if (a->esz == 4) {
			store_words(w->v.row[s], (uint32_t *)b->p, mask);
			return;
		}
		if (a->esz == 8) {
			store_pairs(w->v.row[s], w->v.row[s + 1], (uint64_t *)b->p);
			return;
		}
	}
	if (b->pattern == CONSECUTIVE && b->wide && a->n == 1 && a->esz == 4) {
		store_words(w->v.row[s], (uint32_t *)(b->p - b->first * 4), mask);
		return;
	}
	for (i = b->pattern == EQUAL ? b->last : b->first; i <= b->last; i++, r.p += a->bytes) {
		if (!(mask >> i & 1))
			continue;
		for (k = 0; k < rows; k++)
			in[k] = w->v.row[s + k][i];
		lane_store(a, &r, 0, in);
	}
}

/* ---- scattered words ------------------------------------------------------------------------------------ */

static bool shared_words(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, uint32_t mask,
			 uint32_t *off)
{
	uint32_t bytes = w->cta->shared_bytes;

	return a->space == PPU_SPACE_SHARED && a->esz == 4 && a->n == 1 && bytes >= 4 &&
	       sm->simd->offsets(a->lo, (uint32_t)a->imm, bytes - 4, mask, off);
}

/* The pages that a global instruction touches, when they are few. */
#define MAX_PAGES 8
struct pages {
	unsigned n;
	struct {
		struct ppu_tlbe *e;
		uint32_t lanes;
	} page[MAX_PAGES];
	uint32_t off[PPU_LANES];	/* in its page */
};

/* Low words of the page numbers; false: a lane is not aligned, or they differ above. */
PPU_SIMD_CLONES
static bool page_numbers(const uint32_t *lo, const uint32_t *hi, uint64_t imm, uint32_t mask, uint32_t first_hi,
			 uint32_t *page, uint32_t *off)
{
	uint32_t bad = 0, imm_lo = (uint32_t)imm, imm_hi = (uint32_t)(imm >> 32);
	unsigned i;

	for (i = 0; i < PPU_LANES; i++) {
		uint32_t l = lo[i] + imm_lo, h = hi[i] + imm_hi + (l < imm_lo);

		bad |= mask & lane_bit[i] ? (l & 3) | (h ^ first_hi) >> PPU_PAGE_SHIFT : 0;
		page[i] = l >> PPU_PAGE_SHIFT | h << (32 - PPU_PAGE_SHIFT);
		off[i] = l & PAGE_MASK;
	}
	return !bad;
}

PPU_SIMD_CLONES
static uint32_t equal_lanes(const uint32_t *v, uint32_t x)
{
	uint32_t lanes = 0;
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		lanes |= v[i] == x ? lane_bit[i] : 0;
	return lanes;
}

/* False: something needs the slow way, and nothing has been done. */
static bool global_pages(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, uint32_t mask,
			 struct pages *p)
{
	struct ppu_ctx *ctx = w->cta->task->ctx;
	uint32_t number[PPU_LANES], m = mask, first_hi;

	if (!a->is64 || a->esz != 4 || a->n != 1)
		return false;
	first_hi = (uint32_t)(lane_va(a, (unsigned)__builtin_ctz(mask)) >> 32);
	if (!page_numbers(a->lo, a->hi, a->imm, mask, first_hi, number, p->off))
		return false;
	for (p->n = 0; m; p->n++) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t page = lane_va(a, i) >> PPU_PAGE_SHIFT;
		struct ppu_tlbe *e = &sm->tlb[page % PPU_TLB_ENTRIES];

		if (p->n == 2 && 2 * count_lanes(m) > count_lanes(mask))
			return false;	/* they are many: lane by lane is faster */
		/* Hits only: a fill could evict an entry this instruction uses. */
		if (p->n == MAX_PAGES || e->page != page || e->ctx != ctx ||
		    (a->acc != PPU_ACC_READ && !(e->flags & PPU_TLB_WRITE)))
			return false;
		p->page[p->n].e = e;
		p->page[p->n].lanes = equal_lanes(number, number[i]) & m;
		m &= ~p->page[p->n].lanes;
	}
	return true;
}

/*
 * Global words anywhere: addresses of all lanes, page by page.  False: something needs the slow way, and
 * nothing has been done.
 */
static bool global_words(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, uint32_t mask,
			 uint32_t **p, struct ppu_tlbe **e)
{
	struct ppu_ctx *ctx = w->cta->task->ctx;
	uint64_t page = ~0ull;
	struct ppu_tlbe *t = NULL;
	uint32_t m;

	if (!a->is64 || a->esz != 4 || a->n != 1)
		return false;
	for (m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t va = (a->lo[i] | (uint64_t)a->hi[i] << 32) + a->imm;

		if (va >> PPU_PAGE_SHIFT != page) {
			/* Hits only: a fill could evict an entry this instruction uses. */
			page = va >> PPU_PAGE_SHIFT;
			t = &sm->tlb[page % PPU_TLB_ENTRIES];
			if (t->page != page || t->ctx != ctx ||
			    (a->acc != PPU_ACC_READ && !(t->flags & PPU_TLB_WRITE)))
				return false;
		}
		if (va & 3)
			return false;
		p[i] = (uint32_t *)(t->host + (va & PAGE_MASK));
		e[i] = t;
	}
	return true;
}

/* ---- LD, ST ---------------------------------------------------------------------------------------------- */

static enum ppu_step load_lanes(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a,
				unsigned d, uint32_t mask)
{
	uint32_t out[PPU_LANES][4], m, *p[PPU_LANES];
	struct ppu_tlbe *e[PPU_LANES];
	unsigned rows = a->n * a->regs, k;
	struct pages pages;

	if (global_pages(sm, w, a, mask, &pages)) {
		for (k = 0; k < pages.n; k++)
			sm->simd->load(w->v.row[d], pages.page[k].e->host, pages.off, pages.page[k].lanes);
		return PPU_GO;
	}
	if (global_words(sm, w, a, mask, p, e)) {
		for (m = mask; m; m &= m - 1) {
			unsigned lane = (unsigned)__builtin_ctz(m);

			w->v.row[d][lane] = __atomic_load_n(p[lane], __ATOMIC_RELAXED);
		}
		return PPU_GO;
	}

	/* The destination may hold the addresses: all loads first. */
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		struct ref r;

		if (ppu_lsu_ref(sm, w, a, lane, &r) != PPU_GO)
			return PPU_SWITCH;
		lane_load(a, &r, lane, out[lane]);
	}
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);

		for (k = 0; k < rows; k++)
			w->v.row[d + k][lane] = out[lane][k];
	}
	return PPU_GO;
}

enum ppu_step ppu_h_ld(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t off[PPU_LANES];
	struct access a;
	struct block b;

	access_of(w, di, PPU_ACC_READ, &a);
	if (shared_words(sm, w, &a, mask, off)) {
		sm->simd->load(w->v.row[di->d], w->cta->shared, off, mask);
		w->pc++;
		return PPU_GO;
	}
	if (find_block(sm, w, &a, mask, &b)) {
		load_block(w, &a, &b, di->d, mask);
		sm->ctr[PPU_CTR_PARTITION_READS] += b.e != NULL;
	} else {
		if (load_lanes(sm, w, &a, di->d, mask) != PPU_GO)
			return PPU_SWITCH;
		sm->ctr[PPU_CTR_PARTITION_READS] += count_lanes(mask);
	}
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_st(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct access a;
	struct block b;
	uint32_t m, in[4], off[PPU_LANES], *p[PPU_LANES];
	struct ppu_tlbe *e[PPU_LANES];
	struct pages pages;
	unsigned rows, k;

	access_of(w, di, PPU_ACC_WRITE, &a);
	if (shared_words(sm, w, &a, mask, off)) {
		sm->simd->store(w->v.row[di->b], w->cta->shared, off, mask);
		w->pc++;
		return PPU_GO;
	}
	if (di->m != PPU_SPACE_CONST && find_block(sm, w, &a, mask, &b)) {
		store_block(w, &a, &b, di->b, mask);
		if (b.e) {
			note_store(sm, w, b.e, b.va, b.pattern == EQUAL ? a.bytes :
				   (b.last - b.first + 1) * a.bytes);
			sm->ctr[PPU_CTR_PARTITION_WRITES]++;
		}
		w->pc++;
		return PPU_GO;
	}
	if (di->m != PPU_SPACE_CONST && global_pages(sm, w, &a, mask, &pages)) {
		for (k = 0; k < pages.n; k++) {
			struct ppu_tlbe *t = pages.page[k].e;

			sm->simd->store(w->v.row[di->b], t->host, pages.off, pages.page[k].lanes);
			if ((t->flags & (PPU_TLB_DIRTY | PPU_TLB_WATCHED)) == PPU_TLB_DIRTY)
				continue;
			for (m = pages.page[k].lanes; m; m &= m - 1) {
				unsigned lane = (unsigned)__builtin_ctz(m);

				note_store(sm, w, t, lane_va(&a, lane), 4);
			}
		}
		sm->ctr[PPU_CTR_PARTITION_WRITES] += count_lanes(mask);
		w->pc++;
		return PPU_GO;
	}
	if (di->m != PPU_SPACE_CONST && global_words(sm, w, &a, mask, p, e)) {
		for (m = mask; m; m &= m - 1) {
			unsigned lane = (unsigned)__builtin_ctz(m);

			__atomic_store_n(p[lane], w->v.row[di->b][lane], __ATOMIC_RELAXED);
			note_store(sm, w, e[lane], lane_va(&a, lane), 4);
		}
		sm->ctr[PPU_CTR_PARTITION_WRITES] += count_lanes(mask);
		w->pc++;
		return PPU_GO;
	}
	rows = a.n * a.regs;
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		struct ref r;

		if (ppu_lsu_ref(sm, w, &a, lane, &r) != PPU_GO)
			return PPU_SWITCH;
		for (k = 0; k < rows; k++)
			in[k] = w->v.row[di->b + k][lane];
		lane_store(&a, &r, lane, in);
		if (r.e) {
			note_store(sm, w, r.e, r.va, a.bytes);
			sm->ctr[PPU_CTR_PARTITION_WRITES]++;
		}
	}
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_membar(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	w->pc++;
	return PPU_GO;
}

/* ---- ATOM -------------------------------------------------------------------------------------------------- */

static float as_f32(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static uint32_t of_f32(float f)
{
	uint32_t x;

	memcpy(&x, &f, 4);
	return x;
}

static uint16_t half_add(uint16_t a, uint16_t b, bool bf)
{
	/* An f32 sum of two of either format has more than twice their digits and two: rounding
	 * it again is rounding once. */
	if (bf)
		return ppu_f32_to_bf16(ppu_f32_add(ppu_bf16_to_f32(a), ppu_bf16_to_f32(b),
						   PPU_RND_RN, false, false), PPU_RND_RN);
	return ppu_f32_to_f16(ppu_f32_add(ppu_f16_to_f32(a), ppu_f16_to_f32(b), PPU_RND_RN, false,
					  false), PPU_RND_RN);
}

/* The new value of one operation. */
static uint64_t combine(unsigned op, unsigned t, uint64_t old, uint64_t b, uint64_t c)
{
	double x, y;

	switch (op) {
	case PPU_ATOM_ADD:
		switch (t) {
		case PPU_T_F32:
			return of_f32(ppu_f32_add(as_f32((uint32_t)old), as_f32((uint32_t)b),
						  PPU_RND_RN, false, false));
		case PPU_T_F64:
			memcpy(&x, &old, 8);
			memcpy(&y, &b, 8);
			x = ppu_f64_add(x, y, PPU_RND_RN);
			memcpy(&old, &x, 8);
			return old;
		case PPU_T_F16: case PPU_T_BF16:
			return half_add((uint16_t)old, (uint16_t)b, t == PPU_T_BF16);
		case PPU_T_F16X2: case PPU_T_BF16X2:
			return half_add((uint16_t)old, (uint16_t)b, t == PPU_T_BF16X2) |
			       (uint32_t)half_add((uint16_t)(old >> 16), (uint16_t)(b >> 16),
						  t == PPU_T_BF16X2) << 16;
		default:
			return old + b;
		}
	case PPU_ATOM_MIN:
		switch (t) {
		case PPU_T_U32: return (uint32_t)old < (uint32_t)b ? old : b;
		case PPU_T_S32: return (int32_t)old < (int32_t)b ? old : b;
		case PPU_T_S64: return (int64_t)old < (int64_t)b ? old : b;
		default:	return old < b ? old : b;
		}
	case PPU_ATOM_MAX:
		switch (t) {
		case PPU_T_U32: return (uint32_t)old > (uint32_t)b ? old : b;
		case PPU_T_S32: return (int32_t)old > (int32_t)b ? old : b;
		case PPU_T_S64: return (int64_t)old > (int64_t)b ? old : b;
		default:	return old > b ? old : b;
		}
	case PPU_ATOM_INC:
		return (uint32_t)old >= (uint32_t)b ? 0 : old + 1;
	case PPU_ATOM_DEC:
		return !(uint32_t)old || (uint32_t)old > (uint32_t)b ? b : old - 1;
	case PPU_ATOM_AND:	return old & b;
	case PPU_ATOM_OR:	return old | b;
	case PPU_ATOM_XOR:	return old ^ b;
	case PPU_ATOM_EXCH:	return b;
	default:		return old == b ? c : old;
	}
}

#define CAS_LOOP(type, p) do { \
	type o_ = __atomic_load_n((type *)(p), __ATOMIC_RELAXED), n_; \
	do { \
		n_ = (type)combine(op, t, o_, b, c); \
	} while (!__atomic_compare_exchange_n((type *)(p), &o_, n_, false, __ATOMIC_SEQ_CST, \
					      __ATOMIC_RELAXED)); \
	return o_; \
} while (0)

/* Returns the old value. */
static uint64_t atomic_op(uint8_t *p, unsigned bytes, unsigned op, unsigned t, uint64_t b, uint64_t c)
{
	if (bytes == 4) {
		uint32_t *q = (uint32_t *)p, o = (uint32_t)b;
		bool integer = t == PPU_T_U32 || t == PPU_T_S32;

		switch (op) {
		case PPU_ATOM_ADD:
			if (integer)
				return __atomic_fetch_add(q, (uint32_t)b, __ATOMIC_SEQ_CST);
			break;
		case PPU_ATOM_OR:	return __atomic_fetch_or(q, (uint32_t)b, __ATOMIC_SEQ_CST);
		case PPU_ATOM_EXCH:	return __atomic_exchange_n(q, (uint32_t)b, __ATOMIC_SEQ_CST);
		case PPU_ATOM_CAS:
			__atomic_compare_exchange_n(q, &o, (uint32_t)c, false, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
			return o;
		}
		CAS_LOOP(uint32_t, p);
	}
	if (bytes == 8) {
		uint64_t *q = (uint64_t *)p, o = b;

		switch (op) {
		case PPU_ATOM_ADD:
			if (t != PPU_T_F64)
				return __atomic_fetch_add(q, b, __ATOMIC_SEQ_CST);
			break;
		case PPU_ATOM_EXCH:	return __atomic_exchange_n(q, b, __ATOMIC_SEQ_CST);
		case PPU_ATOM_CAS:
			__atomic_compare_exchange_n(q, &o, c, false, __ATOMIC_SEQ_CST,
						    __ATOMIC_SEQ_CST);
			return o;
		}
		CAS_LOOP(uint64_t, p);
	}
	b = (uint16_t)b;
	CAS_LOOP(uint16_t, p);
}

#ifdef HAVE_CX16
typedef unsigned __int128 u128;
/* Written out: compilers call a library for it unless the whole program is built for cx16. */
static u128 cas128(uint8_t *p, u128 old, u128 new)
{
	uint64_t lo = (uint64_t)old, hi = (uint64_t)(old >> 64);

	__asm__ volatile("lock cmpxchg16b %0"
			 : "+m"(*(u128 *)p), "+a"(lo), "+d"(hi)
			 : "b"((uint64_t)new), "c"((uint64_t)(new >> 64))
			 : "cc", "memory");
	return (u128)hi << 64 | lo;
}

static u128 atomic128(uint8_t *p, bool exch, u128 b, u128 c)
{
	u128 old = exch ? *(volatile u128 *)p : b, seen;

	for (;;) {
		seen = cas128(p, old, exch ? b : c);
		if (!exch || seen == old)
			return seen;
		old = seen;
	}
}
#else
typedef unsigned __int128 u128;
static u128 atomic128(uint8_t *p, bool exch, u128 b, u128 c)
{
	u128 old = b;

	if (exch)
		return __atomic_exchange_n((u128 *)p, b, __ATOMIC_SEQ_CST);
	__atomic_compare_exchange_n((u128 *)p, &old, c, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}
#endif

static uint64_t operand(const struct ppu_warp *w, const struct access *a, unsigned row, unsigned lane)
{
	return a->regs == 2 ? ppu_pair_get(&w->v, row, lane) : w->v.row[row][lane];
}

static u128 operand128(const struct ppu_warp *w, unsigned row, unsigned lane)
{
	return ppu_pair_get(&w->v, row, lane) | (u128)ppu_pair_get(&w->v, row + 2, lane) << 64;
}

/*
 * All lanes at one address of global memory: the operations are done one after the other on a copy,
 * and the result goes back in one step, as if no other SM had come in between.
 */
static bool atomic_equal(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di,
			 const struct access *a, uint32_t mask)
{
	uint64_t old[PPU_LANES], seen, now;
	unsigned op = di->u, t = di->t;
	struct block b;
	uint32_t m;
	bool done;

	if ((a->esz != 4 && a->esz != 8) || !(mask & (mask - 1)) || a->space == PPU_SPACE_LOCAL ||
	    a->space == PPU_SPACE_PARAM || !find_block(sm, w, a, mask, &b) || b.pattern != EQUAL || !b.e)
		return false;
	seen = load_mem(b.p, a->esz);
	do {
		now = seen;
		for (m = mask; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);

			old[i] = now;
			now = combine(op, t, now, operand(w, a, di->b, i), operand(w, a, di->c, i));
			if (a->esz == 4)
				now = (uint32_t)now;
		}
		if (a->esz == 4) {
			uint32_t s = (uint32_t)seen;

			done = __atomic_compare_exchange_n((uint32_t *)b.p, &s, (uint32_t)now, false,
							   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
			seen = s;
		} else {
			done = __atomic_compare_exchange_n((uint64_t *)b.p, &seen, now, false,
							   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
		}
	} while (!done);
	for (m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		w->v.row[di->d][i] = (uint32_t)old[i];
		if (a->regs == 2)
			w->v.row[di->d + 1][i] = (uint32_t)(old[i] >> 32);
	}
	note_store(sm, w, b.e, b.va, a->bytes);
	sm->ctr[PPU_CTR_PARTITION_WRITES]++;
	return true;
}

/* Shared memory belongs to this SM, which runs one warp at a time: no host atomics. */
static void shared_atomics(struct ppu_warp *w, const struct ppu_dinsn *di, const uint32_t *off, uint32_t mask)
{
	const uint32_t *b = w->v.row[di->b], *c = w->v.row[di->c];
	uint8_t *shared = w->cta->shared;
	uint32_t *d = w->v.row[di->d], m;

	if (di->u == PPU_ATOM_ADD && di->t <= PPU_T_S32) {
		for (m = mask; m; m &= m - 1) {
			unsigned lane = (unsigned)__builtin_ctz(m);
			uint32_t *p = (uint32_t *)(shared + off[lane]), old = *p;

			*p = old + b[lane];
			d[lane] = old;
		}
		return;
	}
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		uint32_t *p = (uint32_t *)(shared + off[lane]), old = *p;

		*p = (uint32_t)combine(di->u, di->t, old, b[lane], c[lane]);
		d[lane] = old;
	}
}

enum ppu_step ppu_h_atom(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	struct access a;
	uint32_t m, off[PPU_LANES];

	sm->ctr[PPU_CTR_ATOMICS]++;
	access_of(w, di, PPU_ACC_ATOMIC, &a);
	if (a.space == PPU_SPACE_CONST)
		a.space = PPU_SPACE_GLOBAL;
	if (shared_words(sm, w, &a, mask, off)) {
		shared_atomics(w, di, off, mask);
		w->pc++;
		return PPU_GO;
	}
	if (atomic_equal(sm, w, di, &a, mask)) {
		w->pc++;
		return PPU_GO;
	}
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		struct ref r;
		uint64_t old;

		if (ppu_lsu_ref(sm, w, &a, lane, &r) != PPU_GO)
			return PPU_SWITCH;
		if (a.esz == 16) {
			u128 v = atomic128(r.p, di->u == PPU_ATOM_EXCH,
					   operand128(w, di->b, lane), operand128(w, di->c, lane));

			ppu_pair_set(&w->v, di->d, lane, (uint64_t)v);
			ppu_pair_set(&w->v, di->d + 2, lane, (uint64_t)(v >> 64));
		} else {
			old = atomic_op(r.p, a.esz, di->u, di->t, operand(w, &a, di->b, lane),
					operand(w, &a, di->c, lane));
			w->v.row[di->d][lane] = (uint32_t)old;
			if (a.regs == 2)
				w->v.row[di->d + 1][lane] = (uint32_t)(old >> 32);
		}
		if (r.e) {
			note_store(sm, w, r.e, r.va, a.bytes);
			sm->ctr[PPU_CTR_PARTITION_WRITES]++;
		}
	}
	w->pc++;
	return PPU_GO;
}
