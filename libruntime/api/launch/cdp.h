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

/* Unlocked.  Memory for what kernels look up, and what is in it. */
ppuResult rt_cdp_allocate(struct ppuCtx_st *ctx, uint64_t bytes, uint64_t *va);
ppuResult rt_cdp_upload(struct ppuCtx_st *ctx, uint64_t va, const void *from, uint64_t bytes);

#pragma GCC visibility pop
#endif
