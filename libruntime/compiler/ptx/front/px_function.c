/* SPDX-License-Identifier: MIT */
/* Functions: heads, attributes, the statements of a body. */
#include <string.h>
#include <hw/ppu_tmd.h>
#include "compiler/ptx/front/px_const.h"
#include "compiler/ptx/front/px_debug.h"
#include "compiler/ptx/front/px_decl.h"
#include "compiler/ptx/front/px_function.h"
#include "compiler/ptx/front/px_inst.h"
#include "compiler/ptx/front/px_line.h"
#include "compiler/ptx/front/px_type.h"
#include "compiler/ptx/lower/px_low_call.h"

/* ---- heads ---- */

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

/* most: what a number may be. */
static void parse_triple(struct px_module *m, uint32_t v[3], uint32_t most, const char *what)
{
	unsigned k = 0;
	struct px_loc loc;

	v[0] = v[1] = v[2] = 1;
	do {
		int64_t n;

		px_next(&m->lex);
		loc = m->lex.tok.loc;
		n = px_const_expr(m);
		if (n < 1 || n > most) {
			px_error(m->px, loc, "a %s count must be from 1 to %u", what, most);
			n = 1;
		}
		if (k < 3)
			v[k++] = (uint32_t)n;
	} while (m->lex.tok.kind == TK(','));
}

static uint32_t cluster_size(struct px_module *m, struct px_loc loc, uint32_t x, uint32_t y, uint32_t z)
{
	if (x && y && z && x * y * z <= PPU_CLUSTER_MAX)
		return PPU_CLUSTER(x, y, z);
	px_error(m->px, loc, "a cluster has 1 to %u CTAs", PPU_CLUSTER_MAX);
	return 0;
}

/* More than there can be is as good as nothing. */
static uint32_t max_rank(struct px_module *m)
{
	struct px_loc loc = m->lex.tok.loc;
	int64_t n = px_const_expr(m);

	if (n < 1)
		px_error(m->px, loc, "a cluster has at least one CTA");
	return n < 1 || n > PPU_CLUSTER_MAX ? PPU_CLUSTER_MAX : (uint32_t)n;
}

static bool parse_attributes(struct px_module *m, struct px_proto *p)
{
	m->maxntid[0] = m->reqntid[0] = m->minnctas = m->maxnreg = m->cluster = 0;
	while (m->lex.tok.kind == TK_DOT) {
		struct px_loc loc = m->lex.tok.loc;

		if (px_dot_is(m, "maxntid")) {
			parse_triple(m, m->maxntid, 1024, "thread");
		} else if (px_dot_is(m, "reqntid")) {
			parse_triple(m, m->reqntid, 1024, "thread");
		} else if (px_dot_is(m, "reqnctapercluster")) {
			uint32_t ctas[3];

			parse_triple(m, ctas, PPU_CLUSTER_MAX, "CTA");
			m->cluster |= cluster_size(m, loc, ctas[0], ctas[1], ctas[2]);
		} else if (px_dot_is(m, "explicitcluster")) {
			m->cluster |= PPU_SYM_CLUSTER_EXPLICIT;
			px_next(&m->lex);
		} else if (px_accept_dot(m, "maxclusterrank")) {
			m->cluster |= PPU_SYM_CLUSTER_MOST(max_rank(m));
		} else if (px_accept_dot(m, "minnctapersm")) {
			m->minnctas = (uint32_t)px_const_expr(m);
			if (m->minnctas >> 24 == 0x10) {	/* __cluster_dims__ of include/cuda/host_defines.h */
				m->cluster |= cluster_size(m, loc, m->minnctas & 0xff, m->minnctas >> 8 & 0xff,
							   m->minnctas >> 16 & 0xff);
				m->minnctas = 0;
			}
		} else if (px_accept_dot(m, "maxnctapersm")) {
			px_const_expr(m);
		} else if (px_accept_dot(m, "maxnreg")) {
			m->maxnreg = (uint32_t)px_const_expr(m);
		} else if (px_dot_is(m, "noreturn")) {
			p->noreturn = true;
			px_next(&m->lex);
		} else if (px_dot_is(m, "pragma")) {
			px_skip_pragma(m);
		} else {
			px_error(m->px, loc, "'.%s' is not supported on a function", m->lex.tok.str->s);
			return false;
		}
	}
	return true;
}

