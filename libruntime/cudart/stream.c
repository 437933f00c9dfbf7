/* SPDX-License-Identifier: MIT */
/* Streams, events, host functions in a stream. */
#include <stdlib.h>
#include "cudart.h"

cudaError_t i_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamCreate(stream, flags));
}

cudaError_t i_cudaStreamCreate(cudaStream_t *stream)
{
	return i_cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t i_cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamCreateWithPriority(stream, flags, priority));
}

cudaError_t i_cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamGetPriority(crt_stream(stream), priority));
}

cudaError_t i_cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamGetFlags(crt_stream(stream), flags));
}

cudaError_t i_cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamGetId(crt_stream(stream), id));
}

cudaError_t i_cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	CUcontext ctx, before;
	CUresult r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!device)
		return cudaErrorInvalidValue;
	r = cuStreamGetCtx(crt_stream(stream), &ctx);
	if (!r)
		r = cuCtxPushCurrent_v2(ctx);
	if (r)
		return crt_error(r);
	r = cuCtxGetDevice(device);
	cuCtxPopCurrent_v2(&before);
	return crt_error(r);
}

cudaError_t i_cudaStreamDestroy(cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamDestroy_v2(stream));
}

cudaError_t i_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamWaitEvent(crt_stream(stream), event, flags));
}

cudaError_t i_cudaStreamSynchronize(cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamSynchronize(crt_stream(stream)));
}

cudaError_t i_cudaStreamQuery(cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuStreamQuery(crt_stream(stream)));
}

/* ---- functions of the host ------------------------------------------------------------------ */

cudaError_t i_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuLaunchHostFunc(crt_stream(stream), fn, data));
}

/* The Driver API's callback gets a CUresult, and passes a cudaError_t on to the program's callback. */
struct callback {
	cudaStreamCallback_t fn;
	cudaStream_t stream;
	void *data;
};

static void call_back(CUstream stream, CUresult status, void *data)
{
	struct callback *c = data;

	c->fn(c->stream, crt_error(status), c->data);
	free(c);
}

cudaError_t i_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t fn, void *data, unsigned int flags)
{
	struct callback *c;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!fn || flags)
		return cudaErrorInvalidValue;
	c = malloc(sizeof(*c));
	if (!c)
		return cudaErrorMemoryAllocation;
	*c = (struct callback){ fn, stream, data };
	e = crt_error(cuStreamAddCallback(crt_stream(stream), call_back, c, 0));
	if (e)
		free(c);
	return e;
}

/* ---- events --------------------------------------------------------------------------------- */

cudaError_t i_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuEventCreate(event, flags));
}

cudaError_t i_cudaEventCreate(cudaEvent_t *event)
{
	return i_cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t i_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuEventRecordWithFlags(event, crt_stream(stream), flags));
}

cudaError_t i_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return i_cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t i_cudaEventQuery(cudaEvent_t event)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuEventQuery(event));
}

cudaError_t i_cudaEventSynchronize(cudaEvent_t event)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuEventSynchronize(event));
}

cudaError_t i_cudaEventDestroy(cudaEvent_t event)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuEventDestroy_v2(event));
}

cudaError_t i_cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuEventElapsedTime(milliseconds, start, end));
}

/* ---- attributes ----------------------------------------------------------------------------- */

CRT_FORWARD(cudaStreamGetAttribute, cuStreamGetAttribute,
	    (cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue *value),
	    crt_stream(stream), (CUlaunchAttributeID)attribute, CRT_SAME(CUlaunchAttributeValue *, value))
CRT_FORWARD(cudaStreamSetAttribute, cuStreamSetAttribute,
	    (cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue *value),
	    crt_stream(stream), (CUlaunchAttributeID)attribute, CRT_SAME(const CUlaunchAttributeValue *, value))
CRT_FORWARD(cudaStreamCopyAttributes, cuStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
	    crt_stream(to), crt_stream(from))

cudaError_t i_cudaCtxResetPersistingL2Cache(void)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuCtxResetPersistingL2Cache);
}
