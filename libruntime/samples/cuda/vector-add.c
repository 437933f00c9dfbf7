/* SPDX-License-Identifier: MIT */
/* Copies two vectors to the device, runs one kernel, copies one vector back. */
#include "common.h"

#define N 50000u

int main(void)
{
	CUfunction f = start("vector_add", "vector_add");
	static float a[N], b[N], c[N];
	unsigned int n = N, seed = 1, bad = 0;
	CUdeviceptr da, db, dc;
	void *args[] = { &da, &db, &dc, &n };

	for (unsigned int i = 0; i < N; i++) {
		a[i] = (float)(next_random(&seed) % 1000) / 8;
		b[i] = (float)(next_random(&seed) % 1000) / 16;
	}
	CHECK(cuMemAlloc(&da, sizeof(a)));
	CHECK(cuMemAlloc(&db, sizeof(b)));
	CHECK(cuMemAlloc(&dc, sizeof(c)));
	CHECK(cuMemcpyHtoD(da, a, sizeof(a)));
	CHECK(cuMemcpyHtoD(db, b, sizeof(b)));
	CHECK(cuLaunchKernel(f, (N + 255) / 256, 1, 1, 256, 1, 1, 0, 0, args, NULL));
	CHECK(cuMemcpyDtoH(c, dc, sizeof(c)));
	for (unsigned int i = 0; i < N; i++)
		bad += c[i] != a[i] + b[i];
	printf("vector add: %u sums, %u wrong\n", N, bad);
	return bad != 0;
}
