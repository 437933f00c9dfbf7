/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link.h"
#include "../start/start.h"
#include "debug/debug.h"

/* Becomes the program.  Its input is empty: commands come from there.  An interrupt is for the debugger. */
static void become(char **program, int fd, int output, bool forward_only)
{
	char text[16];
	int err, null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN);
	snprintf(text, sizeof(text), "%d", fd);
	setenv("PPU_DEBUG", text, 1);
	if (forward_only)
		setenv("PPU_DEBUG_FORWARD", "1", 1);
	fcntl(fd, F_SETFD, 0);
	dup2(null, 0);
	if (output >= 0) {
		dup2(output, 1);
		dup2(output, 2);
	}
	start_backend();
	start_library_path();
	execvp(program[0], program);
	err = errno;
	fprintf(stderr, "ppu-dbg: %s: %s\n", program[0], strerror(err));
	_exit(err == ENOENT ? 127 : 126);
}

static void fail(const char *what)
{
	perror(what);
	exit(126);
}

void link_start(struct link *l, char **program, bool forward_only, bool take_output)
{
	int pair[2], pipes[2] = { -1, -1 };

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) || (take_output && pipe2(pipes, O_CLOEXEC)))
		fail("ppu-dbg: a socket");
	if (write(pair[0], DBG_WORD, strlen(DBG_WORD)) != (ssize_t)strlen(DBG_WORD))
		fail("ppu-dbg: a socket");
	fflush(NULL);
	l->pid = fork();
	if (l->pid < 0)
		fail("ppu-dbg: fork");
	if (!l->pid)
		become(program, pair[1], pipes[1], forward_only);
	close(pair[1]);
	if (take_output)
		close(pipes[1]);
	l->fd = pair[0];
	l->output = pipes[0];
	l->in = fdopen(pair[0], "r");
	if (!l->in)
		fail("ppu-dbg: a stream");
	setvbuf(l->in, NULL, _IONBF, 0);	/* poll() must know what is there */
	signal(SIGPIPE, SIG_IGN);
}

void link_send(struct link *l, const char *line)
{
	if (dprintf(l->fd, "%s\n", line) < 0)
		return;			/* the end is noticed by who reads */
}

char *link_line(struct link *l)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	do {
		clearerr(l->in);
		n = getline(&line, &cap, l->in);
	} while (n < 0 && errno == EINTR && !feof(l->in));
	if (n < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = 0;
	return line;
}

int link_end(struct link *l)
{
	int status;
	pid_t got;

	fclose(l->in);
	do {
		got = waitpid(l->pid, &status, 0);
	} while (got < 0 && errno == EINTR);
	l->status = got < 0 ? 126 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return l->status;
}

void link_kill(struct link *l)
{
	kill(l->pid, SIGKILL);
}
