/* SPDX-License-Identifier: MIT */
/* The CUDA Driver API: work of streams captured in a graph. */
#include <pthread.h>
#include "cuda_test.h"

static CUgraphExec finish(CUstream s)
{
	CUgraphExec e;
	CUgraph g;

	OK(cuStreamEndCapture(s, &g));
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuGraphDestroy(g));
	return e;
}

static void count(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

/* Work does not run while it is captured; all of it runs at each launch of the graph. */
START_TEST(one_stream)
{
	unsigned int in = 5, out = 0;
	CUstreamCaptureStatus status;
	cuuint64_t id = 0;
	int called = 0;
	CUdeviceptr p;
	CUgraphExec e;
	CUstream s;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamIsCapturing(s, &status));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_NONE);
	IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(s, &g));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	IS(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuStreamGetCaptureInfo(s, &status, &id, NULL, NULL, NULL));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	ck_assert_uint_ne(id, 0);
	OK(cuMemcpyHtoDAsync(p, &in, 4, s));
	run(function("add_one"), p, 0, s);
	OK(cuMemsetD32Async(p + 0, 6, 0, s));		/* nothing to fill */
	run(function("scale"), p, 7, s);
	OK(cuMemcpyDtoHAsync(&out, p, 4, s));
	OK(cuLaunchHostFunc(s, count, &called));
	e = finish(s);
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 1);
	ck_assert_int_eq(called, 0);
	for (unsigned int i = 1; i <= 3; i++) {
		in = i;
		OK(cuGraphLaunch(e, s));
		OK(cuStreamSynchronize(s));
		ck_assert_uint_eq(out, (i + 1) * 7);
		ck_assert_int_eq(called, (int)i);
	}
	/* the stream itself works as before */
	run(function("store"), p, 3, s);
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 3);
}
END_TEST

/* A second stream joins by an event, does its part, and is joined again. */
START_TEST(fork_and_join)
{
	CUevent forked, done;
	const CUgraphNode *deps;
	CUstreamCaptureStatus status;
	CUdeviceptr p, q;
	CUgraphExec e;
	CUstream s, t;
	size_t num;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	q = one_word(100);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
	OK(cuEventCreate(&done, CU_EVENT_DISABLE_TIMING));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	run(function("add_one"), p, 0, s);
	OK(cuEventRecord(forked, s));
	OK(cuStreamWaitEvent(t, forked, 0));
	OK(cuStreamIsCapturing(t, &status));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
	run(function("scale"), q, 3, t);
	run(function("scale"), p, 5, s);
	OK(cuEventRecord(done, t));
	IS(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(t, &g));
	OK(cuStreamWaitEvent(s, done, 0));
	OK(cuStreamGetCaptureInfo_v2(s, &status, NULL, &g, &deps, &num));
	ck_assert_uint_eq(num, 2);			/* behind both kernels */
	num = 0;
	OK(cuGraphGetNodes(g, NULL, &num));
	ck_assert_uint_eq(num, 3);
	run(function("add_one"), q, 0, s);
	e = finish(s);
	OK(cuStreamIsCapturing(t, &status));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_NONE);
	OK(cuGraphLaunch(e, 0));
	OK(cuStreamSynchronize(0));
	ck_assert_uint_eq(word_at(p), 10);
	ck_assert_uint_eq(word_at(q), 301);
	IS(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(done));
	IS(CUDA_ERROR_CAPTURED_EVENT, cuEventSynchronize(done));
	/* while it is captured, too; then the capture has failed */
	for (int i = 0; i < 2; i++) {
		OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
		OK(cuEventRecord(forked, s));
		IS(CUDA_ERROR_CAPTURED_EVENT, i ? cuEventSynchronize(forked) : cuEventQuery(forked));
		IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
	}
	OK(cuEventRecord(done, s));			/* a place in a stream again */
	OK(cuEventSynchronize(done));
}
END_TEST

