/* SPDX-License-Identifier: MIT */
/* Parses calls, and accesses to textures and surfaces. */
#include "compiler/ptx/front/px_forms.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_sym.h"

/* ---- calls ---- */

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

bool px_parse_call(struct px_module *m, struct px_inst *in)
{
	struct px_call *c = px_alloc(&m->px->arena, sizeof(*c));
	struct px_opn o;

	in->call = c;
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

/* ---- textures and surfaces ---- */

static const struct {
	uint16_t mod;
	uint8_t dims;
	bool layered, cube;
} shapes[] = {
	{ PM_1d, 1, false, false }, { PM_2d, 2, false, false }, { PM_3d, 3, false, false }, { PM_a1d, 1, true, false },
	{ PM_a2d, 2, true, false }, { PM_cube, 3, false, true }, { PM_acube, 3, true, true },
};

static bool shape_of(struct px_module *m, const struct px_inst *in, struct px_texture_opns *t)
{
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(shapes); k++)
		if (px_has(in, shapes[k].mod)) {
			t->dims = shapes[k].dims;
			t->layered = shapes[k].layered;
			t->cube = shapes[k].cube;
			return true;
		}
	px_error(m->px, in->loc, "'%s' needs .1d, .2d, .3d, .a1d or .a2d; other shapes are not supported",
		 in->name->s);
	return false;
}

/* [handle, {coordinates}] */
static bool parse_place(struct px_module *m, struct px_texture_opns *t)
{
	struct px_opn c;
	uint32_t k;

	if (!px_expect(m, TK('['), "'[' before the texture") || !px_parse_opn(m, &t->handle) ||
	    !px_expect(m, TK(','), "',' after the texture") || !px_parse_opn(m, &c))
		return false;
	if (m->lex.tok.kind == TK(',')) {
		px_error(m->px, c.loc, "separate samplers are not supported; compile for the unified texture mode");
		return false;
	}
	t->n = c.kind == OP_VEC ? c.nvec : 1;
	if (t->n > 4) {
		px_error(m->px, c.loc, "a texture has at most four coordinates");
		return false;
	}
	for (k = 0; k < t->n; k++)
		t->coord[k] = c.kind == OP_VEC ? c.vec[k] : c;
	return px_expect(m, TK(']'), "']' after the coordinates");
}

/* {x, y}, or x alone where there is one; three dimensions have four elements, the last of which means nothing. */
static bool parse_gradient(struct px_module *m, const struct px_texture_opns *t, struct px_opn *to)
{
	struct px_opn o;
	uint32_t k, n;

	if (!px_expect(m, TK(','), "',' before the gradient") || !px_parse_opn(m, &o))
		return false;
	n = o.kind == OP_VEC ? o.nvec : 1;
	if (n < t->dims) {
		px_error(m->px, o.loc, "a gradient of this texture has %u elements, here are %u", t->dims, n);
		return false;
	}
	for (k = 0; k < t->dims; k++)
		to[k] = o.kind == OP_VEC ? o.vec[k] : o;
	return true;
}

/* tex.2d.v4.f32.f32 {r, g, b, a}, [handle, {x, y}] [, lod or gradients].  Offsets behind them are not supported. */
static bool parse_tex(struct px_module *m, const struct px_inst *in, struct px_texture_opns *t)
{
	if (!px_parse_opn(m, &t->data) || !px_expect(m, TK(','), "','") || !parse_place(m, t))
		return false;
	if (px_has(in, PM_level))
		return px_expect(m, TK(','), "',' before the level") && px_parse_opn(m, &t->lod);
	return !px_has(in, PM_grad) || (parse_gradient(m, t, t->gradient[0]) && parse_gradient(m, t, t->gradient[1]));
}

/* suld.b.2d.v2.b32.clamp {a, b}, [handle, {x, y}] and sust.b with the operands exchanged. */
static bool parse_surface(struct px_module *m, struct px_texture_opns *t, bool load)
{
	if (load)
		return px_parse_opn(m, &t->data) && px_expect(m, TK(','), "','") && parse_place(m, t);
	return parse_place(m, t) && px_expect(m, TK(','), "','") && px_parse_opn(m, &t->data);
}

/* txq.width.b32 d, [handle] */
static bool parse_query(struct px_module *m, struct px_texture_opns *t)
{
	return px_parse_opn(m, &t->data) && px_expect(m, TK(','), "','") && px_expect(m, TK('['), "'['") &&
	       px_parse_opn(m, &t->handle) && px_expect(m, TK(']'), "']'");
}

bool px_parse_texture(struct px_module *m, struct px_inst *in)
{
	struct px_texture_opns *t = px_alloc(&m->px->arena, sizeof(*t));
	bool fetch = in->op == PX_OP_tex || in->op == PX_OP_tld4;
	bool access = fetch || in->op == PX_OP_suld || in->op == PX_OP_sust, ok;

	in->texture = t;
	if (access && !shape_of(m, in, t))
		return false;
	if (fetch)
		ok = parse_tex(m, in, t);
	else
		ok = access ? parse_surface(m, t, in->op == PX_OP_suld) : parse_query(m, t);
	return ok && px_expect(m, TK(';'), "';' after the instruction");
}
