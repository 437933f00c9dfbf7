/* SPDX-License-Identifier: MIT */
#include "kernel.h"

/* Count byte values: each block counts in shared memory first, then adds its counts to global memory once. */
KERNEL histogram(const u8 *data, u32 n, u32 *bins)
{
	__shared__ u32 local[256];

	for (u32 i = threadIdx_x; i < 256; i += blockDim_x)
		local[i] = 0;
	syncthreads();
	for (u32 i = blockIdx_x * blockDim_x + threadIdx_x; i < n; i += gridDim_x * blockDim_x)
		atomic_add(&local[data[i]], 1);
	syncthreads();
	for (u32 i = threadIdx_x; i < 256; i += blockDim_x)
		if (local[i])
			atomic_add(&bins[i], local[i]);
}
