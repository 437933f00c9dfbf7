/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction, as it is in memory, becomes one that can be executed.
 *
 * An instruction that is not legal, also because it names a register the kernel does not have,
 * decodes into one that faults when a thread executes it: one linked image holds kernels of
 * different sizes, and data between functions is nobody's business until it is executed.
 */
#include <string.h>
#include <hw/ppu_isa_check.h>
#include "core/sm/mem/decode.h"
#include "core/sm/mem/storebuf.h"
#include "core/sm/warp.h"

static uint32_t cost_of(const struct ppu_core *core, const struct ppu_dinsn *di)
{
	bool f64 = di->t == PPU_T_F64 || (di->op == PPU_OP_CVT && di->u == PPU_T_F64);

	switch (di->xclass) {
	case PPU_XC_SFU:	return f64 ? 12 : 6;
	case PPU_XC_FP64:	return 3;
	case PPU_XC_MEM:	return core->cfg.cost_mem_cycles;
	case PPU_XC_WARP:	return 2;
	case PPU_XC_ALU:	return f64 ? 3 : 1;
	default:		return 1;
	}
}

/* Handler of an instruction that has no pure function; false: it has one. */
static bool handler_of(unsigned op, uint8_t *handler)
{
	switch (op) {
	case PPU_OP_NOP: case PPU_OP_BRKPT: case PPU_OP_PREFETCH:
		*handler = PPU_H_nop; break;
	case PPU_OP_BRA: case PPU_OP_JMP:
		*handler = PPU_H_bra; break;
	case PPU_OP_BRX: case PPU_OP_JMX:
		*handler = PPU_H_brx; break;
	case PPU_OP_SSY: case PPU_OP_PBRK: case PPU_OP_PCNT: case PPU_OP_PEXIT: case PPU_OP_PUSH:
		*handler = PPU_H_push; break;
	case PPU_OP_SYNC: case PPU_OP_BRK: case PPU_OP_CONT: case PPU_OP_LONGJMP:
	case PPU_OP_DISABLE:
		*handler = PPU_H_disable; break;
	case PPU_OP_EXIT:	*handler = PPU_H_exit; break;
	case PPU_OP_CAL:	*handler = PPU_H_cal; break;
	case PPU_OP_CALX:	*handler = PPU_H_calx; break;
	case PPU_OP_RET:	*handler = PPU_H_ret; break;
	case PPU_OP_YIELD:	*handler = PPU_H_yield; break;
	case PPU_OP_TRAP:	*handler = PPU_H_trap; break;
	case PPU_OP_NANOSLEEP:	*handler = PPU_H_nanosleep; break;
	case PPU_OP_TLAUNCH:	*handler = PPU_H_tlaunch; break;
	case PPU_OP_TSYNC:	*handler = PPU_H_tsync; break;
	case PPU_OP_BAR:	*handler = PPU_H_bar; break;
	case PPU_OP_CLARRIVE:	*handler = PPU_H_clarrive; break;
	case PPU_OP_CLWAIT:	*handler = PPU_H_clwait; break;
	case PPU_OP_WARPSYNC:	*handler = PPU_H_warpsync; break;
	case PPU_OP_VOTE:	*handler = PPU_H_vote; break;
	case PPU_OP_SHFL:	*handler = PPU_H_shfl; break;
	case PPU_OP_MATCH:	*handler = PPU_H_match; break;
	case PPU_OP_REDUX:	*handler = PPU_H_redux; break;
	case PPU_OP_S2R:	*handler = PPU_H_s2r; break;
	case PPU_OP_LD:		*handler = PPU_H_ld; break;
	case PPU_OP_ST:		*handler = PPU_H_st; break;
	case PPU_OP_ATOM:	*handler = PPU_H_atom; break;
	case PPU_OP_MEMBAR:	*handler = PPU_H_membar; break;
	default:
		return false;
	}
	return true;
}

/* Reason (= token type) that a control instruction pushes or disables with; x holds it afterwards,
 * as it does in the generic forms (SIMT-14). */
