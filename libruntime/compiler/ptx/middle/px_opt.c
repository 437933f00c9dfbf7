/* SPDX-License-Identifier: MIT */
/*
 * Copy propagation, constant and address folding, dead code.
 *
 * Only values with ssa set are looked through: one unguarded definition that dominates every use.
 * If x and y are both such values and y is a copy of x, y can be replaced by x anywhere: a path from y's
 * definition to the use that redefines x without redefining y would be a path to the use that
 * avoids y's definition, which dominance rules out.
 */
#include <string.h>
#include "compiler/ptx/middle/px_opt.h"
#include "compiler/ptx/middle/px_pass.h"

static void count_refs(struct px_func *f)
{
	px_val *r[PX_MAX_REFS];
	uint32_t pos = 0, i, n;

	for (i = 0; i < f->num_vals; i++) {
		f->vals[i].defs = f->vals[i].uses = 0;
		f->vals[i].def = NULL;
		f->vals[i].ssa = f->vals[i].fixed < 0;
	}
	PX_FOR_BLOCKS(f, b)
		PX_FOR_INSNS(b, in) {
			in->pos = ++pos;
			n = px_reads(in, r);
			for (i = 0; i < n; i++)
				px_value(f, *r[i])->uses++;
			n = px_writes(in, r);
			for (i = 0; i < n; i++) {
				struct px_value *v = px_value(f, *r[i]);

				v->defs++;
				v->def = in;
				v->def_block = b;
				if (in->guard.v)
					v->ssa = false;
			}
		}
}

void px_pass_ssa(struct px_func *f)
{
	px_val *r[PX_MAX_REFS];
	uint32_t i, n;

	count_refs(f);
	for (i = 0; i < f->num_vals; i++)
		f->vals[i].ssa &= f->vals[i].defs == 1;
	PX_FOR_BLOCKS(f, b)
		PX_FOR_INSNS(b, in) {
			n = px_reads(in, r);
			for (i = 0; i < n; i++) {
				struct px_value *v = px_value(f, *r[i]);

				if (v->ssa && !(v->def_block == b ? v->def->pos < in->pos :
						px_dominates(v->def_block, b)))
					v->ssa = false;
			}
		}
	f->vals[0].ssa = false;
}

/* ---- looking through definitions ---- */

static struct px_insn *def_of(const struct px_func *f, px_val v)
{
	return px_value(f, v)->ssa ? px_value(f, v)->def : NULL;
}

static bool stable(const struct px_func *f, const struct px_opnd *o)
{
	return o->kind == PO_REG && !o->neg && !o->abs &&
	       (px_value(f, o->v)->ssa || o->v == f->sp);
}

/* Replaces o, a plain register operand of `width` registers, by what it is a copy of; false: nothing better. */
static bool look_through(struct px_func *f, struct px_opnd *o, unsigned width)
{
	struct px_insn *d = def_of(f, o->v);
	struct px_opnd *s;

	if (!d || d->ref != REF_NONE)
		return false;
	switch (d->op) {
	case PPU_OP_MOV:
		s = &d->s[1];
		if (s->kind == PO_IMM && !o->neg && !o->abs) {
			int64_t imm = o->sub ? s->imm >> 32 : s->imm;

			*o = (struct px_opnd){ .kind = PO_IMM,
				.imm = width == 1 ? (int64_t)(uint32_t)imm : imm };
			return true;
		}
		if (!stable(f, s))
			return false;
		o->v = s->v;
		o->sub = (uint8_t)(o->sub + s->sub);
		return true;
	case PPU_OP_MOVI64:
		if (o->neg || o->abs)
			return false;
		*o = (struct px_opnd){ .kind = PO_IMM, .imm = width == 1 ?
			(int64_t)(uint32_t)(d->s[1].imm >> (o->sub ? 32 : 0)) : d->s[1].imm };
		return true;
	case PPU_OP_CVT:
		s = &d->s[0];
		if (width != 1 || (d->t != PPU_T_U64 && d->t != PPU_T_S64) ||
		    (d->u != PPU_T_U32 && d->u != PPU_T_S32) || d->sat)
			return false;
		if (!o->sub && stable(f, s)) {
			o->v = s->v;
			o->sub = s->sub;
			return true;
		}
		if (o->sub && d->u == PPU_T_U32) {
			*o = px_imm(0);
			return true;
		}
		return false;
	case IR_PACK:
		if (width > d->x || o->sub % d->x + width > d->x)
			return false;
		s = &d->s[o->sub / d->x];
		if (s->kind == PO_IMM && !o->neg && !o->abs) {
			*o = px_imm((uint32_t)s->imm);
			return true;
		}
		if (!stable(f, s))
			return false;
		o->v = s->v;
		o->sub = (uint8_t)(s->sub + o->sub % d->x);
		return true;
	default:
		return false;
	}
}

