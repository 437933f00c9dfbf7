/* SPDX-License-Identifier: MIT */
/* A process of the storm: threads that call the driver, signals to these threads, and children that are forked. */
#ifndef PPU_STORM_WORLD_H
#define PPU_STORM_WORLD_H

#include "recipe.h"

/* What worlds tell the process that started them; in memory that all of them share. */
struct told {
	struct program found[STORM_THREADS];	/* the last one of a thread that reached new code; or empty */
	unsigned long calls, forks, signals;
	char complaint[512];
};

struct told *told_new(void);

/* Runs the threads number @w, @w + worlds, ... of the round; does not return. */
void world_run(const struct recipe *r, const struct plan *p, unsigned w, struct told *told)
	__attribute__((noreturn));

#endif
