/* SPDX-License-Identifier: MIT */
/*
 * How a benchmark prints a result: one JSON object in a line of its own, which scripts/bench reads. Other lines are for
 * people. A reference is what the value is compared with, in the same unit and measured in the same run; 0: none.
 */
#ifndef RESULT_H
#define RESULT_H

#include <stdio.h>

static inline void bench_result(const char *name, double value, const char *unit, double reference)
{
	printf("{\"name\": \"%s\", \"value\": %g, \"unit\": \"%s\"", name, value, unit);
	if (reference > 0)
		printf(", \"reference\": %g", reference);
	printf("}\n");
	fflush(stdout);
}

#endif
