/* SPDX-License-Identifier: MIT */
/* What follows from the counts: sums by line and kernel, occupancy, what the device could do, and the timeline. */
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

const char *const limit_names[LIMITS] = { "warps", "blocks", "registers", "shared memory", "the grid" };

void add_counts(struct counts *to, const struct counts *c)
{
	for (unsigned i = 0; i < PROF_SUMS; i++)
		to->sum[i] += c->sum[i];
	for (unsigned i = 0; i < FLOPS; i++)
		to->flops[i] += c->flops[i];
#define S(name) to->more.name = c->more.name > to->more.name ? c->more.name : to->more.name;
	PROF_MOSTS(S)
#undef S
	to->more.lanes |= c->more.lanes;
	to->more.passed |= c->more.passed;
}

uint64_t counter_of(const struct data *d, const char *name)
{
	for (uint32_t i = 0; i < d->num_counters; i++)
		if (!strcmp(d->counter[i].name, name))
			return d->counter[i].value;
	return 0;
}

/* ---- lines ---------------------------------------------------------------------------------------- */

static struct line *line_of(struct kernel *k, const struct source *file, uint32_t line)
{
	struct line *l;

	for (uint32_t i = 0; i < k->num_lines; i++)
		if (k->line[i].file == file && k->line[i].line == line)
			return &k->line[i];
	l = GROW(k->line, k->num_lines);
	l->file = file;
	l->line = line;
	return l;
}

static int by_place(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = strcmp(x->file->path, y->file->path);

	return c ? c : x->line < y->line ? -1 : x->line > y->line;
}

static void sum_kernel(struct data *d, struct kernel *k)
{
	const struct module *m = &d->module[k->module];

	for (uint32_t i = 0; i < k->num_insns; i++) {
		struct insn *in = &k->insn[i];
		const struct code *c = &m->code[in->pc];

		for (unsigned t = 0; t < FLOPS; t++)
			in->c.flops[t] = in->c.sum[PROF_threads] * c->flops[t];
		add_counts(&k->c, &in->c);
		if (c->line) {
			struct line *l = line_of(k, m->file[c->file], c->line);

			add_counts(&l->c, &in->c);
			if (in->c.sum[PROF_warps] > l->issued_most)
				l->issued_most = in->c.sum[PROF_warps];
		}
	}
	if (k->num_lines)
		qsort(k->line, k->num_lines, sizeof(*k->line), by_place);
	add_counts(&d->c, &k->c);
}

/* Code of another file, which was compiled into a function: behind which line of the function's file it stands, about. */
static void find_after(struct module *m)
{
	for (uint32_t i = 0; i < m->num_functions; i++) {
		const struct function *fn = &m->function[i];
		uint32_t last = fn->line;

		for (uint32_t pc = fn->pc; fn->line && pc < fn->pc + fn->insns && pc < m->num_code; pc++) {
			struct code *c = &m->code[pc];

			if (c->line && c->file == fn->file) {
				last = c->line;
			} else if (c->line) {
				c->after = last;
				c->after_file = fn->file;
			}
		}
	}
}

/* ---- occupancy -------------------------------------------------------------------------------------- */

static uint32_t fit(uint32_t have, uint64_t need)
{
	return need ? (uint32_t)(have / need) : UINT32_MAX;
}

static void find_occupancy(const struct data *d, struct launch *l)
{
	struct occupancy *o = &l->occupancy;
	uint32_t warps = (l->block[0] * l->block[1] * l->block[2] + 31) / 32;
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];

	o->by[LIMIT_WARPS] = fit(d->warps, warps);
	o->by[LIMIT_BLOCKS] = d->blocks;
	o->by[LIMIT_REGISTERS] = fit(d->registers, (uint64_t)l->registers * 32 * warps);
	o->by[LIMIT_SHARED] = fit(d->shared, l->shared);
	o->by[LIMIT_GRID] = d->sms ? (uint32_t)(blocks / d->sms + (blocks % d->sms != 0)) : 0;
	o->blocks = UINT32_MAX;
	for (unsigned i = 0; i < LIMITS; i++) {
		if (o->by[i] < o->blocks) {
			o->blocks = o->by[i];
			o->limit = i;
		}
	}
	o->theoretical = ratio((uint64_t)o->blocks * warps, d->warps);
	o->achieved = ratio(l->life, l->active * d->warps);
}

static void sum_launches(struct data *d)
{
	for (uint32_t i = 0; i < d->num_launches; i++) {
		struct launch *l = &d->launch[i];
		struct kernel *k = l->unknown ? NULL : &d->kernel[l->kernel];

		if (!k || !l->blocks)
			continue;
		find_occupancy(d, l);
		if (!k->num_launches++)
			k->first = i;
		k->time += l->end - l->begin;
		k->life += l->life;
		k->issue += l->issue;
		k->active += l->active;
	}
}

