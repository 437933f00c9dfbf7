/* SPDX-License-Identifier: MIT */
/*
 * Coverage as lcov's trace file: of each source file its functions, lines, and branches, over all kernels of the modules that
 * were used.  A line was executed as often as the most often executed of its instructions, by threads; a branch as often as
 * threads took each of its two ways.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

bool lcov_lanes;

/* An instruction of a file, with what all kernels of its module did there. */
struct place {
	uint32_t line, module, pc;
	bool branch;
	uint64_t threads, off;
	uint32_t lanes, passed;
};

static int by_line(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void add_kernels(const struct data *d, uint32_t module, struct place *p, uint32_t n)
{
	for (uint32_t i = 0; i < d->num_kernels; i++) {
		const struct kernel *k = &d->kernel[i];
		uint32_t at = 0;

		for (uint32_t j = 0; k->module == module && j < k->num_insns; j++) {
			const struct insn *in = &k->insn[j];

			while (at < n && p[at].pc < in->pc)
				at++;
			if (at == n || p[at].pc != in->pc)
				continue;
			p[at].threads += in->c.sum[PROF_threads];
			p[at].off += in->c.sum[PROF_off];
			p[at].lanes |= in->c.more.lanes;
			p[at].passed |= in->c.more.passed;
		}
	}
}

static struct place *places_of(const struct data *d, const struct source *s, uint32_t *num)
{
	struct place *v = NULL;
	uint32_t n = 0, first;

	for (uint32_t i = 0; i < d->num_modules; i++) {
		const struct module *m = &d->module[i];

		first = n;
		for (uint32_t pc = 0; pc < m->num_code; pc++)
			if (m->code[pc].line && m->file[m->code[pc].file] == s)
				*GROW(v, n) = (struct place){
					.line = m->code[pc].line, .module = i, .pc = pc, .branch = m->code[pc].branch,
				};
		if (n > first)
			add_kernels(d, i, v + first, n - first);
	}
	if (n)
		qsort(v, n, sizeof(*v), by_line);
	*num = n;
	return v;
}

/* How many threads came to its first instruction. */
static uint64_t times_of(const struct data *d, uint32_t module, const struct function *fn)
{
	uint64_t times = 0;

	for (uint32_t k = 0; k < d->num_kernels; k++)
		for (uint32_t n = 0; d->kernel[k].module == module && n < d->kernel[k].num_insns; n++)
			if (d->kernel[k].insn[n].pc == fn->pc)
				times += d->kernel[k].insn[n].c.sum[PROF_threads];
	return times;
}

static void put_functions(FILE *f, const struct data *d, const struct source *s)
{
	uint32_t found = 0, hit = 0;

	for (uint32_t i = 0; i < d->num_modules; i++) {
		const struct module *m = &d->module[i];

		for (uint32_t j = 0; j < m->num_functions; j++) {
			const struct function *fn = &m->function[j];
			uint64_t times;

			if (!fn->line || m->file[fn->file] != s)
				continue;
			times = times_of(d, i, fn);
			fprintf(f, "FN:%u,%s\nFNDA:%" PRIu64 ",%s\n", fn->line, fn->name, times, fn->name);
			found++;
			hit += times > 0;
		}
	}
	if (found)
		fprintf(f, "FNF:%u\nFNH:%u\n", found, hit);
}

static void put_branches(FILE *f, const struct place *p, uint32_t n)
{
	uint32_t found = 0, hit = 0, block = 0, line = 0;

	for (uint32_t i = 0; i < n; i++) {
		bool reached = p[i].threads || p[i].off;

		if (!p[i].branch)
			continue;
		block = line == p[i].line ? block + 1 : 0;
		line = p[i].line;
		if (reached)
			fprintf(f, "BRDA:%u,%u,0,%" PRIu64 "\nBRDA:%u,%u,1,%" PRIu64 "\n", p[i].line, block,
				p[i].threads, p[i].line, block,
				p[i].off);
		else
			fprintf(f, "BRDA:%u,%u,0,-\nBRDA:%u,%u,1,-\n", p[i].line, block, p[i].line, block);
		found += 2;
		hit += (p[i].threads > 0) + (p[i].off > 0);
		/* By lane: a branch for each of the 32, taken if this lane has executed the instruction. */
		for (unsigned lane = 0; lcov_lanes && lane < 64; lane++) {
			uint32_t set = lane < 32 ? p[i].lanes : p[i].passed;

			fprintf(f, "BRDA:%u,%u,%u,%u\n", p[i].line, block, 2 + lane, set >> lane % 32 & 1);
			found++;
			hit += set >> lane % 32 & 1;
		}
	}
	if (found)
		fprintf(f, "BRF:%u\nBRH:%u\n", found, hit);
}

static void put_lines(FILE *f, const struct place *p, uint32_t n)
{
	uint32_t found = 0, hit = 0;

	for (uint32_t i = 0; i < n; ) {
		uint32_t line = p[i].line;
		uint64_t most = 0;

		for (; i < n && p[i].line == line; i++)
			most = p[i].threads > most ? p[i].threads : most;
		fprintf(f, "DA:%u,%" PRIu64 "\n", line, most);
		found++;
		hit += most > 0;
	}
	fprintf(f, "LF:%u\nLH:%u\n", found, hit);
}

void write_lcov(FILE *f, const struct data *d)
{
	fputs("TN:\n", f);
	for (uint32_t i = 0; i < d->num_sources; i++) {
		uint32_t n;
		struct place *p = places_of(d, d->source[i], &n);

		if (n) {
			fprintf(f, "SF:%s\n", d->source[i]->path);
			put_functions(f, d, d->source[i]);
			put_branches(f, p, n);
			put_lines(f, p, n);
			fputs("end_of_record\n", f);
		}
		free(p);
	}
}
