/* SPDX-License-Identifier: MIT */
/*
 * PPU_CHECK=contents: no tool that looks for mistakes, but what a program leaves in memory, for ppu-check --schedules.
 *
 * When an allocation of the program or a variable of a module ends, and for all that are left when a context or the program
 * ends, a record says what is in it.  At the end another one says in how many orders small launches can be run (ppu_order.h).
 */
#ifndef PPU_CHECK_CONTENTS_H
#define PPU_CHECK_CONTENTS_H

#include "check/state.h"

#pragma GCC visibility push(hidden)

void chk_contents_open(const struct be_ops *be, struct be_dev *dev);
/* Nobody has the device's lock, or waits with it for chk_lock: nothing is observed. */
void chk_contents_block(const struct chk_ctx *c, const struct chk_block *b);
void chk_contents_all(const struct chk_ctx *c);
/* A launch of so many blocks, of so many threads each. */
void chk_contents_launch(uint64_t blocks, uint32_t threads);
/* The orders of the largest of the small launches. */
void chk_contents_close(void);

#pragma GCC visibility pop
#endif
