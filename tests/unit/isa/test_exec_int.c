/* SPDX-License-Identifier: MIT */
/*
 * Integer, logic, shift, bit field and predicate instructions against references written bit by bit
 * from the definitions of PTX.  HW-46 (one directed test per operation), SSE2, AVX2 and AVX-512.
 */
#include <hw/ppu_mmu.h>
#include "test_exec.h"

#define N 3000

static __int128 clamp(__int128 x, unsigned t)
{
	unsigned bits = ppu_type_bits(t);
	__int128 lo = is_signed_type(t) ? -((__int128)1 << (bits - 1)) : 0;
	__int128 hi = ((__int128)1 << (is_signed_type(t) ? bits - 1 : bits)) - 1;

	return x < lo ? lo : x > hi ? hi : x;
}
static unsigned wide(unsigned t)
{
	return t == PPU_T_U16 ? PPU_T_U32 : t == PPU_T_S16 ? PPU_T_S32 : t == PPU_T_U32 ? PPU_T_U64 : PPU_T_S64;
}
static unsigned unsigned_of(unsigned t)
{
	return t == PPU_T_S16 ? PPU_T_U16 : t == PPU_T_S32 ? PPU_T_U32 : t == PPU_T_S64 ? PPU_T_U64 : t;
}
static __int128 magnitude(__int128 x) { return x < 0 ? -x : x; }

/* The upper half of the product of two 64-bit numbers; __int128 holds signed and unsigned products. */
static __int128 mul_hi(__int128 a, __int128 b, unsigned t)
{
	unsigned bits = ppu_type_bits(t);
	bool neg = (a < 0) != (b < 0);
	unsigned __int128 ma = (unsigned __int128)magnitude(a), mb = (unsigned __int128)magnitude(b);
	unsigned __int128 p = ma * mb;	/* at most 2^128 - 2^65 + 1 */

	if (neg)
		p = 0 - p;
	return (__int128)(uint64_t)(p >> bits);
}

static void ref_arith(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned t = di->t, bits = ppu_type_bits(t), ut = unsigned_of(t);
	__int128 a = int_of(x->a, t), b = int_of(x->b, t), c = int_of(x->c, t), r = 0;
	__int128 one = (__int128)1 << bits;
	unsigned cin = di->m & PPU_CARRY_IN ? x->ps : 0;

	switch (di->op) {
	case PPU_OP_ADD:
		r = a + b;
		if (di->m) {
			r = int_of(x->a, ut) + int_of(x->b, ut) + cin;
			x->pd = r >= one;
		}
		break;
	case PPU_OP_SUB:
		r = a - b;
		if (di->m) {
			r = int_of(x->a, ut) - int_of(x->b, ut) - cin;
			x->pd = r < 0;
		}
		break;
	case PPU_OP_MUL:
		r = (__int128)((unsigned __int128)a * (unsigned __int128)b);
		break;
	case PPU_OP_MULHI:
		r = mul_hi(a, b, t);
		break;
	case PPU_OP_MAD: case PPU_OP_MADHI:
		r = di->op == PPU_OP_MAD ? (__int128)((unsigned __int128)a * (unsigned __int128)b) :
		    di->sat ? (a * b) >> 32 : mul_hi(a, b, t);
		if (di->sat) {
			r += c;
		} else {
			r = int_of((uint64_t)r, ut) + int_of(x->c, ut) + cin;
			x->pd = r >= one;
		}
		break;
	case PPU_OP_DIV:
		r = b == 0 ? -1 : a / b;
		break;
	case PPU_OP_REM:
		r = b == 0 ? a : a % b;
		break;
	case PPU_OP_NEG:
		r = -a;
		break;
	case PPU_OP_ABS:
		r = magnitude(a);
		break;
	case PPU_OP_MIN:
		r = a < b ? a : b;
		break;
	case PPU_OP_MAX:
		r = a > b ? a : b;
		break;
	case PPU_OP_SAD:
		r = c + magnitude(a - b);
		break;
	default:
		ck_abort();
	}
	if (di->sat)
		r = clamp(r, t);
	x->d = reg_of(r, t);
}
/* HW-46 */
START_TEST(integer_arithmetic)
{
	static const uint8_t ops[] = {
		PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MUL, PPU_OP_MULHI, PPU_OP_MAD, PPU_OP_MADHI, PPU_OP_DIV,
		PPU_OP_REM, PPU_OP_NEG, PPU_OP_ABS, PPU_OP_MIN, PPU_OP_MAX, PPU_OP_SAD,
	};

	for (unsigned i = 0; i < COUNT(ops); i++)
		FOR_TYPES(t, PPU_TS_INT) {
			struct ppu_dinsn di = INSN(NOP, .t = (uint8_t)t);

			di.op = ops[i];
			run_special(di, ref_arith);
			run_forms(di, ref_arith, scaled(N));
		}
}
END_TEST

