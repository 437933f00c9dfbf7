/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load/store unit: loads and stores of SM threads, the mapping of the unified address space, and the
 * SM's TLB.  Atomics: lsu_atom.c.
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
#include "core/exec/lane_bit.h"
#include "core/memory/mmu.h"
#include "core/sm/cluster/cluster.h"
#include "core/sm/mem/lsu_block.h"
#include "core/sm/mem/span.h"
#include "core/sm/mem/trail.h"
#include "core/sm/warp.h"

/* Counts bits without a library call on hosts that lack the instruction. */
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

		if ((e->flags & (PPU_TLB_DIRTY | PPU_TLB_NULL)) == PPU_TLB_DIRTY)
			ppu_mem_dirty(sm->core, ppu_tlb_phys(e), PPU_PAGE_SIZE);
		e->flags &= ~PPU_TLB_DIRTY;
	}
	if (sm->num_dirty)
		ppu_near_clean(sm);
	sm->num_dirty = 0;
}

void ppu_lsu_flush(struct ppu_sm *sm)
{
	unsigned i;

	ppu_lsu_report_dirty(sm);
	for (i = 0; i < PPU_TLB_ENTRIES; i++)
		sm->tlb[i].page = ~0ull;
	ppu_near_clear(sm);
	ppu_spans_clear(sm);
	ppu_trails_clear(sm);
	sm->xlat_gen = sm->core->xlat_gen;
}

/*
 * A page without memory: the entry serves the access that needs it now, and is not found again.  So loads and stores of
 * the same page may have different host memory.  It passes for dirty, so that nobody notes the store.
 */
static void fill_null(struct ppu_sm *sm, uint64_t va, unsigned acc, uint8_t *zeroes, struct ppu_tlbe *e)
{
	*e = (struct ppu_tlbe){
		.page = ~0ull, .host = acc == PPU_ACC_READ ? zeroes : sm->sink,
		.flags = PPU_TLB_WRITE | PPU_TLB_DIRTY | PPU_TLB_NULL,
	};
	/* An atomic, which has at most 16 bytes, finds 0. */
	if (acc == PPU_ACC_ATOMIC)
		memset(sm->sink + (va & PAGE_MASK & ~15ull), 0, 16);
}

/* Fills a TLB entry.  Returns 0 or PPU_ERR_*. */
int ppu_lsu_tlb_fill(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va, unsigned acc,
		    struct ppu_tlbe *e, unsigned *level)
{
	struct ppu_xlat x;
	int err;

	sm->ctr[PPU_CTR_TLB_MISSES]++;
	memset(&x, 0, sizeof(x));
	err = ppu_mmu_translate(sm->core, ctx, va & ~PAGE_MASK, acc, PPU_XL_NULL, &x);
	*level = x.level;
	if (err)
		return err;
	if (!x.host || x.len < PPU_PAGE_SIZE)
		return PPU_ERR_SM_DMA;
	if (e->page != ~0ull && (e->flags & PPU_TLB_DIRTY))
		ppu_mem_dirty(sm->core, ppu_tlb_phys(e), PPU_PAGE_SIZE);
	PPU_NEAR_FORGET(sm, e->page);
	if (sm->spans)
		ppu_spans_cut(sm, e->page);
	if (x.pte & PPU_PTE_NULL) {
		fill_null(sm, va, acc, x.host, e);
		return 0;
	}
	e->page = va >> PPU_PAGE_SHIFT;
	e->ctx = ctx;
	e->host = x.host;
	e->frame = x.phys.addr >> PPU_PAGE_SHIFT;
	e->sys = x.phys.sys;
	e->flags = (x.pte & PPU_PTE_READONLY ? 0 : PPU_TLB_WRITE) | (x.watched ? PPU_TLB_WATCHED : 0);
	return 0;
}

