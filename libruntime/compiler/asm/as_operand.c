/* SPDX-License-Identifier: MIT */
/* Numbers and operands: registers, addresses, names, immediates. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/as_image.h"
#include "compiler/asm/as_operand.h"
#include "compiler/asm/as_text.h"
#include "compiler/asm/text.h"

int as_number(struct as *a, struct as_operand *o)
{
	const char *from = a->p;
	char text[64], *stop;
	size_t n = 0;
	int hex;

	memset(o, 0, sizeof(*o));
	o->at = from;
	if (as_peek(a) == '-' || as_peek(a) == '+') {
		o->negative = *a->p == '-';
		a->p++;
	}
	hex = a->p + 1 < a->end && a->p[0] == '0' && (a->p[1] == 'x' || a->p[1] == 'X');
	while (a->p < a->end && n < sizeof(text) - 1 &&
	       (as_is_digit(*a->p) || (*a->p >= 'a' && *a->p <= 'z') ||
		(*a->p >= 'A' && *a->p <= 'Z') || *a->p == '.' ||
		(!hex && n && (*a->p == '+' || *a->p == '-') &&
		 (text[n - 1] == 'e' || text[n - 1] == 'E'))))
		text[n++] = *a->p++;
	text[n] = '\0';
	if (!n || !as_is_digit(text[0]) || n >= sizeof(text) - 1) {
		AS_ERROR(a, from, "a number is expected");
		return 0;
	}
	if (!hex && strpbrk(text, ".eE")) {
		o->kind = AS_O_FLOAT;
		o->f = strtod(text, &stop);
		if (o->negative)
			o->f = -o->f;
	} else {
		o->kind = AS_O_INT;
		errno = 0;
		o->value = strtoull(text, &stop, hex ? 16 : 10);
		if (errno) {
			AS_ERROR(a, from, "number does not fit in 64 bits");
			return 0;
		}
		if (o->negative) {
			if (o->value > 1ull << 63) {
				AS_ERROR(a, from, "number does not fit in 64 bits");
				return 0;
			}
			o->value = -o->value;
		}
	}
	if (*stop) {
		AS_ERROR(a, from, "bad number");
		return 0;
	}
	return 1;
}

int as_natural(struct as *a, uint64_t max, uint64_t *v)
{
	struct as_operand o;
	const char *at;

	as_skip(a);
	at = a->p;
	if (!as_number(a, &o))
		return 0;
	if (o.kind != AS_O_INT || o.negative || o.value > max) {
		AS_ERROR(a, at, "a number from 0 to %llu is expected", (unsigned long long)max);
		return 0;
	}
	*v = o.value;
	return 1;
}

/* ---- operands ---- */

int as_reg_or_pred(struct as *a, struct as_operand *o)
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
	if (p < end && *p == (pred ? 't' : 'z') && (p + 1 >= end || !as_is_ident(p[1], 0))) {
		o->kind = pred ? AS_O_PRED : AS_O_REG;
		o->num = pred ? PPU_PT : PPU_RZ;
		a->p = p + 1;
		return pred || !o->neg ? 1 : 0;
	}
	if (!pred && p < end && (*p == 'd' || *p == 'q'))
		width = *p++ == 'd' ? 2 : 4;
	while (p < end && as_is_digit(*p) && digits < 4) {
		n = n * 10 + (unsigned)(*p++ - '0');
		digits++;
	}
	if (!digits || (p < end && as_is_ident(*p, 0)) || (o->neg && !pred))
		return 0;
	a->p = p;
	o->kind = pred ? AS_O_PRED : AS_O_REG;
	o->num = n;
	o->width = pred ? 0 : width;
	if (n >= (pred ? PPU_NUM_PREDS : PPU_NUM_REGS)) {
		AS_ERROR(a, from, pred ? "predicates are p0 to p14 and pt" :
			 "registers are r0 to r254 and rz");
		return -1;
	}
	return 1;
}

int as_symbol_ref(struct as *a, struct as_operand *o)
{
	const char *at = a->p;
	struct as_operand n;

	o->kind = AS_O_SYM;
	o->at = at;
	if (as_peek(a) == '"') {
		size_t len;
		char *s = as_string(a, &len);
		struct as_span key;
		int64_t i;

		if (!s)
			return 0;
		if (!len || strlen(s) != len) {
			AS_ERROR(a, at, "a name cannot be empty or contain NUL");
			free(s);
			return 0;
		}
		/* quoted names become symbols at once, so that the name has an owner */
		i = as_new_symbol(a, s, at, PPU_SYM_UNDEF);
		if (i < 0)
			return 0;
		key.s = a->img->symbols[i].name;
		key.n = strlen(key.s);
		o->sym = key;
		o->quoted = 1;
	} else if (as_peek(a) == '.') {	/* .L12: a label that is no identifier */
		a->p++;
		o->sym = as_ident(a);
		o->sym.s--;
		o->sym.n++;
		if (o->sym.n == 1) {
			AS_ERROR(a, at, "an operand is expected");
			return 0;
		}
	} else {
		o->sym = as_ident(a);
		if (!o->sym.n) {
			AS_ERROR(a, at, "an operand is expected");
			return 0;
		}
	}
	if (as_peek(a) == '+' || as_peek(a) == '-') {
		if (!as_number(a, &n))
			return 0;
		if (n.kind != AS_O_INT) {
			AS_ERROR(a, n.at, "an integer is expected");
			return 0;
		}
		o->addend = (int64_t)n.value;
	}
	return 1;
}

