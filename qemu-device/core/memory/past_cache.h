/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores that write past the host's caches, for moves so large that the caches would only be flushed.  Without SSE2 the
 * functions write nothing, and say so: their callers write the rest in the plain way.  The results are the same bytes.
 */
#ifndef PPU_CORE_PAST_CACHE_H
#define PPU_CORE_PAST_CACHE_H

#include <stdint.h>

#define PPU_LINE 64	/* bytes of the host's cache line; both functions write whole lines */

#ifdef __SSE2__
#include <emmintrin.h>

/* Both functions return the bytes that were written: a multiple of PPU_LINE, at most n.  dst is aligned to PPU_LINE. */
static inline uint64_t ppu_past_cache_copy(uint8_t *dst, const uint8_t *src, uint64_t n)
{
	uint64_t i;

	for (i = 0; i + PPU_LINE <= n; i += PPU_LINE) {
		__m128i v0 = _mm_loadu_si128((const __m128i *)(src + i));
		__m128i v1 = _mm_loadu_si128((const __m128i *)(src + i + 16));
		__m128i v2 = _mm_loadu_si128((const __m128i *)(src + i + 32));
		__m128i v3 = _mm_loadu_si128((const __m128i *)(src + i + 48));

		_mm_stream_si128((__m128i *)(dst + i), v0);
		_mm_stream_si128((__m128i *)(dst + i + 16), v1);
		_mm_stream_si128((__m128i *)(dst + i + 32), v2);
		_mm_stream_si128((__m128i *)(dst + i + 48), v3);
	}
	return i;
}

/* p: 16 bytes, to be repeated. */
static inline uint64_t ppu_past_cache_fill(uint8_t *dst, const uint8_t *p, uint64_t n)
{
	__m128i v = _mm_loadu_si128((const __m128i *)p);
	uint64_t i;

	for (i = 0; i + PPU_LINE <= n; i += PPU_LINE)
		for (unsigned k = 0; k < PPU_LINE; k += 16)
			_mm_stream_si128((__m128i *)(dst + i + k), v);
	return i;
}

/* What was written past the caches is there before anybody can know of it. */
static inline void ppu_past_cache_settle(void)
{
	_mm_sfence();
}
#else
static inline uint64_t ppu_past_cache_copy(uint8_t *dst, const uint8_t *src, uint64_t n)
{
	(void)dst, (void)src, (void)n;
	return 0;
}

static inline uint64_t ppu_past_cache_fill(uint8_t *dst, const uint8_t *p, uint64_t n)
{
	(void)dst, (void)p, (void)n;
	return 0;
}

static inline void ppu_past_cache_settle(void)
{
}
#endif

#endif
