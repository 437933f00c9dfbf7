/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PPU driver core: what every driver of the device does alike.
 *
 * Two drivers use it: the kernel's (kmod) and the one that plays its part inside a
 * process (libruntime/backend/core).  The tests' benches use it, too.  It is plain
 * C: it allocates nothing, takes no locks and includes nothing of a kernel or a C
 * library but types.  Its callers hold what locks they need, bring the memory, and
 * hand in the few operations below.
 *
 *   pt.h		page tables: planning, writing, looking at them
 *   context.h		instance block, areas and their sizes, limits of a context
 *   channel.h		configuration of a channel, device-owned queues
 *   fault.h		fault records, and who dies of what
 *
 * What stays different between the two drivers, and why:
 *
 *   Allocation.  The kernel fills a pool of page tables before it takes the lock that
 *   fences may wait for; the process, where nobody waits that way, allocates a table
 *   when it is needed.  So the kernel plans for the worst, the process does not plan.
 *
 *   System memory.  The kernel's is scattered pages and is mapped by 4 KiB leaves; the
 *   process has one memory file, contiguous for the device, and gets large leaves there.
 *
 *   Changes of limits.  The kernel pauses the VM's channels, replaces one area after
 *   the other, and keeps an area that a task got hold of meanwhile.  In a process device
 *   time stands still: all areas change at once, and nothing can slip in.
 *
 *   Interrupts.  The kernel has threads for them; the process looks at what came when
 *   device time has advanced.  The reaction to each record and each channel is that of
 *   fault.h in both.  SM exceptions, which come only with the device's property
 *   token-queue-driver, are served by the kernel alone.
 *
 *   Ends.  The kernel keeps how each channel ended (struct ppu_failure) and stops the
 *   owner of a queue by a worker; in a process whoever asks gets it from the registers.
 *
 *   Clients.  Quotas, priorities that need a privilege, watchdogs, groups, events,
 *   notifiers and coredumps are the kernel's alone: a process has one client, itself.
 */
#ifndef __PPU_DRIVER_H__
#define __PPU_DRIVER_H__

#include "types.h"

/**
 * struct ppu_bus - how to reach a device
 *
 * Registers that work in pairs are the caller's to serialise.
 */
struct ppu_bus {
	/** @rd: read a register of BAR0. */
	u32 (*rd)(void *dev, u32 reg);
	/** @wr: write a register of BAR0. */
	void (*wr)(void *dev, u32 reg, u32 val);
	/** @mem_rd: read eight bytes of VRAM. */
	u64 (*mem_rd)(void *dev, u64 addr);
	/** @mem_wr: write eight bytes of VRAM. */
	void (*mem_wr)(void *dev, u64 addr, u64 val);
	/** @mem_order: what was written is there before what is written later. */
	void (*mem_order)(void *dev);
};

/**
 * struct ppu_backing - where the bytes of an object are
 */
struct ppu_backing {
	/**
	 * @addr: address of the byte at @offset, in VRAM or on the bus, and how
	 * many bytes from there are contiguous.
	 */
	u64 (*addr)(const void *object, u64 offset, u64 *contig);
	/** @object: the first argument of @addr. */
	const void *object;
};

#endif
