/* SPDX-License-Identifier: MIT */
/* Launches by threads: kernels, templates, functions and lambdas that launch; streams, events, errors; memory of threads. */
#include "test.h"

namespace deep {
/* Parameters of all sizes, in a row. */
__global__ void many(int *out, char c, double d, short s, int3 v, float f)
{
	out[threadIdx.x] = c + (int)d * 10 + s * 100 + v.x * 1000 + v.y * 10000 + v.z * 100000 + (int)(f * 2) * 1000000;
}
}

/* Each level writes its number and launches the next one. */
template <class T, int step> __global__ void level(T *out, int n)
{
	extern __shared__ char room[];
	T *mine = (T *)(void *)room;

	*mine = (T)n;
	*out = *mine;
	if (n > 0)
		level<T, step><<<dim3(1), dim3(1), sizeof(T)>>>(out + 1, n - step);
}

__device__ void from_a_function(int *out)
{
	deep::many<<<1, 2>>>(out, 1, 2.5, 3, make_int3(4, 5, 6), 3.5f);
}

__global__ void add(int *p, int by)
{
	atomicAdd(p, by);
}

__global__ void times(int *p, int by)
{
	*p *= by;
}

/* In one stream in order; another one waits for an event in it. */
__device__ int in_streams(int *p)
{
	cudaStream_t a, b;
	cudaEvent_t e;
	int bad = 0;

	bad += cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking) != cudaSuccess;
	bad += cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking) != cudaSuccess;
	bad += cudaEventCreateWithFlags(&e, cudaEventDisableTiming) != cudaSuccess;
	add<<<1, 32, 0, a>>>(p, 1);
	times<<<1, 1, 0, a>>>(p, 3);
	bad += cudaEventRecord(e, a) != cudaSuccess;
	bad += cudaStreamWaitEvent(b, e) != cudaSuccess;
	add<<<2, 2, 0, b>>>(p, 100);
	bad += cudaEventDestroy(e) != cudaSuccess;
	bad += cudaStreamDestroy(a) != cudaSuccess;
	bad += cudaStreamDestroy(b) != cudaSuccess;
	return bad;
}

__global__ void parent(int *out, float *levels, double *others)
{
	int *mine, device = -1;

	from_a_function(out);
	level<float, 1><<<1, 1, 4>>>(levels, 5);
	auto launch = [=] __device__ (int n) { level<double, 2><<<1, 1, 8>>>(others, n); };
	launch(4);
	out[4] = in_streams(&out[5]);
	out[6] = cudaGetLastError();
	add<<<1, 2000>>>(out, 1);			/* too large a block */
	out[7] = cudaGetLastError();
	out[8] = cudaGetLastError();
	out[9] = cudaMalloc(&mine, 64) != cudaSuccess;
	*mine = 77;
	out[10] = *mine;
	out[11] = cudaFree(mine);
	out[12] = cudaGetDevice(&device) + device;
	out[13] = cudaMemsetAsync(&out[14], 1, 8);
}

__global__ void at_the_end(int *p)
{
	add<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 1);
	add<<<1, 1, 0, cudaStreamFireAndForget>>>(p + 1, 2);
	p[2] = cudaGetLastError();
}

int main()
{
	float *levels;
	double *others;
	int *out;

	OK(cudaMallocManaged(&out, 256));
	OK(cudaMallocManaged(&levels, 256));
	OK(cudaMallocManaged(&others, 256));
	parent<<<1, 1>>>(out, levels, others);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 7654321 && out[1] == 7654321 && out[2] == 0);
	for (int i = 0; i <= 5; i++)
		CHECK(levels[i] == 5 - i);
	CHECK(others[0] == 4 && others[1] == 2 && others[2] == 0);
	CHECK(out[4] == 0 && out[5] == 32 * 3 + 400 && out[6] == cudaSuccess);
	CHECK(out[7] == cudaErrorInvalidConfiguration && out[8] == cudaSuccess);
	CHECK(out[9] == 0 && out[10] == 77 && out[11] == 0 && out[12] == 0);
	CHECK(out[13] == 0 && out[14] == 0x01010101 && out[15] == 0x01010101 && out[16] == 0);
	out[20] = out[21] = 0;
	at_the_end<<<1, 1>>>(out + 20);
	OK(cudaDeviceSynchronize());
	CHECK(out[20] == 1 && out[21] == 2 && out[22] == 0);
	add<<<1, 1>>>(out, 1);
	OK(cudaDeviceSynchronize());
	CHECK(out[0] == 7654322);
	return 0;
}
