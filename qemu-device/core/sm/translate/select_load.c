/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads in a fused segment, eight lanes at a time, or 16.
 *
 * The usual case is in line: the addresses of the lanes lie in a window of as many accesses that begins at the first one's.
 * (Of 16 lanes also each eight must lie in a window of eight: transactions are counted for eight lanes.)
 * One or two vector loads fetch the window, and a permutation by the distances gives each lane its words: it does not
 * matter whether the lanes are in a row, equal, or anything between.  Words that are scattered go another way, out of
 * line, as does a page that the TLB does not have (ppu_calls_fill()); and whatever neither can do jumps to `bail`.
 *
 * Host registers: rax, rdx and rcx are free.
 */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/calls.h"
#include "core/sm/translate/fuse.h"
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/select_chase.h"
#include "core/sm/translate/select_mem.h"
#include "core/sm/translate/select_rows.h"

#define RELATIVES	4	/* groups whose pages are tried */

/* One address for all lanes that is known now, of whole words. */
static bool fixed(const struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	return !global(g) && g->row == PPU_ROW_ZERO(s->nregs) && g->bytes >= 4;
}

/* It is in the bytes of host code then, so it is small (Documentation/hw/engines.md, Safety). */
static bool fixed_early(const struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	return ppu_fuse_fixed_early(g, s->nregs);
}

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

#define APART_AT(g)	(PPU_AT_APART + 4 * (int32_t)(g))
#define FIXED_AT(space)	(PPU_AT_FIXED + ((space) == PPU_SPACE_SHARED ? 8 : 0))

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

			if (g->write || g->space != space[k] || !fixed_early(s, g))
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

/* ---- the check ---- */

/* Distances that lanes may have to the first one of eight. */
uint32_t ppu_mem_window_bits(unsigned bytes)
{
	return 8 * bytes - bytes;
}

void ppu_mem_far_lanes(struct ppu_seg *s, int t, int y, unsigned bytes)
{
	static const uint32_t own[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8 };

	if (!s->e->wide) {
		EM(s->e, VPAND, Y(t), Y(y), ppu_seg_const(s, ~ppu_mem_window_bits(bytes)));
		return;
	}
	EM(s->e, VMOVDQA, Y(t), M(R13, ppu_lanes_vector(s, own), PPU_VEC));
	EM(s->e, VPERMD, Y(t), Y(t), Y(y));
	EM(s->e, VPSUBD, Y(t), Y(y), Y(t));
	EM(s->e, VPAND, Y(t), Y(t), ppu_seg_const(s, ~ppu_mem_window_bits(bytes)));
}

void ppu_mem_gather(struct ppu_emit *e, int y, unsigned base, int offsets, int t)
{
	const struct ppu_opn from = { PPU_O_VSIB, (uint8_t)base, 4, offsets };

	if (e->evex) {
		EM(e, KXNORW, K(7), K(7), K(7));
		EM(e, VPGATHERDD, Y(y), K(7), from);
	} else {
		EM(e, VPCMPEQD, Y(t), Y(t), Y(t));
		EM(e, VPGATHERDD, Y(y), from, Y(t));
	}
}

/* The lowest active lane's word, in all lanes. */
void ppu_mem_no_bits(struct ppu_emit *e, int y, struct ppu_opn bits, uint32_t no)
{
	if (e->evex) {
		EM(e, VPTESTMD, K(7), Y(y), bits);
		EM(e, KORTESTW, K(7), K(7));
	} else {
		EM(e, VPTEST, Y(y), bits);
	}
	JUMP(e, JNZ, no);
}

void ppu_mem_first_word(struct ppu_seg *s, int t, int y)
{
	if (s->first >= 0)
		EM(s->e, VPERMD, Y(t), Y(s->first), Y(y));
	else
		EM(s->e, VPBROADCASTD, Y(t), X(y));
}

void ppu_mem_active_only(struct ppu_seg *s, int y)
{
	if (s->active.y >= 0)
		ppu_lanes_keep(s, y, s->active);
}

struct ppu_mem_window ppu_mem_window_of(const struct ppu_fuse_group *g)
{
	if (g->space == PPU_SPACE_SHARED)
		return (struct ppu_mem_window){ offsetof(struct ppu_cta, shared_bytes), offsetof(struct ppu_cta, shared) };
	return (struct ppu_mem_window){ offsetof(struct ppu_cta, param_bytes), offsetof(struct ppu_cta, params) };
}

void ppu_mem_scattered_extra(struct ppu_seg *s, int far)
{
	const struct ppu_opn cl = { PPU_O_R8, RCX, 1, 0 }, dl = { PPU_O_R8, RDX, 1, 0 };
	struct ppu_emit *e = s->e;

	if (e->wide) {
		/* For each eight of the 16 */
		EM(e, VPTESTMD, K(7), Y(far), Y(far));
		EM(e, KMOVW, D(RAX), K(7));
		EM(e, XOR, D(RCX), D(RCX));
		EM(e, XOR, D(RDX), D(RDX));
		EM(e, TEST, D(RAX), IM(0xff));
		EM(e, SETNZ, cl);
		EM(e, TEST, D(RAX), IM(0xff00));
		EM(e, SETNZ, dl);
		EM(e, ADD, D(RCX), D(RDX));
		EM(e, IMUL, D(RAX), D(RCX), IM(7));
	} else if (s->masked) {
		EM(e, MOVZX, D(RAX), M(RDI, offsetof(struct ppu_warp, active), 1));
		EM(e, POPCNT, D(RAX), D(RAX));
		EM(e, SUB, D(RAX), IM(1));
	} else {
		EM(e, MOV, D(RAX), IM(7));
	}
}

/* t: the first word of lo, becomes the distances to it; not zero in SCRATCH: another pattern.  counted: transactions are. */
static void distances(struct ppu_seg *s, int t, int lo, unsigned bytes, bool counted)
{
	struct ppu_opn outside = ppu_seg_const(s, ~((s->lanes - 1u) * bytes));

	EM(s->e, VPSUBD, Y(t), Y(lo), Y(t));
	ppu_mem_active_only(s, t);
	if (s->e->wide && counted) {
		ppu_mem_far_lanes(s, PPU_SEG_SCRATCH, t, bytes);
		EM(s->e, VPTERNLOGD, Y(PPU_SEG_SCRATCH), Y(t), outside, IM(0xf8));	/* a | b & c */
	} else {
		EM(s->e, VPAND, Y(PPU_SEG_SCRATCH), Y(t), outside);
	}
}

/* Where the lanes' addresses are: in two vectors, or to be made from an index. */
struct words {
	int lo, hi, index;
};

static struct words words_of(struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	struct words w = { -1, -1, -1 };

	if (!g->indexed) {
		w.lo = ppu_seg_reg(s, g->row);
		w.hi = global(g) ? ppu_seg_reg(s, g->row + 1u) : -1;
		return w;
	}
	w.index = ppu_seg_reg(s, g->index);
	if (g->bytes == 4) {		/* out of line, where they are scattered */
		w.lo = ppu_seg_temp(s);
		w.hi = ppu_seg_temp(s);
	}
	return w;
}

/* A vector of an indexed group holds indices, not bytes, where a permutation of words wants them. */
static bool counts_words(const struct ppu_fuse_group *g)
{
	return g->indexed && g->bytes == 4;
}

/* eax = the first lane's index, rax = its address without the immediate. */
static void address_of_first(struct ppu_seg *s, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	struct ppu_emit *e = s->e;

	/* Indices that wrap are no neighbours; these may, and if they do not they count as one window. */
	if (g->sgn) {
		EM(e, CMP, D(RAX), IM(INT32_MAX - ((int)s->lanes - 1)));
		JUMP(e, JNLE, s->bail);
		EM(e, MOVSXD, Q(RAX), D(RAX));
	} else {
		EM(e, CMP, D(RAX), IM(-((int)s->lanes - 1)));
		JUMP(e, JNB, s->bail);
	}
	EM(e, SHL, Q(RAX), IM(__builtin_ctz(g->bytes)));
	EM(e, ADD, Q(RAX), SLOT_START(gi));
}

/* rax = the first lane's address without the immediate; t: distances of indices to it. */
static void first_of_indices(struct ppu_seg *s, unsigned gi, int t, int index, uint32_t scattered)
{
	struct ppu_emit *e = s->e;

	ppu_mem_first_word(s, t, index);
	EM(e, VMOVD, D(RAX), X(t));
	distances(s, t, index, 1, true);
	ppu_lanes_test(s, PPU_SEG_SCRATCH);
	JUMP(e, JNZ, scattered);
	address_of_first(s, gi);
}

/* The same with the distances that another group has found. */
static void first_like(struct ppu_seg *s, unsigned gi, int index, int lost, uint32_t scattered)
{
	struct ppu_emit *e = s->e;

	EM(e, CMP, M(RSP, APART_AT(s->fuse->g[gi].like), 4), IM(0));
	JUMP(e, JNZ, scattered);
	if (s->fuse->g[gi].product) {		/* of stores, with all lanes */
		EM(e, VPUNPCKLDQ, X(PPU_SEG_SCRATCH), X(index), X(s->row[s->fuse->g[gi].index + 1u]));
		EM(e, VMOVQ, Q(RAX), X(PPU_SEG_SCRATCH));
		EM(e, SHR, Q(RAX), IM(__builtin_ctz(s->fuse->g[gi].bytes)));
		address_of_first(s, gi);
		return;
	}
	if (s->first >= 0) {
		ppu_mem_first_word(s, lost, index);
		index = lost;
	}
	EM(e, VMOVD, D(RAX), X(index));
	address_of_first(s, gi);
}

int ppu_mem_distances(struct ppu_seg *s, unsigned gi, bool *shared)
{
	unsigned like = s->fuse->g[gi].like;
	int d;

	*shared = like != gi && s->index[like] >= 0;
	d = *shared ? s->index[like] : ppu_seg_temp(s);
	/* This may be the last that needs it, so it would be the first to go. */
	s->y[d].lock = 1;
	return d;
}

