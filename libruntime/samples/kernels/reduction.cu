/* SPDX-License-Identifier: MIT */
#include "kernel.h"

INLINE u32 warp_sum(u32 v)
{
	for (u32 d = 16; d; d /= 2)
		v += shfl_down(v, d);
	return v;
}

/* Adds the sum of data[0..n) to *sum: lanes add by shuffles, warps through shared memory. */
KERNEL reduction(const u32 *data, u32 n, u32 *sum)
{
	__shared__ u32 part[32];
	u32 v = 0;

	for (u32 i = blockIdx_x * blockDim_x + threadIdx_x; i < n; i += gridDim_x * blockDim_x)
		v += data[i];
	v = warp_sum(v);
	if (threadIdx_x % 32 == 0)
		part[threadIdx_x / 32] = v;
	syncthreads();
	if (threadIdx_x < 32) {
		v = threadIdx_x < blockDim_x / 32 ? part[threadIdx_x] : 0;
		v = warp_sum(v);
		if (threadIdx_x == 0)
			atomic_add(sum, v);
	}
}
