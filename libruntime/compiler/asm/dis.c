/* SPDX-License-Identifier: MIT */
/*
 * Disassembler.  Operands are printed by the syntax string of the instruction's format; operands
 * that are absent (no predicate, register not used) are left out, and the assembler puts them back.
 * What the checker does not accept is printed as `.insn lo, hi`.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/obj/image.h"
#include "compiler/asm/text.h"

struct buf {
	char *v;
	size_t len, cap;	/* len counts what would have been written */
};

static void emit(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void emit(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(b->len < b->cap ? b->v + b->len : NULL, b->len < b->cap ? b->cap - b->len : 0,
		      fmt, ap);
	va_end(ap);
	if (n > 0)
		b->len += (size_t)n;
}

static void emit_s(struct buf *b, const char *s)
{
	size_t n = strlen(s);

	if (b->len < b->cap) {
		size_t room = b->cap - b->len - 1, k = n < room ? n : room;

		memcpy(b->v + b->len, s, k);
		b->v[b->len + k] = '\0';
	}
	b->len += n;
}

static void emit_reg(struct buf *b, unsigned r, unsigned width)
{
	if (r == PPU_RZ)
		emit_s(b, "rz");
	else
		emit(b, "r%s%u", width == 4 ? "q" : width == 2 ? "d" : "", r);
}

static void emit_pred(struct buf *b, unsigned p, unsigned neg)
{
	if (p == PPU_PT)
		emit_s(b, neg ? "!pt" : "pt");
	else
		emit(b, "%sp%u", neg ? "!" : "", p);
}

/* A 32-bit immediate of type t.  A number with a point is a value of a floating type, any other is
 * the 32 bits of the field. */
static void emit_imm(struct buf *b, uint32_t v, unsigned t)
{
	if (t == PPU_T_F32) {
		char text[32];
		float f, back;

		memcpy(&f, &v, 4);
		snprintf(text, sizeof(text), "%.9g", (double)f);
		back = strtof(text, NULL);
		if (v && f - f == 0 && !memcmp(&back, &v, 4)) {
			emit_s(b, text);
			if (!strpbrk(text, ".e"))
				emit_s(b, ".0");
			return;
		}
	}
	if (t >= PPU_T_F16 && t <= PPU_T_F64) {
		if (v)
			emit(b, "0x%x", v);
		else
			emit_s(b, "0");
		return;
	}
	if ((int32_t)v >= -65536 && (int32_t)v < 65536)
		emit(b, "%d", (int32_t)v);
	else if (ppu_type_bits(t) == 64 && (int32_t)v < 0)
		emit(b, "-0x%x", -v);
	else
		emit(b, "0x%x", v);
}

static void emit_imm64(struct buf *b, uint64_t v)
{
	if ((int64_t)v >= -65536 && (int64_t)v < 65536)
		emit(b, "%" PRId64, (int64_t)v);
	else
		emit(b, "0x%" PRIx64, v);
}

/* Names in place of numbers; all may be NULL. */
struct hints {
	const char *target;	/* branch target */
	const char *symbol;	/* imm, imm64 or memory offset is this symbol's */
	int64_t addend;
};

static void emit_symbol(struct buf *b, const struct hints *h)
{
	emit_s(b, h->symbol);
	if (h->addend)
		emit(b, "%+" PRId64, h->addend);
}

static void emit_source(struct buf *b, const struct ppu_insn *in, char which, unsigned width,
			const struct hints *h)
{
	unsigned r = which == 'a' ? PPU_GET(in, A) : which == 'b' ? PPU_GET(in, B) : PPU_GET(in, C);
	unsigned neg = 0, abs = 0, op = PPU_GET(in, OP);

	if (which == 'b' && PPU_GET(in, BI)) {
		uint32_t v = PPU_GET(in, IMM);

		if (op == PPU_OP_SHFL || op == PPU_OP_BAR)
			v &= 0xffff;
		if (h->symbol)
			emit_symbol(b, h);
		else
			emit_imm(b, v, ppu_imm_type(in, 0));
		return;
	}
	if (which == 'c' && PPU_GET(in, CI)) {
		if (op == PPU_OP_SHFL)
			emit_imm(b, PPU_GET(in, IMM) >> 16, PPU_T_U32);
		else if (h->symbol)
			emit_symbol(b, h);
		else
			emit_imm(b, PPU_GET(in, IMM), ppu_imm_type(in, 1));
		return;
	}
	if (which == 'a' && op == PPU_OP_BAR && PPU_GET(in, X) & 1) {
		emit(b, "%u", PPU_GET(in, IMM) >> 28);
		return;
	}
	switch (which) {
	case 'a': neg = PPU_GET(in, NA); abs = PPU_GET(in, AA); break;
	case 'b': neg = PPU_GET(in, NB); abs = PPU_GET(in, AB); break;
	case 'c': neg = PPU_GET(in, NC); break;
	}
	emit_s(b, neg ? abs ? "-|" : "-" : abs ? "|" : "");
	emit_reg(b, r, width);
	if (abs)
		emit_s(b, "|");
}

static void emit_mem(struct buf *b, const struct ppu_insn *in, unsigned width, const struct hints *h)
{
	int32_t off = (int32_t)PPU_GET(in, IMM);
	int base = PPU_GET(in, A) != PPU_RZ;

	emit_s(b, "[");
	if (base)
		emit_reg(b, PPU_GET(in, A), width);
	if (h->symbol) {
		if (base)
			emit_s(b, "+");
		emit_symbol(b, h);
	} else if (!base) {
		emit(b, "%" PRId32, off);
	} else if (off) {
		emit(b, "%+" PRId32, off);
	}
	emit_s(b, "]");
}

static void dis(struct buf *b, const struct ppu_insn *in, const struct hints *h)
{
	unsigned op = PPU_GET(in, OP), i, n, first;
	const struct ppu_isa_info *info = ppu_isa_info(op);
	const char *s, *sep = " ";
	int imm64 = info->fmt == PPU_FMT_D_I64;
	uint32_t have;
	uint8_t w[4];

	if (ppu_isa_check(in, PPU_NUM_REGS)) {
		emit(b, ".insn 0x%016" PRIx64 ", 0x%016" PRIx64, (uint64_t)in->lo, (uint64_t)in->hi);
		return;
	}
	have = ppu_fmt_fields(info->fmt);
	ppu_isa_widths(in, w);
	if (PPU_GET(in, GP) != PPU_PT || PPU_GET(in, GN)) {
		emit_s(b, "@");
		emit_pred(b, PPU_GET(in, GP), PPU_GET(in, GN));
		emit_s(b, " ");
	}
	emit_s(b, info->mnemonic);
	n = ppu_mods_of(op, &first);
	for (i = first; i < first + n; i++) {
		const struct ppu_mod *m = &ppu_mods[i];
		unsigned v = ppu_field_get(in, m->field) >> m->low & ((1u << m->width) - 1);

		if (v != m->def)
			emit(b, ".%s", ppu_group_text(m->group, v));
	}
	if (!imm64 && PPU_FMT_HAS(have, RND) && PPU_GET(in, RND))
		emit(b, ".%s", ppu_group_text(PPU_NG_RND, PPU_GET(in, RND)));
	if (PPU_FMT_HAS(have, FTZ) && PPU_GET(in, FTZ))
		emit_s(b, ".ftz");
	if (PPU_FMT_HAS(have, SAT) && PPU_GET(in, SAT))
		emit_s(b, ".sat");
	if (PPU_FMT_HAS(have, T) && PPU_GET(in, T))
		emit(b, ".%s", ppu_type_text(PPU_GET(in, T)));
	if (PPU_FMT_HAS(have, U) && op != PPU_OP_ATOM && op != PPU_OP_REDUX && PPU_GET(in, U))
		emit(b, ".%s", ppu_type_text(PPU_GET(in, U)));

	for (s = ppu_format_syntax(info->fmt); *s; s++) {
		if (*s != '%')
			continue;
		switch (*++s) {
		case 'd':
			if (!w[0])
				continue;
			emit_s(b, sep);
			emit_reg(b, PPU_GET(in, D), w[0]);
			break;
		case 'a':
			if (!w[1] && !(op == PPU_OP_BAR))
				continue;
			emit_s(b, sep);
			emit_source(b, in, 'a', w[1], h);
			break;
		case 'b':
			if (!w[2] && !PPU_GET(in, BI))
				continue;
			if (op == PPU_OP_BAR && !PPU_GET(in, BI) && PPU_GET(in, B) == PPU_RZ)
				continue;
			emit_s(b, sep);
			emit_source(b, in, 'b', w[2], h);
			break;
		case 'c':
			if (!w[3] && !PPU_GET(in, CI))
				continue;
			emit_s(b, sep);
			emit_source(b, in, 'c', w[3], h);
			break;
		case 'p':
			if (PPU_GET(in, PD) == PPU_PT && info->fmt != PPU_FMT_PLOP &&
			    !(op == PPU_OP_VOTE && PPU_GET(in, M) != PPU_VOTE_BALLOT) &&
			    !(PPU_FMT_HAS(have, PE) && PPU_GET(in, PE) != PPU_PT))
				continue;
			emit_s(b, sep);
			emit_pred(b, PPU_GET(in, PD), 0);
			break;
		case 'q':
			if (PPU_GET(in, PE) == PPU_PT)
				continue;
			emit_s(b, sep);
			emit_pred(b, PPU_GET(in, PE), 0);
			break;
		case 's':
			if (PPU_GET(in, PS) == PPU_PT && !PPU_GET(in, PSN) &&
			    info->fmt != PPU_FMT_PLOP)
				continue;
			emit_s(b, sep);
			emit_pred(b, PPU_GET(in, PS), PPU_GET(in, PSN));
			break;
		case 'P':
			emit_s(b, sep);
			emit_pred(b, PPU_GET(in, A), PPU_GET(in, NA));
			break;
		case 'i':
			emit_s(b, sep);
			if (h->symbol)
				emit_symbol(b, h);
			else if (imm64)
				emit_imm64(b, in->hi);
			else
				emit(b, "0x%x", PPU_GET(in, IMM));
			break;
		case 'l':
			emit_s(b, sep);
			if (h->symbol)
				emit_symbol(b, h);
			else if (h->target)
				emit_s(b, h->target);
			else
				emit(b, "%u", PPU_GET(in, IMM));
			break;
		case 'm':
			emit_s(b, sep);
			emit_mem(b, in, w[1], h);
			break;
		case 'S':
			emit_s(b, sep);
			emit(b, "%%%s", ppu_sreg_text(PPU_GET(in, IMM)));
			break;
		default:
			continue;
		}
		sep = ", ";
	}
	if (op == PPU_OP_LOP3)
		emit(b, ", 0x%02x", PPU_GET(in, Y));
	if (op == PPU_OP_SHFL && PPU_GET(in, X) == 1) {
		emit_s(b, ", ");
		emit_reg(b, PPU_GET(in, Y), 1);
	}
}

size_t ppu_disasm_insn(const struct ppu_insn *insn, uint32_t pc, char *buf, size_t cap)
{
	struct buf b = { buf, 0, cap };
	struct hints none = { 0 };

	(void)pc;	/* targets are absolute */
	if (cap)
		buf[0] = '\0';
	dis(&b, insn, &none);
	return b.len < cap ? b.len : cap ? cap - 1 : 0;
}

int ppu_insn_check(const struct ppu_insn *insn, const char **why)
{
	const char *s = ppu_isa_check(insn, PPU_NUM_REGS);

	if (why)
		*why = s;
	return s ? -EINVAL : 0;
}

/* ---- whole images ---- */

struct text {
	char *v;
	size_t len, cap;
	int failed;
};

static void say(struct text *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || o->failed)
		return;
	if (o->cap - o->len < (size_t)n + 1) {
		size_t cap = (o->len + (size_t)n + 1) * 2;
		char *v = realloc(o->v, cap);

		if (!v) {
			o->failed = 1;
			return;
		}
		o->v = v;
		o->cap = cap;
	}
	va_start(ap, fmt);
	vsnprintf(o->v + o->len, o->cap - o->len, fmt, ap);
	va_end(ap);
	o->len += (size_t)n;
}

