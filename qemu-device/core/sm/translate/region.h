/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host code for the blocks of a program that can be reached from an instruction.
 *
 * State: none.
 * Thread safety: any thread; the program must not be freed meanwhile.
 * Time: none.
 */
#ifndef PPU_REGION_H
#define PPU_REGION_H

#include "core/sm/warp.h"

/* An instruction of the guest that host code leaves the vector registers for. The first fields are read by host
 * code; it lies in the data pool. */
struct ppu_site {
	void *fn;			/* what host code calls */
	const struct ppu_dinsn *di;
	ppu_handler_fn handler;		/* of di, if it has one */
	uint32_t pc, next;
	int32_t cycles;			/* from the cycle count that host code has to the instruction */
	uint32_t insns;			/* instructions that host code has not counted yet, with this one */
	uint32_t always;		/* those of them that all active lanes execute */
	uint8_t shape;			/* loads: place in struct ppu_run for what the addresses look like */
	uint8_t known;			/* a load before has found out */
	uint16_t pad;
};

/* What the addresses of all 32 lanes in a row look like, found once for several loads of a block. */
#define PPU_SHAPES 4
struct ppu_shape {
	uint8_t all;			/* enum ppu_shape_kind */
	uint8_t eight[4];		/* of lanes 0 to 7 and so on */
	uint32_t lo[4], hi;		/* address of the first of them without the immediate */
};
enum ppu_shape_kind { PPU_SHAPE_OTHER, PPU_SHAPE_EQUAL, PPU_SHAPE_ROW, PPU_SHAPE_FAR /* high words differ */ };

/* Entries of the TLB that a fused segment has filled, as they were before (calls.c). */
#define PPU_FILLS 24
struct ppu_fills {
	uint32_t n;
	uint64_t misses;		/* the counter, before the first */
	struct {
		uint32_t index;
		struct ppu_tlbe old;
	} e[PPU_FILLS];
};

/* What host code gets, and what it leaves. */
struct ppu_run {
	uint64_t turn, end;		/* no block with a turn point begins at this cycle, and no block at all */
	uint64_t insns, threads;	/* counted */
	uint64_t on;			/* not 0: host code may go on with another warp, at this address: */
	const uint8_t *target;
	struct ppu_shape shape[PPU_SHAPES];
	struct ppu_fills fills;
};

struct ppu_region {
	uint8_t *code;			/* executable */
	size_t code_size;		/* of the mapping */
	uint32_t code_bytes;
	uint8_t *pool;
	uint32_t pool_bytes;
	uint32_t n;			/* instructions of the program */
	bool tids;			/* host code reads thread indices of the warp */
	uint64_t *notes;		/* what host code notes for itself (ppu_emit_note()), of each worker */
	uint32_t num_notes, workers;
	uint32_t insns;			/* translated */
	uint32_t inlined;		/* those of them in segments */
	uint32_t segments;		/* for all lanes; those for some are not counted */
	uint32_t entry;			/* what ppu_region_build() was asked for */
	bool evex;			/* it has instructions of AVX-512 */
	uint64_t number;		/* of the translation, 1 is the first of the core */
	uint64_t host_ns;		/* that it took, 0: unknown */
	/* Offset in the code by PC: all lanes active, or only some.  0: interpret. */
	uint32_t (*enter)[2];
};

#define PPU_MAX_CODE	(8u << 20)	/* bytes of host code of a program */
#define PPU_REGION_ALL UINT32_MAX	/* as an entry: all turn points */
struct ppu_emit_with;
/* The blocks that can be reached from entry, at most max_bytes of code.  NULL: no memory, or it was cancelled.  The
 * same code each time.  with: may be NULL. */
struct ppu_region *ppu_region_build(const struct ppu_program *prog, uint32_t entry, uint32_t max_bytes,
				    struct ppu_emit_with *with);
/* Host memory that it takes. */
size_t ppu_region_bytes(const struct ppu_region *r);
void ppu_region_free(struct ppu_region *r);
/* The host code for the warp at w->pc, if a block of it fits before `end`; 0: there is none. */
static inline uint32_t ppu_region_at(const struct ppu_region *r, const struct ppu_sm *sm, const struct ppu_warp *w, uint64_t end)
{
	return sm->cycle + PPU_TURN_CYCLES > end ? 0 : r->enter[w->pc][w->active != ~0u];
}

/* Before the warp goes on there.  run->end is there already. */
static inline void ppu_region_enter(const struct ppu_region *r, struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn,
				    struct ppu_run *run)
{
	if (__builtin_expect(sm->near_ctx != w->cta->task->ctx, 0)) {
		sm->near_ctx = w->cta->task->ctx;
		ppu_near_clear(sm);
	}
	run->turn = turn < run->end ? turn : run->end;
	if (r->tids)
		ppu_warp_tids(sm, w);
	sm->host_entered++;
}

/* Adds what host code has counted. */
static inline void ppu_region_count(struct ppu_sm *sm, const struct ppu_run *run)
{
	/* Each by itself: host code has just written them one by one. The host would not take both at once out of its store
	 * buffer, but wait until the warp's stores before have reached memory. */
	uint64_t n = __atomic_load_n(&run->insns, __ATOMIC_RELAXED);

	sm->ctr[PPU_CTR_WARP_INSNS] += n;
	sm->host_insns += n;
	sm->ctr[PPU_CTR_THREAD_INSNS] += __atomic_load_n(&run->threads, __ATOMIC_RELAXED);
}

/*
 * Runs a warp at w->pc in host code, if there is some for it, until a cycle that is not before `turn` at a turn point, until
 * `end`, until an instruction that is not translated (PPU_GO), or one that stops the warp (PPU_SWITCH).  A block that may
 * not fit before `end` is left to the interpreter.  on: when the warp stops, host code goes on with the next turn of a warp
 * of the same program (ppu_sm_next_turn()).  sm->cycle and the counters are up to date before and after.  False: nothing
 * is done.
 */
static inline __attribute__((always_inline)) bool ppu_region_run(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn,
								 uint64_t end, bool on, enum ppu_step *step)
{
	typedef int (*entry_fn)(struct ppu_sm *sm, struct ppu_warp *w, struct ppu_run *run, void *target, void *pool,
				uint64_t *notes);
	const struct ppu_region *r = w->prog->region;
	uint32_t at = ppu_region_at(r, sm, w, end);
	struct ppu_run run;

	if (!at)
		return false;
	run.end = end - PPU_TURN_CYCLES + 1;
	run.on = on;
	ppu_region_enter(r, sm, w, turn, &run);
	*step = (enum ppu_step)((entry_fn)(uintptr_t)r->code)(sm, w, &run, r->code + at, r->pool,
							      r->notes + (size_t)sm->worker * r->num_notes);
	ppu_region_count(sm, &run);
	return true;
}

#endif
