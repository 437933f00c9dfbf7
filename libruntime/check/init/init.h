/* SPDX-License-Identifier: MIT */
/* initcheck: what it is told of kernels and copies, by chk_lock. */
#ifndef PPU_CHECK_INIT_H
#define PPU_CHECK_INIT_H

#include "check/state.h"

#pragma GCC visibility push(hidden)

/* These bytes hold nothing yet; and they are nobody's any more. */
void chk_init_fresh(struct chk_ctx *c, uint64_t va, uint64_t bytes);
void chk_init_gone(struct chk_ctx *c, uint64_t va, uint64_t bytes);
void chk_init_access(struct chk_ctx *c, const struct ppu_seen_access *a);
void chk_init_call(struct chk_ctx *c, const struct ppu_seen_call *s);
void chk_init_copy(struct chk_ctx *c, const struct ppu_seen_copy *copy);
void chk_init_cta_end(const struct ppu_seen_cta *c);
void chk_init_task_end(const struct ppu_seen_task *t);

#pragma GCC visibility pop
#endif
