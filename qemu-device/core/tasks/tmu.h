/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Task management unit: accepts tasks, holds the waiting ones, completes them.
 *
 * State: struct ppu_tmu and the records, tmu.c's.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_TMU_H
#define PPU_TMU_H

#include "core/tasks/task.h"

enum ppu_submit_result { PPU_SUBMIT_OK, PPU_SUBMIT_FULL, PPU_SUBMIT_ERROR };
/* LAUNCH command of a channel of ctx (NULL: none): read and check the TMD, take a record.  FULL: hold the
 * channel until ppu_host_pool_freed().  ERROR: *err = PPU_ERR_TMD_*. */
enum ppu_submit_result ppu_tmu_launch(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, uint64_t tmd_va,
				      unsigned *err);
/* Device-side launch from a running task, applied at a window end. 0 or PPU_LAUNCH_*. */
unsigned ppu_tmu_launch_child(struct ppu_core *core, struct ppu_task *parent, uint64_t tmd_va,
			      struct ppu_task **child);
uint32_t ppu_tmu_channel_tasks(struct ppu_core *core, unsigned chid);
/* True when chid has no task and the drain time after its last one has passed; else *when = time
 * to ask again or PPU_TIME_NEVER (ppu_host_tasks_changed will come). */
bool ppu_tmu_channel_idle(struct ppu_core *core, unsigned chid, uint64_t *when);
void ppu_tmu_abort_channel(struct ppu_core *core, unsigned chid);
void ppu_tmu_abort_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err);
void ppu_tmu_pause(struct ppu_core *core, bool paused);		/* SCHED_CTRL */
struct ppu_task *ppu_tmu_task(struct ppu_core *core, uint32_t index);
/* The first record in use from a number on, as the registers show it. */
void ppu_tmu_show(struct ppu_core *core, uint32_t from, struct ppu_task_info *info);
/* The scheduler table for looking at: first task of a priority's list (after NULL), the one after. */
const struct ppu_task *ppu_tmu_listed(struct ppu_core *core, uint32_t priority, const struct ppu_task *after);
void ppu_tmu_task_fault(struct ppu_core *core, struct ppu_task *task, struct ppu_fault_rec *rec);

/* ---- between the units of the task unit ---- */
/* The waiting task that is to get the next slot, NULL: none can start. */
struct ppu_task *ppu_tmu_next(struct ppu_core *core);
bool ppu_tmu_paused(const struct ppu_core *core);
/* It got this slot: out of its list, ACTIVE. */
void ppu_tmu_take(struct ppu_core *core, struct ppu_task *t, unsigned slot);
/* It lost its slot: EVICTED, at the head of its list; or SUSPENDED when nothing of it can go on. */
void ppu_tmu_give_back(struct ppu_core *core, struct ppu_task *t);
/* It gives its slot back because it waits for children or for its queue. */
void ppu_tmu_suspend(struct ppu_core *core, struct ppu_task *t, unsigned reason);
/* Something of it can go on that could not (PPU_TRP_*). */
void ppu_tmu_can_go_on(struct ppu_core *core, struct ppu_task *t, unsigned reason);
/* It has CTAs on SMs that can run, or no longer (watchdog). */
void ppu_tmu_running(struct ppu_core *core, struct ppu_task *t, bool running);
/* All its CTAs are done; it has no slot any more. */
void ppu_tmu_code_done(struct ppu_core *core, struct ppu_task *t);
/* Ends its context. */
void ppu_tmu_fault(struct ppu_core *core, struct ppu_task *t, unsigned code, uint64_t va);

/* Its time has come: into its list (PPU_TRP_*), or to its queue. */
void ppu_tmu_start(struct ppu_core *core, struct ppu_task *t, unsigned reason);

/* Loaded: a task that waits for a slot does so somewhere. */
bool ppu_tmu_waits_well(struct ppu_core *core, const struct ppu_task *t);

/* Implemented above (host/hostsched.c): chid's task count fell; a task record is free again. */
void ppu_host_tasks_changed(struct ppu_core *core, unsigned chid);
void ppu_host_pool_freed(struct ppu_core *core);

PPU_UNIT(tmu);

#endif
