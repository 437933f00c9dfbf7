/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads of a fused segment, out of line: words that are scattered, pages that the last load was not in, parts of groups. What is
 * done in line, and which host registers are free, is in select_load.c.
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

#define RELATIVES	4	/* groups whose pages are tried */

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
	ppu_mem_tlb_entry(e, R8, R9);
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
	ppu_mem_near_index(e, RCX, RDX);
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
	int t = a->t[0], far = ppu_mem_counts_words(g) ? a->t[1] : t;

	if (g->bytes == 16) {		/* ppu_mem_quads() reads no window if all lanes are equal */
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
	if (ppu_mem_counts_words(g))
		EM(e, VPSLLD, Y(far), Y(t), IM(2));
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(far));
	no_bits(s, PPU_SEG_SCRATCH, ~((s->lanes - 1u) * g->bytes), reaches);	/* too far, or not aligned */
	if (ppu_mem_counts_words(g))
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

void ppu_mem_call_gather(struct ppu_seg *s, int y)
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
	ppu_mem_call_gather(s, a->y);
	JUMP(e, JMP, a->back);
}

void ppu_mem_pointers_again(struct ppu_seg *s, const struct ppu_away *a)
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
		ppu_mem_pointers_again(s, a);
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
	uint32_t found = ppu_emit_label(s->e), within = PPU_PAGE_SIZE - g->bytes;
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
	no_bits(s, PPU_SEG_SCRATCH, ~within, two);
	ppu_emit_bind(e, found);
	EM(e, VMOVDQA, Y(a->t[0]), Y(off));
	EM(e, MOV, Q(RCX), SLOT_HOST(g->page));
	EM(e, MOV, SLOT_FAR(a->group), Q(RCX));
	JUMP(e, JMP, a->back);
	ppu_emit_bind(e, two);
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(off), ppu_seg_const(s, g->span));
	EM(e, VPOR, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(off));
	no_bits(s, PPU_SEG_SCRATCH, ~(within + PPU_PAGE_SIZE), no);
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
		if (g->bytes == 4)
			locate_all(s, a);
		else
			EM(e, MOV, SLOT_FAR(a->group), IM(0));
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
	ppu_mem_call_gather(s, a->y);
	ppu_emit_bind(e, done);
	EM(e, MOV, Q(RAX), SLOT_EXTRA(a->group));
	EM(e, ADD, M(RSP, PPU_AT_EXTRA, 8), Q(RAX));
	ppu_mem_pointers_again(s, a);
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
		[PPU_AWAY_SHARED_PART] = emit_shared_part, [PPU_AWAY_END] = emit_end, [PPU_AWAY_NARROW_PART] = ppu_mem_narrow_part,
	};

	for (unsigned i = 0; i < s->aways; i++) {
		ppu_emit_bind(s->e, s->away[i].label);
		emit[s->away[i].kind](s, &s->away[i]);
	}
}
#endif
