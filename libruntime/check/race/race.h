/* SPDX-License-Identifier: MIT */
/* racecheck: what it is told of kernels and of the runtime's work, by chk_lock. */
#ifndef PPU_CHECK_RACE_H
#define PPU_CHECK_RACE_H

#include "check/state.h"

#pragma GCC visibility push(hidden)

extern bool chk_race_strict;		/* who reads strongly without acquire or fence learns nothing */
extern bool chk_race_plain_volatile;	/* volatile accesses are plain ones, as C++ has it */

void chk_race_access(struct chk_ctx *c, const struct ppu_seen_access *a);
void chk_race_fence(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope);
void chk_race_barrier(struct chk_ctx *c, const struct ppu_seen_barrier *b);
void chk_race_warp(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes);
void chk_race_copy(struct chk_ctx *c, const struct ppu_seen_copy *copy);
void chk_race_task_start(struct chk_ctx *c, const struct ppu_seen_task *t);
void chk_race_cta_end(const struct ppu_seen_cta *c);
void chk_race_task_end(struct chk_ctx *c, const struct ppu_seen_task *t);

/* A channel: the device's number, and where the number of its last piece of work that is done stands. */
void chk_race_chan(struct chk_ctx *c, unsigned index, uint32_t hw, const volatile uint64_t *done);
/* A piece of work of a channel waits for these numbers of n channels; s: NULL, or who asked for it. */
void chk_race_work(struct chk_ctx *c, const uint64_t *need, unsigned n, unsigned index, uint64_t seq, const struct chk_stack *s);
/* The grid with this id is that piece of work. */
void chk_race_launch(struct chk_ctx *c, uint64_t id, unsigned index, uint64_t seq);
/* That piece of work stores a word, or waits for one. */
void chk_race_word(struct chk_ctx *c, unsigned index, uint64_t seq, uint64_t at, uint64_t bytes, bool waits);
/* The host knows that this is done. */
void chk_race_host(struct chk_ctx *c, const uint64_t *done, unsigned n);
/* The host accesses memory that it shares with the device, while work is under way; frame tells calls of one function apart. */
void chk_race_host_access(struct chk_ctx *c, uint64_t va, uint64_t bytes, bool writes, uint64_t pc, uint64_t frame);
/* The context goes. */
void chk_race_free(struct chk_ctx *c);

#pragma GCC visibility pop
#endif
