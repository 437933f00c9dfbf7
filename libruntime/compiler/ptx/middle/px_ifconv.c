/* SPDX-License-Identifier: MIT */
/*
 * Tiny bodies of a branch become predicated instructions, which need no token and no wait.
 *
 *	B: ... @p bra J;  S: ...  J:          ->  B: ... @!p S ...;  J:
 *	B: ... @p bra T;  S: ... bra J;  T: ...  J:   both sides predicated
 */
#include "compiler/ptx/middle/px_pass.h"

#define MAX_BODY	4	/* instructions of one side */

static bool convertible(const struct px_insn *in, px_val p)
{
	if (in->guard.v || in->pd == p || in->pe == p)
		return false;
	switch (in->op) {
	case PPU_OP_CAL: case PPU_OP_CALX: case PPU_OP_BAR: case PPU_OP_CLARRIVE: case PPU_OP_CLWAIT: case PPU_OP_WARPSYNC:
	case PPU_OP_VOTE: case PPU_OP_SHFL: case PPU_OP_MATCH: case PPU_OP_REDUX:
	case PPU_OP_YIELD: case PPU_OP_EXIT: case PPU_OP_RET: case PPU_OP_TRAP:
	case PPU_OP_DIV: case PPU_OP_REM: case PPU_OP_NANOSLEEP: case PPU_OP_TLAUNCH: case PPU_OP_TSYNC: case IR_BR:
		return false;
	default:
		return true;
	}
}

/* Has the block one way in, few simple instructions and one way out? */
static bool small(const struct px_block *s, px_val p)
{
	unsigned n = 0;

	if (s->preds.n != 1 || s->succ[1] || !s->succ[0])
		return false;
	PX_FOR_INSNS(s, in)
		if (++n > MAX_BODY || !convertible(in, p))
			return false;
	return true;
}

/* Moves a body into b.  An instruction whose results only the body reads needs no guard if it is safe to run in all
 * lanes; all others get the guard. */
static void move_body(struct px_func *f, struct px_block *b, struct px_block *s, px_val p, bool neg)
{
	struct px_insn *in, *next;
	px_val *w[PX_MAX_REFS];
	unsigned n, k;

	for (in = s->first; in; in = next) {
		bool own = true;

		next = in->next;
		n = px_writes(in, w);
		for (k = 0; k < n; k++)
			own &= px_value(f, *w[k])->ssa;
		px_remove(s, in);
		if (!own || px_has_effect(in) || in->op == PPU_OP_LD) {
			in->guard = (struct px_predref){ p, neg };
			for (k = 0; k < n; k++)
				if (px_value(f, *w[k])->ssa) {
					px_value(f, *w[k])->ssa = false;
					px_value(f, *w[k])->scoped = true;
				}
		}
		px_append(b, in);
	}
}

static bool convert(struct px_func *f, struct px_block *b)
{
	struct px_insn *t = b->last;
	struct px_block *s0 = b->succ[0], *s1 = b->succ[1];
	struct px_predref g;

	if (!t || t->op != IR_BR)
		return false;
	g = t->guard;
	if (small(s0, g.v) && s0->succ[0] == s1) {
		px_remove(b, t);
		move_body(f, b, s0, g.v, !g.neg);
		b->succ[0] = s1;
	} else if (small(s1, g.v) && s1->succ[0] == s0) {
		px_remove(b, t);
		move_body(f, b, s1, g.v, g.neg);
	} else if (small(s0, g.v) && small(s1, g.v) && s0->succ[0] == s1->succ[0]) {
		px_remove(b, t);
		move_body(f, b, s0, g.v, !g.neg);
		move_body(f, b, s1, g.v, g.neg);
		b->succ[0] = s0->succ[0];
	} else {
		return false;
	}
	b->succ[1] = NULL;
	return true;
}

void px_pass_ifconv(struct px_func *f)
{
	bool changed = false;
	uint32_t i;

	for (i = f->num_order; i-- > 0;)	/* inner ones first */
		if (convert(f, f->order[i]))
			changed = true;
	if (!changed)
		return;
	px_pass_cfg(f);
	px_pass_dom(f);
	px_pass_ssa(f);
}
