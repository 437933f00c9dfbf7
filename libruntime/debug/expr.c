/* SPDX-License-Identifier: MIT */
/*
 * Expressions: C's operators on whole numbers of 64 bits and on floating point; what a thread has by name; memory.  A name or
 * an access of memory that is not there makes the whole expression wrong, with a sentence.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_mmu.h>

#include "debug/variable.h"

struct parse {
	const char *p, *err;
	const struct dbg_warp *w;
	uint32_t lane;
	unsigned depth;
};

static struct dbg_value number(int64_t i)
{
	return (struct dbg_value){ .i = i, .f = (double)i };
}

static struct dbg_value real(double f)
{
	return (struct dbg_value){ .real = true, .f = f, .i = f > -9e18 && f < 9e18 ? (int64_t)f : 0 };
}

static struct dbg_value wrong(struct parse *p, const char *why)
{
	if (!p->err)
		p->err = why;
	return number(0);
}

static void space(struct parse *p)
{
	while (isspace((unsigned char)*p->p))
		p->p++;
}

static bool take(struct parse *p, const char *op)
{
	size_t n = strlen(op);

	space(p);
	if (strncmp(p->p, op, n) != 0)
		return false;
	/* Not the beginning of a longer one. */
	if (n == 1 && strchr("<>&|=!", *op) && (p->p[1] == '=' || (p->p[1] == *op && *op != '!')))
		return false;
	p->p += n;
	return true;
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

const char *dbg_space_name(uint32_t space)
{
	static const char *const names[] = {
#define S(name, code, text) [code] = (text),
		PPU_SPACES(S)
#undef S
	};

	return space < sizeof(names) / sizeof(names[0]) ? names[space] : "?";
}

struct dbg_address dbg_address_of(uint64_t generic)
{
	switch (generic >> 32) {
	case PPU_VA_SHARED_BASE >> 32:	return (struct dbg_address){ PPU_SPACE_SHARED, (uint32_t)generic };
	case PPU_VA_LOCAL_BASE >> 32:	return (struct dbg_address){ PPU_SPACE_LOCAL, (uint32_t)generic };
	case PPU_VA_PARAM_BASE >> 32:	return (struct dbg_address){ PPU_SPACE_PARAM, (uint32_t)generic };
	default:			return (struct dbg_address){ PPU_SPACE_GLOBAL, generic };
	}
}

uint64_t dbg_read(const struct dbg_address *a, const struct dbg_warp *w, uint32_t lane, void *buf, uint64_t len)
{
	struct ppu_look_place at = { .inst = dbg.inst, .addr = a->addr, .space = a->space, .lane = lane };

	if (w) {
		at.inst = w->c.seen.task.inst;
		at.sm = w->sm;
		at.slot = w->slot;
	} else if (a->space != PPU_SPACE_GLOBAL) {
		return 0;
	}
	return dbg.ops->look_memory(dbg.dev, &at, buf, len);
}

uint64_t dbg_word(const uint8_t *bytes, uint32_t n)
{
	uint64_t x = 0;

	memcpy(&x, bytes, n < 8 ? n : 8);
	return x;
}

static const struct type {
	const char *name;
	unsigned bytes;
	char kind;			/* u, s, f */
} types[] = {
	{ "u8", 1, 'u' }, { "u16", 2, 'u' }, { "u32", 4, 'u' }, { "u64", 8, 'u' }, { "s8", 1, 's' }, { "s16", 2, 's' },
	{ "s32", 4, 's' }, { "s64", 8, 's' }, { "f32", 4, 'f' }, { "f64", 8, 'f' },
};
#define NUM_TYPES	(sizeof(types) / sizeof(types[0]))

static struct dbg_value load(struct parse *p, const struct dbg_address *a, const struct type *t)
{
	uint64_t x = 0;
	double f64;
	float f32;

	if (dbg_read(a, p->w, p->lane, &x, t->bytes) < t->bytes)
		return wrong(p, "no memory that can be read is at that address");
	memcpy(&f32, &x, sizeof(f32));
	memcpy(&f64, &x, sizeof(f64));
	if (t->kind == 'f')
		return real(t->bytes == 4 ? (double)f32 : f64);
	if (t->kind == 's' && t->bytes < 8)
		return number((int64_t)(x << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes));
	return number((int64_t)x);
}

static const char *eval_address(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_address *a,
				const char **rest);

/* ---- names ---------------------------------------------------------------------------------------------------- */

static struct dbg_value either(struct parse *p);

/* "x" of these three. */
static struct dbg_value part(struct parse *p, const uint32_t *xyz)
{
	if (p->p[0] != '.' || p->p[1] < 'x' || p->p[1] > 'z')
		return wrong(p, "threadIdx and the like have .x, .y and .z");
	p->p += 2;
	return number(xyz[p->p[-1] - 'x']);
}

