/* SPDX-License-Identifier: MIT */
/* Events. */
#include "cu.h"

static void release(void *obj)
{
	if (cu_obj_alive(obj))
		ppuEventDestroy(((struct CUevent_st *)obj)->ppu);
}

CUresult i_cuEventCreate(CUevent *event, unsigned int flags)
{
	unsigned int known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
	struct CUevent_st *e;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	e = NULL;
	if (!event || flags & ~known || (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING)))
		r = CUDA_ERROR_INVALID_VALUE;
	else if (flags & CU_EVENT_INTERPROCESS)
		r = CUDA_ERROR_NOT_SUPPORTED;
	else if (!(e = cu_obj_new(CU_EVENT, sizeof(*e), c, NULL)))
		r = CUDA_ERROR_OUT_OF_MEMORY;
	else
		r = cu_result(ppuEventCreate(&e->ppu, flags & CU_EVENT_DISABLE_TIMING ? PPU_EVENT_DISABLE_TIMING :
					     PPU_EVENT_DEFAULT));
	if (r) {
		cu_obj_put(e);
	} else {
		e->obj.release = release;
		e->flags = flags;
		cu_obj_publish(e);
		*event = e;
	}
	cu_obj_put(c);
	return r;
}

/* With a reference. */
static CUresult get(CUevent event, struct CUevent_st **e)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	*e = cu_obj_get(event, CU_EVENT);
	return *e ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult i_cuEventDestroy_v2(CUevent event)
{
	struct CUevent_st *e;
	CUresult r = get(event, &e);

	if (r)
		return r;
	r = cu_obj_withdraw(e) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	cu_obj_put(e);
	return r;
}

CUresult i_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	struct cu_stream_use u;
	struct CUevent_st *e;
	CUresult r;

	if (flags)
		return flags == CU_EVENT_RECORD_EXTERNAL ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
	r = get(event, &e);
	if (r)
		return r;
	r = cu_stream_get(stream, &u);
	if (!r) {
		/* An event is recorded in streams of its own context. */
		r = e->obj.ctx != u.ctx ? CUDA_ERROR_INVALID_HANDLE : cu_result(ppuEventRecord(e->ppu, u.ppu));
		cu_stream_put(&u);
	}
	cu_obj_put(e);
	return r;
}

CUresult i_cuEventRecord(CUevent event, CUstream stream)
{
	return i_cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult i_cuEventQuery(CUevent event)
{
	struct CUevent_st *e;
	CUresult r = get(event, &e);

	if (r)
		return r;
	r = cu_result(ppuEventQuery(e->ppu));
	cu_obj_put(e);
	return r;
}

CUresult i_cuEventSynchronize(CUevent event)
{
	struct CUevent_st *e;
	CUresult r = get(event, &e);

	if (r)
		return r;
	r = cu_result(ppuEventSynchronize(e->ppu));
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
	r = get(start, &s);
	if (r)
		return r;
	r = get(end, &e);
	if (r) {
		cu_obj_put(s);
		return r;
	}
	res = ppuEventElapsedTime(milliseconds, s->ppu, e->ppu);
	/* Without timing, or never recorded: no mark to measure by. */
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
