/* SPDX-License-Identifier: MIT */
#include "kernel.h"

/* Holds the pipeline until the CPU says go. */
KERNEL gate(volatile u32 *go)
{
	while (!*go)
		;
}

/* What a stage does to a picture.  The result shows that each stage ran exactly once, and in order. */
KERNEL stage(u32 *picture, u32 n, u32 which)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x;

	if (i < n)
		picture[i] = picture[i] * 1664525u + which;
}
