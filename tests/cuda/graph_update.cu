/* SPDX-License-Identifier: MIT */
/* Kernels change nodes of graphs: parameters, grid, on and off; in the graph that runs, and before another launch. */
#include "test.h"

struct counts {
	int blocks, sum, off;
};

__global__ void work(counts *c, int add)
{
	if (!threadIdx.x) {
		atomicAdd(&c->blocks, 1);
		atomicAdd(&c->sum, add);
	}
}

__global__ void other(counts *c) { c->off++; }

/* What each launch does with the nodes behind it. */
struct plan {
	cudaGraphDeviceNode_t work, other;
	unsigned int grid;
	int add;
	bool run_other;
	int errors;
};

/* As late as can be: who does not wait for the whole kernel has launched the node by then. */
__global__ void change(plan *p)
{
	__nanosleep(100000);
	p->errors += cudaGraphKernelNodeSetGridDim(p->work, dim3(p->grid)) != cudaSuccess;
	p->errors += cudaGraphKernelNodeSetParam(p->work, sizeof(counts *), p->add) != cudaSuccess;
	p->errors += cudaGraphKernelNodeSetEnabled(p->other, p->run_other) != cudaSuccess;
}

__global__ void change_all(plan *p)
{
	cudaGraphKernelNodeUpdate u[3] = { };

	__nanosleep(100000);
	u[0].node = u[1].node = p->work;
	u[0].field = cudaGraphKernelNodeFieldGridDim;
	u[0].updateData.gridDim = dim3(p->grid);
	u[1].field = cudaGraphKernelNodeFieldParam;
	u[1].updateData.param.pValue = &p->add;
	u[1].updateData.param.offset = sizeof(counts *);
	u[1].updateData.param.size = sizeof(int);
	u[2].node = p->other;
	u[2].field = cudaGraphKernelNodeFieldEnabled;
	u[2].updateData.isEnabled = p->run_other;
	p->errors += cudaGraphKernelNodeUpdatesApply(u, 3) != cudaSuccess;
}

__global__ void refused(plan *p)
{
	cudaGraphKernelNodeUpdate u = { };
	int value = 0;

	u.node = p->work;
	p->errors = (cudaGraphKernelNodeSetParam(p->work, sizeof(counts *), &value, 5) == cudaErrorInvalidValue) +
		    (cudaGraphKernelNodeSetParam(p->work, (size_t)-4, &value, 4) == cudaErrorInvalidValue) +
		    (cudaGraphKernelNodeSetGridDim(p->work, dim3(0)) == cudaErrorInvalidValue) +
		    (cudaGraphKernelNodeSetGridDim(p->work, dim3(1, 65536)) == cudaErrorInvalidValue) +
		    (cudaGraphKernelNodeSetEnabled(NULL, true) == cudaErrorInvalidValue) +
		    (cudaGraphKernelNodeUpdatesApply(&u, 1) == cudaErrorInvalidValue);
}

/* Of a graph that is not on the device. */
__global__ void gone(plan *p) { p->errors = cudaGraphKernelNodeSetEnabled(p->other, true) == cudaErrorInvalidValue; }

static cudaGraphNode_t node(cudaGraph_t g, void *k, void **params, cudaGraphNode_t after)
{
	cudaKernelNodeParams p = { };
	cudaGraphNode_t n;

	p.func = k;
	p.gridDim = p.blockDim = dim3(1);
	p.kernelParams = params;
	OK(cudaGraphAddKernelNode(&n, g, after ? &after : NULL, after != NULL, &p));
	return n;
}

