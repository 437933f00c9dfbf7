# SPDX-License-Identifier: MIT
"""Mistakes that students make in lab 14, and what the grader must say about each."""

WRONG = [
    dict(name="largest_first", file="policy.c",
         replace=[("		if (best == n || guess(&c[one]) < guess(&c[best]))",
                   "		if (best == n || guess(&c[one]) > guess(&c[best]))")],
         criterion="mixed", says=r"The mean latency in the published trace of mixed is 1\.\d\d of round robin's"),
    dict(name="shortest_first_for_ever", file="policy.c",
         replace=[("#define LEAD_NS		120000", "#define LEAD_NS		1000000000000")],
         criterion="no starvation", says=r"In flood a request waited for \d+ us; .* That is \d\.\d times as long",
         loses=["fair shares"], keeps=["mixed", "bursts"]),
    dict(name="nothing_but_fair", file="policy.c",
         replace=[("#define LEAD_NS		120000", "#define LEAD_NS		0")],
         criterion="jobs", says=r"The mean latency in 12 hidden traces of jobs is \d\.\d\d of round robin's",
         loses=["flood"], keeps=["throughput", "no starvation", "fair shares"]),
    dict(name="forgets_history", file="policy.c",
         replace=[("	typical[client] = typical[client] ? (typical[client] + 16 * copies) / 2 : 16 * copies;",
                   "	(void)client, (void)copies;")],
         criterion="jobs", says=r"The mean latency in 12 hidden traces of jobs is", keeps=["mixed", "throughput"]),
    dict(name="one_past_the_end", file="policy.c",
         replace=[("	return best;\n}", "	return n > 4 ? n : best;\n}")],
         criterion="throughput", says=r"policy_pick\(\) says 7 where 7 clients wait", loses=["mixed", "near the reference"]),
    dict(name="slice_of_nothing", file="policy.c",
         replace=[("	return SLICE_NS;", "	return c->next_ns;")],
         criterion="throughput", says=r"policy_slice\(\) says 0 for client \d"),
    dict(name="never_gives_way", file="policy.c",
         replace=[("	return guess(next) + WORTH_NS < guess(has);", "	return false;"),
                  ("	if (has->used_ns > next->used_ns + LEAD_NS)\n		return true;\n", "")],
         criterion="hog", says=r"The mean latency in the published trace of hog is \d\.\d\d"),
    dict(name="loops", file="policy.c",
         replace=[("	return guess(next) + WORTH_NS < guess(has);",
                   "	while (guess(next) + WORTH_NS < guess(has))\n		;\n	return false;")],
         criterion="throughput", says=r"policy\.c never returns"),
    dict(name="divides_by_zero", file="policy.c",
         replace=[("	if (!each && c->done_copies)\n", "	if (!each)\n")],
         criterion="throughput", says=r"policy\.c crashed: SIGFPE"),
    # Attacks.  The policy's process has no result to print, no judge to stop and nothing to read.
    dict(name="prints_results", file="policy.c",
         replace=[('#include "policy.h"\n', r'''#include "policy.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static void lie(int fd, const char *family)
{
	char line[200];

	snprintf(line, sizeof(line), "result %s requests=900 mean=1 max=1 end=1 share=100 rr_mean=100000 rr_max=100000 rr_end=100000 "
		 "rr_share=1\nend done\n", family);
	send(fd, line, __builtin_strlen(line), 0);
	if (write(fd, line, __builtin_strlen(line)) < 0)
		return;
}
__attribute__((constructor)) static void result(void)
{
	static const char *const families[] = { "mixed", "bursts", "jobs", "flood", "hog", "equal" };

	for (int i = 0; i < 18; i++)
		lie(i / 6, families[i % 6]);
	_exit(0);
}
''')],
         criterion="throughput", says=r"the program with policy\.c ended before all was done", loses=["mixed", "jobs", "near the reference"]),
    dict(name="attacks_the_judge", file="policy.c",
         replace=[('#include "policy.h"\n', r'''#include "policy.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
static int harm(void)
{
	int done = 0;

	for (pid_t p = 1; p < 2000; p++)
		if (p != getpid())
			done += !kill(p, SIGKILL) || !ptrace(PTRACE_ATTACH, p, 0, 0);
	return done + (open("/proc/cmdline", O_RDONLY) >= 0) + (open("/lab/judge", O_RDONLY) >= 0) + (opendir("/proc") != NULL);
}
__attribute__((constructor)) static void all(void)
{
	if (harm())
		_exit(9);
}
'''),
                  ("	return SLICE_NS;", "	return 0;")],
         criterion="throughput", says=r"policy_slice\(\) says 0 for client \d"),
]
