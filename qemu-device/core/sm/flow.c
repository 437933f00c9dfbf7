/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turn points and liveness.  See flow.h.
 *
 * Liveness is of one lane: a lane that waits goes on at the address that it waits for, so what is live is asked
 * for each address at which lanes of a warp are.  An address that comes from a register may be any.
 */
#include <string.h>
#include <hw/ppu_isa_check.h>
#include "core/sm/flow.h"
#include "core/sm/sm.h"
#include "core/sm/warp.h"

/* Most passes over the blocks.  Code needs two more than its loops are nested deep.  Where so many are not enough,
 * everything counts as live. */
#define MAX_PASSES	16

static bool is_seen(const struct ppu_dinsn *di)
{
	return di->handler == PPU_H_seen || di->handler == PPU_H_step;
}

static unsigned handler(const struct ppu_dinsn *di)
{
	unsigned h = is_seen(di) ? di->below : di->handler;

	return h == PPU_H_observed || h == PPU_H_timed ? di->inner : h;
}

static bool is_alu(const struct ppu_dinsn *di)
{
	return di->fn || ((is_seen(di) || di->handler == PPU_H_observed || di->handler == PPU_H_timed) && di->inner_fn);
}

/* ---- turn points --------------------------------------------------------------------------------- */

enum {
	AT	= 1,	/* lanes may wait here or come back here: the instruction is a turn point itself */
	AFTER	= 2,	/* lanes may part, stop or wait: the next instruction is a turn point */
	TARGET	= 4,	/* and so is the one that the immediate names */
};

static unsigned turns(const struct ppu_dinsn *di)
{
	if (is_alu(di))
		return 0;
	switch (handler(di)) {
	case PPU_H_bra: case PPU_H_disable: case PPU_H_cal:
		return AFTER | TARGET;
	case PPU_H_push:
		return TARGET;
	case PPU_H_brx: case PPU_H_calx: case PPU_H_ret:	/* loops of these alone have turn points too */
	case PPU_H_bar: case PPU_H_clarrive: case PPU_H_clwait: case PPU_H_warpsync: case PPU_H_tsync:
		return AT | AFTER;
	case PPU_H_exit: case PPU_H_yield: case PPU_H_nanosleep: case PPU_H_tlaunch: case PPU_H_tlaunch_buf:
		return AFTER;
	case PPU_H_vote:
		return di->x ? 0 : AT;
	case PPU_H_shfl:
		return di->x ? AT : 0;
	case PPU_H_match: case PPU_H_redux:
		return AT;
	default:
		return 0;
	}
}

void ppu_flow_turns(struct ppu_program *p, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = from; i < to; i++) {
		struct ppu_dinsn *di = &p->code[i];
		unsigned t = turns(di);

		di->turn |= (t & AT) || !i;
		if (t & AFTER)
			p->code[i + 1].turn = 1;
		if (t & TARGET)
			p->code[di->imm].turn = 1;
	}
}

/* The instruction i, which may be the one after the last. */
static void number(struct ppu_program *p, struct ppu_flow_work *w, uint32_t i)
{
	struct ppu_dinsn *di = &p->code[i];

	if (w->cycles + di->cost > PPU_TURN_CYCLES && w->cycles)
		di->turn = 1;
	if (di->turn) {
		w->cycles = 0;
		w->block += i > 0;
	}
	w->cycles += di->cost;
	di->block = w->block;
}

void ppu_flow_blocks(struct ppu_program *p, struct ppu_flow_work *w, uint32_t from, uint32_t to)
{
	uint32_t i;

	for (i = from; i < to; i++)
		number(p, w, i);
	if (to < p->n)
		return;
	p->code[p->n].turn = 1;
	number(p, w, p->n);
	p->flow.num = w->block + 1;
	w->cycles = w->block = 0;
}

/* ---- what an instruction reads and writes -------------------------------------------------------------- */

static void add_regs(struct ppu_live *l, unsigned first, unsigned n)
{
	unsigned r;

	for (r = first; r < first + n && first != PPU_RZ; r++)
		l->reg[r / 64] |= 1ull << r % 64;
}

static void add_pred(struct ppu_live *l, unsigned p)
{
	if (p != PPU_PT)
		l->pred |= 1u << p;
}

static void join(struct ppu_live *l, const struct ppu_live *m)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		l->reg[i] |= m->reg[i];
	l->pred |= m->pred;
}