void ppu_mem_first_of_index(struct ppu_seg *s, unsigned gi, int d, bool shared, int index, int t, uint32_t scattered)
{
	if (shared)
		first_like(s, gi, index, t, scattered);
	else
		first_of_indices(s, gi, d, index, scattered);
}

/* The same for addresses in two vectors. */
static void first_of_addresses(struct ppu_seg *s, const struct ppu_fuse_group *g, int t, int lo, int hi, uint32_t scattered)
{
	int u = ppu_seg_temp(s), v = ppu_seg_temp(s);
	struct ppu_emit *e = s->e;

	ppu_mem_first_word(s, t, lo);
	ppu_mem_first_word(s, u, hi);
	EM(e, VPUNPCKLDQ, X(v), X(t), X(u));
	EM(e, VMOVQ, Q(RAX), X(v));
	distances(s, t, lo, g->bytes, true);
	EM(e, VPXOR, Y(u), Y(u), Y(hi));
	ppu_mem_active_only(s, u);
	EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(u));
	ppu_lanes_test(s, PPU_SEG_SCRATCH);
	JUMP(e, JNZ, scattered);
	ppu_seg_drop(s, u);
	ppu_seg_drop(s, v);
}

/* rax = host address of the window that begins with the address rax and the immediate.  Returns what does the end of a page. */
static struct ppu_away *page_address(struct ppu_seg *s, unsigned gi, int t, uint32_t crossing)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	struct ppu_emit *e = s->e;
	struct ppu_away *look, *end;

	if (g->imm) {
		/* The window must not wrap.  Without an immediate this follows from its place in the page. */
		EM(e, CMP, D(RAX), IM(-(int)(s->lanes * g->bytes)));
		JUMP(e, JNBE, s->bail);
		EM(e, ADD, Q(RAX), imm(s, g->imm, 8));
	}
	bail_on_window(s, g);
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, CMP, Q(RDX), SLOT_PAGE(g->page));
	look = away(s, PPU_AWAY_LOOK, gi);
	look->back = ppu_emit_label(e);
	JUMP(e, JNZ, look->label);
	ppu_emit_bind(e, look->back);
	EM(e, AND, D(RAX), IM(PPU_PAGE_SIZE - 1));
	EM(e, CMP, D(RAX), IM(ppu_mem_last_window(s, g)));
	end = away(s, PPU_AWAY_END, gi);
	end->t[0] = t;
	end->back = ppu_emit_label(e);
	end->other = crossing;
	JUMP(e, JNBE, end->label);
	if (!ppu_mem_whole(g)) {
		EM(e, TEST, D(RAX), IM(g->bytes - 1));
		JUMP(e, JNZ, s->bail);
	}
	ppu_emit_bind(e, end->back);
	EM(e, ADD, Q(RAX), SLOT_HOST(g->page));
	return end;
}

/* rax = host address of the window; t: distances to it, of the first lane 0 unless the window had to begin before. */
static struct ppu_away *global_address(struct ppu_seg *s, unsigned gi, int t, struct words w, uint32_t scattered,
				       uint32_t crossing)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];

	if (g->indexed) {
		first_of_indices(s, gi, t, w.index, scattered);
		if (!counts_words(g))
			EM(s->e, VPSLLD, Y(t), Y(t), IM(__builtin_ctz(g->bytes)));
	} else {
		first_of_addresses(s, g, t, w.lo, w.hi, scattered);
	}
	return page_address(s, gi, t, crossing);
}

/* The same for shared memory and parameters. */
static void window_address(struct ppu_seg *s, unsigned gi, int t, int lo, uint32_t scattered)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	struct ppu_mem_window win = ppu_mem_window_of(g);
	struct ppu_emit *e = s->e;

	if (fixed(s, g)) {
		EM(e, XOR, D(RAX), D(RAX));
	} else {
		ppu_mem_first_word(s, t, lo);
		EM(e, VMOVD, D(RAX), X(t));
		distances(s, t, lo, g->bytes, false);
		ppu_lanes_test(s, PPU_SEG_SCRATCH);
		JUMP(e, JNZ, scattered);
	}
	if (g->imm)
		EM(e, ADD, D(RAX), imm(s, g->imm, 4));
	EM(e, MOV, Q(RDX), M(RBP, CTA_AT, 8));
	EM(e, MOV, D(RCX), M(RDX, win.size, 4));
	/* Behind the end there may still be words for equal lanes: `scattered` looks closer. */
	EM(e, SUB, D(RCX), IM((int)((fixed(s, g) ? 1 : s->lanes) * g->bytes + g->span)));
	JUMP(e, JB, scattered);
	EM(e, CMP, D(RAX), D(RCX));
	JUMP(e, JNBE, scattered);
	if (g->bytes > 1) {
		EM(e, TEST, D(RAX), IM(g->bytes - 1));
		JUMP(e, JNZ, s->bail);
	}
	EM(e, ADD, Q(RAX), M(RDX, win.base, 8));
}

/* What the permutation wants instead of distances. */
static void index_of(struct ppu_seg *s, const struct ppu_fuse_group *g, int t)
{
	const unsigned bytes = g->bytes;

	if (counts_words(g))
		return;
	if (s->e->wide && bytes < 4) {
		if (bytes == 2)
			EM(s->e, VPSRLD, Y(t), Y(t), IM(1));
		return;
	}
	switch (bytes) {
	case 1:		/* byte d, and three zeros */
		EM(s->e, VPOR, Y(t), Y(t), ppu_seg_const(s, 0x80808000));
		break;
	case 2:		/* bytes d and d + 1, and two zeros */
		EM(s->e, VPSLLD, Y(PPU_SEG_SCRATCH), Y(t), IM(8));
		EM(s->e, VPOR, Y(t), Y(t), Y(PPU_SEG_SCRATCH));
		EM(s->e, VPOR, Y(t), Y(t), ppu_seg_const(s, 0x80800100));
		break;
	case 4: case 8:
		EM(s->e, VPSRLD, Y(t), Y(t), IM(2));
		break;
	}
}

/* ---- the words ---- */

static void put_words(struct ppu_seg *s, const struct ppu_dinsn *di, const int *y, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ppu_seg_put(s, di->d + i, y[i], false);
}

static struct ppu_opn at(int32_t disp, unsigned bytes)
{
	return M(RAX, disp, bytes);
}

/* Bytes and halves of 16 lanes: the window as words, then as other words. */
static void narrow_wide(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int t, int32_t disp)
{
	bool sgn = di->t == PPU_T_S8 || di->t == PPU_T_S16;
	ZydisMnemonic mn = bytes == 1 ? (sgn ? ZYDIS_MNEMONIC_VPMOVSXBD : ZYDIS_MNEMONIC_VPMOVZXBD) :
			   sgn ? ZYDIS_MNEMONIC_VPMOVSXWD : ZYDIS_MNEMONIC_VPMOVZXWD;
	int y = ppu_seg_temp(s);

	ppu_emit_ops(s->e, mn, (const struct ppu_opn[]){ Y(y), at(disp, 16 * bytes) }, 2);
	EM(s->e, VPERMD, Y(y), Y(t), Y(y));
	put_words(s, di, &y, 1);
}

/* Bytes and halves. */
static void narrow(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int t, int32_t disp)
{
	int y, shift = 32 - 8 * (int)bytes;

	if (s->e->wide) {
		narrow_wide(s, di, bytes, t, disp);
		return;
	}
	y = ppu_seg_temp(s);
	if (bytes == 1)
		EM(s->e, VPBROADCASTQ, Y(y), at(disp, 8));
	else
		EM(s->e, VBROADCASTI128, Y(y), at(disp, 16));
	EM(s->e, VPSHUFB, Y(y), Y(y), Y(t));
	if (di->t == PPU_T_S8 || di->t == PPU_T_S16) {
		EM(s->e, VPSLLD, Y(y), Y(y), IM(shift));
		EM(s->e, VPSRAD, Y(y), Y(y), IM(shift));
	}
	put_words(s, di, &y, 1);
}

/* Pairs: the window is two vectors. */
static void pairs(struct ppu_seg *s, const struct ppu_dinsn *di, int t, int32_t disp)
{
	int y[2] = { ppu_seg_temp(s), ppu_seg_temp(s) }, a = ppu_seg_temp(s);

	if (s->e->wide) {
		EM(s->e, VMOVDQU, Y(a), at(disp, PPU_VEC));
		EM(s->e, VMOVDQA, Y(y[0]), Y(t));
		EM(s->e, VPOR, Y(y[1]), Y(t), ppu_seg_const(s, 1));
		for (unsigned i = 0; i < 2; i++)
			EM(s->e, VPERMI2D, Y(y[i]), Y(a), at(disp + 64, PPU_VEC));
		put_words(s, di, y, 2);
		return;
	}
	EM(s->e, VPOR, Y(a), Y(t), ppu_seg_const(s, 1));
	EM(s->e, VPERMD, Y(y[1]), Y(a), at(disp, 32));
	EM(s->e, VPERMD, Y(a), Y(a), at(disp + 32, 32));
	EM(s->e, VPSLLD, Y(PPU_SEG_SCRATCH), Y(t), IM(28));	/* its sign: the second vector */
	ppu_lanes_by_sign(s, y[1], y[1], a, PPU_SEG_SCRATCH);
	EM(s->e, VPERMD, Y(y[0]), Y(t), at(disp, 32));
	EM(s->e, VPERMD, Y(a), Y(t), at(disp + 32, 32));
	ppu_lanes_by_sign(s, y[0], y[0], a, PPU_SEG_SCRATCH);
	put_words(s, di, y, 2);
}

/*
 * Four words of each of 16 lanes in a row, to y[].  v[]: registers to work with.  The caller has them: this code is not always
 * run, so it must not write rows to memory to get some.
 */
