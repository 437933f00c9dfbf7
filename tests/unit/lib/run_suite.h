/* SPDX-License-Identifier: MIT */
/* The end of main() in every Check program: run the suite, free it, give the exit status. */
#ifndef RUN_SUITE_H
#define RUN_SUITE_H

#include <check.h>

/* Frees @suite. The result is main()'s: 0 when every test passed. CK_VERBOSITY says how much is printed. */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}

#endif