/* A stream that joined a capture is destroyed before its end. */
START_TEST(destroyed_meanwhile)
{
	CUstreamCaptureStatus status;
	CUstream s, t, u;
	CUgraphExec x;
	CUdeviceptr p, q;
	CUevent e;
	CUgraph g;
	size_t num = 0;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&e, 0));
	for (int join = 0; join < 2; join++) {
		OK(cuStreamCreate(&t, CU_STREAM_DEFAULT));
		OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
		OK(cuEventRecord(e, s));
		OK(cuStreamWaitEvent(t, e, 0));
		run(function("add_one"), p, 0, t);
		OK(cuEventRecord(e, t));
		if (join)
			OK(cuStreamWaitEvent(s, e, 0));
		OK(cuStreamDestroy(t));
		/* A new stream, perhaps where the old one was, has nothing to do with it; nor waits the legacy stream any more. */
		OK(cuStreamCreate(&u, CU_STREAM_DEFAULT));
		OK(cuStreamIsCapturing(u, &status));
		ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_NONE);
		OK(cuStreamQuery(0));
		OK(cuStreamIsCapturing(s, &status));
		ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
		run(function("scale"), p, 3, s);
		if (!join) {
			IS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(s, &g));
			ck_assert_ptr_null(g);
		} else {
			OK(cuStreamEndCapture(s, &g));
			OK(cuGraphGetNodes(g, NULL, &num));
			ck_assert_uint_eq(num, 2);
			OK(cuGraphInstantiateWithFlags(&x, g, 0));
			OK(cuGraphLaunch(x, s));
			OK(cuStreamSynchronize(s));
			ck_assert_uint_eq(word_at(p), 6);
		}
		OK(cuStreamDestroy(u));
	}
	/* The stream in which it began, before or after one that joined: nothing of the capture stays. */
	for (int first = 0; first < 2; first++) {
		OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
		OK(cuStreamCreate(&u, CU_STREAM_NON_BLOCKING));
		OK(cuStreamBeginCapture_v2(t, CU_STREAM_CAPTURE_MODE_GLOBAL));
		OK(cuEventRecord(e, t));
		OK(cuStreamWaitEvent(u, e, 0));
		run(function("add_one"), p, 0, u);
		OK(cuStreamDestroy(first ? t : u));
		OK(cuStreamDestroy(first ? u : t));
		OK(cuMemAlloc(&q, 4));
		OK(cuCtxSynchronize());
		OK(cuMemFree(q));
	}
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuStreamEndCapture(s, &g));
}
END_TEST

START_TEST(unjoined_and_merged)
{
	CUstreamCaptureStatus status;
	CUevent e, f;
	CUdeviceptr p;
	CUstream s, t;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&e, 0));
	OK(cuEventCreate(&f, 0));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecord(e, s));
	OK(cuStreamWaitEvent(t, e, 0));
	run(function("add_one"), p, 0, t);
	IS(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(s, &g));
	ck_assert_ptr_null(g);
	/* two captures cannot be joined */
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuStreamBeginCapture_v2(t, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuEventRecord(e, s));
	IS(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(t, e, 0));
	OK(cuStreamIsCapturing(s, &status));
	ck_assert_int_eq(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(t, &g));
	/* work that is not in the graph can't be waited for */
	OK(cuEventRecord(f, t));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	IS(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(s, f, 0));
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
}
END_TEST

/* A call that is not allowed during a capture ends the capture, and the stream works again. */
START_TEST(forbidden_meanwhile)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUstream s, blocking;
	CUdeviceptr p, q;
	size_t pitch;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
	IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamBeginCapture_v2(0, CU_STREAM_CAPTURE_MODE_RELAXED));
	BAD(cuStreamBeginCapture_v2(s, (CUstreamCaptureMode)7));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(s));
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuMemsetD8Async(p, 0, 1, s));
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
	OK(cuStreamSynchronize(s));
	/* modes: relaxed allows allocation, global does not */
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuMemAlloc(&q, 4));
	OK(cuMemFree(q));
	OK(cuStreamEndCapture(s, &g));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc(&q, 4));
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
	for (int i = 0; i < 4; i++) {			/* each of these calls waits for the device, or may */
		OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
		IS(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, i == 0 ? cuMemFree(p) : i == 1 ? cuMemAllocPitch(&q, &pitch, 64, 4, 4) :
		   i == 2 ? cuCtxSynchronize() : cuMemAlloc(&q, 4));
		IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(s, &g));
	}
	OK(cuThreadExchangeStreamCaptureMode(&mode));
	ck_assert_int_eq(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
	OK(cuMemAlloc(&q, 4));			/* this thread uses the relaxed mode */
	OK(cuStreamEndCapture(s, &g));
	/* the legacy stream would wait for a blocking one */
	OK(cuStreamBeginCapture_v2(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
	IS(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuMemsetD8Async(p, 0, 1, 0));
	IS(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(blocking, &g));
	/* the destruction of a stream invalidates its capture */
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuStreamDestroy(s));
	OK(cuMemsetD8Async(p, 0, 1, 0));
}
END_TEST

static void *other_thread(void *arg)
{
	CUgraph g;

	OK(cuCtxSetCurrent(ctx));
	IS(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(arg, &g));
	return NULL;
}

START_TEST(two_threads)
{
	CUdeviceptr p;
	pthread_t t;
	CUstream s;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	run(function("add_one"), p, 0, s);
	ck_assert_int_eq(pthread_create(&t, NULL, other_thread, s), 0);
	pthread_join(t, NULL);
	OK(cuGraphLaunch(finish(s), s));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 2);
}
END_TEST

