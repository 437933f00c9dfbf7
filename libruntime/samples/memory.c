/* SPDX-License-Identifier: MIT */
/*
 * What memory costs in device time (property memory-timing): how long a load takes that waits for the one before, by how
 * much memory the loads go through, and how fast a matrix product is, by the size of its tiles.
 */
#include <math.h>
#include <string.h>
#include "common.h"

#define LINE	128u		/* bytes from a word to the next one */
#define N	192u		/* of the matrices */
#define THREADS	384u

static const uint32_t kib[] = { 1, 4, 8, 16, 32, 36, 64, 256, 1024, 1536, 2048, 4096 };
static const uint32_t tiles[] = { 32, 64, 96, 192 };

#define SIZES	(sizeof(kib) / sizeof(kib[0]))
#define TILES	(sizeof(tiles) / sizeof(tiles[0]))

static double load_cycles(ppuFunction fn, char *dev, uint64_t *ring, uint64_t *out, uint32_t bytes)
{
	uint32_t n = bytes / LINE, loads = n < 256 ? 256 : n;
	uint64_t got[2];

	memset(ring, 0, bytes);
	for (uint32_t i = 0; i < n; i++)
		ring[i * (LINE / 8)] = (uint64_t)(uintptr_t)dev + (i + 1) % n * LINE;
	CHECK(ppuMemcpy(dev, ring, bytes));
	CHECK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &dev, &n, &loads, &out }, NULL, 0));
	CHECK(ppuMemcpy(got, out, sizeof(got)));
	return (double)got[0] / loads;
}

/* Device time of the product in us; *ok: it is right. */
static double product(ppuFunction fn, void **dev, const float *a, const float *b, float *c, uint32_t t, int *ok)
{
	uint32_t n = N;
	ppuEvent from, to;
	int64_t ns;

	CHECK(ppuMemset(dev[2], 0, 4, N * N));
	CHECK(ppuEventCreate(&from, 0));
	CHECK(ppuEventCreate(&to, 0));
	CHECK(ppuEventRecord(from, NULL));
	CHECK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(t, THREADS / t, 1), 0, NULL,
			      (void *[]){ &dev[0], &dev[1], &dev[2], &n, &t }, NULL, 0));
	CHECK(ppuEventRecord(to, NULL));
	CHECK(ppuMemcpy(c, dev[2], N * N * 4));
	CHECK(ppuEventElapsedNs(&ns, from, to));
	for (uint32_t i = 0; i < N * N; i += 37) {
		double want = 0;

		for (uint32_t k = 0; k < N; k++)
			want += (double)a[i / N * N + k] * b[k * N + i % N];
		*ok &= fabs(c[i] - want) < 0.01;
	}
	CHECK(ppuEventDestroy(from));
	CHECK(ppuEventDestroy(to));
	return (double)ns / 1000;
}

int main(void)
{
	const char *backend = getenv("PPU_BACKEND"), *props = getenv("PPU_PROPS");
	ppuInitOptions o = { .props = props ? props : "memory-timing=1" };
	ppuFunction chase, matmul;
	float *a = malloc(3 * N * N * 4), *b = a + N * N, *c = b + N * N;
	uint64_t *ring = malloc(kib[SIZES - 1] * 1024);
	double cycles[SIZES], us[TILES];
	uint32_t seed = 3;
	char *dev;
	void *out, *m[3];
	int ok = 1;

	if (!a || !ring)
		return 1;
	if (backend && !strcmp(backend, "core"))
		CHECK(ppuInit(&o));		/* a device with the property; in a guest it is as QEMU was started */
	chase = load_kernel("memory", "chase");
	matmul = load_kernel("memory", "matmul_tiles");
	dev = device_alloc(kib[SIZES - 1] * 1024);
	out = device_alloc(16);
	for (uint32_t i = 0; i < SIZES; i++) {
		cycles[i] = load_cycles(chase, dev, ring, out, kib[i] * 1024);
		printf("memory: a load that waits for the one before, in %4u KiB: %5.0f cycles\n", kib[i], cycles[i]);
	}
	for (uint32_t i = 0; i < 2 * N * N; i++)
		a[i] = (float)(next_random(&seed) % 8);
	for (uint32_t i = 0; i < 3; i++)
		m[i] = device_alloc(N * N * 4);
	CHECK(ppuMemcpy(m[0], a, N * N * 4));
	CHECK(ppuMemcpy(m[1], b, N * N * 4));
	for (uint32_t i = 0; i < TILES; i++) {
		us[i] = product(matmul, m, a, b, c, tiles[i], &ok);
		printf("memory: %u x %u matrices, tiles of %3u x %3u words (%3u KiB): %5.0f us\n", N, N, tiles[i], tiles[i],
		       tiles[i] * tiles[i] * 4 / 1024, us[i]);
	}
	free(a);
	free(ring);
	if (cycles[SIZES - 1] < 2 * cycles[0])
		return finish(ok, "memory: all loads take the same time, because the device has memory-timing=0");
	return finish(ok, "memory: the last size takes %.0f times as long as the first", cycles[SIZES - 1] / cycles[0]);
}
