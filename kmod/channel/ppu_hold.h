/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: keeps all channels of a VM from running.
 */
#ifndef __PPU_HOLD_H__
#define __PPU_HOLD_H__

#include <linux/types.h>

struct ppu_channel;
struct ppu_vm;

/**
 * struct ppu_hold_look - what a VM's channels do
 */
struct ppu_hold_look {
	/** @runtime_ns: engine time of all of them. */
	u64 runtime_ns;
	/** @work: some have something to do, if only to wait. */
	bool work;
	/** @runs: some execute a command. */
	bool runs;
};

void ppu_hold_look(struct ppu_vm *vm, struct ppu_hold_look *look);
bool ppu_hold_stop(struct ppu_vm *vm);
void ppu_hold_go(struct ppu_vm *vm);
bool ppu_hold_hides_pause(const struct ppu_channel *chan);

#endif
