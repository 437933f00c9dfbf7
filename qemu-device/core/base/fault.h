/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fault ring, which the driver reads, and the names of errors.
 *
 * State: struct ppu_faults, private to fault.c.
 * Thread safety: the thread that drives the core only.
 * Time: records carry ns of device time.
 */
#ifndef PPU_FAULT_UNIT_H
#define PPU_FAULT_UNIT_H

#include "core/core.h"
#include <hw/ppu_fault.h>

void ppu_fault_record(struct ppu_core *core, struct ppu_fault_rec *rec);	/* fills seq, time */
const char *ppu_err_text(unsigned err);
const char *ppu_err_name(unsigned err);
uint32_t ppu_fault_read(struct ppu_core *core, unsigned reg);
void ppu_fault_write(struct ppu_core *core, unsigned reg, uint32_t val);

PPU_UNIT(faults);

#endif
