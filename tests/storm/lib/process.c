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

void process_where(pid_t pid, char *what, size_t size)
{
	static const char *const files[] = { "wchan", "syscall", "stack" };
	size_t n = 0;

	what[0] = 0;
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]) && n < size; i++) {
		char path[64], *text;

		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, files[i]);
		text = file_text(path);
		n += (size_t)snprintf(what + n, size - n, "%s%s", i ? " " : "", text ? text : "");
		free(text);
	}
}

bool process_end(pid_t pid, uint64_t until, char *what, size_t size)
{
	char where[2048];

	if (process_ended(pid, until, NULL))
		return true;
	kill(pid, SIGKILL);
	if (process_ended(pid, now_ns() + 60000 * MS * time_scale(), NULL))
		return true;
	process_where(pid, where, sizeof(where));
	snprintf(what, size, "process %d does not die: %s", (int)pid, where);
	return false;
}