static void say_quoted(struct text *o, const char *s)
{
	say(o, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			say(o, "\\%c", *s);
		else if (*s < ' ' || *s > '~')
			say(o, "\\x%02x", (uint8_t)*s);
		else
			say(o, "%c", *s);
	}
	say(o, "\"");
}

/* r12, rd4, rq8, rz, p3, pt: an operand, not a name. */
static int is_operand(const char *s)
{
	if (!strcmp(s, "rz") || !strcmp(s, "pt"))
		return 1;
	if (*s != 'r' && *s != 'p')
		return 0;
	s += s[0] == 'r' && (s[1] == 'd' || s[1] == 'q') ? 2 : 1;
	return *s && !s[strspn(s, "0123456789")];
}

/* Quoted names are always symbols, never labels, parameters or registers. */
static void say_name(struct text *o, const char *name)
{
	const char *c;
	int plain = *name != '\0';

	for (c = name; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' ||
		      (c > name && (*c == '$' || *c == '.' || (*c >= '0' && *c <= '9')))))
			plain = 0;
	if (plain && !is_operand(name)) {
		say(o, "%s", name);
		return;
	}
	say_quoted(o, name);
}

static char *quoted(const char *name)
{
	struct text o = { 0 };

	say_name(&o, name);
	return o.failed ? NULL : o.v;
}

