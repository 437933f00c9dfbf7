/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads of fused segments: the code that all segments of a region call, to find pages and to gather words. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/calls.h"
#include "core/sm/translate/fuse.h"
#include "core/sm/translate/lanes.h"
#include "core/sm/translate/memory/select_chase.h"
#include "core/sm/translate/memory/select_load.h"
#include "core/sm/translate/memory/select_mem.h"
#include "core/sm/translate/memory/select_rows.h"

void ppu_select_look_up(struct ppu_emit *e, int32_t pushed, uint32_t fail)
{
	EM(e, MOV, Q(RDX), Q(RAX));
	EM(e, SHR, Q(RDX), IM(PPU_PAGE_SHIFT));
	ppu_mem_tlb_entry(e, RDX, RCX);
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
	ppu_mem_near_index(e, RDX, RAX);
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
