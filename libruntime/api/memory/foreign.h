/* SPDX-License-Identifier: MIT */
/* Memory of another context that a context may not use. */
#ifndef PPU_API_FOREIGN_H
#define PPU_API_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuStream_st;
struct rt_rect;

/* Is this device memory of another context of the process, which this one cannot reach? */
bool rt_is_foreign(struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes);
/* Unlocked. A copy of which a side is such memory, through memory of the host; the caller waits. */
ppuResult rt_copy_foreign(struct ppuStream_st *s, const struct rt_rect *r);

#pragma GCC visibility pop
#endif
