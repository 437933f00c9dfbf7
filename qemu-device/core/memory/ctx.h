/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Contexts: validated copies of instance blocks, found by the block's physical address.
 *
 * State: struct ppu_ctxs, private to ctx.c; struct ppu_ctx, of which other units have parts that they alone see.
 * Thread safety: workers read ctx->inst and ctx->blk; everything else: the thread that drives the core.
 * Time: none.
 */
#ifndef PPU_CTX_H
#define PPU_CTX_H

#include "core/memory/sem.h"
#include <hw/ppu_fault.h>
#include <hw/ppu_mmu.h>

/* Whose contexts: they have one share of the machine together. */
struct ppu_owner {
	uint64_t id;			/* of the instance blocks; 0: of one context, which names no owner */
	uint32_t num_ctxs;
	uint32_t num_tasks;		/* counted by tmu.c */
	struct ppu_host_owner *host;	/* host: its part of the queues */
	struct ppu_rank_owner *rank;	/* rank.c: its turn, NULL: had no tasks */
	struct ppu_owner *next;		/* ctx.c: all that have a number */
};

struct ppu_ctx {
	uint64_t inst;			/* key: physical address | aperture */
	struct ppu_inst_block blk;	/* validated copy */
	bool faulted, stopped;
	bool bad_load;			/* the last LOAD was refused */
	bool too_deep;			/* a launch was too deep, and the driver has a record of it */
	uint32_t num_tasks, num_children;	/* counted by tmu.c; children: those that SMs launched */
	struct ppu_owner *owner;
	struct ppu_sem_ctx sem;		/* sem.c: its blocked channels */
	struct ppu_host_ctx *host;	/* host: its channels, its part of the queues */
	struct ppu_rank_ctx *rank;	/* rank.c: its waiting tasks, NULL: had none */
	struct ppu_cta_levels *cta_levels;	/* ctas.c: its save area */
	struct ppu_ctx *next;		/* ctx.c: hash chain */
};
/* NULL when not loaded.  Pointers stay valid until CTX_CMD_FORGET. */
struct ppu_ctx *ppu_ctx_find(struct ppu_core *core, uint64_t inst);
/* Read the block and make, or change, its context; refused blocks are remembered as such. */
void ppu_ctx_load(struct ppu_core *core, uint64_t inst);
/* Was the last LOAD of this address refused?  For an address that is no context's. */
bool ppu_ctx_refused(const struct ppu_core *core, uint64_t inst);
void ppu_ctx_forgive(struct ppu_core *core, uint64_t inst);	/* forget that LOAD was refused */
/* Takes the context out of the table and makes cached translations stale.  The caller frees the context. */
void ppu_ctx_unlink(struct ppu_core *core, struct ppu_ctx *ctx);
/* The context, which no unit knows any longer, is freed, and its owner with the last one. */
void ppu_ctx_free(struct ppu_core *core, struct ppu_ctx *ctx);
/* Saves or loads a pointer to a context.  The stream holds the context's inst. */
void ppu_io_ctx(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx **c);

/* Implemented above (machine/ctx_end.c): the other units' parts.  create: false: out of memory.
 * free: everything has been reset, or is just being destroyed. */
bool ppu_ctx_parts_create(struct ppu_core *core, struct ppu_ctx *ctx);
void ppu_ctx_parts_free(struct ppu_ctx *ctx);
void ppu_ctx_parts_io(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx *ctx);
/* The same for owners.  grow: one more context; false: out of memory. */
bool ppu_owner_parts_grow(struct ppu_owner *owner);
void ppu_owner_parts_free(struct ppu_owner *owner);
/* Implemented above (machine/ctx_end.c): a fault of an SM.  Record it, stop every channel of the context,
 * abort its tasks. */
void ppu_ctx_fault(struct ppu_core *core, struct ppu_ctx *ctx, struct ppu_fault_rec *rec);

PPU_UNIT(ctxs);

#endif
