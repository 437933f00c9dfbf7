/* SPDX-License-Identifier: MIT */
/* ppu_ptx_compile(): PTX text -> image. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/front/px_debug.h"
#include "compiler/ptx/front/px_module.h"
#include "compiler/ptx/front/px_parse.h"
#include "compiler/ptx/front/px_type.h"
#include "compiler/ptx/px_func.h"

/*
 * Offset of dynamic shared memory in a kernel.  Until the program is linked, the module's shared variables come
 * first, then the kernel's own, then dynamic shared memory, and listings show these places.  The linker gives
 * out the final places, because it knows which kernel uses which variable.
 */
static uint32_t dynamic_offset(const struct px_module *m, uint32_t own)
{
	uint32_t align = m->shared_align > 16 ? m->shared_align : 16;

	return (uint32_t)px_align((uint64_t)m->shared_module + own, align);
}

static bool is_dynamic(const struct px_module *m, uint32_t sym)
{
	return m->obj.syms[sym].kind == PPU_SYM_SHARED && !m->obj.syms[sym].size;
}

/* For placing dynamic shared memory: what would take a search of all symbols for each relocation. */
struct finder {
	uint32_t *owner;	/* by instruction: symbol of its kernel or function + 1 */
	struct px_str **name;	/* hash table: names of shared variables */
	uint32_t *symbol;	/* the last symbol of that name */
	uint32_t mask;
};

/* The entry of a name, which may be free. */
static uint32_t name_entry(struct px_module *m, const struct finder *d, const char *text)
{
	struct px_str *name = px_intern(m->px, text, strlen(text));
	uint32_t i = name->hash & d->mask;

	while (d->name[i] && d->name[i] != name)
		i = (i + 1) & d->mask;
	return i;
}

static void set_symbol(struct px_module *m, struct finder *d, uint32_t sym)
{
	const char *text = m->obj.syms[sym].name;
	uint32_t i = name_entry(m, d, text);

	d->name[i] = px_intern(m->px, text, strlen(text));
	d->symbol[i] = sym;
}

static void init_finder(struct px_module *m, struct finder *d)
{
	struct px_arena *a = &m->px->arena;
	uint32_t i, k, room = 16;

	while (room / 2 < m->obj.num_syms + m->obj.num_relocs)
		room *= 2;
	d->mask = room - 1;
	d->name = px_alloc(a, room * sizeof(*d->name));
	d->symbol = px_alloc(a, room * sizeof(*d->symbol));
	d->owner = px_alloc(a, (m->obj.num_insns + 1) * sizeof(*d->owner));
	for (i = 0; i < m->obj.num_syms; i++) {
		const struct ppu_symbol *s = &m->obj.syms[i];

		if (s->kind == PPU_SYM_SHARED)
			set_symbol(m, d, i);
		for (k = 0; (s->kind == PPU_SYM_KERNEL || s->kind == PPU_SYM_FUNC) && k < s->num_insns; k++)
			if (!d->owner[s->value + k])
				d->owner[s->value + k] = i + 1;
	}
}

/* The kernel (or function) that holds an instruction. */
static struct ppu_symbol *owner(struct px_module *m, const struct finder *d, uint64_t pc)
{
	return pc < m->obj.num_insns && d->owner[pc] ? &m->obj.syms[d->owner[pc] - 1] : NULL;
}

static uint32_t kernel_dynamic_symbol(struct px_module *m, struct finder *d, const struct ppu_symbol *k, uint32_t sym,
				      uint64_t offset)
{
	size_t n = strlen(k->name) + strlen(m->obj.syms[sym].name) + 2;
	char *name = px_alloc(&m->px->arena, n);
	uint32_t i;

	snprintf(name, n, "%s$%s", k->name, m->obj.syms[sym].name);
	i = name_entry(m, d, name);
	if (d->name[i])
		return d->symbol[i];
	i = px_image_symbol(m, name, PPU_SYM_SHARED);
	m->obj.syms[i].value = offset;
	m->obj.syms[i].align = m->obj.syms[sym].align;
	set_symbol(m, d, i);
	return i;
}

/*
 * Dynamic shared memory starts after the static part of the kernel.  When a function (not a kernel) refers to it,
 * dynamic shared memory must start at one place in all kernels: after the largest static part.
 */
