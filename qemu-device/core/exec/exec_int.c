/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves, and integer arithmetic, 32 lanes at a time.
 * Semantics: PTX; see Documentation/hw/arithmetic.md.
 */
#ifndef PPU_EXEC_LEVEL
#define PPU_EXEC_TEMPLATE "exec_int.c"
#include "core/exec/exec_multi.h"
#else

/* ---- moves ---------------------------------------------------------------------------------- */
FN(mov_w)
{
	DECLD_W DECL_W(b)
	if (FULL(mask))
		LOOP d0[l] = b0[l];
	else
		LOOP PUTM_W(b0[l]);
}
FN(mov_wi)
{
	const uint32_t B = di->imm;
	DECLD_W
	if (FULL(mask))
		LOOP d0[l] = B;
	else
		LOOP PUTM_W(B);
}
FN(mov_d)
{
	DECLD_D DECL_D(b)
	if (FULL(mask)) {
		LOOP {
			uint32_t lo = b0[l], hi = b1[l];

			d0[l] = lo;
			d1[l] = hi;
		}
		return;
	}
	LOOP {
		uint32_t lo = b0[l], hi = b1[l], o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l];

		d0[l] = m ? lo : o0;
		d1[l] = m ? hi : o1;
	}
}
FN(mov_di)
{
	const uint64_t B = di->op == PPU_OP_MOVI64 ? di->imm64 : IMM64S(di);
	const uint32_t lo = (uint32_t)B, hi = (uint32_t)(B >> 32);
	DECLD_D
	LOOP {
		uint32_t o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l];

		d0[l] = m ? lo : o0;
		d1[l] = m ? hi : o1;
	}
}
FN(mov_h)
{
	DECLD_W DECLI_W(b, di->bi)
	LOOP PUTM_W(b0[l] & 0xffff);
}

