/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/context/context.h"
#include "api/launch/module.h"
#include "api/stream/chan.h"
#include "api/stream/names.h"
#include "api/stream/stream.h"
#include "check/symbol.h"

bool rt_names_on;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static unsigned modules;		/* numbers given out; those of processes are told apart by their ids */

void rt_names_open(void)
{
	const char *path = getenv("PPU_TRACE_NAMES");

	if (!path || !*path)
		return;
	chk_symbol_ready();		/* asks the loader, so without a lock */
	pthread_mutex_lock(&lock);
	if (!out)
		out = fopen(path, "ae");
	if (!out)
		fprintf(stderr, "libppu: PPU_TRACE_NAMES: %s: %s\n", path, strerror(errno));
	rt_names_on = out;
	pthread_mutex_unlock(&lock);
}

/* Which lines a module's instructions come from. */
static void say_module(const struct ppu_image *img, unsigned number)
{
	fprintf(out, "module %d.%u\n", getpid(), number);
	for (uint32_t i = 0; i < img->num_files; i++)
		fprintf(out, "file %u %s\n", i, img->files[i]);
	for (uint32_t i = 0; i < img->num_lines; i++) {
		const struct ppu_line *l = &img->lines[i], *before = i ? l - 1 : NULL;

		if (!before || before->file != l->file || before->line != l->line)
			fprintf(out, "line %u %u %u\n", l->pc, l->file, l->line);
	}
	for (uint32_t i = 0; i < img->num_symbols; i++) {
		const struct ppu_symbol *s = &img->symbols[i];
		char name[512];

		if (s->kind != PPU_SYM_KERNEL)
			continue;
		chk_demangle(s->name, name, sizeof(name));
		fprintf(out, "kernel %" PRIu64 " %s\n", s->value, name);
	}
}

void rt_names_job(const struct rt_job *j, uint32_t first)
{
	const struct ppuStream_st *s = j->stream;
	struct ppuModule_st *m = j->kernel ? j->kernel->mod : NULL;

	pthread_mutex_lock(&lock);
	if (m && !m->named) {
		m->named = ++modules;
		say_module(m->img, m->named);
	}
	/* The stream that loads code and variables is not the user's, and has no number. */
	fprintf(out, "job %u %u %u %u %d", j->chan->be->hw_channel, j->chan->be->entries, first, j->num_cuts + 1,
		s == s->ctx->load_stream ? -1 : (int)s->slot);
	if (m)
		fprintf(out, " %" PRIx64 " %d.%u %u", j->data_va, getpid(), m->named,
			((const struct ppu_tmd *)j->data)->entry_pc);
	putc('\n', out);
	fflush(out);			/* whole lines, however the program ends */
	pthread_mutex_unlock(&lock);
}
