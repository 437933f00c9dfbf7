/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "api/stream/stream.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/queue.h"
#include "api/stream/chan.h"
#include "api/stream/prio.h"
#include "backend/backend.h"
#include "check/check.h"
#include "prof/prof.h"

static void stream_release(struct rt_obj *obj)
{
	struct ppuStream_st *s = (struct ppuStream_st *)obj;

	if (!s->is_null) {
		if (s->ctx->prof)
			prof_stream_gone(s->ctx->prof, s);
		rt_obj_put(&s->ctx->obj);
	}
	free(s);
}

/* Internal streams (default, loading) hold no reference to their context: they are part of it. */
struct ppuStream_st *rt_stream_new(struct ppuCtx_st *ctx, unsigned flags, int priority)
{
	struct ppuStream_st *s = calloc(1, sizeof(*s));
	unsigned level;

	if (!s)
		return NULL;
	rt_obj_init(&s->obj, RT_STREAM, stream_release);
	s->ctx = ctx;
	s->flags = flags;
	s->last_chan = -1;
	if (rt_prio_level(&ctx->device->prop, priority, &level)) {
		free(s);
		return NULL;
	}
	/* A user who asks for the least priority has asked for nothing. */
	rt_prio_assign(s, priority, level, level > 0);
	return s;
}

void rt_stream_join(struct ppuStream_st *s)
{
	struct ppuCtx_st *ctx = s->ctx;

	if (s->is_null) {
		rt_merge(ctx, &s->need, &ctx->orphans);
		for (struct ppuStream_st *o = ctx->streams; o; o = o->next)
			if (!(o->flags & PPU_STREAM_NON_BLOCKING))
				rt_merge(ctx, &s->need, &o->need);
	} else if (!(s->flags & PPU_STREAM_NON_BLOCKING)) {
		rt_merge(ctx, &s->need, &ctx->null_stream->need);
	}
}

void rt_stream_stands(struct ppuStream_st *s, const struct rt_chan *c, uint64_t seq)
{
	struct ppuCtx_st *ctx = s->ctx;

	if (ctx->check && chk_orders())
		chk_work(ctx->check, s->need.seq, ctx->num_chan, c->index, seq, c->cls == PPU_CLASS_COPY);
	memset(&s->need, 0, sizeof(s->need));
	s->need.seq[c->index] = seq;
}

ppuResult rt_stream(ppuStream handle, struct ppuStream_st **out)
{
	struct ppuStream_st *s;

	*out = NULL;
	if (handle) {
		s = rt_obj_get(handle, RT_STREAM);
		if (!s)
			return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no stream", (void *)handle);
		rt_obj_ref(&s->ctx->obj);
	} else {
		struct ppuCtx_st *ctx;
		ppuResult res = rt_current(&ctx);

		if (res)
			return res;
		s = ctx->null_stream;
	}
	*out = s;
	return PPU_SUCCESS;
}

void rt_stream_put(struct ppuStream_st *s)
{
	struct ppuCtx_st *ctx = s->ctx;

	if (!s->is_null)
		rt_obj_put(&s->obj);
	rt_obj_put(&ctx->obj);
}

ppuResult ppuStreamCreate(ppuStream *out, unsigned flags, int priority)
{
	struct ppuStream_st *s;
	struct ppuCtx_st *ctx;
	unsigned level;
	ppuResult res;

	if (!out || flags & ~PPU_STREAM_NON_BLOCKING)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_prio_level(&ctx->device->prop, priority, &level);
	if (!res)
		res = rt_enter(ctx);
	if (res) {
		rt_obj_put(&ctx->obj);
		return res;
	}
	s = rt_stream_new(ctx, flags, priority);
	if (s) {
		s->slot = ctx->next_slot++;
		s->next = ctx->streams;
		ctx->streams = s;
		rt_obj_publish(&s->obj);
		*out = s;		/* keeps the reference to ctx */
	}
	rt_leave(ctx);
	if (!s) {
		rt_obj_put(&ctx->obj);
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	}
	return PPU_SUCCESS;
}

