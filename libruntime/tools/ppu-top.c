/* SPDX-License-Identifier: MIT */
/* ppu-top: which processes use the PPUs of the machine, engine by engine, again and again. */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ppu.h>
#include "usage/clients.h"
#include "tool.h"

#define MAX_DEVICES 8

static struct {
	double every;		/* seconds of host time */
	long pages;		/* 0: until it is stopped */
	bool batch;		/* one page below the other */
} opt = { .every = 1 };

/* A device at one moment. */
struct moment {
	uint64_t ns;			/* device time */
	size_t avail, total;		/* bytes of VRAM */
	struct usage_client *list;
	int n;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	stop = 1;
}

static void fail(const char *what, ppuResult res)
{
	fprintf(stderr, "ppu-top: %s: %s: %s\n", what, ppuGetErrorName(res), ppuGetLastErrorDetail());
	exit(1);
}

static void look(int device, const char *pdev, struct moment *m)
{
	ppuResult res = ppuDeviceGetTime(device, &m->ns);

	if (!res)
		res = ppuDeviceGetMemInfo(device, &m->avail, &m->total);
	if (res)
		fail("a device does not answer", res);
	m->n = usage_clients("/proc", pdev, &m->list);
	if (m->n < 0) {
		fprintf(stderr, "ppu-top: /proc: %s\n", strerror(-m->n));
		exit(1);
	}
}

/* ---- a page ------------------------------------------------------------------------------------- */

/* The busiest first; then by process and file, so that idle ones stay where they are. */
static int by_use(const void *a, const void *b)
{
	const struct usage_client *x = a, *y = b;
	uint64_t ux = x->compute_ns + x->copy_ns + x->queue_ns, uy = y->compute_ns + y->copy_ns + y->queue_ns;

	if (ux != uy)
		return ux > uy ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* used: the clients, with the engine times since the moment before */
static void print_rows(const struct usage_client *used, int n, uint64_t time)
{
	printf("  %8s  %-20s %8s %6s %6s %9s %9s\n", "PID", "NAME", "COMPUTE", "QUEUE", "COPY", "VRAM", "SYSTEM");
	for (const struct usage_client *c = used; c < used + n; c++)
		printf("  %8d  %-20.20s %7u%% %5u%% %5u%% %6" PRIu64 "MiB %6" PRIu64 "MiB\n", c->pid, c->name,
		       usage_percent(c->compute_ns, time), usage_percent(c->queue_ns, time),
		       usage_percent(c->copy_ns, time), c->vram >> 20, c->system >> 20);
}

static void print_device(int device, const ppuDeviceProp *p, const struct moment *before, const struct moment *now)
{
	struct usage_client *used = calloc(now->n ? (size_t)now->n : 1, sizeof(*used));
	uint64_t time = usage_more(now->ns, before->ns), compute = 0, copy = 0;
	int n = 0;

	if (!used) {
		fputs("ppu-top: out of memory\n", stderr);
		exit(1);
	}
	for (int i = 0; i < now->n; i++) {
		if (now->list[i].pid == getpid())
			continue;
		used[n] = usage_since(&now->list[i], before->list, (unsigned)before->n);
		compute += used[n].compute_ns + used[n].queue_ns;
		copy += used[n++].copy_ns;
	}
	qsort(used, (size_t)n, sizeof(*used), by_use);
	printf("%d %s %s  device time %" PRIu64 ".%03u s  VRAM %zu of %zu MiB  compute %u%%  copy %u%%\n", device, p->name,
	       p->location, now->ns / 1000000000, (unsigned)(now->ns / 1000000 % 1000), (now->total - now->avail) >> 20,
	       now->total >> 20, usage_percent(compute, time), usage_percent(copy, time));
	print_rows(used, n, time);
	free(used);
}

/* ---- the command line --------------------------------------------------------------------------- */

static void run(int devices)
{
	struct moment before[MAX_DEVICES] = { 0 }, now;
	ppuDeviceProp p[MAX_DEVICES];
	ppuResult res = 0;

	for (int d = 0; d < devices && !res; d++) {
		res = ppuDeviceGetProperties(&p[d], d);
		if (!res)
			look(d, p[d].location, &before[d]);
	}
	if (res)
		fail("a device does not answer", res);
	for (long page = 0; !stop && (!opt.pages || page < opt.pages); page++) {
		usleep((useconds_t)(opt.every * 1e6));
		if (stop)
			break;
		if (!opt.batch)
			fputs("\033[H\033[2J", stdout);
		for (int d = 0; d < devices; d++) {
			look(d, p[d].location, &now);
			print_device(d, &p[d], &before[d], &now);
			free(before[d].list);
			before[d] = now;
		}
		if (opt.batch)
			putchar('\n');
		fflush(stdout);
	}
	for (int d = 0; d < devices; d++)
		free(before[d].list);
}

static const char help[] =
	"usage: ppu-top [-b] [-d SECONDS] [-n PAGES]\n"
	"Show which processes use the PPUs, engine by engine, again and again until Ctrl-C.\n"
	"  -b          one page below the other, as when the output is no terminal\n"
	"  -d SECONDS  time between pages (1)\n"
	"  -n PAGES    end after so many pages\n"
	"  --help, --version\n"
	"Percentages are shares of the device time that passed since the page before. COMPUTE is kernels of the CPU's "
	"channels, QUEUE those of device-owned queues, COPY copies and fills. Only processes that the user may look into are "
	"seen. The device inside a process (PPU_BACKEND=core) is seen by that process only.\n"
	"Exit status: 0 done, 1 no device, or one that does not answer, 2 usage.\n";

static void usage_error(const char *sentence)
{
	fprintf(stderr, "ppu-top: %s; see ppu-top --help\n", sentence);
	exit(2);
}

static void parse(int argc, char **argv)
{
	char *end;
	int c;

	opt.batch = !isatty(STDOUT_FILENO);
	while ((c = getopt(argc, argv, "bd:n:")) >= 0)
		switch (c) {
		case 'b':
			opt.batch = true;
			break;
		case 'd':
			opt.every = strtod(optarg, &end);
			if (end == optarg || *end || !(opt.every > 0 && opt.every <= 3600))
				usage_error("-d needs a number of seconds, above 0 and up to 3600");
			break;
		case 'n':
			opt.pages = strtol(optarg, &end, 10);
			if (end == optarg || *end || opt.pages < 1)
				usage_error("-n needs a number, 1 or more");
			break;
		default:
			usage_error("that is no option");
		}
	if (optind < argc)
		usage_error("it takes no arguments");
}

int main(int argc, char **argv)
{
	ppuResult res;
	int devices;

	if (argc == 2 && !strcmp(argv[1], "--version"))
		return tool_version("ppu-top");
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return fputs(help, stdout) < 0;
	parse(argc, argv);
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	res = ppuDeviceGetCount(&devices);
	if (res)
		fail("no device", res);
	run(devices > MAX_DEVICES ? MAX_DEVICES : devices);
	ppuShutdown();
	return 0;
}
