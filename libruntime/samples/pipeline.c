/* SPDX-License-Identifier: MIT */
/*
 * Copies and kernels of two streams overlap: while one half of the data is computed, the other half is copied. The
 * sample compares the device time with that of the same work in one stream. The device starts when everything is
 * submitted (close_gate()). Device time follows the host's clock while the device is idle, and without the gate the
 * times would contain the pauses of the submitting program.
 */
#include "common.h"

#define CHUNKS	8u
#define WORDS	(64u << 10)	/* per chunk */
#define ROUNDS	24u

static ppuFunction fn, gate;
static uint32_t *in, *out;
static volatile uint32_t *go;
static void *dev[2];

static int64_t run(int streams)
{
	ppuStream s[2];
	ppuEvent start, end, last[2];
	int64_t ns;

	for (int i = 0; i < streams; i++) {
		CHECK(ppuStreamCreate(&s[i], PPU_STREAM_NON_BLOCKING, 0));
		CHECK(ppuEventCreate(&last[i], PPU_EVENT_DISABLE_TIMING));
	}
	CHECK(ppuEventCreate(&end, 0));
	for (int i = 0; i < streams; i++) {	/* first use makes channels: not in the timed part */
		uint32_t n = 0, rounds = 0;
		void *args[] = { &dev[i], &n, &rounds };

		CHECK(ppuMemcpyAsync(dev[i], in, 4, s[i]));
		CHECK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, s[i], args, NULL, 0));
		CHECK(ppuStreamSynchronize(s[i]));
	}
	*go = 0;
	start = close_gate(gate, go, s[0]);
	for (int i = 1; i < streams; i++)
		CHECK(ppuStreamWaitEvent(s[i], start));
	for (uint32_t c = 0; c < CHUNKS; c++) {
		ppuStream st = s[c % (unsigned)streams];
		void *d = dev[c % (unsigned)streams];
		uint32_t n = WORDS, rounds = ROUNDS;
		void *args[] = { &d, &n, &rounds };

		CHECK(ppuMemcpyAsync(d, in + c * WORDS, WORDS * 4, st));
		CHECK(ppuLaunchKernel(fn, ppuDim(WORDS / 256, 1, 1), ppuDim(256, 1, 1), 0, st, args, NULL, 0));
		CHECK(ppuMemcpyAsync(out + c * WORDS, d, WORDS * 4, st));
	}
	for (int i = 1; i < streams; i++) {
		CHECK(ppuEventRecord(last[i], s[i]));
		CHECK(ppuStreamWaitEvent(s[0], last[i]));
	}
	CHECK(ppuEventRecord(end, s[0]));
	*go = 1;
	CHECK(ppuEventSynchronize(end));
	CHECK(ppuEventElapsedNs(&ns, start, end));
	for (int i = 0; i < streams; i++) {
		CHECK(ppuStreamDestroy(s[i]));
		CHECK(ppuEventDestroy(last[i]));
	}
	CHECK(ppuEventDestroy(start));
	CHECK(ppuEventDestroy(end));
	return ns;
}

static uint32_t wrong(void)
{
	uint32_t bad = 0;

	for (uint32_t i = 0; i < CHUNKS * WORDS; i++) {
		uint32_t x = in[i];

		for (uint32_t r = 0; r < ROUNDS; r++)
			x = x * 1664525u + 1013904223u;
		bad += out[i] != x;
		out[i] = 0;
	}
	return bad;
}

int main(void)
{
	uint32_t seed = 7, bad;
	int64_t one, two;

	fn = load_kernel("pipeline", "churn");
	gate = load_kernel("copy_priority", "gate");
	in = host_alloc(CHUNKS * WORDS * 4);
	out = host_alloc(CHUNKS * WORDS * 4);
	go = host_alloc(4096);
	dev[0] = device_alloc(WORDS * 4);
	dev[1] = device_alloc(WORDS * 4);
	for (uint32_t i = 0; i < CHUNKS * WORDS; i++)
		in[i] = next_random(&seed);
	one = run(1);
	bad = wrong();
	two = run(2);
	bad += wrong();
	return finish(!bad && two < one, "pipeline: %u chunks, one stream %.1f us, two streams %.1f us of device time (%.2fx), %u words wrong",
		      CHUNKS, (double)one / 1e3, (double)two / 1e3, (double)one / (double)two, bad);
}
