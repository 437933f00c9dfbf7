/* SPDX-License-Identifier: MIT */
/* Copy priorities: stream -> copy channel, semaphores around copies. */
#ifndef PPU_API_COPYPRIO_H
#define PPU_API_COPYPRIO_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu.h>
#include "api/context/need.h"

#pragma GCC visibility push(hidden)

struct be_bo;
struct be_sem;
struct ppuCtx_st;
struct ppuStream_st;
struct rt_job;
struct rt_stage;

enum rt_copy_mode { RT_COPY_ON, RT_COPY_OFF, RT_COPY_INC_FIRST };
struct rt_copy_conf {
	enum rt_copy_mode mode;
	bool down;			/* 1 is the highest internal priority */
	bool system;			/* semaphores in system memory, else in VRAM */
	bool mapped;			/* of_channel was given by the user */
	unsigned count;			/* internal priorities, numbered from 1 */
	unsigned channels;
	uint8_t of_channel[RT_MAX_COPY];	/* the internal priority of each */
};

/* Copy priorities of a context; all but `next` is fixed at its creation. */
struct rt_copyprio {
	struct rt_copy_conf conf;
	int lowest, highest, step;	/* numbers in use; lowest + step is nearer to highest */
	unsigned used, semaphores;
	struct be_bo *bo;		/* the semaphores */
	uint64_t va;
	struct rt_copy_level {		/* by number */
		unsigned channels;	/* 0: not in use */
		unsigned next;		/* chooses the next stream's channel */
		uint64_t sem_va;	/* 0: no semaphore */
		struct be_sem *sem;
		struct rt_stage *stage;
	} level[RT_MAX_COPY + 1];
};

ppuResult rt_copyprio_parse(const char *text, unsigned channels, unsigned levels, struct rt_copy_conf *conf);
ppuResult rt_copyprio_new(struct ppuCtx_st *ctx, bool off);
void rt_copyprio_free(struct ppuCtx_st *ctx);
void rt_copyprio_alias(struct ppuStream_st *stream);	/* locked: choose its copy channel */
/* rt_copy_begin(), rt_copy_end(): a job for one copy or fill, with the commands that its priority needs
 * before and after it. */
ppuResult rt_copy_begin(struct rt_job *job, struct ppuStream_st *stream);
void rt_copy_end(struct rt_job *job);

#pragma GCC visibility pop
#endif
