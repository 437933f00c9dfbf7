/* SPDX-License-Identifier: MIT */
/*
 * Lab 10: one SM with your divergence unit in it, without the rest of a GPU.
 *
 *   machine [-t TRACE] KERNEL...   run kernels and print what happened; TRACE is for ppu-trace ("-": print it)
 *   machine --queue GROUP          try the token queue alone: order, tracking, merge, recentre
 *   machine --stream               run programs from standard input (machine.h); the grader sends random ones
 *
 * A kernel is assembly with lines of directives:
 *
 *   //! threads N            threads of the only CTA (32)
 *   //! prop NAME VALUE      property of the device
 *   //! limit NS             device time after which the kernel is given up (20000)
 *   //! poke NS ENTRY TOKEN  at that time write a token (hexadecimal) into the queue's memory, as a program could
 *   //! events N             print only the first N events (300), and all recentrings
 *   //! regs N               registers of each thread (32)
 *   //! words N              words of the results to print (one for each thread)
 *
 * The first argument in a kernel's parameter memory is the address of its results.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <hw/ppu_fault.h>
#include "lab10.h"
#include "labends.h"
#include "machine.h"
#include "sm_test.h"

#define WINDOW_NS	100	/* between two looks at the device from outside */
#define STREAM_NS	1000	/* the same for --stream */
#define STUCK		1000000	/* steps of the student's code in one window; more are an endless loop */
#define STREAM_LIMIT	50000	/* ns, for each program of --stream */
#define MAX_POKES	4

struct poke {
	uint64_t at, token;
	uint32_t entry;
	bool done;
};

struct kernel {
	char *text;
	uint32_t threads, words, events, regs;
	uint64_t limit;
	struct poke poke[MAX_POKES];
	unsigned num_pokes;
};

static struct sm_test *smt;			/* the machine that runs now */

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "machine: %s: %s\n", what, why);
	exit(2);
}

/* ---- ways to end that no kernel should have ------------------------------------------------------ */

static uint32_t current_pc(void)
{
	return smt && smt->core ? smt->core->sms[0].warp[0].pc : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

_Noreturn void lab10_todo(const char *file, const char *function)
{
	printf("end todo %s %s\n", base_name(file), function);
	fflush(stdout);
	_exit(3);
}

/* ---- events as text ------------------------------------------------------------------------------- */

static const char *reason(unsigned r)
{
	static const char *const names[16] = {
#define R(name, code, text) text,
		PPU_REASONS(R)
#undef R
	};
	return names[r & 15];
}

/* For push, yield, merge, pop, discard: the token, its place, head and tail afterwards. */
static void print_token(const char *op, const struct ppu_trace_rec *t)
{
	int head = (int)(uint32_t)t->d, tail = (int)(t->d >> 32);

	printf("%s %s %x %u/%x", op, reason(PPU_TOK_TYPE(t->b)), PPU_TOK_MASK(t->b), PPU_TOK_ADDR(t->b),
	       (unsigned)(t->b >> 58 & 0xf));
	if (t->event == PPU_TR_DIV_PUSH)
		printf(" @%d", head - 1);
	if (t->event == PPU_TR_DIV_YIELD_PUSH)
		printf(" @%d", tail + 1);
	if (t->event == PPU_TR_DIV_POP)
		printf(" -> %x", (uint32_t)t->c);
	printf(" h=%d t=%d\n", head, tail);
}

static void print_event(const struct ppu_trace_rec *t)
{
	printf("%4u: ", t->a & PPU_PC_MAX);
	switch (t->event) {
	case PPU_TR_DIV_PUSH: print_token("push", t); break;
	case PPU_TR_DIV_YIELD_PUSH: print_token("yield", t); break;
	case PPU_TR_DIV_MERGE: print_token("merge", t); break;
	case PPU_TR_DIV_POP: print_token("pop", t); break;
	case PPU_TR_DIV_DISCARD: print_token("discard", t); break;
	case PPU_TR_DIV_DISABLE:
		printf("disable %s %x left=%x\n", reason((unsigned)t->b), (uint32_t)t->c, (uint32_t)t->d);
		break;
	case PPU_TR_DIV_FALLBACK:
		printf("fallback %u %x\n", (uint32_t)t->b, (uint32_t)t->c);
		break;
	case PPU_TR_DIV_RECENTRE:
		printf("recentre %u h=%d t=%d -> h=%d t=%d\n", (uint32_t)t->b, (int)(uint32_t)t->c, (int)(t->c >> 32),
		       (int)(uint32_t)t->d, (int)(t->d >> 32));
		break;
	case PPU_TR_DIV_BRANCH:
		printf("branch %u %x of %x\n", (uint32_t)t->b, (uint32_t)t->d, (uint32_t)t->c);
		break;
	}
}

static bool is_divergence(const struct ppu_trace_rec *t)
{
	return t->event >= PPU_TR_DIV_PUSH && t->event <= PPU_TR_DIV_BRANCH;
}

static void print_events(const struct kernel *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < smt->num_trace; i++) {
		const struct ppu_trace_rec *t = &smt->trace[i];

		if (!is_divergence(t))
			continue;
		if (n++ < k->events || t->event == PPU_TR_DIV_RECENTRE)
			print_event(t);
	}
	printf("events %u\n", n);
}

