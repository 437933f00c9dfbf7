/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State that the files of the host interface share: chan.c (configuration, life of a channel), hostif.c
 * (ring and commands), hostsched.c (who is served) and runlist.c (who waits for an engine); host.c makes it,
 * resets it, saves and restores it.
 *
 * The host interface is one sequential unit.  It serves one channel at a time in runs of commands that need
 * no engine; a run ends at an engine command, where the channel blocks, where its work ends, or after
 * run-limit steps.  Between runs it hands engines to channels (hostsched.c).
 *
 * State: struct ppu_host; struct ppu_host_ctx, host's part of a context.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_HOST_H
#define PPU_HOST_H

#include "core/host/chan.h"
#include "core/memory/ctx.h"
#include <hw/ppu_cmd.h>
#include <hw/ppu_regs.h>

#define PPU_NUM_PRIO (PPU_QUEUE_PRIO_MAX + 1)
#define PPU_RUN_POOL 0			/* index of the runlist that waits for task records; else PPU_CLASS_* */
#define PPU_RUN_CLASSES (PPU_CLASS_COPY + 1)

/* Channels in order of stamp. */
struct ppu_chlist {
	uint32_t first, tail;
};

/*
 * One who has a share of the engines of a class, and what he has used (runlist.c): an owner among all owners, a context
 * among those of its owner.
 */
struct ppu_share {
	void *of;			/* struct ppu_owner, struct ppu_ctx */
	uint64_t used;			/* ns of engine time (records of the task pool) */
	uint32_t present;		/* channels that wait for or hold an engine */
	struct ppu_wait {
		uint64_t stamp;		/* of the channel that has waited longest */
		uint32_t place;		/* in the heap, while there is one that waits */
	} wait[PPU_NUM_PRIO];
};

/* Those who wait at one class and queue priority, the next one first. */
struct ppu_heap {
	struct ppu_share **at;
	uint32_t n;
};

/* Owners whose channels wait. */
struct ppu_runlist {
	struct ppu_heap owners;
	uint64_t clock;			/* usage of the owner served last */
	uint8_t cls, prio;
};

/* Contexts with ready channels, or owners of such, in turn. */
struct ppu_turns {
	struct ppu_turn *first, *tail;
};

struct ppu_turn {
	struct ppu_turn *prev, *next;
	void *of;			/* struct ppu_owner, struct ppu_ctx */
	bool active;
};

/* Engine 0 is the front end (launches), 1 + n is copy engine n. */
struct ppu_engine {
	uint32_t cls;
	uint32_t holder;		/* PPU_NO_CH: none */
	bool busy, expired;
	struct ppu_event slice_event, done_event;	/* done: front end only */
	uint64_t since;			/* start of the time the holder has not been charged for */
	/* CP-33: runs executed for the context of the copy that is about to be dispatched. */
	struct ppu_ctx *drain_ctx;
	uint32_t drain_runs;
	uint64_t drain_since;		/* start of the time drain_ctx has not been charged for */
	/* A member of this group gave the engine back before its slice was over, and others wait (group.h). NULL: no. */
	struct ppu_ctx *group_ctx;
	uint32_t group, group_from;	/* number, last holder */
};

struct ppu_host_ctx {
	uint32_t num_channels;			/* chan.c: enabled channels naming it */
	uint32_t num_ready;			/* channels with commands the host can run now */
	struct ppu_hostq {
		struct ppu_chlist list;		/* ready channels */
		struct ppu_turn turn;		/* among the contexts of the owner */
	} q[PPU_NUM_PRIO];
	/* Its part of the engines of a class (runlist.c). */
	struct ppu_share share[PPU_RUN_CLASSES];
	struct ppu_chlist waiting[PPU_RUN_CLASSES][PPU_NUM_PRIO];
};

/* Host's part of an owner. */
struct ppu_host_owner {
	struct {
		struct ppu_turn turn;		/* among the owners */
		struct ppu_turns ctxs;
	} q[PPU_NUM_PRIO];
	struct ppu_share share[PPU_RUN_CLASSES];
	struct ppu_heap ctxs[PPU_RUN_CLASSES][PPU_NUM_PRIO];
	uint64_t clock[PPU_RUN_CLASSES];	/* usage of the context served last */
	struct ppu_share **room;		/* memory of the heaps, of `max` contexts each */
	uint32_t max;
};

struct ppu_host {
	struct ppu_event event;
	bool paused;
	uint64_t free_at;		/* busy until then */
	uint32_t run;			/* channel of the current run, PPU_NO_CH: none */
	uint32_t last;			/* last served: another one costs a switch */
	uint32_t run_count;
	uint64_t stamp;
	struct ppu_turns active[PPU_NUM_PRIO];	/* owners */
	struct ppu_runlist runlist[PPU_RUN_CLASSES][PPU_NUM_PRIO];
	uint64_t occupied[PPU_RUN_CLASSES];	/* by class: priorities whose runlist is not empty */
	struct ppu_share **heaps;	/* memory of all runlists */
	uint32_t num_engines;
	struct ppu_engine *engines;
};

static inline void ppu_chlist_init(struct ppu_chlist *l)
{
	l->first = l->tail = PPU_NO_CH;
}

static inline struct ppu_hostq *ppu_host_queue_of(const struct ppu_chan *ch)
{
	return &ch->ctx->host->q[ch->priority];
}

static inline struct ppu_runlist *ppu_host_runlist_of(struct ppu_core *core, const struct ppu_chan *ch)
{
	return &core->host->runlist[ch->run_class][ch->priority];
}

/* Queue priorities say nothing about task records. */
static inline struct ppu_runlist *ppu_host_pool(struct ppu_core *core)
{
	return &core->host->runlist[PPU_RUN_POOL][0];
}

/* Its part of a new context; of a saved one; the end. */
bool ppu_host_ctx_create(struct ppu_core *core, struct ppu_ctx *ctx);
void ppu_host_ctx_io(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx *ctx);
void ppu_host_ctx_destroy(struct ppu_core *core, struct ppu_ctx *ctx);
/* Its part of an owner: room for all contexts that the owner has now.  false: out of memory. */
bool ppu_host_owner_grow(struct ppu_owner *owner);
void ppu_host_owner_destroy(struct ppu_owner *owner);

PPU_UNIT(host);

#endif
