/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Special registers in segments: thread, CTA and grid; ppu_h_s2r() has all of them. */
#ifdef PPU_TRANSLATE
#include "core/sm/warp.h"
#include "core/sm/translate/segment.h"

#define TASK_FIELD(f)	((int32_t)(offsetof(struct ppu_sm_task, launch) + offsetof(struct ppu_tmd, f)))

bool ppu_select_special_can(const struct ppu_dinsn *di)
{
	if (di->fn || di->handler != PPU_H_s2r || !di->always)
		return false;
	switch (di->imm) {
	case PPU_SR_TID_X: case PPU_SR_TID_Y: case PPU_SR_TID_Z: case PPU_SR_LANEID:
	case PPU_SR_NTID_X: case PPU_SR_NTID_Y: case PPU_SR_NTID_Z:
	case PPU_SR_CTAID_X: case PPU_SR_CTAID_Y: case PPU_SR_CTAID_Z:
	case PPU_SR_NCTAID_X: case PPU_SR_NCTAID_Y: case PPU_SR_NCTAID_Z:
		return true;
	default:
		return false;
	}
}

/* A word of the CTA, or of its task, for all lanes. */
static void uniform(struct ppu_seg *s, int y, bool task, int32_t at)
{
	EM(s->e, MOV, Q(RAX), M(RBP, offsetof(struct ppu_warp, cta), 8));
	if (task)
		EM(s->e, MOV, Q(RAX), M(RAX, offsetof(struct ppu_cta, task), 8));
	EM(s->e, VPBROADCASTD, Y(y), M(RAX, at, 4));
}

void ppu_select_special(struct ppu_seg *s, const struct ppu_dinsn *di)
{
	int y = ppu_seg_temp(s);
	int32_t k;

	switch (di->imm) {
	case PPU_SR_TID_X: case PPU_SR_TID_Y: case PPU_SR_TID_Z:
		k = (int32_t)(di->imm - PPU_SR_TID_X);
		memset(s->ptr, -1, sizeof(s->ptr));	/* rcx held the place of a group of loads */
		EM(s->e, MOV, Q(RCX), M(RBP, offsetof(struct ppu_warp, tid), 8));
		ppu_seg_lanes_of(s, RCX);
		EM(s->e, VMOVDQU, Y(y), M(RAX, 128 * k, PPU_VEC));
		break;
	case PPU_SR_LANEID: {
		uint32_t number[PPU_LANES], at;

		for (k = 0; k < PPU_LANES; k++)
			number[k] = (uint32_t)k;
		at = ppu_emit_pool(s->e, number, sizeof(number));
		ppu_seg_lanes_of(s, R13);
		EM(s->e, VMOVDQU, Y(y), M(RAX, at, PPU_VEC));
		break;
	}
	case PPU_SR_CTAID_X: case PPU_SR_CTAID_Y: case PPU_SR_CTAID_Z:
		k = (int32_t)(di->imm - PPU_SR_CTAID_X);
		uniform(s, y, false, (int32_t)offsetof(struct ppu_cta, id) + 4 * k);
		break;
	case PPU_SR_NTID_X: case PPU_SR_NTID_Y: case PPU_SR_NTID_Z:
		k = (int32_t)(di->imm - PPU_SR_NTID_X);
		uniform(s, y, true, TASK_FIELD(block) + 4 * k);
		break;
	default:
		k = (int32_t)(di->imm - PPU_SR_NCTAID_X);
		uniform(s, y, true, TASK_FIELD(grid) + 4 * k);
	}
	ppu_seg_put(s, di->d, y, false);
}
#endif
