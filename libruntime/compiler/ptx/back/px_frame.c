/* SPDX-License-Identifier: MIT */
/*
 * After register allocation: the stack frame, callee-saved registers, and the moves that are still needed.
 *
 * Frame, from the stack pointer up: outgoing arguments, spills and local arrays, saved registers.
 * Incoming stack arguments start where the frame ends.
 */
#include <string.h>
#include "compiler/ptx/back/px_frame.h"
#include "compiler/ptx/ir/px_abi.h"

static unsigned reg_of(const struct px_func *f, px_val v)
{
	return (unsigned)px_value(f, v)->reg;
}

/* ---- moves ---- */

struct move {
	unsigned dst, src;
	bool imm;
	int64_t value;
	bool done;
};

static struct px_insn *fixed_insn(struct px_func *f, struct px_block *b, struct px_insn *at,
				  unsigned op, unsigned d)
{
	struct px_insn *i = px_new_insn(f, op, PPU_T_U32);

	i->d = px_fixed_val(f, 1, d);
	i->guard = at->guard;
	px_insert_before(b, at, i);
	return i;
}

static void emit_move(struct px_func *f, struct px_block *b, struct px_insn *at,
		      const struct move *m)
{
	struct px_insn *i;

	if (!m->imm && m->src == m->dst)
		return;
	i = fixed_insn(f, b, at, PPU_OP_MOV, m->dst);
	i->s[1] = m->imm ? px_imm(m->value) : px_reg(px_fixed_val(f, 1, m->src));
}

/* a ^= b, b ^= a, a ^= b */
static void emit_swap(struct px_func *f, struct px_block *b, struct px_insn *at, unsigned x,
		      unsigned y)
{
	unsigned k;

	for (k = 0; k < 3; k++) {
		unsigned d = k == 1 ? y : x, s = k == 1 ? x : y;
		struct px_insn *i = fixed_insn(f, b, at, PPU_OP_XOR, d);

		i->s[0] = px_reg(px_fixed_val(f, 1, d));
		i->s[1] = px_reg(px_fixed_val(f, 1, s));
	}
}

/* Emits moves that take effect as if all happened at once: first moves into registers that no other move still
 * reads, then cycles, by swaps. */
static void parallel(struct px_func *f, struct px_block *b, struct px_insn *at, struct move *m,
		     unsigned n)
{
	unsigned left = n, k, j;

	for (k = 0; k < n; k++)
		if (m[k].imm || m[k].src == m[k].dst)
			m[k].done = !m[k].imm, left -= !m[k].imm;
	while (left) {
		bool progress = false;

		for (k = 0; k < n; k++) {
			bool needed = false;

			if (m[k].done)
				continue;
			for (j = 0; j < n; j++)
				needed |= j != k && !m[j].done && !m[j].imm && m[j].src == m[k].dst;
			if (needed)
				continue;
			emit_move(f, b, at, &m[k]);
			m[k].done = progress = true;
			left--;
		}
		if (progress)
			continue;
		for (k = 0; m[k].done; k++)
			;
		emit_swap(f, b, at, m[k].dst, m[k].src);
		for (j = 0; j < n; j++) {	/* the two registers have exchanged their contents */
			if (m[j].done || j == k || m[j].imm)
				continue;
			m[j].src = m[j].src == m[k].dst ? m[k].src :
				   m[j].src == m[k].src ? m[k].dst : m[j].src;
			if (m[j].src == m[j].dst) {
				m[j].done = true;
				left--;
			}
		}
		m[k].done = true;
		left--;
	}
}

static void expand_pack(struct px_func *f, struct px_block *b, struct px_insn *in)
{
	struct move m[4];
	unsigned k, w, n = 0;

	for (k = 0; k < in->m; k++)
		for (w = 0; w < in->x; w++, n++) {
			const struct px_opnd *s = &in->s[k];

			m[n] = (struct move){ .dst = reg_of(f, in->d) + n };
			m[n].imm = s->kind != PO_REG;
			m[n].value = s->kind == PO_IMM ? s->imm : 0;
			if (!m[n].imm)
				m[n].src = reg_of(f, s->v) + s->sub + w;
		}
	parallel(f, b, in, m, n);
	px_remove(b, in);
}

static bool useless_move(const struct px_func *f, const struct px_insn *in)
{
	if (in->op == PPU_OP_MOV && in->s[1].kind == PO_REG && in->t != PPU_T_U16)
		return reg_of(f, in->d) == reg_of(f, in->s[1].v) + in->s[1].sub;
	if (in->op == PPU_OP_PLOP && in->m == PPU_PLOP_MOV && in->ps.v && !in->ps.neg)
		return reg_of(f, in->pd) == reg_of(f, in->ps.v);
	return false;
}