/* What it writes in every lane that executes it. */
static void written_preds(const struct ppu_dinsn *di, struct ppu_live *l)
{
	switch (di->op) {
	case PPU_OP_SETP:
		add_pred(l, di->pe);
		add_pred(l, di->pd);
		break;
	case PPU_OP_TESTP: case PPU_OP_ISSPACE: case PPU_OP_PLOP: case PPU_OP_SHFL:
		add_pred(l, di->pd);
		break;
	case PPU_OP_VOTE:
		if (di->m != PPU_VOTE_BALLOT)
			add_pred(l, di->pd);
		break;
	case PPU_OP_R2P:
		l->pred |= di->imm & ((1u << PPU_PT) - 1);
		break;
	}
}

static void read_preds(const struct ppu_dinsn *di, __u32 fields, struct ppu_live *l)
{
	add_pred(l, di->gp);
	if (PPU_FMT_HAS(fields, PS))
		add_pred(l, di->ps);
	if (di->op == PPU_OP_PLOP)
		add_pred(l, di->raw_a & 15);
	if (di->op == PPU_OP_P2R)
		l->pred |= di->imm & ((1u << PPU_PT) - 1);
}

static bool is_legal(const struct ppu_dinsn *di)
{
	return is_alu(di) || handler(di) != PPU_H_illegal;
}

void ppu_flow_effects(const struct ppu_program *p, uint32_t pc, struct ppu_live *reads, struct ppu_live *writes)
{
	const struct ppu_dinsn *di = &p->code[pc];
	const struct ppu_insn *in = &p->raw[pc];
	__u32 fields = ppu_fmt_fields(ppu_isa_info(di->op)->fmt);
	__u8 w[4];

	memset(reads, 0, sizeof(*reads));
	memset(writes, 0, sizeof(*writes));
	if (!is_legal(di))
		return;
	ppu_isa_widths(in, w);
	add_regs(reads, PPU_GET(in, A), w[1]);
	add_regs(reads, PPU_GET(in, B), w[2]);
	add_regs(reads, PPU_GET(in, C), w[3]);
	if (di->op == PPU_OP_SHFL && di->x == 1)
		add_regs(reads, di->y, 1);
	read_preds(di, fields, reads);
	if (!di->always)
		return;		/* lanes may keep what they had */
	add_regs(writes, PPU_GET(in, D), w[0]);
	written_preds(di, writes);
}

/* ---- where lanes go on after an instruction ---------------------------------------------------------- */

static void live_after(const struct ppu_program *p, uint32_t pc, struct ppu_live *l)
{
	const struct ppu_dinsn *di = &p->code[pc];
	const struct ppu_flow *f = &p->flow;
	bool next = true;

	memset(l, 0, sizeof(*l));
	if (!is_alu(di))
		switch (handler(di)) {
		case PPU_H_illegal:
			return;
		case PPU_H_badpc: case PPU_H_trap:
			next = !di->always;
			break;
		case PPU_H_bra: case PPU_H_disable: case PPU_H_cal:
			join(l, &f->live[p->code[di->imm].block]);
			next = !di->always;
			break;
		case PPU_H_brx: case PPU_H_calx: case PPU_H_ret:
			*l = f->any;
			return;
		case PPU_H_exit:
			*l = f->exits;
			next = !di->always;
			break;
		}
	if (next && pc + 1 < p->n)
		join(l, &f->live[p->code[pc + 1].block]);
}

static void step_back(const struct ppu_program *p, uint32_t pc, struct ppu_live *l)
{
	struct ppu_live reads, writes;
	unsigned i;

	ppu_flow_effects(p, pc, &reads, &writes);
	for (i = 0; i < 4; i++)
		l->reg[i] = (l->reg[i] & ~writes.reg[i]) | reads.reg[i];
	l->pred = (l->pred & ~writes.pred) | reads.pred;
}

/* The last instruction of the block of pc. */
static uint32_t block_end(const struct ppu_program *p, uint32_t pc)
{
	while (!p->code[pc + 1].turn)
		pc++;
	return pc;
}

void ppu_flow_live(const struct ppu_program *p, uint32_t pc, struct ppu_live *l)
{
	uint32_t i;

	if (pc >= p->n) {
		*l = p->flow.across;
		return;
	}
	if (p->code[pc].turn) {
		*l = p->flow.live[p->code[pc].block];
		return;
	}
	i = block_end(p, pc);
	live_after(p, i, l);
	for (i++; i-- > pc;)
		step_back(p, i, l);
	join(l, &p->flow.across);
}

const struct ppu_live *ppu_flow_first(struct ppu_program *p, uint32_t pc)
{
	struct ppu_flow *f = &p->flow;

	if (!f->has_entry || f->entry != pc) {
		ppu_flow_live(p, pc, &f->first);
		f->entry = pc;
		f->has_entry = true;
	}
	return &f->first;
}

/* ---- the whole program ----------------------------------------------------------------------------------- */

struct sum {
	struct ppu_live reads, writes;	/* of a block */
};

