/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam for who looks at floating-point arithmetic.  Nearly all results are of no interest, so they are looked at here, a
 * warp at once, and the observer is called for those that it wants to see.  Operands are copied before, because the
 * destination may be the same register.
 */
#include <string.h>
#include <hw/ppu_isa_check.h>
#include <hw/ppu_observe.h>
#include "core/exec/lane_bit.h"
#include "core/sm/flow.h"
#include "core/sm/observe.h"
#include "core/sm/warp.h"

/* Instructions that compute, not those that only move, compare or choose. */
bool ppu_observe_is_float(const struct ppu_dinsn *di)
{
	if (!(PPU_TS_FLT >> di->t & 1))
		return false;
	switch (di->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_FMA: case PPU_OP_DIV: case PPU_OP_RCP: case PPU_OP_SQRT:
	case PPU_OP_RSQRT: case PPU_OP_SIN: case PPU_OP_COS: case PPU_OP_EX2: case PPU_OP_LG2: case PPU_OP_TANH: case PPU_OP_CVT:
	case PPU_OP_CVT2:
		return true;
	default:
		return false;
	}
}

static bool is_sum(const struct ppu_dinsn *di)
{
	return di->op == PPU_OP_ADD || di->op == PPU_OP_SUB || di->op == PPU_OP_FMA;
}

/* ---- results ------------------------------------------------------------------------------------------ */

/* The parts of a number that tell its kind; of a double, those of its upper half. */
struct layout {
	uint32_t exponent, fraction;
};

static struct layout layout_of(unsigned type)
{
	switch (type) {
	case PPU_T_F64:				return (struct layout){ 0x7ff00000, 0xfffff };
	case PPU_T_F32:				return (struct layout){ 0x7f800000, 0x7fffff };
	case PPU_T_F16: case PPU_T_F16X2:	return (struct layout){ 0x7c00, 0x3ff };
	default:				return (struct layout){ 0x7f80, 0x7f };	/* bf16 */
	}
}

/* Lanes whose numbers are NaN or infinite, and those with subnormal ones. */
PPU_SIMD_CLONES
static void kinds(const uint32_t *v, const uint32_t *low, unsigned shift, struct layout y, uint32_t *special, uint32_t *tiny)
{
	uint32_t s = 0, t = 0;
	unsigned i;

	for (i = 0; i < PPU_LANES; i++) {
		uint32_t e = v[i] >> shift & y.exponent, f = (v[i] >> shift & y.fraction) | low[i];

		s |= e == y.exponent ? ppu_lane_bit[i] : 0;
		t |= !e && f ? ppu_lane_bit[i] : 0;
	}
	*special |= s;
	*tiny |= t;
}

static bool of_interest(const struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask, uint32_t want)
{
	static const uint32_t none[PPU_LANES];
	struct layout y = layout_of(di->t);
	const uint32_t *v = w->v.row[di->d];
	uint32_t special = 0, tiny = 0;

	if (di->t == PPU_T_F64)
		kinds(v + PPU_LANES, v, 0, y, &special, &tiny);
	else
		kinds(v, none, 0, y, &special, &tiny);
	if (di->t == PPU_T_F16X2 || di->t == PPU_T_BF16X2)
		kinds(v, none, 16, y, &special, &tiny);
	return (want & PPU_SEEN_SPECIAL && special & mask) || (want & PPU_SEEN_SUBNORMAL && tiny & mask);
}

/* ---- what comes of a result ------------------------------------------------------------------------------ */

#define MOST_STEPS	4

/* Compilers compute what a program may not choose, and choose afterwards. */
static uint32_t choice_of(const struct ppu_program *p, uint32_t pc, uint32_t *second)
{
	unsigned step;

	for (step = 0; step < MOST_STEPS; step++) {
		const struct ppu_dinsn *di = &p->code[pc];
		unsigned row = di->d;

		if (!di->always || row >= p->nregs)
			break;
		if (ppu_observe_readers(p, pc, row, ppu_type_bits(di->t) == 64 ? 2 : 1, &pc) != 1)
			break;
		di = &p->code[pc];
		if (di->op == PPU_OP_SEL) {
			if (!di->always)	/* some lanes may never choose */
				break;
			*second = di->a != row;
			return *second || di->bi || di->b != row ? pc : PPU_SEEN_NO_CHOICE;
		}
		if (!ppu_observe_is_float(di))
			break;
	}
	return PPU_SEEN_NO_CHOICE;
}

