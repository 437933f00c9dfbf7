/* SPDX-License-Identifier: MIT */
/*
 * cvt.pack: two integers, clamped to fewer bits, side by side: a above b.  With c, what is left of it above them when
 * it is moved up.
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_pack.h"

static bool form(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = in->types[0];
	bool half = pt == PT_U16 || pt == PT_S16, less = pt == PT_U8 || pt == PT_S8 || pt == PT_U4 || pt == PT_S4;

	if (px_has(in, PM_sat) && in->types[1] == PT_S32 &&
	    ((half && in->num_types == 2 && in->n == 3) ||
	     (less && in->num_types == 3 && in->types[2] == PT_B32 && in->n == 4)))
		return true;
	px_error(m->px, in->loc, "'cvt.pack' has the forms cvt.pack.sat.s16.s32 d, a, b and cvt.pack.sat.s8.s32.b32 d, a, b, c (.u16; .u8 .s4 .u4)");
	return false;
}

/* Operand k as a number of so many bits. */
static px_val clamped(struct px_module *m, const struct px_inst *in, unsigned k, unsigned bits, bool sign)
{
	int64_t most = (1 << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
	px_val v = px_force_reg(m, px_src(m, in, k, PT_S32), 1);

	v = px_binary(m, PPU_OP_MIN, PPU_T_S32, v, px_imm(most));
	v = px_binary(m, PPU_OP_MAX, PPU_T_S32, v, px_imm(least));
	return px_binary(m, PPU_OP_AND, PPU_T_U32, v, px_imm((1 << bits) - 1));
}

void px_low_cvt_pack(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = in->types[0], bits = px_type_bits(pt);
	bool sign = pt == PT_S16 || pt == PT_S8 || pt == PT_S4;
	px_val d, c;

	if (!form(m, in))
		return;
	d = clamped(m, in, 1, bits, sign);
	d = px_binary(m, PPU_OP_SHL, PPU_T_U32, d, px_imm(bits));
	d = px_binary(m, PPU_OP_OR, PPU_T_U32, d, px_reg(clamped(m, in, 2, bits, sign)));
	if (in->n == 4) {
		c = px_force_reg(m, px_src(m, in, 3, PT_B32), 1);
		c = px_binary(m, PPU_OP_SHL, PPU_T_U32, c, px_imm(2 * bits));
		d = px_binary(m, PPU_OP_OR, PPU_T_U32, d, px_reg(c));
	}
	px_copy(m, in, px_dst(m, in, 0, PT_B32), px_reg(d), PPU_T_U32);
}