static int by_value(const void *x, const void *y)
{
	const struct ppu_symbol *a = *(const struct ppu_symbol *const *)x;
	const struct ppu_symbol *b = *(const struct ppu_symbol *const *)y;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return a < b ? -1 : 1;
}

static int by_where(const void *x, const void *y)
{
	const struct ppu_reloc *a = *(const struct ppu_reloc *const *)x;
	const struct ppu_reloc *b = *(const struct ppu_reloc *const *)y;

	if (a->where != b->where)
		return a->where < b->where ? -1 : 1;
	return a < b ? -1 : 1;
}

static int is_data(const struct ppu_reloc *r)
{
	return r->kind == PPU_REL_DATA_ABS64 || r->kind == PPU_REL_DATA_PC64;
}

static void say_flags(struct text *o, const struct ppu_symbol *s)
{
	if (!(s->flags & PPU_SYMF_GLOBAL))
		say(o, " static");
	if (s->flags & PPU_SYMF_WEAK)
		say(o, " weak");
	if (s->flags & PPU_SYMF_MANAGED)
		say(o, " managed");
	if (s->flags & PPU_SYMF_MOVABLE)
		say(o, " movable");
}

static void say_data(struct text *o, const struct ppu_image *img, const struct ppu_symbol *s,
		     struct ppu_reloc **rel, uint32_t num_rel)
{
	uint64_t at = s->value, end = s->value + s->size;
	int any = 0, open = 0;

