/* SPDX-License-Identifier: MIT */
/* Disassembler of whole images.  From its text the assembler makes the same image again. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/dis.h"
#include "compiler/obj/image.h"

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

struct listing {
	const struct ppu_image *img;
	struct text o;
	struct ppu_symbol **syms;	/* by kind and value */
	struct ppu_reloc **rel;		/* of data, by place */
	uint32_t num_rel;
	struct ppu_reloc **code_rel;	/* by instruction */
	uint8_t *label;			/* by instruction: 1 if a branch leads here */
	uint32_t *fn_at, *fn_next;	/* functions that start here: index into syms + 1, chained */
	uint32_t line;			/* lines printed */
};

static void say_data(struct listing *l, const struct ppu_symbol *s)
{
	const struct ppu_image *img = l->img;
	struct ppu_reloc **rel = l->rel;
	struct text *o = &l->o;
	uint64_t at = s->value, end = s->value + s->size;
	int any = 0, open = 0;

	while (at < end) {
		const struct ppu_reloc *r = NULL;
		uint64_t stop = end, k;
		uint32_t i, lo = 0, hi = l->num_rel;

		while (lo < hi) {
			i = lo + (hi - lo) / 2;
			if (rel[i]->where < at)
				lo = i + 1;
			else
				hi = i;
		}
		if (lo < l->num_rel) {
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

/* Line 0: the following instructions come from no line. */
static void say_line(struct text *o, const struct ppu_image *img, const struct ppu_line *l)
{
	say(o, "\t.loc %u %u %u", l->file, l->line, l->column);
	if (l->line && !strchr(img->files[l->file], '\n'))
		say(o, "\t// %s:%u", img->files[l->file], l->line);
	say(o, "\n");
}

static void say_files(struct listing *l)
{
	uint32_t i;

	for (i = 0; i < l->img->num_files; i++) {
		say(&l->o, ".file %u ", i);
		say_quoted(&l->o, l->img->files[i]);
		say(&l->o, "\n");
	}
}

/* at: the offsets that the assembler would give the next variable, in data and in shared memory. */
static void say_variable(struct listing *l, const struct ppu_symbol *s, uint64_t at[2])
{
	static const char *const dirs[] = { ".extern", "", "", ".global", ".const", ".shared" };
	int shared = s->kind == PPU_SYM_SHARED;
	uint64_t align = s->align ? s->align : 1;
	struct text *o = &l->o;

	say(o, "%s ", dirs[s->kind]);
	say_name(o, s->name);
	if (s->kind == PPU_SYM_UNDEF) {
		say(o, "%s%s\n", s->flags & PPU_SYMF_WEAK ? " weak" : "",
		    s->flags & PPU_SYMF_MOVABLE ? " movable" : "");
		return;
	}
	say(o, " %" PRIu64 " %" PRIu64, s->size, align);
	say_flags(o, s);
	at[shared] = (at[shared] + align - 1) & ~(align - 1);
	if (at[shared] != s->value)
		say(o, " at=%" PRIu64, s->value);
	at[shared] = s->value + s->size;
	if (!shared)
		say_data(l, s);
	say(o, "\n");
}

static void say_function(struct text *o, const struct ppu_symbol *s)
{
	uint32_t k;

	say(o, "\n%s ", s->kind == PPU_SYM_KERNEL ? ".kernel" : ".func");
	say_name(o, s->name);
	say_flags(o, s);
	say(o, " insns=%u regs=%u frame=%u local=%u shared=%u barriers=%u", s->num_insns,
	    s->regs, s->frame_bytes, s->local_bytes, s->shared_bytes, s->barriers);
	if (s->shared_fixed != s->shared_bytes)
		say(o, " fixed=%u", s->shared_fixed);
	if (s->max_threads)
		say(o, " threads=%u", s->max_threads);
	if (s->reqntid[0] || s->reqntid[1] || s->reqntid[2])
		say(o, " reqntid=%u,%u,%u", s->reqntid[0], s->reqntid[1], s->reqntid[2]);
	if (s->param_bytes)
		say(o, " params=%u", s->param_bytes);
	if (s->cluster)
		say(o, " cluster=%u", s->cluster);
	if (s->recursive)
		say(o, " recursive");
	say(o, "\n");
	for (k = 0; k < s->num_params; k++)
		say(o, "\t.param $%u %u %u %u\n", k, s->params[k].size, s->params[k].align, s->params[k].offset);
}

static void say_insn(struct listing *l, uint32_t i)
{
	const struct ppu_insn *in = &l->img->code[i];
	const struct ppu_reloc *r = l->code_rel[i];
	char buf[400], target[24], *name = NULL;
	struct dis_hints h = { 0 };
	struct dis_buf b = { buf, 0, sizeof(buf) };

	if (r) {
		h.symbol = name = quoted(l->img->symbols[r->symbol].name);
		h.addend = r->addend;
		if (!name) {
			l->o.failed = 1;
			return;
		}
	}
	if (PPU_GET(in, IMM) < l->img->num_insns) {
		snprintf(target, sizeof(target), ".L%u", PPU_GET(in, IMM));
		h.target = target;
	}
	buf[0] = '\0';
	dis_insn(&b, in, &h);
	if (b.len < b.cap) {
		say(&l->o, "\t%s\n", buf);
	} else {	/* a very long symbol name */
		char *big = malloc(b.len + 1);
		struct dis_buf b2 = { big, 0, b.len + 1 };

		if (big) {
			dis_insn(&b2, in, &h);
			say(&l->o, "\t%s\n", big);
		} else {
			l->o.failed = 1;
		}
		free(big);
	}
	free(name);
}

static void say_code(struct listing *l)
{
	uint32_t i, j;

	for (i = 0; i < l->img->num_insns && !l->o.failed; i++) {
		for (j = l->fn_at[i]; j; j = l->fn_next[j - 1])
			say_function(&l->o, l->syms[j - 1]);
		for (; l->line < l->img->num_lines && l->img->lines[l->line].pc <= i; l->line++)
			say_line(&l->o, l->img, &l->img->lines[l->line]);
		if (l->label[i])
			say(&l->o, ".L%u:\n", i);
		say_insn(l, i);
	}
}

/* Sorts symbols and relocations, and lists labels and functions by instruction. */
static void sort(struct listing *l)
{
	const struct ppu_image *img = l->img;
	uint32_t i;

	for (i = 0; i < img->num_symbols; i++)
		l->syms[i] = &img->symbols[i];
	qsort(l->syms, img->num_symbols, sizeof(*l->syms), by_value);
	for (i = 0; i < img->num_relocs; i++) {
		if (is_data(&img->relocs[i]))
			l->rel[l->num_rel++] = &img->relocs[i];
		else
			l->code_rel[img->relocs[i].where] = &img->relocs[i];
	}
	qsort(l->rel, l->num_rel, sizeof(*l->rel), by_where);
	for (i = 0; i < img->num_insns; i++) {
		const struct ppu_insn *in = &img->code[i];

		if (ppu_has_target(in) && PPU_GET(in, IMM) < img->num_insns)
			l->label[PPU_GET(in, IMM)] = 1;
	}
	for (i = img->num_symbols; i-- > 0; ) {
		const struct ppu_symbol *f = l->syms[i];

		if (!ppu_is_code(f->kind))
			continue;
		l->fn_next[i] = l->fn_at[f->value];
		l->fn_at[f->value] = i + 1;
	}
}

int ppu_disassemble(const struct ppu_image *img, char **text)
{
	struct listing l = {
		.img = img,
		.syms = calloc((size_t)img->num_symbols + 1, sizeof(*l.syms)),
		.rel = calloc((size_t)img->num_relocs + 1, sizeof(*l.rel)),
		.code_rel = calloc((size_t)img->num_insns + 1, sizeof(*l.code_rel)),
		.label = calloc((size_t)img->num_insns + 1, 1),
		.fn_at = calloc((size_t)img->num_insns + 1, sizeof(*l.fn_at)),
		.fn_next = calloc((size_t)img->num_symbols + 1, sizeof(*l.fn_next)),
	};
	uint64_t at[2] = { 0, 0 };
	int err = -ENOMEM;
	uint32_t i;

	*text = NULL;
	if (!l.syms || !l.rel || !l.code_rel || !l.label || !l.fn_at || !l.fn_next)
		goto out;
	sort(&l);
	say_files(&l);
	for (i = 0; i < img->num_symbols; i++)
		if (!ppu_is_code(l.syms[i]->kind))
			say_variable(&l, l.syms[i], at);
	say_code(&l);
	say(&l.o, "%s", "");
	err = l.o.failed ? -ENOMEM : 0;
out:
	free(l.syms);
	free(l.rel);
	free(l.code_rel);
	free(l.label);
	free(l.fn_at);
	free(l.fn_next);
	if (err) {
		free(l.o.v);
		return err;
	}
	*text = l.o.v;
	return 0;
}
