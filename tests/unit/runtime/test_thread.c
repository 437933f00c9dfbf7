/* SPDX-License-Identifier: MIT */
/* Threads of the library's own get no signals of the program. */
#include <check.h>
#include <signal.h>
#include <unistd.h>

#include <common/thread.h>
#include "run_suite.h"

static sigset_t blocked;
static volatile sig_atomic_t taken_by_us;
static pthread_t us;

static void *note(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	return arg;
}

START_TEST(has_none)
{
	sigset_t before, after, one;
	pthread_t t;
	int x;
	void *got;

	sigemptyset(&one);
	sigaddset(&one, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &one, &before);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	ck_assert_int_eq(ppu_thread_start(&t, note, &x), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	ck_assert_int_eq(pthread_join(t, &got), 0);
	ck_assert_ptr_eq(got, &x);
	for (int sig = 1; sig < NSIG; sig++) {
		if (sig == SIGKILL || sig == SIGSTOP || (sig > SIGSYS && sig < SIGRTMIN))
			continue;
		ck_assert_msg(sigismember(&blocked, sig), "signal %d is for the thread, too", sig);
		ck_assert_msg(sigismember(&after, sig) == sigismember(&before, sig), "who starts it has lost signal %d", sig);
	}
}
END_TEST

static void handler(int sig)
{
	taken_by_us += pthread_equal(pthread_self(), us);
}

static int go[2];

static void *sleeps(void *arg)
{
	char c;

	return read(go[0], &c, 1) == 1 ? arg : NULL;
}

/* A signal of the process is the program's, although its only thread does something else and the library's sleeps. */
START_TEST(process_signals)
{
	struct sigaction act = { .sa_handler = handler };
	void *got;
	pthread_t t;

	us = pthread_self();
	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(sigaction(SIGALRM, &act, NULL), 0);
	ck_assert_int_eq(ppu_thread_start(&t, sleeps, &t), 0);
	for (int i = 0; i < 20; i++)
		kill(getpid(), SIGALRM);
	ck_assert_int_eq(taken_by_us, 20);
	ck_assert_int_eq(write(go[1], "", 1), 1);
	pthread_join(t, &got);
	ck_assert_ptr_eq(got, &t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("thread");
	TCase *c = tcase_create("thread");

	tcase_add_test(c, has_none);
	tcase_add_test(c, process_signals);
	suite_add_tcase(s, c);
	return run_suite(s);
}
