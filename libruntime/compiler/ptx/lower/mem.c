/* SPDX-License-Identifier: MIT */
/* Moves, conversions, memory, atomics, fences. */
#include "compiler/ptx/lower/lower.h"

/* ---- mov ---- */

static unsigned bits_type(unsigned bits)
{
	return bits == 64 ? PPU_T_U64 : bits == 32 ? PPU_T_U32 : PPU_T_U16;
}

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

static struct px_insn *copy_to(struct px_module *m, const struct px_inst *in, px_val d,
			       struct px_opnd s, unsigned t)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_MOV, t);

	i->s[1] = s;
	i->d = d;
	return i;
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
	if (eb >= 32 || in->guard.v == 0) {	/* all sources are read before any is written */
		px_val copy = px_tmp(m, px_bits_width(pt));

		i = px_temp(m, PPU_OP_MOV, bits == 128 ? PPU_T_U64 : bits_type(bits));
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
			copy_to(m, in, d, part, bits_type(eb));
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

void px_low_mov(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), bits;
	struct px_insn *i;

	if (!pt)
		return;
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
			copy_to(m, in, d, s, bits_type(bits));
		}
	}
}

/* ---- cvt ---- */

static void cvt_pair(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0];
	struct px_opnd a, b;
	struct px_insn *i;

	if ((dt != PT_F16X2 && dt != PT_BF16X2) || in->types[1] != PT_F32) {
		px_error(m->px, in->loc, "'cvt' with two sources makes .f16x2 or .bf16x2 of .f32");
		return;
	}
	a = px_src(m, in, 1, PT_F32);
	b = px_src(m, in, 2, PT_F32);
	i = px_emit(m, in, PPU_OP_CVT2, px_isa_type(dt));
	i->s[0] = a;
	i->s[1] = b;
	i->u = PPU_T_F32;
	i->rnd = (uint8_t)px_rnd(in);
	i->y = px_has(in, PM_relu);
	i->d = px_dst(m, in, 0, dt);
}

/* cvt.rn.relu.f16.f32: the low half of a pair whose other half is zero. */
static void cvt_relu(struct px_module *m, const struct px_inst *in)
{
	unsigned dt = in->types[0];
	struct px_opnd a;
	struct px_insn *i;

	if ((dt != PT_F16 && dt != PT_BF16) || in->types[1] != PT_F32) {
		px_error(m->px, in->loc, "'cvt' with .relu makes .f16 or .bf16 of .f32");
		return;
	}
	a = px_src(m, in, 1, PT_F32);
	i = px_emit(m, in, PPU_OP_CVT2, px_isa_type(dt == PT_F16 ? PT_F16X2 : PT_BF16X2));
	i->s[0] = px_imm(0);
	i->s[1] = a;
	i->u = PPU_T_F32;
	i->rnd = (uint8_t)px_rnd(in);
	i->y = 1;
	i->d = px_dst(m, in, 0, dt);
}

/* cvt.rna.tf32.f32: ten bits of mantissa, ties away from zero; infinities and NaNs as they are. */
static void cvt_tf32(struct px_module *m, const struct px_inst *in)
{
	const int64_t half = 0x1000, kept = 0xffffe000, inf = 0x7f800000;
	struct px_insn *abs, *big, *sum, *cut, *sel;
	px_val a;

	if (in->num_types != 1 || in->types[0] != PT_F32 || !px_has(in, PM_rna)) {
		px_error(m->px, in->loc, "the conversion to .tf32 is 'cvt.rna.tf32.f32'");
		return;
	}
	a = px_force_reg(m, px_src(m, in, 1, PT_F32), 1);
	abs = px_temp(m, PPU_OP_AND, PPU_T_U32);
	abs->s[0] = px_reg(a);
	abs->s[1] = px_imm(INT32_MAX);
	abs->d = px_tmp(m, 1);
	big = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	big->m = PPU_CMP_GE;
	big->s[0] = px_reg(abs->d);
	big->s[1] = px_imm(inf);
	big->pd = px_tmp(m, 0);
	sum = px_temp(m, PPU_OP_ADD, PPU_T_U32);
	sum->s[0] = px_reg(a);
	sum->s[1] = px_imm(half);
	sum->d = px_tmp(m, 1);
	cut = px_temp(m, PPU_OP_AND, PPU_T_U32);
	cut->s[0] = px_reg(sum->d);
	cut->s[1] = px_imm(kept);
	cut->d = px_tmp(m, 1);
	sel = px_emit(m, in, PPU_OP_SEL, PPU_T_U32);
	sel->s[0] = px_reg(a);
	sel->s[1] = px_reg(cut->d);
	sel->ps.v = big->pd;
	sel->d = px_dst(m, in, 0, PT_B32);
}

