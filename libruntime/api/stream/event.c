/* SPDX-License-Identifier: MIT */
/*
 * Events.  A mark is the vector that its stream stands for.  A mark with timing is also a job of its own that
 * stores the device time to a slot.  A new mark takes a new slot, because the job of the former mark may not
 * have run yet.
 */
#include <pthread.h>
#include <stdlib.h>

#include <ppu.h>
#include <hw/ppu_cmd.h>
#include "api/stream/event.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/stream/chan.h"
#include "api/stream/slot.h"
#include "api/stream/stream.h"

static void event_release(struct rt_obj *obj)
{
	struct ppuEvent_st *e = (struct ppuEvent_st *)obj;

	rt_obj_put(&e->ctx->obj);
	free(e);
}

ppuResult rt_event(ppuEvent handle, struct ppuEvent_st **out)
{
	struct ppuEvent_st *e = rt_obj_get(handle, RT_EVENT);

	*out = NULL;
	if (!e)
		return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no event", (void *)handle);
	rt_obj_ref(&e->ctx->obj);
	*out = e;
	return PPU_SUCCESS;
}

void rt_event_put(struct ppuEvent_st *e)
{
	struct ppuCtx_st *ctx = e->ctx;

	rt_obj_put(&e->obj);
	rt_obj_put(&ctx->obj);
}

ppuResult ppuEventCreate(ppuEvent *out, unsigned flags)
{
	struct ppuEvent_st *e;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!out || flags & ~PPU_EVENT_DISABLE_TIMING)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (res) {
		rt_obj_put(&ctx->obj);
		return res;
	}
	e = calloc(1, sizeof(*e));
	if (e) {
		rt_obj_init(&e->obj, RT_EVENT, event_release);
		e->ctx = ctx;	/* keeps the reference */
		e->flags = flags;
		e->next = ctx->events;
		ctx->events = e;
		rt_obj_publish(&e->obj);
		*out = e;
	}
	rt_leave(ctx);
	if (!e) {
		rt_obj_put(&ctx->obj);
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	}
	return PPU_SUCCESS;
}

static void drop_slot(struct ppuEvent_st *e)
{
	if (e->has_slot)
		rt_slot_retire(e->ctx, e->slot, &e->need);
	e->has_slot = false;
}

ppuResult ppuEventDestroy(ppuEvent handle)
{
	struct ppuEvent_st *e;
	ppuResult res = rt_event(handle, &e);

	if (res)
		return res;
	pthread_mutex_lock(&e->ctx->lock);
	if (rt_obj_withdraw(&e->obj)) {
		for (struct ppuEvent_st **p = &e->ctx->events; *p; p = &(*p)->next) {
			if (*p == e) {
				*p = e->next;
				break;
			}
		}
		if (!e->ctx->dead)
			drop_slot(e);
		rt_obj_put(&e->obj);
	}
	pthread_mutex_unlock(&e->ctx->lock);
	rt_event_put(e);
	return PPU_SUCCESS;
}

void rt_event_mark(struct ppuEvent_st *e, const struct ppuStream_st *s, struct rt_slot slot)
{
	drop_slot(e);
	e->slot = slot;
	e->has_slot = true;
	e->need = s->need;
	e->recorded = true;
}

static ppuResult record(struct ppuEvent_st *e, struct ppuStream_st *s)
{
	struct rt_slot slot;
	struct rt_job job;
	ppuResult res;

	if (e->flags & PPU_EVENT_DISABLE_TIMING && !s->is_null) {
		e->need = s->need;
		/* Add what the next job of a blocking stream would wait for. */
		if (!(s->flags & PPU_STREAM_NON_BLOCKING))
			rt_merge(s->ctx, &e->need, &s->ctx->null_stream->need);
		e->recorded = true;
		return PPU_SUCCESS;
	}
	res = rt_slot_alloc(s->ctx, &slot);
	if (res)
		return res;
	res = rt_job_begin(&job, s, rt_last_class(s, PPU_CLASS_COMPUTE), 0);
	if (res) {
		rt_slot_unused(slot);
		return res;
	}
	rt_emit_va(&job, PPU_CMD_HDR(PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0), rt_slot_va(slot));
	rt_job_end(&job);
	rt_event_mark(e, s, slot);
	return PPU_SUCCESS;
}