#define SEL(name, AND) \
FN(name##_r) \
{ \
	const uint32_t s = N(get_pred)(v, di->ps, di->psn); \
	DECLD_W DECL_W(a) DECL_W(b) \
	LOOP { uint32_t A = a0[l], B = b0[l]; PUTM_W((s & ppu_lane_bit[l] ? A : B) AND); } \
} \
FN(name##_i) \
{ \
	const uint32_t s = N(get_pred)(v, di->ps, di->psn), B = di->imm; \
	DECLD_W DECL_W(a) \
	LOOP { uint32_t A = a0[l]; PUTM_W((s & ppu_lane_bit[l] ? A : B) AND); } \
}
SEL(sel_w, )
SEL(sel_h, & 0xffff)
FN(sel_d)
{
	const uint32_t s = N(get_pred)(v, di->ps, di->psn);
	DECLD_D DECL_D(a) DECLI_D(b, di->bi)
	LOOP {
		uint32_t p = s & ppu_lane_bit[l], m = mask & ppu_lane_bit[l];
		uint32_t alo = a0[l], ahi = a1[l], blo = b0[l], bhi = b1[l];
		uint32_t o0 = d0[l], o1 = d1[l];
		uint32_t lo = p ? alo : blo, hi = p ? ahi : bhi;

		d0[l] = m ? lo : o0;
		d1[l] = m ? hi : o1;
	}
}

/* ---- add, subtract ---------------------------------------------------------------------------- */
OP2(add_w, W, W, W, A + B)
OP2(sub_w, W, W, W, A - B)
OP2X(add_u16, W, W, W, (uint16_t)(A + B))
OP2X(add_s16, W, W, W, (int16_t)(A + B))
OP2X(sub_u16, W, W, W, (uint16_t)(A - B))
OP2X(sub_s16, W, W, W, (int16_t)(A - B))

/* 64-bit sums as two 32-bit ones: addresses are the most frequent use. */
#define ADD64(name, lo_expr, hi_expr) \
FN(name##_r) \
{ \
	DECLD_D DECL_D(a) DECL_D(b) \
	if (FULL(mask)) \
		LOOP { \
			uint32_t al = a0[l], ah = a1[l], bl = b0[l], bh = b1[l]; \
			uint32_t lo = lo_expr, hi = hi_expr; \
			d0[l] = lo; \
			d1[l] = hi; \
		} \
	else \
		LOOP { \
			uint32_t al = a0[l], ah = a1[l], bl = b0[l], bh = b1[l]; \
			uint32_t lo = lo_expr, hi = hi_expr; \
			uint32_t o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l]; \
			d0[l] = m ? lo : o0; \
			d1[l] = m ? hi : o1; \
		} \
} \
FN(name##_i) \
{ \
	const uint32_t bl = di->imm, bh = (uint32_t)((int32_t)di->imm >> 31); \
	DECLD_D DECL_D(a) \
	LOOP { \
		uint32_t al = a0[l], ah = a1[l]; \
		uint32_t lo = lo_expr, hi = hi_expr; \
		uint32_t o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l]; \
		d0[l] = m ? lo : o0; \
		d1[l] = m ? hi : o1; \
	} \
}
ADD64(add_d, al + bl, ah + bh + (lo < al))
ADD64(sub_d, al - bl, ah - bh - (al < bl))

/* Clamp by overflow into the sign: the operands' signs tell the direction. */
PPU_INL uint32_t N(addsat)(uint32_t a, uint32_t b)
{
	uint32_t r = a + b, max = (a >> 31) + 0x7fffffff;

	return (int32_t)((a ^ r) & (b ^ r)) < 0 ? max : r;
}
PPU_INL uint32_t N(subsat)(uint32_t a, uint32_t b)
{
	uint32_t r = a - b, max = (a >> 31) + 0x7fffffff;

	return (int32_t)((a ^ b) & (a ^ r)) < 0 ? max : r;
}
OP2X(add_sat, W, W, W, N(addsat)(A, B))
OP2X(sub_sat, W, W, W, N(subsat)(A, B))

/* ---- multiply ------------------------------------------------------------------------------------ */
PPU_INL uint64_t N(hi_u64)(uint64_t a, uint64_t b)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
	uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;

	return hh + (lh >> 32) + (hl >> 32) + (mid >> 32);
}
PPU_INL uint64_t N(hi_s64)(uint64_t a, uint64_t b)
{
	return N(hi_u64)(a, b) - ((int64_t)a < 0 ? b : 0) - ((int64_t)b < 0 ? a : 0);
}
#define MULW_U32(a, b) ((uint64_t)(uint32_t)(a) * (uint32_t)(b))
#define MULW_S32(a, b) ((uint64_t)((int64_t)(int32_t)(a) * (int32_t)(b)))
#define MULW_U16(a, b) ((uint32_t)(uint16_t)(a) * (uint16_t)(b))
#define MULW_S16(a, b) ((uint32_t)((int32_t)(int16_t)(a) * (int16_t)(b)))
#define MULHI_U32(a, b) ((uint32_t)(MULW_U32(a, b) >> 32))
#define MULHI_S32(a, b) ((uint32_t)(MULW_S32(a, b) >> 32))

OP2(mul_w, W, W, W, A * B)
OP2X(mul_d, D, D, D, A * B)
OP2X(mul_u16, W, W, W, (uint16_t)MULW_U16(A, B))
OP2X(mul_s16, W, W, W, (int16_t)MULW_U16(A, B))
OP2(mulhi_u32, W, W, W, MULHI_U32(A, B))
OP2X(mulhi_s32, W, W, W, MULHI_S32(A, B))
OP2X(mulhi_u16, W, W, W, MULW_U16(A, B) >> 16)
OP2X(mulhi_s16, W, W, W, (int32_t)MULW_S16(A, B) >> 16)
OP2X(mulhi_u64, D, D, D, N(hi_u64)(A, B))
OP2X(mulhi_s64, D, D, D, N(hi_s64)(A, B))
/*
 * Multiplies even and odd lanes apart, as the instructions of x86 do. b: a row, or NULL for imm. lo and hi
 * may be rows of a and b.
 */
#if PPU_EXEC_LEVEL == 4
#define VEC __m512i
#define VLANES 16
#define VLOAD(p) _mm512_load_si512(p)
#define VSTORE(p, x) _mm512_store_si512(p, x)
#define VSPLAT _mm512_set1_epi32
#define VSHR _mm512_srli_epi64
#define VSHL _mm512_slli_epi64
#define VMIX(even, odd) _mm512_mask_blend_epi32(0xaaaa, even, odd)
#define VMULU _mm512_mul_epu32
#define VMULS _mm512_mul_epi32
#elif PPU_EXEC_LEVEL == 3
#define VEC __m256i
#define VLANES 8
#define VLOAD(p) _mm256_load_si256((const __m256i *)(p))
#define VSTORE(p, x) _mm256_store_si256((__m256i *)(p), x)
#define VSPLAT _mm256_set1_epi32
#define VSHR _mm256_srli_epi64
#define VSHL _mm256_slli_epi64
#define VMIX(even, odd) _mm256_blend_epi32(even, odd, 0xaa)
#define VMULU _mm256_mul_epu32
#define VMULS _mm256_mul_epi32
#elif defined(PPU_EXEC_X86)
#define VEC __m128i
#define VLANES 4
#define VLOAD(p) _mm_load_si128((const __m128i *)(p))
#define VSTORE(p, x) _mm_store_si128((__m128i *)(p), x)
#define VSPLAT _mm_set1_epi32
#define VSHR _mm_srli_epi64
#define VSHL _mm_slli_epi64
#define VMIX(even, odd) _mm_or_si128(_mm_and_si128(even, _mm_set1_epi64x(0xffffffff)), \
				     _mm_andnot_si128(_mm_set1_epi64x(0xffffffff), odd))
