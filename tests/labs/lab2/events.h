/* SPDX-License-Identifier: MIT */
/* Events of the device, made from user space behind the driver's back. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Entry n of the watch table matches at once: WATCH_PENDING has its bit. */
void watch_event(unsigned int n);
/* Channel n is enabled without a context: it stops, CHERR_PENDING has its bit. */
void error_event(unsigned int n);
/* Channel n executes an INTR command: CHINTR_PENDING has its bit. To be prepared once. */
void channels_prepare(void);
void channel_event(unsigned int n);
bool channel_is_done(unsigned int n);
/* Words of a bitmap that are not 0. */
unsigned int bitmap_left(uint32_t reg, unsigned int words);

#endif
