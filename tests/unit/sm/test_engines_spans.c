/* SPDX-License-Identifier: MIT */
/*
 * Words anywhere in many pages, on both engines: pages that lie in a row in host memory, or do not, that leave the TLB
 * while they are used, that are mapped elsewhere between two launches, that are read-only, that nobody has.  And spans
 * themselves (mem/span.h).
 *
 * PPU_SPAN_PROGRAMS=100000 PPU_SPAN_SEED=7 build/unit-fast/test_engines_spans
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/memory/mem.h"
#include "core/sm/mem/span.h"
#include "engine_pair.h"
#include "insn_random.h"
#include "run_suite.h"

/* ---- spans of a TLB that is made by hand ---- */

#define FIRST	0x12345ull	/* page */

static struct ppu_sm *tlb_sm;
static struct ppu_ctx ctx_a, ctx_b;
static uint8_t pages[64][PPU_PAGE_SIZE];

static void put_page(uint64_t page, struct ppu_ctx *ctx, unsigned host)
{
	struct ppu_tlbe *e = &tlb_sm->tlb[PPU_TLB_INDEX(page)];

	e->page = page;
	e->ctx = ctx;
	e->host = pages[host];
}

static void tlb_start(void)
{
	tlb_sm = aligned_alloc(64, sizeof(*tlb_sm));
	memset(tlb_sm, 0, sizeof(*tlb_sm));
	for (unsigned i = 0; i < PPU_TLB_ENTRIES; i++)
		tlb_sm->tlb[i].page = ~0ull;
	ppu_spans_clear(tlb_sm);
	ck_assert_uint_eq(tlb_sm->span_wait, 1);
}

static void is_span(const struct ppu_span *s, uint64_t first, unsigned n, unsigned host)
{
	ck_assert_ptr_eq(s->ctx, &ctx_a);
	ck_assert_uint_eq(s->va, first << PPU_PAGE_SHIFT);
	ck_assert_uint_eq(s->bytes, n * PPU_PAGE_SIZE);
	ck_assert_ptr_eq(s->host, pages[host]);
}

static const struct ppu_span *learn(uint64_t page)
{
	ppu_spans_learn(tlb_sm, &ctx_a, (page << PPU_PAGE_SHIFT) + 4);
	for (unsigned i = 0; i < PPU_SPANS; i++)
		if (tlb_sm->span[i].ctx && (page << PPU_PAGE_SHIFT) - tlb_sm->span[i].va < tlb_sm->span[i].bytes)
			return &tlb_sm->span[i];
	return NULL;
}

START_TEST(learns)
{
	tlb_start();
	for (unsigned i = 0; i < 10; i++)
		put_page(FIRST + i, &ctx_a, 20 + i);
	/* Beside it: another context, a page that lies elsewhere; no page at all: nothing. */
	put_page(FIRST - 1, &ctx_b, 19);
	put_page(FIRST + 10, &ctx_a, 31);
	ck_assert_ptr_null(learn(FIRST + 12));
	ck_assert_uint_gt(tlb_sm->span_wait, 1);
	is_span(learn(FIRST + 4), FIRST, 10, 20);
	is_span(learn(FIRST), FIRST, 10, 20);
	is_span(learn(FIRST + 9), FIRST, 10, 20);
	/* One page is no span. */
	ck_assert_ptr_null(learn(FIRST + 10));
	/* It grows where it is. */
	put_page(FIRST + 10, &ctx_a, 30);
	is_span(learn(FIRST + 10), FIRST, 11, 20);
	for (unsigned i = 0, n = 0; i < PPU_SPANS; i++)
		ck_assert_uint_le(n += tlb_sm->span[i].ctx != NULL, 1);
	free(tlb_sm);
}
END_TEST

START_TEST(searches_become_rare)
{
	uint32_t last = 0;

	tlb_start();
	put_page(FIRST, &ctx_a, 1);
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_ptr_null(learn(FIRST));
		ck_assert_uint_ge(tlb_sm->span_wait, last);
		last = tlb_sm->span_wait;
	}
	ck_assert_uint_ge(last, 1000);
	put_page(FIRST + 1, &ctx_a, 2);
	is_span(learn(FIRST), FIRST, 2, 1);
	ck_assert_uint_lt(tlb_sm->span_wait, 100);
	free(tlb_sm);
}
END_TEST