#define VMULU _mm_mul_epu32
/* SSE2 has no signed multiplication: take the unsigned product, and subtract from its upper half b where a
 * is negative, and a where b is negative. */
PPU_INL __m128i N(muls)(__m128i x, __m128i y)
{
	__m128i nx = _mm_srai_epi32(x, 31), ny = _mm_srai_epi32(y, 31);
	__m128i fix = _mm_add_epi32(_mm_and_si128(nx, y), _mm_and_si128(ny, x));

	return _mm_sub_epi64(_mm_mul_epu32(x, y), _mm_slli_epi64(fix, 32));
}
#define VMULS N(muls)
#endif
#ifdef PPU_EXEC_X86
PPU_INL void N(mulwide)(uint32_t *lo, uint32_t *hi, const uint32_t *a, const uint32_t *b, uint32_t imm,
			bool sgn)
{
	for (unsigned i = 0; i < PPU_LANES; i += VLANES) {
		VEC x = VLOAD(a + i), y = b ? VLOAD(b + i) : VSPLAT((int)imm);
		VEC xo = VSHR(x, 32), yo = VSHR(y, 32);
		VEC e = sgn ? VMULS(x, y) : VMULU(x, y), o = sgn ? VMULS(xo, yo) : VMULU(xo, yo);

		VSTORE(lo + i, VMIX(e, VSHL(o, 32)));
		VSTORE(hi + i, VMIX(VSHR(e, 32), o));
	}
}
#else
PPU_INL void N(mulwide)(uint32_t *lo, uint32_t *hi, const uint32_t *a, const uint32_t *b, uint32_t imm,
			bool sgn)
{
	LOOP {
		uint32_t x = a[l], y = b ? b[l] : imm;
		uint64_t p = sgn ? MULW_S32(x, y) : MULW_U32(x, y);

		lo[l] = (uint32_t)p;
		hi[l] = (uint32_t)(p >> 32);
	}
}
#endif
#undef VEC
#undef VLANES
#undef VLOAD
#undef VSTORE
#undef VSPLAT
#undef VSHR
#undef VSHL
#undef VMIX
#undef VMULU
#undef VMULS
#define MULWIDE(name, b, sgn) \
FN(name) \
{ \
	uint32_t pl[PPU_LANES] ALIGNED, ph[PPU_LANES] ALIGNED; \
	DECLD_D \
	if (FULL(mask)) { \
		N(mulwide)(d0, d1, ROW(di->a), b, di->imm, sgn); \
		return; \
	} \
	N(mulwide)(pl, ph, ROW(di->a), b, di->imm, sgn); \
	LOOP { \
		uint32_t o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l]; \
		d0[l] = m ? pl[l] : o0; \
		d1[l] = m ? ph[l] : o1; \
	} \
}
MULWIDE(mulw_u32_r, ROW(di->b), false)
MULWIDE(mulw_u32_i, NULL, false)
MULWIDE(mulw_s32_r, ROW(di->b), true)
MULWIDE(mulw_s32_i, NULL, true)
/* The 64-bit sum as two 32-bit ones, as in ADD64: address arithmetic again. */
#define MADWIDE(name, b, sgn) \
FN(name) \
{ \
	uint32_t pl[PPU_LANES] ALIGNED, ph[PPU_LANES] ALIGNED; \
	DECLD_D DECLI_D(c, di->ci) \
	N(mulwide)(pl, ph, ROW(di->a), b, di->imm, sgn); \
	if (FULL(mask)) \
		LOOP { \
			uint32_t cl = c0[l], lo = pl[l] + cl, hi = ph[l] + c1[l] + (lo < cl); \
			d0[l] = lo; \
			d1[l] = hi; \
		} \
	else \
		LOOP { \
			uint32_t cl = c0[l], lo = pl[l] + cl, hi = ph[l] + c1[l] + (lo < cl); \
			uint32_t o0 = d0[l], o1 = d1[l], m = mask & ppu_lane_bit[l]; \
			d0[l] = m ? lo : o0; \
			d1[l] = m ? hi : o1; \
		} \
}
MADWIDE(madw_u32_r, ROW(di->b), false)
MADWIDE(madw_u32_i, NULL, false)
MADWIDE(madw_s32_r, ROW(di->b), true)
MADWIDE(madw_s32_i, NULL, true)
OP2X(mulw_u16, W, W, W, MULW_U16(A, B))
OP2X(mulw_s16, W, W, W, MULW_S16(A, B))

