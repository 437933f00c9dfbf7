/* SPDX-License-Identifier: MIT */
/* Debug sections: their bytes, what names in them are, and the copies of registers that they name. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include "compiler/obj/image.h"
#include "compiler/ptx/front/px_debug.h"
#include "compiler/ptx/front/px_sym.h"

#define MOST_BYTES	(64u << 20)	/* of a section */

struct word {			/* of a section: base + number - minus */
	uint32_t at;
	unsigned bytes;
	struct px_str *base, *minus;
	uint64_t number;
};

struct bytes {
	uint8_t *v;
	uint32_t n, cap;
	struct word *words;
	uint32_t num_words, cap_words;
};

struct local {			/* of the function at hand */
	struct px_str *name;
	uint32_t slot;
};

struct home {			/* likewise */
	px_val val;
	uint32_t slot;
};

struct px_debug {
	struct bytes section[PPU_DEBUG_SECTIONS];
	struct local *locals;
	uint32_t num_locals, cap_locals;
	struct home *homes;
	uint32_t num_homes, cap_homes;
	struct ppu_debug_home *all;
	uint32_t num_all, cap_all;
	struct px_str **names;
	uint32_t num_names, cap_names;
};

/* ---- reading -------------------------------------------------------------------------------------------------- */

static void add(struct px_module *m, struct bytes *b, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; b && i < bytes && b->n < MOST_BYTES; i++)
		PX_PUSH(&m->px->arena, b->v, b->n, b->cap, (uint8_t)(v >> 8 * i));
}

/* NAME, .SECTION, NUMBER, with + and - between them. */
static void read_word(struct px_module *m, struct px_lex *lx, struct bytes *b, unsigned bytes)
{
	struct word w = { .at = b ? b->n : 0, .bytes = bytes };
	bool minus = false, more = true;	/* more: something must follow; otherwise the next line begins */

	for (;; px_next(lx)) {
		bool sign = lx->tok.kind == TK('-') || lx->tok.kind == TK('+');

		if (!more && !sign)
			break;
		more = sign;
		if (sign)
			minus = lx->tok.kind == TK('-');
		else if (lx->tok.kind == TK_INT)
			w.number += minus ? (uint64_t)0 - lx->tok.i : lx->tok.i;
		else if (lx->tok.kind == TK_IDENT && minus)
			w.minus = lx->tok.str;
		else if (lx->tok.kind == TK_IDENT)
			w.base = lx->tok.str;
		else if (lx->tok.kind != TK_DOT || strncmp(lx->tok.str->s, "debug_", 6) != 0)	/* a section begins at 0 */
			break;
	}
	if (b && (w.base || w.minus))
		PX_PUSH(&m->px->arena, b->words, b->num_words, b->cap_words, w);
	add(m, b, w.number, bytes);
}

static unsigned size_of(const struct px_token *t)
{
	static const struct {
		const char *name;
		unsigned bytes;
	} sizes[] = { { "b8", 1 }, { "b16", 2 }, { "b32", 4 }, { "b64", 8 } };

	for (size_t i = 0; t->kind == TK_DOT && i < PX_ARRAY_SIZE(sizes); i++)
		if (!strcmp(t->str->s, sizes[i].name))
			return sizes[i].bytes;
	return 0;
}

static struct bytes *section_of(struct px_debug *d, const char *name)
{
	static const char *const names[] = {
		[PPU_DEBUG_INFO] = "debug_info", [PPU_DEBUG_ABBREV] = "debug_abbrev", [PPU_DEBUG_STR] = "debug_str",
		[PPU_DEBUG_LOC] = "debug_loc",
	};