static bool same_int(const struct px_inst *in, unsigned dt, unsigned st)
{
	return !px_type_float(dt) && !px_type_float(st) && !px_has(in, PM_sat) &&
	       px_type_bits(dt) >= 32 && px_type_bits(st) >= px_type_bits(dt);
}

/* Destination of ld and cvt: its register may be wider than the type. */
static px_val wide_dst(struct px_module *m, const struct px_opn *o, unsigned pt, bool *extend)
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

void px_low_cvt(struct px_module *m, const struct px_inst *in)
{
	const uint32_t ok = PX_TS_8 | PX_TS_I | PX_TS_F | PX_TB(F16) | PX_TB(BF16);
	unsigned dt = in->types[0], st = in->types[1];
	struct px_opnd a;
	struct px_insn *i;
	bool extend;
	px_val d;

	if (px_has(in, PM_tf32)) {
		cvt_tf32(m, in);
		return;
	}
	if (in->num_types != 2) {
		px_error(m->px, in->loc, "'cvt' needs two types, of the result and of the operand");
		return;
	}
	if (px_has(in, PM_relu) && in->n == 2) {
		cvt_relu(m, in);
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
	d = wide_dst(m, &in->o[0], dt, &extend);
	if (same_int(in, dt, st)) {
		copy_to(m, in, d, a, bits_type(px_type_bits(dt)));
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

/* ---- addresses ---- */

/* Space of an access: PPU_SPACE_*; *func_param: .param inside a function. */
static unsigned space_of(struct px_module *m, const struct px_inst *in, bool *func_param)
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

struct addr {
	struct px_opnd base;
	int64_t off;
	uint8_t ref;
	uint32_t sym;
	unsigned space;
};

static bool sym_addr(struct px_module *m, const struct px_opn *o, struct addr *a)
{
	struct px_var *v = o->sym->var;
	struct px_opn plain = *o;

	if (o->sym->kind != SY_VAR) {
		px_error(m->px, o->loc, "'%s' is not a variable", o->sym->name->s);
		return false;
	}
	if (a->space != PPU_SPACE_GENERIC && a->space != var_space(v) &&
	    !(a->space == PPU_SPACE_PARAM && v->space == SP_FPARAM)) {
		px_error(m->px, o->loc, "'%s' is not in the state space that the instruction names",
			 o->sym->name->s);
		return false;
	}
	a->space = var_space(v);
	a->off = o->imm;
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
		a->off += v->offset;
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

static bool reg_addr(struct px_module *m, const struct px_opn *o, struct addr *a)
{
	bool is64 = PPU_SPACE_IS_64(a->space);
	unsigned bits = px_type_bits(o->type);
	struct px_insn *i;

	if (o->type == PT_PRED || (bits != 32 && bits != 64)) {
		px_error(m->px, o->loc, "an address register must have 32 or 64 bits");
		return false;
	}
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

static bool address(struct px_module *m, const struct px_inst *in, const struct px_opn *o,
		    struct addr *a)
{
	bool func_param;

	*a = (struct addr){ .space = space_of(m, in, &func_param) };
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

static void set_addr(struct px_insn *i, const struct addr *a)
{
	i->m = (uint8_t)a->space;
	i->s[0] = a->base;
	i->off = a->off;
	i->ref = a->ref;
	i->sym = a->sym;
}

static unsigned sem_scope(struct px_module *m, const struct px_inst *in, unsigned plain)
{
	unsigned scope = px_has(in, PM_cta) ? PPU_SCOPE_CTA :
			 px_has(in, PM_sys) ? PPU_SCOPE_SYS : PPU_SCOPE_GPU;

	if (px_has(in, PM_volatile) || px_has(in, PM_mmio))
		return PPU_SEM_VOLATILE | PPU_SCOPE_SYS;
	if (px_has(in, PM_relaxed))
		return PPU_SEM_RELAXED | scope;
	if (px_has(in, PM_acquire))
		return PPU_SEM_ACQUIRE | scope;
	if (px_has(in, PM_release))
		return PPU_SEM_RELEASE | scope;
	if (px_has(in, PM_acq_rel))
		return PPU_SEM_ACQ_REL | scope;
	if (px_has(in, PM_sc))
		return PPU_SEM_SC | scope;
	return plain == PPU_SEM_WEAK ? PPU_SEM_WEAK : plain | scope;
}

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

/* Elements of the data operand; 0: reported. */
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

/* Is this operand a function parameter that lives in registers? */
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
	d = wide_dst(m, e, pt, &extend);
	if (!d)
		return;
	if (bits == 64) {
		copy_to(m, in, d, px_reg(v->val), PPU_T_U64);
	} else if (bits == 32) {
		copy_to(m, in, d, px_sub(v->val, (unsigned)off / 4), PPU_T_U32);
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
		copy_to(m, in, v->val, s, PPU_T_U32);
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
	struct addr a;
	unsigned n, k, pt = in->types[0];
	struct px_insn *i;
	bool extend[4];
	px_val *xd;

	if (!mem_pt(m, in) || px_low_wide(m, in, px_low_ld, 0, 1) || !(n = elements(m, in, &in->o[0], &e)))
		return;
	if (rp) {
		for (k = 0; k < n; k++)
			ld_reg_param(m, in, &e[k], pt, rp,
				     in->o[1].imm + (int64_t)(k * px_type_bits(pt) / 8));
		return;
	}
	if (!address(m, in, &in->o[1], &a))
		return;
	xd = px_alloc(&m->px->arena, n * sizeof(*xd));
	for (k = 0; k < n; k++) {
		xd[k] = wide_dst(m, &e[k], pt, &extend[k]);
		if (!xd[k])
			xd[k] = px_tmp(m, px_bits_width(pt));
	}
	i = px_emit(m, in, PPU_OP_LD, mem_type(pt));
	set_addr(i, &a);
	i->x = n == 4 ? PPU_VEC_4 : n == 2 ? PPU_VEC_2 : PPU_VEC_1;
	i->y = (uint8_t)sem_scope(m, in, PPU_SEM_WEAK);
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
	struct addr a;
	unsigned n, k, pt = in->types[0];
	struct px_insn *i;
	px_val *xs;

	if (!mem_pt(m, in) || px_low_wide(m, in, px_low_st, 1, 0) || !(n = elements(m, in, &in->o[1], &e)))
		return;
	if (rp) {
		for (k = 0; k < n; k++)
			st_reg_param(m, in, &e[k], pt, rp,
				     in->o[0].imm + (int64_t)(k * px_type_bits(pt) / 8));
		return;
	}
	if (!address(m, in, &in->o[0], &a))
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
	set_addr(i, &a);
	i->x = n == 4 ? PPU_VEC_4 : n == 2 ? PPU_VEC_2 : PPU_VEC_1;
	i->y = (uint8_t)sem_scope(m, in, PPU_SEM_WEAK);
	i->xs = xs;
	i->nxs = (uint8_t)n;
}

/* ---- atomics ---- */

static int atom_op(struct px_module *m, const struct px_inst *in)
{
	static const uint16_t mods[] = { PM_add, PM_min, PM_max, PM_inc, PM_dec, PM_and, PM_or,
					 PM_xor, PM_exch, PM_cas };
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(mods); k++)
		if (px_has(in, mods[k]))
			return (int)k;
	px_error(m->px, in->loc, "'%s' needs an operation, such as .add", in->name->s);
	return -1;
}

static bool atom_type_ok(unsigned op, unsigned pt)
{
	const uint32_t i32 = PX_TB(U32) | PX_TB(S32), i64 = PX_TB(U64) | PX_TB(S64);

	switch (op) {
	case PPU_ATOM_ADD:
		return (1u << pt) & (i32 | i64 | PX_TS_F | PX_TS_H);
	case PPU_ATOM_MIN:
	case PPU_ATOM_MAX:
		return (1u << pt) & (i32 | i64 | PX_TS_H);
	case PPU_ATOM_INC:
	case PPU_ATOM_DEC:
		return pt == PT_U32;
	case PPU_ATOM_CAS:
		return (1u << pt) & (PX_TS_B | i32 | i64 | PX_TB(B128));
	case PPU_ATOM_EXCH:
		return (1u << pt) & (PX_TB(B32) | PX_TB(B64) | i32 | i64 | PX_TS_F | PX_TB(B128));
	default:
		return (1u << pt) & (PX_TB(B32) | PX_TB(B64) | i32 | i64);
	}
}

static void atomic(struct px_module *m, const struct px_inst *in, unsigned first, bool result)
{
	unsigned pt = px_one_type(m, in);
	int op = atom_op(m, in);
	struct px_opnd b, c = { 0 };
	struct px_insn *i;
	struct addr a;

	if (op < 0 || !pt)
		return;
	if (!atom_type_ok((unsigned)op, pt)) {
		px_bad_type(m, in, pt);
		return;
	}
	if ((in->n == first + 3) != (op == PPU_ATOM_CAS)) {
		px_error(m->px, in->loc, op == PPU_ATOM_CAS ? "'atom.cas' takes a value to compare and a new value" :
			 "only 'atom.cas' takes a third source");
		return;
	}
	if (!address(m, in, &in->o[first], &a))
		return;
	b = px_src(m, in, first + 1, pt);
	if (op == PPU_ATOM_CAS)
		c = px_src(m, in, first + 2, pt);
	i = px_emit(m, in, PPU_OP_ATOM, px_isa_type(pt));
	set_addr(i, &a);
	i->s[1] = b;
	i->s[2] = c;
	i->u = (uint8_t)op;
	i->y = (uint8_t)sem_scope(m, in, PPU_SEM_RELAXED);
	if (result)
		i->d = px_dst(m, in, 0, pt);
}

void px_low_atom(struct px_module *m, const struct px_inst *in)
{
	if (!px_low_vector_atomic(m, in, px_low_atom, 1))
		atomic(m, in, 1, true);
}

void px_low_red(struct px_module *m, const struct px_inst *in)
{
	if (!px_low_vector_atomic(m, in, px_low_red, 0))
		atomic(m, in, 0, false);
}

void px_low_fence(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_MEMBAR, PPU_T_NONE);
	unsigned sem = px_has(in, PM_acq_rel) ? PPU_SEM_ACQ_REL : px_has(in, PM_acquire) ?
		PPU_SEM_ACQUIRE : px_has(in, PM_release) ? PPU_SEM_RELEASE : PPU_SEM_SC;

	i->y = (uint8_t)(sem | (px_has(in, PM_cta) ? PPU_SCOPE_CTA :
				px_has(in, PM_sys) ? PPU_SCOPE_SYS : PPU_SCOPE_GPU));
}

void px_low_prefetch(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i;
	struct addr a;

	if (!address(m, in, &in->o[0], &a))
		return;
	i = px_emit(m, in, PPU_OP_PREFETCH, PPU_T_NONE);
	set_addr(i, &a);
}

void px_low_nothing(struct px_module *m, const struct px_inst *in)
{
}

/* A policy is a hint that nothing looks at: any number will do. */
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
	space = space_of(m, in, &func_param);
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
	unsigned space = space_of(m, in, &func_param);
	struct px_opnd a;
	struct px_insn *i;

	a = px_src(m, in, 1, PT_U64);
	i = px_emit(m, in, PPU_OP_ISSPACE, PPU_T_NONE);
	i->m = (uint8_t)space;
	i->s[0] = a;
	i->pd = px_pred_dst(m, &in->o[0]);
}
