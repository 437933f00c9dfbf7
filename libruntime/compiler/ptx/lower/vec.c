/* SPDX-License-Identifier: MIT */
/*
 * Vectors that the instruction set has no instruction for: loads and stores of 256 bits are two of 128,
 * vector atomics are one for each element, as in PTX, which promises no more for them.
 */
#include "compiler/ptx/lower/lower.h"

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

/* Registers may be results and address or sources at once: what is read is read before. */
static void keep(struct px_module *m, struct px_opn *o)
{
	struct px_insn *i;

	if ((o->kind != OP_REG && !(o->kind == OP_ADDR && o->has_base)) || o->type == PT_PRED)
		return;
	i = px_temp(m, PPU_OP_MOV, px_type_bits(o->type) == 64 ? PPU_T_U64 : PPU_T_U32);
	i->s[1] = px_reg(o->v);
	i->d = px_tmp(m, px_bits_width(o->type));
	o->v = i->d;
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
		part.o[address].imm += 16 * k;
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
		part.o[first].imm += (int64_t)k * bits / 8;
		part.o[first + 1] = source[k];
		one(m, &part);
	}
	return true;
}
