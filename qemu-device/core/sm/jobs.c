/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SMs of a window, or of a part of it, as jobs of the workers.
 *
 * Each worker has a share: SMs in a row, the same ones in each window as long as the same SMs have work.  So what a
 * host CPU has in its caches of an SM (registers, shared memory, the TLB) is still there in the next window.  Who is
 * done with its share takes from the ends of the others'.  Nothing of that shows: a job touches its SM only.
 *
 * State: the shares, which say nothing between two rounds.
 */
#include "core/base/alloc.h"
#include "core/sm/jobs.h"
#include "core/sm/sm.h"

/* The jobs of a share that nobody has taken: [low half, high half).  A line of the host's cache for each. */
struct ppu_share {
	uint64_t left;
} __attribute__((aligned(64)));
#define LEFT(first, end)	((uint64_t)(end) << 32 | (first))

struct round {
	struct ppu_core *core;
	const uint32_t *id;
	uint64_t t0, t1;
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

static void run(const struct round *r, uint32_t job, unsigned worker)
{
	uint32_t id = r->id[job];

	r->core->sms[id].worker = worker;
	ppu_sm_run(r->core, id, r->t0, r->t1);
}

/* What worker number `worker` does in a round. */
static void work(void *arg, unsigned worker)
{
	const struct round *r = arg;
	struct ppu_share *share = r->core->shares;
	unsigned i, n = r->core->cfg.workers;
	uint32_t job;

	while (take(&share[worker], false, &job))
		run(r, job, worker);
	for (i = 1; i < n; i++)
		while (take(&share[(worker + i) % n], true, &job))
			run(r, job, worker);
}

void ppu_sms_round(struct ppu_core *core, const uint32_t *id, uint32_t n, uint64_t t0, uint64_t t1)
{
	struct round r = { core, id, t0, t1 };
	uint32_t i, workers = core->cfg.workers;

	if (!core->shares || !core->ports.run_workers || core->observer || n < 2) {
		for (i = 0; i < n; i++)
			run(&r, i, 0);
		return;
	}
	for (i = 0; i < workers; i++)
		core->shares[i].left = LEFT(i * n / workers, (i + 1) * n / workers);
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
