/* SPDX-License-Identifier: MIT */
/* Makes instruction words, relocations and lines from IR with assigned registers. */
#include <string.h>
#include <hw/ppu_isa_check.h>
#include "compiler/ptx/back/px_encode.h"
#include "compiler/ptx/ir/px_object.h"

struct enc {
	struct px_func *f;
	struct px_object *o;
	struct fix { uint32_t pc; struct px_block *to; } *fix;
	uint32_t nfix, capfix;
	uint32_t line, file, col;
	uint32_t mark;
	bool failed;
};

static unsigned gpr(const struct enc *e, px_val v)
{
	return v ? (unsigned)px_value(e->f, v)->reg & 255 : PPU_RZ;
}

static unsigned preg(const struct enc *e, px_val v)
{
	return v ? (unsigned)px_value(e->f, v)->reg & 15 : PPU_PT;
}

/* Does the instruction's format have field f?  The names of fields come from the ISA's lists. */
#define HAS(in, f)	(strstr(fields[px_format((in)->op)], " " #f " ") != NULL)
static const char *const fields[PPU_FMT_COUNT] = {
#define F(name, list, syntax) [PPU_FMT_##name] = " " list " ",
	PPU_FORMATS(F)
#undef F
};

static void reloc(struct enc *e, unsigned kind, uint32_t sym, int64_t addend)
{
	struct ppu_reloc r = { .kind = kind, .symbol = sym, .where = e->o->num_insns,
			       .addend = addend };

	PX_PUSH(&e->f->px->arena, e->o->relocs, e->o->num_relocs, e->o->cap_relocs, r);
}

static void add_line(struct enc *e, uint32_t file, uint32_t line, uint32_t col)
{
	struct ppu_line l = { e->o->num_insns, file, line, col };

	PX_PUSH(&e->f->px->arena, e->o->lines, e->o->num_lines, e->o->cap_lines, l);
}

/* Where a function begins whose first instruction comes from another file is a line of its own, without an instruction. */
static void note_line(struct enc *e, const struct px_insn *in)
{
	bool first = !e->line;

	if (!in || !in->line || in->file >= e->o->num_files)
		return;
	if (in->line == e->line && in->file == e->file && in->col == e->col)
		return;
	e->line = in->line;
	e->file = in->file;
	e->col = in->col;
	if (e->o->num_lines && e->o->lines[e->o->num_lines - 1].pc == e->o->num_insns)
		e->o->num_lines--;	/* it marked the end of the previous function's lines */
	if (first && e->f->line && e->f->file != in->file)
		add_line(e, e->f->file, e->f->line, e->f->col);
	add_line(e, in->file, in->line, in->col);
}

/* Which part of the PTX an instruction comes from, for debug sections; without them all marks are 0. */
static void note_mark(struct enc *e, const struct px_insn *in)
{
	struct ppu_debug_mark m = { e->o->num_insns, in->mark };

	if (in->mark == e->mark)
		return;
	e->mark = in->mark;
	PX_PUSH(&e->f->px->arena, e->o->marks, e->o->num_marks, e->o->cap_marks, m);
}

static void put(struct enc *e, const struct ppu_insn *w)
{
	if (e->o->num_insns > PPU_PC_MAX) {
		if (!e->failed)
			px_error(e->f->px, e->f->loc, "the module has more than 2^22 instructions");
		e->failed = true;
		return;
	}
	PX_PUSH(&e->f->px->arena, e->o->code, e->o->num_insns, e->o->cap_insns, *w);
}

static void start(struct ppu_insn *w, unsigned op)
{
	w->lo = w->hi = 0;
	PPU_SET(w, OP, op);
	PPU_SET(w, GP, PPU_PT);
	PPU_SET(w, D, 0);
	if (op == PPU_OP_MOVI64)
		return;
	PPU_SET(w, PD, 15);
	PPU_SET(w, PE, 15);
	PPU_SET(w, PS, PPU_PT);
}

static void guard(const struct enc *e, struct ppu_insn *w, struct px_predref g)
{
	if (!g.v)
		return;
	PPU_SET(w, GP, preg(e, g.v));
	PPU_SET(w, GN, g.neg);
}

/* A branch or push whose target is a block. */
static void put_jump(struct enc *e, unsigned op, struct px_predref g, struct px_block *to)
{
	struct fix fx = { e->o->num_insns, to };
	struct ppu_insn w;

	start(&w, op);
	guard(e, &w, g);
	PX_PUSH(&e->f->px->arena, e->fix, e->nfix, e->capfix, fx);
	put(e, &w);
}

static unsigned operand_reg(const struct enc *e, const struct px_opnd *o)
{
	return o->kind == PO_REG ? gpr(e, o->v) + o->sub : PPU_RZ;
}

