/* SPDX-License-Identifier: MIT */
/* Branches, returns, exits, and other instructions after which a thread does not just go on. */
#include "compiler/ptx/lower/px_low.h"

static struct px_predref guard_of(const struct px_inst *in)
{
	return (struct px_predref){ in->guard.v, in->guard.neg };
}

static struct px_block *label(struct px_module *m, const struct px_opn *o)
{
	struct px_sym *s;

	if (!o->name || (o->kind != OP_NAME && o->kind != OP_SYM && o->kind != OP_REG)) {
		px_error(m->px, o->loc, "a label was expected here");
		return NULL;
	}
	s = px_label_ref(m, o->name, o->loc);
	return s ? s->block : NULL;
}

void px_low_bra(struct px_module *m, const struct px_inst *in)
{
	struct px_block *b = label(m, &in->o[0]);

	if (b)
		px_branch(m, guard_of(in), b);
}

/* Emits a binary search for the index among targets [lo, hi). */
static void switch_tree(struct px_module *m, px_val index, struct px_block **targets, uint32_t lo,
			uint32_t hi)
{
	struct px_block *right;
	struct px_insn *i;
	uint32_t mid = lo + (hi - lo) / 2;
	px_val p;

	if (hi - lo == 1) {
		px_branch(m, (struct px_predref){ 0 }, targets[lo]);
		return;
	}
	p = px_tmp(m, 0);
	i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_GE;
	i->s[0] = px_reg(index);
	i->s[1] = px_imm(mid);
	i->pd = p;
	right = px_new_block(m->func, NULL);
	px_branch(m, (struct px_predref){ p, false }, right);
	switch_tree(m, index, targets, lo, mid);
	px_place_block(m->func, right);
	m->cur = right;
	switch_tree(m, index, targets, mid, hi);
}

void px_low_brx(struct px_module *m, const struct px_inst *in)
{
	struct px_sym *t = in->o[1].name ? in->o[1].name->sym : NULL;
	struct px_block **targets, *after = NULL;
	px_val index;
	uint32_t k;

	if (!t || t->kind != SY_TARGETS || !t->num_list) {
		px_error(m->px, in->o[1].loc, "'brx.idx' needs the name of a .branchtargets list declared before it");
		return;
	}
	index = px_force_reg(m, px_src(m, in, 0, PT_U32), 1);
	targets = px_alloc(&m->px->arena, t->num_list * sizeof(*targets));
	for (k = 0; k < t->num_list; k++) {
		struct px_sym *s = px_label_ref(m, t->list[k], in->loc);

		if (!s)
			return;
		targets[k] = s->block;
	}
	if (in->guard.v) {
		after = px_new_block(m->func, NULL);
		px_branch(m, (struct px_predref){ in->guard.v, !in->guard.neg }, after);
	}
	switch_tree(m, index, targets, 0, t->num_list);
	if (after) {
		px_place_block(m->func, after);
		m->cur = after;
	}
}

void px_low_exit(struct px_module *m, const struct px_inst *in)
{
	px_emit(m, in, PPU_OP_EXIT, PPU_T_NONE);
	if (!in->guard.v)
		px_end_block(m);
}

void px_low_ret(struct px_module *m, const struct px_inst *in)
{
	if (m->func->kernel) {
		px_low_exit(m, in);
		return;
	}
	if (!m->ret_block)
		m->ret_block = px_new_block(m->func, NULL);
	px_branch(m, guard_of(in), m->ret_block);
}

void px_low_trap(struct px_module *m, const struct px_inst *in)
{
	px_emit(m, in, in->op == PX_OP_trap ? PPU_OP_TRAP : PPU_OP_BRKPT, PPU_T_NONE);
}

void px_low_nanosleep(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = px_src(m, in, 0, PT_U32);

	px_emit(m, in, PPU_OP_NANOSLEEP, PPU_T_NONE)->s[1] = a;
}

/* Not in PTX, for the device library: tlaunch launches the TMD at an address, tsync waits for the CTA's children. */
void px_low_task(struct px_module *m, const struct px_inst *in)
{
	struct px_opnd a = { 0 };
	struct px_insn *i;

	if (in->op == PX_OP_tlaunch)
		a = px_src(m, in, 1, PT_U64);
	i = px_emit(m, in, in->op == PX_OP_tlaunch ? PPU_OP_TLAUNCH : PPU_OP_TSYNC, PPU_T_NONE);
	if (in->op == PX_OP_tlaunch)
		i->s[0] = a;
	i->d = px_dst(m, in, 0, PT_U32);
}