/* The form in which an immediate is kept: 64 bits for a pair of registers, else 32 bits, zero-extended. */
static int64_t normal(const struct px_insn *in, unsigned slot, int64_t imm)
{
	if (px_src_width(in, slot) == 2)
		return imm;
	return (int64_t)(uint32_t)imm;
}

static bool commutes(const struct px_insn *in)
{
	switch (in->op) {
	case PPU_OP_ADD: case PPU_OP_MUL: case PPU_OP_MULHI: case PPU_OP_MULW: case PPU_OP_AND:
	case PPU_OP_OR: case PPU_OP_XOR: case PPU_OP_MAD: case PPU_OP_MADHI: case PPU_OP_MADW:
	case PPU_OP_MUL24: case PPU_OP_MAD24: case PPU_OP_FMA: case PPU_OP_SAD:
		return true;
	case PPU_OP_MIN: case PPU_OP_MAX:	/* -0 is less than +0, so the order of the operands does not matter */
		return true;
	default:
		return false;
	}
}

/* a cmp b -> b cmp a */
static unsigned mirrored(unsigned cmp)
{
	static const uint8_t m[PPU_CMP_COUNT] = {
		[PPU_CMP_EQ] = PPU_CMP_EQ, [PPU_CMP_NE] = PPU_CMP_NE, [PPU_CMP_LT] = PPU_CMP_GT,
		[PPU_CMP_LE] = PPU_CMP_GE, [PPU_CMP_GT] = PPU_CMP_LT, [PPU_CMP_GE] = PPU_CMP_LE,
		[PPU_CMP_EQU] = PPU_CMP_EQU, [PPU_CMP_NEU] = PPU_CMP_NEU, [PPU_CMP_LTU] = PPU_CMP_GTU,
		[PPU_CMP_LEU] = PPU_CMP_GEU, [PPU_CMP_GTU] = PPU_CMP_LTU, [PPU_CMP_GEU] = PPU_CMP_LEU,
		[PPU_CMP_NUM] = PPU_CMP_NUM, [PPU_CMP_NAN] = PPU_CMP_NAN,
	};

	return m[cmp];
}

/* Moves a constant out of operand a, where constants cannot be; true: operands changed places. */
bool px_swap_const(struct px_insn *in)
{
	struct px_opnd t;

	if (in->s[0].kind != PO_IMM || in->s[1].kind == PO_IMM)
		return false;
	if (in->op == PPU_OP_SETP || in->op == PPU_OP_SET)
		in->m = (uint8_t)mirrored(in->m);
	else if (in->op == PPU_OP_SEL)
		in->ps.neg = !in->ps.neg;
	else if (!commutes(in))
		return false;
	t = in->s[0];
	in->s[0] = in->s[1];
	in->s[1] = t;
	return true;
}

/* Can the ISA hold a constant in slot `slot`, perhaps after a swap?  Only then is the constant put there. */
static bool fold_const(struct px_insn *in, unsigned slot, int64_t imm)
{
	struct px_insn test = *in;

	imm = normal(in, slot, imm);
	if (!imm && px_src_width(in, slot) <= 2)	/* RZ */
		return true;
	test.s[slot] = px_imm(imm);
	if (slot == 0 && px_swap_const(&test))
		slot = 1;
	return px_imm_ok(&test, slot, imm);
}

static void fold_operand(struct px_func *f, struct px_insn *in, unsigned slot)
{
	struct px_opnd o = in->s[slot], next;
	unsigned width = slot < 3 ? px_src_width(in, slot) : 1, steps = 0;

	while (o.kind == PO_REG && steps++ < 16) {
		next = o;
		if (!look_through(f, &next, width))
			break;
		if (next.kind == PO_IMM) {
			if (!fold_const(in, slot, next.imm))
				break;
			next.imm = normal(in, slot, next.imm);
		}
		o = next;
	}
	in->s[slot] = o;
	if (slot == 0 && o.kind == PO_IMM)
		px_swap_const(in);
}

