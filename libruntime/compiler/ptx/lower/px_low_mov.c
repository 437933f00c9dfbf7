/* SPDX-License-Identifier: MIT */
/* Moves and conversions. */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_fp8.h"
#include "compiler/ptx/lower/px_low_pack.h"

/* ---- mov ---- */

static px_val pack32(struct px_module *m, struct px_opnd a, struct px_opnd b, unsigned sel)
{
	struct px_insn *i = px_temp(m, PPU_OP_PRMT, PPU_T_U32);

	i->s[0] = a;
	i->s[1] = b;
	i->s[2] = px_imm(sel);
	i->d = px_tmp(m, 1);
	return i->d;
}

static bool vec_shape(struct px_module *m, const struct px_opn *v, unsigned bits)
{
	if ((v->nvec == 2 || v->nvec == 4) && bits % v->nvec == 0 && bits / v->nvec >= 8 &&
	    !(bits == 128 && v->nvec == 4))
		return true;
	px_error(m->px, v->loc, "a vector of %u elements does not fill a register of %u bits",
		 v->nvec, bits);
	return false;
}

/* mov.b64 d, {a, b}: elements of bits/n bits side by side. */
static void mov_pack(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	const struct px_opn *v = &in->o[1];
	unsigned bits = px_type_bits(pt), n = v->nvec, eb = bits / n, k;
	static const uint8_t elem[] = { [8] = PT_B8, [16] = PT_B16, [32] = PT_B32, [64] = PT_B64 };
	struct px_opnd e[4];
	struct px_insn *i;

	if (!vec_shape(m, v, bits))
		return;
	for (k = 0; k < n; k++)
		e[k] = px_src_wide(m, &v->vec[k], elem[eb]);
	if (eb == 8) {
		e[0] = px_reg(pack32(m, e[0], e[1], 0x40));
		e[1] = px_reg(pack32(m, e[2], e[3], 0x40));
	}
	if (bits == 32) {
		i = px_emit(m, in, PPU_OP_PRMT, PPU_T_U32);
		i->s[0] = e[0];
		i->s[1] = e[1];
		i->s[2] = px_imm(0x5410);
		i->d = px_dst(m, in, 0, pt);
		return;
	}
	if (bits < 32) {
		px_error(m->px, in->loc, "a 16-bit register cannot be packed; use shl and or");
		return;
	}
	if (eb == 16)
		for (k = 0; k < 2; k++)
			e[k] = px_reg(pack32(m, e[2 * k], e[2 * k + 1], 0x5410));
	i = px_emit(m, in, IR_PACK, PPU_T_NONE);
	i->m = 2;
	i->x = (uint8_t)(bits / 64);
	i->s[0] = e[0];
	i->s[1] = e[1];
	i->d = px_dst(m, in, 0, pt);
}

/* mov.b64 {a, b}, s */
static void mov_unpack(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	const struct px_opn *v = &in->o[0];
	unsigned bits = px_type_bits(pt), n = v->nvec, eb = bits / n, k;
	static const uint8_t elem[] = { [8] = PT_B8, [16] = PT_B16, [32] = PT_B32, [64] = PT_B64 };
	px_val src = px_force_reg(m, px_src(m, in, 1, pt), px_bits_width(pt)), d;
	struct px_insn *i;

	if (!vec_shape(m, v, bits) || bits < 32)
		return;
	src = px_force_reg(m, px_reg(src), px_bits_width(pt));
	if (eb >= 32 || in->guard.v == 0) {	/* the source is read before any destination is written */
		px_val copy = px_tmp(m, px_bits_width(pt));

		i = px_temp(m, PPU_OP_MOV, bits == 128 ? PPU_T_U64 : px_unsigned_type(bits));
		if (bits == 128) {
			i->op = IR_PACK;
			i->t = 0;
			i->m = 2;
			i->x = 2;
			i->s[0] = px_sub(src, 0);
			i->s[1] = px_sub(src, 2);
		} else {
			i->s[1] = px_reg(src);
		}
		i->d = copy;
		src = copy;
	}
	for (k = 0; k < n; k++) {
		struct px_opnd part = px_sub(src, k * eb / 32);

		d = v->vec[k].kind == OP_SINK ? 0 : px_dst_opn(m, &v->vec[k], elem[eb] == PT_B8 &&
			v->vec[k].kind == OP_REG ? v->vec[k].type : elem[eb]);
		if (!d)
			continue;
		if (eb >= 32) {
			px_copy(m, in, d, part, px_unsigned_type(eb));
		} else if (eb == 16 && !(k & 1)) {
			i = px_emit(m, in, PPU_OP_CVT, PPU_T_U16);
			i->u = PPU_T_U16;
			i->s[0] = part;
			i->d = d;
		} else {
			i = px_emit(m, in, PPU_OP_BFE, PPU_T_U32);
			i->s[0] = part;
			i->s[1] = px_imm((k * eb % 32) | eb << 8);
			i->d = d;
		}
	}
}

