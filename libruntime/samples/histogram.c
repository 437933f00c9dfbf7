/* SPDX-License-Identifier: MIT */
/* Atomic additions in shared memory, then in global memory. */
#include "common.h"

#define N (256u << 10)

int main(void)
{
	ppuFunction fn = load_kernel("histogram", "histogram");
	uint8_t *data = malloc(N);
	void *dev = device_alloc(N), *bins = device_alloc(256 * 4);
	uint32_t n = N, seed = 11, want[256] = { 0 }, got[256], bad = 0;
	void *args[] = { &dev, &n, &bins };

	if (!data)
		return 1;
	for (uint32_t i = 0; i < N; i++) {
		/* Uneven on purpose: some bins get many values. */
		uint32_t r = next_random(&seed);

		data[i] = (uint8_t)(r & r >> 8);
		want[data[i]]++;
	}
	CHECK(ppuMemcpy(dev, data, N));
	CHECK(ppuMemset(bins, 0, 4, 256));
	CHECK(ppuLaunchKernel(fn, ppuDim(16, 1, 1), ppuDim(256, 1, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuMemcpy(got, bins, sizeof(got)));
	for (int i = 0; i < 256; i++)
		bad += got[i] != want[i];
	free(data);
	return finish(!bad, "histogram: %u bytes counted with shared and global atomics, %u bins wrong", N, bad);
}
