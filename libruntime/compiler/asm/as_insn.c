/* SPDX-License-Identifier: MIT */
/*
 * One instruction, in three steps: guard, mnemonic and suffixes; the list of operands, each recognised by
 * its own form; then the format's syntax string takes the operands in order.
 */
#include <string.h>
#include "compiler/asm/as_image.h"
#include "compiler/asm/as_insn.h"
#include "compiler/asm/as_map.h"
#include "compiler/asm/as_operand.h"
#include "compiler/asm/as_text.h"
#include "compiler/asm/text.h"

#define MAX_OPERANDS	10

static int want_reg(struct as *a, const struct as_operand *o, unsigned width, unsigned *num)
{
	if (o->kind != AS_O_REG) {
		AS_ERROR(a, o->at, "a register is expected");
		return 0;
	}
	if (o->num != PPU_RZ && o->width != width) {
		AS_ERROR(a, o->at, width == 1 ? "a 32-bit register (r%u) is expected" :
			 width == 2 ? "a register pair (rd%u) is expected" :
			 "four registers (rq%u) are expected", o->num);
		return 0;
	}
	*num = o->num;
	return 1;
}

static int want_imm(struct as *a, struct ppu_insn *in, const struct as_operand *o, unsigned t)
{
	uint32_t v;

	if (o->kind == AS_O_SYM) {
		struct as_map_entry *e = o->quoted ? NULL : as_map_get(&a->params, o->sym, a->scope);

		if (e)
			PPU_SET(in, IMM, e->value + (uint64_t)o->addend);
		else
			as_add_fixup(a, AS_FIX_IMM, a->img->num_insns, o->sym, o->quoted, o->addend, o->at);
		return 1;
	}
	if (!as_imm_value(a, o, t, &v))
		return 0;
	PPU_SET(in, IMM, v);
	return 1;
}

