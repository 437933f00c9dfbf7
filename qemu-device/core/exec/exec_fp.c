/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * f32 and f64 arithmetic, comparison and functions, 32 lanes at a time.
 * Semantics: PTX; see Documentation/hw/arithmetic.md.
 *
 * Frequent operations (round to nearest, no modifiers) have a loop of their own.  All others go
 * through the general form: operands are prepared (negate, absolute, flush) into buffers, the
 * operation runs under the rounding mode, the result is finished (flush, saturate) and stored.
 *
 * The caller runs with the host's default: round to nearest, nothing flushed.
 */
#ifndef PPU_EXEC_LEVEL
#define PPU_EXEC_TEMPLATE "exec_fp.c"
#include "core/exec/exec_multi.h"
#else

#ifndef PPU_EXEC_FP_ONCE
#define PPU_EXEC_FP_ONCE
#include "core/exec/exec_approx.h"

#define F(x) ppu_asf(x)
#define D(x) ppu_asd(x)
#define C32(x) ppu_canon32(x)
#define C64(x) ppu_canon64(x)
#define Z(x) ppu_flush32(x)

/* a * b + c rounded once, where the host has no such instruction (level 1). */
static PPU_NOSAN __attribute__((noinline, unused))
uint64_t ppu_soft_fma64(uint64_t a, uint64_t b, uint64_t c, unsigned rnd)
{
	const uint64_t expm = 0x7ff0000000000000ull, absm = 0x7fffffffffffffffull;
	bool neg = (a ^ b) >> 63, cneg = c >> 63;
	unsigned __int128 p, q, r;
	uint64_t ma, mb, mc, hi, lo;
	int e, ec, d, n;

	if ((a & expm) == expm || (b & expm) == expm)
		return ppu_canon64(ppu_asd(a) * ppu_asd(b) + ppu_asd(c));
	if ((c & expm) == expm)
		return ppu_canon64(ppu_asd(c));
	if (!(a & absm) || !(b & absm)) {	/* the product is an exact zero */
		if (c & absm)
			return c;
		return neg == cneg ? c : rnd == 2 ? 1ull << 63 : 0;
	}
	e = ppu_unpack64(a, &ma) + ppu_unpack64(b, &mb);
	p = (unsigned __int128)ma * mb >> 2;	/* 106 bits of product over 20 zeros: exact */
	e += 2;
	if (c & absm) {
		ec = ppu_unpack64(c, &mc) - 62;
		q = (unsigned __int128)mc << 62;
		/* bring both to the larger unit; what falls off stays as a sticky bit */
		d = e - ec;
		if (d > 0) {
			q = d > 127 ? 1 : q >> d | ((q & (((unsigned __int128)1 << d) - 1)) != 0);
		} else if (d < 0) {
			d = -d;
			p = d > 127 ? 1 : p >> d | ((p & (((unsigned __int128)1 << d) - 1)) != 0);
			e = ec;
		}
		if (neg == cneg) {
			r = p + q;
		} else if (p >= q) {
			r = p - q;
		} else {
			r = q - p;
			neg = cneg;
		}
		if (!r)
			return rnd == 2 ? 1ull << 63 : 0;
	} else {
		r = p;
	}
	hi = (uint64_t)(r >> 64);
	lo = (uint64_t)r;
	if (!hi) {
		hi = lo;
		lo = 0;
		e -= 64;
	}
	n = __builtin_clzll(hi);
	if (n) {
		hi = hi << n | lo >> (64 - n);
		lo <<= n;
	}
	return ppu_pack(neg, hi | (lo != 0), e + 64 - n, 52, 1023, rnd);
}
#endif

/* ---- a * b + c, rounded once ------------------------------------------------------------------- */
#undef FMA32
#undef FMA64
#undef PPU_EXEC_WORDS
#undef PPU_EXEC_FUSED
#define PPU_EXEC_WORDS (PPU_EXEC_LEVEL == 4 ? 4 : PPU_EXEC_LEVEL == 3 ? 2 : 1)	/* of 128 bits */
#if PPU_EXEC_LEVEL >= 3 || (defined(__aarch64__) && !defined(PPU_PORTABLE))
#define PPU_EXEC_FUSED 1		/* the host has an instruction for it */
#define FMA32(a, b, c) __builtin_fmaf(a, b, c)
#define FMA64(a, b, c) __builtin_fma(a, b, c)
#else
/* The product of two floats is an exact double; a sum rounded to odd may be rounded again. */
#define FMA32(a, b, c) ((float)ppu_add_odd((double)(a) * (double)(b), (double)(c)))
#define FMA64(a, b, c) D(ppu_soft_fma64(ppu_asl(a), ppu_asl(b), ppu_asl(c), 0))
#endif

