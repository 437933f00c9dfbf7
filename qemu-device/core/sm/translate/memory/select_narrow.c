/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of bytes and halves in a fused segment.
 *
 * Lanes that lie in a window are a permutation, as those of words are (select_load.c).  Out of line, where they lie elsewhere, each
 * lane gathers the word of four aligned bytes that has its byte or half in it: such a word is in the same page, and a window of
 * shared memory or parameters has room for it.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/memory/select_load.h"
#include "core/sm/translate/memory/select_mem.h"

/* y = the low bytes of y, as a load of di gives them. */
static void widen(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int y)
{
	const int shift = 32 - 8 * (int)bytes;

	if (ppu_mem_signed(di)) {
		EM(s->e, VPSLLD, Y(y), Y(y), IM(shift));
		EM(s->e, VPSRAD, Y(y), Y(y), IM(shift));
	} else {
		EM(s->e, VPAND, Y(y), Y(y), ppu_seg_const(s, ~0u >> shift));
	}
}

/* y = the lanes' bytes or halves in the window at p, by the permutation t.  Of 16 lanes the window becomes words first. */
static void permute(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int y, int t, struct ppu_opn p)
{
	bool sgn = ppu_mem_signed(di);

	p.bytes = s->e->wide ? (uint8_t)(16 * bytes) : bytes == 1 ? 8 : 16;
	if (s->e->wide) {
		ppu_emit_ops(s->e, bytes == 1 ? (sgn ? ZYDIS_MNEMONIC_VPMOVSXBD : ZYDIS_MNEMONIC_VPMOVZXBD) :
			     sgn ? ZYDIS_MNEMONIC_VPMOVSXWD : ZYDIS_MNEMONIC_VPMOVZXWD, (const struct ppu_opn[]){ Y(y), p }, 2);
		EM(s->e, VPERMD, Y(y), Y(t), Y(y));
		return;
	}
	if (bytes == 1)
		EM(s->e, VPBROADCASTQ, Y(y), p);
	else
		EM(s->e, VBROADCASTI128, Y(y), p);
	EM(s->e, VPSHUFB, Y(y), Y(y), Y(t));
	if (sgn)
		widen(s, di, bytes, y);
}

void ppu_mem_narrow(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi, int32_t disp)
{
	int t = ppu_mem_address(s, gi), y = ppu_seg_temp(s), p = ppu_mem_pointer(s, gi);
	struct ppu_away *a = away(s, PPU_AWAY_NARROW_PART, gi);

	a->di = di;
	a->imm = di->imm64;
	a->y = y;
	memcpy(a->ptr, s->ptr, sizeof(a->ptr));
	a->t[0] = t;
	a->t[1] = ppu_seg_temp(s);
	a->t[2] = ppu_seg_temp(s);
	a->back = ppu_emit_label(s->e);
	EM(s->e, TEST, Q(p), Q(p));
	JUMP(s->e, JZ, a->label);
	permute(s, di, s->fuse->g[gi].bytes, y, t, M(p, disp, 0));
	ppu_emit_bind(s->e, a->back);
	ppu_mem_put_words(s, di, &y, 1);
}

/* ---- out of line ---- */

/* shift = where in their words the bytes at the offsets are, in bits; off: the words.  The offsets are aligned. */
static void split(struct ppu_seg *s, int off, int shift)
{
	EM(s->e, VPAND, Y(shift), Y(off), ppu_seg_const(s, 3));
	EM(s->e, VPSLLD, Y(shift), Y(shift), IM(3));
	EM(s->e, VPAND, Y(off), Y(off), ppu_seg_const(s, ~3u));
}

/* Goes on at bail if an offset of halves is odd. */
static void aligned(struct ppu_seg *s, unsigned bytes, int off)
{
	if (bytes > 1)
		ppu_mem_no_bits(s->e, off, ppu_seg_const(s, bytes - 1), s->bail);
}

/* Offsets in shared memory or among the parameters; the last one that there may be is in `last`. */
static void gather_window(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	const struct ppu_mem_window win = ppu_mem_window_of(g);
	const int off = a->t[2], last = a->t[1];
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), M(RBP, CTA_AT, 8));
	EM(e, MOV, D(RCX), M(RDX, win.size, 4));
	EM(e, SUB, D(RCX), IM(g->bytes));
	JUMP(e, JB, s->bail);
	EM(e, VMOVD, X(last), D(RCX));
	EM(e, VPBROADCASTD, Y(last), X(last));
	EM(e, VMOVDQU, Y(off), SLOT_WORDS(a->group));
	EM(e, VPADDD, Y(off), Y(off), ppu_seg_const(s, (uint32_t)a->imm));
	EM(e, VPMAXUD, Y(a->y), Y(off), Y(last));
	EM(e, VPXOR, Y(a->y), Y(a->y), Y(last));		/* 0: not behind the last one */
	ppu_lanes_test(s, a->y);
	JUMP(e, JNZ, s->bail);
	aligned(s, g->bytes, off);
	split(s, off, a->t[1]);
	EM(e, MOV, Q(RAX), M(RDX, win.base, 8));
	ppu_mem_gather(e, a->y, RAX, off, PPU_SEG_SCRATCH);
}

/* Addresses with one high word, lane by lane if need be. */
static void gather_anywhere(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	const uint32_t odd = a->imm & 3;
	const int off = a->t[2], t = a->t[1];
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), SLOT_BASE(a->group));
	if (a->imm - odd)
		EM(e, ADD, Q(RDX), imm(s, a->imm - odd, 8));
	EM(e, VMOVDQU, Y(off), SLOT_WORDS(a->group));
	if (odd) {		/* it must not carry out of the low word */
		EM(e, VPADDD, Y(off), Y(off), ppu_seg_const(s, odd));
		EM(e, VPMAXUD, Y(t), Y(off), ppu_seg_const(s, odd));
		EM(e, VPXOR, Y(t), Y(t), Y(off));
		ppu_lanes_test(s, t);
		JUMP(e, JNZ, s->bail);
	}
	aligned(s, g->bytes, off);
	split(s, off, t);
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, PPU_VEC), Y(off));
	ppu_mem_call_gather(s, a->y);
}

/* One load of a group whose lanes do not lie in a window. */
void ppu_mem_narrow_part(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	const uint32_t anywhere = ppu_emit_label(s->e), gathered = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;

	if (!global(g)) {
		gather_window(s, a);
	} else {
		EM(e, MOV, Q(RDX), SLOT_FAR(a->group));
		EM(e, TEST, Q(RDX), Q(RDX));
		JUMP(e, JZ, anywhere);
		EM(e, VPADDD, Y(a->t[2]), Y(a->t[0]), ppu_seg_const(s, (uint32_t)(a->imm - g->imm)));
		split(s, a->t[2], a->t[1]);
		ppu_mem_gather(e, a->y, RDX, a->t[2], PPU_SEG_SCRATCH);
		JUMP(e, JMP, gathered);
		ppu_emit_bind(e, anywhere);
		gather_anywhere(s, a);
		ppu_emit_bind(e, gathered);
		EM(e, MOV, Q(RAX), SLOT_EXTRA(a->group));
		EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
	}
	EM(e, VPSRLVD, Y(a->y), Y(a->y), Y(a->t[1]));
	widen(s, a->di, g->bytes, a->y);
	ppu_mem_pointers_again(s, a);
	JUMP(e, JMP, a->back);
}
#endif
