/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads in a fused segment, eight lanes at a time.
 *
 * The usual case is in line: the addresses of the eight lanes lie in a window of eight accesses that begins at lane 0's.
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
#include "core/sm/translate/segment.h"
#include "core/sm/translate/select_mem.h"

/* One address for all lanes that is known now, of whole words. */
static bool fixed(const struct ppu_seg *s, const struct ppu_fuse_group *g)
{
	return !global(g) && g->row == PPU_ROW_ZERO(s->nregs) && g->bytes >= 4;
}

/* ---- the check ---- */

/* Distances that lanes may have to the first one. */
uint32_t ppu_mem_window_bits(unsigned bytes)
{
	return 8 * bytes - bytes;
}

/* The lowest active lane's word, in all lanes. */
void ppu_mem_first_word(struct ppu_seg *s, int t, int y)
{
	if (s->first >= 0)
		EM(s->e, VPERMD, Y(t), Y(s->first), Y(y));
	else
		EM(s->e, VPBROADCASTD, Y(t), X(y));
}

void ppu_mem_active_only(struct ppu_seg *s, int y)
{
	if (s->inactive >= 0)
		EM(s->e, VPANDN, Y(y), Y(s->inactive), Y(y));
}

struct ppu_mem_window ppu_mem_window_of(const struct ppu_fuse_group *g)
{
	if (g->space == PPU_SPACE_SHARED)
		return (struct ppu_mem_window){ offsetof(struct ppu_cta, shared_bytes), offsetof(struct ppu_cta, shared) };
	return (struct ppu_mem_window){ offsetof(struct ppu_cta, param_bytes), offsetof(struct ppu_cta, params) };
}

void ppu_mem_scattered_extra(struct ppu_seg *s)
{
	struct ppu_emit *e = s->e;

	if (s->masked) {
		EM(e, MOVZX, D(RAX), M(RDI, offsetof(struct ppu_warp, active), 1));
		EM(e, POPCNT, D(RAX), D(RAX));
		EM(e, SUB, D(RAX), IM(1));
	} else {
		EM(e, MOV, D(RAX), IM(7));
	}
}

/* t: the first word of lo, becomes the distances to it; not zero in SCRATCH: another pattern. */
static void distances(struct ppu_seg *s, int t, int lo, unsigned bytes)
{
	EM(s->e, VPSUBD, Y(t), Y(lo), Y(t));
	ppu_mem_active_only(s, t);
	EM(s->e, VPAND, Y(PPU_SEG_SCRATCH), Y(t), ppu_seg_const(s, ~ppu_mem_window_bits(bytes)));
}

