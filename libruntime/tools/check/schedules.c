/* SPDX-License-Identifier: MIT */
/*
 * The device's property x-schedule is the seed of another order: which warp goes on, where its turn ends, and which block comes
 * next.  x-order is the number of one in which the warps of small launches run one after the other.  branch-first says which
 * lanes of a warp go on.  A program whose kernels are right prints the same in each of them.
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

#include <hw/ppu_order.h>
#include "tools/check/kept.h"
#include "tools/check/memory.h"
#include "tools/check/schedules.h"
#include "tools/wrap/wrap.h"

#define LEAST_NS	20000000000ull	/* that a run may take; or TIMES as long as that in the device's own order */
#define TIMES		20
#define HUNG		(-1)
#define OWN		0u		/* instead of a seed: the device's own order */
#define MOST		5760u		/* orders of small launches that are tried: four blocks of five warps */

struct output {
	char *text;
	size_t bytes;
	int status;			/* HUNG: it was stopped */
	uint64_t ns;
	struct kept *files;		/* those that are compared */
	struct memory memory;
};

static volatile sig_atomic_t group;	/* of processes of the run that is on its way; 0: none is */

/* The file to which the runtime writes what is in memory at the end; NULL: nobody wants to know. */
static char *records;

/* The program is in a group of its own, which the terminal and who stops us do not know. */
static void stop(int sig)
{
	if (group)
		kill(-(pid_t)group, SIGKILL);
	if (records)
		unlink(records);
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

static unsigned own_orders;		/* of --schedules all, without those that switch */

/*
 * The properties of an order.  Which side of a branch goes first is free, too.  Blocks begin at the same time, so that whoever
 * switches finds the others there.
 */
static char *order_of(const struct schedules *s, unsigned seed)
{
	char *text;
	int rc;

	if (s->all)
		rc = asprintf(&text, "x-order=%u,branch-first=%u,x-order-switch=%u,cost-cta-ns=0", (seed - 1) % own_orders / 2 + 1, (seed - 1) % 2,
			      (seed - 1) / own_orders);
	else
		rc = asprintf(&text, "x-schedule=%u,branch-first=%u", seed, seed % 2);
	return wrap_need(rc < 0 ? NULL : text);
}

static void set_order(const struct schedules *s, unsigned seed)
{
	const char *props = getenv("PPU_PROPS");
	char *all, *order;

	if (seed == OWN)
		return;
	order = order_of(s, seed);
	if (asprintf(&all, "%s%s%s", props ? props : "", props && *props ? "," : "", order) < 0)
		exit(2);
	setenv("PPU_PROPS", all, 1);
	free(order);
	free(all);
}

static void want_records(void)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (asprintf(&records, "%s/ppu-check-XXXXXX", dir && *dir ? dir : "/tmp") < 0)
		exit(2);
	fd = mkstemp(records);
	if (fd < 0)
		wrap_usage("no temporary file: ", strerror(errno));
	close(fd);
	setenv("PPU_CHECK", "contents", 1);
	setenv("PPU_CHECK_RECORDS", records, 1);
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

/* Of other orders than the device's own the messages are not shown. */
static void run(const struct schedules *s, unsigned seed, uint64_t most, struct output *o)
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
		if (dup2(fileno(f), 1) < 0 || (seed != OWN && !freopen("/dev/null", "w", stderr)))
			_exit(2);
		set_order(s, seed);
		_exit(wrap_run(s->program));
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
	char *order = order_of(s, seed);

	if (o->status == HUNG)
		fprintf(stderr, "ppu-check: order %u: the program does not end\n", seed);
	else if (o->status != own->status)
		fprintf(stderr, "ppu-check: order %u: exit status %d instead of %d\n", seed, o->status, own->status);
	else if (prints_another(own, o))
		fprintf(stderr, "ppu-check: order %u: another output\n", seed);
	tell_lines(own, o);
	for (unsigned i = 0; i < s->num_files && o->status != HUNG; i++)
		kept_tell(s->files[i], &own->files[i], &o->files[i], seed);
	if (s->memory && o->status != HUNG)
		memory_tell(&own->memory, &o->memory, seed);
	if (s->all)
		fprintf(stderr, "  again with PPU_PROPS=%s\n", order);
	else
		fprintf(stderr, "  again with PPU_PROPS=%s, or --schedules 1 --seed %u\n", order, seed);
	free(order);
}

