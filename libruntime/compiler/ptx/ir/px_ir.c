/* SPDX-License-Identifier: MIT */
/* Construction of the IR, and what the ISA says about operands. */
#include <string.h>
#include "compiler/ptx/ir/px_ir.h"

px_val px_new_val(struct px_func *f, unsigned width, struct px_str *name)
{
	struct px_value v = { .width = (uint8_t)width, .name = name, .fixed = -1, .reg = -1 };

	PX_PUSH(&f->px->arena, f->vals, f->num_vals, f->cap_vals, v);
	return f->num_vals - 1;
}

px_val px_fixed_val(struct px_func *f, unsigned width, unsigned reg)
{
	px_val v = px_new_val(f, width, NULL);

	f->vals[v].fixed = f->vals[v].reg = (int16_t)reg;
	return v;
}

struct px_block *px_new_block(struct px_func *f, struct px_str *label)
{
	struct px_block *b = px_alloc(&f->px->arena, sizeof(*b));

	b->label = label;
	return b;
}

void px_place_block(struct px_func *f, struct px_block *b)
{
	if (f->last)
		f->last->next = b;
	else
		f->entry = b;
	f->last = b;
	b->id = f->num_blocks++;
}

struct px_insn *px_new_insn(struct px_func *f, unsigned op, unsigned t)
{
	struct px_insn *in = px_alloc(&f->px->arena, sizeof(*in));

	in->op = (uint8_t)op;
	in->t = (uint8_t)t;
	return in;
}

void px_append(struct px_block *b, struct px_insn *in)
{
	in->next = NULL;
	in->prev = b->last;
	if (b->last)
		b->last->next = in;
	else
		b->first = in;
	b->last = in;
}

void px_insert_before(struct px_block *b, struct px_insn *at, struct px_insn *in)
{
	if (!at) {
		px_append(b, in);
		return;
	}
	in->next = at;
	in->prev = at->prev;
	if (at->prev)
		at->prev->next = in;
	else
		b->first = in;
	at->prev = in;
	if (!in->line) {
		in->line = at->line;
		in->file = at->file;
		in->col = at->col;
	}
	if (!in->src.line)
		in->src = at->src;
	if (!in->mark)
		in->mark = at->mark;
}

void px_insert_after(struct px_block *b, struct px_insn *at, struct px_insn *in)
{
	if (at->next)
		px_insert_before(b, at->next, in);
	else
		px_append(b, in);
	in->line = at->line;
	in->file = at->file;
	in->col = at->col;
	in->src = at->src;
	in->mark = at->mark;
}

void px_remove(struct px_block *b, struct px_insn *in)
{
	if (in->prev)
		in->prev->next = in->next;
	else
		b->first = in->next;
	if (in->next)
		in->next->prev = in->prev;
	else
		b->last = in->prev;
}

uint32_t px_new_slot(struct px_func *f, unsigned kind, uint32_t size, uint32_t align)
{
	struct px_slot s = { .kind = (uint8_t)kind, .size = size, .align = align ? align : 1 };

	PX_PUSH(&f->px->arena, f->slots, f->num_slots, f->cap_slots, s);
	return f->num_slots - 1;
}

unsigned px_reads(struct px_insn *in, px_val **out)
{
	unsigned n = 0, i;

	for (i = 0; i < 4; i++)
		if (in->s[i].kind == PO_REG)
			out[n++] = &in->s[i].v;
	if (in->guard.v)
		out[n++] = &in->guard.v;
	if (in->ps.v)
		out[n++] = &in->ps.v;
	if (in->pq.v)
		out[n++] = &in->pq.v;
	for (i = 0; i < in->nxs; i++)
		if (in->xs[i])
			out[n++] = &in->xs[i];
	return n;
}

