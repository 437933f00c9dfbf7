/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task record: everything the device knows of one launched TMD.
 *
 *   accepted --(cost_launch_ns)--> PENDING, in the list of its priority
 *   PENDING  --slot-------------> ACTIVE: its CTAs are started
 *   ACTIVE   --eviction---------> EVICTED, at the head of its list; takes up where it was
 *   ACTIVE   --cannot go on-----> SUSPENDED, in no list: its CTAs wait for children, or its queue is
 *                                 empty; then EVICTED
 *   ACTIVE   --all CTAs done----> CODE_DONE without slot, until the last child is complete
 *   CODE_DONE-------------------> complete: completion store, parent told, record free
 *
 * State: a pool of cfg.task_records, owned by tmu.c; parts of it are a unit's own.
 * Thread safety: workers read the SM's part; everything else: the thread that drives the core.
 * Time: ns of device time.
 */
#ifndef PPU_TASK_H
#define PPU_TASK_H

#include "core/sm/sms.h"
#include "core/tasks/ctas.h"
#include "core/tasks/rank.h"

enum ppu_task_state {
	PPU_TASK_FREE, PPU_TASK_PENDING, PPU_TASK_ACTIVE, PPU_TASK_EVICTED,
	PPU_TASK_SUSPENDED,	/* started, cannot go on now, in no list */
	PPU_TASK_CODE_DONE,	/* own CTAs done, children run */
	PPU_TASK_ABORTING,
};
struct ppu_task {
	struct ppu_sm_task sm;		/* what the SMs read */
	enum ppu_task_state state;
	uint64_t tmd_va;
	int32_t parent;			/* task index, -1 */
	uint32_t live_children;
	int32_t slot;			/* task table slot, -1 */
	uint64_t num_ctas, next_cta, done_ctas;
	uint32_t live_ctas;		/* resident on SMs */
	uint32_t saved_ctas;		/* in the save area */
	uint32_t ready_ctas;		/* of those: can go on */
	uint64_t avail_ctas;		/* that may start: num_ctas, or what a queue holds so far */
	struct ppu_taskq *queue;	/* taskq.c; NULL: a grid */
	struct ppu_ctas_task ctas;	/* ctas.c */
	struct ppu_rank_task rank;	/* rank.c */
};
#define PPU_TASK_ID(t) PPU_SM_TASK_ID(&(t)->sm)

static inline struct ppu_task *ppu_task_of(struct ppu_sm_task *t)
{
	return (struct ppu_task *)((char *)t - offsetof(struct ppu_task, sm));
}

/* Work that could be started now: CTAs not started, or saved ones that can go on. */
static inline bool ppu_task_has_work(const struct ppu_task *t)
{
	return t->ready_ctas || t->next_cta < t->avail_ctas;
}

/* A pointer to a task as the index of its record. */
void ppu_io_task(struct ppu_core *core, struct ppu_io *io, struct ppu_task **t);

#endif