static void quads_row_wide(struct ppu_seg *s, const int *y, const int *v, int32_t disp)
{
	/* Of eight lanes: a word of each, then the next word of each. */
	static const uint32_t pick[2][16] = { { 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29 },
					      { 2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31 } };
	const int a = v[0], b = v[1], c = v[2];
	struct ppu_emit *e = s->e;

	EM(e, VMOVDQU, Y(a), at(disp, PPU_VEC));
	EM(e, VMOVDQU, Y(b), at(disp + 128, PPU_VEC));
	for (unsigned i = 0; i < 4; i += 2) {
		EM(e, VMOVDQA, Y(y[i]), M(R13, ppu_lanes_vector(s, pick[i / 2]), PPU_VEC));
		EM(e, VMOVDQA, Y(c), Y(y[i]));
		EM(e, VPERMI2D, Y(y[i]), Y(a), at(disp + 64, PPU_VEC));
		EM(e, VPERMI2D, Y(c), Y(b), at(disp + 192, PPU_VEC));
		EM(e, VSHUFI64X2, Y(y[i + 1]), Y(y[i]), Y(c), IM(0xee));
		EM(e, VINSERTI128, Y(y[i]), Y(y[i]), H(c), IM(1));
	}
}

/* Four words: all lanes the same, or lanes in a row. */
static void quads(struct ppu_seg *s, const struct ppu_dinsn *di, int t, int32_t disp)
{
	static const uint32_t row[16] = { 0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240 };
	uint32_t row_at = ppu_lanes_vector(s, row), done = ppu_emit_label(s->e), in_row = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;
	int y[4], v[4];

	for (unsigned i = 0; i < 4; i++) {
		y[i] = ppu_seg_temp(s);
		v[i] = i < 3 ? ppu_seg_temp(s) : PPU_SEG_SCRATCH;
	}
	ppu_lanes_test(s, t);
	JUMP(e, JNZ, in_row);
	for (unsigned i = 0; i < 4; i++)
		EM(e, VPBROADCASTD, Y(y[i]), at(disp + 4 * (int32_t)i, 4));
	JUMP(e, JMP, done);
	ppu_emit_bind(e, in_row);
	EM(e, VPXOR, Y(v[0]), Y(t), M(R13, row_at, PPU_VEC));
	ppu_mem_active_only(s, v[0]);
	ppu_lanes_test(s, v[0]);
	JUMP(e, JNZ, s->bail);
	if (e->wide) {
		quads_row_wide(s, y, v, disp);
		ppu_emit_bind(e, done);
		put_words(s, di, y, 4);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		EM(e, VMOVDQU, X(v[i]), at(disp + 16 * (int32_t)i, 16));
		EM(e, VINSERTI128, Y(v[i]), Y(v[i]), at(disp + 64 + 16 * (int32_t)i, 16), IM(1));
	}
	EM(e, VPUNPCKLDQ, Y(y[0]), Y(v[0]), Y(v[1]));	/* words 0 and 1 of lanes 0, 1 */
	EM(e, VPUNPCKHDQ, Y(y[2]), Y(v[0]), Y(v[1]));	/* words 2 and 3 */
	EM(e, VPUNPCKLDQ, Y(y[1]), Y(v[2]), Y(v[3]));	/* of lanes 2, 3 */
	EM(e, VPUNPCKHDQ, Y(y[3]), Y(v[2]), Y(v[3]));
	EM(e, VPUNPCKHQDQ, Y(v[1]), Y(y[0]), Y(y[1]));
	EM(e, VPUNPCKLQDQ, Y(y[0]), Y(y[0]), Y(y[1]));
	EM(e, VMOVDQA, Y(y[1]), Y(v[1]));
	EM(e, VPUNPCKHQDQ, Y(v[1]), Y(y[2]), Y(y[3]));
	EM(e, VPUNPCKLQDQ, Y(y[2]), Y(y[2]), Y(y[3]));
	EM(e, VMOVDQA, Y(y[3]), Y(v[1]));
	ppu_emit_bind(e, done);
	put_words(s, di, y, 4);
}

/* A parameter, the same for all lanes. */
static void fixed_words(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int32_t disp)
{
	int y[4];

	for (unsigned i = 0; i < bytes / 4; i++) {
		y[i] = ppu_seg_temp(s);
		EM(s->e, VPBROADCASTD, Y(y[i]), at(disp + 4 * (int32_t)i, 4));
	}
	put_words(s, di, y, bytes / 4);
}

/* ---- a load ---- */

static void fetch(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int t, int32_t disp)
{
	int y;

	switch (bytes) {
	case 1: case 2:
		narrow(s, di, bytes, t, disp);
		break;
	case 4:
		y = ppu_seg_temp(s);
		EM(s->e, VPERMD, Y(y), Y(t), at(disp, PPU_VEC));
		put_words(s, di, &y, 1);
		break;
	case 8:
		pairs(s, di, t, disp);
		break;
	default:
		quads(s, di, t, disp);
	}
}

/* Does another group use the distances that this one finds? */
static bool leads(const struct ppu_seg *s, unsigned gi)
{
	for (unsigned i = gi + 1; i < s->fuse->groups; i++)
		if (s->fuse->g[i].like == gi)
			return true;
	return false;
}

/* Where lanes are scattered, or cross the end of a page: a load of words for itself. */
static struct ppu_away *gather_alone(struct ppu_seg *s, unsigned gi, struct words w, const int *t, int y, uint32_t back)
{
	struct ppu_away *a = away(s, PPU_AWAY_GATHER, gi);

	a->lo = w.lo;
	a->hi = w.hi;
	a->index = w.index;
	a->t[0] = t[0];
	a->t[1] = t[1];
	a->y = y;
	a->imm = s->fuse->g[gi].imm;
	a->back = back;
	return a;
}

/* The distances that a group has found stay for those that are like it. */
static void keep_distances(struct ppu_seg *s, unsigned gi, int d)
{
	s->y[d].kind = PPU_Y_INDEX;
	s->y[d].id = (uint16_t)gi;
	s->index[gi] = (int8_t)d;
}

/* The only load of words with this address, by an index.  The distances stay for groups that are like this one. */
static void alone_indexed(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	bool shared, lead = leads(s, gi);
	uint32_t done = ppu_emit_label(s->e);
	struct ppu_away *far, *cross, *end;
	int d, y, t[2];
	struct words w;

	d = ppu_mem_distances(s, gi, &shared);
	w = words_of(s, &s->fuse->g[gi]);
	y = ppu_seg_temp(s);
	t[0] = ppu_seg_temp(s);
	t[1] = ppu_seg_temp(s);
	far = gather_alone(s, gi, w, t, y, done);
	far->scattered = true;
	far->apart = lead;
	cross = gather_alone(s, gi, w, t, y, done);
	if (lead)
		EM(s->e, MOV, M(RSP, APART_AT(gi), 4), IM(0));
	ppu_mem_first_of_index(s, gi, d, shared, w.index, t[0], far->label);
	end = page_address(s, gi, d, cross->label);
	end->loads = true;
	end->t[1] = t[1];
	end->y = y;
	end->done = done;
	EM(s->e, VPERMD, Y(y), Y(d), at(0, PPU_VEC));
	ppu_rows(s, RAX, 0);
	ppu_chase(s);
	ppu_emit_bind(s->e, done);
	if (lead)
		keep_distances(s, gi, d);
	put_words(s, di, &y, 1);
}

/* The same for a pair of words; its lanes lie in a window. */
static void alone_pair(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	bool shared, lead = leads(s, gi);
	int d = ppu_mem_distances(s, gi, &shared), index = ppu_seg_reg(s, g->index), t = ppu_seg_temp(s);

	if (lead)
		EM(s->e, MOV, M(RSP, APART_AT(gi), 4), IM(0));
	ppu_mem_first_of_index(s, gi, d, shared, index, t, s->bail);
	EM(s->e, VPSLLD, Y(t), Y(d), IM(__builtin_ctz(g->bytes)));
	page_address(s, gi, t, s->bail);
	index_of(s, g, t);
	if (lead)
		keep_distances(s, gi, d);
	fetch(s, di, g->bytes, t, 0);
}

/* A load that shares its address with no other; if it is of words, lanes may be anywhere. */
static void alone(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	struct words w = words_of(s, g);
	int t = ppu_seg_temp(s), y;
	struct ppu_away *far, *cross = NULL;
	uint32_t done;

	if (g->bytes != 4) {
		if (global(g))
			global_address(s, gi, t, w, s->bail, s->bail);
		else
			window_address(s, gi, t, w.lo, s->bail);
		index_of(s, g, t);
		fetch(s, di, g->bytes, t, 0);
		return;
	}
	far = away(s, global(g) ? PPU_AWAY_GATHER : PPU_AWAY_SHARED, gi);
	far->lo = w.lo;
	far->hi = w.hi;
	far->scattered = true;
	far->imm = g->imm;
	y = ppu_seg_temp(s);
	far->t[0] = t;
	far->t[1] = ppu_seg_temp(s);
	far->t[2] = ppu_seg_temp(s);
	far->y = y;
	done = far->back = ppu_emit_label(s->e);
	if (global(g)) {
		cross = gather_alone(s, gi, w, far->t, y, done);
		global_address(s, gi, t, w, far->label, cross->label);
	} else {
		window_address(s, gi, t, w.lo, far->label);
	}
	index_of(s, g, t);
	EM(s->e, VPERMD, Y(y), Y(t), at(0, PPU_VEC));
	if (global(g)) {
		ppu_rows(s, RAX, 0);
		ppu_chase(s);
	}
	ppu_emit_bind(s->e, done);
	put_words(s, di, &y, 1);
}

/* A check of a group of words that failed: each of its loads gathers. */
static struct ppu_away *part(struct ppu_seg *s, unsigned gi, struct words w, const int *t, bool scattered, uint32_t back)
{
	struct ppu_away *a = away(s, PPU_AWAY_PART, gi);

