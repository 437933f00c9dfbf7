/* SPDX-License-Identifier: MIT */
/* Loads, stores, address spaces, cache hints. */
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_addr.h"
#include "compiler/ptx/lower/px_low_async.h"
#include "compiler/ptx/lower/px_low_cluster.h"
#include "compiler/ptx/lower/px_low_vec.h"

/* ---- ld, st ---- */

static unsigned mem_type(unsigned pt)
{
	switch (px_type_bits(pt)) {
	case 8: return px_type_signed(pt) ? PPU_T_S8 : PPU_T_U8;
	case 16: return px_type_signed(pt) ? PPU_T_S16 : PPU_T_U16;
	case 32: return px_type_signed(pt) ? PPU_T_S32 : PPU_T_U32;
	case 64: return px_type_signed(pt) ? PPU_T_S64 : PPU_T_U64;
	default: return PPU_T_B128;
	}
}

/* The number of elements of the data operand; 0: an error, reported.  *e: the elements. */
static unsigned elements(struct px_module *m, const struct px_inst *in, const struct px_opn *o,
			 const struct px_opn **e)
{
	unsigned n = px_has(in, PM_v4) ? 4 : px_has(in, PM_v2) ? 2 : 1;
	unsigned have = o->kind == OP_VEC ? o->nvec : 1;

	*e = o->kind == OP_VEC ? o->vec : o;
	if (n == have && n * px_type_bits(in->types[0]) <= 128)
		return n;
	if (n == have)
		px_error(m->px, o->loc, "a vector of %u bits is too long, 128 is the most",
			 n * px_type_bits(in->types[0]));
	else
		px_error(m->px, o->loc, "the data operand has %u elements, the instruction %u", have, n);
	return 0;
}

static bool mem_pt(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);

	if (pt && pt != PT_PRED)
		return true;
	if (pt)
		px_bad_type(m, in, pt);
	return false;
}

/* If the operand is a function's parameter in registers: its variable, else NULL. */
static struct px_var *reg_param(const struct px_opn *o)
{
	if (o->kind == OP_ADDR && o->sym && o->sym->kind == SY_VAR &&
	    o->sym->var->space == SP_FPARAM && o->sym->var->val && !o->sym->var->spilled)
		return o->sym->var;
	return NULL;
}

static void ld_reg_param(struct px_module *m, const struct px_inst *in, const struct px_opn *e,
			 unsigned pt, struct px_var *v, int64_t off)
{
	unsigned bits = px_type_bits(pt);
	struct px_insn *i;
	bool extend;
	px_val d;

	if (off < 0 || (uint64_t)off + bits / 8 > v->size || off % (bits / 8)) {
		px_error(m->px, in->loc, "this access is outside the parameter");
		return;
	}
	d = px_dst_wide(m, e, pt, &extend);
	if (!d)
		return;
	if (bits == 64) {
		px_copy(m, in, d, px_reg(v->val), PPU_T_U64);
	} else if (bits == 32) {
		px_copy(m, in, d, px_sub(v->val, (unsigned)off / 4), PPU_T_U32);
	} else {
		i = px_emit(m, in, PPU_OP_BFE, px_type_signed(pt) ? PPU_T_S32 : PPU_T_U32);
		i->s[0] = px_sub(v->val, (unsigned)off / 4);
		i->s[1] = px_imm((off % 4 * 8) | bits << 8);
		i->d = d;
	}
	if (extend)
		px_widen(m, in, e->v, e->type, d, pt);
}