static void set_operands(struct enc *e, const struct px_insn *in, struct ppu_insn *w)
{
	if (HAS(in, D))
		PPU_SET(w, D, in->nxd && in->op == PPU_OP_LD ? gpr(e, in->xd[0]) : gpr(e, in->d));
	if (HAS(in, A) && in->op != PPU_OP_PLOP)
		PPU_SET(w, A, operand_reg(e, &in->s[0]));
	if (HAS(in, B))
		PPU_SET(w, B, in->op == PPU_OP_ST ? gpr(e, in->xs[0]) : operand_reg(e, &in->s[1]));
	if (HAS(in, C))
		PPU_SET(w, C, operand_reg(e, &in->s[2]));
	if (HAS(in, NA) && in->op != PPU_OP_PLOP)
		PPU_SET(w, NA, in->s[0].neg);
	if (HAS(in, NB))
		PPU_SET(w, NB, in->s[1].neg);
	if (HAS(in, NC))
		PPU_SET(w, NC, in->s[2].neg);
	if (HAS(in, AA))
		PPU_SET(w, AA, in->s[0].abs);
	if (HAS(in, AB))
		PPU_SET(w, AB, in->s[1].abs);
	if (HAS(in, PD))
		PPU_SET(w, PD, in->pd ? preg(e, in->pd) : 15);
	if (HAS(in, PE))
		PPU_SET(w, PE, in->pe ? preg(e, in->pe) : 15);
	if (HAS(in, PS)) {
		PPU_SET(w, PS, preg(e, in->ps.v));
		PPU_SET(w, PSN, in->ps.neg);
	}
	if (in->op == PPU_OP_PLOP && in->m != PPU_PLOP_MOV) {
		PPU_SET(w, A, preg(e, in->pq.v));
		PPU_SET(w, NA, in->pq.neg);
	} else if (in->op == PPU_OP_PLOP) {
		PPU_SET(w, A, PPU_PT);
	}
}

static void set_mods(const struct px_insn *in, struct ppu_insn *w)
{
	if (HAS(in, T))
		PPU_SET(w, T, in->t);
	if (HAS(in, U))
		PPU_SET(w, U, in->u);
	if (HAS(in, RND))
		PPU_SET(w, RND, in->rnd);
	if (HAS(in, FTZ))
		PPU_SET(w, FTZ, in->ftz);
	if (HAS(in, SAT))
		PPU_SET(w, SAT, in->sat);
	if (HAS(in, M))
		PPU_SET(w, M, in->m);
	if (HAS(in, X))
		PPU_SET(w, X, in->x);
	if (HAS(in, Y))
		PPU_SET(w, Y, in->y);
}

/* The immediate of operand `slot` as 32 bits. */
static uint32_t imm_bits(const struct px_insn *in, unsigned slot)
{
	int64_t imm = in->s[slot].imm;

	if (in->t == PPU_T_F64 && px_src_width(in, slot) == 2)
		return (uint32_t)(imm >> 32);
	if (in->t == PPU_T_F16X2 || in->t == PPU_T_BF16X2)
		return (uint32_t)imm;
	return (uint32_t)imm;
}

static void set_imm(struct enc *e, const struct px_insn *in, struct ppu_insn *w)
{
	const struct px_func *f = e->f;
	bool memory = in->op == PPU_OP_LD || in->op == PPU_OP_ST || in->op == PPU_OP_ATOM ||
		      in->op == PPU_OP_PREFETCH;
	int64_t off = in->off;

	if (in->ref == REF_SLOT)
		off = px_add(off, (int64_t)f->slots[in->sym].offset);
	if (memory) {
		PPU_SET(w, IMM, off);
	} else if (in->op == PPU_OP_S2R) {
		PPU_SET(w, IMM, in->s[1].imm);
	} else if (in->op == PPU_OP_SHFL) {
		PPU_SET(w, BI, in->s[1].kind == PO_IMM);
		PPU_SET(w, CI, in->s[2].kind == PO_IMM);
		PPU_SET(w, IMM, (in->s[1].kind == PO_IMM ? (uint32_t)in->s[1].imm : 0) |
			(in->s[2].kind == PO_IMM ? (uint32_t)in->s[2].imm << 16 : 0));
		if (in->x == 1)
			PPU_SET(w, Y, operand_reg(e, &in->s[3]));
	} else if (in->op == PPU_OP_BAR) {
		PPU_SET(w, BI, in->s[1].kind == PO_IMM);
		PPU_SET(w, X, in->s[0].kind != PO_REG);
		PPU_SET(w, IMM, (in->s[0].kind == PO_IMM ? (uint32_t)in->s[0].imm << 28 : 0) |
			(in->s[1].kind == PO_IMM ? (uint32_t)in->s[1].imm : 0));
	} else if (in->ref == REF_SLOT) {	/* address of a slot: SP + constant */
		PPU_SET(w, BI, 1);
		PPU_SET(w, IMM, off);
	} else if (in->s[1].kind == PO_IMM) {
		PPU_SET(w, BI, 1);
		PPU_SET(w, IMM, imm_bits(in, 1));
	} else if (in->s[2].kind == PO_IMM) {
		PPU_SET(w, CI, 1);
		PPU_SET(w, IMM, imm_bits(in, 2));
	}
}

