/* SPDX-License-Identifier: MIT */
/*
 * Products and sums of the matrix instructions.
 *
 *   f16 bf16 e4m3 e5m2   parts are f32; each step is one f32 fma
 *   tf32                 the same; the low 13 bits of a factor do not count
 *   f64                  each step is one f64 fma, rounded as the instruction says
 *   s8 u8                a part is four elements, a step DP4A
 *   s4 u4                a word becomes two parts of four bytes: each element is in the upper half of a byte, so it
 *                        counts 16 times, and the sum of products 256 times
 *   b1                   a part is 32 elements, a step counts the ones of a & b or a ^ b
 *
 * Sums of integers are exact before c is added where that matters: with .satfinite, and where the sum is scaled.
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_fp8.h"
#include "compiler/ptx/lower/px_low_mat.h"

#define TF32_MASK	0xffffe000
#define NIBBLES		0xf0f0f0f0
#define NIBBLE_SCALE	8	/* 16 * 16, as a shift */

unsigned px_mat_class(unsigned pt)
{
	switch (pt) {
	case PT_U8: return PT_S8;
	case PT_U4: return PT_S4;
	case PT_E5M2: return PT_E4M3;
	default: return pt;
	}
}

unsigned px_mat_register(unsigned pt)
{
	return pt == PT_F64 ? PT_B64 : PT_B32;
}

unsigned px_mat_per_register(unsigned pt)
{
	return pt == PT_F64 ? 1 : 32 / px_type_bits(pt);
}

/* ---- types ---- */

static bool integers(unsigned class)
{
	return class == PT_S8 || class == PT_S4 || class == PT_B1;
}

/* Can sums of these factors have the type pt? */
static bool sum_type(unsigned class, unsigned pt)
{
	if (integers(class))
		return pt == PT_S32;
	if (class == PT_F64)
		return pt == PT_F64;
	return pt == PT_F32 || (pt == PT_F16 && (class == PT_F16 || class == PT_E4M3));
}

static bool factor_type(unsigned class)
{
	return integers(class) || class == PT_F64 || class == PT_F16 || class == PT_BF16 || class == PT_TF32 ||
	       class == PT_E4M3;
}

static bool types(struct px_module *m, const struct px_inst *in, const struct px_mat *w)
{
	unsigned class = px_mat_class(w->a);

	if (!factor_type(class) || px_mat_class(w->b) != class) {
		px_error(m->px, in->loc, "'%s' has no form with factors of .%s and .%s", in->name->s,
			 px_type_text(w->a), px_type_text(w->b));
		return false;
	}
	if (!sum_type(class, w->d) || !sum_type(class, w->c)) {
		px_error(m->px, in->loc, "'%s' with factors of .%s has %s", in->name->s, px_type_text(w->a),
			 integers(class) ? "d and c of .s32" : class == PT_F64 ? "d and c of .f64" :
			 sum_type(class, PT_F16) ? "d and c of .f16 or .f32" : "d and c of .f32");
		return false;
	}
	return true;
}

/* Of each of these an instruction has one. */
static const struct {
	const char *what;
	uint16_t mods[16];	/* the unused ones are 0 */
} kinds[] = {
	{ "shape", { PM_m16n16k16, PM_m32n8k16, PM_m8n32k16, PM_m16n16k8, PM_m8n8k4, PM_m16n8k4, PM_m16n8k8, PM_m16n8k16,
		     PM_m8n8k16, PM_m16n8k32, PM_m8n8k32, PM_m16n8k64, PM_m8n8k128, PM_m16n8k128, PM_m16n8k256 } },
	{ "state space", { PM_global, PM_shared, PM_shared_cta } },
	{ "number of matrices", { PM_x1, PM_x2, PM_x4 } },
};

bool px_mat_one_each(struct px_module *m, const struct px_inst *in)
{
	unsigned k, j, have;

	for (k = 0; k < PX_ARRAY_SIZE(kinds); k++) {
		for (j = have = 0; j < PX_ARRAY_SIZE(kinds[k].mods) && kinds[k].mods[j]; j++)
			have += px_has(in, kinds[k].mods[j]);
		if (have > 1) {
			px_error(m->px, in->loc, "'%s' takes one %s, this has %u", in->name->s, kinds[k].what, have);
			return false;
		}
	}
	return true;
}

