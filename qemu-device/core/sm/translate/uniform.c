/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that probably have one word for all lanes: by where their values come from. */
#ifdef PPU_TRANSLATE
#include <hw/ppu_isa.h>
#include "core/sm/warp.h"
#include "core/sm/translate/uniform.h"

#define LOOK_BACK	256	/* instructions */
#define DEPTH		3	/* values that a value is made of */

static bool likely(const struct ppu_program *prog, uint32_t pc, unsigned row, unsigned depth);

static bool special(const struct ppu_dinsn *di)
{
	return di->handler == PPU_H_s2r && di->imm >= PPU_SR_CTAID_X && di->imm <= PPU_SR_NCTAID_Z;
}

/* What instruction pc writes. */
static bool made(const struct ppu_program *prog, uint32_t pc, unsigned depth)
{
	const struct ppu_dinsn *di = &prog->code[pc];

	if (!di->always)
		return false;
	if (!di->fn)
		return special(di) || (di->handler == PPU_H_ld && (di->m == PPU_SPACE_PARAM || di->m == PPU_SPACE_CONST) &&
				       di->a == PPU_ROW_ZERO(prog->nregs));
	return depth && likely(prog, pc, di->a, depth - 1) && (di->bi || likely(prog, pc, di->b, depth - 1)) &&
	       (di->ci || likely(prog, pc, di->c, depth - 1));
}

static bool writes(const struct ppu_program *prog, uint32_t pc, unsigned row)
{
	const struct ppu_dinsn *di = &prog->code[pc];
	unsigned word = row - di->d;			/* of several that some have */
	struct ppu_live reads, written;

	if (!word || word >= 4)
		return !word;
	ppu_flow_effects(prog, pc, &reads, &written);
	return ppu_live_reg(&written, row);
}

/* The value that a row has in front of instruction pc. */
static bool likely(const struct ppu_program *prog, uint32_t pc, unsigned row, unsigned depth)
{
	if (row >= prog->nregs)
		return true;
	for (uint32_t i = pc; i-- > 0 && pc - i < LOOK_BACK;) {
		if (writes(prog, i, row))
			return made(prog, i, depth);
	}
	return false;
}

bool ppu_uniform_likely(const struct ppu_program *prog, uint32_t pc, unsigned row)
{
	return likely(prog, pc, row, DEPTH);
}
#endif
