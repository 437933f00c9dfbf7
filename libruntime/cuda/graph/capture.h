/* SPDX-License-Identifier: MIT */
/* Streams whose work becomes a graph. */
#ifndef PPU_CUDA_CAPTURE_INT_H
#define PPU_CUDA_CAPTURE_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUevent_st;
struct cu_mark;
struct cu_op;
struct cu_stream_use;

/* Is the stream's work being captured?  A capture that an earlier call spoiled counts, too. */
bool cu_capturing(const struct cu_stream_use *u);
/* Adds a copy of the op to the stream's capture.  If the stream is not captured, *captured stays false. */
CUresult cu_capture_op(const struct cu_stream_use *u, const struct cu_op *op, bool *captured);
/* The same for recording an event in the stream, and for waiting for an event. */
CUresult cu_capture_record(const struct cu_stream_use *u, struct CUevent_st *event, bool *captured);
CUresult cu_capture_wait(const struct cu_stream_use *u, struct CUevent_st *event, bool *captured);
/* For calls that must not be made for a stream that is captured: an error, and the capture is spoiled. */
CUresult cu_capture_forbids(const struct cu_stream_use *u);
/* An error for an event that marks a place in a capture; the capture is spoiled. */
CUresult cu_capture_event_check(struct CUevent_st *event);
/* For calls that could wait for captured work or end it: an error, and captures are spoiled, unless the capture
 * modes of the threads allow such calls. */
CUresult cu_capture_unsafe(void);
/*
 * The stream is about to be destroyed.  A capture that began in it is spoiled; one that it joined goes on, and what the stream
 * did must be joined, as ever.
 */
void cu_capture_stream_gone(ppuStream stream);
void cu_capture_mark_free(struct cu_mark *mark);

#pragma GCC visibility pop
#endif
