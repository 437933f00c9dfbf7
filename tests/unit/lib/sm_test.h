/* SPDX-License-Identifier: MIT */
/*
 * SM tests without the rest of the device: a core, page tables and a context made by hand, programs
 * in assembly text, and the effects of the SMs collected.
 *
 *   struct sm_test *s = smt_new();
 *   s->cfg.tokq_entries = 16;                  // before smt_start()
 *   smt_start(s);
 *   smt_load(s, "s2r r2, %tid.x\n ... exit\n");
 *   smt_run(s, 1, 32);                         // grid, block; s->launch for more
 *   smt_ops(s)                                 // divergence operations as text
 *   smt_free(s);
 */
#ifndef SM_TEST_H
#define SM_TEST_H

#include "core/sm/sm.h"

#define SMT_CODE	0x0000000100000000ull	/* VA of the program */
#define SMT_DATA	0x0000000200000000ull	/* VA of SMT_DATA_BYTES of memory */
#define SMT_RO		0x0000000300000000ull	/* one read-only page, zeroes */
#define SMT_DATA_BYTES	(1u << 20)
#define SMT_VRAM	(64u << 20)

struct ptmem;

struct sm_test {
	struct ppu_config cfg;
	struct ppu_ports ports;
	struct ppu_core *core;
	uint8_t *vram;
	void *vram_block;		/* allocation behind it */
	struct ppu_ctx ctx, other;
	struct ppu_sm_task task;
	uint64_t num_ctas, next_cta;	/* of the task */
	uint8_t *data;			/* host pointer of SMT_DATA */
	uint8_t params[PPU_PARAM_ROOM];
	struct ptmem *pt, *other_pt;
	uint64_t pt_next;		/* next free page for page tables */
	uint64_t now;			/* device time */
	uint64_t limit;			/* of smt_run(), ns */
	uint64_t cut;			/* after a window all CTAs are saved and restored elsewhere, one
					 * time in this many; 0: never */
	uint64_t cut_random;		/* state, not 0 */
	uint32_t num_cuts;
	uint64_t image_hash;		/* of all images that were saved */

	/* results */
	uint64_t done_ctas;
	bool faulted, timed_out;
	struct ppu_fault_rec fault;
	struct ppu_trace_rec *trace;
	uint32_t num_trace;
	struct ppu_effect stores[256], launches[64];
	uint32_t num_stores, num_launches, num_exceptions;
	uint32_t launch_error;		/* what the reply to a launch says */
	char *text;			/* of smt_ops() */
};

struct sm_test *smt_new(void);
void smt_start(struct sm_test *s);
void smt_free(struct sm_test *s);
/* Map [va, va + len) to VRAM at phys, 4 KiB pages. */
void smt_map(struct sm_test *s, uint64_t va, uint64_t phys, uint64_t len, uint64_t flags);
/* Tasks from now on are those of another context: SMT_DATA there is the data of this one from `off` on. */
void smt_other_context(struct sm_test *s, uint64_t off);
/* Assemble into memory; registers: 32 unless s->task.launch.regs_per_thread is set.  The text has no
 * directives, or is ready-made code. */
void smt_load(struct sm_test *s, const char *text);
void smt_load_code(struct sm_test *s, const struct ppu_insn *code, uint32_t n);
/* Run a grid to its end, a fault, or s->limit.  True: it ended. */
bool smt_run(struct sm_test *s, uint32_t grid, uint32_t block);
/* In steps: accept, one window (false: nothing left to do). */
void smt_launch(struct sm_test *s, uint32_t grid, uint32_t block);
bool smt_window(struct sm_test *s);
void smt_finish(struct sm_test *s);
static inline uint32_t *smt_u32(struct sm_test *s) { return (uint32_t *)s->data; }
static inline void smt_param64(struct sm_test *s, unsigned off, uint64_t v)
{
	memcpy(s->params + off, &v, 8);
}
/*
 * The divergence operations of all warps in order, one a line:
 *   push TYPE MASK ADDR/NIBBLE @ENTRY h=HEAD t=TAIL     yield, merge, pop ACTIVATED, discard alike
 *   disable REASON MASK left=MASK      fallback ADDR MASK      recentre N h=.. t=..
 */
const char *smt_ops(struct sm_test *s);

#endif
