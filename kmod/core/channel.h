/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PPU driver core: channels.  Configuration, and device-owned queues.
 *
 * A device-owned queue is a channel that threads on the GPU fill: they cannot reach
 * GP_GET and GP_PUT, so the whole ring is open from the start, and only the semaphore
 * that the host interface stands at keeps it from entries that nobody wrote.
 * Therefore the order of what is done (method 400, WQ-27..WQ-38):
 *
 *   404, 405	ring, semaphores, X, Y in one object, zero-filled
 *   406	a block that waits for X
 *   408	the entry at GP_GET points to it
 *   410	GP_PUT is the entry before GP_GET: the ring is open
 *   412	soft and shadow GP_PUT
 *
 * and only then is the channel enabled: if it ends anywhere in between, the host
 * interface has seen nothing.
 *
 * As GP_GET moves, GP_PUT and the shadow must follow (refresh): by a command in the
 * channel of the CPU, by the device itself, or by ppu_devq_refresh() when an
 * interrupt says that GP_GET has moved by half a ring.  All three are one step of the
 * device, so they can meet in any order.
 */
#ifndef __PPU_CORE_CHANNEL_H__
#define __PPU_CORE_CHANNEL_H__

#include <hw/ppu_cmd.h>
#include <hw/ppu_devq.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>

#include "driver.h"

/* How rings are mapped: for the host interface alone; for threads, who fill them, too. */
#define PPU_RING_PTE_FLAGS	(PPU_PTE_PRIV | PPU_PTE_READONLY | PPU_PTE_NOEXEC)
#define PPU_DEVQ_PTE_FLAGS	PPU_PTE_NOEXEC

/** struct ppu_chan_config - configuration of a channel */
struct ppu_chan_config {
	/** @inst: VRAM address of the context's instance block. */
	u64 inst;
	u64 ring_va;
	u32 entries;
	/** @hw_class: PPU_CLASS_*. */
	u32 hw_class;
	u32 priority;
	/** @timeslice_ns: 0: the device's own. */
	u32 timeslice_ns;
	u32 engine_mask;
	/** @flags: PPU_CHF_*. */
	u32 flags;
	/** @get: GP_GET and GP_PUT: empty, wherever it starts. */
	u32 get;
	/** @shadow_va: where refresh writes GP_PUT; 0: nowhere. */
	u64 shadow_va;
};

void ppu_chan_configure(const struct ppu_bus *bus, void *dev, u32 chid,
			const struct ppu_chan_config *config);

/** struct ppu_devq_setup - a queue that is being set up */
struct ppu_devq_setup {
	const struct ppu_bus *bus;
	void *dev;
	/** @chid: channel; configured, not enabled. */
	u32 chid;
	u32 count;
	/** @va: of the object, and @layout in it. */
	u64 va;
	const struct ppu_devq_layout *layout;
	/** @mem: where the object is in VRAM. */
	struct ppu_backing mem;
	/** @get: GP_GET; known from step 408 (WQ-31) on. */
	u32 get;
};

#define PPU_DEVQ_NUM_STEPS	5

/* Steps of method 400 (WQ-28..WQ-34) that are the driver's once there is an object, in their order. */
extern const unsigned int ppu_devq_steps[PPU_DEVQ_NUM_STEPS];

int ppu_devq_step(struct ppu_devq_setup *q, unsigned int step);
void ppu_devq_refresh(const struct ppu_bus *bus, void *dev, u32 chid);

/** struct ppu_token_queue - a warp's divergence tokens: entries TAIL + 1 .. HEAD - 1 */
struct ppu_token_queue {
	/** @base: VRAM address of entry 0. */
	u64 base;
	/** @size: entries. */
	s32 size;
	s32 head;
	s32 tail;
};

bool ppu_token_queue_centre(const struct ppu_bus *bus, void *dev, u64 vram,
			    struct ppu_token_queue *q);

#endif