/* [va, va + len) inside the page of e was or will be written. */
void ppu_lsu_note_store(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_tlbe *e, uint64_t va,
			    uint32_t len)
{
	if (!(e->flags & PPU_TLB_DIRTY)) {
		if (sm->num_dirty == PPU_TLB_ENTRIES)
			ppu_lsu_report_dirty(sm);
		e->flags |= PPU_TLB_DIRTY;
		sm->dirty[sm->num_dirty++] = (uint16_t)(e - sm->tlb);
	}
	if (e->flags & PPU_TLB_WATCHED) {
		uint64_t addr = ppu_tlb_phys(e).addr + (va & PAGE_MASK), time = ppu_sm_time(sm);
		struct ppu_effect *x = sm->fx.n ? &sm->fx.v[sm->fx.n - 1] : NULL;

		/* Lanes of one instruction make one effect. */
		if (x && x->kind == PPU_FX_STORE && x->task == w->cta->task && x->time == time &&
		    x->phys.sys == e->sys && addr >= x->phys.addr &&
		    addr <= x->phys.addr + x->len) {
			if (addr + len > x->phys.addr + x->len)
				x->len = addr + len - x->phys.addr;
			return;
		}
		x = ppu_sm_effect(sm, PPU_FX_STORE, w->cta->task);
		sm->fx.lost_stores |= !x;
		if (x) {
			x->phys = ppu_tlb_phys(e);
			x->phys.addr = addr;
			x->len = len;
			x->arg[0] = va;
		}
	}
}

/* ---- addresses of an instruction ------------------------------------------------------------------- */



/* How the register values of the lanes in mask relate; hi may be NULL. The values of the first and the
 * last lane leave one pattern that is possible (besides SCATTERED), so one pass decides. */
PPU_SIMD_CLONES
enum pattern ppu_lsu_classify(const uint32_t *lo, const uint32_t *hi, uint32_t mask, uint32_t size)
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
			bad |= mask & ppu_lane_bit[i] ? (lo[i] ^ (base + i * step)) | (hi[i] ^ hi0) : 0;
	else
		for (i = 0; i < PPU_LANES; i++)
			bad |= mask & ppu_lane_bit[i] ? lo[i] ^ (base + i * step) : 0;
	return bad ? SCATTERED : step ? CONSECUTIVE : EQUAL;
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
	unsigned space = a->space, level = 0, code = 0;
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
		r->p = cta->shared + off;
		if (off + a->bytes > cta->shared_bytes)
			r->p = ppu_cluster_shared(sm, cta, off, a->bytes, &code);
		return r->p ? PPU_GO : lane_fault(sm, w, a, code, lane, va, 0);
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
		d[i] = mask & ppu_lane_bit[i] ? v : d[i];
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
			d[i] = mask & ppu_lane_bit[i] ? p[i] : d[i];
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

			d0[i] = mask & ppu_lane_bit[i] ? (uint32_t)v : d0[i];
			d1[i] = mask & ppu_lane_bit[i] ? (uint32_t)(v >> 32) : d1[i];
		}
}

/* Touches no memory of other lanes. */
PPU_SIMD_CLONES
static void store_words(const uint32_t *b, uint32_t *p, uint32_t mask)
{
	unsigned i;

#ifndef __clang__
#pragma GCC ivdep
#endif
	for (i = 0; i < PPU_LANES; i++)
		if (mask & ppu_lane_bit[i])
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
			d[i] = mask & ppu_lane_bit[i] ? (uint32_t)p[i] : d[i]; \
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

/* Computes the low words of the page numbers.  False: a lane is not aligned, or the high words differ. */
PPU_SIMD_CLONES
static bool page_numbers(const uint32_t *lo, const uint32_t *hi, uint64_t imm, uint32_t mask, uint32_t first_hi,
			 uint32_t *page, uint32_t *off)
{
	uint32_t bad = 0, imm_lo = (uint32_t)imm, imm_hi = (uint32_t)(imm >> 32);
	unsigned i;

	for (i = 0; i < PPU_LANES; i++) {
		uint32_t l = lo[i] + imm_lo, h = hi[i] + imm_hi + (l < imm_lo);

		bad |= mask & ppu_lane_bit[i] ? (l & 3) | (h ^ first_hi) >> PPU_PAGE_SHIFT : 0;
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
		lanes |= v[i] == x ? ppu_lane_bit[i] : 0;
	return lanes;
}

/* False: the instruction needs the slow way, and nothing has been done. */
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
		/* Hits only: a fill could evict an entry this instruction uses. */
		struct ppu_tlbe *e = tlb_hit(sm, ctx, lane_va(a, i), a->acc);

		if (p->n == 2 && 2 * count_lanes(m) > count_lanes(mask))
			return false;	/* many pages: lane by lane is faster */
		if (p->n == MAX_PAGES || !e)
			return false;
		p->page[p->n].e = e;
		p->page[p->n].lanes = equal_lanes(number, number[i]) & m;
		m &= ~p->page[p->n].lanes;
	}
	return true;
}

