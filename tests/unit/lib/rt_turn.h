/* SPDX-License-Identifier: MIT */
/*
 * SP-6: the tests of the runtime with the direction of stream priorities turned. With PPU_TURNED=1 in the environment each
 * number of a stream priority, on its way to the runtime or back, is its negative: what was 0 (least) to -5 is 0 to 5, and
 * 1 to -1 is -1 to 1. The tests themselves stay as they are; tests/unit/runtime/turned.sh runs them.
 */
#ifndef RT_TURN_H
#define RT_TURN_H

#include <stdio.h>
#include <stdlib.h>
#include <ppu.h>

static inline int rt_turn(int priority)
{
	const char *turned = getenv("PPU_TURNED");

	return turned && *turned == '1' ? -priority : priority;
}

static inline ppuResult rt_turn_init(const ppuInitOptions *options)
{
	ppuInitOptions o = options ? *options : (ppuInitOptions){ 0 };
	const char *env = getenv("PPU_STREAM_PRIORITIES"), *streams = o.stream_priorities ? o.stream_priorities : env;
	int least, greatest;
	char pair[40], rest;

	if (rt_turn(1) == 1)
		return ppuInit(options);
	if (!streams || !*streams)
		streams = "0:-5";		/* the default */
	if (sscanf(streams, "%d:%d%c", &least, &greatest, &rest) == 2) {
		snprintf(pair, sizeof(pair), "%d:%d", rt_turn(least), rt_turn(greatest));
		o.stream_priorities = pair;
	}
	return ppuInit(&o);
}

static inline ppuResult rt_turn_range(int *least, int *greatest)
{
	ppuResult res = ppuStreamGetPriorityRange(least, greatest);

	if (!res && least)
		*least = rt_turn(*least);
	if (!res && greatest)
		*greatest = rt_turn(*greatest);
	return res;
}

static inline ppuResult rt_turn_get(ppuStream s, int *priority)
{
	ppuResult res = ppuStreamGetPriority(s, priority);

	if (!res)
		*priority = rt_turn(*priority);
	return res;
}

#define ppuInit(...)			rt_turn_init(__VA_ARGS__)	/* a compound literal has commas */
#define ppuStreamCreate(s, flags, p)	ppuStreamCreate(s, flags, rt_turn(p))
#define ppuStreamSetPriority(s, p)	ppuStreamSetPriority(s, rt_turn(p))
#define ppuStreamGetPriority(s, p)	rt_turn_get(s, p)
#define ppuStreamGetPriorityRange(l, g)	rt_turn_range(l, g)

#endif
