/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE		/* sched_getaffinity() */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <hw/ppu_help.h>
#include "workers.h"

/*
 * Rounds follow each other within some 10 us.  To put a thread to sleep and wake it costs more than that: 35 us of the
 * thread that wakes it, and it begins 65 us late (in a virtual machine of two CPUs).  So a thread looks for what it
 * waits for, for about twice as long as the sleep would cost, before it sleeps.  If both have the same CPU at the moment,
 * looking only keeps the other one from its work, so it sleeps at once; who is woken then gets a free CPU if there is one.
 * Where others want the CPUs, help may cost more than it gives: ppu_help.h says when to do without.
 */
#define LOOK_NS		200000
#define WAKE_NS		20000	/* a round that takes so long: for the next one the others are woken */

/* `state`: number of the round, whether threads may still join it, and how many have joined and are not done. */
#define ROUND		(1ull << 32)
#define OPEN		(1ull << 31)
#define RUNNING		(OPEN - 1)

struct ppu_workers;

struct worker {
	struct ppu_workers *pool;
	pthread_t thread;
	unsigned index;
	int cpu;			/* where it was when it began its part of the round */
	uint64_t round, spent;		/* the last one that it took part in, and for how long; the caller's between rounds */
} __attribute__((aligned(64)));

struct ppu_workers {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct worker *worker;
	unsigned num_threads;
	bool look;			/* each thread has a CPU: waiting takes none from another */
	bool quit;
	bool alone;			/* the last round that found somebody asleep was short */
	unsigned asleep;		/* workers that nobody has woken yet */
	bool waiting;			/* the caller, asleep */
	void (*fn)(void *arg, unsigned worker);
	void *arg;
	struct ppu_help help;		/* the caller's */
	int cpu;			/* where the caller was when the round began */
	uint64_t state __attribute__((aligned(64)));
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Waits until the masked bits of the state are no longer `old`; false: that takes too long, or *cpu is this one. */
static bool look(struct ppu_workers *p, uint64_t mask, uint64_t old, const int *cpu)
{
	uint64_t end = p->look ? now() + LOOK_NS : 0;
	unsigned i;

	do {
		for (i = 0; i < 32; i++) {
			if ((__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) & mask) != old)
				return true;
			relax();
		}
	} while (end && __atomic_load_n(cpu, __ATOMIC_RELAXED) != sched_getcpu() && now() < end);
	return false;
}

static bool join(struct ppu_workers *p, uint64_t *seen)
{
	uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);

	do {
		*seen = state & -ROUND;
		if (!(state & OPEN))	/* came too late */
			return false;
	} while (!__atomic_compare_exchange_n(&p->state, &state, state + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
	return true;
}

static void leave(struct ppu_workers *p)
{
	__atomic_sub_fetch(&p->state, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&p->waiting, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&p->lock);
	pthread_cond_signal(&p->done);
	pthread_mutex_unlock(&p->lock);
}

/* Sleeps until there is another round; false: there will be none. */
static bool sleep_until_round(struct ppu_workers *p, uint64_t seen)
{
	bool quit;

	pthread_mutex_lock(&p->lock);
	/* It may count one for a round that has just begun: then somebody is woken for nothing. */
	__atomic_add_fetch(&p->asleep, 1, __ATOMIC_SEQ_CST);
	while ((__atomic_load_n(&p->state, __ATOMIC_SEQ_CST) & -ROUND) == seen && !p->quit)
		pthread_cond_wait(&p->work, &p->lock);
	quit = p->quit;
	pthread_mutex_unlock(&p->lock);
	return !quit;
}

static void *thread(void *arg)
{
	struct worker *w = arg;
	struct ppu_workers *p = w->pool;
	uint64_t seen = 0, since;

	while (look(p, -ROUND, seen, &p->cpu) || sleep_until_round(p, seen))
		if (join(p, &seen)) {
			since = now();
			__atomic_store_n(&w->cpu, sched_getcpu(), __ATOMIC_RELAXED);
			p->fn(p->arg, w->index);
			w->round = seen;
			w->spent = now() - since;
			leave(p);
		}
	return NULL;
}

static void wake(struct ppu_workers *p)
{
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->asleep, 0, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
}

/* Where a worker is on whose part the caller waits: on the caller's CPU, if one is there. */
static const int *where(const struct ppu_workers *p)
{
	int here = sched_getcpu();
	unsigned i;

	for (i = 0; i + 1 < p->num_threads; i++)
		if (__atomic_load_n(&p->worker[i].cpu, __ATOMIC_RELAXED) == here)
			break;
	return &p->worker[i].cpu;
}

/* No thread joins any more: waits for those that have. */
static void finish(struct ppu_workers *p)
{
	if (!(__atomic_and_fetch(&p->state, ~OPEN, __ATOMIC_SEQ_CST) & RUNNING))
		return;
	for (;;) {
		uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);

		if (!(state & RUNNING))
			return;
		if (!look(p, RUNNING, state & RUNNING, where(p)))
			break;
	}
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->waiting, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&p->state, __ATOMIC_SEQ_CST) & RUNNING)
		pthread_cond_wait(&p->done, &p->lock);
	__atomic_store_n(&p->waiting, false, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&p->lock);
}

