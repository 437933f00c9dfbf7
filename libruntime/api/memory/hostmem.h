/* SPDX-License-Identifier: MIT */
/* The program's own memory, registered. */
#ifndef PPU_API_HOSTMEM_H
#define PPU_API_HOSTMEM_H

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct rt_alloc;

/* Called when the entry in the context's table is gone already. */
void rt_unregister(struct ppuCtx_st *ctx, const struct rt_alloc *a);

#pragma GCC visibility pop
#endif