static void fold_pred(struct px_func *f, struct px_predref *p, bool const_ok)
{
	struct px_insn *d;
	unsigned steps = 0;

	while (p->v && steps++ < 16) {
		d = def_of(f, p->v);
		if (!d || d->op != PPU_OP_PLOP || d->m != PPU_PLOP_MOV)
			return;
		if (!d->ps.v && !const_ok)
			return;
		if (d->ps.v && !px_value(f, d->ps.v)->ssa)
			return;
		p->v = d->ps.v;
		p->neg ^= d->ps.neg;
	}
}

/* Looks through the values of a list.  A list holds whole values only: no parts of values, no constants. */
static void fold_list(struct px_func *f, struct px_insn *in)
{
	unsigned k, steps;

	for (k = 0; k < in->nxs; k++)
		for (steps = 0; in->xs[k] && steps < 16; steps++) {
			struct px_opnd o = px_reg(in->xs[k]);
			unsigned w = px_value(f, o.v)->width;

			if (px_value(f, o.v)->fixed >= 0 || !look_through(f, &o, w) ||
			    o.kind != PO_REG || o.sub || px_value(f, o.v)->width != w)
				break;
			in->xs[k] = o.v;
		}
}

/* ---- addresses ---- */

static bool is_memory(const struct px_insn *in)
{
	return in->op == PPU_OP_LD || in->op == PPU_OP_ST || in->op == PPU_OP_ATOM ||
	       in->op == PPU_OP_PREFETCH;
}

static bool add_off(struct px_insn *in, int64_t more)
{
	int64_t off = px_add(in->off, more);

	if (off != (int32_t)off || more != (int32_t)more)
		return false;
	in->off = off;
	return true;
}

/* The base is x + constant: the constant goes into the offset. */
static bool fold_add(struct px_func *f, struct px_insn *in, struct px_insn *d)
{
	unsigned w = px_type_width(d->t);
	int64_t imm = d->s[1].imm;

	if (d->op != PPU_OP_ADD || d->t < PPU_T_U32 || d->t > PPU_T_S64 || d->m || d->sat || d->s[1].kind != PO_IMM || d->ref == REF_SYM ||
	    !stable(f, &d->s[0]) || (PPU_SPACE_IS_64(in->m) && w != 2))
		return false;
	if (d->ref == REF_SLOT) {
		if (in->m != PPU_SPACE_LOCAL || !add_off(in, d->off))
			return false;
		in->ref = REF_SLOT;
		in->sym = d->sym;
		in->s[0] = px_reg(f->sp);
		return true;
	}
	if (w == 1)
		imm = (int32_t)imm;
	if (!add_off(in, imm))
		return false;
	in->s[0].v = d->s[0].v;
	in->s[0].sub = d->s[0].sub;
	return true;
}

/* The base is the address of a shared variable: the instruction names the variable. */
static bool fold_shared(struct px_insn *in, struct px_insn *d)
{
	if (in->m != PPU_SPACE_SHARED || d->ref != REF_SYM ||
	    d->op != PPU_OP_MOV || in->s[0].sub || !add_off(in, d->off))
		return false;
	in->ref = REF_SYM;
	in->sym = d->sym;
	in->s[0] = (struct px_opnd){ 0 };
	return true;
}

/* A generic access through a converted address is an access to that space. */
static bool fold_generic(struct px_func *f, struct px_insn *in, struct px_insn *d)
{
	if (in->m != PPU_SPACE_GENERIC || d->op != PPU_OP_CVTA || d->y || !stable(f, &d->s[0]) ||
	    PPU_SPACE_IS_64(d->m) || (d->m == PPU_SPACE_PARAM && in->op != PPU_OP_LD))
		return false;
	in->m = d->m;
	in->s[0] = d->s[0];
	return true;
}

/* A constant address in a 32-bit space goes into the offset. */
static bool fold_absolute(struct px_insn *in)
{
	if (PPU_SPACE_IS_64(in->m) || in->s[0].kind != PO_IMM || !add_off(in, (int32_t)in->s[0].imm))
		return false;
	in->s[0] = (struct px_opnd){ 0 };
	return true;
}

static void fold_address(struct px_func *f, struct px_insn *in)
{
	struct px_insn *d;
	unsigned steps = 0;

	while (in->ref == REF_NONE && in->s[0].kind == PO_REG && steps++ < 32) {
		d = def_of(f, in->s[0].v);
		if (!d || (in->s[0].sub && d->op != PPU_OP_MOV))
			break;
		if (!fold_add(f, in, d) && !fold_shared(in, d) && !fold_generic(f, in, d))
			break;
		if (in->ref == REF_NONE)
			fold_operand(f, in, 0);
	}
	if (in->s[0].kind == PO_IMM && in->ref == REF_NONE)
		fold_absolute(in);
}

