/* SPDX-License-Identifier: MIT */
/* Of planted.cu: a function of another file, which a compiler puts in its place. */
#ifndef PLANTED_H
#define PLANTED_H

__device__ inline float planted_sum(float v)
{
	float a = 1 / v;

	a += 2 / (v * v + v);
	return a;
}

#endif
