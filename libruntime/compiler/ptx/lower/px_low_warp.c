/* SPDX-License-Identifier: MIT */
/* What a CTA or a warp does together: barriers, votes, shuffles. */
#include "compiler/ptx/lower/px_low.h"

/* ---- CTA barriers ---- */

static void warp_sync(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 0, PT_B32);

	px_emit(m, in, PPU_OP_WARPSYNC, PPU_T_NONE)->s[1] = a;
}

static void bar_number(struct px_module *m, const struct px_inst *in, struct px_insn *i,
		       struct px_opnd a, const struct px_opn *o)
{
	uint32_t top = 16;

	if (a.kind == PO_IMM) {
		if (a.imm < 0 || a.imm > 15) {
			px_error(m->px, o->loc, "barriers are numbered 0 to 15");
			return;
		}
		top = (uint32_t)a.imm + 1;
	}
	i->s[0] = a;
	if (top > m->func->barriers)
		m->func->barriers = top;
}

void px_low_bar(struct px_module *m, const struct px_inst *in)
{
	bool red = px_has(in, PM_red), popc = px_has(in, PM_popc);
	unsigned first = red ? 1 : 0, last = red ? in->n - 1 : in->n;
	struct px_opnd num, cnt = { 0 };
	struct px_insn *i;

	if (px_has(in, PM_warp)) {
		warp_sync(m, in);
		return;
	}
	if (!in->n) {
		px_error(m->px, in->loc, "'%s' takes 1 to 4 operands, this one has 0", in->name->s);
		return;
	}
	if (last <= first || last - first > 2 || (px_has(in, PM_arrive) && last - first != 2) ||
	    (!red && !px_has(in, PM_sync) && !px_has(in, PM_arrive)) ||
	    (red && !popc && !px_has(in, PM_and) && !px_has(in, PM_or))) {
		px_error(m->px, in->loc, "'%s' needs .sync, .arrive or .red with its operands", in->name->s);
		return;
	}
	num = px_src(m, in, first, PT_B32);
	if (last - first == 2)
		cnt = px_src(m, in, first + 1, PT_B32);
	i = px_emit(m, in, PPU_OP_BAR, PPU_T_NONE);
	bar_number(m, in, i, num, &in->o[first]);
	if (cnt.kind == PO_IMM && (cnt.imm <= 0 || cnt.imm % 32 || cnt.imm > 1024))
		px_error(m->px, in->o[first + 1].loc, "the thread count of a barrier is a multiple of 32 up to 1024");
	i->s[1] = cnt;
	i->m = px_has(in, PM_arrive) ? PPU_BAR_ARRIVE : !red ? PPU_BAR_SYNC :
	       popc ? PPU_BAR_RED_POPC : px_has(in, PM_and) ? PPU_BAR_RED_AND : PPU_BAR_RED_OR;
	if (!red)
		return;
	i->ps = px_pred_src(m, &in->o[in->n - 1]);
	if (popc)
		i->d = px_dst(m, in, 0, PT_U32);
	else
		i->pd = px_pred_dst(m, &in->o[0]);
}

void px_low_barrier(struct px_module *m, const struct px_inst *in)
{
	bool wait = px_has(in, PM_wait), arrive = px_has(in, PM_arrive);

	if (!px_has(in, PM_cluster)) {
		if (wait || px_has(in, PM_acquire) || px_has(in, PM_release) || px_has(in, PM_relaxed))
			px_error(m->px, in->loc, "only 'barrier.cluster' takes .wait and memory orders");
		else
			px_low_bar(m, in);
	} else if (wait == arrive || in->n || px_has(in, PM_sync) || px_has(in, PM_red)) {
		px_error(m->px, in->loc, "'barrier.cluster' is barrier.cluster.arrive or barrier.cluster.wait, without operands");
	} else {
		px_emit(m, in, wait ? PPU_OP_CLWAIT : PPU_OP_CLARRIVE, PPU_T_NONE);
	}
}

/* ---- warp ---- */

void px_low_vote(struct px_module *m, const struct px_inst *in)
{
	bool sync = px_has(in, PM_sync), ballot = px_has(in, PM_ballot);
	struct px_opnd mask = { 0 };
	struct px_insn *i;

	if ((in->n == 3) != sync) {
		px_error(m->px, in->loc, "'vote.sync' takes a member mask, 'vote' takes none");
		return;
	}
	if (sync)
		mask = px_src(m, in, 2, PT_B32);
	i = px_emit(m, in, PPU_OP_VOTE, PPU_T_NONE);
	i->m = ballot ? PPU_VOTE_BALLOT : px_has(in, PM_any) ? PPU_VOTE_ANY :
	       px_has(in, PM_uni) ? PPU_VOTE_UNI : PPU_VOTE_ALL;
	i->x = !sync;
	i->s[0] = mask;
	i->ps = px_pred_src(m, &in->o[1]);
	if (ballot)
		i->d = px_dst(m, in, 0, PT_B32);
	else
		i->pd = px_pred_dst(m, &in->o[0]);
}