/* rax = host address for the first lane; t: distances. */
static void global_address(struct ppu_seg *s, unsigned gi, int t, int lo, int hi, uint32_t scattered, uint32_t crossing)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int u = ppu_seg_temp(s), v = ppu_seg_temp(s);
	struct ppu_emit *e = s->e;
	struct ppu_away *look;

	ppu_mem_first_word(s, t, lo);
	ppu_mem_first_word(s, u, hi);
	EM(e, VPUNPCKLDQ, X(v), X(t), X(u));
	EM(e, VMOVQ, Q(RAX), X(v));
	distances(s, t, lo, g->bytes);
	EM(e, VPXOR, Y(u), Y(u), Y(hi));
	ppu_mem_active_only(s, u);
	EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(u));
	EM(e, VPTEST, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH));
	JUMP(e, JNZ, scattered);
	ppu_seg_drop(s, u);
	ppu_seg_drop(s, v);
	if (g->imm) {
		/* The window must not wrap.  Without an immediate this follows from its place in the page. */
		EM(e, CMP, D(RAX), IM(-8 * (int)g->bytes));
		JUMP(e, JNBE, s->bail);
		EM(e, ADD, Q(RAX), imm(s, g->imm, 8));
	}
	bail_on_window(s, g);
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, CMP, Q(RDX), SLOT_PAGE(gi));
	look = away(s, PPU_AWAY_LOOK, gi);
	look->back = ppu_emit_label(e);
	JUMP(e, JNZ, look->label);
	ppu_emit_bind(e, look->back);
	EM(e, AND, D(RAX), IM(PPU_PAGE_SIZE - 1));
	EM(e, CMP, D(RAX), IM((int)PPU_PAGE_SIZE - 8 * g->bytes - (int)g->span));
	JUMP(e, JNBE, crossing);
	if (g->bytes > 1) {
		EM(e, TEST, D(RAX), IM(g->bytes - 1));
		JUMP(e, JNZ, s->bail);
	}
	EM(e, ADD, Q(RAX), SLOT_HOST(gi));
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
		distances(s, t, lo, g->bytes);
		EM(e, VPTEST, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH));
		JUMP(e, JNZ, scattered);
	}
	if (g->imm)
		EM(e, ADD, D(RAX), imm(s, g->imm, 4));
	EM(e, MOV, Q(RDX), M(RBP, CTA_AT, 8));
	EM(e, MOV, D(RCX), M(RDX, win.size, 4));
	/* Behind the end there may still be words for equal lanes: `scattered` looks closer. */
	EM(e, SUB, D(RCX), IM((int)((fixed(s, g) ? 1 : 8) * g->bytes + g->span)));
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
static void index_of(struct ppu_seg *s, int t, unsigned bytes)
{
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

/* Bytes and halves. */
static void narrow(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned bytes, int t, int32_t disp)
{
	int y = ppu_seg_temp(s), shift = 32 - 8 * (int)bytes;

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

	EM(s->e, VPOR, Y(a), Y(t), ppu_seg_const(s, 1));
	EM(s->e, VPERMD, Y(y[1]), Y(a), at(disp, 32));
	EM(s->e, VPERMD, Y(a), Y(a), at(disp + 32, 32));
	EM(s->e, VPSLLD, Y(PPU_SEG_SCRATCH), Y(t), IM(28));	/* its sign: the second vector */
	EM(s->e, VBLENDVPS, Y(y[1]), Y(y[1]), Y(a), Y(PPU_SEG_SCRATCH));
	EM(s->e, VPERMD, Y(y[0]), Y(t), at(disp, 32));
	EM(s->e, VPERMD, Y(a), Y(t), at(disp + 32, 32));
	EM(s->e, VBLENDVPS, Y(y[0]), Y(y[0]), Y(a), Y(PPU_SEG_SCRATCH));
	put_words(s, di, y, 2);
}

/* Four words: all lanes the same, or lanes in a row. */
static void quads(struct ppu_seg *s, const struct ppu_dinsn *di, int t, int32_t disp)
{
	static const uint32_t row[8] = { 0, 16, 32, 48, 64, 80, 96, 112 };
	uint32_t row_at = ppu_emit_pool(s->e, row, 32), done = ppu_emit_label(s->e), in_row = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;
	int y[4], v[4];

	for (unsigned i = 0; i < 4; i++) {
		y[i] = ppu_seg_temp(s);
		v[i] = i < 3 ? ppu_seg_temp(s) : PPU_SEG_SCRATCH;
	}
	EM(e, VPTEST, Y(t), Y(t));
	JUMP(e, JNZ, in_row);
	for (unsigned i = 0; i < 4; i++)
		EM(e, VPBROADCASTD, Y(y[i]), at(disp + 4 * (int32_t)i, 4));
	JUMP(e, JMP, done);
	ppu_emit_bind(e, in_row);
	EM(e, VPXOR, Y(v[0]), Y(t), M(R13, row_at, 32));
	ppu_mem_active_only(s, v[0]);
	EM(e, VPTEST, Y(v[0]), Y(v[0]));
	JUMP(e, JNZ, s->bail);
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
		EM(s->e, VPERMD, Y(y), Y(t), at(disp, 32));
		put_words(s, di, &y, 1);
		break;
	case 8:
		pairs(s, di, t, disp);
		break;
	default:
		quads(s, di, t, disp);
	}
}

