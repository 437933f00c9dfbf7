/* SPDX-License-Identifier: MIT */
/* The module: directives, functions, statements. */
#include <string.h>
#include "compiler/ptx/lower/lower.h"

#define MAX_FILES	4096u	/* .loc may name before they are declared */

bool px_accept(struct px_module *m, unsigned kind)
{
	if (m->lex.tok.kind != kind)
		return false;
	px_next(&m->lex);
	return true;
}

bool px_expect(struct px_module *m, unsigned kind, const char *what)
{
	if (px_accept(m, kind))
		return true;
	px_error(m->px, m->lex.tok.loc, "%s was expected here", what);
	return false;
}

/* After an error: to the next ';', but not out of the block; over vectors in an instruction. */
void px_skip_statement(struct px_module *m)
{
	unsigned k, depth = 0;

	while ((k = m->lex.tok.kind) != TK(';') && k != TK_EOF) {
		if (k == TK('{') && !m->func)
			break;
		if (k == TK('}') && !depth)
			break;
		depth += (k == TK('{')) - (k == TK('}'));
		px_next(&m->lex);
	}
	px_accept(m, TK(';'));
}

static bool dot_is(struct px_module *m, const char *s)
{
	return m->lex.tok.kind == TK_DOT && !strcmp(m->lex.tok.str->s, s);
}

static bool accept_dot(struct px_module *m, const char *s)
{
	if (!dot_is(m, s))
		return false;
	px_next(&m->lex);
	return true;
}

/* ---- small directives ---- */

static void parse_version(struct px_module *m)
{
	px_next(&m->lex);
	if (m->lex.tok.kind != TK_F64 && m->lex.tok.kind != TK_INT)
		px_error(m->px, m->lex.tok.loc, ".version needs a number, such as 6.3");
	px_next(&m->lex);
}

/* Any target is taken: what matters is which instructions are used. */
static void parse_target(struct px_module *m)
{
	do {
		px_next(&m->lex);
		if (!px_expect(m, TK_IDENT, "the name of a target, such as sm_75,"))
			return;
	} while (m->lex.tok.kind == TK(','));
}

static void parse_address_size(struct px_module *m)
{
	struct px_loc loc = m->lex.tok.loc;

	px_next(&m->lex);
	if (px_const_expr(m) != 64)
		px_error(m->px, loc, "only 64-bit addresses are supported; compile for nvptx64");
}

static char *copy_string(struct px_module *m, struct px_str *s)
{
	return (char *)s->s;
}

static uint32_t file_index(struct px_module *m, uint64_t id)
{
	uint32_t i;

	/* the last ones first: .loc mostly names few files */
	for (i = m->num_files; i-- > 0;)
		if (m->file_ids[i] == id)
			return i;
	return UINT32_MAX;
}

static uint32_t add_file(struct px_module *m, uint32_t id, char *name)
{
	PX_PUSH(&m->px->arena, m->files, m->num_files, m->cap_files, name);
	PX_PUSH(&m->px->arena, m->file_ids, m->num_file_ids, m->cap_file_ids, id);
	return m->num_files - 1;
}

/* .file n "name" [, time, size]; it may come after the .loc that mean it */
static void parse_file(struct px_module *m)
{
	struct px_loc loc = m->lex.tok.loc;
	uint32_t known;
	int64_t id;

	px_next(&m->lex);
	id = px_const_expr(m);
	if (m->lex.tok.kind != TK_STRING || id < 0 || id > UINT32_MAX) {
		px_error(m->px, loc, ".file needs a number and a name");
		return;
	}
	known = file_index(m, (uint64_t)id);
	if (known != UINT32_MAX && !m->files[known])
		m->files[known] = copy_string(m, m->lex.tok.str);
	else
		add_file(m, (uint32_t)id, copy_string(m, m->lex.tok.str));
	px_next(&m->lex);
	while (px_accept(m, TK(',')))
		px_const_expr(m);
}

