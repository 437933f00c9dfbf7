/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the SM, shared by the files of sm/ and sm/mem/ only; sms.h is what others see.
 *
 *   sm.c         states of warps, the run loop, what the units above ask for
 *   jobs.c       SMs as jobs of the workers
 *   seat.c       room for CTAs, and CTAs in it
 *   sm_io.c      save and restore
 *   warp.c       issue of one warp
 *   observe.c, observe_float.c, observe_turn.c  who looks at programs from beside the device
 *   flow.c       turn points, and which registers are live
 *   diverge.c    the divergence unit: how lanes part, wait and meet again
 *   tokq.c       the divergence token queue
 *   exec_warp.c  barriers, votes, shuffles, special registers
 *   smsave.c     CTAs into and out of the save area
 *   cluster/cluster.c  clusters of CTAs
 *   mem/lsu.c    loads, stores, atomics, per-SM TLB
 *   mem/span.c   runs of pages in the TLB
 *   mem/trail.c  the way to large pages
 *   mem/cache.c  the cache model
 *   mem/timing.c  what memory costs in device time
 *   mem/storebuf.c  the other store path: stores that wait
 *   mem/icache.c programs: fetch, check, decode
 *
 * Three layers that a translating engine may replace one by one: a decoded program (struct ppu_program,
 * immutable), execution state (struct ppu_warp, struct ppu_cta), and scheduling (struct ppu_sm).
 *
 * State: struct ppu_sm with its warps and CTAs.
 * Thread safety: an SM is run by one thread at a time and touches no other SM.
 * Time: cycles since device time 0 (ppu_sm_time() has the ns).
 */
#ifndef PPU_SM_H
#define PPU_SM_H

#include <stddef.h>
#include "core/base/trace.h"
#include "core/exec/exec.h"
#include "core/sm/mem/icache.h"
#include "core/sm/mem/lsu_simd.h"
#include "core/sm/sms.h"
#include "core/sm/tokq.h"

#define PPU_MAX_CTA_WARPS	(PPU_MAX_THREADS_PER_CTA / PPU_LANES)

