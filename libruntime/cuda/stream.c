/* SPDX-License-Identifier: MIT */
/* Streams.  Stream 0 is the context's legacy stream, or in per-thread calls the thread's own. */
#include <stdlib.h>
#include "cu.h"

static unsigned long long last_id;

CUresult cu_stream_get(CUstream handle, struct cu_stream_use *use)
{
	CUresult r = cu_current(&use->ctx);

	use->own = NULL;
	use->ppu = NULL;
	if (r)
		return r;
	if (!handle)
		handle = cu_per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
	if (handle == CU_STREAM_PER_THREAD) {
		r = cu_thread_stream(use->ctx, &use->ppu);
	} else if (handle != CU_STREAM_LEGACY) {
		use->own = cu_obj_get(handle, CU_STREAM);
		if (use->own && use->own->obj.ctx != use->ctx) {
			/* Its own context is as good as the current one. */
			cu_obj_ref(use->own->obj.ctx);
			cu_obj_put(use->ctx);
			use->ctx = use->own->obj.ctx;
		}
		if (use->own)
			use->ppu = use->own->ppu;
		else
			r = CUDA_ERROR_INVALID_HANDLE;
	}
	if (r)
		cu_stream_put(use);
	return r;
}

void cu_stream_put(struct cu_stream_use *use)
{
	cu_obj_put(use->own);
	cu_obj_put(use->ctx);
	use->own = NULL;
	use->ctx = NULL;
}

static void release(void *obj)
{
	if (cu_obj_alive(obj))
		ppuStreamDestroy(((struct CUstream_st *)obj)->ppu);
}

CUresult i_cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	int least, greatest;
	struct CUstream_st *s;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!stream || flags & ~(unsigned int)CU_STREAM_NON_BLOCKING) {
		cu_obj_put(c);
		return CUDA_ERROR_INVALID_VALUE;
	}
	r = cu_result(ppuStreamGetPriorityRange(&least, &greatest));
	s = r ? NULL : cu_obj_new(CU_STREAM, sizeof(*s), c, NULL);
	if (!s) {
		cu_obj_put(c);
		return r ? r : CUDA_ERROR_OUT_OF_MEMORY;
	}
	/* Priorities outside the range mean its end. */
	if (priority < (least < greatest ? least : greatest))
		priority = least < greatest ? least : greatest;
	if (priority > (least < greatest ? greatest : least))
		priority = least < greatest ? greatest : least;
	r = cu_result(ppuStreamCreate(&s->ppu, flags ? PPU_STREAM_NON_BLOCKING : PPU_STREAM_DEFAULT, priority));
	if (r) {
		cu_obj_put(s);
	} else {
		s->obj.release = release;
		s->id = 2 + __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
		cu_obj_publish(s);
		*stream = s;
	}
	cu_obj_put(c);
	return r;
}

CUresult i_cuStreamCreate(CUstream *stream, unsigned int flags)
{
	int least = 0, greatest;
	CUresult r = cu_ready();

	if (!r)
		r = cu_result(ppuStreamGetPriorityRange(&least, &greatest));
	return r ? r : i_cuStreamCreateWithPriority(stream, flags, least);
}

CUresult i_cuStreamDestroy_v2(CUstream stream)
{
	struct CUstream_st *s;
	CUresult r = cu_ready();

	if (r)
		return r;
	s = cu_obj_get(stream, CU_STREAM);
	if (!s)
		return CUDA_ERROR_INVALID_HANDLE;
	r = cu_obj_withdraw(s) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	cu_obj_put(s);
	return r;
}

CUresult i_cuStreamGetPriority(CUstream stream, int *priority)
{
	struct cu_stream_use u;
	CUresult r;

	if (!priority)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	r = cu_result(ppuStreamGetPriority(u.ppu, priority));
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamGetFlags(CUstream stream, unsigned int *flags)
{
	struct cu_stream_use u;
	CUresult r;

	if (!flags)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	r = cu_result(ppuStreamGetFlags(u.ppu, flags));
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamGetId(CUstream stream, unsigned long long *id)
{
	struct cu_stream_use u;
	CUresult r;

	if (!id)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	*id = u.own ? u.own->id : u.ppu ? 2 : 1;
	cu_stream_put(&u);
	return CUDA_SUCCESS;
}

CUresult i_cuStreamGetCtx(CUstream stream, CUcontext *ctx)
{
	struct cu_stream_use u;
	CUresult r;

	if (!ctx)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	*ctx = u.ctx;
	cu_stream_put(&u);
	return CUDA_SUCCESS;
}

CUresult i_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	struct cu_stream_use u;
	struct CUevent_st *e;
	CUresult r;

	if (flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	e = cu_obj_get(event, CU_EVENT);
	r = e ? cu_result(ppuStreamWaitEvent(u.ppu, e->ppu)) : CUDA_ERROR_INVALID_HANDLE;
	cu_obj_put(e);
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamQuery(CUstream stream)
{
	struct cu_stream_use u;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	r = cu_result(ppuStreamQuery(u.ppu));
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamSynchronize(CUstream stream)
{
	struct cu_stream_use u;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	r = cu_result(ppuStreamSynchronize(u.ppu));
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	struct cu_stream_use u;
	CUresult r;

	if (!status)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	*status = CU_STREAM_CAPTURE_STATUS_NONE;
	cu_stream_put(&u);
	return CUDA_SUCCESS;
}

/* ---- host functions ------------------------------------------------------------------------- */

CUresult i_cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	struct cu_stream_use u;
	CUresult r;

	if (!function)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	r = cu_result(ppuLaunchHostFunc(u.ppu, function, data));
	cu_stream_put(&u);
	return r;
}

struct callback {
	CUstreamCallback function;
	CUstream stream;
	void *data;
};

static void call_back(void *arg)
{
	struct callback c = *(struct callback *)arg;

	free(arg);
	c.function(c.stream, CUDA_SUCCESS, c.data);
}

CUresult i_cuStreamAddCallback(CUstream stream, CUstreamCallback function, void *data, unsigned int flags)
{
	struct callback *c;
	CUresult r;

	if (!function || flags)
		return CUDA_ERROR_INVALID_VALUE;
	c = malloc(sizeof(*c));
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*c = (struct callback){ function, stream, data };
	r = i_cuLaunchHostFunc(stream, call_back, c);
	if (r)
		free(c);
	return r;
}
