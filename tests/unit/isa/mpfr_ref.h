/* SPDX-License-Identifier: MIT */
/*
 * What an arithmetic instruction gives, computed with GNU MPFR: operands as numbers of any precision, the operation
 * rounded once to the format of the result, subnormals included. The host's floating-point unit takes no part, nor does
 * any code of the device.
 */
#ifndef MPFR_REF_H
#define MPFR_REF_H

#include <stdint.h>
#include <mpfr.h>
#include "test_exec.h"

/* A binary format: bits of the mantissa without the hidden one, and of the exponent. */
struct fmt {
	unsigned type, mant, exp;
	uint64_t nan;
};
static const struct fmt fmts[] = {
	{ PPU_T_F16, 10, 5, 0x7fff }, { PPU_T_BF16, 7, 8, 0x7fff }, { PPU_T_F32, 23, 8, 0x7fffffff },
	{ PPU_T_F64, 52, 11, 0xfff8000000000000ull },
};
static inline const struct fmt *fmt_of(unsigned type)
{
	for (unsigned i = 0; i < COUNT(fmts); i++)
		if (fmts[i].type == type)
			return &fmts[i];
	return NULL;
}
static inline unsigned fmt_bits(const struct fmt *f) { return 1 + f->exp + f->mant; }
static inline uint64_t fmt_inf(const struct fmt *f) { return ((1ull << f->exp) - 1) << f->mant; }
static inline int fmt_bias(const struct fmt *f) { return (1 << (f->exp - 1)) - 1; }

static inline mpfr_rnd_t mpfr_rnd_of(unsigned rnd)
{
	static const mpfr_rnd_t modes[4] = {
		[PPU_RND_RN] = MPFR_RNDN, [PPU_RND_RZ] = MPFR_RNDZ, [PPU_RND_RM] = MPFR_RNDD, [PPU_RND_RP] = MPFR_RNDU,
	};

	return modes[rnd];
}

/* MPFR's widest exponents: operands and exact results; or those of a format: results in it. */
static inline void range_wide(void)
{
	mpfr_set_emin(mpfr_get_emin_min());
	mpfr_set_emax(mpfr_get_emax_max());
}
static inline void range_of(const struct fmt *f)
{
	int bias = fmt_bias(f);

	mpfr_set_emin(2 - bias - (int)f->mant);
	mpfr_set_emax(bias + 1);
}

/* The bits of a format as a number; v has enough precision. */
static inline void num_of_bits(mpfr_t v, const struct fmt *f, uint64_t x)
{
	uint64_t mant = x & ((1ull << f->mant) - 1), exp = x >> f->mant & ((1ull << f->exp) - 1);
	int sign = x >> (f->exp + f->mant) & 1;

	if (exp == (1ull << f->exp) - 1) {
		if (mant)
			mpfr_set_nan(v);
		else
			mpfr_set_inf(v, sign ? -1 : 1);
		return;
	}
	if (!exp && !mant) {
		mpfr_set_zero(v, sign ? -1 : 1);
		return;
	}
	mpfr_set_uj_2exp(v, exp ? mant | 1ull << f->mant : mant, (exp ? (int)exp : 1) - fmt_bias(f) - (int)f->mant, MPFR_RNDN);
	mpfr_setsign(v, v, sign, MPFR_RNDN);
}
/* A number that the format has, as bits. */
static inline uint64_t bits_of_num(mpfr_t v, const struct fmt *f)
{
	uint64_t sign = (uint64_t)(mpfr_signbit(v) != 0) << (f->exp + f->mant), m;
	mpfr_exp_t e;
	mpfr_t t;

	if (mpfr_nan_p(v))
		return f->nan;
	if (mpfr_inf_p(v))
		return sign | fmt_inf(f);
	if (mpfr_zero_p(v))
		return sign;
	range_wide();
	mpfr_init2(t, 64);
	mpfr_abs(t, v, MPFR_RNDN);
	e = mpfr_get_exp(t) - 1 + fmt_bias(f);		/* the biased exponent, if it is normal */
	mpfr_mul_2si(t, t, fmt_bias(f) + (long)f->mant - (e > 0 ? e : 1), MPFR_RNDN);
	ck_assert(mpfr_integer_p(t));
	m = mpfr_get_uj(t, MPFR_RNDN);
	mpfr_clear(t);
	/* the hidden bit counts the exponent up by one */
	return sign | (((uint64_t)(e > 0 ? e - 1 : 0) << f->mant) + m);
}
/* The smallest normal number is larger. */
static inline bool is_subnormal(uint64_t x, const struct fmt *f)
{
	uint64_t mag = x & ((1ull << (f->exp + f->mant)) - 1);

	return mag && mag < 1ull << f->mant;
}

