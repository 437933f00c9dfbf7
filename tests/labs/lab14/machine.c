/* SPDX-License-Identifier: MIT */
/*
 * Lab 14: the device's core with your policy in it, and clients that send requests by a trace.
 *
 *   machine [-v] TRACE...             run traces: files, or FAMILY:SEED; -v prints every request
 *   machine --hidden FAMILY SEED N    traces SEED, SEED + 1, ... of a family, N of them; one line for all
 *   machine --write FAMILY SEED       print a trace
 *   machine --serve                   decides for the grader's program, which measures (wire.h)
 *
 * Every trace runs twice: with round robin, then with your policy.  For each a line `result`; latencies are from the time
 * of a request to the end of its last copy.
 */
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "machine.h"

#define RING	256
#define STUCK	20000000	/* steps of the student's code in one trace; more are an endless loop */
#define LIMIT	1000000000	/* ns after the last request */

static const struct policy yours = { policy_reset, policy_pick, policy_slice, policy_yield, policy_ended };

/* What a trace came to.  Times in ns. */
struct result {
	uint64_t requests, sum, max, end;
	double least_share;		/* of a client, of the engine's time, until somebody was finished; 1: its fair share */
};

/* ---- a trace ------------------------------------------------------------------------------------------------ */

struct client {
	struct bench_chan *ch;
	uint64_t buf;			/* copies go from here to here: what counts is how long they take */
};

static struct bench *make_device(const struct load *l, struct client *clients)
{
	/* No part of the device is larger than it has to be: a machine is made for each trace. */
	struct bench *b = bench_new("copy-engines=1 cost-ce-mbps=1000 cost-ce-setup-ns=200 vram=64M channels=16 watches=1 "
				    "gpcs=1 sms-per-gpc=1 warps-per-sm=4 task-slots=4 task-records=16");

	for (uint32_t i = 0; i < l->clients; i++) {
		struct bench_ctx *c = bench_ctx_new(b);
		uint32_t most = l->most[i] > 64 ? l->most[i] : 64;

		clients[i] = (struct client){ .ch = bench_chan_new(c, PPU_CLASS_COPY, RING) };
		clients[i].buf = bench_alloc(c, most, BENCH_VRAM);
	}
	return b;
}

static void send(struct client *c, const struct request *r)
{
	for (uint32_t k = 0; k < r->copies; k++)
		bench_copy(c->ch, c->buf, c->buf, r->bytes);
	bench_submit(c->ch);
}

/* The times at which each client's copies were done, in order: done[client][i]. */
static void find_ends(const struct bench *b, uint64_t **done, uint32_t *n)
{
	for (size_t i = 0; i < b->num_trace; i++)
		if (b->trace[i].event == PPU_TR_CE_DONE)
			done[b->trace[i].a][n[b->trace[i].a]++] = b->trace[i].time;
}

static void judge(const struct load *l, uint64_t **done, struct result *res, bool verbose)
{
	uint32_t at[POLICY_CLIENTS] = { 0 };

	for (uint32_t i = 0; i < l->n; i++) {
		const struct request *r = &l->v[i];
		uint64_t end, latency;

		at[r->client] += r->copies;
		end = done[r->client][at[r->client] - 1];
		latency = end - r->at;
		if (verbose)
			printf("request %llu client %u copies %u bytes %u latency %llu\n", (unsigned long long)r->at, r->client,
			       r->copies, r->bytes, (unsigned long long)latency);
		res->requests++;
		res->sum += latency;
		if (latency > res->max)
			res->max = latency;
		if (end > res->end)
			res->end = end;
	}
}

/* The least that a client had of the engine until the first of all clients was finished, as a part of a fair share. */
static double least_share(const struct load *l, const struct bench *b)
{
	uint64_t used[POLICY_CLIENTS] = { 0 }, start = 0, all = 0, least = UINT64_MAX;
	uint32_t left[POLICY_CLIENTS] = { 0 };

	for (uint32_t i = 0; i < l->n; i++)
		left[l->v[i].client] += l->v[i].copies;
	for (size_t i = 0; i < b->num_trace; i++) {
		const struct ppu_trace_rec *r = &b->trace[i];

		if (r->event == PPU_TR_CE_START)
			start = r->time;
		if (r->event != PPU_TR_CE_DONE)
			continue;
		used[r->a] += r->time - start;
		all += r->time - start;
		if (!--left[r->a])
			break;
	}
	for (uint32_t i = 0; i < l->clients; i++)
		if (used[i] < least)
			least = used[i];
	return all ? (double)least * l->clients / (double)all : 1;
}

struct bench *run_trace(struct load *l, const struct policy *policy, uint64_t *t0)
{
	struct client clients[POLICY_CLIENTS];
	struct bench *b;

