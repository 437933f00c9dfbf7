/* SPDX-License-Identifier: MIT */
/* What is beside the streams of ppu-trace --html: the program's streams as lanes, commands, kernels with their sources. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "html.h"

#define MOST_SOURCE	(4u << 20)	/* bytes of a file that are shown */

/* A string of JSON in HTML. */
void html_quote(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || strchr("\"\\<>&", *text))
			fprintf(f, "\\u%04x", (unsigned char)*text);
		else
			putc(*text, f);
	}
	putc('"', f);
}

/* ---- streams ------------------------------------------------------------------------------------------------ */

/* The lanes behind `first` are streams. */
static void add_work(struct page *p, unsigned side, size_t first, const struct job *j, unsigned context, const struct span *sp)
{
	struct page_lane *pl;
	size_t at = first;

	if (!j || j->stream < 0 || !html_in_view(p, sp->start, sp->end))
		return;
	while (at < p->num_lanes && (p->lane[at].context != context || p->lane[at].stream != j->stream))
		at++;
	if (at == p->num_lanes)
		at = html_add_lane(p, side, NULL, "stream", NULL);
	pl = &p->lane[at];
	pl->context = context;
	pl->stream = j->stream;
	pl->work = grow(pl->work, &pl->cap_work, pl->num_work + 1, sizeof(*pl->work));
	pl->work[pl->num_work++] = sp;
}

static int by_start(const void *a, const void *b)
{
	const struct span *x = *(const struct span *const *)a, *y = *(const struct span *const *)b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : x->end < y->end ? -1 : x->end > y->end;
}

static int by_stream(const void *a, const void *b)
{
	const struct page_lane *x = a, *y = b;

	if (x->context != y->context)
		return x->context < y->context ? -1 : 1;
	return x->stream < y->stream ? -1 : x->stream > y->stream;
}

void html_streams(struct page *p, unsigned side)
{
	const struct model *m = p->m;
	size_t first = p->num_lanes;

	for (size_t k = 0; p->prog->num_jobs && k < m->num_lanes; k++) {
		const struct lane *l = &m->lane[k];

		for (size_t i = 0; (l->kind == LANE_SLOT || l->kind == LANE_ENGINE) && i < l->num_spans; i++) {
			const struct span *sp = &l->span[i];
			const struct rec *task;

			if (sp->rec == NO_REC)
				continue;
			task = l->kind == LANE_SLOT ? model_task(m, m->t->rec[sp->rec].c) : NULL;
			if (l->kind == LANE_ENGINE)
				add_work(p, side, first, program_job(p->prog, sp->rec), m->context_at[sp->rec], sp);
			else if (task)
				add_work(p, side, first, program_task_job(p->prog, task->c), m->context_at[task - m->t->rec], sp);
		}
	}
	if (p->num_lanes > first)
		qsort(&p->lane[first], p->num_lanes - first, sizeof(*p->lane), by_stream);
	for (size_t k = first; k < p->num_lanes; k++)
		qsort(p->lane[k].work, p->lane[k].num_work, sizeof(*p->lane[k].work), by_start);
}

/* ---- commands ------------------------------------------------------------------------------------------------- */

/* A launch is traced when the task has been accepted; a copy before it starts. */
void html_commands(struct page *p)
{
	const struct trace *t = p->m->t;
	struct map *accepted = map_new(), *copy = map_new(), *tasks = map_new();	/* channel, channel, task -> record + 1 */

	for (size_t i = 0; i < t->num; i++) {
		const struct rec *r = &t->rec[i];
		uint32_t *at = NULL, n = (uint32_t)i + 1;

		if (r->event == PPU_TR_TASK_ACCEPT && r->d == 1) {
			*map_at(accepted, r->unit, true) = n;
		} else if (r->event == PPU_TR_CMD && r->b == PPU_CMD_LAUNCH) {
			at = map_at(accepted, r->unit, false);
			if (at && t->rec[*at - 1].b == r->c)
				*map_at(tasks, t->rec[*at - 1].c, true) = n;
		} else if (r->event == PPU_TR_CMD) {
			*map_at(copy, r->unit, true) = n;
		} else if (r->event == PPU_TR_TASK_SCHED) {
			at = map_at(tasks, r->c, false);
			if (at)
				html_add_link(p, HTML_COMMAND, *at - 1, n - 1, NULL);
		} else if (r->event == PPU_TR_CE_START) {
			at = map_at(copy, r->a, false);
			if (at)
				html_add_link(p, HTML_COMMAND, *at - 1, n - 1, model_lane(p->m, LANE_ENGINE, r->unit));
		}
	}
	map_free(accepted);
	map_free(copy);
	map_free(tasks);
}

/* ---- sources --------------------------------------------------------------------------------------------------- */

static void write_file(FILE *f, const char *path)
{
	FILE *source = fopen(path, "re");
	size_t n = 0;
	char *text;

	fputs("{\"n\":", f);
	html_quote(f, path);
	text = source ? calloc(1, MOST_SOURCE + 1) : NULL;
	if (text)
		n = fread(text, 1, MOST_SOURCE, source);
	if (text && strlen(text) == n) {	/* else it is no text */
		fputs(",\"t\":", f);
		html_quote(f, text);
	}
	fputs("}", f);
	free(text);
	if (source)
		fclose(source);
}

/* Which of a module's lines: pc, file, line, for each change; and which kernels. */
static void write_module(FILE *f, const struct program *prog, size_t m, size_t file0)
{
	fputs("[", f);
	for (size_t i = 0; i < prog->module[m].num_lines; i++) {
		const struct source_at *at = &prog->module[m].line[i];

		fprintf(f, "%s%" PRIu32 ",%zu,%" PRIu32, i ? "," : "", at->pc, file0 + at->file, at->line);
	}
	fputs("]", f);
}

static void write_kernel(FILE *f, const struct kernel *k, size_t module0)
{
	fputs("{\"n\":", f);
	html_quote(f, k->name);
	fprintf(f, ",\"m\":%zu,\"pc\":%" PRIu32 "}", module0 + k->module, k->pc);
}

void html_sources(struct page *p)
{
	size_t n = 0, before = 0;

	fputs(",\n\"kernels\":[", p->f);
	for (unsigned s = 0; s < p->sides; before += p->side[s++].prog->num_modules)
		for (size_t i = 0; i < p->side[s].prog->num_kernels; i++) {
			fputs(n++ ? "," : "", p->f);
			write_kernel(p->f, &p->side[s].prog->kernel[i], before);
		}
	fputs("],\n\"modules\":[", p->f);
	for (unsigned s = n = before = 0; s < p->sides; before += p->side[s++].prog->num_files)
		for (size_t i = 0; i < p->side[s].prog->num_modules; i++) {
			fputs(n++ ? "," : "", p->f);
			write_module(p->f, p->side[s].prog, i, before);
		}
	fputs("],\n\"files\":[", p->f);
	for (unsigned s = n = 0; s < p->sides; s++)
		for (size_t i = 0; i < p->side[s].prog->num_files; i++) {
			fputs(n++ ? "," : "", p->f);
			write_file(p->f, p->side[s].prog->file[i]);
		}
	fputs("],\n\"about\":[", p->f);
	for (size_t i = 0; i < p->num_texts; i++)
		fprintf(p->f, "%s%" PRIu32, i ? "," : "", p->text[i].kernel);
	fputs("]", p->f);
}
