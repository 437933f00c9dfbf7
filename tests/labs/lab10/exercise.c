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

#define OUTPUT_BYTES	65536		/* of one run */
#define PICTURE		"/lab/kernels/tour.ppuasm"	/* the trace of this kernel is drawn */

/* Writes a line at `to`.  The line may stand in the same text, there or further on. */
static char *add_line(char *to, const char *line)
{
	size_t n = strlen(line);

	memmove(to, line, n);
	to[n] = '\n';
	return to + n + 1;
}

/* Leaves only the lines that begin with a word. */
static void only(char *text, const char *word)
{
	char *to = text;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (!strncmp(line, word, strlen(word)))
			to = add_line(to, line);
	*to = 0;
}

/* Runs the program.  The lines that it prints become observations of this name. */
static void run(const char *name, char **argv)
{
	static char text[OUTPUT_BYTES + 1];
	const char *how;

	lab_step("running %s", name);
	how = child_run(argv, text, sizeof(text));
	if (!strcmp(name, "trace"))
		only(text, "trace ");
	pass_on(name, text);
	if (how)
		lab_obs(name, "%s ;", how);
}

static void kernels(char **names)
{
	static char *const groups[] = { "order", "tracking", "merge", "recentre" };
	char name[80], path[128];

	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		snprintf(name, sizeof(name), "queue.%s", groups[i]);
		run(name, (char *[]){ "machine", "--queue", groups[i], NULL });
	}
	for (; *names; names++) {
		snprintf(name, sizeof(name), "kernel.%s", *names);
		snprintf(path, sizeof(path), "/lab/kernels/%s.ppuasm", *names);
		run(name, (char *[]){ "machine", path, NULL });
	}
	run("trace", (char *[]){ "machine", "-t", "-", PICTURE, NULL });
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