static struct dbg_value register_of(struct parse *p, const char *name)
{
	uint32_t lanes[2][DBG_LANES];
	bool wide = name[0] == 'r' && name[1] == 'd', is_real = *name == 'f';
	const char *digits = name + 1 + wide;
	char *end;
	unsigned long n = strtoul(digits, &end, 10);
	float f;

	if (!isdigit((unsigned char)*digits) || *end)
		return wrong(p, "there is no such name");
	if (*name == 'p')
		return n < 15 ? number(p->w->w.pred[n] >> p->lane & 1) : wrong(p, "there is no such predicate");
	if (!dbg.ops->look_register(dbg.dev, p->w->sm, p->w->slot, (uint32_t)n, lanes[0]) ||
	    (wide && !dbg.ops->look_register(dbg.dev, p->w->sm, p->w->slot, (uint32_t)n + 1, lanes[1])))
		return wrong(p, "the kernel has no such register");
	memcpy(&f, &lanes[0][p->lane], sizeof(f));
	if (is_real)
		return real((double)f);
	return number(wide ? (int64_t)(lanes[0][p->lane] | (uint64_t)lanes[1][p->lane] << 32) : (int64_t)lanes[0][p->lane]);
}

static struct dbg_value dollar(struct parse *p, const char *name)
{
	const struct dbg_warp *w = p->w;

	if (!strcmp(name, "count"))
		return number((int64_t)dbg.stop.at.n);
	if (!w)
		return wrong(p, "no thread is in focus");
	if (!strcmp(name, "pc"))
		return number(w->w.addr[p->lane]);
	if (!strcmp(name, "lane"))
		return number(p->lane);
	if (!strcmp(name, "warp"))
		return number(w->w.index);
	if (!strcmp(name, "sm"))
		return number(w->sm);
	if (!strcmp(name, "active"))
		return number(w->w.active);
	if (*name != 'r' && *name != 'f' && *name != 'p')
		return wrong(p, "there is no such name");
	return register_of(p, name);
}

/* A parameter by its number, as so many bytes as it has. */
static struct dbg_value parameter(struct parse *p, const char *digits)
{
	const struct ppu_symbol *s = NULL;
	unsigned long n = strtoul(digits, NULL, 10);
	struct dbg_address a = { PPU_SPACE_PARAM, 0 };
	struct type t = { "", 8, 'u' };

	for (uint32_t i = 0; p->w && p->w->code.img && i < p->w->code.img->num_symbols; i++)
		if (p->w->code.img->symbols[i].kind == PPU_SYM_KERNEL && !strcmp(p->w->code.img->symbols[i].name, p->w->code.kernel))
			s = &p->w->code.img->symbols[i];
	if (!s || n >= s->num_params)
		return wrong(p, "the kernel has no such parameter");
	a.addr = s->params[n].offset;
	if (s->params[n].size < 8)
		t.bytes = s->params[n].size >= 4 ? 4 : s->params[n].size >= 2 ? 2 : 1;
	return load(p, &a, &t);
}

static struct dbg_value variable(struct parse *p, const char *name)
{
	struct type t = { "", 4, 's' };	/* most are int */
	struct dbg_address a;
	uint64_t bytes;

	if (!dbg_symbol(p->w ? p->w->c.seen.task.inst : 0, p->w ? p->w->code.img : NULL, name, &a.space, &a.addr, &bytes))
		return wrong(p, "there is no such name");
	space(p);
	if (*p->p == '[') {
		struct dbg_value i;

		p->p++;
		i = either(p);
		if (!take(p, "]"))
			return wrong(p, "] is missing");
		a.addr += 4 * (uint64_t)i.i;
	}
	t.bytes = bytes >= 4 || !bytes ? 4 : bytes >= 2 ? 2 : 1;
	return load(p, &a, &t);
}

static struct dbg_value name(struct parse *p)
{
	char buf[256];
	size_t n = 0;
	const struct dbg_warp *w = p->w;
	uint32_t thread[3];

	while (isalnum((unsigned char)p->p[n]) || p->p[n] == '_' || p->p[n] == '$' || p->p[n] == ':')
		n++;
	if (!n || n >= sizeof(buf))
		return wrong(p, "this is no expression");
	memcpy(buf, p->p, n);
	buf[n] = 0;
	p->p += n;
	if (*buf == '$')
		return dollar(p, buf + 1);
	for (size_t i = 0; i < NUM_TYPES; i++)
		if (!strcmp(buf, types[i].name) && *p->p == '(') {
			struct dbg_address a;
			const char *rest, *err;

			err = eval_address(p->p + 1, p->w, p->lane, p->depth, &a, &rest);
			if (err)
				return wrong(p, err);
			p->p = rest;
			return take(p, ")") ? load(p, &a, &types[i]) : wrong(p, ") is missing");
		}
	if (!strncmp(buf, "param", 5) && isdigit((unsigned char)buf[5]))
		return parameter(p, buf + 5);
	if (!strcmp(buf, "threadIdx") && w) {
		dbg_thread_of(w, p->lane, thread);
		return part(p, thread);
	}
	if (!strcmp(buf, "blockIdx") && w)
		return part(p, w->c.seen.id);
	if (!strcmp(buf, "blockDim") && w)
		return part(p, w->c.seen.task.block);
	if (!strcmp(buf, "gridDim") && w)
		return part(p, w->c.seen.task.grid);
	return variable(p, buf);
}