/* .loc file line column [, function_name label [+ n]] [, inlined_at file line column] */
static void parse_loc(struct px_module *m)
{
	int64_t file, line, col;

	px_next(&m->lex);
	if (m->lex.tok.kind != TK_INT) {
		px_error(m->px, m->lex.tok.loc, ".loc needs file, line and column");
		return;
	}
	file = (int64_t)m->lex.tok.i;
	px_next(&m->lex);
	line = m->lex.tok.kind == TK_INT ? (int64_t)m->lex.tok.i : 0;
	px_accept(m, TK_INT);
	col = m->lex.tok.kind == TK_INT ? (int64_t)m->lex.tok.i : 0;
	px_accept(m, TK_INT);
	while (px_accept(m, TK(','))) {
		px_expect(m, TK_IDENT, "function_name or inlined_at");
		px_accept(m, TK_IDENT);
		if (px_accept(m, TK('+')))
			px_accept(m, TK_INT);
		while (px_accept(m, TK_INT))
			;
	}
	m->line = (uint32_t)line;
	m->col = (uint32_t)col;
	if (m->file == UINT32_MAX || m->file >= m->num_files || m->file_ids[m->file] != (uint64_t)file)
		m->file = file_index(m, (uint64_t)file);
	if (m->file == UINT32_MAX && file <= UINT32_MAX && m->num_files < MAX_FILES)
		m->file = add_file(m, (uint32_t)file, NULL);
	if (m->file == UINT32_MAX)
		m->line = 0;
}

/* .section .debug_x { ... }: debug data, not used. */
static void skip_section(struct px_module *m)
{
	unsigned depth = 0;

	while (m->lex.tok.kind != TK('{') && m->lex.tok.kind != TK_EOF)
		px_next(&m->lex);
	do {
		if (m->lex.tok.kind == TK('{'))
			depth++;
		else if (m->lex.tok.kind == TK('}'))
			depth--;
		else if (m->lex.tok.kind == TK_EOF)
			return;
		px_next(&m->lex);
	} while (depth);
}

static void skip_pragma(struct px_module *m)
{
	px_next(&m->lex);
	do {
		px_expect(m, TK_STRING, "a string");
	} while (px_accept(m, TK(',')));
	px_expect(m, TK(';'), "';'");
}

/* ---- functions ---- */

static bool parse_params(struct px_module *m, struct px_proto *p, bool rets, unsigned space)
{
	struct px_sym *s;

	if (!px_expect(m, TK('('), "'('"))
		return false;
	if (px_accept(m, TK(')')))
		return true;
	do {
		s = px_parse_param(m, space);
		if (!s)
			return false;
		if (rets)
			PX_PUSH(&m->px->arena, p->rets, p->num_rets, p->cap_rets, s);
		else
			PX_PUSH(&m->px->arena, p->params, p->num_params, p->cap_params, s);
	} while (px_accept(m, TK(',')));
	return px_expect(m, TK(')'), "')' after the parameters");
}

static void parse_triple(struct px_module *m, uint32_t v[3])
{
	unsigned k = 0;
	struct px_loc loc;

	v[0] = v[1] = v[2] = 1;
	do {
		int64_t n;

		px_next(&m->lex);
		loc = m->lex.tok.loc;
		n = px_const_expr(m);
		if (n < 1 || n > 1024) {
			px_error(m->px, loc, "a thread count must be from 1 to 1024");
			n = 1;
		}
		if (k < 3)
			v[k++] = (uint32_t)n;
	} while (m->lex.tok.kind == TK(','));
}

static bool parse_attributes(struct px_module *m, struct px_proto *p)
{
	m->maxntid[0] = m->reqntid[0] = m->minnctas = m->maxnreg = 0;
	while (m->lex.tok.kind == TK_DOT) {
		struct px_loc loc = m->lex.tok.loc;

		if (dot_is(m, "maxntid")) {
			parse_triple(m, m->maxntid);
		} else if (dot_is(m, "reqntid")) {
			parse_triple(m, m->reqntid);
		} else if (accept_dot(m, "minnctapersm")) {
			m->minnctas = (uint32_t)px_const_expr(m);
		} else if (accept_dot(m, "maxnctapersm")) {
			px_const_expr(m);
		} else if (accept_dot(m, "maxnreg")) {
			m->maxnreg = (uint32_t)px_const_expr(m);
		} else if (dot_is(m, "noreturn")) {
			p->noreturn = true;
			px_next(&m->lex);
		} else if (dot_is(m, "pragma")) {
			skip_pragma(m);
		} else {
			px_error(m->px, loc, "'.%s' is not supported on a function", m->lex.tok.str->s);
			return false;
		}
	}
	return true;
}