	a->lo = w.lo;
	a->hi = w.hi;
	a->index = w.index;
	a->t[0] = t[0];
	a->t[1] = t[1];
	a->scattered = scattered;
	a->imm = s->fuse->g[gi].imm;
	a->back = back;
	return a;
}

/* The index vector of a group; the first lane's access is in its slot. */
static int address(struct ppu_seg *s, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	uint32_t scattered = s->bail, crossing = s->bail, back = 0;
	int t[2] = { s->index[gi], -1 };
	struct words w;

	if (t[0] >= 0) {
		s->y[t[0]].lock = 1;
		return t[0];
	}
	memset(s->ptr, -1, sizeof(s->ptr));
	w = words_of(s, g);
	t[0] = ppu_seg_temp(s);
	if (g->bytes == 4) {
		t[1] = ppu_seg_temp(s);
		back = ppu_emit_label(s->e);
		scattered = part(s, gi, w, t, true, back)->label;
		if (global(g))
			crossing = part(s, gi, w, t, false, back)->label;
	}
	if (global(g))
		global_address(s, gi, t[0], w, scattered, crossing)->t[1] = t[1];
	else
		window_address(s, gi, t[0], w.lo, scattered);
	index_of(s, g, t[0]);
	EM(s->e, MOV, SLOT_PTR(gi), Q(RAX));
	if (g->bytes == 4) {
		ppu_emit_bind(s->e, back);
		ppu_seg_drop(s, t[1]);
		if (g->indexed) {
			ppu_seg_drop(s, w.lo);
			ppu_seg_drop(s, w.hi);
		}
	}
	s->y[t[0]].kind = PPU_Y_INDEX;
	s->y[t[0]].id = (uint16_t)gi;
	s->index[gi] = (int8_t)t[0];
	return t[0];
}

/* The register of the host with the first access of a group. */
static int pointer(struct ppu_seg *s, unsigned gi)
{
	static const uint8_t reg[2] = { RCX, RDX };
	unsigned i = s->ptr[1] == (int)gi || (s->ptr[0] != (int)gi && s->ptr[0] >= 0 && s->ptr[1] < 0);

	if (s->ptr[i] != (int)gi) {
		s->ptr[i] = (int8_t)gi;
		EM(s->e, MOV, Q(reg[i]), SLOT_PTR(gi));
	}
	return reg[i];
}

/* One of several words with one address. */
static void member(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi, int32_t disp)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int t = address(s, gi), y = ppu_seg_temp(s), p = pointer(s, gi);
	struct ppu_away *a = away(s, global(g) ? PPU_AWAY_GATHER_PART : PPU_AWAY_SHARED_PART, gi);

	a->imm = di->imm64;
	a->y = y;
	memcpy(a->ptr, s->ptr, sizeof(a->ptr));
	a->t[0] = t;
	for (unsigned i = 0; i < 3 && !global(g); i++)
		a->t[i] = ppu_seg_temp(s);
	a->back = ppu_emit_label(s->e);
	EM(s->e, TEST, Q(p), Q(p));
	JUMP(s->e, JZ, a->label);
	EM(s->e, VPERMD, Y(y), Y(t), M(p, disp, PPU_VEC));
	if (global(g) && ppu_rows(s, (unsigned)p, disp))
		memset(s->ptr, -1, sizeof(s->ptr));
	ppu_emit_bind(s->e, a->back);
	put_words(s, di, &y, 1);
}

void ppu_select_load(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int32_t disp = (int32_t)(di->imm64 - g->imm);

	if (g->loads == 1 || g->bytes != 4 || fixed(s, g))
		memset(s->ptr, -1, sizeof(s->ptr));
	if (fixed_early(s, g)) {
		EM(s->e, MOV, Q(RAX), M(RSP, FIXED_AT(g->space), 8));
		fixed_words(s, di, g->bytes, (int32_t)di->imm64);
	} else if (fixed(s, g)) {
		window_address(s, gi, -1, -1, s->bail);
		fixed_words(s, di, g->bytes, disp);
	} else if (g->loads == 1 && counts_words(g)) {
		alone_indexed(s, di, gi);
	} else if (g->loads == 1 && g->indexed && g->bytes == 8) {
		alone_pair(s, di, gi);
	} else if (g->loads == 1) {
		alone(s, di, gi);
	} else if (g->bytes == 4) {
		member(s, di, gi, disp);
	} else {
		int t = address(s, gi);

		EM(s->e, MOV, Q(RAX), SLOT_PTR(gi));
		fetch(s, di, g->bytes, t, disp);
	}
}

/* ---- out of line ---- */

/* Where a near page is, behind what near_index() finds. */
static struct ppu_opn near_at(unsigned at, bool write, size_t field)
{
	return M(at, (int32_t)((write ? offsetof(struct ppu_sm, near_written) : offsetof(struct ppu_sm, near)) + field), 8);
}
#define NEAR_PAGE(at, write)	near_at(at, write, offsetof(struct ppu_near, page))
#define NEAR_HOST(at, write)	near_at(at, write, offsetof(struct ppu_near, host))

/* `at` = the SM + 16 times the index of the page whose number is in `page`. */
static void near_index(struct ppu_emit *e, unsigned at, unsigned page)
{
	_Static_assert(sizeof(struct ppu_near) == 16 && PPU_NEAR == 32, "index of a near page");

	EM(e, IMUL, D(at), D(page), IM((int)PPU_NEAR_HASH));
	EM(e, SHR, D(at), IM(27));
	EM(e, SHL, D(at), IM(4));
	EM(e, ADD, Q(at), Q(R15));
}

/* `at` = the SM + 32 times the index in the TLB of the page whose number is in `page`, which is lost. */
static void tlb_entry(struct ppu_emit *e, unsigned page, unsigned at)
{
	_Static_assert(sizeof(struct ppu_tlbe) == 32 && PPU_TLB_ENTRIES == 2048, "index in the TLB");

	EM(e, MOV, Q(at), Q(page));
	EM(e, SHR, Q(at), IM(9));
	EM(e, IMUL, D(at), D(at), IM(213));
	EM(e, ADD, D(at), D(page));
	EM(e, SHR, Q(page), IM(18));
	EM(e, IMUL, D(page), D(page), IM(77));
	EM(e, ADD, D(at), D(page));
	EM(e, AND, D(at), IM(PPU_TLB_ENTRIES - 1));
	EM(e, SHL, Q(at), IM(5));
	EM(e, ADD, Q(at), Q(R15));
}


/*
 * The host fetches ahead by itself what one instruction of it loads in equal distances.  Here one instruction loads for
 * eight lanes and then for the next eight, and a warp that goes through memory in long steps has a new page at each.  So:
 * what would be next if this step were repeated, and if this page was none of the near ones, its entry of the TLB.  Where the
 * warps of a CTA lie in a row, a step is that of one warp of the CTA before to the same one of this CTA: the next warp of
 * the same CTA would come too soon.
 */

/* Where the last address was: in the SM.  In the notes of the region, SMs that run at the same time would take the line from
 * one another. */
static int32_t last_at(struct ppu_emit *e)
{
	return (int32_t)(offsetof(struct ppu_sm, last_page) +
			 sizeof(((struct ppu_sm *)0)->last_page[0]) * (e->looks++ % PPU_LAST_PAGES));
}

/* r8 = the step to the address rax, from what last_at() says.  rdx: the place in the SM. */
static void step(struct ppu_emit *e, int32_t last)
{
	EM(e, MOVZX, D(RDX), M(RBP, (int32_t)offsetof(struct ppu_warp, ahead), 1));
	EM(e, ADD, Q(RDX), Q(R15));
	EM(e, MOV, Q(R8), Q(RAX));
	EM(e, SUB, Q(R8), M(RDX, last, 8));
}

/* rax: address, rcx: its page on the host; rcx, rdx, r8: lost. */
static void fetch_ahead(struct ppu_emit *e, int32_t last)
{
	step(e, last);
	EM(e, MOV, M(RDX, last, 8), Q(RAX));
	EM(e, MOV, D(RDX), D(RAX));
	EM(e, AND, D(RDX), IM(PPU_PAGE_SIZE - 1));
	EM(e, ADD, Q(RCX), Q(RDX));
	EM(e, ADD, Q(RCX), Q(R8));
	EM(e, PREFETCHT0, M(RCX, 0, 1));
	EM(e, PREFETCHT0, M(RCX, 64, 1));
}

/* rax: address; rdx, r8, r9: lost. */
static void fetch_entry(struct ppu_emit *e, int32_t last)
{
	step(e, last);
	EM(e, ADD, Q(R8), Q(RAX));
	EM(e, SHR, Q(R8), IM(PPU_PAGE_SHIFT));
	tlb_entry(e, R8, R9);
	EM(e, PREFETCHT0, M(R9, (int32_t)offsetof(struct ppu_sm, tlb), 1));
}

/*
 * rdx: number of a page.  Goes back if a group with the same base, so probably of the same array, has found it, for these lanes or,
 * if it stands behind this one, for those before.
 * What is written must have been found by a store.
 */
static void page_of_relatives(struct ppu_seg *s, const struct ppu_away *a, uint32_t back)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group], *r;
	struct ppu_emit *e = s->e;
	unsigned i, k, n = 0;

	for (k = 1; k < s->fuse->groups && n < RELATIVES; k++) {
		uint32_t other;

		i = (a->group + s->fuse->groups - k) % s->fuse->groups;
		r = &s->fuse->g[i];
		if (!global(r) || r->base != g->base || (g->write && !r->write) || r->page != i || i == g->page)
			continue;
		n++;
		other = ppu_emit_label(e);
		EM(e, CMP, Q(RDX), SLOT_PAGE(i));
		JUMP(e, JNZ, other);
		EM(e, MOV, Q(RCX), SLOT_HOST(i));
		EM(e, MOV, SLOT_PAGE(g->page), Q(RDX));
		EM(e, MOV, SLOT_HOST(g->page), Q(RCX));
		JUMP(e, JMP, back);
		ppu_emit_bind(e, other);
	}
}