OP3(mad_w, W, W, W, W, A * B + C)
OP3X(mad_d, D, D, D, D, A * B + C)
OP3X(mad_u16, W, W, W, W, (uint16_t)(MULW_U16(A, B) + C))
OP3X(mad_s16, W, W, W, W, (int16_t)(MULW_U16(A, B) + C))
OP3X(madhi_u32, W, W, W, W, MULHI_U32(A, B) + C)
OP3X(madhi_s32, W, W, W, W, MULHI_S32(A, B) + C)
OP3X(madhi_sat, W, W, W, W, N(addsat)(MULHI_S32(A, B), C))
OP3X(madhi_u16, W, W, W, W, (uint16_t)((MULW_U16(A, B) >> 16) + C))
OP3X(madhi_s16, W, W, W, W, (int16_t)((MULW_S16(A, B) >> 16) + C))
OP3X(madhi_u64, D, D, D, D, N(hi_u64)(A, B) + C)
OP3X(madhi_s64, D, D, D, D, N(hi_s64)(A, B) + C)
OP3X(madw_u16, W, W, W, W, MULW_U16(A, B) + C)
OP3X(madw_s16, W, W, W, W, MULW_S16(A, B) + C)

#define U24(x) ((x) & 0xffffff)
#define S24(x) ((uint32_t)((int32_t)((x) << 8) >> 8))
#define M24HI_U(a, b) ((uint32_t)(MULW_U32(U24(a), U24(b)) >> 16))
#define M24HI_S(a, b) ((uint32_t)(MULW_S32(S24(a), S24(b)) >> 16))
OP2X(mul24_lo_u, W, W, W, U24(A) * U24(B))
OP2X(mul24_lo_s, W, W, W, S24(A) * S24(B))
OP2X(mul24_hi_u, W, W, W, M24HI_U(A, B))
OP2X(mul24_hi_s, W, W, W, M24HI_S(A, B))
OP3X(mad24_lo_u, W, W, W, W, U24(A) * U24(B) + C)
OP3X(mad24_lo_s, W, W, W, W, S24(A) * S24(B) + C)
OP3X(mad24_hi_u, W, W, W, W, M24HI_U(A, B) + C)
OP3X(mad24_hi_s, W, W, W, W, M24HI_S(A, B) + C)
OP3X(mad24_hi_sat, W, W, W, W, N(addsat)(M24HI_S(A, B), C))