/* Offsets of a kernel's parameters; the image's description of them. */
static void place_kernel_params(struct px_module *m, struct px_sym *fn)
{
	struct px_proto *p = fn->proto;
	struct ppu_symbol *s = &m->syms[fn->symbol];
	uint64_t off = 0;
	uint32_t k;

	s->num_params = p->num_params;
	s->params = px_alloc(&m->px->arena, p->num_params * sizeof(*s->params));
	for (k = 0; k < p->num_params; k++) {
		struct px_var *v = p->params[k]->var;

		off = px_align(off, v->align);
		v->offset = (uint32_t)off;
		s->params[k] = (struct ppu_param){ v->offset, (uint32_t)v->size, v->align };
		off += v->size;
		if (off > 4096) {
			px_error(m->px, p->params[k]->loc, "the parameters of a kernel are larger than 4096 bytes; pass a pointer");
			return;
		}
	}
	s->param_bytes = (uint32_t)off;
}

static struct px_insn *entry_insn(struct px_module *m, unsigned op, unsigned t)
{
	return px_temp(m, op, t);
}

/* At a function's entry: copy parameters out of the ABI's registers. */
static void receive_params(struct px_module *m, struct px_proto *p)
{
	static const struct px_inst always;
	struct px_abi abi = { PX_ABI_FIRST_ARG, 0 };
	struct px_func *f = m->func;
	struct px_insn *i;
	uint64_t off = 0;
	uint32_t k;

	f->link = px_new_val(f, 1, NULL);
	i = entry_insn(m, PPU_OP_MOV, PPU_T_U32);
	i->s[1] = px_reg(px_fixed_val(f, 1, PX_ABI_LINK));
	i->d = f->link;
	for (k = 0; k < p->num_params; k++) {
		struct px_sym *s = p->params[k];
		struct px_var *v = s->var;
		unsigned w = v->size > 4 ? 2 : 1, t = w == 2 ? PPU_T_U64 : PPU_T_U32;
		int reg = px_abi_place(&abi, v, &off);

		px_new_var(m, v);
		if (v->val && s->kind == SY_REG)
			s->val = v->val;
		if (reg >= 0) {
			i = entry_insn(m, PPU_OP_MOV, t);
			i->s[1] = px_reg(px_fixed_val(f, w, (unsigned)reg));
			i->d = v->val;
		} else if (v->val) {
			uint32_t slot = px_new_slot(f, SLOT_IN, (uint32_t)v->size, v->align);

			f->slots[slot].offset = off;
			i = px_slot_mem(m, &always, PPU_OP_LD, t, slot, 0);
			i->xd = px_alloc(&m->px->arena, sizeof(px_val));
			i->xd[0] = v->val;
			i->nxd = 1;
		} else {
			f->slots[v->slot].kind = SLOT_IN;
			f->slots[v->slot].offset = off;
		}
	}
	abi.next_reg = PX_ABI_FIRST_ARG;
	for (k = 0; k < p->num_rets; k++) {
		struct px_sym *s = p->rets[k];
		int reg = px_abi_place(&abi, s->var, &off);

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

/* The one block that returns. */
static void send_results(struct px_module *m, struct px_proto *p)
{
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
			static const struct px_inst always;

			i = px_slot_mem(m, &always, PPU_OP_LD, w == 2 ? PPU_T_U64 : PPU_T_U32, v->slot, 0);
			i->xd = px_alloc(&m->px->arena, sizeof(px_val));
			i->xd[0] = v->val = px_tmp(m, w);
			i->nxd = 1;
		}
		i = px_temp(m, PPU_OP_MOV, w == 2 ? PPU_T_U64 : PPU_T_U32);
		i->s[1] = px_reg(v->val);
		i->d = xs[n++] = px_fixed_val(f, w, v->offset);
	}
	i = px_temp(m, PPU_OP_MOV, PPU_T_U32);	/* out of the way of restored registers */
	i->s[1] = px_reg(f->link);
	i->d = link = px_fixed_val(f, 1, PX_ABI_LINK);
	i = px_temp(m, PPU_OP_RET, PPU_T_NONE);
	i->s[0] = px_reg(link);
	i->xs = xs;
	i->nxs = (uint8_t)n;
	m->cur->ended = true;
}

static void parse_statements(struct px_module *m);

static struct px_func *new_func(struct px_module *m, struct px_sym *fn)
{
	struct px_func *f = px_alloc(&m->px->arena, sizeof(*f));