/* ---- operators -------------------------------------------------------------------------------------------------- */

static struct dbg_value literal(struct parse *p)
{
	char *end, *whole;
	uint64_t i = strtoull(p->p, &whole, 0);
	double f = strtod(p->p, &end);
	bool hex = p->p[0] == '0' && (p->p[1] == 'x' || p->p[1] == 'X');

	if (end > whole && !hex) {
		p->p = end;
		return real(f);
	}
	p->p = whole;
	return number((int64_t)i);
}

/* A variable that the debug sections describe. */
static bool object(struct parse *p, struct dbg_value *v)
{
	const char *rest, *err;
	struct dbg_object o;

	*v = number(0);
	if (!dbg_object_of(p->p, p->w, p->lane, p->depth, &o, &rest, &err))
		return false;
	if (!err)
		err = dbg_object_value(&o, p->w, p->lane, v);
	if (err)
		wrong(p, err);
	p->p = rest;
	return true;
}

static struct dbg_value unary(struct parse *p)
{
	static const struct type u32 = { "u32", 4, 'u' };
	struct dbg_value v;

	space(p);
	if (++p->depth > 64)
		return wrong(p, "the expression is too deep");
	if (object(p, &v)) {
		;
	} else if (take(p, "-")) {
		v = unary(p);
		v = v.real ? real(-v.f) : number((int64_t)-(uint64_t)v.i);
	} else if (take(p, "!")) {
		v = unary(p);
		v = number(v.real ? v.f == 0 : !v.i);
	} else if (take(p, "~")) {
		v = number(~unary(p).i);
	} else if (take(p, "*")) {
		struct dbg_address a = dbg_address_of((uint64_t)unary(p).i);

		v = p->err ? number(0) : load(p, &a, &u32);
	} else if (take(p, "(")) {
		v = either(p);
		if (!take(p, ")"))
			return wrong(p, ") is missing");
	} else if (isdigit((unsigned char)*p->p)) {
		v = literal(p);
	} else {
		v = name(p);
	}
	p->depth--;
	return v;
}

static struct dbg_value product(struct parse *p, char op, struct dbg_value a, struct dbg_value b)
{
	if (a.real || b.real)
		return op == '%' ? wrong(p, "% is for whole numbers") : real(op == '*' ? a.f * b.f : a.f / b.f);
	if (op == '*')
		return number((int64_t)((uint64_t)a.i * (uint64_t)b.i));
	if (!b.i || (b.i == -1 && a.i == INT64_MIN))
		return wrong(p, "division by 0");
	return number(op == '/' ? a.i / b.i : a.i % b.i);
}

static struct dbg_value multiplied(struct parse *p)
{
	struct dbg_value v = unary(p);

	for (;;) {
		char op = take(p, "*") ? '*' : take(p, "/") ? '/' : take(p, "%") ? '%' : 0;

		if (!op || p->err)
			return v;
		v = product(p, op, v, unary(p));
	}
}

static struct dbg_value added(struct parse *p)
{
	struct dbg_value v = multiplied(p), b;

	for (;;) {
		bool plus = take(p, "+");

		if (p->err || (!plus && !take(p, "-")))
			return v;
		b = multiplied(p);
		if (v.real || b.real)
			v = real(plus ? v.f + b.f : v.f - b.f);
		else
			v = number((int64_t)(plus ? (uint64_t)v.i + (uint64_t)b.i : (uint64_t)v.i - (uint64_t)b.i));
	}
}

static struct dbg_value shifted(struct parse *p)
{
	struct dbg_value v = added(p);

	for (;;) {
		bool left = take(p, "<<");

		if (p->err || (!left && !take(p, ">>")))
			return v;
		v = number((int64_t)(left ? (uint64_t)v.i << (added(p).i & 63) : (uint64_t)v.i >> (added(p).i & 63)));
	}
}

static struct dbg_value compared(struct parse *p)
{
	struct dbg_value a = shifted(p), b;
	bool eq = take(p, "=="), ne = !eq && take(p, "!="), le = !eq && !ne && take(p, "<=");
	bool ge = !eq && !ne && !le && take(p, ">="), lt = !eq && !ne && !le && !ge && take(p, "<");
	bool gt = !eq && !ne && !le && !ge && !lt && take(p, ">"), re;

