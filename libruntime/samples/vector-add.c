/* SPDX-License-Identifier: MIT */
/* The first program: copies two vectors to the device, runs one kernel, copies one vector back. */
#include "common.h"

#define N 100000u

int main(void)
{
	ppuFunction fn = load_kernel("vector_add", "vector_add");
	size_t bytes = N * sizeof(float);
	float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
	void *da = device_alloc(bytes), *db = device_alloc(bytes), *dc = device_alloc(bytes);
	uint32_t n = N, seed = 1, bad = 0;
	void *args[] = { &da, &db, &dc, &n };

	if (!a || !b || !c)
		return 1;
	for (uint32_t i = 0; i < N; i++) {
		a[i] = (float)(next_random(&seed) % 1000) / 8;
		b[i] = (float)(next_random(&seed) % 1000) / 16;
	}
	CHECK(ppuMemcpy(da, a, bytes));
	CHECK(ppuMemcpy(db, b, bytes));
	CHECK(ppuLaunchKernel(fn, ppuDim((N + 255) / 256, 1, 1), ppuDim(256, 1, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuMemcpy(c, dc, bytes));
	for (uint32_t i = 0; i < N; i++)
		bad += c[i] != a[i] + b[i];
	free(a);
	free(b);
	free(c);
	return finish(!bad, "vector add: %u sums on the device, %u wrong", N, bad);
}
