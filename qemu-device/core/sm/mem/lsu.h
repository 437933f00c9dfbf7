/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a memory instruction names memory, and how one lane of it moves: what the store paths share (lsu.c is
 * the plain one, storebuf.c the one with a store buffer); and the SM's TLB.
 *
 * State: the TLB in struct ppu_sm.
 * Thread safety: the thread that runs the SM.
 * Time: none.
 */
#ifndef PPU_LSU_H
#define PPU_LSU_H

#include "core/sm/sm.h"

/* Empties the TLB. */
void ppu_lsu_flush(struct ppu_sm *sm);
/* End of a window: tell memory which pages were written. */
void ppu_lsu_report_dirty(struct ppu_sm *sm);

#define PAGE_MASK (PPU_PAGE_SIZE - 1)

/* ---- addresses of an instruction ------------------------------------------------------------------- */

struct access {
	uint8_t space;		/* enum ppu_space; GENERIC is resolved by lane */
	uint8_t acc;		/* PPU_ACC_* */
	uint8_t esz;		/* bytes of an element */
	uint8_t n;		/* elements of a lane */
	uint8_t bytes;		/* esz * n */
	uint8_t regs;		/* register rows of an element */
	bool sign;		/* elements below 32 bits extend their sign */
	bool is64;
	bool fixed;		/* no address register: one address for all lanes */
	const uint32_t *lo, *hi;
	uint64_t imm;
};

/* What the instruction says of it, without addresses. */
static inline void access_shape(const struct ppu_dinsn *di, unsigned acc, struct access *a)
{
	static const uint8_t bytes[PPU_T_COUNT] = {
#define T(name, code, bits, suffix) [code] = (bits) / 8,
		PPU_TYPES(T)
#undef T
	};

	a->space = di->m;
	a->acc = acc;
	a->esz = bytes[di->t];
	a->n = acc == PPU_ACC_ATOMIC ? 1 : 1 << di->x;
	a->bytes = a->esz * a->n;
	a->regs = a->esz > 4 ? a->esz / 4 : 1;
	a->sign = di->t == PPU_T_S8 || di->t == PPU_T_S16;
	a->is64 = PPU_SPACE_IS_64(di->m);
}

static inline void access_of(const struct ppu_warp *w, const struct ppu_dinsn *di, unsigned acc,
			     struct access *a)
{
	access_shape(di, acc, a);
	a->lo = w->v.row[di->a];
	a->hi = a->is64 ? w->v.row[di->a + 1] : NULL;
	a->imm = di->imm64;
	a->fixed = di->a == PPU_ROW_ZERO(w->prog->nregs);
}

static inline uint64_t lane_va(const struct access *a, unsigned lane)
{
	if (!a->is64)
		return (uint32_t)(a->lo[lane] + (uint32_t)a->imm);
	return (a->lo[lane] | (uint64_t)a->hi[lane] << 32) + a->imm;
}

/* ---- transactions ---------------------------------------------------------------------------------------- */

/*
 * Lanes go to global memory in four groups of eight.  A group whose addresses lie in one window costs one transaction;
 * the window begins at the address of the group's lowest lane and has room for eight accesses.  Any other group costs
 * one for each lane (Documentation/hw/sm.md, Memory).
 */
static inline unsigned lane_groups(uint32_t mask)
{
	return !!(mask & 0xff) + !!(mask & 0xff00) + !!(mask & 0xff0000) + !!(mask >> 24);
}

/* What the lanes in mask cost. */
unsigned ppu_lsu_transactions(const struct ppu_sm *sm, const struct access *a, uint32_t mask);

/* ---- one lane ---------------------------------------------------------------------------------------- */

struct ref {
	uint8_t *p;		/* first byte; local memory: of the warp's area */
	uint32_t off;		/* offset in local memory */
	bool local;
	struct ppu_tlbe *e;
	uint64_t va;
};

/* Finds the memory that lane `lane` names.  Not PPU_GO: the CTA has faulted. */
enum ppu_step ppu_lsu_ref(struct ppu_sm *sm, struct ppu_warp *w, const struct access *a, unsigned lane,
			  struct ref *r);

/* Host address of byte k of the memory that r names. */
static inline uint8_t *ref_at(const struct ref *r, unsigned lane, uint32_t k)
{
	uint32_t off = r->off + k;

	return r->local ? r->p + ((size_t)(off >> 2) * PPU_LANES + lane) * 4 + (off & 3) : r->p + k;
}

static inline uint64_t load_mem(const uint8_t *p, unsigned bytes)
{
	switch (bytes) {
	case 1:	 return *p;
	case 2:	 return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
	case 4:	 return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
	default: return __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
	}
}

static inline void store_mem(uint8_t *p, unsigned bytes, uint64_t v)
{
	switch (bytes) {
	case 1:	 *p = (uint8_t)v; break;
	case 2:	 __atomic_store_n((uint16_t *)p, (uint16_t)v, __ATOMIC_RELAXED); break;
	case 4:	 __atomic_store_n((uint32_t *)p, (uint32_t)v, __ATOMIC_RELAXED); break;
	default: __atomic_store_n((uint64_t *)p, v, __ATOMIC_RELAXED); break;
	}
}

/*
 * An acquire or release of the program, done with plain loads and stores of the host.  x86 keeps the order of those,
 * other hosts need a fence.  Atomics have the host's acquire and release in them.
 */
static inline void host_acquire(const struct ppu_dinsn *di)
{
#ifndef __x86_64__
	if ((di->y & 7) == PPU_MO_ACQUIRE)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

static inline void host_release(const struct ppu_dinsn *di)
{
#ifndef __x86_64__
	if ((di->y & 7) == PPU_MO_RELEASE)
		__atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

static inline uint32_t extend(uint64_t v, unsigned bytes, bool sign)
{
	if (sign)
		return bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
	return (uint32_t)v;
}

/* Read what a lane loads into out[], one word per register. */
static inline void lane_load(const struct access *a, const struct ref *r, unsigned lane, uint32_t *out)
{
	uint32_t k, step = a->esz > 8 ? 8 : a->esz;

	for (k = 0; k < a->bytes; k += step) {
		if (step == 8 && r->local) {
			*out++ = (uint32_t)load_mem(ref_at(r, lane, k), 4);
			*out++ = (uint32_t)load_mem(ref_at(r, lane, k + 4), 4);
		} else if (step == 8) {
			uint64_t v = load_mem(r->p + k, 8);

			*out++ = (uint32_t)v;
			*out++ = (uint32_t)(v >> 32);
		} else {
			*out++ = extend(load_mem(ref_at(r, lane, k), step), step, a->sign);
		}
	}
}

static inline void lane_store(const struct access *a, const struct ref *r, unsigned lane, const uint32_t *in)
{
	uint32_t k, step = a->esz > 8 ? 8 : a->esz;

	for (k = 0; k < a->bytes; k += step) {
		if (step == 8 && r->local) {
			store_mem(ref_at(r, lane, k), 4, *in++);
			store_mem(ref_at(r, lane, k + 4), 4, *in++);
		} else if (step == 8) {
			store_mem(r->p + k, 8, in[0] | (uint64_t)in[1] << 32);
			in += 2;
		} else {
			store_mem(ref_at(r, lane, k), step, *in++);
		}
	}
}

#endif