static bool modifiers(struct px_module *m, const struct px_inst *in, struct px_mat *w)
{
	unsigned class = px_mat_class(w->a);
	bool rnd = px_has(in, PM_rn) || px_has(in, PM_rz) || px_has(in, PM_rm) || px_has(in, PM_rp);
	bool bits = class == PT_B1;

	w->both = px_has(in, PM_and);
	w->clamp = px_has(in, PM_satfinite);
	w->rnd = (uint8_t)px_rnd(in);
	if (px_has(in, PM_popc) != bits || (w->both || px_has(in, PM_xor)) != bits || (w->both && px_has(in, PM_xor)))
		px_error(m->px, in->loc, "'%s' %s", in->name->s,
			 bits ? "with factors of .b1 needs .and.popc or .xor.popc" :
			 "takes .and.popc and .xor.popc with factors of .b1 only");
	else if (w->clamp && class != PT_S8 && class != PT_S4)
		px_error(m->px, in->loc, "'%s' takes .satfinite with factors of .s8, .u8, .s4 and .u4 only", in->name->s);
	else if (rnd && class != PT_F64)
		px_error(m->px, in->loc, "'%s' takes a rounding with factors of .f64 only", in->name->s);
	else
		return true;
	return false;
}

bool px_mat_types(struct px_module *m, const struct px_inst *in, struct px_mat *w)
{
	bool pair = in->op == PX_OP_wmma && in->num_types == 2;	/* wmma on .f16 names d and c only */

	if (in->num_types != 4 && !pair) {
		px_error(m->px, in->loc, "'%s' needs the types of d, a, b and c", in->name->s);
		return false;
	}
	w->m = m;
	w->d = in->types[0];
	w->a = pair ? PT_F16 : in->types[1];
	w->b = pair ? PT_F16 : in->types[2];
	w->c = pair ? in->types[1] : in->types[3];
	return types(m, in, w) && modifiers(m, in, w);
}

/* ---- words ---- */

bool px_mat_fragment(struct px_module *m, const struct px_opn *o, unsigned pt, unsigned n, px_val *v)
{
	const struct px_opn *e = o->kind == OP_VEC ? o->vec : o;
	unsigned have = o->kind == OP_VEC ? o->nvec : 1, k, reg = px_mat_register(pt);

	if (have != n) {
		px_error(m->px, o->loc, "this fragment has %u register%s", n, n == 1 ? "" : "s");
		return false;
	}
	for (k = 0; v && k < n; k++)
		v[k] = px_force_reg(m, px_src_opn(m, &e[k], reg), px_bits_width(reg));
	return true;
}

px_val px_mat_from_lane(struct px_module *m, px_val v, px_val lane)
{
	struct px_insn *i;
	px_val half[2];
	unsigned k;

	if (px_value(m->func, v)->width == 1)
		return px_from_lane(m, v, lane);
	for (k = 0; k < 2; k++) {
		i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
		i->s[1] = px_sub(v, k);
		i->d = px_tmp(m, 1);
		half[k] = px_from_lane(m, i->d, lane);
	}
	i = px_temp(m, IR_PACK, PPU_T_NONE);
	i->m = 2;
	i->x = 1;
	i->s[0] = px_reg(half[0]);
	i->s[1] = px_reg(half[1]);
	i->d = px_tmp(m, 2);
	return i->d;
}

unsigned px_mat_unpack(struct px_module *m, unsigned pt, px_val word, px_val *part)
{
	px_val pair = 0;
	unsigned k;

	switch (px_mat_class(pt)) {
	case PT_F16:
	case PT_BF16:
		for (k = 0; k < 2; k++)
			part[k] = px_half_to_float(m, word, k, px_isa_type(pt));
		return 2;
	case PT_E4M3:
		for (k = 0; k < 4; k++) {
			if (k % 2 == 0)
				pair = px_fp8_to_half2(m, pt, word, k / 2);
			part[k] = px_half_to_float(m, pair, k % 2, PPU_T_F16);
		}
		return 4;
	case PT_TF32:
		part[0] = px_binary(m, PPU_OP_AND, PPU_T_U32, word, px_imm(TF32_MASK));
		return 1;
	case PT_S4:
		part[0] = px_binary(m, PPU_OP_AND, PPU_T_U32, px_binary(m, PPU_OP_SHL, PPU_T_U32, word, px_imm(4)),
				    px_imm(NIBBLES));
		part[1] = px_binary(m, PPU_OP_AND, PPU_T_U32, word, px_imm(NIBBLES));
		return 2;
	default:
		part[0] = word;
		return 1;
	}
}

