/* SPDX-License-Identifier: MIT */
#include "kernel.h"

KERNEL vector_add(const float *a, const float *b, float *c, u32 n)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;

	if (i < n)
		c[i] = a[i] + b[i];
}