START_TEST(integer_saturation)
{
	run_forms(INSN(ADD, .t = PPU_T_S32, .sat = 1), ref_arith, scaled(N));
	run_forms(INSN(SUB, .t = PPU_T_S32, .sat = 1), ref_arith, scaled(N));
	run_forms(INSN(MADHI, .t = PPU_T_S32, .sat = 1), ref_arith, scaled(N));
	run_special(INSN(ADD, .t = PPU_T_S32, .sat = 1), ref_arith);
	run_special(INSN(SUB, .t = PPU_T_S32, .sat = 1), ref_arith);
}
END_TEST

START_TEST(carry_in_and_out)
{
	static const uint8_t ops[] = { PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MAD, PPU_OP_MADHI };

	for (unsigned i = 0; i < COUNT(ops); i++)
		FOR_TYPES(t, PPU_TS_I32 | PPU_TS_I64)
			for (unsigned m = 1; m < 4; m++) {
				struct ppu_dinsn di = INSN(NOP, .t = (uint8_t)t, .m = (uint8_t)m);

				di.op = ops[i];
				if (m & PPU_CARRY_IN) {
					di.ps = 3;
					di.psn = t & 1;
				}
				if (m & PPU_CARRY_OUT)
					di.pd = (uint8_t)(m & PPU_CARRY_IN ? 3 : 7);	/* in and out may be one */
				run_forms(di, ref_arith, scaled(N));
				run_special(di, ref_arith);
			}
}
END_TEST

/* 128-bit sums and differences by chains of four instructions. */
START_TEST(carry_chains)
{
	for (unsigned n = 0; n < COUNT(levels); n++) {
		struct ppu_vregs v = { .row = rows };

		if (!have_level(levels[n]))
			continue;
		for (int k = 0; k < 2000; k++) {
			bool sub = k & 1;
			uint32_t mask = k & 2 ? ~0u : rnd32();

			v.pred[15] = ~0u;
			for (unsigned i = 0; i < 12; i++)
				for (unsigned l = 0; l < PPU_LANES; l++)
					rows[i][l] = any32();
			for (unsigned i = 0; i < 4; i++) {
				struct ppu_dinsn di = INSN(ADD, .t = PPU_T_U32);

				di.op = sub ? PPU_OP_SUB : PPU_OP_ADD;
				di.m = (uint8_t)(PPU_CARRY_OUT | (i ? PPU_CARRY_IN : 0));
				di.pd = 0;
				di.ps = i ? 0 : 15;
				di.a = (uint16_t)i;
				di.b = (uint16_t)(4 + i);
				di.d = (uint16_t)(8 + i);
				ck_assert(ppu_exec_select_level(&di, levels[n]));
				di.fn(&v, &di, mask);
			}
			for (unsigned l = 0; l < PPU_LANES; l++) {
				unsigned __int128 a = 0, b = 0, d = 0;

				if (!(mask >> l & 1))
					continue;
				for (unsigned i = 4; i--;) {
					a = a << 32 | rows[i][l];
					b = b << 32 | rows[4 + i][l];
					d = d << 32 | rows[8 + i][l];
				}
				if (d != (sub ? a - b : a + b) || (v.pred[0] >> l & 1) != (sub ? a < b : d < a))
					ck_abort_msg("carry chain wrong in lane %u at level %u", l, levels[n]);
			}
		}
	}
}
END_TEST

