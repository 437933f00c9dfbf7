/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes come in groups of one host vector.  Most groups are consecutive words or one word for all
 * (threads of a two-dimensional block, say), which is one load; the rest is a gather.
 */
#include <string.h>
#include "core/sm/mem/lsu_simd.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HAVE_LEVELS 1
#include <immintrin.h>
#endif

/* ---- any host ------------------------------------------------------------------------------------- */

static bool offsets_v1(const uint32_t *lo, uint32_t imm, uint32_t last, uint32_t mask, uint32_t *off)
{
	uint32_t bad = 0;
	unsigned i;

	for (i = 0; i < PPU_LANES; i++) {
		uint32_t o = lo[i] + imm, on = -(mask >> i & 1);

		bad |= ((o & 3) | -(uint32_t)(o > last)) & on;
		off[i] = o & on;
	}
	return !bad;
}

static void load_v1(uint32_t *d, const uint8_t *base, const uint32_t *off, uint32_t mask)
{
	uint32_t i;

	if (mask == ~0u) {
		for (i = 0; i < PPU_LANES; i++)
			d[i] = __atomic_load_n((const uint32_t *)(base + off[i]), __ATOMIC_RELAXED);
		return;
	}
	for (; mask; mask &= mask - 1) {
		i = (uint32_t)__builtin_ctz(mask);
		d[i] = __atomic_load_n((const uint32_t *)(base + off[i]), __ATOMIC_RELAXED);
	}
}

static void store_v1(const uint32_t *s, uint8_t *base, const uint32_t *off, uint32_t mask)
{
	for (; mask; mask &= mask - 1) {
		unsigned i = (unsigned)__builtin_ctz(mask);

		__atomic_store_n((uint32_t *)(base + off[i]), s[i], __ATOMIC_RELAXED);
	}
}

static unsigned transactions_v1(const uint32_t *lo, const uint32_t *hi, uint32_t mask, uint32_t bytes)
{
	unsigned n = 0, k, i;

	for (k = 0; k < PPU_LANES; k += 8) {
		uint32_t m = mask >> k & 0xff, far = 0;
		uint64_t first;

		if (!m)
			continue;
		i = k + (unsigned)__builtin_ctz(m);
		first = lo[i] | (uint64_t)hi[i] << 32;
		for (i = 0; i < 8; i++)
			far |= (lo[k + i] | (uint64_t)hi[k + i] << 32) - first < 8ull * bytes ? 0 : 1u << i;
		n += m & far ? (unsigned)__builtin_popcount(m) : 1;
	}
	return n;
}

#ifdef HAVE_LEVELS

/* ---- AVX2: groups of 8 ------------------------------------------------------------------------------ */

#define V3 static __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

/* Lane mask as a vector of sign bits. */
V3 inline __m256i spread_v3(uint32_t m)
{
	const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

	return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)m), bit), bit);
}

V3 inline uint32_t bits_v3(__m256i v)
{
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

V3 bool offsets_v3(const uint32_t *lo, uint32_t imm, uint32_t last, uint32_t mask, uint32_t *off)
{
	const __m256i limit = _mm256_set1_epi32((int)last), three = _mm256_set1_epi32(3);
	__m256i bad = _mm256_setzero_si256();
	unsigned g;

	for (g = 0; g < PPU_LANES; g += 8) {
		__m256i o = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)(lo + g)),
					     _mm256_set1_epi32((int)imm));
		__m256i on = spread_v3(mask >> g & 0xff);
		/* o > last, unsigned: the larger of the two is not last */
		__m256i above = _mm256_xor_si256(_mm256_max_epu32(o, limit), limit);

		bad = _mm256_or_si256(bad, _mm256_and_si256(_mm256_or_si256(above, _mm256_and_si256(o, three)), on));
		_mm256_storeu_si256((__m256i *)(off + g), _mm256_and_si256(o, on));
	}
	return _mm256_testz_si256(bad, bad);
}

