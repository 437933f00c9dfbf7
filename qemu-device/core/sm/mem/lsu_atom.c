/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load/store unit: atomics.  Lanes that all name one address are combined first; the others go one after
 * the other, in ascending order.
 */
#include <string.h>
#include "core/sm/mem/lsu_block.h"
#include "core/sm/warp.h"

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
	/* f32 has more than twice the digits of either format, and two more.  So rounding the f32 sum of
	 * two such numbers again gives the same as rounding once. */
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

typedef unsigned __int128 u128;
/* Written in assembler, because compilers call a library for it: on x86-64 unless the whole program is built for
 * cx16.  Returns what was there. */
#if defined(__x86_64__)
static u128 cas128(uint8_t *p, u128 old, u128 new)
{
	uint64_t lo = (uint64_t)old, hi = (uint64_t)(old >> 64);

	__asm__ volatile("lock cmpxchg16b %0"
			 : "+m"(*(u128 *)p), "+a"(lo), "+d"(hi)
			 : "b"((uint64_t)new), "c"((uint64_t)(new >> 64))
			 : "cc", "memory");
	return (u128)hi << 64 | lo;
}
#elif defined(__aarch64__)
/* A pair of loads is one access only when the pair of stores behind it succeeds.  So a word that differs is stored
 * as it was. */
static u128 cas128(uint8_t *p, u128 old, u128 new)
{
	uint64_t lo, hi, put_lo, put_hi;
	uint32_t failed;

	__asm__ volatile("1:	ldaxp	%0, %1, %5\n"
			 "	cmp	%0, %6\n"
			 "	ccmp	%1, %7, #0, eq\n"
			 "	csel	%2, %8, %0, eq\n"
			 "	csel	%3, %9, %1, eq\n"
			 "	stlxp	%w4, %2, %3, %5\n"
			 "	cbnz	%w4, 1b"
			 : "=&r"(lo), "=&r"(hi), "=&r"(put_lo), "=&r"(put_hi), "=&r"(failed), "+Q"(*(u128 *)p)
			 : "r"((uint64_t)old), "r"((uint64_t)(old >> 64)), "r"((uint64_t)new),
			   "r"((uint64_t)(new >> 64))
			 : "cc", "memory");
	return (u128)hi << 64 | lo;
}
#else
static u128 cas128(uint8_t *p, u128 old, u128 new)
{
	__atomic_compare_exchange_n((u128 *)p, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}
#endif

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
	    a->space == PPU_SPACE_PARAM || !find_block(sm, w, a, mask, &b) || b.pattern != EQUAL || !b.e ||
	    (b.e->flags & PPU_TLB_NULL))
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

		if (lane_ref(sm, w, &a, lane, &r) != PPU_GO)
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
