/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CVT: every pair of types, 32 lanes at a time.  Semantics: PTX; see Documentation/hw/arithmetic.md.
 *
 * Integers of up to 32 bits, f32 and f64 among each other have vector loops; conversions that
 * involve halves or 64-bit integers go through an exact double or an integer mantissa, and are
 * rounded once, in integers.
 */
#ifndef PPU_EXEC_LEVEL
#define PPU_EXEC_TEMPLATE "exec_cvt.c"
#include "core/exec/exec_multi.h"
#else

#ifndef PPU_EXEC_CVT_ONCE
#define PPU_EXEC_CVT_ONCE

#define IS_SIGNED(t) ((t) == PPU_T_S8 || (t) == PPU_T_S16 || (t) == PPU_T_S32 || (t) == PPU_T_S64)
#define IS_FLOAT(t) ((t) == PPU_T_F16 || (t) == PPU_T_BF16 || (t) == PPU_T_F32 || (t) == PPU_T_F64)

static inline unsigned ppu_bits_of(unsigned t)
{
	static const uint8_t bits[PPU_T_COUNT] = {
#define T(name, code, bits, suffix) bits,
		PPU_TYPES(T)
#undef T
	};

	return bits[t & 15];
}

/* Low bits of x as an integer of `32 - sh` bits. */
PPU_INL uint32_t ppu_ext(uint32_t x, uint32_t sh, bool sgn)
{
	return sgn ? (uint32_t)((int32_t)(x << sh) >> sh) : x << sh >> sh;
}

/* Rounds to an integral value.  Adding 2^23 rounds to nearest; putting the sign back keeps zeros right. */
PPU_INL float ppu_rint32(float x, unsigned rnd)
{
	const uint32_t rm = rnd == PPU_RND_RM ? ~0u : 0, rp = rnd == PPU_RND_RP ? ~0u : 0;
	const uint32_t rz = rnd == PPU_RND_RZ ? ~0u : 0;
	uint32_t sign = ppu_asu(x) & 0x80000000, neg = (uint32_t)((int32_t)ppu_asu(x) >> 31);
	float a = ppu_asf(ppu_asu(x) & 0x7fffffff), t = (a + 0x1p23f) - 0x1p23f;
	float b = a < 0x1p23f ? t : a, r = ppu_asf(ppu_asu(b) | sign);
	uint32_t over = r > x ? 0x3f800000 : 0, under = r < x ? 0x3f800000 : 0;
	float q = r - ppu_asf(over & (rm | (rz & ~neg))) + ppu_asf(under & (rp | (rz & neg)));

	return ppu_asf((ppu_asu(q) & 0x7fffffff) | sign);
}
PPU_INL double ppu_rint64(double x, unsigned rnd)
{
	const uint64_t rm = rnd == PPU_RND_RM ? ~0ull : 0, rp = rnd == PPU_RND_RP ? ~0ull : 0;
	const uint64_t rz = rnd == PPU_RND_RZ ? ~0ull : 0, one = 0x3ff0000000000000ull;
	uint64_t sign = ppu_asl(x) & 1ull << 63, neg = 0 - (ppu_asl(x) >> 63);
	double a = ppu_asd(ppu_asl(x) & ~(1ull << 63)), t = (a + 0x1p52) - 0x1p52;
	double b = a < 0x1p52 ? t : a, r = ppu_asd(ppu_asl(b) | sign);
	uint64_t over = r > x ? one : 0, under = r < x ? one : 0;
	double q = r - ppu_asd(over & (rm | (rz & ~neg))) + ppu_asd(under & (rp | (rz & neg)));

	return ppu_asd((ppu_asl(q) & ~(1ull << 63)) | sign);
}