static void place_dynamic(struct px_module *m)
{
	bool in_function = false;
	uint32_t most = 0, i;
	struct finder d;
	struct ppu_symbol *s;

	init_finder(m, &d);
	for (i = 0; i < m->obj.num_relocs; i++)
		if (m->obj.relocs[i].kind == PPU_REL_CODE_SHARED && is_dynamic(m, m->obj.relocs[i].symbol)) {
			s = owner(m, &d, m->obj.relocs[i].where);
			in_function |= s && s->kind == PPU_SYM_FUNC;
		}
	for (i = 0; i < m->obj.num_syms; i++)
		if (m->obj.syms[i].kind == PPU_SYM_KERNEL && m->obj.syms[i].shared_bytes > most)
			most = m->obj.syms[i].shared_bytes;
	for (i = 0; i < m->obj.num_syms; i++)
		if (is_dynamic(m, i))
			m->obj.syms[i].value = dynamic_offset(m, most);
	for (i = 0; i < m->obj.num_syms; i++) {
		s = &m->obj.syms[i];
		if (s->kind == PPU_SYM_KERNEL)
			s->shared_bytes = in_function ? dynamic_offset(m, most) :
					  m->shared_module + s->shared_bytes;
		else if (s->kind == PPU_SYM_FUNC)
			s->shared_bytes = m->shared_module;
	}
	for (i = 0; i < m->obj.num_relocs && !in_function; i++) {
		struct ppu_reloc *r = &m->obj.relocs[i];
		uint32_t own;

		if (r->kind != PPU_REL_CODE_SHARED || !is_dynamic(m, r->symbol))
			continue;
		s = owner(m, &d, r->where);
		if (!s)
			continue;
		own = s->shared_bytes > m->shared_module ? s->shared_bytes - m->shared_module : 0;
		s->shared_bytes = dynamic_offset(m, own);
		r->symbol = kernel_dynamic_symbol(m, &d, s, r->symbol, s->shared_bytes);
	}
}

static void place_own_shared(struct px_module *m)
{
	uint32_t i;

	m->shared_module = (uint32_t)px_align(m->shared_module,
					      m->shared_align ? m->shared_align : 1);
	for (i = 0; i < m->num_own_shared; i++)
		m->obj.syms[m->own_shared[i]].value += m->shared_module;
}

/* Relocations that name an alias get the symbol of its function. */
static void resolve_aliases(struct px_module *m)
{
	uint32_t i, k;

	for (k = 0; k < m->num_aliases; k++)
		for (i = 0; i < m->obj.num_relocs; i++)
			if (m->obj.relocs[i].symbol == m->aliases[k].from)
				m->obj.relocs[i].symbol = m->aliases[k].to;
}

/* Drops symbols that are declared but never used, so that they are no link errors. */
static void drop_unused(struct px_module *m)
{
	uint32_t *map = px_alloc(&m->px->arena, (m->obj.num_syms + 1) * sizeof(*map)), i, n = 0;
	uint8_t *used = px_alloc(&m->px->arena, m->obj.num_syms + 1);

	for (i = 0; i < m->obj.num_relocs; i++)
		used[m->obj.relocs[i].symbol] = 1;
	for (i = 0; i < m->obj.num_syms; i++) {
		if (!used[i] && (m->obj.syms[i].kind == PPU_SYM_UNDEF || is_dynamic(m, i)))
			continue;
		map[i] = n;
		m->obj.syms[n++] = m->obj.syms[i];
	}
	m->obj.num_syms = n;
	for (i = 0; i < m->obj.num_relocs; i++)
		m->obj.relocs[i].symbol = map[m->obj.relocs[i].symbol];
}

/* Puts the values that are known now into the instructions, so that a listing shows them. */
static void apply_known(struct px_module *m)
{
	uint32_t i;

	for (i = 0; i < m->obj.num_relocs; i++) {
		const struct ppu_reloc *r = &m->obj.relocs[i];
		const struct ppu_symbol *s = &m->obj.syms[r->symbol];

		if (s->kind != PPU_SYM_UNDEF && (r->kind == PPU_REL_CODE_PC || r->kind == PPU_REL_CODE_SHARED))
			PPU_SET(&m->obj.code[r->where], IMM, s->value + (uint64_t)r->addend);
		else if (s->kind != PPU_SYM_UNDEF && r->kind == PPU_REL_CODE_PC64)
			m->obj.code[r->where].hi = s->value + (uint64_t)r->addend;
	}
}

