/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags of the cache model; cache.c says what they are for.
 *
 * State: struct ppu_sm_caches of each SM, struct ppu_caches: cache.c's.
 * Thread safety: the thread that runs the SM, for its own; ppu_cache_apply(): the one that drives the core.
 * Time: none.
 */
#ifndef PPU_CACHE_H
#define PPU_CACHE_H

#include "core/memory/memsys.h"
#include "core/sm/sm.h"

#define PPU_CACHE_LINE		128	/* bytes */
#define PPU_CACHE_WAYS		4
#define PPU_CACHE_L1_SETS	64	/* 32 KiB */
#define PPU_CACHE_SMALL_SETS	16	/* 8 KiB each for instructions and constants */
#define PPU_CACHE_L15_SETS	256	/* 128 KiB */
#define PPU_CACHE_L2_SETS	4096	/* 2 MiB */

struct ppu_sm_caches {
	uint64_t data[PPU_CACHE_L1_SETS * PPU_CACHE_WAYS];
	uint64_t insn[PPU_CACHE_SMALL_SETS * PPU_CACHE_WAYS];
	uint64_t cnst[PPU_CACHE_SMALL_SETS * PPU_CACHE_WAYS];
	uint64_t *log;		/* misses of the window that runs */
	uint32_t n, cap;
};

struct ppu_caches {
	uint64_t *l15;		/* by GPC */
	uint64_t l2[PPU_CACHE_L2_SETS * PPU_CACHE_WAYS];
};

/* apply, observe: only with core->caches */
int ppu_caches_create(struct ppu_core *core);
void ppu_caches_destroy(struct ppu_core *core);
void ppu_caches_reset(struct ppu_core *core);
void ppu_caches_io(struct ppu_core *core, struct ppu_io *io);
/* Decode: this instruction is watched when it is executed. */
void ppu_cache_observe(struct ppu_dinsn *di);
/* What the SM missed in the last window reaches the shared levels. */
void ppu_cache_apply(struct ppu_core *core, unsigned sm);

#endif