static void st_reg_param(struct px_module *m, const struct px_inst *in, const struct px_opn *e,
			 unsigned pt, struct px_var *v, int64_t off)
{
	unsigned bits = px_type_bits(pt);
	struct px_opnd s = px_src_wide(m, e, pt);
	struct px_insn *i;

	if (off < 0 || (uint64_t)off + bits / 8 > v->size || off % (bits / 8)) {
		px_error(m->px, in->loc, "this access is outside the parameter");
	} else if (bits == 64) {
		i = px_emit(m, in, s.kind == PO_IMM ? PPU_OP_MOVI64 : PPU_OP_MOV,
			    s.kind == PO_IMM ? PPU_T_NONE : PPU_T_U64);
		i->s[1] = s;
		i->d = v->val;
	} else if (v->size == 8 && bits == 32) {
		i = px_emit(m, in, IR_PACK, PPU_T_NONE);
		i->m = 2;
		i->x = 1;
		i->s[off / 4] = s;
		i->s[1 - off / 4] = px_sub(v->val, 1 - (unsigned)off / 4);
		i->d = v->val;
	} else if (v->size * 8 == bits) {
		px_copy(m, in, v->val, s, PPU_T_U32);
	} else if (v->size <= 4) {
		i = px_emit(m, in, PPU_OP_BFI, PPU_T_U32);
		i->s[0] = s;
		i->s[1] = px_reg(v->val);
		i->s[2] = px_imm((off * 8) | bits << 8);
		i->d = v->val;
	} else {
		px_error(m->px, in->loc, "this partial store to a parameter is not supported; declare the parameter as an array of bytes");
	}
}

void px_low_ld(struct px_module *m, const struct px_inst *in)
{
	const struct px_opn *e;
	struct px_var *rp = reg_param(&in->o[1]);
	struct px_addr a;
	unsigned n, k, pt = in->types[0];
	struct px_insn *i;
	bool extend[4];
	px_val *xd;

	if (!mem_pt(m, in) || px_low_wide(m, in, px_low_ld, 0, 1) || !(n = elements(m, in, &in->o[0], &e)))
		return;
	if (rp) {
		for (k = 0; k < n; k++)
			ld_reg_param(m, in, &e[k], pt, rp,
				     px_add(in->o[1].imm, k * px_type_bits(pt) / 8));
		return;
	}
	if (!px_address(m, in, &in->o[1], &a))
		return;
	xd = px_alloc(&m->px->arena, n * sizeof(*xd));
	for (k = 0; k < n; k++) {
		xd[k] = px_dst_wide(m, &e[k], pt, &extend[k]);
		if (!xd[k])
			xd[k] = px_tmp(m, px_bits_width(pt));
	}
	i = px_emit(m, in, PPU_OP_LD, mem_type(pt));
	px_set_addr(i, &a);
	i->x = n == 4 ? PPU_VEC_4 : n == 2 ? PPU_VEC_2 : PPU_VEC_1;
	i->y = (uint8_t)px_sem_scope(m, in, PPU_MO_WEAK);
	i->xd = xd;
	i->nxd = (uint8_t)n;
	for (k = 0; k < n; k++)
		if (extend[k])
			px_widen(m, in, e[k].v, e[k].type, xd[k], pt);
}

void px_low_st(struct px_module *m, const struct px_inst *in)
{
	const struct px_opn *e;
	struct px_var *rp = reg_param(&in->o[0]);
	struct px_addr a;
	unsigned n, k, pt = in->types[0];
	struct px_insn *i;
	px_val *xs;

	if (px_has(in, PM_async) || in->n > 2) {
		px_low_async(m, in, px_low_st);
		return;
	}
	if (!mem_pt(m, in) || px_low_wide(m, in, px_low_st, 1, 0) || !(n = elements(m, in, &in->o[1], &e)))
		return;
	if (rp) {
		for (k = 0; k < n; k++)
			st_reg_param(m, in, &e[k], pt, rp,
				     px_add(in->o[0].imm, k * px_type_bits(pt) / 8));
		return;
	}
	if (!px_address(m, in, &in->o[0], &a))
		return;
	if (a.space == PPU_SPACE_PARAM || a.space == PPU_SPACE_CONST) {
		px_error(m->px, in->loc, "'st' cannot write constant memory or the parameters of a kernel");
		return;
	}
	xs = px_alloc(&m->px->arena, n * sizeof(*xs));
	for (k = 0; k < n; k++) {
		struct px_opnd s = px_src_wide(m, &e[k], pt);

		xs[k] = n == 1 && s.kind == PO_IMM && !s.imm && px_type_bits(pt) <= 64 ? 0 :
			px_force_reg(m, s, px_bits_width(pt));
	}
	i = px_emit(m, in, PPU_OP_ST, mem_type(pt));
	px_set_addr(i, &a);
	i->x = n == 4 ? PPU_VEC_4 : n == 2 ? PPU_VEC_2 : PPU_VEC_1;
	i->y = (uint8_t)px_sem_scope(m, in, PPU_MO_WEAK);
	i->xs = xs;
	i->nxs = (uint8_t)n;
}

