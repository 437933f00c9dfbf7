/* SPDX-License-Identifier: MIT */
/*
 * Save and restore: a random workload is stopped at random device times, saved, loaded into a fresh
 * core and continued; trace and memory must be those of the run that was never stopped.  Loading
 * damaged bytes must fail or succeed, never crash.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_main.h"
#include "run_suite.h"
#include "core/machine/units.h"
#include "core/sm/mem/icache.h"
#include "core/tasks/tmu_state.h"

enum { CTXS = 2, CHANS = 12, WORDS = 6, ACTIONS = 120 };

struct load {
	struct bench *b;
	struct bench_ctx *c[CTXS];
	struct bench_chan *ch[CHANS];
	uint64_t sem[CTXS], buf[CTXS], task[CTXS], watch;
	unsigned seed, action;
	uint64_t next;			/* time of the next action */
};

static unsigned rnd(struct load *l, unsigned n)
{
	return (unsigned)rand_r(&l->seed) % n;
}

#define PROPS "vram=32M copy-engines=2 run-limit=8 timeslice=20000 task-records=6 task-slots=3"
#define FAULTS " x-fault-irq-delay-ns=9000 x-fault-irq-lose=3 x-fault-irq-spurious=2 x-fault-irq-race=1 " \
	"x-fault-ce-reorder=3 x-fault-ce-late-ns=70000 x-fault-dma-fail=40 x-fault-stop=2"

static struct load load_new(unsigned seed)
{
	struct load l = { .seed = seed };
	bool sys;

