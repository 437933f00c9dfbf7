/* SPDX-License-Identifier: MIT */
/* Launches by threads. */
#ifndef PPU_API_CDP_H
#define PPU_API_CDP_H

#include <ppu.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuModule_st;

/* Unlocked; one at a time.  A module that launches kernels: mod->cdp_va becomes the address of its
 * description. */
ppuResult rt_cdp_bind(struct ppuModule_st *mod);
/* Unlocked.  Limits have changed: kernels can ask for them. */
ppuResult rt_cdp_limits(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
