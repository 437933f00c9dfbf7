/* SPDX-License-Identifier: MIT */
/*
 * Calls from both sides: where arguments and results are (px_abi.h), what a call becomes, how a function
 * takes its parameters and returns.
 */
#include <string.h>
#include "compiler/ptx/front/px_decl.h"
#include "compiler/ptx/front/px_forms.h"
#include "compiler/ptx/ir/px_abi.h"
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_call.h"

struct abi {
	unsigned next_reg;
	uint64_t stack;
};

/*
 * The place of the next formal parameter: registers are used first, then the stack.  Returns the first register,
 * or -1; then *off is the offset in the outgoing area.
 */
static int abi_place(struct abi *abi, const struct px_var *v, uint64_t *off)
{
	unsigned n = v->size > 4 ? 2 : 1, reg;

	if (!v->is_array && v->size <= 8 && abi->next_reg + n - 1 <= PX_ABI_LAST_ARG) {
		reg = abi->next_reg;
		abi->next_reg += n;
		return (int)reg;
	}
	abi->stack = px_align(abi->stack, v->align);
	*off = abi->stack;
	abi->stack += v->size < 4 ? 4 : v->size;
	return -1;
}

/* ---- calls ---- */

/* Describes operand k of a call: the variable of a parameter, or *made, which is filled in for a register. */
static struct px_var *opn_var(struct px_module *m, const struct px_opn *o, struct px_var *made,
			      const struct px_proto *p, uint32_t k, bool ret)
{
	uint32_t n = p ? (ret ? p->num_rets : p->num_params) : 0;

	if (k < n)
		return (ret ? p->rets : p->params)[k]->var;
	if (o->kind == OP_SYM && o->sym->kind == SY_VAR)
		return o->sym->var;
	*made = (struct px_var){ .space = SP_FPARAM, .type = o->kind == OP_REG ? o->type : PT_B32 };
	made->size = made->align = px_type_bits(made->type) / 8 ? px_type_bits(made->type) / 8 : 4;
	return made;
}

/* Array parameters of a call live in the outgoing area from the start. */
static void bind_call_param(struct px_module *m, const struct px_inst *in, struct px_var *v,
			uint64_t offset)
{
	struct px_slot *s = &m->func->slots[v->slot];

	if (v->formal || (v->bound && s->offset != offset)) {
		uint32_t out = px_new_slot(m->func, SLOT_OUT, (uint32_t)v->size, v->align);
		unsigned t = v->align >= 4 ? PPU_T_U32 : PPU_T_U8, step = v->align >= 4 ? 4 : 1;
		uint64_t at;

		m->func->slots[out].offset = offset;
		for (at = 0; at < v->size; at += step) {
			unsigned tt = v->size - at < step ? PPU_T_U8 : t;
			struct px_insn *l = px_slot_mem(m, in, PPU_OP_LD, tt, v->slot, (int64_t)at);
			struct px_insn *st;

			px_ld_into(m, l, px_tmp(m, 1));
			st = px_slot_mem(m, in, PPU_OP_ST, tt, out, (int64_t)at);
			px_st_from(m, st, l->xd[0]);
			if (tt != t)
				at = at - step + 1;
		}
		return;
	}
	s->kind = SLOT_OUT;
	s->offset = offset;
	v->bound = true;
}

struct place {
	int reg;
	uint64_t off;
	struct px_var *v;
	struct px_var made;
	px_val value;
};

static unsigned var_width(const struct px_var *v)
{
	return v->size > 4 ? 2 : 1;
}

/* The value of a scalar argument.  It is evaluated before any argument register is written. */
static px_val arg_value(struct px_module *m, const struct px_opn *o, const struct px_var *v)
{
	static const uint8_t type[] = { [1] = PT_B32, [2] = PT_B32, [4] = PT_B32, [8] = PT_B64 };
	unsigned w = var_width(v);

	if (o->kind == OP_SYM && o->sym->kind == SY_VAR && o->sym->var->space == SP_FPARAM &&
	    o->sym->var->val) {
		px_val a = o->sym->var->val;

		if (px_value(m->func, a)->width == w)
			return a;
		px_error(m->px, o->loc, "this argument has another size than the parameter");
		return px_tmp(m, w);
	}
	if (o->kind == OP_SYM && o->sym->kind == SY_VAR && o->sym->var->space == SP_FPARAM) {
		px_error(m->px, o->loc, "an array is passed where the function takes a scalar");
		return px_tmp(m, w);
	}
	if (o->kind == OP_REG && o->type != PT_PRED && px_bits_width(o->type) == w)
		return o->v;
	return px_force_reg(m, px_src_opn(m, o, v->size < sizeof(type) && type[v->size] ?
					  type[v->size] : PT_B64), w);
}