	l.b = bench_new(seed % 2 ? PROPS " window-halvings=3" : PROPS FAULTS);
	for (unsigned i = 0; i < CTXS; i++) {
		l.c[i] = bench_ctx_new(l.b);
		l.sem[i] = bench_alloc(l.c[i], 8192, i ? BENCH_SYS : BENCH_VRAM);
		l.buf[i] = bench_alloc(l.c[i], 3 << 20, i ? BENCH_SCATTER : BENCH_VRAM);
		l.task[i] = bench_sleep_task(l.c[i], 15000);
	}
	for (unsigned i = 0; i < CHANS; i++) {
		l.ch[i] = bench_chan_make(l.c[i % CTXS], 1 + i / CTXS % 2, 5 + i);
		bench_chan_set(l.ch[i], PPU_REG_CH_PRIORITY, rnd(&l, 3));
		bench_chan_set(l.ch[i], PPU_REG_CH_TIMESLICE_NS, rnd(&l, 2) * 30000);
		bench_chan_enable(l.ch[i]);
	}
	l.watch = bench_phys(l.c[0], l.sem[0], &sys);
	bench_set(l.b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	return l;
}

/* One thing a driver or an application does, the same for the same seed. */
static void act(struct load *l)
{
	struct bench_chan *ch = l->ch[rnd(l, CHANS)];
	unsigned k = ch->c == l->c[1];
	uint64_t word = l->sem[k] + rnd(l, WORDS) * 8 + rnd(l, 2) * 4096;

	l->next += rnd(l, 20000);
	if (l->action % 8 == 0) {	/* an interrupt handler */
		bench_set(l->b, PPU_REG_INTR_STATUS, PPU_INTR_ALL);
		bench_set(l->b, PPU_REG_CHINTR_PENDING, bench_reg(l->b, PPU_REG_CHINTR_PENDING));
	}
	switch (rnd(l, 12)) {
	case 0:
		bench_wr64(ch->c, word, rnd(l, 4));
		bench_kick(ch);
		return;
	case 1:
		bench_set(l->b, PPU_BAR0_WATCH + PPU_REG_WATCH_ADDR_LO, (uint32_t)l->watch);
		bench_set(l->b, PPU_BAR0_WATCH + PPU_REG_WATCH_VALUE_LO, rnd(l, 4));
		bench_set(l->b, PPU_BAR0_WATCH + PPU_REG_WATCH_CTRL, PPU_WATCH_ARM);
		return;
	case 2:
		bench_chan_set(ch, PPU_REG_CH_CMD,
			       rnd(l, 2) ? PPU_CH_CMD_PAUSE : PPU_CH_CMD_RESUME);
		return;
	case 3:
		if (rnd(l, 4))
			break;
		bench_chan_set(ch, PPU_REG_CH_CMD, PPU_CH_CMD_RESET);
		bench_chan_enable(ch);
		ch->put = 0;
		return;
	case 4:
		bench_invalidate(ch->c);
		return;
	case 5:		/* stops what begins to work, and lets it go on */
		bench_set(l->b, PPU_REG_SCHED_CTRL, rnd(l, 2) ? 0 : rnd(l, 4));
		return;
	}
	/* Submit a block, if there is room. */
	if ((bench_get(ch) + ch->entries - ch->put - 1) % ch->entries == 0)
		return;
	for (unsigned n = 1 + rnd(l, 10); n; n--) {
		uint64_t w = l->sem[k] + rnd(l, WORDS) * 8 + rnd(l, 2) * 4096;

		switch (rnd(l, ch->cls == PPU_CLASS_COPY ? 9 : 8)) {
		case 0:
			bench_acquire(ch, PPU_SEM_OP_GE | rnd(l, 2) * PPU_CMDF_SEM_GATE, w, rnd(l, 3));
			break;
		case 1: bench_inc(ch, 0, w); break;
		case 2: bench_dec(ch, PPU_CMDF_SEM_32, w); break;
		case 3: bench_release(ch, 0, w, rnd(l, 4)); break;
		case 4: bench_timestamp(ch, l->sem[k] + 512 + rnd(l, 4) * 8); break;
		case 5: bench_intr(ch, rnd(l, 100)); break;
		case 6: bench_wfi(ch); break;
		case 7: case 8:
			if (ch->cls != PPU_CLASS_COPY)
				bench_launch(ch, l->task[k]);
			else if (rnd(l, 2))
				bench_fill(ch, 2, l->buf[k] + rnd(l, 1000) * 4, rnd(l, 1000),
					   rnd(l, 500000));
			else
				bench_copy(ch, l->buf[k] + rnd(l, 5000), l->buf[k] + (1 << 20) +
					   rnd(l, 5000), rnd(l, (3 << 19)));
			break;
		}
	}
	bench_submit(ch);
}

/* Runs to time t, and carries out the actions that are due. */
static void drive(struct load *l, uint64_t t)
{
	while (l->action < ACTIONS && l->next <= t) {
		bench_run_to(l->b, l->next);
		act(l);
		l->action++;
	}
	bench_run_to(l->b, t);
}

/* A program is held once by each task that has it. */
static void programs_are_held(struct bench *b)
{
	const struct ppu_tmu *tm = b->core->tmu;

	for (const struct ppu_program *p = ppu_icache_first(b->core); p; p = p->next) {
		unsigned tasks = 0;

		for (uint32_t i = 0; i < tm->top; i++)
			tasks += tm->rec[i].t.sm.prog == p;
		ck_assert_uint_eq(p->refs, tasks);
	}
}

static void save_and_load(struct bench *b)
{
	uint8_t *bytes = NULL, *again = NULL;
	size_t len = 0, len2 = 0;
	uint64_t now = ppu_core_time(b->core);
	unsigned irqs[PPU_NUM_VECTORS];
	size_t records;
	char *err = NULL;

	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	bench_new_core(b);
	b->num_trace--;			/* the RESET of the new core */
	memcpy(irqs, b->irqs, sizeof(irqs));
	records = b->num_trace;
	/* Twice: the second time the device is reset while it works. */
	for (int i = 0; i < 2; i++)
		if (ppu_core_load(b->core, bytes, len, &err))
			ck_abort_msg("load: %s", err);
	/* What was traced and sent before is not traced and sent again. */
	ck_assert_mem_eq(irqs, b->irqs, sizeof(irqs));
	ck_assert_uint_eq(records, b->num_trace);
	ck_assert_uint_eq(ppu_core_time(b->core), now);
	programs_are_held(b);
	/* The same state gives the same bytes. */
	ck_assert_int_eq(ppu_core_save(b->core, &again, &len2), 0);
	ck_assert_uint_eq(len, len2);
	for (size_t i = 0; i < len; i++)
		if (bytes[i] != again[i])
			ck_abort_msg("byte %zu of %zu differs", i, len);
	free(bytes);
	free(again);
}

#define U(name) (#name "    "),
static const char *const units[] = { PPU_UNITS(U) "end." };
#undef U
enum { UNITS = sizeof(units) / sizeof(units[0]) - 1 };

#define END_TIME 6000000ull

START_TEST(stop_save_load_continue)
{
	struct load ref = load_new(_i + 1), l = load_new(_i + 1);
	unsigned seed = _i * 77 + 5, stops = 0;

	if (_i < 2)
		bench_watch(l.b);
	drive(&ref, END_TIME);
	for (uint64_t t = 0; t < END_TIME; stops++) {
		t += 1 + (unsigned)rand_r(&seed) % 40000;
		drive(&l, t < END_TIME ? t : END_TIME);
		save_and_load(l.b);
	}
	ck_assert_uint_gt(stops, 100);
	ck_assert_uint_gt(ref.b->num_trace, 300);
	for (size_t i = 0; i < ref.b->num_trace && i < l.b->num_trace; i++)
		if (memcmp(&ref.b->trace[i], &l.b->trace[i], sizeof(*l.b->trace)))
			ck_abort_msg("seed %d: trace differs at record %zu, time %llu: event %u, was %u",
				     _i + 1, i, (unsigned long long)ref.b->trace[i].time,
				     l.b->trace[i].event, ref.b->trace[i].event);
	ck_assert_uint_eq(ref.b->num_trace, l.b->num_trace);
	ck_assert_int_eq(memcmp(ref.b->vram, l.b->vram, ref.b->cfg.vram), 0);
	ck_assert_int_eq(memcmp(ref.b->ram, l.b->ram, BENCH_RAM_BYTES), 0);
	for (unsigned i = 0; i < PPU_CTR_COUNT; i++)
		if (i != PPU_CTR_TLB_MISSES)
			ck_assert_uint_eq(bench_ctr(ref.b, i), bench_ctr(l.b, i));
	for (unsigned i = 0; i < PPU_NUM_VECTORS; i++)
		ck_assert_uint_eq(ref.b->irqs[i], l.b->irqs[i]);
	bench_free(ref.b);
	bench_free(l.b);
}
END_TEST

/* The same again without stopping: byte-identical traces. */
START_TEST(deterministic)
{
	struct load a = load_new(_i + 100), b = load_new(_i + 100);

	drive(&a, END_TIME);
	for (uint64_t t = 0; t <= END_TIME; t += 777)	/* driven in small steps */
		drive(&b, t);
	drive(&b, END_TIME);
	ck_assert_uint_eq(a.b->num_trace, b.b->num_trace);
	ck_assert_int_eq(memcmp(a.b->trace, b.b->trace, a.b->num_trace * sizeof(*a.b->trace)), 0);
	ck_assert_int_eq(memcmp(a.b->vram, b.b->vram, a.b->cfg.vram), 0);
	bench_free(a.b);
	bench_free(b.b);
}
END_TEST

/*
 * WQ-59: a device-owned queue is saved with everything that its refresh needs. Saved between any two steps of its work,
 * with the assist (odd loops) and without, "ring low" comes at the same time as without the save.
 */
struct queue_run {
	struct bench *b;
	struct bench_ctx *c;
	struct bench_chan *q, *ch;
	uint64_t s;
};

static struct queue_run queue_new(bool assist)
{
	struct queue_run r = { .b = bench_new(NULL) };

