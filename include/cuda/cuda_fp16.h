/* SPDX-License-Identifier: MIT */
/* Numbers of 16 bits with a fraction of 10 (IEEE 754's binary16), and pairs of these: __half, __half2. */
#ifndef PPU_CUDA_FP16_H
#define PPU_CUDA_FP16_H
#define __CUDA_FP16_H__		/* programs ask for this name */

#ifdef __cplusplus

#include "vector_types.h"
#include "crt/ppu_small_float_odd.h"

namespace ppu_sf {

/* To the nearest, ties to even. The device has an instruction for it; what is known when it is compiled is better done then. */
PPU_SF_FN_ unsigned short half_of(float v)
{
#ifdef __CUDA_ARCH__
	if (!__builtin_constant_p(v)) {
		unsigned short h;

		__asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
		return h;
	}
#endif
	unsigned int b = bits<unsigned int>(v), sign = b >> 16 & 0x8000, m = b & 0x7fffff, r, shift;
	int e = (int)(b >> 23 & 255) - 127;

	if (e == 128)
		return (unsigned short)(m ? 0x7fff : sign | 0x7c00);
	if (e < -25)
		return (unsigned short)sign;
	if (e > 15)
		return (unsigned short)(sign | 0x7c00);
	m |= 0x800000;
	shift = e < -14 ? (unsigned int)(-1 - e) : 13;	/* a denormal loses more */
	r = m >> shift;
	m &= (1u << shift) - 1;
	r += m > 1u << (shift - 1) || (m == 1u << (shift - 1) && (r & 1));
	if (e >= -14)
		r += (unsigned int)(e + 14) << 10;
	return (unsigned short)(sign | r);
}

PPU_SF_FN_ float of_half(unsigned short h)
{
	unsigned int e = h >> 10 & 31, m = h & 0x3ff, sign = (unsigned int)(h & 0x8000) << 16;

	if (e == 31)
		return bits<float>(sign | 0x7f800000 | m << 13);
	if (e)
		return bits<float>(sign | (e + 112) << 23 | m << 13);
	return bits<float>(sign | bits<unsigned int>((float)m * 5.9604644775390625e-8f));	/* 2^-24 */
}

} /* namespace ppu_sf */

#define PPU_SF		__half
#define PPU_SF2		__half2
#define PPU_SF_RAW	__half_raw
#define PPU_SF_RAW2	__half2_raw
#define PPU_SF_FROM(f)	ppu_sf::half_of(f)
#define PPU_SF_TO(h)	ppu_sf::of_half((h).__x)
#define PPU_SF_INF	0x7c00
#define PPU_SF_NAN	0x7fff
#define PPU_SF_PTX	"f16"
#include "crt/ppu_small_float.h"

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#endif

#define PPU_SF_WORD	half
#include "crt/ppu_small_float_convert.h"
PPU_SF_FN_ __half2 __half2half2(__half h) { return __half2(h, h); }

#include "crt/ppu_small_float_end.h"

#endif
#endif
