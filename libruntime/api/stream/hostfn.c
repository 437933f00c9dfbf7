/* SPDX-License-Identifier: MIT */
/*
 * Host functions in streams.
 *
 * A lane is a thread of the context with a timeline of its own, like a channel's: function number n is
 * done when the lane's word is n.  So a stream that has a function behind it waits for a pair (lane, number)
 * like for any other work, and the device waits with an acquire; the CPU stores the word and kicks.  A lane
 * takes its functions in the order in which they were given; each function waits for what its stream stood
 * for.  Streams are dealt out to a few lanes, so that a function that takes long holds up few streams.
 *
 * A function must not wait for work: it could be waiting for itself.  So rt_wait() refuses to wait in one.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <ppu.h>
#include "api/stream/hostfn.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/need.h"
#include "api/context/wait.h"
#include "api/stream/chan.h"
#include "api/stream/slot.h"
#include "api/stream/stream.h"
#include "backend/backend.h"
#include "check/check.h"

struct host_fn {
	struct host_fn *next;
	struct rt_need need;
	ppuHostFn fn;
	void *arg;
};

struct rt_lane {
	struct ppuCtx_st *ctx;
	struct rt_chan *chan;		/* only index, word and seq are used */
	struct host_fn *head, **tail;	/* functions that are not done yet */
	bool running;			/* the head is being called */
	uint64_t done;			/* functions called */
	pthread_t thread;
};

static __thread bool inside;

ppuResult rt_host_refuse(void)
{
	return inside ? rt_fail(PPU_ERROR_NOT_SUPPORTED, "a host function must not wait for work or end a context") :
			PPU_SUCCESS;
}

bool rt_host_used(const struct ppuCtx_st *ctx)
{
	for (unsigned i = 0; i < RT_MAX_LANE; i++)
		if (ctx->lane[i])
			return true;
	return false;
}

/* Locked: function `seq` of a lane is done. */
static void signal_done(struct rt_lane *lane, uint64_t seq)
{
	__atomic_store_n(rt_slot_ptr(lane->chan->word), seq, __ATOMIC_RELEASE);
	rt_chan_kick_any(lane->ctx);
}

static void *lane_thread(void *arg)
{
	struct rt_lane *lane = arg;
	struct ppuCtx_st *ctx = lane->ctx;
	struct host_fn *f;

	ppuCtxSetCurrent(ctx);
	chk_host_functions();
	pthread_mutex_lock(&ctx->lock);
	while (!ctx->dead) {
		struct rt_need need;
		ppuResult res;

		f = lane->head;
		if (!f) {
			pthread_cond_wait(&ctx->host_cond, &ctx->lock);
			continue;
		}
		need = f->need;
		res = ctx->broken ? ctx->broken : rt_wait(ctx, &need, &rt_no_limit);
		if (ctx->dead)
			break;
		if (!res && !ctx->broken) {
			lane->running = true;
			rt_leave(ctx);
			inside = true;
			f->fn(f->arg);
			inside = false;
			pthread_mutex_lock(&ctx->lock);
			lane->running = false;
			if (ctx->dead)
				break;
			signal_done(lane, ++lane->done);
		}
		/* In a broken context functions are dropped, and their waiters get the error. */
		lane->head = f->next;
		if (!lane->head)
			lane->tail = &lane->head;
		free(f);
		ctx->host_done++;
		pthread_cond_broadcast(&ctx->host_cond);
	}
	pthread_mutex_unlock(&ctx->lock);
	return NULL;
}

static ppuResult lane_new(struct ppuCtx_st *ctx, struct rt_lane **slot)
{
	struct rt_lane *lane = calloc(1, sizeof(*lane));
	struct rt_chan *c = calloc(1, sizeof(*c));
	ppuResult res = PPU_ERROR_OUT_OF_HOST_MEMORY;

	if (!lane || !c)
		goto fail;
	res = rt_slot_alloc(ctx, &c->word);
	if (res)
		goto fail;
	c->ctx = ctx;
	c->lane = lane;
	c->index = ctx->num_chan;
	lane->ctx = ctx;
	lane->chan = c;
	lane->tail = &lane->head;
	/* The thread cannot start early: it first takes the lock, which is held here. */
	if (pthread_create(&lane->thread, NULL, lane_thread, lane)) {
		rt_slot_unused(c->word);
		res = PPU_ERROR_OUT_OF_RESOURCES;
		goto fail;
	}
	ctx->chan[ctx->num_chan++] = c;
	*slot = lane;
	return PPU_SUCCESS;
fail:
	free(lane);
	free(c);
	return rt_error(res);
}

