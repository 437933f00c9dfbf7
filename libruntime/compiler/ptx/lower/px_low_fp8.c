/* SPDX-License-Identifier: MIT */
/*
 * Floats of eight bits, which the instruction set does not have.
 *
 * e5m2 is the upper half of an f16.  e4m3 has no infinities, one NaN (0x7f, or 0xff), numbers up to 448, and bias 7:
 * moved to where an f16 has its exponent and mantissa, it is the number divided by 2^8.
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_fp8.h"

static px_val lop3(struct px_module *m, px_val a, struct px_opnd b, px_val c, unsigned table)
{
	struct px_insn *i = px_temp(m, PPU_OP_LOP3, PPU_T_U32);

	i->s[0] = px_reg(a);
	i->s[1] = b;
	i->s[2] = px_reg(c);
	i->y = (uint8_t)table;
	i->d = px_tmp(m, 1);
	return i->d;
}

/* halves * factor; NaNs become the canonical one. */
static px_val scale(struct px_module *m, px_val halves, uint32_t factor)
{
	px_val f = px_force_reg(m, px_imm(factor), 1);

	return px_binary(m, PPU_OP_MUL, PPU_T_F16X2, halves, px_reg(f));
}

px_val px_fp8_to_half2(struct px_module *m, unsigned pt, px_val word, unsigned pair)
{
	struct px_insn *i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);
	px_val upper, sign, rest, nan, ones;

	i->s[0] = px_reg(word);
	i->s[1] = px_imm(0);
	i->s[2] = px_imm(pair ? 0x3424 : 0x1404);	/* each byte in the upper half of 16 bits, zero below */
	i->d = upper = px_tmp(m, 1);
	if (pt == PT_E5M2)
		return scale(m, upper, 0x3c003c00);	/* 1.0 */
	sign = px_binary(m, PPU_OP_AND, PPU_T_U32, upper, px_imm(0x80008000));
	rest = px_binary(m, PPU_OP_AND, PPU_T_U32, upper, px_imm(0x7f007f00));
	nan = px_binary(m, PPU_OP_AND, PPU_T_U32, px_binary(m, PPU_OP_ADD, PPU_T_U32, rest, px_imm(0x01000100)),
			px_imm(0x80008000));		/* the carry out of 0x7f */
	ones = px_binary(m, PPU_OP_SUB, PPU_T_U32, nan, px_reg(px_binary(m, PPU_OP_SHR, PPU_T_U32, nan, px_imm(15))));
	rest = px_binary(m, PPU_OP_SHR, PPU_T_U32, rest, px_imm(1));
	upper = scale(m, px_binary(m, PPU_OP_OR, PPU_T_U32, rest, px_reg(sign)), 0x5c005c00);	/* 256 */
	return lop3(m, upper, px_reg(nan), ones, (0xf0 & (uint8_t)~0xcc) | 0xaa);
}

/* ---- to eight bits ---- */

struct format {
	uint32_t max;		/* the largest number, as f32 */
	uint32_t least;		/* the smallest normal number, as f32 */
	uint32_t magic;		/* an f32 whose last bit counts as much as that of a subnormal number */
	uint8_t shift;		/* f32 has so many bits of mantissa more */
};

static const struct format formats[] = {
	{ 0x43e00000, 0x3c800000, 0x46800000, 20 },	/* e4m3: 448, 2^-6, 2^14 */
	{ 0x47600000, 0x38800000, 0x43000000, 21 },	/* e5m2: 57344, 2^-14, 2^7 */
};

static px_val select(struct px_module *m, px_val a, unsigned cmp, uint32_t with, px_val yes, struct px_opnd no)
{
	struct px_insn *i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	px_val p = px_tmp(m, 0);

	i->m = (uint8_t)cmp;
	i->s[0] = px_reg(a);
	i->s[1] = px_imm(with);
	i->pd = p;
	i = px_temp(m, PPU_OP_SEL, PPU_T_U32);
	i->s[0] = px_reg(yes);
	i->s[1] = no;
	i->ps.v = p;
	i->d = px_tmp(m, 1);
	return i->d;
}

