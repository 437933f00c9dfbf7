/* SPDX-License-Identifier: MIT */
/*
 * Lab 10, the grader's side: runs the student's program, /lab/machine, as a user without rights, and
 * passes on what it prints.  No code of the student's runs in this process.
 *
 *   exercise kernels NAME...       the queue alone, then /lab/kernels/NAME.ppuasm one by one
 *   exercise random SEED COUNT     random programs against the reference
 */
#include <lablib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "labchild.h"
#include "machine.h"

#define PICTURE		"/lab/kernels/tour.ppuasm"	/* the trace of this kernel is drawn */

static void kernels(char **names)
{
	static char *const groups[] = { "order", "tracking", "merge", "recentre" };
	char name[80], path[128];

	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		snprintf(name, sizeof(name), "queue.%s", groups[i]);
		child_run(name, (char *[]){ "machine", "--queue", groups[i], NULL }, NULL);
	}
	for (; *names; names++) {
		snprintf(name, sizeof(name), "kernel.%s", *names);
		snprintf(path, sizeof(path), "/lab/kernels/%s.ppuasm", *names);
		child_run(name, (char *[]){ "machine", path, NULL }, NULL);
	}
	child_run("trace", (char *[]){ "machine", "-t", "-", PICTURE, NULL }, "trace ");
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "kernels"))
		kernels(argv + 2);
	else if (argc == 4 && !strcmp(argv[1], "random"))
		random_programs(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0));
	else
		lab_fatal("usage: exercise kernels NAME... | random SEED COUNT");
	return 0;
}
