/* SPDX-License-Identifier: MIT */
/* What objects have in them: words that tell one object, its `seed`, and one place from all others. */
#ifndef PPU_CONFORMANCE_CONTENTS_H
#define PPU_CONFORMANCE_CONTENTS_H

#include "harness.h"

static inline uint64_t word(uint64_t seed, uint64_t i)
{
	return (seed << 32 | i) * 0x9e3779b97f4a7c15ull;
}

static inline void fill(uint64_t *p, uint64_t bytes, uint64_t seed)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		p[i] = word(seed, i);
}

static inline void check(const uint64_t *p, uint64_t bytes, uint64_t seed)
{
	for (uint64_t i = 0; i < bytes / 8; i++)
		if (p[i] != word(seed, i))
			FAIL("word %llu of object %llu is %#llx, not %#llx", (unsigned long long)i,
			     (unsigned long long)seed, (unsigned long long)p[i],
			     (unsigned long long)word(seed, i));
}

#endif