/* rax: an address in the page rdx, which is not that of the lanes before.  rcx, rdx, r8 and r9 are lost. */
static void look_for(struct ppu_seg *s, const struct ppu_away *a, uint32_t back)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	uint32_t far = ppu_emit_label(s->e), found = ppu_emit_label(s->e);
	int32_t last = g->ahead ? last_at(s->e) : 0;
	struct ppu_emit *e = s->e;

	page_of_relatives(s, a, back);
	near_index(e, RCX, RDX);
	EM(e, CMP, Q(RDX), NEAR_PAGE(RCX, g->write));
	JUMP(e, JNZ, far);
	EM(e, MOV, Q(RCX), NEAR_HOST(RCX, g->write));
	ppu_emit_bind(e, found);
	EM(e, MOV, SLOT_PAGE(g->page), Q(RDX));
	EM(e, MOV, SLOT_HOST(g->page), Q(RCX));
	EM(e, MOV, Q(R8), M(RSP, USED_AT(bytes), 8));
	EM(e, CMP, Q(R8), IM(8 * PPU_USED_PAGES));	/* groups that share a slot may look again and again */
	JUMP(e, JNB, s->bail);
	EM(e, ADD, Q(R8), Q(RSP));
	EM(e, MOV, M(R8, USED_AT(page), 8), Q(RDX));
	EM(e, ADD, M(RSP, USED_AT(bytes), 8), IM(8));
	if (g->ahead)
		fetch_ahead(e, last);
	JUMP(e, JMP, back);
	ppu_emit_bind(e, far);
	JUMP(e, CALL, g->write ? s->stubs->find_written : s->stubs->find_page);
	JUMP(e, JNZ, s->bail);
	if (g->ahead)
		fetch_entry(e, last);
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	JUMP(e, JMP, found);
}

static void emit_look(struct ppu_seg *s, const struct ppu_away *a)
{
	look_for(s, a, a->back);
}

/*
 * The page behind that of a group, which it uses, too.  Goes on at `no` if it does not lie behind it on the host.  rax, rcx and
 * rdx are lost.
 */
static void next_page(struct ppu_seg *s, unsigned gi, uint32_t no)
{
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RAX), SLOT_PAGE(s->fuse->g[gi].page));
	EM(e, ADD, Q(RAX), IM(1));
	EM(e, SHL, Q(RAX), IM(PPU_PAGE_SHIFT));
	EM(e, TEST, D(RAX), D(RAX));		/* lanes that wrap are elsewhere */
	JUMP(e, JZ, no);
	JUMP(e, CALL, s->stubs->find_page);
	JUMP(e, JNZ, s->bail);
	EM(e, SHR, Q(RAX), IM(PPU_PAGE_SHIFT));
	EM(e, MOV, Q(RDX), M(RSP, USED_AT(bytes), 8));
	/* When few registers are left a group's address is checked again and again, and this note made each time. */
	EM(e, CMP, Q(RDX), IM(8 * (PPU_USED_PAGES - 4 * PPU_FUSE_GROUPS)));
	JUMP(e, JNB, s->bail);
	EM(e, ADD, Q(RDX), Q(RSP));
	EM(e, MOV, M(RDX, USED_AT(page), 8), Q(RAX));
	EM(e, ADD, M(RSP, USED_AT(bytes), 8), IM(8));
	EM(e, SUB, Q(RCX), IM(PPU_PAGE_SIZE));
	EM(e, CMP, Q(RCX), SLOT_HOST(s->fuse->g[gi].page));
	JUMP(e, JNZ, no);
}

static void no_bits(struct ppu_seg *s, int y, uint32_t bits, uint32_t no)
{
	ppu_mem_no_bits(s->e, y, ppu_seg_const(s, bits), no);
}

/*
 * The window of a full row of lanes would reach into the next page, which the lanes need not do: all may have one address.
 * So the window begins earlier, and all distances are larger.  If the lanes do reach there, it stays, provided that the host has
 * both pages in a row.  eax: offset in the page.
 */
static void emit_end(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	uint32_t reaches = ppu_emit_label(s->e), apart = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;
	int t = a->t[0], far = counts_words(g) ? a->t[1] : t;

	if (g->bytes == 16) {		/* quads() reads no window if all lanes are equal */
		ppu_lanes_test(s, t);
		JUMP(e, JNZ, a->other);
		EM(e, CMP, D(RAX), IM((int)(PPU_PAGE_SIZE - g->bytes - g->span)));
		JUMP(e, JNBE, a->other);
		EM(e, TEST, D(RAX), IM(g->bytes - 1));
		JUMP(e, JNZ, a->other);
		JUMP(e, JMP, a->back);
		return;
	}
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, SUB, D(RCX), IM(ppu_mem_last_window(s, g)));
	EM(e, VMOVD, X(PPU_SEG_SCRATCH), D(RCX));
	EM(e, VPBROADCASTD, Y(PPU_SEG_SCRATCH), X(PPU_SEG_SCRATCH));
	if (counts_words(g))
		EM(e, VPSLLD, Y(far), Y(t), IM(2));
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(far));
	no_bits(s, PPU_SEG_SCRATCH, ~((s->lanes - 1u) * g->bytes), reaches);	/* too far, or not aligned */
	if (counts_words(g))
		EM(e, VPSRLD, Y(a->loads ? PPU_SEG_SCRATCH : t), Y(PPU_SEG_SCRATCH), IM(2));
	else
		EM(e, VMOVDQA, Y(t), Y(PPU_SEG_SCRATCH));
	EM(e, SUB, D(RAX), D(RCX));
	if (a->loads) {
		EM(e, ADD, Q(RAX), SLOT_HOST(g->page));
		EM(e, VPERMD, Y(a->y), Y(PPU_SEG_SCRATCH), at(0, PPU_VEC));
		JUMP(e, JMP, a->done);
	} else {
		JUMP(e, JMP, a->back);
	}
	ppu_emit_bind(e, reaches);
	if (g->bytes > 1) {
		EM(e, TEST, D(RAX), IM(g->bytes - 1));
		JUMP(e, JNZ, s->bail);
	}
	EM(e, MOV, M(RSP, PPU_AT_WORDS, 8), Q(RAX));
	next_page(s, a->group, apart);
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_WORDS, 8));
	JUMP(e, JMP, a->back);
	ppu_emit_bind(e, apart);
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_WORDS, 8));
	JUMP(e, JMP, a->other);
}

void ppu_mem_make_words(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	const int shift = __builtin_ctz(g->bytes), lo = a->lo, hi = a->hi, t = a->t[1];
	struct ppu_emit *e = s->e;

	if (a->index < 0)
		return;
	EM(e, VPBROADCASTD, Y(t), SLOT_FIELD(a->group, start, 4));
	if (g->product) {
		EM(e, VMOVDQA, Y(hi), Y(a->high));
		EM(e, VPADDD, Y(lo), Y(a->index), Y(t));
	} else {
		if (g->sgn)
			EM(e, VPSRAD, Y(hi), Y(a->index), IM(32 - shift));
		else
			EM(e, VPSRLD, Y(hi), Y(a->index), IM(32 - shift));
		EM(e, VPSLLD, Y(lo), Y(a->index), IM(shift));
		EM(e, VPADDD, Y(lo), Y(lo), Y(t));
	}
	if (e->evex) {
		EM(e, VPCMPUD, K(7), Y(lo), Y(t), IM(1));		/* below: a carry */
		EM(e, VPSUBD, Y(hi), K(7), Y(hi), ppu_seg_const(s, ~0u));
	} else {
		EM(e, VPMAXUD, Y(t), Y(t), Y(lo));
		EM(e, VPCMPEQD, Y(t), Y(t), Y(lo));			/* -1: no carry */
		EM(e, VPADDD, Y(hi), Y(hi), Y(t));
		EM(e, VPSUBD, Y(hi), Y(hi), ppu_seg_const(s, ~0u));
	}
	EM(e, VPBROADCASTD, Y(t), M(RSP, SLOT_START(a->group).value + 4, 4));
	EM(e, VPADDD, Y(hi), Y(hi), Y(t));
}

/* t = the words of lo, in inactive lanes that of the first lane. */
static void words_of_active(struct ppu_seg *s, int t, int lo)
{
	ppu_mem_first_word(s, t, lo);
	if (s->active.y >= 0)
		ppu_lanes_blend(s, t, Y(lo), Y(t), s->active);
	else
		EM(s->e, VMOVDQA, Y(t), Y(lo));
}

/* rax = transactions more than one for each eight lanes; t: lost.  Windows must not wrap, see no_wrap(). */
static void extra(struct ppu_seg *s, const struct ppu_away *a, int t)
{
	static const uint32_t own[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8 };
	unsigned bytes = s->fuse->g[a->group].bytes;
	struct ppu_emit *e = s->e;

	if (!e->wide) {
		if (a->scattered)
			ppu_mem_scattered_extra(s, t);
		else
			EM(e, XOR, D(RAX), D(RAX));
		return;
	}
	EM(e, VMOVDQA, Y(t), M(R13, ppu_lanes_vector(s, own), PPU_VEC));
	EM(e, VPERMD, Y(t), Y(t), Y(a->lo));
	EM(e, VPCMPUD, K(7), Y(t), ppu_seg_const(s, 0u - 8 * bytes), IM(6));	/* above */
	EM(e, KORTESTW, K(7), K(7));
	JUMP(e, JNZ, s->bail);
	EM(e, VPSUBD, Y(t), Y(a->lo), Y(t));
	EM(e, VPAND, Y(t), Y(t), ppu_seg_const(s, ~ppu_mem_window_bits(bytes)));
	ppu_mem_scattered_extra(s, t);
}

