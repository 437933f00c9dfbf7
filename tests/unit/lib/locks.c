/* SPDX-License-Identifier: MIT */
/*
 * What every unit test watches: a thread unlocks only what it has locked, waits only with the lock that it gives away, and
 * locks nothing twice.  A lock that somebody forgot does no harm that a test could wait for; its unlock does.
 * (The linker sends the calls here: --wrap in tests/unit/build.mk.)
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST	32

static __thread struct {
	pthread_mutex_t *lock[MOST];
	unsigned n;
} held;

int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __real_pthread_mutex_trylock(pthread_mutex_t *m);
int __real_pthread_mutex_unlock(pthread_mutex_t *m);
int __real_pthread_mutex_destroy(pthread_mutex_t *m);
int __real_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __real_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *m);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *m);
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);

/* The place of @m among what this thread holds, or MOST. */
static unsigned place(const pthread_mutex_t *m)
{
	for (unsigned i = 0; i < held.n; i++)
		if (held.lock[i] == m)
			return i;
	return MOST;
}

static void want(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "locks: %s\n", what);
	abort();
}

static void note(pthread_mutex_t *m)
{
	want(held.n < MOST, "too many are held");
	held.lock[held.n++] = m;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	want(place(m) == MOST, "locked twice by one thread");
	note(m);
	return __real_pthread_mutex_lock(m);
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *m)
{
	int rc = __real_pthread_mutex_trylock(m);

	if (!rc)
		note(m);
	return rc;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	unsigned at = place(m);

	want(at < MOST, "unlocked without being locked");
	held.lock[at] = held.lock[--held.n];
	return __real_pthread_mutex_unlock(m);
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *m)
{
	want(place(m) == MOST, "destroyed while it is held");
	return __real_pthread_mutex_destroy(m);
}

int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	want(place(m) < MOST, "waited without the lock");
	return __real_pthread_cond_wait(c, m);
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	want(place(m) < MOST, "waited without the lock");
	return __real_pthread_cond_timedwait(c, m, until);
}
