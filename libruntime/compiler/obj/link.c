/* SPDX-License-Identifier: MIT */
/* Linking images: concatenation, symbol resolution, per-kernel totals over the call graph. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa_check.h>
#include "compiler/obj/graph.h"

static int fail(struct ppu_log *log, const char *name, const char *what)
{
	if (log) {
		ppu_log_printf(log, "error: %s: %s\n", name, what);
		log->errors++;
	}
	return -EINVAL;
}

static uint64_t align_up(uint64_t v, uint64_t a)
{
	return a ? (v + a - 1) & ~(a - 1) : v;
}

/* Map from the names of visible symbols to their indices: a hash table with open addressing. */
struct names {
	uint32_t *slot;		/* index + 1, 0: free */
	uint32_t mask;
};

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619u;
	return h;
}

static int names_init(struct names *t, uint32_t room)
{
	uint32_t n = 16;

	while (n < room * 2)
		n *= 2;
	t->mask = n - 1;
	t->slot = calloc(n, sizeof(*t->slot));
	return t->slot ? 0 : -ENOMEM;
}

static uint32_t *names_at(struct names *t, const struct ppu_image *img, const char *name)
{
	uint32_t i = hash(name) & t->mask;

	while (t->slot[i] && strcmp(img->symbols[t->slot[i] - 1].name, name))
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

static int copy_symbol(struct ppu_symbol *d, const struct ppu_symbol *s)
{
	char *name = strdup(s->name);
	struct ppu_param *params = NULL;

	if (s->num_params) {
		params = malloc(s->num_params * sizeof(*params));
		if (params)
			memcpy(params, s->params, s->num_params * sizeof(*params));
	}
	if (!name || (s->num_params && !params)) {
		free(name);
		free(params);
		return -ENOMEM;
	}
	*d = *s;
	d->name = name;
	d->params = params;
	return 0;
}

static uint32_t max_fixed_shared(const struct ppu_image *img)
{
	uint32_t i, max = 0;

	for (i = 0; i < img->num_symbols; i++)
		if (ppu_is_code(img->symbols[i].kind) && img->symbols[i].shared_fixed > max)
			max = img->symbols[i].shared_fixed;
	return max;
}

int ppu_image_link(struct ppu_image *dst, const struct ppu_image *src, struct ppu_log *log)
{
	uint32_t code0 = dst->num_insns, files0 = dst->num_files, i;
	uint64_t align = src->data_align > dst->data_align ? src->data_align : dst->data_align;
	uint64_t data0 = align_up(dst->data_bytes, src->data_align);
	uint32_t shared0 = 0, *map = NULL;
	struct names names = { 0 };
	int err = -ENOMEM;
	void *p;

	if ((uint64_t)code0 + src->num_insns > PPU_PC_MAX + 1u)
		return fail(log, "link", "more than 2^22 instructions");
	if (data0 + src->data_bytes > PPU_IMAGE_DATA_MAX)
		return fail(log, "link", "too much data");
	if (src->shared_module_bytes) {
		uint32_t own = max_fixed_shared(dst);

		/* The fixed shared variables of src come after all of dst that cannot move. */
		shared0 = own > dst->shared_module_bytes ? own : dst->shared_module_bytes;
		shared0 = (uint32_t)align_up(shared0, 128);
		if (shared0 + src->shared_module_bytes > PPU_IMAGE_SHARED_MAX)
			return fail(log, "link", "too much shared memory");
	}

	/* All memory is allocated first, so that nothing below can leave dst half changed. */
	if (src->num_insns) {
		p = realloc(dst->code, ((size_t)code0 + src->num_insns) * sizeof(*dst->code));
		if (!p)
			goto out;
		dst->code = p;
	}
	if (src->data_bytes) {
		p = realloc(dst->data, data0 + src->data_bytes);
		if (!p)
			goto out;
		dst->data = p;
	}
#define ROOM(array, count) do { \
	if (src->count) { \
		p = realloc(dst->array, ((size_t)dst->count + src->count) * sizeof(*dst->array)); \
		if (!p) \
			goto out; \
		dst->array = p; \
	} \
} while (0)
	ROOM(symbols, num_symbols);
	ROOM(relocs, num_relocs);
	ROOM(files, num_files);
#undef ROOM
	p = realloc(dst->lines, ((size_t)dst->num_lines + src->num_lines + 1) * sizeof(*dst->lines));
	if (!p)
		goto out;
	dst->lines = p;
	map = malloc(((size_t)src->num_symbols + 1) * sizeof(*map));
	if (!map || names_init(&names, dst->num_symbols + src->num_symbols))
		goto out;
	for (i = 0; i < dst->num_symbols; i++)
		if (dst->symbols[i].kind == PPU_SYM_UNDEF ||
		    dst->symbols[i].flags & PPU_SYMF_GLOBAL)
			*names_at(&names, dst, dst->symbols[i].name) = i + 1;

	/* Two strong definitions are refused before anything changes. */
	for (i = 0; i < src->num_symbols; i++) {
		const struct ppu_symbol *s = &src->symbols[i];
		uint32_t at;

		if (s->kind == PPU_SYM_UNDEF || !(s->flags & PPU_SYMF_GLOBAL) ||
		    s->flags & PPU_SYMF_WEAK)
			continue;
		at = *names_at(&names, dst, s->name);
		if (at && dst->symbols[at - 1].kind != PPU_SYM_UNDEF &&
		    !(dst->symbols[at - 1].flags & PPU_SYMF_WEAK)) {
			err = fail(log, s->name, "defined twice");
			goto out;
		}
	}

	for (i = 0; i < src->num_insns; i++) {
		struct ppu_insn in = src->code[i];

		if (ppu_has_target(&in)) {
			uint64_t target = (uint64_t)PPU_GET(&in, IMM) + code0;

			if (target <= PPU_PC_MAX)
				PPU_SET(&in, IMM, target);
		}
		dst->code[code0 + i] = in;
	}
	dst->num_insns += src->num_insns;
	if (src->data_bytes) {
		memset(dst->data + dst->data_bytes, 0, data0 - dst->data_bytes);
		memcpy(dst->data + data0, src->data, src->data_bytes);
		dst->data_bytes = data0 + src->data_bytes;
	}
	dst->data_align = align;

	for (i = 0; i < src->num_symbols; i++) {
		const struct ppu_symbol *s = &src->symbols[i];
		int visible = s->kind == PPU_SYM_UNDEF || s->flags & PPU_SYMF_GLOBAL;
		uint32_t *slot = visible ? names_at(&names, dst, s->name) : NULL;
		struct ppu_symbol d;

		if (slot && *slot) {
			struct ppu_symbol *old = &dst->symbols[*slot - 1];
			int old_def = old->kind != PPU_SYM_UNDEF;
			int old_weak = !!(old->flags & PPU_SYMF_WEAK);

			map[i] = *slot - 1;
			if (s->kind == PPU_SYM_UNDEF || (old_def && !old_weak) ||
			    (old_def && s->flags & PPU_SYMF_WEAK))
				continue;	/* dst's definition stands */
			if (copy_symbol(&d, s))
				goto out;
			free(old->name);
			free(old->params);
			*old = d;
		} else {
			if (copy_symbol(&d, s))
				goto out;
			map[i] = dst->num_symbols++;
			dst->symbols[map[i]] = d;
			if (slot)
				*slot = map[i] + 1;
		}
		switch (s->kind) {
		case PPU_SYM_KERNEL:
		case PPU_SYM_FUNC:
			dst->symbols[map[i]].value += code0;
			if (s->shared_fixed)
				dst->symbols[map[i]].shared_fixed += shared0;
			break;
		case PPU_SYM_GLOBAL:
		case PPU_SYM_CONST:
			dst->symbols[map[i]].value += data0;
			break;
		case PPU_SYM_SHARED:
			if (!(s->flags & PPU_SYMF_MOVABLE))
				dst->symbols[map[i]].value += shared0;
			break;
		}
	}
	if (src->shared_module_bytes)
		dst->shared_module_bytes = shared0 + src->shared_module_bytes;

	for (i = 0; i < src->num_relocs; i++) {
		struct ppu_reloc *r = &dst->relocs[dst->num_relocs++];

		*r = src->relocs[i];
		r->symbol = map[r->symbol];
		r->where += r->kind == PPU_REL_DATA_ABS64 || r->kind == PPU_REL_DATA_PC64 ?
			    data0 : code0;
	}
	for (i = 0; i < src->num_files; i++) {
		dst->files[dst->num_files] = strdup(src->files[i]);
		if (!dst->files[dst->num_files])
			goto out;
		dst->num_files++;
	}
	if (src->num_insns && dst->num_lines && dst->lines[dst->num_lines - 1].line &&
	    !(src->num_lines && !src->lines[0].pc))	/* src's first function has no lines */
		dst->lines[dst->num_lines++] = (struct ppu_line){ .pc = code0 };
	for (i = 0; i < src->num_lines; i++) {
		struct ppu_line *l = &dst->lines[dst->num_lines++];

		*l = src->lines[i];
		l->pc += code0;
		l->file += files0;
	}
	err = 0;
out:
	free(map);
	free(names.slot);
	return err;
}

