/* SPDX-License-Identifier: MIT */
/* floatcheck: what it is told of kernels, by chk_lock. */
#ifndef PPU_CHECK_FLOAT_H
#define PPU_CHECK_FLOAT_H

#include "check/state.h"

#pragma GCC visibility push(hidden)

/* Numbers that are no number when the kernel gets them are findings, too. */
extern bool chk_float_loaded;
/* Sums that lose so many bits are findings; 0: none are. */
extern unsigned chk_float_bits;

void chk_float_arithmetic(struct chk_ctx *c, const struct ppu_seen_float *f);
void chk_float_choose(struct chk_ctx *c, const struct ppu_seen_warp *at, uint32_t first, uint32_t second);
void chk_float_call(struct chk_ctx *c, const struct ppu_seen_call *s);
void chk_float_cta_end(const struct ppu_seen_cta *c);
void chk_float_task_end(const struct ppu_seen_task *t);

#pragma GCC visibility pop
#endif
