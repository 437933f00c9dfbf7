/* SPDX-License-Identifier: MIT */
#include "kernel.h"

/* Some arithmetic per element, so that computing takes about as long as copying. */
KERNEL churn(u32 *data, u32 n, u32 rounds)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;
	u32 x;

	if (i >= n)
		return;
	x = data[i];
	for (u32 r = 0; r < rounds; r++)
		x = x * 1664525u + 1013904223u;
	data[i] = x;
}
