/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short ways for loads and stores of words, and for everything else the handler.
 *
 * A short way takes lanes with equal or consecutive addresses, words anywhere in global memory below one high word, and
 * words anywhere in shared memory; translations must be in the TLB.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/mem/lsu_block.h"
#include "core/sm/mem/span.h"
#include "core/sm/mem/trail.h"
#include "core/sm/translate/calls.h"
#include "core/sm/translate/calls_lanes.h"
#include "core/sm/translate/segment.h"

#define KNOWN	static inline __attribute__((always_inline)) PPU_NO_VECTORS

int ppu_call_handler(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, struct ppu_run *run)
{
	const struct ppu_dinsn *di = site->di;

	sm->cycle = cycle + (uint64_t)(int64_t)site->cycles;
	w->pc = site->pc;
	return site->handler(sm, w, di, lanes);
}

/* ---- addresses ---- */

struct place {
	uint8_t *p;		/* of the lowest lane; scattered: the page */
	struct ppu_tlbe *e;
	uint64_t va;
	unsigned first, last;
	enum pattern pattern;
};

/* Where the lanes point in global memory.  False: take the long way. */
INLINE bool global_place(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes,
			 unsigned bytes, bool write, struct place *b)
{
	const uint32_t *lo = w->v.row[di->a], *hi = w->v.row[di->a + 1];
	uint32_t off, room;
	uint64_t page;

	b->first = (unsigned)__builtin_ctz(lanes);
	b->last = 31 - (unsigned)__builtin_clz(lanes);
	b->va = (lo[b->first] | (uint64_t)hi[b->first] << 32) + di->imm64;
	if (lanes & ~equal_to(hi, hi[b->first]))
		return false;
	if (di->m == PPU_SPACE_GENERIC && b->va >> 32 >= PPU_VA_PARAM_BASE >> 32)
		return false;
	off = (uint32_t)b->va & PAGE_MASK;
	page = b->va >> PPU_PAGE_SHIFT;
	b->e = &sm->tlb[PPU_TLB_INDEX(page)];
	if (b->e->page != page || b->e->ctx != w->cta->task->ctx || (write && !(b->e->flags & PPU_TLB_WRITE)) ||
	    (off & (bytes - 1)))
		return false;
	b->p = b->e->host + off;
	if (!(lanes & ~in_steps(lo, lo[b->first] - b->first * bytes, bytes))) {
		/* With inactive lanes the whole block is read, so all of it has to be in the page. */
		room = lanes == ~0u ? 0 : b->first * bytes;
		b->pattern = CONSECUTIVE;
		return off >= room && off - room + PPU_LANES * bytes <= PPU_PAGE_SIZE &&
		       lo[b->first] <= UINT32_MAX - PPU_LANES * bytes;
	}
	b->pattern = EQUAL;
	if (!(lanes & ~equal_to(lo, lo[b->first])))
		return true;
	b->pattern = SCATTERED;
	return false;
}

/* ---- eight lanes at a time ---- */

/* What the addresses of eight lanes are to one another; other: none of these. */
enum shape { NOBODY, ALL_EQUAL, IN_A_ROW, OTHER };
struct chunk {
	enum shape shape;
	uint32_t lo;		/* low word of the address: of all lanes, or of lane 0 when they are in a row */
	unsigned lane;		/* lowest lane that is active */
};

INLINE struct chunk shape_of(const uint32_t *lo, unsigned k, uint32_t lanes, unsigned bytes)
{
	uint32_t m = lanes >> 8 * k & 0xff, same, row;
	struct chunk c = { NOBODY, 0, 0 };
	__m256i v = load8(lo + 8 * k);
	unsigned i;

	if (!m)
		return c;
	i = lanes == ~0u ? 0 : (unsigned)__builtin_ctz(m);
	c.lane = 8 * k + i;
	c.lo = lo[c.lane];
	v = _mm256_sub_epi32(v, _mm256_set1_epi32((int)c.lo));
	same = sign_bits(_mm256_cmpeq_epi32(v, _mm256_setzero_si256()));
	row = sign_bits(_mm256_cmpeq_epi32(v, _mm256_sub_epi32(iota(0, bytes), _mm256_set1_epi32((int)(bytes * i)))));
	c.shape = !(m & ~row) ? IN_A_ROW : !(m & ~same) ? ALL_EQUAL : OTHER;
	if (c.shape == IN_A_ROW)
		c.lo -= bytes * i;
	return c;
}

/* What an instruction's lanes cost in global memory; bytes: of a lane. */
INLINE unsigned transactions(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes,
			     unsigned bytes)
{
	return sm->simd->transactions(w->v.row[di->a], w->v.row[di->a + 1], lanes, bytes);
}

/* ---- what goes to registers ---- */

/* Eight pairs of words in a row: the first words of all, and the second words of all. */
INLINE void part_pairs(const uint8_t *q, __m256i *first, __m256i *second)
{
	__m256 x = _mm256_castsi256_ps(at8(q)), y = _mm256_castsi256_ps(at8(q + 32));

	*first = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88)), 0xd8);
	*second = _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xdd)), 0xd8);
}

/* Words of consecutive memory, `words` for each lane, to as many rows; p: of lane 0. */
INLINE void load_rows(uint32_t (*row)[PPU_LANES], const uint8_t *p, unsigned words, uint32_t lanes)
{
	EACH(k, 4) {
		const uint8_t *q = p + k * 32 * words;

		if (words == 1) {
			put8(row[0], k, at8(q), lanes);
		} else if (words == 2) {
			__m256i l, h;

			part_pairs(q, &l, &h);
			put8(row[0], k, l, lanes);
			put8(row[1], k, h, lanes);
		} else {
			__m256i v[4], t[4];

			EACH(i, 4)
				v[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(
					_mm_loadu_si128((const __m128i *)(q + 16 * i))),
					_mm_loadu_si128((const __m128i *)(q + 64 + 16 * i)), 1);
			t[0] = _mm256_unpacklo_epi32(v[0], v[1]);
			t[1] = _mm256_unpackhi_epi32(v[0], v[1]);
			t[2] = _mm256_unpacklo_epi32(v[2], v[3]);
			t[3] = _mm256_unpackhi_epi32(v[2], v[3]);
			put8(row[0], k, _mm256_unpacklo_epi64(t[0], t[2]), lanes);
			put8(row[1], k, _mm256_unpackhi_epi64(t[0], t[2]), lanes);
			put8(row[2], k, _mm256_unpacklo_epi64(t[1], t[3]), lanes);
			put8(row[3], k, _mm256_unpackhi_epi64(t[1], t[3]), lanes);
		}
	}
}

