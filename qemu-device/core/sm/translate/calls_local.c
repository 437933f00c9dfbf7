/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short ways for words, and pairs of words, in local memory: arrays with an index and what a function saves.
 *
 * Local memory is interleaved: the words at one offset of all lanes are a row.  So lanes with equal offsets, which is what
 * spilled registers have, move rows; others gather.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/mem/lsu_block.h"
#include "core/sm/translate/calls.h"
#include "core/sm/translate/calls_lanes.h"

/* Offsets of eight lanes.  False: one is not aligned or not inside. */
INLINE bool offsets8(const struct ppu_dinsn *di, const uint32_t *lo, unsigned k, uint32_t lanes, uint32_t bytes,
		     uint32_t size, __m256i *off)
{
	const __m256i last = _mm256_set1_epi32((int)(size - bytes));
	__m256i a = _mm256_add_epi32(load8(&lo[(size_t)8 * k]), _mm256_set1_epi32((int)di->imm));
	__m256i in = _mm256_cmpeq_epi32(_mm256_max_epu32(a, last), last);

	*off = a;
	in = _mm256_and_si256(in, _mm256_cmpeq_epi32(_mm256_and_si256(a, _mm256_set1_epi32((int)bytes - 1)),
						     _mm256_setzero_si256()));
	return !((lanes >> 8 * k & 0xff) & ~sign_bits(in));
}

/* Where the lanes' words are, from the warp's local memory on.  False: take the long way.  *equal: they are a row. */
INLINE bool find(const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, unsigned words, __m256i at[4],
		 bool *equal)
{
	const uint32_t *lo = w->v.row[di->a], size = w->cta->local_bytes, bytes = 4 * words;

	*equal = !(lanes & ~equal_to(lo, lo[__builtin_ctz(lanes)]));
	if (size < bytes)
		return false;
	EACH(k, 4) {
		if (!offsets8(di, lo, k, lanes, bytes, size, &at[k]))
			return false;
		/* 4-byte words of 32 lanes */
		at[k] = _mm256_add_epi32(_mm256_slli_epi32(at[k], 5), iota(8 * k, 4));
	}
	return true;
}

INLINE uint8_t *row_of(const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, unsigned word)
{
	uint32_t off = w->v.row[di->a][__builtin_ctz(lanes)] + di->imm;

	return w->local + (size_t)PPU_LANES * (off + 4 * word);
}

INLINE int load(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes, uint64_t cycle,
		unsigned words)
{
	const struct ppu_dinsn *di = site->di;
	const uint8_t *p[2];
	__m256i at[4];
	bool equal;

	if (!find(w, di, lanes, words, at, &equal))
		return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	/* The destination may hold the addresses. */
	for (unsigned i = 0; i < words; i++)
		p[i] = equal ? row_of(w, di, lanes, i) : w->local + (size_t)128 * i;
	for (unsigned i = 0; i < words; i++)
		EACH(k, 4) {
			__m256i v = equal ? at8(p[i] + (size_t)32 * k) :
				    _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)p[i], at[k],
								spread(lanes, k), 1);

			put8(w->v.row[di->d + i], k, v, lanes);
		}
	return PPU_GO;
}

INLINE int store(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes, uint64_t cycle,
		 unsigned words)
{
	const struct ppu_dinsn *di = site->di;
	uint32_t off[PPU_LANES] __attribute__((aligned(32)));
	__m256i at[4];
	bool equal;

	if (!find(w, di, lanes, words, at, &equal))
		return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	w->local_dirty = true;
	for (unsigned i = 0; equal && lanes == ~0u && i < words; i++)
		EACH(k, 4)
			_mm256_storeu_si256((__m256i *)(row_of(w, di, lanes, i) + (size_t)32 * k),
					    load8(&w->v.row[di->b + i][(size_t)8 * k]));
	if (equal && lanes == ~0u)
		return PPU_GO;
	EACH(k, 4)
		_mm256_store_si256((__m256i *)&off[(size_t)8 * k], at[k]);
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned lane = (unsigned)__builtin_ctz(m);

		for (unsigned i = 0; i < words; i++)
			__atomic_store_n((uint32_t *)(w->local + off[lane] + (size_t)128 * i), w->v.row[di->b + i][lane],
					 __ATOMIC_RELAXED);
	}
	return PPU_GO;
}

#define CALL(name, inner, words) \
static AVX2 int name(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes, uint64_t cycle, \
		     struct ppu_run *run) \
{ \
	if (__builtin_expect(lanes == ~0u, 1)) \
		return inner(sm, w, site, ~0u, cycle, words); \
	return inner(sm, w, site, lanes, cycle, words); \
}
CALL(load_1, load, 1)
CALL(load_2, load, 2)
CALL(store_1, store, 1)
CALL(store_2, store, 2)

ppu_call_fn ppu_call_local(const struct ppu_dinsn *di, unsigned words)
{
	if (words < 1 || words > 2)
		return NULL;
	if (di->handler == PPU_H_ld)
		return words == 1 ? load_1 : load_2;
	return words == 1 ? store_1 : store_2;
}
#endif