static void ref_wide(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned w = wide(di->t);
	__int128 r = int_of(x->a, di->t) * int_of(x->b, di->t);

	if (di->op == PPU_OP_MADW)
		r += int_of(x->c, w);
	x->d = reg_of(r, w);
}
static __int128 low24(uint64_t x, unsigned t)
{
	__int128 r = (__int128)(x & 0xffffff);

	return t == PPU_T_S32 && (x & 0x800000) ? r - 0x1000000 : r;
}
static void ref_24(const struct ppu_dinsn *di, struct lane *x)
{
	__int128 p = low24(x->a, di->t) * low24(x->b, di->t);

	if (di->m)	/* bits 47:16 of the 48-bit product */
		p = int_of((uint64_t)(p >> 16), di->t);
	if (di->op == PPU_OP_MAD24)
		p += int_of(x->c, di->t);
	x->d = reg_of(di->sat ? clamp(p, di->t) : p, di->t);
}
/* HW-46 */
START_TEST(wide_and_24_bit_products)
{
	FOR_TYPES(t, PPU_TS_I16 | PPU_TS_I32) {
		run_forms(INSN(MULW, .t = (uint8_t)t), ref_wide, scaled(N));
		run_special(INSN(MULW, .t = (uint8_t)t), ref_wide);
		run_forms(INSN(MADW, .t = (uint8_t)t), ref_wide, scaled(N));
		run_special(INSN(MADW, .t = (uint8_t)t), ref_wide);
	}
	FOR_TYPES(t, PPU_TS_I32)
		for (unsigned m = 0; m < 2; m++) {
			run_forms(INSN(MUL24, .t = (uint8_t)t, .m = (uint8_t)m), ref_24, scaled(N));
			run_forms(INSN(MAD24, .t = (uint8_t)t, .m = (uint8_t)m), ref_24, scaled(N));
		}
	run_forms(INSN(MAD24, .t = PPU_T_S32, .m = 1, .sat = 1), ref_24, scaled(N));
}
END_TEST

/* ---- logic and shifts, bit by bit -------------------------------------------------------------------- */
static unsigned bit(uint64_t x, unsigned i) { return i < 64 ? x >> i & 1 : 0; }

static void ref_logic(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned bits = ppu_type_bits(di->t);
	uint64_t r = 0;

	for (unsigned i = 0; i < bits; i++) {
		unsigned a = bit(x->a, i), b = bit(x->b, i), c = bit(x->c, i), q = 0;

		switch (di->op) {
		case PPU_OP_AND:
			q = a && b;
			break;
		case PPU_OP_OR:
			q = a || b;
			break;
		case PPU_OP_XOR:
			q = a != b;
			break;
		case PPU_OP_NOT:
			q = !a;
			break;
		case PPU_OP_MOV:
			q = b;
			break;
		case PPU_OP_SEL:
			q = x->ps ? a : b;
			break;
		case PPU_OP_LOP3:	/* 0xf0, 0xcc, 0xaa are a, b, c */
			q = (di->y & (a ? 0xf0 : 0x0f) & (b ? 0xcc : 0x33) & (c ? 0xaa : 0x55)) != 0;
			break;
		case PPU_OP_BREV:
			q = bit(x->a, bits - 1 - i);
			break;
		}
		r |= (uint64_t)q << i;
	}
	if (di->op == PPU_OP_CNOT) {
		r = 1;
		for (unsigned i = 0; i < bits; i++)
			if (bit(x->a, i))
				r = 0;
	}
	x->d = r;
}
/* HW-46 */
START_TEST(bitwise_logic)
{
	static const uint8_t ops[] = { PPU_OP_AND, PPU_OP_OR, PPU_OP_XOR, PPU_OP_NOT, PPU_OP_CNOT, PPU_OP_MOV };

	for (unsigned i = 0; i < COUNT(ops); i++)
		FOR_TYPES(t, PPU_TS_BITS) {
			struct ppu_dinsn di = INSN(NOP, .t = (uint8_t)t);

			di.op = ops[i];
			run_forms(di, ref_logic, scaled(N));
		}
	FOR_TYPES(t, PPU_TS_BITS)
		for (unsigned n = 0; n < 2; n++)
			run_forms(INSN(SEL, .t = (uint8_t)t, .ps = 5, .psn = (uint8_t)n), ref_logic, scaled(N));
	for (unsigned y = 0; y < 256; y++)
		run_forms(INSN(LOP3, .t = PPU_T_U32, .y = (uint8_t)y), ref_logic, 320);
	run_forms(INSN(BREV, .t = PPU_T_U32), ref_logic, scaled(N));
	run_forms(INSN(BREV, .t = PPU_T_U64), ref_logic, scaled(N));
}
END_TEST

static void ref_movi64(const struct ppu_dinsn *di, struct lane *x) { x->d = di->imm64; }
START_TEST(movi64)
{
	for (int i = 0; i < 1000; i++)
		run_random(INSN(MOVI64, .imm64 = rnd64()), ref_movi64, 64);
}
END_TEST