	f->px = m->px;
	f->name = fn->name;
	f->loc = fn->loc;
	f->kernel = fn->is_kernel;
	f->symbol = fn->symbol;
	px_new_val(f, 0, NULL);	/* number 0 is none */
	f->sp = px_fixed_val(f, 1, PPU_SP);
	return f;
}

static void parse_body(struct px_module *m, struct px_sym *fn)
{
	struct px_block *b;

	m->shared_kernel = 0;
	m->cc = 0;
	m->ret_block = NULL;
	m->line = m->col = 0;
	m->file = UINT32_MAX;
	b = px_new_block(m->func, NULL);
	px_place_block(m->func, b);
	m->cur = b;
	if (fn->is_kernel)
		place_kernel_params(m, fn);
	else
		receive_params(m, fn->proto);
	parse_statements(m);
	px_expect(m, TK('}'), "'}' at the end of the function");
	if (!m->cur->ended) {	/* falling off the end returns */
		if (fn->is_kernel) {
			px_temp(m, PPU_OP_EXIT, PPU_T_NONE);
		} else {
			if (!m->ret_block)
				m->ret_block = px_new_block(m->func, NULL);
			m->cur->succ[0] = m->ret_block;
		}
		px_end_block(m);
	}
	if (!fn->is_kernel && m->ret_block)
		send_results(m, fn->proto);
}

static void kernel_limits(struct px_module *m, struct px_sym *fn)
{
	struct ppu_symbol *s = &m->syms[fn->symbol];
	uint64_t threads = 0;

	if (m->reqntid[0]) {
		memcpy(s->reqntid, m->reqntid, sizeof(s->reqntid));
		threads = (uint64_t)m->reqntid[0] * m->reqntid[1] * m->reqntid[2];
	} else if (m->maxntid[0]) {
		threads = (uint64_t)m->maxntid[0] * m->maxntid[1] * m->maxntid[2];
	}
	if (threads > 1024)
		threads = 1024;
	s->max_threads = (uint32_t)threads;
	m->func->max_regs = m->maxnreg;
	if (!m->maxnreg && threads) {	/* 65536 registers per SM */
		uint64_t ctas = m->minnctas && m->minnctas < 32 ? m->minnctas : 1;
		uint64_t regs = 65536 / (px_align(threads, 32) * ctas);

		m->func->max_regs = (uint32_t)(regs > 255 ? 255 : regs);
	}
}

static struct px_sym *declare_func(struct px_module *m, struct px_str *name, struct px_loc loc,
				   bool kernel, unsigned flags)
{
	struct px_sym *s = name->sym;

	if (s && s->kind == SY_FUNC && s->is_kernel == kernel) {
		m->syms[s->symbol].flags |= flags;
		return s;
	}
	s = px_declare(m, name, SY_FUNC, loc);
	if (!s || s->kind != SY_FUNC)
		return NULL;
	s->is_kernel = kernel;
	s->symbol = px_image_symbol(m, name->s, PPU_SYM_UNDEF);
	m->syms[s->symbol].flags = flags;
	return s;
}

/* At .entry or .func */
static bool parse_function(struct px_module *m, bool kernel, unsigned flags)
{
	struct px_proto *p = px_alloc(&m->px->arena, sizeof(*p));
	struct px_module *mm = m;
	struct px_sym *fn;
	struct px_str *name;
	struct px_loc loc;
	unsigned space = kernel ? SP_KPARAM : SP_FPARAM;
	bool ok = false;

	px_next(&m->lex);
	if (dot_is(m, "noreturn")) {
		p->noreturn = true;
		px_next(&m->lex);
	}
	px_push_scope(m);
	if (!kernel && m->lex.tok.kind == TK('(') && !parse_params(m, p, true, space))
		goto out;
	name = m->lex.tok.str;
	loc = m->lex.tok.loc;
	if (!px_expect(m, TK_IDENT, "the name of the function"))
		goto out;
	mm->depth--;	/* the name belongs to the module */
	fn = declare_func(m, name, loc, kernel, flags);
	mm->depth++;
	if (!fn)
		goto out;
	m->func = new_func(m, fn);
	if ((m->lex.tok.kind == TK('(') && !parse_params(m, p, false, space)) ||
	    !parse_attributes(m, p))
		goto out;
	if (!fn->has_body)
		fn->proto = p;
	if (px_accept(m, TK(';'))) {
		ok = true;
		goto out;
	}
	if (fn->has_body && m->lex.tok.kind == TK('{')) {
		px_error(m->px, loc, "function '%s' has two bodies", name->s);
		goto out;
	}
	if (!px_expect(m, TK('{'), "'{' or ';'"))
		goto out;
	fn->has_body = true;
	fn->proto = p;
	m->func_sym = fn;
	m->syms[fn->symbol].kind = kernel ? PPU_SYM_KERNEL : PPU_SYM_FUNC;
	if (kernel)
		kernel_limits(m, fn);
	parse_body(m, fn);
	ok = true;
	px_pop_scope(m);
	if (!m->px->log->errors)
		px_compile_func(m);
	m->func = NULL;
	return ok;
out:
	px_pop_scope(m);
	m->func = NULL;
	return ok;
}

