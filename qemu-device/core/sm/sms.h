/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The SMs as the units above see them: CTAs go in, effects come out.  sm.h is their inside.
 *
 * State: struct ppu_sm, the files of sm/ only; struct ppu_sm_task is part of the task unit's record, the SM
 * writes nothing there.
 * Thread safety: ppu_sm_run() may run in a worker thread: it touches only its SM, memory, and services that
 * any thread may call.  Everything else: the thread that drives the core, between windows.
 * Time: ns of device time; the SM itself counts cycles.
 */
#ifndef PPU_SMS_H
#define PPU_SMS_H

#include "core/memory/ctx.h"
#include "core/sm/effect.h"
#include <hw/ppu_tmd.h>

struct ppu_program;

/* What the SM knows of a task: the first part of struct ppu_task. */
struct ppu_sm_task {
	uint32_t index;			/* in the pool; generation in the upper half of task ids */
	uint32_t gen;
	struct ppu_ctx *ctx;
	struct ppu_tmd launch;		/* validated copy */
	uint8_t *params;		/* launch.param_bytes, copied at acceptance; zero padded to 16 */
	struct ppu_program *prog;	/* icache.c: decoded code, referenced while the task lives */
	uint32_t root_chid;
	uint32_t depth;			/* 1: launched by the CPU */
	uint32_t priority;
};
#define PPU_SM_TASK_ID(t) ((uint64_t)(t)->gen << 32 | (t)->index)

#define PPU_PARAM_ROOM ((PPU_PARAM_MAX + 15) & ~15)	/* as many parameters as there can be, zero padded */

/* Parameters are in no memory.  For caches each task has addresses of its own: first PPU_PARAM_FEW bytes behind those
 * of other tasks, then more of them far away. */
static inline uint64_t ppu_param_place(const struct ppu_sm_task *t, uint32_t off)
{
	return (PPU_SM_TASK_ID(t) * PPU_PARAM_FEW + off % PPU_PARAM_FEW) ^ (uint64_t)(off / PPU_PARAM_FEW) << 52;
}

/* The effects of the window.  Also adds the SM's counters to core->ctr. */
struct ppu_effects *ppu_sm_effects(struct ppu_core *core, unsigned sm);
/* Can the SMs ever run a CTA of t?  0, PPU_ERR_TMD_LIMITS: no SM has that much, or PPU_ERR_NO_TOKQ: the areas of
 * the instance block do not cover what SM code will touch. */
int ppu_sm_limits(struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *t);
/* Do free warp slots, CTA slots, registers and shared memory suffice for one CTA of t, or one cluster? */
bool ppu_sm_can_start(struct ppu_core *core, unsigned sm, const struct ppu_sm_task *t);
/* The same if the CTAs in these slots were gone. */
bool ppu_sm_can_start_without(struct ppu_core *core, unsigned sm, const struct ppu_sm_task *t, uint32_t slots);
/* entry: of a queue task, else NULL.  Returns the CTA slot, or below 0 -PPU_ERR_TMD_LIMITS: there was no room,
 * or -PPU_ERR_TASK_MEMORY. */
int ppu_sm_start_cta(struct ppu_core *core, unsigned sm, struct ppu_sm_task *t, uint64_t cta,
		     uint64_t start_time, const uint8_t *entry);
/* Clusters (cluster/cluster.c). The CTA that starts as number n of its grid, and the number as which a CTA starts: cluster after
 * cluster. Is what the TMD says of clusters possible? */
uint64_t ppu_cluster_cta(const struct ppu_tmd *t, uint64_t n);
uint64_t ppu_cluster_order(const struct ppu_tmd *t, uint64_t index);
bool ppu_cluster_tmd_ok(const struct ppu_tmd *t);
/* Resident CTAs. */
static inline uint32_t ppu_sm_num_ctas(const struct ppu_core *core, unsigned sm)
{
	return core->resident[sm].ctas;
}
/* Has the SM a warp that can run, now or at a known time?  False: no warp is resident, or all warps wait
 * for something outside (replies) or are stopped by a fault. */
bool ppu_sm_busy(struct ppu_core *core, unsigned sm);
/* The time at which a warp can run: not after core->now when one can run at once, PPU_TIME_NEVER when not
 * busy. */
uint64_t ppu_sm_next_time(struct ppu_core *core, unsigned sm);
/* Advance to time t1 (exclusive). */
void ppu_sm_run(struct ppu_core *core, unsigned sm, uint64_t t0, uint64_t t1);
/*
 * The same in two parts, which may run in different threads, one after the other: up to the time `cut`, and the rest.
 * Nobody can see the cut.  Not with memory-timing or a store buffer.
 */
void ppu_sm_run_first(struct ppu_core *core, unsigned sm, uint64_t t0, uint64_t cut, uint64_t t1);
void ppu_sm_run_rest(struct ppu_core *core, unsigned sm, uint64_t t1);
/* The same for n SMs: all SMs of a window that have work.  As jobs of the workers, if there are any. */
void ppu_sms_run(struct ppu_core *core, const uint32_t *sm, uint32_t n, uint64_t t0, uint64_t t1);
/* memory-timing: when all stores of the SM's that are known will have arrived; 0 without the property. */
uint64_t ppu_sm_stored(const struct ppu_core *core, unsigned sm);
/* Remove every CTA of a task at once, no effects. */
void ppu_sm_abort_task(struct ppu_core *core, struct ppu_sm_task *t);
/* Reply to PPU_FX_LAUNCH (awaited: there is a child that TSYNC waits for) / PPU_FX_EXCEPTION. */
void ppu_sm_launch_reply(struct ppu_core *core, unsigned sm, unsigned warp, unsigned lane,
			 uint32_t error, bool awaited);
void ppu_sm_exception_done(struct ppu_core *core, unsigned sm, unsigned warp, uint32_t head,
			   int32_t tail, bool kill);
/* CTA slot of a warp, -1: none. */
int ppu_sm_warp_cta(const struct ppu_core *core, unsigned sm, unsigned warp);
/* Do all warps of the CTA wait, at least one of them for children? */
bool ppu_sm_cta_waits(const struct ppu_core *core, unsigned sm, unsigned slot);
/* A child of the CTA is complete; `left` children are left. */
void ppu_sm_child_done(struct ppu_core *core, unsigned sm, unsigned slot, uint32_t left);
/* Can any warp of the task run, now or at a known time? */
bool ppu_sm_task_runs(const struct ppu_core *core, const struct ppu_sm_task *t);

/* A task was accepted, or (end) is gone: for who observes (hw/ppu_observe.h). */
void ppu_observe_task(struct ppu_core *core, const struct ppu_sm_task *t, bool end);

/* Implemented above (tasks/gpc.c): some SM has work, make sure that a window is scheduled. */
void ppu_gpc_wake(struct ppu_core *core);
/* Implemented above (tasks/), for loading the device's state. ppu_io_sm_task(): finds the record whose
 * number is in the stream. ppu_ctas_check(), ppu_ctas_check_index(): do the records agree with this CTA?
 * ppu_ctas_check_live(): has every task as many CTAs as its record says (n: CTAs found, by record index)? */
void ppu_io_sm_task(struct ppu_core *core, struct ppu_io *io, struct ppu_sm_task **t);
bool ppu_ctas_check(struct ppu_core *core, unsigned sm, unsigned slot, const struct ppu_sm_task *t,
		    uint64_t index, uint32_t children);
bool ppu_ctas_check_index(const struct ppu_sm_task *t, uint64_t index);
void ppu_ctas_check_live(struct ppu_core *core, struct ppu_io *io, const uint32_t *n);

PPU_UNIT(sms);

#endif
