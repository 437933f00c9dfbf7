/* SPDX-License-Identifier: MIT */
/*
 * Addresses in the shared memory of the CTAs of a cluster: the rank + 1 stands in bits 31:24 of an offset and of a generic
 * address, and 0 there is the CTA itself (include/hw/ppu_tmd.h).
 */
#include <hw/ppu_tmd.h>
#include "compiler/ptx/lower/px_low_cluster.h"

static px_val own_rank(struct px_module *m)
{
	struct px_insn *i = px_temp(m, PPU_OP_S2R, PPU_T_NONE);

	i->s[1] = px_imm(PPU_SR_CLUSTER_CTARANK);
	return i->d = px_tmp(m, 1);
}

/* mapa d, a, rank: the same place in the shared memory of another CTA. */
void px_low_mapa(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in), w = px_bits_width(pt);
	unsigned t = w == 2 ? PPU_T_U64 : PPU_T_U32;
	px_val a, number;
	struct px_insn *i;

	if (!pt)
		return;
	a = px_force_reg(m, px_src(m, in, 1, pt), w);
	number = px_force_reg(m, px_src(m, in, 2, PT_U32), 1);
	number = px_binary(m, PPU_OP_ADD, PPU_T_U32, number, px_imm(1));
	if (w == 2) {
		i = px_temp(m, PPU_OP_CVT, PPU_T_U64);
		i->u = PPU_T_U32;
		i->s[0] = px_reg(number);
		i->d = number = px_tmp(m, 2);
	}
	i = px_emit(m, in, PPU_OP_BFI, t);
	i->s[0] = px_reg(number);
	i->s[1] = px_reg(a);
	i->s[2] = px_imm(PPU_CLUSTER_SHIFT | 8 << 8);
	i->d = px_dst(m, in, 0, pt);
}

static px_val number_of(struct px_module *m, px_val a)
{
	struct px_insn *i = px_temp(m, PPU_OP_SHR, PPU_T_U32);

	i->s[0] = px_sub(a, 0);
	i->s[1] = px_imm(PPU_CLUSTER_SHIFT);
	return i->d = px_tmp(m, 1);
}

/* getctarank d, a: whose shared memory an address is in. */
void px_low_getctarank(struct px_module *m, const struct px_inst *in)
{
	unsigned pt = px_one_type(m, in);
	px_val number, own, theirs;
	struct px_insn *i;

	if (!pt)
		return;
	number = number_of(m, px_force_reg(m, px_src(m, in, 1, pt), px_bits_width(pt)));
	own = own_rank(m);
	theirs = px_binary(m, PPU_OP_SUB, PPU_T_U32, number, px_imm(1));
	i = px_temp(m, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_EQ;
	i->s[0] = px_reg(number);
	i->s[1] = px_imm(0);
	i->pd = px_tmp(m, 0);
	number = i->pd;
	i = px_emit(m, in, PPU_OP_SEL, PPU_T_U32);
	i->s[0] = px_reg(own);
	i->s[1] = px_reg(theirs);
	i->ps.v = number;
	i->d = px_dst(m, in, 0, PT_U32);
}

void px_low_isspacep_cta(struct px_module *m, const struct px_inst *in)
{
	px_val a = px_force_reg(m, px_src(m, in, 1, PT_U64), 2), number = number_of(m, a);
	px_val mine = px_binary(m, PPU_OP_ADD, PPU_T_U32, own_rank(m), px_imm(1)), none, other, window;
	struct px_insn *i;

	/* 0 if the number is 0 or the CTA's own. */
	other = px_binary(m, PPU_OP_XOR, PPU_T_U32, number, px_reg(mine));
	none = px_binary(m, PPU_OP_MIN, PPU_T_U32, number, px_reg(other));
	i = px_temp(m, PPU_OP_ISSPACE, PPU_T_NONE);
	i->m = PPU_SPACE_SHARED;
	i->s[0] = px_reg(a);
	i->pd = window = px_tmp(m, 0);
	i = px_emit(m, in, PPU_OP_SETP, PPU_T_U32);
	i->m = PPU_CMP_EQ;
	i->s[0] = px_reg(none);
	i->s[1] = px_imm(0);
	i->ps.v = window;
	i->pd = px_pred_dst(m, &in->o[0]);
}
