/* SPDX-License-Identifier: MIT */
/* Entering a context, and waiting for work in it. */
#ifndef PPU_API_WAIT_H
#define PPU_API_WAIT_H

#include <pthread.h>
#include <stdbool.h>
#include <ppu.h>
#include "api/context/context.h"
#include "api/context/need.h"
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

/* Locks the context.  Fails (unlocked) when the context is gone or broken. */
ppuResult rt_enter(struct ppuCtx_st *ctx);
static inline void rt_leave(struct ppuCtx_st *ctx) { pthread_mutex_unlock(&ctx->lock); }

bool rt_done(struct ppuCtx_st *ctx, const struct rt_need *need);
void rt_merge(struct ppuCtx_st *ctx, struct rt_need *to, const struct rt_need *from);
/* The program gets to know that this is done. */
void rt_known(struct ppuCtx_st *ctx, const struct rt_need *need);
/* Everything submitted so far. */
void rt_everything(struct ppuCtx_st *ctx, struct rt_need *need);
/* Locked: for who asks, and does not wait.  Devices inside the process work a little. */
void rt_poll(struct ppuCtx_st *ctx);
extern const struct be_limits rt_no_limit;
/* Called locked; drops the lock while asleep. */
ppuResult rt_wait(struct ppuCtx_st *ctx, const struct rt_need *need, const struct be_limits *lim);
ppuResult rt_wait_all(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