/* The same words for all lanes. */
INLINE void load_equal(uint32_t (*row)[PPU_LANES], const uint8_t *p, unsigned words, uint32_t lanes)
{
	uint32_t v[4];

	memcpy(v, p, 4 * words);
	EACH(i, words)
		EACH(k, 4)
			put8(row[i], k, _mm256_set1_epi32((int)v[i]), lanes);
}

/* ---- loads ---- */

/* The TLB's entry for some words of a lane.  NULL: it has none, they are not aligned, or the page is not to be written. */
INLINE struct ppu_tlbe *entry_of(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va, unsigned bytes, bool write)
{
	struct ppu_tlbe *e = tlb_hit(sm, ctx, va, write ? PPU_ACC_WRITE : PPU_ACC_READ);

	/* A page that somebody watches is for the handler. */
	return !e || (va & (bytes - 1)) || (write && (e->flags & PPU_TLB_WATCHED)) ? NULL : e;
}

/* The host's place of a word in global memory.  NULL: it is not in the TLB, or not aligned. */
INLINE const uint8_t *global_word(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va)
{
	const struct ppu_tlbe *e = entry_of(sm, ctx, va, 4, false);

	return e ? e->host + (va & PAGE_MASK) : NULL;
}

/*
 * What eight lanes point at, one word, half or byte each, if it all lies in one page of the TLB; narrow ones are the low bits
 * of v.  The high words of the addresses are equal, and one of these lanes is active.  False: it does not.
 */
INLINE bool page8(struct ppu_sm *sm, struct ppu_ctx *ctx, const struct ppu_dinsn *di, const uint32_t *lo, uint32_t hi,
		  unsigned k, uint32_t lanes, unsigned bytes, __m256i *v)
{
	const __m256i last = _mm256_set1_epi32(PAGE_MASK), zero = _mm256_setzero_si256();
	uint32_t m = lanes >> 8 * k & 0xff, first = lo[8 * k + (unsigned)__builtin_ctz(m)], base;
	uint64_t va = (first | (uint64_t)hi << 32) + di->imm64;
	const struct ppu_tlbe *e = entry_of(sm, ctx, va, bytes, false);
	__m256i d, in;

	/* The register's low word at the begin of the page; the page must not lie across 4 GiB there. */
	base = first - ((uint32_t)va & PAGE_MASK);
	if (!e || base > UINT32_MAX - PPU_PAGE_SIZE)
		return false;
	d = _mm256_sub_epi32(load8(lo + (size_t)8 * k), _mm256_set1_epi32((int)base));
	in = _mm256_cmpeq_epi32(_mm256_max_epu32(d, last), last);
	in = _mm256_and_si256(in, _mm256_cmpeq_epi32(_mm256_and_si256(d, _mm256_set1_epi32((int)bytes - 1)), zero));
	if (m & ~sign_bits(in))
		return false;
	/* Whole words, which lie in the page. */
	*v = _mm256_mask_i32gather_epi32(zero, (const int *)e->host, _mm256_and_si256(d, _mm256_set1_epi32(~3)),
					 spread(lanes, k), 1);
	if (bytes < 4)
		*v = _mm256_srlv_epi32(*v, _mm256_slli_epi32(_mm256_and_si256(d, _mm256_set1_epi32(3)), 3));
	return true;
}

/* May `lanes` that point anywhere below one high word be in a window of the generic space? */
INLINE bool near_windows(const struct ppu_dinsn *di, uint32_t hi)
{
	return di->m == PPU_SPACE_GENERIC && hi + 1ull >= PPU_VA_PARAM_BASE >> 32;
}

/* Loads words of lanes that point anywhere, eight at a time.  The high words are equal.  False: nothing is done. */
INLINE bool global_chunks(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes)
{
	const uint32_t *lo = w->v.row[di->a], hi = w->v.row[di->a + 1][__builtin_ctz(lanes)];
	struct ppu_ctx *ctx = w->cta->task->ctx;
	__m256i v[4];

	if (near_windows(di, hi))
		return false;
	EACH(k, 4) {
		struct chunk c = shape_of(lo, k, lanes, 4);
		uint64_t va = (c.lo | (uint64_t)hi << 32) + di->imm64;
		uint32_t word[8] __attribute__((aligned(32)));
		const uint8_t *p = NULL;

		v[k] = _mm256_setzero_si256();
		if (c.shape == NOBODY)
			continue;
		if (c.shape == ALL_EQUAL) {
			p = global_word(sm, ctx, va);
			if (!p)
				return false;
			v[k] = _mm256_set1_epi32(*(const int *)p);
			continue;
		}
		if (c.shape == IN_A_ROW && (va & PAGE_MASK) <= PPU_PAGE_SIZE - 32 && c.lo <= UINT32_MAX - 32)
			p = global_word(sm, ctx, va);
		if (p) {
			v[k] = at8(p);
			continue;
		}
		if (page8(sm, ctx, di, lo, hi, k, lanes, 4, &v[k]))
			continue;
		_mm256_store_si256((__m256i *)word, v[k]);	/* an initialiser would be a loop */
		for (uint32_t m = lanes >> 8 * k & 0xff; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);

			p = global_word(sm, ctx, (lo[8 * k + i] | (uint64_t)hi << 32) + di->imm64);
			if (!p)
				return false;
			word[i] = *(const uint32_t *)p;
		}
		v[k] = load8(word);
	}
	EACH(k, 4)
		if (lanes >> 8 * k & 0xff)
			put8(w->v.row[di->d], k, v[k], lanes);
	return true;
}

