/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the units that make up the task/work unit: task management (tmu.c, rank.c, taskq.c), work
 * distribution (wdu.c, ctas.c) and the window driver (gpc.c).
 *
 *   accepted --(cost_launch_ns)--> PENDING, in the list of its priority
 *   PENDING  --slot-------------> ACTIVE: its CTAs are started
 *   ACTIVE   --eviction---------> EVICTED, at the head of its list; takes up where it was
 *   ACTIVE   --cannot go on-----> SUSPENDED, in no list: its CTAs wait for children, or its queue is
 *                                 empty; then EVICTED
 *   ACTIVE   --all CTAs done----> CODE_DONE without slot, until the last child is complete
 *   CODE_DONE-------------------> complete: completion store, parent told, record free
 */
#ifndef PPU_TASK_H
#define PPU_TASK_H

#include <stddef.h>
#include "core/ppu_int.h"

/* ---- tmu.c ---- */
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
/* Work that could be started now: CTAs not started, or saved ones that can go on. */
static inline bool ppu_task_has_work(const struct ppu_task *t)
{
	return t->ready_ctas || t->next_cta < t->avail_ctas;
}

/* Its time has come: into its list (PPU_TRP_*), or to its queue. */
void ppu_tmu_start(struct ppu_core *core, struct ppu_task *t, unsigned reason);

/* Loaded: a task that waits for a slot does so somewhere. */
bool ppu_tmu_waits_well(struct ppu_core *core, const struct ppu_task *t);

/* ---- order.c ---- */
bool ppu_order_tmd_ok(const struct ppu_tmd *t, bool child);
bool ppu_order_is_tail(const struct ppu_task *t);
/* A child whose parent and CTA are known finds out for whom it waits. */
void ppu_order_enter(struct ppu_core *core, const struct ppu_task *t);
/* Must t wait?  Then ppu_tmu_start() is called for it when it need no longer. */
bool ppu_order_hold(struct ppu_core *core, const struct ppu_task *t);
bool ppu_order_held(struct ppu_core *core, const struct ppu_task *t);
/* t is complete (its parent's count of children is not changed yet). */
void ppu_order_done(struct ppu_core *core, const struct ppu_task *t);
/* The CTAs of parent are done: may its tail start? */
void ppu_order_tail(struct ppu_core *core, const struct ppu_task *parent);
/* t's record is given back. */
void ppu_order_drop(struct ppu_core *core, const struct ppu_task *t);

/* ---- rank.c ---- */
struct ppu_rank_ctx;
bool ppu_rank_prepare(struct ppu_core *core, struct ppu_ctx *ctx, uint32_t depth);	/* memory */
void ppu_rank_of(struct ppu_task *t);		/* choose the rank of a task that comes into a list */
bool ppu_rank_right(const struct ppu_task *t);	/* is it still in the right one? */
void ppu_rank_add(struct ppu_core *core, struct ppu_task *t, bool at_head);
void ppu_rank_remove(struct ppu_core *core, struct ppu_task *t);
bool ppu_rank_load(struct ppu_core *core, struct ppu_task *t);
/* rr: priority list whose turn it is (policy round robin). */
struct ppu_task *ppu_rank_first(struct ppu_core *core, uint32_t rr);
/* May a take slot or SM from b? */
bool ppu_rank_beats(const struct ppu_core *core, const struct ppu_task *a, const struct ppu_task *b);
uint64_t ppu_rank_turn(const struct ppu_ctx *ctx);
/* A level of its save area has room again. */
void ppu_rank_unstall(struct ppu_ctx *ctx, uint32_t depth);
/* Slices: at the beginning of a pass; for each task with a slot (runs: it has CTAs on SMs, without
 * which a slot is nothing); a CTA starts then; at the end. */
void ppu_rank_count(struct ppu_core *core);
void ppu_rank_holds(struct ppu_ctx *ctx, bool runs, bool short_of_room);
void ppu_rank_started(struct ppu_ctx *ctx, uint64_t when);
void ppu_rank_plan(struct ppu_core *core);
void ppu_rank_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);

