/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "workers.h"

/*
 * Rounds follow each other within microseconds, and putting a thread to sleep and waking it takes longer than that.  So
 * a thread looks that often for what it waits for before it sleeps: some 10 to 20 us.
 */
#define LOOKS	400

struct ppu_workers {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	pthread_t *threads;
	unsigned num_threads;
	void (*fn)(void *arg, unsigned index);
	void *arg;
	unsigned n, next, running;	/* running: threads that have begun with this round and are not done */
	uint64_t round;
	bool over;			/* nothing of this round is left to begin */
	bool quit;
	bool look;			/* each thread has a CPU: waiting takes none from another */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static void take(struct ppu_workers *p)
{
	for (;;) {
		unsigned i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED);

		if (i >= p->n)
			return;
		p->fn(p->arg, i);
	}
}

static void *thread(void *arg)
{
	struct ppu_workers *p = arg;
	uint64_t seen = 0;

	for (;;) {
		for (unsigned i = 0; p->look && i < LOOKS && __atomic_load_n(&p->round, __ATOMIC_RELAXED) == seen; i++)
			relax();
		pthread_mutex_lock(&p->lock);
		while (p->round == seen && !p->quit)
			pthread_cond_wait(&p->work, &p->lock);
		if (p->quit)
			break;
		seen = p->round;
		if (p->over) {		/* woken too late */
			pthread_mutex_unlock(&p->lock);
			continue;
		}
		__atomic_store_n(&p->running, p->running + 1, __ATOMIC_RELAXED);
		pthread_mutex_unlock(&p->lock);
		take(p);
		pthread_mutex_lock(&p->lock);
		__atomic_store_n(&p->running, p->running - 1, __ATOMIC_RELAXED);
		if (!p->running)
			pthread_cond_signal(&p->done);
		pthread_mutex_unlock(&p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void ppu_workers_run(struct ppu_workers *p, void (*fn)(void *arg, unsigned index), void *arg, unsigned n)
{
	if (n == 1) {
		fn(arg, 0);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->fn = fn;
	p->arg = arg;
	p->n = n;
	__atomic_store_n(&p->next, 0, __ATOMIC_RELAXED);
	p->over = false;
	__atomic_store_n(&p->round, p->round + 1, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	take(p);
	for (unsigned i = 0; p->look && i < LOOKS && __atomic_load_n(&p->running, __ATOMIC_RELAXED); i++)
		relax();
	pthread_mutex_lock(&p->lock);
	p->over = true;
	while (p->running)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

struct ppu_workers *ppu_workers_new(unsigned workers)
{
	struct ppu_workers *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->look = sysconf(_SC_NPROCESSORS_ONLN) >= (long)workers;
	p->threads = calloc(workers, sizeof(*p->threads));
	/* The caller of ppu_workers_run() works too. */
	while (p->threads && p->num_threads + 1 < workers) {
		if (pthread_create(&p->threads[p->num_threads], NULL, thread, p))
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
		pthread_join(p->threads[i], NULL);
	free(p->threads);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	free(p);
}
