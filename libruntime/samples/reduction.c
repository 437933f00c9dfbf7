/* SPDX-License-Identifier: MIT */
/* A sum: lanes by shuffles, warps through shared memory, blocks by one atomic each. */
#include "common.h"

#define N 300001u

int main(void)
{
	ppuFunction fn = load_kernel("reduction", "reduction");
	uint32_t *data = malloc(N * 4);
	void *dev = device_alloc(N * 4), *sum = device_alloc(4);
	uint32_t n = N, seed = 5, want = 0, got = 0;
	void *args[] = { &dev, &n, &sum };

	if (!data)
		return 1;
	for (uint32_t i = 0; i < N; i++)
		want += data[i] = next_random(&seed);
	CHECK(ppuMemcpy(dev, data, N * 4));
	CHECK(ppuMemset(sum, 0, 4, 1));
	CHECK(ppuLaunchKernel(fn, ppuDim(24, 1, 1), ppuDim(256, 1, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuMemcpy(&got, sum, 4));
	free(data);
	return finish(got == want, "reduction: %u numbers, sum 0x%08x, expected 0x%08x", N, got, want);
}
