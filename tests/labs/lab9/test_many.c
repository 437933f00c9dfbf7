/* SPDX-License-Identifier: MIT */
/* Lab 9's grader: many threads, many laps, late stores, the figures, and no CPU. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lablib.h"
#include "tests.h"

const struct test tests[] = {
	{ "setup", test_setup }, { "entries", test_entries }, { "room", test_room }, { "storm", test_storm },
	{ "laps", test_laps }, { "crowd", test_crowd }, { "late", test_late }, { "figures", test_figures },
	{ "alone", test_alone }, { NULL, NULL },
};

/* ---- work ------------------------------------------------------------------------------------------------ */

void work_make(struct work *w, uint32_t n)
{
	volatile struct ppu_gpfifo_entry *e;
	uint32_t i;

	w->n = n;
	w->entries = hw_alloc(&hw, n * sizeof(*e), 16);
	w->runs = hw_alloc(&hw, 8ull * n, 4096);
	w->times = hw_alloc(&hw, 8ull * n, 4096);
	hw_alloc(&hw, 8, 4096);
	e = hw_at(&hw, w->entries);
	for (i = 0; i < n; i++) {
		uint64_t run = w->runs + 8ull * i, time = w->times + 8ull * i;
		uint32_t words[6] = {
			PPU_CMD_HDR(PPU_CMD_SEM_INC, PPU_CMD_SIZE_SEM_INC, 0), (uint32_t)run, (uint32_t)(run >> 32),
			PPU_CMD_HDR(PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0), (uint32_t)time,
			(uint32_t)(time >> 32),
		};

		e[i].va = hw_block(&hw, words, 6);
		e[i].length = 6;
		e[i].flags = 0;
	}
}

uint32_t work_once(const struct work *w)
{
	uint32_t i, n = 0;

	for (i = 0; i < w->n; i++)
		n += u64_at(w->runs)[i] == 1;
	return n;
}

bool work_in_order(const struct work *w)
{
	uint64_t last = 0;
	uint32_t i;

	for (i = 0; i < w->n; i++) {
		uint64_t t = u64_at(w->times)[i];

		if (u64_at(w->runs)[i] && t <= last)
			return false;
		last = t ? t : last;
	}
	return true;
}

/* ---- a fight for room -------------------------------------------------------------------------------------- */

struct grant {
	uint64_t first, entries;
};

static int by_first(const void *a, const void *b)
{
	const struct grant *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

#define STORM_CTAS	4u
#define STORM_THREADS	64u
#define STORM_TRIES	96u

/* Only queue_reserve(), on counters that no channel reads. What was granted must be one row without gaps. */
static void see_grants(struct grant *g, uint64_t n, uint64_t first, uint64_t soft, uint64_t shadow)
{
	uint64_t i, twice = 0, gaps = 0, at = first;

	qsort(g, n, sizeof(*g), by_first);
	for (i = 0; i < n; i++) {
		twice += g[i].first < at;
		gaps += g[i].first > at;
		if (g[i].first + g[i].entries > at)
			at = g[i].first + g[i].entries;
	}
	lab_obs("storm", "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRId64 " %d", n, twice, gaps, (int64_t)(soft - at),
		at + 1 <= shadow);
}

void test_storm(void)
{
	const uint64_t most = (uint64_t)STORM_CTAS * STORM_THREADS * STORM_TRIES;
	uint64_t log, logged, tmd, start = 1000003;
	uint32_t w[3];
	struct grant *g;

	lab_step("the test storm");
	fresh(0, WATCHDOG_NS);
	queue_alloc(&hw, &q, 64);
	*u64_at(q.d.soft) = start;
	*u64_at(q.d.shadow) = start + 40;
	queue_publish(&hw, &q);
	log = hw_alloc(&hw, 16 * most, 16);
	logged = hw_alloc(&hw, 8, 8);
	tmd = hw_tmd(&hw, "storm", STORM_CTAS, STORM_THREADS, (uint64_t[]){ q.dev, STORM_TRIES, log, logged }, 4);
	w[0] = PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0);
	w[1] = (uint32_t)tmd;
	w[2] = (uint32_t)(tmd >> 32);
	hw_submit(&hw, hw_block(&hw, w, 3), 3);
	w[0] = PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);
	hw_submit(&hw, hw_block(&hw, w, 1), 1);
	if (!through("storm"))
		return;
	g = malloc(sizeof(*g) * (most + 1));
	memcpy(g, (const void *)hw_at(&hw, log), sizeof(*g) * *u64_at(logged));
	see_grants(g, *u64_at(logged), start, *u64_at(q.d.soft), *u64_at(q.d.shadow));
	free(g);
}

