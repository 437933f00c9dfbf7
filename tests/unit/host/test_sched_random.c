/* SPDX-License-Identifier: MIT */
/*
 * Random workloads through the device and through an independent model of the scheduling rules
 * (lib/sched_model.c): every decision, in order, at its time; the semaphores and counters in the end.
 * Some are stopped at random times in the middle of all this, saved, loaded into a new core
 * and continued: its trace must be the same.
 * HW-76, CP-3..CP-6, CP-14..CP-18, CP-25..CP-29, CP-32..CP-34, WQ-10, WQ-14..WQ-17, A-CP-6, A-CP-9.
 *
 *   PPU_RANDOM_WORKLOADS=N   how many (default: below)
 *   PPU_RANDOM_SEED=S        the first one's seed; a failure prints the seed to repeat it with N=1
 *   PPU_RANDOM_VERBOSE=1     print the traces
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"
#include "sched_model.h"
#include "run_suite.h"

#ifdef __SANITIZE_ADDRESS__
#define WORKLOADS 8000
#else
#define WORKLOADS 100000
#endif

enum { RING = 47, BUF = 8192, MOST_LAUNCHES = 40, STOPPED = 64 };

static uint64_t rng;

static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (uint32_t)(rng >> 20) % n;
}

static uint32_t one_of(const uint32_t *v, uint32_t n)
{
	return v[rnd(n)];
}
#define ONE_OF(...) one_of((const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)

/* ---- making workloads ------------------------------------------------------------------------------ */

static struct sw_cmd *add(struct sw_entry *e, unsigned op)
{
	struct sw_cmd *k = &e->cmd[e->n++];

	*k = (struct sw_cmd){ .op = (uint8_t)op, .sem = -1 };
	return k;
}

static void semaphore(struct sw_entry *e, unsigned op, unsigned sem, unsigned sem_op, bool gate,
		      uint64_t value)
{
	struct sw_cmd *k = add(e, op);

	k->sem = (int8_t)sem;
	k->sem_op = (uint8_t)sem_op;
	k->gate = gate;
	k->value = value;
}

static void fill(struct sw_entry *e, int sem, uint64_t value)
{
	struct sw_cmd *k = add(e, PPU_CMD_FILL);

	k->sem = (int8_t)sem;
	k->value = value;
	k->bytes = sem >= 0 ? 8 : rnd(8) ? 1 + rnd(2000) : 0;
}

/* CP-20..CP-22: a copy of internal priority n of P; the semaphore of priority k is k - 2. */
static void prioritized(struct sw_entry *e, unsigned n, unsigned p)
{
	for (unsigned k = n + 1; k <= p; k++)
		semaphore(e, PPU_CMD_SEM_ACQUIRE, k - 2, PPU_SEM_OP_ZERO, true, 0);
	if (n > 1)
		semaphore(e, PPU_CMD_SEM_INC, n - 2, 0, false, 0);
	fill(e, -1, 1);
	if (n > 1)
		semaphore(e, PPU_CMD_SEM_DEC, n - 2, 0, false, 0);
}

static void anything(struct sw_entry *e, unsigned cls, unsigned *launches)
{
	for (unsigned n = 1 + rnd(SW_CMDS - 1); n; n--) {
		unsigned sem = rnd(SW_SEMS);

		switch (rnd(8)) {
		case 0:
			semaphore(e, PPU_CMD_SEM_ACQUIRE, sem,
				  ONE_OF(PPU_SEM_OP_EQ, PPU_SEM_OP_GE, PPU_SEM_OP_ZERO, PPU_SEM_OP_NE),
				  rnd(2), rnd(3));
			break;
		case 1: semaphore(e, PPU_CMD_SEM_INC, sem, 0, false, 0); break;
		case 2: semaphore(e, PPU_CMD_SEM_DEC, sem, 0, false, 0); break;
		case 3: semaphore(e, PPU_CMD_SEM_RELEASE, sem, 0, false, rnd(4)); break;
		case 4: add(e, PPU_CMD_NOP); break;
		default:
			if (cls == PPU_CLASS_COPY)
				fill(e, rnd(6) ? -1 : (int)sem, rnd(4));
			else if ((*launches)++ < MOST_LAUNCHES)
				add(e, PPU_CMD_LAUNCH);
			else
				add(e, PPU_CMD_NOP);
		}
	}
}

