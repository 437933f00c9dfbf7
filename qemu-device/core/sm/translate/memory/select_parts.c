/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors of bytes and halves in a fused segment (`ld.v4.u8`, `st.v2.u16`): in memory they are a half, a word or two, and move as
 * such.  Their elements have a row each.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/translate/memory/select_mem.h"

static unsigned bits_of(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U8 || di->t == PPU_T_S8 ? 8 : 16;
}

/* t = element i of the words in y. */
static void element(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned i, int t, const int *y)
{
	const unsigned bits = bits_of(di), shift = i * bits % 32, above = 32 - bits - shift;
	int word = y[i * bits / 32];

	if (above) {
		EM(s->e, VPSLLD, Y(t), Y(word), IM((int)above));
		word = t;
	}
	if (ppu_mem_signed(di))
		EM(s->e, VPSRAD, Y(t), Y(word), IM((int)(32 - bits)));
	else
		EM(s->e, VPSRLD, Y(t), Y(word), IM((int)(32 - bits)));
}

void ppu_mem_take_apart(struct ppu_seg *s, const struct ppu_dinsn *di, const int *y)
{
	for (unsigned i = 0; i < ppu_mem_parts(di); i++) {
		int t = ppu_seg_temp(s);

		element(s, di, i, t, y);
		ppu_seg_put(s, di->d + i, t, false);
	}
}

void ppu_mem_put_together(struct ppu_seg *s, const struct ppu_dinsn *di, int *y)
{
	const unsigned bits = bits_of(di), parts = ppu_mem_parts(di), each = parts * bits < 32 ? parts : 32 / bits;
	struct ppu_opn low = ppu_seg_const(s, (1u << bits) - 1);

	for (unsigned i = 0; i < parts; i += each) {
		int t = ppu_seg_temp(s);

		/* From the highest on.  What stands above a half is not stored. */
		EM(s->e, VPSLLD, Y(t), Y(ppu_seg_reg(s, di->b + i + each - 1)), IM((int)bits));
		for (unsigned k = each - 1; k-- > 0;) {
			EM(s->e, VPAND, Y(PPU_SEG_SCRATCH), Y(ppu_seg_reg(s, di->b + i + k)), low);
			EM(s->e, VPOR, Y(t), Y(t), Y(PPU_SEG_SCRATCH));
			if (k)
				EM(s->e, VPSLLD, Y(t), Y(t), IM((int)bits));
		}
		y[i / each] = t;
	}
}
#endif