/* ---- to the image: malloc'ed copies ---- */

static void *copy(const void *p, size_t n, bool *oom)
{
	void *c;

	if (!n)
		return NULL;
	c = malloc(n);
	if (c)
		memcpy(c, p, n);
	else
		*oom = true;
	return c;
}

static struct ppu_image *make_image(struct px_module *m)
{
	struct ppu_image *img = ppu_image_new();
	bool oom = false;
	uint32_t i;

	if (!img)
		return NULL;
	img->code = copy(m->obj.code, m->obj.num_insns * sizeof(*m->obj.code), &oom);
	img->data = copy(m->obj.data, m->obj.data_bytes, &oom);
	img->symbols = calloc((size_t)m->obj.num_syms + 1, sizeof(*m->obj.syms));
	img->relocs = copy(m->obj.relocs, m->obj.num_relocs * sizeof(*m->obj.relocs), &oom);
	img->lines = copy(m->obj.lines, m->obj.num_lines * sizeof(*m->obj.lines), &oom);
	img->files = calloc((size_t)m->obj.num_files + 1, sizeof(*img->files));
	if (oom || !img->symbols || !img->files) {
		ppu_image_free(img);
		return NULL;
	}
	img->num_insns = m->obj.num_insns;
	img->data_bytes = m->obj.data_bytes;
	img->data_align = m->obj.data_align ? m->obj.data_align : 1;
	img->num_relocs = m->obj.num_relocs;
	img->num_lines = m->obj.num_lines;
	for (i = 0; i < m->obj.num_files; i++) {
		const char *name = m->obj.files[i] ? m->obj.files[i] : "(no .file)";

		img->files[i] = copy(name, strlen(name) + 1, &oom);
		img->num_files = i + 1;
	}
	for (i = 0; i < m->obj.num_syms; i++) {
		img->symbols[i] = m->obj.syms[i];
		if (m->obj.syms[i].kind == PPU_SYM_SHARED)
			img->symbols[i].flags |= PPU_SYMF_MOVABLE;
		img->symbols[i].name = copy(m->obj.syms[i].name, strlen(m->obj.syms[i].name) + 1, &oom);
		img->symbols[i].params = copy(m->obj.syms[i].params,
					      m->obj.syms[i].num_params * sizeof(struct ppu_param), &oom);
		img->num_symbols = i + 1;
	}
	if (oom) {
		ppu_image_free(img);
		return NULL;
	}
	return img;
}

static int compile(struct px *px, const char *text, size_t len, struct ppu_image **img)
{
	struct px_module *m = px_alloc(&px->arena, sizeof(*m));

	m->px = px;
	px->obj = &m->obj;
	m->finished = px_compile_func;
	m->file = UINT32_MAX;
	px_init_names(px);
	px_debug_read(m, text, len);
	px_parse_module(m, text, len);
	if (px->log->errors)
		return -EINVAL;
	place_own_shared(m);
	place_dynamic(m);
	resolve_aliases(m);
	drop_unused(m);
	apply_known(m);
	*img = make_image(m);
	if (*img && m->debug && !px_debug_image(m, *img)) {
		ppu_image_free(*img);
		*img = NULL;
	}
	return *img ? 0 : -ENOMEM;
}

static int guarded(struct px *px, const char *text, size_t len, struct ppu_image **img)
{
	jmp_buf oom;

	px->arena.oom = &oom;
	return setjmp(oom) ? -ENOMEM : compile(px, text, len, img);
}

int ppu_ptx_compile(const char *text, size_t len, const char *file,
		    const struct ppu_ptx_options *opt, struct ppu_image **img, struct ppu_log *log)
{
	static const struct ppu_ptx_options defaults;
	struct px px = { .file = file ? file : "ptx", .opt = opt ? opt : &defaults };
	struct ppu_log own;
	unsigned before;
	int rc;

	*img = NULL;
	ppu_log_init(&own);
	px.log = log ? log : &own;
	before = px.log->errors;
	px.log->errors = 0;
	rc = guarded(&px, text, len, img);
	px_arena_free(&px.arena);
	px.log->errors += before;
	ppu_log_free(&own);
	return rc;
}