START_TEST(cuts)
{
	static const struct {
		unsigned at, from, n;
	} cut[] = { { 0, 1, 11 }, { 1, 2, 10 }, { 5, 6, 6 }, { 6, 0, 6 }, { 10, 0, 10 }, { 11, 0, 11 } };

	for (unsigned k = 0; k < sizeof(cut) / sizeof(cut[0]); k++) {
		const struct ppu_span *s;

		tlb_start();
		for (unsigned i = 0; i < 12; i++)
			put_page(FIRST + i, &ctx_a, i);
		s = learn(FIRST + 3);
		ppu_spans_cut(tlb_sm, FIRST - 1);
		ppu_spans_cut(tlb_sm, FIRST + 12);
		ppu_spans_cut(tlb_sm, ~0ull);
		is_span(s, FIRST, 12, 0);
		ppu_spans_cut(tlb_sm, FIRST + cut[k].at);
		is_span(s, FIRST + cut[k].from, cut[k].n, cut[k].from);
		/* To the last page. */
		for (unsigned i = 0; i < 12; i++)
			ppu_spans_cut(tlb_sm, FIRST + i);
		ck_assert_ptr_null(s->ctx);
		free(tlb_sm);
	}
}
END_TEST

/* More runs than places: large ones stay, but not for ever. */
START_TEST(places)
{
	bool found = false;

	tlb_start();
	for (unsigned k = 0; k < PPU_SPANS; k++) {
		for (unsigned i = 0; i < 8; i++)
			put_page(FIRST + 20 * k + i, &ctx_a, 10 * k + i);
		is_span(learn(FIRST + 20 * k), FIRST + 20 * k, 8, 10 * k);
	}
	for (unsigned k = 0; k < PPU_SPANS; k++)
		for (unsigned i = 0; i < 2; i++)
			put_page(FIRST + 200 + 20 * k + i, &ctx_a, 50 + 2 * k + i);
	for (unsigned n = 0; n < 40; n++)
		is_span(learn(FIRST + 200 + 20 * (n % PPU_SPANS)), FIRST + 200 + 20 * (n % PPU_SPANS), 2, 50 + 2 * (n % PPU_SPANS));
	for (unsigned i = 0; i < PPU_SPANS; i++)
		found |= tlb_sm->span[i].bytes == 8 * PPU_PAGE_SIZE;
	ck_assert(!found);
	free(tlb_sm);
}
END_TEST

/* ---- programs ---- */

#define WINDOW		0x0000000240000000ull
/* Page numbers whose entries are the same: 512 * 14 + 90 pages on, see PPU_TLB_INDEX(). */
#define RIVAL		((512ull * 14 + 90) << PPU_PAGE_SHIFT)
#define MOST_PAGES	32
#define DATA_PAGE	64		/* the window's pages lie from here on in SMT_DATA's memory */
#define BYTES		((DATA_PAGE + 2 * MOST_PAGES) * PPU_PAGE_SIZE)

static struct sm_test *machine[2];
static uint64_t with_spans, faults, runs;

/* Each span says what the TLB says. */
static bool spans_true(const struct sm_test *s)
{
	for (unsigned i = 0; i < s->core->num_sms; i++) {
		const struct ppu_sm *sm = &s->core->sms[i];

		for (unsigned k = 0; k < PPU_SPANS; k++) {
			const struct ppu_span *p = &sm->span[k];

			if (sm->xlat_gen != s->core->xlat_gen || !p->ctx)
				continue;
			with_spans++;
			for (uint64_t at = 0; at < p->bytes; at += PPU_PAGE_SIZE) {
				uint64_t page = (p->va + at) >> PPU_PAGE_SHIFT;
				const struct ppu_tlbe *e = &sm->tlb[PPU_TLB_INDEX(page)];

				if (e->page != page || e->ctx != p->ctx || e->host != p->host + at) {
					snprintf(epair_why, sizeof(epair_why), "a span has page %llx",
						 (unsigned long long)page);
					return false;
				}
			}
		}
	}
	return true;
}

/* The window's pages in runs of some length, from anywhere; one or the other read-only, without memory, or not there. */
static void map_pages(struct irnd *r, unsigned n)
{
	unsigned run = 0, phys = 0;

	for (unsigned i = 0; i < n; i++, run--, phys++) {
		uint64_t flags = irnd(r, 24) ? irnd(r, 10) ? 0 : PPU_PTE_READONLY : irnd(r, 2) ? PPU_PTE_NULL : 0;

		if (!run) {
			run = 1 + irnd(r, irnd(r, 2) ? 4 : MOST_PAGES);
			phys = irnd(r, 2 * MOST_PAGES);
		}
		for (int k = 0; k < 2; k++) {
			struct sm_test *s = machine[k];
			uint64_t at = (uint64_t)(s->data - s->vram) + (DATA_PAGE + phys % (2 * MOST_PAGES)) * PPU_PAGE_SIZE;

			smt_map(s, WINDOW + i * PPU_PAGE_SIZE, flags & PPU_PTE_NULL ? 0 : at, PPU_PAGE_SIZE, flags);
			smt_map(s, WINDOW + RIVAL + i * PPU_PAGE_SIZE, at, PPU_PAGE_SIZE, 0);
		}
	}
}

