/* SPDX-License-Identifier: MIT */
/*
 * Lab 13, the grader's side: runs the student's program, /lab/machine, as a user without rights, and passes on what it
 * prints.  No code of the student's runs in this process.
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

		child_run(*p, (char *[]){ "machine", *p, random ? argv[1] : NULL, argv[2], NULL }, NULL);
	}
	return 0;
}