/* Launches of graphs, allocations and dependencies by hand inside a capture. */
START_TEST(more_inside)
{
	const CUgraphNode *deps;
	CUstreamCaptureStatus status;
	CUgraphNodeType type;
	CUgraphNode first;
	CUgraphExec e, inner;
	CUdeviceptr p, q;
	CUstream s;
	size_t num;
	CUgraph g;

	begin(small_ptx);
	p = one_word(1);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	run(function("add_one"), p, 0, s);
	inner = finish(s);
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuGraphLaunch(inner, s));
	OK(cuStreamGetCaptureInfo_v2(s, &status, NULL, &g, &deps, &num));
	ck_assert_uint_eq(num, 1);
	first = deps[0];
	OK(cuGraphNodeGetType(first, &type));
	ck_assert_int_eq(type, CU_GRAPH_NODE_TYPE_GRAPH);
	OK(cuMemAllocAsync(&q, 64, s));
	run(function("store"), q, 11, s);
	OK(cuMemcpyDtoDAsync(p, q, 4, s));
	OK(cuMemFreeAsync(q, s));
	OK(cuGraphLaunch(inner, s));
	e = finish(s);
	OK(cuGraphExecDestroy(inner));
	OK(cuGraphLaunch(e, s));
	OK(cuStreamSynchronize(s));
	ck_assert_uint_eq(word_at(p), 12);
	/* into an existing graph, after its node */
	OK(cuGraphCreate(&g, 0));
	OK(cuGraphAddEmptyNode(&first, g, NULL, 0));
	OK(cuStreamBeginCaptureToGraph(s, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
	run(function("add_one"), p, 0, s);
	OK(cuStreamUpdateCaptureDependencies(s, &first, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
	run(function("add_one"), p, 0, s);
	OK(cuStreamEndCapture(s, &g));
	num = 0;
	OK(cuGraphNodeGetDependentNodes(first, NULL, &num));
	ck_assert_uint_eq(num, 2);
	/* who knows the graph need not be told; of an unknown one it must not be lost */
	BAD(cuStreamEndCapture(s, NULL));
	OK(cuStreamBeginCaptureToGraph(s, g, &first, NULL, 1, CU_STREAM_CAPTURE_MODE_RELAXED));
	run(function("add_one"), p, 0, s);
	OK(cuStreamEndCapture(s, NULL));
	OK(cuGraphNodeGetDependentNodes(first, NULL, &num));
	ck_assert_uint_eq(num, 3);
	OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	BAD(cuStreamEndCapture(s, NULL));
	OK(cuStreamEndCapture(s, &g));
	IS(CUDA_ERROR_ILLEGAL_STATE,
	   cuStreamUpdateCaptureDependencies(s, &first, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}
END_TEST

/* A graph that is launched in a capture comes into it with all its edges. */
START_TEST(edges_of_a_graph_inside)
{
	CUgraph g, captured, child;
	const CUgraphNode *deps;
	CUstreamCaptureStatus status;
	CUgraphNode n[4], from[8], to[8];
	CUgraphExec e;
	size_t num;
	CUstream s;

	begin(small_ptx);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuGraphCreate(&g, 0));
	for (unsigned int i = 0; i < 4; i++)	/* 2 and 3 come after 0 and 1, 3 after 2, too */
		OK(cuGraphAddEmptyNode(&n[i], g, n, i < 2 ? 0 : i));
	OK(cuGraphInstantiateWithFlags(&e, g, 0));
	OK(cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
	OK(cuGraphLaunch(e, s));
	OK(cuStreamGetCaptureInfo_v2(s, &status, NULL, &captured, &deps, &num));
	ck_assert_uint_eq(num, 1);
	OK(cuGraphChildGraphNodeGetGraph(deps[0], &child));
	num = 8;
	OK(cuGraphGetEdges(child, from, to, &num));
	ck_assert_uint_eq(num, 5);
	num = 0;
	OK(cuGraphGetRootNodes(child, NULL, &num));
	ck_assert_uint_eq(num, 2);
	OK(cuStreamEndCapture(s, &captured));
}
END_TEST

int main(void)
{
	const TTest *tests[] = { one_stream, fork_and_join, destroyed_meanwhile, unjoined_and_merged, forbidden_meanwhile, two_threads,
				 more_inside, edges_of_a_graph_inside };

	return RUN_ALL("capture", tests);
}