unsigned px_writes(struct px_insn *in, px_val **out)
{
	unsigned n = 0, i;

	if (in->d)
		out[n++] = &in->d;
	if (in->pd)
		out[n++] = &in->pd;
	if (in->pe)
		out[n++] = &in->pe;
	for (i = 0; i < in->nxd; i++)
		if (in->xd[i])
			out[n++] = &in->xd[i];
	return n;
}

bool px_is_terminator(const struct px_insn *in)
{
	return in->op == IR_BR || ((in->op == PPU_OP_EXIT || in->op == PPU_OP_RET) && !in->guard.v);
}

/* An ISA table indexed by opcode. */
struct op_info {
	const char *name;
	uint8_t format, xclass;
};

static const struct op_info ops[256] = {
#define I(id, op, mn, fmt, types, xc, doc) [op] = { mn, PPU_FMT_##fmt, PPU_XC_##xc },
	PPU_ISA(I)
#undef I
	[IR_BR] = { "br", PPU_FMT_BR, PPU_XC_CTRL },
	[IR_PACK] = { "pack", PPU_FMT_N0, PPU_XC_ALU },
};

unsigned px_format(unsigned op)
{
	return ops[op & 255].format;
}

const char *px_op_name(unsigned op)
{
	return ops[op & 255].name ? ops[op & 255].name : "?";
}

bool px_has_effect(const struct px_insn *in)
{
	switch (in->op) {
	case PPU_OP_LD:
		return (in->y & 7) != PPU_MO_WEAK;
	case PPU_OP_S2R:	/* a clock that nobody uses need not be read */
		return false;
	default:
		return ops[in->op].xclass == PPU_XC_MEM || ops[in->op].xclass == PPU_XC_CTRL ||
		       ops[in->op].xclass == PPU_XC_WARP;
	}
}

static const uint8_t type_bits[PPU_T_COUNT] = {
#define T(name, code, bits, suffix) [code] = bits,
	PPU_TYPES(T)
#undef T
};

unsigned px_type_width(unsigned t)
{
	unsigned bits = type_bits[t & 15];

	return bits <= 32 ? 1 : bits / 32;
}

unsigned px_elem_width(const struct px_insn *in)
{
	return px_type_width(in->t);
}

static unsigned addr_width(unsigned space)
{
	return PPU_SPACE_IS_64(space) ? 2 : 1;
}

/* IR_PACK: m parts of x registers each. */
unsigned px_dst_width(const struct px_insn *in)
{
	static const uint8_t sreg64[PPU_SR_COUNT] = {
#define S(name, num, is64, text) [num] = is64,
		PPU_SREGS(S)
#undef S
	};

	switch (in->op) {
	case IR_PACK:
		return in->m * in->x;
	case PPU_OP_MOVI64:
		return 2;
	case PPU_OP_S2R:
		return (uint64_t)in->s[1].imm < PPU_SR_COUNT && sreg64[in->s[1].imm] ? 2 : 1;
	case PPU_OP_MULW:
	case PPU_OP_MADW:
		return in->t == PPU_T_U32 || in->t == PPU_T_S32 ? 2 : 1;
	case PPU_OP_POPC:
	case PPU_OP_CLZ:
	case PPU_OP_BFIND:
	case PPU_OP_MATCH:
	case PPU_OP_CVT2:
		return 1;
	case PPU_OP_SET:
		return px_type_width(in->u);
	case PPU_OP_CVTA:
		return in->y && !(in->m == PPU_SPACE_GLOBAL || in->m == PPU_SPACE_CONST) ? 1 : 2;
	default:
		return px_type_width(in->t);
	}
}