/* global_chunks() for two or four words of each lane. */
INLINE bool global_wide(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes,
			unsigned words)
{
	const uint32_t *lo = w->v.row[di->a], hi = w->v.row[di->a + 1][__builtin_ctz(lanes)];
	uint32_t out[4][PPU_LANES] __attribute__((aligned(32)));
	struct ppu_ctx *ctx = w->cta->task->ctx;
	const struct ppu_tlbe *e = NULL;
	const uint8_t *p;

	if (near_windows(di, hi) || (lanes & ~equal_to(w->v.row[di->a + 1], hi)))
		return false;
	for (unsigned k = 0; k < 4; k++) {
		struct chunk c = shape_of(lo, k, lanes, 4 * words);
		uint64_t va = (c.lo | (uint64_t)hi << 32) + di->imm64;
		__m256i l, h;

		if (words == 2 && c.shape == IN_A_ROW && (va & PAGE_MASK) <= PPU_PAGE_SIZE - 64 &&
		    c.lo <= UINT32_MAX - 64) {
			e = entry_of(sm, ctx, va, 8, false);
			if (!e)
				return false;
			part_pairs(e->host + (va & PAGE_MASK), &l, &h);
			_mm256_store_si256((__m256i *)&out[0][8 * k], l);
			_mm256_store_si256((__m256i *)&out[1][8 * k], h);
			continue;
		}
		for (uint32_t m = lanes >> 8 * k & 0xff; m; m &= m - 1) {
			unsigned i = 8 * k + (unsigned)__builtin_ctz(m);

			va = (lo[i] | (uint64_t)hi << 32) + di->imm64;
			if (c.shape != ALL_EQUAL || i == c.lane)
				e = entry_of(sm, ctx, va, 4 * words, false);
			if (!e)
				return false;
			p = e->host + (va & PAGE_MASK);
			for (unsigned j = 0; j < words; j++)
				out[j][i] = ((const uint32_t *)p)[j];
		}
	}
	for (unsigned j = 0; j < words; j++)
		EACH(k, 4)
			if (lanes >> 8 * k & 0xff)
				put8(w->v.row[di->d + j], k, load8(&out[j][8 * k]), lanes);
	return true;
}

INLINE int ld_global(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, unsigned words)
{
	const struct ppu_dinsn *di = site->di;
	struct place b;

	b.pattern = CONSECUTIVE;
	if (global_place(sm, w, di, lanes, 4 * words, false, &b)) {
		if (b.pattern == EQUAL)
			load_equal(&w->v.row[di->d], b.p, words, lanes);
		else
			load_rows(&w->v.row[di->d], b.p - b.first * 4 * words, words, lanes);
		sm->ctr[PPU_CTR_PARTITION_READS] += lane_groups(lanes);
		return PPU_GO;
	}
	if (b.pattern == SCATTERED) {
		/* The destination may hold the addresses. */
		unsigned n = transactions(sm, w, di, lanes, 4 * words);

		if (words == 1 ? global_chunks(sm, w, di, lanes) : global_wide(sm, w, di, lanes, words)) {
			sm->ctr[PPU_CTR_PARTITION_READS] += n;
			return PPU_GO;
		}
	}
	return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
}

/* The offsets of eight words in shared memory.  False: one is wrong. */
INLINE bool offsets8(const struct ppu_dinsn *di, const uint32_t *lo, unsigned k, uint32_t lanes, uint32_t bytes,
		     __m256i *off)
{
	const __m256i imm = _mm256_set1_epi32((int)di->imm), last = _mm256_set1_epi32((int)(bytes - 4));
	__m256i a = _mm256_add_epi32(load8(lo + 8 * k), imm), in = _mm256_cmpeq_epi32(_mm256_max_epu32(a, last), last);

	*off = a;
	in = _mm256_and_si256(in, _mm256_cmpeq_epi32(_mm256_and_si256(a, _mm256_set1_epi32(3)), _mm256_setzero_si256()));
	return !((lanes >> 8 * k & 0xff) & ~sign_bits(in));
}

/* Loads words anywhere in shared memory.  False: an address is wrong, nothing is done. */
INLINE bool shared_chunks(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes)
{
	const uint32_t *lo = w->v.row[di->a], bytes = w->cta->shared_bytes;
	const uint8_t *base = w->cta->shared;
	__m256i v[4], off;

	if (bytes < 32)
		return false;
	EACH(k, 4) {
		struct chunk c = shape_of(lo, k, lanes, 4);
		uint32_t at = c.lo + di->imm;

		v[k] = _mm256_setzero_si256();
		if (c.shape == NOBODY) {
			continue;
		} else if (c.shape == ALL_EQUAL) {
			if ((at & 3) || at > bytes - 4)
				return false;
			v[k] = _mm256_set1_epi32(*(const int *)(base + at));
		} else if (c.shape == IN_A_ROW && at <= bytes - 32 && !(at & 3)) {
			v[k] = at8(base + at);
		} else {
			if (!offsets8(di, lo, k, lanes, bytes, &off))
				return false;
			v[k] = _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), (const int *)base, off,
							   spread(lanes, k), 1);
		}
	}
	EACH(k, 4)
		if (lanes >> 8 * k & 0xff)
			put8(w->v.row[di->d], k, v[k], lanes);
	return true;
}

/* Where consecutive or equal lanes point in a window of memory.  False: elsewhere, or not inside. */
INLINE bool window_place(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes, unsigned bytes, uint8_t *base,
			 uint32_t size, struct place *b)
{
	const uint32_t *lo = w->v.row[di->a];
	uint32_t off, before;

	b->first = (unsigned)__builtin_ctz(lanes);
	b->last = 31 - (unsigned)__builtin_clz(lanes);
	off = lo[b->first] + di->imm;
	if ((off & (bytes - 1)) || off >= size)
		return false;
	b->p = base + off;
	if (!(lanes & ~equal_to(lo, lo[b->first]))) {
		b->pattern = EQUAL;
		return size - off >= bytes;
	}
	b->pattern = CONSECUTIVE;
	before = lanes == ~0u ? 0 : b->first * bytes;
	return !(lanes & ~in_steps(lo, lo[b->first] - b->first * bytes, bytes)) && off >= before &&
	       (uint64_t)off - before + PPU_LANES * bytes <= size;
}

INLINE int ld_window(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, unsigned words, bool shared)
{
	const struct ppu_dinsn *di = site->di;
	struct ppu_cta *cta = w->cta;
	struct place b;

	if (shared && words == 1)
		return shared_chunks(w, di, lanes) ? (int)PPU_GO : ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	if (window_place(w, di, lanes, 4 * words, shared ? cta->shared : cta->params,
			 shared ? cta->shared_bytes : cta->param_bytes, &b)) {
		if (b.pattern == EQUAL)
			load_equal(&w->v.row[di->d], b.p, words, lanes);
		else
			load_rows(&w->v.row[di->d], b.p - b.first * 4 * words, words, lanes);
		return PPU_GO;
	}
	return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
}

INLINE __m256i extend8(__m256i v, unsigned bytes, bool sgn)
{
	const int n = 32 - 8 * (int)bytes;

	v = _mm256_slli_epi32(v, n);
	return sgn ? _mm256_srai_epi32(v, n) : _mm256_srli_epi32(v, n);
}

