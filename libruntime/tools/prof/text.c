/* SPDX-License-Identifier: MIT */
/* The text: a table of kernels, what to do, the hottest lines. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tools/prof/data.h"
#include "tools/wrap/wrap.h"

static const struct data *sorted_by;

static int by_time(const void *a, const void *b)
{
	const struct kernel *x = &sorted_by->kernel[*(const uint32_t *)a],
		*y = &sorted_by->kernel[*(const uint32_t *)b];

	return x->time > y->time ? -1 : x->time < y->time ? 1 : *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

static uint32_t *kernels_by_time(const struct data *d)
{
	uint32_t *v = wrap_need(malloc((d->num_kernels + 1) * sizeof(*v)));

	for (uint32_t i = 0; i < d->num_kernels; i++)
		v[i] = i;
	sorted_by = d;
	qsort(v, d->num_kernels, sizeof(*v), by_time);
	return v;
}

static void put_time(FILE *f, uint64_t ns)
{
	if (ns < 100000)
		fprintf(f, "%9" PRIu64 " ns", ns);
	else if (ns < 100000000)
		fprintf(f, "%9.1f us", (double)ns / 1e3);
	else
		fprintf(f, "%9.1f ms", (double)ns / 1e6);
}

/* Sectors of 32 bytes for each access, and what would do. */
static void put_pair(FILE *f, uint64_t has, uint64_t ideal, uint64_t n)
{
	if (n)
		fprintf(f, " %6.1f/%-4.1f", ratio(has, n), ratio(ideal, n));
	else
		fprintf(f, " %11s", "-");
}

static void put_counts(FILE *f, const struct counts *c)
{
	const uint64_t *s = c->sum;

	fprintf(f, "%12" PRIu64 " %5.1f", s[PROF_warps], ratio(s[PROF_threads], s[PROF_warps]));
	put_pair(f, s[PROF_sectors], s[PROF_ideal_sectors], s[PROF_accesses]);
	put_pair(f, s[PROF_passes], s[PROF_ideal_passes], s[PROF_shared]);
	fprintf(f, " %8" PRIu64, s[PROF_parted]);
}

static const char heads[] = "  warp insns lanes  sectors/of  passes/of    parted";

static void put_kernel(FILE *f, const struct data *d, const struct kernel *k)
{
	const struct launch *l = &d->launch[k->first];

	put_time(f, k->time);
	fprintf(f, " %6u ", k->num_launches);
	put_counts(f, &k->c);
	if (k->num_launches)
		fprintf(f, " %4.0f %%/%3.0f %%", 100 * ratio(k->life, k->active * d->warps),
			100 * l->occupancy.theoretical);
	fprintf(f, "  %s\n", k->name);
}

static void put_findings(FILE *f, const struct kernel *k)
{
	for (uint32_t i = 0; i < k->num_findings; i++) {
		const struct finding *n = &k->finding[i];

		if (n->line)
			fprintf(f, "  %s: ", base_name(n->file->path));
		else
			fputs("  ", f);
		fprintf(f, "%s\n", n->text);
	}
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* What a line costs its kernel: cycles for issue, and those that its warps wait beyond their turns. */
static uint64_t heat(const struct counts *c)
{
	uint64_t sum = c->sum[PROF_cycles];

	for (unsigned i = PROF_stall_memory; i < PROF_stall_turn; i++)
		sum += c->sum[i];
	return sum;
}

struct hot {
	const struct line *line;
	const struct insn *insn;
	uint64_t heat;
};

static int by_heat(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;

	return x->heat > y->heat ? -1 : x->heat < y->heat ? 1 : x < y ? -1 : 1;
}

/* Lines, and the instructions that have none. */
static void put_hot(FILE *f, const struct data *d, const struct kernel *k, unsigned most)
{
	const struct module *m = &d->module[k->module];
	uint64_t all = heat(&k->c);
	struct hot *h = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->num_lines; i++)
		*GROW(h, n) = (struct hot){ &k->line[i], NULL, heat(&k->line[i].c) };
	for (uint32_t i = 0; i < k->num_insns; i++)
		if (!m->code[k->insn[i].pc].line)
			*GROW(h, n) = (struct hot){ NULL, &k->insn[i], heat(&k->insn[i].c) };
	if (n)
		qsort(h, n, sizeof(*h), by_heat);
	fprintf(f, "   time %s  where\n", heads);
	for (uint32_t i = 0; i < n && i < most; i++) {
		const struct line *l = h[i].line;
		const char *text = l ? source_line(l->file, l->line) : m->code[h[i].insn->pc].text;

		fprintf(f, "%5.1f %% ", 100 * ratio(h[i].heat, all));
		put_counts(f, h[i].line ? &h[i].line->c : &h[i].insn->c);
		if (h[i].line)
			fprintf(f, "  %s:%u", base_name(h[i].line->file->path), h[i].line->line);
		else
			fprintf(f, "  pc %u", h[i].insn->pc);
		while (text && (*text == ' ' || *text == '\t'))
			text++;
		fprintf(f, "%s%s\n", text && *text ? ": " : "", text ? text : "");
	}
	free(h);
}

