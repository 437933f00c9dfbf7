/* SPDX-License-Identifier: MIT */
/*
 * Lab 13, the grader's side: runs the student's program, /lab/machine, as a user without rights, and passes on what it
 * prints.  No code of the student's runs in this process.
 *
 *   exercise SEED COUNT TEST...
 */
#include <lablib.h>
#include <stdio.h>
#include <string.h>
#include "labchild.h"

#define OUTPUT_BYTES	4096		/* of one test */

int main(int argc, char **argv)
{
	static char text[OUTPUT_BYTES + 1];

	if (argc < 4)
		lab_fatal("usage: exercise SEED COUNT TEST...");
	for (char **p = argv + 3; *p; p++) {
		bool random = !strcmp(*p, "random");
		char *args[] = { "machine", *p, random ? argv[1] : NULL, argv[2], NULL };
		const char *how;

		lab_step("test %s", *p);
		how = child_run(args, text, sizeof(text));
		pass_on(*p, text);
		if (how)
			lab_obs(*p, "%s ;", how);
	}
	return 0;
}