/* ---- frequent forms -------------------------------------------------------------------------------- */
OP2(add_f32, W, W, W, C32(F(A) + F(B)))
OP2(sub_f32, W, W, W, C32(F(A) - F(B)))
OP2(mul_f32, W, W, W, C32(F(A) * F(B)))
OP2(add_f32z, W, W, W, Z(C32(F(Z(A)) + F(Z(B)))))
OP2(sub_f32z, W, W, W, Z(C32(F(Z(A)) - F(Z(B)))))
OP2(mul_f32z, W, W, W, Z(C32(F(Z(A)) * F(Z(B)))))
OP3(fma_f32, W, W, W, W, C32(FMA32(F(A), F(B), F(C))))
OP3(fma_f32z, W, W, W, W, Z(C32(FMA32(F(Z(A)), F(Z(B)), F(Z(C))))))
OP2(div_f32, W, W, W, C32(F(A) / F(B)))

OP2(add_f64, F, F, F, C64(D(A) + D(B)))
OP2(sub_f64, F, F, F, C64(D(A) - D(B)))
OP2(mul_f64, F, F, F, C64(D(A) * D(B)))
OP2(div_f64, F, F, F, C64(D(A) / D(B)))
OP3(fma_f64, F, F, F, F, C64(FMA64(D(A), D(B), D(C))))

/* Negated operands of fma and add are frequent too: the sign bits are data of the loop. */
FN(fma_f32n)
{
	const uint32_t xa = (uint32_t)(di->na ^ di->nb) << 31, xc = (uint32_t)di->nc << 31;
	DECLD_W DECL_W(a) DECL_W(b) DECL_W(c)
	LOOP {
		uint32_t A = a0[l] ^ xa, B = b0[l], C = c0[l] ^ xc;

		PUTM_W(C32(FMA32(F(A), F(B), F(C))));
	}
}
FN(fma_f64n)
{
	const uint64_t xa = (uint64_t)(di->na ^ di->nb) << 63, xc = (uint64_t)di->nc << 63;
	DECLD_D DECL_D(a) DECL_D(b) DECL_D(c)
	LOOP {
		uint64_t A = LOAD_D(a) ^ xa, B = LOAD_D(b), C = LOAD_D(c) ^ xc;

		PUTM_D(C64(FMA64(D(A), D(B), D(C))));
	}
}

OP1(rcp_f32, W, W, C32(1.0f / F(A)))
OP1(rcp_f64, F, F, C64(1.0 / D(A)))

/* ---- the general form ---------------------------------------------------------------------------------- */
struct N(in32) {
	uint32_t buf[PPU_LANES] ALIGNED;
};
struct N(in64) {
	uint64_t buf[PPU_LANES] ALIGNED;
};
/* Operand with absolute value, negation, flush. */
PPU_INL const uint32_t *N(prep32)(struct ppu_vregs *v, unsigned row, bool isimm, uint32_t imm,
				  bool abs, bool neg, bool ftz, struct N(in32) *in)
{
	const uint32_t am = abs ? 0x7fffffff : ~0u, xm = neg ? 0x80000000 : 0;
	const uint32_t *p = v->row[row];
	uint32_t *q = in->buf;

	if (isimm) {
		LOOP q[l] = imm;
		p = q;
	}
	if (!abs && !neg && !ftz)
		return p;
	if (ftz)
		LOOP q[l] = (Z(p[l]) & am) ^ xm;
	else
		LOOP q[l] = (p[l] & am) ^ xm;
	return q;
}
#define PREP32(v, row, isimm, imm, abs, neg, ftz, in) \
	((const uint32_t *)__builtin_assume_aligned( \
		N(prep32)(v, row, isimm, imm, abs, neg, ftz, in), 64))
PPU_INL void N(prep64)(struct ppu_vregs *v, unsigned row, bool isimm, uint32_t imm,
		       bool abs, bool neg, struct N(in64) *in)
{
	const uint64_t am = abs ? 0x7fffffffffffffffull : ~0ull, xm = neg ? 1ull << 63 : 0;
	const uint32_t *lo = ROW(row), *hi = ROW(row + 1);
	uint64_t *q = in->buf;

	if (isimm)
		LOOP q[l] = (((uint64_t)imm << 32) & am) ^ xm;
	else
		LOOP q[l] = ((lo[l] | (uint64_t)hi[l] << 32) & am) ^ xm;
}
PPU_INL void N(finish32)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, uint32_t *r)
{
	DECLD_W

	if (di->ftz)
		LOOP r[l] = Z(r[l]);
	if (di->sat)
		LOOP r[l] = ppu_sat32(r[l]);
	LOOP PUTM_W(r[l]);
}
PPU_INL void N(finish64)(struct ppu_vregs *v, const struct ppu_dinsn *di, uint32_t mask, uint64_t *r)
{
	DECLD_D

	if (di->sat)
		LOOP r[l] = ppu_sat64(r[l]);
	LOOP PUTM_D(r[l]);
}
#define A32 const uint32_t *a = PREP32(v, di->a, false, 0, di->aa, di->na, di->ftz, &ia)
#define B32 const uint32_t *b = PREP32(v, di->b, di->bi, di->imm, di->ab, di->nb, di->ftz, &ib)
#define CC32 const uint32_t *c = PREP32(v, di->c, di->ci, di->imm, false, di->nc, di->ftz, &ic)