/* y = the words at rdx and the distances in PPU_AT_WORDS. */
static void call_gather(struct ppu_seg *s, int y)
{
	struct ppu_emit *e = s->e;

	if (!e->wide) {
		JUMP(e, CALL, s->stubs->gather);
		JUMP(e, JNZ, s->bail);
		EM(e, VMOVDQU, X(y), M(RSP, PPU_AT_WORDS, 16));
		EM(e, VINSERTI128, Y(y), Y(y), M(RSP, PPU_AT_WORDS + 16, 16), IM(1));
		return;
	}
	/* Eight lanes, then the others. */
	EM(e, MOV, M(RSP, PPU_AT_SPILL, 8), Q(RDX));
	JUMP(e, CALL, s->stubs->gather);
	JUMP(e, JNZ, s->bail);
	EM(e, MOV, Q(RDX), M(RSP, PPU_AT_SPILL, 8));
	EM(e, VMOVDQU, X(y), M(RSP, PPU_AT_WORDS, 16));
	EM(e, VINSERTI32X4, Y(y), Y(y), M(RSP, PPU_AT_WORDS + 16, 16), IM(1));
	EM(e, VMOVDQU, H(PPU_SEG_SCRATCH), M(RSP, PPU_AT_WORDS + 32, PPU_HALF));
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, PPU_HALF), H(PPU_SEG_SCRATCH));
	JUMP(e, CALL, s->stubs->gather);
	JUMP(e, JNZ, s->bail);
	EM(e, VINSERTI32X4, Y(y), Y(y), M(RSP, PPU_AT_WORDS, 16), IM(2));
	EM(e, VINSERTI32X4, Y(y), Y(y), M(RSP, PPU_AT_WORDS + 16, 16), IM(3));
}

/* Is the window of crossing lanes one?  One that wraps is none, and counts as scattered lanes.  t: lost. */
static void no_wrap(struct ppu_seg *s, int t, int lo, unsigned bytes)
{
	ppu_mem_first_word(s, t, lo);
	EM(s->e, VMOVD, D(RDX), X(t));
	EM(s->e, CMP, D(RDX), IM(-8 * (int)bytes));
	JUMP(s->e, JNBE, s->bail);
}

/* rdx = the high word of all active lanes, in place.  t, u: lost. */
static void one_high_word(struct ppu_seg *s, const struct ppu_fuse_group *g, int t, int u, int hi)
{
	struct ppu_emit *e = s->e;

	ppu_mem_first_word(s, t, hi);
	EM(e, VPXOR, Y(u), Y(t), Y(hi));
	ppu_mem_active_only(s, u);
	ppu_lanes_test(s, u);
	JUMP(e, JNZ, s->bail);
	EM(e, VMOVD, D(RDX), X(t));
	if (g->space == PPU_SPACE_GENERIC) {
		EM(e, CMP, D(RDX), IM(WINDOWS - 1));	/* the immediate may carry */
		JUMP(e, JNB, s->bail);
	}
	EM(e, SHL, Q(RDX), IM(32));
}

/* rcx = the span that words were found in last, if it is this context's; rax is lost. */
static void last_span(struct ppu_seg *s, uint32_t no)
{
	struct ppu_emit *e = s->e;

	EM(e, MOV, D(RCX), M(R15, offsetof(struct ppu_sm, span_hot), 4));
	EM(e, ADD, Q(RCX), Q(R15));
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_CTX, 8));
	EM(e, CMP, Q(RAX), M(RCX, PPU_SPAN_AT(0, ctx), 8));
	JUMP(e, JNZ, no);
}

/* Goes on at `no` unless all words are below those of t, which is lost. */
static void all_below(struct ppu_seg *s, int words, int t, uint32_t no)
{
	struct ppu_emit *e = s->e;

	if (e->evex) {
		EM(e, VPCMPUD, K(7), Y(words), Y(t), IM(5));	/* not below */
		EM(e, KORTESTW, K(7), K(7));
	} else {
		EM(e, VPMAXUD, Y(t), Y(t), Y(words));
		EM(e, VPCMPEQD, Y(t), Y(t), Y(words));
		EM(e, VPTEST, Y(t), Y(t));
	}
	JUMP(e, JNZ, no);
}

/*
 * The words at rdx + t[0], if all lie in the span that words were found in last.  The stub (one_span() in select_span.c) does
 * the same with values on the stack; here they stay in registers.
 */
static void hot_span(struct ppu_seg *s, const struct ppu_away *a, uint32_t no)
{
	int off = PPU_SEG_SCRATCH, t = a->t[1];
	struct ppu_emit *e = s->e;

	last_span(s, no);
	EM(e, MOV, Q(RAX), Q(RDX));
	EM(e, SUB, Q(RAX), M(RCX, PPU_SPAN_AT(0, va), 8));
	EM(e, VMOVD, X(t), D(RAX));
	EM(e, VPBROADCASTD, Y(t), X(t));
	EM(e, VPADDD, Y(off), Y(t), Y(a->t[0]));
	EM(e, ADD, Q(RAX), M(R13, ppu_span_most(e), 8));
	JUMP(e, JNB, no);
	no_bits(s, off, 3, no);
	EM(e, VPBROADCASTD, Y(t), M(RCX, PPU_SPAN_AT(0, bytes), 4));
	all_below(s, off, t, no);
	EM(e, MOV, Q(RAX), M(RCX, PPU_SPAN_AT(0, host), 8));
	EM(e, OR, M(RSP, USED_AT(more), 8), IM(PPU_USED_SPAN));
	ppu_mem_gather(e, a->y, RAX, off, t);
	JUMP(e, JMP, a->back);
}

/* Transactions more than one of words at indices, which are not so large that a window could wrap; t: lost. */
static void extra_of_indices(struct ppu_seg *s, const struct ppu_away *a, int t)
{
	struct ppu_emit *e = s->e;

	if (!a->scattered && !e->wide)
		return;
	if (e->wide)
		ppu_mem_far_lanes(s, t, a->index, 1);
	ppu_mem_scattered_extra(s, t);
	EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
}

/*
 * The words of an array at the indices, if all of them lie in the span that words were found in last: one comparison says so,
 * and no lane needs an address.
 */
static void hot_elements(struct ppu_seg *s, const struct ppu_away *a, uint32_t no)
{
	int t = a->t[1], index = a->index;
	struct ppu_emit *e = s->e;

	last_span(s, no);
	EM(e, MOV, Q(RDX), SLOT_START(a->group));
	if (a->imm)
		EM(e, ADD, Q(RDX), imm(s, a->imm, 8));
	EM(e, SUB, Q(RDX), M(RCX, PPU_SPAN_AT(0, va), 8));
	EM(e, MOV, D(RAX), M(RCX, PPU_SPAN_AT(0, bytes), 4));
	EM(e, CMP, Q(RDX), Q(RAX));
	JUMP(e, JNB, no);
	EM(e, SUB, D(RAX), D(RDX));
	EM(e, SHR, D(RAX), IM(2));		/* words of the span from the start on */
	EM(e, VMOVD, X(t), D(RAX));
	EM(e, VPBROADCASTD, Y(t), X(t));
	if (s->active.y >= 0) {
		index = a->lo;
		words_of_active(s, index, a->index);
	}
	all_below(s, index, t, no);
	EM(e, ADD, Q(RDX), M(RCX, PPU_SPAN_AT(0, host), 8));
	ppu_chase_array(s, a->group);
	EM(e, MOV, M(RSP, PPU_AT_SPILL, 8), Q(RDX));
	extra_of_indices(s, a, a->t[0]);
	EM(e, OR, M(RSP, USED_AT(more), 8), IM(PPU_USED_SPAN));
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_SPILL, 8));
	EM(e, VPSLLD, Y(t), Y(index), IM(2));
	ppu_mem_gather(e, a->y, RAX, t, a->t[0]);
	JUMP(e, JMP, a->back);
}

/* Words anywhere in global memory below one high word. */
static void emit_gather(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	uint32_t slow = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;

	if (a->apart)
		EM(e, MOV, M(RSP, APART_AT(a->group), 4), IM(1));
	if (a->index >= 0 && ppu_mem_whole(g)) {
		uint32_t no = ppu_emit_label(e);

		hot_elements(s, a, no);
		ppu_emit_bind(e, no);
	}
	ppu_mem_make_words(s, a);
	if (!a->scattered && !e->wide)
		no_wrap(s, a->t[1], a->lo, g->bytes);
	if (a->scattered || e->wide) {
		extra(s, a, a->t[0]);
		EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
	}
	one_high_word(s, g, a->t[0], a->t[1], a->hi);
	if (a->imm)
		EM(e, ADD, Q(RDX), imm(s, a->imm, 8));
	words_of_active(s, a->t[0], a->lo);
	hot_span(s, a, slow);
	ppu_emit_bind(e, slow);
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, PPU_VEC), Y(a->t[0]));
	call_gather(s, a->y);
	JUMP(e, JMP, a->back);
}

/* Registers as the main way has them. */
static void pointers_again(struct ppu_seg *s, const struct ppu_away *a)
{
	if (a->ptr[0] >= 0)
		EM(s->e, MOV, Q(RCX), SLOT_PTR(a->ptr[0]));
	if (a->ptr[1] >= 0)
		EM(s->e, MOV, Q(RDX), SLOT_PTR(a->ptr[1]));
}

/* y = words anywhere in shared memory or among the parameters, at the offsets in t[0] and an immediate. */
static void gather_shared(struct ppu_seg *s, const struct ppu_away *a)
{
	struct ppu_mem_window win = ppu_mem_window_of(&s->fuse->g[a->group]);
	int off = a->t[0], last = a->t[1], bad = a->t[2];
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), M(RBP, CTA_AT, 8));
	EM(e, MOV, D(RCX), M(RDX, win.size, 4));
	EM(e, SUB, D(RCX), IM(4));
	JUMP(e, JB, s->bail);
	EM(e, VMOVD, X(last), D(RCX));
	EM(e, VPBROADCASTD, Y(last), X(last));
	EM(e, VPADDD, Y(off), Y(off), ppu_seg_const(s, (uint32_t)a->imm));
	EM(e, VPMAXUD, Y(bad), Y(off), Y(last));
	EM(e, VPXOR, Y(bad), Y(bad), Y(last));		/* 0: not behind the last word */
	EM(e, VPAND, Y(last), Y(off), ppu_seg_const(s, 3));
	EM(e, VPOR, Y(bad), Y(bad), Y(last));
	ppu_lanes_test(s, bad);
	JUMP(e, JNZ, s->bail);
	EM(e, MOV, Q(RAX), M(RDX, win.base, 8));
	ppu_mem_gather(e, a->y, RAX, off, last);
	if (a->kind == PPU_AWAY_SHARED_PART)
		pointers_again(s, a);
	JUMP(e, JMP, a->back);
}