static void ref_shift(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned t = di->t, bits = ppu_type_bits(t), n = (uint32_t)x->b > bits ? bits : (uint32_t)x->b;
	__int128 a = int_of(x->a, t);

	if (di->op == PPU_OP_SHL)
		x->d = reg_of(n == bits ? 0 : (__int128)((unsigned __int128)a << n), t);
	else	/* floor division by 2^n */
		x->d = reg_of(a >> n, t);
}
static void ref_shf(const struct ppu_dinsn *di, struct lane *x)
{
	uint32_t c = (uint32_t)x->c, n = di->m & PPU_SHF_CLAMP ? (c > 32 ? 32 : c) : c & 31, r = 0;

	for (unsigned i = 0; i < 32; i++) {
		/* bit i of the result in the 64-bit string b:a */
		unsigned k = di->m & PPU_SHF_R ? i + n : 32 + i - n;

		r |= (k < 32 ? bit(x->a, k) : bit(x->b, k - 32)) << i;
	}
	x->d = r;
}
/* HW-46 */
START_TEST(integer_shifts)
{
	FOR_TYPES(t, PPU_TS_BITS)
		run_forms(INSN(SHL, .t = (uint8_t)t), ref_shift, scaled(N));
	FOR_TYPES(t, PPU_TS_INT)
		run_forms(INSN(SHR, .t = (uint8_t)t), ref_shift, scaled(N));
	for (unsigned m = 0; m < 4; m++)
		run_forms(INSN(SHF, .t = PPU_T_U32, .m = (uint8_t)m), ref_shf, scaled(N));
}
END_TEST

/* ---- bit fields: the loops of the PTX manual's pseudo code ------------------------------------------------- */
static void ref_field(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned msb = ppu_type_bits(di->t) - 1;
	uint64_t r = 0;

	if (di->op == PPU_OP_BFE) {
		unsigned pos = x->b & 0xff, len = x->b >> 8 & 0xff, s = 0;

		if (is_signed_type(di->t) && len)
			s = bit(x->a, pos + len - 1 < msb ? pos + len - 1 : msb);
		for (unsigned i = 0; i <= msb; i++)
			r |= (uint64_t)(i < len && pos + i <= msb ? bit(x->a, pos + i) : s) << i;
	} else {
		unsigned pos = x->c & 0xff, len = x->c >> 8 & 0xff;

		r = x->b;
		for (unsigned i = 0; i < len && pos + i <= msb; i++)
			r = (r & ~(1ull << (pos + i))) | (uint64_t)bit(x->a, i) << (pos + i);
	}
	x->d = msb == 31 ? (uint32_t)r : r;
}
static void ref_bmsk(const struct ppu_dinsn *di, struct lane *x)
{
	uint32_t a = (uint32_t)x->a, b = (uint32_t)x->b, r = 0;

	if (di->m) {
		a &= 31;
		b &= 31;
	}
	for (uint64_t i = a; i < (uint64_t)a + b && i < 32; i++)
		r |= 1u << i;
	x->d = r;
}
/* Fields with position and length in range and a little beyond. */
static void fields(struct ppu_dinsn di, bool inc, unsigned bits)
{
	for (unsigned pos = 0; pos < 256; pos += pos < bits + 4 ? 1 : 37)
		for (unsigned len = 0; len < 256; len += len < bits + 4 ? 1 : 41) {
			struct lane x[PPU_LANES];

			for (unsigned l = 0; l < PPU_LANES; l++) {
				uint64_t f = pos | len << 8 | (uint64_t)(rnd32() & 0xffff) << 16;

				x[l] = (struct lane){ any_of(di.t), inc ? any_of(di.t) : f, f, 1, 0, 0, 0 };
			}
			run_lanes(&di, ref_field, x, ~0u, 0);
		}
}
/* HW-46 */
START_TEST(bit_fields)
{
	FOR_TYPES(t, PPU_TS_I32 | PPU_TS_I64) {
		run_forms(INSN(BFE, .t = (uint8_t)t), ref_field, scaled(N));
		fields(INSN(BFE, .t = (uint8_t)t), false, ppu_type_bits(t));
	}
	FOR_TYPES(t, PPU_TBIT(U32) | PPU_TBIT(U64)) {
		run_forms(INSN(BFI, .t = (uint8_t)t), ref_field, scaled(N));
		fields(INSN(BFI, .t = (uint8_t)t), true, ppu_type_bits(t));
	}
	for (unsigned m = 0; m < 2; m++)
		run_forms(INSN(BMSK, .t = PPU_T_U32, .m = (uint8_t)m), ref_bmsk, scaled(N));
}
END_TEST

