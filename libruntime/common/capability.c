/* SPDX-License-Identifier: MIT */
/* The compute capability that is claimed. */
#include <stdlib.h>
#include <string.h>

#include "common/capability.h"

#define DEFAULT	75
#define LEAST	50
#define MOST	90	/* of what newer ones have, the compiler knows little */

/* "8.6" as 86; 0: it is no compute capability. */
static int parse(const char *text)
{
	int v;

	if (strlen(text) != 3 || text[0] < '0' || text[0] > '9' || text[1] != '.' || text[2] < '0' || text[2] > '9')
		return 0;
	v = 10 * (text[0] - '0') + text[2] - '0';
	return v < LEAST || v > MOST ? 0 : v;
}

static int setting(void)
{
	const char *text = getenv("PPU_CUDA_CAPABILITY");

	return text ? parse(text) : DEFAULT;
}

int ppu_cuda_capability(void)
{
	int v = setting();

	return v ? v : DEFAULT;
}

bool ppu_cuda_capability_ok(void)
{
	return setting();
}
