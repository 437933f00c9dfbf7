/* SPDX-License-Identifier: MIT */
/*
 * Gives shared variables their places.  The kernels of a variable are those that can reach a function which
 * names it.  A variable needs a place that is free in all of its kernels; variables that have no kernel in
 * common may overlap.  So each kernel has a fill mark: a variable goes to the highest mark of its kernels, and
 * their marks move behind the variable.  A kernel's dynamic shared memory begins at the kernel's last mark.  If a
 * function names a dynamic array, the array has the same place in all kernels that can reach the function.
 */
#include <errno.h>
#include <stdlib.h>
#include "compiler/obj/graph.h"

#define DYNAMIC_ALIGN	16u

/* A kernel that can reach code which names a variable. */
struct use {
	uint32_t symbol, kernel;	/* kernel: function number */
};

struct place {
	struct ppu_image *img;
	const struct ppu_graph *g;
	struct use *uses;		/* sorted by symbol, no two the same */
	uint32_t num_uses;
	uint64_t *mark;			/* fill marks, by function number; of kernels only */
	uint32_t *queue, *seen, *named;	/* of reach(): functions to look at; last kernel + 1 at each function, symbol */
};

static uint64_t align_up(uint64_t v, uint64_t a)
{
	return a > 1 ? (v + a - 1) & ~(a - 1) : v;
}

static int is_movable(const struct ppu_symbol *s)
{
	return s->kind == PPU_SYM_SHARED && s->flags & PPU_SYMF_MOVABLE;
}

/* Walks through all that kernel k can reach: collects its uses, and moves its mark behind all fixed variables. */
static int reach(struct place *p, uint32_t k)
{
	const struct ppu_graph *g = p->g;
	uint32_t head = 0, tail = 0, e;

	p->queue[tail++] = k;
	p->seen[k] = k + 1;
	while (head < tail) {
		uint32_t f = p->queue[head++];
		const struct ppu_symbol *s = &p->img->symbols[g->sym[f]];

		if (s->shared_fixed > p->mark[k])
			p->mark[k] = s->shared_fixed;
		for (e = g->first_use[f]; e; e = g->edges[e - 1].next) {
			uint32_t v = g->edges[e - 1].to;

			if (p->named[v] == k + 1 || !is_movable(&p->img->symbols[v]))
				continue;
			p->named[v] = k + 1;
			if (PPU_GROW(p->uses, p->num_uses))
				return -ENOMEM;
			p->uses[p->num_uses - 1] = (struct use){ v, k };
		}
		for (e = g->first[f]; e; e = g->edges[e - 1].next) {
			uint32_t to = g->edges[e - 1].to;

			if (p->seen[to] == k + 1)
				continue;
			p->seen[to] = k + 1;
			p->queue[tail++] = to;
		}
	}
	return 0;
}

static int by_symbol(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* Returns the end of the run of uses that begins at i and has one symbol. */
static uint32_t uses_end(const struct place *p, uint32_t i)
{
	uint32_t symbol = p->uses[i].symbol;

	while (i < p->num_uses && p->uses[i].symbol == symbol)
		i++;
	return i;
}

static uint64_t highest_mark(const struct place *p, uint32_t i, uint32_t end)
{
	uint64_t most = 0;

	for (; i < end; i++)
		if (p->mark[p->uses[i].kernel] > most)
			most = p->mark[p->uses[i].kernel];
	return most;
}

/* Called for the variables of several kernels first, then for those of one kernel, which go behind them. */
static void place_static(struct place *p, int several)
{
	uint32_t i, end;

	for (i = 0; i < p->num_uses; i = end) {
		struct ppu_symbol *s = &p->img->symbols[p->uses[i].symbol];

		end = uses_end(p, i);
		if (!s->size || several != (end - i > 1))
			continue;
		s->value = align_up(highest_mark(p, i, end), s->align);
		for (uint32_t j = i; j < end; j++)
			p->mark[p->uses[j].kernel] = s->value + s->size;
	}
}

/* All dynamic arrays of a kernel begin at one place.  So an array that moves may move others; repeat until none
 * moves. */
static void place_dynamic(struct place *p)
{
	uint32_t i, j, end;
	int more = 1;

	while (more) {
		more = 0;
		for (i = 0; i < p->num_uses; i = end) {
			struct ppu_symbol *s = &p->img->symbols[p->uses[i].symbol];

			end = uses_end(p, i);
			if (s->size)
				continue;
			s->value = align_up(highest_mark(p, i, end),
					    s->align > DYNAMIC_ALIGN ? s->align : DYNAMIC_ALIGN);
			for (j = i; j < end; j++) {
				more |= p->mark[p->uses[j].kernel] != s->value;
				p->mark[p->uses[j].kernel] = s->value;
			}
		}
	}
}

static int set_kernels(const struct place *p, struct ppu_log *log)
{
	for (uint32_t f = 0; f < p->g->n; f++) {
		struct ppu_symbol *k = &p->img->symbols[p->g->sym[f]];

		if (k->kind != PPU_SYM_KERNEL)
			continue;
		if (p->mark[f] > PPU_IMAGE_SHARED_MAX) {
			if (!log)
				return -EINVAL;
			ppu_log_printf(log, "error: %s: the shared variables of the kernel and of the functions it can call are larger than %u bytes; make them smaller or use dynamic shared memory\n",
				       k->name, PPU_IMAGE_SHARED_MAX);
			log->errors++;
			return -EINVAL;
		}
		k->shared_bytes = (uint32_t)p->mark[f];
	}
	return 0;
}

static void write_code(struct ppu_image *img)
{
	for (uint32_t i = 0; i < img->num_relocs; i++) {
		const struct ppu_reloc *r = &img->relocs[i];

		if (r->kind == PPU_REL_CODE_SHARED)
			PPU_SET(&img->code[r->where], IMM, img->symbols[r->symbol].value + (uint64_t)r->addend);
	}
}

int ppu_place_shared(struct ppu_image *img, const struct ppu_graph *g, struct ppu_log *log)
{
	struct place p = {
		.img = img, .g = g,
		.mark = calloc((size_t)g->n + 1, sizeof(*p.mark)),
		.queue = calloc((size_t)g->n + 1, sizeof(*p.queue)),
		.seen = calloc((size_t)g->n + 1, sizeof(*p.seen)),
		.named = calloc((size_t)img->num_symbols + 1, sizeof(*p.named)),
	};
	int err = p.mark && p.queue && p.seen && p.named ? 0 : -ENOMEM;

	for (uint32_t f = 0; !err && f < g->n; f++)
		if (img->symbols[g->sym[f]].kind == PPU_SYM_KERNEL)
			err = reach(&p, f);
	if (!err) {
		if (p.num_uses)
			qsort(p.uses, p.num_uses, sizeof(*p.uses), by_symbol);
		place_static(&p, 1);
		place_static(&p, 0);
		place_dynamic(&p);
		err = set_kernels(&p, log);
	}
	if (!err)
		write_code(img);
	free(p.uses);
	free(p.mark);
	free(p.queue);
	free(p.seen);
	free(p.named);
	return err;
}
