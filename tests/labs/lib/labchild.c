/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <lablib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "labchild.h"

#define NOBODY	65534

static void limit(int what, rlim_t value)
{
	struct rlimit r = { value, value };

	setrlimit(what, &r);
}

/* In the child: give up everything with which the program could reach the grader, the log or the machine. */
static _Noreturn void become_nobody(char **argv)
{
	static char *const no_env[] = { NULL };

	limit(RLIMIT_CPU, 4 * CHILD_WAIT_S);
	limit(RLIMIT_AS, 512u << 20);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 8);
	setsid();
	close_range(3, ~0u, 0);
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		_exit(125);
	execve("/lab/machine", argv, no_env);
	_exit(126);
}

void child_start(struct child *c, char **argv, bool input)
{
	int in[2] = { -1, -1 }, out[2];

	if (pipe(out) || (input && pipe(in)))
		lab_fatal("the grader has no pipe: %s", strerror(errno));
	c->pid = fork();
	if (c->pid < 0)
		lab_fatal("the grader cannot fork: %s", strerror(errno));
	if (!c->pid) {
		if (input)
			dup2(in[0], 0);
		dup2(out[1], 1);
		become_nobody(argv);
	}
	close(out[1]);
	if (input)
		close(in[0]);
	c->out = out[0];
	c->in = in[1];
}

const char *child_stop(struct child *c, bool kill_it)
{
	static char text[64];
	int status;

	if (c->in >= 0)
		close(c->in);
	close(c->out);
	if (kill_it)
		kill(c->pid, SIGKILL);
	waitpid(c->pid, &status, 0);
	kill(-c->pid, SIGKILL);		/* and all processes that it has started */
	if (kill_it)
		return "end hang";
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "end crash SIG%s", sigabbrev_np(WTERMSIG(status)));
		return text;
	}
	return WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3 ? NULL : "end refused";
}

ssize_t child_read(struct child *c, void *buf, size_t n)
{
	struct pollfd p = { .fd = c->out, .events = POLLIN };
	int left = CHILD_WAIT_S * (int)lab_scale();

	while (poll(&p, 1, 1000) == 0)
		if (!--left)
			return -1;
	return read(c->out, buf, n);
}

void pass_on(const char *name, char *text, const char *only)
{
	char row[3600];
	size_t len = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		size_t n = strlen(line);

		if (only && strncmp(line, only, strlen(only)))
			continue;
		if (n > 1000)
			line[n = 1000] = 0;
		if (len + n + 4 > sizeof(row)) {
			lab_obs(name, "%s", row);
			len = 0;
		}
		len += (size_t)sprintf(row + len, "%s ; ", line);
	}
	if (len)
		lab_obs(name, "%s", row);
}

void child_run(const char *name, char **argv, const char *only)
{
	static char text[CHILD_OUTPUT + 1];
	static unsigned hangs;
	struct child c;
	const char *how;
	size_t len = 0;
	ssize_t n = 1;

	lab_step("running %s", name);
	lab_limit(5 * CHILD_WAIT_S);
	if (hangs >= CHILD_MAX_HANGS) {
		lab_obs(name, "end skipped ;");
		return;
	}
	child_start(&c, argv, false);
	while (len < CHILD_OUTPUT && (n = child_read(&c, text + len, CHILD_OUTPUT - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	hangs += n < 0;
	how = child_stop(&c, n != 0);
	pass_on(name, text, only);
	if (how)
		lab_obs(name, "%s ;", how);
}
