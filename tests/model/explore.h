/* SPDX-License-Identifier: MIT */
/*
 * Every interleaving of a few threads of real C code: an explicit-state model checker.
 *
 * A thread is a function on a small stack of its own.  It runs undisturbed up to its next point; there is a point
 * before each access to shared data. The explorer tries each choice of the thread that goes on from there. The state of
 * the world is one block of plain memory without pointers to anything that moves (pointers into itself are fine).  A
 * state is that block plus what is on the threads' stacks; states seen before are not explored again, so loops that
 * wait end by themselves.
 *
 * Two things are checked: that no thread calls model_fail(), and that from every state that can be reached an end can
 * still be reached (so there is neither a deadlock nor a set of loops that wait for each other).
 *
 *	struct model m = { .state = &world, .bytes = sizeof(world), .threads = ..., ... };
 *	struct model_result r = model_explore(&m, 1000000);
 *
 * One exploration at a time; not for several host threads.
 */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX_THREADS	8

struct model_thread {
	const char *name;
	void (*run)(unsigned arg);
	unsigned arg;
};

struct model {
	void *state;
	size_t bytes;
	const struct model_thread *threads;
	unsigned num_threads;
	bool (*at_end)(void);			/* may this state be the last? asked of every state */
	/* Events that happen by themselves, like a store that reaches memory late; may be NULL. */
	unsigned (*num_events)(void);
	void (*event)(unsigned which);
};

struct model_result {
	uint64_t states, steps;
	bool complete;				/* false: the exploration stopped at max_states */
	bool failed;
	char why[200];				/* the sentence of model_fail(), or that no end can be reached */
};

/* path: print the way to a failure. */
struct model_result model_explore(const struct model *m, uint64_t max_states, bool path);

/* ---- for threads ---- */

/* A point: other threads may run here. what, number: a constant string and a number for the printed path. */
void model_point(const char *what, uint64_t number);
/* Waits until the condition holds.  The condition looks at the world. */
void model_wait(bool (*cond)(uint64_t arg), uint64_t arg, const char *what);
/* Returns 0 .. n - 1: the explorer tries all of them. */
unsigned model_choose(unsigned n, const char *what);
/* Says that something has happened that must not happen, and ends the exploration. Does not return. */
void model_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Index of the running thread; num_threads in an event. */
unsigned model_self(void);

#endif
