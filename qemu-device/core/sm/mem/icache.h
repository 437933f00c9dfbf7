/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs: code fetched from GPU memory, checked and decoded once.
 *
 * State: struct ppu_icache, private to icache.c.  A program is immutable once it is decoded.
 * Thread safety: the thread that drives the core; workers read programs.
 * Time: none.
 */
#ifndef PPU_ICACHE_H
#define PPU_ICACHE_H

#include "core/memory/ctx.h"
#include "core/sm/flow.h"
#include <hw/ppu_tmd.h>

struct ppu_dinsn;
struct ppu_insn;

/* Extra register rows of every warp behind its own. */
#define PPU_ROW_ZERO(nregs)	(nregs)
#define PPU_ROW_SINK(nregs)	((nregs) + 4)
#define PPU_ROWS(nregs)		((nregs) + 8)

struct ppu_program {
	struct ppu_program *next;
	struct ppu_ctx *ctx;
	uint64_t va;
	uint32_t n;			/* instructions; code[n] is a sentinel that faults with BAD_PC */
	uint32_t nregs;
	uint32_t refs;
	bool stale;			/* memory has changed since: free when the last task is gone */
	bool in_making;			/* it is not ready, and nobody finds it */
	uint64_t stamp, bytes;
	uint64_t checked;		/* window in which it was last compared with memory */
	uint32_t code_gen;		/* ppu_mem_code_gen() then; 0: compare each time */
	struct ppu_insn *raw;
	struct ppu_dinsn *code;
	struct ppu_flow flow;

	/* sm/translate */
	struct ppu_region *region;	/* NULL: interpret */
	uint32_t heat;			/* warps that have begun */
	bool refused;			/* there will be no host code */
	bool whole;			/* all entries are translated */
};

/* Decode and check the code of a launch (memcmp with the cached copy: code that changed is decoded again).
 * Returns 0 or PPU_ERR_* (MMU_*, ILLEGAL_INSN, BAD_PC) with the address at fault in *va. */
int ppu_icache_get(struct ppu_core *core, struct ppu_ctx *ctx, const struct ppu_tmd *t,
		   struct ppu_program **prog, uint64_t *va);
/* The same step by step, for the launch that a channel waits with.  False: call it again.  True: *err is what
 * ppu_icache_get() would return.  One program at a time: who asks for another one ends what was begun. */
bool ppu_icache_prepare(struct ppu_core *core, struct ppu_ctx *ctx, unsigned chid, const struct ppu_tmd *t,
			struct ppu_program **prog, int *err);
/* Is a program half made for this channel? */
bool ppu_icache_prepares(const struct ppu_core *core, unsigned chid);
/* The launch of the channel (~0: of any) does not go on now.  Its next try reads the code from its beginning. */
void ppu_icache_unprepare(struct ppu_core *core, unsigned chid);
/* For tests: how many instructions it has looked at, each as often as it did. */
uint64_t ppu_icache_looked_at(const struct ppu_core *core);
/* begin: the launches of one window follow, up to the next call.  All of them see the code as it is at one
 * time. */
void ppu_icache_window(struct ppu_core *core, bool begin);
/* One more that uses the program; ppu_icache_put() ends it. */
void ppu_icache_hold(struct ppu_core *core, struct ppu_program *prog);
void ppu_icache_put(struct ppu_core *core, struct ppu_program *prog);
/* The program takes so many bytes more, or fewer.  False: there would be too many, nothing has changed. */
bool ppu_icache_charge(struct ppu_core *core, struct ppu_program *prog, int64_t bytes);
/* So many bytes of host code more were made since the window began.  Returns how many in all. */
uint64_t ppu_icache_translated(struct ppu_core *core, uint64_t bytes);
/* All programs there are, by ->next. */
const struct ppu_program *ppu_icache_first(const struct ppu_core *core);
void ppu_icache_forget_ctx(struct ppu_core *core, struct ppu_ctx *ctx);

/* Called by sm.c; nothing is saved: programs are fetched again. */
int ppu_icache_create(struct ppu_core *core);
void ppu_icache_destroy(struct ppu_core *core);
void ppu_icache_reset(struct ppu_core *core);

#endif