V3 void load_v3(uint32_t *d, const uint8_t *base, const uint32_t *off, uint32_t mask)
{
	const __m256i four = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
	unsigned g, f;

	for (g = 0; g < PPU_LANES; g += 8, d += 8, off += 8) {
		uint32_t m = mask >> g & 0xff;
		__m256i o, o0, on, v, old;

		if (!m)
			continue;
		f = (unsigned)__builtin_ctz(m);
		o = _mm256_loadu_si256((const __m256i *)off);
		o0 = _mm256_set1_epi32((int)off[f]);
		on = spread_v3(m);
		old = _mm256_loadu_si256((const __m256i *)d);
		if (!(m & ~bits_v3(_mm256_cmpeq_epi32(o, o0)))) {
			v = _mm256_set1_epi32(*(const int *)(base + off[f]));
			v = _mm256_blendv_epi8(old, v, on);
		} else if (!(m & ~bits_v3(_mm256_cmpeq_epi32(o, _mm256_add_epi32(
						_mm256_sub_epi32(o0, _mm256_set1_epi32((int)(4 * f))), four))))) {
			v = _mm256_maskload_epi32((const int *)(base + off[f]) - f, on);
			v = _mm256_blendv_epi8(old, v, on);
		} else {
			v = _mm256_mask_i32gather_epi32(old, (const int *)base, o, on, 1);
		}
		_mm256_storeu_si256((__m256i *)d, v);
	}
}

V3 void store_v3(const uint32_t *s, uint8_t *base, const uint32_t *off, uint32_t mask)
{
	const __m256i four = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
	unsigned g, f;

	for (g = 0; g < PPU_LANES; g += 8, s += 8, off += 8) {
		uint32_t m = mask >> g & 0xff;
		__m256i o, o0;

		if (!m)
			continue;
		f = (unsigned)__builtin_ctz(m);
		o = _mm256_loadu_si256((const __m256i *)off);
		o0 = _mm256_set1_epi32((int)(off[f] - 4 * f));
		if (!(m & ~bits_v3(_mm256_cmpeq_epi32(o, _mm256_add_epi32(o0, four)))))
			_mm256_maskstore_epi32((int *)(base + off[f]) - f, spread_v3(m),
					       _mm256_loadu_si256((const __m256i *)s));
		else
			store_v1(s, base, off, m);
	}
}

/* ---- AVX-512: groups of 16 ---------------------------------------------------------------------------- */

#define V4 static __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi,bmi2,lzcnt,popcnt")))

V4 inline __m512i four_v4(void)
{
	return _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
}

V4 bool offsets_v4(const uint32_t *lo, uint32_t imm, uint32_t last, uint32_t mask, uint32_t *off)
{
	const __m512i limit = _mm512_set1_epi32((int)last), three = _mm512_set1_epi32(3);
	__m512i a = _mm512_add_epi32(_mm512_loadu_si512(lo), _mm512_set1_epi32((int)imm));
	__m512i b = _mm512_add_epi32(_mm512_loadu_si512(lo + 16), _mm512_set1_epi32((int)imm));
	__mmask16 ma = (__mmask16)mask, mb = (__mmask16)(mask >> 16), bad;

	bad = _mm512_mask_cmpgt_epu32_mask(ma, a, limit) | _mm512_mask_cmpgt_epu32_mask(mb, b, limit) |
	      _mm512_mask_test_epi32_mask(ma, a, three) | _mm512_mask_test_epi32_mask(mb, b, three);
	_mm512_storeu_si512(off, _mm512_maskz_mov_epi32(ma, a));
	_mm512_storeu_si512(off + 16, _mm512_maskz_mov_epi32(mb, b));
	return !bad;
}