static void make(struct workload *w)
{
	unsigned launches = 0, owners, style = rnd(4), prios = 1 + rnd(4), compute = ONE_OF(0, 0, 0, 4);
	bool masks = !rnd(5), queue_prios = !rnd(3), pauses = !rnd(4), groups = !rnd(3);
	uint64_t time = 0;

	w->ring = RING;
	w->engines = 1 + rnd(SW_ENGINES - 1);
	w->timeslice = ONE_OF(1000, 5000, 20000, 100000, 1000000);
	w->run_limit = ONE_OF(1, 2, 3, 5, 8, 64, 64, 64);
	w->literal = !rnd(6);
	w->cost_fetch = rnd(300);
	w->cost_cmd = 1 + rnd(40);
	w->cost_switch = rnd(3) ? rnd(200) : 0;
	w->cost_setup = rnd(2) ? rnd(2000) : 0;
	w->mbps = ONE_OF(20, 100, 1000, 20000);
	w->cost_launch = rnd(3000);
	w->ctxs = ONE_OF(1, 1, 2, 3);
	w->chans = 2 + rnd(SW_CHANS - 1);
	for (unsigned i = 0; i < w->chans; i++) {
		struct sw_chan *c = &w->chan[i];

		c->ctx = rnd(w->ctxs);
		c->cls = rnd(8) < compute ? PPU_CLASS_COMPUTE : PPU_CLASS_COPY;
		c->prio = queue_prios ? rnd(3) : 0;
		c->slice = rnd(2) ? 0 : 500 + rnd(50000);
		c->mask = masks && c->cls == PPU_CLASS_COPY ? 1 + rnd((1u << w->engines) - 1) : 0;
		c->group = groups ? rnd(3) : 0;
		c->start = rnd(RING);
		c->n = 0;
	}
	w->actions = 5 + rnd(60);
	for (unsigned i = 0; i < w->actions; i++) {
		struct sw_action *a = &w->action[i];
		struct sw_chan *c;

		time += rnd(4) ? rnd(ONE_OF(100, 3000, 30000)) : 0;
		a->time = time;
		a->chan = rnd(w->chans);
		c = &w->chan[a->chan];
		a->kind = style && !rnd(6) ? SW_STORE : SW_SUBMIT;
		if (pauses && !rnd(3))
			a->kind = SW_PAUSE + rnd(groups ? 4 : 2);
		a->sem = (int)rnd(SW_SEMS);
		a->value = rnd(4);
		for (unsigned n = a->kind == SW_SUBMIT ? 1 + rnd(3) : 0; n && c->n < SW_ENTRIES; n--) {
			struct sw_entry *e = &c->entry[c->n++];

			e->n = 0;
			/*
			 * Style 0: copies with priorities, one priority for each channel; other styles: mixed, or any
			 * commands.
			 */
			if (c->cls == PPU_CLASS_COPY && (!style || (style < 3 && rnd(3))))
				prioritized(e, 1 + (a->chan + (style ? rnd(2) : 0)) % prios, prios);
			else
				anything(e, c->cls, &launches);
		}
		a->put = c->n;
	}
	/* Half of the workloads have owners with several contexts. */
	owners = rnd(2) ? w->ctxs : 1 + rnd(w->ctxs);
	for (unsigned i = 0; i < w->ctxs; i++)
		w->owner[i] = i % owners;
}

/* ---- the device ------------------------------------------------------------------------------------------ */

struct device {
	struct bench *b;
	struct bench_ctx *c[SW_CTXS];
	struct bench_chan *ch[SW_CTXS][SW_CHANS];
	uint64_t sem[SW_CTXS], buf[SW_CTXS], task[SW_CTXS], cmd_va[SW_CTXS], cmd_left[SW_CTXS];
};

/* Memory, page tables and rings are made once; each workload gets a new core that uses them. */
static struct device device_new(void)
{
	struct device d = { .b = bench_new("channels=36 watches=1 task-records=64 gpcs=1 sms-per-gpc=1 "
					   "warps-per-sm=4 vram=32M") };
	uint32_t words;