	while (at < end) {
		const struct ppu_reloc *r = NULL;
		uint64_t stop = end, k;
		uint32_t i, lo = 0, hi = num_rel;

		while (lo < hi) {
			i = lo + (hi - lo) / 2;
			if (rel[i]->where < at)
				lo = i + 1;
			else
				hi = i;
		}
		if (lo < num_rel) {
			if (rel[lo]->where == at && end - at >= 8)
				r = rel[lo];
			else if (rel[lo]->where < end)
				stop = rel[lo]->where > at ? rel[lo]->where : end;
		}
		if (!any)
			say(o, " =");
		any = 1;
		if (r) {
			const char *kind = r->kind == PPU_REL_DATA_ABS64 ? "addr" : "code";

			say(o, " .%s ", kind);
			say_name(o, img->symbols[r->symbol].name);
			if (r->addend)
				say(o, "%+" PRId64, r->addend);
			at += 8;
			open = 0;
			continue;
		}
		for (k = at; k < stop && !img->data[k]; k++)
			;
		if (k - at >= 8 || k == stop) {
			say(o, " .zero %" PRIu64, k - at);
			at = k;
			open = 0;
			continue;
		}
		say(o, open ? " 0x%02x" : " .byte 0x%02x", img->data[at++]);
		open = 1;
	}
}