/*
 * Global words anywhere: addresses of all lanes, page by page.  False: the instruction needs the slow way, and
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
			t = tlb_hit(sm, ctx, va, a->acc);
			if (!t)
				return false;
		}
		if (va & 3)
			return false;
		p[i] = (uint32_t *)(t->host + (va & PAGE_MASK));
		e[i] = t;
	}
	return true;
}

/* ---- transactions ---------------------------------------------------------------------------------------- */

static bool is_global(const struct access *a, unsigned lane)
{
	return a->space == PPU_SPACE_GLOBAL || a->space == PPU_SPACE_CONST ||
	       (a->space == PPU_SPACE_GENERIC && lane_va(a, lane) >> 32 < PPU_VA_PARAM_BASE >> 32);
}

unsigned ppu_lsu_transactions(const struct ppu_sm *sm, const struct access *a, uint32_t mask)
{
	uint32_t m;

	if (!a->is64)
		return 0;
	for (m = mask; m && a->space == PPU_SPACE_GENERIC; m &= m - 1)
		if (!is_global(a, (unsigned)__builtin_ctz(m)))
			mask &= ~(m & -m);
	return sm->simd->transactions(a->lo, a->hi, mask, a->bytes);
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

	/* Do all loads first, because the destination may hold the addresses. */
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		struct ref r;

		if (lane_ref(sm, w, a, lane, &r) != PPU_GO)
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
		host_acquire(di);
		w->pc++;
		return PPU_GO;
	}
	if (find_block(sm, w, &a, mask, &b)) {
		load_block(w, &a, &b, di->d, mask);
		sm->ctr[PPU_CTR_PARTITION_READS] += b.e ? lane_groups(mask) : 0;
	} else {
		/* The destination may hold the addresses. */
		unsigned n = ppu_lsu_transactions(sm, &a, mask);

		if (load_lanes(sm, w, &a, di->d, mask) != PPU_GO)
			return PPU_SWITCH;
		sm->ctr[PPU_CTR_PARTITION_READS] += n;
	}
	host_acquire(di);
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
	host_release(di);
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
			sm->ctr[PPU_CTR_PARTITION_WRITES] += lane_groups(mask);
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
		sm->ctr[PPU_CTR_PARTITION_WRITES] += ppu_lsu_transactions(sm, &a, mask);
		w->pc++;
		return PPU_GO;
	}
	if (di->m != PPU_SPACE_CONST && global_words(sm, w, &a, mask, p, e)) {
		for (m = mask; m; m &= m - 1) {
			unsigned lane = (unsigned)__builtin_ctz(m);

			__atomic_store_n(p[lane], w->v.row[di->b][lane], __ATOMIC_RELAXED);
			note_store(sm, w, e[lane], lane_va(&a, lane), 4);
		}
		sm->ctr[PPU_CTR_PARTITION_WRITES] += ppu_lsu_transactions(sm, &a, mask);
		w->pc++;
		return PPU_GO;
	}
	rows = a.n * a.regs;
	for (m = mask; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);
		struct ref r;

		if (lane_ref(sm, w, &a, lane, &r) != PPU_GO) {
			sm->ctr[PPU_CTR_PARTITION_WRITES] += ppu_lsu_transactions(sm, &a, mask & ~m);
			return PPU_SWITCH;
		}
		for (k = 0; k < rows; k++)
			in[k] = w->v.row[di->b + k][lane];
		lane_store(&a, &r, lane, in);
		if (r.e)
			note_store(sm, w, r.e, r.va, a.bytes);
	}
	sm->ctr[PPU_CTR_PARTITION_WRITES] += ppu_lsu_transactions(sm, &a, mask);
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_membar(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	w->pc++;
	return PPU_GO;
}