static void print_hex(const void *p, size_t n)
{
	printf("trace h");
	for (size_t i = 0; i < n; i++)
		printf("%02x", ((const uint8_t *)p)[i]);
	printf("\n");
}

/* Writes the trace to a file; with "-" prints it, for processes that may not write files. */
static void write_trace(const char *path)
{
	const struct ppu_config *c = &smt->cfg;
	struct ppu_trace_header h = {
		.magic = PPU_TRACE_MAGIC, .version = PPU_TRACE_VERSION, .record_bytes = sizeof(struct ppu_trace_rec),
		.channels = c->channels, .copy_engines = c->copy_engines, .gpcs = c->gpcs, .sms_per_gpc = c->sms_per_gpc,
		.warps_per_sm = c->warps_per_sm, .task_slots = c->task_slots, .device_priorities = c->device_priorities,
	};
	FILE *f;

	if (!strcmp(path, "-")) {
		print_hex(&h, sizeof(h));
		for (uint32_t i = 0; i < smt->num_trace; i++)
			print_hex(&smt->trace[i], sizeof(*smt->trace));
		return;
	}
	f = fopen(path, "wb");
	if (!f || fwrite(&h, sizeof(h), 1, f) != 1 ||
	    fwrite(smt->trace, sizeof(*smt->trace), smt->num_trace, f) != smt->num_trace || fclose(f))
		fail(path, strerror(errno));
}

/* ---- one kernel ------------------------------------------------------------------------------------ */

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "rb"), *out;
	char *text = NULL, buf[4096];
	size_t len, n;

	if (!f)
		fail(path, strerror(errno));
	out = open_memstream(&text, &len);
	while ((n = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, 1, n, out);
	fclose(out);
	fclose(f);
	return text;
}

static void directive(struct kernel *k, struct ppu_config *cfg, const char *path, const char *line)
{
	char name[64], value[64], *err;
	unsigned long long a, b, c;

	if (sscanf(line, "threads %llu", &a) == 1)
		k->threads = (uint32_t)a;
	else if (sscanf(line, "limit %llu", &a) == 1)
		k->limit = a;
	else if (sscanf(line, "events %llu", &a) == 1)
		k->events = (uint32_t)a;
	else if (sscanf(line, "regs %llu", &a) == 1)
		k->regs = (uint32_t)a;
	else if (sscanf(line, "words %llu", &a) == 1)
		k->words = (uint32_t)a;
	else if (sscanf(line, "poke %llu %llu %llx", &a, &b, &c) == 3 && k->num_pokes < MAX_POKES)
		k->poke[k->num_pokes++] = (struct poke){ .at = a, .entry = (uint32_t)b, .token = c };
	else if (sscanf(line, "prop %63s %63s", name, value) == 2) {
		if (ppu_config_set(cfg, name, value, &err))
			fail(path, err);
	} else if (strncmp(line, "result ", 7)) {	/* "result" is a line for the grader */
		fail(path, "unknown directive; machine.c says which there are");
	}
}

static void read_kernel(struct kernel *k, struct ppu_config *cfg, const char *path)
{
	memset(k, 0, sizeof(*k));
	k->threads = 32;
	k->words = ~0u;
	k->events = 300;
	k->limit = 20000;
	k->text = read_file(path);
	for (const char *p = strstr(k->text, "//! "); p; p = strstr(p + 4, "//! "))
		directive(k, cfg, path, p + 4);
	if (k->words == ~0u)
		k->words = k->threads;
}

static void print_end(void)
{
	static const char *const names[] = {
#define E(name, code, ...) [code] = #name,
		PPU_ERRS(E)
#undef E
	};
	const struct ppu_warp *w = &smt->core->sms[0].warp[0];
	unsigned code = smt->fault.code;

	if (smt->faulted)
		printf("end fault %s pc=%u\n", code < sizeof(names) / sizeof(names[0]) && names[code] ? names[code] : "?",
		       smt->fault.pc);
	else if (smt->timed_out)
		printf("end time pc=%u active=%x live=%x tokens=%u\n", w->pc, w->active, w->live,
		       ppu_tokq_count(&w->q));
	else
		printf("end done\n");
}

