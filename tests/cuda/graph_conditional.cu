// SPDX-License-Identifier: MIT
// Nodes of graphs that decide by what a kernel said: if, else, while, switch, one in another; clones, updates, captures.
#include <cuda_runtime.h>
#include "test.h"

static int *p;	// managed

__global__ void say(cudaGraphConditionalHandle h, const int *from, unsigned value)
{
	cudaGraphSetConditional(h, from ? (unsigned)*from : value);
}
__global__ void add(int *to, int v) { *to += v; }
// Counts down, and goes on while there is something left.
__global__ void down(cudaGraphConditionalHandle h, int *n) { cudaGraphSetConditional(h, --*n > 0); }

static cudaGraphNode_t kernel(cudaGraph_t g, const cudaGraphNode_t *after, void *f, void **args)
{
	cudaKernelNodeParams k = {};
	cudaGraphNode_t n;

	k.func = f;
	k.gridDim = k.blockDim = dim3(1);
	k.kernelParams = args;
	OK(cudaGraphAddKernelNode(&n, g, after, after ? 1 : 0, &k));
	return n;
}

static cudaGraphNode_t add_to(cudaGraph_t g, const cudaGraphNode_t *after, int *to, int v)
{
	void *args[] = { &to, &v };

	return kernel(g, after, (void *)add, args);
}

static cudaGraphNode_t say_to(cudaGraph_t g, cudaGraphConditionalHandle h, const int *from, unsigned v)
{
	void *args[] = { &h, &from, &v };

	return kernel(g, nullptr, (void *)say, args);
}

static cudaGraph_t *decision(cudaGraph_t g, const cudaGraphNode_t *after, cudaGraphConditionalHandle h,
			     cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t *node)
{
	cudaGraphNodeParams c = {};
	cudaGraphNodeType t;

	c.type = cudaGraphNodeTypeConditional;
	c.conditional.handle = h;
	c.conditional.type = type;
	c.conditional.size = size;
	OK(cudaGraphAddNode(node, g, after, after ? 1 : 0, &c));
	OK(cudaGraphNodeGetType(*node, &t));
	CHECK(t == cudaGraphNodeTypeConditional);
	return c.conditional.phGraph_out;
}

static void run(cudaGraphExec_t e)
{
	OK(cudaGraphLaunch(e, 0));
	OK(cudaDeviceSynchronize());
}

static cudaGraphExec_t made(cudaGraph_t g)
{
	cudaGraphExec_t e;

	OK(cudaGraphInstantiateWithFlags(&e, g, 0));
	return e;
}

// p[0] says which body runs, and body i adds 10^i to p[1]; p[2] counts what comes after.
static void chosen(cudaGraphConditionalNodeType type, unsigned size, const int *want, int values)
{
	cudaGraphConditionalHandle h;
	cudaGraph_t g, clone, *bodies;
	cudaGraphNode_t first, node;
	cudaGraphExec_t e[2];
	int power = 1;

	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g));
	first = say_to(g, h, p, 0);
	bodies = decision(g, &first, h, type, size, &node);
	for (unsigned i = 0; i < size; i++, power *= 10)
		add_to(bodies[i], nullptr, p + 1, power);
	add_to(g, &node, p + 2, 1);
	OK(cudaGraphClone(&clone, g));
	e[0] = made(g);
	e[1] = made(clone);
	for (int k = 0; k < 2; k++)
		for (int v = 0; v < values; v++) {
			p[0] = v;
			p[1] = p[2] = 0;
			run(e[k]);
			CHECK(p[1] == want[v]);
			CHECK(p[2] == 1);
		}
	for (int k = 0; k < 2; k++)
		OK(cudaGraphExecDestroy(e[k]));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(clone));
}

