/* SPDX-License-Identifier: MIT */
/* Limits of contexts. */
#ifndef PPU_API_LIMIT_H
#define PPU_API_LIMIT_H

#include <ppu.h>
#include <ppu_image.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuFunction_st;
struct ppuModule_st;

void rt_limits_init(struct ppuCtx_st *ctx, uint32_t *limits);	/* BE_VM_LIMITS of them */
/* Locked.  A module is loaded: local memory for its kernels, if it can be had at once. */
void rt_local_expect(struct ppuModule_st *mod);
/* Locked; may wait for all work.  Called when CUDA's device runtime comes in.  If nobody has chosen a
 * nesting depth, the depth becomes as many levels as CUDA has, or as there is room for.  What stream priorities mean
 * does not change. */
void rt_depth_expect(struct ppuCtx_st *ctx);
/* Locked. rt_limit(): the value of a limit. rt_local_of(): the bytes of local memory that a kernel is
 * given. */
uint64_t rt_limit(struct ppuCtx_st *ctx, ppuLimit limit);
uint32_t rt_local_of(const struct ppuCtx_st *ctx, const struct ppu_symbol *kernel);
/* Locked; may wait for all work.  Makes sure of the local memory for a kernel that is launched now. */
ppuResult rt_local_ensure(const struct ppuFunction_st *func);
/* Locked; may wait for all work.  Gives the context local memory of so many bytes per thread, if it has less. */
ppuResult rt_local_raise(struct ppuCtx_st *ctx, uint32_t bytes);
/* Locked.  Fails, with the reason, if the context has no local memory yet and the device has not enough left for so many
 * bytes per thread. */
ppuResult rt_local_missing(struct ppuCtx_st *ctx, uint32_t bytes);

#pragma GCC visibility pop
#endif