/* ---- arithmetic ---- */

static bool plain_int(const struct px_insn *in)
{
	return !in->m && !in->sat && in->t >= PPU_T_U16 && in->t <= PPU_T_S64;
}

static void to_mov(struct px_insn *in, struct px_opnd s)
{
	unsigned w = px_type_width(in->t);
	struct px_predref none = { 0, false };

	if (s.kind == PO_IMM && w == 2)
		in->op = PPU_OP_MOVI64;
	else
		in->op = PPU_OP_MOV;
	in->t = in->op == PPU_OP_MOVI64 ? PPU_T_NONE : w == 2 ? PPU_T_U64 : PPU_T_U32;
	in->m = in->x = in->y = in->u = 0;
	in->ps = none;
	memset(in->s, 0, sizeof(in->s));
	in->s[1] = s;
}

static int64_t narrow(unsigned t, int64_t v)
{
	switch (t) {
	case PPU_T_U16: return (uint16_t)v;
	case PPU_T_S16: return (int16_t)v;
	case PPU_T_U32: return (uint32_t)v;
	case PPU_T_S32: return (int32_t)v;
	default: return v;
	}
}

/* Computes an operation on two constants; false: such an operation is not folded. */
static bool eval2(const struct px_insn *in, int64_t *out)
{
	unsigned bits = in->t <= PPU_T_S16 ? 16 : in->t <= PPU_T_S32 ? 32 : 64;
	int64_t a = narrow(in->t, in->s[0].imm), b = narrow(in->t, in->s[1].imm);
	uint64_t x = (uint64_t)a, y = (uint64_t)b, n = (uint32_t)in->s[1].imm;
	bool sign = in->t == PPU_T_S16 || in->t == PPU_T_S32 || in->t == PPU_T_S64;

	switch (in->op) {
	case PPU_OP_ADD: *out = (int64_t)(x + y); break;
	case PPU_OP_SUB: *out = (int64_t)(x - y); break;
	case PPU_OP_MUL: *out = (int64_t)(x * y); break;
	case PPU_OP_AND: *out = a & b; break;
	case PPU_OP_OR: *out = a | b; break;
	case PPU_OP_XOR: *out = a ^ b; break;
	case PPU_OP_SHL: *out = n >= bits ? 0 : (int64_t)(x << n); break;
	case PPU_OP_SHR:
		if (sign)
			*out = a >> (n >= bits ? 63 : n);
		else
			*out = n >= bits ? 0 : (int64_t)(x >> n);
		break;
	default:
		return false;
	}
	*out = narrow(in->t, *out);
	if (bits == 32)
		*out = (uint32_t)*out;
	return true;
}

/* Is the operand a constant, perhaps in a register because the slot cannot hold constants? */
static bool const_of(struct px_func *f, struct px_opnd *o, unsigned width, int64_t *imm)
{
	struct px_opnd t = *o;
	unsigned steps = 0;

	if (t.kind == PO_NONE) {
		*imm = 0;
		return true;
	}
	while (t.kind == PO_REG && steps++ < 16)
		if (!look_through(f, &t, width))
			return false;
	*imm = t.imm;
	return t.kind == PO_IMM;
}

static void fold_arith(struct px_func *f, struct px_insn *in)
{
	struct px_insn c;
	int64_t v;

	if (in->guard.v || in->ref != REF_NONE || !plain_int(in) ||
	    px_value(f, in->d)->width != px_type_width(in->t))
		return;
	switch (in->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_AND: case PPU_OP_OR:
	case PPU_OP_XOR: case PPU_OP_SHL: case PPU_OP_SHR:
		break;
	default:
		return;
	}
	c = *in;
	c.s[0].kind = c.s[1].kind = PO_IMM;
	if (const_of(f, &in->s[0], px_src_width(in, 0), &c.s[0].imm) &&
	    const_of(f, &in->s[1], px_src_width(in, 1), &c.s[1].imm) && eval2(&c, &v)) {
		to_mov(in, px_imm(v));
		return;
	}
	if (in->s[1].kind != PO_IMM || in->s[0].kind != PO_REG || in->t < PPU_T_U32)
		return;
	v = in->s[1].imm;
	if ((v == 0 && (in->op == PPU_OP_ADD || in->op == PPU_OP_SUB || in->op == PPU_OP_OR ||
			in->op == PPU_OP_XOR || in->op == PPU_OP_SHL || in->op == PPU_OP_SHR)) ||
	    (v == 1 && in->op == PPU_OP_MUL))
		to_mov(in, in->s[0]);
}