static void watch(struct irnd *r, void (*fn)(struct ppu_core *core, struct ppu_phys p))
{
	uint64_t page = DATA_PAGE + irnd(r, 2 * MOST_PAGES);

	for (int k = 0; k < 2; k++)
		fn(machine[k]->core, (struct ppu_phys){ .addr = (uint64_t)(machine[k]->data - machine[k]->vram) + page * PPU_PAGE_SIZE });
}

/*
 * r2: thread, r3: round, r0: what the loads have given; rd6: the window.  Each statement is for all lanes; which ones are
 * active says the size of the block.
 */
static unsigned statement(char *t, size_t n, struct irnd *r, unsigned words)
{
	const char *space = irnd(r, 3) ? ".global" : irnd(r, 2) ? "" : ".const";
	unsigned near = irnd(r, 4), len, i;

	len = (unsigned)snprintf(t, n, "mad.u32 r4, r2, %u, r3\nmul.u32 r4, r4, %u\n", 1 + irnd(r, near ? 100000 : 8),
				 near ? 1 + 2 * irnd(r, 0x7fffff) : 1);
	if (near > 1)
		len += (unsigned)snprintf(t + len, n - len, "xor.u32 r5, r4, r3\nshf.l.u32 r4, r4, r5, 9\n");
	/* Mostly inside. */
	len += (unsigned)snprintf(t + len, n - len, "and.u32 r4, r4, %u\nmadw.u32 rd8, r4, %s, rd6\n", words - 1,
				  irnd(r, 60) ? "4" : "2");
	switch (irnd(r, 8)) {
	case 0:		/* a page that puts out one of the window's */
		return len + (unsigned)snprintf(t + len, n - len,
			"movi64 rd12, %llu\nand.u32 r5, r3, %u\nmadw.u32 rd12, r5, 4096, rd12\nmadw.u32 rd12, r2, %u, rd12\n"
			"ld.global.u32 r10, [rd12]\nmad.u32 r0, r0, 3, r10\n",
			(unsigned long long)(WINDOW + RIVAL), irnd(r, 2) ? 0 : words / 1024 - 1, irnd(r, 2) ? 4 : 0);
	case 1:		/* a store */
		return len + (unsigned)snprintf(t + len, n - len, "mad.u32 r5, r0, 5, r2\nst.global.u32 [rd8], r5\n");
	case 2: case 3: case 4:		/* several with one address */
		for (i = 0; i < 2 + irnd(r, 4); i++)
			len += (unsigned)snprintf(t + len, n - len, "ld%s.u32 r%u, [rd8%+d]\n", space, 10 + i,
						  4 * (int)irnd(r, irnd(r, 4) ? 8 : 500) * (irnd(r, 3) ? 1 : -1));
		while (i--)
			len += (unsigned)snprintf(t + len, n - len, "mad.u32 r0, r0, 3, r%u\n", 10 + i);
		return len;
	case 5:		/* one word leads to another */
		return len + (unsigned)snprintf(t + len, n - len,
			"ld%s.u32 r10, [rd8]\nand.u32 r10, r10, %u\nmadw.u32 rd12, r10, 4, rd6\nld%s.u32 r11, [rd12]\n"
			"mad.u32 r0, r0, 3, r11\n", space, words - 1, space);
	default:
		return len + (unsigned)snprintf(t + len, n - len, "ld%s.u32 r10, [rd8]\nmad.u32 r0, r0, 3, r10\n", space);
	}
}

static void program(char *t, size_t n, struct irnd *r, unsigned pages_used)
{
	unsigned len, words = 1, i, rounds = 2 + irnd(r, 40);

	while (words * 2 <= pages_used * 1024)
		words *= 2;
	len = (unsigned)snprintf(t, n, "s2r r2, %%tid.x\nmov.u32 r0, 0\nmov.u32 r3, 0\nmovi64 rd6, %llu\n",
				 (unsigned long long)WINDOW);
	if (irnd(r, 2))		/* all pages are in the TLB */
		len += (unsigned)snprintf(t + len, n - len, "warm: madw.u32 rd8, r3, 4096, rd6\nmadw.u32 rd8, r2, 4, rd8\n"
			"ld.global.u32 r10, [rd8]\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, %u\n@p0 bra warm\nmov.u32 r3, 0\n", pages_used);
	len += (unsigned)snprintf(t + len, n - len, "again:\n");
	for (i = 1 + irnd(r, 4); i; i--)
		len += statement(t + len, n - len, r, words);
	snprintf(t + len, n - len, "add.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, %u\n@p0 bra again\nmovi64 rd6, %llu\n"
		 "madw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n", rounds, (unsigned long long)SMT_DATA);
}