	the_policy = policy;
	ends_begin();
	policy->reset();
	b = make_device(l, clients);
	*t0 = ppu_core_time(b->core);
	for (uint32_t i = 0; i < l->n || (l->more && l->more(l)); i++) {
		const struct request *r = &l->v[i];

		bench_run_to(b, *t0 + r->at);
		if (judge_goes_on && policy == &yours)
			judge_goes_on(l, i);
		if ((clients[r->client].ch->put + 1) % RING == bench_get(clients[r->client].ch))
			end_wrong("the ring of client %u is full: it waits for ever", r->client);
		send(&clients[r->client], r);
		if (l->more && i + 1 == l->n)
			bench_run_to(b, *t0 + l->until);
	}
	ppu_core_run_idle(b->core, ppu_core_time(b->core) + LIMIT);
	return b;
}

static void run_load(struct load *l, const struct policy *policy, struct result *res, bool verbose)
{
	uint64_t *done[POLICY_CLIENTS], t0;
	uint32_t n[POLICY_CLIENTS] = { 0 }, want[POLICY_CLIENTS] = { 0 };
	struct bench *b = run_trace(l, policy, &t0);

	for (uint32_t i = 0; i < l->n; i++)
		want[l->v[i].client] += l->v[i].copies;
	for (uint32_t i = 0; i < l->clients; i++)
		done[i] = calloc(b->num_trace + 1, sizeof(*done[i]));
	find_ends(b, done, n);
	for (uint32_t i = 0; i < l->clients; i++)
		if (n[i] != want[i])
			end_wrong("%s: %u copies of client %u were done, it asked for %u", l->name, n[i], i, want[i]);
	for (uint32_t i = 0; i < l->clients; i++)
		for (uint32_t k = 0; k < n[i]; k++)
			done[i][k] -= t0;
	judge(l, done, res, verbose);
	res->least_share = least_share(l, b);
	for (uint32_t i = 0; i < l->clients; i++)
		free(done[i]);
	bench_free(b);
}

static void print(const char *name, const struct result *rr, const struct result *you)
{
	printf("result %s requests=%llu mean=%llu max=%llu end=%llu share=%.0f rr_mean=%llu rr_max=%llu rr_end=%llu "
	       "rr_share=%.0f\n", name, (unsigned long long)you->requests,
	       (unsigned long long)(you->sum / you->requests), (unsigned long long)you->max, (unsigned long long)you->end,
	       100 * you->least_share, (unsigned long long)(rr->sum / rr->requests), (unsigned long long)rr->max,
	       (unsigned long long)rr->end, 100 * rr->least_share);
}

static void run_one(const char *name, bool verbose)
{
	char family[20];
	unsigned long long seed;
	struct load l = sscanf(name, "%19[a-z]:%llu", family, &seed) == 2 ? load_make(family, seed) : load_read(name);
	struct result rr = { 0 }, you = { 0 };

	if (!l.n)
		end_wrong("%s has no request", name);
	run_load(&l, &round_robin, &rr, false);
	run_load(&l, &yours, &you, verbose);
	print(l.name, &rr, &you);
	free(l.v);
}

/* max and end: the worst of your policy beside round robin's in the same trace, as a ratio to the worst of round robin. */
static void run_hidden(const char *family, uint64_t seed, uint64_t count)
{
	struct result all_rr = { 0 }, all = { .least_share = 1 };
	double worst_max = 0, worst_end = 0;

	all_rr.least_share = 1;
	for (uint64_t s = seed; s < seed + count; s++) {
		struct load l = load_make(family, s);
		struct result rr = { 0 }, you = { 0 };

		run_load(&l, &round_robin, &rr, false);
		run_load(&l, &yours, &you, false);
		all_rr.requests += rr.requests;
		all_rr.sum += rr.sum;
		all.requests += you.requests;
		all.sum += you.sum;
		if ((double)you.max / (double)rr.max > worst_max) {
			worst_max = (double)you.max / (double)rr.max;
			all.max = you.max;
			all_rr.max = rr.max;
		}
		if ((double)you.end / (double)rr.end > worst_end) {
			worst_end = (double)you.end / (double)rr.end;
			all.end = you.end;
			all_rr.end = rr.end;
		}
		if (you.least_share < all.least_share)
			all.least_share = you.least_share;
		if (rr.least_share < all_rr.least_share)
			all_rr.least_share = rr.least_share;
		free(l.v);
		printf("seed %llu\n", (unsigned long long)s);	/* who waits for the result sees that something happens */
	}
	print(family, &all_rr, &all);
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");

	ends_catch(STUCK, NULL);
	if (argc == 2 && !strcmp(argv[1], "--serve")) {
		serve(&yours);
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "--hidden")) {
		run_hidden(argv[2], strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0));
	} else if (argc == 4 && !strcmp(argv[1], "--write")) {
		struct load l = load_make(argv[2], strtoull(argv[3], NULL, 0));

		load_write(&l, stdout);
	} else if (argc > 1 + verbose) {
		for (int i = 1 + verbose; i < argc; i++)
			run_one(argv[i], verbose);
	} else {
		fprintf(stderr, "usage: machine [-v] TRACE... | --hidden FAMILY SEED N | --write FAMILY SEED | --serve\n");
		return 2;
	}
	printf("end done\n");
	return 0;
}