static int mem_operand(struct as *a, struct as_operand *o)
{
	struct as_operand part;
	const char *at = a->p;
	int first = 1, r;

	memset(o, 0, sizeof(*o));
	a->p++;
	for (;;) {
		as_skip(a);
		if (as_peek(a) == ']' && !first) {
			a->p++;
			break;
		}
		if (first) {
			r = as_reg_or_pred(a, &part);
			if (r < 0)
				return 0;
			if (r) {
				if (part.kind != AS_O_REG) {
					AS_ERROR(a, part.at, "an address register is expected");
					return 0;
				}
				o->has_base = 1;
				o->num = part.num;
				o->width = part.width;
				first = 0;
				continue;
			}
		} else if (as_peek(a) == '+' && a->p + 1 < a->end && !as_is_digit(a->p[1])) {
			a->p++;
			as_skip(a);
		} else if (as_peek(a) != '+' && as_peek(a) != '-') {
			AS_ERROR(a, a->p, "']' is expected");
			return 0;
		}
		first = 0;
		memset(&part, 0, sizeof(part));
		if (as_peek(a) == '-' || as_peek(a) == '+' || as_is_digit(as_peek(a))) {
			if (!as_number(a, &part))
				return 0;
			if (part.kind != AS_O_INT) {
				AS_ERROR(a, part.at, "an integer is expected");
				return 0;
			}
			o->addend = (int64_t)((uint64_t)o->addend + part.value);
		} else {
			if (o->sym.n) {
				AS_ERROR(a, a->p, "only one symbol in an address");
				return 0;
			}
			if (!as_symbol_ref(a, &part))
				return 0;
			o->sym = part.sym;
			o->quoted = part.quoted;
			o->addend = (int64_t)((uint64_t)o->addend + (uint64_t)part.addend);
		}
	}
	o->kind = AS_O_MEM;
	o->at = at;
	if (!o->has_base)
		o->num = PPU_RZ;
	return 1;
}

int as_operand(struct as *a, struct as_operand *o)
{
	const char *at;
	unsigned neg = 0, abs = 0;
	int r;

	as_skip(a);
	at = a->p;
	if (as_peek(a) == '[')
		return mem_operand(a, o);
	if (as_peek(a) == '%') {
		struct as_span s;
		int n;

		a->p++;
		s = as_ident(a);
		n = ppu_sreg_value(s.s, s.n);
		if (n < 0) {
			AS_ERROR(a, at, "no such special register");
			return 0;
		}
		memset(o, 0, sizeof(*o));
		o->kind = AS_O_SREG;
		o->at = at;
		o->num = (unsigned)n;
		return 1;
	}
	if (as_peek(a) == '-' && a->p + 1 < a->end && (a->p[1] == 'r' || a->p[1] == '|')) {
		neg = 1;
		a->p++;
	}
	if (as_peek(a) == '|') {
		abs = 1;
		a->p++;
	}
	r = as_reg_or_pred(a, o);
	if (r < 0)
		return 0;
	if (r) {
		o->at = at;
		if ((neg || abs) && o->kind != AS_O_REG) {
			AS_ERROR(a, at, "a register is expected");
			return 0;
		}
		if (o->kind == AS_O_REG) {
			o->neg = neg;
			o->abs = abs;
		}
		if (abs && !as_accept(a, '|')) {
			AS_ERROR(a, a->p, "'|' is expected");
			return 0;
		}
		return 1;
	}
	if (neg || abs) {
		AS_ERROR(a, at, "a register is expected");
		return 0;
	}
	memset(o, 0, sizeof(*o));
	if (as_peek(a) == '-' || as_peek(a) == '+' || as_is_digit(as_peek(a)))
		return as_number(a, o);
	return as_symbol_ref(a, o);
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

int as_imm_value(struct as *a, const struct as_operand *o, unsigned t, uint32_t *v)
{
	if (o->kind == AS_O_FLOAT) {
		float f = (float)o->f;
		uint64_t bits;

		switch (t) {
		case PPU_T_F32:
			memcpy(v, &f, 4);
			return 1;
		case PPU_T_F64:
			memcpy(&bits, &o->f, 8);
			if ((uint32_t)bits) {
				AS_ERROR(a, o->at, "only the upper half of an f64 immediate can be given; use movi64");
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
			AS_ERROR(a, o->at, "a number with a point needs a floating type");
			return 0;
		}
		if (t == PPU_T_F16X2 || t == PPU_T_BF16X2)
			*v |= *v << 16;
		return 1;
	}
	if ((t == PPU_T_U64 || t == PPU_T_S64) &&
	    ((int64_t)o->value > INT32_MAX || (int64_t)o->value < INT32_MIN)) {
		AS_ERROR(a, o->at, "immediate does not fit in 32 bits, sign-extended; use movi64");
		return 0;
	}
	if ((int64_t)o->value > UINT32_MAX || (int64_t)o->value < INT32_MIN) {
		AS_ERROR(a, o->at, "immediate does not fit in 32 bits");
		return 0;
	}
	*v = (uint32_t)o->value;
	return 1;
}
