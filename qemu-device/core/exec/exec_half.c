/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * f16, f16x2, bf16, bf16x2, 32 lanes at a time.  Semantics: PTX; see Documentation/hw/arithmetic.md.
 *
 * One function does every operation: halves are taken apart, widened, computed so that the last
 * step is the only rounding (or an innocuous one more), and put together.
 *   add, sub, mul   in f32: 24 bits are enough for a second rounding to be harmless; products are
 *                   exact but for bf16 ones below 2^-134, which become 0 either way
 *   fma             f16: the product is exact in f32, the sum is rounded to odd in f32;
 *                   bf16: in f64 rounded to odd, then to f32 rounded to odd
 *
 * f16 and f32 become each other with the host's own conversion where it has one (levels 3 and 4).
 */
#ifndef PPU_EXEC_LEVEL
#define PPU_EXEC_TEMPLATE "exec_half.c"
#include "core/exec/exec_multi.h"
#else

#ifndef PPU_EXEC_HALF_ONCE
#define PPU_EXEC_HALF_ONCE
#include "core/exec/exec_approx.h"

#define IS_BF(t) ((t) == PPU_T_BF16 || (t) == PPU_T_BF16X2)
#define IS_X2(t) ((t) == PPU_T_F16X2 || (t) == PPU_T_BF16X2)

/* A double to f32, the last bit sticky. */
PPU_INL uint32_t ppu_f64_f32_odd(double d)
{
	float f = (float)d;
	double g = (double)f, ag = g < 0 ? -g : g, ad = d < 0 ? -d : d;
	uint32_t u = ppu_asu(f), away = ag > ad ? 1 : 0, odd = (u - away) | 1;

	return g == d ? u : odd;
}
/* Bits of p + c as f32, the last bit sticky.  Two-sum gives the exact error; infinities and NaNs have
 * none. */
PPU_INL uint32_t ppu_add_odd32(float p, float c)
{
	float s = p + c, b = s - p, e = (p - (s - b)) + (c - b);
	uint32_t u = ppu_asu(s), below = (ppu_asu(e) ^ u) >> 31, odd = (u - below) | 1;

	return e < 0 ? odd : e > 0 ? odd : u;
}
PPU_INL uint32_t ppu_minmax_h(uint32_t a, uint32_t b, bool max)
{
	const uint32_t flip = max ? ~0u : 0;
	uint32_t less = ppu_key32(a) < ppu_key32(b) ? ~0u : 0, aa = a & 0x7fffffff, ab = b & 0x7fffffff;
	uint32_t r = b ^ ((a ^ b) & (less ^ flip));

	r = aa > 0x7f800000 ? b : r;
	r = ab > 0x7f800000 ? a : r;
	return (aa < ab ? aa : ab) > 0x7f800000 ? PPU_F32_NAN : r;
}
#endif

struct N(hrow) {
	uint32_t x[PPU_LANES] ALIGNED;
};
/* f16 bits to f32 bits.  A NaN becomes the canonical NaN with the sign it had. */
PPU_INL void N(widen)(uint32_t *x)
{
#if PPU_EXEC_LEVEL == 4
	for (unsigned i = 0; i < PPU_LANES; i += 16) {
		__m512i h = _mm512_load_si512(x + i), sign = _mm512_slli_epi32(
					_mm512_and_si512(h, _mm512_set1_epi32(0x8000)), 16);
		__m512 f = _mm512_cvtph_ps(_mm512_cvtepi32_epi16(h));
		__m512i v = _mm512_mask_mov_epi32(_mm512_castps_si512(f), _mm512_cmp_ps_mask(f, f, _CMP_UNORD_Q),
						  _mm512_set1_epi32((int)PPU_F32_NAN));

		_mm512_store_si512(x + i, _mm512_or_si512(v, sign));
	}
#elif PPU_EXEC_LEVEL == 3
	for (unsigned i = 0; i < PPU_LANES; i += 8) {
		__m256i h = _mm256_load_si256((const __m256i *)(x + i));
		__m256i sign = _mm256_slli_epi32(_mm256_and_si256(h, _mm256_set1_epi32(0x8000)), 16);
		__m256 f = _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(h),
							    _mm256_extracti128_si256(h, 1)));
		__m256 v = _mm256_blendv_ps(f, _mm256_castsi256_ps(_mm256_set1_epi32((int)PPU_F32_NAN)),
					    _mm256_cmp_ps(f, f, _CMP_UNORD_Q));

		_mm256_store_si256((__m256i *)(x + i), _mm256_or_si256(_mm256_castps_si256(v), sign));
	}
