/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: who may touch the device, and when.
 *
 * Registers and VRAM are touched in sections.  While the device is reset or asleep, nobody is in
 * a section.
 */
#ifndef __PPU_GATE_H__
#define __PPU_GATE_H__

#include <linux/lockdep_types.h>
#include <linux/srcu.h>
#include <linux/types.h>
#include <linux/wait.h>

struct ppu_device;

/**
 * struct ppu_gate - keeps everybody away from a device that does not answer
 */
struct ppu_gate {
	/** @srcu: sections in progress. */
	struct srcu_struct srcu;
	/** @closing: ppu_enter() waits. */
	bool closing;
	/** @closed: ppu_try_enter() fails. */
	bool closed;
	/** @left: the driver leaves the device: no section begins, and nobody waits any more. */
	bool left;
	/** @wait: ppu_enter() waits here. */
	wait_queue_head_t wait;
#ifdef CONFIG_LOCKDEP
	/** @key: of @map; each device has its own, since two may be reset together. */
	struct lock_class_key key;
	/** @map: to lockdep, sections are readers of a lock, and a closed gate is its writer. */
	struct lockdep_map map;
#endif
};

int ppu_gate_init(struct ppu_device *ppu);
void ppu_gate_fini(struct ppu_device *ppu);
bool ppu_enter(struct ppu_device *ppu, int *idx);
void ppu_exit(struct ppu_device *ppu, int idx);
bool ppu_try_enter(struct ppu_device *ppu, int *idx);
void ppu_try_exit(struct ppu_device *ppu, int idx);
int ppu_not_entered(struct ppu_device *ppu);
void ppu_gate_drain(struct ppu_device *ppu);
void ppu_gate_close(struct ppu_device *ppu);
void ppu_gate_wake(struct ppu_device *ppu);
void ppu_gate_hand_over(struct ppu_device *ppu);
void ppu_gate_take_over(struct ppu_device *ppu);
void ppu_gate_open(struct ppu_device *ppu);
bool ppu_gate_is_closed(struct ppu_device *ppu);
void ppu_gate_leave(struct ppu_device *ppu);
void ppu_gate_unplug(struct ppu_device *ppu);

#endif