/* Loops over lanes, compiled for the instruction sets the host may have.  ThreadSanitizer is not there yet when the loader
 * chooses among them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define PPU_SIMD_CLONES __attribute__((target_clones("avx512f", "avx2", "default"), \
				       optimize("O3", "no-tree-loop-distribute-patterns")))
#else
#define PPU_SIMD_CLONES
#endif

/* A number that looks random, of one that does not. */
static inline uint64_t ppu_mix64(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Cycles of a turn: it ends at the first turn point (flow.h) with that many, or when the warp has to wait. */
#define PPU_SM_QUANTUM		512

enum ppu_warp_state {
	PPU_WARP_FREE,
	PPU_WARP_READY,
	PPU_WARP_TIMED,		/* ready at ready_at */
	PPU_WARP_PARKED,	/* every lane waits at a barrier or for other lanes (A-SIMT-25) */
	PPU_WARP_LAUNCH,	/* waits for ppu_sm_launch_reply() */
	PPU_WARP_EXCEPTION,	/* waits for ppu_sm_exception_done() */
	PPU_WARP_SYNC,		/* in TSYNC: waits for children of its CTA */
	PPU_WARP_DONE,		/* finished; its slot is free when the CTA is */
	PPU_WARP_HALTED,	/* its CTA faulted */
};

struct ppu_cta;

/* What each start, turn and end of a warp touches stands first, in few lines of the host's cache. */
struct ppu_warp {
	struct ppu_vregs v;
	uint32_t pc;
	uint32_t active;		/* lanes that execute */
	uint32_t live;			/* lanes that have not ended */
	uint32_t lanes;			/* lanes that exist (SIMT-1) */
	uint8_t index;			/* in the CTA */
	uint8_t ahead;			/* bytes into last_page[], host code's */
	uint8_t state;			/* enum ppu_warp_state */
	bool pop;			/* no lane active: pop a token before going on */
	bool retried;			/* recentred once: do not ask the driver again */
	bool q_dirty, local_dirty;
	bool whole;			/* pop: the token that ppu_warp_park_all() pushed is the only one */
	bool ycounts;			/* lane_ycount[] need not be all 0 */
	struct ppu_cta *cta;
	const struct ppu_program *prog;
	struct ppu_tokq q;

	/* Lanes with reason yield whose token leads to an instruction that could not complete, as
	 * long as nothing has changed for them. */
	uint32_t parked;
	uint32_t bar_wait;		/* lanes counted at a CTA barrier */
	uint32_t sync_wait;		/* lanes counted at a WARPSYNC; bar_val: its member mask */
	uint32_t bar_rel;		/* lanes released since */
	uint32_t cl_arrived;		/* lanes counted at the cluster's barrier */
	uint32_t cl_passed;		/* lanes that it has let pass, and that have not gone on */

	uint32_t pending;		/* PPU_WARP_LAUNCH: lanes without reply */
	uint16_t launch_d;		/* row of the result */
	uint32_t ycount;		/* of the active group (SIMT-46, A-SIMT-19) */
	uint64_t rng;			/* SIMT-47 */
	uint64_t ready_at;		/* cycle */
	uint8_t *local;			/* host pointer of the warp's local memory */
	const uint32_t (*tid)[PPU_LANES];	/* thread indices by dimension, after ppu_warp_tids() */
	uint64_t tid_made;		/* ppu_sm.tids_made when they were there */

	/* From here on it is the slot's, and stays for its next user. */
	void *rows __attribute__((aligned(16)));	/* allocation behind v.row */
	uint32_t rows_cap;
	uint32_t zero_row;		/* first of the rows behind the registers that are 0; 0: none yet */
	uint8_t slot;			/* on the SM */

	/* Why a lane is disabled: reason and address as in a token without mask (SIMT-15,
	 * A-SIMT-8).  Meaningful for lanes that are not active. */
	uint32_t wait[PPU_LANES];
	uint32_t bar_val[PPU_LANES];	/* what the barrier said: count, bit 30 and, bit 31 or */
	uint32_t lane_ycount[PPU_LANES];

} __attribute__((aligned(64)));
#define PPU_WARP_OWN	offsetof(struct ppu_warp, rows)	/* bytes of a warp that are not its slot's */
#define PPU_WAIT(reason, addr)	((uint32_t)(reason) | (uint32_t)(addr) << 4)
#define PPU_WAIT_REASON(w)	((w) & 0xf)
#define PPU_WAIT_ADDR(w)	((w) >> 4)

struct ppu_barrier {
	bool busy;
	bool odd;			/* not only whole warps have arrived, or that is not known */
	uint32_t full;			/* whole warps that have arrived; not kept when odd */
	uint32_t count;			/* threads, 0: all of the CTA */
	uint32_t arrived[PPU_MAX_CTA_WARPS], waiting[PPU_MAX_CTA_WARPS], value[PPU_MAX_CTA_WARPS];
};

/* Where the warps of a CTA have their token queues and their local memory, by slot; NULL: nowhere. */
struct ppu_areas {
	uint64_t *queue;
	uint8_t *local;
	uint32_t queue_entries;
	uint64_t local_bytes;
};

struct ppu_cta {
	struct ppu_sm_task *task;	/* NULL: slot is free */
	uint64_t index;			/* in its grid */
	uint32_t id[3];
	uint32_t num_warps, done_warps;
	bool faulted;
	uint32_t regs, shared_bytes, local_bytes;
	uint8_t *shared;		/* allocation of the slot */
	uint32_t shared_cap;
	uint32_t children;		/* launched by this CTA and not complete */
	uint32_t param_bytes;		/* what threads see: those of the task, then the queue entry */
	uint8_t *params;		/* task->params, or own_params */
	uint8_t *own_params;		/* allocation of the slot, for CTAs of a queue */
	uint8_t warp[PPU_MAX_CTA_WARPS];/* slots */
	uint64_t slots;			/* the same as a set */
	uint64_t start;			/* ready_at of all warps, while the slot is among sm->starting */
	struct ppu_areas areas;		/* for ppu_seat_warps(), as the registers that can be read before they are written */
	uint64_t reads[4];
	uint64_t block;			/* PPU_TIDS_KEY() */
	/* Its cluster (cluster.h); alone: a cluster of one. */
	uint64_t cluster;		/* number in the grid */
	uint32_t peers;			/* slots of its CTAs that have not ended, this one too */
	uint8_t rank, cluster_ctas;
	uint8_t peer[PPU_CLUSTER_MAX];	/* slot by rank, for those in `peers` */
#define PPU_NO_PEER	0xff
	uint32_t busy_bars;		/* barriers that may be busy, or not all 0; bit PPU_CLUSTER_BARRIER: the cluster's */
#define PPU_ALL_BARRIERS	((2u << PPU_CLUSTER_BARRIER) - 1)
	struct ppu_barrier bar[PPU_NUM_BARRIERS];
};

/*
 * Thread indices by dimension of the warps of a CTA with this block.  All warps with the same place in such a CTA share
 * them, so that they are in the host's caches when a warp begins.
 */
struct ppu_tids {
	uint64_t block;			/* PPU_TIDS_KEY() */
	uint32_t made;			/* warps whose indices are there */
	uint32_t tid[PPU_MAX_CTA_WARPS][3][PPU_LANES] __attribute__((aligned(64)));
};
#define PPU_TIDS		4	/* blocks of CTAs that an SM runs at the same time, mostly */
/* No dimension of a block is above 1024. */
#define PPU_TIDS_KEY(block)	((block)[0] | (uint64_t)(block)[1] << 16 | (uint64_t)(block)[2] << 32)
#define PPU_TIDS_INDEX(key)	(((key) + 3 * ((key) >> 16) + 7 * ((key) >> 32)) % PPU_TIDS)

#define PPU_TLB_ENTRIES		2048
#define PPU_TLB_WRITE		1	/* host may be written */
#define PPU_TLB_WATCHED		2
#define PPU_TLB_DIRTY		4	/* written since the window began */
#define PPU_TLB_NULL		8	/* PPU_PTE_NULL: good for one access, and never hit */
/*
 * Pages in a row have entries in a row. Of arrays that lie a power of two apart, the rows that a kernel works on at the
 * same time shall not share entries: 213 and 77 times any power of two below 512 is far from 0, modulo 2048.
 */
#define PPU_TLB_INDEX(page)	((uint32_t)((page) + ((page) >> 9) * 213 + ((page) >> 18) * 77) % PPU_TLB_ENTRIES)
struct ppu_tlbe {
	uint64_t page;			/* va >> 12, ~0: empty */
	struct ppu_ctx *ctx;
	uint8_t *host;			/* of the page */
	uint64_t frame : 40;		/* of physical memory */
	uint8_t sys, flags;
};
/* Host code finds an entry by a shift, and none lies in two lines of the host's cache. */
_Static_assert(sizeof(struct ppu_tlbe) == 32, "entry of the TLB");

static inline struct ppu_phys ppu_tlb_phys(const struct ppu_tlbe *e)
{
	return (struct ppu_phys){ (uint64_t)e->frame << PPU_PAGE_SHIFT, e->sys };
}

/*
 * Pages that host code has loaded from lately, and those that it has written: where they are, faster than the TLB says it.
 * They are in the TLB, for near_ctx; a page that leaves it leaves here, too.  Those that were written may be written without
 * another look: they are dirty, and nobody waits at them.
 */
#define PPU_NEAR		32
#define PPU_NEAR_HASH		0x9e3779b1u
#define PPU_NEAR_INDEX(page)	((uint32_t)(page) * PPU_NEAR_HASH >> 27)
struct ppu_near {
	uint64_t page;			/* ~0: none */
	uint8_t *host;
};
/* The page leaves the TLB, or changes there.  A macro: code without vector registers needs it, too. */
#define PPU_NEAR_FORGET(sm, number)	((sm)->near[PPU_NEAR_INDEX(number)].page = \
					 (sm)->near_written[PPU_NEAR_INDEX(number)].page = ~0ull)