/* ---- ctas.c ---- */
struct ppu_cta_rec {
	struct ppu_task *task;		/* NULL: free */
	uint64_t index;			/* in its grid or queue */
	uint32_t gen;
	uint32_t children;		/* not complete */
	int32_t sm, slot;		/* where it is; -1: in the save area */
	bool waiting;			/* saved, and every warp waits for children */
	bool ready;			/* saved, in the task's list of those that can go on */
	uint64_t image, image_bytes;	/* its own place in the save area; 0 bytes: the context has none */
	int32_t prev, next;		/* of its task */
	int32_t ready_next;
	int32_t image_prev, image_next;	/* of its context and level, by address */
};
void ppu_ctas_init_task(struct ppu_task *t);
struct ppu_cta_rec *ppu_ctas_rec(struct ppu_core *core, int32_t i);
struct ppu_cta_rec *ppu_ctas_at(struct ppu_core *core, unsigned sm, unsigned slot);
/* Are CTAs of this context saved at all? */
bool ppu_ctas_saveable(const struct ppu_core *core, const struct ppu_ctx *ctx);
/* Can one CTA of such a task ever have a place in the save area? */
bool ppu_ctas_fits(const struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *tmd,
		   uint32_t depth);
/* Could another CTA of t have one now? */
bool ppu_ctas_room(struct ppu_core *core, const struct ppu_task *t);
/* Record and place for t's next CTA, NULL: no room. */
struct ppu_cta_rec *ppu_ctas_start(struct ppu_core *core, struct ppu_task *t);
void ppu_ctas_place(struct ppu_core *core, struct ppu_cta_rec *r, unsigned sm, unsigned slot);
/* It was saved and is on no SM. */
void ppu_ctas_saved(struct ppu_core *core, struct ppu_cta_rec *r, bool waiting);
void ppu_ctas_pop_ready(struct ppu_core *core, struct ppu_task *t);
void ppu_ctas_end(struct ppu_core *core, struct ppu_cta_rec *r);
void ppu_ctas_drop(struct ppu_core *core, struct ppu_task *t);
void ppu_ctas_adopt(struct ppu_core *core, struct ppu_cta_rec *r, struct ppu_task *child);
void ppu_ctas_child_done(struct ppu_core *core, const struct ppu_task *child);

/* ---- taskq.c ---- */
bool ppu_taskq_tmd_ok(const struct ppu_tmd *t);
bool ppu_taskq_create(struct ppu_task *t);
void ppu_taskq_free(struct ppu_core *core, struct ppu_task *t);
void ppu_taskq_accepted(struct ppu_core *core, struct ppu_task *t);
/* Queues that may have changed. */
void ppu_taskq_look(struct ppu_core *core);
void ppu_taskq_forget_looks(struct ppu_core *core);
/* Entry of t's next CTA; it was taken.  False: memory cannot be reached. */
bool ppu_taskq_entry(struct ppu_core *core, const struct ppu_task *t, uint8_t *entry);
bool ppu_taskq_taken(struct ppu_core *core, const struct ppu_task *t);
void ppu_taskq_io(struct ppu_core *core, struct ppu_io *io, struct ppu_task *t);
void ppu_taskq_io_looks(struct ppu_core *core, struct ppu_io *io);
/* tmu.c: head of the list of those to look at. */
int32_t *ppu_tmu_looks(struct ppu_core *core);

/* ---- wdu.c, gpc.c ---- */
/* The queue of t was closed when all its CTAs were done. */
void ppu_wdu_no_more(struct ppu_core *core, struct ppu_task *t);
/* t is aborted. */
void ppu_wdu_drop(struct ppu_core *core, struct ppu_task *t);
void ppu_gpc_drop(struct ppu_core *core, struct ppu_task *t);
/* Every warp of this CTA waits, for its children. */
void ppu_wdu_cta_waits(struct ppu_core *core, struct ppu_task *t, unsigned sm, unsigned slot);
/* Warps of t that wait for the driver. */
bool ppu_gpc_has_exceptions(const struct ppu_core *core, const struct ppu_task *t);

#endif