static unsigned reason_of(unsigned op, unsigned x)
{
	switch (op) {
	case PPU_OP_SSY: case PPU_OP_SYNC:	return PPU_REASON_SYNC;
	case PPU_OP_PBRK: case PPU_OP_BRK:	return PPU_REASON_BRK;
	case PPU_OP_PCNT: case PPU_OP_CONT:	return PPU_REASON_CONT;
	case PPU_OP_PEXIT:			return PPU_REASON_EXIT;
	case PPU_OP_LONGJMP:			return PPU_REASON_LONGJMP;
	default:				return x;
	}
}

static bool has_target(unsigned op)
{
	switch (ppu_isa_info(op)->fmt) {
	case PPU_FMT_BR: case PPU_FMT_PUSHL: case PPU_FMT_DISL: case PPU_FMT_CALL:
		return true;
	default:
		return false;
	}
}

void ppu_decode(const struct ppu_core *core, const struct ppu_insn *in, uint32_t n, uint32_t nregs,
		struct ppu_dinsn *di)
{
	const struct ppu_isa_info *info = ppu_isa_info(PPU_GET(in, OP));
	unsigned zero = PPU_ROW_ZERO(nregs), sink = PPU_ROW_SINK(nregs);
	uint8_t w[4];

	memset(di, 0, sizeof(*di));
	di->op = PPU_GET(in, OP);
	di->xclass = info->xclass;
	di->always = 1;
	di->gp = PPU_PT;
	di->cost = 1;
	di->handler = PPU_H_illegal;
	if (ppu_isa_check(in, nregs))
		return;

	di->gp = PPU_GET(in, GP);
	di->gn = PPU_GET(in, GN);
	di->always = di->gp == PPU_PT && !di->gn;
	ppu_isa_widths(in, w);
#define REG(field, i, rz) (w[i] && PPU_GET(in, field) != PPU_RZ ? PPU_GET(in, field) : (rz))
	di->d = REG(D, 0, sink);
	di->a = REG(A, 1, zero);
	di->b = REG(B, 2, zero);
	di->c = REG(C, 3, zero);
#undef REG
	di->pd = di->pe = di->ps = PPU_PT;
	if (di->op == PPU_OP_MOVI64) {
		di->imm64 = in->hi;
		di->imm = (uint32_t)in->hi;
	} else {
		di->t = PPU_GET(in, T);
		di->u = PPU_GET(in, U);
		di->rnd = PPU_GET(in, RND);
		di->m = PPU_GET(in, M);
		di->x = PPU_GET(in, X);
		if (di->op == PPU_OP_PLOP)
			di->raw_a = PPU_GET(in, A);
		else
			di->y = PPU_GET(in, Y);
		di->ftz = PPU_GET(in, FTZ);
		di->sat = PPU_GET(in, SAT);
		di->bi = PPU_GET(in, BI);
		di->ci = PPU_GET(in, CI);
		di->na = PPU_GET(in, NA);
		di->nb = PPU_GET(in, NB);
		di->nc = PPU_GET(in, NC);
		di->aa = PPU_GET(in, AA);
		di->ab = PPU_GET(in, AB);
		di->pd = PPU_GET(in, PD);
		di->pe = PPU_GET(in, PE);
		di->ps = PPU_GET(in, PS);
		di->psn = PPU_GET(in, PSN);
		di->imm = PPU_GET(in, IMM);
		if (di->t == PPU_T_F64 && di->xclass != PPU_XC_MEM)
			di->imm64 = (uint64_t)di->imm << 32;
		else if (ppu_type_bits(di->t) == 64 || di->xclass == PPU_XC_MEM ||
			 di->op == PPU_OP_MADW)
			di->imm64 = (uint64_t)(int64_t)(int32_t)di->imm;
		else
			di->imm64 = di->imm;
	}
	di->cost = cost_of(core, di) * ((PPU_LANES + core->cfg.engines - 1) / core->cfg.engines);
	if (handler_of(di->op, &di->handler)) {
		di->x = reason_of(di->op, di->x);
		if (core->cfg.store_delay_ns || core->cfg.store_reorder)
			di->handler = ppu_storebuf_handler(di->handler);
		if (di->op == PPU_OP_SHFL && di->x == 1)
			di->imm64 = di->y == PPU_RZ ? zero : di->y;
		if (has_target(di->op) && di->imm >= n)
			di->handler = PPU_H_badpc;
		return;
	}
	if (!ppu_exec_select(di) || !di->fn) {
		di->fn = NULL;
		di->handler = PPU_H_illegal;
		di->always = 1;
	}
}
