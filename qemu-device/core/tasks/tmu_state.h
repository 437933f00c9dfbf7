/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the task management unit: tmu.c, its watchdog, its save and restore.
 *
 * State: struct ppu_tmu and the pool of records.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_TMU_STATE_H
#define PPU_TMU_STATE_H

#include "core/base/event.h"
#include "core/base/trace.h"
#include "core/tasks/tmu.h"

struct ppu_tmu_record {
	struct ppu_task t;
	int32_t prev, next;		/* in a list */
	uint64_t sched_time;		/* when it got its slot */
	uint64_t ready;			/* leaves the acceptance queue */
	uint64_t run_ns, run_since;	/* on SMs; since: while running */
	uint32_t last_slot;		/* PPU_TR_NO_UNIT: had none */
	bool accepting;			/* in the acceptance queue */
	bool listed;
	bool running;			/* has CTAs on SMs that can run */
	bool watched;			/* runs, with a limit */
};

struct ppu_tmu_list {
	int32_t head, tail;
};

/* How long tasks of a channel have run: at least one of them, however many. */
struct ppu_task_time {
	uint64_t ns;			/* up to `since` */
	uint64_t since;			/* a task runs since then, while `running` */
	uint32_t running;		/* tasks that run now */
};

/* The launch by the CPU that is about to happen, within one event, which may come in steps. */
struct ppu_tmu_launch {
	struct ppu_tmd tmd;
	struct ppu_program *prog;	/* with a reference, until ppu_tmu_launch() */
	int tmd_err, code_err;		/* PPU_ERR_*, 0: it is right */
	bool full;			/* there is no record for it */
};

struct ppu_tmu {
	struct ppu_tmu_record *rec;
	uint64_t *used;			/* bitmap of records */
	uint32_t num_used, top;		/* records ever used: 0..top-1 */
	uint32_t hint;			/* no word of `used` before this one has a free bit */
	struct ppu_tmu_list accepted;
	int32_t looks;			/* taskq.c: queues that may have changed */
	struct ppu_tmu_list *lists;		/* scheduler table, index = device priority */
	uint32_t num_lists;
	uint32_t rr;			/* round robin: list to look at first */
	bool paused;
	uint32_t *chan_tasks;
	uint64_t *chan_idle;		/* by channel: when its last task has ended, + drain, and the stores that
					 * outlive their CTAs are in memory */
	struct ppu_task_time *chan_time;	/* by channel */
	struct ppu_event accept_ev, watchdog_ev;
	struct ppu_tmu_launch launch;
	uint32_t num_watched;		/* records with `watched`: the event is there for them */
};

static inline struct ppu_tmu_record *ppu_tmu_record(struct ppu_core *core, const struct ppu_task *t)
{
	return &core->tmu->rec[t->sm.index];
}

void ppu_tmu_list_insert(struct ppu_core *core, struct ppu_tmu_list *l, struct ppu_tmu_record *r, bool at_head);

/* tasktime.c: a task of channel `chid` begins to run, or runs no more */
void ppu_task_time_change(struct ppu_core *core, unsigned chid, bool running);
void ppu_task_time_io(struct ppu_core *core, struct ppu_io *io);

/* watchdog.c */
#define PPU_LONGEST_WATCH (1ull << 62)	/* later than this is never */
void ppu_watchdog_off(struct ppu_core *core, struct ppu_tmu_record *r);
void ppu_watchdog_event(struct ppu_core *core, void *arg);
/* r was loaded: does it run with a limit? */
void ppu_watchdog_load(struct ppu_core *core, struct ppu_tmu_record *r);

#endif
