/* SPDX-License-Identifier: MIT */
/* Events of several processes. */
#ifndef PPU_CUDA_IPCEVENT_INT_H
#define PPU_CUDA_IPCEVENT_INT_H

#include <stdbool.h>
#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

struct CUctx_st;
struct cu_ipc_event;

CUresult cu_ipc_event_new(const struct CUctx_st *ctx, struct cu_ipc_event **e);	/* ctx: the current one */
void cu_ipc_event_end(struct cu_ipc_event *e, struct CUctx_st *ctx, unsigned long long id);	/* of its context */
/* own: an event of this process alone, which is recorded with it and tells of errors. */
CUresult cu_ipc_event_record(struct cu_ipc_event *e, ppuEvent own, ppuStream stream);
CUresult cu_ipc_event_wait(struct cu_ipc_event *e, ppuStream stream);
CUresult cu_ipc_event_query(const struct cu_ipc_event *e, ppuEvent own);
CUresult cu_ipc_event_synchronize(const struct cu_ipc_event *e, ppuEvent own);
/* The device goes on until the event is done, also when the program waits for something else.  False: no memory, no thread. */
bool cu_ipc_drive(ppuEvent event);

#pragma GCC visibility pop
#endif
