/* SPDX-License-Identifier: MIT */
/*
 * Constant expressions: C's operators on 64-bit integers.  A literal is signed if it fits in a signed integer and
 * has no U; an operation is unsigned if an operand is.
 */
#include <string.h>
#include "compiler/ptx/front/px_const.h"

#define MAX_DEPTH	64

struct value {
	uint64_t v;
	bool u;
};

static struct value expr(struct px_module *m, unsigned level, unsigned depth);
static struct value choice(struct px_module *m, struct value first, unsigned depth);

static struct value number(uint64_t v)
{
	return (struct value){ v, false };
}

static struct value primary(struct px_module *m, unsigned depth);

/* (.s64) or (.u64) before a value, or an expression in parentheses.  The '(' has been read. */
static struct value in_parentheses(struct px_module *m, unsigned depth)
{
	struct px_lex *lx = &m->lex;
	struct value v;

	if (lx->tok.kind == TK_DOT) {
		bool to_unsigned = lx->tok.str->s[0] == 'u';

		px_next(lx);
		px_expect(m, TK(')'), "')' after the type");
		v = primary(m, depth + 1);
		v.u = to_unsigned;
		return v;
	}
	v = choice(m, primary(m, depth + 1), depth + 1);
	px_expect(m, TK(')'), "')'");
	return v;
}

static struct value primary(struct px_module *m, unsigned depth)
{
	struct px_lex *lx = &m->lex;
	unsigned kind = lx->tok.kind;
	struct value v = number(0);

	if (depth > MAX_DEPTH) {
		px_error(m->px, lx->tok.loc, "this expression is nested too deeply");
		m->px->give_up = true;
		px_next(lx);
		return v;
	}
	switch (kind) {
	case TK_INT:
		v = (struct value){ lx->tok.i, lx->tok.u };
		px_next(lx);
		return v;
	case TK('-'):
	case TK('+'):
	case TK('~'):
	case TK('!'):
		px_next(lx);
		v = primary(m, depth + 1);
		if (kind == TK('!'))
			return number(!v.v);
		v.v = kind == TK('-') ? 0 - v.v : kind == TK('~') ? ~v.v : v.v;
		return v;
	case TK('('):
		px_next(lx);
		return in_parentheses(m, depth);
	case TK_IDENT:
		if (!strcmp(lx->tok.str->s, "WARP_SZ")) {
			px_next(lx);
			return number(32);
		}
		/* fall through */
	default:
		px_error(m->px, lx->tok.loc, "an integer constant was expected here");
		if (kind == TK_F32 || kind == TK_F64)
			px_next(lx);
		return v;
	}
}

static unsigned op_level(unsigned kind)
{
	switch (kind) {
	case TK('*'): case TK('/'): case TK('%'): return 10;
	case TK('+'): case TK('-'): return 9;
	case TK_SHL: case TK_SHR: return 8;
	case TK('<'): case TK('>'): case TK_LE: case TK_GE: return 7;
	case TK_EQ: case TK_NE: return 6;
	case TK('&'): return 5;
	case TK('^'): return 4;
	case TK('|'): return 3;
	case TK_LAND: return 2;
	case TK_LOR: return 1;
	default: return 0;
	}
}

static struct value divide(struct px_module *m, unsigned op, struct value a, struct value b)
{
	struct value r = { 0, a.u || b.u };
	bool rest = op == TK('%');

	if (!b.v || (!r.u && (int64_t)a.v == INT64_MIN && (int64_t)b.v == -1))
		px_error(m->px, m->lex.tok.loc, "this constant division has no result");
	else if (r.u)
		r.v = rest ? a.v % b.v : a.v / b.v;
	else
		r.v = (uint64_t)(rest ? (int64_t)a.v % (int64_t)b.v : (int64_t)a.v / (int64_t)b.v);
	return r;
}

/* The type of the shifted value decides what comes in from the left.  Shifting all bits out is no error. */
static struct value shift(unsigned op, struct value a, uint64_t by)
{
	if (op == TK_SHL)
		a.v = by > 63 ? 0 : a.v << by;
	else if (a.u)
		a.v = by > 63 ? 0 : a.v >> by;
	else
		a.v = (uint64_t)((int64_t)a.v >> (by > 63 ? 63 : by));
	return a;
}

static bool less(struct value a, struct value b)
{
	return a.u || b.u ? a.v < b.v : (int64_t)a.v < (int64_t)b.v;
}

static struct value apply(struct px_module *m, unsigned op, struct value a, struct value b)
{
	bool u = a.u || b.u;

	switch (op) {
	case TK('*'): return (struct value){ a.v * b.v, u };
	case TK('/'):
	case TK('%'): return divide(m, op, a, b);
	case TK('+'): return (struct value){ a.v + b.v, u };
	case TK('-'): return (struct value){ a.v - b.v, u };
	case TK_SHL:
	case TK_SHR: return shift(op, a, b.v);
	case TK('<'): return number(less(a, b));
	case TK('>'): return number(less(b, a));
	case TK_LE: return number(!less(b, a));
	case TK_GE: return number(!less(a, b));
	case TK_EQ: return number(a.v == b.v);
	case TK_NE: return number(a.v != b.v);
	case TK('&'): return (struct value){ a.v & b.v, u };
	case TK('^'): return (struct value){ a.v ^ b.v, u };
	case TK('|'): return (struct value){ a.v | b.v, u };
	case TK_LAND: return number(a.v && b.v);
	default: return number(a.v || b.v);
	}
}

/* Operators that bind tighter than `level`, after the operand a. */
static struct value operators(struct px_module *m, struct value a, unsigned level, unsigned depth)
{
	unsigned op, l;

	while ((l = op_level(op = m->lex.tok.kind)) > level) {
		px_next(&m->lex);
		a = apply(m, op, a, expr(m, l, depth + 1));
	}
	return a;
}

static struct value expr(struct px_module *m, unsigned level, unsigned depth)
{
	return operators(m, primary(m, depth), level, depth);
}

/* first ... ? yes : no */
static struct value choice(struct px_module *m, struct value first, unsigned depth)
{
	struct value yes, no;

	first = operators(m, first, 0, depth);
	if (!px_accept(m, TK('?')))
		return first;
	yes = choice(m, primary(m, depth + 1), depth + 1);
	px_expect(m, TK(':'), "':' and the other value");
	no = choice(m, primary(m, depth + 1), depth + 1);
	yes.u = no.u = yes.u || no.u;
	return first.v ? yes : no;
}

int64_t px_const_expr(struct px_module *m)
{
	return (int64_t)choice(m, primary(m, 0), 0).v;
}

int64_t px_const_count(struct px_module *m)
{
	return (int64_t)expr(m, op_level(TK('>')), 0).v;
}

int64_t px_const_after_minus(struct px_module *m)
{
	struct value v = primary(m, 0);

	v.v = 0 - v.v;
	return (int64_t)choice(m, v, 0).v;
}