/* Converts an integral float to an integer, with clamping.  NaN gives 0. */
PPU_INL uint32_t ppu_f32_s32(float x)
{
	float y = (x >= -0x1p31f) & (x < 0x1p31f) ? x : 0.0f;
	uint32_t r = (uint32_t)(int32_t)y;

	r = x >= 0x1p31f ? 0x7fffffff : r;
	return x < -0x1p31f ? 0x80000000 : r;
}
PPU_INL uint32_t ppu_f32_u32(float x)
{
	float y = (x >= 0.0f) & (x < 0x1p32f) ? x : 0.0f;
	uint32_t top = y >= 0x1p31f ? 0x80000000 : 0;
	float z = y >= 0x1p31f ? y - 0x1p31f : y;
	uint32_t r = (uint32_t)(int32_t)z ^ top;

	return x >= 0x1p32f ? ~0u : r;
}
PPU_INL uint32_t ppu_f64_s32(double x, uint32_t lo, uint32_t hi, uint32_t nan)
{
	double l = (double)(int32_t)lo, h = (double)(int32_t)hi;
	double y = x > l ? x : l, z = y < h ? y : h;	/* NaN becomes lo */
	uint32_t r = (uint32_t)(int32_t)z;

	return x == x ? r : nan;
}
PPU_INL uint32_t ppu_f64_u32(double x, uint32_t nan)
{
	double y = x > 0.0 ? x : 0.0, z = y < 4294967295.0 ? y : 4294967295.0;
	uint32_t r = (uint32_t)(int32_t)(z - 2147483648.0) ^ 0x80000000;

	return x == x ? r : nan;
}
PPU_INL uint64_t ppu_f64_s64(double x)
{
	double y = (x >= -0x1p63) & (x < 0x1p63) ? x : 0.0;
	uint64_t r = (uint64_t)(int64_t)y;

	r = x >= 0x1p63 ? ~0ull >> 1 : r;
	return (x < -0x1p63) | (x != x) ? 1ull << 63 : r;
}
PPU_INL uint64_t ppu_f64_u64(double x)
{
	double y = (x >= 0.0) & (x < 0x1p64) ? x : 0.0;
	double z = y >= 0x1p63 ? y - 0x1p63 : y;
	uint64_t r = (uint64_t)(int64_t)z ^ (y >= 0x1p63 ? 1ull << 63 : 0);

	r = x >= 0x1p64 ? ~0ull : r;
	return x != x ? 1ull << 63 : r;
}

/* A finite or infinite double (not NaN) rounded to a type. */
PPU_INL uint64_t ppu_f64_to(uint64_t x, unsigned t, unsigned rnd)
{
	bool neg = x >> 63, inf = (x & ~(1ull << 63)) == 0x7ff0000000000000ull;
	uint64_t m;
	int e = ppu_unpack64(x, &m);

	switch (t) {
	case PPU_T_F16:
		return inf ? 0x7c00 | (uint32_t)neg << 15 : PPU_PACK_F16(neg, m, e, rnd);
	case PPU_T_BF16:
		return inf ? 0x7f80 | (uint32_t)neg << 15 : PPU_PACK_BF16(neg, m, e, rnd);
	case PPU_T_F32:
		return inf ? 0x7f800000 | (uint32_t)neg << 31 : PPU_PACK_F32(neg, m, e, rnd);
	}
	return x;
}
PPU_INL uint64_t ppu_nan_of(unsigned t)
{
	return t == PPU_T_F64 ? PPU_F64_NAN : t == PPU_T_F32 ? PPU_F32_NAN : PPU_H_NAN;
}
PPU_INL uint64_t ppu_sat_of(uint64_t x, unsigned t)
{
	switch (t) {
	case PPU_T_F16:
		return ppu_sath((uint32_t)x, 0x3c00, 0x7c00);
	case PPU_T_BF16:
		return ppu_sath((uint32_t)x, 0x3f80, 0x7f80);
	case PPU_T_F32:
		return ppu_sat32((uint32_t)x);
	}
	return ppu_sat64(x);
}
#endif