/* Sets the offsets of a kernel's parameters, and describes the parameters in the image. */
static void place_kernel_params(struct px_module *m, struct px_sym *fn)
{
	struct px_proto *p = fn->proto;
	struct ppu_symbol *s = &m->obj.syms[fn->symbol];
	uint64_t off = 0;
	uint32_t k;

	s->num_params = p->num_params;
	s->params = px_alloc(&m->px->arena, p->num_params * sizeof(*s->params));
	for (k = 0; k < p->num_params; k++) {
		struct px_var *v = p->params[k]->var;

		off = px_align(off, v->align);
		v->offset = (uint32_t)off;
		px_debug_param(m, p->params[k]->name, v->offset);
		s->params[k] = (struct ppu_param){ v->offset, (uint32_t)v->size, v->align };
		off += v->size;
		if (off > PPU_PARAM_MAX) {
			px_error(m->px, p->params[k]->loc, "the parameters of a kernel are larger than %u bytes; pass a pointer",
				 PPU_PARAM_MAX);
			return;
		}
	}
	s->param_bytes = (uint32_t)off;
}

/* ---- statements ---- */

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
	if (px_dot_is(m, "branchtargets") || px_dot_is(m, "calltargets"))
		parse_targets(m, name, loc);
	else if (px_dot_is(m, "callprototype"))
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
		px_parse_loc(m);
	} else if (!strcmp(s->s, "file")) {
		px_parse_file(m);
	} else if (!strcmp(s->s, "pragma")) {
		px_skip_pragma(m);
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

/* ---- bodies ---- */

static struct px_func *new_func(struct px_module *m, struct px_sym *fn)
{
	struct px_func *f = px_alloc(&m->px->arena, sizeof(*f));

	f->px = m->px;
	f->name = fn->name;
	f->loc = fn->loc;
	f->kernel = fn->is_kernel;
	f->symbol = fn->symbol;
	px_new_val(f, 0, NULL);	/* number 0 means no value */
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
		px_receive_params(m, fn->proto);
	parse_statements(m);
	px_expect(m, TK('}'), "'}' at the end of the function");
	px_end_body(m, fn->proto);
}

static void kernel_limits(struct px_module *m, struct px_sym *fn)
{
	struct ppu_symbol *s = &m->obj.syms[fn->symbol];
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
	s->cluster = m->cluster;
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
		m->obj.syms[s->symbol].flags |= flags;
		return s;
	}
	s = px_declare(m, name, SY_FUNC, loc);
	if (!s || s->kind != SY_FUNC)
		return NULL;
	s->is_kernel = kernel;
	s->symbol = px_image_symbol(m, name->s, PPU_SYM_UNDEF);
	m->obj.syms[s->symbol].flags = flags;
	return s;
}

bool px_parse_function(struct px_module *m, bool kernel, unsigned flags)
{
	struct px_proto *p = px_alloc(&m->px->arena, sizeof(*p));
	struct px_module *mm = m;
	struct px_sym *fn;
	struct px_str *name;
	struct px_loc loc;
	unsigned space = kernel ? SP_KPARAM : SP_FPARAM;
	bool ok = false;

	px_next(&m->lex);
	if (px_dot_is(m, "noreturn")) {
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
	m->obj.syms[fn->symbol].kind = kernel ? PPU_SYM_KERNEL : PPU_SYM_FUNC;
	if (kernel)
		kernel_limits(m, fn);
	parse_body(m, fn);
	ok = true;
	px_pop_scope(m);
	m->func->shared_bytes = m->shared_kernel;
	if (!m->px->log->errors) {
		px_debug_homes(m);
		m->finished(m->func, &m->obj);
		px_debug_function(m);
	}
	m->func = NULL;
	return ok;
out:
	px_pop_scope(m);
	m->func = NULL;
	return ok;
}
