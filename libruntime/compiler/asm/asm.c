/* SPDX-License-Identifier: MIT */
/*
 * Assembler: text (.ppus) to image.  The language is described in Documentation/hw/isa.md.
 *
 * One pass over the lines; labels and symbols used before their definition are fixed up at the end.
 * An instruction is parsed in three steps: guard, mnemonic and suffixes; the list of operands, each
 * recognised by its own form; then the format's syntax string takes the operands in order.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/obj/image.h"
#include "compiler/asm/text.h"

#define MAX_ERRORS	50
#define MAX_OPERANDS	10

struct span {
	const char *s;
	size_t n;
};

/* Name -> number, in a scope (function number, or 0). */
struct map {
	struct map_entry {
		struct span key;
		uint32_t scope, value, used;
	} *v;
	uint32_t n, cap;
};

struct fixup {
	struct span name;
	uint32_t scope, pc, line, col;
	int64_t addend;
	uint8_t what;		/* FIX_* */
	uint8_t quoted;
};
enum { FIX_TARGET, FIX_IMM, FIX_IMM64, FIX_DATA_ADDR, FIX_DATA_CODE };

struct as {
	const char *file;
	const char *p, *end;	/* cursor; end of the text */
	const char *line_start;
	uint32_t line;
	struct ppu_log *log;
	unsigned errors;
	int oom;

	struct ppu_image *img;
	uint32_t cap_insns;
	uint64_t cap_data;
	struct map labels, symbols, params;
	struct fixup *fixups;
	uint32_t num_fixups;
	uint32_t scope;		/* current function's symbol index + 1 */
	int has_loc;
	uint32_t next_param;
	uint8_t fn_regs, fn_bars, fn_insns;	/* given explicitly */
	struct ppu_line *auto_lines;
	uint32_t num_auto;
};

enum operand_kind { O_REG, O_PRED, O_INT, O_FLOAT, O_SYM, O_MEM, O_SREG };
struct operand {
	enum operand_kind kind;
	const char *at;
	unsigned num, width;	/* register or predicate; width 0: rz */
	unsigned neg, abs;
	uint64_t value;		/* magnitude with sign applied, two's complement */
	int negative;
	double f;
	struct span sym;
	int quoted;
	int64_t addend;
	int has_base;
};