/* ---- what the device could do ------------------------------------------------------------------------ */

/* An SM issues one instruction at a time: so many lanes in the cycles that it takes, as they were counted. */
static void find_peaks(struct data *d)
{
	static const double cycles[FLOPS] = { 1, 1, 3 };	/* what is not there costs this (hw/sm.md) */
	double per_ns = d->sms * 32.0 * (double)d->clock_khz / 1e6, load = 4, is;
	double cost[FLOPS];

	memcpy(cost, cycles, sizeof(cost));
	for (uint32_t i = 0; i < d->num_kernels; i++) {
		const struct kernel *k = &d->kernel[i];
		const struct module *m = &d->module[k->module];

		for (uint32_t j = 0; j < k->num_insns; j++) {
			const struct insn *in = &k->insn[j];
			const struct code *c = &m->code[in->pc];

			is = ratio(in->c.sum[PROF_cycles], in->c.sum[PROF_warps]);
			for (unsigned t = 0; t < FLOPS; t++)
				if (c->flops[t] >= 2)
					cost[t] = is;
			if (!strcmp(c->space, "global"))
				load = is;
		}
	}
	for (unsigned t = 0; t < FLOPS; t++)
		d->peak[t] = (t == F16 ? 4 : 2) * per_ns / cost[t];
	d->loads = 4 * per_ns / load;
}

/* ---- the timeline -------------------------------------------------------------------------------------- */

struct event {
	uint64_t begin, end;
	struct launch *launch;		/* NULL: a copy */
	struct copy *copy;
};

static int by_end(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->end < y->end ? -1 : x->end > y->end ? 1 : x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_begin(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static uint64_t length_of_union(const struct event *e, uint32_t n, int what)
{
	uint64_t sum = 0, until = 0;

	for (uint32_t i = 0; i < n; i++) {
		if ((what == 1 && !e[i].launch) || (what == 2 && !e[i].copy))
			continue;
		if (e[i].begin > until)
			until = e[i].begin;
		if (e[i].end > until) {
			sum += e[i].end - until;
			until = e[i].end;
		}
	}
	return sum;
}

/* From the last to end back: each time the last that had ended before it began. */
static void find_path(struct timeline *t, struct event *e, uint32_t n)
{
	uint64_t begin = UINT64_MAX;

	for (uint32_t i = n; i-- > 0;) {
		if (e[i].end > begin)
			continue;
		if (begin != UINT64_MAX)
			t->path_gaps += begin - e[i].end;
		if (e[i].launch) {
			e[i].launch->critical = true;
			t->path_kernels += e[i].end - e[i].begin;
		} else {
			e[i].copy->critical = true;
			t->path_copies += e[i].end - e[i].begin;
		}
		begin = e[i].begin;
	}
	if (begin != UINT64_MAX)
		t->path_gaps += begin - t->from;
}

/* Between a launch and the next one of its stream. */
static uint64_t find_gaps(const struct event *e, uint32_t n)
{
	uint64_t gaps = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct launch *l = e[i].launch, *before = NULL;

		for (uint32_t k = i; l && !before && k-- > 0;)
			if (e[k].launch && e[k].launch->stream == l->stream && e[k].launch->context == l->context &&
			    e[k].launch->depth == l->depth)
				before = e[k].launch;
		if (before && l->begin > before->end)
			gaps += l->begin - before->end;
	}
	return gaps;
}

static void find_timeline(struct data *d)
{
	struct timeline *t = &d->timeline;
	struct event *e = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->num_launches; i++)
		if (d->launch[i].blocks)
			*GROW(e, n) = (struct event){ d->launch[i].begin, d->launch[i].end, &d->launch[i], NULL };
	for (uint32_t i = 0; i < d->num_copies; i++)
		*GROW(e, n) = (struct event){ d->copy[i].begin, d->copy[i].end, NULL, &d->copy[i] };
	if (!n)
		return;
	qsort(e, n, sizeof(*e), by_begin);
	t->from = e[0].begin;
	for (uint32_t i = 0; i < n; i++)
		t->to = e[i].end > t->to ? e[i].end : t->to;
	t->kernels = length_of_union(e, n, 1);
	t->copies = length_of_union(e, n, 2);
	t->idle = t->to - t->from - length_of_union(e, n, 3);
	t->gaps = find_gaps(e, n);
	qsort(e, n, sizeof(*e), by_end);
	find_path(t, e, n);
	free(e);
}

void derive(struct data *d)
{
	for (uint32_t i = 0; i < d->num_modules; i++)
		find_after(&d->module[i]);
	for (uint32_t i = 0; i < d->num_kernels; i++)
		sum_kernel(d, &d->kernel[i]);
	sum_launches(d);
	if (d->ends) {
		find_peaks(d);
		find_timeline(d);
	}
}
