/* SPDX-License-Identifier: MIT */
/*
 * What a long storm remembers, in a directory outside the tree: how far it came, the programs that reached new code,
 * and what failed. A later run with the same directory goes on from there.
 *
 *	counter		seed, rounds, calls, forks, signals, seconds, findings
 *	corpus		a program a line
 *	now		the recipe of the round that runs: if the machine dies, it was this one
 *	finding-N	a recipe, and what went wrong
 */
#ifndef PPU_STORM_STATE_H
#define PPU_STORM_STATE_H

#include "recipe.h"

struct state {
	const char *dir;	/* NULL: nothing is remembered */
	uint64_t seed;
	unsigned long rounds, calls, forks, signals, seconds, findings;
};

/* @seed: for a directory in which nothing is yet. */
void state_open(struct state *s, const char *dir, uint64_t seed);
void state_save(const struct state *s);
void state_round(const struct state *s, const struct recipe *r);
void state_keep(const struct state *s, const struct program *p);
void state_finding(struct state *s, const struct recipe *r, const char *what);

#endif