/* Bytes or halves of lanes that point anywhere below one high word.  False: nothing is done. */
INLINE bool narrow_anywhere(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes,
			    unsigned bytes, bool sgn)
{
	const uint32_t *lo = w->v.row[di->a], hi = w->v.row[di->a + 1][__builtin_ctz(lanes)];
	struct ppu_ctx *ctx = w->cta->task->ctx;
	__m256i v[4];

	if (near_windows(di, hi))
		return false;
	EACH(k, 4) {
		uint32_t word[8] __attribute__((aligned(32)));

		v[k] = _mm256_setzero_si256();
		if (!(lanes >> 8 * k & 0xff) || page8(sm, ctx, di, lo, hi, k, lanes, bytes, &v[k]))
			continue;
		_mm256_store_si256((__m256i *)word, v[k]);
		for (uint32_t m = lanes >> 8 * k & 0xff; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);
			uint64_t va = (lo[8 * k + i] | (uint64_t)hi << 32) + di->imm64;
			const struct ppu_tlbe *e = entry_of(sm, ctx, va, bytes, false);

			if (!e)
				return false;
			word[i] = (uint32_t)load_mem(e->host + (va & PAGE_MASK), bytes);
		}
		v[k] = load8(word);
	}
	/* The destination may hold the addresses. */
	sm->ctr[PPU_CTR_PARTITION_READS] += transactions(sm, w, di, lanes, bytes);
	EACH(k, 4)
		if (lanes >> 8 * k & 0xff)
			put8(w->v.row[di->d], k, extend8(v[k], bytes, sgn), lanes);
	return true;
}

/* Bytes and halves in a row, or the same for all lanes, extended to words.  Of inactive lanes, too, all is read: the
 * block of 32 lanes lies in the page. */
INLINE int ld_narrow(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, unsigned bytes, bool sgn)
{
	const struct ppu_dinsn *di = site->di;
	uint32_t *d = w->v.row[di->d], x;
	struct place b;

	b.pattern = CONSECUTIVE;
	if (!global_place(sm, w, di, lanes, bytes, false, &b)) {
		if (b.pattern == SCATTERED && narrow_anywhere(sm, w, di, lanes, bytes, sgn))
			return PPU_GO;
		return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	}
	sm->ctr[PPU_CTR_PARTITION_READS] += lane_groups(lanes);
	if (b.pattern == EQUAL) {
		x = extend(load_mem(b.p, bytes), bytes, sgn);
		EACH(k, 4)
			put8(d, k, _mm256_set1_epi32((int)x), lanes);
		return PPU_GO;
	}
	EACH(k, 4) {
		const uint8_t *q = b.p - b.first * bytes + 8 * k * bytes;
		__m128i v = bytes == 1 ? _mm_loadl_epi64((const __m128i *)q) : _mm_loadu_si128((const __m128i *)q);

		put8(d, k, bytes == 1 ? sgn ? _mm256_cvtepi8_epi32(v) : _mm256_cvtepu8_epi32(v) :
				       sgn ? _mm256_cvtepi16_epi32(v) : _mm256_cvtepu16_epi32(v), lanes);
	}
	return PPU_GO;
}

/* ---- stores ---- */

/* One row to consecutive words; p: of lane 0. */
INLINE void store_row(const uint32_t *s, uint8_t *p, uint32_t lanes)
{
	if (lanes == ~0u) {
		EACH(k, 4)
			_mm256_storeu_si256((__m256i *)(p + 32 * k), load8(s + 8 * k));
		return;
	}
	for (; lanes; lanes &= lanes - 1) {
		unsigned i = (unsigned)__builtin_ctz(lanes);

		__atomic_store_n((uint32_t *)p + i, s[i], __ATOMIC_RELAXED);
	}
}

/* Eight pairs of words in a row. */
INLINE void join_pairs(const uint32_t *lo, const uint32_t *hi, uint8_t *p)
{
	__m256i l = load8(lo), h = load8(hi), x = _mm256_unpacklo_epi32(l, h), y = _mm256_unpackhi_epi32(l, h);

	_mm256_storeu_si256((__m256i *)p, _mm256_permute2x128_si256(x, y, 0x20));
	_mm256_storeu_si256((__m256i *)(p + 32), _mm256_permute2x128_si256(x, y, 0x31));
}

/*
 * Words, one or two of each lane, anywhere in global memory; of lanes with one address the highest is last.  The high
 * words are equal.  False: nothing is done.
 */
INLINE bool store_anywhere(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
			   uint64_t cycle, unsigned words)
{
	const struct ppu_dinsn *di = site->di;
	const uint32_t *lo = w->v.row[di->a], hi = w->v.row[di->a + 1][__builtin_ctz(lanes)];
	struct ppu_ctx *ctx = w->cta->task->ctx;
	const unsigned bytes = 4 * words;
	struct ppu_tlbe *e[PPU_LANES];
	uint8_t *p[PPU_LANES];
	bool row[4], clean = false;
	uint32_t m;

	if (near_windows(di, hi))
		return false;
	for (unsigned k = 0; k < 4; k++) {
		struct chunk c = shape_of(lo, k, lanes, bytes);
		uint64_t va = (c.lo | (uint64_t)hi << 32) + di->imm64;

		m = lanes >> 8 * k & 0xff;
		row[k] = m == 0xff && c.shape == IN_A_ROW && (va & PAGE_MASK) <= PPU_PAGE_SIZE - 8 * bytes &&
			 c.lo <= UINT32_MAX - 8 * bytes;
		for (m = row[k] ? 1 : m; m; m &= m - 1) {
			unsigned i = 8 * k + (unsigned)__builtin_ctz(m);

			va = (lo[i] | (uint64_t)hi << 32) + di->imm64;
			e[i] = entry_of(sm, ctx, va, bytes, true);
			if (!e[i])
				return false;
			p[i] = e[i]->host + (va & PAGE_MASK);
			clean |= !(e[i]->flags & PPU_TLB_DIRTY);
		}
	}
	for (unsigned k = 0; k < 4; k++) {
		const uint32_t *s = &w->v.row[di->b][8 * k], *t = &w->v.row[di->b + words - 1][8 * k];

		m = lanes >> 8 * k & 0xff;
		if (row[k] && words == 1) {
			_mm256_storeu_si256((__m256i *)p[8 * k], load8(s));
			continue;
		}
		if (row[k]) {
			join_pairs(s, t, p[8 * k]);
			continue;
		}
		for (; m; m &= m - 1) {
			unsigned i = (unsigned)__builtin_ctz(m);

			if (words == 1)
				__atomic_store_n((uint32_t *)p[8 * k + i], s[i], __ATOMIC_RELAXED);
			else
				__atomic_store_n((uint64_t *)p[8 * k + i], s[i] | (uint64_t)t[i] << 32, __ATOMIC_RELAXED);
		}
	}
	if (!clean)
		return true;
	sm->cycle = cycle + (uint64_t)(int64_t)site->cycles;
	for (unsigned k = 0; k < 4; k++)
		for (m = row[k] ? 1 : lanes >> 8 * k & 0xff; m; m &= m - 1) {
			unsigned i = 8 * k + (unsigned)__builtin_ctz(m);

			note_store(sm, w, e[i], (lo[i] | (uint64_t)hi << 32) + di->imm64, row[k] ? 8 * bytes : bytes);
		}
	return true;
}

