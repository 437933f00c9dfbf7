/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE		/* sched_getaffinity() */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "workers.h"

/*
 * Rounds follow each other within some 10 us.  To put a thread to sleep and wake it costs more than that: 35 us of the
 * thread that wakes it, and it begins 65 us late (in a virtual machine of two CPUs).  So a thread looks for what it
 * waits for, for about twice as long as the sleep would cost, before it sleeps.
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
};

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

/* Waits until the masked bits of the state are no longer `old`; false: that takes too long. */
static bool look(struct ppu_workers *p, uint64_t mask, uint64_t old)
{
	uint64_t end = p->look ? now() + LOOK_NS : 0;
	unsigned i;

	do {
		for (i = 0; i < 32; i++) {
			if ((__atomic_load_n(&p->state, __ATOMIC_ACQUIRE) & mask) != old)
				return true;
			relax();
		}
	} while (end && now() < end);
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
	const struct worker *w = arg;
	struct ppu_workers *p = w->pool;
	uint64_t seen = 0;

	while (look(p, -ROUND, seen) || sleep_until_round(p, seen))
		if (join(p, &seen)) {
			p->fn(p->arg, w->index);
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

/* No thread joins any more: waits for those that have. */
static void finish(struct ppu_workers *p)
{
	if (!(__atomic_and_fetch(&p->state, ~OPEN, __ATOMIC_SEQ_CST) & RUNNING))
		return;
	for (;;) {
		uint64_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);

		if (!(state & RUNNING))
			return;
		if (!look(p, RUNNING, state & RUNNING))
			break;
	}
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->waiting, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&p->state, __ATOMIC_SEQ_CST) & RUNNING)
		pthread_cond_wait(&p->done, &p->lock);
	__atomic_store_n(&p->waiting, false, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&p->lock);
}

void ppu_workers_run(struct ppu_workers *p, void (*fn)(void *arg, unsigned worker), void *arg)
{
	/* Who came too late for the last round may still look. */
	uint64_t round = (__atomic_load_n(&p->state, __ATOMIC_RELAXED) & -ROUND) + ROUND, t = 0;
	bool asleep;

	p->fn = fn;
	p->arg = arg;
	__atomic_store_n(&p->state, round | OPEN, __ATOMIC_SEQ_CST);
	asleep = __atomic_load_n(&p->asleep, __ATOMIC_SEQ_CST);
	if (asleep)
		t = now();
	if (asleep && !p->alone)
		wake(p);
	fn(arg, 0);
	finish(p);
	if (asleep)
		p->alone = now() - t < WAKE_NS;
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
	*p = (struct ppu_workers){ .alone = true, .look = ppu_workers_cpus() >= workers };
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->worker = calloc(workers, sizeof(*p->worker));
	/* The caller of ppu_workers_run() works too. */
	while (p->worker && p->num_threads + 1 < workers) {
		struct worker *w = &p->worker[p->num_threads];

		*w = (struct worker){ .pool = p, .index = p->num_threads + 1 };
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
