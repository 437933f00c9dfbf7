/* SPDX-License-Identifier: MIT */
/*
 * Lab 14, the grader's side: runs the judge, which measures, and passes on what the judge prints.  What is decided, the judge
 * hears from the student's program, /lab/machine (wire.h).
 *
 *   exercise traces NAME...              /lab/traces/NAME.txt one by one
 *   exercise hidden SEED COUNT FAMILY... COUNT traces of each family
 */
#include <lablib.h>
#include <stdio.h>
#include <string.h>
#include "labchild.h"

static void judged(const char *name, char **judge)
{
	child_run_judged(name, judge, (char *[]){ "machine", "--serve", NULL });
}

int main(int argc, char **argv)
{
	char name[80], path[128];

	if (argc > 2 && !strcmp(argv[1], "traces")) {
		for (char **p = argv + 2; *p; p++) {
			snprintf(name, sizeof(name), "trace.%s", *p);
			snprintf(path, sizeof(path), "/lab/traces/%s.txt", *p);
			judged(name, (char *[]){ "judge", path, NULL });
		}
	} else if (argc > 4 && !strcmp(argv[1], "hidden")) {
		for (char **p = argv + 4; *p; p++) {
			snprintf(name, sizeof(name), "hidden.%s", *p);
			judged(name, (char *[]){ "judge", "--hidden", *p, argv[2], argv[3], NULL });
		}
	} else {
		lab_fatal("usage: exercise traces NAME... | hidden SEED COUNT FAMILY...");
	}
	return 0;
}