INLINE int st_global(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, unsigned words)
{
	const struct ppu_dinsn *di = site->di;
	struct place b;

	b.pattern = CONSECUTIVE;
	if (!global_place(sm, w, di, lanes, 4 * words, true, &b)) {
		if (b.pattern != SCATTERED || !store_anywhere(sm, w, site, lanes, cycle, words))
			return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
		sm->ctr[PPU_CTR_PARTITION_WRITES] += transactions(sm, w, di, lanes, 4 * words);
		return PPU_GO;
	}
	if (b.pattern != CONSECUTIVE || (words == 2 && lanes != ~0u))
		return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	if (words == 1)
		store_row(w->v.row[di->b], b.p - b.first * 4, lanes);
	else
		EACH(k, 4)
			join_pairs(w->v.row[di->b] + 8 * k, w->v.row[di->b + 1] + 8 * k, b.p + 64 * k);
	if ((b.e->flags & (PPU_TLB_DIRTY | PPU_TLB_WATCHED)) != PPU_TLB_DIRTY) {
		sm->cycle = cycle + (uint64_t)(int64_t)site->cycles;
		ppu_lsu_note_store(sm, w, b.e, b.va, (b.last - b.first + 1) * 4 * words);
	}
	sm->ctr[PPU_CTR_PARTITION_WRITES] += lane_groups(lanes);
	return PPU_GO;
}

/* Bytes or halves anywhere in global memory; of lanes with one address the highest is last. */
INLINE int st_narrow(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes, uint64_t cycle,
		     unsigned bytes)
{
	const struct ppu_dinsn *di = site->di;
	const uint32_t *lo = w->v.row[di->a], hi = w->v.row[di->a + 1][__builtin_ctz(lanes)];
	const uint32_t *from = w->v.row[di->b];
	struct ppu_tlbe *e[PPU_LANES];
	uint8_t *p[PPU_LANES];
	bool clean = false;

	if (near_windows(di, hi) || (lanes & ~equal_to(w->v.row[di->a + 1], hi)))
		return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		uint64_t va = (lo[i] | (uint64_t)hi << 32) + di->imm64;

		e[i] = entry_of(sm, w->cta->task->ctx, va, bytes, true);
		if (!e[i])
			return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
		p[i] = e[i]->host + (va & PAGE_MASK);
		clean |= !(e[i]->flags & PPU_TLB_DIRTY);
	}
	for (uint32_t m = lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		store_mem(p[i], bytes, from[i]);
	}
	if (clean)
		sm->cycle = cycle + (uint64_t)(int64_t)site->cycles;
	for (uint32_t m = clean ? lanes : 0; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		note_store(sm, w, e[i], (lo[i] | (uint64_t)hi << 32) + di->imm64, bytes);
	}
	sm->ctr[PPU_CTR_PARTITION_WRITES] += transactions(sm, w, di, lanes, bytes);
	return PPU_GO;
}

/* Words anywhere in shared memory, the highest lane of an address last.  False: an address is wrong. */
INLINE bool store_chunks(struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t lanes)
{
	const uint32_t *lo = w->v.row[di->a], *from = w->v.row[di->b], bytes = w->cta->shared_bytes;
	uint8_t *base = w->cta->shared;
	uint32_t m;
	__m256i off;

	if (bytes < 4)
		return false;
	EACH(k, 4)
		if (!offsets8(di, lo, k, lanes, bytes, &off))
			return false;
	EACH(k, 4) {
		struct chunk c = shape_of(lo, k, lanes, 4);

		m = lanes >> 8 * k & 0xff;
		if (m == 0xff && c.shape == IN_A_ROW) {
			_mm256_storeu_si256((__m256i *)(base + (uint32_t)(c.lo + di->imm)), load8(from + 8 * k));
			continue;
		}
		for (; m; m &= m - 1) {
			unsigned i = 8 * k + (unsigned)__builtin_ctz(m);

			*(uint32_t *)(base + (uint32_t)(lo[i] + di->imm)) = from[i];
		}
	}
	return true;
}

INLINE int st_shared(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		     uint64_t cycle, unsigned words)
{
	return store_chunks(w, site->di, lanes) ? (int)PPU_GO : ppu_call_handler(sm, w, site, lanes, cycle, NULL);
}

/* ---- atomics ---- */

/* Sums in shared memory that nobody reads the old value of.  No other SM sees shared memory, so lane after lane. */
INLINE int add_shared(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes,
		      uint64_t cycle)
{
	const struct ppu_dinsn *di = site->di;
	const uint32_t *lo = w->v.row[di->a], *from = w->v.row[di->b], bytes = w->cta->shared_bytes;
	uint8_t *base = w->cta->shared;
	uint32_t m;
	__m256i off;

	if (bytes < 4)
		return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	EACH(k, 4)
		if (!offsets8(di, lo, k, lanes, bytes, &off))
			return ppu_call_handler(sm, w, site, lanes, cycle, NULL);
	for (m = lanes; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);

		*(uint32_t *)(base + (uint32_t)(lo[i] + di->imm)) += from[i];
	}
	sm->ctr[PPU_CTR_ATOMICS]++;
	return PPU_GO;
}

/* ---- loads of all lanes ---- */