/* ---- sums ---- */

/* c is added at the end. */
static bool late(const struct px_mat *w)
{
	return w->clamp || px_mat_class(w->a) == PT_S4;
}

px_val px_mat_first(const struct px_mat *w, const px_val *c, unsigned e)
{
	if (late(w))
		return px_force_reg(w->m, px_imm(0), 1);
	return w->c == PT_F16 ? px_half_to_float(w->m, c[e / 2], e & 1, PPU_T_F16) : c[e];
}

static unsigned byte_type(unsigned pt)
{
	return pt == PT_U8 || pt == PT_U4 ? PPU_T_U32 : PPU_T_S32;
}

px_val px_mat_add(const struct px_mat *w, px_val a, px_val b, px_val sum)
{
	unsigned class = px_mat_class(w->a);
	struct px_insn *i;

	if (class == PT_B1) {
		px_val ones = px_binary(w->m, w->both ? PPU_OP_AND : PPU_OP_XOR, PPU_T_U32, a, px_reg(b));

		i = px_temp(w->m, PPU_OP_POPC, PPU_T_U32);
		i->s[0] = px_reg(ones);
		i->d = px_tmp(w->m, 1);
		return px_binary(w->m, PPU_OP_ADD, PPU_T_U32, i->d, px_reg(sum));
	}
	if (!integers(class) && class != PT_F64)
		return px_fma32(w->m, a, b, sum);
	i = px_temp(w->m, class == PT_F64 ? PPU_OP_FMA : PPU_OP_DP4A, class == PT_F64 ? PPU_T_F64 : byte_type(w->a));
	if (class == PT_F64)
		i->rnd = w->rnd;
	else
		i->u = (uint8_t)byte_type(w->b);
	i->s[0] = px_reg(a);
	i->s[1] = px_reg(b);
	i->s[2] = px_reg(sum);
	i->d = px_tmp(w->m, class == PT_F64 ? 2 : 1);
	return i->d;
}

/* The sum of integers, c, and .satfinite. */
static px_val add_late(const struct px_mat *w, px_val c, px_val sum)
{
	struct px_insn *i;

	if (px_mat_class(w->a) == PT_S4)
		sum = px_binary(w->m, PPU_OP_SHR, PPU_T_S32, sum, px_imm(NIBBLE_SCALE));
	i = px_temp(w->m, PPU_OP_ADD, PPU_T_S32);
	i->s[0] = px_reg(sum);
	i->s[1] = px_reg(c);
	i->sat = w->clamp;
	i->d = px_tmp(w->m, 1);
	return i->d;
}

void px_mat_store(const struct px_mat *w, const struct px_opn *d, const px_val *c, const px_val *sum, unsigned n)
{
	const struct px_opn *to = d->kind == OP_VEC ? d->vec : d;
	unsigned reg = px_mat_register(w->d), k, count = w->d == PT_F16 ? n / 2 : n;
	px_val from[PX_MAT_WORDS];
	struct px_insn *i;

	for (k = 0; k < n; k++)
		from[k] = late(w) ? add_late(w, c[k], sum[k]) : sum[k];
	for (k = 0; k < count; k++) {
		if (w->d == PT_F16) {
			i = px_temp(w->m, PPU_OP_CVT2, PPU_T_F16X2);
			i->u = PPU_T_F32;
			i->s[0] = px_reg(from[2 * k + 1]);
			i->s[1] = px_reg(from[2 * k]);
		} else {
			i = px_temp(w->m, PPU_OP_MOV, reg == PT_B64 ? PPU_T_U64 : PPU_T_U32);
			i->s[1] = px_reg(from[k]);
		}
		i->d = px_dst_opn(w->m, &to[k], reg);
	}
}
