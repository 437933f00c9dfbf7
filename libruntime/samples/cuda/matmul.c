/* SPDX-License-Identifier: MIT */
/* Matrix product in tiles of shared memory, timed by events, arguments as one packed buffer. */
#include <math.h>
#include "common.h"

#define N 64u

int main(void)
{
	CUfunction f = start("matmul", "matmul");
	static float a[N][N], b[N][N], c[N][N];
	struct {
		CUdeviceptr a, b, c;
		unsigned int n;
	} args = { .n = N };
	size_t bytes = sizeof(args);
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &args, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END };
	unsigned int seed = 3;
	double worst = 0;
	CUevent e[2];
	float ms;

	for (unsigned int i = 0; i < N * N; i++) {
		a[i / N][i % N] = (float)(int)(next_random(&seed) % 2001) / 1000 - 1;
		b[i / N][i % N] = (float)(int)(next_random(&seed) % 2001) / 1000 - 1;
	}
	for (int i = 0; i < 2; i++)
		CHECK(cuEventCreate(&e[i], CU_EVENT_DEFAULT));
	CHECK(cuMemAlloc(&args.a, sizeof(a)));
	CHECK(cuMemAlloc(&args.b, sizeof(b)));
	CHECK(cuMemAlloc(&args.c, sizeof(c)));
	CHECK(cuMemcpyHtoD(args.a, a, sizeof(a)));
	CHECK(cuMemcpyHtoD(args.b, b, sizeof(b)));
	CHECK(cuEventRecord(e[0], 0));
	CHECK(cuLaunchKernel(f, N / 16, N / 16, 1, 16, 16, 1, 0, 0, NULL, extra));
	CHECK(cuEventRecord(e[1], 0));
	CHECK(cuMemcpyDtoH(c, args.c, sizeof(c)));
	CHECK(cuEventElapsedTime(&ms, e[0], e[1]));
	for (unsigned int y = 0; y < N; y++) {
		for (unsigned int x = 0; x < N; x++) {
			double sum = 0, err;

			for (unsigned int k = 0; k < N; k++)
				sum += (double)a[y][k] * b[k][x];
			err = fabs(sum - c[y][x]);
			if (!(err <= worst))
				worst = err;
		}
	}
	printf("matmul: %u x %u in %.1f us of device time, largest error %.1e\n", N, N, (double)ms * 1e3, worst);
	return !(worst < 1e-4);
}
