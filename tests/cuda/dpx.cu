/* SPDX-License-Identifier: MIT */
/* The functions for dynamic programming (__viaddmax_s32 and so on), on the device and on the host, against numbers written down. */
#include "test.h"

#define BOTH(hi, lo) ((unsigned int)(hi) << 16 | (unsigned short)(lo))

__host__ __device__ static unsigned int sums()
{
	const int low = (int)0x80000000, high = 0x7fffffff;

	return (__viaddmax_s32(5, -7, -3) != -2) << 0 | (__viaddmax_s32(5, -9, -3) != -3) << 1 |
	       (__viaddmax_s32(high, 1, 4) != 4) << 2 | (__viaddmin_s32(high, 1, 4) != low) << 3 |
	       (__viaddmax_s32_relu(5, -9, -3) != 0) << 4 | (__viaddmax_s32_relu(1, 2, -3) != 3) << 5 |
	       (__viaddmin_s32_relu(5, 9, -3) != 0) << 6 | (__viaddmin_s32_relu(5, 9, 3) != 3) << 7 |
	       (__viaddmax_u32(~0u, 3, 1) != 2) << 8 | (__viaddmin_u32(~0u, 0, 7) != 7) << 9 |
	       (__viaddmax_s16x2(BOTH(-5, 0x7fff), BOTH(3, 1), BOTH(-4, 9)) != BOTH(-2, 9)) << 10 |
	       (__viaddmin_s16x2(BOTH(-5, 0x7fff), BOTH(3, 1), BOTH(-4, 9)) != BOTH(-4, 0x8000)) << 11 |
	       (__viaddmax_s16x2_relu(BOTH(-5, 1), BOTH(3, 1), BOTH(-4, -9)) != BOTH(0, 2)) << 12 |
	       (__viaddmin_s16x2_relu(BOTH(5, 1), BOTH(3, 1), BOTH(6, -9)) != BOTH(6, 0)) << 13 |
	       (__viaddmax_u16x2(BOTH(0xffff, 1), BOTH(3, 1), BOTH(1, 0xfff0)) != BOTH(2, 0xfff0)) << 14 |
	       (__viaddmin_u16x2(BOTH(0xffff, 1), BOTH(0, 1), BOTH(1, 0xfff0)) != BOTH(1, 2)) << 15;
}

__host__ __device__ static unsigned int of_three()
{
	return (__vimax3_s32(-3, -2, -4) != -2) << 0 | (__vimax3_s32_relu(-3, -2, -4) != 0) << 1 |
	       (__vimin3_s32(3, -2, 4) != -2) << 2 | (__vimin3_s32_relu(3, 2, 4) != 2) << 3 | (__vimin3_s32_relu(3, -2, 4) != 0) << 4 |
	       (__vimax3_u32(1, ~0u, 2) != ~0u) << 5 | (__vimin3_u32(9, ~0u, 2) != 2) << 6 |
	       (__vimax3_s16x2(BOTH(-1, 5), BOTH(-2, -6), BOTH(-3, 7)) != BOTH(-1, 7)) << 7 |
	       (__vimax3_s16x2_relu(BOTH(-1, 5), BOTH(-2, -6), BOTH(-3, 7)) != BOTH(0, 7)) << 8 |
	       (__vimin3_s16x2(BOTH(-1, 5), BOTH(-2, -6), BOTH(-3, 7)) != BOTH(-3, -6)) << 9 |
	       (__vimin3_s16x2_relu(BOTH(1, 5), BOTH(2, -6), BOTH(3, 7)) != BOTH(1, 0)) << 10 |
	       (__vimax3_u16x2(BOTH(-1, 5), BOTH(2, 6), BOTH(3, 7)) != BOTH(-1, 7)) << 11 |
	       (__vimin3_u16x2(BOTH(-1, 5), BOTH(2, 6), BOTH(3, 7)) != BOTH(2, 5)) << 12 |
	       (__vimax_s32_relu(-1, -2) != 0) << 13 | (__vimax_s32_relu(-1, 2) != 2) << 14 |
	       (__vimin_s32_relu(-1, 2) != 0) << 15 | (__vimin_s32_relu(5, 2) != 2) << 16 |
	       (__vimax_s16x2_relu(BOTH(-1, 3), BOTH(-2, 4)) != BOTH(0, 4)) << 17 |
	       (__vimin_s16x2_relu(BOTH(-1, 3), BOTH(2, 4)) != BOTH(0, 3)) << 18;
}

__host__ __device__ static unsigned int which()
{
	bool p, q;
	unsigned int wrong = 0;

	wrong |= (__vibmax_s32(-1, -2, &p) != -1 || !p) << 0 | (__vibmax_s32(-2, -1, &p) != -1 || p) << 1;
	wrong |= (__vibmin_s32(-1, -2, &p) != -2 || p) << 2 | (__vibmin_s32(3, 3, &p) != 3 || !p) << 3;
	wrong |= (__vibmax_u32(~0u, 1, &p) != ~0u || !p) << 4 | (__vibmin_u32(~0u, 1, &p) != 1 || p) << 5;
	wrong |= (__vibmax_s16x2(BOTH(-1, 4), BOTH(-1, 5), &p, &q) != BOTH(-1, 5) || !p || q) << 6;
	wrong |= (__vibmin_s16x2(BOTH(-1, 4), BOTH(-2, 5), &p, &q) != BOTH(-2, 4) || p || !q) << 7;
	wrong |= (__vibmax_u16x2(BOTH(-1, 4), BOTH(1, 5), &p, &q) != BOTH(-1, 5) || !p || q) << 8;
	wrong |= (__vibmin_u16x2(BOTH(-1, 4), BOTH(2, 5), &p, &q) != BOTH(2, 4) || p || !q) << 9;
	return wrong;
}

__global__ void all(unsigned int *wrong)
{
	wrong[0] = sums();
	wrong[1] = of_three();
	wrong[2] = which();
}

int main()
{
	unsigned int *wrong;

	if (sums() || of_three() || which())
		printf("host: 0x%x 0x%x 0x%x\n", sums(), of_three(), which());
	CHECK(!sums() && !of_three() && !which());
	OK(cudaMallocManaged(&wrong, 3 * sizeof(*wrong)));
	all<<<1, 1>>>(wrong);
	OK(cudaDeviceSynchronize());
	if (wrong[0] || wrong[1] || wrong[2])
		printf("0x%x 0x%x 0x%x\n", wrong[0], wrong[1], wrong[2]);
	CHECK(!wrong[0] && !wrong[1] && !wrong[2]);
	return 0;
}
