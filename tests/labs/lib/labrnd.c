/* SPDX-License-Identifier: MIT */
#include "labrnd.h"

static uint64_t rng = 88172645463325252ull;

void rnd_seed(uint64_t seed)
{
	rng = (seed + 1) * 0x9e3779b97f4a7c15ull | 1;
	for (unsigned i = 0; i < 20; i++)
		rnd(2);
}

uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}
