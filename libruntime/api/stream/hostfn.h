/* SPDX-License-Identifier: MIT */
/* Host functions in streams. */
#ifndef PPU_API_HOSTFN_H
#define PPU_API_HOSTFN_H

#include <stdbool.h>
#include <ppu.h>
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct rt_chan;

ppuResult rt_host_refuse(void);		/* an error when the caller is a host function */
bool rt_host_used(const struct ppuCtx_st *ctx);	/* the context has ever had one */
/* The part of rt_wait() for a lane. */
ppuResult rt_host_wait(struct ppuCtx_st *ctx, struct rt_chan *chan, uint64_t seq, const struct be_limits *lim);
/* The device has nothing to do: could a host function change that?  If one is on its way, sleeps a while,
 * at most until that host time. done_before: ctx->host_done from before the question came up. */
bool rt_host_may_go_on(struct ppuCtx_st *ctx, uint64_t done_before, uint64_t until);
void rt_host_join(struct ppuCtx_st *ctx);	/* unlocked, the context is dead */
void rt_host_free(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
