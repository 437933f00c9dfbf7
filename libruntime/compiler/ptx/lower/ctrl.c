/* SPDX-License-Identifier: MIT */
/* Branches, calls, returns, and the instructions a warp or a CTA executes together. */
#include <string.h>
#include "compiler/ptx/lower/lower.h"

/* ---- branches ---- */

static struct px_block *next_block(struct px_module *m)
{
	struct px_block *b = px_new_block(m->func, NULL);

	px_place_block(m->func, b);
	return b;
}

void px_branch(struct px_module *m, struct px_predref guard, struct px_block *target)
{
	struct px_insn *i;

	if (!guard.v && guard.neg)	/* never */
		return;
	if (!guard.v) {
		if (m->cur->ended)
			m->cur = next_block(m);
		m->cur->succ[0] = target;
		px_end_block(m);
		return;
	}
	i = px_temp(m, IR_BR, PPU_T_NONE);
	i->guard = guard;
	m->cur->succ[1] = target;
	px_end_block(m);
	m->cur->succ[0] = next_block(m);
	m->cur = m->cur->succ[0];
}

struct px_block *px_begin_guard(struct px_module *m, struct px_inst *in)
{
	struct px_block *after;

	if (!in->guard.v)
		return NULL;
	after = px_new_block(m->func, NULL);
	px_branch(m, (struct px_predref){ in->guard.v, !in->guard.neg }, after);
	in->guard.v = 0;
	return after;
}

void px_end_guard(struct px_module *m, struct px_block *after)
{
	if (!after)
		return;
	px_branch(m, (struct px_predref){ 0 }, after);
	px_place_block(m->func, after);
	m->cur = after;
}

static struct px_predref guard_of(const struct px_inst *in)
{
	return (struct px_predref){ in->guard.v, in->guard.neg };
}

static struct px_block *label(struct px_module *m, const struct px_opn *o)
{
	struct px_sym *s;

	if (!o->name || (o->kind != OP_NAME && o->kind != OP_SYM && o->kind != OP_REG)) {
		px_error(m->px, o->loc, "a label was expected here");
		return NULL;
	}
	s = px_label_ref(m, o->name, o->loc);
	return s ? s->block : NULL;
}

void px_low_bra(struct px_module *m, const struct px_inst *in)
{
	struct px_block *b = label(m, &in->o[0]);

	if (b)
		px_branch(m, guard_of(in), b);
}

/* Binary search over [lo, hi) by the index. */
static void switch_tree(struct px_module *m, px_val index, struct px_block **targets, uint32_t lo,
			uint32_t hi)
{
	struct px_block *right;
	struct px_insn *i;
	uint32_t mid = lo + (hi - lo) / 2;
	px_val p;

	if (hi - lo == 1) {
		px_branch(m, (struct px_predref){ 0 }, targets[lo]);
		return;
	}
	p = px_tmp(m, 0);
	i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_GE;
	i->s[0] = px_reg(index);
	i->s[1] = px_imm(mid);
	i->pd = p;
	right = px_new_block(m->func, NULL);
	px_branch(m, (struct px_predref){ p, false }, right);
	switch_tree(m, index, targets, lo, mid);
	px_place_block(m->func, right);
	m->cur = right;
	switch_tree(m, index, targets, mid, hi);
}

void px_low_brx(struct px_module *m, const struct px_inst *in)
{
	struct px_sym *t = in->o[1].name ? in->o[1].name->sym : NULL;
	struct px_block **targets, *after = NULL;
	px_val index;
	uint32_t k;

	if (!t || t->kind != SY_TARGETS || !t->num_list) {
		px_error(m->px, in->o[1].loc, "'brx.idx' needs the name of a .branchtargets list declared before it");
		return;
	}
	index = px_force_reg(m, px_src(m, in, 0, PT_U32), 1);
	targets = px_alloc(&m->px->arena, t->num_list * sizeof(*targets));
	for (k = 0; k < t->num_list; k++) {
		struct px_sym *s = px_label_ref(m, t->list[k], in->loc);

		if (!s)
			return;
		targets[k] = s->block;
	}
	if (in->guard.v) {
		after = px_new_block(m->func, NULL);
		px_branch(m, (struct px_predref){ in->guard.v, !in->guard.neg }, after);
	}
	switch_tree(m, index, targets, 0, t->num_list);
	if (after) {
		px_place_block(m->func, after);
		m->cur = after;
	}
}

