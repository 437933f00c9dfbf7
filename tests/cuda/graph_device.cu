/* SPDX-License-Identifier: MIT */
/* Graphs that kernels launch: at once, into the tail, again and again, with every kind of node; and what is refused. */
#include <cstdarg>
#include <cstring>
#include "test.h"

struct notes {
	unsigned int num, at[200];
};

static notes *log_;
static cudaStream_t s;

__device__ void note(notes *n, unsigned int what) { n->at[atomicAdd(&n->num, 1u)] = what; }

__global__ void say(notes *n, unsigned int what) { note(n, what); }

/* Launches up to two graphs, and notes the error if there is one. */
__global__ void launch(notes *n, cudaGraphExec_t a, cudaStream_t how_a, cudaGraphExec_t b, cudaStream_t how_b)
{
	cudaError_t first = cudaGraphLaunch(a, how_a), second = b ? cudaGraphLaunch(b, how_b) : cudaSuccess;

	if (first)
		note(n, 1000 + first);
	if (second)
		note(n, 1000 + second);
	if (cudaGetLastError() != (second ? second : first))
		note(n, 999);
}

__global__ void again(notes *n, unsigned int times, unsigned int *count)
{
	if (++*count < times && cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch))
		note(n, 998);
}

__global__ void who(notes *n, cudaGraphExec_t self)
{
	note(n, cudaGetCurrentGraphExec() == self ? 1 : cudaGetCurrentGraphExec() ? 2 : 3);
}

/* ---- graphs of few nodes, one behind the other ---- */

static cudaGraph_t graph;
static cudaGraphNode_t last;

static void begin()
{
	OK(cudaGraphCreate(&graph, 0));
	last = NULL;
}

template <class... P, class... A> static void kernel(void (*k)(P...), A... args)
{
	void *list[] = { &args... };
	cudaKernelNodeParams p = { };

	p.func = (void *)k;
	p.gridDim = p.blockDim = dim3(1);
	p.kernelParams = list;
	cudaGraphNode_t node;
	OK(cudaGraphAddKernelNode(&node, graph, last ? &last : NULL, last != NULL, &p));
	last = node;
}

static cudaGraphExec_t made(unsigned long long flags = cudaGraphInstantiateFlagDeviceLaunch)
{
	cudaGraphExec_t e;

	OK(cudaGraphInstantiateWithFlags(&e, graph, flags));
	OK(cudaGraphDestroy(graph));
	return e;
}

static cudaGraphExec_t saying(unsigned int what)
{
	begin();
	kernel(say, log_, what);
	cudaGraphExec_t e = made();
	OK(cudaGraphUpload(e, s));
	return e;
}

static void run(cudaGraphExec_t e)
{
	log_->num = 0;
	OK(cudaGraphLaunch(e, s));
	OK(cudaStreamSynchronize(s));
}

static bool noted(unsigned int num, ...)
{
	va_list list;
	bool same = log_->num == num;

	va_start(list, num);
	for (unsigned int i = 0; same && i < num; i++)
		same = log_->at[i] == va_arg(list, unsigned int);
	va_end(list);
	for (unsigned int i = 0; !same && i < log_->num; i++)
		fprintf(stderr, " %u", log_->at[i]);
	return same;
}

static cudaGraphExec_t launching(cudaGraphExec_t a, cudaStream_t how_a, cudaGraphExec_t b, cudaStream_t how_b, unsigned int then)
{
	begin();
	kernel(launch, log_, a, how_a, b, how_b);
	kernel(say, log_, then);
	cudaGraphExec_t e = made();
	OK(cudaGraphUpload(e, s));
	return e;
}

static void try_ways()
{
	cudaGraphExec_t b = saying(10), c = saying(20), d = saying(30), e;

	e = launching(b, cudaStreamGraphFireAndForget, c, cudaStreamGraphFireAndForgetAsSibling, 1);
	for (int i = 0; i < 3; i++) {
		run(e);
		CHECK(log_->num == 3 && log_->at[0] + log_->at[1] == 30 && log_->at[2] == 1);
	}
	/* The tail begins when all nodes are complete, its graphs one after the other. */
	e = launching(b, cudaStreamGraphTailLaunch, c, cudaStreamGraphTailLaunch, 1);
	run(e);
	CHECK(noted(3, 1, 10, 20));
	/* A tail of a tail goes before the rest of the first. */
	cudaGraphExec_t inner = launching(d, cudaStreamGraphTailLaunch, NULL, 0, 2);
	e = launching(inner, cudaStreamGraphTailLaunch, c, cudaStreamGraphTailLaunch, 1);
	run(e);
	CHECK(noted(4, 1, 2, 30, 20));
	/* One graph launches another one, which launches a third one. */
	inner = launching(d, cudaStreamGraphFireAndForget, b, cudaStreamGraphTailLaunch, 2);
	e = launching(inner, cudaStreamGraphFireAndForget, c, cudaStreamGraphTailLaunch, 1);
	run(e);
	CHECK(noted(5, 30, 2, 10, 1, 20));
	/* By a kernel that is in no graph. */
	log_->num = 0;
	launch<<<1, 1, 0, s>>>(log_, b, cudaStreamGraphTailLaunch, c, cudaStreamGraphFireAndForget);
	OK(cudaStreamSynchronize(s));
	CHECK(noted(2, 20, 10));
}