/* A load that shares its address with no other; if it is of words, lanes may be anywhere. */
static void alone(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int lo = ppu_seg_reg(s, g->row), hi = global(g) ? ppu_seg_reg(s, g->row + 1u) : -1, t = ppu_seg_temp(s), y;
	struct ppu_away *far, *cross = NULL;
	uint32_t done;

	if (g->bytes != 4) {
		if (global(g))
			global_address(s, gi, t, lo, hi, s->bail, s->bail);
		else
			window_address(s, gi, t, lo, s->bail);
		index_of(s, t, g->bytes);
		fetch(s, di, g->bytes, t, 0);
		return;
	}
	far = away(s, global(g) ? PPU_AWAY_GATHER : PPU_AWAY_SHARED, gi);
	far->lo = lo;
	far->hi = hi;
	far->scattered = true;
	far->imm = g->imm;
	y = ppu_seg_temp(s);
	far->t[0] = t;
	far->t[1] = ppu_seg_temp(s);
	far->t[2] = ppu_seg_temp(s);
	far->y = y;
	done = far->back = ppu_emit_label(s->e);
	if (global(g)) {
		cross = away(s, PPU_AWAY_GATHER, gi);
		cross->lo = lo;
		cross->hi = hi;
		cross->t[0] = t;
		cross->t[1] = far->t[1];
		cross->y = y;
		cross->imm = g->imm;
		cross->back = done;
		global_address(s, gi, t, lo, hi, far->label, cross->label);
	} else {
		window_address(s, gi, t, lo, far->label);
	}
	index_of(s, t, 4);
	EM(s->e, VPERMD, Y(y), Y(t), at(0, 32));
	ppu_emit_bind(s->e, done);
	put_words(s, di, &y, 1);
}

/* A check of a group of words that failed: each of its loads gathers. */
static struct ppu_away *part(struct ppu_seg *s, unsigned gi, int lo, int hi, const int *t, bool scattered, uint32_t back)
{
	struct ppu_away *a = away(s, PPU_AWAY_PART, gi);

	a->lo = lo;
	a->hi = hi;
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
	int lo, hi, t[2] = { s->index[gi], -1 };

