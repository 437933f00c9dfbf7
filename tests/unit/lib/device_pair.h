/* SPDX-License-Identifier: MIT */
/*
 * Two whole devices that differ in how they run SM code only, side by side: both are driven in the same way, and all that
 * anybody can see of them is compared.
 *
 *   struct bench *b[2] = { bench_new("engine=interpret"), bench_new("engine=translate") };
 *   the same to both; then dpair_states(b, true) && dpair_same(b), or dpair_why says what differs
 */
#ifndef DEVICE_PAIR_H
#define DEVICE_PAIR_H

#include "bench.h"

extern char dpair_why[200];
extern uint64_t dpair_stops, dpair_loads;	/* how often states were compared, and how often loaded */
extern uint64_t dpair_translated;		/* translations of cores that are gone */

/* Saves both, which must give the same bytes.  load: each begins again with what the other one has saved. */
bool dpair_states(struct bench *const b[2], bool load);
/* Device time, errors of channels, dirty bytes, counters, traces, VRAM and system memory. */
bool dpair_same(struct bench *const b[2]);
/* Frees both. */
void dpair_free(struct bench *const b[2]);

#endif
