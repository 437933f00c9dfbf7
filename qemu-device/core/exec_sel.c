/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a decoded instruction to the function that performs it on this host. */
#include <hw/ppu_isa_check.h>
#include "exec_multi.h"

unsigned ppu_exec_level(void)
{
#ifndef __clang__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
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

#define PACKED (PPU_TBIT(F16X2) | PPU_TBIT(BF16X2))

/* Modifiers that the tables of the ISA do not allow for this opcode and type. */
static bool legal(const struct ppu_dinsn *di)
{
	const struct ppu_isa_info *info = ppu_isa_info(di->op);
	const struct ppu_isa_rule *rule = ppu_isa_rule(di->op);
	bool cvt = di->op == PPU_OP_CVT, flt = PPU_TS_FLT >> (di->t & 31) & 1;

	if (info->xclass != PPU_XC_ALU && info->xclass != PPU_XC_FP64 && info->xclass != PPU_XC_SFU)
		return false;
	if (di->op == PPU_OP_S2R || di->t >= PPU_T_COUNT || di->u >= PPU_T_COUNT)
		return false;
	if (di->op == PPU_OP_MOVI64)
		return true;
	if (!(info->types >> di->t & 1) || !(rule->u >> di->u & 1) ||
	    (di->rnd && !cvt && !(rule->rnd >> di->t & 1)) || di->rnd > PPU_RND_RP ||
	    (di->ftz && !(rule->ftz >> di->t & 1)) || (di->sat && !(rule->sat >> di->t & 1)) ||
	    (di->m && di->m >= rule->nm) || (di->x && di->x >= rule->nx) || (di->y & ~rule->ymask))
		return false;
	if ((di->nb || di->nc || di->aa || di->ab || (di->na && di->op != PPU_OP_PLOP)) && !cvt &&
	    !(rule->neg >> di->t & 1))
		return false;
	if (di->bi && di->ci)
		return false;
	switch (di->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MAD: case PPU_OP_MADHI:
		return !di->m || (!flt && !di->sat);
	case PPU_OP_MAD24:
		return !di->sat || di->m == 1;
	case PPU_OP_FMA:
		return !di->y || (PPU_TS_H >> di->t & 1);
	case PPU_OP_MIN: case PPU_OP_MAX:
		return !di->y || flt;
	case PPU_OP_SLCT:
		return !di->ftz || di->u == PPU_T_F32;
	case PPU_OP_SET:
		/* a packed result for a packed comparison and for nothing else */
		if (PACKED >> di->t & 1 ? ppu_type_bits(di->u) != 32 || di->u == PPU_T_F32 :
					  PACKED >> di->u & 1)
			return false;
		return flt || di->m <= PPU_CMP_GE;
	case PPU_OP_SETP:
		return flt || di->m <= PPU_CMP_GE;
	case PPU_OP_CVT2:
		return di->rnd <= PPU_RND_RZ;
	case PPU_OP_CVT: {
		bool tf = PPU_TS_FLT >> di->t & 1, uf = PPU_TS_FLT >> di->u & 1;

		return (PPU_TS_CVT >> di->t & 1) && (!di->rnd || tf || uf) && (!di->y || (tf && uf)) &&
		       (!(di->na || di->aa) || uf) &&
		       (!di->ftz || di->t == PPU_T_F32 || di->u == PPU_T_F32);
	}
	}
	return true;
}

bool ppu_exec_select_level(struct ppu_dinsn *di, unsigned level)
{
	static ppu_exec_fn (*const sel[][3])(const struct ppu_dinsn *) = {
#ifdef __clang__
#define S(file) { ppu_sel_##file##_v1, ppu_sel_##file##_v1, ppu_sel_##file##_v1 },
#else
#define S(file) { ppu_sel_##file##_v1, ppu_sel_##file##_v3, ppu_sel_##file##_v4 },
#endif
		PPU_EXEC_SELECTORS(S)
#undef S
	};
	enum { INT, FP, CVT, HALF } file;
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
	return di->fn != NULL;
}

bool ppu_exec_select(struct ppu_dinsn *di)
{
	return ppu_exec_select_level(di, ppu_exec_level());
}