/* ---- statements of a function ---- */

/* "name: .branchtargets a, b;" and the like; the label is already consumed. */
static void parse_targets(struct px_module *m, struct px_str *name, struct px_loc loc)
{
	struct px_sym *s = px_declare(m, name, SY_TARGETS, loc);

	px_next(&m->lex);
	do {
		struct px_str *t = m->lex.tok.str;

		if (!px_expect(m, TK_IDENT, "a name"))
			break;
		if (s)
			PX_PUSH(&m->px->arena, s->list, s->num_list, s->cap_list, t);
	} while (px_accept(m, TK(',')));
	if (!px_expect(m, TK(';'), "';' after the list"))
		px_skip_statement(m);
}

/* "name: .callprototype (.param .b32 _) _ (.param .b64 _, ...);" */
static void parse_prototype(struct px_module *m, struct px_str *name, struct px_loc loc)
{
	struct px_sym *s = px_declare(m, name, SY_PROTO, loc);
	struct px_proto *p = px_alloc(&m->px->arena, sizeof(*p));

	px_next(&m->lex);
	px_push_scope(m);
	if ((m->lex.tok.kind == TK('(') && !parse_params(m, p, true, SP_FPARAM)) ||
	    !px_expect(m, TK_IDENT, "'_'") ||
	    (m->lex.tok.kind == TK('(') && !parse_params(m, p, false, SP_FPARAM)) ||
	    !parse_attributes(m, p) || !px_expect(m, TK(';'), "';' after the prototype"))
		px_skip_statement(m);
	px_pop_scope(m);
	if (s)
		s->proto = p;
}

