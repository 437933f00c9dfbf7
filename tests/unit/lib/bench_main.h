/* SPDX-License-Identifier: MIT */
/* main() of a Check program: BENCH_MAIN("name", test, test...). */
#ifndef BENCH_MAIN_H
#define BENCH_MAIN_H

#include <check.h>
#include "run_suite.h"

#define BENCH_MAIN(name, ...) \
int main(void) \
{ \
	const TTest *const tests[] = { __VA_ARGS__ }; \
	Suite *s = suite_create(name); \
	TCase *t = tcase_create(name); \
	tcase_set_timeout(t, 120); \
	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) \
		tcase_add_test(t, tests[i]); \
	suite_add_tcase(s, t); \
	return run_suite(s); \
}

#endif
