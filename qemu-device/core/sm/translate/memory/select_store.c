/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores in a fused segment, eight lanes at a time, or 16.
 *
 * While the segment runs, a store only checks its addresses and keeps what it stores, as it will lie in memory.  When all
 * lanes have done everything, nothing can fail any more: then store after store goes to memory, lane after lane, as the
 * interpreter does it.  Lanes in a row are one copy; other lanes go one by one.  The lanes must lie in one page that
 * may be written and that nobody waits at; whatever else jumps to `bail`.
 *
 * Host registers: rax, rdx and rcx are free.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/translate/calls.h"
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/memory/select_mem.h"

#define PLACE_AT(place, field)	(PPU_AT_PLACES + 128 * (int32_t)(place) + (int32_t)offsetof(struct ppu_place, field))
#define OFFSETS_AT(place)	(PPU_AT_OFFSETS + 128 * (int32_t)(place))
#define KEPT_AT(row)		(PPU_AT_KEPT + 128 * (int32_t)(row))
#define SECOND			((int32_t)sizeof(struct ppu_place))	/* of the second eight lanes of 16 */
#define ACTIVE_AT		((int32_t)offsetof(struct ppu_warp, active))

/* ---- the check ---- */

/* SCRATCH: 0 where the distance t is that of lanes in a row. */
static void not_in_a_row(struct ppu_seg *s, int t, unsigned bytes)
{
	uint32_t row[16];

	for (unsigned i = 0; i < 16; i++)
		row[i] = i * bytes;
	EM(s->e, VPXOR, Y(PPU_SEG_SCRATCH), Y(t), M(R13, ppu_lanes_vector(s, row), PPU_VEC));
}

/* Fills in the place: rax base; ecx: offset of the first lane; v: offsets, t: distances. */
static void keep_place(struct ppu_seg *s, const struct ppu_fuse_group *g, int v, int t)
{
	struct ppu_emit *e = s->e;

	EM(e, MOV, M(R11, PLACE_AT(g->place, base), 8), Q(RAX));
	if (e->wide)
		EM(e, MOV, M(R11, SECOND + PLACE_AT(g->place, base), 8), Q(RAX));
	EM(e, VMOVDQU, M(R11, OFFSETS_AT(g->place), PPU_VEC), Y(v));
	EM(e, XOR, D(RDX), D(RDX));
	if (!s->masked) {
		not_in_a_row(s, t, g->bytes);
		EM(e, ADD, Q(RCX), Q(RAX));
		ppu_lanes_test(s, PPU_SEG_SCRATCH);
		EM(e, CMOVZ, Q(RDX), Q(RCX));
	}
	EM(e, MOV, M(R11, PLACE_AT(g->place, first), 8), Q(RDX));
	if (e->wide) {
		/* ZF is as before. */
		EM(e, MOV, D(RDX), IM(0));
		EM(e, LEA, Q(RCX), M(RCX, 8 * g->bytes, 8));
		EM(e, CMOVZ, Q(RDX), Q(RCX));
		EM(e, MOV, M(R11, SECOND + PLACE_AT(g->place, first), 8), Q(RDX));
	}
}

/* t: distances.  Lanes that do not lie in one window cost a transaction each. */
static void count_transactions(struct ppu_seg *s, unsigned gi, int t)
{
	struct ppu_away *a = away(s, PPU_AWAY_STORES, gi);

	a->back = ppu_emit_label(s->e);
	a->t[0] = PPU_SEG_SCRATCH;
	ppu_mem_far_lanes(s, PPU_SEG_SCRATCH, t, s->fuse->g[gi].bytes);
	ppu_lanes_test(s, PPU_SEG_SCRATCH);
	JUMP(s->e, JNZ, a->label);
	ppu_emit_bind(s->e, a->back);
}

/* rax = the first lane's address with the immediate. */
static void first_address(struct ppu_seg *s, const struct ppu_fuse_group *g, int first_lo, int first_hi)
{
	struct ppu_emit *e = s->e;

	EM(e, VPUNPCKLDQ, X(PPU_SEG_SCRATCH), X(first_lo), X(first_hi));
	EM(e, VMOVQ, Q(RAX), X(PPU_SEG_SCRATCH));
	if (g->imm) {
		/* Lanes in one page must not wrap.  Without an immediate this follows from their place in it. */
		EM(e, MOV, D(RCX), D(RAX));
		EM(e, SUB, D(RCX), IM(PPU_PAGE_SIZE));
		EM(e, CMP, D(RCX), IM(-2 * (int)PPU_PAGE_SIZE));
		JUMP(e, JNBE, s->bail);
		EM(e, ADD, Q(RAX), imm(s, g->imm, 8));
	}
	bail_on_window(s, g);
}