void px_low_exit(struct px_module *m, const struct px_inst *in)
{
	px_emit(m, in, PPU_OP_EXIT, PPU_T_NONE);
	if (!in->guard.v)
		px_end_block(m);
}

void px_low_ret(struct px_module *m, const struct px_inst *in)
{
	if (m->func->kernel) {
		px_low_exit(m, in);
		return;
	}
	if (!m->ret_block)
		m->ret_block = px_new_block(m->func, NULL);
	px_branch(m, guard_of(in), m->ret_block);
}

void px_low_trap(struct px_module *m, const struct px_inst *in)
{
	px_emit(m, in, in->op == PX_OP_trap ? PPU_OP_TRAP : PPU_OP_BRKPT, PPU_T_NONE);
}

void px_low_nanosleep(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 0, PT_U32);

	px_emit(m, in, PPU_OP_NANOSLEEP, PPU_T_NONE)->s[1] = a;
}

/* Not in PTX: launch the TMD at an address, wait for the children of the CTA (the device library's). */
void px_low_task(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = { 0 };
	struct px_insn *i;

	if (in->op == PX_OP_tlaunch)
		a = px_src(m, in, 1, PT_U64);
	i = px_emit(m, in, in->op == PX_OP_tlaunch ? PPU_OP_TLAUNCH : PPU_OP_TSYNC, PPU_T_NONE);
	if (in->op == PX_OP_tlaunch)
		i->s[0] = a;
	i->d = px_dst(m, in, 0, PT_U32);
}

/* ---- calls ---- */

int px_abi_place(struct px_abi *abi, const struct px_var *v, uint64_t *off)
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

struct call {
	struct px_opn *rets, *args;
	uint32_t nrets, nargs, cap_rets, cap_args;
	struct px_opn target;
	struct px_proto *proto;
};

static bool parse_list(struct px_module *m, struct px_opn **v, uint32_t *n, uint32_t *cap)
{
	struct px_opn o;

	px_next(&m->lex);	/* ( */
	if (px_accept(m, TK(')')))
		return true;
	do {
		if (!px_parse_opn(m, &o))
			return false;
		PX_PUSH(&m->px->arena, *v, *n, *cap, o);
		if (*n > 255) {
			px_error(m->px, o.loc, "a call has at most 255 arguments");
			return false;
		}
	} while (px_accept(m, TK(',')));
	return px_expect(m, TK(')'), "')' after the arguments");
}

static bool parse_call(struct px_module *m, struct call *c)
{
	struct px_opn o;

	if (m->lex.tok.kind == TK('(')) {
		if (!parse_list(m, &c->rets, &c->nrets, &c->cap_rets) ||
		    !px_expect(m, TK(','), "',' after the results"))
			return false;
	}
	if (!px_parse_opn(m, &c->target))
		return false;
	if (c->target.kind == OP_SYM && c->target.sym->kind == SY_FUNC)
		c->proto = c->target.sym->proto;
	while (px_accept(m, TK(','))) {
		if (m->lex.tok.kind == TK('(')) {
			if (!parse_list(m, &c->args, &c->nargs, &c->cap_args))
				return false;
			continue;
		}
		if (!px_parse_opn(m, &o))
			return false;
		if (o.sym && o.sym->kind == SY_PROTO)
			c->proto = o.sym->proto;
		else if (!o.sym || o.sym->kind != SY_TARGETS) {
			px_error(m->px, o.loc, "a .callprototype or a list of functions was expected here");
			return false;
		}
	}
	return px_expect(m, TK(';'), "';' after the call");
}