unsigned px_src_width(const struct px_insn *in, unsigned i)
{
	switch (in->op) {
	case IR_PACK:
		return in->x;
	case PPU_OP_MADW:
		return i == 2 && (in->t == PPU_T_U32 || in->t == PPU_T_S32) ? 2 : 1;
	case PPU_OP_SHL:
	case PPU_OP_SHR:
	case PPU_OP_BFE:
		return i == 1 ? 1 : px_type_width(in->t);
	case PPU_OP_BFI:
		return i == 2 ? 1 : px_type_width(in->t);
	case PPU_OP_SLCT:
		return i == 2 ? 1 : px_type_width(in->t);
	case PPU_OP_CVT:
		return px_type_width(in->u);
	case PPU_OP_CVTA:
		return !in->y || in->m == PPU_SPACE_GLOBAL || in->m == PPU_SPACE_CONST ?
			(in->y || PPU_SPACE_IS_64(in->m) ? 2 : 1) : 2;
	case PPU_OP_ISSPACE:
	case PPU_OP_TLAUNCH:
		return 2;
	case PPU_OP_LD:
	case PPU_OP_ST:
	case PPU_OP_PREFETCH:
		return addr_width(in->m);
	case PPU_OP_ATOM:
		return i == 0 ? addr_width(in->m) : px_type_width(in->t);
	case PPU_OP_MATCH:
		return i == 0 ? px_type_width(in->t) : 1;
	case PPU_OP_SHFL:
	case PPU_OP_BAR:
	case PPU_OP_VOTE:
	case PPU_OP_REDUX:
	case PPU_OP_WARPSYNC:
	case PPU_OP_BRX:
	case PPU_OP_CALX:
	case PPU_OP_RET:
	case PPU_OP_CVT2:
		return 1;
	default:
		return px_type_width(in->t);
	}
}

static bool imm_fits(unsigned t, int64_t imm)
{
	switch (t) {
	case PPU_T_U64:
	case PPU_T_S64:
		return imm == (int32_t)imm;
	case PPU_T_F64:
		return !(imm & 0xffffffff);
	case PPU_T_B128:
		return false;
	default:
		return true;
	}
}

/* Which formats have an immediate form of operand b and of c. */
static bool has_bi(unsigned fmt)
{
	switch (fmt) {
	case PPU_FMT_D_B: case PPU_FMT_D_AB: case PPU_FMT_D_ABC: case PPU_FMT_CARRY2:
	case PPU_FMT_CARRY3: case PPU_FMT_SEL: case PPU_FMT_SETP: case PPU_FMT_SET:
	case PPU_FMT_BAR: case PPU_FMT_SHFL: case PPU_FMT_B_ONLY:
		return true;
	default:
		return false;
	}
}

static bool has_ci(unsigned fmt)
{
	return fmt == PPU_FMT_D_ABC || fmt == PPU_FMT_CARRY3 || fmt == PPU_FMT_SHFL;
}

bool px_imm_ok(const struct px_insn *in, unsigned i, int64_t imm)
{
	unsigned fmt = px_format(in->op);

	if (in->op == PPU_OP_SHFL)
		return (i == 1 || i == 2) && imm >= 0 && imm <= 0xffff;
	if (in->op == PPU_OP_BAR)
		return i == 1 ? imm >= 0 && imm <= 0xffff :
		       i == 0 && imm >= 0 && imm < 16;
	if (in->op == PPU_OP_S2R || in->op == PPU_OP_MOVI64)
		return i == 1;
	if (in->op == IR_PACK)
		return in->x == 1;
	if (in->op == PPU_OP_ISSPACE || in->op == PPU_OP_TESTP)
		return false;
	if (i == 1 && has_bi(fmt))
		return in->s[2].kind != PO_IMM && imm_fits(px_src_width(in, 1) == 2 ? in->t :
				       px_type_width(in->t) == 2 ? PPU_T_U32 : in->t, imm);
	if (i == 2 && has_ci(fmt)) {
		unsigned t = in->op == PPU_OP_MADW && px_dst_width(in) == 2 ? PPU_T_U64 : in->t;

		if (px_src_width(in, 2) == 1 && px_type_width(t) == 2)
			t = PPU_T_U32;
		return in->s[1].kind != PO_IMM && imm_fits(t, imm);
	}
	return false;
}
