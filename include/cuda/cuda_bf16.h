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

#define PPU_SF_WORD	bfloat16
#include "crt/ppu_small_float_convert.h"
PPU_SF_FN_ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 h) { return __nv_bfloat162(h, h); }

#include "crt/ppu_small_float_end.h"

#endif
#endif
