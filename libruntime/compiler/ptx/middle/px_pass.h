/* SPDX-License-Identifier: MIT */
/* The passes over a function's IR, in the order in which px_func.c first runs them. */
#ifndef PX_PASS_H
#define PX_PASS_H

#include "compiler/ptx/ir/px_ir.h"

void px_pass_cfg(struct px_func *f);	/* edges, reverse postorder; drops unreachable blocks */
void px_pass_exits(struct px_func *f);	/* EXIT in place of branches to a block that only exits */
void px_pass_dom(struct px_func *f);	/* dominators */
void px_pass_ssa(struct px_func *f);	/* definitions, uses, which values have one definition only (px_ir.h) */
void px_pass_fold(struct px_func *f);	/* copies, constants, addresses, multiply-add */
void px_pass_dce(struct px_func *f);	/* removes instructions whose results nobody reads */
void px_pass_ifconv(struct px_func *f);	/* tiny bodies of branches become predicated */
void px_pass_loops(struct px_func *f);	/* loop nest */
void px_pass_bounds(struct px_func *f);	/* which loops end by counting */
void px_pass_yield(struct px_func *f);	/* YIELD in all other loops */
void px_pass_preheaders(struct px_func *f);	/* a block before every loop */
void px_pass_pdom(struct px_func *f);	/* immediate post-dominators */
void px_pass_diverge(struct px_func *f);	/* which branches may diverge */
void px_pass_exits_late(struct px_func *f);	/* guarded EXITs in place of divergent branches to an exit */
void px_pass_reconv(struct px_func *f);	/* SSY/SYNC, PBRK/BRK, PCNT/CONT */
void px_pass_legal(struct px_func *f);	/* operands as the ISA can have them */

#endif