#define GEN1(name, expr) \
FN(name) \
{ \
	struct N(in32) ia; \
	uint32_t r[PPU_LANES] ALIGNED, csr; \
	A32; \
	csr = ppu_rnd_begin(di->rnd, a, r, r); \
	LOOP { uint32_t A = a[l]; r[l] = expr; } \
	ppu_rnd_end(di->rnd, csr, r); \
	N(finish32)(v, di, mask, r); \
}
#define GEN2(name, expr) \
FN(name) \
{ \
	struct N(in32) ia, ib; \
	uint32_t r[PPU_LANES] ALIGNED, csr; \
	A32; B32; \
	csr = ppu_rnd_begin(di->rnd, a, b, r); \
	LOOP { uint32_t A = a[l], B = b[l]; r[l] = expr; } \
	ppu_rnd_end(di->rnd, csr, r); \
	N(finish32)(v, di, mask, r); \
}
#define GEN1D(name, expr) \
FN(name) \
{ \
	struct N(in64) ia; \
	uint64_t r[PPU_LANES] ALIGNED, *a = ia.buf; \
	uint32_t csr; \
	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia); \
	csr = ppu_rnd_begin(di->rnd, a, r, r); \
	LOOP { uint64_t A = a[l]; r[l] = expr; } \
	ppu_rnd_end(di->rnd, csr, r); \
	N(finish64)(v, di, mask, r); \
}
#define GEN2D(name, expr) \
FN(name) \
{ \
	struct N(in64) ia, ib; \
	uint64_t r[PPU_LANES] ALIGNED, *a = ia.buf, *b = ib.buf; \
	uint32_t csr; \
	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia); \
	N(prep64)(v, di->b, di->bi, di->imm, di->ab, di->nb, &ib); \
	csr = ppu_rnd_begin(di->rnd, a, b, r); \
	LOOP { uint64_t A = a[l], B = b[l]; r[l] = expr; } \
	ppu_rnd_end(di->rnd, csr, r); \
	N(finish64)(v, di, mask, r); \
}

GEN2(add_f32_g, C32(F(A) + F(B)))
GEN2(sub_f32_g, C32(F(A) - F(B)))
GEN2(mul_f32_g, C32(F(A) * F(B)))
GEN2(div_f32_g, C32(F(A) / F(B)))
GEN1(rcp_f32_g, C32(1.0f / F(A)))
GEN2D(add_f64_g, C64(D(A) + D(B)))
GEN2D(sub_f64_g, C64(D(A) - D(B)))
GEN2D(mul_f64_g, C64(D(A) * D(B)))
GEN2D(div_f64_g, C64(D(A) / D(B)))
GEN1D(rcp_f64_g, C64(1.0 / D(A)))