// While p[0] is not 0, p[1] grows; in each round a switch of its own adds to p[2] in every round.
static void loops()
{
	cudaGraphConditionalHandle h, inner;
	cudaGraph_t g, *body, *inside;
	cudaGraphNode_t node, n, said;
	cudaGraphExec_t e;
	cudaStream_t s;
	int *counter = p;

	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
	body = decision(g, nullptr, h, cudaGraphCondTypeWhile, 1, &node);
	{
		void *args[] = { &h, &counter };

		n = kernel(*body, nullptr, (void *)down, args);
	}
	n = add_to(*body, &n, p + 1, 1);
	OK(cudaGraphConditionalHandleCreate(&inner, g));
	said = say_to(*body, inner, p, 0);
	{
		cudaGraphNode_t from[] = { n }, to[] = { said };

		OK(cudaGraphAddDependencies(*body, from, to, 1));
	}
	inside = decision(*body, &said, inner, cudaGraphCondTypeSwitch, 3, &n);
	add_to(inside[2], nullptr, p + 2, 1);
	e = made(g);
	for (int round = 0; round < 2; round++) {	// the default is given again
		p[0] = 5;
		p[1] = p[2] = 0;
		run(e);
		CHECK(p[0] == 0 && p[1] == 5 && p[2] == 1);
	}
	// launched into a capture, as a node of another graph
	OK(cudaStreamCreate(&s));
	cudaGraph_t outer;
	cudaGraphExec_t eo;
	OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
	OK(cudaGraphLaunch(e, s));
	OK(cudaGraphLaunch(e, s));
	OK(cudaStreamEndCapture(s, &outer));
	eo = made(outer);
	p[0] = 3;
	p[1] = p[2] = 0;
	OK(cudaGraphLaunch(eo, s));
	OK(cudaStreamSynchronize(s));
	CHECK(p[0] == -1 && p[1] == 4);	// 3 rounds, and one of the second
	OK(cudaGraphExecDestroy(eo));
	OK(cudaGraphDestroy(outer));
	// an update keeps the handle, and takes what the bodies have now
	cudaGraphExecUpdateResultInfo info;
	cudaGraphNode_t nodes[8];
	size_t num = 8;
	OK(cudaGraphGetNodes(*body, nodes, &num));
	cudaKernelNodeParams k;
	OK(cudaGraphKernelNodeGetParams(nodes[1], &k));
	int *to = p + 1, v = 100;
	void *args[] = { &to, &v };
	k.kernelParams = args;
	OK(cudaGraphKernelNodeSetParams(nodes[1], &k));
	OK(cudaGraphExecUpdate(e, g, &info));
	p[0] = 2;
	p[1] = 0;
	run(e);
	CHECK(p[1] == 200);
	OK(cudaGraphDestroy(g));	// the executable one goes on
	p[0] = 2;
	run(e);
	CHECK(p[1] == 400);
	OK(cudaGraphExecDestroy(e));
	OK(cudaStreamDestroy(s));
}

static void refused()
{
	cudaGraphConditionalHandle h;
	cudaGraphNodeParams c = {};
	cudaGraphNode_t n;
	cudaGraph_t g;

	OK(cudaGraphCreate(&g, 0));
	CHECK(cudaGraphConditionalHandleCreate(&h, g, 0, 2) == cudaErrorInvalidValue);
	CHECK(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0) == cudaErrorInvalidValue);
	CHECK(cudaGraphConditionalHandleCreate(&h, (cudaGraph_t)p, 0, 0) == cudaErrorInvalidValue);
	OK(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
	c.type = cudaGraphNodeTypeConditional;
	c.conditional.handle = h + 8;
	c.conditional.size = 1;
	CHECK(cudaGraphAddNode(&n, g, nullptr, 0, &c) == cudaErrorInvalidValue);
	c.conditional.handle = h;
	for (int i = 0; i < 4; i++) {
		static const struct { int type; unsigned size; } bad[] = { { 0, 0 }, { 0, 3 }, { 1, 2 }, { 3, 1 } };

		c.conditional.type = (cudaGraphConditionalNodeType)bad[i].type;
		c.conditional.size = bad[i].size;
		CHECK(cudaGraphAddNode(&n, g, nullptr, 0, &c) == cudaErrorInvalidValue);
	}
	c.conditional.type = cudaGraphCondTypeIf;
	c.conditional.size = 1;
	OK(cudaGraphAddNode(&n, g, nullptr, 0, &c));
	CHECK(cudaGraphDestroy(*c.conditional.phGraph_out) == cudaErrorInvalidValue);	// the node's
	CHECK(cudaGraphAddNode(&n, g, nullptr, 0, &c) == cudaErrorInvalidValue);	// one node for a handle
	CHECK(cudaGraphNodeSetParams(n, &c) == cudaErrorInvalidValue);
	OK(cudaGraphDestroy(g));
}

int main()
{
	static const int when[] = { 0, 1, 1 }, otherwise[] = { 10, 1, 1 }, places[] = { 1, 10, 100, 0, 0 };

	OK(cudaMallocManaged(&p, 4 * sizeof(*p)));
	chosen(cudaGraphCondTypeIf, 1, when, 3);
	chosen(cudaGraphCondTypeIf, 2, otherwise, 3);
	chosen(cudaGraphCondTypeSwitch, 3, places, 5);
	loops();
	refused();
	puts("graph_conditional: ok");
	return 0;
}
