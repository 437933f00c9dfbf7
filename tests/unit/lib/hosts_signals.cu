// SPDX-License-Identifier: MIT
/* Signals of the program's own beside those by which the host's accesses are seen, for ppu_host_races.sh. */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int caught;

static void handler(int)
{
	caught = caught + 1;
	siglongjmp(back, 1);
}

__global__ void fill(int *p)
{
	p[threadIdx.x] = 1;
}

static void take()
{
	struct sigaction sa = {};

	sa.sa_handler = handler;
	sigaction(SIGSEGV, &sa, nullptr);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int *p, *q, status;

	if (!strcmp(how, "before"))
		take();
	cudaMallocManaged(&p, 4096);
	cudaMallocManaged(&q, 4096);
	q[0] = 5;
	fill<<<1, 32>>>(p);
	if (!strcmp(how, "after")) {
		cudaDeviceSynchronize();
		take();
		fill<<<1, 32>>>(p);
	}
	q[1] = 1;
	if (!strcmp(how, "fork")) {
		pid_t pid = fork();

		if (!pid) {
			printf("child %d\n", q[0]);
			fflush(stdout);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status))
			return 1;
	} else if (!sigsetjmp(back, 1)) {
		*(volatile int *)8 = 1;
		puts("survived");
	}
	cudaDeviceSynchronize();
	if (caught)
		printf("caught %d\n", caught);
}
