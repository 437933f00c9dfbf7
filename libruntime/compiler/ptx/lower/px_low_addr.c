/* SPDX-License-Identifier: MIT */
/* Addresses in [ ], state spaces, memory orders: what loads, stores and atomics share. */
#include "compiler/ptx/front/px_sym.h"
#include "compiler/ptx/front/px_type.h"
#include "compiler/ptx/lower/px_low_addr.h"
#include "compiler/ptx/lower/px_low_emit.h"
#include "compiler/ptx/lower/px_low_opn.h"

unsigned px_space_of(struct px_module *m, const struct px_inst *in, bool *func_param)
{
	bool kernel = m->func->kernel;

	*func_param = false;
	if (px_has(in, PM_global) || in->op == PX_OP_ldu)
		return PPU_SPACE_GLOBAL;
	if (px_has(in, PM_shared) || px_has(in, PM_shared_cta) || px_has(in, PM_shared_cluster))
		return PPU_SPACE_SHARED;
	if (px_has(in, PM_local))
		return PPU_SPACE_LOCAL;
	if (px_has(in, PM_const))
		return PPU_SPACE_CONST;
	if (px_has(in, PM_param) || px_has(in, PM_param_entry) || px_has(in, PM_param_func)) {
		*func_param = !kernel;
		return kernel ? PPU_SPACE_PARAM : PPU_SPACE_LOCAL;
	}
	return PPU_SPACE_GENERIC;
}

static unsigned var_space(const struct px_var *v)
{
	switch (v->space) {
	case SP_GLOBAL: return PPU_SPACE_GLOBAL;
	case SP_CONST: return PPU_SPACE_CONST;
	case SP_SHARED: return PPU_SPACE_SHARED;
	case SP_KPARAM: return PPU_SPACE_PARAM;
	default: return PPU_SPACE_LOCAL;
	}
}

/* Is the symbol a variable, and in the space *space, if that is not the generic one?  *space: where it is. */
static bool sym_space(struct px_module *m, const struct px_opn *o, unsigned *space)
{
	const struct px_var *v = o->sym->var;

	if (o->sym->kind != SY_VAR) {
		px_error(m->px, o->loc, "'%s' is not a variable", o->sym->name->s);
		return false;
	}
	if (*space != PPU_SPACE_GENERIC && *space != var_space(v) &&
	    !(*space == PPU_SPACE_PARAM && v->space == SP_FPARAM)) {
		px_error(m->px, o->loc, "'%s' is not in the state space that the instruction names",
			 o->sym->name->s);
		return false;
	}
	*space = var_space(v);
	return true;
}

static bool sym_addr(struct px_module *m, const struct px_opn *o, struct px_addr *a)
{
	struct px_var *v = o->sym->var;
	struct px_opn plain = *o;

	if (!sym_space(m, o, &a->space))
		return false;
	a->off = o->imm;
	if (o->index) {
		plain.imm = 0;
		a->base = px_sym_addr(m, &plain, PPU_SPACE_IS_64(a->space) ? 2 : 1);
		return true;
	}
	switch (v->space) {
	case SP_GLOBAL:
	case SP_CONST:
		plain.imm = 0;
		a->base = px_sym_addr(m, &plain, 2);
		break;
	case SP_SHARED:
		a->ref = REF_SYM;
		a->sym = v->symbol;
		break;
	case SP_KPARAM:
		a->off = px_add(a->off, v->offset);
		break;
	default:
		if (v->space == SP_FPARAM && v->val) {
			plain.imm = 0;
			a->base = px_sym_addr(m, &plain, 1);
			break;
		}
		a->ref = REF_SLOT;
		a->sym = v->slot;
		a->base = px_reg(m->func->sp);
		m->func->slots[v->slot].used = true;
	}
	return true;
}

static bool address_register(struct px_module *m, const struct px_opn *o)
{
	unsigned bits = px_type_bits(o->type);

	if (o->type != PT_PRED && (bits == 32 || bits == 64))
		return true;
	px_error(m->px, o->loc, "an address register must have 32 or 64 bits");
	return false;
}

