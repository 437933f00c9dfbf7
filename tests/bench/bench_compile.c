/* SPDX-License-Identifier: MIT */
/*
 * The PTX compiler on programs of 50,000 lines, each hard for another part of it: lines a second of one core, and how
 * much longer twice the lines take (reference: 2). CPU times. test_ptx_cost checks the growth by counting.
 *
 *   bench_compile [LINES]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ppu_image.h>
#include "ptx_large.h"
#include "result.h"

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The best of three; *count: lines. */
static double compile(unsigned shape, unsigned lines, unsigned *count)
{
	double best = 1e9, t;
	size_t len, i;
	char *text = ptx_large(shape, lines, &len);

	for (*count = 0, i = 0; i < len; i++)
		*count += text[i] == '\n';
	for (i = 0; i < 3; i++) {
		struct ppu_image *img;
		struct ppu_log log;

		ppu_log_init(&log);
		t = cpu_time();
		if (ppu_ptx_compile(text, len, NULL, NULL, &img, &log) || ppu_image_finish(img, &ppu_device_library, &log)) {
			fprintf(stderr, "%s: %s\n", ptx_large_name(shape), log.text);
			exit(1);
		}
		t = cpu_time() - t;
		best = t < best ? t : best;
		ppu_image_free(img);
		ppu_log_free(&log);
	}
	free(text);
	return best;
}

int main(int argc, char **argv)
{
	unsigned lines = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 50000, half_count, count;

	for (unsigned s = 0; ptx_large_name(s); s++) {
		double half = compile(s, lines / 2, &half_count), t = compile(s, lines, &count);
		char name[80];

		snprintf(name, sizeof(name), "compile: %s", ptx_large_name(s));
		bench_result(name, count / t / 1e3, "K lines/s", 0);
		snprintf(name, sizeof(name), "compile: %s, time for twice the lines", ptx_large_name(s));
		bench_result(name, t / half, "x", (double)count / half_count);
	}
	return 0;
}
