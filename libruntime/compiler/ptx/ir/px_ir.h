/* SPDX-License-Identifier: MIT */
/*
 * The IR: PPU instructions over virtual registers, in basic blocks with explicit edges.
 *
 * - A virtual register ("value") is a container of 1, 2 or 4 machine registers or one predicate.
 *   Fixed values (fixed >= 0) are machine registers that the ABI names.
 * - The IR is not SSA.  A value with one unguarded definition that dominates every use has ssa set
 *   (px_pass_ssa); copy propagation and folding rewrite only such values.
 * - A block holds instructions in a list.  The only control flow in the middle of a block is a
 *   guarded EXIT (lanes end there) and calls.  The end of a block is:
 *     a conditional branch (IR_BR, guarded): succ[0] not taken, succ[1] taken;
 *     EXIT or RET, not guarded: no successor;
 *     nothing: succ[0].
 * - edge[i] is how the branch along succ[i] is made: 0 (BRA or fall through) or PPU_OP_SYNC, BRK,
 *   CONT, when reconvergence is placed.
 */
#ifndef PX_IR_H
#define PX_IR_H

#include "compiler/ptx/ir/px_util.h"

typedef uint32_t px_val;	/* number of a value; 0 none */

enum {
	IR_BR = 0xe0,	/* conditional branch; encoded as BRA or a disable instruction */
	IR_PACK,	/* d = s[0], s[1], ... side by side; becomes moves after register allocation */
};

enum px_opnd_kind { PO_NONE /* RZ */, PO_REG, PO_IMM };

struct px_opnd {
	uint8_t kind;
	uint8_t sub;		/* first machine register inside the value */
	bool neg, abs;
	px_val v;
	int64_t imm;		/* the value in its type's form: bits of an f32 or f64, an integer */
};

struct px_predref {
	px_val v;		/* 0: PT */
	bool neg;
};

struct px_block;

/* Where an instruction's immediate comes from. */
enum px_ref {
	REF_NONE,
	REF_SYM,	/* symbol + off: relocation */
	REF_SLOT,	/* frame slot + off: added to the stack pointer in s[0] */
};

struct px_insn {
	struct px_insn *next, *prev;
	uint8_t op;		/* PPU_OP_* or IR_* */
	uint8_t t, u, rnd, m, x, y;
	bool ftz, sat;
	uint8_t ref;		/* enum px_ref */
	struct px_predref guard;
	px_val d;
	struct px_opnd s[4];	/* a b c, and the member mask register of SHFL */
	px_val pd, pe;
	struct px_predref ps, pq;	/* pq: the predicate in field a of PLOP */
	px_val *xd, *xs;	/* LD destinations, ST sources (consecutive); CAL results, args */
	uint8_t nxd, nxs;
	uint32_t sym;		/* REF_SYM: image symbol, REF_SLOT: slot */
	int64_t off;		/* memory offset, addend */
	struct px_block *target;	/* of SSY, PBRK, PCNT */
	uint32_t pos;		/* number of the instruction, set by each pass that needs one */
	uint32_t line, file, col;	/* from .loc */
	uint32_t mark;		/* labels before it, with debug sections */
	struct px_loc src;	/* in the PTX text */
};

struct px_value {
	uint8_t width;		/* machine registers; 0: predicate */
	bool ssa;
	bool divergent;
	bool nospill;		/* made by the spiller */
	bool scoped;		/* the definition is guarded, and all reads are behind it under the same guard */
	int16_t fixed;		/* machine register, -1 none */
	int16_t reg;		/* assigned */
	uint32_t defs;		/* number of definitions */
	uint32_t uses;
	struct px_insn *def;	/* one of the definitions */
	struct px_block *def_block;
	struct px_str *name;	/* of the PTX register, or NULL */
};

struct px_edge_list {
	struct px_block **v;
	uint32_t n, cap;
};

struct px_block {
	struct px_block *next;		/* layout order */
	struct px_block *alias;		/* two names for one label */
	struct px_insn *first, *last;
	struct px_block *succ[2];
	uint8_t edge[2];
	struct px_edge_list preds;
	uint32_t id;			/* dense number in layout order */
	uint32_t rpo;			/* reverse postorder number */
	bool reachable, ended;
	struct px_str *label;
	/* dominators */
	struct px_block *idom, *ipdom;
	uint32_t dom_in, dom_out;
	/* loops */
	struct px_loop *loop;		/* innermost */
	/* divergence and reconvergence */
	bool divergent;			/* ends with a branch whose lanes may disagree */
	uint32_t mark;
	/* encoding */
	uint32_t pc;
	uint32_t start, end;		/* positions */
};

struct px_loop {
	struct px_loop *parent, *next;
	struct px_block *header;	/* the only entry of a reducible loop, one of several entries of another */
	uint32_t depth;			/* outermost 1 */
	bool irreducible;
	bool bounded;			/* needs no YIELD */
	bool divergent_exit;
	uint32_t in, out;		/* numbers in the loop tree: inner ones are in [in, out] */
	uint32_t size, next_in;
	struct px_loop *jump;		/* a loop around it farther away, so that a search needs few steps */
	/* px_pass_reconv(): of the blocks with edges from outside, least dom_in, greatest dom_out; a common dominator */
	uint32_t entry_in, entry_out;
	struct px_block *entry;
	struct px_loop *up;		/* for walks: a loop around it; those between them were seen */
	bool seen;
	struct px_edge_list blocks;	/* without those of inner loops */
};

