/* SPDX-License-Identifier: MIT */
/* Operands of PTX instructions as operands of the IR; checks of their types. */
#include <string.h>
#include "compiler/ptx/front/px_sym.h"
#include "compiler/ptx/front/px_type.h"
#include "compiler/ptx/lower/px_low_emit.h"
#include "compiler/ptx/lower/px_low_opn.h"

/* ---- constants ---- */

static int64_t int_imm(unsigned pt, int64_t v)
{
	switch (px_type_bits(pt)) {
	case 8: return px_type_signed(pt) ? (int8_t)v : (uint8_t)v;
	case 16: return px_type_signed(pt) ? (int16_t)v : (uint16_t)v;
	case 32: return px_type_signed(pt) ? (int32_t)v : (int64_t)(uint32_t)v;
	default: return v;
	}
}

static struct px_opnd float_imm(struct px_module *m, const struct px_opn *o, unsigned pt)
{
	double d;
	float f;
	uint32_t u = (uint32_t)o->imm;
	uint64_t w = (uint64_t)o->imm;

	memcpy(&f, &u, 4);
	memcpy(&d, &w, 8);
	if (o->single)
		d = f;
	else
		f = (float)d;
	switch (pt) {
	case PT_F32: case PT_B32: case PT_U32: case PT_S32:
		memcpy(&u, &f, 4);
		return px_imm((int64_t)u);
	case PT_F64: case PT_B64: case PT_U64: case PT_S64:
		memcpy(&w, &d, 8);
		return px_imm((int64_t)w);
	default:
		px_error(m->px, o->loc, "a floating point constant cannot be of type .%s; give its bits as an integer of type .b%u",
			 px_type_text(pt), px_type_bits(pt));
		return px_imm(0);
	}
}

static struct px_opnd sreg_opnd(struct px_module *m, unsigned sreg, unsigned width)
{
	struct px_insn *i;
	unsigned number = sreg, sub = 0, have;
	px_val v;

	if (sreg == PX_SR_ZERO)
		return px_imm(0);
	if (sreg == PX_SR_GLOBALTIMER_LO || sreg == PX_SR_GLOBALTIMER_HI) {
		number = PPU_SR_GLOBALTIMER;
		sub = sreg == PX_SR_GLOBALTIMER_HI;
	}
	i = px_temp(m, PPU_OP_S2R, PPU_T_NONE);
	i->s[1] = px_imm(number);
	have = px_dst_width(i);
	v = i->d = px_tmp(m, have);
	if (width == 2 && have == 1) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = PPU_T_U32;
		i->s[0] = px_reg(v);
		i->d = v = px_tmp(m, 2);
	}
	return px_sub(v, sub);
}

/* ---- addresses of variables and functions ---- */

static struct px_opnd func_addr(struct px_module *m, const struct px_opn *o)
{
	struct px_insn *i = px_temp(m, PPU_OP_MOVI64, PPU_T_NONE);

	i->ref = REF_SYM;
	i->sym = o->sym->symbol;
	i->x = 1;	/* the address is one of code */
	i->d = px_tmp(m, 2);
	return px_reg(i->d);
}

/* The address of a frame slot in local memory. */
static px_val slot_addr(struct px_module *m, uint32_t slot, int64_t off)
{
	struct px_insn *i = px_temp(m, PPU_OP_ADD, PPU_T_U32);

	m->func->slots[slot].used = true;
	i->s[0] = px_reg(m->func->sp);
	i->s[1] = px_imm(off);
	i->off = off;
	i->ref = REF_SLOT;
	i->sym = slot;
	i->d = px_tmp(m, 1);
	return i->d;
}

/* Copies a function's parameter from its register to the frame, because its address is taken. */
static void spill_param(struct px_module *m, struct px_var *v)
{
	static const struct px_inst always;
	struct px_insn *i;
	px_val val = v->val;

	if (v->spilled)
		return;
	v->spilled = true;
	v->slot = px_new_slot(m->func, SLOT_LOCAL, (uint32_t)v->size, (uint32_t)v->size);
	i = px_slot_mem(m, &always, PPU_OP_ST, v->size == 8 ? PPU_T_U64 : PPU_T_U32, v->slot, 0);
	px_st_from(m, i, val);
}

/* The address of a variable, plus the operand's constant. */
static struct px_opnd var_addr(struct px_module *m, const struct px_opn *o, unsigned width)
{
	struct px_var *v = o->sym->var;
	struct px_insn *i;
	px_val lo;

