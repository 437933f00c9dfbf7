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
#include "api/memory/peer.h"
#include "api/stream/chan.h"
#include "api/stream/hostfn.h"
#include "api/stream/slot.h"
#include "api/stream/word.h"
#include "backend/backend.h"
#include "check/check.h"

const struct be_limits rt_no_limit = { UINT64_MAX, UINT64_MAX };

ppuResult rt_enter(struct ppuCtx_st *ctx)
{
	ppuResult res = rt_peers_any(&ctx->peers) ? rt_peers_pull(ctx) : PPU_SUCCESS;

	if (res)
		return res;
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

_Static_assert(CHK_MAX_CHAN >= RT_MAX_CHAN, "the checker knows all channels");

void rt_known(struct ppuCtx_st *ctx, const struct rt_need *need)
{
	if (ctx->check && chk_orders())
		chk_host_knows(ctx->check, need->seq, ctx->num_chan);
}

void rt_everything(struct ppuCtx_st *ctx, struct rt_need *need)
{
	memset(need, 0, sizeof(*need));
	for (unsigned i = 0; i < ctx->num_chan; i++)
		need->seq[i] = ctx->chan[i]->seq;
}

/*
 * How long to wait at once.  The driver ends a wait with any error of a channel.  But a context can be in error while its
 * channels go on (PPU_ERR_LAUNCH_DEPTH), and then functions of the CPU are dropped: what waits for them waits for ever.
 * And the CPU may store a word for which a stream waits; and other devices inside the process work only now and then.
 */
static struct be_limits at_once(struct ppuCtx_st *ctx, const struct be_limits *lim)
{
	struct be_limits l = *lim;
	uint64_t look;
	bool often = false, stored;

	if (ctx->be->poll) {	/* else a thread of each context looks at its words */
		often = rt_words_look(ctx);
		often |= rt_words_look_others(ctx, &stored);
		often |= rt_devices() > 1;
	}
	look = ppu_be_now() + (often ? RT_WORD_LOOK_NS : BE_LOOK_NS);
	if ((often || rt_host_used(ctx)) && l.host_ns > look)
		l.host_ns = look;
	return l;
}

/*
 * Devices inside the process work only while somebody waits for them, and words that the CPU stores are seen only then; but
 * work of this context may wait for what another one does. False: no other one has anything to do.
 */
static bool others_work(struct ppuCtx_st *ctx)
{
	uint64_t until = ppu_be_now() + RT_WORD_LOOK_NS;
	bool any, ever;

	if (!ctx->be->poll)
		return false;
	rt_words_look_others(ctx, &ever);
	if (rt_devices() < 2)
		return ever;
	rt_leave(ctx);
	do {
		any = rt_poll_others(ctx->device);
		ever |= any;
	} while (any && ppu_be_now() < until);
	pthread_mutex_lock(&ctx->lock);
	return ever;
}

void rt_poll(struct ppuCtx_st *ctx)
{
	bool stored;

	rt_words_look(ctx);
	if (!ctx->be->poll)
		return;
	rt_words_look_others(ctx, &stored);
	ctx->be->poll(ctx->device->dev);
	rt_poll_others(ctx->device);
}

/* After -ETIME: has one of the caller's own limits passed? */
static bool is_over(const struct ppuCtx_st *ctx, const struct be_limits *lim)
{
	uint64_t now;

	return ppu_be_now() >= lim->host_ns ||
	       (lim->device_ns != UINT64_MAX && !ctx->be->time(ctx->device->dev, &now) && now >= lim->device_ns);
}

/* A wait that failed for a reason which is not the device's: the context goes on. */
static ppuResult not_waited(int rc)
{
	return rc == -ENOMEM ? rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY) :
	       rt_fail(PPU_ERROR_OUT_OF_RESOURCES, "the driver does not wait (error %d)", -rc);
}

static ppuResult wait_chan(struct ppuCtx_st *ctx, struct rt_chan *c, uint64_t seq,
			   const struct be_limits *lim)
{
	if (!c->be)
		return rt_host_wait(ctx, c, seq, lim);
	while (!rt_chan_done(c, seq)) {
		struct be_limits l = at_once(ctx, lim);
		uint64_t host_done = ctx->host_done;
		ppuResult res;
		int rc;

		rt_leave(ctx);
		rc = ctx->be->sem_wait(c->sem, rt_slot_ptr(c->word), seq, &l, c->be, BE_WATCH_VM);
		pthread_mutex_lock(&ctx->lock);
		if (ctx->dead)
			return rt_error(PPU_ERROR_INVALID_CONTEXT);
		if (!rc)
			break;
		res = rt_check(ctx);
		if (res)
			return res;
		if ((rc == -ETIME || rc == -EDEADLK) && others_work(ctx))
			rc = -EAGAIN;
		if (ctx->dead)
			return rt_error(PPU_ERROR_INVALID_CONTEXT);
		if (rc == -EDEADLK && (rt_host_may_go_on(ctx, host_done, lim->host_ns) || rt_words_may_go_on(ctx)))
			rc = -EAGAIN;
		if (rc == -ETIME || rc == -EAGAIN) {
			if (is_over(ctx, lim))
				return rt_error(PPU_ERROR_TIMEOUT);
			continue;
		}
		if (rc == -EINTR)
			continue;
		if (rc != -EIO && rc != -ENODEV && rc != -EDEADLK)
			return not_waited(rc);
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
	if (!res)
		rt_known(ctx, &need);
	rt_devlib_flush(ctx);
	return res ? res : rt_check_done(ctx);
}

ppuResult rt_wait_all(struct ppuCtx_st *ctx)
{
	struct rt_need need;

	rt_everything(ctx, &need);
	return rt_wait(ctx, &need, &rt_no_limit);
}
