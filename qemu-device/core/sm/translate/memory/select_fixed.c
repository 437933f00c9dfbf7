/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Before a fused segment: what all lanes have alike. Rows of registers whose lanes must not differ are looked at, and starts of
 * arrays and addresses that do not change are put where the loads find them.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/calls.h"
#include "core/sm/translate/fuse.h"
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/memory/select_chase.h"
#include "core/sm/translate/memory/select_load.h"
#include "core/sm/translate/memory/select_mem.h"
#include "core/sm/translate/memory/select_rows.h"

/* rax = the rows, from the first active lane on. */
static void rows_of_first(struct ppu_seg *s)
{
	if (!s->masked) {
		EM(s->e, MOV, Q(RAX), Q(RBX));
		return;
	}
	EM(s->e, BSF, D(RAX), D(R14));
	EM(s->e, SHL, D(RAX), IM(2));
	EM(s->e, ADD, Q(RAX), Q(RBX));
}

/* edx = lanes whose words in the row are other ones than those of ymm0; ymm1 is lost. */
static void different_lanes(struct ppu_seg *s, unsigned row)
{
	struct ppu_emit *e = s->e;

	EM(e, XOR, D(RDX), D(RDX));
	for (unsigned i = PPU_LANES / 8; i-- > 0;) {
		EM(e, VPCMPEQD, Y(1), Y(0), M(RBX, (int32_t)(row * 128 + i * 32), 32));
		EM(e, VMOVMSKPS, D(RCX), Y(1));
		EM(e, SHL, D(RDX), IM(8));
		EM(e, OR, D(RDX), D(RCX));
	}
	EM(e, XOR, D(RDX), IM(-1));
}

/* Goes on at `early` if an active lane has not the word of the first one in the row; rax: rows_of_first(). */
static void look_at_row(struct ppu_seg *s, unsigned row, uint32_t early)
{
	const struct ppu_opn first = M(RAX, (int32_t)row * 128, 4);
	const int32_t at = (int32_t)row * 128;
	struct ppu_emit *e = s->e;

	if (!e->evex) {
		EM(e, VPBROADCASTD, Y(0), first);
		different_lanes(s, row);
		EM(e, TEST, D(RDX), D(R14));
		JUMP(e, JNZ, early);
		return;
	}
	EM(e, VPBROADCASTD, Z(0), first);
	EM(e, VPCMPUD, K(1), Z(0), M(RBX, at, 64), IM(4));	/* not equal */
	EM(e, VPCMPUD, K(2), Z(0), M(RBX, at + 64, 64), IM(4));
	if (s->masked) {
		EM(e, KUNPCKWD, K(1), K(2), K(1));
		EM(e, KMOVD, D(RDX), K(1));
		EM(e, TEST, D(RDX), D(R14));
	} else {
		EM(e, KORTESTW, K(1), K(2));
	}
	JUMP(e, JNZ, early);
}

/* The first group that begins where group i does. */
static unsigned begins_like(const struct ppu_fuse *f, unsigned i)
{
	unsigned k = 0;

	while (!f->g[k].indexed || !ppu_fuse_same_start(&f->g[k], &f->g[i]))
		k++;
	return k;
}

/* Where the arrays of groups with an index begin; rax: the parameters, or rows_of_first(). */
static void starts(struct ppu_seg *s, bool in_rows, uint32_t early)
{
	struct ppu_emit *e = s->e;

	for (unsigned i = 0; i < s->fuse->groups; i++) {
		const struct ppu_fuse_group *g = &s->fuse->g[i];

		if (!g->indexed || g->in_rows != in_rows)
			continue;
		if (begins_like(s->fuse, i) < i) {
			EM(e, MOV, Q(RDX), SLOT_START(begins_like(s->fuse, i)));
		} else if (in_rows) {
			EM(e, MOV, D(RCX), M(RAX, (int32_t)g->start * 128, 4));
			EM(e, MOV, D(RDX), M(RAX, ((int32_t)g->start + 1) * 128, 4));
			EM(e, SHL, Q(RDX), IM(32));
			EM(e, OR, Q(RDX), Q(RCX));
		} else {
			EM(e, MOV, Q(RDX), M(RAX, (int32_t)g->start, 8));
		}
		EM(e, TEST, D(RDX), IM(g->bytes - 1));
		JUMP(e, JNZ, early);
		EM(e, MOV, SLOT_START(i), Q(RDX));
	}
}

void ppu_select_fixed(struct ppu_seg *s, uint32_t early)
{
	static const uint8_t space[2] = { PPU_SPACE_PARAM, PPU_SPACE_SHARED };
	struct ppu_emit *e = s->e;

	for (unsigned k = 0; k < 2; k++) {
		struct ppu_mem_window win;
		uint32_t end = 0;

		for (unsigned i = 0; i < s->fuse->groups; i++) {
			const struct ppu_fuse_group *g = &s->fuse->g[i];
			uint32_t last = (uint32_t)g->imm + g->span + g->bytes;

			if (g->write || g->space != space[k] || !ppu_mem_fixed_early(s, g))
				continue;
			win = ppu_mem_window_of(g);
			end = last > end ? last : end;
		}
		if (!end)
			continue;
		EM(e, MOV, Q(RAX), M(RBP, CTA_AT, 8));
		EM(e, CMP, M(RAX, win.size, 4), IM((int)end));
		JUMP(e, JB, early);
		EM(e, MOV, Q(RAX), M(RAX, win.base, 8));
		EM(e, MOV, M(RSP, FIXED_AT(space[k]), 8), Q(RAX));
		if (space[k] == PPU_SPACE_PARAM)
			starts(s, false, early);
	}
	if (!s->fuse->uniforms)
		return;
	rows_of_first(s);
	for (unsigned i = 0; i < s->fuse->uniforms; i++)
		look_at_row(s, s->fuse->uniform[i], early);
	starts(s, true, early);
}
#endif
