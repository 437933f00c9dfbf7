/* SPDX-License-Identifier: MIT */
/*
 * Vectors and pairs for which the instruction set has no instruction.  Loads and stores of 256 bits become two of 128
 * bits.  Vector atomics become one atomic for each element: PTX promises no more.  Pairs are two numbers in
 * one register: add, sub, min, max of .u16x2 and .s16x2; add, sub, mul, fma of .f32x2.
 */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_vec.h"

/* ---- vectors in memory ---- */

#define MAX_ELEMENTS	8u

static unsigned length(const struct px_inst *in)
{
	return px_has(in, PM_v8) ? 8 : px_has(in, PM_v4) ? 4 : px_has(in, PM_v2) ? 2 : 1;
}

static void set_mod(struct px_inst *in, unsigned mod, bool on)
{
	in->mods[mod / 64] &= ~(1ull << (mod % 64));
	if (on)
		in->mods[mod / 64] |= 1ull << (mod % 64);
}

/* The instruction for `n` elements. */
static struct px_inst of_length(const struct px_inst *in, unsigned n)
{
	struct px_inst part = *in;

	set_mod(&part, PM_v8, false);
	set_mod(&part, PM_v4, n == 4);
	set_mod(&part, PM_v2, n == 2);
	return part;
}

static px_val kept(struct px_module *m, px_val v, unsigned type)
{
	struct px_insn *i = px_temp(m, PPU_OP_MOV, px_type_bits(type) == 64 ? PPU_T_U64 : PPU_T_U32);

	i->s[1] = px_reg(v);
	i->d = px_tmp(m, px_bits_width(type));
	return i->d;
}

/* Copies a source or address register: it may also be a result, which the first part writes before the second part
 * reads. */
static void keep(struct px_module *m, struct px_opn *o)
{
	if (o->kind == OP_ADDR && o->index) {
		o->index = kept(m, o->index, o->index_type);
		return;
	}
	if ((o->kind != OP_REG && !(o->kind == OP_ADDR && o->has_base)) || o->type == PT_PRED)
		return;
	o->v = kept(m, o->v, o->type);
}

static struct px_opn elements(struct px_module *m, const struct px_opn *v, unsigned first, unsigned n)
{
	struct px_opn o = { .kind = OP_VEC, .loc = v->loc, .nvec = n };

	if (n == 1)
		return v->vec[first];
	o.vec = v->vec + first;
	return o;
}

bool px_low_wide(struct px_module *m, const struct px_inst *in, px_lower_fn *one, unsigned data, unsigned address)
{
	unsigned n = length(in), bits = n * px_type_bits(in->types[0]), k;
	struct px_inst part;
	struct px_opn base = in->o[address];

	if (bits != 256 || n < 4 || in->num_types != 1 || !px_has(in, PM_global))
		return false;
	if (in->o[data].kind != OP_VEC || in->o[data].nvec != n) {
		px_error(m->px, in->o[data].loc, "the data operand must be a vector of %u elements", n);
		return true;
	}
	if (data < address)
		keep(m, &base);
	for (k = 0; k < 2; k++) {
		part = of_length(in, n / 2);
		part.o[data] = elements(m, &in->o[data], k * n / 2, n / 2);
		part.o[address] = base;
		part.o[address].imm = px_add(base.imm, 16 * k);
		one(m, &part);
	}
	return true;
}

bool px_low_vector_atomic(struct px_module *m, const struct px_inst *in, px_lower_fn *one, unsigned first)
{
	unsigned n = length(in), bits = px_type_bits(in->types[0]), k;
	struct px_opn base = in->o[first], source[MAX_ELEMENTS];
	struct px_inst part;

	if (n == 1)
		return false;
	if (!px_has(in, PM_global) || in->n != first + 2 || n * bits > 128 || !px_type_float(in->types[0]) ||
	    in->o[first + 1].kind != OP_VEC || in->o[first + 1].nvec != n ||
	    (first && (in->o[0].kind != OP_VEC || in->o[0].nvec != n))) {
		px_error(m->px, in->loc, "'%s' of vectors is for .global floats, at most 128 bits, with operands of %u elements",
			 in->name->s, n);
		return true;
	}
	keep(m, &base);
	for (k = 0; k < n; k++) {
		source[k] = in->o[first + 1].vec[k];
		keep(m, &source[k]);
	}
	for (k = 0; k < n; k++) {
		part = of_length(in, 1);
		if (first)
			part.o[0] = in->o[0].vec[k];
		part.o[first] = base;
		part.o[first].imm = px_add(base.imm, (int64_t)k * bits / 8);
		part.o[first + 1] = source[k];
		one(m, &part);
	}
	return true;
}

/* ---- pairs ---- */

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
		part[k] = px_binary(m, op, t, px_half(m, t, a, k), px_reg(px_half(m, t, b, k)));
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
