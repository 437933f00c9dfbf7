/* SPDX-License-Identifier: MIT */
/*
 * The device's property x-schedule is the seed of another order: which warp goes on, where its turn ends, and which block comes
 * next.  branch-first says which lanes of a warp go on.  A program whose kernels are right prints the same in each of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/check/kept.h"
#include "tools/check/schedules.h"
#include "tools/wrap/wrap.h"

#define LEAST_NS	20000000000ull	/* that a run may take; or TIMES as long as that in the device's own order */
#define TIMES		20
#define HUNG		(-1)
/* Which side of a branch goes first is free, too. */
#define ORDER		"x-schedule=%u,branch-first=%u"
#define ORDER_OF(seed)	(seed), (seed) % 2

struct output {
	char *text;
	size_t bytes;
	int status;			/* HUNG: it was stopped */
	uint64_t ns;
	struct kept *files;		/* those that are compared */
};

static volatile sig_atomic_t group;	/* of processes of the run that is on its way; 0: none is */

/* The program is in a group of its own, which the terminal and who stops us do not know. */
static void stop(int sig)
{
	if (group)
		kill(-(pid_t)group, SIGKILL);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void stop_with_us(void)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (signal(signals[i], stop) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void set_order(unsigned seed)
{
	const char *props = getenv("PPU_PROPS");
	char *all;

	if (asprintf(&all, "%s%s" ORDER, props ? props : "", props && *props ? "," : "", ORDER_OF(seed)) < 0)
		exit(2);
	if (seed)
		setenv("PPU_PROPS", all, 1);
	free(all);
}

/* Without an end the program is stopped. */
static int wait_for(pid_t child, uint64_t most)
{
	uint64_t until = now() + most;
	int status;

	while (waitpid(child, &status, WNOHANG) == 0) {
		if (now() > until) {
			kill(-child, SIGKILL);
			waitpid(child, &status, 0);
			return HUNG;
		}
		usleep(2000);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* seed 0: the device's own order.  Of others the messages are not shown. */
static void run(char **program, unsigned seed, uint64_t most, struct output *o)
{
	uint64_t begin = now();
	FILE *f = tmpfile();
	pid_t child;

	if (!f)
		wrap_usage("no temporary file: ", strerror(errno));
	fflush(NULL);
	child = fork();
	if (!child) {
		setpgid(0, 0);
		if (dup2(fileno(f), 1) < 0 || (seed && !freopen("/dev/null", "w", stderr)))
			_exit(2);
		set_order(seed);
		_exit(wrap_run(program));
	}
	if (child < 0)
		wrap_usage("no process: ", strerror(errno));
	setpgid(child, child);
	group = child;
	o->status = wait_for(child, most);
	group = 0;
	o->ns = now() - begin;
	o->text = kept_take(fileno(f), &o->bytes);
	fclose(f);
}

/* The first line that is another one, as "line 3: ...". */
static void tell_lines(const struct output *own, const struct output *o)
{
	size_t at = 0, start = 0;
	unsigned line = 1;

	while (at < own->bytes && at < o->bytes && own->text[at] == o->text[at]) {
		if (own->text[at] == '\n') {
			line++;
			start = at + 1;
		}
		at++;
	}
	if (at == own->bytes && at == o->bytes)
		return;
	fprintf(stderr, "  line %u is   %.*s\n  instead of  %.*s\n", line, (int)strcspn(o->text + start, "\n"), o->text + start,
		(int)strcspn(own->text + start, "\n"), own->text + start);
}

static bool prints_another(const struct output *own, const struct output *o)
{
	return own->status != o->status || own->bytes != o->bytes || memcmp(own->text, o->text, o->bytes) != 0;
}

static void tell(const struct schedules *s, const struct output *own, const struct output *o, unsigned seed)
{
	if (o->status == HUNG)
		fprintf(stderr, "ppu-check: order %u: the program does not end\n", seed);
	else if (o->status != own->status)
		fprintf(stderr, "ppu-check: order %u: exit status %d instead of %d\n", seed, o->status, own->status);
	else if (prints_another(own, o))
		fprintf(stderr, "ppu-check: order %u: another output\n", seed);
	tell_lines(own, o);
	for (unsigned i = 0; i < s->num_files && o->status != HUNG; i++)
		kept_tell(s->files[i], &own->files[i], &o->files[i], seed);
	fprintf(stderr, "  again with PPU_PROPS=" ORDER ", or --schedules 1 --seed %u\n", ORDER_OF(seed), seed);
}

static bool differs(const struct schedules *s, const struct output *own, const struct output *o)
{
	bool other = prints_another(own, o);

	for (unsigned i = 0; i < s->num_files; i++)
		other |= kept_differs(&own->files[i], &o->files[i]);
	return other;
}

/* The program finds its files as they were before the first run. */
static void run_in_order(const struct schedules *s, const struct kept *before, unsigned seed, uint64_t most, struct output *o)
{
	for (unsigned i = 0; i < s->num_files; i++)
		kept_put(s->files[i], &before[i]);
	run(s->program, seed, most, o);
	o->files = kept_files(s->files, s->num_files);
}

static void drop(const struct schedules *s, struct output *o)
{
	free(o->text);
	kept_free(o->files, s->num_files);
}

int schedules_run(const struct schedules *s, unsigned *differ)
{
	struct kept *before = kept_files(s->files, s->num_files);
	struct output own = { 0 }, o;
	uint64_t most = LEAST_NS;

	setenv("PPU_BACKEND", "core", 0);
	stop_with_us();
	run_in_order(s, before, 0, UINT64_MAX / 2, &own);
	fwrite(own.text, 1, own.bytes, stdout);
	fflush(stdout);
	for (unsigned i = 0; i < s->num_files; i++)
		if (!own.files[i].text)
			fprintf(stderr, "ppu-check: there is no file %s after the run\n", s->files[i]);
	if (own.ns * TIMES > most)
		most = own.ns * TIMES;
	*differ = 0;
	for (unsigned i = 0; i < s->orders; i++) {
		o = (struct output){ 0 };
		run_in_order(s, before, s->seed + i, most, &o);
		if (differs(s, &own, &o)) {
			if (++*differ <= 10)
				tell(s, &own, &o, s->seed + i);
		}
		drop(s, &o);
	}
	for (unsigned i = 0; i < s->num_files; i++)
		kept_put(s->files[i], &own.files[i]);
	fprintf(stderr, "ppu-check: %u of %u orders give another output\n", *differ, s->orders);
	kept_free(before, s->num_files);
	drop(s, &own);
	return own.status;
}