/* Pages in a row that are all in the TLB and lie in a row in host memory, too (mem/span.h). */
#define PPU_SPANS		4
struct ppu_span {
	uint64_t va;
	uint8_t *host;
	struct ppu_ctx *ctx;		/* NULL: none */
	uint32_t bytes;
	uint32_t weight;		/* the least one makes room for another span */
};

/* The words of page tables that lead to a large page (mem/trail.h). */
#define PPU_TRAIL_WORDS		(PPU_PT_LEVELS - 1)
#define PPU_TRAILS		32
/* Arrays may lie a power of two apart. */
#define PPU_TRAIL_INDEX(va)	((uint32_t)((va) >> PPU_LARGE_SHIFT) * 0x9e3779b1u >> 27)
struct ppu_trail {
	struct ppu_ctx *ctx;		/* NULL: none */
	uint64_t frame;			/* va >> 21 */
	const uint64_t *word[PPU_TRAIL_WORDS];	/* where they are, from the root on, and what they were */
	uint64_t was[PPU_TRAIL_WORDS];
	uint64_t addr;			/* of the page in VRAM */
	uint32_t flags;			/* for the TLB */
};

struct ppu_sm {
	struct ppu_core *core;
	uint32_t id;
	uint64_t cycle;			/* since device time 0 */
	uint64_t t1;			/* end of the window that runs, ns */
	uint64_t busy;			/* cycles in which it had work, of this window */
	uint64_t ready, timed, done;	/* warp slots in those states */
	uint64_t used;			/* warp slots that are not free */
	uint64_t next_timed;		/* the first cycle at which a timed warp is due; 0: unknown */
	uint32_t worker;		/* that runs it now */
	uint32_t turn;			/* slot whose turn it is */
	uint32_t quantum;		/* cycles left of the turn */
	uint64_t began;			/* cycle: when what runs of a turn began; not saved */

