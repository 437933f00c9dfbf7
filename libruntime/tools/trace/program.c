/* SPDX-License-Identifier: MIT */
/*
 * What the program called things: the file that PPU_TRACE_NAMES names, and which records of a trace it is about.
 *
 * A line is a word and its fields.  The runtime (libruntime/api/stream/names.c) writes
 *
 *   module ID                       file, line and kernel lines up to the next other one belong to it
 *   file NUMBER PATH
 *   line PC FILE LINE               the instructions from there on, up to the next such line
 *   kernel PC NAME
 *   job CHANNEL RING FIRST ENTRIES STREAM [TMD MODULE PC]
 *
 * A job is what was submitted at once, for one stream: so many entries of the ring of a channel from FIRST on, perhaps with
 * the launch of a kernel.  The jobs of a channel are executed in their order; so ENTRY records say which one it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "program.h"

static const char *rest(const char *line, int fields)
{
	while (fields-- && line) {
		line = strchr(line, ' ');
		line += line != NULL;
	}
	return line ? line : "";
}

static uint32_t find_module(const struct program *p, const char *id)
{
	for (size_t i = p->num_modules; i--;)
		if (!strcmp(p->module[i].id, id))
			return (uint32_t)i + 1;
	return 0;
}

uint32_t program_kernel(const struct program *p, uint32_t module, uint32_t pc)
{
	for (size_t i = 0; i < p->num_kernels; i++)
		if (p->kernel[i].module == module && p->kernel[i].pc == pc)
			return (uint32_t)i + 1;
	return 0;
}

const struct source_at *program_line(const struct program *p, uint32_t module, uint32_t pc)
{
	const struct module *m = &p->module[module];
	const struct source_at *at = NULL;

	for (size_t i = 0; i < m->num_lines && m->line[i].pc <= pc; i++)
		at = &m->line[i];
	return at;
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static void add_file(struct program *p, struct module *m, const char *path)
{
	size_t at = 0;

	while (at < p->num_files && strcmp(p->file[at], path))
		at++;
	if (at == p->num_files) {
		p->file = grow(p->file, &p->cap_files, at + 1, sizeof(*p->file));
		p->file[p->num_files++] = strdup(path);
	}
	m->file = grow(m->file, &m->cap_files, m->num_files + 1, sizeof(*m->file));
	m->file[m->num_files++] = (uint32_t)at;
}

static bool add_job(struct program *p, const char *text)
{
	struct job j = { .tmd = 0 };
	char module[64] = "";
	uint32_t pc = 0;
	int n = sscanf(text, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %d %" SCNx64 " %63s %" SCNu32, &j.channel, &j.ring,
		       &j.first, &j.entries, &j.stream, &j.tmd, module, &pc);

	if ((n != 5 && n != 8) || !j.ring)
		return false;
	j.of = n == 8 ? find_module(p, module) : 0;
	j.kernel = j.of ? program_kernel(p, j.of - 1, pc) : 0;
	p->job = grow(p->job, &p->cap_jobs, p->num_jobs + 1, sizeof(*p->job));
	p->job[p->num_jobs++] = j;
	return true;
}

static bool understand(struct program *p, const char *line)
{
	struct module *m = p->num_modules ? &p->module[p->num_modules - 1] : NULL;
	struct source_at at = { .file = 0 };
	uint32_t n, pc;

	if (!strncmp(line, "module ", 7)) {
		p->module = grow(p->module, &p->cap_modules, p->num_modules + 1, sizeof(*p->module));
		p->module[p->num_modules++] = (struct module){ .id = strdup(line + 7) };
		return true;
	}
	if (!strncmp(line, "job ", 4))
		return add_job(p, line + 4);
	if (!m)
		return false;
	if (sscanf(line, "file %" SCNu32 " ", &n) == 1) {
		add_file(p, m, rest(line, 2));
	} else if (sscanf(line, "line %" SCNu32 " %" SCNu32 " %" SCNu32, &at.pc, &n, &at.line) == 3 && n < m->num_files) {
		at.file = m->file[n];
		m->line = grow(m->line, &m->cap_lines, m->num_lines + 1, sizeof(*m->line));
		m->line[m->num_lines++] = at;
	} else if (sscanf(line, "kernel %" SCNu32 " ", &pc) == 1) {
		p->kernel = grow(p->kernel, &p->cap_kernels, p->num_kernels + 1, sizeof(*p->kernel));
		p->kernel[p->num_kernels++] = (struct kernel){ strdup(rest(line, 2)), (uint32_t)(p->num_modules - 1), pc };
	} else {
		return false;
	}
	return true;
}

int program_load(struct program *p, const char *path, bool must)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int status = ST_OK;
	unsigned n = 0;

	memset(p, 0, sizeof(*p));
	if (!f) {
		if (must)
			fprintf(stderr, "ppu-trace: %s: %s\n", path, strerror(errno));
		return must ? ST_USAGE : ST_OK;
	}
	while (!status && getline(&line, &cap, f) >= 0) {
		n++;
		line[strcspn(line, "\n")] = 0;
		if (!understand(p, line)) {
			fprintf(stderr, "ppu-trace: %s: line %u is no line of a file of names (PPU_TRACE_NAMES)\n", path, n);
			status = ST_BAD_TRACE;
		}
	}
	free(line);
	fclose(f);
	return status;
}

/* ---- which records ------------------------------------------------------------------------------------------ */

/* The jobs of each channel in a row; where the channel is. */
struct queue {
	uint32_t *job;
	size_t num, cap, at;		/* at: of the current one + 1 */
};

struct match {
	struct program *p;
	const struct trace *t;
	struct queue *queue;		/* by channel */
	size_t channels;
	struct map *parents;		/* child -> record + 1 of its CHILD_LAUNCH */
	uint64_t *placed;		/* by SM: the task whose block was placed last, if it has no name */
	size_t sms;
};

