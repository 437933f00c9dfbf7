/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <lablib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "labchild.h"

#define NOBODY	65534
#define JUDGE	65533		/* a user that the student's program can neither stop nor look into */
#define NOTHING	"/lab/.nothing"	/* a directory in which there is nothing */

/* How a program is started. */
struct start {
	const char *path;
	char **argv;
	int in, out;		/* its standard input and output; in: -1 for the grader's, out: -1 for none */
	uid_t user;
	bool confined;
};

static void limit(int what, rlim_t value)
{
	struct rlimit r = { value, value };

	setrlimit(what, &r);
}

/* In the child: give up everything with which the program could reach the grader, the log or the machine. */
static _Noreturn void become(const struct start *s)
{
	static char *const no_env[] = { NULL };
	int program, out = s->out >= 0 ? s->out : open("/dev/null", O_WRONLY);

	if (s->in >= 0)
		dup2(s->in, 0);
	dup2(out, 1);
	limit(RLIMIT_CPU, 4 * CHILD_WAIT_S);
	limit(RLIMIT_AS, 512u << 20);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 8);
	setsid();
	close_range(3, ~0u, 0);
	program = open(s->path, O_RDONLY | O_CLOEXEC);
	if (s->confined && (dup2(1, 2) < 0 || chroot(NOTHING) || chdir("/")))
		_exit(125);
	if (setgroups(0, NULL) || setgid(s->user) || setuid(s->user))
		_exit(125);
	fexecve(program, s->argv, no_env);
	_exit(126);
}

static pid_t start(const struct start *s)
{
	pid_t pid = fork();

	if (pid < 0)
		lab_fatal("the grader cannot fork: %s", strerror(errno));
	if (!pid)
		become(s);
	return pid;
}

static void make_pipe(int fd[2])
{
	if (pipe(fd))
		lab_fatal("the grader has no pipe: %s", strerror(errno));
}

void child_start(struct child *c, char **argv, bool input)
{
	struct start s = { .path = "/lab/machine", .argv = argv, .in = -1, .user = NOBODY };
	int in[2] = { -1, -1 }, out[2];

	make_pipe(out);
	if (input)
		make_pipe(in);
	s.in = in[0];
	s.out = out[1];
	c->pid = start(&s);
	close(out[1]);
	if (input)
		close(in[0]);
	c->out = out[0];
	c->in = in[1];
}

static void start_confined(struct child *c, char **argv, int socket)
{
	struct start s = { .path = "/lab/machine", .argv = argv, .in = socket, .out = -1, .user = NOBODY, .confined = true };

	if (mkdir(NOTHING, 0555) && errno != EEXIST)
		lab_fatal("the grader cannot make %s: %s", NOTHING, strerror(errno));
	*c = (struct child){ .pid = start(&s), .in = -1, .out = -1 };
}

static void start_judge(struct child *c, char **argv, int socket)
{
	struct start s = { .path = "/lab/judge", .argv = argv, .in = socket, .user = JUDGE };
	int out[2];

	make_pipe(out);
	s.out = out[1];
	*c = (struct child){ .pid = start(&s), .in = -1, .out = out[0] };
	close(out[1]);
}

const char *child_stop(struct child *c, bool kill_it)
{
	static char text[64];
	int status;

	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0)
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

/* The child's output to its end, or until nothing comes, or too much; then the child is stopped.  False: it hung. */
static bool collect(struct child *c, const char *name, const char *only)
{
	static char text[CHILD_OUTPUT + 1];
	const char *how;
	size_t len = 0;
	ssize_t n = 1;

	while (len < CHILD_OUTPUT && (n = child_read(c, text + len, CHILD_OUTPUT - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	how = child_stop(c, n != 0);
	pass_on(name, text, only);
	if (how)
		lab_obs(name, "%s ;", how);
	return n >= 0;
}

static unsigned hangs;

/* Before a program is run; false: enough of them hung. */
static bool may_run(const char *name)
{
	lab_step("running %s", name);
	lab_limit(5 * CHILD_WAIT_S);
	if (hangs < CHILD_MAX_HANGS)
		return true;
	lab_obs(name, "end skipped ;");
	return false;
}

void child_run(const char *name, char **argv, const char *only)
{
	struct child c;

	if (!may_run(name))
		return;
	child_start(&c, argv, false);
	hangs += !collect(&c, name, only);
}

void child_run_judged(const char *name, char **judge, char **machine)
{
	struct child j, m;
	int s[2];

	if (!may_run(name))
		return;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s))
		lab_fatal("the grader has no socket: %s", strerror(errno));
	start_confined(&m, machine, s[1]);
	start_judge(&j, judge, s[0]);
	close(s[0]);
	close(s[1]);
	hangs += !collect(&j, name, NULL);
	child_stop(&m, true);
}
