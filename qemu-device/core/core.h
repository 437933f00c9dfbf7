/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core as its own units see it.  A unit's state is a struct of its own, defined in its .c (or in its
 * header when the unit has several files) and reached through an opaque pointer below.  No unit touches the
 * state of another unit; it calls the functions of that unit's header.
 *
 * The folders are layers; each may include those before it, never those after it:
 *
 *   base      event list, byte stream of save and restore, trace, interrupts, faults, configuration
 *   memory    physical memory, address translation, contexts, words that somebody waits for
 *   exec      what instructions compute: lanes in, lanes out
 *   sm        the SM: warps, divergence; sm/mem its way to memory
 *   tasks     what runs where: task management, work distribution, the window driver
 *   host      channels, commands, the host scheduler, copy engines
 *   machine   the whole: create, reset, run loop, BAR0, save and restore, the end of a context
 *
 * When a lower layer has something to tell a higher one, it calls a function that its own header declares
 * under "implemented above":
 *
 *   memory/sem.h   ppu_host_in_run()       commands are indivisible: words are evaluated at their end
 *   memory/ctx.h   ppu_ctx_parts_*()       a context is new, saved, gone: every unit has a part of it
 *                  ppu_ctx_fault()         stops what the context has in all units
 *   sm/sms.h       ppu_gpc_wake()          an SM has work again: somebody has to run a window
 *                  ppu_ctas_check*()       loaded CTAs against the records of the task unit
 *   tasks/tmu.h    ppu_host_tasks_changed(), ppu_host_pool_freed()   channels wait for both
 *   tasks/task.h   struct ppu_task (of base's and sm's callers) is opaque below
 *
 * Time: core->now in ns of device time, which only the run loop (machine/ppu.c) moves.  One event list
 * ordered by (time, priority, sequence).  Nothing happens outside an event or an MMIO access.
 *
 * Threads: one thread drives the core.  During a window workers run ppu_sm_run(), each for SMs of its
 * own; a header says so where a function may be called from there ("any thread").  Beside all this a translation
 * may be under way (sm/translate/translate.h), which reads a decoded program and nothing else.
 */
#ifndef PPU_CORE_INT_H
#define PPU_CORE_INT_H

#include "core/ppu_core.h"

struct ppu_io;

/* CTAs on an SM.  Workers that run different SMs share no line of the host's cache. */
struct ppu_resident {
	uint32_t ctas;
} __attribute__((aligned(64)));

struct ppu_core {
	/* configuration, constant after create */
	struct ppu_config cfg;
	struct ppu_ports ports;
	uint8_t *vram;
	uint32_t num_sms;		/* gpcs * sms_per_gpc */

	uint64_t now;			/* ns */
	int stop_requested;		/* atomic */
	const struct ppu_observer *observer;	/* NULL: nobody (sm/observe.h) */
	struct ppu_only only;			/* with only_on: who alone issues */
	bool only_on;
	uint64_t ctr[PPU_CTR_COUNT];	/* SM-side ones are summed in at window ends */

	/* Bumped whenever a cached translation or host pointer may be stale (TLB invalidate, change
	 * of the set of watched pages, ppu_core_invalidate_maps).  TLBs compare and flush. */
	uint32_t xlat_gen;

	uint64_t task_steps;		/* records the task unit looked at in searches: tests measure its cost */

	/* base */
	struct ppu_events *events;
	struct ppu_intr *intr;
	struct ppu_inject *inject;
	struct ppu_faults *faults;
	/* memory */
	struct ppu_mem *mem;
	struct ppu_mmu *mmu;
	struct ppu_ctxs *ctxs;
	struct ppu_sems *sems;
	struct ppu_watches *watches;
	struct ppu_memsys *memsys;	/* NULL: no memory-timing */
	/* sm */
	struct ppu_sm *sms;		/* array of num_sms */
	struct ppu_share *shares;	/* of each worker; NULL: fewer than two */
	bool flip;			/* changes with each round of workers: who begins with an SM that two share */
	struct ppu_resident *resident;	/* of each SM, side by side: every search for room reads them all */
	struct ppu_icache *icache;
	struct ppu_translator *translator;	/* NULL: this build has none */
	struct ppu_timing *timing;	/* NULL: no memory-timing */
	struct ppu_caches *caches;	/* NULL: no cache-model */
	/* tasks */
	struct ppu_smexcs *smexcs;
	struct ppu_ranks *ranks;
	struct ppu_tmu *tmu;
	struct ppu_orders *orders;
	struct ppu_ctas *ctas;
	struct ppu_wdu *wdu;
	struct ppu_gpcs *gpcs;
	/* host */
	struct ppu_chans *chans;
	struct ppu_host *host;
	struct ppu_ces *ces;
	/* machine */
	struct ppu_regfile *regs;
};

/*
 * The four functions that every unit has.  create: 0 or -1, out of memory.  destroy tolerates that the
 * unit was not created.  reset: power-on state.  io: save and restore (base/io.h).
 * machine/units.h has the order in which they are called.
 */
#define PPU_UNIT(name) \
	int ppu_##name##_create(struct ppu_core *core); \
	void ppu_##name##_destroy(struct ppu_core *core); \
	void ppu_##name##_reset(struct ppu_core *core); \
	void ppu_##name##_io(struct ppu_core *core, struct ppu_io *io)

#endif
