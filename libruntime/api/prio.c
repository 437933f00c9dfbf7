/* SPDX-License-Identifier: MIT */
/*
 * Stream priorities and the device priorities (of tasks) they stand for.
 *
 * A stream's priority is 0 (least) or negative, more negative = more urgent.  With M device
 * priorities and nesting depth N there are K = M / N levels for streams; level i is device
 * priority i * N, the N - 1 above it belong to children (SP-18..SP-20).
 */
#include "rt.h"

#define MAX_LEVELS	6
#define DEPTH		1

void rt_prio_range(const ppuDeviceProp *prop, int *least, int *greatest)
{
	uint32_t levels = prop->device_priorities / DEPTH;

	if (levels > MAX_LEVELS)
		levels = MAX_LEVELS;
	*least = 0;
	*greatest = levels ? -(int)(levels - 1) : 0;
}

uint32_t rt_prio_device(const ppuDeviceProp *prop, int priority)
{
	return (uint32_t)-priority * DEPTH;
}
