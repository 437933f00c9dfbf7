/* SPDX-License-Identifier: MIT */
/* The functions __nv_atomic_*: each operation on each type, by one thread and by many. */
#include "test.h"

enum { RELAXED = __NV_ATOMIC_RELAXED, ACQ_REL = __NV_ATOMIC_ACQ_REL, SEQ_CST = __NV_ATOMIC_SEQ_CST };

template <class T> __device__ bool numbers(T *p)
{
	T v = T(4), found = T(0), wanted = T(9);
	bool ok = true;

	__nv_atomic_store_n(p, T(7), __NV_ATOMIC_RELEASE);
	ok &= __nv_atomic_load_n((const T *)p, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == T(7) && *p == T(7);
	__nv_atomic_store(p, &v, SEQ_CST, __NV_THREAD_SCOPE_BLOCK);
	__nv_atomic_load(p, &found, __NV_ATOMIC_CONSUME, __NV_THREAD_SCOPE_CLUSTER);
	ok &= found == T(4);
	ok &= __nv_atomic_exchange_n(p, T(5), RELAXED) == T(4);
	__nv_atomic_exchange(p, &v, &found, ACQ_REL, __NV_THREAD_SCOPE_THREAD);
	ok &= found == T(5) && *p == T(4);
	ok &= !__nv_atomic_compare_exchange_n(p, &wanted, T(1), false, SEQ_CST, RELAXED) && wanted == T(4) && *p == T(4);
	ok &= __nv_atomic_compare_exchange(p, &wanted, &found, true, RELAXED, RELAXED, __NV_THREAD_SCOPE_SYSTEM) && *p == T(5);
	ok &= __nv_atomic_fetch_add(p, 3, RELAXED) == T(5) && __nv_atomic_fetch_sub(p, T(2), RELAXED) == T(8);
	__nv_atomic_add(p, T(4), RELAXED);
	__nv_atomic_sub(p, T(1), RELAXED);
	ok &= *p == T(9) && __nv_atomic_fetch_min(p, T(3), RELAXED) == T(9) && __nv_atomic_fetch_max(p, T(6), RELAXED) == T(3);
	__nv_atomic_min(p, T(8), RELAXED);
	__nv_atomic_max(p, T(2), RELAXED);
	return ok && *p == T(6);
}

template <class T> __device__ bool masks(T *p)
{
	bool ok = numbers(p);

	*p = T(12);
	ok &= __nv_atomic_fetch_and(p, T(10), RELAXED) == T(12) && __nv_atomic_fetch_or(p, T(5), RELAXED) == T(8) &&
	      __nv_atomic_fetch_xor(p, T(9), RELAXED) == T(13);
	__nv_atomic_and(p, T(6), RELAXED);
	__nv_atomic_or(p, T(1), RELAXED);
	__nv_atomic_xor(p, T(7), RELAXED);
	return ok && *p == T(2);
}

struct all {
	unsigned int wrong, sum, least;
	unsigned long long next, seen;
	double real;
};

__global__ void alone(all *a)
{
	__shared__ long in_block;

	a->wrong = !masks((int *)&a->sum) << 0 | !masks(&a->sum) << 1 | !masks((long long *)&a->next) << 2 | !masks(&a->next) << 3 |
		!numbers((float *)&a->least) << 4 | !numbers(&a->real) << 5 | !masks(&in_block) << 6;
}

/* Who comes last sees what all have written. */
__global__ void many(all *a, unsigned int *data)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, sum = 0;

	__nv_atomic_fetch_add(&a->sum, i, RELAXED, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_min(&a->least, all - i, RELAXED);
	__nv_atomic_add(&a->real, 0.5, RELAXED);
	data[i] = i + 1;
	__nv_atomic_thread_fence(SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
	__nv_atomic_signal_fence(SEQ_CST);
	if (__nv_atomic_fetch_add(&a->next, 1, ACQ_REL) == all - 1) {
		for (unsigned int j = 0; j < all; j++)
			sum += data[j];
		a->seen = sum;
	}
}

int main()
{
	unsigned int *data;
	all *a;

	OK(cudaMallocManaged(&a, sizeof(*a)));
	OK(cudaMalloc(&data, 256 * sizeof(*data)));
	alone<<<1, 1>>>(a);
	OK(cudaDeviceSynchronize());
	if (a->wrong)
		printf("0x%x\n", a->wrong);
	CHECK(!a->wrong);
	*a = { 0, 0, ~0u, 0, 0, 0 };
	many<<<4, 64>>>(a, data);
	OK(cudaDeviceSynchronize());
	CHECK(a->sum == 255 * 128 && a->least == 1 && a->real == 128 && a->next == 256 && a->seen == 256 * 257 / 2);
	return 0;
}
