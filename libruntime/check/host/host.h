/* SPDX-License-Identifier: MIT */
/*
 * Accesses of the host to memory that it shares with the device: racecheck.
 *
 *   page.c	the memory that is watched, page by page, and what a page allows at the moment
 *   trap.c	signals: how loads and stores are seen
 *   call.c	system calls
 *
 * While work is under way that the host has not waited for, the pages allow nothing.  An access is a signal, which is told,
 * and then the page is open for just this instruction.  All functions but those of trap.c and call.c: with chk_lock.
 */
#ifndef PPU_CHECK_HOST_H
#define PPU_CHECK_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include "check/state.h"

#pragma GCC visibility push(hidden)

/* Can accesses be watched in this process?  Asked once, when the device is opened. */
void chk_host_ready(void);
bool chk_host_watches(void);
/* This thread's accesses are in an order that nobody told: host functions of streams. */
void chk_host_quiet(void);

void chk_host_add(struct chk_ctx *c, uint64_t va, uint64_t bytes);
void chk_host_remove(uint64_t va);
void chk_host_forget(const struct chk_ctx *c);		/* the context goes, its memory has gone */
/* Work is under way from now on; or none is that the host does not know to be done. */
void chk_host_close(const struct chk_ctx *c);
void chk_host_open(const struct chk_ctx *c);
/* The host accesses this as it likes, and nobody sees it. */
bool chk_host_unseen(uint64_t va);

/* ---- page.c, for trap.c and call.c ---- */

#define HOST_PAGE	4096u

/* The page that has this byte, and the one behind it. */
static inline uint64_t host_page(uint64_t va)
{
	return va & ~(uint64_t)(HOST_PAGE - 1);
}

static inline uint64_t host_next_page(uint64_t va)
{
	return host_page(va) + HOST_PAGE;
}

struct host_range;
/* The memory that has this byte, if it is watched; NULL: none. */
struct host_range *host_range(uint64_t va);
struct chk_ctx *host_context(const struct host_range *r);
uint64_t host_range_end(const struct host_range *r);
bool host_is_closed(const struct host_range *r, uint64_t va);
/* Opens a page for one instruction or system call; and closes it, if it still is to be closed. */
void host_let(struct host_range *r, uint64_t va, bool calls);
void host_close_again(uint64_t va, bool calls);
/* One more access that was seen; true: there were so many that the page stays open. */
bool host_count(struct host_range *r, uint64_t va, bool writes);
/* All that is watched is in here. */
bool host_near(uint64_t va, uint64_t bytes);

/* ---- trap.c ---- */

bool host_take_signals(void);	/* false: somebody else has them */

#pragma GCC visibility pop
#endif