/* What an operand of a call is: the variable of a parameter, or a description of a register. */
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
void px_bind_call_param(struct px_module *m, const struct px_inst *in, struct px_var *v,
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

			l->xd = px_alloc(&m->px->arena, sizeof(px_val));
			l->xd[0] = px_tmp(m, 1);
			l->nxd = 1;
			st = px_slot_mem(m, in, PPU_OP_ST, tt, out, (int64_t)at);
			st->xs = px_alloc(&m->px->arena, sizeof(px_val));
			st->xs[0] = l->xd[0];
			st->nxs = 1;
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

/* Value of a scalar argument, evaluated before any argument register is written. */
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

static void place_args(struct px_module *m, const struct px_inst *in, struct call *c,
		       struct px_abi *abi, struct place *p)
{
	uint32_t k;

	for (k = 0; k < c->nargs; k++) {
		struct px_opn *o = &c->args[k];

		p[k].v = opn_var(m, o, &p[k].made, c->proto, k, false);
		p[k].reg = px_abi_place(abi, p[k].v, &p[k].off);
		if (!p[k].v->is_array && p[k].v->size <= 8)
			p[k].value = arg_value(m, o, p[k].v);
		else if (o->kind == OP_SYM && o->sym->kind == SY_VAR &&
			 o->sym->var->space == SP_FPARAM && !o->sym->var->val &&
			 o->sym->var->size == p[k].v->size)
			px_bind_call_param(m, in, o->sym->var, p[k].off);
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
			st->xs = px_alloc(&m->px->arena, sizeof(px_val));
			st->xs[0] = p[k].value;
			st->nxs = 1;
		}
	}
}

static void place_rets(struct px_module *m, const struct px_inst *in, struct call *c,
		       struct px_abi *abi, struct place *p)
{
	uint32_t k;

	abi->next_reg = PX_ABI_FIRST_ARG;
	for (k = 0; k < c->nrets; k++) {
		struct px_opn *o = &c->rets[k];

		p[k].v = opn_var(m, o, &p[k].made, c->proto, k, true);
		p[k].reg = px_abi_place(abi, p[k].v, &p[k].off);
		if (p[k].reg >= 0)
			continue;
		if (o->kind == OP_SYM && o->sym->kind == SY_VAR && o->sym->var->space == SP_FPARAM &&
		    !o->sym->var->val && !o->sym->var->formal && !o->sym->var->bound)
			px_bind_call_param(m, in, o->sym->var, p[k].off);
		else
			px_error(m->px, o->loc, "this result does not match the function's; declare a .param of its type for each call");
	}
}

