/* SPDX-License-Identifier: MIT */
#include <ppu_launch.h>
#include "kernel.h"

#define THREADS	64u
#define SMALL	192u	/* elements: up to so many are sorted by one block */

struct stats {
	u32 kernels, leaves, at_the_limit, errors;
};

/* Bitonic sorting network of one block.  It works as if infinite elements followed the last one. */
INLINE void sort_small(int *x, u32 n)
{
	u32 size, half, i;

	for (size = 2; size / 2 < n; size *= 2) {
		for (half = size / 2; half; half /= 2) {
			syncthreads();
			for (i = threadIdx_x; i < n; i += THREADS) {
				/* the first step of a merge mirrors: the lower index always gets the smaller element */
				u32 k = half == size / 2 ? i ^ (size - 1) : i ^ half;

				if (k > i && k < n && x[k] < x[i]) {
					int t = x[i];

					x[i] = x[k];
					x[k] = t;
				}
			}
		}
	}
}

INLINE int median(int a, int b, int c)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

KERNEL quicksort(int *x, int *y, u32 n, struct stats *s);

/* False: no kernel sorts the part, so the calling block must. */
INLINE bool sorted_by_child(int *x, int *y, u32 n, struct stats *s)
{
	if (n <= 1)
		return true;
	if (ppuDeviceDepth() == ppuDeviceMaxDepth()) {
		atomic_add(&s->at_the_limit, 1);
		return false;
	}
	if (!PPU_LAUNCH(quicksort, 1, THREADS, 0, PPU_STREAM_FIRE_AND_FORGET, x, y, n, s))
		return true;
	atomic_add(&s->errors, 1);
	return false;
}

/* Sorts x[0..n), with y as scratch memory.  The smaller and the larger elements are sorted by kernels of their own. */
KERNEL quicksort(int *x, int *y, u32 n, struct stats *s)
{
	__shared__ u32 smaller, larger;
	__shared__ int pivot;
	u32 i, end;

	if (!threadIdx_x) {
		smaller = larger = 0;
		pivot = median(x[0], x[n / 2], x[n - 1]);
		atomic_add(&s->kernels, 1);
	}
	syncthreads();
	if (n <= SMALL) {
		if (!threadIdx_x)
			atomic_add(&s->leaves, 1);
		sort_small(x, n);
		return;
	}
	/* elements below the pivot to the front of y, above the pivot to the end of y; equal ones fill the gap */
	for (i = threadIdx_x; i < n; i += THREADS) {
		if (x[i] < pivot)
			y[atomic_add(&smaller, 1)] = x[i];
		else if (x[i] > pivot)
			y[n - 1 - atomic_add(&larger, 1)] = x[i];
	}
	syncthreads();
	end = n - larger;
	for (i = threadIdx_x; i < n; i += THREADS)
		x[i] = i < smaller || i >= end ? y[i] : pivot;
	syncthreads();
	__shared__ u32 left, right;
	if (!threadIdx_x) {
		left = sorted_by_child(x, y, smaller, s) ? 0 : smaller;
		right = sorted_by_child(x + end, y + end, larger, s) ? 0 : larger;
	}
	syncthreads();
	sort_small(x, left);
	sort_small(x + end, right);
}