static bool mul_for_add(const struct px_insn *add, const struct px_insn *mul)
{
	if (add->t == PPU_T_U64 || add->t == PPU_T_S64)
		return mul->op == PPU_OP_MULW && (mul->t == PPU_T_U32 || mul->t == PPU_T_S32);
	return mul->op == PPU_OP_MUL && (mul->t == PPU_T_U32 || mul->t == PPU_T_S32) &&
	       (add->t == PPU_T_U32 || add->t == PPU_T_S32);
}

/* add(mul(x, y), z) -> mad(x, y, z) when nothing else reads the product. */
static void fold_mad(struct px_func *f, struct px_insn *in)
{
	unsigned k;

	if (in->op != PPU_OP_ADD || !plain_int(in) || in->ref != REF_NONE)
		return;
	for (k = 0; k < 2; k++) {
		struct px_opnd *o = &in->s[k], other = in->s[1 - k];
		struct px_insn *d = o->kind == PO_REG && !o->sub ? def_of(f, o->v) : NULL;

		if (!d || px_value(f, o->v)->uses != 1 || !mul_for_add(in, d) ||
		    !stable(f, &d->s[0]) || (d->s[1].kind != PO_IMM && !stable(f, &d->s[1])) ||
		    (d->s[1].kind == PO_IMM && other.kind == PO_IMM))
			continue;
		if (other.kind == PO_REG && other.v == o->v)
			continue;
		in->op = d->op == PPU_OP_MULW ? PPU_OP_MADW : PPU_OP_MAD;
		in->t = d->t;
		in->s[0] = d->s[0];
		in->s[1] = d->s[1];
		in->s[2] = other;
		return;
	}
}

void px_pass_fold(struct px_func *f)
{
	uint32_t i;
	unsigned k;

	for (i = 0; i < f->num_order; i++)
		PX_FOR_INSNS(f->order[i], in) {
			if (is_memory(in))
				fold_address(f, in);
			for (k = 0; k < 4; k++)
				if (in->s[k].kind == PO_REG && !(k == 0 && in->ref == REF_SLOT))
					fold_operand(f, in, k);
			if (is_memory(in))
				fold_address(f, in);
			fold_list(f, in);
			if (in->op != PPU_OP_EXIT)
				fold_pred(f, &in->guard, false);
			fold_pred(f, &in->ps, true);
			fold_pred(f, &in->pq, true);
			if (in->d)
				fold_arith(f, in);
			fold_mad(f, in);
		}
}

/* ---- dead code ---- */

static bool dead(struct px_func *f, struct px_insn *in)
{
	px_val *w[PX_MAX_REFS];
	unsigned n = px_writes(in, w), k;

	if (px_has_effect(in) || px_is_terminator(in))
		return false;
	for (k = 0; k < n; k++)
		if (px_value(f, *w[k])->uses || px_value(f, *w[k])->fixed >= 0)
			return false;
	return true;
}

static bool sweep(struct px_func *f)
{
	px_val *r[PX_MAX_REFS];
	bool changed = false;
	unsigned n, k;
	uint32_t i;

	for (i = f->num_order; i-- > 0;) {
		struct px_block *b = f->order[i];
		struct px_insn *in = b->last, *prev;

		for (; in; in = prev) {
			prev = in->prev;
			if (!dead(f, in))
				continue;
			n = px_reads(in, r);
			for (k = 0; k < n; k++)
				px_value(f, *r[k])->uses--;
			px_remove(b, in);
			changed = true;
		}
	}
	return changed;
}

/* Drops results that nobody reads from instructions that have others. */
static void drop_results(struct px_func *f)
{
	PX_FOR_BLOCKS(f, b)
		PX_FOR_INSNS(b, in) {
			if (in->pe && !px_value(f, in->pe)->uses)
				in->pe = 0;
			if (in->pd && !px_value(f, in->pd)->uses && (in->d || in->pe) &&
			    !(in->m & PPU_CARRY_OUT && (in->op == PPU_OP_ADD || in->op == PPU_OP_SUB ||
							in->op == PPU_OP_MAD || in->op == PPU_OP_MADHI)))
				in->pd = 0;
			if (in->op == PPU_OP_ATOM && in->d && !px_value(f, in->d)->uses)
				in->d = 0;
		}
}

void px_pass_dce(struct px_func *f)
{
	unsigned rounds = 0;

	count_refs(f);
	while (sweep(f) && ++rounds < 8)
		;
	drop_results(f);
	px_pass_ssa(f);
}