static cudaGraphDeviceNode_t updatable(cudaGraphNode_t n)
{
	cudaLaunchAttributeValue v = { };

	OK(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
	CHECK(!v.deviceUpdatableKernelNode.deviceUpdatable && !v.deviceUpdatableKernelNode.devNode);
	OK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
	v.deviceUpdatableKernelNode.deviceUpdatable = 1;
	OK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
	OK(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
	CHECK(v.deviceUpdatableKernelNode.deviceUpdatable && v.deviceUpdatableKernelNode.devNode);
	cudaGraphDeviceNode_t handle = v.deviceUpdatableKernelNode.devNode;
	OK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));	/* again: the same one */
	OK(cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v));
	CHECK(v.deviceUpdatableKernelNode.devNode == handle);
	v.deviceUpdatableKernelNode.deviceUpdatable = 0;
	CHECK(cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeDeviceUpdatableKernelNode, &v) == cudaErrorInvalidValue);
	return handle;
}

static counts *c;
static plan *p;

static void expect(int blocks, int sum, int off)
{
	OK(cudaDeviceSynchronize());
	CHECK(!p->errors);
	CHECK(c->blocks == blocks && c->sum == sum && c->off == off);
	*c = counts();
}

static void launch(cudaGraphExec_t e, unsigned int grid, int add, bool run_other)
{
	p->grid = grid;
	p->add = add;
	p->run_other = run_other;
	OK(cudaGraphLaunch(e, 0));
	expect(grid, (int)grid * add, run_other);
}

static void tried(void *changer, unsigned long long flags)
{
	int one = 1;
	void *of_change[] = { &p }, *of_work[] = { &c, &one }, *of_other[] = { &c };
	cudaGraph_t g;
	cudaGraphExec_t e;

	OK(cudaGraphCreate(&g, 0));
	cudaGraphNode_t a = node(g, changer, of_change, NULL), b = node(g, (void *)work, of_work, a),
			d = node(g, (void *)other, of_other, b);
	p->work = updatable(b);
	p->other = updatable(d);
	OK(cudaGraphInstantiateWithFlags(&e, g, flags));
	OK(cudaGraphUpload(e, 0));
	launch(e, 5, 7, false);
	launch(e, 2, 100, true);
	launch(e, 9, -1, false);
	/* before a launch: what the graph's own kernel does not change stays */
	refused<<<1, 1>>>(p);
	OK(cudaDeviceSynchronize());
	CHECK(p->errors == 6);
	p->errors = 0;
	/* The host's changes count from the next launch on; a node that it has switched off can be switched on. */
	OK(cudaGraphNodeSetEnabled(e, d, 0));
	launch(e, 3, 4, true);
	OK(cudaGraphExecDestroy(e));
	gone<<<1, 1>>>(p);
	OK(cudaDeviceSynchronize());
	CHECK(p->errors == 1);
	p->errors = 0;
	OK(cudaGraphDestroy(g));
}

__global__ void set_before(plan *p) { p->errors += cudaGraphKernelNodeSetParam(p->work, sizeof(counts *), p->add) != cudaSuccess; }

/* An update by a kernel outside stays for all launches. */
static void from_outside()
{
	int one = 1;
	void *of_work[] = { &c, &one };
	cudaGraph_t g;
	cudaGraphExec_t e;

	OK(cudaGraphCreate(&g, 0));
	p->work = updatable(node(g, (void *)work, of_work, NULL));
	OK(cudaGraphInstantiateWithFlags(&e, g, 0));
	OK(cudaGraphUpload(e, 0));
	OK(cudaGraphLaunch(e, 0));
	expect(1, 1, 0);
	p->add = 30;
	set_before<<<1, 1>>>(p);
	OK(cudaGraphLaunch(e, 0));
	OK(cudaGraphLaunch(e, 0));
	expect(2, 60, 0);
	OK(cudaGraphExecDestroy(e));
	OK(cudaGraphDestroy(g));
}

int main()
{
	OK(cudaMallocManaged(&c, sizeof(*c)));
	OK(cudaMallocManaged(&p, sizeof(*p)));
	*c = counts();
	*p = plan();
	tried((void *)change, cudaGraphInstantiateFlagDeviceLaunch);
	tried((void *)change_all, 0);
	from_outside();
	return 0;
}