#else
	LOOP x[l] = ppu_f16_f32(x[l]) | (x[l] & 0x8000) << 16;
#endif
}
/* f32 bits to f16 bits, to nearest even. */
PPU_INL void N(narrow)(uint32_t *x)
{
#if PPU_EXEC_LEVEL == 4
	for (unsigned i = 0; i < PPU_LANES; i += 16) {
		__m512 f = _mm512_load_ps(x + i);
		__m512i h = _mm512_cvtepu16_epi32(_mm512_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));

		_mm512_store_si512(x + i, _mm512_mask_mov_epi32(h, _mm512_cmp_ps_mask(f, f, _CMP_UNORD_Q),
								_mm512_set1_epi32(PPU_H_NAN)));
	}
#elif PPU_EXEC_LEVEL == 3
	for (unsigned i = 0; i < PPU_LANES; i += 8) {
		__m256 f = _mm256_load_ps((const float *)(x + i));
		__m256i h = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));

		_mm256_store_si256((__m256i *)(x + i), _mm256_blendv_epi8(h, _mm256_set1_epi32(PPU_H_NAN),
				   _mm256_castps_si256(_mm256_cmp_ps(f, f, _CMP_UNORD_Q))));
	}
#else
	LOOP x[l] = ppu_f32_f16(x[l], 0);
#endif
}
/* One half of an operand as f32 bits: absolute value, negation, flush of f16 subnormals. */
PPU_INL void N(take)(const struct ppu_dinsn *di, const uint32_t *p, unsigned half, bool abs, bool neg,
		     struct N(hrow) *out)
{
	const uint32_t sh = 16 * half, am = abs ? 0x7fff : 0xffff, xm = neg ? 0x8000 : 0;
	const uint32_t expm = di->ftz ? (IS_BF(di->t) ? 0x7f80 : 0x7c00) : 0;
	uint32_t *x = out->x;

