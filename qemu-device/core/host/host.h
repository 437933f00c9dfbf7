/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files of the host interface: chan.c (configuration, life of a channel), hostif.c
 * (ring and commands), hostsched.c (who is served) and runlist.c (who waits for an engine).
 *
 * The host interface is one sequential unit.  It serves one channel at a time in runs of commands
 * that need no engine; a run ends at an engine command, where the channel blocks, where its work
 * ends, or after run-limit steps.  Between runs it hands engines to channels (hostsched.c).
 */
#ifndef PPU_HOST_H
#define PPU_HOST_H

#include "core/ppu_int.h"

#define PPU_MAX_GATES 64
#define PPU_NUM_PRIO (PPU_QUEUE_PRIO_MAX + 1)
#define PPU_NO_CH UINT32_MAX
#define PPU_RUN_POOL 0			/* runlists: waiting for a task record; else PPU_CLASS_* */
#define PPU_RUN_CLASSES (PPU_CLASS_COPY + 1)

enum ppu_ch_state {
	CH_OFF,		/* not enabled */
	CH_IDLE,	/* nothing submitted */
	CH_READY,	/* commands for the host to execute: in a ready queue or in the current run */
	CH_SEM,		/* waits for a semaphore word */
	CH_WFI,
	CH_POOL,	/* waits for a free task record */
	CH_ENGINE,	/* its next command needs an engine: holds one, or is in a runlist */
	CH_BUSY,	/* an engine executes its command */
	CH_TURN,	/* an engine command is done, the next ones wait for the channel's turn */
	CH_STATES
};

enum ppu_ch_where { CH_NOWHERE, CH_IN_READY, CH_IN_RUNLIST, CH_IN_POOL, CH_WHERES };

struct ppu_gate {
	uint64_t va, value;
	uint8_t op, is32;
};

struct ppu_chan {
	/* configuration registers */
	uint64_t inst, ring_va, shadow_va;
	uint32_t entries, cls, priority, timeslice, engine_mask, flags;

	bool enabled, paused, stopped;
	uint8_t state, where;
	uint32_t error, error_get;
	uint64_t error_va;
	struct ppu_ctx *ctx;		/* while enabled */
	uint32_t get, put;
	uint64_t getabs, refresh_abs;	/* GET without wrapping: now, at the last refresh (WQ-59) */
	bool ring_low;			/* reported since the last refresh */

	/* The entry being executed: latched when fetched. */
	bool have_entry;
	uint64_t blk_va;
	uint32_t blk_words, pos;

	/* The engine command the channel has reached: latched when decoded. */
	uint8_t op_class, op_words;	/* class of the engine, 0: none */
	uint64_t tmd_va;
	struct ppu_copy copy;
	uint64_t op_start;

	uint32_t num_gates;		/* since the last engine command (CP-33) */
	struct ppu_gate gates[PPU_MAX_GATES];

	bool blocked;			/* a BLOCK was traced, no UNBLOCK yet */
	uint8_t block_reason;
	uint64_t block_va, block_value;
	struct ppu_waiter waiter;
	struct ppu_event wfi_event;

	int32_t engine;			/* held, -1: none */
	uint8_t run_class;		/* whose runlist */
	uint64_t stamp;			/* order in the list it is in */
	uint32_t prev, next;

	uint64_t runtime, copies;
	uint32_t slices, preempts, cookie;
};

/* Channels in order of stamp. */
struct ppu_chlist {
	uint32_t first, tail;
};

/* Contexts with channels waiting at one class and queue priority: a heap, the next one first. */
struct ppu_runlist {
	struct ppu_ctx **heap;
	uint32_t n, cap;
	uint64_t clock;			/* usage of the context served last */
	uint8_t cls, prio;
};

/* Engine 0 is the front end (launches), 1 + n is copy engine n. */
struct ppu_engine {
	uint32_t cls;
	uint32_t holder;		/* PPU_NO_CH: none */
	bool busy, expired;
	struct ppu_event slice_event, done_event;	/* done: front end only */
	uint64_t since;			/* held, and not charged for, since then */
	/* CP-33: runs executed for the context of the copy that is about to be dispatched. */
	struct ppu_ctx *drain_ctx;
	uint32_t drain_runs;
	uint64_t drain_since;		/* the engine is kept free for it, not charged, since then */
};

struct ppu_host_ctx {
	struct ppu_hostq {
		struct ppu_chlist list;		/* ready channels */
		struct ppu_ctx *prev, *next;	/* contexts with ready channels, in turn */
		bool active;
	} q[PPU_NUM_PRIO];
	/* Its part of the engines of a class (runlist.c). */
	struct ppu_share {
		uint64_t used;			/* ns of engine time (records of the task pool) */
		uint32_t present;		/* channels that wait for or hold an engine */
		struct ppu_runq {
			struct ppu_chlist list;
			uint32_t place;		/* in the heap, while the list is not empty */
		} q[PPU_NUM_PRIO];
	} share[PPU_RUN_CLASSES];
};

