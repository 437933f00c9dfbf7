/* SPDX-License-Identifier: MIT */
/* What device code has since 7.0 and clang's headers, which include this file, do not have. */
#ifndef PPU_CRT_SM_70_RT_HPP
#define PPU_CRT_SM_70_RT_HPP

#include "ppu_nv_atomic.h"

/* clang 14 takes the mask of equal lanes for as wide as the values. */
static __inline__ __attribute__((device, unused)) unsigned int ppu_match64_any_sync(unsigned int mask, unsigned long long value)
{
	unsigned int lanes;

	__asm__ volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(lanes) : "l"(value), "r"(mask) : "memory");
	return lanes;
}

static __inline__ __attribute__((device, unused)) unsigned int ppu_match32_any_sync(unsigned int mask, unsigned int value)
{
	return __match32_any_sync(mask, value);
}

/* __match_any_sync and __match_all_sync. */
#define CUDART_MATCH_(type, word, bits_type) \
static __inline__ __attribute__((device, unused)) unsigned int __match_any_sync(unsigned int mask, type value) \
{ \
	bits_type v; \
	__builtin_memcpy(&v, &value, sizeof(v)); \
	return ppu_match##word##_any_sync(mask, v); \
} \
static __inline__ __attribute__((device, unused)) unsigned int __match_all_sync(unsigned int mask, type value, \
										int *pred) \
{ \
	bits_type v; \
	__builtin_memcpy(&v, &value, sizeof(v)); \
	return (unsigned int)__match##word##_all_sync(mask, v, pred); \
}
CUDART_MATCH_(int, 32, unsigned int)
CUDART_MATCH_(unsigned int, 32, unsigned int)
CUDART_MATCH_(float, 32, unsigned int)
CUDART_MATCH_(long, 64, unsigned long long)
CUDART_MATCH_(unsigned long, 64, unsigned long long)
CUDART_MATCH_(long long, 64, unsigned long long)
CUDART_MATCH_(unsigned long long, 64, unsigned long long)
CUDART_MATCH_(double, 64, unsigned long long)
#undef CUDART_MATCH_

#endif
