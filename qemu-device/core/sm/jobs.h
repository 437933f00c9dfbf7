/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the workers share the SMs of a window.
 *
 * State: struct ppu_share for each worker, NULL with fewer than two.
 * Thread safety: called between windows; what it hands to the workers touches one SM at a time.
 * Time: that of the window.
 */
#ifndef PPU_JOBS_H
#define PPU_JOBS_H

#include "core/core.h"

/* Run SMs from t0, where the window begins, to t1: one part of the window. */
void ppu_sms_round(struct ppu_core *core, const uint32_t *id, uint32_t n, uint64_t t0, uint64_t t1);
int ppu_jobs_create(struct ppu_core *core);
void ppu_jobs_destroy(struct ppu_core *core);

#endif
