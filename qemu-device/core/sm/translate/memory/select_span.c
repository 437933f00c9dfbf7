/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Eight words that lie anywhere in one page or in one span (mem/span.h).
 *
 * Host registers: what the functions say, and with AVX-512 vectors 16 and 17 and k7, which no value has.
 */
#ifdef PPU_TRANSLATE
#include "core/sm/mem/span.h"
#include "core/sm/translate/memory/select_mem.h"

#define SPAN(k, field)	PPU_SPAN_AT(k, field)

static const uint8_t saved[] = { RSI, R8, R9, R10, R11 };

void ppu_span_push(struct ppu_emit *e)
{
	for (int i = 0; i < 5; i++)
		EM(e, PUSH, Q(saved[i]));
}

void ppu_span_pop(struct ppu_emit *e)
{
	if (!e->evex) {
		EM(e, VMOVDQU, Y(0), M(RSP, PPU_AT_SPILL + PPU_PUSHED, 32));
		EM(e, VMOVDQU, Y(1), M(RSP, PPU_AT_SPILL + PPU_PUSHED + 32, 32));
	}
	for (int i = 5; i-- > 0;)
		EM(e, POP, Q(saved[i]));
}

void ppu_span_note(struct ppu_emit *e, unsigned page, unsigned lost, uint32_t full)
{
	EM(e, MOV, Q(lost), M(RSP, USED_AT(bytes) + PPU_PUSHED, 8));
	EM(e, CMP, Q(lost), IM(PPU_USED_WORDS * 8));
	JUMP(e, JNB, full);
	EM(e, ADD, Q(lost), Q(RSP));
	EM(e, MOV, M(lost, USED_AT(page) + PPU_PUSHED, 8), Q(page));
	EM(e, ADD, M(RSP, USED_AT(bytes) + PPU_PUSHED, 8), IM(8));
}

void ppu_span_note_full(struct ppu_emit *e, uint32_t back)
{
	EM(e, OR, M(RSP, USED_AT(more) + PPU_PUSHED, 8), IM(PPU_USED_OTHERS));
	JUMP(e, JMP, back);
}

/* Of eight lanes; the constant is in the pool. */
static void no_bits(struct ppu_emit *e, int y, uint32_t constant, uint32_t no)
{
	ppu_mem_no_bits(e, y, M(R13, constant, 32), no);
}

/*
 * All in the page of the first one.  Distances are taken modulo 2^32, so the first word must be a page away from both
 * ends.
 */
static void one_page(struct ppu_emit *e, uint32_t found, uint32_t no)
{
	uint32_t offsets = ppu_emit_splat(e, ~0xffcu), full = ppu_emit_label(e);
	const int y = ppu_span_free(e), z = y + 1;

	EM(e, MOV, D(RAX), M(RSP, PPU_AT_WORDS + PPU_PUSHED, 4));
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, SUB, D(RCX), IM(PPU_PAGE_SIZE));
	EM(e, CMP, D(RCX), IM(-2 * (int)PPU_PAGE_SIZE));
	JUMP(e, JNBE, no);
	EM(e, VPBROADCASTD, Y(z), X(y));
	EM(e, VPSUBD, Y(PPU_SEG_SCRATCH), Y(y), Y(z));
	EM(e, ADD, Q(RAX), Q(R8));
	EM(e, MOV, D(RCX), D(RAX));
	EM(e, AND, D(RCX), IM(PPU_PAGE_SIZE - 1));
	EM(e, VMOVD, X(z), D(RCX));
	EM(e, VPBROADCASTD, Y(z), X(z));
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(PPU_SEG_SCRATCH), Y(z));
	no_bits(e, PPU_SEG_SCRATCH, offsets, no);
	EM(e, VMOVD, X(z), D(R10));
	EM(e, VPBROADCASTD, Y(z), X(z));
	EM(e, VPADDD, Y(z), Y(z), Y(PPU_SEG_SCRATCH));
	no_bits(e, z, offsets, no);
	ppu_select_look_up(e, PPU_PUSHED, no);
	JUMP(e, JNZ, no);
	EM(e, MOV, Q(RCX), M(RCX, TLBE(host), 8));
	EM(e, SHR, Q(RAX), IM(PPU_PAGE_SHIFT));
	ppu_span_note(e, RAX, R9, full);
	JUMP(e, JMP, found);
	ppu_emit_bind(e, full);
	ppu_span_note_full(e, found);
}

/*
 * All in span k.  Offsets are taken modulo 2^32.  They are the true ones if adding the distance of the span carries out of
 * the low word in each lane: a distance of -4 GiB + the largest span to -1 and an offset in a span say so.
 */
uint32_t ppu_span_most(struct ppu_emit *e)
{
	uint64_t most = (1ull << 32) - (uint64_t)PPU_TLB_ENTRIES * PPU_PAGE_SIZE;

	return ppu_emit_pool(e, &most, 8);
}

