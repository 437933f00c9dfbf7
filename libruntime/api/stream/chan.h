/* SPDX-License-Identifier: MIT */
/* Channels, their timelines, command memory, and jobs. */
#ifndef PPU_API_CHAN_H
#define PPU_API_CHAN_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu.h>
#include <hw/ppu_tmd.h>
#include "api/stream/slot.h"
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuFunction_st;
struct ppuStream_st;
struct rt_lane;

struct rt_chan {
	struct ppuCtx_st *ctx;
	struct be_chan *be;		/* NULL: a lane's timeline */
	struct rt_lane *lane;
	unsigned index;			/* in ctx->chan and in struct rt_need */
	unsigned cls, number;		/* PPU_CLASS_*; number among the channels of the class */
	int priority;			/* internal priority of a copy channel */
	struct rt_slot word;		/* the timeline */
	struct be_sem *sem;
	uint64_t seq;			/* last number handed out */
	uint32_t put;
	/* command memory: a ring of bytes, positions count without wrapping */
	uint64_t pb_va, pb_head, pb_tail;
	uint32_t pb_bytes;
	uint8_t *pb;
	struct rt_entry {
		uint64_t seq, pb_end;
	} *entry;			/* by ring index */
	uint32_t tail, num;		/* oldest entry not known to be complete; how many */
};

#define RT_JOB_CUTS	6u
/* A job under construction: between begin and end the context stays locked. */
struct rt_job {
	struct ppuStream_st *stream;
	struct rt_chan *chan;
	uint8_t *data, *data_end;	/* room before the commands, 256-byte aligned */
	uint64_t data_va;
	uint32_t *w, *start;		/* commands */
	const struct ppuFunction_st *kernel;	/* what it launches, with the TMD at data; NULL: nothing */
	uint64_t start_va;
	/* Where each of its ring entries but the last one ends. */
	unsigned num_cuts;
	uint32_t *cut[RT_JOB_CUTS];
};
#define RT_JOB_COMMANDS	64u	/* words of a job's own commands */
#define RT_JOB_MAX_DATA	(256u + PPU_PARAM_MAX)
/* cls: PPU_CLASS_COMPUTE or _COPY; data_bytes of room for a TMD and parameters. */
ppuResult rt_job_open(struct rt_job *job, struct ppuStream_st *stream, unsigned cls,
		      uint32_t data_bytes);
/* The same for a job of up to that many ring entries. rt_job_cut(): the commands that follow go into the
 * next entry. */
ppuResult rt_job_open_cut(struct rt_job *job, struct ppuStream_st *stream, unsigned cls,
			  uint32_t data_bytes, unsigned entries);
void rt_job_depend(struct rt_job *job);		/* the acquires of what the stream waits for */
/* rt_job_open() and rt_job_depend(). */
ppuResult rt_job_begin(struct rt_job *job, struct ppuStream_st *stream, unsigned cls,
		       uint32_t data_bytes);
void rt_job_cut(struct rt_job *job);
void rt_job_end(struct rt_job *job);
/* Class of the channel that the stream used last; `cls` if the stream has used none. */
unsigned rt_last_class(struct ppuStream_st *stream, unsigned cls);
void rt_emit(struct rt_job *job, uint32_t header, const uint32_t *operands, unsigned n);
void rt_emit_va(struct rt_job *job, uint32_t header, uint64_t va);
void rt_emit64(struct rt_job *job, uint64_t v);
/* The channel for a stream's work of a class; made at first use. */
ppuResult rt_chan_pick(struct ppuStream_st *stream, unsigned cls, struct rt_chan **chan);
void rt_chan_free(struct rt_chan *chan);
/* Any channel's kick makes the device look at all waiters of the address space (WQ-17). */
void rt_chan_kick_any(struct ppuCtx_st *ctx);
static inline bool rt_chan_done(const struct rt_chan *c, uint64_t seq)
{
	return __atomic_load_n(rt_slot_ptr(c->word), __ATOMIC_ACQUIRE) >= seq;
}

#pragma GCC visibility pop
#endif
