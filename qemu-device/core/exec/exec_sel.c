/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a decoded instruction to the function that performs it on this host. */
#include <hw/ppu_isa_check.h>
#include "core/exec/exec_multi.h"

unsigned ppu_exec_level(void)
{
#ifdef PPU_EXEC_LEVELS
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
	    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
		if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
		    __builtin_cpu_supports("avx512vl"))
			return 4;
		return 3;
	}
#endif
	return 1;
}

/* Does this operation exist, and is it one that these files compute?  The ISA's own list decides. */
static bool legal(const struct ppu_dinsn *di)
{
	const struct ppu_isa_info *info = ppu_isa_info(di->op);
	const struct ppu_isa_mods mods = {
		.op = di->op, .t = di->t, .u = di->u, .rnd = di->rnd, .m = di->m, .x = di->x, .y = di->op == PPU_OP_PLOP ? 0 : di->y,
		.ftz = di->ftz, .sat = di->sat, .bi = di->bi, .ci = di->ci,
		.na = di->na, .nb = di->nb, .nc = di->nc, .aa = di->aa, .ab = di->ab,
	};

	if (info->xclass != PPU_XC_ALU && info->xclass != PPU_XC_FP64 && info->xclass != PPU_XC_SFU)
		return false;
	if (di->op == PPU_OP_S2R)
		return false;
	return !ppu_isa_check_mods(&mods);
}

bool ppu_exec_select_level(struct ppu_dinsn *di, unsigned level)
{
	static ppu_exec_fn (*const sel[][3])(const struct ppu_dinsn *) = {
#ifdef PPU_EXEC_LEVELS
#define S(file) { ppu_sel_##file##_v1, ppu_sel_##file##_v3, ppu_sel_##file##_v4 },
#else
#define S(file) { ppu_sel_##file##_v1, ppu_sel_##file##_v1, ppu_sel_##file##_v1 },
#endif
		PPU_EXEC_SELECTORS(S)
#undef S
	};
	enum { INT, BITS, PRED, FP, CVT, HALF } file;	/* as in PPU_EXEC_SELECTORS */
	unsigned i = level >= 4 ? 2 : level == 3 ? 1 : 0;

	di->fn = NULL;
	if (!legal(di))
		return false;
	if (di->op == PPU_OP_CVT)
		file = CVT;
	else if (PPU_TS_H >> di->t & 1)
		file = HALF;
	else if (di->t == PPU_T_F32 || di->t == PPU_T_F64)
		file = FP;
	else
		file = INT;
	di->fn = sel[file][i](di);
	if (!di->fn && file == INT)	/* each operation is in one of the three */
		di->fn = sel[BITS][i](di);
	if (!di->fn && file == INT)
		di->fn = sel[PRED][i](di);
	return di->fn != NULL;
}

bool ppu_exec_select(struct ppu_dinsn *di)
{
	return ppu_exec_select_level(di, ppu_exec_level());
}
