/* SPDX-License-Identifier: MIT */
/*
 * For tests of the runtime: what the runtime submits, and what the device did with it.
 *
 * A spy stands between the current context and its backend and writes down every block at the moment
 * it is submitted, as words:
 *
 *   wait(C3)      acquire of channel 3's timeline   gate(S2)   acquire S2 == 0, re-checked (GATE) acquire(S2)   the
 *   same without GATE             inc(S2) dec(S2) copy copy2d fill fill2d launch wfi stamp        done       release of
 *   the channel's own timeline refresh(Q0)   QUEUE_REFRESH of the context's first device-owned queue X=3 Y==3
 *   release of a queue's X, acquire of its Y state(8)=0 told(64)=0x1   stores to a queue's state, to the data for its
 *   kernels anything else: ?opcode(address)
 *
 * C numbers are the context's channels in the order they were made, S numbers internal priorities.
 */
#ifndef RT_SPY_H
#define RT_SPY_H

#include <check.h>
#include <ppu.h>
#include <hw/ppu_trace.h>
#include <api/context/context.h>
#include <api/context/init.h>
#include <api/context/wait.h>
#include <api/launch/queue.h>
#include <api/memory/copy.h>
#include <api/stream/chan.h>
#include <api/stream/event.h>
#include <api/stream/prio.h>
#include <api/stream/stream.h>
#include "rt_ok.h"

struct rt_spy {
	struct be_ops ops;
	const struct be_ops *below;
	struct ppuCtx_st *ctx;
	struct rt_spied {
		unsigned chan;		/* C number */
		uint32_t entry;		/* of the ring */
		uint64_t va;
		char text[1024];
	} *block;
	unsigned num, cap;
	unsigned kicks;
	uint32_t put[RT_MAX_CHAN];	/* last known GP_PUT of each channel */
	bool late;			/* GP_GET is seen to move some readings after it has moved */
	uint32_t get[RT_MAX_CHAN];	/* where it was seen last */
	unsigned readings[RT_MAX_CHAN];
	unsigned queue_prios;		/* bit mask of the queue priorities channels were made with */
};

/* One spy at a time, on the current context, before it has channels. */
void rt_spy_start(struct rt_spy *spy);
void rt_spy_stop(struct rt_spy *spy);	/* may also be called after the context is destroyed */
/* The last block submitted in a stream's copy channel. */
const char *rt_spy_last_copy(struct rt_spy *spy, ppuStream stream);

/* A trace written by the core backend; complete after ppuShutdown(). */
struct rt_trace {
	struct ppu_trace_rec *rec;
	size_t num;
};
void rt_trace_name(char *path, size_t len);	/* of a new temporary file */
struct rt_trace rt_trace_take(const char *path);	/* reads and removes it */
void rt_trace_free(struct rt_trace *trace);

/* Let device time pass; at most until everything in the current context is done. */
void rt_pass(uint64_t ns);

#endif