	if (t[0] >= 0) {
		s->y[t[0]].lock = 1;
		return t[0];
	}
	memset(s->ptr, -1, sizeof(s->ptr));
	lo = ppu_seg_reg(s, g->row);
	hi = global(g) ? ppu_seg_reg(s, g->row + 1u) : -1;
	t[0] = ppu_seg_temp(s);
	if (g->bytes == 4) {
		t[1] = ppu_seg_temp(s);
		back = ppu_emit_label(s->e);
		scattered = part(s, gi, lo, hi, t, true, back)->label;
		if (global(g))
			crossing = part(s, gi, lo, hi, t, false, back)->label;
	}
	if (global(g))
		global_address(s, gi, t[0], lo, hi, scattered, crossing);
	else
		window_address(s, gi, t[0], lo, scattered);
	index_of(s, t[0], g->bytes);
	EM(s->e, MOV, SLOT_PTR(gi), Q(RAX));
	if (g->bytes == 4) {
		ppu_emit_bind(s->e, back);
		ppu_seg_drop(s, t[1]);
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
	for (unsigned i = 0; i < 3 && !global(g); i++)
		a->t[i] = ppu_seg_temp(s);
	a->back = ppu_emit_label(s->e);
	EM(s->e, TEST, Q(p), Q(p));
	JUMP(s->e, JZ, a->label);
	EM(s->e, VPERMD, Y(y), Y(t), M(p, disp, 32));
	ppu_emit_bind(s->e, a->back);
	put_words(s, di, &y, 1);
}

void ppu_select_load(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned gi)
{
	const struct ppu_fuse_group *g = &s->fuse->g[gi];
	int32_t disp = (int32_t)(di->imm64 - g->imm);

	if (g->loads == 1 || g->bytes != 4 || fixed(s, g))
		memset(s->ptr, -1, sizeof(s->ptr));
	if (fixed(s, g)) {
		window_address(s, gi, -1, -1, s->bail);
		fixed_words(s, di, g->bytes, disp);
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

/*
 * The host fetches ahead by itself what one instruction of it loads in equal distances.  Here one instruction loads for
 * eight lanes and then for the next eight, and a warp that goes through memory in long steps has a new page at each.  So:
 * what would be next if this step were repeated.  rax: address, rcx: its page on the host; rcx, rdx: lost.
 */
static void fetch_ahead(struct ppu_emit *e)
{
	/* In the SM: in the notes of the region, SMs that run at the same time would take the line from one another. */
	int32_t last = (int32_t)(offsetof(struct ppu_sm, last_page) + sizeof(uint64_t) * (e->looks++ % PPU_LAST_PAGES));

	EM(e, MOV, M(RSP, PPU_AT_WORDS, 8), Q(RAX));
	EM(e, AND, D(RAX), IM(PPU_PAGE_SIZE - 1));
	EM(e, ADD, Q(RAX), Q(RCX));
	EM(e, MOV, Q(RDX), M(R15, last, 8));
	EM(e, MOV, M(R15, last, 8), Q(RAX));
	EM(e, NEG, Q(RDX));
	EM(e, ADD, Q(RDX), Q(RAX));
	EM(e, ADD, Q(RDX), Q(RAX));
	EM(e, PREFETCHT0, M(RDX, 0, 1));
	EM(e, PREFETCHT0, M(RDX, 64, 1));
	EM(e, MOV, Q(RAX), M(RSP, PPU_AT_WORDS, 8));
}

/* The page of rax is not that of the lanes before. */
static void emit_look(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	struct ppu_emit *e = s->e;

	JUMP(e, CALL, g->write ? s->stubs->find_written : s->stubs->find_page);
	JUMP(e, JNZ, s->bail);
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, MOV, SLOT_PAGE(a->group), Q(RDX));
	EM(e, MOV, SLOT_HOST(a->group), Q(RCX));
	EM(e, MOV, Q(RCX), M(RSP, USED_AT(bytes), 8));
	EM(e, ADD, Q(RCX), Q(RSP));
	EM(e, MOV, M(RCX, USED_AT(page), 8), Q(RDX));
	EM(e, ADD, M(RSP, USED_AT(bytes), 8), IM(8));
	EM(e, MOV, Q(RCX), SLOT_HOST(a->group));
	fetch_ahead(e);
	JUMP(e, JMP, a->back);
}

/* t = the words of lo, in inactive lanes that of the first lane. */
static void words_of_active(struct ppu_seg *s, int t, int lo)
{
	ppu_mem_first_word(s, t, lo);
	if (s->inactive >= 0)
		EM(s->e, VBLENDVPS, Y(t), Y(lo), Y(t), Y(s->inactive));
	else
		EM(s->e, VMOVDQA, Y(t), Y(lo));
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
	EM(e, VPTEST, Y(u), Y(u));
	JUMP(e, JNZ, s->bail);
	EM(e, VMOVD, D(RDX), X(t));
	if (g->space == PPU_SPACE_GENERIC) {
		EM(e, CMP, D(RDX), IM(WINDOWS - 1));	/* the immediate may carry */
		JUMP(e, JNB, s->bail);
	}
	EM(e, SHL, Q(RDX), IM(32));
}

/* Words anywhere in global memory below one high word. */
static void emit_gather(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	struct ppu_emit *e = s->e;

	if (!a->scattered)
		no_wrap(s, a->t[1], a->lo, g->bytes);
	one_high_word(s, g, a->t[0], a->t[1], a->hi);
	if (a->imm)
		EM(e, ADD, Q(RDX), imm(s, a->imm, 8));
	words_of_active(s, a->t[0], a->lo);
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, 32), Y(a->t[0]));
	JUMP(e, CALL, s->stubs->gather);
	JUMP(e, JNZ, s->bail);
	if (a->scattered) {
		ppu_mem_scattered_extra(s);
		EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
	}
	EM(e, VMOVDQU, X(a->y), M(RSP, PPU_AT_WORDS, 16));
	EM(e, VINSERTI128, Y(a->y), Y(a->y), M(RSP, PPU_AT_WORDS + 16, 16), IM(1));
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
	EM(e, VPTEST, Y(bad), Y(bad));
	JUMP(e, JNZ, s->bail);
	EM(e, MOV, Q(RAX), M(RDX, win.base, 8));
	EM(e, VPCMPEQD, Y(last), Y(last), Y(last));
	EM(e, VPGATHERDD, Y(a->y), ((struct ppu_opn){ PPU_O_VSIB, RAX, 4, off }), Y(last));
	if (a->kind == PPU_AWAY_SHARED_PART)
		pointers_again(s, a);
	JUMP(e, JMP, a->back);
}

static void emit_shared(struct ppu_seg *s, const struct ppu_away *a)
{
	words_of_active(s, a->t[0], a->lo);
	gather_shared(s, a);
}