INLINE enum ppu_shape_kind kind8(const uint32_t *lo, unsigned bytes)
{
	__m256i v = _mm256_sub_epi32(load8(lo), _mm256_set1_epi32((int)lo[0]));

	if (sign_bits(_mm256_cmpeq_epi32(v, iota(0, bytes))) == 0xff)
		return PPU_SHAPE_ROW;
	return sign_bits(_mm256_cmpeq_epi32(v, _mm256_setzero_si256())) == 0xff ? PPU_SHAPE_EQUAL : PPU_SHAPE_OTHER;
}

/* hi: NULL for addresses of one word. */
INLINE void find_shape(struct ppu_shape *s, const uint32_t *lo, const uint32_t *hi, unsigned bytes)
{
	bool equal = true, row = true;

	EACH(k, 4) {
		s->eight[k] = (uint8_t)kind8(lo + 8 * k, bytes);
		s->lo[k] = lo[8 * k];
		equal &= s->eight[k] == PPU_SHAPE_EQUAL && s->lo[k] == s->lo[0];
		row &= s->eight[k] == PPU_SHAPE_ROW && s->lo[k] == s->lo[0] + 8 * k * bytes;
	}
	s->all = row ? PPU_SHAPE_ROW : equal ? PPU_SHAPE_EQUAL : PPU_SHAPE_OTHER;
	if (!hi)
		return;
	s->hi = hi[0];
	if (equal_to(hi, hi[0]) != ~0u)
		s->all = PPU_SHAPE_FAR;
}

INLINE const struct ppu_shape *shape_at(struct ppu_warp *w, const struct ppu_site *site, unsigned bytes, bool wide,
					struct ppu_run *run)
{
	struct ppu_shape *s = &run->shape[site->shape];

	if (!site->known)
		find_shape(s, w->v.row[site->di->a], wide ? w->v.row[site->di->a + 1] : NULL, bytes);
	return s;
}

/* Eight words in shared memory.  False: an address is wrong. */
INLINE bool shared8(const struct ppu_dinsn *di, const uint32_t *row, const struct ppu_shape *s, unsigned k,
		    const uint8_t *base, uint32_t bytes, __m256i *v)
{
	uint32_t at = s->lo[k] + di->imm;
	__m256i off;

	if (at & 3)
		return false;
	if (s->eight[k] == PPU_SHAPE_EQUAL && at <= bytes - 4) {
		*v = _mm256_set1_epi32(*(const int *)(base + at));
		return true;
	}
	if (s->eight[k] == PPU_SHAPE_ROW && at <= bytes - 32) {
		*v = at8(base + at);
		return true;
	}
	if (!offsets8(di, row, k, ~0u, bytes, &off))
		return false;
	*v = _mm256_i32gather_epi32((const int *)base, off, 1);
	return true;
}

INLINE bool ld_shared_all(struct ppu_warp *w, const struct ppu_site *site, struct ppu_run *run)
{
	const struct ppu_shape *s = shape_at(w, site, 4, false, run);
	const struct ppu_dinsn *di = site->di;
	const uint32_t *row = w->v.row[di->a], bytes = w->cta->shared_bytes;
	const uint8_t *base = w->cta->shared;
	__m256i v[4];

	if (bytes < 32)
		return false;
	EACH(k, 4)
		if (!shared8(di, row, s, k, base, bytes, &v[k]))
			return false;
	EACH(k, 4)
		put8(w->v.row[di->d], k, v[k], ~0u);
	return true;
}

/* The page of all lanes that are equal or in a row.  NULL: there is none, or the TLB has it not. */
INLINE const uint8_t *global_block(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di,
				   const struct ppu_shape *s, unsigned bytes)
{
	uint64_t va = (s->lo[0] | (uint64_t)s->hi << 32) + di->imm64, page = va >> PPU_PAGE_SHIFT;
	const struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(page)];
	uint32_t off = (uint32_t)va & PAGE_MASK;

	if (e->page != page || e->ctx != w->cta->task->ctx || (off & (bytes - 1)) ||
	    (di->m == PPU_SPACE_GENERIC && va >> 32 >= PPU_VA_PARAM_BASE >> 32))
		return NULL;
	if (s->all == PPU_SHAPE_ROW &&
	    (off + PPU_LANES * bytes > PPU_PAGE_SIZE || s->lo[0] > UINT32_MAX - PPU_LANES * bytes))
		return NULL;
	return e->host + off;
}

/* Words anywhere, eight lanes at a time. */
INLINE bool global8(struct ppu_sm *sm, struct ppu_ctx *ctx, const struct ppu_dinsn *di, const uint32_t *lo,
		    const struct ppu_shape *s, unsigned k, __m256i *v)
{
	uint64_t va = (s->lo[k] | (uint64_t)s->hi << 32) + di->imm64;
	uint32_t word[8] __attribute__((aligned(32)));
	const uint8_t *p;

	if (s->eight[k] == PPU_SHAPE_EQUAL) {
		p = global_word(sm, ctx, va);
		if (p)
			*v = _mm256_set1_epi32(*(const int *)p);
		return p;
	}
	if (s->eight[k] == PPU_SHAPE_ROW && (va & PAGE_MASK) <= PPU_PAGE_SIZE - 32 && s->lo[k] <= UINT32_MAX - 32) {
		p = global_word(sm, ctx, va);
		if (p)
			*v = at8(p);
		return p;
	}
	if (page8(sm, ctx, di, lo, s->hi, k, ~0u, 4, v))
		return true;
	for (unsigned i = 0; i < 8; i++) {
		p = global_word(sm, ctx, (lo[8 * k + i] | (uint64_t)s->hi << 32) + di->imm64);
		if (!p)
			return false;
		word[i] = *(const uint32_t *)p;
	}
	*v = load8(word);
	return true;
}

INLINE bool ld_global_all(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, struct ppu_run *run,
			  unsigned words)
{
	const struct ppu_shape *s = shape_at(w, site, 4 * words, true, run);
	const struct ppu_dinsn *di = site->di;
	const uint32_t *lo = w->v.row[di->a];
	const uint8_t *p;
	__m256i v[4];
	unsigned n;

	if (s->all == PPU_SHAPE_FAR)
		return false;
	if (s->all != PPU_SHAPE_OTHER) {
		p = global_block(sm, w, di, s, 4 * words);
		if (!p)
			return false;
		if (s->all == PPU_SHAPE_EQUAL)
			load_equal(&w->v.row[di->d], p, words, ~0u);
		else
			load_rows(&w->v.row[di->d], p, words, ~0u);
		sm->ctr[PPU_CTR_PARTITION_READS] += PPU_LANES / 8;
		return true;
	}
	/* The destination may hold the addresses. */
	n = transactions(sm, w, di, ~0u, 4 * words);
	if (words != 1) {
		if (!global_wide(sm, w, di, ~0u, words))
			return false;
		sm->ctr[PPU_CTR_PARTITION_READS] += n;
		return true;
	}
	if (near_windows(di, s->hi))
		return false;
	EACH(k, 4)
		if (!global8(sm, w->cta->task->ctx, di, lo, s, k, &v[k]))
			return false;
	EACH(k, 4)
		put8(w->v.row[di->d], k, v[k], ~0u);
	sm->ctr[PPU_CTR_PARTITION_READS] += n;
	return true;
}