/*
 * Runs one MPFR operation that is rounded to a format: once, with gradual underflow. OP is a call on r, with mode
 * "rnd", whose value is the ternary one.
 */
#define ROUNDED(r, f, mode, OP) do { \
	mpfr_rnd_t rnd = mpfr_rnd_of(mode); \
	int t_; \
	mpfr_set_prec(r, (f)->mant + 1); \
	range_of(f); \
	t_ = (OP); \
	t_ = mpfr_check_range(r, t_, rnd); \
	mpfr_subnormalize(r, t_, rnd); \
	range_wide(); \
} while (0)

static inline uint64_t operand_bits(const struct ppu_dinsn *di, const struct fmt *f, uint64_t x, unsigned abs, unsigned neg)
{
	uint64_t sign = 1ull << (f->exp + f->mant);

	x &= sign | (sign - 1);
	if (di->ftz && f->type != PPU_T_F64 && is_subnormal(x, f))
		x &= sign;
	if (abs)
		x &= ~sign;
	return neg ? x ^ sign : x;
}
/* .ftz, relu and .sat of a rounded result. */
static inline uint64_t finish_bits(const struct ppu_dinsn *di, const struct fmt *f, uint64_t x, bool relu)
{
	uint64_t sign = 1ull << (f->exp + f->mant), one = (uint64_t)fmt_bias(f) << f->mant, mag = x & (sign - 1);

	if (di->ftz && is_subnormal(x, f))
		x &= sign;
	if (relu && x & sign && mag <= fmt_inf(f))
		x = 0;
	if (di->sat)
		x = mag > fmt_inf(f) || x & sign ? 0 : x > one ? one : x;
	return x;
}

/* One scalar operation of a format. */
static inline uint64_t mpfr_scalar(const struct ppu_dinsn *di, const struct fmt *f, uint64_t xa, uint64_t xb, uint64_t xc)
{
	static mpfr_t a, b, c, r;
	bool xorsign = (di->op == PPU_OP_MIN || di->op == PPU_OP_MAX) && di->y & 2;
	int flip = 0;

	if (!a[0]._mpfr_prec)
		mpfr_inits2(53, a, b, c, r, (mpfr_ptr)0);
	range_wide();
	num_of_bits(a, f, operand_bits(di, f, xa, di->aa, di->na));
	if (mpfr_nan_p(a) && (di->op == PPU_OP_NEG || di->op == PPU_OP_ABS))	/* these keep what a NaN carries */
		return operand_bits(di, f, xa, di->aa || di->op == PPU_OP_ABS, di->op == PPU_OP_NEG ? !di->na : 0);
	num_of_bits(b, f, operand_bits(di, f, xb, di->ab, di->nb));
	num_of_bits(c, f, operand_bits(di, f, xc, 0, di->nc));
	if (xorsign) {
		/* of NaNs too, whose sign MPFR does not keep */
		flip = (operand_bits(di, f, xa, di->aa, di->na) ^ operand_bits(di, f, xb, di->ab, di->nb)) >> (f->exp + f->mant);
		mpfr_abs(a, a, MPFR_RNDN);
		mpfr_abs(b, b, MPFR_RNDN);
	}
	switch (di->op) {
	case PPU_OP_ADD: ROUNDED(r, f, di->rnd, mpfr_add(r, a, b, rnd)); break;
	case PPU_OP_SUB: ROUNDED(r, f, di->rnd, mpfr_sub(r, a, b, rnd)); break;
	case PPU_OP_MUL: ROUNDED(r, f, di->rnd, mpfr_mul(r, a, b, rnd)); break;
	case PPU_OP_FMA: ROUNDED(r, f, di->rnd, mpfr_fma(r, a, b, c, rnd)); break;
	case PPU_OP_DIV: ROUNDED(r, f, di->rnd, mpfr_div(r, a, b, rnd)); break;
	case PPU_OP_RCP: ROUNDED(r, f, di->rnd, mpfr_ui_div(r, 1, a, rnd)); break;
	case PPU_OP_SQRT: ROUNDED(r, f, di->rnd, mpfr_sqrt(r, a, rnd)); break;
	case PPU_OP_MIN: ROUNDED(r, f, 0, mpfr_min(r, a, b, rnd)); break;
	case PPU_OP_MAX: ROUNDED(r, f, 0, mpfr_max(r, a, b, rnd)); break;
	case PPU_OP_NEG: ROUNDED(r, f, 0, mpfr_neg(r, a, rnd)); break;
	case PPU_OP_ABS: ROUNDED(r, f, 0, mpfr_abs(r, a, rnd)); break;
	default: ck_abort();
	}
	if (di->op == PPU_OP_MIN || di->op == PPU_OP_MAX) {
		if (di->y & 1 && (mpfr_nan_p(a) || mpfr_nan_p(b)))
			return f->nan;
		if (flip && !mpfr_nan_p(r))
			mpfr_neg(r, r, MPFR_RNDN);
		return bits_of_num(r, f);
	}
	return finish_bits(di, f, bits_of_num(r, f), di->op == PPU_OP_FMA && di->y & 1);
}
/* The reference of an instruction, for run_lanes(). */
static inline void ref_mpfr(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned packed = di->t == PPU_T_F16X2 ? PPU_T_F16 : di->t == PPU_T_BF16X2 ? PPU_T_BF16 : 0;
	const struct fmt *f = fmt_of(packed ? packed : di->t);

	x->d = mpfr_scalar(di, f, x->a, x->b, x->c);
	if (packed)
		x->d |= mpfr_scalar(di, f, x->a >> 16, x->b >> 16, x->c >> 16) << 16;
}