static void tidy_moves(struct px_func *f)
{
	struct px_insn *in, *next;

	PX_FOR_BLOCKS(f, b)
		for (in = b->first; in; in = next) {
			next = in->next;
			if (in->op == IR_PACK)
				expand_pack(f, b, in);
			else if (useless_move(f, in))
				px_remove(b, in);
		}
}

/* ---- used registers ---- */

static void used_registers(struct px_func *f, uint8_t *used)
{
	px_val *r[PX_MAX_REFS];
	unsigned n, k, w;

	PX_FOR_BLOCKS(f, b)
		PX_FOR_INSNS(b, in) {
			n = px_writes(in, r);
			n += px_reads(in, r + n);
			for (k = 0; k < n; k++) {
				const struct px_value *v = px_value(f, *r[k]);

				for (w = 0; w < v->width && v->reg >= 0; w++)
					used[v->reg + (int)w] = 1;
			}
		}
}

static void lay_out(struct px_func *f, uint32_t saved)
{
	uint64_t at = px_align(f->out_bytes, 16);
	uint32_t i;

	for (i = 0; i < f->num_slots; i++) {
		struct px_slot *s = &f->slots[i];

		if (s->kind != SLOT_LOCAL || !s->used)
			continue;
		at = px_align(at, s->align > 16 ? 16 : s->align);
		s->offset = at;
		at += s->size;
	}
	f->saved_slot = (uint32_t)px_align(at, 4);
	at = px_align(f->saved_slot + 4ull * saved, 16);
	if (at > PX_MAX_FRAME) {
		px_error(f->px, f->loc, "'%s' needs %llu bytes of local memory, the most is %u",
			 f->name->s, (unsigned long long)at, PX_MAX_FRAME);
		at = 0;
	}
	f->frame_bytes = (uint32_t)at;
	for (i = 0; i < f->num_slots; i++)
		if (f->slots[i].kind == SLOT_IN)
			f->slots[i].offset += f->frame_bytes;
}

static struct px_insn *sp_insn(struct px_func *f, unsigned op)
{
	struct px_insn *i = px_new_insn(f, op, PPU_T_U32);

	i->d = f->sp;
	i->s[0] = px_reg(f->sp);
	i->s[1] = px_imm(f->frame_bytes);
	return i;
}

static struct px_insn *saved_insn(struct px_func *f, unsigned op, unsigned reg, uint32_t n)
{
	struct px_insn *i = px_new_insn(f, op, PPU_T_U32);
	px_val *v = px_alloc(&f->px->arena, sizeof(*v));

	*v = px_fixed_val(f, 1, reg);
	i->m = PPU_SPACE_LOCAL;
	i->s[0] = px_reg(f->sp);
	i->off = f->saved_slot + 4 * n;
	if (op == PPU_OP_LD) {
		i->xd = v;
		i->nxd = 1;
	} else {
		i->xs = v;
		i->nxs = 1;
	}
	return i;
}

static void epilogue(struct px_func *f, struct px_block *b, const uint8_t *used)
{
	struct px_insn *ret = b->last;
	unsigned r;
	uint32_t n = 0;

	for (r = PX_ABI_FIRST_SAVED; r < PPU_NUM_REGS; r++)
		if (used[r])
			px_insert_before(b, ret, saved_insn(f, PPU_OP_LD, r, n++));
	if (f->frame_bytes)
		px_insert_before(b, ret, sp_insn(f, PPU_OP_ADD));
}

static void prologue(struct px_func *f, const uint8_t *used)
{
	struct px_block *b = f->entry;
	struct px_insn *first = b->first;
	unsigned r;
	uint32_t n = 0;

	if (f->frame_bytes)
		px_insert_before(b, first, sp_insn(f, PPU_OP_SUB));
	for (r = PX_ABI_FIRST_SAVED; !f->kernel && r < PPU_NUM_REGS; r++)
		if (used[r])
			px_insert_before(b, first, saved_insn(f, PPU_OP_ST, r, n++));
}

void px_pass_frame(struct px_func *f)
{
	uint8_t used[PPU_NUM_REGS + 4] = { 0 };
	uint32_t saved = 0;
	unsigned r;

	tidy_moves(f);
	used_registers(f, used);
	for (r = 0; r < PPU_NUM_REGS; r++) {
		if (used[r])
			f->regs_used = r + 1;
		if (used[r] && r >= PX_ABI_FIRST_SAVED && !f->kernel)
			saved++;
	}
	if (f->regs_used < 2)
		f->regs_used = 2;
	lay_out(f, saved);
	PX_FOR_BLOCKS(f, b)
		if (!f->kernel && b->last && b->last->op == PPU_OP_RET)
			epilogue(f, b, used);
	prologue(f, used);
}
