// SPDX-License-Identifier: MIT
//
// What ppu_dbg.sh debugs: kernels with several blocks, lanes that part, barriers, atomics and a function that is called.
// Each kernel's results are known; the test computes which thread writes what, and when.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCKS 4
#define THREADS 96

// A function that is not inlined: n steps of x -> 3 x + 1.
__device__ __noinline__ int steps(int x, int n)
{
	for (int i = 0; i < n; i++)
		x = 3 * x + 1;
	return x;
}

// Each thread notes in log[] that it was the turn of its writes: log[i] is who wrote cell[i % 8] as number i.
__global__ void mixed(int *cell, int *log, unsigned *turn, int *out)
{
	__shared__ int sums[THREADS];
	int t = threadIdx.x, b = blockIdx.x, n = b * blockDim.x + t;

	if (t % 3 == 0)
		sums[t] = steps(t, 2);			// line of the call
	else if (t % 3 == 1)
		sums[t] = t + 100;
	else
		sums[t] = -t;
	__syncthreads();
	for (int half = 48; half >= 3; half /= 2) {
		if (t < half)
			sums[t] += sums[t + half];	// line of the sum
		__syncthreads();
	}
	if (t == 0)
		out[b] = sums[0] + sums[1] + sums[2];	// line of the result
	if (t % 16 == 5) {
		unsigned mine = atomicAdd(turn, 1);	// line of the turn

		log[mine] = n;
		atomicExch(&cell[b], n);		// line of the cell
	}
}

__global__ void faulty(int *p, int n)
{
	int t = threadIdx.x;

	if (t == 37)
		p = reinterpret_cast<int *>(8);
	p[t % n] = t;					// line of the fault
}

// The second warp asks for what the first one says, again and again.
__global__ void flagged(int *out)
{
	__shared__ volatile int flag;

	if (threadIdx.x == 0)
		flag = 0;
	__syncthreads();
	if (threadIdx.x == 0)
		flag = 1;				// line of the flag
	if (threadIdx.x >= 32) {
		while (!flag)
			;
		out[threadIdx.x - 32] = 1;
	}
}

// Never ends.
__global__ void endless(volatile int *p)
{
	while (!*p)
		;
}

static void must(cudaError_t e, int line)
{
	if (e == cudaSuccess)
		return;
	printf("line %d: %s\n", line, cudaGetErrorString(e));
	exit(3);
}
#define MUST(call) must(call, __LINE__)

static int run_mixed(bool show)
{
	int *cell, *log, *out, host[BLOCKS], who[BLOCKS * THREADS], cells[BLOCKS];
	unsigned *turn, turns;

	MUST(cudaMalloc(&cell, sizeof(cells)));
	MUST(cudaMalloc(&log, sizeof(who)));
	MUST(cudaMalloc(&out, sizeof(host)));
	MUST(cudaMalloc(&turn, sizeof(*turn)));
	MUST(cudaMemset(cell, 0, sizeof(cells)));
	MUST(cudaMemset(turn, 0, sizeof(*turn)));
	printf("cell %p\nlog %p\nout %p\nturn %p\n", cell, log, out, turn);
	fflush(stdout);
	mixed<<<BLOCKS, THREADS>>>(cell, log, turn, out);
	MUST(cudaDeviceSynchronize());
	MUST(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy(who, log, sizeof(who), cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy(cells, cell, sizeof(cells), cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy(&turns, turn, sizeof(turns), cudaMemcpyDeviceToHost));
	printf("out");
	for (int i = 0; i < BLOCKS; i++)
		printf(" %d", host[i]);
	printf("\ncells");
	for (int i = 0; i < BLOCKS; i++)
		printf(" %d", cells[i]);
	printf("\nlog");
	for (unsigned i = 0; i < turns; i++)
		printf(" %d", who[i]);
	printf("\n");
	return 0;
}

static int run_faulty()
{
	cudaError_t e;
	int *p;

	MUST(cudaMalloc(&p, 64 * sizeof(*p)));
	faulty<<<1, 64>>>(p, 64);
	e = cudaDeviceSynchronize();
	printf("%s\n", cudaGetErrorName(e));
	return e == cudaSuccess;
}

static int run_endless()
{
	int *p;

	MUST(cudaMalloc(&p, sizeof(*p)));
	MUST(cudaMemset(p, 0, sizeof(*p)));
	endless<<<1, 32>>>(p);
	MUST(cudaDeviceSynchronize());
	return 0;
}

static int run_flagged()
{
	int *p;

	MUST(cudaMalloc(&p, 32 * sizeof(*p)));
	flagged<<<1, 64>>>(p);
	MUST(cudaDeviceSynchronize());
	return 0;
}

// A child is made when the device is open.
static int run_child(const char *command)
{
	MUST(cudaFree(0));
	fflush(stdout);
	return system(command) != 0;
}

// Two processes open their devices.
static int run_fork()
{
	pid_t child = fork();
	int rc = run_mixed(true), status = 0;

	fflush(stdout);
	if (child)
		wait(&status);
	return rc || status;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "endless"))
		return run_endless();
	if (argc > 1 && !strcmp(argv[1], "flag"))
		return run_flagged();
	if (argc > 2 && !strcmp(argv[1], "child"))
		return run_child(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "fork"))
		return run_fork();
	if (argc > 1 && !strcmp(argv[1], "fault"))
		return run_faulty();
	return run_mixed(true);
}