static void emit_shared(struct ppu_seg *s, const struct ppu_away *a)
{
	words_of_active(s, a->t[0], a->lo);
	gather_shared(s, a);
}

/* rcx: where the eight words in PPU_AT_WORDS are offsets from now, or 0. */
static void locate_eight(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), SLOT_BASE(a->group));
	if (a->imm)
		EM(e, ADD, Q(RDX), imm(s, a->imm, 8));
	EM(e, MOV, D(RCX), IM((int)g->span));
	JUMP(e, CALL, s->stubs->locate);
}

/*
 * t[0] = offsets of 16 lanes from where the first eight have been located.  The others may be in another page or span: no
 * farther than 1 GiB away on the host, or it goes on at `no`.
 */
static void locate_others(struct ppu_seg *s, const struct ppu_away *a, uint32_t no)
{
	const struct ppu_opn first = M(RSP, PPU_AT_SPILL, PPU_HALF), words = M(RSP, PPU_AT_WORDS, PPU_HALF);
	struct ppu_emit *e = s->e;
	int t = a->t[0];

	EM(e, VMOVDQU, H(t), words);
	EM(e, VMOVDQU, first, H(t));
	EM(e, VMOVDQU, H(t), M(RSP, PPU_AT_WORDS + 32, PPU_HALF));
	EM(e, VMOVDQU, words, H(t));
	locate_eight(s, a);
	EM(e, TEST, Q(RCX), Q(RCX));
	JUMP(e, JZ, no);
	EM(e, SUB, Q(RCX), SLOT_FAR(a->group));
	EM(e, MOV, Q(RAX), Q(RCX));
	EM(e, ADD, Q(RAX), IM(1 << 30));
	EM(e, SHR, Q(RAX), IM(31));
	JUMP(e, JNZ, no);
	EM(e, VMOVD, X(PPU_SEG_SCRATCH), D(RCX));
	EM(e, VPBROADCASTD, H(PPU_SEG_SCRATCH), X(PPU_SEG_SCRATCH));
	EM(e, VPADDD, H(PPU_SEG_SCRATCH), H(PPU_SEG_SCRATCH), words);
	EM(e, VMOVDQU, H(t), first);
	EM(e, VINSERTI128, Y(t), Y(t), H(PPU_SEG_SCRATCH), IM(1));
}

/* Do all words of a group's loads lie in one page or span?  Then t[0] are offsets, as long as it is the group's index. */
static void locate_all(struct ppu_seg *s, const struct ppu_away *a)
{
	uint32_t none = ppu_emit_label(s->e), done = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;

	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, PPU_VEC), Y(a->t[0]));
	locate_eight(s, a);
	EM(e, MOV, SLOT_FAR(a->group), Q(RCX));
	EM(e, TEST, Q(RCX), Q(RCX));
	JUMP(e, JZ, done);
	if (e->wide)
		locate_others(s, a, none);
	else
		EM(e, VMOVDQU, Y(a->t[0]), M(RSP, PPU_AT_WORDS, 32));
	EM(e, OR, M(RSP, USED_AT(more), 8), IM(PPU_USED_SPAN));
	JUMP(e, JMP, done);
	ppu_emit_bind(e, none);
	EM(e, MOV, SLOT_FAR(a->group), IM(0));
	ppu_emit_bind(e, done);
}

/*
 * Do all words of a group's loads lie in the page of the first one, or the next?  Then t[0] are offsets from its begin.  rdx: the
 * high word.  Distances are taken modulo 2^32, so the first word must be a page away from both ends.
 */
static void locate_in_page(struct ppu_seg *s, const struct ppu_away *a, uint32_t no)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	uint32_t look = ppu_emit_label(s->e), back = ppu_emit_label(s->e), two = ppu_emit_label(s->e);
	uint32_t found = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;
	int off = a->t[1];

	ppu_mem_first_word(s, off, a->lo);
	EM(e, VMOVD, D(RAX), X(off));
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, SUB, D(RCX), IM(PPU_PAGE_SIZE));
	EM(e, CMP, D(RCX), IM(-2 * (int)PPU_PAGE_SIZE));
	JUMP(e, JNBE, no);
	EM(e, ADD, Q(RAX), Q(RDX));
	if (g->imm)
		EM(e, ADD, Q(RAX), imm(s, g->imm, 8));
	EM(e, VPSUBD, Y(off), Y(a->t[0]), Y(off));
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, CMP, Q(RDX), SLOT_PAGE(g->page));
	JUMP(e, JNZ, look);
	ppu_emit_bind(e, back);
	EM(e, AND, D(RAX), IM(PPU_PAGE_SIZE - 1));
	EM(e, VMOVD, X(PPU_SEG_SCRATCH), D(RAX));
	EM(e, VPBROADCASTD, Y(PPU_SEG_SCRATCH), X(PPU_SEG_SCRATCH));
	EM(e, VPADDD, Y(off), Y(off), Y(PPU_SEG_SCRATCH));
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(off), ppu_seg_const(s, g->span));
	EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(off));
	no_bits(s, PPU_SEG_SCRATCH, ~0xffcu, two);
	ppu_emit_bind(e, found);
	EM(e, VMOVDQA, Y(a->t[0]), Y(off));
	EM(e, MOV, Q(RCX), SLOT_HOST(g->page));
	EM(e, MOV, SLOT_FAR(a->group), Q(RCX));
	JUMP(e, JMP, a->back);
	ppu_emit_bind(e, two);
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(off), ppu_seg_const(s, g->span));
	EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(off));
	no_bits(s, PPU_SEG_SCRATCH, ~0x1ffcu, no);
	next_page(s, a->group, no);
	JUMP(e, JMP, found);
	ppu_emit_bind(e, look);
	look_for(s, a, back);
}

/* Leaves the addresses to each load of the group. */
static void emit_part(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	uint32_t no = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;

	ppu_mem_make_words(s, a);
	if (global(g)) {
		if (!a->scattered && !e->wide)
			no_wrap(s, a->t[1], a->lo, g->bytes);
		extra(s, a, a->t[0]);
		EM(e, MOV, SLOT_EXTRA(a->group), Q(RAX));
		one_high_word(s, g, a->t[0], a->t[1], a->hi);
		EM(e, MOV, SLOT_BASE(a->group), Q(RDX));
	}
	words_of_active(s, a->t[0], a->lo);
	EM(e, VMOVDQU, SLOT_WORDS(a->group), Y(a->t[0]));
	EM(e, MOV, SLOT_PTR(a->group), IM(0));
	if (global(g)) {
		locate_in_page(s, a, no);
		ppu_emit_bind(e, no);
		locate_all(s, a);
	}
	JUMP(e, JMP, a->back);
}

static void emit_gather_part(struct ppu_seg *s, const struct ppu_away *a)
{
	uint32_t far = ppu_emit_label(s->e), done = ppu_emit_label(s->e);
	int32_t disp = (int32_t)(a->imm - s->fuse->g[a->group].imm);
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), SLOT_FAR(a->group));
	EM(e, TEST, Q(RDX), Q(RDX));
	JUMP(e, JZ, far);
	if (disp)
		EM(e, ADD, Q(RDX), IM(disp));
	ppu_mem_gather(e, a->y, RDX, a->t[0], PPU_SEG_SCRATCH);
	ppu_chase_scattered(s, a->group, a->imm, a->t[0]);
	JUMP(e, JMP, done);
	ppu_emit_bind(e, far);
	EM(e, MOV, Q(RDX), SLOT_BASE(a->group));
	if (a->imm)
		EM(e, ADD, Q(RDX), imm(s, a->imm, 8));
	EM(e, VMOVDQU, Y(a->y), SLOT_WORDS(a->group));
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, PPU_VEC), Y(a->y));
	call_gather(s, a->y);
	ppu_emit_bind(e, done);
	EM(e, MOV, Q(RAX), SLOT_EXTRA(a->group));
	EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
	pointers_again(s, a);
	JUMP(e, JMP, a->back);
}

static void emit_shared_part(struct ppu_seg *s, const struct ppu_away *a)
{
	EM(s->e, VMOVDQU, Y(a->t[0]), SLOT_WORDS(a->group));
	gather_shared(s, a);
}

void ppu_select_load_aways(struct ppu_seg *s)
{
	static void (*const emit[])(struct ppu_seg *s, const struct ppu_away *a) = {
		[PPU_AWAY_STORES] = ppu_select_store_away, [PPU_AWAY_PLACE] = ppu_select_store_away,
		[PPU_AWAY_LINES] = ppu_select_store_away, [PPU_AWAY_LOOK] = emit_look, [PPU_AWAY_GATHER] = emit_gather,
		[PPU_AWAY_SHARED] = emit_shared, [PPU_AWAY_PART] = emit_part, [PPU_AWAY_GATHER_PART] = emit_gather_part,
		[PPU_AWAY_SHARED_PART] = emit_shared_part, [PPU_AWAY_END] = emit_end,
	};

	for (unsigned i = 0; i < s->aways; i++) {
		ppu_emit_bind(s->e, s->away[i].label);
		emit[s->away[i].kind](s, &s->away[i]);
	}
}

/* ---- what all segments share ---- */

