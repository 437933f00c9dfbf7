/* SPDX-License-Identifier: MIT */
/* synccheck: what it is told of kernels, by chk_lock. */
#ifndef PPU_CHECK_SYNC_H
#define PPU_CHECK_SYNC_H

#include "check/state.h"

#pragma GCC visibility push(hidden)

/* Masks that name threads that have ended before are findings, too, and barriers without warps that ended before any. */
extern bool chk_sync_strict;

void chk_sync_reach(struct chk_ctx *c, const struct ppu_seen_sync *s);
void chk_sync_barrier(struct chk_ctx *c, const struct ppu_seen_barrier *b);
void chk_sync_warp(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t lanes);
void chk_sync_stuck(struct chk_ctx *c, const struct ppu_seen_stuck *s);
void chk_sync_cta_end(const struct ppu_seen_cta *c);
void chk_sync_task_end(const struct ppu_seen_task *t);

#pragma GCC visibility pop
#endif