/* ---- integer to integer ------------------------------------------------------------------------ */
/* From any integer to at most 32 bits: only the low word of the source counts. */
FN(int_w)
{
	const unsigned ub = ppu_bits_of(di->u), tb = ppu_bits_of(di->t);
	const uint32_t us = ub < 32 ? 32 - ub : 0, ts = 32 - tb;
	const bool usg = IS_SIGNED(di->u), tsg = IS_SIGNED(di->t);
	DECLD_W DECL_W(a)

	if (usg && tsg)
		LOOP PUTM_W(ppu_ext(ppu_ext(a0[l], us, true), ts, true));
	else if (usg)
		LOOP PUTM_W(ppu_ext(ppu_ext(a0[l], us, true), ts, false));
	else if (tsg)
		LOOP PUTM_W(ppu_ext(ppu_ext(a0[l], us, false), ts, true));
	else
		LOOP PUTM_W(ppu_ext(ppu_ext(a0[l], us, false), ts, false));
}
FN(int_d)
{
	const unsigned ub = ppu_bits_of(di->u);
	const uint32_t us = 32 - ub;
	DECLD_D DECL_W(a)

	if (IS_SIGNED(di->u))
		LOOP {
			uint32_t x = ppu_ext(a0[l], us, true), o0 = d0[l], o1 = d1[l];
			uint32_t m = mask & ppu_lane_bit[l];

			d0[l] = m ? x : o0;
			d1[l] = m ? (uint32_t)((int32_t)x >> 31) : o1;
		}
	else
		LOOP {
			uint32_t x = ppu_ext(a0[l], us, false), o0 = d0[l], o1 = d1[l];
			uint32_t m = mask & ppu_lane_bit[l];

			d0[l] = m ? x : o0;
			d1[l] = m ? 0 : o1;
		}
}
FN(copy64)
{
	DECLD_D DECL_D(a)
	LOOP { uint64_t A = LOAD_D(a); PUTM_D(A); }
}
/* Loads the source, extended to 64 bits. */
PPU_INL void N(load_int)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint64_t *x)
{
	const unsigned ub = ppu_bits_of(di->u);
	const bool sgn = IS_SIGNED(di->u);
	const uint32_t us = ub < 32 ? 32 - ub : 0;
	const uint32_t *a0 = ROW(di->a);

	if (ub == 64) {
		const uint32_t *a1 = ROW(di->a + 1);
		LOOP x[l] = LOAD_D(a);
	} else if (sgn) {
		LOOP x[l] = (uint64_t)(int64_t)(int32_t)ppu_ext(a0[l], us, true);
	} else {
		LOOP x[l] = ppu_ext(a0[l], us, false);
	}
}
PPU_INL void N(store)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, const uint64_t *r)
{
	if (ppu_bits_of(di->t) == 64) {
		DECLD_D
		LOOP { uint64_t R = r[l]; PUTM_D(R); }
	} else {
		DECLD_W
		LOOP PUTM_W(r[l]);
	}
}
FN(int_sat)
{
	const unsigned tb = ppu_bits_of(di->t);
	const bool tsg = IS_SIGNED(di->t);
	const uint64_t umax = ~0ull >> (64 - tb), smax = umax >> 1;
	uint64_t x[PPU_LANES] ALIGNED;

	N(load_int)(v, di, x);
	if (IS_SIGNED(di->u)) {
		const int64_t hi = tsg || tb == 64 ? (int64_t)(tb == 64 ? ~0ull >> 1 : smax) : (int64_t)umax;
		const int64_t lo = tsg ? -(int64_t)smax - 1 : 0;

		LOOP {
			int64_t y = (int64_t)x[l] < lo ? lo : (int64_t)x[l];

			x[l] = (uint64_t)(y > hi ? hi : y);
		}
	} else {
		const uint64_t hi = tsg ? smax : umax;

		LOOP x[l] = x[l] > hi ? hi : x[l];
	}
	N(store)(v, di, mask, x);
}

