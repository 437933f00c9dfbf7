/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One warp: issue, and the control instructions that part no lanes (those: diverge.c).
 */
#include <string.h>
#include <hw/ppu_observe.h>
#include "core/sm/diverge.h"
#include "core/sm/observe.h"
#include "core/sm/translate/translate.h"
#include "core/sm/warp.h"

/* PPU_SIMD_CLONES says why not. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define POPCNT_CLONES __attribute__((target_clones("popcnt", "default")))
#else
#define POPCNT_CLONES
#endif

static const ppu_handler_fn handlers[PPU_H_COUNT] = {
#define H(name) ppu_h_##name,
	PPU_HANDLERS(H)
#undef H
};

ppu_handler_fn ppu_warp_handler(unsigned handler)
{
	return handlers[handler];
}

/* ---- control instructions that part no lanes ---------------------------------------------------------- */

enum ppu_step ppu_h_illegal(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	return ppu_sm_fault_pc(sm, w, PPU_ERR_ILLEGAL_INSN, __builtin_ctz(w->active));
}

enum ppu_step ppu_h_badpc(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	return ppu_sm_fault_pc(sm, w, PPU_ERR_BAD_PC, __builtin_ctz(mask));
}

enum ppu_step ppu_h_nop(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	w->pc++;
	return PPU_GO;
}

enum ppu_step ppu_h_trap(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	return ppu_sm_fault_pc(sm, w, PPU_ERR_TRAP, __builtin_ctz(mask));
}

static enum ppu_step sleep_ns(struct ppu_sm *sm, struct ppu_warp *w, uint64_t ns)
{
	w->ready_at = sm->cycle + ns * sm->core->cfg.sm_clock_khz / 1000000 + 1;
	ppu_sm_set_state(sm, w, PPU_WARP_TIMED);
	return PPU_SWITCH;
}

/* The longest sleep any lane asks for, at most 1 ms as in PTX. */
enum ppu_step ppu_h_nanosleep(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t ns = 0;
	unsigned i;

	for (i = 0; i < PPU_LANES; i++)
		if (mask >> i & 1) {
			uint32_t v = di->bi ? di->imm : w->v.row[di->b][i];

			ns = v > ns ? v : ns;
		}
	w->pc++;
	return sleep_ns(sm, w, ns < 1000000 ? ns : 1000000);
}

/* Each lane launches; the warp waits for all replies. */
enum ppu_step ppu_h_tlaunch(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	unsigned i;

	for (i = 0; i < PPU_LANES; i++) {
		struct ppu_effect *e;

		if (!(mask >> i & 1))
			continue;
		e = ppu_sm_effect(sm, PPU_FX_LAUNCH, w->cta->task);
		if (!e)
			return ppu_sm_fault_pc(sm, w, PPU_ERR_TASK_MEMORY, i);
		e->arg[0] = ppu_pair_get(&w->v, di->a, i);
		e->arg[1] = w->slot;
		e->arg[2] = i;
	}
	w->pending = mask;
	w->launch_d = di->d;
	w->pc++;
	ppu_sm_set_state(sm, w, PPU_WARP_LAUNCH);
	return PPU_SWITCH;
}

/* Waits for the children of the CTA; executed again when the last one is complete. */
enum ppu_step ppu_h_tsync(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	unsigned i;

	if (w->cta->children) {
		ppu_sm_set_state(sm, w, PPU_WARP_SYNC);
		ppu_sm_check_deadlock(sm, w->cta);
		return PPU_SWITCH;
	}
	for (i = 0; i < PPU_LANES; i++)
		if (mask >> i & 1)
			w->v.row[di->d][i] = 0;
	w->pc++;
	return PPU_GO;
}

/* ---- issue ----------------------------------------------------------------------------------------------- */

/* see: who counts; NULL, which is known where this is compiled: nobody. */
static inline __attribute__((always_inline)) void run(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end,
						      struct ppu_counting *see)
{
	const struct ppu_dinsn *code = w->prog->code, *di;
	uint64_t cycle = sm->cycle, limit = turn < end ? turn : end, insns = 0, threads = 0;
	uint32_t pc, active, mask;
#ifdef PPU_TRANSLATE
	const bool host = w->prog->region;	/* changes between windows only */
#endif

	if (w->pop && ppu_diverge_pop(sm, w) != PPU_GO) {
		sm->cycle++;
		return;
	}
	pc = w->pc;
	active = w->active;
	for (;;) {
		di = &code[pc];
		if (__builtin_expect(cycle >= limit, 0) && (cycle >= end || di->turn))
			break;
#ifdef PPU_TRANSLATE
		if (host) {
			enum ppu_step step;

			sm->cycle = cycle;
			w->pc = pc;
			if (ppu_region_run(sm, w, turn, end, false, &step)) {
				cycle = sm->cycle;
				if (step != PPU_GO)
					goto out;
				pc = w->pc;
				active = w->active;
				continue;
			}
		}
#endif
		mask = active;
		if (!di->always)
			mask &= w->v.pred[di->gp] ^ -(uint32_t)di->gn;
		insns++;
		threads += (unsigned)__builtin_popcount(mask);
		if (see)
			ppu_observe_issue(see, w, di, pc, active, mask);
		if (di->fn) {
			if (mask)
				di->fn(&w->v, di, mask);
			cycle += di->cost;
			pc++;
			continue;
		}
		if (di->handler == PPU_H_bra && mask == active) {
			cycle += di->cost;
			pc = di->imm;
			continue;
		}
		if (!mask) {
			cycle += di->cost;
			pc++;
			continue;
		}
		sm->cycle = cycle;
		w->pc = pc;
		if ((see ? ppu_observe_handle(see, sm, w, di, mask) : handlers[di->handler](sm, w, di, mask)) != PPU_GO) {
			cycle += di->cost;
			goto out;
		}
		cycle += di->cost;
		pc = w->pc;
		active = w->active;
	}
	w->pc = pc;
out:
	sm->cycle = cycle;
	sm->ctr[PPU_CTR_WARP_INSNS] += insns;
	sm->ctr[PPU_CTR_THREAD_INSNS] += threads;
}

POPCNT_CLONES
void ppu_warp_run(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end)
{
	if (PPU_OBSERVED(sm->core) && sm->core->observer->turn_begin)
		ppu_observe_turn(sm, w, turn, end);
	else
		run(sm, w, turn, end, NULL);
}

void ppu_warp_run_counted(struct ppu_sm *sm, struct ppu_warp *w, uint64_t turn, uint64_t end, struct ppu_counting *see)
{
	if (see->count)
		run(sm, w, turn, end, see);
	else
		run(sm, w, turn, end, NULL);
}