static void one_span(struct ppu_emit *e, unsigned k, uint32_t found, uint32_t no)
{
	uint32_t most_at = ppu_span_most(e), next = ppu_emit_label(e);
	const int y = ppu_span_free(e), z = y + 1;

	EM(e, MOV, Q(RDX), M(RSP, PPU_AT_CTX + PPU_PUSHED, 8));
	EM(e, CMP, Q(RDX), M(R15, SPAN(k, ctx), 8));
	JUMP(e, JNZ, next);
	EM(e, MOV, Q(RDX), Q(R8));
	EM(e, SUB, Q(RDX), M(R15, SPAN(k, va), 8));
	EM(e, MOV, Q(RAX), Q(RDX));
	EM(e, ADD, Q(RAX), M(R13, most_at, 8));
	JUMP(e, JNB, next);
	EM(e, VMOVD, X(z), D(RDX));
	EM(e, VPBROADCASTD, Y(z), X(z));
	EM(e, VPADDD, Y(PPU_SEG_SCRATCH), Y(y), Y(z));
	EM(e, MOV, D(RCX), M(R15, SPAN(k, bytes), 4));
	EM(e, SUB, D(RCX), IM(4));
	EM(e, SUB, D(RCX), D(R10));
	EM(e, VMOVD, X(z), D(RCX));
	EM(e, VPBROADCASTD, Y(z), X(z));
	EM(e, VPMINUD, Y(z), Y(PPU_SEG_SCRATCH), Y(z));
	EM(e, VPXOR, Y(z), Y(PPU_SEG_SCRATCH), Y(z));		/* 0: not behind the last word */
	no_bits(e, z, ppu_emit_splat(e, ~0u), next);
	no_bits(e, PPU_SEG_SCRATCH, ppu_emit_splat(e, 3), no);
	EM(e, MOV, Q(RCX), M(R15, SPAN(k, host), 8));
	EM(e, MOV, M(R15, offsetof(struct ppu_sm, span_hot), 4), IM((int)(k * sizeof(struct ppu_span))));
	JUMP(e, JMP, found);
	ppu_emit_bind(e, next);
}

void ppu_span_locate(struct ppu_emit *e, uint32_t no)
{
	uint32_t found = ppu_emit_label(e), spans = ppu_emit_label(e);

	if (!e->evex) {
		EM(e, VMOVDQU, M(RSP, PPU_AT_SPILL + PPU_PUSHED, 32), Y(0));
		EM(e, VMOVDQU, M(RSP, PPU_AT_SPILL + PPU_PUSHED + 32, 32), Y(1));
	}
	EM(e, VMOVDQU, Y(ppu_span_free(e)), M(RSP, PPU_AT_WORDS + PPU_PUSHED, 32));
	one_page(e, found, spans);
	ppu_emit_bind(e, spans);
	for (unsigned k = 0; k < PPU_SPANS; k++)
		one_span(e, k, found, no);
	JUMP(e, JMP, no);
	ppu_emit_bind(e, found);
}

void ppu_span_vectors(struct ppu_emit *e, int32_t pushed, bool back)
{
	for (int i = 0; i < (e->evex ? 32 : 16); i++) {
		struct ppu_opn at = M(RSP, PPU_AT_REGS + pushed + 64 * i, e->evex ? 64 : 32), y = e->evex ? Z(i) : Y(i);

		if (back)
			EM(e, VMOVDQU, y, at);
		else
			EM(e, VMOVDQU, at, y);
	}
	for (int i = 1; i < 8 && e->evex; i++) {
		struct ppu_opn at = M(RSP, PPU_AT_MASKS + pushed + 8 * i, 8);

		if (back)
			EM(e, KMOVQ, K(i), at);
		else
			EM(e, KMOVQ, at, K(i));
	}
}

void ppu_span_learn(struct ppu_emit *e)
{
	void (*fn)(struct ppu_sm *sm, struct ppu_ctx *ctx, uint64_t va) = ppu_spans_learn;
	uint32_t at = ppu_emit_pool(e, &fn, sizeof(fn)), not_yet = ppu_emit_label(e);

	EM(e, SUB, M(R15, offsetof(struct ppu_sm, span_wait), 4), IM(1));
	JUMP(e, JNZ, not_yet);
	EM(e, PUSH, Q(RDI));
	EM(e, PUSH, Q(RDI));		/* the stack stays aligned */
	ppu_span_vectors(e, PPU_PUSHED + 16, false);
	EM(e, MOV, Q(RDI), Q(R15));
	EM(e, MOV, Q(RSI), M(RSP, PPU_AT_CTX + PPU_PUSHED + 16, 8));
	EM(e, MOV, Q(RDX), Q(R11));
	EM0(e, VZEROUPPER);
	EM(e, CALL, M(R13, at, 8));
	/* A span in which words were found may be gone. */
	EM(e, OR, M(RSP, USED_AT(more) + PPU_PUSHED + 16, 8), IM(PPU_USED_OTHERS));
	ppu_span_vectors(e, PPU_PUSHED + 16, true);
	EM(e, POP, Q(RDI));
	EM(e, POP, Q(RDI));
	ppu_emit_bind(e, not_yet);
}

/*
 * In: rdx = high word and immediate, low words in PPU_AT_WORDS, ecx: bytes behind each word that must be there, too.  Out:
 * rcx: what the words are offsets from now, or 0: they do not lie in one page or span, and are what they were.  rax, rdx are
 * lost.
 */
static void emit_locate_stub(struct ppu_emit *e)
{
	uint32_t no = ppu_emit_label(e);

	ppu_span_push(e);
	EM(e, MOV, Q(R8), Q(RDX));
	EM(e, MOV, D(R10), D(RCX));
	ppu_span_locate(e, no);
	EM(e, VMOVDQU, M(RSP, PPU_AT_WORDS + PPU_PUSHED, 32), Y(PPU_SEG_SCRATCH));
	ppu_span_pop(e);
	EM0(e, RET);
	ppu_emit_bind(e, no);
	EM(e, XOR, D(RCX), D(RCX));
	ppu_span_pop(e);
	EM0(e, RET);
}

void ppu_select_span_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs)
{
	if (ppu_emit_used(e, stubs->locate)) {
		ppu_emit_bind(e, stubs->locate);
		emit_locate_stub(e);
	}
}
#endif
