/* SPDX-License-Identifier: MIT */
/*
 * Stream priorities and the device priorities (of tasks) they stand for.
 *
 * Users see numbers from `least` to `greatest`, rising or falling.  Inside, a priority is a level, 0 the
 * least; priomap.c says which device priority it has.  What levels mean to copies is in copyprio.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include "rt.h"

#define DEFAULT_LEVELS	6
#define DEPTH		1

ppuResult rt_prio_parse(const char *text, int *least, int *greatest)
{
	char rest;

	if (!text || !*text) {
		*least = 0;
		*greatest = -(DEFAULT_LEVELS - 1);
		return PPU_SUCCESS;
	}
	if (sscanf(text, "%d:%d%c", least, greatest, &rest) != 2 || abs(*least) > RT_MAX_PRIORITY ||
	    abs(*greatest) > RT_MAX_PRIORITY)
		return rt_fail(PPU_ERROR_CONFIGURATION,
			       "stream priorities \"%s\": write least:greatest, numbers up to %d, as in 0:-5",
			       text, RT_MAX_PRIORITY);
	return PPU_SUCCESS;
}

unsigned rt_prio_levels(const ppuDeviceProp *prop)
{
	return (unsigned)abs(prop->stream_priority_greatest - prop->stream_priority_least) + 1;
}

ppuResult rt_prio_level(const ppuDeviceProp *prop, int priority, unsigned *level)
{
	int least = prop->stream_priority_least, greatest = prop->stream_priority_greatest;

	if (least < greatest ? priority < least || priority > greatest : priority > least || priority < greatest)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "stream priority %d is outside %d (least) to %d (greatest)",
			       priority, least, greatest);
	*level = (unsigned)abs(priority - least);
	return PPU_SUCCESS;
}

uint32_t rt_prio_device(const ppuDeviceProp *prop, unsigned level)
{
	uint32_t device = 0;

	rt_prio_map(rt_prio_policies[RT_PRIO_BOTTOM], prop->device_priorities, DEPTH, rt_prio_levels(prop), level,
		    &device);
	return device;
}