	for (unsigned i = 0; i < SW_CTXS; i++) {
		d.c[i] = bench_ctx_new(d.b);
		d.sem[i] = bench_alloc(d.c[i], 4096, i == 1 ? BENCH_SYS : BENCH_VRAM);	/* CP-13 */
		d.buf[i] = bench_alloc(d.c[i], BUF, i == 1 ? BENCH_SCATTER : BENCH_VRAM);
		d.task[i] = bench_sleep_task(d.c[i], 1);
		for (unsigned k = 0; k < SW_CHANS; k++)
			d.ch[i][k] = bench_chan_make(d.c[i], PPU_CLASS_COPY, RING);
		bench_nop(d.ch[i][0], 1);
		bench_block(d.ch[i][0], &words);
		d.cmd_va[i] = d.c[i]->cmd_va;
		d.cmd_left[i] = d.c[i]->cmd_left;
	}
	return d;
}

static void encode(struct device *d, struct bench_chan *ch, unsigned ctx, struct sw_entry *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		struct sw_cmd *k = &e->cmd[i];
		uint64_t sem = k->sem >= 0 ? d->sem[ctx] + 8 * (unsigned)k->sem : 0;

		switch (k->op) {
		case PPU_CMD_NOP: bench_nop(ch, 1); break;
		case PPU_CMD_SEM_ACQUIRE:
			bench_acquire(ch, k->sem_op | (k->gate ? PPU_CMDF_SEM_GATE : 0), sem, k->value);
			break;
		case PPU_CMD_SEM_RELEASE: bench_release(ch, 0, sem, k->value); break;
		case PPU_CMD_SEM_INC: bench_inc(ch, 0, sem); break;
		case PPU_CMD_SEM_DEC: bench_dec(ch, 0, sem); break;
		case PPU_CMD_LAUNCH:
			k->va = d->task[ctx];
			bench_launch(ch, k->va);
			break;
		case PPU_CMD_FILL:
			k->va = sem ? sem : d->buf[ctx];
			bench_fill(ch, sem ? 3 : 0, k->va, k->value, sem ? 1 : k->bytes);
			break;
		}
	}
	e->va = bench_block(ch, &e->words);
}

static void configure(struct device *d, const struct workload *w)
{
	struct ppu_config *f = &d->b->cfg;

	f->copy_engines = w->engines;
	f->timeslice_ns = w->timeslice;
	f->run_limit = w->run_limit;
	f->gate_literal = w->literal;
	f->cost_fetch_ns = w->cost_fetch;
	f->cost_cmd_ns = w->cost_cmd;
	f->cost_switch_ns = w->cost_switch;
	f->cost_ce_setup_ns = w->cost_setup;
	f->cost_ce_mbps = w->mbps;
	f->cost_launch_ns = w->cost_launch;
}

/* A new core in which every channel of the workload is enabled and every entry written. */
static void load(struct device *d, struct workload *w, struct bench_chan *id[SW_CHANS])
{
	unsigned used[SW_CTXS] = { 0 };

	configure(d, w);
	bench_new_core(d->b);
	for (unsigned i = 0; i < w->ctxs; i++) {
		uint64_t zero[SW_SEMS] = { 0 };

		d->c[i]->blk->owner = 1 + w->owner[i];
		bench_ctx_cmd(d->c[i], PPU_CTX_CMD_LOAD);
		d->c[i]->cmd_va = d->cmd_va[i];
		d->c[i]->cmd_left = d->cmd_left[i];
		bench_write(d->c[i], d->sem[i], zero, sizeof(zero));
		for (unsigned k = 0; k < SW_SEMS; k++)
			w->sem_va[i][k] = d->sem[i] + 8 * k;
	}
	for (unsigned i = 0; i < w->chans; i++) {
		struct sw_chan *c = &w->chan[i];
		struct bench_chan *ch = id[i] = d->ch[c->ctx][used[c->ctx]++];

		ch->id = i;
		bench_chan_set(ch, PPU_REG_CH_INST_LO, (uint32_t)ch->c->inst);
		bench_chan_set(ch, PPU_REG_CH_RING_LO, (uint32_t)ch->ring);
		bench_chan_set(ch, PPU_REG_CH_RING_HI, (uint32_t)(ch->ring >> 32));
		bench_chan_set(ch, PPU_REG_CH_RING_ENTRIES, RING);
		bench_chan_set(ch, PPU_REG_CH_CLASS, c->cls);
		bench_chan_set(ch, PPU_REG_CH_PRIORITY, c->prio);
		bench_chan_set(ch, PPU_REG_CH_TIMESLICE_NS, c->slice);
		bench_chan_set(ch, PPU_REG_CH_ENGINE_MASK, c->mask);
		bench_chan_set(ch, PPU_REG_CH_GROUP, c->group);
		bench_chan_set(ch, PPU_REG_CH_GET, c->start);
		bench_chan_set(ch, PPU_REG_CH_PUT, c->start);
		bench_chan_enable(ch);
		for (unsigned k = 0; k < c->n; k++) {
			encode(d, ch, c->ctx, &c->entry[k]);
			bench_entry(ch, (c->start + k) % RING, c->entry[k].va, c->entry[k].words, 0);
		}
	}
	d->b->num_trace = 0;
}

