/* SPDX-License-Identifier: MIT */
/* Checks for system tests in C: a failed check prints what did not hold, and ends the process. */
#ifndef SYSTEM_CHECK_H
#define SYSTEM_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <ppu.h>

#define CHECK(cond) do { \
	if (!(cond)) { \
		printf("# %s:%d: %s\n", __func__, __LINE__, #cond); \
		exit(1); \
	} \
} while (0)
#define OK(call) do { \
	ppuResult r_ = (call); \
	if (r_) { \
		printf("# %s:%d: %s: %s: %s\n", __func__, __LINE__, #call, ppuGetErrorName(r_), \
		       ppuGetLastErrorDetail()); \
		exit(1); \
	} \
} while (0)

struct system_test {
	const char *name;
	void (*run)(void);
};

/* Runs each test in a process of its own and prints a line of TAP for it. Returns the exit status for main(). */
static inline int run_each(const struct system_test *tests, size_t count)
{
	int bad = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < count; i++) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			alarm(250);
			tests[i].run();
			exit(0);
		}
		waitpid(pid, &status, 0);
		printf("%s - %s\n", status ? "not ok" : "ok", tests[i].name);
		bad |= status;
	}
	return bad ? 1 : 0;
}

#endif