/* Adds the relocation of an instruction that names a symbol. */
static void set_symbol(struct enc *e, const struct px_insn *in, struct ppu_insn *w)
{
	switch (in->op) {
	case PPU_OP_CAL:
		reloc(e, PPU_REL_CODE_PC, in->sym, 0);
		return;
	case PPU_OP_MOVI64:
		if (in->x)		/* address of a function */
			reloc(e, PPU_REL_CODE_PC64, in->sym, in->off);
		else
			reloc(e, PPU_REL_CODE_ABS64, in->sym, in->off);
		w->hi = 0;
		return;
	default:
		reloc(e, PPU_REL_CODE_SHARED, in->sym, in->off);
		if (in->op == PPU_OP_MOV)
			PPU_SET(w, BI, 1);
	}
}

/* Reports modifiers that exist one by one, but not together. */
static void check_word(struct enc *e, const struct px_insn *in, const struct ppu_insn *w)
{
	const char *why = ppu_isa_check(w, PPU_NUM_REGS);

	if (why)
		px_error(e->f->px, in->src.line ? in->src : e->f->loc,
			 "this form of the instruction does not exist (%s: %s)", px_op_name(in->op), why);
}

static void put_insn(struct enc *e, const struct px_insn *in)
{
	struct ppu_insn w;

	note_line(e, in);
	note_mark(e, in);
	if (in->op == PPU_OP_SSY || in->op == PPU_OP_PBRK || in->op == PPU_OP_PCNT) {
		put_jump(e, in->op, in->guard, in->target);
		return;
	}
	start(&w, in->op);
	guard(e, &w, in->guard);
	if (in->op == PPU_OP_MOVI64) {
		PPU_SET(&w, D, gpr(e, in->d));
		w.hi = (uint64_t)in->s[1].imm;
	} else {
		set_operands(e, in, &w);
		set_mods(in, &w);
		set_imm(e, in, &w);
	}
	if (in->op == PPU_OP_CAL || in->op == PPU_OP_CALX)
		PPU_SET(&w, D, gpr(e, in->xd[0]));
	if (in->ref == REF_SYM)
		set_symbol(e, in, &w);
	check_word(e, in, &w);
	put(e, &w);
}

/* Ends the line table of a function: a function without .loc must not get the last line of the previous one. */
static void end_lines(struct px_func *f, struct px_object *o)
{
	struct ppu_line none = { .pc = o->num_insns };

	if (o->num_lines && o->lines[o->num_lines - 1].line)
		PX_PUSH(&f->px->arena, o->lines, o->num_lines, o->cap_lines, none);
}

/* Emits the jump along one edge.  There is none when the target follows and no lanes wait there. */
static void put_edge(struct enc *e, struct px_block *b, unsigned k, struct px_predref g)
{
	unsigned op = b->edge[k] ? b->edge[k] : PPU_OP_BRA;

	if (!b->edge[k] && b->succ[k] == b->next && !g.v)
		return;
	put_jump(e, op, g, b->succ[k]);
}

/*
 * The end of a block with a condition.  The guarded jump of the lanes that wait for others comes first;
 * then the other lanes go on together.
 */
static void put_branch(struct enc *e, struct px_block *b, const struct px_insn *br)
{
	struct px_predref yes = br->guard, no = br->guard;
	bool first1;

	no.neg = !no.neg;
	note_line(e, br);
	note_mark(e, br);
	if (b->edge[0] && !b->edge[1] && b->succ[1]->id <= b->id)
		first1 = true;		/* back to the loop's start: one instruction while all lanes agree */
	else if (b->edge[1])
		first1 = true;
	else if (b->edge[0])
		first1 = false;
	else
		first1 = b->succ[1] != b->next;
	put_edge(e, b, first1 ? 1 : 0, first1 ? yes : no);
	put_edge(e, b, first1 ? 0 : 1, (struct px_predref){ 0 });
}

static void put_block(struct enc *e, struct px_block *b)
{
	b->pc = e->o->num_insns;
	PX_FOR_INSNS(b, in) {
		if (in->op == IR_BR)
			put_branch(e, b, in);
		else
			put_insn(e, in);
	}
	if (!b->last || !px_is_terminator(b->last))
		put_edge(e, b, 0, (struct px_predref){ 0 });
}

bool px_encode(struct px_func *f, struct px_object *o)
{
	struct enc e = { .f = f, .o = o };
	uint32_t first = o->num_insns, i;
	struct ppu_symbol *s;

	end_lines(f, o);
	PX_FOR_BLOCKS(f, b)
		put_block(&e, b);
	if (e.failed)
		return false;
	for (i = 0; i < e.nfix; i++)
		PPU_SET(&o->code[e.fix[i].pc], IMM, e.fix[i].to->pc);
	f->first_pc = first;
	f->num_insns = o->num_insns - first;
	s = &o->syms[f->symbol];
	s->value = first;
	s->num_insns = f->num_insns;
	s->regs = f->regs_used;
	s->frame_bytes = s->local_bytes = f->frame_bytes;
	s->barriers = f->barriers;
	s->shared_bytes = f->shared_bytes;	/* of its own variables; the module's part is added at the end */
	return true;
}