static bool compared(unsigned event)
{
	switch (event) {
	case PPU_TR_DOORBELL: case PPU_TR_ENTRY: case PPU_TR_GET: case PPU_TR_EMPTY: case PPU_TR_CMD:
	case PPU_TR_SEM_WRITE: case PPU_TR_BLOCK: case PPU_TR_UNBLOCK: case PPU_TR_SLICE_START:
	case PPU_TR_SLICE_EXPIRE: case PPU_TR_SLICE_PASS: case PPU_TR_GROUP_CMD: case PPU_TR_CE_START: case PPU_TR_CE_DONE: case PPU_TR_CE_ABORT:
	case PPU_TR_CH_ERROR: case PPU_TR_CH_DISABLE: case PPU_TR_FAULT:
		return true;
	}
	return false;
}

static void save_and_load(struct bench *b)
{
	uint8_t *bytes = NULL;
	char *err = NULL;
	size_t len;

	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	bench_new_core(b);
	if (ppu_core_load(b->core, bytes, len, &err))
		ck_abort_msg("load: %s", err);
	free(bytes);
}

/* Runs to time t; at the times in stops, the state moves to a new core. */
static void run_to(struct bench *b, uint64_t t, bool stops)
{
	while (stops && ppu_core_time(b->core) < t && rnd(2)) {
		uint64_t left = t - ppu_core_time(b->core);

		bench_run_to(b, ppu_core_time(b->core) + rnd(left > 20000 ? 20000 : (uint32_t)left) + 1);
		save_and_load(b);
	}
	bench_run_to(b, t);
}

static void run(struct device *d, const struct workload *w, struct bench_chan *const id[SW_CHANS],
		bool stops)
{
	struct bench *b = d->b;
	size_t n = 0;

	for (unsigned i = 0; i < w->actions; i++) {
		const struct sw_action *a = &w->action[i];
		const struct sw_chan *c = &w->chan[a->chan];

		run_to(b, a->time, stops);
		switch (a->kind) {
		case SW_STORE:
			bench_wr64(d->c[c->ctx], w->sem_va[c->ctx][a->sem], a->value);
			bench_kick(id[a->chan]);
			break;
		case SW_SUBMIT:
			bench_doorbell(id[a->chan], (c->start + a->put) % RING);
			break;
		case SW_PAUSE:
			bench_chan_set(id[a->chan], PPU_REG_CH_CMD, PPU_CH_CMD_PAUSE);
			break;
		case SW_RESUME:
			bench_chan_set(id[a->chan], PPU_REG_CH_CMD, PPU_CH_CMD_RESUME);
			break;
		case SW_GROUP_PAUSE:
		case SW_GROUP_RESUME:
			bench_chan_set(id[a->chan], PPU_REG_CH_CMD, a->kind == SW_GROUP_PAUSE ?
				       PPU_CH_CMD_GROUP_PAUSE : PPU_CH_CMD_GROUP_RESUME);
			break;
		}
	}
	for (unsigned i = 0; stops && i < 5; i++)
		run_to(b, ppu_core_time(b->core) + 30000, true);
	ck_assert(bench_run(b));
	for (size_t i = 0; i < b->num_trace; i++)
		if (compared(b->trace[i].event))
			b->trace[n++] = b->trace[i];
	b->num_trace = n;
}

/* ---- comparing -------------------------------------------------------------------------------------------- */

static const char *name(unsigned event)
{
	switch (event) {
#define T(n, num, u, a, b, c, d, doc) case num: return #n;
	PPU_TRACE_EVENTS(T)
#undef T
	}
	return "?";
}

static void print(const char *who, const struct ppu_trace_rec *r)
{
	printf("  %-6s %8llu %-12s unit %u a %u b 0x%llx c 0x%llx d 0x%llx\n", who,
	       (unsigned long long)r->time, name(r->event), r->unit, r->a, (unsigned long long)r->b,
	       (unsigned long long)r->c, (unsigned long long)r->d);
}

