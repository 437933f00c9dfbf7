/* SPDX-License-Identifier: MIT */
/* The module: its directives. */
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/front/px_const.h"
#include "compiler/ptx/front/px_decl.h"
#include "compiler/ptx/front/px_function.h"
#include "compiler/ptx/front/px_init.h"
#include "compiler/ptx/front/px_line.h"
#include "compiler/ptx/front/px_parse.h"
#include "compiler/ptx/front/px_type.h"

static void parse_version(struct px_module *m)
{
	double v;

	px_next(&m->lex);
	memcpy(&v, &m->lex.tok.i, sizeof(v));
	if (m->lex.tok.kind == TK_F64 && v > 0 && v < 1000)
		m->version = (uint32_t)(v * 10 + 0.5);
	if (m->lex.tok.kind != TK_F64 && m->lex.tok.kind != TK_INT)
		px_error(m->px, m->lex.tok.loc, ".version needs a number, such as 6.3");
	px_next(&m->lex);
}

/* Any target is accepted: only the instructions that are used matter. */
static void parse_target(struct px_module *m)
{
	do {
		px_next(&m->lex);
		if (m->lex.tok.kind == TK_IDENT && !strncmp(m->lex.tok.str->s, "sm_", 3))
			m->target = (uint32_t)strtoul(m->lex.tok.str->s + 3, NULL, 10);
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
	static const struct {
		const char *name;
		void (*parse)(struct px_module *m);
	} directives[] = {
		{ "version", parse_version }, { "target", parse_target }, { "address_size", parse_address_size },
		{ "file", px_parse_file }, { "section", skip_section }, { "pragma", px_skip_pragma },
		{ "alias", parse_alias },
	};
	bool is_extern = false, weak = false, visible = false;
	struct px_loc loc = m->lex.tok.loc;
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(directives); k++)
		if (px_dot_is(m, directives[k].name)) {
			directives[k].parse(m);
			return;
		}
	for (;; px_next(&m->lex)) {
		if (px_dot_is(m, "extern"))
			is_extern = true;
		else if (px_dot_is(m, "weak") || px_dot_is(m, "common"))
			weak = true;
		else if (px_dot_is(m, "visible"))
			visible = true;
		else
			break;
	}
	if (px_dot_is(m, "entry") || px_dot_is(m, "func")) {
		bool kernel = px_dot_is(m, "entry");
		unsigned flags = (kernel || is_extern || weak || visible ? PPU_SYMF_GLOBAL : 0) |
				 (weak ? PPU_SYMF_WEAK : 0);

		if (!px_parse_function(m, kernel, flags)) {
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
