/* SPDX-License-Identifier: MIT */
/* The passes, in the order in which passes.c runs them. */
#ifndef PX_PASS_H
#define PX_PASS_H

#include "compiler/ptx/front/ptx.h"

void px_pass_cfg(struct px_func *f);	/* edges, reverse postorder; drops unreachable blocks */
void px_pass_exits(struct px_func *f);	/* branches to a block that only exits: EXIT in place */
void px_pass_dom(struct px_func *f);	/* dominators */
void px_pass_ssa(struct px_func *f);	/* definitions, uses, which values are as in SSA */
void px_pass_fold(struct px_func *f);	/* copies, constants, addresses, multiply-add */
void px_pass_dce(struct px_func *f);	/* results nobody reads */
void px_pass_ifconv(struct px_func *f);	/* tiny bodies of branches: predicated */
void px_pass_loops(struct px_func *f);	/* loop nest */
void px_pass_bounds(struct px_func *f);	/* which loops end by counting */
void px_pass_yield(struct px_func *f);	/* YIELD in the others */
void px_pass_preheaders(struct px_func *f);	/* a block before every loop */
void px_pass_pdom(struct px_func *f);	/* immediate post-dominators */
void px_pass_diverge(struct px_func *f);	/* which branches may diverge */
void px_pass_exits_late(struct px_func *f);	/* the same for divergent ends of loops */
void px_pass_reconv(struct px_func *f);	/* SSY/SYNC, PBRK/BRK, PCNT/CONT */
void px_pass_legal(struct px_func *f);	/* operands as the ISA can have them */
bool px_pass_regalloc(struct px_func *f);	/* false: reported */
void px_pass_frame(struct px_func *f);	/* stack frame, callee-saved registers, moves */
bool px_encode(struct px_module *m, struct px_func *f);

/* A graph for px_idoms(): nodes 0..n-1; idom[root] = root, ~0 for nodes not reached. */
struct px_graph {
	uint32_t n;
	uint32_t *succ_at, *succ, *pred_at, *pred;
};
void px_make_graph(struct px_arena *a, struct px_graph *g, uint32_t n, const uint32_t (*edge)[2],
		   uint32_t count);
void px_idoms(struct px_arena *a, const struct px_graph *g, uint32_t root, uint32_t *idom);

static inline bool px_dominates(const struct px_block *a, const struct px_block *b)
{
	return a->dom_in <= b->dom_in && b->dom_out <= a->dom_out;
}

/* Does loop l (NULL: the whole function) contain b? */
static inline bool px_in_loop(const struct px_loop *l, const struct px_block *b)
{
	return !l || (b->loop && l->in <= b->loop->in && b->loop->in <= l->out);
}

#define PX_FOR_BLOCKS(f, b)	for (struct px_block *b = (f)->entry; b; b = b->next)
#define PX_FOR_INSNS(b, i)	for (struct px_insn *i = (b)->first; i; i = i->next)

#endif
