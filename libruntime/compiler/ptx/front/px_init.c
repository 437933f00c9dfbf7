/* SPDX-License-Identifier: MIT */
/* Initialisers: values, nested lists, addresses that are filled in when the module is read. */
#include <string.h>
#include "compiler/ptx/front/px_const.h"
#include "compiler/ptx/front/px_init.h"
#include "compiler/ptx/front/px_type.h"

static void init_room(struct px_module *m, struct px_init *in, uint64_t need)
{
	uint64_t cap = in->cap ? in->cap : 64;
	uint8_t *p;

	if (need <= in->cap)
		return;
	while (cap < need)
		cap *= 2;
	p = px_alloc(&m->px->arena, cap);
	if (in->pos)
		memcpy(p, in->buf, in->pos);
	in->buf = p;
	in->cap = cap;
}

static void init_ref(struct px_module *m, struct px_init *in, struct px_str *name, struct px_loc loc)
{
	struct px_reloc_ref r = { name, loc, in->pos, 0 };

	if (px_accept(m, TK('+')))
		r.addend = px_const_expr(m);
	else if (m->lex.tok.kind == TK('-'))
		r.addend = px_const_expr(m);
	if (px_type_bits(in->pt) != 64) {
		px_error(m->px, loc, "an address needs an element of 64 bits; use .u64");
		return;
	}
	PX_PUSH(&m->px->arena, m->late, m->num_late, m->cap_late, r);
}

static uint64_t float_bits(const struct px_token *t, unsigned pt)
{
	double d;
	float f;
	uint32_t u = (uint32_t)t->i;

	memcpy(&f, &u, 4);
	memcpy(&d, &t->i, 8);
	if (t->kind == TK_F32)
		d = f;
	else
		f = (float)d;
	if (px_type_bits(pt) == 64) {
		uint64_t w;

		memcpy(&w, &d, 8);
		return w;
	}
	memcpy(&u, &f, 4);
	return u;
}

static bool takes_float(unsigned pt)
{
	return pt == PT_F32 || pt == PT_F64 || pt == PT_B32 || pt == PT_B64;
}

static void init_value(struct px_module *m, struct px_init *in)
{
	unsigned bytes = px_type_bits(in->pt) / 8;
	struct px_lex *lx = &m->lex;
	struct px_loc loc = lx->tok.loc;
	bool neg = false;
	uint64_t v = 0;

	if (!in->unsized && in->pos + bytes > in->size) {
		px_error(m->px, loc, "there are more initial values than elements");
		px_next(lx);
		return;
	}
	if (in->pos + bytes > PX_MAX_DATA) {
		px_error(m->px, loc, "this initialiser is too large");
		m->px->give_up = true;
		return;
	}
	init_room(m, in, in->pos + 16);
	if (lx->tok.kind == TK_IDENT && strcmp(lx->tok.str->s, "WARP_SZ")) {
		struct px_str *name = lx->tok.str;

		px_next(lx);
		if (!strcmp(name->s, "generic") && px_accept(m, TK('('))) {
			name = lx->tok.str;
			if (!px_expect(m, TK_IDENT, "the name of a variable"))
				return;
			px_expect(m, TK(')'), "')'");
		}
		init_ref(m, in, name, loc);
	} else {
		if (lx->tok.kind == TK('-')) {
			neg = true;
			px_next(lx);
		}
		if ((lx->tok.kind == TK_F32 || lx->tok.kind == TK_F64) && !takes_float(in->pt)) {
			px_error(m->px, loc, "an element of type '.%s' cannot have a floating-point value", px_type_text(in->pt));
			px_next(lx);
		} else if (lx->tok.kind == TK_F32 || lx->tok.kind == TK_F64) {
			v = float_bits(&lx->tok, in->pt);
			if (neg)
				v ^= 1ull << (px_type_bits(in->pt) - 1);
			px_next(lx);
		} else {
			v = (uint64_t)(neg ? px_const_after_minus(m) : px_const_expr(m));
			if (lx->tok.kind == TK('(')) {
				px_error(m->px, loc, "a byte of an address, as in 0xff(symbol), is not supported; use elements of type .u64");
				px_skip_statement(m);
			}
		}
	}
	memcpy(in->buf + in->pos, &v, bytes > 8 ? 8 : bytes);
	in->pos += bytes;
}

/* As in C, elements of a row that its inner list leaves out are zero. */
static void init_list(struct px_module *m, struct px_init *in, unsigned depth)
{
	if (depth > 32) {
		px_error(m->px, m->lex.tok.loc, "this initialiser is nested too deeply");
		m->px->give_up = true;
		return;
	}
	do {
		if (m->lex.tok.kind == TK('}'))
			break;
		if (px_accept(m, TK('{'))) {
			uint64_t end = in->pos + (depth < PX_MAX_DIMS ? in->step[depth] : 0);

			init_list(m, in, depth + 1);
			if (end > in->pos && end <= PX_MAX_DATA) {
				init_room(m, in, end);
				in->pos = end;
			}
		} else {
			init_value(m, in);
		}
	} while (px_accept(m, TK(',')) && !m->px->give_up);
	px_expect(m, TK('}'), "'}' after the initial values");
}

void px_parse_init(struct px_module *m, struct px_var *v, const uint64_t *dim, unsigned num_dims, struct px_init *in)
{
	uint64_t step = px_type_bits(v->type) / 8;
	unsigned k;

	*in = (struct px_init){ .size = v->size, .pt = v->type, .unsized = v->is_array && !v->size };
	for (k = num_dims; k-- > 0 && step <= PX_MAX_DATA; step *= dim[k])
		in->step[k] = step;
	if (px_accept(m, TK('{')))
		init_list(m, in, 0);
	else
		init_value(m, in);
	if (in->unsized)
		v->size = in->pos;
}

void px_resolve_late(struct px_module *m)
{
	uint32_t k;

	for (k = 0; k < m->num_late; k++) {
		struct px_reloc_ref *r = &m->late[k];
		struct px_sym *s = r->name->sym;
		struct ppu_reloc rel = { .where = r->where, .addend = r->addend };

		if (!s || (s->kind != SY_FUNC && (s->kind != SY_VAR || s->var->space > SP_SHARED))) {
			px_error(m->px, r->loc, "'%s' in an initialiser is not declared at module level",
				 r->name->s);
			continue;
		}
		rel.kind = s->kind == SY_FUNC ? PPU_REL_DATA_PC64 : PPU_REL_DATA_ABS64;
		rel.symbol = s->kind == SY_FUNC ? s->symbol : s->var->symbol;
		PX_PUSH(&m->px->arena, m->obj.relocs, m->obj.num_relocs, m->obj.cap_relocs, rel);
	}
}