/* The page that rax lies in. */
static void find_page(struct ppu_seg *s, unsigned gi)
{
	struct ppu_away *look = away(s, PPU_AWAY_LOOK, gi);
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, CMP, Q(RDX), SLOT_PAGE(s->fuse->g[gi].page));
	look->back = ppu_emit_label(e);
	JUMP(e, JNZ, look->label);
	ppu_emit_bind(e, look->back);
}

/* rax: an address in the page that was found, becomes the page on the host. */
static void keep_page(struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	struct ppu_emit *e = s->e;

	EM(e, SHR, Q(RAX), IM(PPU_PAGE_SHIFT));
	EM(e, MOV, M(R11, PLACE_AT(g->place, page), 8), Q(RAX));
	if (e->wide)
		EM(e, MOV, M(R11, SECOND + PLACE_AT(g->place, page), 8), Q(RAX));
	EM(e, MOV, Q(RAX), SLOT_HOST(g->page));
}

/* From the addresses in lo and hi; t, u, v: lost. */
static void place_of_addresses(struct ppu_seg *s, unsigned gi, int lo, int hi, int t, int u, int v)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	uint32_t wrong = ~((PPU_PAGE_SIZE - 1) & ~(g->bytes - 1u));
	struct ppu_emit *e = s->e;

	ppu_mem_first_word(s, t, lo);
	ppu_mem_first_word(s, u, hi);
	first_address(s, g, t, u);
	EM(e, VPSUBD, Y(t), Y(lo), Y(t));
	ppu_mem_active_only(s, t);
	EM(e, VPXOR, Y(u), Y(u), Y(hi));
	ppu_mem_active_only(s, u);

	find_page(s, gi);
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, AND, D(RCX), IM(PPU_PAGE_SIZE - 1));
	EM(e, VMOVD, X(v), D(RCX));
	EM(e, VPBROADCASTD, Y(v), X(v));
	EM(e, VPADDD, Y(v), Y(v), Y(t));
	if (g->span) {
		EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(v), ppu_seg_const(s, g->span));
		EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(v));
		EM(e, VPAND, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), ppu_seg_const(s, wrong));
	} else {
		EM(e, VPAND, Y(PPU_SEG_SCRATCH), Y(v), ppu_seg_const(s, wrong));
	}
	EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(u));
	ppu_lanes_test(s, PPU_SEG_SCRATCH);
	JUMP(e, JNZ, s->bail);
	keep_page(s, g);
	keep_place(s, g, v, t);
	count_transactions(s, gi, t);
}

/*
 * The same from indices: where the lanes lie to each other mostly is known from a load, and those in a row need no vectors of
 * addresses, nor of offsets.  Lanes that do not lie in one window go out of line, and back to the way of all others.
 */
