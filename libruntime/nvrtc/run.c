/* SPDX-License-Identifier: MIT */
/* The programs that do libnvrtc's work; among them awk, which shows launches by threads to clang in a form that clang takes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvrtc/program.h"

extern char **environ;

int nvrtc_run(char **argv, const char *log, const char *output)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t child;
	int status, e;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&actions);
		return -1;
	}
	/* Compilers wait for programs of their own. */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	posix_spawnattr_setsigdefault(&attr, &child);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF);
	e = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!e)
		e = posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (!e)
		e = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (!e)
		e = posix_spawnp(&pid, argv[0], &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	if (e)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return access(output, R_OK) ? 255 : 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 254;
}

bool nvrtc_has_launch(const char *text)
{
	for (; (text = strstr(text, "<<")); text++)
		if (text[2 + strspn(text + 2, " \t")] == '<')
			return true;
	return false;
}

nvrtcResult nvrtc_show_launches(nvrtcProgram p, const char *path, const char *sdk, const char *dir)
{
	char script[PATH_MAX + 32], shown[128];
	char *argv[] = { "awk", "-v", "everywhere=1", "-f", script, (char *)path, NULL };
	int status;

	snprintf(script, sizeof(script), "%s/bin/launches.awk", sdk);
	snprintf(shown, sizeof(shown), "%s/shown", dir);
	unlink(shown);
	status = nvrtc_run(argv, shown, shown);
	if (!status && !rename(shown, path))
		return NVRTC_SUCCESS;
	nvrtc_say(&p->log, status == -1 || status == 127 ? "nvrtc: error: awk is not there: install it (Debian: apt install mawk)\n" :
		  "nvrtc: error: %s failed\n", script);
	return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
}
