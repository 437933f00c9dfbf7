/* SPDX-License-Identifier: MIT */
/*
 * Assembler: text (.ppus) to image.  The language is described in Documentation/hw/isa.md.
 *
 * One pass over the lines; labels and symbols used before their definition are fixed up at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/as_data.h"
#include "compiler/asm/as_function.h"
#include "compiler/asm/as_image.h"
#include "compiler/asm/as_insn.h"
#include "compiler/asm/as_map.h"
#include "compiler/asm/as_operand.h"
#include "compiler/asm/as_text.h"

/* ---- directives ---- */

/* Reports that the statement is wrong, and skips the rest of it. */
#define REJECT(a, at, ...) do { \
	AS_ERROR(a, at, __VA_ARGS__); \
	as_skip_statement(a); \
} while (0)

/* Defines a label; its ':' has been read.  show: at most so many characters of the name are in a message. */
static void label(struct as *a, const char *at, struct as_span s, size_t show)
{
	if (as_map_get(&a->labels, s, a->scope))
		AS_ERROR(a, at, "label '%.*s' is defined twice", (int)(s.n > show ? show : s.n), s.s);
	else
		as_map_put(a, &a->labels, s, a->scope, a->img->num_insns);
}

static void extern_symbol(struct as *a, const char *at)
{
	char *n = as_name(a);
	int64_t i = n ? as_new_symbol(a, n, at, PPU_SYM_UNDEF) : -1;

	while (!as_end_of_statement(a)) {
		const char *word = a->p;
		struct as_span w = as_ident(a);

		if (!as_is(w, "weak") && !as_is(w, "movable")) {
			REJECT(a, word, "weak, movable or the end of the line is expected");
			break;
		}
		if (i >= 0)
			a->img->symbols[i].flags |= as_is(w, "weak") ? PPU_SYMF_WEAK : PPU_SYMF_MOVABLE;
	}
	/* an undefined symbol with align 1 was declared, see resolve() */
	if (i >= 0 && a->img->symbols[i].kind == PPU_SYM_UNDEF)
		a->img->symbols[i].align = 1;
}

static void source_file(struct as *a)
{
	const char *s;
	uint64_t v;
	size_t len;
	char *n;

	if (!as_natural(a, 65535, &v)) {
		as_skip_statement(a);
		return;
	}
	as_skip(a);
	s = a->p;
	if (v != a->img->num_files || as_peek(a) != '"') {
		REJECT(a, s, "files are numbered in order: .file %u \"name\"", a->img->num_files);
		return;
	}
	n = as_string(a, &len);
	if (!n)
		return;
	if (strlen(n) != len || PPU_GROW(a->img->files, a->img->num_files)) {
		AS_ERROR(a, s, "bad file name");
		free(n);
		return;
	}
	a->img->files[a->img->num_files - 1] = n;
}

