/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What memory costs an SM in device time (property memory-timing; HW-44, HW-64, HW-65, HW-66, HW-70): its three L1 caches,
 * its stores under way, and warps that wait.  memory/memsys.h is what is behind the SM.
 *
 * A window of the SMs is divided into rounds.  A round is no longer than the shortest time in which anything can come back
 * from behind the SM.  So what an SM does in a round cannot depend on what other SMs do in it, and SMs may run side by
 * side.  What they ask for goes into logs.  At the end of the round the accesses of all logs are made in the order (time,
 * SM, order on that SM), and warps that wait learn until when, which is never before the end of the round.
 *
 * State: struct ppu_sm_timing of each SM, private to timing.c.
 * Thread safety: the thread that runs the SM; between rounds the one that drives the core.
 * Time: cycles on the SM, ns in the log.
 */
#ifndef PPU_TIMING_H
#define PPU_TIMING_H

#include "core/sm/sm.h"

/* Called by sm.c.  Without the property these do nothing. */
int ppu_timing_create(struct ppu_core *core);
void ppu_timing_destroy(struct ppu_core *core);
void ppu_timing_reset(struct ppu_core *core);
void ppu_timing_io(struct ppu_core *core, struct ppu_io *io);

/* With the property only.  decode: a program is new, with its turn points and blocks; turns: the turn points that come
 * with it.  After that, the turn points and blocks are found anew.  For parts of the code: flow.h. */
void ppu_timing_decode(const struct ppu_core *core, struct ppu_program *p, uint32_t from, uint32_t to);
void ppu_timing_turns(struct ppu_program *p, uint32_t from, uint32_t to);
/* The first CTA of a task starts: what the L1 caches have may be older than what the task should see. */
void ppu_timing_task_begins(struct ppu_core *core);
/* A window of these SMs: ppu_sms_run(). */
void ppu_timing_run(struct ppu_core *core, const uint32_t *id, uint32_t n, uint64_t t0, uint64_t t1);

#endif
