/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PPU driver core: channels.  Configuration, and device-owned queues.
 *
 * A device-owned queue is a channel that threads on the GPU fill.  These threads cannot reach
 * GP_GET and GP_PUT, so the whole ring is open from the start.  Only the semaphore at which the
 * host interface stands keeps it from entries that nobody has written.  Therefore the set-up has
 * this order (method 400, WQ-27..WQ-38):
 *
 *   404, 405	ring, semaphores, X, Y in one object, zero-filled
 *   406	a block that waits for X
 *   408	the entry at GP_GET points to it
 *   410	GP_PUT is the entry before GP_GET: the ring is open
 *   412	soft and shadow GP_PUT
 *
 * and only then is the channel enabled: if the set-up ends anywhere in between, the host
 * interface has seen nothing.
 *
 * As GP_GET moves, GP_PUT and the shadow must follow (refresh).  A command in the channel of the
 * CPU, the device itself, or ppu_devq_refresh() after the interrupt that says that GP_GET has
 * moved by half a ring can do this.  Each of the three is one step of the device, so they can meet
 * in any order.
 */
#ifndef __PPU_CORE_CHANNEL_H__
#define __PPU_CORE_CHANNEL_H__

#include <hw/ppu_cmd.h>
#include <hw/ppu_devq.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>

#include "driver.h"

/* PTE flags of rings: for the host interface alone; also for GPU threads, which fill the ring. */
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
	/** @group: channels of the context with the same number are a group; 0: none. */
	u32 group;
	/** @get: start of GP_GET and GP_PUT; equal, so the ring is empty. */
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
	/** @va: address of the object, in which @layout says what is where. */
	u64 va;
	const struct ppu_devq_layout *layout;
	/** @mem: where the object is in VRAM. */
	struct ppu_backing mem;
	/** @get: GP_GET; known from step 408 (WQ-31) on. */
	u32 get;
};

#define PPU_DEVQ_NUM_STEPS	5

/*
 * The steps of method 400 (WQ-28..WQ-34) that the driver does once there is an object, in
 * their order.
 */
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
