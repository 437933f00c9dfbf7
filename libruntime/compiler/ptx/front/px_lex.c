/* SPDX-License-Identifier: MIT */
/* PTX tokens. */
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/front/px_lex.h"

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_alpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_name(int c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '$'; }

static int hex_digit(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int peek(const struct px_lex *lx, size_t i)
{
	return (size_t)(lx->end - lx->p) > i ? (unsigned char)lx->p[i] : -1;
}

static void newline(struct px_lex *lx)
{
	lx->line++;
	lx->line_start = lx->p;
}

static struct px_loc here(const struct px_lex *lx)
{
	return (struct px_loc){ lx->line, (uint32_t)(lx->p - lx->line_start) + 1 };
}

static void block_comment(struct px_lex *lx)
{
	struct px_loc loc = here(lx);

	for (lx->p += 2; lx->p < lx->end; lx->p++) {
		if (*lx->p == '*' && peek(lx, 1) == '/') {
			lx->p += 2;
			return;
		}
		if (*lx->p == '\n') {
			lx->p++;
			newline(lx);
			lx->p--;
		}
	}
	px_error(lx->px, loc, "this comment is not closed; add */");
}

/* '#' lines are left over from a preprocessor. */
static void skip_space(struct px_lex *lx)
{
	for (;;) {
		int c = peek(lx, 0);

		if (c == '\n') {
			lx->p++;
			newline(lx);
		} else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			lx->p++;
		} else if ((c == '/' && peek(lx, 1) == '/') ||
			   (c == '#' && lx->p == lx->line_start)) {
			while (peek(lx, 0) != '\n' && peek(lx, 0) != -1)
				lx->p++;
		} else if (c == '/' && peek(lx, 1) == '*') {
			block_comment(lx);
		} else {
			return;
		}
	}
}

static void lex_name(struct px_lex *lx)
{
	const char *start = lx->p++;

	while (is_name(peek(lx, 0)))
		lx->p++;
	lx->tok.kind = TK_IDENT;
	lx->tok.str = px_intern(lx->px, start, (size_t)(lx->p - start));
}

/* ".name", where name may hold "::" (".L2::128B"). */
static void lex_dot(struct px_lex *lx)
{
	const char *start = ++lx->p;

	for (;;) {
		if (is_name(peek(lx, 0)))
			lx->p++;
		else if (peek(lx, 0) == ':' && peek(lx, 1) == ':' && lx->p > start)
			lx->p += 2;
		else
			break;
	}
	lx->tok.kind = TK_DOT;
	lx->tok.str = px_intern(lx->px, start, (size_t)(lx->p - start));
}

/* 0f and 0d: exact bits, a fixed number of hexadecimal digits. */
static void lex_bits(struct px_lex *lx, unsigned digits, unsigned kind)
{
	uint64_t v = 0;
	unsigned i;

	lx->p += 2;
	for (i = 0; hex_digit(peek(lx, 0)) >= 0; i++, lx->p++)
		v = v << 4 | (unsigned)hex_digit(*lx->p);
	if (i != digits) {
		px_error(lx->px, lx->tok.loc, "a %s literal has %u hexadecimal digits, this has %u",
			 digits == 8 ? "0f" : "0d", digits, i);
		v = 0;
	}
	lx->tok.kind = kind;
	lx->tok.i = v;
}

static void lex_decimal_float(struct px_lex *lx, const char *start)
{
	char buf[64];
	size_t n;
	double d;

	while (is_digit(peek(lx, 0)) || peek(lx, 0) == '.')
		lx->p++;
	if (peek(lx, 0) == 'e' || peek(lx, 0) == 'E') {
		lx->p++;
		if (peek(lx, 0) == '+' || peek(lx, 0) == '-')
			lx->p++;
		while (is_digit(peek(lx, 0)))
			lx->p++;
	}
	n = (size_t)(lx->p - start);
	if (n >= sizeof(buf))
		n = sizeof(buf) - 1;
	memcpy(buf, start, n);
	buf[n] = 0;
	d = strtod(buf, NULL);
	lx->tok.kind = TK_F64;
	memcpy(&lx->tok.i, &d, sizeof(d));
}

static uint64_t lex_digits(struct px_lex *lx, unsigned base)
{
	uint64_t v = 0;
	bool over = false;
	int d;

	while ((d = hex_digit(peek(lx, 0))) >= 0 && (unsigned)d < base) {
		over |= v > (UINT64_MAX - (unsigned)d) / base;
		v = v * base + (unsigned)d;
		lx->p++;
	}
	if (over)
		px_error(lx->px, lx->tok.loc, "this integer does not fit in 64 bits");
	return v;
}