static void place_of_indices(struct ppu_seg *s, unsigned gi)
{
	static const uint32_t row[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	uint32_t done = ppu_emit_label(s->e);
	struct ppu_away *far, *lines;
	struct ppu_emit *e = s->e;
	bool shared;
	int d = ppu_mem_distances(s, gi, &shared);

	far = away(s, PPU_AWAY_PLACE, gi);
	far->index = ppu_seg_reg(s, g->index);
	far->high = g->product ? ppu_seg_reg(s, g->index + 1u) : -1;
	far->lo = ppu_seg_temp(s);
	far->hi = ppu_seg_temp(s);
	far->t[0] = ppu_seg_temp(s);
	far->t[1] = ppu_seg_temp(s);
	far->at = ppu_seg_temp(s);
	far->back = done;
	ppu_mem_first_of_index(s, gi, d, shared, far->index, far->t[0], far->label);
	if (g->imm) {
		EM(e, CMP, D(RAX), IM(-(int)(s->lanes * g->bytes)));
		JUMP(e, JNBE, far->label);
		EM(e, ADD, Q(RAX), imm(s, g->imm, 8));
	}
	bail_on_window(s, g);
	find_page(s, gi);
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, AND, D(RCX), IM(PPU_PAGE_SIZE - 1));
	EM(e, CMP, D(RCX), IM(ppu_mem_last_window(s, g)));
	JUMP(e, JNBE, far->label);
	if (!ppu_mem_whole(g)) {
		EM(e, TEST, D(RCX), IM(g->bytes - 1));
		JUMP(e, JNZ, s->bail);
	}
	keep_page(s, g);
	EM(e, MOV, M(R11, PLACE_AT(g->place, base), 8), Q(RAX));
	if (e->wide)
		EM(e, MOV, M(R11, SECOND + PLACE_AT(g->place, base), 8), Q(RAX));
	EM(e, ADD, Q(RAX), Q(RCX));
	EM(e, VPXOR, Y(PPU_SEG_SCRATCH), Y(d), M(R13, ppu_lanes_vector(s, row), PPU_VEC));
	ppu_lanes_test(s, PPU_SEG_SCRATCH);
	lines = away(s, PPU_AWAY_LINES, gi);
	lines->t[0] = d;
	lines->at = far->at;
	lines->back = done;
	JUMP(e, JNZ, lines->label);
	EM(e, MOV, M(R11, PLACE_AT(g->place, first), 8), Q(RAX));
	if (e->wide) {
		EM(e, ADD, Q(RAX), IM(8 * g->bytes));
		EM(e, MOV, M(R11, SECOND + PLACE_AT(g->place, first), 8), Q(RAX));
	}
	ppu_emit_bind(e, done);
}

/* With some lanes, which go one by one, all need addresses; and with products, of which the distances are not known. */
static void place_of_some(struct ppu_seg *s, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	struct ppu_away a = { .group = (uint8_t)gi, .index = ppu_seg_reg(s, g->index),
			      .high = g->product ? ppu_seg_reg(s, g->index + 1u) : -1 };
	int t = ppu_seg_temp(s), u = ppu_seg_temp(s);

	a.lo = ppu_seg_temp(s);
	a.hi = ppu_seg_temp(s);
	a.t[1] = ppu_seg_temp(s);
	ppu_mem_make_words(s, &a);
	place_of_addresses(s, gi, a.lo, a.hi, t, u, a.t[1]);
}

static void global_place(struct ppu_seg *s, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int lo, hi, t, u, v;

	if (g->indexed && (s->masked || (g->product && (g->like == gi || s->index[g->like] < 0)))) {
		place_of_some(s, gi);
	} else if (g->indexed) {
		place_of_indices(s, gi);
	} else {
		lo = ppu_seg_reg(s, g->row);
		hi = ppu_seg_reg(s, g->row + 1u);
		t = ppu_seg_temp(s);
		u = ppu_seg_temp(s);
		v = ppu_seg_temp(s);
		place_of_addresses(s, gi, lo, hi, t, u, v);
	}
}

static void shared_place(struct ppu_seg *s, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	struct ppu_mem_window win = ppu_mem_window_of(g);
	int lo = ppu_seg_reg(s, g->row), t = ppu_seg_temp(s), v = ppu_seg_temp(s), bad = ppu_seg_temp(s);
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RAX), M(RBP, CTA_AT, 8));
	EM(e, MOV, D(RCX), M(RAX, win.size, 4));
	EM(e, SUB, D(RCX), IM(g->bytes + (int)g->span));
	JUMP(e, JB, s->bail);
	ppu_mem_first_word(s, t, lo);
	EM(e, VPADDD, Y(v), Y(lo), ppu_seg_const(s, (uint32_t)g->imm));
	EM(e, VPADDD, Y(t), Y(t), ppu_seg_const(s, (uint32_t)g->imm));
	if (s->active.y >= 0)
		ppu_lanes_blend(s, v, Y(v), Y(t), s->active);
	EM(e, VMOVD, X(PPU_SEG_SCRATCH), D(RCX));
	EM(e, VPBROADCASTD, Y(PPU_SEG_SCRATCH), X(PPU_SEG_SCRATCH));
	EM(e, VMOVD, D(RCX), X(t));
	EM(e, VPSUBD, Y(t), Y(v), Y(t));
	EM(e, VPMAXUD, Y(bad), Y(v), Y(PPU_SEG_SCRATCH));
	EM(e, VPXOR, Y(bad), Y(bad), Y(PPU_SEG_SCRATCH));	/* 0: not behind the last one */
	if (g->bytes > 1) {
		EM(e, VPAND, Y(PPU_SEG_SCRATCH), Y(v), ppu_seg_const(s, g->bytes - 1u));
		EM(e, VPOR, Y(bad), Y(bad), Y(PPU_SEG_SCRATCH));
	}
	ppu_lanes_test(s, bad);
	JUMP(e, JNZ, s->bail);
	EM(e, MOV, Q(RAX), M(RAX, win.base, 8));
	keep_place(s, g, v, t);
}