/* Leaves the addresses to each load of the group. */
static void emit_part(struct ppu_seg *s, const struct ppu_away *a)
{
	const struct ppu_fuse_group *g = &s->fuse->g[a->group];
	struct ppu_emit *e = s->e;

	if (global(g)) {
		if (!a->scattered)
			no_wrap(s, a->t[1], a->lo, g->bytes);
		one_high_word(s, g, a->t[0], a->t[1], a->hi);
		EM(e, MOV, SLOT_BASE(a->group), Q(RDX));
		if (a->scattered)
			ppu_mem_scattered_extra(s);
		else
			EM(e, XOR, D(RAX), D(RAX));
		EM(e, MOV, SLOT_EXTRA(a->group), Q(RAX));
	}
	words_of_active(s, a->t[0], a->lo);
	EM(e, VMOVDQU, SLOT_WORDS(a->group), Y(a->t[0]));
	EM(e, MOV, SLOT_PTR(a->group), IM(0));
	JUMP(e, JMP, a->back);
}

static void emit_gather_part(struct ppu_seg *s, const struct ppu_away *a)
{
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RDX), SLOT_BASE(a->group));
	if (a->imm)
		EM(e, ADD, Q(RDX), imm(s, a->imm, 8));
	EM(e, VMOVDQU, Y(a->y), SLOT_WORDS(a->group));
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS, 32), Y(a->y));
	JUMP(e, CALL, s->stubs->gather);
	JUMP(e, JNZ, s->bail);
	EM(e, MOV, Q(RAX), SLOT_EXTRA(a->group));
	EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
	EM(e, VMOVDQU, X(a->y), M(RSP, PPU_AT_WORDS, 16));
	EM(e, VINSERTI128, Y(a->y), Y(a->y), M(RSP, PPU_AT_WORDS + 16, 16), IM(1));
	pointers_again(s, a);
	JUMP(e, JMP, a->back);
}

static void emit_shared_part(struct ppu_seg *s, const struct ppu_away *a)
{
	EM(s->e, VMOVDQU, Y(a->t[0]), SLOT_WORDS(a->group));
	gather_shared(s, a);
}

/* Stores that cost a transaction for each lane. */
static void emit_stores(struct ppu_seg *s, const struct ppu_away *a)
{
	ppu_mem_scattered_extra(s);
	EM(s->e, IMUL, Q(RAX), Q(RAX), IM(s->fuse->g[a->group].loads));
	EM(s->e, ADD, M(RSP, PPU_AT_WRITES, 8), Q(RAX));
	JUMP(s->e, JMP, a->back);
}

void ppu_select_load_aways(struct ppu_seg *s)
{
	static void (*const emit[])(struct ppu_seg *s, const struct ppu_away *a) = {
		[PPU_AWAY_STORES] = emit_stores, [PPU_AWAY_LOOK] = emit_look, [PPU_AWAY_GATHER] = emit_gather,
		[PPU_AWAY_SHARED] = emit_shared, [PPU_AWAY_PART] = emit_part, [PPU_AWAY_GATHER_PART] = emit_gather_part,
		[PPU_AWAY_SHARED_PART] = emit_shared_part,
	};

	for (unsigned i = 0; i < s->aways; i++) {
		ppu_emit_bind(s->e, s->away[i].label);
		emit[s->away[i].kind](s, &s->away[i]);
	}
}

/* ---- what all segments share ---- */

/* rcx = the entry of the TLB for the page of rax, if ZF.  Uses rdx. */
static void look_up(struct ppu_emit *e, uint32_t fail)
{
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, MOV, Q(RCX), Q(RDX));
	EM(e, SHR, Q(RCX), IM(9));
	EM(e, IMUL, D(RCX), D(RCX), IM(213));
	EM(e, ADD, D(RCX), D(RDX));
	EM(e, SHR, Q(RDX), IM(18));
	EM(e, IMUL, D(RDX), D(RDX), IM(77));
	EM(e, ADD, D(RCX), D(RDX));
	EM(e, AND, D(RCX), IM(PPU_TLB_ENTRIES - 1));
	EM(e, IMUL, Q(RCX), Q(RCX), IM(sizeof(struct ppu_tlbe)));
	EM(e, LEA, Q(RCX), ((struct ppu_opn){ PPU_O_SUM, R15, 8, RCX }));
	EM(e, ADD, Q(RCX), IM((int)offsetof(struct ppu_sm, tlb)));
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	EM(e, CMP, Q(RDX), M(RCX, TLBE(page), 8));
	JUMP(e, JNZ, fail);
	EM(e, MOV, Q(RDX), M(RBP, CTA_AT, 8));
	EM(e, MOV, Q(RDX), M(RDX, offsetof(struct ppu_cta, task), 8));
	EM(e, MOV, Q(RDX), M(RDX, offsetof(struct ppu_sm_task, ctx), 8));
	EM(e, CMP, Q(RDX), M(RCX, TLBE(ctx), 8));
}

