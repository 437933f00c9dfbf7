/* SPDX-License-Identifier: MIT */
/* Entering a context, and waiting for work in it. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <ppu.h>
#include "api/context/wait.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/need.h"
#include "api/launch/devcalls.h"
#include "api/stream/chan.h"
#include "api/stream/hostfn.h"
#include "api/stream/slot.h"
#include "backend/backend.h"

const struct be_limits rt_no_limit = { UINT64_MAX, UINT64_MAX };

ppuResult rt_enter(struct ppuCtx_st *ctx)
{
	ppuResult res = PPU_SUCCESS;

	pthread_mutex_lock(&ctx->lock);
	if (ctx->dead)
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	else if (ctx->broken)
		res = rt_fail(ctx->broken, "%s", ctx->detail ? ctx->detail : ppuGetErrorString(ctx->broken));
	if (res)
		pthread_mutex_unlock(&ctx->lock);
	return res;
}

bool rt_done(struct ppuCtx_st *ctx, const struct rt_need *need)
{
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (need->seq[i] && !rt_chan_done(ctx->chan[i], need->seq[i]))
			return false;
	return true;
}

void rt_merge(struct ppuCtx_st *ctx, struct rt_need *to, const struct rt_need *from)
{
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (to->seq[i] < from->seq[i])
			to->seq[i] = from->seq[i];
}

void rt_everything(struct ppuCtx_st *ctx, struct rt_need *need)
{
	memset(need, 0, sizeof(*need));
	for (unsigned i = 0; i < ctx->num_chan; i++)
		need->seq[i] = ctx->chan[i]->seq;
}

static ppuResult wait_chan(struct ppuCtx_st *ctx, struct rt_chan *c, uint64_t seq,
			   const struct be_limits *lim)
{
	if (!c->be)
		return rt_host_wait(ctx, c, seq, lim);
	while (!rt_chan_done(c, seq)) {
		uint64_t host_done = ctx->host_done;
		ppuResult res;
		int rc;

		rt_leave(ctx);
		rc = ctx->be->sem_wait(c->sem, rt_slot_ptr(c->word), seq, lim, c->be, BE_WATCH_VM);
		pthread_mutex_lock(&ctx->lock);
		if (ctx->dead)
			return rt_error(PPU_ERROR_INVALID_CONTEXT);
		if (!rc)
			break;
		res = rt_check(ctx);
		if (res)
			return res;
		if (rc == -EDEADLK && rt_host_may_go_on(ctx, host_done, lim->host_ns))
			rc = -EAGAIN;
		if (rc == -EAGAIN && ppu_be_now() >= lim->host_ns)
			rc = -ETIME;
		if (rc == -ETIME)
			return rt_error(PPU_ERROR_TIMEOUT);
		if (rc == -EAGAIN || rc == -EINTR)
			continue;
		ctx->broken = rc == -EDEADLK ? PPU_ERROR_DEADLOCK : rc == -ENODEV ?
			      PPU_ERROR_DEVICE_LOST : PPU_ERROR_CHANNEL;
		return rt_error(ctx->broken);
	}
	return PPU_SUCCESS;
}

ppuResult rt_wait(struct ppuCtx_st *ctx, const struct rt_need *wanted, const struct be_limits *lim)
{
	struct rt_need need = *wanted;	/* the caller's copy may change and go during the wait */
	ppuResult res = rt_done(ctx, &need) ? PPU_SUCCESS : rt_host_refuse();

	for (unsigned i = 0; i < ctx->num_chan && !res; i++)
		if (need.seq[i])
			res = wait_chan(ctx, ctx->chan[i], need.seq[i], lim);
	rt_devlib_flush(ctx);
	return res ? res : rt_check_done(ctx);
}

ppuResult rt_wait_all(struct ppuCtx_st *ctx)
{
	struct rt_need need;

	rt_everything(ctx, &need);
	return rt_wait(ctx, &need, &rt_no_limit);
}
