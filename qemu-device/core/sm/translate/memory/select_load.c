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
#include "core/sm/translate/memory/select_chase.h"
#include "core/sm/translate/memory/select_load.h"
#include "core/sm/translate/memory/select_mem.h"
#include "core/sm/translate/memory/select_rows.h"

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

void ppu_mem_lane_distances(struct ppu_seg *s, int t, int lo, unsigned bytes, bool counted)
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
	if (g->bytes <= 4) {		/* out of line, where they are scattered */
		w.lo = ppu_seg_temp(s);
		w.hi = ppu_seg_temp(s);
	}
	return w;
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
	ppu_mem_lane_distances(s, t, index, 1, true);
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
	ppu_mem_lane_distances(s, t, lo, g->bytes, true);
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
		if (!ppu_mem_counts_words(g))
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

	if (ppu_mem_fixed(s, g)) {
		EM(e, XOR, D(RAX), D(RAX));
	} else {
		ppu_mem_first_word(s, t, lo);
		EM(e, VMOVD, D(RAX), X(t));
		ppu_mem_lane_distances(s, t, lo, g->bytes, false);
		ppu_lanes_test(s, PPU_SEG_SCRATCH);
		JUMP(e, JNZ, scattered);
	}
	if (g->imm)
		EM(e, ADD, D(RAX), imm(s, g->imm, 4));
	EM(e, MOV, Q(RDX), M(RBP, CTA_AT, 8));
	EM(e, MOV, D(RCX), M(RDX, win.size, 4));
	/* Behind the end there may still be words for equal lanes: `scattered` looks closer. */
	EM(e, SUB, D(RCX), IM((int)((ppu_mem_fixed(s, g) ? 1 : s->lanes) * g->bytes + g->span)));
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

	if (ppu_mem_counts_words(g))
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

void ppu_mem_put_words(struct ppu_seg *s, const struct ppu_dinsn *di, const int *y, unsigned n)
{
	if (ppu_mem_parts(di)) {
		ppu_mem_take_apart(s, di, y);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		ppu_seg_put(s, di->d + i, y[i], false);
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
		ppu_mem_put_words(s, di, y, 2);
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
	ppu_mem_put_words(s, di, y, 2);
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

void ppu_mem_quads(struct ppu_seg *s, const struct ppu_dinsn *di, int t, int32_t disp)
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
		ppu_mem_put_words(s, di, y, 4);
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
	ppu_mem_put_words(s, di, y, 4);
}

/* A parameter, the same for all lanes. */
static void fixed_words(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int32_t disp)
{
	int y[4];

	for (unsigned i = 0; i < bytes / 4; i++) {
		y[i] = ppu_seg_temp(s);
		EM(s->e, VPBROADCASTD, Y(y[i]), at(disp + 4 * (int32_t)i, 4));
	}
	ppu_mem_put_words(s, di, y, bytes / 4);
}

/* ---- a load ---- */

static void fetch(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int t, int32_t disp)
{
	int y;

	switch (bytes) {
	case 4:
		y = ppu_seg_temp(s);
		EM(s->e, VPERMD, Y(y), Y(t), at(disp, PPU_VEC));
		ppu_mem_put_words(s, di, &y, 1);
		break;
	case 8:
		pairs(s, di, t, disp);
		break;
	default:
		ppu_mem_quads(s, di, t, disp);
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
	ppu_mem_put_words(s, di, &y, 1);
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
	ppu_mem_put_words(s, di, &y, 1);
}

/* A check of a group of words, or of less, that failed: each of its loads gathers. */
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

int ppu_mem_address(struct ppu_seg *s, unsigned gi)
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
	if (g->bytes <= 4) {
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
	if (g->bytes <= 4) {
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

int ppu_mem_pointer(struct ppu_seg *s, unsigned gi)
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
	int t = ppu_mem_address(s, gi), y = ppu_seg_temp(s), p = ppu_mem_pointer(s, gi);
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
	ppu_mem_put_words(s, di, &y, 1);
}

void ppu_select_load(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int32_t disp = (int32_t)(di->imm64 - g->imm);

	if ((g->loads == 1 && g->bytes >= 4) || g->bytes > 4 || ppu_mem_fixed(s, g))
		memset(s->ptr, -1, sizeof(s->ptr));
	if (ppu_mem_fixed_early(s, g)) {
		EM(s->e, MOV, Q(RAX), M(RSP, FIXED_AT(g->space), 8));
		fixed_words(s, di, g->bytes, (int32_t)di->imm64);
	} else if (ppu_mem_fixed(s, g)) {
		window_address(s, gi, -1, -1, s->bail);
		fixed_words(s, di, g->bytes, disp);
	} else if (g->bytes < 4) {
		ppu_mem_narrow(s, di, gi, disp);
	} else if (g->loads == 1 && ppu_mem_counts_words(g)) {
		alone_indexed(s, di, gi);
	} else if (g->loads == 1 && g->indexed && g->bytes == 8) {
		alone_pair(s, di, gi);
	} else if (g->loads == 1) {
		alone(s, di, gi);
	} else if (g->bytes == 4) {
		member(s, di, gi, disp);
	} else {
		int t = ppu_mem_address(s, gi);

		EM(s->e, MOV, Q(RAX), SLOT_PTR(gi));
		fetch(s, di, g->bytes, t, disp);
	}
}
#endif
