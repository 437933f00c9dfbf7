/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record for each CTA that has started, and its place in the save area.
 *
 * State: struct ppu_ctas, a struct ppu_cta_levels for each context: ctas.c's.
 * Thread safety: the thread that drives the core only.
 * Time: none.
 */
#ifndef PPU_CTAS_H
#define PPU_CTAS_H

#include "core/base/io.h"
#include "core/core.h"
#include <hw/ppu_tmd.h>

struct ppu_ctx;
struct ppu_task;

/* ctas.c's part of a task. */
struct ppu_ctas_task {
	int32_t first, ready, ready_tail;	/* lists: started CTAs; those that can go on */
	uint32_t parent, parent_gen;	/* the CTA that launched the task */
};

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
/* Saves or loads ctas.c's part of a task. */
void ppu_ctas_io_task(struct ppu_io *io, struct ppu_task *t);
/* The CTA that launched t, as a number that no other CTA ever has. */
uint64_t ppu_ctas_parent(const struct ppu_task *t);
/* The first of t's saved CTAs that can go on, NULL: none. */
struct ppu_cta_rec *ppu_ctas_ready(struct ppu_core *core, const struct ppu_task *t);
struct ppu_cta_rec *ppu_ctas_at(struct ppu_core *core, unsigned sm, unsigned slot);
/* Are CTAs of this context saved at all? */
bool ppu_ctas_saveable(const struct ppu_core *core, const struct ppu_ctx *ctx);
/* Can one CTA, or one cluster, of such a task ever have a place in the save area? */
bool ppu_ctas_fits(const struct ppu_core *core, const struct ppu_ctx *ctx, const struct ppu_tmd *tmd,
		   uint32_t depth);
/* A place in the save area that is free, until another CTA starts or ends. */
struct ppu_cta_gap {
	uint64_t addr, bytes;		/* bytes 0: the context has no save area */
	int32_t after;			/* the image before it */
};
/* Could another CTA of t, or all CTAs of another cluster, have places in the save area now?  *gap: the first of them. */
bool ppu_ctas_room(struct ppu_core *core, const struct ppu_task *t, struct ppu_cta_gap *gap);
/* Makes the record of t's next CTA, with this place; *gap becomes the place behind it.  NULL: no host memory. */
struct ppu_cta_rec *ppu_ctas_start(struct ppu_core *core, struct ppu_task *t, struct ppu_cta_gap *gap);
void ppu_ctas_place(struct ppu_core *core, struct ppu_cta_rec *r, unsigned sm, unsigned slot);
/* The CTA of r was saved, and is on no SM any more. */
void ppu_ctas_saved(struct ppu_core *core, struct ppu_cta_rec *r, bool waiting);
void ppu_ctas_pop_ready(struct ppu_core *core, struct ppu_task *t);
void ppu_ctas_end(struct ppu_core *core, struct ppu_cta_rec *r);
void ppu_ctas_drop(struct ppu_core *core, struct ppu_task *t);
void ppu_ctas_adopt(struct ppu_core *core, struct ppu_cta_rec *r, struct ppu_task *child);
void ppu_ctas_child_done(struct ppu_core *core, const struct ppu_task *child);
bool ppu_ctas_ctx_create(struct ppu_ctx *ctx);	/* false: out of memory */
void ppu_ctas_forget_ctx(struct ppu_ctx *ctx);

PPU_UNIT(ctas);

#endif