static void one(uint64_t seed, int kind)
{
	static const unsigned threads[] = { 64, 32, 256, 45, 13, 7 };
	struct irnd r = { .state = seed * 0x9e3779b97f4a7c15ull | 1 };
	unsigned n = 4 + irnd(&r, MOST_PAGES - 3), block = threads[irnd(&r, 6)], launches = 1 + irnd(&r, 3);
	bool watched = !irnd(&r, 3);
	char text[4096];
	bool ok = true, faulted = false;

	map_pages(&r, n);
	program(text, sizeof(text), &r, n);
	for (int k = 0; k < 2; k++) {
		epair_prepare(machine[k], seed, BYTES);
		machine[k]->cut = kind == EPAIR_CUT ? 1 + seed % 5 : 0;
		machine[k]->cut_random = seed | 1;
		smt_load(machine[k], text);
	}
	for (unsigned i = 0; ok && i < launches && !faulted; i++) {
		struct irnd w = r;

		if (watched)
			watch(&w, ppu_mem_watch);
		for (int k = 0; k < 2; k++)
			ok &= epair_run(machine[k], 1 + (unsigned)(seed % 3), block, 0);
		ok = ok && epair_same(machine[0], machine[1], BYTES) && spans_true(machine[1]) && spans_true(machine[0]);
		faulted = machine[0]->faulted;
		w = r;
		if (watched)
			watch(&w, ppu_mem_unwatch);
		/* While a span may have it, a page gets another place. */
		if (irnd(&r, 2))
			map_pages(&r, 1 + irnd(&r, n));
	}
	runs++;
	faults += faulted;
	ck_assert_msg(ok, "seed %llu, machine %d, %u threads, %u pages: %s\n%s", (unsigned long long)seed, kind, block, n,
		      epair_why, text);
}

/* ---- one thing each ---- */

/* Thread r2, round r3 of 64; rd6: the window; r4: 0 to 8191, scattered over the lanes. */
#define HEAD	HEAD_WITH("")
#define HEAD_WITH(more) \
	"s2r r2, %%tid.x\nmov.u32 r0, 0\nmov.u32 r3, 0\nmovi64 rd6, %llu\n" more \
	"warm: madw.u32 rd8, r3, 4096, rd6\nld.global.u32 r10, [rd8]\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, 10\n" \
	"@p0 bra warm\nmov.u32 r3, 0\n" \
	"again: mad.u32 r4, r2, 977, r3\nmul.u32 r4, r4, 1237\nand.u32 r4, r4, 8191\n"
#define TAIL \
	"mad.u32 r0, r0, 3, r10\nmad.u32 r0, r0, 3, r11\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, 64\n@p0 bra again\n" \
	"movi64 rd6, %llu\nmadw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n"

/*
 * Words of lanes 0 to 15 of each 32 are in pages 0 to 7, of the others in 0 to 3.  r16: page 8 and page 9, later page 5.  No
 * predicates: they would split the segment.
 */
#define NO_LANES_OF_PAGE_5 \
	"movi64 rd12, %llu\nshr.u32 r5, r2, 4\nand.u32 r5, r5, 1\nand.u32 r16, r4, 4096\nmul.u32 r16, r16, r5\n" \
	"sub.u32 r4, r4, r16\nshr.u32 r17, r3, 5\nmul.u32 r17, r17, 4\nmov.u32 r16, 1\nsub.u32 r17, r16, r17\n" \
	"mad.u32 r16, r5, r17, 8\n"

