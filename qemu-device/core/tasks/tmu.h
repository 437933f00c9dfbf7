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
/* Before ppu_tmu_launch(), in the same event: reads the TMD, and makes the program.  False: that is not done, and the
 * event must come again; nothing that anybody could see has happened. */
bool ppu_tmu_prepare(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, uint64_t tmd_va);
/* LAUNCH command of a channel of ctx (NULL: none): check the TMD, take a record.  FULL: hold the
 * channel until ppu_host_pool_freed().  ERROR: *err = PPU_ERR_TMD_*. */
enum ppu_submit_result ppu_tmu_launch(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, uint64_t tmd_va,
				      unsigned *err);
/* Would a launch of ctx find a record now? */
bool ppu_tmu_has_record(const struct ppu_core *core, const struct ppu_ctx *ctx);
/* Device-side launch from a running task, applied at a window end. PPU_LAUNCH_*. */
int ppu_tmu_launch_child(struct ppu_core *core, struct ppu_task *parent, uint64_t tmd_va, struct ppu_task **child);
uint32_t ppu_tmu_channel_tasks(struct ppu_core *core, unsigned chid);
/* True when chid has no task and the drain time after its last one has passed; else *when = time
 * to ask again or PPU_TIME_NEVER (ppu_host_tasks_changed will come). */
bool ppu_tmu_channel_idle(struct ppu_core *core, unsigned chid, uint64_t *when);
/* Stores of t's CTAs arrive up to this time, perhaps after the end of t: its channel is not idle before (WQ-19). */
void ppu_tmu_stores_until(struct ppu_core *core, const struct ppu_task *t, uint64_t time);
void ppu_tmu_abort_channel(struct ppu_core *core, unsigned chid);
void ppu_tmu_abort_ctx(struct ppu_core *core, struct ppu_ctx *ctx, unsigned err);
void ppu_tmu_pause(struct ppu_core *core, bool paused);		/* SCHED_CTRL */
struct ppu_task *ppu_tmu_task(struct ppu_core *core, uint32_t index);
/* The first record in use from a number on, as the registers show it. */
void ppu_tmu_show(struct ppu_core *core, uint32_t from, struct ppu_task_info *info);
/* Reads the scheduler table: the first task of a priority's list (after: NULL), or the task behind
 * `after`. */
const struct ppu_task *ppu_tmu_listed(struct ppu_core *core, uint32_t priority, const struct ppu_task *after);
void ppu_tmu_task_fault(struct ppu_core *core, struct ppu_task *task, struct ppu_fault_rec *rec);

/* ---- between the units of the task unit ---- */
/* The waiting task that is to get the next slot, NULL: none can start. */
struct ppu_task *ppu_tmu_next(struct ppu_core *core);
bool ppu_tmu_paused(const struct ppu_core *core);
/* t got this slot: it leaves its list and is ACTIVE. */
void ppu_tmu_take(struct ppu_core *core, struct ppu_task *t, unsigned slot);
/* t lost its slot.  It is EVICTED, at the head of its list; or SUSPENDED, when no CTA of it can go on. */
void ppu_tmu_give_back(struct ppu_core *core, struct ppu_task *t);
/* t gives its slot back because it waits for children or for its queue. */
void ppu_tmu_suspend(struct ppu_core *core, struct ppu_task *t, unsigned reason);
/* A part of t can go on that could not before (reason: PPU_TRP_*). */
void ppu_tmu_can_go_on(struct ppu_core *core, struct ppu_task *t, unsigned reason);
/* For the watchdog and the channel's time: t has CTAs on SMs that can run (running), or has none any longer. */
void ppu_tmu_running(struct ppu_core *core, struct ppu_task *t, bool running);
/* Device time, in ns, in which at least one task that was launched from the channel ran; since its reset. */
uint64_t ppu_tmu_channel_time(struct ppu_core *core, unsigned chid);
void ppu_tmu_channel_forget(struct ppu_core *core, unsigned chid);
/* All CTAs of t are done; t has no slot any more. */
void ppu_tmu_code_done(struct ppu_core *core, struct ppu_task *t);
/* Ends the context of t. */
void ppu_tmu_fault(struct ppu_core *core, struct ppu_task *t, unsigned code, uint64_t va);

/* t may start: it joins its list (reason: PPU_TRP_*), or waits for its queue. */
void ppu_tmu_start(struct ppu_core *core, struct ppu_task *t, unsigned reason);

/* A check after loading: a task is PENDING or EVICTED exactly if it is in a list, is being accepted, or is held
 * back by its order. */
bool ppu_tmu_waits_well(struct ppu_core *core, const struct ppu_task *t);

/* Implemented above (host/hostsched.c): chid's task count fell; a task record is free again. */
void ppu_host_tasks_changed(struct ppu_core *core, unsigned chid);
void ppu_host_pool_freed(struct ppu_core *core);

PPU_UNIT(tmu);

#endif
