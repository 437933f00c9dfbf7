/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "labends.h"

static uint64_t steps;
static uint64_t most = UINT64_MAX;	/* the loader runs code of the student's files before main(): resolvers of clones */
static uint32_t (*where)(void);
static int to = STDOUT_FILENO;

/* In one write: a socket passes it on as one message. */
static _Noreturn void last_words(const char *line)
{
	fflush(stdout);
	_exit(write(to, line, strlen(line)) < 0 ? 4 : 3);
}

_Noreturn void end_wrong(const char *fmt, ...)
{
	char line[1000] = "end wrong ";
	size_t n = strlen(line);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	last_words(strcat(line, "\n"));
}

/* " pc=...", if the program has said where to ask. */
static const char *at(void)
{
	static char text[20];

	if (where)
		snprintf(text, sizeof(text), " pc=%u", where());
	return text;
}

/* The compiler calls this at every basic block of the student's files: a measure of time without a clock. */
void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	char line[80];

	if (++steps < most)
		return;
	snprintf(line, sizeof(line), "end stuck steps=%llu%s\n", (unsigned long long)most, at());
	last_words(line);
}

void ends_to(int fd)
{
	to = fd;
}

void ends_begin(void)
{
	steps = 0;
}

static void on_signal(int sig)
{
	char line[80];
	int n = snprintf(line, sizeof(line), "end crash SIG%s%s\n", sigabbrev_np(sig), at());

	if (write(to, line, (size_t)n) < 0)
		_exit(4);
	_exit(3);
}

void ends_catch(uint64_t most_steps, uint32_t (*pc)(void))
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	static char stack[1 << 16];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	most = most_steps;
	where = pc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaltstack(&ss, NULL);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
}