static void place_args(struct px_module *m, const struct px_inst *in, struct px_call *c,
		       struct abi *abi, struct place *p)
{
	uint32_t k;

	for (k = 0; k < c->nargs; k++) {
		struct px_opn *o = &c->args[k];

		p[k].v = opn_var(m, o, &p[k].made, c->proto, k, false);
		p[k].reg = abi_place(abi, p[k].v, &p[k].off);
		if (!p[k].v->is_array && p[k].v->size <= 8)
			p[k].value = arg_value(m, o, p[k].v);
		else if (o->kind == OP_SYM && o->sym->kind == SY_VAR &&
			 o->sym->var->space == SP_FPARAM && !o->sym->var->val &&
			 o->sym->var->size == p[k].v->size)
			bind_call_param(m, in, o->sym->var, p[k].off);
		else
			px_error(m->px, o->loc, "this argument does not match the parameter, which is an array of %llu bytes",
				 (unsigned long long)p[k].v->size);
	}
	for (k = 0; k < c->nargs; k++) {
		if (p[k].reg < 0 && p[k].value) {
			uint32_t slot = px_new_slot(m->func, SLOT_OUT, 8, 8);
			struct px_insn *st;

			m->func->slots[slot].offset = p[k].off;
			st = px_slot_mem(m, in, PPU_OP_ST, var_width(p[k].v) == 2 ? PPU_T_U64 :
					 PPU_T_U32, slot, 0);
			px_st_from(m, st, p[k].value);
		}
	}
}

static void place_rets(struct px_module *m, const struct px_inst *in, struct px_call *c,
		       struct abi *abi, struct place *p)
{
	uint32_t k;

	abi->next_reg = PX_ABI_FIRST_ARG;
	for (k = 0; k < c->nrets; k++) {
		struct px_opn *o = &c->rets[k];

		p[k].v = opn_var(m, o, &p[k].made, c->proto, k, true);
		p[k].reg = abi_place(abi, p[k].v, &p[k].off);
		if (p[k].reg >= 0)
			continue;
		if (o->kind == OP_SYM && o->sym->kind == SY_VAR && o->sym->var->space == SP_FPARAM &&
		    !o->sym->var->val && !o->sym->var->formal && !o->sym->var->bound)
			bind_call_param(m, in, o->sym->var, p[k].off);
		else
			px_error(m->px, o->loc, "this result does not match the function's; declare a .param of its type for each call");
	}
}

static void move_rets(struct px_module *m, const struct px_inst *in, struct px_call *c,
		      struct place *p, struct px_insn *cal)
{
	uint32_t k;

	for (k = 0; k < c->nrets; k++) {
		struct px_opn *o = &c->rets[k];
		struct px_insn *i;
		px_val d;

		if (p[k].reg < 0 || o->kind == OP_SINK)
			continue;
		if (o->kind == OP_SYM && o->sym->kind == SY_VAR && o->sym->var->space == SP_FPARAM &&
		    o->sym->var->val)
			d = o->sym->var->val;
		else if (o->kind == OP_REG && o->type != PT_PRED)
			d = o->v;
		else {
			px_error(m->px, o->loc, "this operand cannot take a result");
			continue;
		}
		if (px_value(m->func, d)->width != var_width(p[k].v)) {
			px_error(m->px, o->loc, "this result has another size than the function's");
			continue;
		}
		i = px_emit(m, in, PPU_OP_MOV, var_width(p[k].v) == 2 ? PPU_T_U64 : PPU_T_U32);
		i->s[1] = px_reg(cal->xd[1 + k]);
		i->d = d;
	}
}

static void emit_call(struct px_module *m, const struct px_inst *in, struct px_call *c)
{
	struct px_func *f = m->func;
	struct abi abi = { PX_ABI_FIRST_ARG, 0 };
	struct place *pa = px_alloc(&m->px->arena, c->nargs * sizeof(*pa));
	struct place *pr = px_alloc(&m->px->arena, c->nrets * sizeof(*pr));
	bool direct = c->target.kind == OP_SYM;
	struct px_insn *i;
	px_val target = 0, *xs, *xd;
	uint32_t k, n = 0;

	if (!direct)
		target = px_force_reg(m, px_src(m, &(struct px_inst){ .o[0] = c->target }, 0, PT_B64), 2);
	place_args(m, in, c, &abi, pa);
	place_rets(m, in, c, &abi, pr);
	xs = px_alloc(&m->px->arena, (c->nargs + 1) * sizeof(*xs));
	xd = px_alloc(&m->px->arena, (c->nrets + 1) * sizeof(*xd));
	for (k = 0; k < c->nargs; k++) {
		if (pa[k].reg < 0 || !pa[k].value)
			continue;
		i = px_temp(m, PPU_OP_MOV, var_width(pa[k].v) == 2 ? PPU_T_U64 : PPU_T_U32);
		i->s[1] = px_reg(pa[k].value);
		i->d = xs[n++] = px_fixed_val(f, var_width(pa[k].v), (unsigned)pa[k].reg);
	}
	i = px_emit(m, in, direct ? PPU_OP_CAL : PPU_OP_CALX, PPU_T_NONE);
	i->xs = xs;
	i->nxs = (uint8_t)n;
	i->xd = xd;
	i->nxd = (uint8_t)(1 + c->nrets);
	xd[0] = px_fixed_val(f, 1, PX_ABI_LINK);
	for (k = 0; k < c->nrets; k++)
		xd[1 + k] = pr[k].reg < 0 ? 0 : px_fixed_val(f, var_width(pr[k].v), (unsigned)pr[k].reg);
	if (direct) {
		i->ref = REF_SYM;
		i->sym = c->target.sym->symbol;
	} else {
		i->s[0] = px_sub(target, 0);
	}
	f->has_calls = true;
	if (abi.stack > f->out_bytes)
		f->out_bytes = (uint32_t)abi.stack;
	move_rets(m, in, c, pr, i);
}