/* ---- laps -------------------------------------------------------------------------------------------------- */

#define LAPS	20u

/* Launches one behind the other; each fills the ring of eight. All are submitted before the first one is done. */
void test_laps(void)
{
	struct work w;
	uint64_t list, results;
	uint32_t i;

	if (!with_queue("laps", 8, rnd(8), WATCHDOG_NS))
		return;
	work_make(&w, 3 * LAPS);
	list = hw_alloc(&hw, 2 * 8, 8);
	results = hw_alloc(&hw, LAPS * 32, 16);
	u64_at(list)[0] = 2;
	u64_at(list)[1] = 1;
	for (i = 0; i < LAPS; i++)
		queue_launch(&hw, &q, hw_tmd(&hw, "groups", 1, 1, (uint64_t[]){ q.dev, i + 1,
			w.entries + 3 * i * sizeof(struct ppu_gpfifo_entry), list, 2, results + 32 * i }, 6));
	lab_obs("through", "laps %d", through("laps"));
	for (i = 0; i < LAPS; i++)
		if (u64_at(results)[4 * i] || u64_at(results)[4 * i + 2])
			break;
	lab_obs("laps", "%u %u %u %d", LAPS, i, work_once(&w), work_in_order(&w));
}

/* ---- a crowd ----------------------------------------------------------------------------------------------- */

/* `ctas` CTAs of `threads` threads. Each thread inserts `times` groups, and rests for `pause` loads after each. */
struct crowd {
	const char *name;
	uint32_t ctas, threads, times, pause;
};

/* Do the blocks of each group run without others in between, and the groups of each thread in its order? */
static void see_crowd(const struct crowd *cr, const struct work *w)
{
	uint32_t groups = cr->ctas * cr->threads * cr->times;
	uint32_t g, i, split = 0, late = 0, wanted = 0, once = 0;
	uint64_t *t = malloc(8ull * w->n);

	for (i = 0; i < w->n; i++)
		t[i] = u64_at(w->times)[i];
	for (g = 0; g < groups; g++) {
		uint32_t size = 1 + g % 3, first = 3 * g, k;

		wanted += size;
		for (k = 0; k < size; k++)
			once += u64_at(w->runs)[first + k] == 1;
		for (k = 1; k < size; k++)
			split += t[first + k] <= t[first + k - 1];
		for (i = 0; size > 1 && i < w->n; i++)
			split += t[i] > t[first] && t[i] < t[first + size - 1] && i / 3 != g;
		late += g % cr->times && t[first] < t[first - 3];
	}
	lab_obs(cr->name, "%u %u %u %u", wanted, once, split, late);
	free(t);
}

/* The kernel that the CPU launches puts one kernel into the queue, and that kernel's threads put in all the rest. */
static void crowd(const struct crowd *cr, uint32_t count)
{
	uint32_t threads = cr->ctas * cr->threads;
	uint64_t left, entry;
	struct work w;

	if (!with_queue(cr->name, count, rnd(count), WATCHDOG_NS))
		return;
	work_make(&w, 3 * threads * cr->times);
	left = hw_alloc(&hw, 8, 8);
	entry = hw_alloc(&hw, sizeof(struct ppu_gpfifo_entry), 16);
	*u64_at(left) = threads;
	launch_entry(entry, hw_tmd(&hw, "crowd", cr->ctas, cr->threads,
				   (uint64_t[]){ q.dev, 1, w.entries, cr->times, left, cr->pause }, 6));
	queue_launch(&hw, &q, hw_tmd(&hw, "root", 1, 1, (uint64_t[]){ q.dev, entry }, 2));
	lab_obs("through", "%s %d", cr->name, through(cr->name));
	see_crowd(cr, &w);
}