static void ref_prmt(const struct ppu_dinsn *di, struct lane *x)
{
	/* bytes picked for d.b3..d.b0 by bits 1:0 of c, as in the manual's table */
	static const uint8_t table[6][4][4] = {
		{ { 3, 2, 1, 0 }, { 4, 3, 2, 1 }, { 5, 4, 3, 2 }, { 6, 5, 4, 3 } },	/* f4e */
		{ { 5, 6, 7, 0 }, { 6, 7, 0, 1 }, { 7, 0, 1, 2 }, { 0, 1, 2, 3 } },	/* b4e */
		{ { 0, 0, 0, 0 }, { 1, 1, 1, 1 }, { 2, 2, 2, 2 }, { 3, 3, 3, 3 } },	/* rc8 */
		{ { 3, 2, 1, 0 }, { 3, 2, 1, 1 }, { 3, 2, 2, 2 }, { 3, 3, 3, 3 } },	/* ecl */
		{ { 0, 0, 0, 0 }, { 1, 1, 1, 0 }, { 2, 2, 1, 0 }, { 3, 2, 1, 0 } },	/* ecr */
		{ { 1, 0, 1, 0 }, { 3, 2, 3, 2 }, { 1, 0, 1, 0 }, { 3, 2, 3, 2 } },	/* rc16 */
	};
	uint8_t bytes[8];
	uint32_t r = 0;

	for (unsigned i = 0; i < 4; i++) {
		bytes[i] = (uint8_t)(x->a >> 8 * i);
		bytes[4 + i] = (uint8_t)(x->b >> 8 * i);
	}
	for (unsigned i = 0; i < 4; i++) {
		unsigned s = di->m ? table[di->m - 1][x->c & 3][3 - i] : x->c >> 4 * i & 15;
		uint8_t v = bytes[s & 7];

		if (s & 8)
			v = v & 0x80 ? 0xff : 0;
		r |= (uint32_t)v << 8 * i;
	}
	x->d = r;
}
/* HW-46 */
START_TEST(byte_permute)
{
	for (unsigned m = 0; m < 7; m++)
		run_forms(INSN(PRMT, .t = PPU_T_U32, .m = (uint8_t)m), ref_prmt, scaled(N));
	for (uint32_t s = 0; s < 0x10000; s += PPU_LANES) {
		struct lane x[PPU_LANES];

		for (unsigned l = 0; l < PPU_LANES; l++)
			x[l] = (struct lane){ rnd32(), rnd32(), s + l, 1, 0, 0, 0 };
		run_lanes(&INSN(PRMT, .t = PPU_T_U32), ref_prmt, x, ~0u, 0);
	}
}
END_TEST

static void ref_count(const struct ppu_dinsn *di, struct lane *x)
{
	unsigned bits = ppu_type_bits(di->t);
	uint32_t r = 0;

	switch (di->op) {
	case PPU_OP_POPC:
		for (unsigned i = 0; i < bits; i++)
			r += bit(x->a, i);
		break;
	case PPU_OP_CLZ:
		while (r < bits && !bit(x->a, bits - 1 - r))
			r++;
		break;
	default: {
		unsigned s = is_signed_type(di->t) && bit(x->a, bits - 1);

		r = ~0u;
		for (unsigned i = bits; i--;)
			if (bit(x->a, i) != s) {
				r = di->m ? bits - 1 - i : i;
				break;
			}
	}
	}
	x->d = r;
}
static uint64_t single_bits(unsigned k) { return k < 64 ? 1ull << k : ~(1ull << (k - 64)); }
/* HW-46 */
START_TEST(bit_counts)
{
	FOR_TYPES(t, PPU_TBIT(U32) | PPU_TBIT(U64)) {
		run_forms(INSN(POPC, .t = (uint8_t)t), ref_count, scaled(N));
		run_forms(INSN(CLZ, .t = (uint8_t)t), ref_count, scaled(N));
	}
	FOR_TYPES(t, PPU_TS_I32 | PPU_TS_I64)
		for (unsigned m = 0; m < 2; m++) {
			struct ppu_dinsn di = INSN(BFIND, .t = (uint8_t)t, .m = (uint8_t)m);

			run_forms(di, ref_count, scaled(N));
			for (unsigned k = 0; k < 128; k += PPU_LANES) {
				struct lane x[PPU_LANES];

				for (unsigned l = 0; l < PPU_LANES; l++)
					x[l] = (struct lane){ single_bits(k + l), 0, 0, 1, 0, 0, 0 };
				run_lanes(&di, ref_count, x, ~0u, 0);
				if (!m && (t == PPU_T_U32 || t == PPU_T_U64)) {
					di.op = PPU_OP_CLZ;
					run_lanes(&di, ref_count, x, ~0u, 0);
					di.op = PPU_OP_POPC;
					run_lanes(&di, ref_count, x, ~0u, 0);
					di.op = PPU_OP_BFIND;
				}
			}
		}
}
END_TEST

