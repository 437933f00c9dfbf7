/* SPDX-License-Identifier: MIT */
/* Symbols: scopes, parameterised registers, labels with forward references. */
#include <string.h>
#include "compiler/ptx/front/px_debug.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_sym.h"
#include "compiler/ptx/front/px_type.h"

static struct px_sym *new_sym(struct px_module *m, struct px_str *name, unsigned kind,
			      struct px_loc loc)
{
	struct px_sym *s = px_alloc(&m->px->arena, sizeof(*s));

	s->kind = (uint8_t)kind;
	s->name = name;
	s->loc = loc;
	s->depth = m->depth;
	s->outer = name->sym;
	s->scope_next = m->scope[m->depth];
	m->scope[m->depth] = s;
	name->sym = s;
	return s;
}

struct px_sym *px_declare(struct px_module *m, struct px_str *name, unsigned kind, struct px_loc loc)
{
	struct px_sym *s = name->sym;

	if (s && s->depth == m->depth) {
		px_error(m->px, loc, "'%s' is declared twice (first on line %u); rename one of them",
			 name->s, s->loc.line);
		return s->kind == kind ? s : NULL;
	}
	return new_sym(m, name, kind, loc);
}

void px_push_scope(struct px_module *m)
{
	if (m->depth + 1 >= PX_ARRAY_SIZE(m->scope)) {
		px_error(m->px, m->lex.tok.loc, "blocks { } are nested too deeply");
		m->px->give_up = true;
		return;
	}
	m->scope[++m->depth] = NULL;
}

/* A label that was used in this block but not defined: passes it on to the enclosing block. */
static void hand_label_out(struct px_module *m, struct px_sym *s)
{
	struct px_sym *o = s->name->sym;

	if (m->depth <= 1) {
		px_error(m->px, s->loc, "label '%s' is not defined in this function", s->name->s);
		return;
	}
	/* the name's symbol is the outer one already; the enclosing block has depth m->depth - 1 */
	if (!o || o->kind != SY_LABEL || o->depth != m->depth - 1) {
		m->depth--;
		o = new_sym(m, s->name, SY_LABEL, s->loc);
		m->depth++;
		o->block = s->block;
		return;
	}
	s->block->alias = o->block;
}

void px_pop_scope(struct px_module *m)
{
	struct px_sym *s = m->scope[m->depth], *next;

	for (; s; s = next) {
		next = s->scope_next;
		s->name->sym = s->outer;
		if (s->kind == SY_LABEL && !s->defined)
			hand_label_out(m, s);
	}
	m->scope[m->depth] = NULL;
	if (m->depth)
		m->depth--;
}

/* Makes register "%r12" at its first use, if "%r<100>" is declared. */
static struct px_sym *parameterised(struct px_module *m, struct px_str *name)
{
	uint32_t n = name->len, i;
	struct px_sym *range, *s;
	struct px_str *prefix;
	uint64_t num = 0;

	while (n && name->s[n - 1] >= '0' && name->s[n - 1] <= '9')
		n--;
	if (n == name->len || !n || name->len - n > 9)
		return NULL;
	for (i = n; i < name->len; i++)
		num = num * 10 + (unsigned)(name->s[i] - '0');
	if (name->s[n] == '0' && name->len - n > 1)
		return NULL;
	prefix = px_intern(m->px, name->s, n);
	for (range = prefix->sym; range && range->kind != SY_REGS; range = range->outer)
		;
	if (!range || num >= range->count || !m->func)
		return NULL;
	s = px_alloc(&m->px->arena, sizeof(*s));
	*s = (struct px_sym){ .kind = SY_REG, .type = range->type, .name = name,
			      .loc = range->loc, .depth = range->depth, .outer = name->sym,
			      .scope_next = m->scope[range->depth] };
	m->scope[range->depth] = s;
	s->val = px_new_val(m->func, px_bits_width(s->type), name);
	name->sym = s;
	return s;
}

struct px_sym *px_lookup(struct px_module *m, struct px_str *name)
{
	return name->sym ? name->sym : parameterised(m, name);
}

struct px_sym *px_label_ref(struct px_module *m, struct px_str *name, struct px_loc loc)
{
	struct px_sym *s = name->sym;

	if (s && s->kind == SY_LABEL)
		return s;
	if (s && s->depth == m->depth) {
		px_error(m->px, loc, "'%s' is not a label", name->s);
		return NULL;
	}
	s = new_sym(m, name, SY_LABEL, loc);
	s->block = px_new_block(m->func, name);
	return s;
}

/* Starts a new block at a label. */
void px_label_def(struct px_module *m, struct px_str *name, struct px_loc loc)
{
	struct px_sym *s = name->sym;
	struct px_block *b;

	if (!s || s->kind != SY_LABEL || s->depth != m->depth) {
		if (s && s->depth == m->depth) {
			px_error(m->px, loc, "'%s' is declared twice (first on line %u); rename one of them",
				 name->s, s->loc.line);
			return;
		}
		s = new_sym(m, name, SY_LABEL, loc);
		s->block = px_new_block(m->func, name);
	} else if (s->defined) {
		px_error(m->px, loc, "label '%s' is defined twice (first on line %u)", name->s,
			 s->loc.line);
		return;
	}
	s->defined = true;
	s->loc = loc;
	px_debug_label(m, name);
	b = s->block;
	if (m->cur && !m->cur->ended)
		m->cur->succ[0] = b;
	px_place_block(m->func, b);
	m->cur = b;
}