static ppuResult push(struct ppuStream_st *s, ppuHostFn fn, void *arg)
{
	struct ppuCtx_st *ctx = s->ctx;
	struct rt_lane **lane = &ctx->lane[s->slot % RT_MAX_LANE];
	struct host_fn *f;
	ppuResult res;

	if (!*lane) {
		res = lane_new(ctx, lane);
		if (res)
			return res;
	}
	f = calloc(1, sizeof(*f));
	if (!f)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	rt_stream_join(s);
	f->need = s->need;
	f->fn = fn;
	f->arg = arg;
	*(*lane)->tail = f;
	(*lane)->tail = &f->next;
	rt_stream_stands(s, (*lane)->chan, ++(*lane)->chan->seq);
	pthread_cond_broadcast(&ctx->host_cond);
	return PPU_SUCCESS;
}

ppuResult ppuLaunchHostFunc(ppuStream handle, ppuHostFn fn, void *arg)
{
	struct ppuStream_st *s;
	ppuResult res;

	if (!fn)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		res = push(s, fn, arg);
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

/* ---- waiting -------------------------------------------------------------------------------- */

static void doze(struct ppuCtx_st *ctx, uint64_t until)
{
	struct timespec ts = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };

	pthread_cond_timedwait(&ctx->host_cond, &ctx->lock, &ts);
}

ppuResult rt_host_wait(struct ppuCtx_st *ctx, struct rt_chan *c, uint64_t seq, const struct be_limits *lim)
{
	struct rt_lane *lane = c->lane;

	while (!rt_chan_done(c, seq)) {
		uint64_t slice = ppu_be_now() + BE_LOOK_NS;
		ppuResult res = ctx->dead ? rt_error(PPU_ERROR_INVALID_CONTEXT) : rt_check(ctx);

		if (res)
			return res;
		if (lane->head && !lane->running && !rt_done(ctx, &lane->head->need)) {
			/* Wait for earlier work first, with the caller's limits.  Each step goes to
			 * something submitted earlier in another lane, so the recursion is not deeper than
			 * there are lanes. */
			struct rt_need need = lane->head->need;

			res = rt_wait(ctx, &need, lim);
			if (res)
				return res;
			continue;
		}
		if (ppu_be_now() >= lim->host_ns)
			return rt_error(PPU_ERROR_TIMEOUT);
		doze(ctx, slice < lim->host_ns ? slice : lim->host_ns);
	}
	return ctx->dead ? rt_error(PPU_ERROR_INVALID_CONTEXT) : PPU_SUCCESS;
}

bool rt_host_may_go_on(struct ppuCtx_st *ctx, uint64_t done_before, uint64_t until)
{
	uint64_t slice = ppu_be_now() + BE_LOOK_NS;

	if (ctx->host_done != done_before)
		return true;
	for (unsigned i = 0; i < RT_MAX_LANE; i++) {
		const struct rt_lane *lane = ctx->lane[i];

		if (lane && (lane->running || (lane->head && rt_done(ctx, &lane->head->need)))) {
			doze(ctx, slice < until ? slice : until);
			return true;
		}
	}
	return false;
}

/* ---- the end -------------------------------------------------------------------------------- */

void rt_host_join(struct ppuCtx_st *ctx)
{
	for (unsigned i = 0; i < RT_MAX_LANE; i++)
		if (ctx->lane[i])
			pthread_join(ctx->lane[i]->thread, NULL);
}

void rt_host_free(struct ppuCtx_st *ctx)
{
	for (unsigned i = 0; i < RT_MAX_LANE; i++) {
		struct rt_lane *lane = ctx->lane[i];

		if (!lane)
			continue;
		while (lane->head) {
			struct host_fn *f = lane->head;

			lane->head = f->next;
			free(f);
		}
		free(lane);
	}
}