static int part(uint64_t x, unsigned i, unsigned bits, bool sgn)
{
	int r = (int)(x >> i * bits & ((1u << bits) - 1));

	return sgn && r >> (bits - 1) ? r - (1 << bits) : r;
}
static void ref_dot(const struct ppu_dinsn *di, struct lane *x)
{
	bool sa = di->t == PPU_T_S32, sb = di->op == PPU_OP_VABSDIFF4 ? sa : di->u == PPU_T_S32;
	int64_t r = (int64_t)(uint32_t)x->c;
	uint32_t bytes = 0;

	for (unsigned i = 0; i < 4; i++) {
		int d = abs(part(x->a, i, 8, sa) - part(x->b, i, 8, sb));

		switch (di->op) {
		case PPU_OP_DP4A:
			r += part(x->a, i, 8, sa) * part(x->b, i, 8, sb);
			break;
		case PPU_OP_DP2A:
			if (i < 2)
				r += (int64_t)part(x->a, i, 16, sa) * part(x->b, i + 2 * di->m, 8, sb);
			break;
		default:
			r += d;
			bytes |= (uint32_t)(d & 0xff) << 8 * i;
		}
	}
	x->d = di->op == PPU_OP_VABSDIFF4 && !di->m ? bytes : (uint32_t)r;
}
/* HW-46 */
START_TEST(packed_products)
{
	FOR_TYPES(t, PPU_TS_I32) {
		FOR_TYPES(u, PPU_TS_I32) {
			run_forms(INSN(DP4A, .t = (uint8_t)t, .u = (uint8_t)u), ref_dot, scaled(N));
			for (unsigned m = 0; m < 2; m++)
				run_forms(INSN(DP2A, .t = (uint8_t)t, .u = (uint8_t)u, .m = (uint8_t)m), ref_dot,
					  scaled(N));
		}
		for (unsigned m = 0; m < 2; m++)
			run_forms(INSN(VABSDIFF4, .t = (uint8_t)t, .m = (uint8_t)m), ref_dot, scaled(N));
	}
}
END_TEST

static void ref_slct(const struct ppu_dinsn *di, struct lane *x)
{
	bool ge;

	if (di->u == PPU_T_F32) {
		float c = f_of(x->c);

		if (di->ftz && fpclassify(c) == FP_SUBNORMAL)
			c = copysignf(0, c);
		ge = c >= 0;
	} else {
		ge = (int32_t)x->c >= 0;
	}
	x->d = ge ? x->a : x->b;
	if (di->t == PPU_T_U16)
		x->d &= 0xffff;
	if (di->t == PPU_T_U32)
		x->d = (uint32_t)x->d;
}
/* HW-46 */
START_TEST(select_by_sign)
{
	FOR_TYPES(t, PPU_TS_BITS) {
		run_forms(INSN(SLCT, .t = (uint8_t)t, .u = PPU_T_S32), ref_slct, scaled(N));
		run_forms(INSN(SLCT, .t = (uint8_t)t, .u = PPU_T_F32), ref_slct, scaled(N));
		run_forms(INSN(SLCT, .t = (uint8_t)t, .u = PPU_T_F32, .ftz = 1), ref_slct, scaled(N));
	}
}
END_TEST