	for (size_t i = 0; i < PX_ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return &d->section[i];
	return NULL;
}

static void read_section(struct px_module *m, struct px_lex *lx)
{
	struct bytes *b = NULL;
	unsigned bytes;

	px_next(lx);
	if (lx->tok.kind == TK_DOT)
		b = section_of(m->debug, lx->tok.str->s);
	while (lx->tok.kind != TK('{') && lx->tok.kind != TK_EOF)
		px_next(lx);
	px_next(lx);
	while (lx->tok.kind != TK('}') && lx->tok.kind != TK_EOF) {
		bytes = size_of(&lx->tok);
		if (bytes) {
			do {
				px_next(lx);
				read_word(m, lx, b, bytes);
			} while (lx->tok.kind == TK(','));
			continue;
		}
		if (lx->tok.kind == TK_IDENT && b)	/* a label of the section */
			lx->tok.str->place = b->n;
		px_next(lx);
	}
}

/* Where the first line begins with .section; both compilers put them behind all functions. */
static const char *first_section(const char *text, size_t len)
{
	static const char word[] = ".section";
	const char *p = text, *end = text + len, *line;

	while ((p = memmem(p, (size_t)(end - p), word, sizeof(word) - 1))) {
		for (line = p; line > text && (line[-1] == ' ' || line[-1] == '\t'); line--)
			;
		if (line == text || line[-1] == '\n')
			return p;
		p += sizeof(word) - 1;
	}
	return NULL;
}

/* DW_OP_regx with the letters of a PTX register as its number, the first one the highest.  Bytes that only look so cost a
 * copy that nobody reads. */
static void find_registers(struct px_module *m, const struct bytes *b)
{
	for (uint32_t i = 0; i + 1 < b->n; i++) {
		uint64_t v = 0;
		uint32_t k = i + 1, n;
		char name[9];

		if (b->v[i] != PPU_DW_OP_REGX)
			continue;
		for (unsigned shift = 0; k < b->n && shift < 63; shift += 7) {
			v |= (uint64_t)(b->v[k] & 0x7f) << shift;
			if (!(b->v[k++] & 0x80))
				break;
		}
		n = ppu_debug_letters(v, name);
		if (n > 1 && *name == '%')
			px_intern(m->px, name, n)->homed = true;
	}
}

void px_debug_read(struct px_module *m, const char *text, size_t len)
{
	const char *first = m->px->opt->debug ? first_section(text, len) : NULL;
	struct px_lex lx;

	if (!first)
		return;
	m->debug = px_alloc(&m->px->arena, sizeof(*m->debug));
	px_lex_init(&lx, m->px, first, len - (size_t)(first - text));
	while (lx.tok.kind != TK_EOF && !m->px->give_up) {
		if (lx.tok.kind == TK_DOT && !strcmp(lx.tok.str->s, "section"))
			read_section(m, &lx);
		else
			px_next(&lx);
	}
	if (!m->debug->section[PPU_DEBUG_INFO].n)
		m->debug = NULL;	/* lines only */
	for (unsigned i = 0; m->debug && i < PPU_DEBUG_SECTIONS; i++)
		find_registers(m, &m->debug->section[i]);
}

/* ---- places --------------------------------------------------------------------------------------------------- */

static uint64_t place(enum ppu_debug_kind kind, uint64_t number)
{
	return (uint64_t)kind << PPU_DEBUG_KIND | number;
}

void px_debug_label(struct px_module *m, struct px_str *name)
{
	if (m->debug)
		name->place = place(PPU_DEBUG_MARK, ++m->mark);
}

void px_debug_variable(struct px_module *m, struct px_str *name, const struct px_var *v)
{
	struct px_debug *d = m->debug;
	struct local l = { name, v->slot };

	if (!d || v->space == SP_FPARAM)
		return;
	if (v->space == SP_LOCAL) {
		PX_PUSH(&m->px->arena, d->locals, d->num_locals, d->cap_locals, l);
		return;
	}
	if (!name->place) {
		name->place = place(PPU_DEBUG_NAME, d->num_names);
		PX_PUSH(&m->px->arena, d->names, d->num_names, d->cap_names, name);
	}
}

void px_debug_param(struct px_module *m, struct px_str *name, uint32_t offset)
{
	if (m->debug)
		name->place = place(PPU_DEBUG_PARAM, offset);
}

/* ---- registers ------------------------------------------------------------------------------------------------ */

static uint32_t home_of(struct px_module *m, px_val v)
{
	unsigned bytes = px_value(m->func, v)->width ? 4u * px_value(m->func, v)->width : 4u;
	struct px_debug *d = m->debug;
	struct home h = { v, 0 };

	for (uint32_t i = 0; i < d->num_homes; i++)
		if (d->homes[i].val == v)
			return d->homes[i].slot;
	h.slot = px_new_slot(m->func, SLOT_LOCAL, bytes, bytes);
	m->func->slots[h.slot].used = true;
	PX_PUSH(&m->px->arena, d->homes, d->num_homes, d->cap_homes, h);
	return h.slot;
}

/* Of a copy behind the instruction: if that writes its own guard, all lanes copy what they have. */
static struct px_predref guard_behind(const struct px_insn *in)
{
	bool own = in->guard.v && (in->pd == in->guard.v || in->pe == in->guard.v);