/* A small ring: threads go round it many times, and wait for room. */
void test_crowd(void)
{
	crowd(&(struct crowd){ "crowd", 4, 32, 3, 0 }, 24 + rnd(5));
}

/*
 * A large ring: no thread waits for room. Each thread rests after an insertion, longer than the host interface takes
 * for the insertions of all threads. So the host interface has always caught up, and only a thread's own fence brings
 * the thread's stores to memory in order.
 */
void test_late(void)
{
	crowd(&(struct crowd){ "late", 2, 8, 16, 6000 }, 2048);
}

/* ---- figures 6A to 6F, WQ-X1 ------------------------------------------------------------------------------ */

void test_figures(void)
{
	uint64_t timing, pbs, place, params[5];
	char name[16] = "figures1";

	for (timing = 1; timing <= 3; timing++) {
		name[7] = (char)('0' + timing);
		if (!with_queue(name, 8, 0, WATCHDOG_NS))
			return;
		pbs = hw_alloc(&hw, 2 * sizeof(struct ppu_gpfifo_entry), 16);
		place = hw_alloc(&hw, 8, 8);
		params[0] = q.dev;
		params[1] = 1;
		params[2] = timing;
		params[3] = pbs;
		params[4] = place;
		launch_entry(pbs, hw_tmd(&hw, "x1_pbs1", 1, 1, params, 5));
		launch_entry(pbs + sizeof(struct ppu_gpfifo_entry), hw_tmd(&hw, "x1_pbs2", 1, 1, params, 3));
		lab_obs("words", "%u %" PRIu64 " %" PRIu64 " %" PRIu64, q.channel, (uint64_t)q.d.x,
			(uint64_t)q.d.y, (uint64_t)q.d.sems);
		queue_launch(&hw, &q, hw_tmd(&hw, "x1_launch", 1, 1, params, 5));
		lab_obs("through", "%s %d", name, through(name));
	}
}

/* ---- no CPU ------------------------------------------------------------------------------------------------ */

#define CHAIN	60u

/*
 * The first kernel waits for a word. The CPU counts everything in which it could have a part, writes the word, and then
 * only reads memory until the last kernel of the chain is done. The ring has room for four of these kernels.
 */
void test_alone(void)
{
	uint64_t started, go, entry, count;
	struct watch_counts a, b, c;
	bool ok;

	if (!with_queue("alone", 12, rnd(12), 0))
		return;
	started = hw_alloc(&hw, 8, 4096);
	go = hw_alloc(&hw, 8, 4096);
	count = hw_alloc(&hw, 8, 4096);
	entry = hw_alloc(&hw, sizeof(struct ppu_gpfifo_entry), 16);
	launch_entry(entry, hw_tmd(&hw, "chain", 1, 1, (uint64_t[]){ q.dev, 1, entry, count, CHAIN }, 5));
	queue_launch(&hw, &q, hw_tmd(&hw, "hold", 1, 1, (uint64_t[]){ q.dev, entry, started, go }, 4));
	submit_done();
	if (!lab_until(*u64_at(started), 10)) {
		lab_obs("stuck", "alone the kernel that queue_launch() was given did not start");
		return;
	}
	a = watch_counts(&hw);
	b = watch_counts(&hw);
	*u64_at(go) = 1;
	ok = watch_done(&hw, &q, done, "alone", 8000);
	c = watch_counts(&hw);
	if (ok && watch_touched()) {
		lab_obs("stuck", "alone this machine was so slow that the grader had to look at registers: check again");
		return;
	}
	lab_obs("through", "alone %d", ok);
	lab_obs("alone", "%u %" PRIu64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64, CHAIN, *u64_at(count),
		(int64_t)(c.reads - b.reads + c.writes - b.writes) - (int64_t)(b.reads - a.reads + b.writes - a.writes),
		c.doorbells - b.doorbells, c.kicks - b.kicks, c.interrupts - b.interrupts);
}
