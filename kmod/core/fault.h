/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * PPU driver core: faults, and who dies of what.
 *
 *   what happened                     who ends, and how
 *
 *   an error of scope CH              its channel: FAULTED
 *   an error of scope CTX, recorded   the context; the channel whose task did it: FAULTED
 *     by an SM or the task unit       its other channels: INNOCENT
 *   an error of scope NOTE            nobody; the context keeps the record
 *   a channel ends with an error      nobody else, but the owner of a device-owned queue
 *                                     waits for what will never come: STOPPED
 *
 * Other contexts never notice.  A context that has ended stays ended: it gets no new channels,
 * mappings, areas or limits (EIO), but may be unmapped and taken down.
 */
#ifndef __PPU_CORE_FAULT_H__
#define __PPU_CORE_FAULT_H__

#include <hw/ppu_fault.h>
#include <hw/ppu_regs.h>

#include "driver.h"

/** enum ppu_end - how a channel ends */
enum ppu_end {
	/** @PPU_END_NONE: the channel lives. */
	PPU_END_NONE,
	/** @PPU_END_FAULTED: because of what the channel did itself. */
	PPU_END_FAULTED,
	/** @PPU_END_INNOCENT: because of what another channel of its context did. */
	PPU_END_INNOCENT,
	/** @PPU_END_STOPPED: the driver stopped the channel. */
	PPU_END_STOPPED,
};

bool ppu_err_ends_context(u32 code);
enum ppu_end ppu_err_channel_end(u32 error, bool guilty);
enum ppu_end ppu_err_owner_end(enum ppu_end queue);
bool ppu_fault_next(const struct ppu_bus *bus, void *dev, struct ppu_fault_rec *rec);

#endif