static bool check_call(struct px_module *m, const struct px_inst *in, const struct px_call *c)
{
	bool direct = c->target.kind == OP_SYM && c->target.sym->kind == SY_FUNC;

	if (c->target.kind == OP_NAME) {
		px_error(m->px, c->target.loc, "function '%s' is not declared", c->target.name->s);
		return false;
	}
	if (!direct && (c->target.kind != OP_REG || px_type_bits(c->target.type) != 64)) {
		px_error(m->px, c->target.loc, "a call needs a function or a 64-bit register with its address");
		return false;
	}
	if (direct && c->target.sym->is_kernel) {
		px_error(m->px, c->target.loc, "'%s' is a kernel and cannot be called; make it a .func",
			 c->target.name->s);
		return false;
	}
	if (c->proto && (c->proto->num_params != c->nargs || c->proto->num_rets != c->nrets)) {
		px_error(m->px, in->loc, "this call passes %u arguments and takes %u results, the function has %u and %u",
			 c->nargs, c->nrets, c->proto->num_params, c->proto->num_rets);
		return false;
	}
	return true;
}

void px_low_call(struct px_module *m, const struct px_inst *in)
{
	if (check_call(m, in, in->call))
		emit_call(m, in, in->call);
}

/* ---- the device-side library ---- */

static struct px_sym *library_function(struct px_module *m, const char *name)
{
	struct px_str *str = px_intern(m->px, name, strlen(name));
	struct px_sym *s = px_alloc(&m->px->arena, sizeof(*s));
	uint32_t i;

	s->kind = SY_FUNC;
	s->name = str;
	for (i = 0; i < m->obj.num_syms && strcmp(m->obj.syms[i].name, name); i++)
		;
	s->symbol = i < m->obj.num_syms ? i : px_image_symbol(m, str->s, PPU_SYM_UNDEF);
	m->obj.syms[s->symbol].flags |= PPU_SYMF_GLOBAL;
	return s;
}

static struct px_sym *call_param(struct px_module *m, unsigned type, uint64_t size, bool array)
{
	struct px_sym *s = px_alloc(&m->px->arena, sizeof(*s));
	struct px_var *v = px_alloc(&m->px->arena, sizeof(*v));

	*v = (struct px_var){ .space = SP_FPARAM, .type = (uint8_t)type, .size = size, .is_array = array,
			      .align = array ? 4 : (uint32_t)size };
	s->kind = SY_VAR;
	s->var = v;
	return s;
}

void px_call_library(struct px_module *m, const struct px_inst *in, const char *name,
		     const struct px_opn *args, uint32_t n, px_val *words, unsigned num_words)
{
	struct px_proto *p = px_alloc(&m->px->arena, sizeof(*p));
	struct px_sym *ret = num_words ? call_param(m, PT_B8, 4 * num_words, true) :
					 call_param(m, PT_B64, 8, false);
	struct px_opn result = { .kind = OP_SYM, .sym = ret, .loc = in->loc };
	struct px_call c = { .rets = &result, .nrets = 1, .args = px_alloc(&m->px->arena, n * sizeof(*args)),
			  .nargs = n, .proto = p };
	uint32_t k;

	px_new_var(m, ret->var);
	PX_PUSH(&m->px->arena, p->rets, p->num_rets, p->cap_rets, ret);
	for (k = 0; k < n; k++) {
		c.args[k] = args[k];
		PX_PUSH(&m->px->arena, p->params, p->num_params, p->cap_params,
			call_param(m, args[k].type, px_type_bits(args[k].type) / 8, false));
	}
	c.target = (struct px_opn){ .kind = OP_SYM, .sym = library_function(m, name), .loc = in->loc };
	emit_call(m, in, &c);
	if (!num_words)
		*words = ret->var->val;
	for (k = 0; k < num_words; k++) {
		struct px_insn *l = px_slot_mem(m, in, PPU_OP_LD, PPU_T_U32, ret->var->slot, 4 * (int64_t)k);

		px_ld_into(m, l, words[k] = px_tmp(m, 1));
	}
}