/* An exact number to an integer type: rounded, then clamped. What a NaN gives is the manual's rule. */
static inline uint64_t to_integer(mpfr_t v, unsigned t, unsigned u, unsigned mode)
{
	unsigned bits = ppu_type_bits(t);
	bool sign = is_signed_type(t);
	__int128 lo = sign ? -((__int128)1 << (bits - 1)) : 0, hi = ((__int128)1 << (sign ? bits - 1 : bits)) - 1;

	if (mpfr_nan_p(v))
		return u == PPU_T_F64 || bits == 64 ? reg_of((__int128)1 << (bits - 1), t) : 0;
	mpfr_rint(v, v, mpfr_rnd_of(mode));
	if (mpfr_zero_p(v))
		return 0;
	if (mpfr_sgn(v) < 0)
		return mpfr_cmp_si_2exp(v, sign ? -1 : 0, bits - 1) <= 0 ? reg_of(lo, t) : reg_of(mpfr_get_sj(v, MPFR_RNDZ), t);
	return mpfr_cmp_ui_2exp(v, 1, sign ? bits - 1 : bits) >= 0 ? reg_of(hi, t) : reg_of(mpfr_get_uj(v, MPFR_RNDZ), t);
}
/* CVT, at least one side of it a float. */
static inline void ref_mpfr_cvt(const struct ppu_dinsn *di, struct lane *x)
{
	static mpfr_t v, r;
	const struct fmt *from = fmt_of(di->u), *to = fmt_of(di->t);
	struct ppu_dinsn in = *di, out = *di;

	if (!v[0]._mpfr_prec)
		mpfr_inits2(64, v, r, (mpfr_ptr)0);
	in.ftz = di->ftz && di->u == PPU_T_F32;
	out.ftz = di->ftz && di->t == PPU_T_F32;
	range_wide();
	if (from) {
		num_of_bits(v, from, operand_bits(&in, from, x->a, di->aa, di->na));
	} else {
		__int128 i = int_of(x->a, di->u);

		if (i < 0)
			mpfr_set_sj(v, (intmax_t)i, MPFR_RNDN);
		else
			mpfr_set_uj(v, (uintmax_t)i, MPFR_RNDN);
	}
	if (!to) {
		x->d = to_integer(v, di->t, di->u, di->rnd);
		return;
	}
	if (di->y & PPU_CVT_RINT)
		mpfr_rint(v, v, mpfr_rnd_of(di->rnd));
	ROUNDED(r, to, di->rnd, mpfr_set(r, v, rnd));
	x->d = finish_bits(&out, to, bits_of_num(r, to), false);
}

#endif