/* What the helpers of a round saved the caller. */
static int64_t saved(const struct ppu_workers *p, uint64_t round, uint64_t own)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < p->num_threads; i++)
		if (p->worker[i].round == round)
			sum += ppu_help_saved(own, p->worker[i].spent);
	return sum;
}

void ppu_workers_run(struct ppu_workers *p, void (*fn)(void *arg, unsigned worker), void *arg)
{
	/* Who came too late for the last round may still look. */
	uint64_t round = (__atomic_load_n(&p->state, __ATOMIC_RELAXED) & -ROUND) + ROUND, t = now(), begun, done, end;
	bool asleep;

	if (!ppu_help_wanted(&p->help, t)) {
		fn(arg, 0);
		return;
	}
	p->fn = fn;
	p->arg = arg;
	__atomic_store_n(&p->cpu, sched_getcpu(), __ATOMIC_RELAXED);
	__atomic_store_n(&p->state, round | OPEN, __ATOMIC_SEQ_CST);
	asleep = __atomic_load_n(&p->asleep, __ATOMIC_SEQ_CST);
	begun = t;
	if (asleep && !p->alone) {
		wake(p);
		begun = now();
	}
	fn(arg, 0);
	done = now();
	finish(p);
	end = now();
	if (asleep)
		p->alone = end - t < WAKE_NS;
	ppu_help_round(&p->help, end, saved(p, round, done - begun), begun - t + end - done);
}

unsigned ppu_workers_cpus(void)
{
	cpu_set_t set;

	return (unsigned)(sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set));
}

struct ppu_workers *ppu_workers_new(unsigned workers)
{
	struct ppu_workers *p = NULL;

	if (posix_memalign((void **)&p, 64, sizeof(*p)))
		return NULL;
	*p = (struct ppu_workers){ .alone = true, .look = ppu_workers_cpus() >= workers, .cpu = -1 };
	ppu_help_init(&p->help);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	if (posix_memalign((void **)&p->worker, 64, workers * sizeof(*p->worker)))
		p->worker = NULL;
	/* The caller of ppu_workers_run() works too. */
	while (p->worker && p->num_threads + 1 < workers) {
		struct worker *w = &p->worker[p->num_threads];

		*w = (struct worker){ .pool = p, .index = p->num_threads + 1, .cpu = -1 };
		if (pthread_create(&w->thread, NULL, thread, w))
			break;
		p->num_threads++;
	}
	return p;
}

void ppu_workers_free(struct ppu_workers *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->quit = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->num_threads; i++)
		pthread_join(p->worker[i].thread, NULL);
	free(p->worker);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	free(p);
}
