/* SPDX-License-Identifier: MIT */
/* The computation of the kernels of both pictures, in C. */
#ifndef SAMPLE_MANDELBROT_H
#define SAMPLE_MANDELBROT_H

#include <stdint.h>

/* Steps until a pixel escapes.  Pixels at the edge of the set may differ by the rounding of fused operations. */
static inline uint32_t mandelbrot_reference(float x0, float y0, float step, uint32_t limit, uint32_t px, uint32_t py)
{
	double cx = x0 + (double)px * (double)step, cy = y0 + (double)py * (double)step, x = 0, y = 0;
	uint32_t i;

	for (i = 0; i < limit; i++) {
		double xx = x * x, yy = y * y;

		if (xx + yy > 4)
			break;
		y = 2 * x * y + cy;
		x = xx - yy + cx;
	}
	return i;
}

#endif