/* mov.v4.f32 {a, b, c, d}, V: element by element. All are read before one is written. */
static void mov_vector(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	unsigned n = px_has(in, PM_v4) ? 4 : 2, k;
	const struct px_opn *to = &in->o[0], *from = &in->o[1];
	px_val v[4];

	if (to->kind != OP_VEC || from->kind != OP_VEC || to->nvec != n || from->nvec != n) {
		px_error(m->px, in->loc, "'mov.v%u' has two vectors of %u elements as operands", n, n);
		return;
	}
	for (k = 0; k < n; k++) {
		struct px_insn *i = px_temp(m, PPU_OP_MOV, px_unsigned_type(px_type_bits(pt)));

		i->s[1] = px_src_opn(m, &from->vec[k], pt);
		i->d = v[k] = px_tmp(m, px_bits_width(pt));
	}
	for (k = 0; k < n; k++)
		if (to->vec[k].kind != OP_SINK)
			px_copy(m, in, px_dst_opn(m, &to->vec[k], pt), px_reg(v[k]), px_unsigned_type(px_type_bits(pt)));
}

void px_low_mov(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), bits;
	struct px_insn *i;

	if (!pt)
		return;
	if (px_has(in, PM_v2) || px_has(in, PM_v4)) {
		mov_vector(m, in, pt);
		return;
	}
	if (pt == PT_PRED) {
		struct px_predref s = px_pred_src(m, &in->o[1]);

		i = px_emit(m, in, PPU_OP_PLOP, PPU_T_NONE);
		i->m = PPU_PLOP_MOV;
		i->ps = s;
		i->pd = px_pred_dst(m, &in->o[0]);
		return;
	}
	bits = px_type_bits(pt);
	if (in->o[1].kind == OP_VEC) {
		mov_pack(m, in, pt);
	} else if (in->o[0].kind == OP_VEC) {
		mov_unpack(m, in, pt);
	} else if (bits == 8) {
		px_bad_type(m, in, pt);
	} else {
		struct px_opnd s = px_src(m, in, 1, pt);
		px_val d = px_dst(m, in, 0, pt);

		if (bits == 128) {
			i = px_emit(m, in, IR_PACK, PPU_T_NONE);
			i->m = 2;
			i->x = 2;
			s = px_reg(px_force_reg(m, s, 4));
			i->s[0] = px_sub(s.v, 0);
			i->s[1] = px_sub(s.v, 2);
			i->d = d;
		} else if (s.kind == PO_IMM && bits == 64) {
			i = px_emit(m, in, PPU_OP_MOVI64, PPU_T_NONE);
			i->s[1] = s;
			i->d = d;
		} else {
			px_copy(m, in, d, s, px_unsigned_type(bits));
		}
	}
}

/* ---- cvt ---- */

/* .satfinite to dt: what is beyond its largest number becomes that number; NaNs stay. */
static struct px_opnd only_finite(struct px_module *m, const struct px_inst *in, struct px_opnd a, unsigned dt)
{
	const uint32_t largest = dt == PT_F16 || dt == PT_F16X2 ? 0x477fe000 : 0x7f7f0000;
	struct px_insn *i;
	unsigned k;