void px_low_shfl(struct px_module *m, const struct px_inst *in)
{
	bool sync = px_has(in, PM_sync);
	struct px_opnd a, b, c, mask = { 0 };
	struct px_insn *i;

	if ((in->n == 5) != sync) {
		px_error(m->px, in->loc, "'shfl.sync' takes a member mask, 'shfl' takes none");
		return;
	}
	a = px_src(m, in, 1, PT_B32);
	b = px_src(m, in, 2, PT_B32);
	c = px_src(m, in, 3, PT_B32);
	if (sync)
		mask = px_src(m, in, 4, PT_B32);
	i = px_emit(m, in, PPU_OP_SHFL, PPU_T_NONE);
	if (b.kind == PO_IMM)
		b.imm &= 0x1f;
	if (c.kind == PO_IMM)
		c.imm &= 0x1f1f;
	i->m = px_has(in, PM_up) ? PPU_SHFL_UP : px_has(in, PM_down) ? PPU_SHFL_DOWN :
	       px_has(in, PM_bfly) ? PPU_SHFL_BFLY : PPU_SHFL_IDX;
	i->s[0] = a;
	i->s[1] = b;
	i->s[2] = c;
	if (sync && mask.kind == PO_IMM && (uint32_t)mask.imm == UINT32_MAX) {
		i->x = 2;
	} else if (sync) {
		i->x = 1;
		i->s[3] = mask;
	}
	i->d = px_dst(m, in, 0, PT_B32);
	if (in->o[0].pipe)
		i->pd = px_pred_dst(m, in->o[0].pipe);
}

void px_low_match(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	struct px_opnd a, mask;
	struct px_insn *i;

	if (!pt)
		return;
	a = px_src(m, in, 1, pt);
	mask = px_src(m, in, 2, PT_B32);
	i = px_emit(m, in, PPU_OP_MATCH, px_isa_type(pt));
	i->m = px_has(in, PM_all) ? PPU_MATCH_ALL : PPU_MATCH_ANY;
	i->s[0] = a;
	i->s[1] = mask;
	i->d = px_dst(m, in, 0, PT_B32);
	if (in->o[0].pipe)
		i->pd = px_pred_dst(m, in->o[0].pipe);
}

void px_low_redux(struct px_module *m, const struct px_inst *in)
{
	static const struct { uint16_t mod; uint8_t op; } rops[] = {
		{ PM_add, PPU_ATOM_ADD }, { PM_min, PPU_ATOM_MIN }, { PM_max, PPU_ATOM_MAX },
		{ PM_and, PPU_ATOM_AND }, { PM_or, PPU_ATOM_OR }, { PM_xor, PPU_ATOM_XOR },
	};
	unsigned pt = px_one_type(m, in), k;
	struct px_opnd a, mask;
	struct px_insn *i;

	if (!pt)
		return;
	a = px_src(m, in, 1, pt);
	mask = px_src(m, in, 2, PT_B32);
	i = px_emit(m, in, PPU_OP_REDUX, px_isa_type(pt));
	for (k = 0; k < PX_ARRAY_SIZE(rops) && !px_has(in, rops[k].mod); k++)
		;
	if (k == PX_ARRAY_SIZE(rops)) {
		px_error(m->px, in->loc, "'redux' needs an operation, such as .add");
		return;
	}
	i->u = rops[k].op;
	i->s[0] = a;
	i->s[1] = mask;
	i->d = px_dst(m, in, 0, pt);
}

void px_low_activemask(struct px_module *m, const struct px_inst *in)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_S2R, PPU_T_NONE);

	i->s[1] = px_imm(PPU_SR_ACTIVEMASK);
	i->d = px_dst(m, in, 0, PT_B32);
}

/* elect.sync d|p, mask: d is the lowest lane of the mask, p is true in this lane. */
void px_low_elect(struct px_module *m, const struct px_inst *in)
{
	px_val mask = px_force_reg(m, px_src(m, in, 1, PT_B32), 1), lane, first;
	struct px_insn *i;

	if (!in->o[0].pipe) {
		px_error(m->px, in->loc, "'elect' writes d|p: the lane chosen, and whether it is this one");
		return;
	}
	px_emit(m, in, PPU_OP_WARPSYNC, PPU_T_NONE)->s[1] = px_reg(mask);
	i = px_temp(m, PPU_OP_BREV, PPU_T_U32);
	i->s[0] = px_reg(mask);
	i->d = px_tmp(m, 1);
	first = i->d;
	i = px_temp(m, PPU_OP_CLZ, PPU_T_U32);
	i->s[0] = px_reg(first);
	i->d = first = px_tmp(m, 1);
	lane = px_lane_number(m);
	i = px_emit(m, in, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_EQ;
	i->s[0] = px_reg(lane);
	i->s[1] = px_reg(first);
	i->pd = px_pred_dst(m, in->o[0].pipe);
	if (in->o[0].kind == OP_SINK)
		return;
	i = px_emit(m, in, PPU_OP_MOV, PPU_T_U32);
	i->s[1] = px_reg(first);
	i->d = px_dst(m, in, 0, PT_B32);
}