/* ---- carry chains ----------------------------------------------------------------------------------- */
/* x + y + cin or x - y - cin (cin 0 or 1); the carry or borrow goes to t[l] as 0 or ~0. */
#define CARRY(name, K, X, Y, SUM, OUT1, OUT2) \
FN(name) \
{ \
	const uint32_t cin = di->m & PPU_CARRY_IN ? N(get_pred)(v, di->ps, di->psn) : 0; \
	uint32_t t[PPU_LANES] ALIGNED; \
	DECLD_##K DECL_##K(a) DECLI_##K(b, di->bi) \
	CARRY_C(K) \
	LOOP { \
		TYPE_##K A = LOAD_##K(a), B = LOAD_##K(b); \
		CARRY_LC(K) \
		TYPE_##K i = cin & ppu_lane_bit[l] ? 1 : 0; \
		TYPE_##K x = X, y = Y, s = x SUM y, r = s SUM i; \
		t[l] = OUT1 || OUT2 ? ~0u : 0; \
		PUTM_##K(r); \
	} \
	if (di->m & PPU_CARRY_OUT) \
		N(put_pred)(v, di->pd, N(movemask)(t), mask); \
}
#define CARRY_C(K)
#define CARRY_LC(K)
CARRY(addc_w, W, A, B, +, (s < x), (r < s))
CARRY(addc_d, D, A, B, +, (s < x), (r < s))
CARRY(subc_w, W, A, B, -, (x < y), (s < i))
CARRY(subc_d, D, A, B, -, (x < y), (s < i))
#undef CARRY_C
#undef CARRY_LC
#define CARRY_C(K) DECLI_##K(c, di->ci)
#define CARRY_LC(K) TYPE_##K C = LOAD_##K(c);
CARRY(madc_w, W, A * B, C, +, (s < x), (r < s))
CARRY(madc_d, D, A * B, C, +, (s < x), (r < s))
CARRY(madhic_u32, W, MULHI_U32(A, B), C, +, (s < x), (r < s))
CARRY(madhic_s32, W, MULHI_S32(A, B), C, +, (s < x), (r < s))
CARRY(madhic_u64, D, N(hi_u64)(A, B), C, +, (s < x), (r < s))
CARRY(madhic_s64, D, N(hi_s64)(A, B), C, +, (s < x), (r < s))
#undef CARRY_C
#undef CARRY_LC

/* ---- divide -------------------------------------------------------------------------------------------- */
/*
 * 32-bit quotients through double: the true quotient is either an integer or at least 1 / b away
 * from the next one, far more than the rounding error, so truncating the rounded one is right.
 * Only signed 32-bit conversions are used: every level has them.
 */
PPU_INL double N(u32_to_f64)(uint32_t x)
{
	return (double)(int32_t)(x ^ 0x80000000) + 2147483648.0;
}
PPU_INL uint32_t N(f64_to_u32)(double x)	/* 0 <= x < 2^32, truncates */
{
	double y = x - 2147483648.0;
	int32_t big = (int32_t)(y > 0.0 ? y : 0.0), small = (int32_t)(y > -1.0 ? 0.0 : x);

	return y >= 0.0 ? (uint32_t)big ^ 0x80000000 : y > -1.0 ? 0x7fffffff : (uint32_t)small;
}
PPU_INL uint32_t N(divu)(uint32_t a, uint32_t b)
{
	uint32_t q = N(f64_to_u32)(N(u32_to_f64)(a) / (b ? N(u32_to_f64)(b) : 1.0));

	return b ? q : ~0u;
}
PPU_INL uint32_t N(divs)(uint32_t a, uint32_t b)
{
	uint32_t sa = (uint32_t)((int32_t)a >> 31), sb = (uint32_t)((int32_t)b >> 31);
	uint32_t q = N(divu)((a ^ sa) - sa, (b ^ sb) - sb), s = sa ^ sb;

	return b ? (q ^ s) - s : ~0u;
}
PPU_INL uint32_t N(remu)(uint32_t a, uint32_t b)
{
	return b ? a - N(divu)(a, b) * b : a;
}
PPU_INL uint32_t N(rems)(uint32_t a, uint32_t b)
{
	return b ? a - N(divs)(a, b) * b : a;
}
OP2X(div_u32, W, W, W, N(divu)(A, B))
OP2X(div_s32, W, W, W, N(divs)(A, B))
OP2X(rem_u32, W, W, W, N(remu)(A, B))
OP2X(rem_s32, W, W, W, N(rems)(A, B))
OP2X(div_u16, W, W, W, ZX16(N(divu)(ZX16(A), ZX16(B))))
OP2X(div_s16, W, W, W, SX16(N(divs)(SX16(A), SX16(B))))
OP2X(rem_u16, W, W, W, ZX16(N(remu)(ZX16(A), ZX16(B))))
OP2X(rem_s16, W, W, W, SX16(N(rems)(SX16(A), SX16(B))))

