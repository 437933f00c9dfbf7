/* SPDX-License-Identifier: MIT */
/* The verifier of the IR: the rules that every pass must keep.  A message names the pass that broke a rule. */
#include "compiler/ptx/ir/px_verify.h"

struct vf {
	struct px_func *f;
	const char *pass;
	unsigned faults;
};

static void fault(struct vf *v, const struct px_block *b, const struct px_insn *in, const char *what)
{
	if (v->faults++ < 5)
		px_error(v->f->px, v->f->loc, "internal error after %s: block %u, %s: %s", v->pass, b->id,
			 in ? px_op_name(in->op) : "end", what);
}

static bool good(const struct vf *v, px_val x)
{
	return x > 0 && x < v->f->num_vals;
}

static void check_pred(struct vf *v, const struct px_block *b, const struct px_insn *in, px_val p)
{
	if (p && (!good(v, p) || px_value(v->f, p)->width))
		fault(v, b, in, "a predicate was expected");
}

static void check_insn(struct vf *v, const struct px_block *b, const struct px_insn *in)
{
	unsigned k, w;

	for (k = 0; k < 4; k++) {
		if (in->s[k].kind != PO_REG)
			continue;
		if (!good(v, in->s[k].v)) {
			fault(v, b, in, "an operand names no value");
			continue;
		}
		w = px_src_width(in, k);
		if (in->op == PPU_OP_CAL || in->op == PPU_OP_SSY)
			continue;
		if (in->s[k].sub + w > px_value(v->f, in->s[k].v)->width)
			fault(v, b, in, "an operand is too narrow");
	}
	if (in->d && (!good(v, in->d) || px_value(v->f, in->d)->width != px_dst_width(in)))
		fault(v, b, in, "the result has another size");
	check_pred(v, b, in, in->guard.v);
	check_pred(v, b, in, in->ps.v);
	check_pred(v, b, in, in->pq.v);
	check_pred(v, b, in, in->pd);
	check_pred(v, b, in, in->pe);
	if (in->op == IR_BR && !in->guard.v)
		fault(v, b, in, "a branch without a condition");
	if (in->op == PPU_OP_LD && !in->nxd)
		fault(v, b, in, "a load without a destination");
	if (in->op == PPU_OP_LD || in->op == PPU_OP_ST)
		for (k = 0; k < (in->op == PPU_OP_LD ? in->nxd : in->nxs); k++) {
			px_val x = in->op == PPU_OP_LD ? in->xd[k] : in->xs[k];

			if (!x && in->op == PPU_OP_ST && in->nxs == 1)
				continue;
			if (!good(v, x) || px_value(v->f, x)->width != px_elem_width(in))
				fault(v, b, in, "a list element has another size");
		}
	if (px_is_terminator(in) && in != b->last)
		fault(v, b, in, "not at the end of its block");
}

static void check_links(struct vf *v, const struct px_block *b)
{
	const struct px_insn *prev = NULL;

	PX_FOR_INSNS(b, in) {
		if (in->prev != prev)
			fault(v, b, in, "the list is broken");
		prev = in;
	}
	if (b->last != prev)
		fault(v, b, NULL, "the last instruction is wrong");
	if ((b->last && b->last->op == IR_BR) != (b->succ[1] != NULL))
		fault(v, b, NULL, "a conditional branch has two successors, nothing else has");
	if (b->last && px_is_terminator(b->last) && b->last->op != IR_BR && b->succ[0])
		fault(v, b, NULL, "a successor after the end");
}

unsigned px_verify(struct px_func *f, const char *pass)
{
	struct vf v = { .f = f, .pass = pass };

	PX_FOR_BLOCKS(f, b) {
		check_links(&v, b);
		PX_FOR_INSNS(b, in)
			check_insn(&v, b, in);
	}
	return v.faults;
}