/* ---- the function ---- */

void px_receive_params(struct px_module *m, struct px_proto *p)
{
	static const struct px_inst always;
	struct abi abi = { PX_ABI_FIRST_ARG, 0 };
	struct px_func *f = m->func;
	struct px_insn *i;
	uint64_t off = 0;
	uint32_t k;

	f->link = px_new_val(f, 1, NULL);
	i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
	i->s[1] = px_reg(px_fixed_val(f, 1, PX_ABI_LINK));
	i->d = f->link;
	for (k = 0; k < p->num_params; k++) {
		struct px_sym *s = p->params[k];
		struct px_var *v = s->var;
		unsigned w = v->size > 4 ? 2 : 1, t = w == 2 ? PPU_T_U64 : PPU_T_U32;
		int reg = abi_place(&abi, v, &off);

		px_new_var(m, v);
		if (v->val && s->kind == SY_REG)
			s->val = v->val;
		if (reg >= 0) {
			i = px_temp(m, PPU_OP_MOV, t);
			i->s[1] = px_reg(px_fixed_val(f, w, (unsigned)reg));
			i->d = v->val;
		} else if (v->val) {
			uint32_t slot = px_new_slot(f, SLOT_IN, (uint32_t)v->size, v->align);

			f->slots[slot].offset = off;
			i = px_slot_mem(m, &always, PPU_OP_LD, t, slot, 0);
			px_ld_into(m, i, v->val);
		} else {
			f->slots[v->slot].kind = SLOT_IN;
			f->slots[v->slot].offset = off;
		}
	}
	abi.next_reg = PX_ABI_FIRST_ARG;
	for (k = 0; k < p->num_rets; k++) {
		struct px_sym *s = p->rets[k];
		int reg = abi_place(&abi, s->var, &off);

		px_new_var(m, s->var);
		if (s->kind == SY_REG)
			s->val = s->var->val;
		s->var->offset = reg >= 0 ? (uint32_t)reg : 0;
		if (reg < 0 && !s->var->val) {
			f->slots[s->var->slot].kind = SLOT_IN;
			f->slots[s->var->slot].offset = off;
		} else if (reg < 0) {
			px_error(m->px, s->loc, "this function has too many results; return a structure");
		}
	}
}

/* Makes the one block that returns. */
static void send_results(struct px_module *m, struct px_proto *p)
{
	static const struct px_inst always;
	struct px_func *f = m->func;
	px_val *xs = px_alloc(&m->px->arena, (p->num_rets + 1) * sizeof(*xs));
	struct px_insn *i;
	uint32_t k, n = 0;
	px_val link;

	px_place_block(f, m->ret_block);
	m->cur = m->ret_block;
	for (k = 0; k < p->num_rets; k++) {
		struct px_var *v = p->rets[k]->var;
		unsigned w = v->size > 4 ? 2 : 1;

		if (!v->val)
			continue;
		if (v->spilled) {
			i = px_slot_mem(m, &always, PPU_OP_LD, w == 2 ? PPU_T_U64 : PPU_T_U32, v->slot, 0);
			px_ld_into(m, i, v->val = px_tmp(m, w));
		}
		i = px_temp(m, PPU_OP_MOV, w == 2 ? PPU_T_U64 : PPU_T_U32);
		i->s[1] = px_reg(v->val);
		i->d = xs[n++] = px_fixed_val(f, w, v->offset);
	}
	i = px_temp(m, PPU_OP_MOV, PPU_T_U32);	/* to a register that the epilogue does not restore */
	i->s[1] = px_reg(f->link);
	i->d = link = px_fixed_val(f, 1, PX_ABI_LINK);
	i = px_temp(m, PPU_OP_RET, PPU_T_NONE);
	i->s[0] = px_reg(link);
	i->xs = xs;
	i->nxs = (uint8_t)n;
	m->cur->ended = true;
}

void px_end_body(struct px_module *m, struct px_proto *p)
{
	if (!m->cur->ended) {	/* falling off the end returns */
		if (m->func->kernel) {
			px_temp(m, PPU_OP_EXIT, PPU_T_NONE);
		} else {
			if (!m->ret_block)
				m->ret_block = px_new_block(m->func, NULL);
			m->cur->succ[0] = m->ret_block;
		}
		px_end_block(m);
	}
	if (!m->func->kernel && m->ret_block)
		send_results(m, p);
}
