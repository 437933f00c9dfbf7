/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words that somebody waits for, and who waits: channels, queue tasks, entries of the watch table.
 *
 * State: struct ppu_sems, private to sem.c; a waiter is embedded in whoever waits.
 * Thread safety: the thread that drives the core only.
 * Time: none; a stamp orders the waiters.
 */
#ifndef PPU_SEM_H
#define PPU_SEM_H

#include "core/memory/mem.h"

struct ppu_ctx;
struct ppu_sem_word;

struct ppu_waiter {
	struct ppu_sem_word *word;	/* NULL: not waiting */
	struct ppu_waiter *prev, *next;	/* of the same word */
	struct ppu_waiter *ctx_prev, *ctx_next;
	struct ppu_ctx *ctx;		/* NULL: an entry of the watch table */
	/* The condition holds (`word` is the value in memory), or the waiter has to look at its word
	 * again.  In both cases this function has to call ppu_sem_unwait(). */
	void (*wake)(struct ppu_core *core, struct ppu_waiter *w, uint64_t word);
	uint64_t addr;			/* physical, word aligned */
	uint64_t value, stamp;
	uint32_t id;			/* for whoever waits: number of the channel, watch or task record */
	uint8_t op, is32;
};
/* sem.c's part of a context: its waiters, oldest first. */
struct ppu_sem_ctx {
	struct ppu_waiter *first, *tail;
};

/* The aligned 8 bytes at p; false: there is no memory. */
bool ppu_sem_load(struct ppu_core *core, struct ppu_phys p, uint64_t *v);
bool ppu_sem_compare(unsigned op, uint64_t word, uint64_t value, bool is32);
/* Fill op, is32, value, id, ctx, wake first. va: for traces.  False: the condition holds already (the CPU
 * may have stored just now), so w does not wait. */
bool ppu_sem_wait(struct ppu_core *core, struct ppu_waiter *w, struct ppu_phys p, uint64_t va);
void ppu_sem_unwait(struct ppu_core *core, struct ppu_waiter *w);
/* `writer` (PPU_TRW_*) has written a word or a range: trace the words that somebody waits for and that
 * have changed, and wake the waiters whose condition now holds. */
void ppu_sem_written(struct ppu_core *core, struct ppu_phys p, uint64_t len, unsigned writer,
		     unsigned unit);
/* KICK: re-evaluate every waiter of a context (NULL: all) and the watch table. */
void ppu_sem_kick(struct ppu_core *core, struct ppu_ctx *ctx, unsigned unit);
/* Evaluate what was written while a run of commands was indivisible (A-CP-6). */
void ppu_sem_flush(struct ppu_core *core);
/* Translations of ctx (NULL: of all contexts) have changed: every waiter looks at its word again. */
void ppu_sem_remap(struct ppu_core *core, struct ppu_ctx *ctx);
/* Saves or loads w.  Called by the unit that embeds w, after the words are loaded.  Fill id, ctx, wake
 * first. */
void ppu_sem_io_waiter(struct ppu_core *core, struct ppu_io *io, struct ppu_waiter *w);

/* Implemented above (host/hostsched.c): is an indivisible run of commands being executed? */
bool ppu_host_in_run(const struct ppu_core *core);

PPU_UNIT(sems);

#endif
