/* SPDX-License-Identifier: MIT */
/* Rounding for cuda_fp16.h and cuda_bf16.h. */
#ifndef PPU_SMALL_FLOAT_ODD_H
#define PPU_SMALL_FLOAT_ODD_H

#include <math.h>
#include "../host_defines.h"

#define PPU_SF_HD_ __inline__ __host__ __device__
#define PPU_SF_FN_ static __inline__ __attribute__((unused)) __host__ __device__

namespace ppu_sf {

template <class To, class From> PPU_SF_FN_ To bits(From v)
{
	To r;

	static_assert(sizeof(r) == sizeof(v), "the sizes differ");
	__builtin_memcpy(&r, &v, sizeof(r));
	return r;
}

/*
 * Rounding to odd: of the two floats beside a number that is none, the one whose last bit is 1.  It is neither a number
 * of fewer digits nor the middle between two, so rounding it again gives what rounding the number would.
 */
PPU_SF_FN_ float odd(double v)
{
	float f = (float)v;
	unsigned int b = bits<unsigned int>(f);

	if (v != v || (double)f == v)
		return f;
	if ((double)(f < 0 ? -f : f) > (v < 0 ? -v : v))
		b--;
	return bits<float>(b | 1);
}

/* A number of 64 bits becomes a double of 53 first, in the same way. */
PPU_SF_FN_ float odd(unsigned long long v)
{
	if (v >> 53)
		v = (v >> 11 | !!(v & 0x7ff)) << 11;
	return odd((double)v);
}

PPU_SF_FN_ float odd(long long v)
{
	return v < 0 ? -odd(0ull - (unsigned long long)v) : odd((unsigned long long)v);
}

/* The product is exact in a double; the sum is rounded to odd. */
PPU_SF_FN_ float fma(float a, float b, float c)
{
	double p = (double)a * b, s = p + c, t = s - p, rest = (p - (s - t)) + (c - t);
	unsigned long long u = bits<unsigned long long>(s);

	if (rest == rest && rest != 0 && !(u & 1))
		s = bits<double>((rest > 0) == (s > 0) ? u + 1 : u - 1);
	return odd(s);
}

} /* namespace ppu_sf */

#endif
