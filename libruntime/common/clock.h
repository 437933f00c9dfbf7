/* SPDX-License-Identifier: MIT */
/* The host's clock. */
#ifndef PPU_CLOCK_H
#define PPU_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, in nanoseconds. */
static inline uint64_t ppu_be_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