static void move_rets(struct px_module *m, const struct px_inst *in, struct call *c,
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

static void emit_call(struct px_module *m, const struct px_inst *in, struct call *c)
{
	struct px_func *f = m->func;
	struct px_abi abi = { PX_ABI_FIRST_ARG, 0 };
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

static struct px_sym *library_function(struct px_module *m, const char *name)
{
	struct px_str *str = px_intern(m->px, name, strlen(name));
	struct px_sym *s = px_alloc(&m->px->arena, sizeof(*s));
	uint32_t i;

	s->kind = SY_FUNC;
	s->name = str;
	for (i = 0; i < m->num_syms && strcmp(m->syms[i].name, name); i++)
		;
	s->symbol = i < m->num_syms ? i : px_image_symbol(m, str->s, PPU_SYM_UNDEF);
	m->syms[s->symbol].flags |= PPU_SYMF_GLOBAL;
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
	struct call c = { .rets = &result, .nrets = 1, .args = px_alloc(&m->px->arena, n * sizeof(*args)),
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

		l->xd = px_alloc(&m->px->arena, sizeof(px_val));
		l->xd[0] = words[k] = px_tmp(m, 1);
		l->nxd = 1;
	}
}

static bool check_call(struct px_module *m, const struct px_inst *in, const struct call *c)
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

bool px_parse_call(struct px_module *m, struct px_inst *in)
{
	struct call c = { 0 };

	if (!parse_call(m, &c))
		return false;
	if (check_call(m, in, &c))
		emit_call(m, in, &c);
	return true;
}

void px_low_call(struct px_module *m, const struct px_inst *in)
{
}

/* ---- CTA barriers ---- */

static void warp_sync(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 0, PT_B32);

	px_emit(m, in, PPU_OP_WARPSYNC, PPU_T_NONE)->s[1] = a;
}

static void bar_number(struct px_module *m, const struct px_inst *in, struct px_insn *i,
		       struct px_opnd a, const struct px_opn *o)
{
	uint32_t top = 16;

	if (a.kind == PO_IMM) {
		if (a.imm < 0 || a.imm > 15) {
			px_error(m->px, o->loc, "barriers are numbered 0 to 15");
			return;
		}
		top = (uint32_t)a.imm + 1;
	}
	i->s[0] = a;
	if (top > m->func->barriers)
		m->func->barriers = top;
}

void px_low_bar(struct px_module *m, const struct px_inst *in)
{
	bool red = px_has(in, PM_red), popc = px_has(in, PM_popc);
	unsigned first = red ? 1 : 0, last = red ? in->n - 1 : in->n;
	struct px_opnd num, cnt = { 0 };
	struct px_insn *i;

	if (px_has(in, PM_warp)) {
		warp_sync(m, in);
		return;
	}
	if (last <= first || last - first > 2 || (px_has(in, PM_arrive) && last - first != 2) ||
	    (!red && !px_has(in, PM_sync) && !px_has(in, PM_arrive)) ||
	    (red && !popc && !px_has(in, PM_and) && !px_has(in, PM_or))) {
		px_error(m->px, in->loc, "'%s' needs .sync, .arrive or .red with its operands", in->name->s);
		return;
	}
	num = px_src(m, in, first, PT_B32);
	if (last - first == 2)
		cnt = px_src(m, in, first + 1, PT_B32);
	i = px_emit(m, in, PPU_OP_BAR, PPU_T_NONE);
	bar_number(m, in, i, num, &in->o[first]);
	if (cnt.kind == PO_IMM && (cnt.imm <= 0 || cnt.imm % 32 || cnt.imm > 1024))
		px_error(m->px, in->o[first + 1].loc, "the thread count of a barrier is a multiple of 32 up to 1024");
	i->s[1] = cnt;
	i->m = px_has(in, PM_arrive) ? PPU_BAR_ARRIVE : !red ? PPU_BAR_SYNC :
	       popc ? PPU_BAR_RED_POPC : px_has(in, PM_and) ? PPU_BAR_RED_AND : PPU_BAR_RED_OR;
	if (!red)
		return;
	i->ps = px_pred_src(m, &in->o[in->n - 1]);
	if (popc)
		i->d = px_dst(m, in, 0, PT_U32);
	else
		i->pd = px_pred_dst(m, &in->o[0]);
}

/* ---- warp ---- */

void px_low_vote(struct px_module *m, const struct px_inst *in)
{
	bool sync = px_has(in, PM_sync), ballot = px_has(in, PM_ballot);
	struct px_opnd mask = { 0 };
	struct px_insn *i;

	if ((in->n == 3) != sync) {
		px_error(m->px, in->loc, "'vote.sync' takes a member mask, 'vote' takes none");
		return;
	}
	if (sync)
		mask = px_src(m, in, 2, PT_B32);
	i = px_emit(m, in, PPU_OP_VOTE, PPU_T_NONE);
	i->m = ballot ? PPU_VOTE_BALLOT : px_has(in, PM_any) ? PPU_VOTE_ANY :
	       px_has(in, PM_uni) ? PPU_VOTE_UNI : PPU_VOTE_ALL;
	i->x = !sync;
	i->s[0] = mask;
	i->ps = px_pred_src(m, &in->o[1]);
	if (ballot)
		i->d = px_dst(m, in, 0, PT_B32);
	else
		i->pd = px_pred_dst(m, &in->o[0]);
}

void px_low_shfl(struct px_module *m, const struct px_inst *in)
{
	bool sync = px_has(in, PM_sync);
	struct px_opnd a, b, c, mask = { 0 };
	struct px_insn *i;

	if ((in->n == 5) != sync) {
		px_error(m->px, in->loc, "'shfl.sync' takes a member mask, 'shfl' takes none");
		return;
	}
	a = px_src(m, in, 1, PT_B32);
	b = px_src(m, in, 2, PT_B32);
	c = px_src(m, in, 3, PT_B32);
	if (sync)
		mask = px_src(m, in, 4, PT_B32);
	i = px_emit(m, in, PPU_OP_SHFL, PPU_T_NONE);
	if (b.kind == PO_IMM)
		b.imm &= 0x1f;
	if (c.kind == PO_IMM)
		c.imm &= 0x1f1f;
	i->m = px_has(in, PM_up) ? PPU_SHFL_UP : px_has(in, PM_down) ? PPU_SHFL_DOWN :
	       px_has(in, PM_bfly) ? PPU_SHFL_BFLY : PPU_SHFL_IDX;
	i->s[0] = a;
	i->s[1] = b;
	i->s[2] = c;
	if (sync && mask.kind == PO_IMM && (uint32_t)mask.imm == UINT32_MAX) {
		i->x = 2;
	} else if (sync) {
		i->x = 1;
		i->s[3] = mask;
	}
	i->d = px_dst(m, in, 0, PT_B32);
	if (in->o[0].pipe)
		i->pd = px_pred_dst(m, in->o[0].pipe);
}

void px_low_match(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, mask;
	struct px_insn *i;

	if (!pt)
		return;
	a = px_src(m, in, 1, pt);
	mask = px_src(m, in, 2, PT_B32);
	i = px_emit(m, in, PPU_OP_MATCH, px_isa_type(pt));
	i->m = px_has(in, PM_all) ? PPU_MATCH_ALL : PPU_MATCH_ANY;
	i->s[0] = a;
	i->s[1] = mask;
	i->d = px_dst(m, in, 0, PT_B32);
	if (in->o[0].pipe)
		i->pd = px_pred_dst(m, in->o[0].pipe);
}

void px_low_redux(struct px_module *m, const struct px_inst *in)
{
	static const struct { uint16_t mod; uint8_t op; } rops[] = {
		{ PM_add, PPU_ATOM_ADD }, { PM_min, PPU_ATOM_MIN }, { PM_max, PPU_ATOM_MAX },
		{ PM_and, PPU_ATOM_AND }, { PM_or, PPU_ATOM_OR }, { PM_xor, PPU_ATOM_XOR },
	};
	unsigned pt = px_one_type(m, in), k;
	struct px_opnd a, mask;
	struct px_insn *i;

	if (!pt)
		return;
	a = px_src(m, in, 1, pt);
	mask = px_src(m, in, 2, PT_B32);
	i = px_emit(m, in, PPU_OP_REDUX, px_isa_type(pt));
	for (k = 0; k < PX_ARRAY_SIZE(rops) && !px_has(in, rops[k].mod); k++)
		;
	if (k == PX_ARRAY_SIZE(rops)) {
		px_error(m->px, in->loc, "'redux' needs an operation, such as .add");
		return;
	}
	i->u = rops[k].op;
	i->s[0] = a;
	i->s[1] = mask;
	i->d = px_dst(m, in, 0, pt);
}

void px_low_activemask(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_S2R, PPU_T_NONE);

	i->s[1] = px_imm(PPU_SR_ACTIVEMASK);
	i->d = px_dst(m, in, 0, PT_B32);
}
