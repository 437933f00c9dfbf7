/* SPDX-License-Identifier: MIT */
/*
 * Lab 13: the device's core with your copy engines in it, and tests, as the core's own tests are.
 *
 *   machine TEST               copy, overlap, fill, rows, time, engines, faults, stop
 *   machine random SEED N      N copies and fills on three channels
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine.h"
#include "wire.h"

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "copy", test_copy }, { "overlap", test_overlap }, { "fill", test_fill }, { "rows", test_rows },
	{ "time", test_time }, { "engines", test_engines }, { "faults", test_faults }, { "stop", test_stop },
};

static void usage(void)
{
	fprintf(stderr, "usage: machine TEST | random SEED N.  Tests:");
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		fprintf(stderr, " %s", tests[i].name);
	fprintf(stderr, "\n");
	exit(2);
}

int main(int argc, char **argv)
{
	ends_catch(STUCK, NULL);
	if (argc == 4 && !strcmp(argv[1], "random")) {
		test_random(strtoull(argv[2], NULL, 0), (unsigned)strtoul(argv[3], NULL, 0));
	} else {
		unsigned i = 0, n = sizeof(tests) / sizeof(tests[0]);

		while (argc == 2 && i < n && strcmp(argv[1], tests[i].name))
			i++;
		if (argc != 2 || i == n)
			usage();
		tests[i].run();
	}
	printf("end done\n");
	return 0;
}
