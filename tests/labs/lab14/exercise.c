/* SPDX-License-Identifier: MIT */
/*
 * Lab 14, the grader's side: runs the student's program, /lab/machine, as a user without rights, and passes on what it
 * prints.  No code of the student's runs in this process.
 *
 *   exercise traces NAME...              /lab/traces/NAME.txt one by one
 *   exercise hidden SEED COUNT FAMILY... COUNT traces of each family
 */
#include <lablib.h>
#include <stdio.h>
#include <string.h>
#include "labchild.h"

int main(int argc, char **argv)
{
	char name[80], path[128];

	if (argc > 2 && !strcmp(argv[1], "traces")) {
		for (char **p = argv + 2; *p; p++) {
			snprintf(name, sizeof(name), "trace.%s", *p);
			snprintf(path, sizeof(path), "/lab/traces/%s.txt", *p);
			child_run(name, (char *[]){ "machine", path, NULL }, NULL);
		}
	} else if (argc > 4 && !strcmp(argv[1], "hidden")) {
		for (char **p = argv + 4; *p; p++) {
			snprintf(name, sizeof(name), "hidden.%s", *p);
			child_run(name, (char *[]){ "machine", "--hidden", *p, argv[2], argv[3], NULL }, NULL);
		}
	} else {
		lab_fatal("usage: exercise traces NAME... | hidden SEED COUNT FAMILY...");
	}
	return 0;
}
