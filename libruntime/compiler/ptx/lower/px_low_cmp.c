/* SPDX-License-Identifier: MIT */
/* Comparison and selection. */
#include "compiler/ptx/lower/px_low.h"

void px_low_testp(struct px_module *m, const struct px_inst *in)
{
	static const uint16_t class[PPU_TESTP_COUNT] = {
		[PPU_TESTP_FINITE] = PM_finite, [PPU_TESTP_INFINITE] = PM_infinite,
		[PPU_TESTP_NUMBER] = PM_number, [PPU_TESTP_NOTANUMBER] = PM_notanumber,
		[PPU_TESTP_NORMAL] = PM_normal, [PPU_TESTP_SUBNORMAL] = PM_subnormal,
	};
	unsigned pt = px_one_type(m, in), k;
	struct px_opnd a;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, PX_TS_F))
		return;
	for (k = 0; k < PX_ARRAY_SIZE(class) && !px_has(in, class[k]); k++)
		;
	if (k == PX_ARRAY_SIZE(class)) {
		px_error(m->px, in->loc, "'testp' needs a class, such as .finite");
		return;
	}
	a = px_src(m, in, 1, pt);
	i = px_emit(m, in, PPU_OP_TESTP, px_isa_type(pt));
	i->s[0] = a;
	i->m = (uint8_t)k;
	i->pd = px_pred_dst(m, &in->o[0]);
}

/* Comparison code, or -1 (reported). */
static int comparison(struct px_module *m, const struct px_inst *in, unsigned *pt)
{
	static const struct { uint16_t mod; uint8_t cmp; bool flt, uns; } cmps[] = {
		{ PM_eq, PPU_CMP_EQ, 0, 0 }, { PM_ne, PPU_CMP_NE, 0, 0 }, { PM_lt, PPU_CMP_LT, 0, 0 },
		{ PM_le, PPU_CMP_LE, 0, 0 }, { PM_gt, PPU_CMP_GT, 0, 0 }, { PM_ge, PPU_CMP_GE, 0, 0 },
		{ PM_lo, PPU_CMP_LT, 0, 1 }, { PM_ls, PPU_CMP_LE, 0, 1 }, { PM_hi, PPU_CMP_GT, 0, 1 },
		{ PM_hs, PPU_CMP_GE, 0, 1 }, { PM_equ, PPU_CMP_EQU, 1, 0 }, { PM_neu, PPU_CMP_NEU, 1, 0 },
		{ PM_ltu, PPU_CMP_LTU, 1, 0 }, { PM_leu, PPU_CMP_LEU, 1, 0 },
		{ PM_gtu, PPU_CMP_GTU, 1, 0 }, { PM_geu, PPU_CMP_GEU, 1, 0 },
		{ PM_num, PPU_CMP_NUM, 1, 0 }, { PM_nan, PPU_CMP_NAN, 1, 0 },
	};
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(cmps); k++) {
		if (!px_has(in, cmps[k].mod))
			continue;
		if ((cmps[k].flt && !px_type_float(*pt)) || (cmps[k].uns && px_type_float(*pt))) {
			px_error(m->px, in->loc, "this comparison does not exist for type .%s",
				 px_type_text(*pt));
			return -1;
		}
		if (cmps[k].uns)	/* lo, ls, hi, hs compare unsigned whatever the type */
			*pt = px_type_bits(*pt) == 16 ? PT_U16 : px_type_bits(*pt) == 32 ? PT_U32 :
			      PT_U64;
		return cmps[k].cmp;
	}
	px_error(m->px, in->loc, "'%s' needs a comparison, such as .lt", in->name->s);
	return -1;
}

static unsigned bool_op(const struct px_inst *in)
{
	return px_has(in, PM_or) ? PPU_BOOL_OR : px_has(in, PM_xor) ? PPU_BOOL_XOR : PPU_BOOL_AND;
}

/* One half of a packed operand, for the two-element comparisons. */
static struct px_opnd half(struct px_module *m, struct px_opnd o, unsigned which)
{
	struct px_insn *i;

	if (o.kind == PO_IMM)
		return px_imm(o.imm >> (which * 16) & 0xffff);
	if (!which)
		return o;
	i = px_temp(m, PPU_OP_SHR, PPU_T_U32);
	i->s[0] = o;
	i->s[1] = px_imm(16);
	i->d = px_tmp(m, 1);
	return px_reg(i->d);
}

static void setp_one(struct px_module *m, const struct px_inst *in, unsigned t, int cmp,
		     struct px_opnd a, struct px_opnd b, struct px_predref c, px_val p, px_val q)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_SETP, t);

	i->s[0] = a;
	i->s[1] = b;
	i->m = (uint8_t)cmp;
	i->x = (uint8_t)bool_op(in);
	i->ftz = px_has(in, PM_ftz);
	i->ps = c;
	i->pd = p;
	i->pe = q;
}

