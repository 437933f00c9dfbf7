/* SPDX-License-Identifier: MIT */
/* The upper half of a float (bfloat16), and pairs of these: __nv_bfloat16, __nv_bfloat162. */
#ifndef PPU_CUDA_BF16_H
#define PPU_CUDA_BF16_H
#define __CUDA_BF16_H__		/* programs ask for this name */

#ifdef __cplusplus

#include "vector_types.h"
#include "crt/ppu_small_float_odd.h"

namespace ppu_sf {

/* To the nearest, ties to even. */
PPU_SF_FN_ unsigned short bfloat_of(float v)
{
	unsigned int b = bits<unsigned int>(v);

	return (unsigned short)(v != v ? 0x7fff : (b + 0x7fff + (b >> 16 & 1)) >> 16);
}

} /* namespace ppu_sf */

#define PPU_SF		__nv_bfloat16
#define PPU_SF2		__nv_bfloat162
#define PPU_SF_RAW	__nv_bfloat16_raw
#define PPU_SF_RAW2	__nv_bfloat162_raw
#define PPU_SF_FROM(f)	ppu_sf::bfloat_of(f)
#define PPU_SF_TO(h)	ppu_sf::bits<float>((unsigned int)(h).__x << 16)
#define PPU_SF_INF	0x7f80
#define PPU_SF_NAN	0x7fff
#define PPU_SF_PTX	"bf16"
#include "crt/ppu_small_float.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

PPU_SF_FN_ __nv_bfloat16 __float2bfloat16(float v) { return __nv_bfloat16(v); }
PPU_SF_FN_ __nv_bfloat16 __float2bfloat16_rn(float v) { return __nv_bfloat16(v); }
PPU_SF_FN_ __nv_bfloat16 __double2bfloat16(double v) { return __nv_bfloat16(v); }
PPU_SF_FN_ __nv_bfloat16 __int2bfloat16_rn(int v) { return __nv_bfloat16(v); }
PPU_SF_FN_ __nv_bfloat16 __uint2bfloat16_rn(unsigned int v) { return __nv_bfloat16(v); }
PPU_SF_FN_ float __bfloat162float(__nv_bfloat16 h) { return h; }
PPU_SF_FN_ __nv_bfloat162 __float2bfloat162_rn(float v) { return __nv_bfloat162(__nv_bfloat16(v), __nv_bfloat16(v)); }
PPU_SF_FN_ __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
	return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
PPU_SF_FN_ __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
PPU_SF_FN_ float2 __bfloat1622float2(__nv_bfloat162 h) { return float2{ h.x, h.y }; }
PPU_SF_FN_ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }
PPU_SF_FN_ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
PPU_SF_FN_ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
PPU_SF_FN_ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
PPU_SF_FN_ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
PPU_SF_FN_ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
PPU_SF_FN_ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
PPU_SF_FN_ unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
PPU_SF_FN_ short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }
PPU_SF_FN_ __nv_bfloat16 __ushort_as_bfloat16(unsigned short v) { return PPU_SF_BITS_(v); }
PPU_SF_FN_ __nv_bfloat16 __short_as_bfloat16(short v) { return PPU_SF_BITS_(v); }

#include "crt/ppu_small_float_end.h"

#endif
#endif