	LOOP x[l] = p[l] >> sh & 0xffff;
	if (expm)
		LOOP x[l] = x[l] & expm ? x[l] : x[l] & 0x8000;
	LOOP x[l] = (x[l] & am) ^ xm;
	/* NaNs keep their sign, because xorsign needs it */
	if (IS_BF(di->t))
		LOOP x[l] = ppu_bf16_f32(x[l]) | (x[l] & 0x8000) << 16;
	else
		N(widen)(x);
}
/* f32 bits (rounded to odd or exact enough) to a half, with flush, relu, saturation. */
PPU_INL void N(give)(const struct ppu_dinsn *di, unsigned half, bool relu, struct N(hrow) *r,
		     uint32_t *acc)
{
	const bool bf = IS_BF(di->t);
	const uint32_t expm = di->ftz ? (bf ? 0x7f80 : 0x7c00) : 0;
	const uint32_t sh = 16 * half;
	uint32_t *x = r->x;

	if (bf)
		LOOP x[l] = ppu_f32_bf16(x[l], 0);
	else
		N(narrow)(x);
	if (expm)
		LOOP x[l] = x[l] & expm ? x[l] : x[l] & 0x8000;
	if (relu)	/* a NaN is the canonical one, positive */
		LOOP x[l] = x[l] & 0x8000 ? 0 : x[l];
	if (di->sat)
		LOOP x[l] = bf ? ppu_sath(x[l], 0x3f80, 0x7f80) : ppu_sath(x[l], 0x3c00, 0x7c00);
	if (half)
		LOOP acc[l] |= x[l] << sh;
	else
		LOOP acc[l] = x[l];
}
#define HF(x) ppu_asf((x)[l])
#define HD(x) ((double)ppu_asf((x)[l]))
FN(half_op)
{
	const bool max = di->op == PPU_OP_MAX, nan = di->y & PPU_MINMAX_NAN, xs = di->y & 2;
	struct N(hrow) ha, hb, hc, hr;
	uint32_t acc[PPU_LANES] ALIGNED;
	uint32_t *a = ha.x, *b = hb.x, *c = hc.x, *r = hr.x;
	DECLD_W DECL_W(a) DECLI_W(b, di->bi) DECLI_W(c, di->ci)

	for (unsigned half = 0; half <= IS_X2(di->t); half++) {
		N(take)(di, a0, half, di->aa, di->na, &ha);
		N(take)(di, b0, half, di->ab, di->nb, &hb);
		switch (di->op) {
		case PPU_OP_ADD:
			LOOP r[l] = ppu_asu(HF(a) + HF(b));
			break;
		case PPU_OP_SUB:
			LOOP r[l] = ppu_asu(HF(a) - HF(b));
			break;
		case PPU_OP_MUL:
			LOOP r[l] = ppu_asu(HF(a) * HF(b));
			break;
		case PPU_OP_FMA:
			N(take)(di, c0, half, false, di->nc, &hc);
			if (IS_BF(di->t))
				LOOP r[l] = ppu_f64_f32_odd(ppu_add_odd(HD(a) * HD(b), HD(c)));
			else
				LOOP r[l] = ppu_add_odd32(HF(a) * HF(b), HF(c));
			break;
		case PPU_OP_MIN: case PPU_OP_MAX:
			LOOP {
				const uint32_t xm = xs ? 0x80000000 : 0, nm = nan ? 0x7f800000 : ~0u;
				uint32_t A = a[l], B = b[l], aa = A & 0x7fffffff, ab = B & 0x7fffffff;
				uint32_t x = ppu_minmax_h(A & ~xm, B & ~xm, max);

				x = (aa > ab ? aa : ab) > nm ? PPU_F32_NAN : x;
				r[l] = x | ((A ^ B) & xm);
			}
			break;
		case PPU_OP_EX2:
			LOOP r[l] = ppu_ex2(a[l]);
			break;
		default:
			LOOP r[l] = ppu_tanh(a[l]);
			break;
		}
		N(give)(di, half, di->op == PPU_OP_FMA && di->y, &hr, acc);
	}
	LOOP PUTM_W(acc[l]);
}
/* These work on the bits, NaN included. */
FN(half_sign)
{
	const bool x2 = IS_X2(di->t), neg = (di->op == PPU_OP_NEG) != (di->na && di->op != PPU_OP_ABS);
	const uint32_t keep = x2 ? ~0u : 0xffff, signs = 0x80008000 & keep;
	const uint32_t am = di->aa || di->op == PPU_OP_ABS ? keep & ~0x80008000 : keep;
	const uint32_t xm = neg ? signs : 0;
	const uint32_t expm = di->ftz ? 0x7c00 : 0;
	DECLD_W DECL_W(a)

	LOOP {
		uint32_t x = a0[l];

		x = expm && !(x & expm) ? x & 0xffff8000 : x;
		x = expm && !(x & expm << 16) ? x & 0x8000ffff : x;
		PUTM_W((x & am) ^ xm);
	}
}