/* ---- out of line ---- */

/* Stores that cost a transaction for each lane. */
static void scattered_transactions(struct ppu_seg *s, const struct ppu_away *a)
{
	ppu_mem_scattered_extra(s, a->t[0]);
	EM(s->e, IMUL, Q(RAX), Q(RAX), IM(s->fuse->g[a->group].loads));
	EM(s->e, ADD, M(RSP, PPU_AT_WRITES, 8), Q(RAX));
}

/* Lanes in one window, but not in a row: rax: where the first one goes; t[0]: distances in words. */
static void offsets_in_window(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	struct ppu_emit *e = s->e;

	EM(e, SUB, Q(RAX), M(R11, PLACE_AT(g->place, base), 8));
	EM(e, VMOVD, X(a->at), D(RAX));
	EM(e, VPBROADCASTD, Y(a->at), X(a->at));
	EM(e, VPSLLD, Y(PPU_SEG_SCRATCH), Y(a->t[0]), IM(__builtin_ctz(g->bytes)));
	EM(e, VPADDD, Y(a->at), Y(a->at), Y(PPU_SEG_SCRATCH));
	EM(e, VMOVDQU, M(R11, OFFSETS_AT(g->place), PPU_VEC), Y(a->at));
	EM(e, MOV, M(R11, PLACE_AT(g->place, first), 8), IM(0));
	if (e->wide)
		EM(e, MOV, M(R11, SECOND + PLACE_AT(g->place, first), 8), IM(0));
}

void ppu_select_store_away(struct ppu_seg *s, const struct ppu_away *a)
{
	switch (a->kind) {
	case PPU_AWAY_PLACE:
		ppu_mem_make_words(s, a);
		place_of_addresses(s, a->group, a->lo, a->hi, a->t[0], a->t[1], a->at);
		break;
	case PPU_AWAY_LINES:
		offsets_in_window(s, a);
		break;
	default:
		scattered_transactions(s, a);
	}
	JUMP(s->e, JMP, a->back);
}

/* ---- what is stored ---- */

static struct ppu_opn kept(unsigned row, unsigned bytes)
{
	return M(R11, KEPT_AT(row), (uint8_t)bytes);
}

/* Bytes and halves, side by side. */
static void keep_narrow(struct ppu_seg *s, int y, unsigned bytes, unsigned row)
{
	static const uint8_t pick[2][16] = { { 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12 },
					     { 0, 1, 4, 5, 8, 9, 12, 13, 0, 1, 4, 5, 8, 9, 12, 13 } };
	int t = ppu_seg_temp(s);
	uint8_t twice[32];
	uint32_t at;

	if (s->e->wide) {
		if (bytes == 1)
			EM(s->e, VPMOVDB, X(t), Y(y));
		else
			EM(s->e, VPMOVDW, H(t), Y(y));
		if (bytes == 2)
			EM(s->e, VEXTRACTI32X4, X(PPU_SEG_SCRATCH), H(t), IM(1));
		else
			EM(s->e, VPSRLDQ, X(PPU_SEG_SCRATCH), X(t), IM(8));
		EM(s->e, VMOVDQU, kept(row, 16), X(t));
		EM(s->e, VMOVDQU, M(R11, KEPT_AT(row) + 32, 16), X(PPU_SEG_SCRATCH));
		return;
	}

	memcpy(twice, pick[bytes - 1], 16);
	memcpy(twice + 16, pick[bytes - 1], 16);
	at = ppu_emit_pool(s->e, twice, sizeof(twice));
	EM(s->e, VPSHUFB, Y(t), Y(y), M(R13, at, 32));
	EM(s->e, VEXTRACTI128, X(PPU_SEG_SCRATCH), Y(t), IM(1));
	if (bytes == 1)
		EM(s->e, VPUNPCKLDQ, X(t), X(t), X(PPU_SEG_SCRATCH));
	else
		EM(s->e, VPUNPCKLQDQ, X(t), X(t), X(PPU_SEG_SCRATCH));
	EM(s->e, VMOVDQU, kept(row, 16), X(t));
}

