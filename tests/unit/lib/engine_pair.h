/* SPDX-License-Identifier: MIT */
/*
 * Two machines that differ in the property engine only, the same program on both, and everything compared that anybody
 * can see: memory, dirty pages, device times, counters, TLBs, faults, traces, token queues, local memory, images.
 *
 *   struct sm_test *a = epair_machine(EPAIR_PLAIN, EPAIR_INTERPRET), *b = epair_machine(EPAIR_PLAIN, EPAIR_TRANSLATE);
 *   for each: epair_prepare(s, seed, bytes); smt_load(s, text); ok &= epair_run(s, 1, 32, 0);
 *   ok && epair_same(a, b, bytes), or epair_why says what differs
 */
#ifndef ENGINE_PAIR_H
#define ENGINE_PAIR_H

#include "sm_test.h"

#define EPAIR_AUTO	0
#define EPAIR_INTERPRET	1
#define EPAIR_TRANSLATE	2

/* MIXED: interpreted at first, translated from some window on.  LATE: translated beside, ready at some window; or never,
 * or nobody can begin.  TIMED: memory-timing, with small caches. */
enum { EPAIR_PLAIN, EPAIR_SMALL_WINDOWS, EPAIR_CUT, EPAIR_QUEUE, EPAIR_MIXED, EPAIR_LATE, EPAIR_TIMED, EPAIR_MACHINES };

extern char epair_why[256];
extern uint64_t epair_mixed;		/* programs that both engines have run */

/* What the translator must do without: PPU_ENGINE_WITHOUT of the environment, as the property x-engine-without. */
uint32_t epair_without(void);
/* Is anything translated then?  If not, both machines interpret. */
bool epair_translates(void);
struct sm_test *epair_machine(int kind, unsigned engine);
/* Memory as the seed says, `bytes` of it; counters 0, TLBs empty, a launch with IRND_REGS registers. */
void epair_prepare(struct sm_test *s, uint64_t seed, uint32_t bytes);
/* The program that was loaded, window by window; grid, threads: 0: as the launch says.  after: windows before the engine
 * may translate.  True: the engine that should have run it did. */
bool epair_run(struct sm_test *s, uint32_t grid, uint32_t threads, uint64_t after);
bool epair_same(const struct sm_test *a, const struct sm_test *b, uint32_t bytes);
void epair_show(const struct ppu_insn *code, uint32_t n);

#endif