/* rcx: an entry.  Goes on at `no` if host code must not write the page.  With ZF; rdx is lost. */
static void may_write(struct ppu_emit *e, uint32_t no)
{
	EM(e, MOV, D(RDX), M(RCX, TLBE(flags), 4));
	EM(e, AND, D(RDX), IM(PPU_TLB_WRITE | PPU_TLB_WATCHED));
	EM(e, CMP, D(RDX), IM(PPU_TLB_WRITE));
	JUMP(e, JNZ, no);
	EM(e, MOV, D(RDX), M(RCX, TLBE(flags), 4));
	EM(e, AND, D(RDX), IM(PPU_TLB_DIRTY));
	EM(e, XOR, D(RDX), IM(PPU_TLB_DIRTY));
	EM(e, OR, M(RSP, PPU_AT_CLEAN + 8, 8), Q(RDX));
	EM(e, XOR, D(RDX), D(RDX));
}

/*
 * In: rax, an address.  Out: ZF: rcx = host address of its page.  rdx is lost.  A page that the TLB does not have is looked
 * for, but not behind a gather in other than the first eight lanes.
 */
static void emit_find_page(struct ppu_emit *e, bool write)
{
	static const uint8_t saved[] = { RAX, RSI, RDI, R8, R9, R10, R11 };	/* with the return address: 64 bytes */
	uint8_t *(*fn)(struct ppu_sm *sm, struct ppu_warp *w, uint64_t va, struct ppu_run *run,
		       const struct ppu_used *used) = write ? ppu_calls_fill_written : ppu_calls_fill;
	uint32_t miss = ppu_emit_label(e), out = ppu_emit_label(e), none = ppu_emit_label(e), fill = ppu_emit_label(e);
	uint32_t at = ppu_emit_pool(e, &fn, sizeof(fn));
	int i;

	look_up(e, miss);
	JUMP(e, JNZ, miss);
	if (write)
		may_write(e, miss);
	EM(e, MOV, Q(RCX), M(RCX, TLBE(host), 8));
	ppu_emit_bind(e, out);
	EM0(e, RET);

	ppu_emit_bind(e, miss);
	EM(e, CMP, Q(RSI), Q(RBX));
	JUMP(e, JZ, fill);
	EM(e, CMP, M(RSP, USED_AT(gathered) + 8, 8), IM(0));
	JUMP(e, JNZ, out);
	ppu_emit_bind(e, fill);
	for (i = 0; i < 7; i++)
		EM(e, PUSH, Q(saved[i]));
	for (i = 0; i < 16; i++)
		EM(e, VMOVDQU, M(RSP, PPU_AT_REGS + 64 + 32 * i, 32), Y(i));
	EM(e, MOV, Q(RDI), Q(R15));
	EM(e, MOV, Q(RSI), Q(RBP));
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, MOV, Q(RCX), M(RSP, PPU_AT_RUN + 64, 8));
	EM(e, LEA, Q(R8), M(RSP, PPU_AT_USED + 64, 8));
	EM0(e, VZEROUPPER);
	EM(e, CALL, M(R13, at, 8));
	for (i = 0; i < 16; i++)
		EM(e, VMOVDQU, Y(i), M(RSP, PPU_AT_REGS + 64 + 32 * i, 32));
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

#define PUSHED	(8 + 5 * 8)	/* the return address and registers, on the stack of a stub */

/*
 * All words in the page of the first one, of eight that lie anywhere: goes on at `no` otherwise, or with ZF at `done`.
 * r8: high word and immediate.  Distances are taken modulo 2^32, so the first word must be a page away from both ends.
 */
