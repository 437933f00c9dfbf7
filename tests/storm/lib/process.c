/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/wait.h>

#include "harness.h"
#include "process.h"
#include "sysfile.h"

bool process_ended(pid_t pid, uint64_t until, int *status)
{
	while (waitpid(pid, status, WNOHANG) != pid) {
		if (now_ns() > until)
			return false;
		usleep(500);
	}
	return true;
}

bool process_end(pid_t pid, uint64_t until, char *what, size_t size)
{
	char path[64], *stack, *wchan;

	if (process_ended(pid, until, NULL))
		return true;
	kill(pid, SIGKILL);
	if (process_ended(pid, now_ns() + 60000 * MS * time_scale(), NULL))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stack", (int)pid);
	stack = file_text(path);
	snprintf(path, sizeof(path), "/proc/%d/wchan", (int)pid);
	wchan = file_text(path);
	snprintf(what, size, "process %d does not die: %s %s", (int)pid, wchan ? wchan : "", stack ? stack : "");
	free(stack);
	free(wchan);
	return false;
}