struct ppu_host {
	struct ppu_event event;
	bool paused;
	uint64_t free_at;		/* busy until then */
	uint32_t run;			/* channel of the current run, PPU_NO_CH: none */
	uint32_t last;			/* last served: another one costs a switch */
	uint32_t run_count;
	uint64_t stamp;
	struct { struct ppu_ctx *first, *tail; } active[PPU_NUM_PRIO];
	struct ppu_runlist runlist[PPU_RUN_CLASSES][PPU_NUM_PRIO];
	uint32_t num_engines;
	struct ppu_engine *engines;
};

/* chan.c */
struct ppu_chan *ppu_chan(struct ppu_core *core, unsigned chid);
static inline unsigned ppu_chid(struct ppu_core *core, const struct ppu_chan *ch)
{
	return ch->waiter.id;
}
void ppu_chan_set_state(struct ppu_core *core, struct ppu_chan *ch, enum ppu_ch_state state);
void ppu_chan_publish(struct ppu_core *core, struct ppu_chan *ch);
bool ppu_chan_put_ok(const struct ppu_chan *ch, uint32_t put);
bool ppu_chan_has_work(const struct ppu_chan *ch);

/* hostif.c */
void ppu_hostif_event(struct ppu_core *core, void *arg);
/* One command (of `words` words) is done: GET, emptiness. False: nothing left to do. */
bool ppu_hostif_command_done(struct ppu_core *core, struct ppu_chan *ch, uint32_t words);
void ppu_hostif_end_run(struct ppu_core *core, uint64_t cost);
/* PUT := wrap(GET - 1), then shadow := GETabs + count - 1 (WQ-59). False: the channel faulted. */
bool ppu_hostif_refresh(struct ppu_core *core, struct ppu_chan *ch);
bool ppu_hostif_refresh_queue(struct ppu_core *core, struct ppu_chan *ch);
void ppu_hostif_block(struct ppu_core *core, struct ppu_chan *ch, unsigned reason, uint64_t va,
		      uint64_t value);
void ppu_hostif_unblock(struct ppu_core *core, struct ppu_chan *ch);
/* The word at va, or its address for a waiter: 0 or PPU_ERR_SEM_*. */
int ppu_hostif_sem_read(struct ppu_core *core, struct ppu_chan *ch, uint64_t va, bool is32,
			unsigned flags, uint64_t *value, struct ppu_phys *p);

/* runlist.c */
void ppu_runlist_add(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch);
void ppu_runlist_del(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch);
/* add() without enter(): for load. */
void ppu_runlist_link(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch);
/* One more, one less channel of ctx waits for or holds an engine of the class. */
void ppu_runlist_enter(struct ppu_ctx *ctx, const struct ppu_runlist *r);
void ppu_runlist_exit(struct ppu_ctx *ctx, unsigned cls);
/* The next channel among those that may use an engine in mask; NULL: none. */
struct ppu_chan *ppu_runlist_best(struct ppu_core *core, struct ppu_runlist *r, uint32_t mask);
/* ctx is served now: it sets the clock; it has used the engine. */
void ppu_runlist_serve(struct ppu_ctx *ctx, struct ppu_runlist *r);
void ppu_runlist_charge(struct ppu_core *core, struct ppu_ctx *ctx, unsigned cls, uint64_t use);
void ppu_runlist_reset(struct ppu_core *core);
void ppu_runlist_destroy(struct ppu_core *core);

/* hostsched.c */
void ppu_chlist_add(struct ppu_core *core, struct ppu_chlist *l, struct ppu_chan *ch);
void ppu_chlist_del(struct ppu_core *core, struct ppu_chlist *l, struct ppu_chan *ch);
void ppu_sched_kick(struct ppu_core *core);
void ppu_sched_ready(struct ppu_core *core, struct ppu_chan *ch);	/* to its ready queue */
void ppu_sched_reached_engine(struct ppu_core *core, struct ppu_chan *ch);
void ppu_sched_release(struct ppu_core *core, struct ppu_chan *ch);	/* gives its engine back */
void ppu_sched_remove(struct ppu_core *core, struct ppu_chan *ch);	/* from all lists */
void ppu_sched_resume(struct ppu_core *core, struct ppu_chan *ch);
bool ppu_sched_pass(struct ppu_core *core);				/* hand out engines */
struct ppu_chan *ppu_sched_pick(struct ppu_core *core);			/* next run */
void ppu_sched_run_ended(struct ppu_core *core, struct ppu_ctx *ctx);
void ppu_sched_pool_next(struct ppu_core *core);

#endif
