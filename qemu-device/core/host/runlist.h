/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waits for an engine, and whose turn it is.
 *
 * State: struct ppu_runlist, and the shares of owners and contexts (host.h).
 * Thread safety: the thread that drives the core only.
 * Time: ns of engine time.
 */
#ifndef PPU_RUNLIST_H
#define PPU_RUNLIST_H

#include "core/host/host.h"

void ppu_runlist_add(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch);
void ppu_runlist_del(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch);
/* ppu_runlist_add() without ppu_runlist_enter(), for loading a saved state. */
void ppu_runlist_link(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch);
/* ppu_runlist_enter(), ppu_runlist_exit(): one more, or one less, channel of ctx waits for or holds an
 * engine of the class.  ppu_runlist_present(): one more, which did so when the state was saved. */
void ppu_runlist_enter(struct ppu_ctx *ctx, const struct ppu_runlist *r);
void ppu_runlist_present(struct ppu_ctx *ctx, unsigned cls);
void ppu_runlist_exit(struct ppu_ctx *ctx, unsigned cls);
/* The next channel among those that may use an engine in mask; NULL: none. */
struct ppu_chan *ppu_runlist_best(struct ppu_core *core, struct ppu_runlist *r, uint32_t mask);
/* Who has used more of the engines?  Owners are compared; contexts, if they have one owner.  <0: b has, 0: nobody. */
int ppu_runlist_compare(struct ppu_ctx *a, struct ppu_ctx *b, unsigned cls);
/* ppu_runlist_serve(): ctx is served now, and its usage becomes the clock.
 * ppu_runlist_charge(): ctx has used the engine. */
void ppu_runlist_serve(struct ppu_ctx *ctx, struct ppu_runlist *r);
void ppu_runlist_charge(struct ppu_core *core, struct ppu_ctx *ctx, unsigned cls, uint64_t use);
bool ppu_runlist_create(struct ppu_core *core);	/* false: out of memory */
void ppu_runlist_reset(struct ppu_core *core);
void ppu_runlist_destroy(struct ppu_core *core);

#endif