/* ---- call graph ---- */

static int add_to(struct ppu_graph *g, uint32_t *first, uint32_t to)
{
	if (PPU_GROW(g->edges, g->num_edges))
		return -ENOMEM;
	g->edges[g->num_edges - 1].to = to;
	g->edges[g->num_edges - 1].next = *first;
	*first = g->num_edges;
	return 0;
}

/* An edge from function `from`; none if last[to] says that it was the last one that got an edge to `to`. */
static int add_edge(struct ppu_graph *g, uint32_t from, uint32_t to, uint32_t *last)
{
	if (last[to] == from + 1)
		return 0;
	last[to] = from + 1;
	return add_to(g, &g->first[from], to);
}

/* Which function names which shared variable. */
static int add_uses(const struct ppu_image *img, struct ppu_graph *g)
{
	uint32_t *head = calloc((size_t)img->num_insns + 1, sizeof(*head));	/* relocation of an instruction + 1 */
	uint32_t *next = calloc((size_t)img->num_relocs + 1, sizeof(*next));
	uint32_t *last = calloc((size_t)img->num_symbols + 1, sizeof(*last));	/* function + 1 that used the symbol */
	uint32_t f, i, r, used;
	int err = head && next && last ? 0 : -ENOMEM;

	for (r = 0; !err && r < img->num_relocs; r++) {
		if (img->relocs[r].kind != PPU_REL_CODE_SHARED)
			continue;
		next[r] = head[img->relocs[r].where];
		head[img->relocs[r].where] = r + 1;
	}
	for (f = 0; !err && f < g->n; f++) {
		const struct ppu_symbol *s = &img->symbols[g->sym[f]];

		for (i = 0; i < s->num_insns; i++)
			for (r = head[s->value + i]; !err && r; r = next[r - 1]) {
				used = img->relocs[r - 1].symbol;
				if (last[used] != f + 1)
					err = add_to(g, &g->first_use[f], used);
				last[used] = f + 1;
			}
	}
	free(head);
	free(next);
	free(last);
	return err;
}