/* ---- comparison and predicates -------------------------------------------------------------------------------- */
static unsigned combine(unsigned how, unsigned r, unsigned s)
{
	return how == PPU_BOOL_AND ? r && s : how == PPU_BOOL_OR ? r || s : r != s;
}
static void ref_cmp(const struct ppu_dinsn *di, struct lane *x)
{
	__int128 a = int_of(x->a, di->t), b = int_of(x->b, di->t);
	unsigned r = 0;

	switch (di->m) {
	case PPU_CMP_EQ:
		r = a == b;
		break;
	case PPU_CMP_NE:
		r = a != b;
		break;
	case PPU_CMP_LT:
		r = a < b;
		break;
	case PPU_CMP_LE:
		r = a <= b;
		break;
	case PPU_CMP_GT:
		r = a > b;
		break;
	case PPU_CMP_GE:
		r = a >= b;
		break;
	}
	x->pd = combine(di->x, r, x->ps);
	x->pe = combine(di->x, !r, x->ps);
	if (di->op == PPU_OP_SET)
		x->d = !x->pd ? 0 : di->u == PPU_T_F32 ? 0x3f800000 : di->u == PPU_T_F16 ? 0x3c00 :
		       di->u == PPU_T_BF16 ? 0x3f80 : 0xffffffff;
}
/* HW-46 */
START_TEST(integer_comparison)
{
	static const uint8_t to[] = { PPU_T_U32, PPU_T_S32, PPU_T_F32, PPU_T_F16, PPU_T_BF16 };

	FOR_TYPES(t, PPU_TS_INT)
		for (unsigned m = 0; m < 6; m++)
			for (unsigned x = 0; x < 3; x++) {
				struct ppu_dinsn di = INSN(SETP, .t = (uint8_t)t, .m = (uint8_t)m, .x = (uint8_t)x,
							   .pd = 2, .pe = (uint8_t)(x == 1 ? 15 : 4));

				di.ps = (uint8_t)(m & 1 || x ? 6 : 15);
				di.psn = m == 3;
				run_forms(di, ref_cmp, scaled(N / 4));
				if (!x)
					run_special(di, ref_cmp);
				di.op = PPU_OP_SET;
				di.pd = di.pe = 15;
				di.u = to[(t + m) % COUNT(to)];
				run_forms(di, ref_cmp, scaled(N / 4));
			}
}
END_TEST

START_TEST(predicate_logic)
{
	for (unsigned n = 0; n < COUNT(levels); n++)
		for (int k = 0; k < 20000 && have_level(levels[n]); k++) {
			struct ppu_vregs v = { .row = rows };
			uint32_t old[16], mask = rnd32(), want, a, s;
			struct ppu_dinsn di = INSN(PLOP, .m = rnd32() & 3, .pd = rnd32() & 15, .ps = rnd32() & 15,
						   .psn = rnd32() & 1, .raw_a = rnd32() & 15, .na = rnd32() & 1);

			for (unsigned i = 0; i < 15; i++)
				v.pred[i] = rnd32();
			v.pred[15] = ~0u;
			memcpy(old, v.pred, sizeof(old));
			a = di.na ? ~old[di.raw_a] : old[di.raw_a];
			s = di.psn ? ~old[di.ps] : old[di.ps];
			want = di.m == PPU_PLOP_AND ? a & s : di.m == PPU_PLOP_OR ? a | s :
			       di.m == PPU_PLOP_XOR ? a ^ s : s;
			ck_assert(ppu_exec_select_level(&di, levels[n]));
			di.fn(&v, &di, mask);
			if (di.pd != 15)
				old[di.pd] = (old[di.pd] & ~mask) | (want & mask);
			if (memcmp(old, v.pred, sizeof(old)))
				ck_abort_msg("%s", describe(&di, levels[n]));
		}
}
END_TEST

