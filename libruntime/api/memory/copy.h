/* SPDX-License-Identifier: MIT */
/* Copies and fills. */
#ifndef PPU_API_COPY_H
#define PPU_API_COPY_H

#include <pthread.h>
#include <stdbool.h>
#include <ppu.h>
#include "api/context/need.h"

#pragma GCC visibility push(hidden)

struct ppuStream_st;

#define RT_STAGE_SLOTS	4
#define RT_STAGE_BYTES	(1u << 20)

struct rt_rect {
	uint64_t dst, src, dst_pitch, src_pitch, width, rows;
};
/* Unlocked; wait: complete on return. */
ppuResult rt_copy(struct ppuStream_st *stream, const struct rt_rect *r, bool wait);
/* Pinned slots through which copies of ordinary memory go.  There is one set for each internal priority,
 * so that no copy waits for the lock of a lower priority. */
struct rt_stage {
	pthread_mutex_t lock;
	void *mem;
	struct rt_need need[RT_STAGE_SLOTS];
	unsigned next;
};
struct rt_stage *rt_stage_new(void);
void rt_stage_free(struct rt_stage *stage);

#pragma GCC visibility pop
#endif