enum px_slot_kind { SLOT_LOCAL, SLOT_OUT /* outgoing call area */, SLOT_IN /* incoming */ };

struct px_slot {
	uint8_t kind;
	bool used;
	uint32_t size, align;
	uint64_t offset;	/* OUT, IN: given; LOCAL: by layout */
};

struct px_func {
	struct px *px;
	struct px_str *name;
	struct px_loc loc;
	uint32_t file, line, col;	/* of the first .loc, maybe of no instruction; line 0: none */
	bool kernel;
	uint32_t symbol;	/* in the image */
	struct px_value *vals;
	uint32_t num_vals, cap_vals;
	px_val sp;
	px_val link;		/* functions: return index */
	struct px_block *entry, *last;	/* layout list */
	uint32_t num_blocks;
	struct px_block **order;	/* reverse postorder, num_order */
	uint32_t num_order;
	struct px_loop *loops;
	uint32_t num_loops;
	struct px_slot *slots;
	uint32_t num_slots, cap_slots;
	uint32_t out_bytes;	/* outgoing argument area */
	uint32_t max_regs;
	bool has_calls;
	bool exact;		/* a debugger looks at the variables: only translate */
	/* results */
	uint32_t frame_bytes, regs_used, preds_used;
	uint32_t barriers;
	uint32_t shared_bytes;	/* kernels: of their own variables; the module's variables come before */
	uint32_t first_pc, num_insns;
	uint32_t saved_slot;	/* callee-saved registers */
};

/* Construction (px_ir.c). */
px_val px_new_val(struct px_func *f, unsigned width, struct px_str *name);
px_val px_fixed_val(struct px_func *f, unsigned width, unsigned reg);
struct px_block *px_new_block(struct px_func *f, struct px_str *label);
void px_place_block(struct px_func *f, struct px_block *b);	/* at the end of the layout */
struct px_insn *px_new_insn(struct px_func *f, unsigned op, unsigned t);
void px_append(struct px_block *b, struct px_insn *in);
void px_insert_before(struct px_block *b, struct px_insn *at, struct px_insn *in);
void px_insert_after(struct px_block *b, struct px_insn *at, struct px_insn *in);
void px_remove(struct px_block *b, struct px_insn *in);
uint32_t px_new_slot(struct px_func *f, unsigned kind, uint32_t size, uint32_t align);

static inline struct px_value *px_value(const struct px_func *f, px_val v)
{
	return &f->vals[v];
}

static inline struct px_opnd px_reg(px_val v)
{
	return (struct px_opnd){ .kind = PO_REG, .v = v };
}

static inline struct px_opnd px_sub(px_val v, unsigned sub)
{
	return (struct px_opnd){ .kind = PO_REG, .v = v, .sub = (uint8_t)sub };
}

static inline struct px_opnd px_imm(int64_t imm)
{
	return (struct px_opnd){ .kind = PO_IMM, .imm = imm };
}

/* Every place of an instruction that reads or writes a value. */
#define PX_MAX_REFS	(4 + 3 + 255)
unsigned px_reads(struct px_insn *in, px_val **out);
unsigned px_writes(struct px_insn *in, px_val **out);

bool px_has_effect(const struct px_insn *in);	/* must stay even if nothing reads its result */
bool px_is_terminator(const struct px_insn *in);
/* How many machine registers operand slot i (0..2: a b c) has, and the destination, as the ISA says. */
unsigned px_src_width(const struct px_insn *in, unsigned i);
unsigned px_dst_width(const struct px_insn *in);
unsigned px_type_width(unsigned t);
unsigned px_elem_width(const struct px_insn *in);	/* LD, ST: registers of one element */
/* May operand slot i be the immediate imm? */
bool px_imm_ok(const struct px_insn *in, unsigned i, int64_t imm);
unsigned px_format(unsigned op);
const char *px_op_name(unsigned op);

#define PX_FOR_BLOCKS(f, b)	for (struct px_block *b = (f)->entry; b; b = b->next)
#define PX_FOR_INSNS(b, i)	for (struct px_insn *i = (b)->first; i; i = i->next)

static inline bool px_dominates(const struct px_block *a, const struct px_block *b)
{
	return a->dom_in <= b->dom_in && b->dom_out <= a->dom_out;
}

/* Does loop l (NULL: the whole function) contain b? */
static inline bool px_in_loop(const struct px_loop *l, const struct px_block *b)
{
	return !l || (b->loop && l->in <= b->loop->in && b->loop->in <= l->out);
}

/* The outermost loop around l, or l itself, that does not contain b (NULL: the outermost of all); NULL: l has b. */
static inline struct px_loop *px_loop_without(struct px_loop *l, const struct px_block *b)
{
	if (!l || (b && px_in_loop(l, b)))
		return NULL;
	while (l->parent && !(b && px_in_loop(l->parent, b)))
		l = l->jump && !(b && px_in_loop(l->jump, b)) ? l->jump : l->parent;
	return l;
}

#endif
