/* SPDX-License-Identifier: MIT */
/*
 * Stream priorities and the device priorities (of tasks) they stand for.
 *
 * Users see numbers from `least` to `greatest`, rising or falling.  Inside, a priority is a level; level 0 is
 * the least. priomap.c says which device priority a level has at the context's nesting depth.  Only the
 * result is stored, with each stream (SP-30).  What levels mean to copies is in copyprio.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_tmd.h>
#include "api/stream/prio.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/memory/copyprio.h"
#include "api/stream/priomap.h"
#include "api/stream/stream.h"
#include "backend/backend.h"

#define DEFAULT_LEVELS	6
#define DEFAULT_DEPTH	4u

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

/* ---- task priorities: the option ------------------------------------------------------------- */

static bool number(const char *text, uint32_t *out)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	*out = (uint32_t)v;
	return *text >= '0' && *text <= '9' && !*end && v <= 255;
}

static bool parse_option(const char *name, const char *value, struct rt_prio_conf *c)
{
	static const char *const policies[RT_PRIO_POLICIES] = {
		[RT_PRIO_BOTTOM] = "bottom", [RT_PRIO_TOP] = "top",
		[RT_PRIO_BOTTOM_MERGE_LOW] = "bottom-merge-low",
	};

	if (!strcmp(name, "policy")) {
		for (unsigned i = 0; i < RT_PRIO_POLICIES; i++)
			if (!strcmp(value, policies[i])) {
				c->policy = i;
				return true;
			}
		return false;
	}
	if (!strcmp(name, "depth"))
		return number(value, &c->depth) && c->depth;
	if (!strcmp(name, "default")) {
		c->has_fixed = true;
		return number(value, &c->fixed);
	}
	return false;
}

ppuResult rt_taskprio_parse(const char *text, struct rt_prio_conf *c)
{
	char *copy = strdup(text ? text : ""), *save = NULL;
	ppuResult res = PPU_SUCCESS;

	if (!copy)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	memset(c, 0, sizeof(*c));
	for (char *t = strtok_r(copy, " ,\t\n", &save); t && !res; t = strtok_r(NULL, " ,\t\n", &save)) {
		char *eq = strchr(t, '=');

		if (eq)
			*eq = 0;
		if (!eq || !parse_option(t, eq + 1, c))
			res = rt_fail(PPU_ERROR_CONFIGURATION, "task priorities: \"%s=%s\" is not understood (depth=1..64 "
				      "policy=bottom|top|bottom-merge-low default=0..255)", t, eq ? eq + 1 : "");
	}
	free(copy);
	return res;
}

/* ---- device priorities ----------------------------------------------------------------------- */

/*
 * The map counts device priorities from the lowest, 0.  The device has numbers for them, which rise or fall (SP-6).  The
 * number of a place in the map; also the place of a number.
 */
static uint32_t number_of(const ppuDeviceProp *prop, uint32_t place)
{
	return prop->features & PPU_FEAT_PRIO_DOWN ? prop->device_priorities - 1 - place : place;
}

/* A task that names no priority gets the lowest: to name that one changes nothing. */
bool rt_prio_explicit(const struct ppuStream_st *s)
{
	const ppuDeviceProp *prop = &s->ctx->device->prop;

	return s->assigned || (prop->device_priorities && number_of(prop, s->device_priority));
}

/* ---- nesting depth --------------------------------------------------------------------------- */

uint32_t rt_prio_depth(const ppuDeviceProp *prop)
{
	uint32_t m = prop->device_priorities;

	if (rt_prio_conf.depth)
		return rt_prio_conf.depth;
	/* Streams get two levels at least, where there are two device priorities. */
	return !m || m / 2 > DEFAULT_DEPTH ? DEFAULT_DEPTH : m > 1 ? m / 2 : 1;
}

bool rt_prio_depth_ok(const ppuDeviceProp *prop, uint64_t depth, char *why)
{
	uint32_t m = prop->device_priorities;
	const struct rt_prio_conf *c = &rt_prio_conf;

	if (!depth || depth > PPU_MAX_DEPTH)
		snprintf(why, RT_PRIO_REFUSAL, "a nesting depth of %llu is impossible: 1 to %u",
			 (unsigned long long)depth, PPU_MAX_DEPTH);
	else if (m && depth > m)
		snprintf(why, RT_PRIO_REFUSAL, "a nesting depth of %u needs as many device priorities, and there are %u",
			 (unsigned)depth, m);
	else if (m && c->has_fixed && (c->fixed >= m || number_of(prop, c->fixed) + depth > m))
		snprintf(why, RT_PRIO_REFUSAL, "the default device priority %u leaves no %u above it for children: "
			 "of %u priorities, the highest that fits nesting depth %u is %u", c->fixed,
			 (unsigned)depth - 1, m, (unsigned)depth, number_of(prop, m - (unsigned)depth));
	else
		return true;
	return false;
}

/* ---- streams --------------------------------------------------------------------------------- */

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

static uint32_t device_priority(const struct ppuStream_st *s)
{
	const ppuDeviceProp *prop = &s->ctx->device->prop;
	uint32_t device = 0;

	if (!prop->device_priorities)
		return 0;
	if (!s->assigned && rt_prio_conf.has_fixed)
		return rt_prio_conf.fixed;
	rt_prio_map(rt_prio_policies[rt_prio_conf.policy], prop->device_priorities,
		    s->ctx->reserve, rt_prio_levels(prop), s->level, &device);
	return number_of(prop, device);
}

void rt_prio_assign(struct ppuStream_st *s, int priority, unsigned level, bool own)
{
	s->priority = priority;
	s->level = level;
	s->assigned = own && s->ctx->device->prop.device_priorities;
	s->device_priority = device_priority(s);
	rt_copyprio_alias(s);
}

void rt_prio_refresh(struct ppuCtx_st *ctx)
{
	for (struct ppuStream_st *s = ctx->streams; s; s = s->next)
		s->device_priority = device_priority(s);
	ctx->null_stream->device_priority = device_priority(ctx->null_stream);
}