static int suffixes(struct as *a, struct ppu_insn *in, struct as_span s, const struct ppu_isa_info *info)
{
	unsigned op = PPU_GET(in, OP), first, n = ppu_mods_of(op, &first), i, types = 0;
	uint32_t have = ppu_fmt_fields(info->fmt), given = 0, once = 0;
	int has_u = PPU_FMT_HAS(have, U) && op != PPU_OP_ATOM && op != PPU_OP_REDUX;
	const char *end = s.s + s.n;

	while (s.s < end) {
		struct as_span w = { s.s + 1, 0 };
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
				AS_ERROR(a, w.s, "two suffixes of one kind (.%s)",
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
		if (as_is(w, "ftz") && PPU_FMT_HAS(have, FTZ)) {
			PPU_SET(in, FTZ, 1);
			continue;
		}
		if (as_is(w, "sat") && PPU_FMT_HAS(have, SAT)) {
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
		AS_ERROR(a, w.s, "%s does not take the suffix .%.*s", info->mnemonic, (int)w.n, w.s);
		return 0;
	}
	for (i = 0; i < n; i++)
		if (!(given >> i & 1) && ppu_mods[first + i].def == PPU_MOD_REQUIRED) {
			AS_ERROR(a, end, "%s needs a suffix of the kind .%s", info->mnemonic,
				 ppu_group_text(ppu_mods[first + i].group,
						ppu_mods[first + i].group == PPU_NG_SPACE ||
						ppu_mods[first + i].group == PPU_NG_REASON));
			return 0;
		}
	return 1;
}

/* State while the letters of the syntax string take the operands one by one. */
struct placing {
	struct as *a;
	struct ppu_insn *in;
	const struct ppu_isa_info *info;
	struct as_operand *o;
	unsigned num, k;	/* operands, those taken so far */
	uint32_t have;		/* fields of the format */
	uint8_t w[4];		/* registers of d, a, b, c */
};

/* Takes the next operand.  NULL: there is none, which is reported with the name `what`. */
static struct as_operand *need(struct placing *p, const char *what)
{
	if (p->k < p->num)
		return &p->o[p->k++];
	AS_ERROR(p->a, p->a->p, "%s is missing", what);
	return NULL;
}

static int no_sign(struct placing *p, const struct as_operand *x)
{
	AS_ERROR(p->a, x->at, "no negation or absolute value here");
	return 0;
}

static int place_d(struct placing *p)
{
	struct as_operand *x;
	unsigned r = 0;

	if (!p->w[0])
		return 1;
	x = need(p, "the destination register");
	if (!x || !want_reg(p->a, x, p->w[0], &r))
		return 0;
	if (x->neg || x->abs)
		return no_sign(p, x);
	PPU_SET(p->in, D, r);
	return 1;
}

static int place_a(struct placing *p)
{
	unsigned op = PPU_GET(p->in, OP), r = 0;
	struct ppu_insn *in = p->in;
	struct as_operand *x;

	if (!p->w[1] && op != PPU_OP_BAR)
		return 1;
	x = need(p, "a source operand");
	if (!x)
		return 0;
	if (op == PPU_OP_BAR && x->kind == AS_O_INT) {
		if (x->negative || x->value > 15) {
			AS_ERROR(p->a, x->at, "barriers are 0 to 15");
			return 0;
		}
		PPU_SET(in, X, 1);
		PPU_SET(in, IMM, PPU_GET(in, IMM) | (uint32_t)x->value << 28);
		return 1;
	}
	if (!want_reg(p->a, x, p->w[1], &r))
		return 0;
	if ((x->neg && !PPU_FMT_HAS(p->have, NA)) || (x->abs && !PPU_FMT_HAS(p->have, AA)))
		return no_sign(p, x);
	PPU_SET(in, A, r);
	if (x->neg)
		PPU_SET(in, NA, 1);
	if (x->abs)
		PPU_SET(in, AA, 1);
	return 1;
}

/* A constant as operand b or c. */
static int place_constant(struct placing *p, const struct as_operand *x, int c)
{
	unsigned op = PPU_GET(p->in, OP);

	if (c ? !PPU_FMT_HAS(p->have, CI) : !PPU_FMT_HAS(p->have, BI)) {
		AS_ERROR(p->a, x->at, "a register is expected");
		return 0;
	}
	if (c)
		PPU_SET(p->in, CI, 1);
	else
		PPU_SET(p->in, BI, 1);
	if (op != PPU_OP_SHFL && op != PPU_OP_BAR)
		return want_imm(p->a, p->in, x, ppu_imm_type(p->in, c));
	if (x->kind != AS_O_INT || x->negative || x->value > 0xffff) {
		AS_ERROR(p->a, x->at, "a number from 0 to 65535 is expected");
		return 0;
	}
	PPU_SET(p->in, IMM, PPU_GET(p->in, IMM) | (uint32_t)x->value << 16 * c);
	return 1;
}

static int place_b_or_c(struct placing *p, int c)
{
	unsigned op = PPU_GET(p->in, OP), r = 0;
	struct ppu_insn *in = p->in;
	struct as_operand *x = p->k < p->num ? &p->o[p->k] : NULL;

	if (!p->w[2 + c] || ppu_isa_rule(op)->widths[2 + c] == '-' ||
	    (op == PPU_OP_BAR && (!x || x->kind == AS_O_PRED)))
		return 1;
	x = need(p, "a source operand");
	if (!x)
		return 0;
	if (x->kind == AS_O_INT || x->kind == AS_O_FLOAT || x->kind == AS_O_SYM)
		return place_constant(p, x, c);
	if (!want_reg(p->a, x, p->w[2 + c], &r))
		return 0;
	if (c) {
		if (x->abs || (x->neg && !PPU_FMT_HAS(p->have, NC)))
			return no_sign(p, x);
		PPU_SET(in, C, r);
		if (x->neg)
			PPU_SET(in, NC, 1);
		return 1;
	}
	if ((x->neg && !PPU_FMT_HAS(p->have, NB)) || (x->abs && !PPU_FMT_HAS(p->have, AB)))
		return no_sign(p, x);
	PPU_SET(in, B, r);
	if (x->neg)
		PPU_SET(in, NB, 1);
	if (x->abs)
		PPU_SET(in, AB, 1);
	return 1;
}

/* A predicate that must be written for PLOP only; *x is NULL when it is left out.  0 after an error. */
static int optional_pred(struct placing *p, const char *what, struct as_operand **x)
{
	*x = NULL;
	if (p->info->fmt == PPU_FMT_PLOP) {
		*x = need(p, what);
		return *x != NULL;
	}
	if (p->k < p->num && p->o[p->k].kind == AS_O_PRED)
		*x = &p->o[p->k++];
	return 1;
}

static int place_dest_pred(struct placing *p, int second)
{
	struct as_operand *x;

	if (PPU_GET(p->in, OP) == PPU_OP_VOTE && PPU_GET(p->in, M) == PPU_VOTE_BALLOT)
		return 1;
	if (!optional_pred(p, "the destination predicate", &x))
		return 0;
	if (!x)
		return 1;
	if (x->kind != AS_O_PRED || x->neg) {
		AS_ERROR(p->a, x->at, "a predicate without ! is expected");
		return 0;
	}
	if (second)
		PPU_SET(p->in, PE, x->num);
	else
		PPU_SET(p->in, PD, x->num);
	return 1;
}

/* The source predicate.  in_a: the one in field a, which is never left out. */
static int place_source_pred(struct placing *p, int in_a)
{
	struct as_operand *x;

	if (in_a)
		x = need(p, "a predicate");
	else if (!optional_pred(p, "a predicate", &x))
		return 0;
	else if (!x)
		return 1;
	if (!x)
		return 0;
	if (x->kind != AS_O_PRED) {
		AS_ERROR(p->a, x->at, "a predicate is expected");
		return 0;
	}
	if (in_a) {
		PPU_SET(p->in, A, x->num);
		PPU_SET(p->in, NA, x->neg);
	} else {
		PPU_SET(p->in, PS, x->num);
		PPU_SET(p->in, PSN, x->neg);
	}
	return 1;
}

static int place_imm(struct placing *p)
{
	int imm64 = p->info->fmt == PPU_FMT_D_I64;
	struct as_operand *x = need(p, "an immediate");
	uint32_t v;

	if (!x)
		return 0;
	if (imm64 && x->kind == AS_O_SYM) {
		as_add_fixup(p->a, AS_FIX_IMM64, p->a->img->num_insns, x->sym, x->quoted, x->addend, x->at);
	} else if (imm64 && x->kind == AS_O_FLOAT) {
		memcpy(&p->in->hi, &x->f, 8);
	} else if (imm64 && x->kind == AS_O_INT) {
		p->in->hi = x->value;
	} else if (x->kind == AS_O_INT) {
		if (!as_imm_value(p->a, x, PPU_T_U32, &v))
			return 0;
		PPU_SET(p->in, IMM, v);
	} else {
		AS_ERROR(p->a, x->at, "an immediate is expected");
		return 0;
	}
	return 1;
}

static int place_target(struct placing *p)
{
	struct as_operand *x = need(p, "a branch target");

	if (!x)
		return 0;
	if (x->kind == AS_O_SYM) {
		as_add_fixup(p->a, AS_FIX_TARGET, p->a->img->num_insns, x->sym, x->quoted, x->addend, x->at);
	} else if (x->kind == AS_O_INT && !x->negative && x->value <= PPU_PC_MAX) {
		PPU_SET(p->in, IMM, x->value);
	} else {
		AS_ERROR(p->a, x->at, "a label or an instruction index is expected");
		return 0;
	}
	return 1;
}

static int place_mem(struct placing *p)
{
	struct as_operand *x = need(p, "an address"), y;

	if (!x)
		return 0;
	if (x->kind != AS_O_MEM) {
		AS_ERROR(p->a, x->at, "an address in [] is expected");
		return 0;
	}
	if (x->has_base && x->num != PPU_RZ && x->width != p->w[1]) {
		AS_ERROR(p->a, x->at, p->w[1] == 2 ?
			 "the address register of this space is a pair (rd%u)" :
			 "the address register of this space is 32 bits wide (r%u)", x->num);
		return 0;
	}
	PPU_SET(p->in, A, x->num);
	if (x->sym.n) {
		y = *x;
		y.kind = AS_O_SYM;
		return want_imm(p->a, p->in, &y, PPU_T_U32);
	}
	if (x->addend > INT32_MAX || x->addend < INT32_MIN) {
		AS_ERROR(p->a, x->at, "offset does not fit in 32 bits");
		return 0;
	}
	PPU_SET(p->in, IMM, x->addend);
	return 1;
}

static int place_sreg(struct placing *p)
{
	struct as_operand *x = need(p, "a special register");

	if (x && x->kind != AS_O_SREG)
		AS_ERROR(p->a, x->at, "a special register is expected");
	return x && x->kind == AS_O_SREG;
}

/* Operands that the syntax string does not have. */
static int place_more(struct placing *p)
{
	unsigned op = PPU_GET(p->in, OP), r = 0;
	struct as_operand *x;

	if (op == PPU_OP_LOP3) {
		x = need(p, "the truth table");
		if (!x)
			return 0;
		if (x->kind != AS_O_INT || x->value > 255) {
			AS_ERROR(p->a, x->at, "a truth table from 0 to 255 is expected");
			return 0;
		}
		PPU_SET(p->in, Y, x->value);
	}
	if (op == PPU_OP_SHFL && PPU_GET(p->in, X) == 1) {
		x = need(p, "the member mask register");
		if (!x || !want_reg(p->a, x, 1, &r))
			return 0;
		PPU_SET(p->in, Y, r);
	}
	return 1;
}

static int place_one(struct placing *p, char letter)
{
	switch (letter) {
	case 'd': return place_d(p);
	case 'a': return place_a(p);
	case 'b': return place_b_or_c(p, 0);
	case 'c': return place_b_or_c(p, 1);
	case 'p': return place_dest_pred(p, 0);
	case 'q': return place_dest_pred(p, 1);
	case 's': return place_source_pred(p, 0);
	case 'P': return place_source_pred(p, 1);
	case 'i': return place_imm(p);
	case 'l': return place_target(p);
	case 'm': return place_mem(p);
	case 'S': return place_sreg(p);
	default: return 1;
	}
}

static int place(struct as *a, struct ppu_insn *in, const struct ppu_isa_info *info,
		 struct as_operand *o, unsigned num)
{
	struct placing p = { .a = a, .in = in, .info = info, .o = o, .num = num,
			     .have = ppu_fmt_fields(info->fmt) };
	const char *s;
	unsigned i;

	if (PPU_GET(in, OP) == PPU_OP_S2R)	/* the special register decides the width of d */
		for (i = 0; i < num; i++)
			if (o[i].kind == AS_O_SREG)
				PPU_SET(in, IMM, o[i].num);
	ppu_isa_widths(in, p.w);
	for (s = ppu_format_syntax(info->fmt); *s; s++)
		if (*s == '%' && !place_one(&p, *++s))
			return 0;
	if (!place_more(&p))
		return 0;
	if (p.k < num) {
		AS_ERROR(a, o[p.k].at, "one operand too many, or of the wrong kind");
		return 0;
	}
	return 1;
}

void as_instruction(struct as *a)
{
	const char *start = a->p, *at;
	struct as_operand o[MAX_OPERANDS], guard = { .kind = AS_O_PRED, .num = PPU_PT };
	const struct ppu_isa_info *info;
	struct ppu_insn in = { 0, 0 };
	struct as_span word, mn;
	uint32_t fixups = a->num_fixups, line = a->line;
	unsigned num = 0;
	const char *why;
	int op;

	if (as_accept(a, '@')) {
		at = a->p;
		if (as_reg_or_pred(a, &guard) != 1 || guard.kind != AS_O_PRED) {
			AS_ERROR(a, at, "a guard predicate is expected");
			goto bad;
		}
		as_skip(a);
	}
	at = a->p;
	word = as_ident(a);
	if (!word.n) {
		AS_ERROR(a, at, "an instruction is expected");
		goto bad;
	}
	mn = word;
	for (mn.n = 0; mn.n < word.n && word.s[mn.n] != '.'; mn.n++)
		;
	op = ppu_opcode_value(mn.s, mn.n);
	if (op < 0) {
		AS_ERROR(a, at, "no instruction is called '%.*s'", (int)(mn.n > 40 ? 40 : mn.n), mn.s);
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
	if (!as_end_of_statement(a)) {
		do {
			if (num == MAX_OPERANDS) {
				AS_ERROR(a, a->p, "too many operands");
				goto bad;
			}
			if (!as_operand(a, &o[num]))
				goto bad;
			num++;
		} while (as_accept(a, ','));
		if (!as_end_of_statement(a)) {
			AS_ERROR(a, a->p, "',' or the end of the line is expected");
			goto bad;
		}
	}
	if (!place(a, &in, info, o, num))
		goto bad;
	why = ppu_isa_check(&in, PPU_NUM_REGS);
	if (why) {
		as_error_at(a, line, (uint32_t)(at - a->line_start) + 1, "%.*s: %s", (int)mn.n, mn.s, why);
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
	as_add_insn(a, &in);
	return;
bad:
	a->num_fixups = fixups;
	as_skip_statement(a);
}