	uint32_t num_warps, num_ctas;	/* configured */
	struct ppu_warp *warp;
	struct ppu_cta *cta;
	uint32_t used_warps, used_regs, used_shared;	/* CTAs: core->resident[] */
	uint32_t taken;			/* CTA slots that are not free */
	uint32_t starting;		/* CTA slots all of whose warps are timed, for cta->start; not saved, may be too few */
	uint32_t fresh;			/* CTA slots whose warps are still to be set up (ppu_seat_warps()) */
	uint32_t rows_cap;		/* rows that the warp slots in rows_slots have at least (ppu_warp.rows_cap) */
	uint64_t rows_slots;

	struct ppu_effects fx;
	uint64_t host_entered, host_insns;	/* statistics of host code, see PPU_ENGINE_STATS; not saved */
	uint64_t ctr[PPU_CTR_COUNT];

#define PPU_LAST_PAGES	64
#define PPU_LAST_WARPS	8	/* warps that have a place of their own, by struct ppu_warp.ahead */
	/* Host code's: where loads were last, to fetch ahead; not saved. */
	uint64_t last_page[PPU_LAST_PAGES][PPU_LAST_WARPS] __attribute__((aligned(64)));

#define PPU_ELEMENTS	16
	uint64_t elements[PPU_ELEMENTS];	/* host code's: where arrays were on the host, to fetch ahead; not saved */

	const struct ppu_lsu_simd *simd;	/* of this host */
	struct ppu_sm_caches *caches;	/* NULL: no model */
	struct ppu_sm_timing *timing;	/* NULL: no memory-timing */
	struct ppu_storebuf *sb;	/* NULL: stores go to memory at once */
	uint32_t xlat_gen;
	struct ppu_ctx *near_ctx;
	struct ppu_near near[PPU_NEAR] __attribute__((aligned(64)));	/* not saved */
	struct ppu_near near_written[PPU_NEAR];				/* not saved */
	struct ppu_span span[PPU_SPANS];	/* follows from tlb[]; not saved */
	uint32_t span_wait, span_period;	/* gathers without a span until one is looked for, the last time and now */
	uint32_t span_last;			/* the place that was taken last */
	uint32_t span_hot;			/* bytes from span[] to the one that words were found in last */
	bool spans;				/* there may be one */
	struct ppu_trail trail[PPU_TRAILS];	/* not saved */
	struct ppu_tlbe tlb[PPU_TLB_ENTRIES] __attribute__((aligned(64)));
	uint16_t dirty[PPU_TLB_ENTRIES];/* entries with PPU_TLB_DIRTY */
	uint32_t num_dirty;
	struct ppu_tids tids[PPU_TIDS];	/* not saved */
	/* The first PPU_WARP_OWN bytes of warps of this program that begin at this address; not saved. */
	uint8_t begins[PPU_WARP_OWN] __attribute__((aligned(64)));
	const struct ppu_program *begins_prog;
	uint32_t begins_entry;
	uint64_t tids_made;		/* more, each time that one of them becomes another block's; never 0 then */
	uint8_t sink[PPU_PAGE_SIZE] __attribute__((aligned(64)));	/* what is stored to PPU_PTE_NULL; not saved */
} __attribute__((aligned(64)));	/* another SM may run beside it */

/* Pages are not dirty any more. */
static inline void ppu_near_clean(struct ppu_sm *sm)
{
	unsigned i;

	for (i = 0; i < PPU_NEAR; i++)
		sm->near_written[i].page = ~0ull;
}

