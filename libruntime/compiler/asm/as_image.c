/* SPDX-License-Identifier: MIT */
/* Adding to the image: instructions, symbols, relocations, names to be resolved. */
#include <stdlib.h>
#include <string.h>
#include "compiler/asm/as_image.h"
#include "compiler/asm/as_map.h"
#include "compiler/asm/as_text.h"

int as_add_insn(struct as *a, const struct ppu_insn *in)
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
		AS_ERROR(a, a->p, "more than 2^22 instructions");
		return -1;
	}
	img->code[img->num_insns++] = *in;
	return 0;
}

int64_t as_new_symbol(struct as *a, char *str, const char *at, unsigned kind)
{
	struct as_span key = { str, strlen(str) };
	struct as_map_entry *e = as_map_get(&a->symbols, key, 0);
	struct ppu_symbol *s;

	if (e) {
		s = &a->img->symbols[e->value];
		free(str);
		if (kind == PPU_SYM_UNDEF)
			return e->value;
		if (s->kind != PPU_SYM_UNDEF) {
			AS_ERROR(a, at, "'%s' is defined twice", s->name);
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
	as_map_put(a, &a->symbols, key, 0, a->img->num_symbols - 1);
	return a->img->num_symbols - 1;
}

void as_add_reloc(struct as *a, unsigned kind, uint32_t symbol, uint64_t where, int64_t addend)
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

void as_add_fixup(struct as *a, unsigned what, uint32_t pc, struct as_span sym, int quoted,
		  int64_t addend, const char *at)
{
	struct as_fixup *f;

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