static void keep_pairs(struct ppu_seg *s, const int *y, unsigned row)
{
	/* Lanes 0 to 3 and, of 16, 8 to 11; the others. */
	static const uint32_t pick[2][16] = { { 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27 },
					      { 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31 } };
	int t = ppu_seg_temp(s), u = ppu_seg_temp(s);

	for (unsigned i = 0; i < 2 && s->e->wide; i++) {
		EM(s->e, VMOVDQA, Y(t), M(R13, ppu_lanes_vector(s, pick[i]), PPU_VEC));
		EM(s->e, VPERMI2D, Y(t), Y(y[0]), Y(y[1]));
		EM(s->e, VMOVDQU, kept(row + i, PPU_VEC), Y(t));
	}
	if (s->e->wide)
		return;
	EM(s->e, VPUNPCKLDQ, Y(t), Y(y[0]), Y(y[1]));
	EM(s->e, VPUNPCKHDQ, Y(u), Y(y[0]), Y(y[1]));
	ppu_lanes_halves(s, PPU_SEG_SCRATCH, t, u, false);
	EM(s->e, VMOVDQU, kept(row, 32), Y(PPU_SEG_SCRATCH));
	ppu_lanes_halves(s, t, t, u, true);
	EM(s->e, VMOVDQU, kept(row + 1, 32), Y(t));
}

/* a, b: words 0 and 1, 2 and 3, of two lanes of each four of 16; to row and the next but one.  a, b: lost. */
static void quads_wide(struct ppu_seg *s, int a, int b, unsigned row)
{
	static const uint32_t pick[2][16] = { { 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27 },
					      { 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31 } };

	EM(s->e, VPUNPCKHQDQ, Y(PPU_SEG_SCRATCH), Y(a), Y(b));	/* the second of the two lanes */
	EM(s->e, VPUNPCKLQDQ, Y(a), Y(a), Y(b));
	for (unsigned i = 0; i < 2; i++) {
		EM(s->e, VMOVDQA, Y(b), M(R13, ppu_lanes_vector(s, pick[i]), PPU_VEC));
		EM(s->e, VPERMI2D, Y(b), Y(a), Y(PPU_SEG_SCRATCH));
		EM(s->e, VMOVDQU, kept(row + 2 * i, PPU_VEC), Y(b));
	}
}

static void keep_quads(struct ppu_seg *s, const int *y, unsigned row)
{
	int a = ppu_seg_temp(s), b = ppu_seg_temp(s), c = ppu_seg_temp(s), d = ppu_seg_temp(s);

	EM(s->e, VPUNPCKLDQ, Y(a), Y(y[0]), Y(y[1]));		/* words 0 and 1 of lanes 0, 1, 4, 5 */
	EM(s->e, VPUNPCKHDQ, Y(c), Y(y[0]), Y(y[1]));		/* of lanes 2, 3, 6, 7 */
	EM(s->e, VPUNPCKLDQ, Y(b), Y(y[2]), Y(y[3]));
	EM(s->e, VPUNPCKHDQ, Y(d), Y(y[2]), Y(y[3]));
	if (s->e->wide) {
		quads_wide(s, a, b, row);		/* lanes 0, 1, 8, 9 of these, and 4, 5, 12, 13 */
		quads_wide(s, c, d, row + 1);
		return;
	}
	EM(s->e, VPUNPCKHQDQ, Y(PPU_SEG_SCRATCH), Y(a), Y(b));	/* lanes 1, 5 */
	EM(s->e, VPUNPCKLQDQ, Y(a), Y(a), Y(b));		/* lanes 0, 4 */
	ppu_lanes_halves(s, b, a, PPU_SEG_SCRATCH, false);
	EM(s->e, VMOVDQU, kept(row, 32), Y(b));
	ppu_lanes_halves(s, b, a, PPU_SEG_SCRATCH, true);
	EM(s->e, VMOVDQU, kept(row + 2, 32), Y(b));
	EM(s->e, VPUNPCKHQDQ, Y(PPU_SEG_SCRATCH), Y(c), Y(d));	/* lanes 3, 7 */
	EM(s->e, VPUNPCKLQDQ, Y(c), Y(c), Y(d));		/* lanes 2, 6 */
	ppu_lanes_halves(s, b, c, PPU_SEG_SCRATCH, false);
	EM(s->e, VMOVDQU, kept(row + 1, 32), Y(b));
	ppu_lanes_halves(s, b, c, PPU_SEG_SCRATCH, true);
	EM(s->e, VMOVDQU, kept(row + 3, 32), Y(b));
}

