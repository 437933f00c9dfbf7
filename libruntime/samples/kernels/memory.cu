/* SPDX-License-Identifier: MIT */
#include "kernel.h"

INLINE u64 clock64(void)
{
	u64 t;

	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory");
	return t;
}

/* Each word says where the next one is.  *cycles: what `loads` loads took, after `warm` others. */
KERNEL chase(const u64 *p, u32 warm, u32 loads, u64 *cycles)
{
	u64 begin;

	while (warm--)
		p = (const u64 *)*p;
	begin = clock64();
	for (u32 i = 0; i < loads; i++)
		p = (const u64 *)*p;
	cycles[1] = (u64)p;
	cycles[0] = clock64() - begin;
}

/*
 * C += A * B, all n x n, row-major, without shared memory: one block goes through B in tiles of t x t, and for each tile
 * through all rows of A.  t threads across, as many rows at a time as there are threads for.
 */
KERNEL matmul_tiles(const float *a, const float *b, float *c, u32 n, u32 t)
{
	u32 across = threadIdx_x, rows = (u32)__nvvm_read_ptx_sreg_ntid_y();

	for (u32 j = across; j < n; j += t)
		for (u32 k0 = 0; k0 < n; k0 += t)
			for (u32 i = threadIdx_y; i < n; i += rows) {
				float sum = c[i * n + j];

				for (u32 k = k0; k < k0 + t; k++)
					sum += a[i * n + k] * b[k * n + j];
				c[i * n + j] = sum;
			}
}
