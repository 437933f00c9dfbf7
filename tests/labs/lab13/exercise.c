/* SPDX-License-Identifier: MIT */
/*
 * Lab 13, the grader's side: runs the judge, which has the device and the tests, and passes on what the judge prints.  What the
 * engines do, the judge hears from the student's program, /lab/machine (wire.h).
 *
 *   exercise SEED COUNT TEST...
 */
#include <lablib.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "labchild.h"

int main(int argc, char **argv)
{
	if (argc < 4)
		lab_fatal("usage: exercise SEED COUNT TEST...");
	for (char **p = argv + 3; *p; p++) {
		bool random = !strcmp(*p, "random");

		child_run_judged(*p, (char *[]){ "judge", *p, random ? argv[1] : NULL, argv[2], NULL },
				 (char *[]){ "machine", NULL });
	}
	return 0;
}
