/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host scheduler: which channel is served next, and who gets an engine.
 *
 * State: struct ppu_host (host.h).
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_HOSTSCHED_H
#define PPU_HOSTSCHED_H

#include "core/host/host.h"

void ppu_chlist_add(struct ppu_core *core, struct ppu_chlist *l, struct ppu_chan *ch);
void ppu_chlist_del(struct ppu_core *core, struct ppu_chlist *l, struct ppu_chan *ch);
/* The condition that a waiting channel waits for holds, or the channel must look at its word again (struct
 * ppu_waiter). */
void ppu_sched_wake(struct ppu_core *core, struct ppu_waiter *w, uint64_t word);
void ppu_sched_kick(struct ppu_core *core);
void ppu_sched_ready(struct ppu_core *core, struct ppu_chan *ch);	/* to its ready queue */
void ppu_sched_reached_engine(struct ppu_core *core, struct ppu_chan *ch);
void ppu_sched_release(struct ppu_core *core, struct ppu_chan *ch);	/* gives its engine back */
void ppu_sched_remove(struct ppu_core *core, struct ppu_chan *ch);	/* from all lists */
void ppu_sched_resume(struct ppu_core *core, struct ppu_chan *ch);
/* later: there may be more to decide, in another event at this time; again: this event is not over. */
enum ppu_sched_passed { PPU_SCHED_DONE, PPU_SCHED_LATER, PPU_SCHED_AGAIN };
enum ppu_sched_passed ppu_sched_pass(struct ppu_core *core);		/* hand out engines */
struct ppu_chan *ppu_sched_pick(struct ppu_core *core);			/* next run */
void ppu_sched_run_ended(struct ppu_core *core, struct ppu_ctx *ctx);
void ppu_sched_pool_next(struct ppu_core *core);
/* Nobody waits for an engine for ctx any more, whose owner pays for the time until now. */
void ppu_sched_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);
/* Gives ctx a turn at this priority, behind the contexts that have one. */
void ppu_sched_activate(struct ppu_core *core, struct ppu_ctx *ctx, unsigned prio);
/* Events of an engine (arg): its holder's slice is over; a launch is done. */
void ppu_sched_slice_over(struct ppu_core *core, void *arg);
void ppu_sched_launch_done(struct ppu_core *core, void *arg);

void ppu_host_pause(struct ppu_core *core, bool paused);	/* SCHED_CTRL */
/* Channel whose command a copy engine executes, PPU_NO_CH: none (save/restore checks). */
uint32_t ppu_host_owner(const struct ppu_core *core, unsigned engine);
/* A copy is done. */
void ppu_host_copy_done(struct ppu_core *core, unsigned chid);

#endif
