/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CTAs into and out of the save area (include/hw/ppu_save.h).
 *
 * State: none of its own.
 * Thread safety: the thread that drives the core, not while a window runs.
 * Time: ns of device time.
 */
#ifndef PPU_SMSAVE_H
#define PPU_SMSAVE_H

#include "core/sm/sms.h"
#include <hw/ppu_save.h>

uint32_t ppu_sm_save_bytes(const struct ppu_core *core);	/* CAP_SAVE_BYTES_PER_SM */
uint64_t ppu_sm_image_bytes(const struct ppu_core *core, const struct ppu_tmd *t);
/* Not while a warp waits for an answer. */
bool ppu_sm_can_save(const struct ppu_core *core, unsigned sm, unsigned slot);
/* Saves to addr in VRAM, which the caller has checked.  The CTA slot is free afterwards. */
void ppu_sm_save_cta(struct ppu_core *core, unsigned sm, unsigned slot, uint64_t addr, unsigned reason);
/* Returns the CTA slot.  Below 0 nothing has happened: -PPU_ERR_SAVE_CORRUPT: the image is not what was saved, or
 * -PPU_ERR_TASK_MEMORY.  There is room (can_start). */
int ppu_sm_restore_cta(struct ppu_core *core, unsigned sm, struct ppu_sm_task *t, uint64_t index,
		       uint32_t children, uint64_t addr, uint64_t start_time);

#endif
