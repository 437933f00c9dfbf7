/* SPDX-License-Identifier: MIT */
/* Makes operands that the ISA allows: constants that do not fit go to registers. */
#include "compiler/ptx/middle/px_opt.h"
#include "compiler/ptx/middle/px_pass.h"

#define RECENT	8	/* constants of the block that are remembered because they are in registers */

struct recent {
	int64_t imm[RECENT];
	px_val v[RECENT];
	unsigned w[RECENT], next;
};

static void to_register(struct px_func *f, struct px_block *b, struct px_insn *in, unsigned slot,
			struct recent *rc)
{
	unsigned w = px_src_width(in, slot), k;
	int64_t imm = w == 2 ? in->s[slot].imm : (int64_t)(uint32_t)in->s[slot].imm;
	struct px_insn *mov;

	for (k = 0; k < RECENT; k++)
		if (rc->v[k] && rc->imm[k] == imm && rc->w[k] == w) {
			in->s[slot] = px_reg(rc->v[k]);
			return;
		}
	mov = px_new_insn(f, w == 2 ? PPU_OP_MOVI64 : PPU_OP_MOV, w == 2 ? PPU_T_NONE : PPU_T_U32);
	mov->s[1] = px_imm(imm);
	mov->d = px_new_val(f, w, NULL);
	px_insert_before(b, in, mov);
	in->s[slot] = px_reg(mov->d);
	k = rc->next++ % RECENT;
	rc->imm[k] = imm;
	rc->v[k] = mov->d;
	rc->w[k] = w;
}

static bool takes_rz(const struct px_insn *in, unsigned slot)
{
	return in->op != PPU_OP_BAR && in->op != PPU_OP_S2R && in->op != PPU_OP_MOVI64 &&
	       in->op != PPU_OP_MOV && in->op != IR_PACK && in->ref == REF_NONE && slot < 3 &&
	       !(in->op == PPU_OP_SHFL && slot > 0);
}

static void legal_insn(struct px_func *f, struct px_block *b, struct px_insn *in,
		       struct recent *rc)
{
	static const uint8_t order[] = { 2, 1, 0, 3 };
	unsigned k;

	px_swap_const(in);
	for (k = 0; k < 4; k++) {
		unsigned slot = order[k];

		if (in->s[slot].kind != PO_IMM || px_imm_ok(in, slot, in->s[slot].imm))
			continue;
		if (!in->s[slot].imm && takes_rz(in, slot))
			in->s[slot] = (struct px_opnd){ 0 };
		else
			to_register(f, b, in, slot, rc);
	}
	if (in->op == PPU_OP_ATOM && in->u != PPU_ATOM_CAS)
		in->s[2] = (struct px_opnd){ 0 };
}

void px_pass_legal(struct px_func *f)
{
	PX_FOR_BLOCKS(f, b) {
		struct recent rc = { .next = 0 };

		PX_FOR_INSNS(b, in)
			legal_insn(f, b, in, &rc);
	}
}
