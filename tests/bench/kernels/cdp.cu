/* SPDX-License-Identifier: MIT */
#include <ppu_launch.h>
#include "../../../libruntime/samples/kernels/kernel.h"

INLINE u64 now(void)
{
	u64 t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

KERNEL child(u32 *count)
{
	atomic_add(count, 1);
}

/* Holds up everything launched after it into the same stream.  A single sleep lasts a millisecond at most. */
KERNEL blocker(u32 milliseconds)
{
	while (milliseconds--)
		asm volatile("nanosleep.u32 1000000;" ::: "memory");
}

/* Each thread launches one child.  times[]: when each block began, and when it ended. */
KERNEL parent(u32 *count, u32 *failed, u64 stream, u64 *times)
{
	if (!threadIdx_x)
		times[2 * blockIdx_x] = now();
	if (PPU_LAUNCH(child, 1, 1, 0, stream, count))
		atomic_add(failed, 1);
	syncthreads();
	if (!threadIdx_x)
		times[2 * blockIdx_x + 1] = now();
}

/* The threads of one block launch n children, all of them behind a kernel that sleeps. */
KERNEL pending(u32 *count, u32 *failed, u32 n, u32 milliseconds, u64 *times)
{
	u32 i;

	if (!threadIdx_x && PPU_LAUNCH(blocker, 1, 1, 0, PPU_STREAM_BLOCK, milliseconds))
		atomic_add(failed, 1);
	syncthreads();
	for (i = threadIdx_x; i < n; i += blockDim_x) {
		if (!threadIdx_x && i / blockDim_x < 2)
			times[i / blockDim_x] = now();
		if (!threadIdx_x)
			times[2] = now();
		if (PPU_LAUNCH(child, 1, 1, 0, PPU_STREAM_BLOCK, count))
			atomic_add(failed, 1);
	}
	syncthreads();
	if (!threadIdx_x)
		times[3] = now();
}
