/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "harness.h"
#include "world.h"

/* Of one thread. */
struct actor {
	const struct recipe *recipe;
	const struct plan *plan;
	struct told *told;
	unsigned number;
	struct fuzz own, *file;		/* file: its own one, or that of the world */
	pthread_t thread;
};

static struct actor actors[STORM_THREADS];
static bool running[STORM_THREADS];

struct told *told_new(void)
{
	struct told *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(t != MAP_FAILED);
	return t;
}

static void on_signal(int sig)
{
	(void)sig;
}

/* A child has the file and its mappings, but not the account. It makes some calls and ends, or is killed in one. */
static void fork_one(struct actor *a, uint64_t *rng)
{
	unsigned calls = 1 + fuzz_below(rng, 4);
	bool killed = fuzz_below(rng, 2);
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuzz_thread();
		while (calls--)
			fuzz_call(a->file, fuzz_next(rng));
		_exit(0);
	}
	if (pid < 0)
		return;
	__atomic_fetch_add(&a->told->forks, 1, __ATOMIC_RELAXED);
	if (killed)
		usleep(fuzz_below(rng, 3000));
	/* A call may wait for ever. */
	for (unsigned i = 0; !killed && i < 100; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return;
		usleep(500);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void complain(struct actor *a)
{
	if (a->file->complaint[0] && !a->told->complaint[0])
		snprintf(a->told->complaint, sizeof(a->told->complaint), "%s", a->file->complaint);
}

/* The program of the recipe, @again with some other calls in it: a round has to be worth what it takes to check it. */
static void run_program(struct actor *a, uint64_t *rng, bool again)
{
	struct program changed = a->recipe->program[a->number], *p = &changed;
	unsigned fresh = 0;

	for (unsigned i = 0; again && i < p->count; i++)
		if (!fuzz_below(rng, 4))
			p->call[i] = fuzz_next(rng);

	for (unsigned i = 0; i < p->count; i++) {
		if (a->plan->fork_one_in && !fuzz_below(rng, a->plan->fork_one_in))
			fork_one(a, rng);
		fresh += fuzz_call(a->file, p->call[i]);
	}
	if (fresh)
		a->told->found[a->number] = *p;
	__atomic_fetch_add(&a->told->calls, p->count, __ATOMIC_RELAXED);
	complain(a);
}

/* Without a device for a while: it is unbound. */
static bool open_late(struct fuzz *f)
{
	for (unsigned i = 0; i < 20; i++) {
		if (fuzz_open(f, false))
			return true;
		usleep(2000);
	}
	return false;
}

static void *act(void *arg)
{
	struct actor *a = arg;
	uint64_t rng = a->recipe->seed + a->number;

	fuzz_thread();
	for (unsigned i = 0; i < a->plan->repeats[a->number]; i++) {
		if (a->file != &a->own) {
			run_program(a, &rng, i);
		} else if (open_late(a->file)) {
			run_program(a, &rng, i);
			fuzz_drop(a->file);
		}
	}
	fuzz_thread_end();
	__atomic_store_n(&running[a->number], false, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Signals end calls that sleep, also when the round has no other signals: nothing else would end some of them. */
static void send_signals(const struct plan *p, unsigned w, unsigned threads, struct told *told)
{
	uint64_t rng = w;

	for (unsigned left = 1; left;) {
		left = 0;
		for (unsigned i = w; i < threads; i += p->worlds) {
			if (!__atomic_load_n(&running[i], __ATOMIC_SEQ_CST))
				continue;
			left++;
			if (!fuzz_below(&rng, 2) && !pthread_kill(actors[i].thread, SIGUSR1))
				told->signals++;
		}
		usleep(p->signal_us ? p->signal_us : 20000);
	}
}

void world_run(const struct recipe *r, const struct plan *p, unsigned w, struct told *told)
{
	struct sigaction sa = { .sa_handler = on_signal };	/* no SA_RESTART: calls end with EINTR */
	static struct fuzz shared;
	bool one = p->shared_file[w] && open_late(&shared);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &sa, NULL);
	fuzz_signals();
	for (unsigned i = w; i < r->threads; i += p->worlds) {
		struct actor *a = &actors[i];

		*a = (struct actor){ .recipe = r, .plan = p, .told = told, .number = i };
		a->file = one ? &shared : &a->own;
		running[i] = true;
		if (pthread_create(&a->thread, NULL, act, a))
			_exit(1);
	}
	send_signals(p, w, r->threads, told);
	for (unsigned i = w; i < r->threads; i += p->worlds)
		pthread_join(actors[i].thread, NULL);
	if (one)
		fuzz_drop(&shared);
	_exit(0);
}