/* Finds what each function needs without its callees, and who calls whom. */
static int build_graph(struct ppu_image *img, struct ppu_graph *g)
{
	uint32_t i, j, f, *fn_of_sym, *last;
	uint8_t *taken;
	int err = -ENOMEM;

	g->sym = calloc((size_t)img->num_symbols + 1, sizeof(*g->sym));
	g->first = calloc((size_t)img->num_symbols + 1, sizeof(*g->first));
	g->first_use = calloc((size_t)img->num_symbols + 1, sizeof(*g->first_use));
	g->at = calloc((size_t)img->num_insns + 1, sizeof(*g->at));
	fn_of_sym = calloc((size_t)img->num_symbols + 1, sizeof(*fn_of_sym));
	last = calloc((size_t)img->num_symbols + 1, sizeof(*last));
	taken = calloc((size_t)img->num_symbols + 1, 1);
	if (!g->sym || !g->first || !g->first_use || !g->at || !fn_of_sym || !last || !taken)
		goto out;
	for (i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];

		if (!ppu_is_code(s->kind))
			continue;
		g->sym[g->n] = i;
		g->at[s->value] = g->n + 1;
		fn_of_sym[i] = g->n++;
	}
	for (i = 0; i < img->num_relocs; i++) {
		const struct ppu_reloc *r = &img->relocs[i];

		/* kernels are launched by address, never called */
		if ((r->kind == PPU_REL_CODE_PC64 || r->kind == PPU_REL_DATA_PC64) &&
		    img->symbols[r->symbol].kind == PPU_SYM_FUNC)
			taken[fn_of_sym[r->symbol]] = 1;
	}
	for (f = 0; f < g->n; f++) {
		struct ppu_symbol *s = &img->symbols[g->sym[f]];
		int indirect = 0;

		for (i = 0; i < s->num_insns; i++) {
			const struct ppu_insn *in = &img->code[s->value + i];
			unsigned op = PPU_GET(in, OP);
			int max = ppu_isa_max_reg(in);

			if (max >= 0 && max < PPU_NUM_REGS && (uint32_t)max + 1 > s->regs)
				s->regs = (uint32_t)max + 1;
			if (op == PPU_OP_BAR) {
				uint32_t b = PPU_GET(in, X) & 1 ? (PPU_GET(in, IMM) >> 28) + 1 : 16;

				if (b > s->barriers)
					s->barriers = b;
			}
			if (op == PPU_OP_CALX)
				indirect = 1;
			if ((op == PPU_OP_CAL || (op == PPU_OP_BRA && PPU_GET(in, IMM) == g->exit)) &&
			    PPU_GET(in, IMM) < img->num_insns && g->at[PPU_GET(in, IMM)] &&
			    add_edge(g, f, g->at[PPU_GET(in, IMM)] - 1, last))
				goto out;
		}
		for (j = 0; indirect && j < g->n; j++)
			if (taken[j] && add_edge(g, f, j, last))
				goto out;
	}
	err = add_uses(img, g);
