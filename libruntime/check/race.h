/* SPDX-License-Identifier: MIT */
/* racecheck: what it is told of kernels, by chk_lock. */
#ifndef PPU_CHECK_RACE_H
#define PPU_CHECK_RACE_H

#include "check/state.h"

#pragma GCC visibility push(hidden)

void chk_race_access(struct chk_ctx *c, const struct ppu_seen_access *a);
void chk_race_fence(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes);
void chk_race_barrier(struct chk_ctx *c, const struct ppu_seen_barrier *b);
void chk_race_warp(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes);
void chk_race_cta_end(const struct ppu_seen_cta *c);
void chk_race_task_end(const struct ppu_seen_task *t);

#pragma GCC visibility pop
#endif