	r.c = bench_ctx_new(r.b);
	r.s = bench_alloc(r.c, 4096, BENCH_VRAM);
	r.ch = bench_chan_new(r.c, PPU_CLASS_COMPUTE, 64);
	r.q = bench_chan_make(r.c, PPU_CLASS_DEVQ, 7);
	bench_chan_set(r.q, PPU_REG_CH_FLAGS, assist ? PPU_CHF_AUTO_REFRESH : 0);
	bench_chan_set(r.q, PPU_REG_CH_DEVQ_SHADOW_LO, (uint32_t)(r.s + 8));
	bench_chan_set(r.q, PPU_REG_CH_DEVQ_SHADOW_HI, (uint32_t)((r.s + 8) >> 32));
	bench_set(r.b, PPU_REG_INTR_ENABLE, PPU_INTR_ALL);
	bench_chan_set(r.q, PPU_REG_CH_GET, 3);
	bench_chan_set(r.q, PPU_REG_CH_PUT, 2);
	r.q->put = 3;
	bench_acquire(r.q, PPU_SEM_OP_GE, r.s, 1);
	bench_push(r.q);
	bench_chan_enable(r.q);
	return r;
}

/* One more entry, which waits for step n + 2; the host may go on to it. */
static void queue_step(struct queue_run *r, unsigned n)
{
	bench_acquire(r->q, PPU_SEM_OP_GE, r->s, n + 2);
	bench_push(r->q);
	bench_release(r->ch, 0, r->s, n + 1);
	if (n % 5 == 4)
		bench_refresh(r->ch, r->q->id);
	bench_submit(r->ch);
	if (n % 11 == 10)
		bench_chan_set(r->q, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
	if (n % 4 == 3)
		bench_set(r->b, PPU_REG_INTR_STATUS, PPU_INTR_RINGLOW);
	ck_assert(bench_run(r->b));
}

/* WQ-59 */
START_TEST(queue_saved)
{
	struct queue_run ref = queue_new(_i), r = queue_new(_i);

	ck_assert(bench_run(ref.b));
	ck_assert(bench_run(r.b));
	for (unsigned n = 0; n < 50; n++) {
		queue_step(&ref, n);
		save_and_load(r.b);
		queue_step(&r, n);
		ck_assert_uint_eq(bench_chan_reg(ref.q, PPU_REG_CH_ERROR), 0);
		ck_assert_uint_eq(bench_chan_reg(ref.q, PPU_REG_CH_GETABS_LO), n + 4);
		ck_assert_uint_eq(bench_chan_reg(r.q, PPU_REG_CH_GETABS_LO), n + 4);
		ck_assert_uint_eq(bench_chan_reg(r.q, PPU_REG_CH_PUT), bench_chan_reg(ref.q, PPU_REG_CH_PUT));
		ck_assert_uint_eq(bench_rd64(r.c, r.s + 8), bench_rd64(ref.c, ref.s + 8));
		ck_assert_uint_eq(r.b->irqs[PPU_VEC_CHANNEL], ref.b->irqs[PPU_VEC_CHANNEL]);
		ck_assert_uint_eq(bench_reg(r.b, PPU_REG_RINGLOW_PENDING),
				  bench_reg(ref.b, PPU_REG_RINGLOW_PENDING));
	}
	ck_assert(_i ? !ref.b->irqs[PPU_VEC_CHANNEL] : ref.b->irqs[PPU_VEC_CHANNEL] > 3);
	ck_assert_uint_eq(ref.b->num_trace, r.b->num_trace);
	ck_assert_int_eq(memcmp(ref.b->trace, r.b->trace, r.b->num_trace * sizeof(*r.b->trace)), 0);
	bench_free(ref.b);
	bench_free(r.b);
}
END_TEST

START_TEST(damaged)
{
	struct load l = load_new(_i + 200);
	uint8_t *bytes = NULL, *bad;
	size_t len = 0;
	unsigned seed = _i, refused = 0;

	drive(&l, 300000 + _i * 50000);
	ck_assert_int_eq(ppu_core_save(l.b->core, &bytes, &len), 0);
	bad = malloc(len);
	l.b->ports.trace = NULL;
	for (unsigned i = 0; i < 400; i++) {
		size_t n = len;
		char *err = NULL;

		memcpy(bad, bytes, len);
		if (i % 10 == 0)
			n = (size_t)rand_r(&seed) % len;
		else
			for (unsigned k = 1 + i % 3; k; k--)
				bad[(size_t)rand_r(&seed) % len] = (uint8_t)(i % 2 ? rand_r(&seed)
						: "\0\1\377\200"[rand_r(&seed) % 4]);
		bench_new_core(l.b);
		if (ppu_core_load(l.b->core, bad, n, &err)) {
			ck_assert_ptr_nonnull(err);
			free(err);
			refused++;
			ck_assert_uint_eq(ppu_core_next_event(l.b->core), PPU_TIME_NEVER);
		}
		/* A core runs with any state that it accepts, and can be reset. */
		ppu_core_run_idle(l.b->core, ppu_core_time(l.b->core) + 300000);
		bench_set(l.b, PPU_REG_RESET, 1);
		ck_assert_uint_eq(ppu_core_next_event(l.b->core), PPU_TIME_NEVER);
	}
	ck_assert_uint_gt(refused, 40);
	free(bad);
	free(bytes);
	bench_free(l.b);
}
END_TEST

/* How a state is damaged: a byte, eight of them, or what stood nine bytes before again (a list's element twice). */
static void damage(uint8_t *at, const uint8_t *from, const uint8_t *to, unsigned how)
{
	static const uint8_t wrong[] = { 1, 0x80, 0xff };
	size_t n = to - at < 8 ? (size_t)(to - at) : 8;

	if (how < sizeof(wrong))
		*at ^= wrong[how];
	else if (how == sizeof(wrong))
		memset(at, 0xff, n);
	else if (at - from >= 9)
		memcpy(at, at - 9, n);
}
enum { DAMAGES = 5, PLACES = 300 };

/* Each unit's part of a state with damages all over it is refused, or the device works on with it. */
START_TEST(damaged_anywhere)
{
	struct bench *b = bench_new("vram=16M copy-engines=1 gpcs=1 sms-per-gpc=1 channels=8 task-records=4 task-slots=1");
	struct bench_chan *ch[6];
	struct bench_ctx *c[2] = { bench_ctx_new(b), bench_ctx_new(b) };
	uint8_t *bytes = NULL, *from, *to;
	size_t len = 0;

	for (unsigned i = 0; i < 6; i++) {	/* of each context one works, one waits, and one has nothing to do */
		struct bench_ctx *of = c[i / 3];

		ch[i] = bench_chan_new(of, i % 3 ? PPU_CLASS_COPY : PPU_CLASS_COMPUTE, 8);
		if (i % 3 == 0)
			bench_launch(ch[i], bench_sleep_task(of, 40000));
		else if (i % 3 == 1)
			bench_copy(ch[i], bench_alloc(of, 1 << 20, BENCH_VRAM), bench_alloc(of, 1 << 20, BENCH_SYS), 1 << 20);
		else
			bench_acquire(ch[i], PPU_SEM_OP_GE, bench_alloc(of, 4096, BENCH_VRAM), 5);
		bench_submit(ch[i]);
	}
	bench_run_to(b, 5000);
	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	b->ports.trace = NULL;
	from = bench_section(bytes, len, units[_i]);
	to = bench_section(bytes, len, units[_i + 1]) - 4;
	ck_assert(from && from <= to);
	for (uint8_t *at = from; at < to; at += 1 + (to - from) / PLACES)
		for (unsigned how = 0; how < DAMAGES; how++) {
			uint8_t was[8];
			char *err = NULL;

			memcpy(was, at, sizeof(was));
			damage(at, from, to, how);
			if (ppu_core_load(b->core, bytes, len, &err))
				ck_assert_ptr_nonnull(err);
			else
				ppu_core_run_idle(b->core, ppu_core_time(b->core) + 50000);
			free(err);
			memcpy(at, was, sizeof(was));
		}
	free(bytes);
	bench_free(b);
}
END_TEST

#define VERSION 8	/* in a state, behind the magic number */

START_TEST(refused)
{
	struct bench *a = bench_new(NULL), *b = bench_new("copy-engines=3");
	uint32_t first, last;
	uint8_t *bytes = NULL;
	size_t len = 0;
	char *err = NULL;

	ck_assert_int_eq(ppu_core_save(a->core, &bytes, &len), 0);
	ck_assert_int_eq(ppu_core_load(b->core, bytes, len, &err), -1);
	ck_assert(strstr(err, "copy-engines"));
	free(err);
	bytes[0]++;
	ck_assert_int_eq(ppu_core_load(a->core, bytes, len, &err), -1);
	ck_assert(strstr(err, "not the state"));
	free(err);
	bytes[0]--;
	/* The versions that the message names are read; those next to them are not.  15 is 16 without barriers of clusters. */
	memcpy(bytes + VERSION, &(uint32_t){ 0 }, 4);
	ck_assert_int_eq(ppu_core_load(a->core, bytes, len, &err), -1);
	ck_assert_msg(sscanf(err, "state version 0 is not known, only %u to %u", &first, &last) == 2, "%s", err);
	ck_assert_uint_lt(first, last);
	free(err);
	for (uint32_t v = first - 1; v <= last + 1; v++) {
		err = NULL;
		memcpy(bytes + VERSION, &v, 4);
		if (v >= 15 && v <= last)
			ck_assert_int_eq(ppu_core_load(a->core, bytes, len, &err), 0);
		else
			ck_assert_int_eq(ppu_core_load(a->core, bytes, len, &err), -1);
		ck_assert_msg((v < first || v > last) == (err && strstr(err, "is not known")), "version %u: %s", v, err);
		free(err);
	}
	free(bytes);
	bench_free(a);
	bench_free(b);
}
END_TEST

/* How the device runs on the host may differ between the two. */
START_TEST(host_side_differs)
{
	struct bench *a = bench_new("workers=0 engine=1"), *b = bench_new("workers=3 engine=0 trace-classes=1");
	uint8_t *bytes = NULL, *again = NULL;
	size_t len = 0, n = 0;
	char *err = NULL;

	bench_set(a, PPU_REG_SCRATCH, 77);
	ck_assert_int_eq(ppu_core_save(a->core, &bytes, &len), 0);
	ck_assert_msg(!ppu_core_load(b->core, bytes, len, &err), "%s", err);
	ck_assert_uint_eq(bench_reg(b, PPU_REG_SCRATCH), 77);
	/* Nothing but the three values themselves is different. */
	ck_assert_int_eq(ppu_core_save(b->core, &again, &n), 0);
	ck_assert_uint_eq(n, len);
	free(bytes);
	free(again);
	bench_free(a);
	bench_free(b);
}
END_TEST

/* A stream as another version of the device writes it: `extra` put in at `at`, the list's length at `count` changed. */
static uint8_t *edited(const uint8_t *bytes, size_t len, size_t at, const void *extra, size_t n, size_t count, int more)
{
	uint8_t *out = malloc(len + n);
	uint32_t v;

	memcpy(out, bytes, at);
	memcpy(out + at, extra, n);
	memcpy(out + at + n, bytes + at, len - at);
	memcpy(&v, out + count, sizeof(v));
	v += (uint32_t)more;
	memcpy(out + count, &v, sizeof(v));
	return out;
}

#define LAST "stores-per-sm"	/* of the properties */
#define LAST_UNNAMED "x-fault-dma-fail"	/* of those that states had before they had names */
#define NUM_UNNAMED 59			/* their number; it can never change */
#define PROPERTIES 12	/* in a state, after magic and version: how many follow */
#define LONGEST_NAME 64	/* bytes, from which on a name is too long */

/* After the last property: the time, and the number of counters. */
static size_t counters_at(const uint8_t *bytes)
{
	size_t at = PROPERTIES + 4;
	uint32_t n;

	memcpy(&n, bytes + PROPERTIES, sizeof(n));
	while (n--)
		at += 1 + bytes[at] + 8 + 1;
	return at + 8;
}

static void expect_load(struct bench *b, uint8_t *bytes, size_t len, const char *word)
{
	char *err = NULL;
	int ret;

	bench_new_core(b);
	ret = ppu_core_load(b->core, bytes, len, &err);
	if (word) {
		ck_assert_int_eq(ret, -1);
		ck_assert_msg(strstr(err, word), "%s", err);
		free(err);
	} else {
		ck_assert_msg(!ret, "%s", err);
		ck_assert_uint_eq(bench_reg(b, PPU_REG_SCRATCH), 78);
	}
	free(bytes);
}

/* The state of a device with one property or counter more, and of one that lacks one of ours. */
START_TEST(other_lists)
{
	struct bench *b = bench_new("seed=5");
	const char known[] = "\005newer\1\0\0\0\0\0\0\0\1", set[] = "\005newer\2\0\0\0\0\0\0\0";
	uint8_t *bytes = NULL, *less;
	size_t len = 0, ctrs, last;

	bench_set(b, PPU_REG_SCRATCH, 78);
	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	ctrs = counters_at(bytes);
	expect_load(b, edited(bytes, len, PROPERTIES + 4, known, 15, PROPERTIES, 1), len + 15, NULL);
	expect_load(b, edited(bytes, len, PROPERTIES + 4, set, 15, PROPERTIES, 1), len + 15, "newer");
	for (unsigned n = 20; n <= 255; n++) {		/* names: those that are too long are refused */
		uint8_t entry[1 + 255 + 8 + 1] = { (uint8_t)n };

		memset(entry + 1, 'x', n);
		entry[1 + n + 8] = 1;
		expect_load(b, edited(bytes, len, PROPERTIES + 4, entry, n + 10, PROPERTIES, 1), len + n + 10,
			    n < LONGEST_NAME ? NULL : "too long");
	}
	expect_load(b, edited(bytes, len, ctrs + 4 + 8 * PPU_CTR_COUNT, "newcount", 8, ctrs, 1), len + 8, NULL);
	/* Without the last counter. */
	less = edited(bytes, len, ctrs, "", 0, ctrs, -1);
	memmove(less + ctrs + 4 + 8 * (PPU_CTR_COUNT - 1), less + ctrs + 4 + 8 * PPU_CTR_COUNT,
		len - (ctrs + 4 + 8 * PPU_CTR_COUNT));
	expect_load(b, less, len - 8, NULL);
	/* Without the last property, which has its default; and then with a device where it has not. */
	last = ctrs - 8 - 1 - 8 - strlen(LAST) - 1;
	ck_assert_mem_eq(bytes + last + 1, LAST, strlen(LAST));
	for (int def = 1; def >= 0; def--) {
		less = edited(bytes, len, PROPERTIES, "", 0, PROPERTIES, -1);
		memmove(less + last, less + ctrs - 8, len - (ctrs - 8));
		b->cfg.stores_under_way = def ? 64 : 65;
		expect_load(b, less, last + len - (ctrs - 8), def ? NULL : "did not know");
	}
	free(bytes);
	bench_free(b);
}
END_TEST

/* Takes out what version 13 brought: two words for each channel, behind the task unit's first word for each.  There are
 * no tasks. */
static size_t without_task_times(uint8_t *bytes, size_t len, unsigned channels)
{
	uint8_t *times = bench_section(bytes, len, "tmu ") + 1 + 4 + 4 + 8 * channels;

	memmove(times, times + 16 * channels, len - (size_t)(times - bytes) - 16 * channels);
	return len - 16 * channels;
}

/* Takes out what version 15 brought: the length of windows and the end of the last one, behind the event of the next.  None
 * is to come. */
static size_t without_lengths(uint8_t *bytes, size_t len)
{
	uint8_t *lengths = bench_section(bytes, len, "gpcs") + 1;

	memmove(lengths, lengths + 16, len - (size_t)(lengths - bytes) - 16);
	return len - 16;
}

/* The state of a device whose channels do not count the time of tasks: version 12. */
START_TEST(no_task_times)
{
	struct bench *b = bench_new("seed=5");
	uint8_t *bytes = NULL;
	size_t len = 0;

	bench_set(b, PPU_REG_SCRATCH, 78);
	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	len = without_lengths(bytes, without_task_times(bytes, len, b->cfg.channels));
	bytes[8] = 12;
	expect_load(b, bytes, len, NULL);
	bench_free(b);
}
END_TEST

/* The state of a device before properties had names in it: version 10. */
START_TEST(unnamed)
{
	struct bench *b = bench_new("seed=5");
	uint8_t *bytes = NULL, *old;
	size_t len = 0, n = PROPERTIES, at = PROPERTIES + 4;
	unsigned values = 0;
	bool named = false;

	bench_set(b, PPU_REG_SCRATCH, 78);
	ck_assert_int_eq(ppu_core_save(b->core, &bytes, &len), 0);
	len = without_lengths(bytes, without_task_times(bytes, len, b->cfg.channels));
	old = malloc(len);
	memcpy(old, bytes, PROPERTIES);
	old[8] = 10;
	for (size_t end = counters_at(bytes) - 8; at < end; at += 1 + bytes[at] + 9) {
		if (named || (bytes[at] == 6 && !memcmp(bytes + at + 1, "engine", 6)))
			continue;
		named = !memcmp(bytes + at + 1, LAST_UNNAMED, strlen(LAST_UNNAMED));
		memcpy(old + n, bytes + at + 1 + bytes[at], 8);
		n += 8;
		values++;
	}
	ck_assert_uint_eq(values, NUM_UNNAMED);	/* else: a new property does not stand behind them */
	memcpy(old + n, bytes + at, len - at);
	expect_load(b, old, n + len - at, NULL);
	free(bytes);
	bench_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("state");
	TCase *t = tcase_create("state");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, stop_save_load_continue, 0, 4);
	tcase_add_loop_test(t, queue_saved, 0, 2);
	tcase_add_loop_test(t, deterministic, 0, 2);
	tcase_add_loop_test(t, damaged, 0, 2);
	tcase_add_loop_test(t, damaged_anywhere, 0, UNITS);
	tcase_add_test(t, refused);
	tcase_add_test(t, host_side_differs);
	tcase_add_test(t, other_lists);
	tcase_add_test(t, no_task_times);
	tcase_add_test(t, unnamed);
	suite_add_tcase(s, t);
	return run_suite(s);
}
