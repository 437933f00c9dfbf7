/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#define TILE 16

/* C = A * B, all n x n, row-major, n a multiple of TILE; blocks of TILE x TILE threads. */
KERNEL matmul(const float *a, const float *b, float *c, u32 n)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	u32 tx = threadIdx_x, ty = threadIdx_y;
	u32 row = blockIdx_y * TILE + ty, col = blockIdx_x * TILE + tx;
	float sum = 0;

	for (u32 t = 0; t < n; t += TILE) {
		ta[ty][tx] = a[row * n + t + tx];
		tb[ty][tx] = b[(t + ty) * n + col];
		syncthreads();
		for (u32 k = 0; k < TILE; k++)
			sum += ta[ty][k] * tb[k][tx];
		syncthreads();
	}
	c[row * n + col] = sum;
}
