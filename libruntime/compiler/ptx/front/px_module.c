/* SPDX-License-Identifier: MIT */
/* Tokens of the module, symbols of its image. */
#include <string.h>
#include "compiler/ptx/front/px_module.h"

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

bool px_dot_is(struct px_module *m, const char *s)
{
	return m->lex.tok.kind == TK_DOT && !strcmp(m->lex.tok.str->s, s);
}

bool px_accept_dot(struct px_module *m, const char *s)
{
	if (!px_dot_is(m, s))
		return false;
	px_next(&m->lex);
	return true;
}

uint32_t px_image_symbol(struct px_module *m, const char *name, unsigned kind)
{
	struct ppu_symbol s = { .name = (char *)name, .kind = kind };

	PX_PUSH(&m->px->arena, m->obj.syms, m->obj.num_syms, m->obj.cap_syms, s);
	return m->obj.num_syms - 1;
}
