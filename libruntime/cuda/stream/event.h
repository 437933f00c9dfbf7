/* SPDX-License-Identifier: MIT */
/* Events. */
#ifndef PPU_CUDA_EVENT_INT_H
#define PPU_CUDA_EVENT_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/context/object.h"

#pragma GCC visibility push(hidden)

struct cu_ipc_event;
struct cu_mark;

struct CUevent_st {
	struct cu_obj obj;
	ppuEvent ppu;
	unsigned int flags;
	struct cu_ipc_event *ipc;	/* of several processes; NULL: of this one alone */
	bool recorded;			/* was recorded in a stream that was not captured */
	struct cu_mark *mark;		/* a place in a capture (graph/capture.c); NULL: none */
};

/* An event of another process becomes one of this context. */
CUresult cu_event_of(struct CUctx_st *ctx, struct cu_ipc_event *ipc, CUevent *event);

#pragma GCC visibility pop
#endif