/* Square roots.  Intrinsics where there are any: the C function is a call, where errno counts. */
#ifdef PPU_EXEC_X86
PPU_INL void N(sqrt32)(uint32_t *r, const uint32_t *a)
{
	for (unsigned i = 0; i < PPU_LANES; i += 4 * PPU_EXEC_WORDS)
#if PPU_EXEC_LEVEL == 4
		_mm512_store_ps(r + i, _mm512_sqrt_ps(_mm512_load_ps(a + i)));
#elif PPU_EXEC_LEVEL == 3
		_mm256_store_ps((float *)(r + i), _mm256_sqrt_ps(_mm256_load_ps((const float *)(a + i))));
#else
		_mm_store_ps((float *)(r + i), _mm_sqrt_ps(_mm_load_ps((const float *)(a + i))));
#endif
}
PPU_INL void N(sqrt64)(uint64_t *r, const uint64_t *a)
{
	for (unsigned i = 0; i < PPU_LANES; i += 2 * PPU_EXEC_WORDS)
#if PPU_EXEC_LEVEL == 4
		_mm512_store_pd(r + i, _mm512_sqrt_pd(_mm512_load_pd(a + i)));
#elif PPU_EXEC_LEVEL == 3
		_mm256_store_pd((double *)(r + i), _mm256_sqrt_pd(_mm256_load_pd((const double *)(a + i))));
#else
		_mm_store_pd((double *)(r + i), _mm_sqrt_pd(_mm_load_pd((const double *)(a + i))));
#endif
}
#else
PPU_INL void N(sqrt32)(uint32_t *r, const uint32_t *a)
{
	LOOP r[l] = ppu_asu(__builtin_sqrtf(F(a[l])));
}
PPU_INL void N(sqrt64)(uint64_t *r, const uint64_t *a)
{
	LOOP r[l] = ppu_asl(__builtin_sqrt(D(a[l])));
}
#endif
FN(sqrt_f32)
{
	struct N(in32) ia;
	uint32_t r[PPU_LANES] ALIGNED, csr;
	A32;
	csr = ppu_rnd_begin(di->rnd, a, r, r);
	N(sqrt32)(r, a);
	ppu_rnd_end(di->rnd, csr, r);
	if (di->op == PPU_OP_RSQRT)
		LOOP r[l] = C32(1.0f / F(r[l]));
	else
		LOOP r[l] = C32(F(r[l]));
	N(finish32)(v, di, mask, r);
}
FN(sqrt_f64)
{
	struct N(in64) ia;
	uint64_t r[PPU_LANES] ALIGNED, *a = ia.buf;
	uint32_t csr;
	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia);
	csr = ppu_rnd_begin(di->rnd, a, r, r);
	N(sqrt64)(r, a);
	ppu_rnd_end(di->rnd, csr, r);
	if (di->op == PPU_OP_RSQRT)
		LOOP r[l] = C64(1.0 / D(r[l]));
	else
		LOOP r[l] = C64(D(r[l]));
	N(finish64)(v, di, mask, r);
}

/* div.approx: a * (1 / b), where 1 / b of a large b (above 2^126) has become zero. */
PPU_INL uint32_t N(div_approx)(uint32_t a, uint32_t b)
{
	uint32_t q = ppu_canon32(F(a) / F(b)), ab = b & 0x7fffffff, aa = a & 0x7fffffff;
	uint32_t z = aa >= 0x7f800000 ? PPU_F32_NAN : (a ^ b) & 0x80000000;

	return ab > 0x7e800000 && ab < 0x7f800000 ? z : q;
}
GEN2(div_f32_a, N(div_approx)(A, B))

/* fma.  On level 1 the sum rounded to odd is formed in round-to-nearest; only the last step is not. */
FN(fma_f32_g)
{
	struct N(in32) ia, ib, ic;
	uint32_t r[PPU_LANES] ALIGNED, csr;
	A32; B32; CC32;
#ifdef PPU_EXEC_FUSED
	csr = ppu_rnd_begin(di->rnd, a, b, c);
	LOOP r[l] = C32(FMA32(F(a[l]), F(b[l]), F(c[l])));
#else
	uint64_t odd[PPU_LANES] ALIGNED;
	const uint64_t down = di->rnd == PPU_RND_RM ? 1ull << 63 : 0;

	LOOP {
		double p = (double)F(a[l]) * (double)F(b[l]), q = (double)F(c[l]);
		uint64_t s = ppu_asl(ppu_add_odd(p, q));

		/* an exact zero sum of unlike signs is -0 when rounding down */
		odd[l] = s & ~(1ull << 63) ? s : s | ((ppu_asl(p) | ppu_asl(q)) & down);
	}
	csr = ppu_rnd_begin(di->rnd, odd, r, r);
	LOOP r[l] = C32((float)D(odd[l]));
#endif
	ppu_rnd_end(di->rnd, csr, r);
	N(finish32)(v, di, mask, r);
}
FN(fma_f64_g)
{
	struct N(in64) ia, ib, ic;
	uint64_t r[PPU_LANES] ALIGNED, *a = ia.buf, *b = ib.buf, *c = ic.buf;

	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia);
	N(prep64)(v, di->b, di->bi, di->imm, di->ab, di->nb, &ib);
	N(prep64)(v, di->c, di->ci, di->imm, false, di->nc, &ic);
#ifdef PPU_EXEC_FUSED
	uint32_t csr = ppu_rnd_begin(di->rnd, a, b, c);
	LOOP r[l] = C64(FMA64(D(a[l]), D(b[l]), D(c[l])));
	ppu_rnd_end(di->rnd, csr, r);
#else
	for (unsigned l = 0; l < PPU_LANES; l++)
		r[l] = ppu_soft_fma64(a[l], b[l], c[l], di->rnd);
#endif
	N(finish64)(v, di, mask, r);
}