void ppu_select_look_up(struct ppu_emit *e, int32_t pushed, uint32_t fail)
{
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	tlb_entry(e, RDX, RCX);
	EM(e, ADD, Q(RCX), IM((int)offsetof(struct ppu_sm, tlb)));
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, CMP, Q(RDX), M(RCX, TLBE(page), 8));
	JUMP(e, JNZ, fail);
	EM(e, MOV, Q(RDX), M(RSP, PPU_AT_CTX + pushed, 8));
	EM(e, CMP, Q(RDX), M(RCX, TLBE(ctx), 8));
}

/* rcx: an entry.  Goes on at `no` if host code must not write the page.  ZF: it is dirty; rdx: 0 then. */
static void may_write(struct ppu_emit *e, uint32_t no)
{
	EM(e, MOVZX, D(RDX), M(RCX, TLBE(flags), 1));
	EM(e, AND, D(RDX), IM(PPU_TLB_WRITE | PPU_TLB_WATCHED));
	EM(e, CMP, D(RDX), IM(PPU_TLB_WRITE));
	JUMP(e, JNZ, no);
	EM(e, MOVZX, D(RDX), M(RCX, TLBE(flags), 1));
	EM(e, AND, D(RDX), IM(PPU_TLB_DIRTY));
	EM(e, XOR, D(RDX), IM(PPU_TLB_DIRTY));
	EM(e, OR, M(RSP, PPU_AT_CLEAN + 8, 8), Q(RDX));
}

typedef uint8_t *(*fill_fn)(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
			    const struct ppu_used *used);

/* rax = fn() of the address that was pushed first. */
static void call_fill(struct ppu_emit *e, fill_fn fn, int32_t pushed)
{
	EM(e, MOV, Q(RDI), Q(R15));
	EM(e, MOV, Q(RSI), Q(RBP));
	EM(e, MOV, Q(RDX), M(RSP, 48, 8));
	EM(e, MOV, Q(RCX), M(RSP, PPU_AT_RUN + pushed, 8));
	EM(e, LEA, Q(R8), M(RSP, PPU_AT_USED + pushed, 8));
	EM(e, CALL, M(R13, ppu_emit_pool(e, &fn, sizeof(fn)), 8));
}

/* The page of rax, at rcx, is near from now on.  With ZF; rdx is lost. */
static void comes_near(struct ppu_emit *e, bool write)
{
	EM(e, MOV, M(RSP, PPU_AT_SPILL + 8, 8), Q(RAX));
	EM(e, SHR, Q(RAX), IM(PPU_PAGE_SHIFT));
	near_index(e, RDX, RAX);
	EM(e, MOV, NEAR_PAGE(RDX, write), Q(RAX));
	EM(e, MOV, NEAR_HOST(RDX, write), Q(RCX));
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_SPILL + 8, 8));
	EM(e, CMP, Q(RAX), Q(RAX));
}

/*
 * In: rax, an address.  Out: ZF: rcx = host address of its page.  rdx is lost.  A page that the TLB does not have is looked
 * for, unless the segment has used pages that nobody knows any more.  above: bytes on the stack above the frame.
 */
static void emit_find_page(struct ppu_emit *e, bool write, int32_t above)
{
	static const uint8_t saved[] = { RAX, RSI, RDI, R8, R9, R10, R11 };	/* with the return address: 64 bytes */
	const fill_fn walk = write ? ppu_calls_fill_written : ppu_calls_fill;
	const fill_fn known = write ? ppu_calls_fill_known_written : ppu_calls_fill_known;
	uint32_t miss = ppu_emit_label(e), out = ppu_emit_label(e), none = ppu_emit_label(e), found = ppu_emit_label(e);
	uint32_t clean = ppu_emit_label(e);
	int i;

	if (!above) {		/* who has pushed something has looked */
		ppu_select_look_up(e, 8, miss);
		JUMP(e, JNZ, miss);
		if (write)
			may_write(e, miss);
		EM(e, MOV, Q(RCX), M(RCX, TLBE(host), 8));
		if (write)
			JUMP(e, JNZ, clean);
		comes_near(e, write);
	} else {
		JUMP(e, JMP, miss);
	}
	ppu_emit_bind(e, out);
	EM0(e, RET);
	ppu_emit_bind(e, clean);
	EM(e, CMP, Q(RAX), Q(RAX));
	EM0(e, RET);

	ppu_emit_bind(e, miss);
	EM(e, CMP, M(RSP, USED_AT(more) + above + 8, 8), IM(PPU_USED_OTHERS - 1));
	JUMP(e, JNBE, out);
	for (i = 0; i < 7; i++)
		EM(e, PUSH, Q(saved[i]));
	call_fill(e, known, above + 64);
	EM(e, TEST, Q(RAX), Q(RAX));
	JUMP(e, JNZ, found);
	ppu_span_vectors(e, above + 64, false);
	EM0(e, VZEROUPPER);
	call_fill(e, walk, above + 64);
	ppu_span_vectors(e, above + 64, true);
	ppu_emit_bind(e, found);
	EM(e, MOV, Q(RCX), Q(RAX));
	for (i = 7; i-- > 0;)
		EM(e, POP, Q(saved[i]));
	if (write)
		EM(e, MOV, M(RSP, PPU_AT_CLEAN + 8, 8), IM(1));
	EM(e, TEST, Q(RCX), Q(RCX));
	JUMP(e, JZ, none);
	EM(e, XOR, D(RDX), D(RDX));
	EM0(e, RET);
	ppu_emit_bind(e, none);
	EM(e, CMP, Q(RCX), Q(RSP));		/* not equal */
	EM0(e, RET);
}

/*
 * In: rdx = high word and immediate, low words in PPU_AT_WORDS.  Out: ZF: the words there, to be read by halves.  rax,
 * rcx, rdx are lost.  Results are put together in a register: stores of single words could not be forwarded.
 */
static void emit_gather_stub(struct ppu_emit *e, const struct ppu_stubs *stubs)
{
	uint32_t out = ppu_emit_label(e), lanes = ppu_emit_label(e), miss[8], full[8], found[8], noted[8];
	const int32_t words = PPU_AT_WORDS + PPU_PUSHED;
	const int y = ppu_span_free(e);
	int i;

	ppu_span_push(e);
	EM(e, MOV, Q(R8), Q(RDX));
	EM(e, XOR, D(R10), D(R10));
	EM(e, OR, M(RSP, USED_AT(more) + PPU_PUSHED, 8), IM(PPU_USED_SPAN));
	ppu_span_locate(e, lanes);
	ppu_mem_gather(e, y, RCX, PPU_SEG_SCRATCH, y + 1);
	EM(e, VMOVDQU, M(RSP, words, 32), Y(y));
	ppu_span_pop(e);
	EM(e, XOR, D(RAX), D(RAX));
	EM0(e, RET);

	ppu_emit_bind(e, lanes);
	EM(e, MOV, Q(R9), IM(-1));			/* the last page */
	for (i = 0; i < 8; i++) {
		uint32_t same = ppu_emit_label(e);

		miss[i] = ppu_emit_label(e);
		full[i] = ppu_emit_label(e);
		found[i] = ppu_emit_label(e);
		noted[i] = ppu_emit_label(e);
		EM(e, MOV, D(RAX), M(RSP, words + 4 * i, 4));
		EM(e, ADD, Q(RAX), Q(R8));
		if (!i)
			EM(e, MOV, Q(R11), Q(RAX));
		EM(e, TEST, D(RAX), IM(3));
		JUMP(e, JNZ, out);
		EM(e, MOV, Q(RDX), Q(RAX));
		EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
		EM(e, CMP, Q(RDX), Q(R9));
		JUMP(e, JZ, same);
		EM(e, MOV, Q(R9), Q(RDX));
		ppu_select_look_up(e, PPU_PUSHED, miss[i]);
		JUMP(e, JNZ, miss[i]);
		EM(e, MOV, Q(R10), M(RCX, TLBE(host), 8));
		ppu_emit_bind(e, found[i]);
		ppu_span_note(e, R9, RCX, full[i]);
		ppu_emit_bind(e, noted[i]);
		ppu_emit_bind(e, same);
		EM(e, AND, D(RAX), IM(PPU_PAGE_SIZE - 1));
		if (i % 4)
			EM(e, VPINSRD, X(PPU_SEG_SCRATCH), X(PPU_SEG_SCRATCH),
			   ((struct ppu_opn){ PPU_O_SUM, R10, 4, RAX }), IM(i % 4));
		else
			EM(e, VMOVD, X(PPU_SEG_SCRATCH), ((struct ppu_opn){ PPU_O_SUM, R10, 4, RAX }));
		if (i % 4 == 3)
			EM(e, VMOVDQU, M(RSP, words + 16 * (i / 4), 16), X(PPU_SEG_SCRATCH));
	}
	ppu_span_learn(e);
	EM(e, XOR, D(RAX), D(RAX));
	ppu_emit_bind(e, out);
	ppu_span_pop(e);
	EM0(e, RET);

	for (i = 0; i < 8; i++) {
		ppu_emit_bind(e, miss[i]);
		JUMP(e, CALL, stubs->find_gathered);
		JUMP(e, JNZ, out);
		EM(e, MOV, Q(R10), Q(RCX));
		JUMP(e, JMP, found[i]);
		ppu_emit_bind(e, full[i]);
		ppu_span_note_full(e, noted[i]);
	}
}

void ppu_select_load_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs)
{
	if (ppu_emit_used(e, stubs->find_page)) {
		ppu_emit_bind(e, stubs->find_page);
		emit_find_page(e, false, 0);
	}
	if (ppu_emit_used(e, stubs->find_written)) {
		ppu_emit_bind(e, stubs->find_written);
		emit_find_page(e, true, 0);
	}
	if (ppu_emit_used(e, stubs->gather)) {
		ppu_emit_bind(e, stubs->gather);
		emit_gather_stub(e, stubs);
		ppu_emit_bind(e, stubs->find_gathered);
		emit_find_page(e, false, PPU_PUSHED);
	}
}
#endif
