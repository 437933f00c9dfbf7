/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which waiting task is next, and which task may take a place from which.
 *
 * State: struct ppu_ranks, a struct ppu_rank_ctx for each context that had waiting tasks, a struct ppu_rank_owner for
 * its owner: rank.c's.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_RANK_H
#define PPU_RANK_H

#include "core/base/io.h"
#include "core/core.h"

struct ppu_ctx;
struct ppu_task;

/* rank.c's part of a task: where it waits, and behind whom. */
struct ppu_rank_task {
	uint32_t rank;
	int64_t order;
	int32_t prev, next;
};

void ppu_rank_init_task(struct ppu_task *t);
void ppu_rank_io_task(struct ppu_io *io, struct ppu_task *t);
bool ppu_rank_prepare(struct ppu_core *core, struct ppu_ctx *ctx, uint32_t depth);	/* allocates memory */
void ppu_rank_of(struct ppu_task *t);		/* choose the rank of a task that comes into a list */
bool ppu_rank_right(const struct ppu_task *t);	/* is t still in the right rank? */
void ppu_rank_add(struct ppu_core *core, struct ppu_task *t, bool at_head);
void ppu_rank_remove(struct ppu_core *core, struct ppu_task *t);
bool ppu_rank_load(struct ppu_core *core, struct ppu_task *t);
/*
 * Device priorities are numbers; which end is the highest is the property priority-order, and nobody but this function
 * knows it (SP-6).  The level of a number, 0: the lowest.  Also the number of a level.
 */
static inline uint32_t ppu_rank_level(const struct ppu_core *core, uint32_t priority)
{
	uint32_t m = core->cfg.device_priorities;

	return core->cfg.priority_order && priority < m ? m - 1 - priority : priority;
}
/* rr: level of the priority list whose turn it is (policy round robin). */
struct ppu_task *ppu_rank_first(struct ppu_core *core, uint32_t rr);
/* May a take the slot or the SM of b? */
bool ppu_rank_beats(const struct ppu_core *core, const struct ppu_task *a, const struct ppu_task *b);
/* Whose turn comes first, of two contexts that had tasks?  Owners' turns are compared, then, between contexts of one owner
 * or of owners with the same number, their own.  <0: a's, 0: they have no turns, or the same one. */
int ppu_rank_compare(const struct ppu_ctx *a, const struct ppu_ctx *b);
bool ppu_rank_turns(const struct ppu_core *core);	/* do contexts take turns at the moment? */
/* A level of the context's save area has room again. */
void ppu_rank_unstall(struct ppu_ctx *ctx, uint32_t depth);
/* Slices. ppu_rank_count(): at the beginning of a pass. ppu_rank_holds(): for each task with a slot (runs:
 * the task has CTAs on SMs; a slot without them does not count). ppu_rank_started(): a CTA starts at time
 * `when`. ppu_rank_plan(): at the end of a pass. */
void ppu_rank_count(struct ppu_core *core);
void ppu_rank_holds(struct ppu_ctx *ctx, bool runs, bool short_of_room);
void ppu_rank_started(struct ppu_ctx *ctx, uint64_t when);
void ppu_rank_plan(struct ppu_core *core);
/* A CTA has ended.  Must tasks of ctx wait, since an owner whose turn comes first may go on at once? */
void ppu_rank_ended(struct ppu_core *core, struct ppu_ctx *ctx);
bool ppu_rank_kept_out(const struct ppu_core *core, const struct ppu_ctx *ctx);
void ppu_rank_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);

PPU_UNIT(ranks);

#endif