	for (k = 0; k < 2 && px_has(in, PM_satfinite); k++) {
		a = px_reg(px_force_reg(m, a, 1));
		i = px_temp(m, k ? PPU_OP_MAX : PPU_OP_MIN, PPU_T_F32);
		i->s[0] = a;
		i->s[1] = px_imm(k ? largest | 1u << 31 : largest);
		i->y = PPU_MINMAX_NAN;
		i->d = px_tmp(m, 1);
		a = px_reg(i->d);
	}
	return a;
}

static void cvt_pair(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0];
	struct px_opnd a, b;
	struct px_insn *i;

	if ((dt != PT_F16X2 && dt != PT_BF16X2) || in->types[1] != PT_F32) {
		px_error(m->px, in->loc, "'cvt' with two sources makes .f16x2 or .bf16x2 of .f32");
		return;
	}
	a = only_finite(m, in, px_src(m, in, 1, PT_F32), dt);
	b = only_finite(m, in, px_src(m, in, 2, PT_F32), dt);
	i = px_emit(m, in, PPU_OP_CVT2, px_isa_type(dt));
	i->s[0] = a;
	i->s[1] = b;
	i->u = PPU_T_F32;
	i->rnd = (uint8_t)px_rnd(in);
	i->y = px_has(in, PM_relu);
	i->d = px_dst(m, in, 0, dt);
}

/* cvt.rn.relu.f16.f32, cvt.rn.satfinite.f16.f32: the low half of a pair whose other half is zero. */
static void cvt_half(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0];
	struct px_opnd a;
	struct px_insn *i;

	if ((dt != PT_F16 && dt != PT_BF16) || in->types[1] != PT_F32 || px_has(in, PM_sat) || px_has(in, PM_ftz)) {
		px_error(m->px, in->loc, "'cvt' with %s makes .f16 or .bf16 of .f32",
			 px_has(in, PM_relu) ? ".relu" : ".satfinite");
		return;
	}
	a = only_finite(m, in, px_src(m, in, 1, PT_F32), dt);
	i = px_emit(m, in, PPU_OP_CVT2, px_isa_type(dt == PT_F16 ? PT_F16X2 : PT_BF16X2));
	i->s[0] = px_imm(0);
	i->s[1] = a;
	i->u = PPU_T_F32;
	i->rnd = (uint8_t)px_rnd(in);
	i->y = px_has(in, PM_relu);
	i->d = px_dst(m, in, 0, dt);
}

static px_val select(struct px_module *m, px_val a, uint32_t greater, px_val yes, px_val no)
{
	struct px_insn *i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	px_val p = px_tmp(m, 0);

	i->m = PPU_CMP_GT;
	i->s[0] = px_reg(a);
	i->s[1] = px_imm(greater);
	i->pd = p;
	i = px_temp(m, PPU_OP_SEL, PPU_T_U32);
	i->s[0] = px_reg(yes);
	i->s[1] = px_reg(no);
	i->ps.v = p;
	i->d = px_tmp(m, 1);
	return i->d;
}

/* cvt to .tf32: ten bits of mantissa; .rna rounds ties away from zero, .rn to even. Infinities and NaNs as they are. */
static void cvt_tf32(struct px_module *m, const struct px_inst *in)
{
	const uint32_t kept = 0xffffe000, inf = 0x7f800000, largest = 0x7f7fe000, sign = 0x80000000;
	bool rn = px_has(in, PM_rn), rz = px_has(in, PM_rz), rna = px_has(in, PM_rna), relu = px_has(in, PM_relu);
	px_val a, abs, r, odd;

	if (in->num_types != 2 || in->types[0] != PT_TF32 || in->types[1] != PT_F32 || rn + rz + rna != 1 || in->n != 2 ||
	    (rna && relu) || px_has(in, PM_sat) || px_has(in, PM_ftz)) {
		px_error(m->px, in->loc, "the conversions to .tf32 are 'cvt.rna.tf32.f32', and with .rn or .rz, which take .relu");
		return;
	}
	a = px_force_reg(m, px_src(m, in, 1, PT_F32), 1);
	r = abs = px_binary(m, PPU_OP_AND, PPU_T_U32, a, px_imm(INT32_MAX));
	if (rn) {
		odd = px_binary(m, PPU_OP_SHR, PPU_T_U32, abs, px_imm(13));
		odd = px_binary(m, PPU_OP_AND, PPU_T_U32, odd, px_imm(1));
		r = px_binary(m, PPU_OP_ADD, PPU_T_U32, abs, px_reg(odd));
	}
	if (!rz)
		r = px_binary(m, PPU_OP_ADD, PPU_T_U32, r, px_imm(rna ? 0x1000 : 0xfff));
	r = px_binary(m, PPU_OP_AND, PPU_T_U32, r, px_imm(kept));
	if (px_has(in, PM_satfinite))
		r = px_binary(m, PPU_OP_MIN, PPU_T_U32, r, px_imm(largest));
	if (relu)
		r = select(m, a, sign - 1, px_force_reg(m, px_imm(0), 1), r);
	else
		r = px_binary(m, PPU_OP_OR, PPU_T_U32, r,
			      px_reg(px_binary(m, PPU_OP_AND, PPU_T_U32, a, px_imm(sign))));
	px_copy(m, in, px_dst(m, in, 0, PT_B32), px_reg(select(m, abs, inf, a, r)), PPU_T_U32);
}

