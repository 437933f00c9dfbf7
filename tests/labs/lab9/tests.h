/* SPDX-License-Identifier: MIT */
/* Lab 9's grader in the guest: shared by the tests. */
#ifndef TESTS_H
#define TESTS_H

#include <stdbool.h>
#include <stdint.h>
#include "hw.h"
#include "queue.h"
#include "watch.h"

#define WATCHDOG_NS	30000000ull	/* device time; the longest test needs a tenth of this */

extern struct hw hw;
extern struct queue q;
extern uint64_t done;		/* address of a word that becomes 1 when everything that was submitted is done */

uint32_t rnd(uint32_t below);
volatile uint64_t *u64_at(uint64_t va);
void fresh(uint32_t get, uint64_t watchdog_ns);
bool with_queue(const char *test, uint32_t count, uint32_t get, uint64_t watchdog_ns);
void submit_done(void);
bool through(const char *test);
void launch_entry(uint64_t entry, uint64_t tmd);

/*
 * Work whose blocks can be told apart: n blocks, as entries. Block i adds 1 to runs[i] and stores the time in
 * times[i].
 */
struct work {
	uint64_t entries, runs, times;
	uint32_t n;
};
void work_make(struct work *w, uint32_t n);
/* How many blocks ran exactly once, and whether each ran after the one before it. */
uint32_t work_once(const struct work *w);
bool work_in_order(const struct work *w);

struct test {
	const char *name;
	void (*run)(void);
};
extern const struct test tests[];

/* test_*.c */
void test_setup(void);
void test_entries(void);
void test_room(void);
void test_storm(void);
void test_laps(void);
void test_crowd(void);
void test_late(void);
void test_figures(void);
void test_alone(void);

#endif
