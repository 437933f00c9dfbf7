/* SPDX-License-Identifier: MIT */
/* Events of the device, made from user space behind the driver's back. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Entry n of the watch table matches at once: its bit in WATCH_PENDING is set. */
void watch_event(unsigned int n);
/* Channel n is enabled without a context: it stops, and its bit in CHERR_PENDING is set. */
void error_event(unsigned int n);
/* Channel n executes an INTR command: its bit in CHINTR_PENDING is set. Call channels_prepare() once before. */
void channels_prepare(void);
void channel_event(unsigned int n);
bool channel_is_done(unsigned int n);
/* How many words of a bitmap are not 0. */
unsigned int bitmap_left(uint32_t reg, unsigned int words);

#endif
