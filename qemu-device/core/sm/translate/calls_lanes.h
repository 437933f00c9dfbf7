/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of registers as host vectors, for the functions that host code calls.
 *
 * State: none.
 * Thread safety: any.
 * Time: none.
 */
#ifndef PPU_CALLS_LANES_H
#define PPU_CALLS_LANES_H

#include <immintrin.h>
#include <stdint.h>

#define AVX2	__attribute__((target("avx2")))
#define EACH(k, n)	_Pragma("GCC unroll 4") for (unsigned k = 0; k < (n); k++)
#define INLINE	static inline __attribute__((always_inline)) AVX2

INLINE __m256i load8(const uint32_t *p)
{
	return _mm256_load_si256((const __m256i *)p);
}

INLINE uint32_t sign_bits(__m256i v)
{
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

INLINE __m256i iota(unsigned first, unsigned step)
{
	const __m256i i = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

	return _mm256_mullo_epi32(_mm256_add_epi32(i, _mm256_set1_epi32((int)first)), _mm256_set1_epi32((int)step));
}

/* Lanes whose word is start + lane * step. */
INLINE uint32_t in_steps(const uint32_t *v, uint32_t start, unsigned step)
{
	uint32_t m = 0;

	EACH(k, 4)
		m |= sign_bits(_mm256_cmpeq_epi32(load8(v + 8 * k), _mm256_add_epi32(_mm256_set1_epi32((int)start),
			       iota(8 * k, step)))) << 8 * k;
	return m;
}

INLINE uint32_t equal_to(const uint32_t *v, uint32_t x)
{
	uint32_t m = 0;

	EACH(k, 4)
		m |= sign_bits(_mm256_cmpeq_epi32(load8(v + 8 * k), _mm256_set1_epi32((int)x))) << 8 * k;
	return m;
}

/* Lanes as a vector of masks. */
INLINE __m256i spread(uint32_t lanes, unsigned k)
{
	const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);

	return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)(lanes >> 8 * k)), bits), bits);
}

/* Eight words to a row, of these lanes. */
INLINE void put8(uint32_t *d, unsigned k, __m256i v, uint32_t lanes)
{
	if (lanes != ~0u)
		v = _mm256_blendv_epi8(load8(d + 8 * k), v, spread(lanes, k));
	_mm256_store_si256((__m256i *)(d + 8 * k), v);
}

INLINE __m256i at8(const uint8_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

#endif