/* Line 0: what follows comes from no line. */
static void say_line(struct text *o, const struct ppu_image *img, const struct ppu_line *l)
{
	say(o, "\t.loc %u %u %u", l->file, l->line, l->column);
	if (l->line && !strchr(img->files[l->file], '\n'))
		say(o, "\t// %s:%u", img->files[l->file], l->line);
	say(o, "\n");
}

int ppu_disassemble(const struct ppu_image *img, char **text)
{
	struct text o = { 0 };
	struct ppu_symbol **syms = calloc((size_t)img->num_symbols + 1, sizeof(*syms));
	struct ppu_reloc **rel = calloc((size_t)img->num_relocs + 1, sizeof(*rel));
	struct ppu_reloc **code_rel = calloc((size_t)img->num_insns + 1, sizeof(*code_rel));
	uint8_t *label = calloc((size_t)img->num_insns + 1, 1);
	uint32_t *fn_at = calloc((size_t)img->num_insns + 1, sizeof(*fn_at));	/* index + 1 */
	uint32_t *fn_next = calloc((size_t)img->num_symbols + 1, sizeof(*fn_next));
	uint32_t i, j, num_rel = 0, line = 0;
	uint64_t at[2] = { 0, 0 };
	int err = -ENOMEM;

	*text = NULL;
	if (!syms || !rel || !code_rel || !label || !fn_at || !fn_next)
		goto out;
	for (i = 0; i < img->num_symbols; i++)
		syms[i] = &img->symbols[i];
	qsort(syms, img->num_symbols, sizeof(*syms), by_value);
	for (i = 0; i < img->num_relocs; i++) {
		if (is_data(&img->relocs[i]))
			rel[num_rel++] = &img->relocs[i];
		else
			code_rel[img->relocs[i].where] = &img->relocs[i];
	}
	qsort(rel, num_rel, sizeof(*rel), by_where);
	for (i = 0; i < img->num_insns; i++) {
		const struct ppu_insn *in = &img->code[i];

		switch (ppu_isa_info(PPU_GET(in, OP))->fmt) {
		case PPU_FMT_BR: case PPU_FMT_PUSHL: case PPU_FMT_DISL: case PPU_FMT_CALL:
			if (PPU_GET(in, IMM) < img->num_insns)
				label[PPU_GET(in, IMM)] = 1;
		}
	}

	for (i = 0; i < img->num_files; i++) {
		say(&o, ".file %u ", i);
		say_quoted(&o, img->files[i]);
		say(&o, "\n");
	}
	for (i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = syms[i];
		static const char *const dirs[] = { ".extern", "", "", ".global", ".const", ".shared" };
		int shared = s->kind == PPU_SYM_SHARED;
		uint64_t align = s->align ? s->align : 1;

		if (s->kind == PPU_SYM_KERNEL || s->kind == PPU_SYM_FUNC)
			continue;
		say(&o, "%s ", dirs[s->kind]);
		say_name(&o, s->name);
		if (s->kind == PPU_SYM_UNDEF) {
			say(&o, "%s%s\n", s->flags & PPU_SYMF_WEAK ? " weak" : "",
			    s->flags & PPU_SYMF_MOVABLE ? " movable" : "");
			continue;
		}
		say(&o, " %" PRIu64 " %" PRIu64, s->size, align);
		say_flags(&o, s);
		at[shared] = (at[shared] + align - 1) & ~(align - 1);
		if (at[shared] != s->value)
			say(&o, " at=%" PRIu64, s->value);
		at[shared] = s->value + s->size;
		if (!shared)
			say_data(&o, img, s, rel, num_rel);
		say(&o, "\n");
	}
	for (i = img->num_symbols; i-- > 0; ) {
		const struct ppu_symbol *f = syms[i];

		if (f->kind != PPU_SYM_KERNEL && f->kind != PPU_SYM_FUNC)
			continue;
		fn_next[i] = fn_at[f->value];
		fn_at[f->value] = i + 1;
	}
	for (i = 0; i < img->num_insns; i++) {
		struct hints h = { 0 };
		char buf[400], target[24], *name = NULL;
		struct buf b = { buf, 0, sizeof(buf) };
		const struct ppu_insn *in = &img->code[i];

		for (j = fn_at[i]; j; j = fn_next[j - 1]) {
			const struct ppu_symbol *s = syms[j - 1];
			uint32_t k;

			say(&o, "\n%s ", s->kind == PPU_SYM_KERNEL ? ".kernel" : ".func");
			say_name(&o, s->name);
			say_flags(&o, s);
			say(&o, " insns=%u regs=%u frame=%u local=%u shared=%u barriers=%u", s->num_insns,
			    s->regs, s->frame_bytes, s->local_bytes, s->shared_bytes, s->barriers);
			if (s->shared_fixed != s->shared_bytes)
				say(&o, " fixed=%u", s->shared_fixed);
			if (s->max_threads)
				say(&o, " threads=%u", s->max_threads);
			if (s->reqntid[0] || s->reqntid[1] || s->reqntid[2])
				say(&o, " reqntid=%u,%u,%u", s->reqntid[0], s->reqntid[1],
				    s->reqntid[2]);
			if (s->param_bytes)
				say(&o, " params=%u", s->param_bytes);
			if (s->recursive)
				say(&o, " recursive");
			say(&o, "\n");
			for (k = 0; k < s->num_params; k++)
				say(&o, "\t.param $%u %u %u %u\n", k, s->params[k].size,
				    s->params[k].align, s->params[k].offset);
		}
		for (; line < img->num_lines && img->lines[line].pc <= i; line++)
			say_line(&o, img, &img->lines[line]);
		if (label[i])
			say(&o, ".L%u:\n", i);
		if (code_rel[i]) {
			name = quoted(img->symbols[code_rel[i]->symbol].name);
			h.symbol = name;
			h.addend = code_rel[i]->addend;
			if (!name)
				goto out;
		}
		if (PPU_GET(in, IMM) < img->num_insns) {
			snprintf(target, sizeof(target), ".L%u", PPU_GET(in, IMM));
			h.target = target;
		}
		buf[0] = '\0';
		dis(&b, in, &h);
		if (b.len < b.cap) {
			say(&o, "\t%s\n", buf);
		} else {	/* a very long symbol name */
			char *big = malloc(b.len + 1);
			struct buf b2 = { big, 0, b.len + 1 };

			if (big) {
				dis(&b2, in, &h);
				say(&o, "\t%s\n", big);
			} else {
				o.failed = 1;
			}
			free(big);
		}
		free(name);
	}
	say(&o, "%s", "");
	err = o.failed ? -ENOMEM : 0;
out:
	free(syms);
	free(rel);
	free(code_rel);
	free(label);
	free(fn_at);
	free(fn_next);
	if (err) {
		free(o.v);
		return err;
	}
	*text = o.v;
	return 0;
}