static bool reg_addr(struct px_module *m, const struct px_opn *o, struct px_addr *a)
{
	bool is64 = PPU_SPACE_IS_64(a->space);
	unsigned bits = px_type_bits(o->type);
	struct px_insn *i;

	if (!address_register(m, o))
		return false;
	if (is64 && bits == 32) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = PPU_T_U32;
		i->s[0] = px_reg(o->v);
		i->d = px_tmp(m, 2);
		a->base = px_reg(i->d);
	} else {
		a->base = px_reg(o->v);
	}
	a->off = o->imm;
	if (a->off != (int32_t)a->off) {
		i = px_temp(m, PPU_OP_ADD, is64 ? PPU_T_U64 : PPU_T_U32);
		i->s[0] = a->base;
		i->s[1] = px_imm(is64 ? a->off : (int32_t)a->off);
		i->d = px_tmp(m, is64 ? 2 : 1);
		a->base = px_reg(i->d);
		a->off = 0;
	}
	return true;
}

bool px_address(struct px_module *m, const struct px_inst *in, const struct px_opn *o,
		struct px_addr *a)
{
	bool func_param;

	*a = (struct px_addr){ .space = px_space_of(m, in, &func_param) };
	if (o->kind != OP_ADDR) {
		px_error(m->px, o->loc, "an address in [ ] was expected here");
		return false;
	}
	if (o->sym) {
		if (!sym_addr(m, o, a))
			return false;
	} else if (o->has_base) {
		if (!reg_addr(m, o, a))
			return false;
	} else if (PPU_SPACE_IS_64(a->space)) {
		a->base = px_reg(px_force_reg(m, px_imm(o->imm), 2));
	} else {
		a->off = o->imm;
	}
	if (a->off != (int32_t)a->off) {
		px_error(m->px, o->loc, "this offset does not fit in 32 bits");
		return false;
	}
	return true;
}

px_val px_address_value(struct px_module *m, const struct px_opn *o, unsigned width, unsigned *space)
{
	struct px_insn *i;
	struct px_opnd a;

	if (o->kind != OP_ADDR || (!o->sym && !o->has_base)) {
		px_error(m->px, o->loc, "an address in %s was expected here", width == 1 ? "shared memory" : "[ ]");
		return 0;
	}
	if (o->sym) {
		if (!sym_space(m, o, space))
			return 0;
		if (*space != PPU_SPACE_SHARED && (*space != PPU_SPACE_GLOBAL || width == 1)) {
			px_error(m->px, o->loc, "'%s' is not in %s memory", o->sym->name->s,
				 width == 1 ? "shared" : "shared or global");
			return 0;
		}
		return px_force_reg(m, px_sym_addr(m, o, width), width);
	}
	if (!address_register(m, o))
		return 0;
	a = width == 1 ? px_sub(o->v, 0) : px_reg(o->v);
	if (width == 2 && px_type_bits(o->type) == 32) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = PPU_T_U32;
		i->s[0] = a;
		i->d = px_tmp(m, 2);
		a = px_reg(i->d);
	} else if (!o->imm) {
		i = px_temp(m, PPU_OP_MOV, width == 2 ? PPU_T_U64 : PPU_T_U32);
		i->s[1] = a;
		i->d = px_tmp(m, width);
		return i->d;
	}
	if (!o->imm)
		return a.v;
	return px_binary(m, PPU_OP_ADD, width == 2 ? PPU_T_U64 : PPU_T_U32, px_force_reg(m, a, width),
			 px_imm(width == 2 ? o->imm : (int32_t)o->imm));
}

void px_set_addr(struct px_insn *i, const struct px_addr *a)
{
	i->m = (uint8_t)a->space;
	i->s[0] = a->base;
	i->off = a->off;
	i->ref = a->ref;
	i->sym = a->sym;
}

unsigned px_sem_scope(struct px_module *m, const struct px_inst *in, unsigned plain)
{
	unsigned scope = px_has(in, PM_cta) ? PPU_SCOPE_CTA :
			 px_has(in, PM_sys) ? PPU_SCOPE_SYS : PPU_SCOPE_GPU;

	if (px_has(in, PM_volatile) || px_has(in, PM_mmio))
		return PPU_MO_VOLATILE | PPU_SCOPE_SYS;
	if (px_has(in, PM_relaxed))
		return PPU_MO_RELAXED | scope;
	if (px_has(in, PM_acquire))
		return PPU_MO_ACQUIRE | scope;
	if (px_has(in, PM_release))
		return PPU_MO_RELEASE | scope;
	if (px_has(in, PM_acq_rel))
		return PPU_MO_ACQ_REL | scope;
	if (px_has(in, PM_sc))
		return PPU_MO_SC | scope;
	return plain == PPU_MO_WEAK ? PPU_MO_WEAK : plain | scope;
}
