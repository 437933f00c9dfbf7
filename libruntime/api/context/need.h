/* SPDX-License-Identifier: MIT */
/* What work stands for: a number per channel (see README). */
#ifndef PPU_API_NEED_H
#define PPU_API_NEED_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define RT_MAX_COMPUTE	16u			/* channels per context */
#define RT_MAX_COPY	64u			/* copy channels, and internal priorities of copies */
#define RT_MAX_LANE	4u			/* threads for host functions */
#define RT_MAX_CHAN	(RT_MAX_COMPUTE + RT_MAX_COPY + RT_MAX_LANE)

struct rt_need {
	uint64_t seq[RT_MAX_CHAN];	/* by struct rt_chan's index; 0 from ctx->num_chan on */
};

#pragma GCC visibility pop
#endif