static bool differs(const struct schedules *s, const struct output *own, const struct output *o)
{
	bool other = prints_another(own, o) || (s->memory && memory_differs(&own->memory, &o->memory));

	for (unsigned i = 0; i < s->num_files; i++)
		other |= kept_differs(&own->files[i], &o->files[i]);
	return other;
}

/* The program finds its files as they were before the first run. */
static void run_in_order(const struct schedules *s, const struct kept *before, unsigned seed, uint64_t most, struct output *o)
{
	for (unsigned i = 0; i < s->num_files; i++)
		kept_put(s->files[i], &before[i]);
	if (records && truncate(records, 0))
		wrap_usage("no temporary file: ", strerror(errno));
	run(s, seed, most, o);
	o->files = kept_files(s->files, s->num_files);
	if (records)
		memory_read(records, &o->memory);
}

static void drop(const struct schedules *s, struct output *o)
{
	free(o->text);
	kept_free(o->files, s->num_files);
	memory_free(&o->memory);
}

/* What the first run cannot be compared with. */
static void look_at_own(const struct schedules *s, const struct output *own)
{
	for (unsigned i = 0; i < s->num_files; i++)
		if (!own->files[i].text)
			fprintf(stderr, "ppu-check: there is no file %s after the run\n", s->files[i]);
	if (records && !own->memory.opened)
		fputs("ppu-check: the program used no PPU by our libcuda, libcudart or libppu, or it could not be opened\n", stderr);
}

/* How many orders are to be tried. */
static unsigned how_many(const struct schedules *s, const struct output *own)
{
	uint64_t n = own->memory.orders;

	if (!s->all)
		return s->orders;
	if (n <= 1) {
		fprintf(stderr, "ppu-check: no launch has 2 to %u blocks, or blocks of 2 to %u warps: of the order only the sides of "
			"branches are left\n", PPU_ORDER_MOST, PPU_ORDER_MOST);
		n = 1;
	}
	if (2 * n > MOST)
		fprintf(stderr, "ppu-check: there are %llu orders; the first %u are tried\n", 2 * (unsigned long long)n, MOST);
	own_orders = 2 * n > MOST ? MOST : (unsigned)(2 * n);
	return own_orders * (1 + s->switches);
}

static unsigned try_orders(const struct schedules *s, const struct kept *before, const struct output *own, unsigned orders)
{
	uint64_t most = own->ns * TIMES > LEAST_NS ? own->ns * TIMES : LEAST_NS;
	unsigned first = s->all ? 1 : s->seed, differ = 0;

	for (unsigned i = 0; i < orders; i++) {
		struct output o = { 0 };

		run_in_order(s, before, first + i, most, &o);
		if (differs(s, own, &o) && ++differ <= 10)
			tell(s, own, &o, first + i);
		drop(s, &o);
	}
	return differ;
}

int schedules_run(const struct schedules *s, unsigned *differ)
{
	struct kept *before = kept_files(s->files, s->num_files);
	struct output own = { 0 };
	unsigned orders;

	setenv("PPU_BACKEND", "core", 0);
	stop_with_us();
	if (s->memory || s->all)
		want_records();
	run_in_order(s, before, OWN, UINT64_MAX / 2, &own);
	fwrite(own.text, 1, own.bytes, stdout);
	fflush(stdout);
	look_at_own(s, &own);
	orders = how_many(s, &own);
	*differ = try_orders(s, before, &own, orders);
	for (unsigned i = 0; i < s->num_files; i++)
		kept_put(s->files[i], &own.files[i]);
	fprintf(stderr, "ppu-check: %u of %u orders give another output\n", *differ, orders);
	kept_free(before, s->num_files);
	if (records)
		unlink(records);
	free(records);
	records = NULL;
	drop(s, &own);
	return own.status;
}