static const struct directed {
	const char *what, *text;
	bool backwards;			/* pages that follow one another do not on the host */
	bool faults, spans;
	unsigned apart;			/* from this page on they lie elsewhere on the host */
} directed[] = {
	{ "alignment of a word in a span", HEAD
	  "mov.u32 r5, 0\nsetp.eq.u32 p1, r3, 60\n@p1 mov.u32 r5, 2\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd8, r5, 1, rd8\n"
	  "xor.u32 r12, r4, 1365\nmadw.u32 rd14, r12, 4, rd6\nld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL,
	  false, true, true, 0 },
	{ "alignment of words of a group in a span", HEAD
	  "mov.u32 r5, 0\nsetp.eq.u32 p1, r3, 60\n@p1 mov.u32 r5, 2\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd8, r5, 1, rd8\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd8+8]\n" TAIL, false, true, true, 0 },
	{ "the end of the page, for the last word of a group", HEAD
	  "and.u32 r4, r4, 255\nand.u32 r5, r3, 7\nmadw.u32 rd8, r5, 4096, rd6\nmadw.u32 rd8, r4, 4, rd8\n"
	  "ld.global.u32 r10, [rd8+2560]\nld.global.u32 r11, [rd8+3360]\n" TAIL, true, false, false, 0 },
	{ "a page that leaves the TLB while words of a group are not read yet", HEAD
	  "movi64 rd12, %llu\nand.u32 r5, r3, 7\nmadw.u32 rd12, r5, 4096, rd12\nmadw.u32 rd8, r4, 4, rd6\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r12, [rd12]\nld.global.u32 r11, [rd8+8]\nmad.u32 r0, r0, 3, r12\n" TAIL,
	  false, false, false, 0 },
	{ "the word behind a span that words were found in before", HEAD
	  "and.u32 r5, r2, 7\nmad.u32 r5, r3, 8, r5\nsetp.eq.u32 p1, r5, 483\n@p1 mov.u32 r4, 8192\nmadw.u32 rd8, r4, 4, rd6\n"
	  "xor.u32 r12, r4, 1365\nand.u32 r12, r12, 8191\nmadw.u32 rd14, r12, 4, rd6\nld.global.u32 r11, [rd14]\n"
	  "ld.global.u32 r10, [rd8]\n" TAIL, false, false, true, 8 },
	/* Lanes 0 to 15 find words in page 5, where later a load before it wants a page of the other lanes, which do not. */
	{ "a page of a span, which the next lanes put out of the TLB", HEAD NO_LANES_OF_PAGE_5
	  "madw.u32 rd12, r16, 4096, rd12\nmadw.u32 rd8, r4, 4, rd6\nld.global.u32 r11, [rd12]\n"
	  "ld.global.u32 r10, [rd8]\n" TAIL, false, false, true, 0 },
	{ "the same, of addresses that are no array's", HEAD NO_LANES_OF_PAGE_5
	  "mov.u32 r19, 0\nmadw.u32 rd12, r16, 4096, rd12\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd8, r19, 1, rd8\n"
	  "ld.global.u32 r11, [rd12]\nld.global.u32 r10, [rd8]\n" TAIL, false, false, true, 0 },
	/* The same for loads with one address, and for words in two spans by turns. */
	{ "a page of a span in which a group finds its words, which the next lanes put out", HEAD NO_LANES_OF_PAGE_5
	  "madw.u32 rd12, r16, 4096, rd12\nmadw.u32 rd8, r4, 4, rd6\nld.global.u32 r11, [rd12]\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r12, [rd8+8]\nmad.u32 r0, r0, 3, r12\n" TAIL, false, false, true, 0 },
	{ "a page of one of two spans, which the next lanes put out of the TLB", HEAD NO_LANES_OF_PAGE_5
	  "and.u32 r18, r4, 2047\nand.u32 r4, r4, 4095\nmul.u32 r17, r5, 4096\nadd.u32 r4, r4, 4096\nsub.u32 r4, r4, r17\n"
	  "madw.u32 rd12, r16, 4096, rd12\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd14, r18, 4, rd6\n"
	  "ld.global.u32 r11, [rd12]\nld.global.u32 r10, [rd8]\nld.global.u32 r12, [rd14]\nmad.u32 r0, r0, 3, r12\n" TAIL,
	  false, false, true, 4 },
	/* Of two loads, each of two pages that have the same places in the TLB: all lanes of the first come first. */
	{ "pages of words one by one, which the next load puts out of the TLB", HEAD
	  "movi64 rd12, %llu\nand.u32 r4, r4, 2047\nmadw.u32 rd8, r4, 4, rd6\nxor.u32 r5, r4, 1365\n"
	  "madw.u32 rd14, r5, 4, rd12\nld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL, true, false, false, 0 },
	{ "alignment of a window that reaches into the next page", HEAD
	  "mov.u32 r5, 4080\nsetp.eq.u32 p1, r3, 60\n@p1 mov.u32 r5, 4082\nand.u32 r12, r2, 31\nmad.u32 r5, r12, 4, r5\n"
	  "madw.u32 rd8, r5, 1, rd6\nld.global.u32 r10, [rd8]\nmov.u32 r11, r10\n" TAIL, false, true, false, 0 },
	/* From page 4 to 5; page 5 is put out as above. */
	{ "a page that a window reaches into, which the next lanes put out of the TLB", HEAD NO_LANES_OF_PAGE_5
	  "and.u32 r18, r2, 15\nmul.u32 r4, r5, 20464\nmov.u32 r17, 20464\nsub.u32 r4, r17, r4\nmad.u32 r4, r18, 4, r4\n"
	  "madw.u32 rd12, r16, 4096, rd12\nmadw.u32 rd8, r4, 1, rd6\nld.global.u32 r11, [rd12]\n"
	  "ld.global.u32 r10, [rd8]\n" TAIL, false, false, false, 0 },
	/* Arrays (fuse_index.c): behind a start, from two starts, from starts that lanes do not have in common, or the first has not. */
	{ "words behind the start of an array", HEAD
	  "and.u32 r4, r4, 4095\nxor.u32 r12, r4, 1365\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd14, r12, 4, rd6\n"
	  "ld.global.u32 r10, [rd8+1024]\nld.global.u32 r11, [rd14+6148]\n" TAIL, false, false, true, 0 },
	{ "arrays with two starts", HEAD_WITH("mov.u32 r20, 8192\nmadw.u32 rd20, r20, 1, rd6\n")
	  "and.u32 r4, r4, 2047\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd14, r4, 4, rd20\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL, false, false, true, 0 },
	{ "a start that is not the same for all lanes",
	  HEAD_WITH("and.u32 r20, r2, 1\nmul.u32 r20, r20, 8192\nmadw.u32 rd20, r20, 1, rd6\n")
	  "and.u32 r4, r4, 2047\nmadw.u32 rd8, r4, 4, rd20\nmadw.u32 rd14, r4, 4, rd6\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL, false, false, true, 0 },
	{ "a start that was changed for some lanes",
	  HEAD_WITH("mov.u32 r20, 0\nsetp.gt.u32 p2, r2, 40\n@p2 mov.u32 r20, 8192\nmadw.u32 rd20, r20, 1, rd6\n")
	  "and.u32 r4, r4, 2047\nmadw.u32 rd8, r4, 4, rd20\nld.global.u32 r10, [rd8]\nmov.u32 r11, 1\n" TAIL, false, false, false, 0 },
	{ "a distance that is not the same for all lanes",
	  HEAD_WITH("mov.u32 r21, 5\nsetp.gt.u32 p2, r2, 40\n@p2 mov.u32 r21, 9\n")
	  "and.u32 r4, r4, 2047\nadd.u32 r12, r4, r21\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd14, r12, 4, rd6\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL, false, false, true, 0 },
	{ "the same for rows of words",
	  HEAD_WITH("mov.u32 r21, 5\nsetp.gt.u32 p2, r2, 40\n@p2 mov.u32 r21, 9\n")
	  "add.u32 r4, r2, r3\nadd.u32 r12, r4, r21\nmadw.u32 rd8, r4, 4, rd6\nmadw.u32 rd14, r12, 4, rd6\n"
	  "ld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL, false, false, false, 0 },
	{ "a first lane that has ended, with another start",
	  HEAD_WITH("and.u32 r20, r2, 31\nsetp.eq.u32 p2, r20, 0\nmov.u32 r20, 4096\nmadw.u32 rd20, r20, 1, rd6\n"
		    "@p2 movi64 rd20, 64\n@p2 exit\n")
	  "and.u32 r4, r4, 2047\nmadw.u32 rd8, r4, 4, rd20\nmadw.u32 rd14, r4, 4, rd6\nld.global.u32 r10, [rd8]\n"
	  "ld.global.u32 r11, [rd14]\n" TAIL, false, false, true, 0 },
	{ "words in two places, by turns", HEAD
	  "and.u32 r5, r4, 1\nand.u32 r4, r4, 7\nmad.u32 r4, r5, 4096, r4\nxor.u32 r12, r4, 1365\nmadw.u32 rd8, r4, 4, rd6\n"
	  "madw.u32 rd14, r12, 4, rd6\nld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n" TAIL, false, false, true, 0 },
};

START_TEST(directed_programs)
{
	const struct directed *d = &directed[_i];
	bool rival = strstr(d->text, "movi64 rd12") != NULL;
	char text[4096];

	if (rival)
		snprintf(text, sizeof(text), d->text, (unsigned long long)WINDOW, (unsigned long long)(WINDOW + RIVAL),
			 (unsigned long long)SMT_DATA);
	else
		snprintf(text, sizeof(text), d->text, (unsigned long long)WINDOW, (unsigned long long)SMT_DATA);
	with_spans = 0;
	for (int k = 0; k < 2; k++) {
		struct sm_test *s = machine[k] = epair_machine(EPAIR_PLAIN, k ? EPAIR_TRANSLATE : EPAIR_INTERPRET);

		for (unsigned i = 0; i < 10; i++) {
			unsigned page = DATA_PAGE + (d->backwards ? 9 - i : i) + (d->apart && i >= d->apart ? MOST_PAGES : 0);
			uint64_t at = (uint64_t)(s->data - s->vram) + page * PPU_PAGE_SIZE;

			smt_map(s, WINDOW + i * PPU_PAGE_SIZE, at, PPU_PAGE_SIZE, 0);
			smt_map(s, WINDOW + RIVAL + i * PPU_PAGE_SIZE, at, PPU_PAGE_SIZE, 0);
		}
		epair_prepare(s, 7, BYTES);
		smt_load(s, text);
		ck_assert(epair_run(s, 1, 64, 0));
	}
	ck_assert_msg(epair_same(machine[0], machine[1], BYTES) && spans_true(machine[1]), "%s: %s", d->what, epair_why);
	ck_assert_int_eq(machine[0]->faulted, d->faults);
	if (d->spans && epair_translates())
		ck_assert_uint_gt(with_spans, 0);
	smt_free(machine[0]);
	smt_free(machine[1]);
}
END_TEST

/*
 * So many groups of loads that their addresses do not all stay in the host's registers, and are checked again and again: AVX2,
 * one lane that has ended, each window over the end of a page, and the next page elsewhere on the host.  Each check notes a page
 * more, and what lies behind these notes is where the stores go.
 */
#define GROUPS	11u
#define LOADS	8u

static void many_groups(char *text, size_t room)
{
	size_t n = (size_t)snprintf(text, room, "s2r r2, %%tid.x\nmov.u32 r3, 0\nmovi64 rd6, %llu\n"
				    "warm: madw.u32 rd8, r3, 4096, rd6\nld.global.u32 r10, [rd8]\nadd.u32 r3, r3, 1\n"
				    "setp.lt.u32 p0, r3, 10\n@p0 bra warm\nmov.u32 r3, 0\n"
				    "and.u32 r4, r2, 31\nsetp.eq.u32 p1, r4, 31\n@p1 exit\nand.u32 r4, r2, 7\nmul.u32 r4, r4, 4\n"
				    "movi64 rd12, %llu\nmadw.u32 rd12, r2, 4, rd12\n", (unsigned long long)WINDOW,
				    (unsigned long long)SMT_DATA);

	for (unsigned g = 0; g < GROUPS; g++)
		n += (size_t)snprintf(text + n, room - n, "add.u32 r5, r4, %u\nmadw.u32 rd%u, r5, 1, rd6\n",
				      (unsigned)(g % 9 * PPU_PAGE_SIZE + PPU_PAGE_SIZE - 16), 20 + 2 * g);
	n += (size_t)snprintf(text + n, room - n, "again: add.u32 r3, r3, 1\n");
	for (unsigned i = 0; i < GROUPS * LOADS; i++)
		n += (size_t)snprintf(text + n, room - n, "ld.global.u32 r%u, [rd%u]\n", 44 + i % 16, 20 + 2 * (i % GROUPS));
	n += (size_t)snprintf(text + n, room - n, "add.u32 r44, r44, r45\nst.global.u32 [rd12], r44\n"
			      "setp.lt.u32 p0, r3, 40\n@p0 bra again\nexit\n");
	ck_assert_uint_lt(n, room);
}

/*
 * More pages than there is room to note: words one by one, in another page for each lane.  Those of lanes 17, 19, 21 and 23 in the
 * last group, in page 9, are not noted any more when lanes 24 to 31 want a page in the first that would put it out.  Only where eight
 * lanes are done at once; with 16 these come first.
 */
#define WORDS_GROUPS	11u

static void many_words(char *text, size_t room)
{
	size_t n = (size_t)snprintf(text, room, HEAD "shr.u32 r5, r2, 4\nand.u32 r5, r5, 1\nshr.u32 r21, r2, 3\nand.u32 r21, r21, 1\n"
				    "mul.u32 r16, r5, r21\nsub.u32 r17, r5, r16\nand.u32 r17, r17, r2\nmov.u32 r18, 1\nsub.u32 r18, r18, r17\n"
				    "mul.u32 r17, r17, 9\nand.u32 r19, r2, 31\nmul.u32 r19, r19, 4\n",
				    (unsigned long long)WINDOW);

	for (unsigned g = 0; g < WORDS_GROUPS; g++) {
		n += (size_t)snprintf(text + n, room - n, "add.u32 r20, r2, %u\nand.u32 r20, r20, 7\n", g);
		if (g == WORDS_GROUPS - 1)
			n += (size_t)snprintf(text + n, room - n, "mad.u32 r20, r20, r18, r17\n");
		n += (size_t)snprintf(text + n, room - n, "madw.u32 rd%u, r20, 4096, rd6\nmadw.u32 rd%u, r19, 1, rd%u\n",
				      32 + 2 * g, 32 + 2 * g, 32 + 2 * g);
	}
	n += (size_t)snprintf(text + n, room - n, "movi64 rd24, %llu\nturn: shr.u32 r17, r3, 5\nmad.u32 r17, r16, r17, 8\n"
			      "madw.u32 rd26, r17, 4096, rd24\nld.global.u32 r11, [rd26]\n", (unsigned long long)(WINDOW + RIVAL));
	for (unsigned g = 0; g < WORDS_GROUPS; g++)
		n += (size_t)snprintf(text + n, room - n, "ld.global.u32 r%u, [rd%u]\n", 54 + g % 10, 32 + 2 * g);
	n += (size_t)snprintf(text + n, room - n, "mad.u32 r0, r0, 3, r11\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, 64\n@p0 bra turn\n");
	for (unsigned g = 0; g < WORDS_GROUPS; g++)
		n += (size_t)snprintf(text + n, room - n, "mad.u32 r0, r0, 3, r%u\n", 54 + g % 10);
	n += (size_t)snprintf(text + n, room - n, "movi64 rd6, %llu\nmadw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n",
			      (unsigned long long)SMT_DATA);
	ck_assert_uint_lt(n, room);
}

static void on_both(const char *text)
{
	for (int k = 0; k < 2; k++) {
		struct sm_test *s = machine[k] = epair_machine(EPAIR_PLAIN, k ? EPAIR_TRANSLATE : EPAIR_INTERPRET);

		for (unsigned i = 0; i < 10; i++) {
			uint64_t at = (uint64_t)(s->data - s->vram) + (DATA_PAGE + 9 - i) * PPU_PAGE_SIZE;

			smt_map(s, WINDOW + i * PPU_PAGE_SIZE, at, PPU_PAGE_SIZE, 0);
			smt_map(s, WINDOW + RIVAL + i * PPU_PAGE_SIZE, at, PPU_PAGE_SIZE, 0);
		}
		epair_prepare(s, 7, BYTES);
		smt_load(s, text);
		ck_assert(epair_run(s, 1, 64, 0));
	}
	ck_assert_msg(epair_same(machine[0], machine[1], BYTES) && spans_true(machine[1]), "%s", epair_why);
	ck_assert_int_eq(machine[0]->faulted, false);
	smt_free(machine[0]);
	smt_free(machine[1]);
}

START_TEST(more_words_than_noted)
{
	char text[8192];

	many_words(text, sizeof(text));
	on_both(text);
}
END_TEST

START_TEST(groups_checked_again)
{
	char text[8192];

	many_groups(text, sizeof(text));
	on_both(text);
}
END_TEST

/* _i: the machine */
START_TEST(random_programs)
{
	const char *n = getenv("PPU_SPAN_PROGRAMS"), *first = getenv("PPU_SPAN_SEED");
	uint64_t want = (n ? strtoull(n, NULL, 0) : 300) / EPAIR_MACHINES + 1, at = first ? strtoull(first, NULL, 0) : 1;

	with_spans = faults = runs = 0;
	machine[0] = epair_machine(_i, EPAIR_INTERPRET);
	machine[1] = epair_machine(_i, EPAIR_TRANSLATE);
	for (uint64_t i = 0; i < want; i++)
		one(at + i * EPAIR_MACHINES + (uint64_t)_i, _i);
	/* Worth little if there were no spans, or if most programs ended early.  What is timed has no gathers on the host. */
	if (_i != EPAIR_TIMED && epair_translates() && runs >= 20)
		ck_assert_uint_gt(with_spans, _i == EPAIR_LATE || _i == EPAIR_CUT ? 0 : runs / 8);
	ck_assert_uint_lt(faults, runs * 3 / 4 + 10);
	smt_free(machine[0]);
	smt_free(machine[1]);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_spans");
	TCase *t = tcase_create("spans"), *random = tcase_create("random");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	tcase_set_timeout(t, 0);
	tcase_set_timeout(random, 0);
	tcase_add_test(t, learns);
	tcase_add_test(t, searches_become_rare);
	tcase_add_test(t, cuts);
	tcase_add_test(t, places);
	if (!ppu_config_engine_note(&cfg)) {
		tcase_add_loop_test(t, directed_programs, 0, sizeof(directed) / sizeof(directed[0]));
		tcase_add_test(t, groups_checked_again);
		tcase_add_test(t, more_words_than_noted);
		tcase_add_loop_test(random, random_programs, 0, EPAIR_MACHINES);
	}
	suite_add_tcase(su, t);
	suite_add_tcase(su, random);
	return run_suite(su);
}