static bool same_int(const struct px_inst *in, unsigned dt, unsigned st)
{
	return !px_type_float(dt) && !px_type_float(st) && !px_has(in, PM_sat) &&
	       px_type_bits(dt) >= 32 && px_type_bits(st) >= px_type_bits(dt);
}

void px_low_cvt(struct px_module *m, const struct px_inst *in)
{
	const uint32_t ok = PX_TS_8 | PX_TS_I | PX_TS_F | PX_TB(F16) | PX_TB(BF16);
	unsigned dt = in->types[0], st = in->types[1];
	struct px_opnd a;
	struct px_insn *i;
	bool extend;
	px_val d;

	if (px_has(in, PM_pack)) {
		px_low_cvt_pack(m, in);
		return;
	}
	if (in->n == 4) {
		px_error(m->px, in->loc, "'cvt' takes 2 or 3 operands, this one has 4; only 'cvt.pack' takes so many");
		return;
	}
	if (dt == PT_TF32 || st == PT_TF32) {
		cvt_tf32(m, in);
		return;
	}
	if (in->num_types != 2) {
		px_error(m->px, in->loc, "'cvt' needs two types, of the result and of the operand");
		return;
	}
	if (px_low_cvt_fp8(m, in))
		return;
	if ((px_has(in, PM_relu) || px_has(in, PM_satfinite)) && in->n == 2) {
		cvt_half(m, in);
		return;
	}
	if (in->n == 3) {
		cvt_pair(m, in);
		return;
	}
	if (!px_check_type(m, in, dt, ok) || !px_check_type(m, in, st, ok))
		return;
	if (px_has(in, PM_rna)) {
		px_error(m->px, in->loc, "'cvt' with .rna makes .tf32 of .f32 only");
		return;
	}
	if (px_type_float(st) && !px_type_float(dt) && !px_has(in, PM_rni) && !px_has(in, PM_rzi) &&
	    !px_has(in, PM_rmi) && !px_has(in, PM_rpi)) {
		px_error(m->px, in->loc, "'cvt' from a float to an integer needs .rni, .rzi, .rmi or .rpi");
		return;
	}
	a = px_src_wide(m, &in->o[1], st);
	d = px_dst_wide(m, &in->o[0], dt, &extend);
	if (same_int(in, dt, st)) {
		px_copy(m, in, d, a, px_unsigned_type(px_type_bits(dt)));
	} else {
		i = px_emit(m, in, PPU_OP_CVT, px_isa_type(dt));
		i->u = (uint8_t)px_isa_type(st);
		i->s[0] = a;
		i->d = d;
		i->rnd = (uint8_t)px_rnd(in);
		i->ftz = px_has(in, PM_ftz);
		i->sat = px_has(in, PM_sat);
		if (px_type_float(dt) && px_type_float(st) &&
		    (px_has(in, PM_rni) || px_has(in, PM_rzi) || px_has(in, PM_rmi) ||
		     px_has(in, PM_rpi)))
			i->y = PPU_CVT_RINT;
	}
	if (extend)
		px_widen(m, in, in->o[0].v, in->o[0].type, d, dt);
}
