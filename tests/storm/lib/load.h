/* SPDX-License-Identifier: MIT */
/*
 * A device under load: processes that do good work in a loop and check what comes of it. Every piece of work ends by an
 * interrupt that somebody sleeps for; the driver does not poll, so that a lost interrupt is a wait that does not end.
 */
#ifndef PPU_STORM_LOAD_H
#define PPU_STORM_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LOAD_CLIENTS	3

/* In memory that all processes share. */
struct load_told {
	int stop;			/* clients are to end, with all their work done */
	int disturbed;			/* the device may be lost: what fails from now on counts as that */
	int stay;			/* all the same, clients go on until something fails */
	unsigned long works[LOAD_CLIENTS];
	int in_sem[LOAD_CLIENTS];	/* sleeps in a wait that outlives a reset */
};

struct load {
	struct load_told *told;
	pid_t pid[LOAD_CLIENTS];	/* 0: has ended */
	int said[LOAD_CLIENTS];		/* what it printed */
};

void load_init(struct load *l);
void load_start(struct load *l, uint64_t seed);
/* Waits until each client that is alive did @more pieces of work. False: one has ended, or did not get that far. */
bool load_works(struct load *l, unsigned more, char *what, size_t size);
unsigned long load_sum(const struct load *l);	/* pieces of work since load_init() */
void load_kill(struct load *l, unsigned client);
/* All work done, all ended well? */
bool load_stop(struct load *l, char *what, size_t size);
/* The device was lost: all clients end by themselves (those that may sleep on are killed), and saw nothing forbidden. */
bool load_lost(struct load *l, char *what, size_t size);

#endif