static void try_again()
{
	unsigned int *count;

	OK(cudaMallocManaged(&count, sizeof(*count)));
	*count = 0;
	begin();
	kernel(again, log_, 150u, count);
	run(made());
	CHECK(*count == 150 && noted(0));
}

static void try_current()
{
	cudaGraphExec_t none = NULL;
	cudaGraphNode_t node;
	cudaKernelNodeParams p = { };

	begin();
	kernel(who, log_, none);
	node = last;
	cudaGraphExec_t e;
	OK(cudaGraphInstantiateWithFlags(&e, graph, cudaGraphInstantiateFlagDeviceLaunch));
	void *list[] = { &log_, &e };
	p.func = (void *)who;
	p.gridDim = p.blockDim = dim3(1);
	p.kernelParams = list;
	run(e);
	CHECK(noted(1, 2));
	/* A change is there at the next launch by the host. */
	OK(cudaGraphExecKernelNodeSetParams(e, node, &p));
	OK(cudaGraphDestroy(graph));
	run(e);
	CHECK(noted(1, 1));
	log_->num = 0;
	who<<<1, 1, 0, s>>>(log_, e);
	OK(cudaStreamSynchronize(s));
	CHECK(noted(1, 3));
}

/* Copies, fills and child graphs. */
static void try_nodes()
{
	unsigned short *m;
	cudaGraphNode_t node;
	cudaGraph_t child;
	cudaMemsetParams f = { };

	OK(cudaMallocManaged((void **)&m, 4096 * sizeof(*m)));
	memset(m, 0, 4096 * sizeof(*m));
	begin();
	f.dst = m;
	f.elementSize = 2;
	f.value = 0x1234;
	f.width = 5;
	f.height = 3;
	f.pitch = 32;
	OK(cudaGraphAddMemsetNode(&last, graph, NULL, 0, &f));
	OK(cudaGraphAddMemcpyNode1D(&node, graph, &last, 1, m + 1001, m, 90, cudaMemcpyDeviceToDevice));
	child = graph;
	begin();
	OK(cudaGraphAddChildGraphNode(&last, graph, NULL, 0, child));
	OK(cudaGraphAddEmptyNode(&node, graph, &last, 1));
	last = node;
	kernel(say, log_, 4u);
	cudaGraphExec_t e = made(cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUpload);
	OK(cudaGraphDestroy(child));
	run(launching(e, cudaStreamGraphFireAndForget, NULL, 0, 1));
	CHECK(noted(2, 4, 1));
	for (int i = 0; i < 45; i++)
		CHECK(m[i] == (i % 16 < 5 && i < 48 ? 0x1234 : 0) && m[1001 + i] == m[i]);
	CHECK(!m[1000] && !m[1046]);
}

static void nothing(void *) { }

static void try_refused()
{
	cudaGraphExec_t e, b = saying(10), far;
	cudaHostNodeParams h = { nothing, NULL };

	begin();
	kernel(say, log_, 5u);
	far = made();		/* not uploaded */
	run(launching(far, cudaStreamGraphFireAndForget, b, 0, 1));
	CHECK(noted(3, 1000 + cudaErrorInvalidValue, 1000 + cudaErrorInvalidValue, 1));
	/* A graph that runs, or waits in a tail, is not launched once more. */
	run(launching(b, cudaStreamGraphTailLaunch, b, cudaStreamGraphFireAndForget, 1));
	CHECK(noted(3, 1000 + cudaErrorInvalidValue, 1, 10));
	OK(cudaGraphUpload(far, s));
	run(launching(far, cudaStreamGraphTailLaunch, b, cudaStreamGraphTailLaunch, 1));
	CHECK(noted(3, 1, 5, 10));
	/* One that is gone is not found. */
	OK(cudaGraphExecDestroy(far));
	run(launching(far, cudaStreamGraphTailLaunch, b, cudaStreamGraphTailLaunch, 1));
	CHECK(noted(3, 1000 + cudaErrorInvalidValue, 1, 10));

	begin();
	OK(cudaGraphAddHostNode(&last, graph, NULL, 0, &h));
	CHECK(cudaGraphInstantiateWithFlags(&e, graph, cudaGraphInstantiateFlagDeviceLaunch) == cudaErrorNotSupported);
	cudaGraphInstantiateParams p = { cudaGraphInstantiateFlagDeviceLaunch };
	CHECK(cudaGraphInstantiateWithParams(&e, graph, &p) != cudaSuccess &&
	      p.result_out == cudaGraphInstantiateNodeOperationNotSupported);
	OK(cudaGraphDestroy(graph));
	begin();
	CHECK(cudaGraphInstantiateWithFlags(&e, graph, cudaGraphInstantiateFlagDeviceLaunch) == cudaErrorInvalidValue);
	OK(cudaGraphDestroy(graph));
}

int main()
{
	OK(cudaMallocManaged(&log_, sizeof(*log_)));
	OK(cudaStreamCreate(&s));
	try_ways();
	try_again();
	try_current();
	try_nodes();
	try_refused();
	return 0;
}