static void error_at(struct as *a, uint32_t line, uint32_t col, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void error_at(struct as *a, uint32_t line, uint32_t col, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	a->errors++;
	if (!a->log)
		return;
	a->log->errors++;
	if (a->errors > MAX_ERRORS)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ppu_log_printf(a->log, "%s:%u:%u: error: %s\n", a->file, line, col, text);
}

#define ERROR(a, pos, ...) \
	error_at(a, (a)->line, (uint32_t)((pos) - (a)->line_start) + 1, __VA_ARGS__)

/* ---- maps ---- */

static uint32_t hash(struct span k, uint32_t scope)
{
	uint32_t h = 2166136261u ^ scope * 2654435761u;
	size_t i;

	for (i = 0; i < k.n; i++)
		h = (h ^ (uint8_t)k.s[i]) * 16777619u;
	return h ^ h >> 15;
}

static struct map_entry *map_at(struct map *m, struct span k, uint32_t scope)
{
	uint32_t i;

	if (!m->cap)
		return NULL;
	for (i = hash(k, scope) & (m->cap - 1); m->v[i].used; i = (i + 1) & (m->cap - 1))
		if (m->v[i].scope == scope && m->v[i].key.n == k.n &&
		    !memcmp(m->v[i].key.s, k.s, k.n))
			break;
	return &m->v[i];
}

static struct map_entry *map_get(struct map *m, struct span k, uint32_t scope)
{
	struct map_entry *e = map_at(m, k, scope);

	return e && e->used ? e : NULL;
}

/* The key must outlive the map: it lies in the text, or is a symbol's name. */
static void map_put(struct as *a, struct map *m, struct span k, uint32_t scope, uint32_t value)
{
	struct map_entry *e;

	if ((m->n + 1) * 2 > m->cap) {
		struct map bigger = { calloc(m->cap ? m->cap * 2 : 64, sizeof(*m->v)), m->n,
				      m->cap ? m->cap * 2 : 64 };
		uint32_t i;

		if (!bigger.v) {
			a->oom = 1;
			return;
		}
		for (i = 0; i < m->cap; i++)
			if (m->v[i].used)
				*map_at(&bigger, m->v[i].key, m->v[i].scope) = m->v[i];
		free(m->v);
		*m = bigger;
	}
	e = map_at(m, k, scope);
	if (!e->used)
		m->n++;
	e->key = k;
	e->scope = scope;
	e->value = value;
	e->used = 1;
}

/* ---- characters ---- */

static int is_ident(char c, int first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       (!first && ((c >= '0' && c <= '9') || c == '.'));
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char peek(struct as *a)
{
	return a->p < a->end ? *a->p : '\n';
}

/* Blanks, comments, and the line break after a backslash. */
static void skip(struct as *a)
{
	for (;;) {
		char c = peek(a);

		if ((c == ' ' || c == '\t' || c == '\r') && a->p < a->end) {
			a->p++;
		} else if (c == '/' && a->p + 1 < a->end && a->p[1] == '/') {
			while (peek(a) != '\n')
				a->p++;
		} else if (c == '/' && a->p + 1 < a->end && a->p[1] == '*') {
			a->p += 2;
			while (a->p + 1 < a->end && !(a->p[0] == '*' && a->p[1] == '/')) {
				if (*a->p == '\n') {
					a->line++;
					a->line_start = a->p + 1;
				}
				a->p++;
			}
			if (a->p + 1 >= a->end) {
				ERROR(a, a->p, "comment is not closed");
				a->p = a->end;
			} else {
				a->p += 2;
			}
		} else if (c == '\\' && a->p + 1 < a->end && a->p[1] == '\n') {
			a->p += 2;
			a->line++;
			a->line_start = a->p;
		} else {
			return;
		}
	}
}

static int end_of_statement(struct as *a)
{
	skip(a);
	return peek(a) == '\n' || peek(a) == ';';
}

static int accept(struct as *a, char c)
{
	skip(a);
	if (a->p < a->end && *a->p == c && c != '\n') {
		a->p++;
		return 1;
	}
	return 0;
}

static void skip_statement(struct as *a)
{
	while (peek(a) != '\n')
		a->p++;
}

/* Identifier: letter, _ or $ first, then also digits and dots. */
static struct span ident(struct as *a)
{
	struct span s = { a->p, 0 };

	if (!is_ident(peek(a), 1))
		return s;
	while (a->p < a->end && is_ident(*a->p, 0))
		a->p++;
	s.n = (size_t)(a->p - s.s);
	return s;
}

static int is(struct span s, const char *text)
{
	return strlen(text) == s.n && !memcmp(s.s, text, s.n);
}

/* A quoted string, decoded into malloc'ed bytes. NULL after an error. */
static char *string(struct as *a, size_t *len)
{
	const char *from = a->p;
	char *out, *o;

	a->p++;
	while (peek(a) != '\n' && *a->p != '"')
		a->p += *a->p == '\\' && a->p + 1 < a->end && a->p[1] != '\n' ? 2 : 1;
	if (peek(a) != '"') {
		ERROR(a, from, "string is not closed");
		return NULL;
	}
	out = o = malloc((size_t)(a->p - from) + 1);
	if (!out) {
		a->oom = 1;
		return NULL;
	}
	for (from++; from < a->p; from++) {
		unsigned v;

		if (*from != '\\') {
			*o++ = *from;
			continue;
		}
		switch (*++from) {
		case 'n': *o++ = '\n'; break;
		case 't': *o++ = '\t'; break;
		case '0': *o++ = '\0'; break;
		case 'x':
			v = 0;
			for (unsigned i = 0; i < 2; i++) {
				char c = from + 1 < a->p ? from[1] : 0;
				int d = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 :
					c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

				if (d < 0)
					break;
				v = v * 16 + (unsigned)d;
				from++;
			}
			*o++ = (char)v;
			break;
		default:
			*o++ = *from;
		}
	}
	a->p++;
	*o = '\0';
	*len = (size_t)(o - out);
	return out;
}

/* A name: identifier or quoted.  malloc'ed; NULL after an error. */
static char *name(struct as *a)
{
	const char *at;
	struct span s;
	size_t len;
	char *v;

	skip(a);
	at = a->p;
	if (peek(a) == '"') {
		v = string(a, &len);
		if (v && (!len || strlen(v) != len)) {
			ERROR(a, at, "a name cannot be empty or contain NUL");
			free(v);
			v = NULL;
		}
		return v;
	}
	s = ident(a);
	if (!s.n) {
		ERROR(a, at, "a name is expected");
		return NULL;
	}
	v = strndup(s.s, s.n);
	if (!v)
		a->oom = 1;
	return v;
}

/* Number: 12, -7, 0x1f, 1.5, -2e3.  Returns 0 after an error. */
static int number(struct as *a, struct operand *o)
{
	const char *from = a->p;
	char text[64], *stop;
	size_t n = 0;
	int hex;

	memset(o, 0, sizeof(*o));
	o->at = from;
	if (peek(a) == '-' || peek(a) == '+') {
		o->negative = *a->p == '-';
		a->p++;
	}
	hex = a->p + 1 < a->end && a->p[0] == '0' && (a->p[1] == 'x' || a->p[1] == 'X');
	while (a->p < a->end && n < sizeof(text) - 1 &&
	       (is_digit(*a->p) || (*a->p >= 'a' && *a->p <= 'z') ||
		(*a->p >= 'A' && *a->p <= 'Z') || *a->p == '.' ||
		(!hex && n && (*a->p == '+' || *a->p == '-') &&
		 (text[n - 1] == 'e' || text[n - 1] == 'E'))))
		text[n++] = *a->p++;
	text[n] = '\0';
	if (!n || !is_digit(text[0]) || n >= sizeof(text) - 1) {
		ERROR(a, from, "a number is expected");
		return 0;
	}
	if (!hex && strpbrk(text, ".eE")) {
		o->kind = O_FLOAT;
		o->f = strtod(text, &stop);
		if (o->negative)
			o->f = -o->f;
	} else {
		o->kind = O_INT;
		errno = 0;
		o->value = strtoull(text, &stop, hex ? 16 : 10);
		if (errno) {
			ERROR(a, from, "number does not fit in 64 bits");
			return 0;
		}
		if (o->negative) {
			if (o->value > 1ull << 63) {
				ERROR(a, from, "number does not fit in 64 bits");
				return 0;
			}
			o->value = -o->value;
		}
	}
	if (*stop) {
		ERROR(a, from, "bad number");
		return 0;
	}
	return 1;
}

/* An unsigned number up to max. */
static int natural(struct as *a, uint64_t max, uint64_t *v)
{
	struct operand o;
	const char *at;

	skip(a);
	at = a->p;
	if (!number(a, &o))
		return 0;
	if (o.kind != O_INT || o.negative || o.value > max) {
		ERROR(a, at, "a number from 0 to %llu is expected", (unsigned long long)max);
		return 0;
	}
	*v = o.value;
	return 1;
}

/* ---- image parts ---- */

static int add_insn(struct as *a, const struct ppu_insn *in)
{
	struct ppu_image *img = a->img;

	if (img->num_insns == a->cap_insns) {
		uint32_t cap = a->cap_insns ? a->cap_insns * 2 : 256;
		struct ppu_insn *v = realloc(img->code, (size_t)cap * sizeof(*v));

		if (!v) {
			a->oom = 1;
			return -1;
		}
		img->code = v;
		a->cap_insns = cap;
	}
	if (img->num_insns > PPU_PC_MAX) {
		ERROR(a, a->p, "more than 2^22 instructions");
		return -1;
	}
	img->code[img->num_insns++] = *in;
	return 0;
}

/* Symbol index; defines or completes. `str` is taken over. -1 after an error. */
static int64_t new_symbol(struct as *a, char *str, const char *at, unsigned kind)
{
	struct span key = { str, strlen(str) };
	struct map_entry *e = map_get(&a->symbols, key, 0);
	struct ppu_symbol *s;

	if (e) {
		s = &a->img->symbols[e->value];
		free(str);
		if (kind == PPU_SYM_UNDEF)
			return e->value;
		if (s->kind != PPU_SYM_UNDEF) {
			ERROR(a, at, "'%s' is defined twice", s->name);
			return -1;
		}
		s->kind = kind;
		s->flags = PPU_SYMF_GLOBAL;
		return e->value;
	}
	if (PPU_GROW(a->img->symbols, a->img->num_symbols)) {
		free(str);
		a->oom = 1;
		return -1;
	}
	s = &a->img->symbols[a->img->num_symbols - 1];
	s->name = str;
	s->kind = kind;
	s->flags = PPU_SYMF_GLOBAL;
	map_put(a, &a->symbols, key, 0, a->img->num_symbols - 1);
	return a->img->num_symbols - 1;
}

static void add_reloc(struct as *a, unsigned kind, uint32_t symbol, uint64_t where, int64_t addend)
{
	struct ppu_reloc *r;

	if (PPU_GROW(a->img->relocs, a->img->num_relocs)) {
		a->oom = 1;
		return;
	}
	r = &a->img->relocs[a->img->num_relocs - 1];
	r->kind = kind;
	r->symbol = symbol;
	r->where = where;
	r->addend = addend;
}

static void add_fixup(struct as *a, unsigned what, uint32_t pc, struct span sym, int quoted,
		      int64_t addend, const char *at)
{
	struct fixup *f;

	if (PPU_GROW(a->fixups, a->num_fixups)) {
		a->oom = 1;
		return;
	}
	f = &a->fixups[a->num_fixups - 1];
	f->name = sym;
	f->scope = a->scope;
	f->pc = pc;
	f->line = a->line;
	f->col = (uint32_t)(at - a->line_start) + 1;
	f->addend = addend;
	f->what = (uint8_t)what;
	f->quoted = (uint8_t)quoted;
}

/* ---- operands ---- */

/* rN rdN rqN rz pN pt !pN; 1: it is one, -1: looks like one but is wrong, 0: something else. */
static int reg_or_pred(struct as *a, struct operand *o)
{
	const char *from = a->p, *p = a->p, *end = a->end;
	unsigned n = 0, digits = 0, width = 1;
	int pred;

	memset(o, 0, sizeof(*o));
	o->at = from;
	if (p < end && *p == '!') {
		o->neg = 1;
		p++;
	}
	if (p >= end || (*p != 'r' && *p != 'p'))
		return 0;
	pred = *p++ == 'p';
	if (p < end && *p == (pred ? 't' : 'z') && (p + 1 >= end || !is_ident(p[1], 0))) {
		o->kind = pred ? O_PRED : O_REG;
		o->num = pred ? PPU_PT : PPU_RZ;
		a->p = p + 1;
		return pred || !o->neg ? 1 : 0;
	}
	if (!pred && p < end && (*p == 'd' || *p == 'q'))
		width = *p++ == 'd' ? 2 : 4;
	while (p < end && is_digit(*p) && digits < 4) {
		n = n * 10 + (unsigned)(*p++ - '0');
		digits++;
	}
	if (!digits || (p < end && is_ident(*p, 0)) || (o->neg && !pred))
		return 0;
	a->p = p;
	o->kind = pred ? O_PRED : O_REG;
	o->num = n;
	o->width = pred ? 0 : width;
	if (n >= (pred ? PPU_NUM_PREDS : PPU_NUM_REGS)) {
		ERROR(a, from, pred ? "predicates are p0 to p14 and pt" :
		      "registers are r0 to r254 and rz");
		return -1;
	}
	return 1;
}

/* name or "name", then optional +N or -N.  0 after an error. */
static int symbol_ref(struct as *a, struct operand *o)
{
	const char *at = a->p;
	struct operand n;

	o->kind = O_SYM;
	o->at = at;
	if (peek(a) == '"') {
		size_t len;
		char *s = string(a, &len);
		struct span key;
		int64_t i;

		if (!s)
			return 0;
		if (!len || strlen(s) != len) {
			ERROR(a, at, "a name cannot be empty or contain NUL");
			free(s);
			return 0;
		}
		/* quoted names become symbols at once, so that the name has an owner */
		i = new_symbol(a, s, at, PPU_SYM_UNDEF);
		if (i < 0)
			return 0;
		key.s = a->img->symbols[i].name;
		key.n = strlen(key.s);
		o->sym = key;
		o->quoted = 1;
	} else if (peek(a) == '.') {	/* .L12: a label that is no identifier */
		a->p++;
		o->sym = ident(a);
		o->sym.s--;
		o->sym.n++;
		if (o->sym.n == 1) {
			ERROR(a, at, "an operand is expected");
			return 0;
		}
	} else {
		o->sym = ident(a);
		if (!o->sym.n) {
			ERROR(a, at, "an operand is expected");
			return 0;
		}
	}
	if (peek(a) == '+' || peek(a) == '-') {
		if (!number(a, &n))
			return 0;
		if (n.kind != O_INT) {
			ERROR(a, n.at, "an integer is expected");
			return 0;
		}
		o->addend = (int64_t)n.value;
	}
	return 1;
}

static int mem_operand(struct as *a, struct operand *o)
{
	struct operand part;
	const char *at = a->p;
	int first = 1, r;

	memset(o, 0, sizeof(*o));
	a->p++;
	for (;;) {
		skip(a);
		if (peek(a) == ']' && !first) {
			a->p++;
			break;
		}
		if (first) {
			r = reg_or_pred(a, &part);
			if (r < 0)
				return 0;
			if (r) {
				if (part.kind != O_REG) {
					ERROR(a, part.at, "an address register is expected");
					return 0;
				}
				o->has_base = 1;
				o->num = part.num;
				o->width = part.width;
				first = 0;
				continue;
			}
		} else if (peek(a) == '+' && a->p + 1 < a->end && !is_digit(a->p[1])) {
			a->p++;
			skip(a);
		} else if (peek(a) != '+' && peek(a) != '-') {
			ERROR(a, a->p, "']' is expected");
			return 0;
		}
		first = 0;
		memset(&part, 0, sizeof(part));
		if (peek(a) == '-' || peek(a) == '+' || is_digit(peek(a))) {
			if (!number(a, &part))
				return 0;
			if (part.kind != O_INT) {
				ERROR(a, part.at, "an integer is expected");
				return 0;
			}
			o->addend = (int64_t)((uint64_t)o->addend + part.value);
		} else {
			if (o->sym.n) {
				ERROR(a, a->p, "only one symbol in an address");
				return 0;
			}
			if (!symbol_ref(a, &part))
				return 0;
			o->sym = part.sym;
			o->quoted = part.quoted;
			o->addend = (int64_t)((uint64_t)o->addend + (uint64_t)part.addend);
		}
	}
	o->kind = O_MEM;
	o->at = at;
	if (!o->has_base)
		o->num = PPU_RZ;
	return 1;
}

static int operand(struct as *a, struct operand *o)
{
	const char *at;
	unsigned neg = 0, abs = 0;
	int r;

	skip(a);
	at = a->p;
	if (peek(a) == '[')
		return mem_operand(a, o);
	if (peek(a) == '%') {
		struct span s;
		int n;

		a->p++;
		s = ident(a);
		n = ppu_sreg_value(s.s, s.n);
		if (n < 0) {
			ERROR(a, at, "no such special register");
			return 0;
		}
		memset(o, 0, sizeof(*o));
		o->kind = O_SREG;
		o->at = at;
		o->num = (unsigned)n;
		return 1;
	}
	if (peek(a) == '-' && a->p + 1 < a->end && (a->p[1] == 'r' || a->p[1] == '|')) {
		neg = 1;
		a->p++;
	}
	if (peek(a) == '|') {
		abs = 1;
		a->p++;
	}
	r = reg_or_pred(a, o);
	if (r < 0)
		return 0;
	if (r) {
		o->at = at;
		if ((neg || abs) && o->kind != O_REG) {
			ERROR(a, at, "a register is expected");
			return 0;
		}
		if (o->kind == O_REG) {
			o->neg = neg;
			o->abs = abs;
		}
		if (abs && !accept(a, '|')) {
			ERROR(a, a->p, "'|' is expected");
			return 0;
		}
		return 1;
	}
	if (neg || abs) {
		ERROR(a, at, "a register is expected");
		return 0;
	}
	memset(o, 0, sizeof(*o));
	if (peek(a) == '-' || peek(a) == '+' || is_digit(peek(a)))
		return number(a, o);
	return symbol_ref(a, o);
}

/* ---- immediates ---- */

/* f rounded to a format of 16 bits with ebits exponent bits, nearest even. */
static uint32_t to_half(double f, unsigned ebits)
{
	unsigned mbits = 15 - ebits;
	int bias = (1 << (ebits - 1)) - 1, e;
	uint32_t sign = signbit(f) ? 0x8000 : 0, v;
	double m;

	f = fabs(f);
	if (f == 0)
		return sign;
	m = frexp(f, &e);	/* f = m * 2^e, 0.5 <= m < 1 */
	if (e - 1 > bias)
		return sign | ((1u << ebits) - 1) << mbits;
	if (e - 1 < 1 - bias)
		v = (uint32_t)nearbyint(ldexp(f, bias - 1 + (int)mbits));
	else
		v = (uint32_t)(e - 1 + bias - 1) * (1u << mbits) +
		    (uint32_t)nearbyint(ldexp(m, (int)mbits + 1));
	return sign | v;
}

/* The 32 bits of an immediate operand of type t. */
static int imm_value(struct as *a, const struct operand *o, unsigned t, uint32_t *v)
{
	if (o->kind == O_FLOAT) {
		float f = (float)o->f;
		uint64_t bits;

		switch (t) {
		case PPU_T_F32:
			memcpy(v, &f, 4);
			return 1;
		case PPU_T_F64:
			memcpy(&bits, &o->f, 8);
			if ((uint32_t)bits) {
				ERROR(a, o->at, "only the upper half of an f64 immediate can be given; use movi64");
				return 0;
			}
			*v = (uint32_t)(bits >> 32);
			return 1;
		case PPU_T_F16:
		case PPU_T_F16X2:
			*v = to_half(o->f, 5);
			break;
		case PPU_T_BF16:
		case PPU_T_BF16X2:
			*v = to_half(o->f, 8);
			break;
		default:
			ERROR(a, o->at, "a number with a point needs a floating type");
			return 0;
		}
		if (t == PPU_T_F16X2 || t == PPU_T_BF16X2)
			*v |= *v << 16;
		return 1;
	}
	if ((t == PPU_T_U64 || t == PPU_T_S64) &&
	    ((int64_t)o->value > INT32_MAX || (int64_t)o->value < INT32_MIN)) {
		ERROR(a, o->at, "immediate does not fit in 32 bits, sign-extended; use movi64");
		return 0;
	}
	if ((int64_t)o->value > UINT32_MAX || (int64_t)o->value < INT32_MIN) {
		ERROR(a, o->at, "immediate does not fit in 32 bits");
		return 0;
	}
	*v = (uint32_t)o->value;
	return 1;
}

/* ---- instructions ---- */

static int want_reg(struct as *a, const struct operand *o, unsigned width, unsigned *num)
{
	if (o->kind != O_REG) {
		ERROR(a, o->at, "a register is expected");
		return 0;
	}
	if (o->num != PPU_RZ && o->width != width) {
		ERROR(a, o->at, width == 1 ? "a 32-bit register (r%u) is expected" :
		      width == 2 ? "a register pair (rd%u) is expected" :
		      "four registers (rq%u) are expected", o->num);
		return 0;
	}
	*num = o->num;
	return 1;
}

static int want_imm(struct as *a, struct ppu_insn *in, const struct operand *o, unsigned t)
{
	uint32_t v;

	if (o->kind == O_SYM) {
		struct map_entry *e = o->quoted ? NULL : map_get(&a->params, o->sym, a->scope);

		if (e)
			PPU_SET(in, IMM, e->value + (uint64_t)o->addend);
		else
			add_fixup(a, FIX_IMM, a->img->num_insns, o->sym, o->quoted, o->addend, o->at);
		return 1;
	}
	if (!imm_value(a, o, t, &v))
		return 0;
	PPU_SET(in, IMM, v);
	return 1;
}

static int suffixes(struct as *a, struct ppu_insn *in, struct span s, const struct ppu_isa_info *info)
{
	unsigned op = PPU_GET(in, OP), first, n = ppu_mods_of(op, &first), i, types = 0;
	uint32_t have = ppu_fmt_fields(info->fmt), given = 0, once = 0;
	int has_u = PPU_FMT_HAS(have, U) && op != PPU_OP_ATOM && op != PPU_OP_REDUX;
	const char *end = s.s + s.n;

	while (s.s < end) {
		struct span w = { s.s + 1, 0 };
		int v, known = 0;

		while (w.s + w.n < end && w.s[w.n] != '.')
			w.n++;
		s.s = w.s + w.n;
		for (i = 0; i < n && !known; i++) {
			const struct ppu_mod *m = &ppu_mods[first + i];
			uint32_t f;

			v = ppu_group_value(m->group, w.s, w.n);
			if (v < 0)
				continue;
			known = 1;
			if (given >> i & 1) {
				ERROR(a, w.s, "two suffixes of one kind (.%s)",
				      ppu_group_text(m->group, (unsigned)v));
				return 0;
			}
			given |= 1u << i;
			f = ppu_field_get(in, m->field) & ~(((1u << m->width) - 1) << m->low);
			ppu_field_set(in, m->field, f | (uint32_t)v << m->low);
		}
		if (known)
			continue;
		v = ppu_group_value(PPU_NG_RND, w.s, w.n);
		if (v >= 0 && PPU_FMT_HAS(have, RND) && !(once & 1)) {
			PPU_SET(in, RND, v);
			once |= 1;
			continue;
		}
		if (is(w, "ftz") && PPU_FMT_HAS(have, FTZ)) {
			PPU_SET(in, FTZ, 1);
			continue;
		}
		if (is(w, "sat") && PPU_FMT_HAS(have, SAT)) {
			PPU_SET(in, SAT, 1);
			continue;
		}
		v = ppu_type_value(w.s, w.n);
		if (v > 0 && PPU_FMT_HAS(have, T) && types < 1u + has_u) {
			if (types++)
				PPU_SET(in, U, v);
			else
				PPU_SET(in, T, v);
			continue;
		}
		ERROR(a, w.s, "%s does not take the suffix .%.*s", info->mnemonic, (int)w.n, w.s);
		return 0;
	}
	for (i = 0; i < n; i++)
		if (!(given >> i & 1) && ppu_mods[first + i].def == PPU_MOD_REQUIRED) {
			ERROR(a, end, "%s needs a suffix of the kind .%s", info->mnemonic,
			      ppu_group_text(ppu_mods[first + i].group,
					     ppu_mods[first + i].group == PPU_NG_SPACE ||
					     ppu_mods[first + i].group == PPU_NG_REASON));
			return 0;
		}
	return 1;
}

/* Give the operands to the syntax string. */
static int place(struct as *a, struct ppu_insn *in, const struct ppu_isa_info *info,
		 struct operand *o, unsigned num)
{
	unsigned op = PPU_GET(in, OP), k = 0, i, r = 0;
	uint32_t have = ppu_fmt_fields(info->fmt);
	int imm64 = info->fmt == PPU_FMT_D_I64;
	const char *s, *widths = ppu_isa_rule(op)->widths;
	struct operand *x;
	uint32_t v;
	uint8_t w[4];

	if (op == PPU_OP_S2R)	/* the width of d depends on it */
		for (i = 0; i < num; i++)
			if (o[i].kind == O_SREG)
				PPU_SET(in, IMM, o[i].num);
	ppu_isa_widths(in, w);
#define NEED(what) do { \
	if (k >= num) { \
		ERROR(a, a->p, what " is missing"); \
		return 0; \
	} \
	x = &o[k++]; \
} while (0)
	for (s = ppu_format_syntax(info->fmt); *s; s++) {
		if (*s != '%')
			continue;
		x = k < num ? &o[k] : NULL;
		switch (*++s) {
		case 'd':
			if (!w[0])
				break;
			NEED("the destination register");
			if (!want_reg(a, x, w[0], &r))
				return 0;
			if (x->neg || x->abs)
				goto no_sign;
			PPU_SET(in, D, r);
			break;
		case 'a':
			if (!w[1] && op != PPU_OP_BAR)
				break;
			NEED("a source operand");
			if (op == PPU_OP_BAR && x->kind == O_INT) {
				if (x->negative || x->value > 15) {
					ERROR(a, x->at, "barriers are 0 to 15");
					return 0;
				}
				PPU_SET(in, X, 1);
				PPU_SET(in, IMM, PPU_GET(in, IMM) | (uint32_t)x->value << 28);
				break;
			}
			if (!want_reg(a, x, w[1], &r))
				return 0;
			if ((x->neg && !PPU_FMT_HAS(have, NA)) || (x->abs && !PPU_FMT_HAS(have, AA)))
				goto no_sign;
			PPU_SET(in, A, r);
			if (x->neg)
				PPU_SET(in, NA, 1);
			if (x->abs)
				PPU_SET(in, AA, 1);
			break;
		case 'b':
		case 'c': {
			int c = *s == 'c';

			if (!w[2 + c] || widths[2 + c] == '-')
				break;
			if (op == PPU_OP_BAR && (!x || x->kind == O_PRED))
				break;
			NEED("a source operand");
			if (x->kind == O_INT || x->kind == O_FLOAT || x->kind == O_SYM) {
				if (c ? !PPU_FMT_HAS(have, CI) : !PPU_FMT_HAS(have, BI)) {
					ERROR(a, x->at, "a register is expected");
					return 0;
				}
				if (c)
					PPU_SET(in, CI, 1);
				else
					PPU_SET(in, BI, 1);
				if (op == PPU_OP_SHFL || op == PPU_OP_BAR) {
					if (x->kind != O_INT || x->negative || x->value > 0xffff) {
						ERROR(a, x->at, "a number from 0 to 65535 is expected");
						return 0;
					}
					v = PPU_GET(in, IMM) | (uint32_t)x->value << 16 * c;
					PPU_SET(in, IMM, v);
				} else if (!want_imm(a, in, x, ppu_imm_type(in, c))) {
					return 0;
				}
				break;
			}
			if (!want_reg(a, x, w[2 + c], &r))
				return 0;
			if (c) {
				if (x->abs || (x->neg && !PPU_FMT_HAS(have, NC)))
					goto no_sign;
				PPU_SET(in, C, r);
				if (x->neg)
					PPU_SET(in, NC, 1);
			} else {
				if ((x->neg && !PPU_FMT_HAS(have, NB)) ||
				    (x->abs && !PPU_FMT_HAS(have, AB)))
					goto no_sign;
				PPU_SET(in, B, r);
				if (x->neg)
					PPU_SET(in, NB, 1);
				if (x->abs)
					PPU_SET(in, AB, 1);
			}
			break;
		}
		case 'p':
		case 'q':
			if (op == PPU_OP_VOTE && PPU_GET(in, M) == PPU_VOTE_BALLOT)
				break;
			if (info->fmt == PPU_FMT_PLOP)
				NEED("the destination predicate");
			else if (x && x->kind == O_PRED)
				k++;
			else
				break;
			if (x->kind != O_PRED || x->neg) {
				ERROR(a, x->at, "a predicate without ! is expected");
				return 0;
			}
			if (*s == 'p')
				PPU_SET(in, PD, x->num);
			else
				PPU_SET(in, PE, x->num);
			break;
		case 's':
			if (info->fmt == PPU_FMT_PLOP)
				NEED("a predicate");
			else if (x && x->kind == O_PRED)
				k++;
			else
				break;
			if (x->kind != O_PRED) {
				ERROR(a, x->at, "a predicate is expected");
				return 0;
			}
			PPU_SET(in, PS, x->num);
			PPU_SET(in, PSN, x->neg);
			break;
		case 'P':
			NEED("a predicate");
			if (x->kind != O_PRED) {
				ERROR(a, x->at, "a predicate is expected");
				return 0;
			}
			PPU_SET(in, A, x->num);
			PPU_SET(in, NA, x->neg);
			break;
		case 'i':
			NEED("an immediate");
			if (imm64 && x->kind == O_SYM) {
				add_fixup(a, FIX_IMM64, a->img->num_insns, x->sym, x->quoted,
					  x->addend, x->at);
			} else if (imm64 && x->kind == O_FLOAT) {
				memcpy(&in->hi, &x->f, 8);
			} else if (imm64 && x->kind == O_INT) {
				in->hi = x->value;
			} else if (x->kind == O_INT) {
				if (!imm_value(a, x, PPU_T_U32, &v))
					return 0;
				PPU_SET(in, IMM, v);
			} else {
				ERROR(a, x->at, "an immediate is expected");
				return 0;
			}
			break;
		case 'l':
			NEED("a branch target");
			if (x->kind == O_SYM) {
				add_fixup(a, FIX_TARGET, a->img->num_insns, x->sym, x->quoted,
					  x->addend, x->at);
			} else if (x->kind == O_INT && !x->negative && x->value <= PPU_PC_MAX) {
				PPU_SET(in, IMM, x->value);
			} else {
				ERROR(a, x->at, "a label or an instruction index is expected");
				return 0;
			}
			break;
		case 'm':
			NEED("an address");
			if (x->kind != O_MEM) {
				ERROR(a, x->at, "an address in [] is expected");
				return 0;
			}
			if (x->has_base && x->num != PPU_RZ && x->width != w[1]) {
				ERROR(a, x->at, w[1] == 2 ?
				      "the address register of this space is a pair (rd%u)" :
				      "the address register of this space is 32 bits wide (r%u)", x->num);
				return 0;
			}
			PPU_SET(in, A, x->num);
			if (x->sym.n) {
				struct operand y = *x;

				y.kind = O_SYM;
				if (!want_imm(a, in, &y, PPU_T_U32))
					return 0;
				break;
			}
			if (x->addend > INT32_MAX || x->addend < INT32_MIN) {
				ERROR(a, x->at, "offset does not fit in 32 bits");
				return 0;
			}
			PPU_SET(in, IMM, x->addend);
			break;
		case 'S':
			NEED("a special register");
			if (x->kind != O_SREG) {
				ERROR(a, x->at, "a special register is expected");
				return 0;
			}
			break;
		}
	}
	if (op == PPU_OP_LOP3) {
		NEED("the truth table");
		if (x->kind != O_INT || x->value > 255) {
			ERROR(a, x->at, "a truth table from 0 to 255 is expected");
			return 0;
		}
		PPU_SET(in, Y, x->value);
	}
	if (op == PPU_OP_SHFL && PPU_GET(in, X) == 1) {
		NEED("the member mask register");
		if (!want_reg(a, x, 1, &r))
			return 0;
		PPU_SET(in, Y, r);
	}
	if (k < num) {
		ERROR(a, o[k].at, "one operand too many, or of the wrong kind");
		return 0;
	}
	return 1;
no_sign:
	ERROR(a, x->at, "no negation or absolute value here");
	return 0;
#undef NEED
}

static void instruction(struct as *a)
{
	const char *start = a->p, *at;
	struct operand o[MAX_OPERANDS], guard = { .kind = O_PRED, .num = PPU_PT };
	const struct ppu_isa_info *info;
	struct ppu_insn in = { 0, 0 };
	struct span word, mn;
	uint32_t fixups = a->num_fixups, line = a->line;
	unsigned num = 0;
	const char *why;
	int op;

	if (accept(a, '@')) {
		at = a->p;
		if (reg_or_pred(a, &guard) != 1 || guard.kind != O_PRED) {
			ERROR(a, at, "a guard predicate is expected");
			goto bad;
		}
		skip(a);
	}
	at = a->p;
	word = ident(a);
	if (!word.n) {
		ERROR(a, at, "an instruction is expected");
		goto bad;
	}
	mn = word;
	for (mn.n = 0; mn.n < word.n && word.s[mn.n] != '.'; mn.n++)
		;
	op = ppu_opcode_value(mn.s, mn.n);
	if (op < 0) {
		ERROR(a, at, "no instruction is called '%.*s'", (int)(mn.n > 40 ? 40 : mn.n), mn.s);
		goto bad;
	}
	info = ppu_isa_info((unsigned)op);
	PPU_SET(&in, OP, op);
	PPU_SET(&in, GP, guard.num);
	PPU_SET(&in, GN, guard.neg);
	PPU_SET(&in, D, PPU_RZ);
	PPU_SET(&in, A, PPU_RZ);
	PPU_SET(&in, B, PPU_RZ);
	PPU_SET(&in, C, PPU_RZ);
	if (info->fmt != PPU_FMT_D_I64) {
		PPU_SET(&in, PD, PPU_PT);
		PPU_SET(&in, PE, PPU_PT);
		PPU_SET(&in, PS, PPU_PT);
	}
	word.s += mn.n;
	word.n -= mn.n;
	if (!suffixes(a, &in, word, info))
		goto bad;
	if (!end_of_statement(a)) {
		do {
			if (num == MAX_OPERANDS) {
				ERROR(a, a->p, "too many operands");
				goto bad;
			}
			if (!operand(a, &o[num]))
				goto bad;
			num++;
		} while (accept(a, ','));
		if (!end_of_statement(a)) {
			ERROR(a, a->p, "',' or the end of the line is expected");
			goto bad;
		}
	}
	if (!place(a, &in, info, o, num))
		goto bad;
	why = ppu_isa_check(&in, PPU_NUM_REGS);
	if (why) {
		error_at(a, line, (uint32_t)(at - a->line_start) + 1, "%.*s: %s", (int)mn.n, mn.s, why);
		goto bad;
	}
	if (PPU_GROW(a->auto_lines, a->num_auto)) {
		a->oom = 1;
	} else {
		struct ppu_line *l = &a->auto_lines[a->num_auto - 1];

		l->pc = a->img->num_insns;
		l->line = line;
		l->column = start >= a->line_start ? (uint32_t)(start - a->line_start) + 1 : 1;
	}
	add_insn(a, &in);
	return;
bad:
	a->num_fixups = fixups;
	skip_statement(a);
}

/* ---- directives ---- */

/* The function that ends here: count and scan what its directive did not say. */
static void close_function(struct as *a)
{
	struct ppu_symbol *s;
	uint32_t i;

	if (!a->scope)
		return;
	s = &a->img->symbols[a->scope - 1];
	if (!a->fn_insns)
		s->num_insns = a->img->num_insns - (uint32_t)s->value;
	else if (s->num_insns > a->img->num_insns - (uint32_t)s->value)
		ERROR(a, a->p, "'%s' has fewer instructions than insns= says", s->name);
	if (!s->num_insns)
		ERROR(a, a->p, "'%s' has no instructions", s->name);
	for (i = (uint32_t)s->value; i < a->img->num_insns; i++) {
		const struct ppu_insn *in = &a->img->code[i];
		int max = ppu_isa_max_reg(in);

		if (!a->fn_regs && max >= 0 && max < PPU_NUM_REGS && (uint32_t)max >= s->regs)
			s->regs = (uint32_t)max + 1;
		if (a->fn_regs && max >= (int)s->regs && i - s->value < s->num_insns) {
			ERROR(a, a->p, "'%s' uses r%d but says regs=%u", s->name, max, s->regs);
			break;
		}
		if (!a->fn_bars && PPU_GET(in, OP) == PPU_OP_BAR) {
			uint32_t n = PPU_GET(in, X) & 1 ? (PPU_GET(in, IMM) >> 28) + 1 : 16;

			if (n > s->barriers)
				s->barriers = n;
		}
	}
	if (!a->fn_regs && s->regs < 2)
		s->regs = 2;	/* R1 holds the stack pointer at start */
	a->scope = 0;
}

/* key=number options and words up to the end of the line. */
static int function_options(struct as *a, struct ppu_symbol *s)
{
	while (!end_of_statement(a)) {
		const char *at = a->p;
		struct span k = ident(a);
		static const struct {
			const char *key;
			size_t off;
			uint32_t max;
		} opts[] = {
			{ "insns", offsetof(struct ppu_symbol, num_insns), PPU_PC_MAX },
			{ "regs", offsetof(struct ppu_symbol, regs), PPU_NUM_REGS },
			{ "frame", offsetof(struct ppu_symbol, frame_bytes), 1u << 24 },
			{ "local", offsetof(struct ppu_symbol, local_bytes), 1u << 24 },
			{ "shared", offsetof(struct ppu_symbol, shared_bytes), PPU_IMAGE_SHARED_MAX },
			{ "fixed", offsetof(struct ppu_symbol, shared_fixed), PPU_IMAGE_SHARED_MAX },
			{ "barriers", offsetof(struct ppu_symbol, barriers), 16 },
			{ "threads", offsetof(struct ppu_symbol, max_threads), 1024 },
			{ "params", offsetof(struct ppu_symbol, param_bytes), PPU_IMAGE_PARAM_MAX },
			{ "reqntid", offsetof(struct ppu_symbol, reqntid), 1024 },
		};
		unsigned i;
		uint64_t v;

		if (is(k, "weak")) {
			s->flags |= PPU_SYMF_WEAK;
			continue;
		}
		if (is(k, "static")) {
			s->flags &= ~PPU_SYMF_GLOBAL;
			continue;
		}
		if (is(k, "recursive")) {
			s->recursive = 1;
			continue;
		}
		for (i = 0; i < sizeof(opts) / sizeof(opts[0]) && !is(k, opts[i].key); i++)
			;
		if (i == sizeof(opts) / sizeof(opts[0]) || !accept(a, '=')) {
			ERROR(a, at, "an option is expected: regs= shared= fixed= local= frame= barriers= threads= reqntid= params= weak static");
			return 0;
		}
		if (!natural(a, opts[i].max, &v))
			return 0;
		*(uint32_t *)((char *)s + opts[i].off) = (uint32_t)v;
		if (is(k, "regs"))
			a->fn_regs = 1;
		if (is(k, "barriers"))
			a->fn_bars = 1;
		if (is(k, "insns"))
			a->fn_insns = 1;
		if (is(k, "reqntid")) {
			if (!accept(a, ',') || !natural(a, 1024, &v))
				return 0;
			s->reqntid[1] = (uint32_t)v;
			if (!accept(a, ',') || !natural(a, 1024, &v))
				return 0;
			s->reqntid[2] = (uint32_t)v;
		}
	}
	return 1;
}

static void function(struct as *a, unsigned kind)
{
	const char *at;
	int64_t i;
	char *n;

	close_function(a);
	skip(a);
	at = a->p;
	n = name(a);
	if (!n || (i = new_symbol(a, n, at, kind)) < 0) {
		skip_statement(a);
		return;
	}
	a->fn_regs = a->fn_bars = a->fn_insns = 0;
	a->next_param = 0;
	a->img->symbols[i].value = a->img->num_insns;
	a->img->symbols[i].shared_fixed = UINT32_MAX;
	a->scope = (uint32_t)i + 1;
	if (!function_options(a, &a->img->symbols[i]))
		skip_statement(a);
}

static void param(struct as *a)
{
	struct ppu_symbol *s;
	struct ppu_param *p;
	const char *at;
	struct span n, t;
	uint64_t size, align, off;
	int type;

	skip(a);
	at = a->p;
	if (!a->scope) {
		ERROR(a, at, ".param stands inside a kernel");
		goto bad;
	}
	n = ident(a);
	if (!n.n) {
		ERROR(a, at, "a name is expected");
		goto bad;
	}
	skip(a);
	if (is_digit(peek(a))) {
		if (!natural(a, PPU_IMAGE_PARAM_MAX, &size))
			goto bad;
		align = 1;
	} else {
		t = ident(a);
		type = ppu_type_value(t.s, t.n);
		if (type < 0) {
			ERROR(a, t.s, "a size or a type is expected");
			goto bad;
		}
		size = align = ppu_type_bits((unsigned)type) / 8;
	}
	if (!end_of_statement(a) && !natural(a, 4096, &align))
		goto bad;
	if (!align || align & (align - 1)) {
		ERROR(a, at, "alignment is not a power of two");
		goto bad;
	}
	off = (a->next_param + align - 1) & ~(align - 1);
	if (!end_of_statement(a) && !natural(a, PPU_IMAGE_PARAM_MAX, &off))
		goto bad;
	if (off + size > PPU_IMAGE_PARAM_MAX) {
		ERROR(a, at, "more than %u bytes of parameters", PPU_IMAGE_PARAM_MAX);
		goto bad;
	}
	if (map_get(&a->params, n, a->scope)) {
		ERROR(a, at, "parameter '%.*s' is defined twice", (int)n.n, n.s);
		goto bad;
	}
	map_put(a, &a->params, n, a->scope, (uint32_t)off);
	s = &a->img->symbols[a->scope - 1];
	if (PPU_GROW(s->params, s->num_params)) {
		a->oom = 1;
		return;
	}
	p = &s->params[s->num_params - 1];
	p->offset = (uint32_t)off;
	p->size = (uint32_t)size;
	p->align = (uint32_t)align;
	a->next_param = (uint32_t)(off + size);
	if (s->param_bytes < off + size)
		s->param_bytes = (uint32_t)(off + size);
	return;
bad:
	skip_statement(a);
}

/* Values after '=' of a variable, at data offset `at`, at most `room` bytes. */
static int items(struct as *a, uint64_t at, uint64_t room)
{
	uint64_t pos = 0, v, k;
	unsigned bytes = 1;
	enum { I_INT, I_FLOAT, I_ADDR, I_CODE } kind = I_INT;

	while (!end_of_statement(a)) {
		const char *from = a->p;
		struct operand o;

		if (accept(a, ','))
			continue;
		if (peek(a) == '.') {
			struct span d;

			a->p++;
			d = ident(a);
			kind = I_INT;
			if (is(d, "byte")) {
				bytes = 1;
			} else if (is(d, "half")) {
				bytes = 2;
			} else if (is(d, "word")) {
				bytes = 4;
			} else if (is(d, "quad")) {
				bytes = 8;
			} else if (is(d, "float")) {
				bytes = 4;
				kind = I_FLOAT;
			} else if (is(d, "double")) {
				bytes = 8;
				kind = I_FLOAT;
			} else if (is(d, "addr")) {
				bytes = 8;
				kind = I_ADDR;
			} else if (is(d, "code")) {
				bytes = 8;
				kind = I_CODE;
			} else if (is(d, "zero")) {
				if (!natural(a, room - pos, &v))
					return 0;
				pos += v;
			} else if (is(d, "ascii")) {
				size_t len;
				char *s;

				skip(a);
				if (peek(a) != '"') {
					ERROR(a, a->p, "a string is expected");
					return 0;
				}
				s = string(a, &len);
				if (!s)
					return 0;
				if (len > room - pos) {
					ERROR(a, from, "more values than the variable has room for");
					free(s);
					return 0;
				}
				memcpy(a->img->data + at + pos, s, len);
				pos += len;
				free(s);
			} else {
				ERROR(a, from, "no such kind of data");
				return 0;
			}
			continue;
		}
		if (room - pos < bytes) {
			ERROR(a, from, "more values than the variable has room for");
			return 0;
		}
		if (kind == I_ADDR || kind == I_CODE) {
			memset(&o, 0, sizeof(o));
			if (!symbol_ref(a, &o))
				return 0;
			add_fixup(a, kind == I_ADDR ? FIX_DATA_ADDR : FIX_DATA_CODE, 0, o.sym,
				  o.quoted, o.addend, o.at);
			/* data offsets have 64 bits: kept where the value will be */
			for (k = 0; k < 8; k++)
				a->img->data[at + pos + k] = 0;
			if (a->num_fixups)
				a->fixups[a->num_fixups - 1].pc = (uint32_t)(at + pos);
			pos += 8;
			continue;
		}
		if (!number(a, &o))
			return 0;
		v = o.value;
		if (kind == I_FLOAT || o.kind == O_FLOAT) {
			double f = o.kind == O_FLOAT ? o.f : (double)(int64_t)o.value;
			float g = (float)f;
			uint32_t w;

			if (kind != I_FLOAT) {
				ERROR(a, from, "an integer is expected");
				return 0;
			}
			/* hexadecimal: the bits themselves */
			if (o.kind == O_INT && a->p - from > 2 && (from[1] == 'x' || from[2] == 'x')) {
				v = o.value;
			} else if (bytes == 8) {
				memcpy(&v, &f, 8);
			} else {
				memcpy(&w, &g, 4);
				v = w;
			}
		} else if (bytes < 8 && (o.negative ? (int64_t)v < -(1ll << (8 * bytes - 1)) :
						      v >> 8 * bytes)) {
			ERROR(a, from, "value does not fit in %u bytes", bytes);
			return 0;
		}
		for (k = 0; k < bytes; k++)
			a->img->data[at + pos + k] = (uint8_t)(v >> 8 * k);
		pos += bytes;
	}
	return 1;
}

static int grow_data(struct as *a, uint64_t bytes)
{
	if (bytes > a->cap_data) {
		uint64_t cap = bytes * 2 < 4096 ? 4096 : bytes > PPU_IMAGE_DATA_MAX / 2 ? bytes : bytes * 2;
		uint8_t *v = calloc(cap, 1);

		if (!v) {
			a->oom = 1;
			return 0;
		}
		if (a->img->data_bytes)
			memcpy(v, a->img->data, a->img->data_bytes);
		free(a->img->data);
		a->img->data = v;
		a->cap_data = cap;
	}
	if (bytes > a->img->data_bytes)
		a->img->data_bytes = bytes;
	return 1;
}

static void variable(struct as *a, unsigned kind)
{
	int shared = kind == PPU_SYM_SHARED;
	uint64_t size, align = 1, off, top = shared ? PPU_IMAGE_SHARED_MAX : PPU_IMAGE_DATA_MAX;
	struct ppu_symbol *s;
	const char *at;
	int64_t i;
	char *n;

	skip(a);
	at = a->p;
	n = name(a);
	if (!n || (i = new_symbol(a, n, at, kind)) < 0)
		goto bad;
	if (!natural(a, top, &size))
		goto bad;
	skip(a);
	if (is_digit(peek(a)) && !natural(a, PPU_IMAGE_ALIGN_MAX, &align))
		goto bad;
	if (!align || align & (align - 1)) {
		ERROR(a, at, "alignment is not a power of two");
		goto bad;
	}
	s = &a->img->symbols[i];
	off = shared ? a->img->shared_module_bytes : a->img->data_bytes;
	off = (off + align - 1) & ~(align - 1);
	while (!end_of_statement(a) && peek(a) != '=') {
		const char *w = a->p;
		struct span k = ident(a);

		if (is(k, "static")) {
			s->flags &= ~PPU_SYMF_GLOBAL;
		} else if (is(k, "weak")) {
			s->flags |= PPU_SYMF_WEAK;
		} else if (is(k, "movable") && shared) {
			s->flags |= PPU_SYMF_MOVABLE;
		} else if (is(k, "managed")) {
			s->flags |= PPU_SYMF_MANAGED;
		} else if (is(k, "at") && accept(a, '=')) {
			if (!natural(a, top, &off))
				goto bad;
		} else {
			ERROR(a, w, "static, weak, managed, movable (.shared), at= or '=' is expected");
			goto bad;
		}
	}
	if (off > top || size > top - off) {
		ERROR(a, at, "too much memory");
		goto bad;
	}
	s->value = off;
	s->size = size;
	s->align = (uint32_t)align;
	if (shared) {
		if (!(s->flags & PPU_SYMF_MOVABLE) && off + size > a->img->shared_module_bytes)
			a->img->shared_module_bytes = (uint32_t)(off + size);
		if (!end_of_statement(a)) {
			ERROR(a, a->p, "shared variables have no initial value");
			goto bad;
		}
		return;
	}
	if (!grow_data(a, off + size))
		return;
	if (align > a->img->data_align)
		a->img->data_align = align;
	if (accept(a, '=') && !items(a, off, size))
		goto bad;
	return;
bad:
	skip_statement(a);
}

static void directive(struct as *a)
{
	const char *at = a->p;
	struct span d;
	uint64_t v, v2;

	a->p++;
	d = ident(a);
	if (peek(a) == ':') {	/* .L12: */
		d.s--;
		d.n++;
		a->p++;
		if (map_get(&a->labels, d, a->scope))
			ERROR(a, at, "label '%.*s' is defined twice", (int)d.n, d.s);
		else
			map_put(a, &a->labels, d, a->scope, a->img->num_insns);
		return;
	}
	if (is(d, "kernel")) {
		function(a, PPU_SYM_KERNEL);
	} else if (is(d, "func")) {
		function(a, PPU_SYM_FUNC);
	} else if (is(d, "end")) {
		close_function(a);
	} else if (is(d, "param")) {
		param(a);
	} else if (is(d, "global")) {
		variable(a, PPU_SYM_GLOBAL);
	} else if (is(d, "const")) {
		variable(a, PPU_SYM_CONST);
	} else if (is(d, "shared")) {
		variable(a, PPU_SYM_SHARED);
	} else if (is(d, "extern")) {
		char *n = name(a);
		int64_t i = n ? new_symbol(a, n, at, PPU_SYM_UNDEF) : -1;

		while (!end_of_statement(a)) {
			const char *word = a->p;
			struct span w = ident(a);

			if (!is(w, "weak") && !is(w, "movable")) {
				ERROR(a, word, "weak, movable or the end of the line is expected");
				skip_statement(a);
				break;
			}
			if (i >= 0)
				a->img->symbols[i].flags |= is(w, "weak") ? PPU_SYMF_WEAK : PPU_SYMF_MOVABLE;
		}
		/* align marks that it was declared, see resolve() */
		if (i >= 0 && a->img->symbols[i].kind == PPU_SYM_UNDEF)
			a->img->symbols[i].align = 1;
	} else if (is(d, "file")) {
		const char *s;
		char *n;
		size_t len;

		if (!natural(a, 65535, &v)) {
			skip_statement(a);
			return;
		}
		skip(a);
		s = a->p;
		if (v != a->img->num_files || peek(a) != '"') {
			ERROR(a, s, "files are numbered in order: .file %u \"name\"", a->img->num_files);
			skip_statement(a);
			return;
		}
		n = string(a, &len);
		if (!n)
			return;
		if (strlen(n) != len || PPU_GROW(a->img->files, a->img->num_files)) {
			ERROR(a, s, "bad file name");
			free(n);
			return;
		}
		a->img->files[a->img->num_files - 1] = n;
	} else if (is(d, "loc")) {
		struct ppu_line *l;

		if (!natural(a, UINT32_MAX, &v) || !natural(a, UINT32_MAX, &v2)) {
			skip_statement(a);
			return;
		}
		a->has_loc = 1;
		if (PPU_GROW(a->img->lines, a->img->num_lines)) {
			a->oom = 1;
			return;
		}
		l = &a->img->lines[a->img->num_lines - 1];
		l->pc = a->img->num_insns;
		l->file = (uint32_t)v;
		l->line = (uint32_t)v2;
		if (v >= a->img->num_files)
			ERROR(a, at, "there is no .file %llu", (unsigned long long)v);
		if (!end_of_statement(a) && natural(a, UINT32_MAX, &v))
			l->column = (uint32_t)v;
	} else if (is(d, "insn")) {
		struct operand lo, hi;
		struct ppu_insn in;

		skip(a);
		if (!number(a, &lo) || !accept(a, ',')) {
			ERROR(a, at, ".insn takes two 64-bit words");
			skip_statement(a);
			return;
		}
		skip(a);
		if (!number(a, &hi) || lo.kind != O_INT || hi.kind != O_INT) {
			ERROR(a, at, ".insn takes two 64-bit words");
			skip_statement(a);
			return;
		}
		in.lo = lo.value;
		in.hi = hi.value;
		add_insn(a, &in);
	} else {
		ERROR(a, at, "no such directive");
		skip_statement(a);
	}
}

/* ---- the end ---- */

static void resolve(struct as *a)
{
	struct ppu_image *img = a->img;
	uint32_t i;

	for (i = 0; i < a->num_fixups; i++) {
		const struct fixup *f = &a->fixups[i];
		int code = f->what <= FIX_IMM64;
		struct ppu_insn *in = code ? &img->code[f->pc] : NULL;
		struct map_entry *e;
		const struct ppu_symbol *s;
		unsigned kind = 0;
		int fn, ok = 1;

		if (f->what == FIX_TARGET && !f->quoted) {
			e = map_get(&a->labels, f->name, f->scope);
			if (!e)
				e = map_get(&a->labels, f->name, 0);
			if (e) {
				int64_t target = (int64_t)(e->value + (uint64_t)f->addend);

				if (target < 0 || target > PPU_PC_MAX)
					error_at(a, f->line, f->col, "branch target is outside the program");
				else
					PPU_SET(in, IMM, target);
				continue;
			}
		}
		e = map_get(&a->symbols, f->name, 0);
		if (!e) {
			error_at(a, f->line, f->col, "'%.*s' is not defined (use .extern for symbols of other modules)",
				 (int)(f->name.n > 80 ? 80 : f->name.n), f->name.s);
			continue;
		}
		s = &img->symbols[e->value];
		fn = s->kind == PPU_SYM_KERNEL || s->kind == PPU_SYM_FUNC;
		switch (f->what) {
		case FIX_TARGET:
			kind = PPU_REL_CODE_PC;
			ok = fn || s->kind == PPU_SYM_UNDEF;
			if (fn)
				PPU_SET(in, IMM, s->value + (uint64_t)f->addend);
			break;
		case FIX_IMM:
			kind = fn ? PPU_REL_CODE_PC : PPU_REL_CODE_SHARED;
			ok = fn || s->kind == PPU_SYM_SHARED || s->kind == PPU_SYM_UNDEF;
			PPU_SET(in, IMM, s->value + (uint64_t)f->addend);
			break;
		case FIX_IMM64:
			kind = fn ? PPU_REL_CODE_PC64 : PPU_REL_CODE_ABS64;
			ok = s->kind != PPU_SYM_SHARED;
			if (fn)
				in->hi = s->value + (uint64_t)f->addend;
			break;
		case FIX_DATA_ADDR:
			kind = PPU_REL_DATA_ABS64;
			ok = s->kind == PPU_SYM_GLOBAL || s->kind == PPU_SYM_CONST ||
			     s->kind == PPU_SYM_UNDEF;
			break;
		case FIX_DATA_CODE:
			kind = PPU_REL_DATA_PC64;
			ok = fn || s->kind == PPU_SYM_UNDEF;
			break;
		}
		if (!ok) {
			error_at(a, f->line, f->col, "'%s' is the wrong kind of symbol here", s->name);
			continue;
		}
		add_reloc(a, kind, e->value, f->pc, f->addend);
	}
	for (i = 0; i < img->num_symbols; i++) {
		if (img->symbols[i].kind != PPU_SYM_UNDEF)
			continue;
		if (!img->symbols[i].align)
			error_at(a, a->line, 1, "'%s' is not defined (use .extern for symbols of other modules)",
				 img->symbols[i].name);
		img->symbols[i].align = 0;
	}
}

/* Code needs at least the module's shared variables it may use. */
static void finish_shared(struct ppu_image *img)
{
	uint32_t i;

	for (i = 0; i < img->num_symbols; i++) {
		struct ppu_symbol *s = &img->symbols[i];

		if (s->kind != PPU_SYM_KERNEL && s->kind != PPU_SYM_FUNC)
			continue;
		if (s->shared_bytes < img->shared_module_bytes)
			s->shared_bytes = img->shared_module_bytes;
		if (s->shared_fixed == UINT32_MAX)	/* not said */
			s->shared_fixed = s->shared_bytes;
	}
}

int ppu_assemble(const char *text, size_t len, const char *file, struct ppu_image **img,
		 struct ppu_log *log)
{
	struct as a = { .file = file ? file : "<text>", .p = text, .end = text + len,
			.line_start = text, .line = 1, .log = log };
	uint32_t i;
	int err = 0;

	*img = NULL;
	a.img = ppu_image_new();
	if (!a.img)
		return -ENOMEM;
	while (a.p < a.end && !a.oom && a.errors < MAX_ERRORS) {
		skip(&a);
		if (a.p >= a.end)
			break;
		if (*a.p == '\n') {
			a.p++;
			a.line++;
			a.line_start = a.p;
			continue;
		}
		if (*a.p == ';') {
			a.p++;
			continue;
		}
		if (*a.p == '.') {
			directive(&a);
		} else {
			/* NAME: is a label */
			const char *at = a.p;
			struct span s = ident(&a);

			if (s.n && peek(&a) == ':') {
				a.p++;
				if (map_get(&a.labels, s, a.scope))
					ERROR(&a, at, "label '%.*s' is defined twice",
					      (int)(s.n > 80 ? 80 : s.n), s.s);
				else
					map_put(&a, &a.labels, s, a.scope, a.img->num_insns);
				continue;
			}
			a.p = at;
			instruction(&a);
		}
		if (!end_of_statement(&a) && a.p < a.end) {
			if (!(a.p > a.line_start && a.p[-1] == ':'))
				ERROR(&a, a.p, "the end of the line is expected");
			skip_statement(&a);
		}
	}
	close_function(&a);
	if (!a.errors)
		resolve(&a);
	if (!a.errors && !a.oom) {
		finish_shared(a.img);
		if (!a.has_loc && !a.img->num_files && a.num_auto && file) {
			if (PPU_GROW(a.img->files, a.img->num_files) ||
			    !(a.img->files[0] = strdup(file))) {
				a.img->num_files = 0;
				a.oom = 1;
			} else {
				a.img->lines = a.auto_lines;
				a.img->num_lines = a.num_auto;
				a.auto_lines = NULL;
			}
		}
		/* .loc after the last instruction says nothing */
		while (a.img->num_lines &&
		       a.img->lines[a.img->num_lines - 1].pc >= a.img->num_insns)
			a.img->num_lines--;
		for (i = 0; i < a.img->num_symbols; i++) {
			const char *why = ppu_symbol_check(a.img, &a.img->symbols[i]);

			if (why)
				error_at(&a, a.line, 1, "'%s': %s", a.img->symbols[i].name, why);
		}
		for (i = 0; i < a.img->num_relocs; i++) {
			const char *why = ppu_reloc_check(a.img, &a.img->relocs[i]);

			if (why)
				error_at(&a, a.line, 1, "%s", why);
		}
	}
	free(a.labels.v);
	free(a.symbols.v);
	free(a.params.v);
	free(a.fixups);
	free(a.auto_lines);
	if (a.oom)
		err = -ENOMEM;
	else if (a.errors)
		err = -EINVAL;
	if (err) {
		ppu_image_free(a.img);
		return err;
	}
	*img = a.img;
	return 0;
}