void ppu_flow_sums(struct ppu_program *p, struct ppu_flow_work *w, uint32_t from, uint32_t to)
{
	struct ppu_flow *f = &p->flow;
	struct sum *sum = (struct sum *)w->sum;
	uint32_t i;

	_Static_assert(sizeof(struct sum) == 2 * sizeof(struct ppu_live), "there is room for two sets a block");
	for (i = to; i-- > from;) {
		struct sum *s = &sum[p->code[i].block];
		struct ppu_live reads, writes;
		unsigned k;

		ppu_flow_effects(p, i, &reads, &writes);
		join(&f->any, &reads);
		if (is_legal(&p->code[i]) && p->code[i].op == PPU_OP_SHFL)
			add_regs(&f->across, PPU_GET(&p->raw[i], A), 1);
		for (k = 0; k < 4; k++)
			s->reads.reg[k] = (s->reads.reg[k] & ~writes.reg[k]) | reads.reg[k];
		s->reads.pred = (s->reads.pred & ~writes.pred) | reads.pred;
		join(&s->writes, &writes);
	}
}

/* Do lanes that end go on where this instruction says (SIMT-13)? */
static bool is_exit_token(const struct ppu_dinsn *di)
{
	return !is_alu(di) && handler(di) == PPU_H_push && di->x == PPU_REASON_EXIT;
}

void ppu_flow_solve(struct ppu_program *p, struct ppu_flow_work *w, uint32_t from, uint32_t to)
{
	const struct sum *sum = (const struct sum *)w->sum;
	struct ppu_flow *f = &p->flow;
	uint32_t i;

	if (to == p->n) {
		w->end = to;
		w->changed = false;
	}
	for (i = to; i-- > from;) {
		struct ppu_live l, *into = &f->live[p->code[i].block];
		const struct sum *s = &sum[p->code[i].block];
		unsigned k;

		if (w->passes == MAX_PASSES) {
			*into = f->any;
			continue;
		}
		if (is_exit_token(&p->code[i])) {
			l = f->exits;
			join(&f->exits, &f->live[p->code[p->code[i].imm].block]);
			w->changed |= memcmp(&l, &f->exits, sizeof(l)) != 0;
		}
		if (!p->code[i].turn)
			continue;
		live_after(p, w->end - 1, &l);
		for (k = 0; k < 4; k++)
			l.reg[k] = (l.reg[k] & ~s->writes.reg[k]) | s->reads.reg[k] | f->across.reg[k];
		l.pred = (l.pred & ~s->writes.pred) | s->reads.pred;
		w->changed |= memcmp(&l, into, sizeof(l)) != 0;
		*into = l;
		w->end = i;
	}
}

bool ppu_flow_solved(struct ppu_program *p, struct ppu_flow_work *w)
{
	struct ppu_flow *f = &p->flow;

	if (!w->changed)
		return true;
	if (++w->passes == MAX_PASSES)
		f->exits = f->live[p->code[p->n].block] = f->any;
	return false;
}

/* ---- the state of a warp ---------------------------------------------------------------------------------- */

static void lanes_at(const struct ppu_program *p, uint32_t pc, uint32_t lanes, struct ppu_canon *c)
{
	struct ppu_live l;
	unsigned r;

	ppu_flow_live(p, pc, &l);
	for (r = 0; r < p->nregs; r++)
		c->reg[r] |= ppu_live_reg(&l, r) ? lanes : 0;
	for (r = 0; r < PPU_PT; r++)
		c->pred[r] |= l.pred >> r & 1 ? lanes : 0;
}

void ppu_flow_canon(const struct ppu_warp *w, struct ppu_canon *c)
{
	const struct ppu_program *p = w->prog;
	uint32_t waits = w->live & ~w->active, left;
	unsigned r;

	memset(c, 0, sizeof(*c));
	c->wait = waits;
	c->bar_val = w->bar_rel | w->sync_wait;
	c->pred[PPU_PT] = ~0u;
	if (w->state == PPU_WARP_DONE || w->state == PPU_WARP_HALTED)
		return;			/* nothing is executed any more */
	for (r = 0; r < p->nregs; r++)
		if (ppu_live_reg(&p->flow.across, r))
			c->reg[r] = ~0u;
	if (w->active)
		lanes_at(p, w->pc, w->active, c);
	for (left = waits; left;) {
		uint32_t wait = w->wait[__builtin_ctz(left)], lanes = 0, i;

		for (i = 0; i < PPU_LANES; i++)
			lanes |= (uint32_t)(PPU_WAIT_ADDR(w->wait[i]) == PPU_WAIT_ADDR(wait)) << i;
		lanes &= left;
		left &= ~lanes;
		lanes_at(p, PPU_WAIT_ADDR(wait), lanes, c);
	}
}