/* The host has no vector instruction for 64-bit division: divide lane by lane, and only for active lanes. */
PPU_INL uint64_t N(divu64)(uint64_t a, uint64_t b)
{
	if (!b)
		return ~0ull;
	return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}
PPU_INL uint64_t N(divs64)(uint64_t a, uint64_t b)
{
	uint64_t sa = (uint64_t)((int64_t)a >> 63), sb = (uint64_t)((int64_t)b >> 63);
	uint64_t q;

	if (!b)
		return ~0ull;
	q = N(divu64)((a ^ sa) - sa, (b ^ sb) - sb);
	return (q ^ sa ^ sb) - (sa ^ sb);
}
#define DIV64(name, expr) \
FN(name) \
{ \
	DECLD_D DECL_D(a) DECLI_D(b, di->bi) \
	for (unsigned l = 0; l < PPU_LANES; l++) { \
		if (!(mask >> l & 1)) \
			continue; \
		uint64_t A = LOAD_D(a), B = LOAD_D(b); \
		PUT_D(expr); \
	} \
}
DIV64(div_u64, N(divu64)(A, B))
DIV64(div_s64, N(divs64)(A, B))
DIV64(rem_u64, B ? A - N(divu64)(A, B) * B : A)
DIV64(rem_s64, B ? A - N(divs64)(A, B) * B : A)

/* ---- negate, absolute, minimum, maximum ------------------------------------------------------------------ */
OP1(neg_w, W, W, 0 - A)
OP1(neg_d, D, D, 0 - A)
OP1(neg_u16, W, W, (uint16_t)(0 - A))
OP1(neg_s16, W, W, SX16(0 - A))
OP1(abs_w, W, W, (int32_t)A < 0 ? 0 - A : A)
OP1(abs_d, D, D, (int64_t)A < 0 ? 0 - A : A)
OP1(abs_s16, W, W, SX16((int16_t)A < 0 ? 0 - A : A))
OP1(copy_w, W, W, A)
OP1(copy_d, D, D, A)
OP1(copy_u16, W, W, ZX16(A))

OP2(min_u32, W, W, W, A < B ? A : B)
OP2(min_s32, W, W, W, (int32_t)A < (int32_t)B ? A : B)
OP2(max_u32, W, W, W, A > B ? A : B)
OP2(max_s32, W, W, W, (int32_t)A > (int32_t)B ? A : B)
OP2X(min_u16, W, W, W, ZX16(A) < ZX16(B) ? ZX16(A) : ZX16(B))
OP2X(min_s16, W, W, W, (int16_t)A < (int16_t)B ? SX16(A) : SX16(B))
OP2X(max_u16, W, W, W, ZX16(A) > ZX16(B) ? ZX16(A) : ZX16(B))
OP2X(max_s16, W, W, W, (int16_t)A > (int16_t)B ? SX16(A) : SX16(B))
OP2X(min_u64, D, D, D, A < B ? A : B)
OP2X(min_s64, D, D, D, (int64_t)A < (int64_t)B ? A : B)
OP2X(max_u64, D, D, D, A > B ? A : B)
OP2X(max_s64, D, D, D, (int64_t)A > (int64_t)B ? A : B)