out:
	free(fn_of_sym);
	free(last);
	free(taken);
	return err;
}

/* ---- kernels that put work into a device-owned queue ---- */

/* Marks all functions that the marked ones can reach by calls; back: all that can reach the marked ones. */
static int spread(const struct ppu_graph *g, uint8_t *marked, bool back)
{
	uint32_t *first = calloc((size_t)g->n + 2, sizeof(*first)), *at = calloc((size_t)g->n + 2, sizeof(*at));
	uint32_t *to = calloc((size_t)g->num_edges + 1, sizeof(*to)), *stack = calloc((size_t)g->n + 1, sizeof(*stack));
	uint32_t f, e, from, top = 0, sweep;
	int err = first && at && to && stack ? 0 : -ENOMEM;

	for (sweep = 0; !err && sweep < 2; sweep++) {	/* the edges in that direction: count, then fill */
		for (f = 0; f < g->n; f++)
			for (e = g->first[f]; e; e = g->edges[e - 1].next) {
				from = back ? g->edges[e - 1].to : f;
				if (sweep)
					to[at[from]++] = back ? f : g->edges[e - 1].to;
				else
					first[from + 1]++;
			}
		for (f = 0; f < g->n && !sweep; f++) {
			first[f + 1] += first[f];
			at[f + 1] = first[f + 1];
		}
	}
	for (f = 0; !err && f < g->n; f++)
		if (marked[f])
			stack[top++] = f;
	while (top) {
		f = stack[--top];
		for (e = first[f]; e < first[f + 1]; e++) {
			if (marked[to[e]])
				continue;
			marked[to[e]] = 1;
			stack[top++] = to[e];
		}
	}
	free(first);
	free(at);
	free(to);
	free(stack);
	return err;
}

/*
 * WQ-62: the last thread that ends also ends the launch.  So each EXIT that a kernel which puts work into a
 * queue can reach becomes a jump to the library's queue_exit, which counts the thread.  A thread of another
 * kernel that comes to such a jump just ends.
 */