/* ---- gross approximations of f64: the upper halves only -------------------------------------------------- */
/* Upper half of x, subnormals to zero. */
PPU_INL double N(gross_in)(uint64_t x)
{
	uint64_t s = x & 0x8000000000000000ull, h = x & 0xffffffff00000000ull;

	return ppu_asd(x & 0x7ff0000000000000ull ? h : s);
}
/* Rounded to the upper half; subnormals to zero; a NaN whose payload was below stays a NaN. */
PPU_INL uint64_t N(gross_out)(uint64_t x, double r)
{
	uint64_t u = ppu_asl(r), s = u & 0x8000000000000000ull;
	uint64_t h = (u + 0x80000000) & 0xffffffff00000000ull;

	h = u & 0x7ff0000000000000ull ? h : s;
	h = r - r == 0.0 ? h : u;
	return (x & 0x7fffffffffffffffull) > 0x7ff0000000000000ull || r != r ? PPU_F64_NAN : h;
}
GEN1D(rcp_f64_a, N(gross_out)(A, 1.0 / N(gross_in)(A)))

FN(rsqrt_f64_a)
{
	struct N(in64) ia;
	uint64_t r[PPU_LANES] ALIGNED, *a = ia.buf;

	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia);
	LOOP r[l] = ppu_asl(N(gross_in)(a[l]));
	N(sqrt64)(r, r);
	LOOP r[l] = N(gross_out)(a[l], 1.0 / D(r[l]));
	N(finish64)(v, di, mask, r);
}

/* ---- functions --------------------------------------------------------------------------------------------- */
OP1(ex2_f32, W, W, ppu_ex2(A))
OP1(lg2_f32, W, W, ppu_lg2(A))
OP1(tanh_f32, W, W, ppu_tanh(A))
GEN1(ex2_f32_g, ppu_ex2(A))
GEN1(lg2_f32_g, ppu_lg2(A))
GEN1(tanh_f32_g, ppu_tanh(A))
FN(sincos_f32)
{
	const uint32_t quarter = di->op == PPU_OP_COS;
	struct N(in32) ia;
	uint32_t r[PPU_LANES] ALIGNED, big[PPU_LANES] ALIGNED, m;
	A32;
	LOOP r[l] = ppu_sincos(a[l], quarter);
	LOOP big[l] = (a[l] & 0x7fffffff) - 0x4b800000 < 0x7f800000 - 0x4b800000 ? ~0u : 0;
	for (m = N(movemask)(big) & mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		r[l] = ppu_sincos_big(a[l], quarter);
	}
	N(finish32)(v, di, mask, r);
}

/* ---- sign, minimum, maximum ----------------------------------------------------------------------------------- */
GEN1(neg_f32, A ^ 0x80000000)
GEN1(abs_f32, A & 0x7fffffff)
GEN1D(neg_f64, A ^ 0x8000000000000000ull)
GEN1D(abs_f64, A & 0x7fffffffffffffffull)
GEN2(copysign_f32, (A & 0x80000000) | (B & 0x7fffffff))
GEN2D(copysign_f64, (A & 0x8000000000000000ull) | (B & 0x7fffffffffffffffull))

#define NAN32(x) (((x) & 0x7fffffff) > 0x7f800000)
#define NAN64(x) (((x) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull)
PPU_INL uint32_t N(minmax32)(uint32_t a, uint32_t b, bool max)
{
	float x = F(a), y = F(b);
	uint32_t zero = max ? a & b : a | b;	/* for equal operands: decides between -0 and +0 */
	uint32_t r = max ? (x > y ? a : b) : (x < y ? a : b);

	r = x == y ? zero : r;
	r = y == y ? r : a;
	return C32(F(r));
}
PPU_INL uint64_t N(minmax64)(uint64_t a, uint64_t b, bool max)
{
	bool less = ppu_key64(a) < ppu_key64(b);
	uint64_t r = less != max ? a : b;

	r = NAN64(a) ? b : r;
	r = NAN64(b) ? a : r;
	return NAN64(a) && NAN64(b) ? PPU_F64_NAN : r;
}
OP2(min_f32, W, W, W, N(minmax32)(A, B, false))
OP2(max_f32, W, W, W, N(minmax32)(A, B, true))
OP2(min_f64, F, F, F, N(minmax64)(A, B, false))
OP2(max_f64, F, F, F, N(minmax64)(A, B, true))
/* With NaN propagation and xorsign.abs as data. */
FN(minmax_f32_g)
{
	const bool max = di->op == PPU_OP_MAX, nan = di->y & PPU_MINMAX_NAN, xs = di->y & 2;
	struct N(in32) ia, ib;
	uint32_t r[PPU_LANES] ALIGNED;
	A32; B32;
	LOOP {
		uint32_t A = a[l], B = b[l], sign = xs ? (A ^ B) & 0x80000000 : 0;
		uint32_t am = xs ? 0x7fffffff : ~0u;
		uint32_t x = N(minmax32)(A & am, B & am, max);

		x = nan && (NAN32(A) || NAN32(B)) ? PPU_F32_NAN : x;
		r[l] = NAN32(x) ? x : x | sign;
	}
	N(finish32)(v, di, mask, r);
}
FN(minmax_f64_g)
{
	const bool max = di->op == PPU_OP_MAX, nan = di->y & PPU_MINMAX_NAN, xs = di->y & 2;
	struct N(in64) ia, ib;
	uint64_t r[PPU_LANES] ALIGNED, *a = ia.buf, *b = ib.buf;

	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia);
	N(prep64)(v, di->b, di->bi, di->imm, di->ab, di->nb, &ib);
	LOOP {
		uint64_t A = a[l], B = b[l], sign = xs ? (A ^ B) & 1ull << 63 : 0;
		uint64_t am = xs ? ~(1ull << 63) : ~0ull;
		uint64_t x = N(minmax64)(A & am, B & am, max);

		x = nan && (NAN64(A) || NAN64(B)) ? PPU_F64_NAN : x;
		r[l] = NAN64(x) ? x : x | sign;
	}
	N(finish64)(v, di, mask, r);
}