/* ---- sums of differences and products --------------------------------------------------------------------------------- */
OP3X(sad_u32, W, W, W, W, C + (A < B ? B - A : A - B))
OP3X(sad_s32, W, W, W, W, C + ((int32_t)A < (int32_t)B ? B - A : A - B))
OP3X(sad_u16, W, W, W, W, ZX16(C + (ZX16(A) < ZX16(B) ? B - A : A - B)))
OP3X(sad_s16, W, W, W, W, SX16(C + ((int16_t)A < (int16_t)B ? B - A : A - B)))
OP3X(sad_u64, D, D, D, D, C + (A < B ? B - A : A - B))
OP3X(sad_s64, D, D, D, D, C + ((int64_t)A < (int64_t)B ? B - A : A - B))

/* Byte or half i; top: its sign bit for signed ones, else 0. */
#define BYTE(x, i, top) ((((x) >> 8 * (i) & 0xff) ^ (top)) - (top))
#define HALF(x, i, top) ((((x) >> 16 * (i) & 0xffff) ^ (top)) - (top))
FN(dp4a)
{
	const uint32_t s = di->t == PPU_T_S32 ? 0x80 : 0, u = di->u == PPU_T_S32 ? 0x80 : 0;
	DECLD_W DECL_W(a) DECLI_W(b, di->bi) DECLI_W(c, di->ci)
	LOOP {
		uint32_t A = a0[l], B = b0[l], C = c0[l];

		C += BYTE(A, 0, s) * BYTE(B, 0, u) + BYTE(A, 1, s) * BYTE(B, 1, u) +
		     BYTE(A, 2, s) * BYTE(B, 2, u) + BYTE(A, 3, s) * BYTE(B, 3, u);
		PUTM_W(C);
	}
}
FN(dp2a)
{
	const uint32_t s = di->t == PPU_T_S32 ? 0x8000 : 0, u = di->u == PPU_T_S32 ? 0x80 : 0;
	const uint32_t sh = di->m ? 16 : 0;
	DECLD_W DECL_W(a) DECLI_W(b, di->bi) DECLI_W(c, di->ci)
	LOOP {
		uint32_t A = a0[l], B = b0[l] >> sh, C = c0[l];

		C += HALF(A, 0, s) * BYTE(B, 0, u) + HALF(A, 1, s) * BYTE(B, 1, u);
		PUTM_W(C);
	}
}
PPU_INL uint32_t N(absdiff)(uint32_t x, uint32_t y)
{
	return (int32_t)x < (int32_t)y ? y - x : x - y;
}
FN(vabsdiff4)
{
	const uint32_t s = di->t == PPU_T_S32 ? 0x80 : 0, sum = di->m == 1 ? ~0u : 0;
	DECLD_W DECL_W(a) DECLI_W(b, di->bi) DECLI_W(c, di->ci)
	LOOP {
		uint32_t A = a0[l], B = b0[l], C = c0[l];
		uint32_t r0 = N(absdiff)(BYTE(A, 0, s), BYTE(B, 0, s));
		uint32_t r1 = N(absdiff)(BYTE(A, 1, s), BYTE(B, 1, s));
		uint32_t r2 = N(absdiff)(BYTE(A, 2, s), BYTE(B, 2, s));
		uint32_t r3 = N(absdiff)(BYTE(A, 3, s), BYTE(B, 3, s));
		uint32_t p = r0 | r1 << 8 | r2 << 16 | r3 << 24;

		PUTM_W(((C + r0 + r1 + r2 + r3) & sum) | (p & ~sum));
	}
}

