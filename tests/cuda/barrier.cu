/* SPDX-License-Identifier: MIT */
/* cuda/barrier and cuda/pipeline: phases, a function at their ends, threads that leave; stages of one thread and of a block. */
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include "test.h"

#define THREADS	128
#define PHASES	20

typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

struct count {
	int *phases;

	__device__ void operator()() noexcept { ++*phases; }
};

/* Each thread writes its place, and reads its neighbour's after the barrier; the work between arriving and waiting differs. */
__global__ void exchange(int *wrong)
{
	__shared__ block_barrier b;
	__shared__ int value[2][THREADS];
	int t = threadIdx.x;

	if (!t)
		init(&b, THREADS);
	__syncthreads();
	for (int i = 0; i < PHASES; i++) {
		block_barrier::arrival_token token;

		value[i & 1][t] = 1000 * i + t;
		token = b.arrive();
		for (int k = 0; k < (t * 7 + i) % 50; k++)
			__nanosleep(10);
		b.wait(token);
		if (value[i & 1][(t + 1) % THREADS] != 1000 * i + (t + 1) % THREADS)
			atomicAdd(wrong, 1);
	}
}

/* All but one leave one after the other: phase i ends by the arrival of those that are left, and its function has run. */
__global__ void leaving(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block, count> b;
	__shared__ int phases;
	int t = threadIdx.x;

	if (!t) {
		phases = 0;
		init(&b, THREADS, count{ &phases });
	}
	__syncthreads();
	for (int i = 0; i < THREADS - 1; i++) {
		if (t == THREADS - 1 - i) {
			b.arrive_and_drop();
			return;
		}
		b.arrive_and_wait();
		if (*(volatile int *)&phases < i + 1)
			atomicAdd(&out[1], 1);
	}
	out[0] = phases;
}

/* Blocks meet at a barrier in global memory; each thread arrives for two. */
__device__ cuda::barrier<cuda::thread_scope_device> all;
__device__ int come;

__global__ void begin(int n) { init(&all, 2 * n); }

__global__ void meet(int *wrong)
{
	cuda::barrier<cuda::thread_scope_device>::arrival_token token;

	atomicAdd(&come, 1);
	token = all.arrive(2);
	if (token != 0)
		atomicAdd(wrong, 1);
	while (!all.try_wait(token))
		__nanosleep(50);
	if (*(volatile int *)&come != (int)(gridDim.x * blockDim.x))
		atomicAdd(wrong, 1);
	all.wait_parity(false);		/* that one is over */
}

