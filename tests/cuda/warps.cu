// SPDX-License-Identifier: MIT
// Warps and atomics: votes, shuffles, matches, compare-and-swap, minima, exchange; bits.
#include <cuda_runtime.h>
#include "test.h"

__global__ void warp(unsigned int *out)
{
	unsigned int i = threadIdx.x;

	out[i] = __ballot_sync(0xffffffffu, i % 3 == 0);
	out[32 + i] = __any_sync(0xffffffffu, i == 40) * 2 + __all_sync(0xffffffffu, i < 32);
	out[64 + i] = __shfl_xor_sync(0xffffffffu, i, 5);
	out[96 + i] = __shfl_up_sync(0xffffffffu, i, 1);
	out[128 + i] = __match_any_sync(0xffffffffu, i / 8);
	out[160 + i] = __popc(i) + 100 * __clz(i) + 10000 * __ffs(i);
	out[192 + i] = __byte_perm(0x03020100u + i, 0x07060504u, 0x6420);
	out[224 + i] = __brev(i) ^ __activemask();
	out[256 + i] = __vadd4(0x01ff0203u, 0x01010101u * i) ^ __vmaxu2(0x00010000u * i, 0x00050005u);
	/* 64 bits: the lower halves are the same, or the upper ones */
	out[320 + i] = __match_any_sync(0xffffffffu, (unsigned long long)(i / 4) << 32 | (i & 1));
	out[352 + i] = __match_any_sync(0xffffffffu, (double)(i / 16));
	out[288 + i] = __syncthreads_count(i % 4 == 0) + (unsigned int)__float_as_int((float)i);
}

__global__ void atomics(int *v, unsigned int *u, unsigned long long *l, float *f)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, old, seen;

	atomicMin(&v[0], -i);
	atomicMax(&v[1], i);
	atomicSub(&v[2], 1);
	atomicOr(&v[3], 1 << i % 20);
	atomicXor(&v[4], i);
	atomicInc(&u[0], 9);
	atomicDec(&u[1], 99);
	atomicAnd(&u[2], ~(1u << i % 7));
	atomicAdd(&l[0], 1ull << 33);
	atomicMax(&l[1], (unsigned long long)i << 35);
	/* a sum by compare-and-swap */
	for (old = v[5];; old = seen) {
		seen = atomicCAS(&v[5], old, old + 3);
		if (seen == old)
			break;
	}
	atomicAdd(f, 0.5f);
	atomicExch(&v[6], 77);
}

int main()
{
	static unsigned int w[384], u[3] = { 0, 0, ~0u };
	static int v[7];
	unsigned long long l[2] = { 0, 0 };
	unsigned int *dw, *du;
	unsigned long long *dl;
	float *df, f = 0;
	int *dv;

	OK(cudaMalloc(&dw, sizeof(w)));
	OK(cudaMalloc(&du, sizeof(u)));
	OK(cudaMalloc(&dv, sizeof(v)));
	OK(cudaMalloc(&dl, sizeof(l)));
	OK(cudaMalloc(&df, sizeof(f)));
	warp<<<1, 32>>>(dw);
	OK(cudaMemcpy(w, dw, sizeof(w), cudaMemcpyDeviceToHost));
	for (unsigned int i = 0; i < 32; i++) {
		unsigned int brev = 0, add = 0, max;

		for (int b = 0; b < 32; b++)
			brev |= (i >> b & 1) << (31 - b);
		for (int b = 0; b < 32; b += 8)
			add |= ((0x01ff0203u >> b) + i & 0xff) << b;
		max = (i > 5 ? i : 5) << 16 | 5;
		CHECK(w[i] == 0x49249249u);
		CHECK(w[32 + i] == 1);
		CHECK(w[64 + i] == (i ^ 5));
		CHECK(w[96 + i] == (i ? i - 1 : 0));
		CHECK(w[128 + i] == 0xffu << (i / 8 * 8));
		CHECK(w[160 + i] == (unsigned int)(__builtin_popcount(i) + 100 * (i ? __builtin_clz(i) : 32) +
						   10000 * __builtin_ffs((int)i)));
		CHECK(w[192 + i] == (0x06040200u & 0xffffff00u) + (0x00u + i & 0xff));
		CHECK(w[224 + i] == ~brev);
		CHECK(w[256 + i] == (add ^ max));
		CHECK(w[320 + i] == 5u << ((i & ~3u) + (i & 1)));
		CHECK(w[352 + i] == 0xffffu << (i & 16));
		union { float f; unsigned int u; } bits = { (float)i };
		CHECK(w[288 + i] == 8 + bits.u);
	}
	OK(cudaMemcpy(du, u, sizeof(u), cudaMemcpyHostToDevice));
	OK(cudaMemset(dv, 0, sizeof(v)));
	OK(cudaMemset(dl, 0, sizeof(l)));
	OK(cudaMemset(df, 0, sizeof(f)));
	atomics<<<3, 64>>>(dv, du, dl, df);
	OK(cudaMemcpy(v, dv, sizeof(v), cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(u, du, sizeof(u), cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(l, dl, sizeof(l), cudaMemcpyDeviceToHost));
	OK(cudaMemcpy(&f, df, sizeof(f), cudaMemcpyDeviceToHost));
	int x = 0;
	for (int i = 0; i < 192; i++)
		x ^= i;
	CHECK(v[0] == -191 && v[1] == 191 && v[2] == -192 && v[3] == 0xfffff && v[4] == x && v[5] == 576 && v[6] == 77);
	CHECK(u[0] == 192 % 10 && u[1] == (100 - 192 % 100) % 100 && u[2] == (~0u & ~0x7fu));
	CHECK(l[0] == 192ull << 33 && l[1] == 191ull << 35);
	CHECK(f == 96.0f);
	return 0;
}
