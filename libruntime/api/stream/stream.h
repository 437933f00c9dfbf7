/* SPDX-License-Identifier: MIT */
/* Streams. */
#ifndef PPU_API_STREAM_H
#define PPU_API_STREAM_H

#include <stdbool.h>
#include <ppu.h>
#include "api/context/need.h"
#include "api/context/object.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct rt_chan;
struct rt_queue;

struct ppuStream_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;
	struct ppuStream_st *next;
	unsigned flags;
	int priority;			/* as the user says it */
	unsigned level;			/* the same counted from 0, the least */
	uint32_t device_priority;	/* of its tasks */
	bool assigned;			/* by the user; else the stream has the default one */
	bool is_null;
	unsigned slot;			/* chooses its compute channel */
	unsigned copy_chan;		/* number of its copy channel */
	struct rt_queue *queue;		/* device-owned; NULL: none yet */
	int last_chan;			/* index, -1: none yet */
	struct rt_need need;		/* what its next job waits for = what it stands for */
};
/* A stream by handle (NULL: the current context's default one), with references to it and its
 * context.  rt_stream_put() gives both back. */
ppuResult rt_stream(ppuStream handle, struct ppuStream_st **stream);
void rt_stream_put(struct ppuStream_st *stream);
struct ppuStream_st *rt_stream_new(struct ppuCtx_st *ctx, unsigned flags, int priority);
/* Locked.  The stream's next work also waits for the default stream; the default stream's waits for the
 * blocking ones. */
void rt_stream_join(struct ppuStream_st *stream);
/* The stream's work so far is done when number `seq` of a channel or lane is done. */
void rt_stream_stands(struct ppuStream_st *stream, const struct rt_chan *chan, uint64_t seq);

#pragma GCC visibility pop
#endif