/* ---- integer to float ----------------------------------------------------------------------------- */
PPU_INL void N(put_f32)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, uint32_t *r)
{
	DECLD_W

	if (di->ftz)
		LOOP r[l] = ppu_flush32(r[l]);
	if (di->sat)
		LOOP r[l] = ppu_sat32(r[l]);
	LOOP PUTM_W(r[l]);
}
PPU_INL void N(put_f64)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, uint64_t *r)
{
	DECLD_D

	if (di->sat)
		LOOP r[l] = ppu_sat64(r[l]);
	LOOP { uint64_t R = r[l]; PUTM_D(R); }
}
OP1(s32_f32, W, W, ppu_asu((float)(int32_t)A))
/* Both halves convert exactly; only their sum rounds. */
PPU_INL float N(u32_f32)(uint32_t x)
{
	return (float)(int32_t)(x >> 16) * 65536.0f + (float)(int32_t)(x & 0xffff);
}
OP1(u32_f32_rn, W, W, ppu_asu(N(u32_f32)(A)))
OP1(s32_f64, D, W, ppu_asl((double)(int32_t)A))
OP1(u32_f64, D, W, ppu_asl((double)(int32_t)(A ^ 0x80000000) + 2147483648.0))
FN(i32_f32_g)
{
	const unsigned us = 32 - ppu_bits_of(di->u);
	const bool sgn = IS_SIGNED(di->u);
	uint32_t r[PPU_LANES] ALIGNED, csr;
	DECL_W(a)

	csr = ppu_rnd_begin(di->rnd, a0, r, r);
	if (sgn)
		LOOP r[l] = ppu_asu((float)(int32_t)ppu_ext(a0[l], us, true));
	else
		LOOP r[l] = ppu_asu(N(u32_f32)(ppu_ext(a0[l], us, false)));
	ppu_rnd_end(di->rnd, csr, r);
	N(put_f32)(v, di, mask, r);
}
/* Any integer to any float: the magnitude is normalised and rounded in integers. */
FN(int_float)
{
	const bool sgn = IS_SIGNED(di->u);
	uint64_t x[PPU_LANES] ALIGNED;

	N(load_int)(v, di, x);
	for (unsigned l = 0; l < PPU_LANES; l++) {
		bool neg = sgn && (int64_t)x[l] < 0;
		uint64_t m = neg ? 0 - x[l] : x[l], r;
		int n;

		if (!(mask >> l & 1))
			continue;
		n = m ? __builtin_clzll(m) : 0;
		m <<= n;
		switch (di->t) {
		case PPU_T_F16:
			r = PPU_PACK_F16(neg, m, -n, di->rnd);
			break;
		case PPU_T_BF16:
			r = PPU_PACK_BF16(neg, m, -n, di->rnd);
			break;
		case PPU_T_F32:
			r = PPU_PACK_F32(neg, m, -n, di->rnd);
			break;
		default:
			r = PPU_PACK_F64(neg, m, -n, di->rnd);
			break;
		}
		x[l] = di->sat ? ppu_sat_of(r, di->t) : r;
	}
	N(store)(v, di, mask, x);
}
FN(s64_f64)
{
	uint64_t r[PPU_LANES] ALIGNED;
	uint32_t csr;
	DECL_D(a)

	csr = ppu_rnd_begin(di->rnd, a0, a1, r);
	LOOP r[l] = ppu_asl((double)(int64_t)LOAD_D(a));
	ppu_rnd_end(di->rnd, csr, r);
	N(put_f64)(v, di, mask, r);
}