static void emit_one_page(struct ppu_emit *e, uint32_t no, uint32_t done, uint32_t offsets)
{
	const int32_t words = PPU_AT_WORDS + PUSHED, spill = PPU_AT_SPILL + PUSHED;
	uint32_t back = ppu_emit_label(e), not_this = ppu_emit_label(e);

	EM(e, MOV, D(RAX), M(RSP, words, 4));
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, SUB, D(RCX), IM(PPU_PAGE_SIZE));
	EM(e, CMP, D(RCX), IM(-2 * (int)PPU_PAGE_SIZE));
	JUMP(e, JNBE, no);
	EM(e, VMOVDQU, M(RSP, spill, 32), Y(0));
	EM(e, VMOVDQU, M(RSP, spill + 32, 32), Y(1));
	EM(e, VMOVDQU, Y(0), M(RSP, words, 32));
	EM(e, VPBROADCASTD, Y(1), X(0));
	EM(e, VPSUBD, Y(0), Y(0), Y(1));
	EM(e, ADD, Q(RAX), Q(R8));
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, AND, D(RCX), IM(PPU_PAGE_SIZE - 1));
	EM(e, VMOVD, X(1), D(RCX));
	EM(e, VPBROADCASTD, Y(1), X(1));
	EM(e, VPADDD, Y(0), Y(0), Y(1));
	EM(e, VPTEST, Y(0), M(R13, offsets, 32));
	JUMP(e, JNZ, not_this);
	look_up(e, not_this);
	JUMP(e, JNZ, not_this);
	EM(e, MOV, Q(RCX), M(RCX, TLBE(host), 8));
	EM(e, VPCMPEQD, Y(1), Y(1), Y(1));
	EM(e, VPGATHERDD, Y(PPU_SEG_SCRATCH), ((struct ppu_opn){ PPU_O_VSIB, RCX, 4, 0 }), Y(1));
	EM(e, VMOVDQU, M(RSP, words, 32), Y(PPU_SEG_SCRATCH));
	EM(e, XOR, D(RAX), D(RAX));
	ppu_emit_bind(e, back);
	EM(e, VMOVDQU, Y(0), M(RSP, spill, 32));
	EM(e, VMOVDQU, Y(1), M(RSP, spill + 32, 32));
	JUMP(e, JZ, done);
	JUMP(e, JMP, no);
	ppu_emit_bind(e, not_this);	/* without ZF */
	JUMP(e, JMP, back);
}

/*
 * In: rdx = high word and immediate, low words in PPU_AT_WORDS.  Out: ZF: the words there, to be read by halves.  rax,
 * rcx, rdx are lost.  Results are put together in a register: stores of single words could not be forwarded.
 */
static void emit_gather_stub(struct ppu_emit *e)
{
	uint32_t out = ppu_emit_label(e), lanes = ppu_emit_label(e), offsets = ppu_emit_splat(e, ~0xffcu);
	const int32_t words = PPU_AT_WORDS + PUSHED;
	static const uint8_t saved[] = { RSI, R8, R9, R10, R11 };
	int i;

	for (i = 0; i < 5; i++)
		EM(e, PUSH, Q(saved[i]));
	EM(e, MOV, Q(R8), Q(RDX));
	EM(e, MOV, M(RSP, USED_AT(gathered) + PUSHED, 8), IM(1));
	emit_one_page(e, lanes, out, offsets);
	ppu_emit_bind(e, lanes);
	EM(e, MOV, Q(R9), IM(-1));			/* the last page */
	for (i = 0; i < 8; i++) {
		uint32_t same = ppu_emit_label(e);

		EM(e, MOV, D(RAX), M(RSP, words + 4 * i, 4));
		EM(e, ADD, Q(RAX), Q(R8));
		EM(e, TEST, D(RAX), IM(3));
		JUMP(e, JNZ, out);
		EM(e, MOV, Q(RDX), Q(RAX));
		EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
		EM(e, CMP, Q(RDX), Q(R9));
		JUMP(e, JZ, same);
		EM(e, MOV, Q(R9), Q(RDX));
		look_up(e, out);
		JUMP(e, JNZ, out);
		EM(e, MOV, Q(R10), M(RCX, TLBE(host), 8));
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
	EM(e, XOR, D(RAX), D(RAX));
	ppu_emit_bind(e, out);
	for (i = 5; i-- > 0;)
		EM(e, POP, Q(saved[i]));
	EM0(e, RET);
}

void ppu_select_load_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs)
{
	if (ppu_emit_used(e, stubs->find_page)) {
		ppu_emit_bind(e, stubs->find_page);
		emit_find_page(e, false);
	}
	if (ppu_emit_used(e, stubs->find_written)) {
		ppu_emit_bind(e, stubs->find_written);
		emit_find_page(e, true);
	}
	if (ppu_emit_used(e, stubs->gather)) {
		ppu_emit_bind(e, stubs->gather);
		emit_gather_stub(e);
	}
}
#endif
