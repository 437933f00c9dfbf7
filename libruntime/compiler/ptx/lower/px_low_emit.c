/* SPDX-License-Identifier: MIT */
/* Emitting IR: instructions, temporaries, jumps, and short sequences that several translations use. */
#include "compiler/ptx/lower/px_low_emit.h"

void px_end_block(struct px_module *m)
{
	m->cur->ended = true;
}

static void append(struct px_module *m, struct px_insn *i)
{
	if (m->cur->ended) {	/* code after a jump, without a label: never reached */
		struct px_block *b = px_new_block(m->func, NULL);

		px_place_block(m->func, b);
		m->cur = b;
	}
	i->line = m->line;
	i->file = m->file;
	i->col = m->col;
	i->src = m->src;
	i->mark = m->mark;
	px_append(m->cur, i);
}

struct px_insn *px_temp(struct px_module *m, unsigned op, unsigned t)
{
	struct px_insn *i = px_new_insn(m->func, op, t);

	append(m, i);
	return i;
}

struct px_insn *px_emit(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t)
{
	struct px_insn *i = px_temp(m, op, t);

	if (in->guard.v)
		i->guard = (struct px_predref){ in->guard.v, in->guard.neg };
	return i;
}

px_val px_tmp(struct px_module *m, unsigned width)
{
	return px_new_val(m->func, width, NULL);
}

px_val px_force_reg(struct px_module *m, struct px_opnd o, unsigned width)
{
	struct px_insn *i;

	if (o.kind == PO_REG && !o.sub && px_value(m->func, o.v)->width == width)
		return o.v;
	if (o.kind == PO_IMM && width == 2) {
		i = px_temp(m, PPU_OP_MOVI64, PPU_T_NONE);
	} else {
		i = px_temp(m, PPU_OP_MOV, width == 2 ? PPU_T_U64 : PPU_T_U32);
	}
	i->s[1] = o;
	i->d = px_tmp(m, width);
	return i->d;
}

struct px_insn *px_slot_mem(struct px_module *m, const struct px_inst *in, unsigned op, unsigned t,
			    uint32_t slot, int64_t off)
{
	struct px_insn *i = px_emit(m, in, op, t);

	m->func->slots[slot].used = true;
	i->m = PPU_SPACE_LOCAL;
	i->s[0] = px_reg(m->func->sp);
	i->ref = REF_SLOT;
	i->sym = slot;
	i->off = off;
	return i;
}

void px_ld_into(struct px_module *m, struct px_insn *ld, px_val d)
{
	ld->xd = px_alloc(&m->px->arena, sizeof(px_val));
	ld->xd[0] = d;
	ld->nxd = 1;
}

void px_st_from(struct px_module *m, struct px_insn *st, px_val v)
{
	st->xs = px_alloc(&m->px->arena, sizeof(px_val));
	st->xs[0] = v;
	st->nxs = 1;
}

/* ---- jumps ---- */

static struct px_block *next_block(struct px_module *m)
{
	struct px_block *b = px_new_block(m->func, NULL);

	px_place_block(m->func, b);
	return b;
}

void px_branch(struct px_module *m, struct px_predref guard, struct px_block *target)
{
	struct px_insn *i;

	if (!guard.v && guard.neg)	/* the condition is never true */
		return;
	if (!guard.v) {
		if (m->cur->ended)
			m->cur = next_block(m);
		m->cur->succ[0] = target;
		px_end_block(m);
		return;
	}
	i = px_temp(m, IR_BR, PPU_T_NONE);
	i->guard = guard;
	m->cur->succ[1] = target;
	px_end_block(m);
	m->cur->succ[0] = next_block(m);
	m->cur = m->cur->succ[0];
}

struct px_block *px_begin_guard(struct px_module *m, struct px_inst *in)
{
	struct px_block *after;

	if (!in->guard.v)
		return NULL;
	after = px_new_block(m->func, NULL);
	px_branch(m, (struct px_predref){ in->guard.v, !in->guard.neg }, after);
	in->guard.v = 0;
	return after;
}

void px_end_guard(struct px_module *m, struct px_block *after)
{
	if (!after)
		return;
	px_branch(m, (struct px_predref){ 0 }, after);
	px_place_block(m->func, after);
	m->cur = after;
}

/* ---- short sequences ---- */

unsigned px_unsigned_type(unsigned bits)
{
	return bits == 64 ? PPU_T_U64 : bits == 32 ? PPU_T_U32 : PPU_T_U16;
}

struct px_insn *px_copy(struct px_module *m, const struct px_inst *in, px_val d, struct px_opnd s, unsigned t)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_MOV, t);

	i->s[1] = s;
	i->d = d;
	return i;
}

px_val px_carry(struct px_module *m)
{
	if (!m->cc)
		m->cc = px_new_val(m->func, 0, px_intern(m->px, "cc", 2));
	return m->cc;
}

void px_widen(struct px_module *m, const struct px_inst *in, px_val d, unsigned dt, px_val v,
	      unsigned from)
{
	struct px_insn *i = px_emit(m, in, PPU_OP_CVT, px_type_signed(from) ? PPU_T_S64 : PPU_T_U64);

	i->u = px_type_signed(from) ? PPU_T_S32 : PPU_T_U32;
	i->s[0] = px_reg(v);
	i->d = d;
}

px_val px_binary(struct px_module *m, unsigned op, unsigned t, px_val a, struct px_opnd b)
{
	struct px_insn *i = px_temp(m, op, t);

	i->s[0] = px_reg(a);
	i->s[1] = b;
	i->d = px_tmp(m, t == PPU_T_U64 ? 2 : 1);
	return i->d;
}

px_val px_lane_number(struct px_module *m)
{
	struct px_insn *i = px_temp(m, PPU_OP_S2R, PPU_T_NONE);

	i->s[1] = px_imm(PPU_SR_LANEID);
	i->d = px_tmp(m, 1);
	return i->d;
}

px_val px_half_to_float(struct px_module *m, px_val pair, unsigned high, unsigned t)
{
	struct px_insn *i;

	if (high)
		pair = px_binary(m, PPU_OP_SHR, PPU_T_U32, pair, px_imm(16));
	i = px_temp(m, PPU_OP_CVT, PPU_T_F32);
	i->u = (uint8_t)t;
	i->s[0] = px_reg(pair);
	i->d = px_tmp(m, 1);
	return i->d;
}

px_val px_from_lane(struct px_module *m, px_val v, px_val lane)
{
	struct px_insn *i = px_temp(m, PPU_OP_SHFL, PPU_T_NONE);

	i->m = PPU_SHFL_IDX;
	i->x = 2;	/* all lanes take part: .sync.aligned */
	i->s[0] = px_reg(v);
	i->s[1] = px_reg(lane);
	i->s[2] = px_imm(31);
	i->d = px_tmp(m, 1);
	return i->d;
}

px_val px_fma32(struct px_module *m, px_val a, px_val b, px_val c)
{
	struct px_insn *i = px_temp(m, PPU_OP_FMA, PPU_T_F32);

	i->s[0] = px_reg(a);
	i->s[1] = px_reg(b);
	i->s[2] = px_reg(c);
	i->d = px_tmp(m, 1);
	return i->d;
}

px_val px_half(struct px_module *m, unsigned t, struct px_opnd a, unsigned which)
{
	struct px_insn *i = px_temp(m, PPU_OP_BFE, t);

	i->s[0] = a;
	i->s[1] = px_imm((16 * which) | 16 << 8);
	i->d = px_tmp(m, 1);
	return i->d;
}
