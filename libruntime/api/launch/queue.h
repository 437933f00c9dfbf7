/* SPDX-License-Identifier: MIT */
/* Device-owned work queues. */
#ifndef PPU_API_QUEUE_H
#define PPU_API_QUEUE_H

#include <stdbool.h>
#include <ppu.h>
#include <hw/ppu_tmd.h>
#include "api/context/need.h"
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuModule_st;
struct ppuStream_st;
struct rt_chan;
struct rt_job;

struct rt_queue {
	struct rt_queue *next;
	struct ppuStream_st *owner;	/* NULL: any stream that needs a queue may have it */
	bool special;			/* made with options: for its owner only */
	bool assist;			/* the device refreshes the queue */
	struct rt_chan *chan;		/* stopped when the queue is in error */
	struct be_devq be;
	uint32_t count, block_bytes, flags;	/* PPU_STREAM_QUEUE_* */
	uint64_t mem;			/* struct ppu_queue, its state, command memory */
	uint64_t launches;		/* the last number handed out */
	struct rt_need last;		/* ... and what tells that this launch is complete */
	uint64_t pair[2];		/* words of struct ppu_queue as the last launch left them */
	bool pair_known[2];
};
/* Unlocked.  Called before a launch that needs a queue: afterwards the stream has one. */
ppuResult rt_queue_prepare(struct ppuStream_st *stream);
/* Unlocked.  Tell a module's copy of the library about its kernels. */
ppuResult rt_queue_bind(struct ppuModule_st *mod, uint8_t *data);
/* Locked, for a launch. rt_queue_parts(): how many ring entries it takes. rt_queue_tmd(): fills in its
 * TMD. rt_queue_before(): commands that go before it. rt_queue_launch(): the launch itself. */
unsigned rt_queue_parts(const struct rt_queue *queue);
void rt_queue_tmd(const struct rt_queue *queue, struct ppu_tmd *tmd);
void rt_queue_before(struct rt_job *job, struct rt_queue *queue, uint64_t threads);
void rt_queue_launch(struct rt_job *job, struct rt_queue *queue, uint64_t tmd_va);
void rt_queue_disown(struct ppuStream_st *stream);	/* locked: the stream goes */
bool rt_queue_has(const struct ppuCtx_st *ctx, uint32_t hw_channel);
void rt_queues_stop(struct ppuCtx_st *ctx);
void rt_queues_free(struct ppuCtx_st *ctx);

#pragma GCC visibility pop
#endif
