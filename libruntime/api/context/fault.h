/* SPDX-License-Identifier: MIT */
/* Why work is not going on. */
#ifndef PPU_API_FAULT_H
#define PPU_API_FAULT_H

#include <ppu.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;

/* Look for a reason why work is not going on; PPU_SUCCESS when there is none. */
ppuResult rt_check(struct ppuCtx_st *ctx);
/* Locked; work that somebody waits for is complete: is there an error that let it complete (SP-37)? */
ppuResult rt_check_done(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
