/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shuffles and votes of all 32 lanes: what exec_warp.c does when nobody has to wait.  They look across lanes, so they are no
 * part of a segment: rows in, rows out.
 *
 * Host registers: rax, rcx and the vector registers are free.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/exec_warp.h"
#include "core/sm/warp.h"
#include "core/sm/translate/segment.h"

#define CHUNKS		(PPU_LANES / 8)
#define PRED_AT(p)	((int32_t)offsetof(struct ppu_warp, v.pred) + 4 * (int32_t)(p))

static struct ppu_opn row_at(unsigned row, unsigned k)
{
	return M(RBX, 128 * (int32_t)row + 32 * (int32_t)k, 32);
}

/* Lanes from[] of ymm0 to ymm3, of which one chunk of the result is made, to ymm4. */
static void pick(struct ppu_emit *e, const uint32_t *from)
{
	bool first = true;

	for (unsigned src = 0; src < CHUNKS; src++) {
		uint32_t index[8], mine[8], any = 0;

		for (unsigned i = 0; i < 8; i++) {
			index[i] = from[i] % 8;
			mine[i] = from[i] / 8 == src ? ~0u : 0;
			any |= mine[i];
		}
		if (!any)
			continue;
		EM(e, VMOVDQA, Y(5), M(R13, ppu_emit_pool(e, index, sizeof(index)), 32));
		EM(e, VPERMD, Y(first ? 4 : 6), Y(5), Y(src));
		if (!first) {
			EM(e, VMOVDQA, Y(5), M(R13, ppu_emit_pool(e, mine, sizeof(mine)), 32));
			EM(e, VBLENDVPS, Y(4), Y(4), Y(6), Y(5));
		}
		first = false;
	}
}

bool ppu_cross_shuffles(const struct ppu_dinsn *di)
{
	return !di->fn && di->handler == PPU_H_shfl && di->always && di->x != 1 && di->bi && di->ci;
}

void ppu_cross_shuffle(struct ppu_emit *e, const struct ppu_dinsn *di)
{
	uint32_t from[PPU_LANES], ok = ppu_shfl_sources(di, from);

	for (unsigned k = 0; k < CHUNKS; k++)
		EM(e, VMOVDQA, Y(k), row_at(di->a, k));
	for (unsigned k = 0; k < CHUNKS; k++) {
		pick(e, from + (size_t)8 * k);
		EM(e, VMOVDQA, row_at(di->d, k), Y(4));
	}
	EM0(e, VZEROUPPER);
	if (di->pd == PPU_PT)
		return;
	EM(e, MOV, D(RAX), M(R13, ppu_emit_pool(e, &ok, sizeof(ok)), 4));
	EM(e, MOV, M(RBP, PRED_AT(di->pd), 4), D(RAX));
}

bool ppu_cross_votes(const struct ppu_dinsn *di)
{
	return !di->fn && di->handler == PPU_H_vote && di->always;
}

/* Goes on at `other` unless the member mask is all lanes, in all of them. */
static void all_members(struct ppu_emit *e, unsigned row, uint32_t other)
{
	EM(e, VMOVDQA, Y(0), row_at(row, 0));
	for (unsigned k = 1; k < CHUNKS; k++)
		EM(e, VPAND, Y(0), Y(0), row_at(row, k));
	EM(e, VPCMPEQD, Y(1), Y(1), Y(1));
	EM(e, VPTEST, Y(0), Y(1));
	EM0(e, VZEROUPPER);
	JUMP(e, JNB, other);
}

void ppu_cross_vote(struct ppu_emit *e, const struct ppu_dinsn *di, uint32_t other)
{
	const struct ppu_opn cl = { PPU_O_R8, RCX, 1, 0 };

	if (!(di->x & 1))
		all_members(e, di->a, other);
	EM(e, MOV, D(RAX), M(RBP, PRED_AT(di->ps), 4));
	if (di->psn)
		EM(e, NOT, D(RAX));
	if (di->m == PPU_VOTE_BALLOT) {
		EM(e, VMOVD, X(0), D(RAX));
		EM(e, VPBROADCASTD, Y(0), X(0));
		for (unsigned k = 0; k < CHUNKS; k++)
			EM(e, VMOVDQA, row_at(di->d, k), Y(0));
		EM0(e, VZEROUPPER);
		return;
	}
	if (di->pd == PPU_PT)
		return;
	EM(e, XOR, D(RCX), D(RCX));
	switch (di->m) {
	case PPU_VOTE_ALL:
		EM(e, CMP, D(RAX), IM(-1));
		EM(e, SETZ, cl);
		break;
	case PPU_VOTE_ANY:
		EM(e, TEST, D(RAX), D(RAX));
		EM(e, SETNZ, cl);
		break;
	default:	/* all or none */
		EM(e, ADD, D(RAX), IM(1));
		EM(e, CMP, D(RAX), IM(1));
		EM(e, SETBE, cl);
	}
	EM(e, NEG, D(RCX));
	EM(e, MOV, M(RBP, PRED_AT(di->pd), 4), D(RCX));
}
#endif
