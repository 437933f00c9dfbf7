/* SPDX-License-Identifier: MIT */
/* Events. */
#ifndef PPU_API_EVENT_H
#define PPU_API_EVENT_H

#include <stdbool.h>
#include <ppu.h>
#include "api/context/object.h"
#include "api/stream/slot.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuStream_st;

struct ppuEvent_st {
	struct rt_obj obj;
	struct ppuCtx_st *ctx;
	struct ppuEvent_st *next;
	unsigned flags;
	bool recorded, has_slot;
	struct rt_need need;
	struct rt_slot slot;		/* device time of the mark, in the first word */
};

/* An event of ctx by handle, with references to it and its context. */
ppuResult rt_event(ppuEvent handle, struct ppuEvent_st **event);
void rt_event_put(struct ppuEvent_st *event);
/* Locked: the mark becomes what the stream stands for now, and its time is in slot. */
void rt_event_mark(struct ppuEvent_st *event, const struct ppuStream_st *stream, struct rt_slot slot);

#pragma GCC visibility pop
#endif