static int hook_exits(struct ppu_image *img, struct ppu_graph *g, const struct ppu_library *lib)
{
	uint8_t *creates = calloc((size_t)g->n + 1, 1), *reached = calloc((size_t)g->n + 1, 1);
	uint32_t f, i;
	int err = -ENOMEM;

	if (!creates || !reached)
		goto out;
	for (f = 0; f < g->n; f++)
		creates[f] = (uint8_t)lib->is_queue(img->symbols[g->sym[f]].name);
	if (spread(g, creates, true))
		goto out;
	for (f = 0; f < g->n; f++) {
		struct ppu_symbol *s = &img->symbols[g->sym[f]];

		if (s->kind != PPU_SYM_KERNEL || !creates[f])
			continue;
		s->flags |= PPU_SYMF_QUEUE;
		reached[f] = 1;
	}
	if (spread(g, reached, false))
		goto out;
	for (f = 0; f < g->n; f++) {
		const struct ppu_symbol *s = &img->symbols[g->sym[f]];
		uint32_t to = g->at[g->exit] - 1, e = g->first[f];
		bool there;

		while (e && g->edges[e - 1].to != to)
			e = g->edges[e - 1].next;
		there = e;
		for (i = 0; reached[f] && s->value != g->exit && i < s->num_insns; i++) {
			struct ppu_insn *in = &img->code[s->value + i];

			if (PPU_GET(in, OP) != PPU_OP_EXIT)
				continue;
			PPU_SET(in, OP, PPU_OP_BRA);
			PPU_SET(in, IMM, g->exit);
			if (!there && add_to(g, &g->first[f], to))
				goto out;
			there = true;
		}
	}
	err = 0;
out:
	free(creates);
	free(reached);
	return err;
}

/* Computes the most local memory that each function needs together with its callees.  A cycle of calls sets
 * `recursive`. */
static int walk(struct ppu_image *img, struct ppu_graph *g)
{
	uint32_t *stack = calloc((size_t)g->n + 1, sizeof(*stack));
	uint32_t *edge = calloc((size_t)g->n + 1, sizeof(*edge));	/* next edge to look at */
	uint64_t *local = calloc((size_t)g->n + 1, sizeof(*local));	/* of the callees so far */
	uint8_t *state = calloc((size_t)g->n + 1, 1);	/* 0 new, 1 on the stack, 2 done */
	uint32_t f, depth;
	int err = -ENOMEM;

	if (!stack || !edge || !local || !state)
		goto out;
	for (f = 0; f < g->n; f++) {
		if (state[f])
			continue;
		depth = 0;
		stack[depth++] = f;
		state[f] = 1;
		edge[f] = g->first[f];
		while (depth) {
			uint32_t v = stack[depth - 1], e = edge[v], to;
			struct ppu_symbol *s = &img->symbols[g->sym[v]];

			if (!e) {
				uint64_t total = s->frame_bytes + local[v];

				if (total > s->local_bytes)
					s->local_bytes = total > UINT32_MAX ? UINT32_MAX :
							 (uint32_t)total;
				state[v] = 2;
				depth--;
				continue;
			}
			to = g->edges[e - 1].to;
			if (state[to] == 0) {
				state[to] = 1;
				edge[to] = g->first[to];
				stack[depth++] = to;
				continue;	/* this edge again when `to` is done */
			}
			if (state[to] == 1) {
				s->recursive = 1;
			} else {
				const struct ppu_symbol *c = &img->symbols[g->sym[to]];

				s->recursive |= c->recursive;
				if (c->local_bytes > local[v])
					local[v] = c->local_bytes;
			}
			edge[v] = g->edges[e - 1].next;
		}
	}
	err = 0;
out:
	free(stack);
	free(edge);
	free(local);
	free(state);
	return err;
}

/* A kernel gets the most registers and the most barriers of all functions that it can reach. */
static int collect(struct ppu_image *img, struct ppu_graph *g, const struct ppu_library *lib)
{
	uint32_t *queue = calloc((size_t)g->n + 1, sizeof(*queue));
	uint32_t *seen = calloc((size_t)g->n + 1, sizeof(*seen));
	uint32_t f, head, tail, e;
	bool slot;

	if (!queue || !seen) {
		free(queue);
		free(seen);
		return -ENOMEM;
	}
	for (f = 0; f < g->n; f++) {
		struct ppu_symbol *k = &img->symbols[g->sym[f]];

		if (k->kind != PPU_SYM_KERNEL)
			continue;
		head = tail = 0;
		slot = false;
		queue[tail++] = f;
		seen[f] = f + 1;
		while (head < tail) {
			const struct ppu_symbol *s = &img->symbols[g->sym[queue[head]]];

			if (s->regs > k->regs)
				k->regs = s->regs;
			if (s->barriers > k->barriers)
				k->barriers = s->barriers;
			k->recursive |= s->recursive;
			slot |= lib && !strcmp(s->name, lib->thread_slot);
			for (e = g->first[queue[head++]]; e; e = g->edges[e - 1].next) {
				uint32_t to = g->edges[e - 1].to;

				if (seen[to] != f + 1) {
					seen[to] = f + 1;
					queue[tail++] = to;
				}
			}
		}
		if (slot)	/* an image that is finished twice gets the slot twice, which does no harm */
			k->local_bytes = k->local_bytes > UINT32_MAX - lib->thread_slot_bytes ? UINT32_MAX :
					 k->local_bytes + lib->thread_slot_bytes;
		if (k->regs < 2)
			k->regs = 2;	/* R1 holds the stack pointer at start */
	}
	free(queue);
	free(seen);
	return 0;
}

