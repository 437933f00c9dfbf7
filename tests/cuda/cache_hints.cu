/* SPDX-License-Identifier: MIT */
/* Loads and stores that name a cache, of all kinds of types; a thread that waits with one. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "test.h"

template <class T> __device__ bool moved(T *p, T v, bool (*equal)(const T &, const T &))
{
	const T *c = p;
	bool ok = true;

	__stcg(p, v);
	__stcs(p + 1, __ldcg(c));
	__stwb(p + 2, __ldcs(p + 1));
	__stwt(p + 3, __ldca(c + 2));
	ok &= equal(__ldcv(p + 3), v) && equal(__ldlu(c + 3), v);
	return ok && equal(p[3], v);
}

template <class T> __device__ bool same(const T &a, const T &b) { return a == b; }
__device__ bool same_int4(const int4 &a, const int4 &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
__device__ bool same_char2(const uchar2 &a, const uchar2 &b) { return a.x == b.x && a.y == b.y; }
__device__ bool same_double2(const double2 &a, const double2 &b) { return a.x == b.x && a.y == b.y; }
__device__ bool same_half(const __half &a, const __half &b) { return __heq(a, b); }
__device__ bool same_bf(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return a.x == b.x && a.y == b.y; }

__global__ void types(void *p, unsigned int *wrong)
{
	*wrong = !moved((char *)p, 'x', same<char>) << 0 | !moved((unsigned short *)p, (unsigned short)65530, same<unsigned short>) << 1 |
		 !moved((int *)p, -5, same<int>) << 2 | !moved((long long *)p, 1ll << 40, same<long long>) << 3 |
		 !moved((float *)p, 1.5f, same<float>) << 4 | !moved((double *)p, 0.1, same<double>) << 5 |
		 !moved((int4 *)p, make_int4(1, 2, 3, 4), same_int4) << 6 | !moved((uchar2 *)p, make_uchar2(1, 255), same_char2) << 7 |
		 !moved((double2 *)p, make_double2(1, 2), same_double2) << 8 | !moved((__half *)p, __float2half(3), same_half) << 9 |
		 !moved((__nv_bfloat162 *)p, __floats2bfloat162_rn(1, 2), same_bf) << 10;
	__stcs((float *)p, 1.0);		/* the value becomes what is there */
	*wrong |= (*(float *)p != 1.0f) << 11;
}

__global__ void waits(int *ready, int *seen)
{
	if (blockIdx.x) {
		__stcg(ready, 7);
	} else {
		while (!__ldcg(ready))
			;
		*seen = __ldcv(ready);
	}
}

int main()
{
	unsigned int *wrong;
	int *words;
	void *p;

	OK(cudaMalloc(&p, 64));
	OK(cudaMallocManaged(&wrong, sizeof(*wrong)));
	OK(cudaMallocManaged(&words, 2 * sizeof(*words)));
	types<<<1, 1>>>(p, wrong);
	words[0] = words[1] = 0;
	OK(cudaDeviceSynchronize());
	if (*wrong)
		printf("0x%x\n", *wrong);
	CHECK(!*wrong);
	waits<<<2, 1>>>(words, words + 1);
	OK(cudaDeviceSynchronize());
	CHECK(words[1] == 7);
	return 0;
}