static unsigned number_of(const struct ppu_seg *s)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->at; i++)
		n += s->fuse->group[i] >= 0 && s->fuse->g[s->fuse->group[i]].write;
	return n;
}

void ppu_select_store(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	unsigned row = s->fuse->store[number_of(s)].row, words = g->bytes > 4 ? g->bytes / 4 : 1;
	int y[4];

	memset(s->ptr, -1, sizeof(s->ptr));
	if (!(s->placed >> g->place & 1)) {
		s->placed |= 1u << g->place;
		if (global(g))
			global_place(s, gi);
		else
			shared_place(s, gi);
		ppu_seg_unlock_all(s);
	}
	if (ppu_mem_parts(di))
		ppu_mem_put_together(s, di, y);
	else
		for (unsigned i = 0; i < words; i++)
			y[i] = ppu_seg_reg(s, di->b + i);
	if (g->bytes < 4)
		keep_narrow(s, y[0], g->bytes, row);
	else if (g->bytes == 4)
		EM(s->e, VMOVDQU, kept(row, PPU_VEC), Y(y[0]));
	else if (g->bytes == 8)
		keep_pairs(s, y, row);
	else
		keep_quads(s, y, row);
}

/* ---- behind all lanes ---- */

/* Kinds of what goes to memory lane by lane: by the logarithm of the bytes, and sums. */
#define KIND_ADD	5
#define KINDS		6

static unsigned kind_of(const struct ppu_fuse_group *g, const struct ppu_fuse_store *st)
{
	return st->add ? KIND_ADD : (unsigned)__builtin_ctz(g->bytes);
}

/* Eight lanes in a row: rax is where. */
static void copy(struct ppu_emit *e, unsigned bytes, unsigned row, unsigned k, int32_t disp)
{
	const int32_t from = KEPT_AT(row) + 32 * (int32_t)k;

	if (bytes == 1) {
		EM(e, MOV, Q(RCX), M(RSP, from, 8));
		EM(e, MOV, M(RAX, disp, 8), Q(RCX));
	} else if (bytes == 2) {
		EM(e, VMOVDQU, X(0), M(RSP, from, 16));
		EM(e, VMOVDQU, M(RAX, disp, 16), X(0));
	}
	for (unsigned i = 0; i < bytes / 4; i++) {
		EM(e, VMOVDQU, Y(0), M(RSP, from + 128 * (int32_t)i, 32));
		EM(e, VMOVDQU, M(RAX, disp + 32 * (int32_t)i, 32), Y(0));
	}
}

/* Lanes one by one; when masked, those whose bits are in esi. */
static void one_by_one(struct ppu_seg *s, const struct ppu_fuse_store *st, unsigned k)
{
	const struct ppu_fuse_group *g = &s->fuse->g[st->group];
	const int32_t disp = (int32_t)(st->imm - g->imm);
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RAX), M(RSP, PLACE_AT(g->place, base) + 32 * (int32_t)k, 8));
	if (disp)
		EM(e, ADD, Q(RAX), IM(disp));
	EM(e, LEA, Q(RDX), M(RSP, OFFSETS_AT(g->place) + 32 * (int32_t)k, 8));
	EM(e, LEA, Q(RCX), M(RSP, KEPT_AT(st->row) + 32 * (int32_t)k, 8));
	JUMP(e, CALL, s->stubs->scatter[s->masked][kind_of(g, st)]);
}

static void store_kept(struct ppu_seg *s, const struct ppu_fuse_store *st)
{
	const struct ppu_fuse_group *g = &s->fuse->g[st->group];
	struct ppu_emit *e = s->e;

	for (unsigned k = 0; k < PPU_LANES / 8; k++) {
		uint32_t far = ppu_emit_label(e), next = ppu_emit_label(e);

		if (s->masked) {
			EM(e, MOVZX, D(RSI), M(RBP, ACTIVE_AT + (int32_t)k, 1));
			EM(e, TEST, D(RSI), D(RSI));
			JUMP(e, JZ, next);
		} else if (!st->add) {
			EM(e, MOV, Q(RAX), M(RSP, PLACE_AT(g->place, first) + 32 * (int32_t)k, 8));
			EM(e, TEST, Q(RAX), Q(RAX));
			JUMP(e, JZ, far);
			copy(e, g->bytes, st->row, k, (int32_t)(st->imm - g->imm));
			JUMP(e, JMP, next);
			ppu_emit_bind(e, far);
		}
		one_by_one(s, st, k);
		ppu_emit_bind(e, next);
	}
}

