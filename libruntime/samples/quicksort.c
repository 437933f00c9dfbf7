/* SPDX-License-Identifier: MIT */
/* Sorting by kernels that launch kernels, down to the greatest nesting depth. */
#include "common.h"

#define N	20000u
#define THREADS	64u
#define LEVELS	12u

struct stats {
	uint32_t kernels, leaves, at_the_limit, errors;
};

static int by_value(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return x < y ? -1 : x > y;
}

/* As many levels as possible: each level needs a device priority of its own. */
static void set_depth(void)
{
	ppuDeviceProp prop;

	CHECK(ppuDeviceGetProperties(&prop, 0));
	CHECK(ppuCtxSetLimit(PPU_LIMIT_NESTING_DEPTH, prop.device_priorities && prop.device_priorities < LEVELS ?
			     prop.device_priorities : LEVELS));
}

int main(void)
{
	ppuFunction fn;
	int32_t *host = host_alloc(N * 4), *want = malloc(N * 4);
	void *x = device_alloc(N * 4), *y = device_alloc(N * 4), *stats = device_alloc(sizeof(struct stats));
	uint32_t n = N, seed = 1, wrong = 0;
	void *args[] = { &x, &y, &n, &stats };
	struct stats s;

	set_depth();
	fn = load_kernel("quicksort", "quicksort");
	for (uint32_t i = 0; i < N; i++)	/* many equal ones among them */
		want[i] = host[i] = (int32_t)(next_random(&seed) % (N / 2)) - (int32_t)N / 4;
	qsort(want, N, 4, by_value);
	CHECK(ppuMemcpy(x, host, N * 4));
	CHECK(ppuMemset(stats, 0, 4, sizeof(s) / 4));
	CHECK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, args, NULL, 0));
	CHECK(ppuMemcpy(host, x, N * 4));
	CHECK(ppuMemcpy(&s, stats, sizeof(s)));
	for (uint32_t i = 0; i < N; i++)
		wrong += host[i] != want[i];
	free(want);
	return finish(!wrong && !s.errors && s.at_the_limit && s.kernels > N / 1000,
		      "quicksort: %u numbers by %u kernels, all but one launched by kernels; %u parts were at the nesting "
		      "limit, %u launches failed; %u numbers wrong", N, s.kernels, s.at_the_limit, s.errors, wrong);
}
