/* SPDX-License-Identifier: MIT */
#include "kernel.h"

/* Iterations until |z| > 2, for each pixel of the rectangle from (x0, y0) with step `step`. */
KERNEL mandelbrot(u32 *out, u32 width, u32 height, float x0, float y0, float step, u32 limit)
{
	u32 px = blockIdx_x * blockDim_x + threadIdx_x;
	u32 py = blockIdx_y * blockDim_y + threadIdx_y;
	float cx, cy, x = 0, y = 0;
	u32 i;

	if (px >= width || py >= height)
		return;
	cx = x0 + (float)px * step;
	cy = y0 + (float)py * step;
	for (i = 0; i < limit; i++) {
		float xx = x * x, yy = y * y;

		if (xx + yy > 4.0f)
			break;
		y = 2 * x * y + cy;
		x = xx - yy + cx;
	}
	out[py * width + px] = i;
}