static inline void ppu_near_clear(struct ppu_sm *sm)
{
	unsigned i;

	for (i = 0; i < PPU_NEAR; i++)
		sm->near[i].page = ~0ull;
	ppu_near_clean(sm);
}

/* What a handler returns. */
enum ppu_step {
	PPU_GO,		/* state is up to date, go on with this warp */
	PPU_SWITCH,	/* the warp cannot go on now (or ever) */
};

/* What another CPU has written, or nobody for long: fetched at once, and not line by line when it is needed. */
static inline void ppu_fetch_lines(const void *p, size_t bytes)
{
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < bytes; i += 64)
		__builtin_prefetch((const uint8_t *)p + i, 1);
}

uint64_t ppu_sm_time(const struct ppu_sm *sm);		/* of the current cycle, inside the window */
uint64_t ppu_sm_cycles_ns(const struct ppu_core *core, uint64_t cycles);
uint64_t ppu_sm_cycle_at(const struct ppu_core *core, uint64_t ns);	/* first cycle not before ns */
/*
 * Notes an effect.  ppu_sm_effect(): NULL when there is no host memory. ppu_sm_last_effect(): never NULL, for
 * what a CTA does last in a window (ends, faults, waits for children as a whole): the list keeps an entry for each
 * CTA, and CTAs start between windows only.
 */
struct ppu_effect *ppu_sm_effect(struct ppu_sm *sm, enum ppu_effect_kind kind, struct ppu_sm_task *task);
struct ppu_effect *ppu_sm_last_effect(struct ppu_sm *sm, enum ppu_effect_kind kind, struct ppu_sm_task *task);
static inline void ppu_sm_set_state(struct ppu_sm *sm, struct ppu_warp *w, enum ppu_warp_state state)
{
	uint64_t bit = 1ull << w->slot;

	if (sm->timed & bit)
		sm->next_timed = 0;
	sm->ready = (sm->ready & ~bit) | (state == PPU_WARP_READY ? bit : 0);
	sm->done = (sm->done & ~bit) | (state == PPU_WARP_DONE ? bit : 0);
	sm->used = (sm->used & ~bit) | (state != PPU_WARP_FREE ? bit : 0);
	sm->timed &= ~bit;
	if (state == PPU_WARP_TIMED) {
		if (!sm->timed || w->ready_at < sm->next_timed)
			sm->next_timed = w->ready_at;
		sm->timed |= bit;
	}
	w->state = state;
}
void ppu_sm_emit(struct ppu_sm *sm, const struct ppu_warp *w, unsigned event, uint64_t b, uint64_t c,
		 uint64_t d);
#define PPU_SM_TRACE(sm, w, event, b, c, d) do { \
	if (__builtin_expect(ppu_traces((sm)->core, PPU_TR_##event), 0)) \
		ppu_sm_emit(sm, w, PPU_TR_##event, b, c, d); \
} while (0)
/* The CTA of w stops with a fault.  Always PPU_SWITCH. */
enum ppu_step ppu_sm_fault(struct ppu_sm *sm, struct ppu_warp *w, unsigned code, unsigned lane,
			   uint64_t va, unsigned access, unsigned level);
static inline enum ppu_step ppu_sm_fault_pc(struct ppu_sm *sm, struct ppu_warp *w, unsigned code,
					    unsigned lane)
{
	return ppu_sm_fault(sm, w, code, lane, 0, PPU_ACC_EXEC, 0);
}
/*
 * For host code, when a warp has stopped: the next warp of the SM, if it goes on in the same region.  *run knows where, and
 * until when.  NULL: it does not, or there is more to do than to take turns.
 */
struct ppu_run;
struct ppu_warp *ppu_sm_next_turn(struct ppu_sm *sm, struct ppu_run *run, const struct ppu_program *prog);
/* Tell memory what w wrote through pointers of its own. */
void ppu_sm_report_warp(struct ppu_sm *sm, struct ppu_warp *w);
/* Can a warp of these lanes be in this state?  For state that was read from somewhere. */
bool ppu_sm_warp_possible(const struct ppu_warp *w, unsigned state, uint32_t lanes);
/* The last lane of w has ended. */
void ppu_sm_warp_done(struct ppu_sm *sm, struct ppu_warp *w);
/* Does every warp of this CTA wait?  Then the CTA faults; but if a warp waits for children, the CTA can
 * leave the SM. */
void ppu_sm_check_deadlock(struct ppu_sm *sm, struct ppu_cta *cta);

#endif