/* ---- where warps' time goes ----------------------------------------------------------------------------- */

static void put_stalls(FILE *f, const struct kernel *k)
{
	static const char *const text[] = {
#define S(name, what) what,
		PROF_STALLS(S)
#undef S
	};

	fprintf(f, "  warps' time: issue %.1f %%", 100 * ratio(k->issue, k->life));
	for (unsigned i = PROF_stall_memory; i < PROF_SUMS; i++)
		if (k->c.sum[i])
			fprintf(f, ", wait for %s %.1f %%", text[i - PROF_stall_memory],
				100 * ratio(k->c.sum[i], k->life));
	fputc('\n', f);
}

static void put_timeline(FILE *f, const struct data *d)
{
	const struct timeline *t = &d->timeline;

	fputs("\nDevice time from the first to the last: ", f);
	put_time(f, t->to - t->from);
	fputs("; a kernel ran ", f);
	put_time(f, t->kernels);
	fputs(", a copy ", f);
	put_time(f, t->copies);
	fputs(", nothing ", f);
	put_time(f, t->idle);
	fputs("\nCritical path: kernels ", f);
	put_time(f, t->path_kernels);
	fputs(", copies ", f);
	put_time(f, t->path_copies);
	fputs(", gaps ", f);
	put_time(f, t->path_gaps);
	fputs("; gaps between launches of a stream ", f);
	put_time(f, t->gaps);
	fputc('\n', f);
}

static uint64_t range_time(const struct data *d, uint32_t range, uint32_t *launches)
{
	uint64_t sum = 0;

	*launches = 0;
	for (uint32_t i = 0; i < d->num_launches; i++) {
		uint32_t r = d->launch[i].range;

		while (r && r <= d->num_ranges && r != range)
			r = d->range[r - 1].parent;
		if (r == range && d->launch[i].blocks) {
			sum += d->launch[i].end - d->launch[i].begin;
			++*launches;
		}
	}
	return sum;
}

static void put_ranges(FILE *f, const struct data *d)
{
	if (d->num_ranges)
		fputs("\nKernels' time launches   times  range\n", f);
	for (uint32_t i = 0; i < d->num_ranges; i++) {
		uint32_t launches, depth = 0, r = i + 1;
		uint64_t ns = range_time(d, r, &launches);

		for (; d->range[r - 1].parent; r = d->range[r - 1].parent)
			depth++;
		fputs("  ", f);
		put_time(f, ns);
		fprintf(f, " %8u %7" PRIu64 "  %*s%s%s\n", launches, d->range[i].count, (int)(2 * depth), "",
			d->range[i].kind == 2 ? "mark " : "",
			d->range[i].text);
	}
}

void write_text(FILE *f, const struct data *d, unsigned lines)
{
	uint32_t *order = kernels_by_time(d);

	fprintf(f, "        time  calls %s  occupancy  kernel\n", heads);
	for (uint32_t i = 0; i < d->num_kernels; i++)
		put_kernel(f, d, &d->kernel[order[i]]);
	if (d->num_launches)
		put_timeline(f, d);
	put_ranges(f, d);
	for (uint32_t i = 0; i < d->num_kernels; i++) {
		const struct kernel *k = &d->kernel[order[i]];

		fprintf(f, "\n%s\n", k->name);
		put_findings(f, k);
		put_stalls(f, k);
		if (lines)
			put_hot(f, d, k, lines);
	}
	free(order);
}