	if (o->sym->kind == SY_FUNC) {
		struct px_opnd a = func_addr(m, o);

		return width == 1 ? px_sub(a.v, 0) : a;
	}
	switch (v->space) {
	case SP_GLOBAL:
	case SP_CONST:
		i = px_temp(m, PPU_OP_MOVI64, PPU_T_NONE);
		if (width == 1)
			px_error(m->px, o->loc, "the address of '%s' has 64 bits; use a 64-bit register",
				 o->sym->name->s);
		i->ref = REF_SYM;
		i->sym = v->symbol;
		i->off = o->imm;
		i->s[1] = px_imm(0);
		i->d = px_tmp(m, 2);
		return px_reg(i->d);
	case SP_SHARED:
		i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
		i->ref = REF_SYM;
		i->sym = v->symbol;
		i->off = o->imm;
		i->s[1] = px_imm(0);
		i->d = lo = px_tmp(m, 1);
		break;
	case SP_KPARAM:
		return px_reg(px_force_reg(m, px_imm(px_add(v->offset, o->imm)), width));
	default:
		if (v->space == SP_FPARAM && v->val)
			spill_param(m, v);
		lo = slot_addr(m, v->slot, o->imm);
		break;
	}
	if (width == 1)
		return px_reg(lo);
	i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
	i->u = PPU_T_U32;
	i->s[0] = px_reg(lo);
	i->d = px_tmp(m, 2);
	return px_reg(i->d);
}

/* The address of var[register]: register times step, in the address's width, added to that of var. */
struct px_opnd px_sym_addr(struct px_module *m, const struct px_opn *o, unsigned width)
{
	struct px_opnd base = var_addr(m, o, width);
	unsigned type = width == 2 ? PPU_T_U64 : PPU_T_U32;
	struct px_opnd index = px_reg(o->index), step;
	struct px_insn *i;

	if (!o->index)
		return base;
	step = px_reg(px_force_reg(m, px_imm((int64_t)o->step), width));
	if (px_bits_width(o->index_type) < width) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = px_type_signed(o->index_type) ? PPU_T_S32 : PPU_T_U32;
		i->s[0] = index;
		i->d = px_tmp(m, 2);
		index = px_reg(i->d);
	} else if (px_bits_width(o->index_type) > width) {
		index = px_sub(o->index, 0);
	}
	i = px_temp(m, PPU_OP_MUL, type);
	i->s[0] = index;
	i->s[1] = step;
	i->d = px_tmp(m, width);
	index = px_reg(i->d);
	i = px_temp(m, PPU_OP_ADD, type);
	i->s[0] = base;
	i->s[1] = index;
	i->d = px_tmp(m, width);
	return px_reg(i->d);
}

/* ---- operands ---- */

static struct px_opnd opnd_error(struct px_module *m, const struct px_opn *o, const char *what)
{
	if (o->kind == OP_NAME)
		px_error(m->px, o->loc, "'%s' is not declared", o->name->s);
	else
		px_error(m->px, o->loc, "%s", what);
	return px_imm(0);
}

struct px_opnd px_src_wide(struct px_module *m, const struct px_opn *o, unsigned pt)
{
	unsigned width = px_bits_width(pt);

	switch (o->kind) {
	case OP_REG:
		if (o->type == PT_PRED)
			return opnd_error(m, o, "a predicate register cannot be used here; use selp to make a number of it");
		if (px_type_bits(o->type) < px_type_bits(pt)) {
			px_error(m->px, o->loc, "register '%s' has %u bits, this operand needs %u",
				 o->name ? o->name->s : "?", px_type_bits(o->type), px_type_bits(pt));
			return px_imm(0);
		}
		return px_reg(o->v);
	case OP_IMM:
		if (px_type_float(pt) && px_type_bits(pt) > 16 && o->imm) {
			px_error(m->px, o->loc, "an integer constant cannot be of type .%s; write 0f or 0d and the bits",
				 px_type_text(pt));
			return px_imm(0);
		}
		return px_imm(int_imm(pt, o->imm));
	case OP_FLOAT:
		return float_imm(m, o, pt);
	case OP_SREG:
		return sreg_opnd(m, o->sreg, width);
	case OP_SYM:
		if (px_type_bits(pt) < 32 || px_type_bits(pt) > 64)
			return opnd_error(m, o, "an address is no value of this type; it has 32 or 64 bits");
		return px_sym_addr(m, o, width);
	default:
		return opnd_error(m, o, o->kind == OP_SINK ? "'_' can only be a destination" :
				  "this kind of operand is not allowed here");
	}
}

struct px_opnd px_src_opn(struct px_module *m, const struct px_opn *o, unsigned pt)
{
	if (o->kind == OP_REG && o->type != PT_PRED && px_type_bits(o->type) != px_type_bits(pt)) {
		px_error(m->px, o->loc, "register '%s' has %u bits, this operand needs %u",
			 o->name ? o->name->s : "?", px_type_bits(o->type), px_type_bits(pt));
		return px_imm(0);
	}
	return px_src_wide(m, o, pt);
}

struct px_opnd px_src(struct px_module *m, const struct px_inst *in, unsigned i, unsigned pt)
{
	return px_src_opn(m, &in->o[i], pt);
}