static void source_line(struct as *a, const char *at)
{
	struct ppu_line *l;
	uint64_t v, v2;

	if (!as_natural(a, UINT32_MAX, &v) || !as_natural(a, UINT32_MAX, &v2)) {
		as_skip_statement(a);
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
		AS_ERROR(a, at, "there is no .file %llu", (unsigned long long)v);
	if (!as_end_of_statement(a) && as_natural(a, UINT32_MAX, &v))
		l->column = (uint32_t)v;
}

static void two_words(struct as *a, const char *at)
{
	static const char what[] = ".insn takes two 64-bit words";
	struct as_operand lo, hi;
	struct ppu_insn in;

	as_skip(a);
	if (!as_number(a, &lo) || !as_accept(a, ',')) {
		REJECT(a, at, "%s", what);
		return;
	}
	as_skip(a);
	if (!as_number(a, &hi) || lo.kind != AS_O_INT || hi.kind != AS_O_INT) {
		REJECT(a, at, "%s", what);
		return;
	}
	in.lo = lo.value;
	in.hi = hi.value;
	as_add_insn(a, &in);
}

static void directive(struct as *a)
{
	const char *at = a->p;
	struct as_span d;

	a->p++;
	d = as_ident(a);
	if (as_peek(a) == ':') {	/* .L12: */
		d.s--;
		d.n++;
		a->p++;
		label(a, at, d, SIZE_MAX);
	} else if (as_is(d, "kernel")) {
		as_function(a, PPU_SYM_KERNEL);
	} else if (as_is(d, "func")) {
		as_function(a, PPU_SYM_FUNC);
	} else if (as_is(d, "end")) {
		as_close_function(a);
	} else if (as_is(d, "param")) {
		as_param(a);
	} else if (as_is(d, "global")) {
		as_variable(a, PPU_SYM_GLOBAL);
	} else if (as_is(d, "const")) {
		as_variable(a, PPU_SYM_CONST);
	} else if (as_is(d, "shared")) {
		as_variable(a, PPU_SYM_SHARED);
	} else if (as_is(d, "extern")) {
		extern_symbol(a, at);
	} else if (as_is(d, "file")) {
		source_file(a);
	} else if (as_is(d, "loc")) {
		source_line(a, at);
	} else if (as_is(d, "insn")) {
		two_words(a, at);
	} else {
		REJECT(a, at, "no such directive");
	}
}

/* ---- the end ---- */

static void resolve(struct as *a)
{
	struct ppu_image *img = a->img;
	uint32_t i;

	for (i = 0; i < a->num_fixups; i++) {
		const struct as_fixup *f = &a->fixups[i];
		int code = f->what <= AS_FIX_IMM64;
		struct ppu_insn *in = code ? &img->code[f->pc] : NULL;
		struct as_map_entry *e;
		const struct ppu_symbol *s;
		unsigned kind = 0;
		int fn, ok = 1;

		if (f->what == AS_FIX_TARGET && !f->quoted) {
			e = as_map_get(&a->labels, f->name, f->scope);
			if (!e)
				e = as_map_get(&a->labels, f->name, 0);
			if (e) {
				int64_t target = (int64_t)(e->value + (uint64_t)f->addend);

				if (target < 0 || target > PPU_PC_MAX)
					as_error_at(a, f->line, f->col, "branch target is outside the program");
				else
					PPU_SET(in, IMM, target);
				continue;
			}
		}
		e = as_map_get(&a->symbols, f->name, 0);
		if (!e) {
			as_error_at(a, f->line, f->col, "'%.*s' is not defined (use .extern for symbols of other modules)",
				    (int)(f->name.n > 80 ? 80 : f->name.n), f->name.s);
			continue;
		}
		s = &img->symbols[e->value];
		fn = ppu_is_code(s->kind);
		switch (f->what) {
		case AS_FIX_TARGET:
			kind = PPU_REL_CODE_PC;
			ok = fn || s->kind == PPU_SYM_UNDEF;
			if (fn)
				PPU_SET(in, IMM, s->value + (uint64_t)f->addend);
			break;
		case AS_FIX_IMM:
			kind = fn ? PPU_REL_CODE_PC : PPU_REL_CODE_SHARED;
			ok = fn || s->kind == PPU_SYM_SHARED || s->kind == PPU_SYM_UNDEF;
			PPU_SET(in, IMM, s->value + (uint64_t)f->addend);
			break;
		case AS_FIX_IMM64:
			kind = fn ? PPU_REL_CODE_PC64 : PPU_REL_CODE_ABS64;
			ok = s->kind != PPU_SYM_SHARED;
			if (fn)
				in->hi = s->value + (uint64_t)f->addend;
			break;
		case AS_FIX_DATA_ADDR:
			kind = PPU_REL_DATA_ABS64;
			ok = s->kind == PPU_SYM_GLOBAL || s->kind == PPU_SYM_CONST ||
			     s->kind == PPU_SYM_UNDEF;
			break;
		case AS_FIX_DATA_CODE:
			kind = PPU_REL_DATA_PC64;
			ok = fn || s->kind == PPU_SYM_UNDEF;
			break;
		}
		if (!ok) {
			as_error_at(a, f->line, f->col, "'%s' is the wrong kind of symbol here", s->name);
			continue;
		}
		as_add_reloc(a, kind, e->value, f->pc, f->addend);
	}
	for (i = 0; i < img->num_symbols; i++) {
		if (img->symbols[i].kind != PPU_SYM_UNDEF)
			continue;
		if (!img->symbols[i].align)
			as_error_at(a, a->line, 1, "'%s' is not defined (use .extern for symbols of other modules)",
				    img->symbols[i].name);
		img->symbols[i].align = 0;
	}
}

/* Code needs at least the bytes of the module's shared variables, because it may use them. */
static void finish_shared(struct ppu_image *img)
{
	uint32_t i;

	for (i = 0; i < img->num_symbols; i++) {
		struct ppu_symbol *s = &img->symbols[i];

		if (!ppu_is_code(s->kind))
			continue;
		if (s->shared_bytes < img->shared_module_bytes)
			s->shared_bytes = img->shared_module_bytes;
		if (s->shared_fixed == UINT32_MAX)	/* the directive does not say */
			s->shared_fixed = s->shared_bytes;
	}
}

/* In a source without .loc, the line numbers of instructions are those of the source itself. */
static void own_lines(struct as *a, const char *file)
{
	struct ppu_image *img = a->img;

	if (a->has_loc || img->num_files || !a->num_auto || !file)
		return;
	if (PPU_GROW(img->files, img->num_files) || !(img->files[0] = strdup(file))) {
		img->num_files = 0;
		a->oom = 1;
		return;
	}
	img->lines = a->auto_lines;
	img->num_lines = a->num_auto;
	a->auto_lines = NULL;
}

static void finish(struct as *a, const char *file)
{
	struct ppu_image *img = a->img;
	const char *why;
	uint32_t i;

	finish_shared(img);
	own_lines(a, file);
	/* a .loc after the last instruction is about no instruction */
	while (img->num_lines && img->lines[img->num_lines - 1].pc >= img->num_insns)
		img->num_lines--;
	for (i = 0; i < img->num_symbols; i++) {
		why = ppu_symbol_check(img, &img->symbols[i]);
		if (why)
			as_error_at(a, a->line, 1, "'%s': %s", img->symbols[i].name, why);
	}
	for (i = 0; i < img->num_relocs; i++) {
		why = ppu_reloc_check(img, &img->relocs[i]);
		if (why)
			as_error_at(a, a->line, 1, "%s", why);
	}
}

/* A directive, an instruction or a label. */
static void statement(struct as *a)
{
	const char *at = a->p;
	struct as_span s;

	if (*a->p == '.') {
		directive(a);
	} else {
		s = as_ident(a);
		if (s.n && as_peek(a) == ':') {
			a->p++;
			label(a, at, s, 80);
			return;
		}
		a->p = at;
		as_instruction(a);
	}
	if (!as_end_of_statement(a) && a->p < a->end) {
		if (!(a->p > a->line_start && a->p[-1] == ':'))
			AS_ERROR(a, a->p, "the end of the line is expected");
		as_skip_statement(a);
	}
}

int ppu_assemble(const char *text, size_t len, const char *file, struct ppu_image **img,
		 struct ppu_log *log)
{
	struct as a = { .file = file ? file : "<text>", .p = text, .end = text + len,
			.line_start = text, .line = 1, .log = log };
	int err = 0;

	*img = NULL;
	a.img = ppu_image_new();
	if (!a.img)
		return -ENOMEM;
	while (a.p < a.end && !a.oom && a.errors < AS_MAX_ERRORS) {
		as_skip(&a);
		if (a.p >= a.end)
			break;
		if (*a.p == '\n') {
			a.p++;
			a.line++;
			a.line_start = a.p;
		} else if (*a.p == ';') {
			a.p++;
		} else {
			statement(&a);
		}
	}
	as_close_function(&a);
	if (!a.errors)
		resolve(&a);
	if (!a.errors && !a.oom)
		finish(&a, file);
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