START_TEST(predicates_to_register_and_back)
{
	for (unsigned n = 0; n < COUNT(levels); n++)
		for (int k = 0; k < 5000 && have_level(levels[n]); k++) {
			struct ppu_vregs v = { .row = rows };
			uint32_t old[16], mask = rnd32(), imm = rnd32() & 0xffff;
			struct ppu_dinsn di = INSN(P2R, .imm = imm, .d = 3);

			for (unsigned i = 0; i < 15; i++)
				v.pred[i] = rnd32();
			v.pred[15] = ~0u;
			memcpy(old, v.pred, sizeof(old));
			for (unsigned l = 0; l < PPU_LANES; l++)
				rows[3][l] = l;
			ck_assert(ppu_exec_select_level(&di, levels[n]));
			di.fn(&v, &di, mask);
			for (unsigned l = 0; l < PPU_LANES; l++) {
				uint32_t want = 0;

				for (unsigned p = 0; p < 15; p++)
					want |= (old[p] >> l & 1) << p;
				want = mask >> l & 1 ? want & imm : l;
				if (rows[3][l] != want)
					ck_abort_msg("%s", describe(&di, levels[n]));
				rows[4][l] = rnd32();
			}
			di = INSN(R2P, .imm = imm, .a = 4);
			ck_assert(ppu_exec_select_level(&di, levels[n]));
			di.fn(&v, &di, mask);
			for (unsigned p = 0; p < 15; p++)
				for (unsigned l = 0; l < PPU_LANES; l++) {
					uint32_t want = mask >> l & 1 && imm >> p & 1 ? rows[4][l] >> p & 1 :
							old[p] >> l & 1;

					if ((v.pred[p] >> l & 1) != want)
						ck_abort_msg("%s", describe(&di, levels[n]));
				}
			ck_assert_uint_eq(v.pred[15], ~0u);
		}
}
END_TEST

/* ---- generic addresses ---------------------------------------------------------------------------------------------- */
static uint64_t window(unsigned space)
{
	return space == PPU_SPACE_SHARED ? PPU_VA_SHARED_BASE : space == PPU_SPACE_LOCAL ? PPU_VA_LOCAL_BASE :
	       space == PPU_SPACE_PARAM ? PPU_VA_PARAM_BASE : 0;
}
static bool in_window(uint64_t a, unsigned space)
{
	return a >= window(space) && a - window(space) < PPU_VA_WINDOW_SIZE;
}
static void ref_addr(const struct ppu_dinsn *di, struct lane *x)
{
	bool win = di->m == PPU_SPACE_SHARED || di->m == PPU_SPACE_LOCAL || di->m == PPU_SPACE_PARAM;

	if (di->op == PPU_OP_ISSPACE) {
		x->pd = win ? in_window(x->a, di->m) :
			!in_window(x->a, PPU_SPACE_SHARED) && !in_window(x->a, PPU_SPACE_LOCAL) &&
			!in_window(x->a, PPU_SPACE_PARAM);
		return;
	}
	if (!win)
		x->d = x->a;
	else if (di->y)
		x->d = (uint32_t)(x->a - window(di->m));
	else
		x->d = (uint32_t)x->a + window(di->m);
}
START_TEST(generic_addresses)
{
	for (unsigned m = PPU_SPACE_GLOBAL; m <= PPU_SPACE_CONST; m++)
		for (int k = 0; k < 300; k++) {
			struct lane x[PPU_LANES];

			for (unsigned l = 0; l < PPU_LANES; l++) {
				uint64_t a = rnd32() & 3 ? window(2 + rnd32() % 3) : rnd64() >> 16;

				x[l] = (struct lane){ a + (rnd32() & 1 ? rnd32() : (uint64_t)(rnd32() % 5) - 2),
						      0, 0, 1, 0, 0, 0 };
			}
			run_lanes(&INSN(ISSPACE, .m = (uint8_t)m, .pd = 1), ref_addr, x, k & 1 ? ~0u : rnd32(), 0);
			run_lanes(&INSN(CVTA, .m = (uint8_t)m), ref_addr, x, k & 1 ? ~0u : rnd32(), k % 4 ? 0 : 1);
			run_lanes(&INSN(CVTA, .m = (uint8_t)m, .y = 1), ref_addr, x, k & 1 ? ~0u : rnd32(), k % 4 ? 0 : 3);
		}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("exec_int");
	TCase *tc = tcase_create("int");

	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, integer_arithmetic);
	tcase_add_test(tc, integer_saturation);
	tcase_add_test(tc, carry_in_and_out);
	tcase_add_test(tc, carry_chains);
	tcase_add_test(tc, wide_and_24_bit_products);
	tcase_add_test(tc, bitwise_logic);
	tcase_add_test(tc, movi64);
	tcase_add_test(tc, integer_shifts);
	tcase_add_test(tc, bit_fields);
	tcase_add_test(tc, byte_permute);
	tcase_add_test(tc, bit_counts);
	tcase_add_test(tc, packed_products);
	tcase_add_test(tc, select_by_sign);
	tcase_add_test(tc, integer_comparison);
	tcase_add_test(tc, predicate_logic);
	tcase_add_test(tc, predicates_to_register_and_back);
	tcase_add_test(tc, generic_addresses);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
