/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SMs of a window, or of a part of it, as jobs of the workers.
 *
 * Each worker has a share: SMs in a row, the same ones in each window as long as the same SMs have work.  So what a
 * host CPU has in its caches of an SM (registers, shared memory, the TLB) is still there in the next window.  Who is
 * done with its share takes from the ends of the others'.  Nothing of that shows: a job touches its SM only.
 *
 * 15 SMs are 7.5 for each of two workers.  The SM in the middle is cut: one worker begins with it, and stops at the half of
 * the window; the other one ends with the rest.  In the next window it is the other way round, so that an SM moves from
 * one CPU's caches to the other's once a window.
 *
 * State: the shares; between two rounds they only say who begins with what is cut.
 */
#include "core/base/alloc.h"
#include "core/sm/jobs.h"
#include "core/sm/sm.h"

enum cut_state { CUT_NONE, CUT_NEW, CUT_FIRST, CUT_REST, CUT_TAKEN };

/* A line of the host's cache for each field that others write. */
struct ppu_share {
	uint64_t left __attribute__((aligned(64)));	/* jobs that nobody has taken: [low half, high half) */
	uint32_t cut __attribute__((aligned(64)));	/* enum cut_state, of the job between this share and the next one */
	uint32_t cut_job;
	uint64_t cut_time;
};
#define LEFT(first, end)	((uint64_t)(end) << 32 | (first))

struct round {
	struct ppu_core *core;
	const uint32_t *id;
	uint64_t t0, t1;
	bool flip;		/* the worker of the next share begins with what is cut */
};

/* Takes the first job of a share, or the last one. */
static bool take(struct ppu_share *s, bool last, uint32_t *job)
{
	uint64_t old = __atomic_load_n(&s->left, __ATOMIC_RELAXED), now;
	uint32_t first, end;

	do {
		first = (uint32_t)old;
		end = (uint32_t)(old >> 32);
		if (first == end)
			return false;
		*job = last ? end - 1 : first;
		now = last ? LEFT(first, end - 1) : LEFT(first + 1, end);
	} while (!__atomic_compare_exchange_n(&s->left, &old, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
}

static uint32_t begin(const struct round *r, uint32_t job, unsigned worker)
{
	uint32_t id = r->id[job];

	r->core->sms[id].worker = worker;
	return id;
}

static void run(const struct round *r, uint32_t job, unsigned worker)
{
	ppu_sm_run(r->core, begin(r, job, worker), r->t0, r->t1);
}

static bool move(struct ppu_share *s, enum cut_state from, enum cut_state to)
{
	uint32_t old = from;

	return __atomic_load_n(&s->cut, __ATOMIC_RELAXED) == from &&
	       __atomic_compare_exchange_n(&s->cut, &old, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void first_part(const struct round *r, struct ppu_share *s, unsigned worker)
{
	if (!move(s, CUT_NEW, CUT_FIRST))
		return;
	ppu_sm_run_first(r->core, begin(r, s->cut_job, worker), r->t0, s->cut_time, r->t1);
	__atomic_store_n(&s->cut, CUT_REST, __ATOMIC_RELEASE);
}

/* What is left of a job that is cut, if nobody works at it.  Who does comes by when it has nothing else to do. */
static void rest(const struct round *r, struct ppu_share *s, unsigned worker)
{
	if (move(s, CUT_REST, CUT_TAKEN))
		ppu_sm_run_rest(r->core, begin(r, s->cut_job, worker), r->t1);
	else if (move(s, CUT_NEW, CUT_TAKEN))
		run(r, s->cut_job, worker);
}

/* What worker number `worker` does in a round. */
static void work(void *arg, unsigned worker)
{
	const struct round *r = arg;
	struct ppu_share *share = r->core->shares;
	unsigned i, n = r->core->cfg.workers;
	uint32_t job;

	first_part(r, &share[r->flip ? (worker + n - 1) % n : worker], worker);
	while (take(&share[worker], false, &job))
		run(r, job, worker);
	for (i = 0; i < n; i++)
		rest(r, &share[(worker + i) % n], worker);
	for (i = 1; i < n; i++)
		while (take(&share[(worker + i) % n], true, &job))
			run(r, job, worker);
}

/* Workers get equal parts of n jobs; if they are more than workers, the job at the end of a part may be cut. */
static void share_out(struct round *r, uint32_t n, bool cut)
{
	struct ppu_share *s = r->core->shares;
	uint32_t i, first = 0, workers = r->core->cfg.workers;

	for (i = 0; i < workers; i++) {
		uint32_t end = (i + 1) * n / workers, part = (i + 1) * n % workers;

		s[i].left = LEFT(first, end);
		s[i].cut = cut && part ? CUT_NEW : CUT_NONE;
		s[i].cut_job = end;
		s[i].cut_time = r->t0 + (r->t1 - r->t0) * (r->flip ? workers - part : part) / workers;
		first = end + (s[i].cut != CUT_NONE);
	}
}

void ppu_sms_round(struct ppu_core *core, const uint32_t *id, uint32_t n, uint64_t t0, uint64_t t1)
{
	struct round r = { core, id, t0, t1, false };
	uint32_t i;

	if (!core->shares || !core->ports.run_workers || core->observer || n < 2) {
		for (i = 0; i < n; i++)
			run(&r, i, 0);
		return;
	}
	core->flip = !core->flip;
	r.flip = core->flip;
	share_out(&r, n, n > core->cfg.workers && !core->timing && !core->sms[0].sb);
	core->ports.run_workers(core->ports.opaque, work, &r);
}

int ppu_jobs_create(struct ppu_core *core)
{
	if (core->cfg.workers < 2)
		return 0;
	core->shares = ppu_alloc_lines(core->cfg.workers, sizeof(*core->shares));
	return core->shares ? 0 : -1;
}

void ppu_jobs_destroy(struct ppu_core *core)
{
	ppu_free(core->shares);
	core->shares = NULL;
}