/* From now on the SEL is seen. */
static void watch_choice(struct ppu_dinsn *sel)
{
	if (sel->handler == PPU_H_seen || sel->handler == PPU_H_step)
		return;
	sel->below = sel->handler;
	sel->handler = PPU_H_seen;
	if (sel->fn) {
		sel->below = PPU_H_nop;
		sel->inner_fn = sel->fn;
		sel->fn = NULL;
	}
}

enum ppu_step ppu_observe_choice(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	const struct ppu_observer *o = sm->core->observer;
	uint32_t first = ppu_warp_pred(w, di->ps, di->psn);
	struct ppu_seen_warp at;
	struct ppu_seen_cta seen;

	ppu_observe_place(sm, w, &seen, &at);
	o->choose(o->arg, &at, mask & first, mask & ~first);
	return ppu_observe_unseen(sm, w, di, mask);
}

/* ---- operands ----------------------------------------------------------------------------------------- */

struct operands {
	uint32_t v[3][2][PPU_LANES];
};

static void take(const struct ppu_warp *w, unsigned row, bool imm, uint64_t value, bool wide, uint32_t (*to)[PPU_LANES])
{
	unsigned i;

	if (!imm) {
		memcpy(to, w->v.row[row], (wide ? 2 : 1) * sizeof(to[0]));
		return;
	}
	for (i = 0; i < PPU_LANES; i++) {
		to[0][i] = (uint32_t)value;
		to[1][i] = (uint32_t)(value >> 32);
	}
}

static unsigned operand_type(const struct ppu_dinsn *di)
{
	return di->op == PPU_OP_CVT ? di->u : di->op == PPU_OP_CVT2 ? PPU_T_F32 : di->t;
}

static unsigned operand_count(const struct ppu_dinsn *di)
{
	switch (di->op) {
	case PPU_OP_FMA:
		return 3;
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MUL: case PPU_OP_DIV: case PPU_OP_CVT2:
		return 2;
	default:
		return 1;
	}
}

static uint32_t sign_of(unsigned type)
{
	switch (type) {
	case PPU_T_F64: case PPU_T_F32:		return 1u << 31;
	case PPU_T_F16X2: case PPU_T_BF16X2:	return 1u << 31 | 1u << 15;
	default:				return 1u << 15;
	}
}

/* As the instruction takes it: absolute, and then negated. */
static void modify(uint32_t *v, bool abs, bool neg, uint32_t sign)
{
	unsigned i;

	for (i = 0; i < PPU_LANES && (abs || neg); i++)
		v[i] = ((abs ? v[i] & ~sign : v[i]) ^ (neg ? sign : 0));
}

static void show(const struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask, uint32_t pc,
		 struct operands *o)
{
	const struct ppu_observer *ob = sm->core->observer;
	struct ppu_seen_float f = {
		.op = di->op, .type = di->t, .from = operand_type(di), .lanes = mask, .operands = operand_count(di),
		.result = (const uint32_t (*)[PPU_LANES])&w->v.row[di->d],
	};
	bool wide = f.from == PPU_T_F64;
	struct ppu_seen_cta seen;
	unsigned i;

	f.choice = ob->choose ? choice_of(w->prog, pc, &f.second) : PPU_SEEN_NO_CHOICE;
	if (f.choice != PPU_SEEN_NO_CHOICE)
		watch_choice(&w->prog->code[f.choice]);

	if (PPU_TS_FLT >> f.from & 1) {
		modify(o->v[0][wide], di->aa, di->na, sign_of(f.from));
		modify(o->v[1][wide], di->ab, di->nb, sign_of(f.from));
		modify(o->v[2][wide], false, di->nc, sign_of(f.from));
	}
	for (i = 0; i < f.operands; i++)
		f.operand[i] = (const uint32_t (*)[PPU_LANES])o->v[i];
	ppu_observe_place(sm, w, &seen, &f.at);
	f.at.pc = pc;			/* w is behind it already */
	ob->arithmetic(ob->arg, &f);
}

enum ppu_step ppu_observe_float(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_dinsn *di, uint32_t mask)
{
	uint32_t want = sm->core->observer->floats, pc = w->pc;
	bool wide = ppu_type_bits(operand_type(di)) == 64;
	unsigned n = operand_count(di);
	enum ppu_step step;
	struct operands o;

	take(w, di->a, false, 0, wide, o.v[0]);
	if (n > 1)
		take(w, di->b, di->bi, di->imm64, wide, o.v[1]);
	if (n > 2)
		take(w, di->c, di->ci, di->imm64, wide, o.v[2]);
	step = ppu_observe_unseen(sm, w, di, mask);
	if ((want & PPU_SEEN_SUMS && is_sum(di)) || of_interest(w, di, mask, want))
		show(sm, w, di, mask, pc, &o);
	return step;
}
