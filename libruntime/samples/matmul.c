/* SPDX-License-Identifier: MIT */
/* Matrix product in tiles of shared memory, compared with a sum in double precision. */
#include <math.h>
#include "common.h"

#define N 96u

int main(void)
{
	ppuFunction fn = load_kernel("matmul", "matmul");
	size_t bytes = N * N * sizeof(float);
	float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
	void *da = device_alloc(bytes), *db = device_alloc(bytes), *dc = device_alloc(bytes);
	uint32_t n = N, seed = 3;
	void *args[] = { &da, &db, &dc, &n };
	double worst = 0;
	ppuEvent e0, e1;
	int64_t ns;

	if (!a || !b || !c)
		return 1;
	for (uint32_t i = 0; i < N * N; i++) {
		a[i] = (float)(int32_t)(next_random(&seed) % 2001) / 1000 - 1;
		b[i] = (float)(int32_t)(next_random(&seed) % 2001) / 1000 - 1;
	}
	CHECK(ppuEventCreate(&e0, 0));
	CHECK(ppuEventCreate(&e1, 0));
	CHECK(ppuMemcpy(da, a, bytes));
	CHECK(ppuMemcpy(db, b, bytes));
	CHECK(ppuEventRecord(e0, NULL));
	CHECK(ppuLaunchKernel(fn, ppuDim(N / 16, N / 16, 1), ppuDim(16, 16, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuEventRecord(e1, NULL));
	CHECK(ppuMemcpy(c, dc, bytes));
	CHECK(ppuEventElapsedNs(&ns, e0, e1));
	for (uint32_t y = 0; y < N; y++) {
		for (uint32_t x = 0; x < N; x++) {
			double sum = 0, err;

			for (uint32_t k = 0; k < N; k++)
				sum += (double)a[y * N + k] * b[k * N + x];
			err = fabs(sum - c[y * N + x]);
			if (!(err <= worst))
				worst = err;
		}
	}
	free(a);
	free(b);
	free(c);
	return finish(worst < 1e-4 && ns > 0, "matmul: %u x %u in %.1f us of device time, largest error %.1e", N, N,
		      (double)ns / 1e3, worst);
}
