/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work distribution unit: slots of running tasks, and where their CTAs go.
 *
 * State: struct ppu_wdu, private to wdu.c.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_WDU_H
#define PPU_WDU_H

#include "core/core.h"

struct ppu_task;

/* Slots changed or SM resources were freed; place CTAs. */
void ppu_wdu_kick(struct ppu_core *core);
/* gpc.c calls these while applying effects: a CTA is done; all warps of a CTA wait, at least one for
 * children. */
void ppu_wdu_cta_done(struct ppu_core *core, struct ppu_task *task, unsigned sm, unsigned slot);
void ppu_wdu_cta_waits(struct ppu_core *core, struct ppu_task *t, unsigned sm, unsigned slot);
/* The queue of t was closed when all its CTAs were done. */
void ppu_wdu_no_more(struct ppu_core *core, struct ppu_task *t);
/* t is aborted. */
void ppu_wdu_drop(struct ppu_core *core, struct ppu_task *t);

PPU_UNIT(wdu);

#endif
