// SPDX-License-Identifier: MIT
/* Loads the dummy module, checks that it works, unloads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lablib.h"

int main(int argc, char **argv)
{
	struct lab_witness w;

	lab_limit(argc > 1 ? atoi(argv[1]) : 10);
	lab_witness_reset();
	lab_must_load("");
	lab_step("looking at the module");
	lab_obs("value", "%s", lab_read_file("/sys/module/lab/parameters/value"));
	lab_witness_read(&w);
	lab_obs("held", "%u", w.nheld);
	printf("this goes to the log\n");
	lab_must_unload();
	lab_witness_obs("left");
	lab_witness_reset();
	lab_witness_fail(1);
	lab_step("loading without memory");
	lab_obs("no_memory", "%d", lab_load(""));
	lab_unload();
	lab_obs("mmio", "%d", (int)lab_counter(0));
	return 0;
}
