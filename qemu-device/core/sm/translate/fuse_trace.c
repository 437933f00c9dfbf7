/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces: segments that go on behind a block.
 *
 * At the end of a block values would go to their rows, and the next block would fetch them again.  A loop of a few
 * instructions mostly does that.  So the blocks that will probably follow one another become one segment, a loop several
 * times: branches are checks.  If a lane goes another way than the others, or than was planned, the segment fails and the
 * first block is done alone, as if the trace were not there.
 *
 * Ways that are planned: backwards a branch is taken, forwards it is not, and no lane ends or waits.  A trace of a loop ends
 * in front of the last of its branches: what happens there need not be guessed.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/warp.h"
#include "core/sm/translate/fuse.h"

#define TIMES_MAX	2		/* of a loop */
#define NOWHERE		UINT32_MAX

struct plan {
	const struct ppu_program *prog;
	const uint8_t *block;		/* enum ppu_block by PC */
	struct ppu_live live;		/* in front of the first instruction */
	struct ppu_fuse now, end;	/* end: what the trace will be */
	uint32_t cycles, times;
	uint32_t guarded, latch;	/* the last branch with a guard, and the one that ends the loop */
};

/* Where all lanes probably go on behind the branch at pc.  NOWHERE: it is none, or nobody knows. */
static uint32_t leads_to(const struct plan *p, uint32_t pc, bool *taken)
{
	const struct ppu_dinsn *di = &p->prog->code[pc];
	uint32_t to = NOWHERE;

	*taken = false;
	if (di->fn || (!di->always && di->gp == PPU_PT))
		return NOWHERE;
	switch (di->handler) {
	case PPU_H_bra:
		*taken = di->always || di->imm <= pc;
		to = *taken ? di->imm : pc + 1;
		break;
	case PPU_H_exit: case PPU_H_disable:
		to = di->always ? NOWHERE : pc + 1;
		break;
	}
	return to < p->prog->n && p->block[to] ? to : NOWHERE;
}

/* The trace may end here. */
static void may_end(struct plan *p, uint32_t pc)
{
	p->end = p->now;
	p->end.next = pc;
}

/* The branch at pc.  False: the trace ends. */
static bool add_way(struct plan *p, uint32_t pc, bool taken)
{
	struct ppu_fuse *f = &p->now;

	if (!p->prog->code[pc].always) {
		if (pc == p->latch || p->latch == NOWHERE)
			may_end(p, pc);
		p->guarded = pc;
		if (pc == p->latch && ++p->times == TIMES_MAX)
			return false;
	}
	if (f->n == PPU_FUSE_MAX)
		return false;
	f->taken[f->n] = taken;
	f->group[f->n] = PPU_FUSE_WAY;
	f->list[f->n++] = pc;
	return true;
}

/* A block begins at pc, inside of the trace.  False: it is not part of it. */
static bool next_block(struct plan *p, uint32_t head, uint32_t pc)
{
	if (pc != head && p->block[pc] == PPU_BLOCK_LOOP) {
		if (p->latch == NOWHERE)
			may_end(p, pc);
		return false;
	}
	if (pc == head && p->latch == NOWHERE) {
		if (p->guarded == NOWHERE)
			return false;
		p->latch = p->guarded;
		p->now.loops = p->end.loops = true;
	}
	p->now.turns = p->cycles;
	p->now.blocks++;
	return true;
}

bool ppu_fuse_trace(const struct ppu_program *prog, uint32_t pc, const uint8_t *block, struct ppu_fuse *f)
{
	struct plan p = { .prog = prog, .block = block, .guarded = NOWHERE, .latch = NOWHERE };
	uint32_t head = pc, to;
	bool taken;

	ppu_flow_live(prog, pc, &p.live);
	for (; pc < prog->n; p.cycles += prog->code[pc].cost, pc = to) {
		if (p.now.n && prog->code[pc].turn && !next_block(&p, head, pc))
			break;
		to = leads_to(&p, pc, &taken);
		if (to != NOWHERE) {
			if (!add_way(&p, pc, taken))
				break;
		} else {
			if (!ppu_fuse_extend(&p.now, prog, pc, &p.live))
				break;
			to = pc + 1;
			if (p.latch == NOWHERE)
				may_end(&p, to);
		}
	}
	*f = p.end;
	ppu_fuse_finish(prog, f);
	return f->blocks;
}
#endif
