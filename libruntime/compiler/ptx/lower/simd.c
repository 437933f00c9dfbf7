/* SPDX-License-Identifier: MIT */
/* Two numbers in one register: add, sub, min, max of .u16x2 and .s16x2; add, sub, mul, fma of .f32x2. */
#include "compiler/ptx/lower/lower.h"

/* Half `which` of a as a number of 32 bits. */
static px_val half(struct px_module *m, unsigned t, struct px_opnd a, unsigned which)
{
	struct px_insn *i = px_temp(m, PPU_OP_BFE, t);

	i->s[0] = a;
	i->s[1] = px_imm((16 * which) | 16 << 8);
	i->d = px_tmp(m, 1);
	return i->d;
}

static unsigned pair_op(const struct px_inst *in)
{
	switch (in->op) {
	case PX_OP_add: return PPU_OP_ADD;
	case PX_OP_sub: return PPU_OP_SUB;
	case PX_OP_min: return PPU_OP_MIN;
	default: return PPU_OP_MAX;
	}
}

static void pair16(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	unsigned t = px_isa_type(pt), op = pair_op(in), k;
	bool relu = px_has(in, PM_relu);
	struct px_opnd a, b;
	struct px_insn *i;
	px_val part[2];

	if (in->n != 3 || in->num_mods != 1u + relu || (relu && pt != PT_S16X2)) {
		px_error(m->px, in->loc, "'%s.%s' takes two sources and no other modifiers but .relu for .s16x2",
			 in->name->s, px_type_text(pt));
		return;
	}
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	for (k = 0; k < 2; k++) {
		part[k] = px_binary(m, op, t, half(m, t, a, k), px_reg(half(m, t, b, k)));
		if (relu)
			part[k] = px_binary(m, PPU_OP_MAX, PPU_T_S32, part[k], px_imm(0));
	}
	i = px_emit(m, in, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = px_reg(part[0]);
	i->s[1] = px_reg(part[1]);
	i->s[2] = px_imm(0x5410);
	i->d = px_dst(m, in, 0, pt);
}

static void pair32(struct px_module *m, const struct px_inst *in)
{
	static const struct { uint8_t px, isa; } ops[] = {
		{ PX_OP_add, PPU_OP_ADD }, { PX_OP_sub, PPU_OP_SUB }, { PX_OP_mul, PPU_OP_MUL }, { PX_OP_fma, PPU_OP_FMA },
	};
	px_val s[3], part[2];
	struct px_insn *i;
	unsigned op, k, j;

	for (op = 0; ops[op].px != in->op; op++)
		;
	for (j = 0; j + 1 < in->n; j++)
		s[j] = px_force_reg(m, px_src(m, in, j + 1, PT_B64), 2);
	for (k = 0; k < 2; k++) {
		i = px_temp(m, ops[op].isa, PPU_T_F32);
		for (j = 0; j + 1 < in->n; j++)
			i->s[j] = px_sub(s[j], k);
		i->rnd = (uint8_t)px_rnd(in);
		i->ftz = px_has(in, PM_ftz);
		i->d = part[k] = px_tmp(m, 1);
	}
	i = px_emit(m, in, IR_PACK, PPU_T_NONE);
	i->m = 2;
	i->x = 1;
	i->s[0] = px_reg(part[0]);
	i->s[1] = px_reg(part[1]);
	i->d = px_dst(m, in, 0, PT_F32X2);
}

bool px_low_pair(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	if (pt == PT_F32X2 && in->op != PX_OP_min && in->op != PX_OP_max)
		pair32(m, in);
	else if ((pt == PT_U16X2 || pt == PT_S16X2) && in->op != PX_OP_mul && in->op != PX_OP_fma)
		pair16(m, in, pt);
	else
		return false;
	return true;
}
