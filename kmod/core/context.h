/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PPU driver core: contexts.  The instance block, the areas of VRAM that SMs need to
 * run tasks, and the limits that decide how large they are.
 *
 * All three areas come together, with the first channel that may launch, or not at all: a context
 * that only copies needs none.  Tasks never run without a save area, not even on a small device:
 * tasks could not be preempted then, and a parent that waits for its children might keep them out
 * for ever.
 */
#ifndef __PPU_CORE_CONTEXT_H__
#define __PPU_CORE_CONTEXT_H__

#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_save.h>

#include "driver.h"

/* Bytes of local memory of a thread, if the user says nothing. */
#define PPU_LOCAL_DEFAULT	1024u
#define PPU_LOCAL_ALIGN		16u

/** struct ppu_area - a piece of VRAM; size 0: none */
struct ppu_area {
	u64 base;
	u64 size;
};

/** struct ppu_inst - what an instance block says */
struct ppu_inst {
	/** @root: VRAM address of the root table. */
	u64 root;
	u32 context_id;
	u32 max_depth;
	/** @max_pending: 0: as many as the device has records. */
	u32 max_pending;
	u32 prio_ceiling;
	u32 local_per_thread;
	/** @watchdog_ns: 0: no limit. */
	u64 watchdog_ns;
	/** @owner: with whose contexts it shares the machine; 0: with nobody's. */
	u64 owner;
	struct ppu_area local;
	struct ppu_area tokq;
	struct ppu_area save;
};

void ppu_inst_fill(struct ppu_inst_block *blk, const struct ppu_inst *inst);

/** struct ppu_machine - what the sizes of areas depend on: CAP_* registers */
struct ppu_machine {
	u32 sms;
	u32 warps_per_sm;
	u32 tokq_entries;
	/** @save_per_sm: CAP_SAVE_BYTES_PER_SM. */
	u32 save_per_sm;
};

/** struct ppu_area_sizes - bytes, whole pages */
struct ppu_area_sizes {
	u64 local;
	u64 tokq;
	u64 save;
};

void ppu_area_sizes(struct ppu_area_sizes *sizes, const struct ppu_machine *m, u32 depth,
		    u32 local_per_thread);

/** ppu_local_ok - may a thread have this many bytes of local memory? */
static inline bool ppu_local_ok(u64 bytes)
{
	return bytes && bytes <= PPU_LOCAL_MAX;
}

/** ppu_local_round - the bytes of local memory that a thread gets for @bytes */
static inline u32 ppu_local_round(u32 bytes)
{
	return (bytes + PPU_LOCAL_ALIGN - 1) & ~(PPU_LOCAL_ALIGN - 1);
}

/** ppu_depth_ok - may device-side launches nest this deep? */
static inline bool ppu_depth_ok(u64 depth)
{
	return depth && depth <= PPU_MAX_DEPTH;
}

/**
 * ppu_prio_ceiling - highest priority of a context that may use this many levels
 * @levels: the lowest levels of the device's priorities; 0: all
 * @priorities: number of priorities the device has; may be 0
 * @features: the device's PPU_FEAT_* bits, which tell the direction of the numbers
 *
 * Return: what ppu_inst_block.prio_ceiling is to be.
 */
static inline u32 ppu_prio_ceiling(u32 levels, u32 priorities, u32 features)
{
	u32 n = levels ? levels : priorities;

	if (!n)
		return 0;
	return features & PPU_FEAT_PRIO_DOWN ? priorities - n : n - 1;
}

u32 ppu_context_cmd(const struct ppu_bus *bus, void *dev, u64 inst, u32 cmd);
void ppu_context_invalidate(const struct ppu_bus *bus, void *dev, u64 inst);

#endif
