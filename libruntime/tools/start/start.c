/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "start.h"

const char *start_library_path(void)
{
	static const char *const places[] = { "../lib/cuda", "../lib/ppu/cuda/lib64" };
	const char *old = getenv("LD_LIBRARY_PATH");
	static char real[PATH_MAX];
	char self[PATH_MAX], path[PATH_MAX + 64], *all;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return NULL;
	self[n] = 0;
	*strrchr(self, '/') = 0;
	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		if (!realpath(path, real))
			continue;
		if (asprintf(&all, "%s%s%s", old && *old ? old : real, old && *old ? ":" : "", old && *old ? real : "") < 0)
			return NULL;
		setenv("LD_LIBRARY_PATH", all, 1);
		free(all);
		return real;
	}
	return NULL;
}

void start_backend(void)
{
	const char *backend = getenv("PPU_BACKEND");

	if (!backend || !*backend || !strcmp(backend, "auto"))
		setenv("PPU_BACKEND", "core", 1);
}
