/* SPDX-License-Identifier: MIT */
/* Memory and events of another process, with the kernel driver; a device inside the process refuses. */
#include <sys/wait.h>
#include <unistd.h>
#include "test.h"

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

struct message {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t event;
};

static void child(int from, int to)
{
	cudaEvent_t e;
	message m;
	int *p;

	if (read(from, &m, sizeof(m)) != sizeof(m))
		exit(0);		/* there is nothing to be had */
	OK(cudaIpcOpenMemHandle((void **)&p, m.memory, cudaIpcMemLazyEnablePeerAccess));
	OK(cudaIpcOpenEventHandle(&e, m.event));
	OK(cudaStreamWaitEvent(0, e, 0));
	add<<<1, 32>>>(p, 5);
	OK(cudaEventRecord(e, 0));
	CHECK(write(to, "x", 1) == 1);
	OK(cudaDeviceSynchronize());
	OK(cudaEventDestroy(e));
	OK(cudaIpcCloseMemHandle(p));
	CHECK(cudaIpcCloseMemHandle(p) == cudaErrorInvalidValue);
	exit(0);
}

int main()
{
	int there[2], back[2], status, host[32], supported, *p;
	cudaError_t got;
	cudaEvent_t e;
	message m;
	char byte;
	pid_t pid;

	CHECK(!pipe(there) && !pipe(back));
	pid = fork();			/* before anything of CUDA */
	if (!pid) {
		close(there[1]);
		child(there[0], back[1]);
	}
	close(there[0]);
	OK(cudaMalloc(&p, sizeof(host)));
	OK(cudaMemset(p, 0, sizeof(host)));
	OK(cudaDeviceGetAttribute(&supported, cudaDevAttrIpcEventSupport, 0));
	got = cudaIpcGetMemHandle(&m.memory, p);
	CHECK(got == (supported ? cudaSuccess : cudaErrorNotSupported));
	got = cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming);
	CHECK(got == (supported ? cudaSuccess : cudaErrorNotSupported));
	if (supported) {
		OK(cudaIpcGetEventHandle(&m.event, e));
		add<<<1, 32>>>(p, 3);
		OK(cudaEventRecord(e, 0));
		CHECK(write(there[1], &m, sizeof(m)) == sizeof(m));
		CHECK(read(back[0], &byte, 1) == 1);
		OK(cudaEventSynchronize(e));
		OK(cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost));
		for (int i = 0; i < 32; i++)
			CHECK(host[i] == 8);
	}
	close(there[1]);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	return 0;
}
