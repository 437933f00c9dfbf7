/* SPDX-License-Identifier: MIT */
/*
 * Disassembler of one instruction.  Operands are printed by the syntax string of the instruction's format;
 * operands that are absent (no predicate, register not used) are left out, and the assembler puts them back.
 * An instruction that the checker does not accept is printed as `.insn lo, hi`.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/dis.h"
#include "compiler/asm/text.h"

static void emit(struct dis_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void emit(struct dis_buf *b, const char *fmt, ...)
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

static void emit_s(struct dis_buf *b, const char *s)
{
	size_t n = strlen(s);

	if (b->len < b->cap) {
		size_t room = b->cap - b->len - 1, k = n < room ? n : room;

		memcpy(b->v + b->len, s, k);
		b->v[b->len + k] = '\0';
	}
	b->len += n;
}

static void emit_reg(struct dis_buf *b, unsigned r, unsigned width)
{
	if (r == PPU_RZ)
		emit_s(b, "rz");
	else
		emit(b, "r%s%u", width == 4 ? "q" : width == 2 ? "d" : "", r);
}

static void emit_pred(struct dis_buf *b, unsigned p, unsigned neg)
{
	if (p == PPU_PT)
		emit_s(b, neg ? "!pt" : "pt");
	else
		emit(b, "%sp%u", neg ? "!" : "", p);
}

/* Prints a 32-bit immediate of type t.  A number with a point is a value of a floating type; any other
 * number gives the 32 bits of the field. */
static void emit_imm(struct dis_buf *b, uint32_t v, unsigned t)
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

static void emit_imm64(struct dis_buf *b, uint64_t v)
{
	if ((int64_t)v >= -65536 && (int64_t)v < 65536)
		emit(b, "%" PRId64, (int64_t)v);
	else
		emit(b, "0x%" PRIx64, v);
}

static void emit_symbol(struct dis_buf *b, const struct dis_hints *h)
{
	emit_s(b, h->symbol);
	if (h->addend)
		emit(b, "%+" PRId64, h->addend);
}

static void emit_source(struct dis_buf *b, const struct ppu_insn *in, char which, unsigned width,
			const struct dis_hints *h)
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

static void emit_mem(struct dis_buf *b, const struct ppu_insn *in, unsigned width, const struct dis_hints *h)
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

static void emit_suffixes(struct dis_buf *b, const struct ppu_insn *in, const struct ppu_isa_info *info)
{
	unsigned op = PPU_GET(in, OP), i, n, first;
	uint32_t have = ppu_fmt_fields(info->fmt);

	n = ppu_mods_of(op, &first);
	for (i = first; i < first + n; i++) {
		const struct ppu_mod *m = &ppu_mods[i];
		unsigned v = ppu_field_get(in, m->field) >> m->low & ((1u << m->width) - 1);

		if (v != m->def)
			emit(b, ".%s", ppu_group_text(m->group, v));
	}
	if (info->fmt != PPU_FMT_D_I64 && PPU_FMT_HAS(have, RND) && PPU_GET(in, RND))
		emit(b, ".%s", ppu_group_text(PPU_NG_RND, PPU_GET(in, RND)));
	if (PPU_FMT_HAS(have, FTZ) && PPU_GET(in, FTZ))
		emit_s(b, ".ftz");
	if (PPU_FMT_HAS(have, SAT) && PPU_GET(in, SAT))
		emit_s(b, ".sat");
	if (PPU_FMT_HAS(have, T) && PPU_GET(in, T))
		emit(b, ".%s", ppu_type_text(PPU_GET(in, T)));
	if (PPU_FMT_HAS(have, U) && op != PPU_OP_ATOM && op != PPU_OP_REDUX && PPU_GET(in, U))
		emit(b, ".%s", ppu_type_text(PPU_GET(in, U)));
}

void dis_insn(struct dis_buf *b, const struct ppu_insn *in, const struct dis_hints *h)
{
	unsigned op = PPU_GET(in, OP);
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
	emit_suffixes(b, in, info);
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
	struct dis_buf b = { buf, 0, cap };
	struct dis_hints none = { 0 };

	(void)pc;	/* targets are absolute */
	if (cap)
		buf[0] = '\0';
	dis_insn(&b, insn, &none);
	return b.len < cap ? b.len : cap ? cap - 1 : 0;
}

int ppu_insn_check(const struct ppu_insn *insn, const char **why)
{
	const char *s = ppu_isa_check(insn, PPU_NUM_REGS);

	if (why)
		*why = s;
	return s ? -EINVAL : 0;
}