px_val px_fp8_from_float(struct px_module *m, unsigned pt, px_val a, bool relu)
{
	const struct format *f = &formats[pt == PT_E5M2];
	/* the difference of the biases, and nearly half of the last bit that is kept */
	uint32_t rebias = (1u << (f->shift - 1)) - 1 - (f->least - (1u << 23));
	px_val abs = px_binary(m, PPU_OP_AND, PPU_T_U32, a, px_imm(INT32_MAX)), big, small, odd, r, sign;

	big = px_binary(m, PPU_OP_MIN, PPU_T_U32, abs, px_imm(f->max));
	odd = px_binary(m, PPU_OP_SHR, PPU_T_U32, big, px_imm(f->shift));
	odd = px_binary(m, PPU_OP_AND, PPU_T_U32, odd, px_imm(1));
	small = px_binary(m, PPU_OP_ADD, PPU_T_F32, big, px_imm(f->magic));
	small = px_binary(m, PPU_OP_SUB, PPU_T_U32, small, px_imm(f->magic));
	r = px_binary(m, PPU_OP_ADD, PPU_T_U32, big, px_imm(rebias));
	r = px_binary(m, PPU_OP_ADD, PPU_T_U32, r, px_reg(odd));
	r = px_binary(m, PPU_OP_SHR, PPU_T_U32, r, px_imm(f->shift));
	r = select(m, big, PPU_CMP_LT, f->least, small, px_reg(r));
	if (relu) {
		r = select(m, a, PPU_CMP_GE, 0x80000000, px_force_reg(m, px_imm(0), 1), px_reg(r));
	} else {
		sign = px_binary(m, PPU_OP_SHR, PPU_T_U32, a, px_imm(24));
		sign = px_binary(m, PPU_OP_AND, PPU_T_U32, sign, px_imm(0x80));
		r = px_binary(m, PPU_OP_OR, PPU_T_U32, r, px_reg(sign));
	}
	return select(m, abs, PPU_CMP_LE, 0x7f800000, r, px_imm(0x7f));	/* a NaN */
}

/* ---- cvt ---- */

static bool pair_of_bytes(unsigned pt)
{
	return pt == PT_E4M3X2 || pt == PT_E5M2X2;
}

static unsigned one_of(unsigned pt)
{
	return pt == PT_E4M3X2 ? PT_E4M3 : PT_E5M2;
}

static void widen(struct px_module *m, const struct px_inst *in)
{
	px_val a = px_force_reg(m, px_src(m, in, 1, PT_B16), 1), r = px_fp8_to_half2(m, one_of(in->types[1]), a, 0);
	struct px_insn *i;

	if (px_has(in, PM_relu)) {
		i = px_temp(m, PPU_OP_MAX, PPU_T_F16X2);
		i->s[0] = px_reg(r);
		i->s[1] = px_imm(0);
		i->y = PPU_MINMAX_NAN;
		i->d = r = px_tmp(m, 1);
	}
	px_copy(m, in, px_dst(m, in, 0, PT_F16X2), px_reg(r), PPU_T_U32);
}

static void narrow(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = one_of(in->types[0]), k;
	bool halves = in->types[1] == PT_F16X2;
	px_val f[2], pair;
	struct px_insn *i;

	if (halves) {
		pair = px_force_reg(m, px_src(m, in, 1, PT_F16X2), 1);
		for (k = 0; k < 2; k++)
			f[k] = px_half_to_float(m, pair, k, PPU_T_F16);
	} else {
		for (k = 0; k < 2; k++)
			f[k] = px_force_reg(m, px_src(m, in, 2 - k, PT_F32), 1);
	}
	for (k = 0; k < 2; k++)
		f[k] = px_fp8_from_float(m, pt, f[k], px_has(in, PM_relu));
	i = px_emit(m, in, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = px_reg(f[0]);
	i->s[1] = px_reg(f[1]);
	i->s[2] = px_imm(0x5540);
	i->d = px_dst(m, in, 0, PT_B16);
}

bool px_low_cvt_fp8(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0], st = in->types[1];
	bool to = pair_of_bytes(dt), from = pair_of_bytes(st);

	if (!to && !from)
		return false;
	if (!px_has(in, PM_rn) || px_has(in, PM_ftz) || px_has(in, PM_sat) || px_has(in, PM_satfinite) != to ||
	    (to && st != PT_F16X2 && st != PT_F32) || (from && dt != PT_F16X2) || in->n != (st == PT_F32 ? 3 : 2))
		px_error(m->px, in->loc, "the conversions of .%s are 'cvt.rn.satfinite' of two .f32 or of .f16x2, and 'cvt.rn.f16x2'; both with .relu",
			 px_type_text(to ? dt : st));
	else
		(to ? narrow : widen)(m, in);
	return true;
}
