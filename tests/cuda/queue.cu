// SPDX-License-Identifier: MIT
// Kernels that put work into their stream's device-owned queue (ppu_queue.h), in a program built by ppu-nvcc:
// each step of the Collatz sequence is a launch by the one before.
#include <cuda_runtime.h>
#include <ppu_queue.h>
#include "test.h"

static const int N = 100, ROUNDS = 30;

struct state {
	unsigned value[N], steps[N];
	unsigned copy[N];
	int rounds, error;
};

/* extern "C": PPU_KERNEL takes the name that the kernel has in PTX. */
extern "C" __global__ void step(state *s, int round)
{
	struct { state *s; int round; } next = { s, round + 1 };
	int i = threadIdx.x;
	unsigned v;

	if (i < N && s->value[i] != 1) {
		v = s->value[i];
		s->value[i] = v % 2 ? 3 * v + 1 : v / 2;
		s->steps[i]++;
	}
	/* The next step waits only for the entries in front of it in the queue, not for the end of this kernel. */
	__threadfence();
	__syncthreads();
	if (i)
		return;
	s->rounds = round;
	if (round < ROUNDS)
		s->error |= ppuQueueLaunch(PPU_KERNEL(step), 1, 1, 1, 128, 1, 1, 0, &next, sizeof(next));
	else
		s->error |= ppuQueueCopy(s->copy, s->steps, sizeof(s->steps));
}

extern "C" __global__ void refused(state *s)
{
	s->error = ppuQueueLaunch((const void *)64, 1, 1, 1, 1, 1, 1, 0, NULL, 0);
}

int main()
{
	state *s;

	OK(cudaMallocManaged(&s, sizeof(*s)));
	for (int i = 0; i < N; i++)
		s->value[i] = i + 1, s->steps[i] = s->copy[i] = 0;
	s->error = 0;
	step<<<1, 128>>>(s, 1);
	OK(cudaDeviceSynchronize());
	CHECK(!s->error && s->rounds == ROUNDS);
	for (int i = 0; i < N; i++) {
		unsigned v = i + 1, n = 0;

		for (; v != 1 && n < (unsigned)ROUNDS; n++)
			v = v % 2 ? 3 * v + 1 : v / 2;
		CHECK(s->value[i] == v && s->steps[i] == n && s->copy[i] == n);
	}
	refused<<<1, 1>>>(s);
	OK(cudaDeviceSynchronize());
	CHECK(s->error == PPU_QUEUE_BAD_KERNEL);
	return 0;
}
