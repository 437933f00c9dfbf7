/* SPDX-License-Identifier: MIT */
/* Modules and their kernels: what a program unloads is kept, because its lines are told at the end. */
#include <stdlib.h>
#include <string.h>

#include "prof/state.h"

struct prof_module *prof_modules;
struct prof_kernel *prof_kernels;

static struct ppu_image *copy_of(const struct ppu_image *img)
{
	struct ppu_image *copy = NULL;
	uint8_t *bytes;
	size_t len;

	if (ppu_image_write(img, &bytes, &len))
		return NULL;
	if (ppu_image_read(bytes, len, &copy, NULL))
		copy = NULL;
	free(bytes);
	return copy;
}

static struct prof_module *module_of(const struct ppu_image *img)
{
	struct prof_module *m, **end = &prof_modules;
	uint32_t n = 0;

	for (; (m = *end) && m->of != img; end = &m->next)
		n++;
	if (m)
		return m;
	m = calloc(1, sizeof(*m));
	if (m)
		m->img = copy_of(img);
	if (!m || !m->img) {
		free(m);
		return NULL;
	}
	m->of = img;
	m->number = n;
	*end = m;
	return m;
}

struct prof_kernel *prof_module_kernel(const struct ppu_image *img, const struct ppu_symbol *sym)
{
	struct prof_module *m = module_of(img);
	struct prof_kernel *k, **end = &prof_kernels;
	uint32_t n = 0;

	if (!m)
		return NULL;
	for (; (k = *end); end = &k->next, n++)
		if (k->mod == m && k->entry == sym->value && !strcmp(k->name, sym->name))
			return k;
	k = calloc(1, sizeof(*k));
	if (k)
		k->name = strdup(sym->name);
	if (!k || !k->name) {
		free(k);
		return NULL;
	}
	k->mod = m;
	k->number = n;
	k->entry = (uint32_t)sym->value;
	k->regs = sym->regs;
	k->shared = sym->shared_bytes;
	k->local = sym->local_bytes;
	*end = k;
	return k;
}

void prof_module_gone(const struct ppu_image *img)
{
	for (struct prof_module *m = prof_modules; m; m = m->next)
		if (m->of == img)
			m->of = NULL;
}

void prof_modules_free(void)
{
	struct prof_kernel *k;
	struct prof_module *m;

	while ((k = prof_kernels)) {
		prof_kernels = k->next;
		free(k->insn);
		free(k->name);
		free(k);
	}
	while ((m = prof_modules)) {
		prof_modules = m->next;
		ppu_image_free(m->img);
		free(m);
	}
}

/* Where lanes part: not where a guard is a shorter way to say the same. */
bool prof_is_branch(const struct ppu_insn *in)
{
	switch (PPU_GET(in, OP)) {
	case PPU_OP_BRA: case PPU_OP_JMP: case PPU_OP_SYNC: case PPU_OP_BRK: case PPU_OP_CONT: case PPU_OP_EXIT:
	case PPU_OP_RET: case PPU_OP_LONGJMP: case PPU_OP_DISABLE: case PPU_OP_CAL:
		return true;
	default:
		return false;
	}
}
