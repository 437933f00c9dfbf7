// SPDX-License-Identifier: GPL-2.0-only
/* A timer and its function are set up by one call. */

#include <linux/hrtimer.h>

void probe(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *));
void probe(struct hrtimer *timer, enum hrtimer_restart (*fn)(struct hrtimer *))
{
	hrtimer_setup(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
}