static bool in_job(const struct job *j, uint64_t get)
{
	return get < j->ring && (get + j->ring - j->first) % j->ring < j->entries;
}

static void entry(struct match *m, const struct rec *r)
{
	struct queue *q = r->unit < m->channels ? &m->queue[r->unit] : NULL;

	if (!q || (q->at && in_job(&m->p->job[q->job[q->at - 1]], r->a)))
		return;
	for (size_t k = q->at; k < q->num; k++) {
		if (in_job(&m->p->job[q->job[k]], r->a)) {
			q->at = k + 1;
			return;
		}
	}
}

static uint32_t job_now(const struct match *m, uint64_t channel)
{
	const struct queue *q = channel < m->channels ? &m->queue[channel] : NULL;

	return q && q->at ? q->job[q->at - 1] + 1 : 0;
}

/* A task is accepted some time after its command. */
static void accepted(struct match *m, const struct rec *r)
{
	const struct queue *q = r->unit < m->channels ? &m->queue[r->unit] : NULL;

	for (size_t k = q && r->d == 1 ? q->at : 0; k; k--) {
		const struct job *j = &m->p->job[q->job[k - 1]];

		if (!j->kernel || j->tmd != r->b)
			continue;
		*map_at(m->p->tasks, r->c, true) = j->kernel;
		*map_at(m->p->task_jobs, r->c, true) = q->job[k - 1] + 1;
		return;
	}
}

/* A kernel that a kernel launched is in the same module, and its first warp begins where it does. */
static void began(struct match *m, const struct rec *r)
{
	uint64_t task = r->unit < m->sms ? m->placed[r->unit] : 0, at = task;
	uint32_t *parent, *known = NULL, kernel;

	if (!task)
		return;
	m->placed[r->unit] = 0;
	while (!known && (parent = map_at(m->parents, at, false))) {
		at = m->t->rec[*parent - 1].c;
		known = map_at(m->p->tasks, at, false);
	}
	kernel = known ? program_kernel(m->p, m->p->kernel[*known - 1].module, r->a & 0xffffff) : 0;
	if (kernel)
		*map_at(m->p->tasks, task, true) = kernel;
}

static void match(struct match *m, uint32_t i)
{
	const struct rec *r = &m->t->rec[i];

	switch (r->event) {
	case PPU_TR_ENTRY:
		entry(m, r);
		break;
	case PPU_TR_TASK_ACCEPT:
		accepted(m, r);
		break;
	case PPU_TR_CHILD_LAUNCH:
		if (r->d)
			*map_at(m->parents, r->d, true) = i + 1;
		break;
	case PPU_TR_CTA_START:
		if (r->unit < m->sms)
			m->placed[r->unit] = map_at(m->p->tasks, r->b, false) ? 0 : r->b;
		break;
	case PPU_TR_WARP_START:
		began(m, r);
		break;
	default:
		break;
	}
	if (r->event == PPU_TR_CE_START)
		m->p->job_at[i] = job_now(m, r->a);
	else if (!strcmp(event_unit(r->event), "channel"))
		m->p->job_at[i] = job_now(m, r->unit);
}

void program_match(struct program *p, const struct trace *t)
{
	struct match m = { .p = p, .t = t, .parents = map_new(), .channels = t->head.channels,
			   .sms = (size_t)t->head.gpcs * t->head.sms_per_gpc };

	p->tasks = map_new();
	p->task_jobs = map_new();
	p->job_at = calloc(t->num + 1, sizeof(*p->job_at));
	m.queue = calloc(m.channels + 1, sizeof(*m.queue));
	m.placed = calloc(m.sms + 1, sizeof(*m.placed));
	if (!p->job_at || !m.queue || !m.placed) {
		fprintf(stderr, "ppu-trace: out of memory\n");
		exit(1);
	}
	for (size_t i = 0; i < p->num_jobs; i++) {
		struct queue *q = p->job[i].channel < m.channels ? &m.queue[p->job[i].channel] : NULL;

		if (!q)
			continue;
		q->job = grow(q->job, &q->cap, q->num + 1, sizeof(*q->job));
		q->job[q->num++] = (uint32_t)i;
	}
	for (size_t i = 0; p->num_jobs && i < t->num; i++)
		match(&m, (uint32_t)i);
	for (size_t k = 0; k < m.channels; k++)
		free(m.queue[k].job);
	free(m.queue);
	free(m.placed);
	map_free(m.parents);
}

const struct kernel *program_task(const struct program *p, uint64_t task)
{
	uint32_t *at = p->num_jobs ? map_at(p->tasks, task, false) : NULL;

	return at && *at ? &p->kernel[*at - 1] : NULL;
}

const struct job *program_task_job(const struct program *p, uint64_t task)
{
	uint32_t *at = p->num_jobs ? map_at(p->task_jobs, task, false) : NULL;

	return at && *at ? &p->job[*at - 1] : NULL;
}

const struct job *program_job(const struct program *p, uint32_t rec)
{
	return p->num_jobs && p->job_at[rec] ? &p->job[p->job_at[rec] - 1] : NULL;
}

void program_free(struct program *p)
{
	for (size_t i = 0; i < p->num_modules; i++) {
		free(p->module[i].id);
		free(p->module[i].file);
		free(p->module[i].line);
	}
	for (size_t i = 0; i < p->num_kernels; i++)
		free(p->kernel[i].name);
	for (size_t i = 0; i < p->num_files; i++)
		free(p->file[i]);
	free(p->module);
	free(p->kernel);
	free(p->file);
	free(p->job);
	free(p->job_at);
	map_free(p->tasks);
	map_free(p->task_jobs);
}