/* ---- float to integer -------------------------------------------------------------------------------- */
/* f32 operand with absolute value, negation, flush, as bits. */
PPU_INL void N(load_f32)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t *x)
{
	const uint32_t am = di->aa ? 0x7fffffff : ~0u, xm = di->na ? 0x80000000 : 0;
	DECL_W(a)

	if (di->ftz)
		LOOP x[l] = (ppu_flush32(a0[l]) & am) ^ xm;
	else
		LOOP x[l] = (a0[l] & am) ^ xm;
}
FN(f32_s32_rz)
{
	DECLD_W DECL_W(a)
	/* the clamping conversion truncates by itself */
	LOOP PUTM_W(ppu_f32_s32(ppu_asf(a0[l])));
}
FN(f32_i32)
{
	uint32_t x[PPU_LANES] ALIGNED;
	const unsigned rnd = di->rnd;
	DECLD_W

	N(load_f32)(v, di, x);
	if (di->t == PPU_T_S32)
		LOOP PUTM_W(ppu_f32_s32(ppu_rint32(ppu_asf(x[l]), rnd)));
	else
		LOOP PUTM_W(ppu_f32_u32(ppu_rint32(ppu_asf(x[l]), rnd)));
}
/* Loads any float operand as a double, exactly. */
PPU_INL void N(load_float)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint64_t *x)
{
	const uint64_t am = di->aa ? ~0ull >> 1 : ~0ull, xm = di->na ? 1ull << 63 : 0;
	const uint32_t *a0 = ROW(di->a);

	switch (di->u) {
	case PPU_T_F64: {
		const uint32_t *a1 = ROW(di->a + 1);
		LOOP x[l] = LOAD_D(a);
		break;
	}
	case PPU_T_F32:
		if (di->ftz)
			LOOP x[l] = ppu_asl((double)ppu_asf(ppu_flush32(a0[l])));
		else
			LOOP x[l] = ppu_asl((double)ppu_asf(a0[l]));
		break;
	case PPU_T_F16:
		LOOP x[l] = ppu_asl((double)ppu_asf(ppu_f16_f32(a0[l] & 0xffff)));
		break;
	default:
		LOOP x[l] = ppu_asl((double)ppu_asf(ppu_bf16_f32(a0[l] & 0xffff)));
		break;
	}
	LOOP x[l] = (x[l] & am) ^ xm;
}
/* NaN gives 0, or the sign bit when the source is f64 or the result has 64 bits. */
FN(float_int)
{
	const unsigned tb = ppu_bits_of(di->t), rnd = di->rnd;
	const uint32_t nan = di->u == PPU_T_F64 ? 1u << (tb - 1 < 31 ? tb - 1 : 31) : 0;
	uint64_t x[PPU_LANES] ALIGNED;
	uint32_t lo, hi, sx;

	N(load_float)(v, di, x);
	switch (di->t) {
	case PPU_T_S64: {
		DECLD_D
		LOOP { uint64_t r = ppu_f64_s64(ppu_rint64(ppu_asd(x[l]), rnd)); PUTM_D(r); }
		return;
	}
	case PPU_T_U64: {
		DECLD_D
		LOOP { uint64_t r = ppu_f64_u64(ppu_rint64(ppu_asd(x[l]), rnd)); PUTM_D(r); }
		return;
	}
	case PPU_T_U32: {
		DECLD_W
		LOOP PUTM_W(ppu_f64_u32(ppu_rint64(ppu_asd(x[l]), rnd), nan));
		return;
	}
	case PPU_T_S32: case PPU_T_S16: case PPU_T_S8:
		hi = ~0u >> (33 - tb);
		lo = ~hi;
		sx = nan ? lo : 0;
		break;
	default:
		hi = ~0u >> (32 - tb);
		lo = 0;
		sx = nan;
		break;
	}
	DECLD_W
	LOOP PUTM_W(ppu_f64_s32(ppu_rint64(ppu_asd(x[l]), rnd), lo, hi, sx));
}

/* ---- float to float --------------------------------------------------------------------------------------- */
FN(f32_f32)
{
	uint32_t x[PPU_LANES] ALIGNED;
	const unsigned rnd = di->rnd;

	N(load_f32)(v, di, x);
	if (di->y & PPU_CVT_RINT)
		LOOP x[l] = ppu_canon32(ppu_rint32(ppu_asf(x[l]), rnd));
	else
		LOOP x[l] = ppu_canon32(ppu_asf(x[l]));
	N(put_f32)(v, di, mask, x);
}
FN(f64_f64)
{
	uint64_t x[PPU_LANES] ALIGNED;
	const unsigned rnd = di->rnd;

	N(load_float)(v, di, x);
	if (di->y & PPU_CVT_RINT)
		LOOP x[l] = ppu_canon64(ppu_rint64(ppu_asd(x[l]), rnd));
	else
		LOOP x[l] = ppu_canon64(ppu_asd(x[l]));
	N(put_f64)(v, di, mask, x);
}
OP1(f32_f64_rn, D, W, ppu_canon64((double)ppu_asf(A)))
OP1(f64_f32_rn, W, D, ppu_canon32((float)ppu_asd(A)))
FN(f64_f32)
{
	uint64_t x[PPU_LANES] ALIGNED;
	uint32_t r[PPU_LANES] ALIGNED, csr;

	N(load_float)(v, di, x);
	csr = ppu_rnd_begin(di->rnd, x, r, r);
	LOOP r[l] = ppu_canon32((float)ppu_asd(x[l]));
	ppu_rnd_end(di->rnd, csr, r);
	N(put_f32)(v, di, mask, r);
}
OP1(f16_f32, W, W, ppu_f16_f32(A & 0xffff))
OP1(f32_f16_rn, W, W, ppu_f32_f16(A, 0))
OP1(bf16_f32, W, W, ppu_bf16_f32(A & 0xffff))
OP1(f32_bf16_rn, W, W, ppu_f32_bf16(A, 0))
/* All other conversions go through an exact double, which is rounded once. */
FN(float_float)
{
	uint64_t x[PPU_LANES] ALIGNED;
	const unsigned rnd = di->rnd;

	N(load_float)(v, di, x);
	if (di->y & PPU_CVT_RINT)
		LOOP x[l] = ppu_asl(ppu_rint64(ppu_asd(x[l]), rnd));
	for (unsigned l = 0; l < PPU_LANES; l++) {
		bool nan = (x[l] & ~0ull >> 1) > 0x7ff0000000000000ull;
		uint64_t r;

		if (!(mask >> l & 1))
			continue;
		r = nan ? ppu_nan_of(di->t) : ppu_f64_to(x[l], di->t, rnd);
		if (di->ftz && di->t == PPU_T_F32)
			r = ppu_flush32((uint32_t)r);
		x[l] = di->sat ? ppu_sat_of(r, di->t) : r;
	}
	N(store)(v, di, mask, x);
}