/* ---- hints ---- */

void px_low_prefetch(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i;
	struct px_addr a;

	if (px_has(in, PM_tensormap))	/* a map, also one among the parameters: nothing is known of it before a copy */
		return;
	if (!px_address(m, in, &in->o[0], &a))
		return;
	i = px_emit(m, in, PPU_OP_PREFETCH, PPU_T_NONE);
	px_set_addr(i, &a);
}

void px_low_nothing(struct px_module *m, const struct px_inst *in)
{
}

/* A cache policy is a hint that nobody reads, so any number will do. */
void px_low_createpolicy(struct px_module *m, const struct px_inst *in)
{
	px_val d = px_dst(m, in, 0, PT_B64);
	struct px_insn *i = px_emit(m, in, PPU_OP_MOVI64, PPU_T_NONE);

	i->s[1] = px_imm(0);
	i->d = d;
}

/* ---- address spaces ---- */

void px_low_cvta(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), space, w = px_bits_width(pt);
	bool func_param, to = px_has(in, PM_to), is64;
	struct px_opnd a;
	struct px_insn *i;
	px_val d, t;

	if (!pt)
		return;
	if (pt != PT_U64) {
		px_error(m->px, in->loc, "addresses have 64 bits; use 'cvta' of type .u64 and .address_size 64");
		return;
	}
	space = px_space_of(m, in, &func_param);
	a = px_src(m, in, 1, pt);
	d = px_dst(m, in, 0, pt);
	if (!space) {
		px_error(m->px, in->loc, "'cvta' needs a state space, such as .global");
		return;
	}
	is64 = PPU_SPACE_IS_64(space);
	if (is64) {	/* generic addresses of global memory are the addresses themselves */
		i = px_emit(m, in, a.kind == PO_IMM ? PPU_OP_MOVI64 : PPU_OP_MOV,
			    a.kind == PO_IMM ? PPU_T_NONE : PPU_T_U64);
		i->s[1] = a;
		i->d = d;
		return;
	}
	if (to) {
		i = px_emit(m, in, PPU_OP_CVTA, PPU_T_NONE);
		i->y = 1;
		i->m = (uint8_t)space;
		i->s[0] = a;
		i->d = t = px_tmp(m, 1);
		px_widen(m, in, d, pt, t, PT_U32);
		return;
	}
	a = px_reg(px_force_reg(m, a, w));
	i = px_emit(m, in, PPU_OP_CVTA, PPU_T_NONE);
	i->m = (uint8_t)space;
	i->s[0] = px_sub(a.v, 0);
	i->d = d;
}

void px_low_isspacep(struct px_module *m, const struct px_inst *in)
{
	bool func_param;
	unsigned space = px_space_of(m, in, &func_param);
	struct px_opnd a;
	struct px_insn *i;

	/* In older code nobody can have addresses of other CTAs. */
	if (space == PPU_SPACE_SHARED && !px_has(in, PM_shared_cluster) && (m->target >= 90 || px_has(in, PM_shared_cta))) {
		px_low_isspacep_cta(m, in);
		return;
	}
	a = px_src(m, in, 1, PT_U64);
	i = px_emit(m, in, PPU_OP_ISSPACE, PPU_T_NONE);
	i->m = (uint8_t)space;
	i->s[0] = a;
	i->pd = px_pred_dst(m, &in->o[0]);
}