/* ---- pages for fused segments ---- */

KNOWN bool in_a_span(const struct ppu_sm *sm, uint64_t page)
{
	unsigned i;

	for (i = 0; i < PPU_SPANS && sm->spans; i++)
		if (sm->span[i].ctx && (page << PPU_PAGE_SHIFT) - sm->span[i].va < sm->span[i].bytes)
			return true;
	return false;
}

/*
 * The interpreter fills the TLB load after load, a fused segment eight lanes after eight lanes.  The order of fills cannot
 * be seen, as long as none puts a page out that the segment has used: then a load that comes before in the program, but
 * with later lanes, could have put it out.  So such a fill is left to the interpreter.  In which pages of a span words
 * were found is not known: those of all spans count as used then.
 */
KNOWN bool may_fill(const struct ppu_sm *sm, const struct ppu_tlbe *e, const struct ppu_fills *f, const struct ppu_used *used)
{
	uint32_t i;

	if (used->more && e->page != ~0ull && in_a_span(sm, e->page))
		return false;
	for (i = 0; i < used->bytes / sizeof(used->page[0]) && e->page != ~0ull; i++)
		if (used->page[i] == e->page)
			return false;
	return f->n < PPU_FILLS;
}

/* The entry gets its old value back if the segment fails. */
KNOWN void note_fill(struct ppu_sm *sm, struct ppu_fills *f, uint32_t index)
{
	const struct ppu_tlbe *e = &sm->tlb[index];
	struct ppu_tlbe *old = &f->e[f->n].old;

	if (!f->n)
		f->misses = sm->ctr[PPU_CTR_TLB_MISSES];
	f->e[f->n++].index = index;
	/* The struct at once would be a string instruction, which takes the host long to begin. */
	old->page = e->page;
	old->ctx = e->ctx;
	old->host = e->host;
	old->frame = e->frame;
	old->sys = e->sys;
	old->flags = e->flags;
}

static uint8_t *fill(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
		     const struct ppu_used *used, unsigned acc)
{
	uint32_t index = PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT);
	struct ppu_ctx *ctx = w->cta->task->ctx;
	struct ppu_tlbe *e = &sm->tlb[index];
	unsigned level;

	if (!may_fill(sm, e, &run->fills, used))
		return NULL;
	note_fill(sm, &run->fills, index);
	if (ppu_lsu_tlb_fill(sm, ctx, va, acc, e, &level))
		return NULL;
	if (level)
		ppu_trails_note(sm, ctx, va);
	/* An entry that is good for one access is the interpreter's. */
	return e->flags & PPU_TLB_NULL ? NULL : e->host;
}

/*
 * The same for a page to which a trail leads, as most do.  It leaves the host's vector registers alone, so it must not call
 * anything.  NULL: nothing is done.
 */
/* What ppu_lsu_tlb_fill() does besides: a page that is put out is reported, and leaves its span. */
KNOWN bool leaves_quietly(const struct ppu_sm *sm, const struct ppu_tlbe *e)
{
	if (e->page == ~0ull)
		return true;
	return !(e->flags & PPU_TLB_DIRTY) && !in_a_span(sm, e->page);
}

KNOWN uint8_t *fill_known(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
			  const struct ppu_used *used, bool write)
{
	const struct ppu_trail *t = &sm->trail[PPU_TRAIL_INDEX(va)];
	uint32_t index = PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT);
	struct ppu_ctx *ctx = w->cta->task->ctx;
	struct ppu_tlbe *e = &sm->tlb[index];
	uint64_t addr;

	if (!ppu_trail_holds(t, ctx, va) || (write && !(t->flags & PPU_TLB_WRITE)) || !leaves_quietly(sm, e) ||
	    !may_fill(sm, e, &run->fills, used))
		return NULL;
	/* It is there, but not to be written here. */
	if (write && e->page == va >> PPU_PAGE_SHIFT && e->ctx == ctx)
		return NULL;
	note_fill(sm, &run->fills, index);
	PPU_NEAR_FORGET(sm, e->page);
	sm->ctr[PPU_CTR_TLB_MISSES]++;
	addr = t->addr + (va & (PPU_LARGE_SIZE - PPU_PAGE_SIZE));
	e->page = va >> PPU_PAGE_SHIFT;
	e->ctx = ctx;
	e->host = sm->core->vram + addr;
	e->frame = addr >> PPU_PAGE_SHIFT;
	e->sys = 0;
	e->flags = t->flags;
	return e->host;
}

PPU_NO_VECTORS uint8_t *ppu_calls_fill_known(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
					 const struct ppu_used *used)
{
	return fill_known(sm, w, va, run, used, false);
}

PPU_NO_VECTORS uint8_t *ppu_calls_fill_known_written(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
						 const struct ppu_used *used)
{
	return fill_known(sm, w, va, run, used, true);
}

uint8_t *ppu_calls_fill(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
			const struct ppu_used *used)
{
	return fill(sm, w, va, run, used, PPU_ACC_READ);
}

uint8_t *ppu_calls_fill_written(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
				const struct ppu_used *used)
{
	const struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT)];
	uint8_t *host;

	if (e->page == va >> PPU_PAGE_SHIFT && e->ctx == w->cta->task->ctx)
		return NULL;
	host = fill(sm, w, va, run, used, PPU_ACC_WRITE);
	return e->flags & PPU_TLB_WATCHED ? NULL : host;
}

void ppu_calls_dirty(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_place *places, uint32_t groups)
{
	uint64_t last = ~0ull;

	for (; groups; groups &= groups - 1)
		for (unsigned k = 0; k < PPU_LANES / 8; k++) {
			const struct ppu_place *p = &places[4 * __builtin_ctz(groups) + k];

			if (!(w->active >> 8 * k & 0xff) || p->page == last)
				continue;
			last = p->page;
			note_store(sm, w, &sm->tlb[PPU_TLB_INDEX(last)], last << PPU_PAGE_SHIFT, 1);
		}
}