/* ---- selection -------------------------------------------------------------------------------------- */
ppu_exec_fn N(ppu_sel_int)(const struct ppu_dinsn *di)
{
	const bool carry = di->m & (PPU_CARRY_IN | PPU_CARRY_OUT);

	switch (di->op) {
	case PPU_OP_MOV:
		return di->bi ? BY_BITS(N(mov_h), N(mov_wi), N(mov_di)) :
				BY_BITS(N(mov_h), N(mov_w), N(mov_d));
	case PPU_OP_MOVI64:
		return N(mov_di);
	case PPU_OP_SEL:
		return BY_BITS(P2(sel_h), P2(sel_w), N(sel_d));
	case PPU_OP_ADD:
		if (carry)
			return BY_TYPE(NULL, NULL, N(addc_w), N(addc_w), N(addc_d), N(addc_d));
		if (di->sat)
			return N(add_sat);
		return BY_TYPE(N(add_u16), N(add_s16), P2(add_w), P2(add_w), P2(add_d), P2(add_d));
	case PPU_OP_SUB:
		if (carry)
			return BY_TYPE(NULL, NULL, N(subc_w), N(subc_w), N(subc_d), N(subc_d));
		if (di->sat)
			return N(sub_sat);
		return BY_TYPE(N(sub_u16), N(sub_s16), P2(sub_w), P2(sub_w), P2(sub_d), P2(sub_d));
	case PPU_OP_MUL:
		return BY_TYPE(N(mul_u16), N(mul_s16), P2(mul_w), P2(mul_w), N(mul_d), N(mul_d));
	case PPU_OP_MULHI:
		return BY_TYPE(N(mulhi_u16), N(mulhi_s16), P2(mulhi_u32), N(mulhi_s32),
			       N(mulhi_u64), N(mulhi_s64));
	case PPU_OP_MULW:
		return BY_TYPE(N(mulw_u16), N(mulw_s16), P2(mulw_u32), P2(mulw_s32), NULL, NULL);
	case PPU_OP_MAD:
		if (carry)
			return BY_TYPE(NULL, NULL, N(madc_w), N(madc_w), N(madc_d), N(madc_d));
		return BY_TYPE(N(mad_u16), N(mad_s16), P3(mad_w), P3(mad_w), N(mad_d), N(mad_d));
	case PPU_OP_MADHI:
		if (carry)
			return BY_TYPE(NULL, NULL, N(madhic_u32), N(madhic_s32),
				       N(madhic_u64), N(madhic_s64));
		if (di->sat)
			return N(madhi_sat);
		return BY_TYPE(N(madhi_u16), N(madhi_s16), N(madhi_u32), N(madhi_s32),
			       N(madhi_u64), N(madhi_s64));
	case PPU_OP_MADW:
		return BY_TYPE(N(madw_u16), N(madw_s16), P2(madw_u32), P2(madw_s32), NULL, NULL);
	case PPU_OP_MUL24:
		if (di->m)
			return BY_TYPE(NULL, NULL, N(mul24_hi_u), N(mul24_hi_s), NULL, NULL);
		return BY_TYPE(NULL, NULL, N(mul24_lo_u), N(mul24_lo_s), NULL, NULL);
	case PPU_OP_MAD24:
		if (di->sat)
			return N(mad24_hi_sat);
		if (di->m)
			return BY_TYPE(NULL, NULL, N(mad24_hi_u), N(mad24_hi_s), NULL, NULL);
		return BY_TYPE(NULL, NULL, N(mad24_lo_u), N(mad24_lo_s), NULL, NULL);
	case PPU_OP_DIV:
		return BY_TYPE(N(div_u16), N(div_s16), N(div_u32), N(div_s32), N(div_u64), N(div_s64));
	case PPU_OP_REM:
		return BY_TYPE(N(rem_u16), N(rem_s16), N(rem_u32), N(rem_s32), N(rem_u64), N(rem_s64));
	case PPU_OP_NEG:
		return BY_TYPE(N(neg_u16), N(neg_s16), N(neg_w), N(neg_w), N(neg_d), N(neg_d));
	case PPU_OP_ABS:	/* of an unsigned value: itself */
		return BY_TYPE(N(copy_u16), N(abs_s16), N(copy_w), N(abs_w), N(copy_d), N(abs_d));
	case PPU_OP_MIN:
		return BY_TYPE(N(min_u16), N(min_s16), P2(min_u32), P2(min_s32), N(min_u64), N(min_s64));
	case PPU_OP_MAX:
		return BY_TYPE(N(max_u16), N(max_s16), P2(max_u32), P2(max_s32), N(max_u64), N(max_s64));
	case PPU_OP_SAD:
		return BY_TYPE(N(sad_u16), N(sad_s16), N(sad_u32), N(sad_s32), N(sad_u64), N(sad_s64));
	case PPU_OP_DP4A:
		return N(dp4a);
	case PPU_OP_DP2A:
		return N(dp2a);
	case PPU_OP_VABSDIFF4:
		return N(vabsdiff4);
	}
	return NULL;
}

#endif
