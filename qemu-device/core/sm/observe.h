/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam for who observes programs (hw/ppu_observe.h): what units call where something happens.
 *
 * Memory instructions, fences, what waits for other lanes, and arithmetic are replaced when a program is decoded, so a core
 * that nobody observes does not even ask. What is rarer (barriers, CTAs, tasks) asks with the inline functions here.
 *
 * State: core->observer; nothing of it is saved.
 * Thread safety: while there is an observer, the thread that drives the core runs all SMs.
 * Time: none; an observer changes none.
 */
#ifndef PPU_OBSERVE_H
#define PPU_OBSERVE_H

#include "core/sm/sm.h"

struct ppu_seen_cta;
struct ppu_seen_warp;

#define PPU_OBSERVED(core)	__builtin_expect((core)->observer != NULL, 0)

/* A program was decoded: its instructions that are seen go through ppu_h_seen(). */
void ppu_observe_program(const struct ppu_core *core, struct ppu_program *p);
void ppu_observe_cta_of(const struct ppu_cta *cta, struct ppu_seen_cta *s);
/* Where an instruction of w is: for the parts of the seam. */
void ppu_observe_place(const struct ppu_sm *sm, const struct ppu_warp *w, struct ppu_seen_cta *cta, struct ppu_seen_warp *at);
/* Does what the instruction does without anybody who looks. */
enum ppu_step ppu_observe_unseen(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask);
/* How many instructions read what the one at pc has written to n rows, before these lanes part, and the first of them; more
 * than one, or PPU_OBSERVE_MANY if somebody may read it later. */
#define PPU_OBSERVE_MANY	2u
unsigned ppu_observe_readers(const struct ppu_program *p, uint32_t pc, unsigned row, unsigned n, uint32_t *reader);
/* observe_float.c: does an instruction compute with floating point; one that does; and a SEL among what was computed. */
bool ppu_observe_is_float(const struct ppu_dinsn *di);
enum ppu_step ppu_observe_float(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask);
enum ppu_step ppu_observe_choice(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask);

void ppu_observe_cta_(const struct ppu_sm *sm, const struct ppu_cta *cta, bool end);
void ppu_observe_barrier_(const struct ppu_sm *sm, const struct ppu_cta *cta, unsigned n);
void ppu_observe_warp_(const struct ppu_sm *sm, const struct ppu_warp *w, uint32_t lanes);
void ppu_observe_stuck_(const struct ppu_sm *sm, const struct ppu_warp *w, unsigned error, unsigned lane);
void ppu_observe_fault_(const struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_fault_rec *r);

static inline void ppu_observe_cta(const struct ppu_sm *sm, const struct ppu_cta *cta, bool end)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_cta_(sm, cta, end);
}

/* observe_turn.c: who counts, what a warp does in its turn. */
struct ppu_seen_count;
struct ppu_counting {
	struct ppu_seen_count *count;	/* of the program's instructions */
	uint32_t last;			/* pc of the last one that was issued */
};
void ppu_observe_turn(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end);
void ppu_observe_issue(struct ppu_counting *c, const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t pc, uint32_t active,
		       uint32_t mask);
enum ppu_step ppu_observe_handle(const struct ppu_counting *c, struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di,
				 uint32_t mask);
void ppu_observe_awake_(const struct ppu_sm *sm, const struct ppu_warp *w);

/* Slots of warps that may issue: all, unless only some may. */
uint64_t ppu_observe_only(const struct ppu_sm *sm);
static inline uint64_t ppu_observe_may(const struct ppu_sm *sm)
{
	return __builtin_expect(sm->core->only_on, 0) ? ppu_observe_only(sm) : ~0ull;
}

static inline void ppu_observe_awake(const struct ppu_sm *sm, const struct ppu_warp *w)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_awake_(sm, w);
}

/* Before the barrier forgets who has arrived. */
static inline void ppu_observe_barrier(const struct ppu_sm *sm, const struct ppu_cta *cta, unsigned n)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_barrier_(sm, cta, n);
}

static inline void ppu_observe_warp(const struct ppu_sm *sm, const struct ppu_warp *w, uint32_t lanes)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_warp_(sm, w, lanes);
}

/* Before the CTA faults. */
static inline void ppu_observe_stuck(const struct ppu_sm *sm, const struct ppu_warp *w, unsigned error, unsigned lane)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_stuck_(sm, w, error, lane);
}

/* When the warps of the CTA have stopped. */
static inline void ppu_observe_fault(const struct ppu_sm *sm, const struct ppu_warp *w, const struct ppu_fault_rec *r)
{
	if (PPU_OBSERVED(sm->core))
		ppu_observe_fault_(sm, w, r);
}

#endif
