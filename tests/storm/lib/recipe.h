/* SPDX-License-Identifier: MIT */
/*
 * One round of the storm, as numbers. Everything that a round does follows from its recipe, except how its threads
 * meet, and what the kernel answers.
 */
#ifndef PPU_STORM_RECIPE_H
#define PPU_STORM_RECIPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "program.h"

#define STORM_THREADS	6
#define STORM_WORLDS	3	/* processes */
#define STORM_WEATHER	4	/* things that happen to the device meanwhile */

enum weather {
	WEATHER_UNBIND,		/* the driver loses the device, and gets it again */
	WEATHER_FLR,		/* function level reset */
	WEATHER_REMOVE,		/* PCI remove and rescan */
	WEATHER_LOOK,		/* all of debugfs is read, and coredumps */
	WEATHER_KILL,		/* a world dies of SIGKILL */
	WEATHER_KINDS,
};

/* What follows from the seed alone. */
struct plan {
	unsigned worlds;
	bool shared_file[STORM_WORLDS];	/* its threads use one file */
	unsigned repeats[STORM_THREADS];
	unsigned fork_one_in;		/* before a call */
	unsigned signal_us;		/* between two signals to a world's threads; 0: none */
	unsigned events;
	struct {
		enum weather kind;
		unsigned wait_us, what;
	} event[STORM_WEATHER];
};

struct recipe {
	uint64_t seed;
	unsigned threads;
	struct program program[STORM_THREADS];
};

void recipe_make(struct recipe *r, uint64_t seed);	/* also from the programs that are kept */
void recipe_plan(const struct recipe *r, struct plan *plan);
void recipe_print(const struct recipe *r, FILE *to);
bool recipe_read(struct recipe *r, const char *text);

#endif