static void lex_number(struct px_lex *lx)
{
	const char *start = lx->p, *q = start;
	int c1 = peek(lx, 1);
	unsigned base = 10;

	if (*start == '0' && (c1 == 'f' || c1 == 'F')) {
		lex_bits(lx, 8, TK_F32);
		return;
	}
	if (*start == '0' && (c1 == 'd' || c1 == 'D')) {
		lex_bits(lx, 16, TK_F64);
		return;
	}
	while (q < lx->end && is_digit((unsigned char)*q))
		q++;
	if (q < lx->end && (*q == '.' || *q == 'e' || *q == 'E')) {
		lex_decimal_float(lx, start);
		return;
	}
	if (*start == '0' && (c1 == 'x' || c1 == 'X')) {
		base = 16;
		lx->p += 2;
	} else if (*start == '0' && (c1 == 'b' || c1 == 'B')) {
		base = 2;
		lx->p += 2;
	} else if (*start == '0') {
		base = 8;
	}
	lx->tok.i = lex_digits(lx, base);
	lx->tok.kind = TK_INT;
	lx->tok.u = lx->tok.i > INT64_MAX;
	if (peek(lx, 0) == 'U') {
		lx->p++;
		lx->tok.u = true;
	}
	if (is_name(peek(lx, 0))) {
		px_error(lx->px, lx->tok.loc, "bad number: unexpected '%c' in it", *lx->p);
		while (is_name(peek(lx, 0)))
			lx->p++;
	}
}

static void lex_string(struct px_lex *lx)
{
	const char *start = ++lx->p;

	while (peek(lx, 0) != '"') {
		if (peek(lx, 0) == -1 || peek(lx, 0) == '\n') {
			px_error(lx->px, lx->tok.loc, "this string is not closed; add \"");
			break;
		}
		lx->p += *lx->p == '\\' && peek(lx, 1) != -1 && peek(lx, 1) != '\n' ? 2 : 1;
	}
	lx->tok.kind = TK_STRING;
	lx->tok.str = px_intern(lx->px, start, (size_t)(lx->p - start));
	if (peek(lx, 0) == '"')
		lx->p++;
}

static const struct { char text[3]; uint8_t kind; } pairs[] = {
	{ "<<", TK_SHL }, { ">>", TK_SHR }, { "<=", TK_LE }, { ">=", TK_GE },
	{ "==", TK_EQ }, { "!=", TK_NE }, { "&&", TK_LAND }, { "||", TK_LOR },
};

static void lex_punct(struct px_lex *lx)
{
	int c = peek(lx, 0), n = peek(lx, 1);
	size_t i;

	for (i = 0; i < PX_ARRAY_SIZE(pairs); i++)
		if (c == pairs[i].text[0] && n == pairs[i].text[1]) {
			lx->tok.kind = pairs[i].kind;
			lx->p += 2;
			return;
		}
	lx->p++;
	if (c > 32 && c < 127) {
		lx->tok.kind = TK(c);
		return;
	}
	px_error(lx->px, lx->tok.loc, "a character (code %d) that PTX does not use", c);
	lx->tok.kind = TK_BAD;
}

void px_next(struct px_lex *lx)
{
	/* ".2d" after a name is a modifier, ".2" elsewhere a number */
	bool glued = lx->tok.kind == TK_IDENT || lx->tok.kind == TK_DOT;
	const char *before = lx->p;
	int c;

	skip_space(lx);
	glued &= lx->p == before;
	lx->tok = (struct px_token){ .kind = TK_EOF, .loc = here(lx) };
	if (lx->px->give_up)
		lx->p = lx->end;
	c = peek(lx, 0);
	if (c == -1)
		return;
	if (is_digit(c))
		lex_number(lx);
	else if (c == '"')
		lex_string(lx);
	else if (is_alpha(c) || c == '_' || c == '$' || (c == '%' && is_name(peek(lx, 1))))
		lex_name(lx);
	else if (c == '.' && is_digit(peek(lx, 1)) && !glued)
		lex_decimal_float(lx, lx->p);
	else if (c == '.' && is_name(peek(lx, 1)))
		lex_dot(lx);
	else
		lex_punct(lx);
}

void px_lex_init(struct px_lex *lx, struct px *px, const char *text, size_t len)
{
	*lx = (struct px_lex){ .px = px, .p = text, .end = text + len, .line_start = text,
			       .line = 1 };
	px_next(lx);
}
