/* SPDX-License-Identifier: MIT */
/*
 * Two processes use the CUDA Driver API at once, through the driver: one faults and stays broken until it makes
 * a new context, the other one's work goes on and is right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda/cuda.h>

#define ROUNDS 40u

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .entry add_one(.param .u64 p)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<3>;\n"
	"ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; add.u32 %r2, %r1, 1; st.global.u32 [%rd1], %r2; ret;\n}\n";

#define MUST(want, call) do { \
	CUresult r_ = (call); \
	if (r_ != (want)) { \
		fprintf(stderr, "# %s: %d instead of %d\n", #call, r_, (want)); \
		_exit(1); \
	} \
} while (0)

struct user {
	CUcontext ctx;
	CUfunction f;
	CUdeviceptr p;
};

static struct user begin(void)
{
	unsigned int zero = 0;
	struct user u;
	CUmodule m;

	MUST(CUDA_SUCCESS, cuInit(0));
	MUST(CUDA_SUCCESS, cuCtxCreate(&u.ctx, 0, 0));
	MUST(CUDA_SUCCESS, cuModuleLoadData(&m, ptx));
	MUST(CUDA_SUCCESS, cuModuleGetFunction(&u.f, m, "add_one"));
	MUST(CUDA_SUCCESS, cuMemAlloc(&u.p, 4));
	MUST(CUDA_SUCCESS, cuMemcpyHtoD(u.p, &zero, 4));
	return u;
}

static void add_one(struct user *u, CUdeviceptr p)
{
	void *params[] = { &p };

	MUST(CUDA_SUCCESS, cuLaunchKernel(u->f, 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
}

static void count(struct user *u, unsigned int times)
{
	unsigned int v;

	for (unsigned int i = 0; i < times; i++)
		add_one(u, u->p);
	MUST(CUDA_SUCCESS, cuMemcpyDtoH(&v, u->p, 4));
	if (v != times)
		_exit(1);
}

/* go: a pipe; the process that is ready writes, the other one reads. */
static int faulty(int ready, int go)
{
	struct user u = begin();
	CUdeviceptr q;
	char c = 0;

	count(&u, 3);
	if (write(ready, &c, 1) != 1 || read(go, &c, 1) != 1)
		return 1;
	add_one(&u, 0x10);
	MUST(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
	MUST(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&q, 4));
	MUST(CUDA_SUCCESS, cuCtxDestroy(u.ctx));
	u = begin();
	count(&u, 3);
	return 0;
}

int main(void)
{
	int ready[2], go[2], status = 1;
	struct user u;
	char c = 0;
	pid_t pid;

	if (pipe(ready) || pipe(go))
		return 1;
	pid = fork();		/* before either has opened the device */
	if (!pid)
		_exit(faulty(ready[1], go[0]));
	u = begin();
	/* Both have contexts and work; now the other one faults in the middle of ours. */
	if (read(ready[0], &c, 1) != 1 || write(go[1], &c, 1) != 1)
		return 1;
	count(&u, ROUNDS);
	waitpid(pid, &status, 0);
	printf("%s - a fault breaks its context until it is destroyed\n", status ? "not ok" : "ok");
	MUST(CUDA_SUCCESS, cuCtxSynchronize());
	printf("ok - the other process's %u kernels were right meanwhile\n", ROUNDS);
	return status != 0;
}
