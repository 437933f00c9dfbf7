/* SPDX-License-Identifier: MIT */
/*
 * racecheck: what somebody knows of the threads of blocks.  Each thread has a clock, which moves on whenever others may have
 * got to know what it did; who knows a thread's clock is behind everything that the thread did up to then.
 *
 * Tables, entries and sets are shared: who has one has a reference, and what more than one has is not changed any more.
 */
#ifndef PPU_CHECK_RACE_KNOW_H
#define PPU_CHECK_RACE_KNOW_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct rc_table {			/* clocks of a block's threads */
	uint32_t refs, n;
	uint32_t clock[];
};

struct rc_entry {			/* what is known of a block: all of the table, and one thread */
	uint32_t refs, thread, clock, threads;	/* threads: of the block */
	struct rc_table *all;		/* NULL: the thread only */
};

/* Of many blocks, by number: a tree.  Sets that differ in few blocks share most of their nodes. */
struct rc_set {
	uint32_t refs, height;		/* 0: slots are entries */
	void *slot[16];
};

struct rc_table *rc_table_new(uint32_t n);	/* NULL: no memory; so of all that follow */
struct rc_table *rc_table_share(struct rc_table *t);
void rc_table_drop(struct rc_table *t);
void rc_table_add(struct rc_table *to, const struct rc_table *from);
/* Is all that is in b also in a?  NULL: nothing. */
bool rc_table_has(const struct rc_table *a, const struct rc_table *b);

struct rc_entry *rc_entry_new(struct rc_table *all, uint32_t threads, uint32_t thread, uint32_t clock);	/* takes the table */
uint32_t rc_entry_clock(const struct rc_entry *e, uint32_t thread);

struct rc_set *rc_set_share(struct rc_set *s);
void rc_set_drop(struct rc_set *s);
const struct rc_entry *rc_set_find(const struct rc_set *s, uint32_t cta);
/* Both take `s` and return what it is now. */
struct rc_set *rc_set_put(struct rc_set *s, uint32_t cta, struct rc_entry *e);	/* takes the entry */
struct rc_set *rc_set_join(struct rc_set *s, struct rc_set *from);

#pragma GCC visibility pop
#endif