/* ---- comparison --------------------------------------------------------------------------------------------------- */
/* Half of the comparisons are complements of the others: EQU = not (ordered and unequal), ... */
static const struct {
	uint8_t base, invert;
} N(cmp_of)[PPU_CMP_COUNT] = {
	[PPU_CMP_EQ] = { PPU_CMP_EQ, 0 }, [PPU_CMP_NE] = { PPU_CMP_NE, 0 },
	[PPU_CMP_LT] = { PPU_CMP_LT, 0 }, [PPU_CMP_LE] = { PPU_CMP_LE, 0 },
	[PPU_CMP_GT] = { PPU_CMP_GT, 0 }, [PPU_CMP_GE] = { PPU_CMP_GE, 0 },
	[PPU_CMP_EQU] = { PPU_CMP_NE, 1 }, [PPU_CMP_NEU] = { PPU_CMP_EQ, 1 },
	[PPU_CMP_LTU] = { PPU_CMP_GE, 1 }, [PPU_CMP_LEU] = { PPU_CMP_GT, 1 },
	[PPU_CMP_GTU] = { PPU_CMP_LE, 1 }, [PPU_CMP_GEU] = { PPU_CMP_LT, 1 },
	[PPU_CMP_NUM] = { PPU_CMP_NUM, 0 }, [PPU_CMP_NAN] = { PPU_CMP_NUM, 1 },
};
#define CMP_CASES(X, Y) \
	case PPU_CMP_EQ: LOOP t[l] = X == Y ? ~0u : 0; break; \
	case PPU_CMP_NE: LOOP t[l] = (X < Y) | (X > Y) ? ~0u : 0; break; \
	case PPU_CMP_LT: LOOP t[l] = X < Y ? ~0u : 0; break; \
	case PPU_CMP_LE: LOOP t[l] = X <= Y ? ~0u : 0; break; \
	case PPU_CMP_GT: LOOP t[l] = X > Y ? ~0u : 0; break; \
	case PPU_CMP_GE: LOOP t[l] = X >= Y ? ~0u : 0; break; \
	default: LOOP t[l] = (X == X) & (Y == Y) ? ~0u : 0; break;
