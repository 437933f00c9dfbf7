/* SPDX-License-Identifier: MIT */
#include "kernel.h"

/* Holds the pipeline until the CPU says go. */
KERNEL gate(volatile u32 *go)
{
	while (!*go)
		;
}

/* What a stage does to a frame, `rounds` times.  The result shows that each stage ran exactly once, and in order. */
KERNEL stage(u32 *frame, u32 which, u32 rounds)
{
	u32 i = blockIdx_x * blockDim_x + threadIdx_x, x = frame[i];

	for (u32 r = 0; r < rounds; r++)
		x = x * 1664525u + which;
	frame[i] = x;
}