void ppu_calls_unfill(struct ppu_sm *sm, struct ppu_run *run)
{
	struct ppu_fills *f = &run->fills;

	while (f->n) {
		f->n--;
		PPU_NEAR_FORGET(sm, sm->tlb[f->e[f->n].index].page);
		if (sm->spans)
			ppu_spans_cut(sm, sm->tlb[f->e[f->n].index].page);
		sm->tlb[f->e[f->n].index] = f->e[f->n].old;
	}
	sm->ctr[PPU_CTR_TLB_MISSES] = f->misses;
}

/* ---- which ---- */

#define CALL(name, all, some) \
static AVX2 int name(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_site *site, uint32_t lanes, uint64_t cycle, \
		     struct ppu_run *run) \
{ \
	if (__builtin_expect(lanes == ~0u, 1)) { \
		lanes = ~0u; \
		return all; \
	} \
	return some; \
}
/* Both ways are the same, but the compiler knows of one that all lanes take it. */
#define TWICE(name, inner, ...) \
	CALL(name, inner(sm, w, site, ~0u, cycle, __VA_ARGS__), inner(sm, w, site, lanes, cycle, __VA_ARGS__))
#define GLOBAL(words) \
	CALL(ld_global_##words, \
	     ld_global_all(sm, w, site, run, words) ? (int)PPU_GO : ppu_call_handler(sm, w, site, ~0u, cycle, NULL), \
	     ld_global(sm, w, site, lanes, cycle, words))
GLOBAL(1)
GLOBAL(2)
GLOBAL(4)
CALL(ld_shared_1, ld_shared_all(w, site, run) ? (int)PPU_GO : ppu_call_handler(sm, w, site, ~0u, cycle, NULL),
     ld_window(sm, w, site, lanes, cycle, 1, true))
TWICE(ld_shared_2, ld_window, 2, true)
TWICE(ld_shared_4, ld_window, 4, true)
TWICE(ld_param_1, ld_window, 1, false)
TWICE(ld_param_2, ld_window, 2, false)
TWICE(ld_param_4, ld_window, 4, false)
TWICE(ld_u8, ld_narrow, 1, false)
TWICE(ld_s8, ld_narrow, 1, true)
TWICE(ld_u16, ld_narrow, 2, false)
TWICE(ld_s16, ld_narrow, 2, true)
CALL(add_shared_1, add_shared(sm, w, site, ~0u, cycle), add_shared(sm, w, site, lanes, cycle))
TWICE(st_global_1, st_global, 1)
TWICE(st_global_2, st_global, 2)
TWICE(st_shared_1, st_shared, 1)
TWICE(st_8, st_narrow, 1)
TWICE(st_16, st_narrow, 2)

/* Words of a lane, 0: other than 1, 2 or 4. */
static unsigned words_of(const struct ppu_dinsn *di)
{
	unsigned bytes = (di->t == PPU_T_U32 || di->t == PPU_T_S32 ? 4 : di->t == PPU_T_U64 || di->t == PPU_T_S64 ? 8 :
			  di->t == PPU_T_B128 ? 16 : 0) << di->x;

	return bytes == 4 || bytes == 8 || bytes == 16 ? bytes / 4 : 0;
}

static ppu_call_fn load_of(const struct ppu_dinsn *di)
{
	static const ppu_call_fn fns[3][5] = {
		{ NULL, ld_global_1, ld_global_2, NULL, ld_global_4 },
		{ NULL, ld_shared_1, ld_shared_2, NULL, ld_shared_4 },
		{ NULL, ld_param_1, ld_param_2, NULL, ld_param_4 },
	};
	unsigned words = words_of(di);

	switch (di->m) {
	case PPU_SPACE_GENERIC: case PPU_SPACE_GLOBAL: case PPU_SPACE_CONST:
		if (!words && !di->x)
			return di->t == PPU_T_U8 ? ld_u8 : di->t == PPU_T_S8 ? ld_s8 : di->t == PPU_T_U16 ? ld_u16 :
			       di->t == PPU_T_S16 ? ld_s16 : NULL;
		return fns[0][words];
	case PPU_SPACE_SHARED:
		return fns[1][words];
	case PPU_SPACE_PARAM:
		return fns[2][words];
	case PPU_SPACE_LOCAL:
		return di->x ? NULL : ppu_call_local(di, words);
	default:
		return NULL;
	}
}

static ppu_call_fn store_of(const struct ppu_dinsn *di)
{
	unsigned words = words_of(di);

	if ((di->m == PPU_SPACE_GENERIC || di->m == PPU_SPACE_GLOBAL) && !words && !di->x)
		return di->t == PPU_T_U8 || di->t == PPU_T_S8 ? st_8 : di->t == PPU_T_U16 || di->t == PPU_T_S16 ? st_16 : NULL;
	if (di->m == PPU_SPACE_GENERIC || di->m == PPU_SPACE_GLOBAL)
		return words == 1 ? st_global_1 : words == 2 ? st_global_2 : NULL;
	if (di->m == PPU_SPACE_LOCAL)
		return di->x ? NULL : ppu_call_local(di, words);
	return di->m == PPU_SPACE_SHARED && words == 1 ? st_shared_1 : NULL;
}

void *ppu_call_of(const struct ppu_dinsn *di, uint32_t nregs)
{
	ppu_call_fn fn = di->handler == PPU_H_ld ? load_of(di) : di->handler == PPU_H_st ? store_of(di) : NULL;

	/* RZ as the destination is a row that no source names. */
	if (di->handler == PPU_H_atom && di->m == PPU_SPACE_SHARED && di->u == PPU_ATOM_ADD &&
	    (di->t == PPU_T_U32 || di->t == PPU_T_S32) && di->d >= PPU_ROW_SINK(nregs))
		fn = add_shared_1;
	return (void *)(uintptr_t)(fn ? fn : ppu_call_handler);
}

unsigned ppu_call_shape(const struct ppu_dinsn *di)
{
	unsigned words = words_of(di);

	if (di->handler != PPU_H_ld || !di->always || !words)
		return 0;
	if (di->m == PPU_SPACE_SHARED)
		return words == 1 ? 4 : 0;
	return di->m == PPU_SPACE_GENERIC || di->m == PPU_SPACE_GLOBAL || di->m == PPU_SPACE_CONST ? 4 * words : 0;
}
#endif
