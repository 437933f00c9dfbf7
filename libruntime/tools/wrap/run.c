/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/start/start.h"
#include "tools/wrap/wrap.h"

const char *wrap_library, *wrap_library_variable;

void wrap_usage(const char *why, const char *what)
{
	fprintf(stderr, "%s: %s%s (--help says more)\n", wrap_tool, why, what);
	exit(2);
}

const char *wrap_value(char **argv, int *i, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n) != 0 || (argv[*i][n] && argv[*i][n] != '='))
		return NULL;
	if (argv[*i][n])
		return argv[*i] + n + 1;
	if (!argv[*i + 1])
		wrap_usage("a value is missing behind ", name);
	return argv[++*i];
}

void *wrap_need(void *p)
{
	if (!p) {
		fprintf(stderr, "%s: out of memory\n", wrap_tool);
		exit(126);
	}
	return p;
}

/* The libraries of LD_PRELOAD, and one more, from the directory of our libraries. */
static void preload(const char *dir, const char *name)
{
	const char *old = getenv("LD_PRELOAD");
	char *all, *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return;
	if (!access(path, R_OK) && asprintf(&all, "%s%s%s", path, old && *old ? ":" : "", old && *old ? old : "") >= 0) {
		setenv("LD_PRELOAD", all, 1);
		if (wrap_library_variable)
			setenv(wrap_library_variable, path, 0);
		free(all);
	}
	free(path);
}

/* Becomes the program. */
static void become(char **program)
{
	const char *libraries;
	int err;

	start_backend();
	libraries = start_library_path();
	if (libraries && wrap_library)
		preload(libraries, wrap_library);
	execvp(program[0], program);
	err = errno;
	fprintf(stderr, "%s: %s: %s\n", wrap_tool, program[0], strerror(err));
	_exit(err == ENOENT ? 127 : 126);
}

int wrap_run(char **program)
{
	pid_t pid = fork(), got;
	int status;

	if (!pid)
		become(program);
	signal(SIGINT, SIG_IGN);	/* it is the program's */
	signal(SIGQUIT, SIG_IGN);
	do {
		got = pid < 0 ? -1 : waitpid(pid, &status, 0);
	} while (got < 0 && errno == EINTR && pid > 0);
	if (got < 0) {
		perror(wrap_tool);
		return 126;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
