/* SPDX-License-Identifier: MIT */
/*
 * Conversions, which have the type's name in theirs: what cuda_fp16.h and cuda_bf16.h have in common behind
 * ppu_small_float.h.  They define PPU_SF_WORD, which is half or bfloat16.  No guard: each of them needs it.
 */
#define PPU_SF_JOIN_(a, word, b) a##word##b
#define PPU_SF_JOINED_(a, word, b) PPU_SF_JOIN_(a, word, b)
#define PPU_SF_NAME_(a, b) PPU_SF_JOINED_(a, PPU_SF_WORD, b)

PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__float2,)(float v) { return PPU_SF(v); }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__float2, _rn)(float v) { return PPU_SF(v); }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__double2,)(double v) { return PPU_SF(v); }
PPU_SF_FN_ float PPU_SF_NAME_(__, 2float)(PPU_SF h) { return h; }

/* The other directions: the nearest is moved by one if it lies on the wrong side. */
PPU_SF_FN_ PPU_SF ppu_sf_step(PPU_SF h, bool up)
{
	if (!(h.__x & 0x7fff))
		return PPU_SF_BITS_(up ? 1 : 0x8001);
	return PPU_SF_BITS_((h.__x >> 15) == up ? h.__x - 1 : h.__x + 1);
}
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__float2, _rd)(float v) { PPU_SF h(v); return PPU_SF_F_(h) > v ? ppu_sf_step(h, false) : h; }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__float2, _ru)(float v) { PPU_SF h(v); return PPU_SF_F_(h) < v ? ppu_sf_step(h, true) : h; }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__float2, _rz)(float v)
{
	return v < 0 ? PPU_SF_NAME_(__float2, _ru)(v) : PPU_SF_NAME_(__float2, _rd)(v);
}

PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__float2, 2_rn)(float v) { return PPU_SF2(PPU_SF(v), PPU_SF(v)); }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__floats2, 2_rn)(float a, float b) { return PPU_SF2(PPU_SF(a), PPU_SF(b)); }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__float22, 2_rn)(float2 v) { return PPU_SF2(PPU_SF(v.x), PPU_SF(v.y)); }
PPU_SF_FN_ float2 PPU_SF_NAME_(__, 22float2)(PPU_SF2 h) { return float2{ h.x, h.y }; }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__halves2, 2)(PPU_SF a, PPU_SF b) { return PPU_SF2(a, b); }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(make_, 2)(PPU_SF a, PPU_SF b) { return PPU_SF2(a, b); }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__low2,)(PPU_SF2 a) { return a.x; }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__high2,)(PPU_SF2 a) { return a.y; }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__low2, 2)(PPU_SF2 a) { return PPU_SF2(a.x, a.x); }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__high2, 2)(PPU_SF2 a) { return PPU_SF2(a.y, a.y); }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__lows2, 2)(PPU_SF2 a, PPU_SF2 b) { return PPU_SF2(a.x, b.x); }
PPU_SF_FN_ PPU_SF2 PPU_SF_NAME_(__highs2, 2)(PPU_SF2 a, PPU_SF2 b) { return PPU_SF2(a.y, b.y); }
PPU_SF_FN_ unsigned short PPU_SF_NAME_(__, _as_ushort)(PPU_SF h) { return h.__x; }
PPU_SF_FN_ short PPU_SF_NAME_(__, _as_short)(PPU_SF h) { return (short)h.__x; }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__ushort_as_,)(unsigned short v) { return PPU_SF_BITS_(v); }
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__short_as_,)(short v) { return PPU_SF_BITS_(v); }

/* Integers: to the nearest even, towards zero, down and up; what does not fit is the nearest that does, NaN is 0. */
#define PPU_SF_INT_(name, type, low, high) \
PPU_SF_FN_ type ppu_sf_to_##name(PPU_SF h, float v) \
{ \
	return __hisnan(h) ? 0 : (double)v <= (double)(low) ? (low) : (double)v >= (double)(high) ? (high) : (type)v; \
} \
PPU_SF_FN_ type PPU_SF_NAME_(__, 2##name##_rn)(PPU_SF h) { return ppu_sf_to_##name(h, ::rintf(h)); } \
PPU_SF_FN_ type PPU_SF_NAME_(__, 2##name##_rz)(PPU_SF h) { return ppu_sf_to_##name(h, ::truncf(h)); } \
PPU_SF_FN_ type PPU_SF_NAME_(__, 2##name##_rd)(PPU_SF h) { return ppu_sf_to_##name(h, ::floorf(h)); } \
PPU_SF_FN_ type PPU_SF_NAME_(__, 2##name##_ru)(PPU_SF h) { return ppu_sf_to_##name(h, ::ceilf(h)); } \
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__##name##2, _rn)(type v) { return PPU_SF(v); } \
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__##name##2, _rz)(type v) \
{ \
	return PPU_SF_NAME_(__float2, _rz)(ppu_sf::odd((ppu_sf_wide_##name)v)); \
} \
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__##name##2, _rd)(type v) \
{ \
	return PPU_SF_NAME_(__float2, _rd)(ppu_sf::odd((ppu_sf_wide_##name)v)); \
} \
PPU_SF_FN_ PPU_SF PPU_SF_NAME_(__##name##2, _ru)(type v) \
{ \
	return PPU_SF_NAME_(__float2, _ru)(ppu_sf::odd((ppu_sf_wide_##name)v)); \
}
typedef long long ppu_sf_wide_int, ppu_sf_wide_short, ppu_sf_wide_ll;
typedef unsigned long long ppu_sf_wide_uint, ppu_sf_wide_ushort, ppu_sf_wide_ull;
PPU_SF_INT_(int, int, -0x7fffffff - 1, 0x7fffffff)
PPU_SF_INT_(uint, unsigned int, 0u, 0xffffffffu)
PPU_SF_INT_(short, short, -0x8000, 0x7fff)
PPU_SF_INT_(ushort, unsigned short, 0, 0xffff)
PPU_SF_INT_(ll, long long, -0x7fffffffffffffffll - 1, 0x7fffffffffffffffll)
PPU_SF_INT_(ull, unsigned long long, 0ull, 0xffffffffffffffffull)
#undef PPU_SF_INT_
#undef PPU_SF_NAME_
#undef PPU_SF_JOINED_
#undef PPU_SF_JOIN_