/* ---- selection ------------------------------------------------------------------------------------------------ */
ppu_exec_fn N(ppu_sel_cvt)(const struct ppu_dinsn *di)
{
	const unsigned t = di->t, u = di->u;
	const bool tf = IS_FLOAT(t), uf = IS_FLOAT(u);
	const bool plain = !di->rnd && !di->ftz && !di->sat && !di->na && !di->aa && !di->y;

	if (di->op != PPU_OP_CVT)
		return NULL;
	if (!tf && !uf) {
		if (di->sat)
			return N(int_sat);
		return ppu_bits_of(t) != 64 ? N(int_w) : ppu_bits_of(u) == 64 ? N(copy64) : N(int_d);
	}
	if (!uf) {
		if (t == PPU_T_F32 && ppu_bits_of(u) <= 32)
			return plain && u == PPU_T_S32 ? N(s32_f32) : plain && u == PPU_T_U32 ? N(u32_f32_rn) :
			       N(i32_f32_g);
		if (t == PPU_T_F64 && !di->sat) {
			if (u == PPU_T_S32)
				return N(s32_f64);
			if (u == PPU_T_U32)
				return N(u32_f64);
			if (u == PPU_T_S64)
				return N(s64_f64);
		}
		return N(int_float);
	}
	if (!tf) {
		if (u == PPU_T_F32 && t == PPU_T_S32 && di->rnd == PPU_RND_RZ && !di->ftz && !di->na && !di->aa)
			return N(f32_s32_rz);
		if (u == PPU_T_F32 && (t == PPU_T_S32 || t == PPU_T_U32))
			return N(f32_i32);
		return N(float_int);
	}
	if (t == PPU_T_F32 && u == PPU_T_F32)
		return N(f32_f32);
	if (t == PPU_T_F64 && u == PPU_T_F64)
		return N(f64_f64);
	if (t == PPU_T_F32 && u == PPU_T_F64 && !(di->y & PPU_CVT_RINT))
		return plain ? N(f64_f32_rn) : N(f64_f32);
	if (plain) {
		if (t == PPU_T_F64 && u == PPU_T_F32)
			return N(f32_f64_rn);
		if (t == PPU_T_F32)
			return u == PPU_T_F16 ? N(f16_f32) : N(bf16_f32);
		if (u == PPU_T_F32)
			return t == PPU_T_F16 ? N(f32_f16_rn) : N(f32_bf16_rn);
	}
	return N(float_float);
}

#if PPU_EXEC_LEVEL == 1
uint16_t ppu_f32_to_f16(float f, unsigned rnd)
{
	return (uint16_t)ppu_f32_f16(ppu_asu(f), rnd);
}
float ppu_f16_to_f32(uint16_t h)
{
	return ppu_asf(ppu_f16_f32(h));
}
uint16_t ppu_f32_to_bf16(float f, unsigned rnd)
{
	return (uint16_t)ppu_f32_bf16(ppu_asu(f), rnd);
}
float ppu_bf16_to_f32(uint16_t h)
{
	return ppu_asf(ppu_bf16_f32(h));
}
#endif

#endif
