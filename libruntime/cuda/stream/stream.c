/* SPDX-License-Identifier: MIT */
/* Streams.  Stream 0 is the context's legacy stream, or in per-thread calls the thread's own stream. */
#include <string.h>

#include <ppu.h>
#include "cuda/stream/stream.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/work.h"

__thread bool cu_per_thread;

/* Synchronisation policies say how a thread waits.  Here waiting threads always sleep, whatever the policy. */
enum { SYNC_AUTO = 1, SYNC_BLOCKING = 4 };

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
			/* The stream may be one of another context, which is used then. */
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
	/* A priority outside of the range is moved to the nearer end of the range. */
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
	struct CUstream_st *st;
	CUresult r = cu_obj_find(stream, CU_STREAM, &st);

	if (r)
		return r;
	cu_capture_stream_gone(st->ppu);
	cu_obj_put(st);
	return cu_obj_destroy(stream, CU_STREAM);
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

CUresult i_cuStreamGetCtx_v2(CUstream stream, CUcontext *ctx, void **green)
{
	CUresult r = i_cuStreamGetCtx(stream, ctx);

	if (!r && green)
		*green = NULL;		/* there are no green contexts */
	return r;
}

CUresult i_cuStreamGetDevice(CUstream stream, CUdevice *device)
{
	struct cu_stream_use u;
	CUresult r;

	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	*device = u.ctx->device;
	cu_stream_put(&u);
	return CUDA_SUCCESS;
}

/* ---- attributes ----------------------------------------------------------------------------- */

CUresult i_cuStreamGetAttribute(CUstream stream, CUlaunchAttributeID attribute, CUlaunchAttributeValue *value)
{
	struct cu_stream_use u;
	CUresult r;

	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	memset(value, 0, sizeof(*value));
	if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		r = cu_result(ppuStreamGetPriority(u.ppu, &value->priority));
	else if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY)
		value->syncPolicy = u.own && u.own->sync_policy ? u.own->sync_policy : SYNC_AUTO;
	else if (attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW && u.own)
		value->accessPolicyWindow = u.own->window;
	else if (attribute != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
		r = CUDA_ERROR_INVALID_VALUE;
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamSetAttribute(CUstream stream, CUlaunchAttributeID attribute, const CUlaunchAttributeValue *value)
{
	struct cu_stream_use u;
	CUresult r;

	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
		r = cu_result(ppuStreamSetPriority(u.ppu, value->priority));
	else if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY && value->syncPolicy >= SYNC_AUTO &&
		 value->syncPolicy <= SYNC_BLOCKING && u.own)
		u.own->sync_policy = value->syncPolicy;
	else if (attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW && u.own)	/* only advises a cache */
		u.own->window = value->accessPolicyWindow;
	else if (attribute != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW)
		r = CUDA_ERROR_INVALID_VALUE;
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamCopyAttributes(CUstream to, CUstream from)
{
	static const CUlaunchAttributeID ids[] = { CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
						   CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
						   CU_LAUNCH_ATTRIBUTE_PRIORITY };
	CUresult r = CUDA_SUCCESS;
	CUlaunchAttributeValue v;

	for (size_t i = 0; !r && i < sizeof(ids) / sizeof(*ids); i++) {
		r = i_cuStreamGetAttribute(from, ids[i], &v);
		if (!r)
			r = i_cuStreamSetAttribute(to, ids[i], &v);
	}
	return r;
}

/* ---- waiting -------------------------------------------------------------------------------- */

CUresult i_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	struct cu_stream_use u;
	bool captured = false;
	struct cu_op op;
	CUresult r;

	if (flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	r = cu_op_event(&op, CU_GRAPH_NODE_TYPE_WAIT_EVENT, event);
	if (!r) {
		r = flags ? cu_capture_op(&u, &op, &captured) : cu_capture_wait(&u, op.event, &captured);
		if (!r && !captured)
			r = cu_op_run(&op, &u);
		cu_op_clear(&op);
	}
	cu_stream_put(&u);
	return r;
}

CUresult i_cuStreamQuery(CUstream stream)
{
	struct cu_stream_use u;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	r = cu_capture_forbids(&u);
	if (!r)
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
	r = cu_capture_forbids(&u);
	if (!r)
		r = cu_result(ppuStreamSynchronize(u.ppu));
	cu_stream_put(&u);
	return r;
}