ppuResult ppuStreamDestroy(ppuStream handle)
{
	struct ppuStream_st *s;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!handle)
		return rt_error(PPU_ERROR_INVALID_HANDLE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	ctx = s->ctx;
	pthread_mutex_lock(&ctx->lock);
	if (rt_obj_withdraw(&s->obj)) {
		for (struct ppuStream_st **p = &ctx->streams; *p; p = &(*p)->next) {
			if (*p == s) {
				*p = s->next;
				break;
			}
		}
		if (!(s->flags & PPU_STREAM_NON_BLOCKING))
			rt_merge(ctx, &ctx->orphans, &s->need);
		rt_queue_disown(s);
		rt_obj_put(&s->obj);
	}
	pthread_mutex_unlock(&ctx->lock);
	rt_stream_put(s);
	return PPU_SUCCESS;
}

ppuResult ppuStreamGetPriorityRange(int *least, int *greatest)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!least || !greatest)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	*least = ctx->device->prop.stream_priority_least;
	*greatest = ctx->device->prop.stream_priority_greatest;
	rt_obj_put(&ctx->obj);
	return PPU_SUCCESS;
}

ppuResult ppuStreamGetPriority(ppuStream handle, int *priority)
{
	struct ppuStream_st *s;
	ppuResult res;

	if (!priority)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	*priority = s->priority;
	rt_stream_put(s);
	return PPU_SUCCESS;
}

ppuResult ppuStreamGetDevicePriority(ppuStream handle, uint32_t *priority)
{
	struct ppuStream_st *s;
	ppuResult res;

	if (!priority)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	*priority = s->device_priority;
	rt_stream_put(s);
	return PPU_SUCCESS;
}

ppuResult ppuStreamSetPriority(ppuStream handle, int priority)
{
	struct ppuStream_st *s;
	unsigned level;
	ppuResult res = rt_stream(handle, &s);

	if (res)
		return res;
	res = rt_prio_level(&s->ctx->device->prop, priority, &level);
	if (!res)
		res = rt_enter(s->ctx);
	if (!res) {
		rt_prio_assign(s, priority, level, true);
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

ppuResult ppuStreamGetFlags(ppuStream handle, unsigned *flags)
{
	struct ppuStream_st *s;
	ppuResult res;

	if (!flags)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_stream(handle, &s);
	if (res)
		return res;
	*flags = s->flags;
	rt_stream_put(s);
	return PPU_SUCCESS;
}

/* What "all work of the stream" is.  For the default stream it includes the work of the blocking ones. */
static void stands_for(struct ppuStream_st *s, struct rt_need *need)
{
	*need = s->need;
	if (!s->is_null)
		return;
	rt_merge(s->ctx, need, &s->ctx->orphans);
	for (struct ppuStream_st *o = s->ctx->streams; o; o = o->next)
		if (!(o->flags & PPU_STREAM_NON_BLOCKING))
			rt_merge(s->ctx, need, &o->need);
}

ppuResult ppuStreamSynchronizeUntil(ppuStream handle, uint64_t device_deadline, uint64_t host_timeout)
{
	struct be_limits lim = { .device_ns = device_deadline, .host_ns = UINT64_MAX };
	struct ppuStream_st *s;
	struct rt_need need;
	ppuResult res = rt_stream(handle, &s);

	if (res)
		return res;
	if (host_timeout < UINT64_MAX / 2)
		lim.host_ns = ppu_be_now() + host_timeout;
	res = rt_enter(s->ctx);
	if (!res) {
		stands_for(s, &need);
		res = rt_wait(s->ctx, &need, &lim);
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

ppuResult ppuStreamSynchronize(ppuStream handle)
{
	return ppuStreamSynchronizeUntil(handle, UINT64_MAX, UINT64_MAX);
}

ppuResult ppuStreamQuery(ppuStream handle)
{
	struct ppuStream_st *s;
	struct rt_need need;
	ppuResult res = rt_stream(handle, &s);

	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		stands_for(s, &need);
		if (!rt_done(s->ctx, &need)) {
			rt_poll(s->ctx);
			res = rt_done(s->ctx, &need) ? PPU_SUCCESS : rt_check(s->ctx);
			if (!res && !rt_done(s->ctx, &need))
				res = rt_error(PPU_ERROR_NOT_READY);
		}
		if (!res) {
			rt_known(s->ctx, &need);
			res = rt_check_done(s->ctx);
		}
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}
