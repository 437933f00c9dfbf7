/* SPDX-License-Identifier: MIT */
#include <ppu_launch.h>
#include "kernel.h"

/*
 * If all pixels on the border of a square have one count, the pixels inside have the same count (the set is
 * connected), so only the border is computed.  Any other square is divided into four, each a kernel of its own.
 */

#define THREADS	64u
#define LEAF	8u	/* pixels: a smaller square is not divided, all its pixels are computed */

struct picture {
	u32 *count;		/* iterations of each pixel */
	unsigned char *level;	/* nesting level at which each pixel was settled */
	u32 width;		/* the height, too */
	float x0, y0, step;
	u32 limit;
	u32 *computed, *errors;
};

INLINE u32 iterate(const struct picture *p, u32 px, u32 py)
{
	float cx = p->x0 + (float)px * p->step, cy = p->y0 + (float)py * p->step, x = 0, y = 0;
	u32 i;

	for (i = 0; i < p->limit; i++) {
		float xx = x * x, yy = y * y;

		if (xx + yy > 4.0f)
			break;
		y = 2 * x * y + cy;
		x = xx - yy + cx;
	}
	return i;
}

INLINE void settle(const struct picture *p, u32 x, u32 y, u32 count)
{
	u32 depth;

	asm("mov.u32 %0, %%depth;" : "=r"(depth));
	p->count[y * p->width + x] = count;
	p->level[y * p->width + x] = (unsigned char)depth;
}

KERNEL mandelbrot_square(struct picture p, u32 x0, u32 y0, u32 size)
{
	__shared__ u32 first, same, divide;
	u32 border = 4 * (size - 1), half = size / 2, i, n;

	if (!threadIdx_x) {
		first = iterate(&p, x0, y0);
		same = 1;
		divide = ppuDeviceDepth() < ppuDeviceMaxDepth();	/* else this block computes the whole square */
		atomic_add(p.computed, size <= LEAF ? size * size : border);
	}
	syncthreads();
	for (i = threadIdx_x; i < border && size > LEAF; i += THREADS) {
		u32 side = i / (size - 1), k = i % (size - 1);
		u32 x = side == 0 ? k : side == 1 ? size - 1 : side == 2 ? size - 1 - k : 0;
		u32 y = side == 0 ? 0 : side == 1 ? k : side == 2 ? size - 1 : size - 1 - k;

		n = iterate(&p, x0 + x, y0 + y);
		settle(&p, x0 + x, y0 + y, n);
		if (n != first)
			same = 0;
	}
	syncthreads();
	if (size > LEAF && !same) {
		if (threadIdx_x < 4 && divide) {
			n = (u32)PPU_LAUNCH(mandelbrot_square, 1, THREADS, 0, PPU_STREAM_FIRE_AND_FORGET, p,
					    x0 + threadIdx_x % 2 * half, y0 + threadIdx_x / 2 * half, half);
			if (n) {
				divide = 0;
				atomic_add(p.errors, 1);
			}
		}
		syncthreads();
		if (divide)
			return;
	}
	for (i = threadIdx_x; i < size * size; i += THREADS)
		settle(&p, x0 + i % size, y0 + i / size,
		       same && size > LEAF ? first : iterate(&p, x0 + i % size, y0 + i / size));
}
