/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: words in memory that the device watches.
 */
#ifndef __PPU_WATCH_H__
#define __PPU_WATCH_H__

#include <linux/bitmap.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include <hw/ppu_regs.h>

struct ppu_device;

/**
 * struct ppu_watch - one word the device or SEM_SIGNAL wakes someone for
 *
 * Lives in its owner; between ppu_watch_add() and ppu_watch_del() @fn is called
 * with the table's lock held, interrupts off.
 */
struct ppu_watch {
	/** @node: in ppu_watches.by_addr. */
	struct hlist_node node;
	/** @addr: physical address of the word | aperture. */
	u64 addr;
	/** @fn: the word matched (@matched), or was signalled: look again. */
	void (*fn)(struct ppu_watch *watch);
	/** @op: condition, PPU_SEM_OP_*. */
	u32 op;
	/** @value: operand. */
	u64 value;
	/** @is32: the word has 32 bits. */
	bool is32;
	/** @index: entry of the device's table; -1: none was free. */
	int index;
	/** @matched: the device saw the condition hold. */
	bool matched;
};

/**
 * struct ppu_watches - the device's watch table
 */
struct ppu_watches {
	/** @lock: protects everything here, and waiters' lists. */
	spinlock_t lock;
	/** @used: entries in use. */
	DECLARE_BITMAP(used, PPU_MAX_WATCHES);
	/** @slot: whose entry it is. */
	struct ppu_watch **slot;
	/** @by_addr: all watches, also those without an entry. */
	DECLARE_HASHTABLE(by_addr, 8);
	/** @waiters: SEM_WAIT calls in progress. */
	struct list_head waiters;
	/** @top: one past the highest entry ever used. */
	unsigned int top;
};

int ppu_watch_init(struct ppu_device *ppu);
void ppu_watch_add(struct ppu_device *ppu, struct ppu_watch *watch, u64 addr, u32 op, u64 value,
		   bool is32);
void ppu_watch_del(struct ppu_device *ppu, struct ppu_watch *watch);
void ppu_watch_poke(struct ppu_device *ppu, u64 addr);
void ppu_watch_irq(struct ppu_device *ppu);
void ppu_watch_rearm_all(struct ppu_device *ppu);

#endif