	return own ? (struct px_predref){ 0 } : in->guard;
}

/* A predicate as a number, 0 or 1. */
static px_val as_number(struct px_module *m, struct px_block *b, struct px_insn **in, px_val v)
{
	struct px_insn *sel = px_new_insn(m->func, PPU_OP_SEL, PPU_T_U32);	/* !v ? 0 : 1 */

	sel->guard = guard_behind(*in);
	sel->s[0] = px_imm(0);
	sel->s[1] = px_imm(1);
	sel->ps = (struct px_predref){ v, true };
	sel->d = px_new_val(m->func, 1, NULL);
	px_insert_after(b, *in, sel);
	*in = sel;
	return sel->d;
}

static void copy_home(struct px_module *m, struct px_block *b, struct px_insn *in, px_val v)
{
	unsigned width = px_value(m->func, v)->width;
	struct px_insn *st = px_new_insn(m->func, PPU_OP_ST, width == 2 ? PPU_T_U64 : PPU_T_U32);

	st->guard = guard_behind(in);
	st->m = PPU_SPACE_LOCAL;
	st->s[0] = px_reg(m->func->sp);
	st->ref = REF_SLOT;
	st->sym = home_of(m, v);
	st->xs = px_alloc(&m->px->arena, sizeof(px_val));
	st->xs[0] = width ? v : as_number(m, b, &in, v);
	st->nxs = 1;
	px_insert_after(b, in, st);
}

void px_debug_homes(struct px_module *m)
{
	px_val *r[PX_MAX_REFS];
	struct px_insn *next;

	if (!m->debug)
		return;
	m->func->exact = true;
	m->debug->num_homes = 0;
	PX_FOR_BLOCKS(m->func, b)
		for (struct px_insn *in = b->first; in; in = next) {
			unsigned n = px_writes(in, r);

			next = in->next;
			for (unsigned k = 0; k < n && !px_is_terminator(in); k++) {
				const struct px_value *v = px_value(m->func, *r[k]);

				if (v->name && v->name->homed && v->width <= 2)
					copy_home(m, b, in, *r[k]);
			}
		}
}

void px_debug_function(struct px_module *m)
{
	struct px_debug *d = m->debug;
	struct px_func *f = m->func;

	if (!d)
		return;
	for (uint32_t i = 0; i < d->num_locals; i++)
		d->locals[i].name->place = place(PPU_DEBUG_FRAME, f->slots[d->locals[i].slot].offset);
	for (uint32_t i = 0; i < d->num_homes; i++) {
		const struct px_slot *s = &f->slots[d->homes[i].slot];
		struct ppu_debug_home h = {
			.name = (char *)px_value(f, d->homes[i].val)->name->s, .first = f->first_pc,
			.end = f->first_pc + f->num_insns, .offset = (uint32_t)s->offset, .bytes = s->size,
		};

		PX_PUSH(&m->px->arena, d->all, d->num_all, d->cap_all, h);
	}
	d->num_locals = 0;
}

/* ---- the image ------------------------------------------------------------------------------------------------- */

static void fill_words(const struct bytes *b, uint8_t *out)
{
	for (uint32_t i = 0; i < b->num_words; i++) {
		const struct word *w = &b->words[i];
		uint64_t v = w->number + (w->base ? w->base->place : 0) - (w->minus ? w->minus->place : 0);

		for (unsigned k = 0; k < w->bytes && w->at + k < b->n; k++)
			out[w->at + k] = (uint8_t)(v >> 8 * k);
	}
}

static bool copy_sections(const struct px_debug *d, struct ppu_debug *out)
{
	for (unsigned i = 0; i < PPU_DEBUG_SECTIONS; i++) {
		out->section[i] = malloc(d->section[i].n + 1u);
		if (!out->section[i])
			return false;
		out->bytes[i] = d->section[i].n;
		if (d->section[i].n)
			memcpy(out->section[i], d->section[i].v, d->section[i].n);
		fill_words(&d->section[i], out->section[i]);
	}
	return true;
}

bool px_debug_image(struct px_module *m, struct ppu_image *img)
{
	const struct px_debug *d = m->debug;
	struct ppu_debug *out = img->debug = calloc(1, sizeof(*out));

	if (!out || !copy_sections(d, out))
		return false;
	out->marks = malloc((m->obj.num_marks + 1) * sizeof(*out->marks));
	out->homes = calloc(d->num_all + 1, sizeof(*out->homes));
	out->names = calloc(d->num_names + 1, sizeof(*out->names));
	if (!out->marks || !out->homes || !out->names)
		return false;
	out->num_marks = m->obj.num_marks;
	if (out->num_marks)
		memcpy(out->marks, m->obj.marks, out->num_marks * sizeof(*out->marks));
	for (; out->num_homes < d->num_all; out->num_homes++) {
		out->homes[out->num_homes] = d->all[out->num_homes];
		out->homes[out->num_homes].name = strdup(d->all[out->num_homes].name);
		if (!out->homes[out->num_homes].name)
			return false;
	}
	for (; out->num_names < d->num_names; out->num_names++) {
		out->names[out->num_names] = strdup(d->names[out->num_names]->s);
		if (!out->names[out->num_names])
			return false;
	}
	return true;
}