void px_low_setp(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), et;
	struct px_predref c = { 0, false };
	px_val p, q = 0;
	struct px_opnd a, b;
	int cmp;

	if (!px_check_type(m, in, pt, PX_TS_B | PX_TS_NUM))
		return;
	cmp = comparison(m, in, &pt);
	if (cmp < 0)
		return;
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	if (in->n == 4)
		c = px_pred_src(m, &in->o[3]);
	p = px_pred_dst(m, &in->o[0]);
	if (in->o[0].pipe)
		q = px_pred_dst(m, in->o[0].pipe);
	if (pt == PT_F16X2 || pt == PT_BF16X2) {
		et = pt == PT_F16X2 ? PPU_T_F16 : PPU_T_BF16;
		setp_one(m, in, et, cmp, half(m, a, 0), half(m, b, 0), c, p, 0);
		setp_one(m, in, et, cmp, half(m, a, 1), half(m, b, 1), c, q, 0);
	} else {
		setp_one(m, in, px_isa_type(pt), cmp, a, b, c, p, q);
	}
}

static struct px_opnd set_one(struct px_module *m, const struct px_inst *in, unsigned t, unsigned u,
			      int cmp, struct px_opnd a, struct px_opnd b, struct px_predref c,
			      px_val d)
{
	struct px_insn *i = d ? px_emit(m, in, PPU_OP_SET, t) : px_temp(m, PPU_OP_SET, t);

	i->u = (uint8_t)u;
	i->s[0] = a;
	i->s[1] = b;
	i->m = (uint8_t)cmp;
	i->x = (uint8_t)bool_op(in);
	i->ftz = px_has(in, PM_ftz);
	i->ps = c;
	i->d = d ? d : px_tmp(m, 1);
	return px_reg(i->d);
}

void px_low_set(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0], st = in->types[1], et;
	struct px_predref c = { 0, false };
	struct px_opnd a, b, lo, hi;
	struct px_insn *i;
	int cmp;

	if (in->num_types != 2 || !px_check_type(m, in, st, PX_TS_B | PX_TS_NUM) ||
	    !px_check_type(m, in, dt, PX_TS_I32 | PX_TB(B32) | PX_TB(F32) | PX_TS_H)) {
		px_error(m->px, in->loc, "'set' needs the types of the result and of the operands");
		return;
	}
	cmp = comparison(m, in, &st);
	if (cmp < 0)
		return;
	a = px_src(m, in, 1, st);
	b = px_src(m, in, 2, st);
	if (in->n == 4)
		c = px_pred_src(m, &in->o[3]);
	if (st != PT_F16X2 && st != PT_BF16X2) {
		set_one(m, in, px_isa_type(st), px_isa_type(dt), cmp, a, b, c, px_dst(m, in, 0, dt));
		return;
	}
	/* two halves: 0xffff or 1.0 each */
	et = st == PT_F16X2 ? PPU_T_F16 : PPU_T_BF16;
	lo = set_one(m, in, et, dt == st ? et : PPU_T_U32, cmp, half(m, a, 0), half(m, b, 0), c, 0);
	hi = set_one(m, in, et, dt == st ? et : PPU_T_U32, cmp, half(m, a, 1), half(m, b, 1), c, 0);
	i = px_emit(m, in, PPU_OP_PRMT, PPU_T_U32);
	i->s[0] = lo;
	i->s[1] = hi;
	i->s[2] = px_imm(0x5410);
	i->d = px_dst(m, in, 0, dt);
}

void px_low_slct(struct px_module *m, const struct px_inst *in)
{
	static const uint8_t bits[] = { [PT_F16] = PT_B16, [PT_F32] = PT_B32, [PT_F64] = PT_B64,
		[PT_S16] = PT_B16, [PT_S32] = PT_B32, [PT_S64] = PT_B64 };
	unsigned dt = in->types[0], ct = in->types[1];
	struct px_opnd a, b, c;

	if (in->num_types != 2 || (ct != PT_S32 && ct != PT_F32) ||
	    !px_check_type(m, in, dt, PX_TS_B | PX_TS_I | PX_TS_F)) {
		px_error(m->px, in->loc, "'slct' needs two types, the second .s32 or .f32");
		return;
	}
	a = px_src(m, in, 1, dt);
	b = px_src(m, in, 2, dt);
	c = px_src(m, in, 3, ct);
	px_ternary(m, in, PPU_OP_SLCT, px_isa_type(dt < sizeof(bits) && bits[dt] ? bits[dt] : dt),
		a, b, c, dt);
	m->cur->last->u = (uint8_t)px_isa_type(ct);
	m->cur->last->ftz = px_has(in, PM_ftz);
}

void px_low_selp(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), width;
	struct px_opnd a, b;
	struct px_insn *i;

	if (!px_check_type(m, in, pt, PX_TS_B | PX_TS_I | PX_TS_F | PX_TS_H))
		return;
	width = px_type_bits(pt);
	a = px_src(m, in, 1, pt);
	b = px_src(m, in, 2, pt);
	i = px_emit(m, in, PPU_OP_SEL, width == 16 ? PPU_T_U16 : width == 32 ? PPU_T_U32 : PPU_T_U64);
	i->s[0] = a;
	i->s[1] = b;
	i->ps = px_pred_src(m, &in->o[3]);
	i->d = px_dst(m, in, 0, pt);
}