static PPU_NOSAN uint32_t N(cmp_f32)(struct ppu_vregs *v, const struct ppu_dinsn *di)
{
	struct N(in32) ia, ib;
	uint32_t t[PPU_LANES] ALIGNED;
	A32; B32;

	switch (N(cmp_of)[di->m].base) {
	CMP_CASES(F(a[l]), F(b[l]))
	}
	return N(movemask)(t) ^ (N(cmp_of)[di->m].invert ? ~0u : 0);
}
static PPU_NOSAN uint32_t N(cmp_f64)(struct ppu_vregs *v, const struct ppu_dinsn *di)
{
	struct N(in64) ia, ib;
	uint32_t t[PPU_LANES] ALIGNED;
	const uint64_t *a = ia.buf, *b = ib.buf;

	N(prep64)(v, di->a, false, 0, di->aa, di->na, &ia);
	N(prep64)(v, di->b, di->bi, di->imm, di->ab, di->nb, &ib);
	switch (N(cmp_of)[di->m].base) {
	CMP_CASES(D(a[l]), D(b[l]))
	}
	return N(movemask)(t) ^ (N(cmp_of)[di->m].invert ? ~0u : 0);
}
#define SETPF(name, op) \
FN(setp_##name) \
{ \
	uint32_t t[PPU_LANES] ALIGNED, r; \
	DECL_W(a) \
	if (di->bi) { \
		const uint32_t B = di->imm; \
		LOOP t[l] = F(a0[l]) op F(B) ? ~0u : 0; \
	} else { \
		DECL_W(b) \
		LOOP t[l] = F(a0[l]) op F(b0[l]) ? ~0u : 0; \
	} \
	r = N(movemask)(t); \
	N(setp_out)(v, di, mask, di->m >= PPU_CMP_EQU ? ~r : r); \
}
SETPF(eq, ==)
SETPF(lt, <)
SETPF(le, <=)
SETPF(gt, >)
SETPF(ge, >=)
FN(setp_f32)
{
	N(setp_out)(v, di, mask, N(cmp_f32)(v, di));
}
FN(setp_f64)
{
	N(setp_out)(v, di, mask, N(cmp_f64)(v, di));
}
FN(set_fp)
{
	uint32_t r = di->t == PPU_T_F32 ? N(cmp_f32)(v, di) : N(cmp_f64)(v, di);

	N(set_out)(v, di, mask, r);
}

/* Class tests on the bits.  x: exponent and fraction as one number, shifted to 32 bits for f64. */
FN(testp)
{
	uint32_t t[PPU_LANES] ALIGNED;

	if (di->t == PPU_T_F32) {
		const uint32_t inf = 0x7f800000, min = 0x00800000;
		DECL_W(a)
		switch (di->m) {
		case PPU_TESTP_FINITE: LOOP t[l] = (a0[l] & 0x7fffffff) < inf ? ~0u : 0; break;
		case PPU_TESTP_INFINITE: LOOP t[l] = (a0[l] & 0x7fffffff) == inf ? ~0u : 0; break;
		case PPU_TESTP_NUMBER: LOOP t[l] = (a0[l] & 0x7fffffff) <= inf ? ~0u : 0; break;
		case PPU_TESTP_NOTANUMBER: LOOP t[l] = (a0[l] & 0x7fffffff) > inf ? ~0u : 0; break;
		case PPU_TESTP_NORMAL: LOOP { uint32_t x = a0[l] & 0x7fffffff; t[l] = x == 0 || x - min < inf - min ? ~0u : 0; } break;
		default: LOOP { uint32_t x = a0[l] & 0x7fffffff; t[l] = x - 1 < min - 1 ? ~0u : 0; } break;
		}
	} else {
		const uint64_t inf = 0x7ff0000000000000ull, min = 0x0010000000000000ull, ab = ~0ull >> 1;
		DECL_D(a)
		switch (di->m) {
		case PPU_TESTP_FINITE: LOOP t[l] = (LOAD_D(a) & ab) < inf ? ~0u : 0; break;
		case PPU_TESTP_INFINITE: LOOP t[l] = (LOAD_D(a) & ab) == inf ? ~0u : 0; break;
		case PPU_TESTP_NUMBER: LOOP t[l] = (LOAD_D(a) & ab) <= inf ? ~0u : 0; break;
		case PPU_TESTP_NOTANUMBER: LOOP t[l] = (LOAD_D(a) & ab) > inf ? ~0u : 0; break;
		case PPU_TESTP_NORMAL: LOOP { uint64_t x = LOAD_D(a) & ab; t[l] = x == 0 || x - min < inf - min ? ~0u : 0; } break;
		default: LOOP { uint64_t x = LOAD_D(a) & ab; t[l] = x - 1 < min - 1 ? ~0u : 0; } break;
		}
	}
	N(put_pred)(v, di->pd, N(movemask)(t), mask);
}

/* ---- selection ------------------------------------------------------------------------------------------------------ */
#define GENERAL(f32, f64) (is64 ? N(f64) : N(f32))
ppu_exec_fn N(ppu_sel_fp)(const struct ppu_dinsn *di)
{
	const bool is64 = di->t == PPU_T_F64;
	const bool negs = di->na | di->nb | di->nc, abss = di->aa | di->ab;
	const bool rest = di->rnd || di->sat || abss;	/* beyond negation and ftz */
	const bool plain = !rest && !negs && !di->ftz;
	const bool regs = !di->bi && !di->ci;

	if (di->t != PPU_T_F32 && !is64)
		return NULL;
	switch (di->op) {
	case PPU_OP_ADD:
		if (plain)
			return is64 ? P2(add_f64) : P2(add_f32);
		if (!is64 && !rest && !negs)
			return P2(add_f32z);
		return GENERAL(add_f32_g, add_f64_g);
	case PPU_OP_SUB:
		if (plain)
			return is64 ? P2(sub_f64) : P2(sub_f32);
		if (!is64 && !rest && !negs)
			return P2(sub_f32z);
		return GENERAL(sub_f32_g, sub_f64_g);
	case PPU_OP_MUL:
		if (plain)
			return is64 ? P2(mul_f64) : P2(mul_f32);
		if (!is64 && !rest && !negs)
			return P2(mul_f32z);
		return GENERAL(mul_f32_g, mul_f64_g);
	case PPU_OP_FMA:
		if (plain)
			return is64 ? P3(fma_f64) : P3(fma_f32);
		if (!is64 && !rest && !negs)
			return P3(fma_f32z);
		if (!rest && !di->ftz && regs)
			return GENERAL(fma_f32n, fma_f64n);
		return GENERAL(fma_f32_g, fma_f64_g);
	case PPU_OP_DIV:
		if (!is64 && di->m == PPU_FN_APPROX)
			return di->rnd ? NULL : N(div_f32_a);
		if (plain)
			return is64 ? P2(div_f64) : P2(div_f32);
		return GENERAL(div_f32_g, div_f64_g);
	case PPU_OP_RCP:
		if (is64 && (di->ftz || di->m))
			return di->ftz && di->m && !di->rnd ? N(rcp_f64_a) : NULL;
		if (di->m && di->rnd)
			return NULL;
		return plain ? GENERAL(rcp_f32, rcp_f64) : GENERAL(rcp_f32_g, rcp_f64_g);
	case PPU_OP_SQRT:
		if (di->m && (is64 || di->rnd))
			return NULL;
		return GENERAL(sqrt_f32, sqrt_f64);
	case PPU_OP_RSQRT:
		if (is64 && di->ftz)
			return N(rsqrt_f64_a);
		return GENERAL(sqrt_f32, sqrt_f64);
	case PPU_OP_SIN: case PPU_OP_COS:
		return is64 ? NULL : N(sincos_f32);
	case PPU_OP_EX2:
		return is64 ? NULL : plain ? N(ex2_f32) : N(ex2_f32_g);
	case PPU_OP_LG2:
		return is64 ? NULL : plain ? N(lg2_f32) : N(lg2_f32_g);
	case PPU_OP_TANH:
		return is64 ? NULL : plain ? N(tanh_f32) : N(tanh_f32_g);
	case PPU_OP_NEG:
		return GENERAL(neg_f32, neg_f64);
	case PPU_OP_ABS:
		return GENERAL(abs_f32, abs_f64);
	case PPU_OP_COPYSIGN:
		return GENERAL(copysign_f32, copysign_f64);
	case PPU_OP_MIN:
		if (plain && !di->y)
			return is64 ? P2(min_f64) : P2(min_f32);
		return GENERAL(minmax_f32_g, minmax_f64_g);
	case PPU_OP_MAX:
		if (plain && !di->y)
			return is64 ? P2(max_f64) : P2(max_f32);
		return GENERAL(minmax_f32_g, minmax_f64_g);
	case PPU_OP_SETP:
		if (di->m >= PPU_CMP_COUNT)
			return NULL;
		if (plain && !is64)
			switch (N(cmp_of)[di->m].base) {
			case PPU_CMP_EQ:
				return N(setp_eq);
			case PPU_CMP_LT:
				return N(setp_lt);
			case PPU_CMP_LE:
				return N(setp_le);
			case PPU_CMP_GT:
				return N(setp_gt);
			case PPU_CMP_GE:
				return N(setp_ge);
			}
		return GENERAL(setp_f32, setp_f64);
	case PPU_OP_SET:
		return di->m < PPU_CMP_COUNT ? N(set_fp) : NULL;
	case PPU_OP_TESTP:
		return di->m < PPU_TESTP_COUNT ? N(testp) : NULL;
	}
	return NULL;
}

/* ---- scalar helpers of exec.h ------------------------------------------------------------------------------------------ */
#if PPU_EXEC_LEVEL == 1
float ppu_f32_add(float a, float b, unsigned rnd, bool ftz, bool sat)
{
	float x[2], r;
	uint32_t csr, u;

	x[0] = ftz ? F(Z(ppu_asu(a))) : a;
	x[1] = ftz ? F(Z(ppu_asu(b))) : b;
	csr = ppu_rnd_begin(rnd, x, x, &r);
	r = x[0] + x[1];
	ppu_rnd_end(rnd, csr, &r);
	u = C32(r);
	if (ftz)
		u = Z(u);
	return F(sat ? ppu_sat32(u) : u);
}

double ppu_f64_add(double a, double b, unsigned rnd)
{
	double x[2] = { a, b }, r;
	uint32_t csr = ppu_rnd_begin(rnd, x, x, &r);

	r = x[0] + x[1];
	ppu_rnd_end(rnd, csr, &r);
	return D(C64(r));
}
#endif

#endif