ppuResult ppuEventRecord(ppuEvent handle, ppuStream stream)
{
	struct ppuStream_st *s;
	struct ppuEvent_st *e;
	ppuResult res = rt_event(handle, &e);

	if (res)
		return res;
	res = rt_stream(stream, &s);
	if (!res) {
		if (s->ctx != e->ctx)
			res = rt_fail(PPU_ERROR_INVALID_CONTEXT, "event and stream are of different contexts");
		else
			res = rt_enter(s->ctx);
		if (!res) {
			res = record(e, s);
			rt_leave(s->ctx);
		}
		rt_stream_put(s);
	}
	rt_event_put(e);
	return res;
}

static ppuResult synchronize(struct ppuEvent_st *e)
{
	ppuResult res = rt_enter(e->ctx);

	if (!res) {
		if (e->recorded) {
			struct rt_need need = e->need;

			res = rt_wait(e->ctx, &need, &rt_no_limit);
		}
		rt_leave(e->ctx);
	}
	return res;
}

ppuResult ppuEventSynchronize(ppuEvent handle)
{
	struct ppuEvent_st *e;
	ppuResult res = rt_event(handle, &e);

	if (!res) {
		res = synchronize(e);
		rt_event_put(e);
	}
	return res;
}

ppuResult ppuEventQuery(ppuEvent handle)
{
	struct ppuEvent_st *e;
	ppuResult res = rt_event(handle, &e);

	if (res)
		return res;
	res = rt_enter(e->ctx);
	if (!res) {
		if (e->recorded && !rt_done(e->ctx, &e->need)) {
			rt_poll(e->ctx);
			if (!rt_done(e->ctx, &e->need))
				res = rt_check(e->ctx);
			if (!res && !rt_done(e->ctx, &e->need))
				res = rt_error(PPU_ERROR_NOT_READY);
		}
		if (!res && e->recorded)
			rt_known(e->ctx, &e->need);
		if (!res)
			res = rt_check_done(e->ctx);
		rt_leave(e->ctx);
	}
	rt_event_put(e);
	return res;
}

ppuResult ppuStreamWaitEvent(ppuStream stream, ppuEvent handle)
{
	struct ppuStream_st *s;
	struct ppuEvent_st *e;
	ppuResult res = rt_event(handle, &e);

	if (res)
		return res;
	res = rt_stream(stream, &s);
	if (!res) {
		if (s->ctx != e->ctx) {
			/* No semaphore reaches across address spaces, so the caller waits. */
			res = synchronize(e);
		} else {
			res = rt_enter(s->ctx);
			if (!res) {
				if (e->recorded)
					rt_merge(s->ctx, &s->need, &e->need);
				rt_leave(s->ctx);
			}
		}
		rt_stream_put(s);
	}
	rt_event_put(e);
	return res;
}

ppuResult ppuEventGetTime(ppuEvent handle, uint64_t *ns)
{
	struct ppuEvent_st *e;
	ppuResult res;

	if (!ns)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_event(handle, &e);
	if (res)
		return res;
	res = rt_enter(e->ctx);
	if (!res) {
		if (e->flags & PPU_EVENT_DISABLE_TIMING)
			res = rt_fail(PPU_ERROR_NOT_SUPPORTED, "the event was made without timing");
		else if (!e->recorded)
			res = rt_fail(PPU_ERROR_INVALID_VALUE, "the event was never recorded");
		else if (!rt_done(e->ctx, &e->need))
			res = rt_error(PPU_ERROR_NOT_READY);
		else
			*ns = rt_slot_ptr(e->slot)[0];
		rt_leave(e->ctx);
	}
	rt_event_put(e);
	return res;
}

ppuResult ppuEventElapsedNs(int64_t *ns, ppuEvent start, ppuEvent end)
{
	uint64_t a, b;
	ppuResult res;

	if (!ns)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = ppuEventGetTime(start, &a);
	if (!res)
		res = ppuEventGetTime(end, &b);
	if (!res)
		*ns = (int64_t)(b - a);
	return res;
}

ppuResult ppuEventElapsedTime(float *ms, ppuEvent start, ppuEvent end)
{
	int64_t ns;
	ppuResult res;

	if (!ms)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = ppuEventElapsedNs(&ns, start, end);
	if (!res)
		*ms = (float)((double)ns / 1e6);
	return res;
}