static bool is_label(const struct px_lex *lx)
{
	const char *p = lx->p;

	if (lx->tok.kind != TK_IDENT)
		return false;
	while (p < lx->end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p < lx->end && *p == ':';
}

static void parse_label(struct px_module *m)
{
	struct px_str *name = m->lex.tok.str;
	struct px_loc loc = m->lex.tok.loc;

	px_next(&m->lex);
	px_next(&m->lex);
	if (dot_is(m, "branchtargets") || dot_is(m, "calltargets"))
		parse_targets(m, name, loc);
	else if (dot_is(m, "callprototype"))
		parse_prototype(m, name, loc);
	else
		px_label_def(m, name, loc);
}

static void body_directive(struct px_module *m)
{
	struct px_str *s = m->lex.tok.str;

	if (s->mod == PM_reg) {
		px_parse_reg(m);
	} else if (px_is_var_space(s)) {
		px_parse_var(m, false, false, false);
	} else if (!strcmp(s->s, "loc")) {
		parse_loc(m);
	} else if (!strcmp(s->s, "file")) {
		parse_file(m);
	} else if (!strcmp(s->s, "pragma")) {
		skip_pragma(m);
	} else {
		px_error(m->px, m->lex.tok.loc, "'.%s' is not supported inside a function", s->s);
		px_next(&m->lex);
		px_skip_statement(m);
	}
}

static void parse_statements(struct px_module *m)
{
	uint32_t depth = m->depth;

	while (!m->px->give_up) {
		switch (m->lex.tok.kind) {
		case TK_EOF:
			return;
		case TK('}'):
			if (m->depth == depth)
				return;
			px_next(&m->lex);
			px_pop_scope(m);
			break;
		case TK('{'):
			px_next(&m->lex);
			px_push_scope(m);
			break;
		case TK(';'):
			px_next(&m->lex);
			break;
		case TK_DOT:
			body_directive(m);
			break;
		default:
			if (is_label(&m->lex))
				parse_label(m);
			else
				px_parse_inst(m);
		}
	}
	while (m->depth > depth)
		px_pop_scope(m);
}

/* ---- module ---- */

static struct px_sym *alias_function(struct px_module *m)
{
	struct px_str *name = m->lex.tok.str;
	struct px_loc loc = m->lex.tok.loc;
	struct px_sym *s;

	if (!px_expect(m, TK_IDENT, "the name of a function"))
		return NULL;
	s = px_lookup(m, name);
	if (!s || s->kind != SY_FUNC || s->is_kernel) {
		px_error(m->px, loc, "'%s' is not a .func declared before; '.alias' is for those", name->s);
		return NULL;
	}
	return s;
}

/* .alias other, function; */
static void parse_alias(struct px_module *m)
{
	struct px_loc loc = m->lex.tok.loc;
	struct px_alias a = { 0 };
	struct px_sym *from, *to;

	px_next(&m->lex);
	from = alias_function(m);
	to = from && px_expect(m, TK(','), "','") ? alias_function(m) : NULL;
	if (!to) {
		px_skip_statement(m);
		return;
	}
	if (from->has_body || from == to)
		px_error(m->px, loc, "'%s' has a body and cannot be another function's name", from->name->s);
	a.from = from->symbol;
	a.to = to->symbol;
	PX_PUSH(&m->px->arena, m->aliases, m->num_aliases, m->cap_aliases, a);
	px_expect(m, TK(';'), "';'");
}

static void module_directive(struct px_module *m)
{
	bool is_extern = false, weak = false, visible = false;
	struct px_loc loc = m->lex.tok.loc;

	if (dot_is(m, "version")) {
		parse_version(m);
		return;
	}
	if (dot_is(m, "target")) {
		parse_target(m);
		return;
	}
	if (dot_is(m, "address_size")) {
		parse_address_size(m);
		return;
	}
	if (dot_is(m, "file")) {
		parse_file(m);
		return;
	}
	if (dot_is(m, "section")) {
		skip_section(m);
		return;
	}
	if (dot_is(m, "pragma")) {
		skip_pragma(m);
		return;
	}
	if (dot_is(m, "alias")) {
		parse_alias(m);
		return;
	}
	for (;; px_next(&m->lex)) {
		if (dot_is(m, "extern"))
			is_extern = true;
		else if (dot_is(m, "weak") || dot_is(m, "common"))
			weak = true;
		else if (dot_is(m, "visible"))
			visible = true;
		else
			break;
	}
	if (dot_is(m, "entry") || dot_is(m, "func")) {
		bool kernel = dot_is(m, "entry");
		unsigned flags = (kernel || is_extern || weak || visible ? PPU_SYMF_GLOBAL : 0) |
				 (weak ? PPU_SYMF_WEAK : 0);

		if (!parse_function(m, kernel, flags)) {
			px_skip_statement(m);
			if (m->lex.tok.kind == TK('{'))
				skip_section(m);
		}
		return;
	}
	if (m->lex.tok.kind == TK_DOT && px_is_var_space(m->lex.tok.str)) {
		px_parse_var(m, is_extern, weak, visible);
		return;
	}
	if (m->lex.tok.kind == TK_DOT && m->lex.tok.str->mod == PM_reg) {
		px_parse_reg(m);
		return;
	}
	px_error(m->px, loc, "'%s%s' is not supported here", m->lex.tok.kind == TK_DOT ? "." : "",
		 m->lex.tok.str ? m->lex.tok.str->s : "this");
	px_next(&m->lex);
	px_skip_statement(m);
}

void px_parse_module(struct px_module *m, const char *text, size_t len)
{
	px_lex_init(&m->lex, m->px, text, len);
	while (m->lex.tok.kind != TK_EOF && !m->px->give_up) {
		if (m->lex.tok.kind == TK_DOT) {
			module_directive(m);
		} else if (m->lex.tok.kind == TK(';')) {
			px_next(&m->lex);
		} else {
			px_error(m->px, m->lex.tok.loc, "a directive was expected here");
			px_next(&m->lex);
			px_skip_statement(m);
			px_accept(m, TK('}'));
		}
	}
	px_resolve_late(m);
}
