/* SPDX-License-Identifier: MIT */
/* Stream priorities, and what they mean to kernels. */
#ifndef PPU_API_PRIO_H
#define PPU_API_PRIO_H

#include <stdbool.h>
#include <ppu.h>
#include "api/stream/priomap.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuStream_st;

#define RT_MAX_PRIORITY	1000000			/* of streams, in numbers */

ppuResult rt_prio_parse(const char *text, int *least, int *greatest);
unsigned rt_prio_levels(const ppuDeviceProp *prop);
ppuResult rt_prio_level(const ppuDeviceProp *prop, int priority, unsigned *level);
/* The option task_priorities. */
struct rt_prio_conf {
	unsigned policy;		/* enum rt_prio_policy */
	uint32_t depth;			/* of new contexts, 0: rt_prio_depth() decides */
	bool has_fixed;
	uint32_t fixed;			/* device priority of streams that were given none */
};
ppuResult rt_taskprio_parse(const char *text, struct rt_prio_conf *conf);
uint32_t rt_prio_depth(const ppuDeviceProp *prop);	/* nesting depth of new contexts */
/* Can contexts have this depth?  If not, there is a sentence in why[RT_PRIO_REFUSAL]. */
#define RT_PRIO_REFUSAL	200
bool rt_prio_depth_ok(const ppuDeviceProp *prop, uint64_t depth, char *why);
/* Locked. own: the user chose this priority. */
void rt_prio_assign(struct ppuStream_st *stream, int priority, unsigned level, bool own);
/* Do the stream's tasks say their priority?  Others get the lowest. */
bool rt_prio_explicit(const struct ppuStream_st *stream);
void rt_prio_refresh(struct ppuCtx_st *ctx);		/* locked: the depth has changed */

#pragma GCC visibility pop
#endif