/* Pages that were not dirty become it. */
static void note_dirty(struct ppu_seg *s)
{
	void (*fn)(struct ppu_sm *sm, struct ppu_warp *w, const struct ppu_place *places, uint32_t groups) = ppu_calls_dirty;
	uint32_t at = ppu_emit_pool(s->e, &fn, sizeof(fn)), none = ppu_emit_label(s->e), groups = 0;
	struct ppu_emit *e = s->e;

	for (unsigned i = 0; i < s->fuse->groups; i++)
		if (s->fuse->g[i].write && global(&s->fuse->g[i]))
			groups |= 1u << s->fuse->g[i].place;
	EM(e, CMP, M(RSP, PPU_AT_CLEAN, 8), IM(0));
	JUMP(e, JZ, none);
	EM(e, MOV, Q(RDI), Q(R15));
	EM(e, MOV, Q(RSI), Q(RBP));
	EM(e, LEA, Q(RDX), M(RSP, PPU_AT_PLACES, 8));
	EM(e, MOV, D(RCX), IM((int)groups));
	EM0(e, VZEROUPPER);
	EM(e, CALL, M(R13, at, 8));
	ppu_emit_bind(e, none);
}

void ppu_select_store_kept(struct ppu_seg *s)
{
	bool wide = s->e->wide;

	s->e->wide = false;		/* eight lanes at a time */
	for (unsigned i = 0; i < s->fuse->stores; i++)
		store_kept(s, &s->fuse->store[i]);
	if (s->fuse->writes)
		note_dirty(s);
	s->e->wide = wide;
}

/* ---- what all segments share ---- */

/* Lane i goes to rax + edi; rcx: what is kept of the eight lanes. */
static void emit_lane(struct ppu_emit *e, unsigned kind, unsigned i)
{
	const unsigned bytes = kind == KIND_ADD ? 4 : 1u << kind;
	const struct ppu_opn to = { PPU_O_SUM, RAX, (uint8_t)(bytes < 8 ? bytes : 8), RDI };
	const int32_t at = (int32_t)(bytes * i / 32 * 128 + bytes * i % 32);

	switch (kind) {
	case 0:
		EM(e, VPEXTRB, to, X(0), IM((int)i));
		break;
	case 1:
		EM(e, VPEXTRW, to, X(0), IM((int)i));
		break;
	case 2:
		EM(e, MOV, D(R8), M(RCX, at, 4));
		EM(e, MOV, to, D(R8));
		break;
	case KIND_ADD:
		EM(e, MOV, D(R8), M(RCX, at, 4));
		EM(e, ADD, to, D(R8));
		break;
	default:
		EM(e, MOV, Q(R8), M(RCX, at, 8));
		EM(e, MOV, to, Q(R8));
		if (bytes == 8)
			break;
		EM(e, ADD, Q(RDI), Q(RAX));
		EM(e, MOV, Q(R8), M(RCX, at + 8, 8));
		EM(e, MOV, M(RDI, 8, 8), Q(R8));
	}
}

/* In: rax: the base, rdx: offsets, rcx: what is kept; masked: esi: lanes.  rdi, r8, ymm0 are lost. */
static void emit_scatter(struct ppu_emit *e, unsigned kind, bool masked)
{
	if (kind < 2)
		EM(e, VMOVDQU, X(0), M(RCX, 0, 16));
	for (unsigned i = 0; i < 8; i++) {
		uint32_t skip = ppu_emit_label(e);

		if (masked) {
			EM(e, TEST, D(RSI), IM(1 << i));
			JUMP(e, JZ, skip);
		}
		EM(e, MOV, D(RDI), M(RDX, 4 * (int)i, 4));
		emit_lane(e, kind, i);
		ppu_emit_bind(e, skip);
	}
	EM0(e, RET);
}

void ppu_select_store_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs)
{
	for (unsigned i = 0; i < 2 * KINDS; i++)
		if (ppu_emit_used(e, stubs->scatter[i / KINDS][i % KINDS])) {
			ppu_emit_bind(e, stubs->scatter[i / KINDS][i % KINDS]);
			emit_scatter(e, i % KINDS, i / KINDS);
		}
}
#endif