V4 void load_v4(uint32_t *d, const uint8_t *base, const uint32_t *off, uint32_t mask)
{
	unsigned g, f;

	for (g = 0; g < PPU_LANES; g += 16, d += 16, off += 16) {
		__mmask16 m = (__mmask16)(mask >> g);
		__m512i o, v;

		if (!m)
			continue;
		f = (unsigned)__builtin_ctz(m);
		o = _mm512_loadu_si512(off);
		v = _mm512_loadu_si512(d);
		if (!_mm512_mask_cmpneq_epi32_mask(m, o, _mm512_set1_epi32((int)off[f])))
			v = _mm512_mask_mov_epi32(v, m, _mm512_set1_epi32(*(const int *)(base + off[f])));
		else if (!_mm512_mask_cmpneq_epi32_mask(m, o, _mm512_add_epi32(
						_mm512_set1_epi32((int)(off[f] - 4 * f)), four_v4())))
			v = _mm512_mask_loadu_epi32(v, m, (const int *)(base + off[f]) - f);
		else
			v = _mm512_mask_i32gather_epi32(v, m, o, base, 1);
		_mm512_storeu_si512(d, v);
	}
}

V4 void store_v4(const uint32_t *s, uint8_t *base, const uint32_t *off, uint32_t mask)
{
	unsigned g, f;

	for (g = 0; g < PPU_LANES; g += 16, s += 16, off += 16) {
		__mmask16 m = (__mmask16)(mask >> g);
		__m512i o;

		if (!m)
			continue;
		f = (unsigned)__builtin_ctz(m);
		o = _mm512_loadu_si512(off);
		if (!_mm512_mask_cmpneq_epi32_mask(m, o, _mm512_add_epi32(
						_mm512_set1_epi32((int)(off[f] - 4 * f)), four_v4())))
			_mm512_mask_storeu_epi32((int *)(base + off[f]) - f, m, _mm512_loadu_si512(s));
		else	/* elements are written in order */
			_mm512_mask_i32scatter_epi32(base, m, o, _mm512_loadu_si512(s), 1);
	}
}
#endif

#ifdef HAVE_LEVELS
/* Of equal high words, a window must not wrap: low words below the first one are far. */
V3 unsigned transactions_v3(const uint32_t *lo, const uint32_t *hi, uint32_t mask, uint32_t bytes)
{
	const __m256i last = _mm256_set1_epi32((int)(8 * bytes - 1));
	unsigned n = 0, k;

	for (k = 0; k < PPU_LANES; k += 8) {
		__m256i l = _mm256_loadu_si256((const __m256i *)(lo + k)), h = _mm256_loadu_si256((const __m256i *)(hi + k));
		uint32_t m = mask >> k & 0xff, i;
		__m256i l0, near;

		if (!m)
			continue;
		i = k + (uint32_t)__builtin_ctz(m);
		if (lo[i] > UINT32_MAX - 8 * bytes) {
			n += transactions_v1(lo, hi, m << k, bytes);
			continue;
		}
		l0 = _mm256_set1_epi32((int)lo[i]);
		near = _mm256_cmpeq_epi32(_mm256_max_epu32(_mm256_sub_epi32(l, l0), last), last);
		near = _mm256_and_si256(near, _mm256_cmpeq_epi32(h, _mm256_set1_epi32((int)hi[i])));
		n += m & ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(near)) ? (unsigned)__builtin_popcount(m) : 1;
	}
	return n;
}
#endif

const struct ppu_lsu_simd *ppu_lsu_simd(unsigned level)
{
	static const struct ppu_lsu_simd v1 = { offsets_v1, load_v1, store_v1, transactions_v1 };
#ifdef HAVE_LEVELS
	static const struct ppu_lsu_simd v3 = { offsets_v3, load_v3, store_v3, transactions_v3 };
	static const struct ppu_lsu_simd v4 = { offsets_v4, load_v4, store_v4, transactions_v3 };

	if (level >= 4)
		return &v4;
	if (level == 3)
		return &v3;
#endif
	return &v1;
}
