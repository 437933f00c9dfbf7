// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: the device's watch table.
 *
 * An armed entry makes the device interrupt when a word of memory meets a
 * condition.  Arming evaluates at once, so that nothing is lost between a look
 * at the word and going to sleep.  A match disarms the entry.
 *
 * Removing a watch disarms its entry and clears its pending bit under the table's lock, which the
 * interrupt takes, too.  So an interrupt never reaches the next user of the entry.
 */

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include <hw/ppu_regs.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "fence/ppu_watch.h"

/** ppu_watch_init - set up the table; the device was reset */
int ppu_watch_init(struct ppu_device *ppu)
{
	struct ppu_watches *w = drmm_kzalloc(&ppu->drm, sizeof(*w), GFP_KERNEL);

	if (!w)
		return -ENOMEM;
	ppu->watches = w;
	spin_lock_init(&w->lock);
	hash_init(w->by_addr);
	INIT_LIST_HEAD(&w->waiters);
	w->slot = drmm_kcalloc(&ppu->drm, max(1u, ppu->caps.watches), sizeof(*w->slot),
			       GFP_KERNEL);
	return w->slot ? 0 : -ENOMEM;
}

static u32 ppu_watch_reg(int index, u32 reg)
{
	return PPU_BAR0_WATCH + index * PPU_WATCH_STRIDE + reg;
}

static void ppu_watch_arm(struct ppu_device *ppu, const struct ppu_watch *watch)
{
	int i = watch->index;

	ppu_wr(ppu, ppu_watch_reg(i, PPU_REG_WATCH_ADDR_LO), lower_32_bits(watch->addr));
	ppu_wr(ppu, ppu_watch_reg(i, PPU_REG_WATCH_ADDR_HI), upper_32_bits(watch->addr));
	ppu_wr(ppu, ppu_watch_reg(i, PPU_REG_WATCH_VALUE_LO), lower_32_bits(watch->value));
	ppu_wr(ppu, ppu_watch_reg(i, PPU_REG_WATCH_VALUE_HI), upper_32_bits(watch->value));
	ppu_wr(ppu, ppu_watch_reg(i, PPU_REG_WATCH_CTRL),
	       PPU_WATCH_ARM | (watch->is32 ? PPU_WATCH_32BIT : 0) |
	       watch->op << PPU_WATCH_OP_SHIFT);
}

/**
 * ppu_watch_add - watch a word
 * @ppu: device, entered
 * @watch: @fn is set
 * @addr: physical address of the word | aperture
 * @op: PPU_SEM_OP_*
 * @value: operand
 * @is32: the word has 32 bits
 *
 * If no entry is free, @index is -1: only ppu_watch_poke() will call @fn.
 */
void ppu_watch_add(struct ppu_device *ppu, struct ppu_watch *watch, u64 addr, u32 op, u64 value,
		   bool is32)
{
	struct ppu_watches *w = ppu->watches;
	unsigned long flags;
	unsigned int i;

	watch->addr = addr;
	watch->op = op;
	watch->value = value;
	watch->is32 = is32;
	watch->matched = false;
	watch->index = -1;

	spin_lock_irqsave(&w->lock, flags);
	hash_add(w->by_addr, &watch->node, addr);
	i = find_first_zero_bit(w->used, ppu->caps.watches);
	if (i < ppu->caps.watches) {
		__set_bit(i, w->used);
		w->slot[i] = watch;
		w->top = max(w->top, i + 1);
		watch->index = i;
		ppu_watch_arm(ppu, watch);
	}
	spin_unlock_irqrestore(&w->lock, flags);
}

/**
 * ppu_watch_del - stop watching
 * @ppu: device
 * @watch: added before; @fn is not called any more when this returns
 */
void ppu_watch_del(struct ppu_device *ppu, struct ppu_watch *watch)
{
	struct ppu_watches *w = ppu->watches;
	bool entered;
	unsigned long flags;
	int idx;

	spin_lock_irqsave(&w->lock, flags);
	/* Under the lock: ppu_watch_rearm_all() finds it free, or this finds the gate open. */
	entered = ppu_try_enter(ppu, &idx);
	hash_del(&watch->node);
	if (watch->index >= 0) {
		unsigned int i = watch->index;

		if (entered) {
			ppu_wr(ppu, ppu_watch_reg(i, PPU_REG_WATCH_CTRL), 0);
			ppu_wr(ppu, PPU_REG_WATCH_PENDING + i / 32 * 4, BIT(i % 32));
		}
		w->slot[i] = NULL;
		__clear_bit(i, w->used);
		watch->index = -1;
	}
	if (entered)
		ppu_try_exit(ppu, idx);
	spin_unlock_irqrestore(&w->lock, flags);
}

/**
 * ppu_watch_poke - the CPU changed a word: everybody who watches it looks again
 * @ppu: device
 * @addr: physical address of the word | aperture
 */
void ppu_watch_poke(struct ppu_device *ppu, u64 addr)
{
	struct ppu_watches *w = ppu->watches;
	struct hlist_node *next;
	struct ppu_watch *watch;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	hash_for_each_possible_safe(w->by_addr, watch, next, node, addr)
		if (watch->addr == addr)
			watch->fn(watch);
	spin_unlock_irqrestore(&w->lock, flags);
}

/** ppu_watch_irq - entries matched */
void ppu_watch_irq(struct ppu_device *ppu)
{
	struct ppu_watches *w = ppu->watches;
	unsigned int word, bit;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	for (word = 0; word < DIV_ROUND_UP(w->top, 32); word++) {
		u32 reg = PPU_REG_WATCH_PENDING + word * 4;
		unsigned long bits = ppu_rd(ppu, reg);

		if (bits)
			ppu_wr(ppu, reg, bits);
		for_each_set_bit(bit, &bits, 32) {
			unsigned int i = word * 32 + bit;
			struct ppu_watch *watch = i < w->top ? w->slot[i] : NULL;

			if (watch) {
				watch->matched = true;
				watch->fn(watch);
			}
		}
	}
	spin_unlock_irqrestore(&w->lock, flags);
}

/**
 * ppu_watch_rearm_all - the device was reset and lost its table
 * @ppu: device, which ppu_try_enter() enters already
 */
void ppu_watch_rearm_all(struct ppu_device *ppu)
{
	struct ppu_watches *w = ppu->watches;
	unsigned long flags;
	unsigned int i;

	spin_lock_irqsave(&w->lock, flags);
	for_each_set_bit(i, w->used, ppu->caps.watches)
		if (!w->slot[i]->matched)
			ppu_watch_arm(ppu, w->slot[i]);
	spin_unlock_irqrestore(&w->lock, flags);
}