px_val px_dst_opn(struct px_module *m, const struct px_opn *o, unsigned pt)
{
	if (o->kind == OP_SINK)
		return 0;
	if (o->kind != OP_REG) {
		if (o->kind == OP_NAME)
			px_error(m->px, o->loc, "'%s' is not declared", o->name->s);
		else
			px_error(m->px, o->loc, "the destination must be a register");
		return px_tmp(m, px_bits_width(pt));
	}
	if ((o->type == PT_PRED) != (pt == PT_PRED) ||
	    (pt != PT_PRED && px_type_bits(o->type) != px_type_bits(pt))) {
		px_error(m->px, o->loc, "register '%s' is of type .%s, the result of type .%s",
			 o->name ? o->name->s : "?", px_type_text(o->type), px_type_text(pt));
		return px_tmp(m, px_bits_width(pt));
	}
	return o->v;
}

px_val px_dst(struct px_module *m, const struct px_inst *in, unsigned i, unsigned pt)
{
	return px_dst_opn(m, &in->o[i], pt);
}

struct px_predref px_pred_src(struct px_module *m, const struct px_opn *o)
{
	if (o->kind == OP_IMM)
		return (struct px_predref){ 0, !o->imm };
	if (o->kind == OP_SREG && o->sreg == PPU_SR_IS_EXPLICIT_CLUSTER) {	/* a predicate in PTX */
		px_val number = px_force_reg(m, px_src_opn(m, o, PT_B32), 1);
		struct px_insn *i = px_temp(m, PPU_OP_SETP, PPU_T_U32);

		i->m = PPU_CMP_NE;
		i->s[0] = px_reg(number);
		i->s[1] = px_imm(0);
		return (struct px_predref){ i->pd = px_tmp(m, 0), false };
	}
	if (o->kind != OP_REG || o->type != PT_PRED) {
		if (o->kind == OP_NAME)
			px_error(m->px, o->loc, "'%s' is not declared", o->name->s);
		else
			px_error(m->px, o->loc, "a predicate register was expected here");
		return (struct px_predref){ 0, false };
	}
	return (struct px_predref){ o->v, o->neg };
}

px_val px_pred_dst(struct px_module *m, const struct px_opn *o)
{
	return px_dst_opn(m, o, PT_PRED);
}

struct px_insn *px_two(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t, unsigned at,
		       unsigned bt, unsigned dt)
{
	struct px_opnd a = px_src(m, in, 1, at), b = px_src(m, in, 2, bt);
	struct px_insn *i = px_emit(m, in, op, t);

	i->s[0] = a;
	i->s[1] = b;
	i->d = px_dst(m, in, 0, dt);
	return i;
}

void px_ternary(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t,
		struct px_opnd a, struct px_opnd b, struct px_opnd c, unsigned dt)
{
	struct px_insn *i = px_emit(m, in, op, t);

	i->s[0] = a;
	i->s[1] = b;
	i->s[2] = c;
	i->d = px_dst(m, in, 0, dt);
}

px_val px_dst_wide(struct px_module *m, const struct px_opn *o, unsigned pt, bool *extend)
{
	*extend = false;
	if (o->kind == OP_REG && o->type != PT_PRED &&
	    px_type_bits(o->type) > px_type_bits(pt)) {
		if (px_type_bits(o->type) == 128) {
			px_error(m->px, o->loc, "register '%s' has 128 bits, the result fewer",
				 o->name ? o->name->s : "?");
			return px_tmp(m, px_bits_width(pt));
		}
		*extend = px_type_bits(o->type) == 64;
		return *extend ? px_tmp(m, 1) : o->v;
	}
	return px_dst_opn(m, o, pt);
}

/* ---- modifiers and types ---- */

unsigned px_rnd(const struct px_inst *in)
{
	return px_has(in, PM_rz) || px_has(in, PM_rzi) ? PPU_RND_RZ :
	       px_has(in, PM_rm) || px_has(in, PM_rmi) ? PPU_RND_RM :
	       px_has(in, PM_rp) || px_has(in, PM_rpi) ? PPU_RND_RP : PPU_RND_RN;
}

void px_bad_type(struct px_module *m, const struct px_inst *in, unsigned pt)
{
	if (pt)
		px_error(m->px, in->loc, "'%s' has no form of type .%s", in->name->s,
			 px_type_text(pt));
	else
		px_error(m->px, in->loc, "'%s' needs a type, such as .u32", in->name->s);
}

bool px_check_type(struct px_module *m, const struct px_inst *in, unsigned pt, uint32_t set)
{
	_Static_assert(PT_COUNT <= 32, "a set of types has 32 bits");
	if (pt && (1u << pt) & set)
		return true;
	px_bad_type(m, in, pt);
	return false;
}

unsigned px_one_type(struct px_module *m, const struct px_inst *in)
{
	if (in->num_types == 1)
		return in->types[0];
	px_error(m->px, in->loc, "'%s' takes one type, this has %u", in->name->s, in->num_types);
	return PT_NONE;
}
