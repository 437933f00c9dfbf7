/* SPDX-License-Identifier: MIT */
/* Lab 9's grader in the guest: waiting for the device, and saying why it will not get any further. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include "hw.h"
#include "queue.h"

/*
 * Waits until *done is not 0. Returns false if that will never be, and then an observation "stuck TEST ..." says why.
 * Registers are not touched before patience_ms have passed.
 */
bool watch_done(struct hw *hw, const struct queue *q, uint64_t done, const char *test, unsigned int patience_ms);
/* Has the last watch_done() touched registers? */
bool watch_touched(void);

/* Counts of everything in which the CPU could have had a part. */
struct watch_counts {
	uint64_t reads, writes, doorbells, kicks, interrupts;
};
struct watch_counts watch_counts(struct hw *hw);

#endif