/* One thread alone copies ahead. */
__global__ void ahead(const int *in, int *out, int n)
{
	__shared__ int stage[2][THREADS];
	cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
	int t = threadIdx.x;

	pipe.producer_acquire();
	cuda::memcpy_async(&stage[0][t], &in[t], cuda::aligned_size_t<4>(4), pipe);
	pipe.producer_commit();
	for (int i = 0; i < n; i++) {
		if (i + 1 < n) {
			pipe.producer_acquire();
			cuda::memcpy_async(&stage[(i + 1) & 1][t], &in[(i + 1) * THREADS + t], sizeof(int), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[i * THREADS + t] = stage[i & 1][t] + 1;
		pipe.consumer_release();
	}
}

/* One warp fills three stages, the others empty them.  A stage that is filled too early shows as a wrong sum. */
__global__ void filled(const int *in, int *out, int n, int roles)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
	__shared__ int stage[3][32];
	auto block = cooperative_groups::this_thread_block();
	bool producer = threadIdx.x < 32;
	auto pipe = roles ? cuda::make_pipeline(block, &state, producer ? cuda::pipeline_role::producer :
								       cuda::pipeline_role::consumer) :
			    cuda::make_pipeline(block, &state, 32);
	int t = threadIdx.x;

	for (int i = 0; i < n; i++) {
		if (producer) {
			pipe.producer_acquire();
			cuda::memcpy_async(&stage[i % 3][t], &in[i * 32 + t], sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			int sum = 0;

			pipe.consumer_wait();
			for (int k = 0; k < 32; k++)
				sum += *(volatile int *)&stage[i % 3][k];
			__nanosleep(t);
			atomicAdd(&out[i], sum);
			pipe.consumer_release();
		}
	}
}

/* Copies of a block with a barrier, of sizes that are no multiple of a word. */
__global__ void bytes(const char *in, char *out, int n)
{
	__shared__ block_barrier b;
	auto block = cooperative_groups::this_thread_block();

	if (!threadIdx.x)
		init(&b, THREADS);
	__syncthreads();
	cuda::memcpy_async(block, out, in, (size_t)n, b);
	cuda::memcpy_async(block, out + n + 1, in + 1, (size_t)n - 1, b);
	b.arrive_and_wait();
}

/* As many large blocks as the device says it can hold all meet; with one more for each SM none begins. */
__global__ void grid(int *out)
{
	__shared__ int much[10000];	/* what a block keeps has to be saved when it is preempted */

	much[threadIdx.x] = threadIdx.x;
	cooperative_groups::this_grid().sync();
	if (!threadIdx.x)
		atomicAdd(out, much[1]);
}

static void whole_machine(int *out)
{
	void *args[] = { &out };
	int per_sm, sms;

	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, grid, 1024, 0));
	OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	for (int more = 0; more < 2; more++) {
		int blocks = (per_sm + more) * sms;
		cudaError_t e;

		*out = 0;
		e = cudaLaunchCooperativeKernel((void *)grid, dim3(blocks), dim3(1024), args, 0, 0);
		CHECK(e == (more ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess));
		OK(cudaDeviceSynchronize());
		CHECK(*out == (e ? 0 : blocks));
		cudaGetLastError();
	}
}

int main()
{
	enum { N = 17 };
	int *m, *in, *out;

	OK(cudaMallocManaged(&m, 64));
	OK(cudaMallocManaged(&in, N * THREADS * sizeof(int)));
	OK(cudaMallocManaged(&out, N * THREADS * sizeof(int)));
	m[0] = m[1] = m[2] = 0;
	exchange<<<4, THREADS>>>(m);
	OK(cudaDeviceSynchronize());
	CHECK(m[0] == 0);
	leaving<<<1, THREADS>>>(m + 1);
	OK(cudaDeviceSynchronize());
	CHECK(m[1] == THREADS - 1 && m[2] == 0);
	begin<<<1, 1>>>(6 * 64);
	meet<<<6, 64>>>(m);
	OK(cudaDeviceSynchronize());
	CHECK(m[0] == 0);
	for (int i = 0; i < N * THREADS; i++)
		in[i] = i * i;
	ahead<<<1, THREADS>>>(in, out, N);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N * THREADS; i++)
		CHECK(out[i] == i * i + 1);
	for (int roles = 0; roles < 2; roles++) {
		for (int i = 0; i < N; i++)
			out[i] = 0;
		filled<<<1, THREADS>>>(in, out, N, roles);
		OK(cudaDeviceSynchronize());
		for (int i = 0; i < N; i++) {
			int sum = 0;

			for (int k = 0; k < 32; k++)
				sum += in[i * 32 + k];
			CHECK(out[i] == sum * (THREADS - 32));
		}
	}
	bytes<<<1, THREADS>>>((char *)in, (char *)out, 1023);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 1023; i++)
		CHECK(((char *)out)[i] == ((char *)in)[i] && (i == 1022 || ((char *)out)[1024 + i] == ((char *)in)[1 + i]));

	whole_machine(out);

	/* On the host, too: two phases of one thread. */
	block_barrier b(2);
	unsigned int token = b.arrive();
	CHECK(!b.try_wait(token) && b.try_wait_parity(true));
	b.arrive_and_drop();
	CHECK(b.try_wait(token));
	b.arrive_and_wait();
	puts("barriers: ok");
	return 0;
}
