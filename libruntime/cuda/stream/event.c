/* SPDX-License-Identifier: MIT */
/* Events. */
#include <ppu.h>
#include "cuda/stream/event.h"
#include "cuda/stream/ipcevent.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/work.h"
#include "cuda/stream/stream.h"

static void release(void *obj)
{
	struct CUevent_st *e = obj;

	cu_capture_mark_free(e->mark);
	cu_ipc_event_end(e->ipc, e->obj.ctx, e->obj.ctx_id);
	if (cu_obj_alive(obj))
		ppuEventDestroy(e->ppu);
}

/* ipc becomes the event's if it is made. */
static CUresult make(struct CUctx_st *c, unsigned int flags, struct cu_ipc_event *ipc, CUevent *event)
{
	struct CUevent_st *e = cu_obj_new(CU_EVENT, sizeof(*e), c, NULL);
	CUresult r;

	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = cu_result(ppuEventCreate(&e->ppu, flags & CU_EVENT_DISABLE_TIMING ? PPU_EVENT_DISABLE_TIMING :
				     PPU_EVENT_DEFAULT));
	if (r) {
		cu_obj_put(e);
		return r;
	}
	e->obj.release = release;
	e->flags = flags;
	e->ipc = ipc;
	cu_obj_publish(e);
	*event = e;
	return CUDA_SUCCESS;
}

CUresult cu_event_of(struct CUctx_st *c, struct cu_ipc_event *ipc, CUevent *event)
{
	return make(c, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING, ipc, event);
}

CUresult i_cuEventCreate(CUevent *event, unsigned int flags)
{
	unsigned int known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
	struct cu_ipc_event *ipc = NULL;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!event || flags & ~known || (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)))
		r = CUDA_ERROR_INVALID_VALUE;
	else if (flags & CU_EVENT_INTERPROCESS)
		r = cu_ipc_event_new(c, &ipc);
	if (!r) {
		r = make(c, flags, ipc, event);
		if (r)
			cu_ipc_event_end(ipc, c, c->id);
	}
	cu_obj_put(c);
	return r;
}

CUresult i_cuEventDestroy_v2(CUevent event)
{
	return cu_obj_destroy(event, CU_EVENT);
}

CUresult i_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	struct cu_stream_use u;
	bool captured = false;
	struct cu_op op;
	CUresult r;

	if (flags & ~(unsigned int)CU_EVENT_RECORD_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_op_event(&op, CU_GRAPH_NODE_TYPE_EVENT_RECORD, event);
	if (r)
		return r;
	r = cu_stream_get(stream, &u);
	if (!r) {
		/* An event can be recorded only in streams of its own context. */
		if (op.event->obj.ctx != u.ctx)
			r = CUDA_ERROR_INVALID_HANDLE;
		else
			r = flags ? cu_capture_op(&u, &op, &captured) : cu_capture_record(&u, op.event, &captured);
		if (!r && !captured)
			r = cu_op_run(&op, &u);
		cu_stream_put(&u);
	}
	cu_op_clear(&op);
	return r;
}

CUresult i_cuEventRecord(CUevent event, CUstream stream)
{
	return i_cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult i_cuEventQuery(CUevent event)
{
	struct CUevent_st *e;
	CUresult r = cu_obj_find(event, CU_EVENT, &e);

	if (r)
		return r;
	r = cu_capture_event_check(e);
	if (!r)
		r = e->ipc ? cu_ipc_event_query(e->ipc, e->ppu) : cu_result(ppuEventQuery(e->ppu));
	cu_obj_put(e);
	return r;
}

CUresult i_cuEventSynchronize(CUevent event)
{
	struct CUevent_st *e;
	CUresult r = cu_obj_find(event, CU_EVENT, &e);

	if (r)
		return r;
	r = cu_capture_event_check(e);
	if (!r)
		r = e->ipc ? cu_ipc_event_synchronize(e->ipc, e->ppu) : cu_result(ppuEventSynchronize(e->ppu));
	cu_obj_put(e);
	return r;
}

CUresult i_cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	struct CUevent_st *s, *e;
	ppuResult res;
	CUresult r;

	if (!milliseconds)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_obj_find(start, CU_EVENT, &s);
	if (r)
		return r;
	r = cu_obj_find(end, CU_EVENT, &e);
	if (r) {
		cu_obj_put(s);
		return r;
	}
	res = ppuEventElapsedTime(milliseconds, s->ppu, e->ppu);
	/* The event has no timing or was never recorded, so there is no time to measure from. */
	r = res == PPU_ERROR_NOT_SUPPORTED || res == PPU_ERROR_INVALID_VALUE ? CUDA_ERROR_INVALID_HANDLE :
	    cu_result(res);
	cu_obj_put(s);
	cu_obj_put(e);
	return r;
}

CUresult i_cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
	return i_cuEventElapsedTime(milliseconds, start, end);
}