/* A shared array that no module defines is dynamic shared memory, whatever size was declared. */
static int undefined(struct ppu_symbol *s, struct ppu_log *log)
{
	if (!(s->flags & PPU_SYMF_MOVABLE))
		return fail(log, s->name, "undefined");
	s->kind = PPU_SYM_SHARED;
	s->size = 0;
	return 0;
}

static int add_module(struct ppu_image *img, const struct ppu_library *lib, unsigned which, struct ppu_log *log)
{
	struct ppu_image *module;
	int err = lib->image(which, &module, log);

	if (err)
		return err;
	err = ppu_image_link(img, module, log);
	ppu_image_free(module);
	return err;
}

static int link_library(struct ppu_image *img, const struct ppu_library *lib, struct ppu_log *log)
{
	uint8_t *done = calloc(lib->num_modules + 1u, 1);
	unsigned which;
	uint32_t i;
	int err = 0;

	if (!done)
		return -ENOMEM;
	for (i = 0; i < img->num_symbols && !err; i++) {	/* num_symbols grows: modules need modules */
		if (img->symbols[i].kind != PPU_SYM_UNDEF)
			continue;
		which = lib->find(img->symbols[i].name);
		if (which == lib->num_modules || done[which])
			continue;
		done[which] = 1;
		err = add_module(img, lib, which, log);
	}
	free(done);
	return err;
}

int ppu_image_finish(struct ppu_image *img, const struct ppu_library *lib, struct ppu_log *log)
{
	struct ppu_graph g = { .exit = ~0u };
	int err = lib ? link_library(img, lib, log) : 0;
	const struct ppu_symbol *exit;
	uint32_t i;

	if (err)
		return err;
	for (i = 0; i < img->num_symbols; i++)
		if (img->symbols[i].kind == PPU_SYM_UNDEF)
			err |= undefined(&img->symbols[i], log);
	if (err)
		return err;
	for (i = 0; i < img->num_relocs; i++) {
		const struct ppu_reloc *r = &img->relocs[i];
		const struct ppu_symbol *s;
		const char *why = ppu_reloc_check(img, r);
		struct ppu_insn *in;
		uint64_t v;

		if (why)
			return fail(log, "link", why);
		s = &img->symbols[r->symbol];
		v = s->value + (uint64_t)r->addend;
		switch (r->kind) {
		case PPU_REL_CODE_PC:
			in = &img->code[r->where];
			if (v >= img->num_insns)
				return fail(log, s->name, "a code address is outside the image");
			PPU_SET(in, IMM, v);
			break;
		case PPU_REL_CODE_PC64:
			img->code[r->where].hi = v;
			break;
		case PPU_REL_DATA_PC64:
			for (unsigned b = 0; b < 8; b++)
				img->data[r->where + b] = (uint8_t)(v >> 8 * b);
			break;
		}
	}
	exit = lib ? ppu_image_find(img, lib->queue_exit) : NULL;
	if (exit && exit->kind == PPU_SYM_FUNC)
		g.exit = (uint32_t)exit->value;
	err = build_graph(img, &g);
	if (!err && g.exit != ~0u)
		err = hook_exits(img, &g, lib);
	if (!err)
		err = walk(img, &g);
	if (!err)
		err = collect(img, &g, lib);
	if (!err)
		err = ppu_place_shared(img, &g, log);
	free(g.sym);
	free(g.first);
	free(g.first_use);
	free(g.edges);
	free(g.at);
	return err;
}