	if (!eq && !ne && !le && !ge && !lt && !gt)
		return a;
	b = shifted(p);
	re = a.real || b.real;
	if (eq || ne)
		return number((re ? a.f == b.f : a.i == b.i) == eq);
	if (lt || ge)
		return number((re ? a.f < b.f : a.i < b.i) == lt);
	return number((re ? a.f > b.f : a.i > b.i) == gt);
}

static struct dbg_value bits(struct parse *p)
{
	struct dbg_value v = compared(p);

	for (;;) {
		char op = take(p, "&") ? '&' : take(p, "^") ? '^' : take(p, "|") ? '|' : 0;
		int64_t b;

		if (!op || p->err)
			return v;
		b = compared(p).i;
		v = number(op == '&' ? v.i & b : op == '^' ? v.i ^ b : v.i | b);
	}
}

static bool is_true(const struct dbg_value *v)
{
	return v->real ? v->f != 0 : v->i != 0;
}

static struct dbg_value both(struct parse *p)
{
	struct dbg_value v = bits(p), b;

	while (!p->err && take(p, "&&")) {
		b = bits(p);
		v = number(is_true(&v) && is_true(&b));
	}
	return v;
}

static struct dbg_value either(struct parse *p)
{
	struct dbg_value v = both(p), b;

	while (!p->err && take(p, "||")) {
		b = both(p);
		v = number(is_true(&v) || is_true(&b));
	}
	return v;
}

const char *dbg_eval_inner(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_value *v,
			   const char **rest)
{
	struct parse p = { .p = text, .w = w, .lane = lane, .depth = depth };

	*v = either(&p);
	space(&p);
	if (rest)
		*rest = p.p;
	else if (*p.p && !p.err)
		p.err = "this is no expression";
	return p.err;
}

const char *dbg_eval(const char *text, const struct dbg_warp *w, uint32_t lane, struct dbg_value *v, const char **rest)
{
	return dbg_eval_inner(text, w, lane, 0, v, rest);
}

/* NAME or NAME[INDEX], and +BYTES; elements are words, as those of variable(). */
static const char *address_of(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_address *a,
			      const char **rest)
{
	size_t n = strcspn(text, " \t),+-[");
	struct dbg_value v;
	const char *err;
	uint64_t bytes;
	char name[256];
	struct dbg_object o;
	const char *end;

	if (dbg_object_of(text, w, lane, depth, &o, &end, &err)) {
		if (!err && (o.missing || o.constant))
			err = o.missing ? o.missing : "this is a number, and in no memory";
		if (!err && o.bits)
			err = "a bit field has no address";
		*a = o.at;
		if (rest)
			*rest = end;
		return err ? err : !rest && *end ? "this is no address" : NULL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(n < 255 ? n : 255), text);
	if (!dbg_symbol(w ? w->c.seen.task.inst : 0, w ? w->code.img : NULL, name, &a->space, &a->addr, &bytes))
		return "there is no such name";
	text += n + strspn(text + n, " \t");
	if (*text == '[') {
		err = dbg_eval_inner(text + 1, w, lane, depth, &v, &text);
		if (err || *text++ != ']')
			return err ? err : "] is missing";
		a->addr += 4 * (uint64_t)v.i;
		text += strspn(text, " \t");
	}
	if (*text == '+') {
		err = dbg_eval_inner(text + 1, w, lane, depth, &v, rest);
		a->addr += (uint64_t)v.i;
		return err;
	}
	if (rest)
		*rest = text;
	return !rest && *text ? "this is no address" : NULL;
}

static const char *eval_address(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_address *a,
				const char **rest)
{
	uint32_t space = PPU_SPACE_GENERIC;
	struct dbg_value v;
	const char *err;
	size_t n;

	text += strspn(text, " \t");
	for (uint32_t s = PPU_SPACE_GLOBAL; s <= PPU_SPACE_PARAM; s++) {
		n = strlen(dbg_space_name(s));
		if (!strncmp(text, dbg_space_name(s), n) && text[n] == ':') {
			space = s;
			text += n + 1;
		}
	}
	if (*text == '&')
		return address_of(text + 1, w, lane, depth, a, rest);
	err = dbg_eval_inner(text, w, lane, depth, &v, rest);
	*a = space == PPU_SPACE_GENERIC ? dbg_address_of((uint64_t)v.i) : (struct dbg_address){ space, (uint64_t)v.i };
	return err;
}

const char *dbg_eval_address(const char *text, const struct dbg_warp *w, uint32_t lane, struct dbg_address *a, const char **rest)
{
	return eval_address(text, w, lane, 0, a, rest);
}
