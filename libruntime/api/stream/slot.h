/* SPDX-License-Identifier: MIT */
/* Words in memory that the device stores to: timelines and times of events. */
#ifndef PPU_API_SLOT_H
#define PPU_API_SLOT_H

#include <stdint.h>
#include <ppu.h>
#include "api/context/need.h"

#pragma GCC visibility push(hidden)

struct be_bo;
struct ppuCtx_st;

#define RT_SEM_BO	65536u			/* bytes of a page group of 16-byte slots */

struct rt_slots {		/* a buffer of 16-byte slots {u64 value, u64 time} */
	struct rt_slots *next;
	struct be_bo *bo;
	uint64_t va;
	uint32_t num_free;
	uint16_t free[RT_SEM_BO / 16];
};
struct rt_slot {
	struct rt_slots *home;
	uint32_t index;
};
struct rt_retired_slot {	/* free once its last writer is done */
	struct rt_slot slot;
	struct rt_need need;
	struct rt_retired_slot *next;
};

ppuResult rt_slots_new(struct ppuCtx_st *ctx);	/* room for more slots */
ppuResult rt_slot_alloc(struct ppuCtx_st *ctx, struct rt_slot *slot);
void rt_slot_unused(struct rt_slot slot);	/* no submitted work writes it */
void rt_slot_retire(struct ppuCtx_st *ctx, struct rt_slot slot, const struct rt_need *need);
static inline uint64_t rt_slot_va(struct rt_slot s) { return s.home->va + s.index * 16; }
static inline volatile uint64_t *rt_slot_ptr(struct rt_slot s)
{
	return (volatile uint64_t *)(uintptr_t)rt_slot_va(s);
}

#pragma GCC visibility pop
#endif
