/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues of queue tasks: memory in which others leave work for a task that runs.
 *
 * State: struct ppu_taskq of each queue task, taskq.c's; the list of those to look at has its head in tmu.c.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_TASKQ_H
#define PPU_TASKQ_H

#include "core/base/io.h"
#include "core/core.h"
#include <hw/ppu_tmd.h>

struct ppu_task;

bool ppu_taskq_tmd_ok(const struct ppu_tmd *t);
bool ppu_taskq_create(struct ppu_task *t);
void ppu_taskq_free(struct ppu_core *core, struct ppu_task *t);
void ppu_taskq_accepted(struct ppu_core *core, struct ppu_task *t);
/* ppu_taskq_look(): looks at the queues that may have changed. ppu_taskq_forget_looks(): empties the list
 * of them. */
void ppu_taskq_look(struct ppu_core *core);
void ppu_taskq_forget_looks(struct ppu_core *core);
/* ppu_taskq_entry(): reads the entry of t's next CTA. ppu_taskq_taken(): tells memory that the entry was
 * taken.
 * False: memory cannot be reached. */
bool ppu_taskq_entry(struct ppu_core *core, const struct ppu_task *t, uint8_t *entry);
bool ppu_taskq_taken(struct ppu_core *core, const struct ppu_task *t);
void ppu_taskq_io(struct ppu_core *core, struct ppu_io *io, struct ppu_task *t);
void ppu_taskq_io_looks(struct ppu_core *core, struct ppu_io *io);
/* tmu.c: head of the list of queues to look at. */
int32_t *ppu_tmu_looks(struct ppu_core *core);

#endif