static void compare(uint64_t seed, struct device *d, const struct workload *w,
		    struct bench_chan *const id[SW_CHANS], const struct sw_trace *t,
		    const struct sw_end *end)
{
	const struct bench *b = d->b;
	size_t i = 0, from;

	while (i < b->num_trace && i < t->n && !memcmp(&b->trace[i], &t->v[i], sizeof(*t->v)))
		i++;
	if (getenv("PPU_RANDOM_VERBOSE"))
		for (size_t k = 0; k < b->num_trace; k++)
			print("device", &b->trace[k]);
	if (i < b->num_trace || i < t->n) {
		from = i > 12 ? i - 12 : 0;
		for (size_t k = from; k < i; k++)
			print("both", &b->trace[k]);
		for (size_t k = i; k < i + 4 && k < b->num_trace; k++)
			print("device", &b->trace[k]);
		for (size_t k = i; k < i + 4 && k < t->n; k++)
			print("model", &t->v[k]);
		fflush(stdout);
		ck_abort_msg("the traces differ at record %zu; again: PPU_RANDOM_SEED=%llu "
			     "PPU_RANDOM_WORKLOADS=1", i, (unsigned long long)seed);
	}
	for (unsigned c = 0; c < w->ctxs; c++)
		for (unsigned k = 0; k < SW_SEMS; k++)
			ck_assert_msg(bench_rd64(d->c[c], w->sem_va[c][k]) == end->sem[c][k],
				      "seed %llu: semaphore %u of context %u", (unsigned long long)seed,
				      k, c);
	for (unsigned c = 0; c < w->chans; c++) {
		ck_assert_msg(bench_get(id[c]) == end->get[c] &&
			      bench_chan_reg(id[c], PPU_REG_CH_RUNTIME_LO) == (uint32_t)end->runtime[c] &&
			      bench_chan_reg(id[c], PPU_REG_CH_SLICES) == end->slices[c] &&
			      bench_chan_reg(id[c], PPU_REG_CH_PREEMPTS) == end->preempts[c],
			      "seed %llu: GET, runtime, slices or preemptions of channel %u",
			      (unsigned long long)seed, c);
	}
}

static uint64_t number(const char *var, uint64_t otherwise)
{
	const char *s = getenv(var);

	return s ? strtoull(s, NULL, 0) : otherwise;
}

START_TEST(random_workloads)
{
	uint64_t first = number("PPU_RANDOM_SEED", 1), n = number("PPU_RANDOM_WORKLOADS", WORKLOADS);
	struct workload *w = calloc(1, sizeof(*w));
	unsigned long long records = 0, passes = 0, seen[PPU_TRB_GATE + 1] = { 0 };
	struct device d = device_new();
	struct bench_chan *id[SW_CHANS];
	struct sw_trace t = { 0 };
	struct sw_end end;

	for (uint64_t seed = first; seed < first + n; seed++) {
		rng = seed * 0x9e3779b97f4a7c15ull | 1;
		for (unsigned i = 0; i < 8; i++)
			rnd(2);
		make(w);
		load(&d, w, id);
		run(&d, w, id, seed % STOPPED == 0);
		t.n = 0;
		sched_model(w, &t, &end);
		compare(seed, &d, w, id, &t, &end);
		records += t.n;
		for (unsigned i = 0; i < t.n; i++)
			if (t.v[i].event == PPU_TR_BLOCK)
				seen[t.v[i].a]++;
			else if (t.v[i].event == PPU_TR_SLICE_PASS)
				passes++;
	}
	printf("%llu workloads, %llu records; blocked at an acquire %llu, an engine %llu, a gate %llu; slices passed on "
	       "in a group %llu\n",
	       (unsigned long long)n, records, seen[PPU_TRB_ACQUIRE], seen[PPU_TRB_ENGINE],
	       seen[PPU_TRB_GATE], passes);
	/* The workloads cover what they are meant to cover. */
	if (n >= 1000)
		ck_assert(seen[PPU_TRB_ACQUIRE] > n && seen[PPU_TRB_ENGINE] > n && seen[PPU_TRB_GATE] > n / 10 &&
			  passes > n / 10);
	free(t.v);
	free(w);
	bench_free(d.b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sched_random");
	TCase *t = tcase_create("sched_random");

	tcase_set_timeout(t, 0);
	tcase_add_test(t, random_workloads);
	suite_add_tcase(s, t);
	return run_suite(s);
}
