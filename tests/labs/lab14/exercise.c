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

#define OUTPUT_BYTES	8192		/* of one run */

static void run(const char *name, char **argv)
{
	static char text[OUTPUT_BYTES + 1];
	const char *how;

	lab_step("running %s", name);
	how = child_run(argv, text, sizeof(text));
	pass_on(name, text);
	if (how)
		lab_obs(name, "%s ;", how);
}

int main(int argc, char **argv)
{
	char name[80], path[128];

	if (argc > 2 && !strcmp(argv[1], "traces")) {
		for (char **p = argv + 2; *p; p++) {
			snprintf(name, sizeof(name), "trace.%s", *p);
			snprintf(path, sizeof(path), "/lab/traces/%s.txt", *p);
			run(name, (char *[]){ "machine", path, NULL });
		}
	} else if (argc > 4 && !strcmp(argv[1], "hidden")) {
		for (char **p = argv + 4; *p; p++) {
			snprintf(name, sizeof(name), "hidden.%s", *p);
			run(name, (char *[]){ "machine", "--hidden", *p, argv[2], argv[3], NULL });
		}
	} else {
		lab_fatal("usage: exercise traces NAME... | hidden SEED COUNT FAMILY...");
	}
	return 0;
}