static void poke(struct kernel *k)
{
	for (unsigned i = 0; i < k->num_pokes; i++) {
		struct poke *p = &k->poke[i];

		if (p->done || smt->now < p->at)
			continue;
		((uint64_t *)(smt->vram + smt->ctx.blk.tokq_base))[p->entry] = p->token;
		p->done = true;
	}
}

/* Like smt_run(), but window by window. */
static void run(struct kernel *k)
{
	uint64_t end = smt->now + k->limit;

	smt_launch(smt, 1, k->threads);
	for (;;) {
		ends_begin();
		poke(k);
		if (!smt_window(smt))
			break;
		if (smt->now >= end) {
			smt->timed_out = true;
			break;
		}
	}
}

static void print_words(uint32_t n)
{
	const uint32_t *v = smt_u32(smt);

	for (uint32_t i = 0; i < n; i++) {
		if (i % 8 == 0)
			printf("words %u:", i);
		printf(" %u%s", v[i], i % 8 == 7 || i == n - 1 ? "\n" : "");
	}
}

/* A device with one SM, and as small as possible otherwise, because it is started often. */
static struct sm_test *small_device(void)
{
	struct sm_test *s = smt_new();

	s->cfg.channels = 1;
	s->cfg.task_slots = s->cfg.task_records = 4;
	s->cfg.watches = 1;
	s->cfg.warps_per_sm = 4;
	return s;
}

static void run_kernel(const char *path, const char *trace)
{
	struct kernel k;

	smt = small_device();
	smt->cfg.window_ns = WINDOW_NS;
	read_kernel(&k, &smt->cfg, path);
	smt_start(smt);
	smt->task.launch.regs_per_thread = k.regs;
	smt_load(smt, k.text);
	run(&k);
	print_events(&k);
	print_words(k.words);
	printf("counters divergent=%llu yields=%llu recentres=%llu\n",
	       (unsigned long long)smt->core->ctr[PPU_CTR_DIVERGENT],
	       (unsigned long long)smt->core->ctr[PPU_CTR_YIELDS],
	       (unsigned long long)smt->core->ctr[PPU_CTR_RECENTRES]);
	printf("instructions %llu\n", (unsigned long long)smt->core->ctr[PPU_CTR_WARP_INSNS]);
	if (trace)
		write_trace(trace);
	print_end();
	fflush(stdout);
	smt_finish(smt);
	smt_free(smt);
	smt = NULL;
	free(k.text);
}

/* ---- many programs ----------------------------------------------------------------------------------- */

static bool read_all(void *p, size_t n)
{
	return fread(p, 1, n, stdin) == n;
}

static void stream(void)
{
	struct kernel k = { .limit = STREAM_LIMIT };
	struct machine_reply r;
	struct machine_job job;
	char *text;

	smt = small_device();
	smt->cfg.tokq_entries = MACHINE_ENTRIES;
	smt->cfg.window_ns = STREAM_NS;
	smt_start(smt);
	smt->core->ports.trace = NULL;
	smt->task.launch.regs_per_thread = 48;
	while (read_all(&job, sizeof(job))) {
		text = malloc(job.bytes + 1ul);
		if (!text || !read_all(text, job.bytes) || 4ul * job.words > SMT_DATA_BYTES)
			fail("standard input", "no program");
		text[job.bytes] = 0;
		smt->core->cfg.branch_first = job.branch_first;
		smt->core->cfg.yield_every = job.yield_every;
		smt->core->cfg.yield_merge = job.yield_merge;
		smt->core->cfg.yield_random = job.yield_random;
		memset(smt->data, 0, 4ul * job.words);
		k.threads = job.threads;
		smt_load(smt, text);
		free(text);
		run(&k);
		smt_finish(smt);
		r = (struct machine_reply){ smt->faulted ? END_FAULT : smt->timed_out ? END_TIME : END_DONE,
					    smt->fault.code, smt->fault.pc, smt->fault.lane };
		fwrite(&r, sizeof(r), 1, stdout);
		fwrite(smt->data, 4, job.words, stdout);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	const char *trace = NULL;
	int i = 1;

	ends_catch(STUCK, current_pc);
	if (argc == 3 && !strcmp(argv[1], "--queue")) {
		if (queue_check(argv[2]))
			return 0;
		fprintf(stderr, "machine: no group %s; there are order, tracking, merge and recentre\n", argv[2]);
		return 2;
	}
	if (argc == 2 && !strcmp(argv[1], "--stream")) {
		stream();
		return 0;
	}
	if (argc > 3 && !strcmp(argv[1], "-t")) {
		trace = argv[2];
		i = 3;
	}
	if (i >= argc || argv[i][0] == '-') {
		fprintf(stderr, "usage: machine [-t TRACE] KERNEL... | --queue GROUP | --stream\n");
		return 2;
	}
	for (; i < argc; i++)
		run_kernel(argv[i], trace);
	return 0;
}