/* ---- comparison --------------------------------------------------------------------------------------- */
static PPU_NOSAN uint32_t N(cmp_half)(struct ppu_vregs *v, const struct ppu_dinsn *di, unsigned half)
{
	struct N(hrow) ha, hb;
	uint32_t t[PPU_LANES] ALIGNED, *a = ha.x, *b = hb.x;
	const uint32_t m = di->m;
	DECL_W(a) DECLI_W(b, di->bi)

	N(take)(di, a0, half, di->aa, di->na, &ha);
	N(take)(di, b0, half, di->ab, di->nb, &hb);
	switch (m) {
	case PPU_CMP_EQ: case PPU_CMP_NEU: LOOP t[l] = HF(a) == HF(b) ? ~0u : 0; break;
	case PPU_CMP_NE: case PPU_CMP_EQU: LOOP t[l] = (HF(a) < HF(b)) | (HF(a) > HF(b)) ? ~0u : 0; break;
	case PPU_CMP_LT: case PPU_CMP_GEU: LOOP t[l] = HF(a) < HF(b) ? ~0u : 0; break;
	case PPU_CMP_LE: case PPU_CMP_GTU: LOOP t[l] = HF(a) <= HF(b) ? ~0u : 0; break;
	case PPU_CMP_GT: case PPU_CMP_LEU: LOOP t[l] = HF(a) > HF(b) ? ~0u : 0; break;
	case PPU_CMP_GE: case PPU_CMP_LTU: LOOP t[l] = HF(a) >= HF(b) ? ~0u : 0; break;
	default: LOOP t[l] = (HF(a) == HF(a)) & (HF(b) == HF(b)) ? ~0u : 0; break;
	}
	return N(movemask)(t) ^ ((m >= PPU_CMP_EQU && m <= PPU_CMP_GEU) || m == PPU_CMP_NAN ? ~0u : 0);
}
FN(setp_half)
{
	N(setp_out)(v, di, mask, N(cmp_half)(v, di, 0));
}
/* Packed: pd of the low halves, pe of the high ones, both combined with ps. */
FN(setp_half2)
{
	const uint32_t s = N(get_pred)(v, di->ps, di->psn);
	uint32_t p = N(cmp_half)(v, di, 0), q = N(cmp_half)(v, di, 1);

	p = di->x == PPU_BOOL_AND ? p & s : di->x == PPU_BOOL_OR ? p | s : p ^ s;
	q = di->x == PPU_BOOL_AND ? q & s : di->x == PPU_BOOL_OR ? q | s : q ^ s;
	N(put_pred)(v, di->pd, p, mask);
	N(put_pred)(v, di->pe, q, mask);
}
FN(set_half)
{
	N(set_out)(v, di, mask, N(cmp_half)(v, di, 0));
}
FN(set_half2)
{
	const uint32_t s = N(get_pred)(v, di->ps, di->psn);
	const uint32_t yes = di->u == PPU_T_F16X2 ? 0x3c00 : di->u == PPU_T_BF16X2 ? 0x3f80 : 0xffff;
	uint32_t p = N(cmp_half)(v, di, 0), q = N(cmp_half)(v, di, 1);
	DECLD_W

	p = di->x == PPU_BOOL_AND ? p & s : di->x == PPU_BOOL_OR ? p | s : p ^ s;
	q = di->x == PPU_BOOL_AND ? q & s : di->x == PPU_BOOL_OR ? q | s : q ^ s;
	LOOP PUTM_W((p & ppu_lane_bit[l] ? yes : 0) | (q & ppu_lane_bit[l] ? yes << 16 : 0));
}

/* ---- two f32 to a packed pair ---------------------------------------------------------------------------- */
FN(cvt2)
{
	const uint32_t aam = di->aa ? 0x7fffffff : ~0u, axm = di->na ? 0x80000000 : 0;
	const uint32_t bam = di->ab ? 0x7fffffff : ~0u, bxm = di->nb ? 0x80000000 : 0;
	uint32_t x[PPU_LANES] ALIGNED, y[PPU_LANES] ALIGNED;
	DECLD_W DECL_W(a) DECLI_W(b, di->bi)

	LOOP x[l] = (a0[l] & aam) ^ axm;
	LOOP y[l] = (b0[l] & bam) ^ bxm;
#define BOTH(f, rnd) do { \
	LOOP x[l] = f(x[l], rnd); \
	LOOP y[l] = f(y[l], rnd); \
} while (0)
	if (IS_BF(di->t)) {
		if (di->rnd)
			BOTH(ppu_f32_bf16, PPU_RND_RZ);
		else
			BOTH(ppu_f32_bf16, PPU_RND_RN);
	} else {
		if (di->rnd)
			BOTH(ppu_f32_f16, PPU_RND_RZ);
		else
			BOTH(ppu_f32_f16, PPU_RND_RN);
	}
#undef BOTH
	if (di->y) {
		LOOP x[l] = x[l] & 0x8000 ? 0 : x[l];
		LOOP y[l] = y[l] & 0x8000 ? 0 : y[l];
	}
	LOOP PUTM_W(x[l] << 16 | y[l]);
}

/* ---- selection ----------------------------------------------------------------------------------------------- */
ppu_exec_fn N(ppu_sel_half)(const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_FMA:
	case PPU_OP_MIN: case PPU_OP_MAX: case PPU_OP_EX2: case PPU_OP_TANH:
		return N(half_op);
	case PPU_OP_NEG: case PPU_OP_ABS:
		return N(half_sign);
	case PPU_OP_SETP:
		return IS_X2(di->t) ? N(setp_half2) : N(setp_half);
	case PPU_OP_SET:
		return IS_X2(di->t) ? N(set_half2) : N(set_half);
	case PPU_OP_CVT2:
		return IS_X2(di->t) ? N(cvt2) : NULL;
	}
	return NULL;
}

#endif
