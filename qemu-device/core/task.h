/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the units that make up the task/work unit: task management (tmu.c), work distribution
 * (wdu.c) and the window driver (gpc.c).
 *
 *   accepted --(cost_launch_ns)--> PENDING, in the list of its priority
 *   PENDING  --slot-------------> ACTIVE: its CTAs are started
 *   ACTIVE   --eviction---------> EVICTED, at the head of its list; takes up where it was
 *   ACTIVE   --all CTAs done----> CODE_DONE without slot, until the last child is complete
 *   CODE_DONE-------------------> complete: completion store, parent told, record free
 */
#ifndef PPU_TASK_H
#define PPU_TASK_H

#include "ppu_int.h"

/* ---- tmu.c for wdu.c ---- */
/* Waiting tasks in the order in which they get slots: the first (after NULL), the one after. */
struct ppu_task *ppu_tmu_next(struct ppu_core *core, const struct ppu_task *after);
bool ppu_tmu_paused(const struct ppu_core *core);
/* It got this slot: out of its list, ACTIVE. */
void ppu_tmu_take(struct ppu_core *core, struct ppu_task *t, unsigned slot);
/* It lost its slot: EVICTED, at the head of its list. */
void ppu_tmu_give_back(struct ppu_core *core, struct ppu_task *t);
/* Its first CTA started, its last resident one ended (watchdog). */
void ppu_tmu_running(struct ppu_core *core, struct ppu_task *t, bool running);
/* All its CTAs are done; it has no slot any more. */
void ppu_tmu_code_done(struct ppu_core *core, struct ppu_task *t);

/* ---- wdu.c, gpc.c for tmu.c: t is aborted ---- */
void ppu_wdu_drop(struct ppu_core *core, struct ppu_task *t);
void ppu_gpc_drop(struct ppu_core *core, struct ppu_task *t);

#endif
