/* SPDX-License-Identifier: MIT */
/*
 * SP-6: the tests of the runtime with the direction of priorities turned.  The tests themselves stay as they are.
 *
 * With PPU_TURNED=1 in the environment each number of a stream priority, on its way to the runtime or back, is its negative:
 * what was 0 (least) to -5 is 0 to 5, and 1 to -1 is -1 to 1. tests/unit/runtime/turned.sh runs them.
 *
 * With PPU_TURNED_DEVICE=1 devices have the property priority-order, so that 0 is their highest priority, and each number of
 * a device priority is turned on its way back, in traces, too. tests/unit/tasks/turned_device.sh runs them.
 */
#ifndef RT_TURN_H
#define RT_TURN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu.h>

static inline bool rt_turn_set(const char *name)
{
	const char *turned = getenv(name);

	return turned && *turned == '1';
}

static inline int rt_turn(int priority)
{
	return rt_turn_set("PPU_TURNED") ? -priority : priority;
}

/* A device priority, for a device with m of them. */
static inline uint32_t rt_turn_of(uint32_t priority, uint32_t m)
{
	return rt_turn_set("PPU_TURNED_DEVICE") && priority < m ? m - 1 - priority : priority;
}

/* For the device that is there. */
static inline uint32_t rt_turn_device(uint32_t priority)
{
	ppuDeviceProp p;

	return ppuDeviceGetProperties(&p, 0) ? priority : rt_turn_of(priority, p.device_priorities);
}

/* Properties with priority-order, and the device priority that task_priorities name turned. */
static inline void rt_turn_options(ppuInitOptions *o, char props[400], char tasks[200])
{
	const char *m = o->props ? strstr(o->props, "device-priorities=") : NULL;
	const char *fixed = o->task_priorities ? strstr(o->task_priorities, "default=") : NULL;

	snprintf(props, 400, "%s priority-order=1", o->props ? o->props : "");
	o->props = props;
	if (!fixed)
		return;
	fixed += strlen("default=");
	snprintf(tasks, 200, "%.*s%u%s", (int)(fixed - o->task_priorities), o->task_priorities,
		 rt_turn_of((uint32_t)atoi(fixed), m ? (uint32_t)atoi(m + strlen("device-priorities=")) : 12),
		 fixed + strspn(fixed, "0123456789"));
	o->task_priorities = tasks;
}

static inline ppuResult rt_turn_init(const ppuInitOptions *options)
{
	ppuInitOptions o = options ? *options : (ppuInitOptions){ 0 };
	const char *env = getenv("PPU_STREAM_PRIORITIES"), *streams = o.stream_priorities ? o.stream_priorities : env;
	char pair[40], props[400], tasks[200], rest;
	int least, greatest;

	if (rt_turn_set("PPU_TURNED_DEVICE") && o.backend && !strcmp(o.backend, "core"))
		rt_turn_options(&o, props, tasks);
	else if (rt_turn(1) == 1)
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

static inline ppuResult rt_turn_get_device(ppuStream s, uint32_t *priority)
{
	ppuResult res = ppuStreamGetDevicePriority(s, priority);

	if (!res)
		*priority = rt_turn_device(*priority);
	return res;
}

static inline ppuResult rt_turn_tasks(ppuTaskInfo *tasks, unsigned *count)
{
	ppuResult res = ppuCtxGetTasks(tasks, count);

	for (unsigned i = 0; !res && i < *count; i++)
		tasks[i].device_priority = rt_turn_device(tasks[i].device_priority);
	return res;
}

#define ppuInit(...)			rt_turn_init(__VA_ARGS__)	/* a compound literal has commas */
#define ppuStreamCreate(s, flags, p)	ppuStreamCreate(s, flags, rt_turn(p))
#define ppuStreamSetPriority(s, p)	ppuStreamSetPriority(s, rt_turn(p))
#define ppuStreamGetPriority(s, p)	rt_turn_get(s, p)
#define ppuStreamGetPriorityRange(l, g)	rt_turn_range(l, g)
#define ppuStreamGetDevicePriority(s, p)	rt_turn_get_device(s, p)
#define ppuCtxGetTasks(t, n)		rt_turn_tasks(t, n)

#endif
