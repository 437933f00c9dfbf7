/* SPDX-License-Identifier: MIT */
/*
 * Large pages on both engines, and the way that host code remembers to them (mem/trail.h): pages that are put out of the
 * TLB and come back, page tables that the program itself writes, pages that are watched, read-only, without memory or
 * wrong, contexts with the same addresses.
 *
 * PPU_TRAIL_PROGRAMS=100000 PPU_TRAIL_SEED=7 build/unit-fast/test_engines_trails
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_regs.h>
#include "core/memory/mem.h"
#include "core/memory/mmu.h"
#include "core/sm/mem/lsu.h"
#include "core/sm/mem/span.h"
#include "core/sm/mem/trail.h"
#include "core/sm/translate/calls.h"
#include "core/sm/translate/segment.h"
#include "engine_pair.h"
#include "insn_random.h"
#include "ptmem.h"
#include "run_suite.h"

#define LARGE		0x0000000240000000ull	/* PAGES large pages, some of which share TLB entries, in FRAMES of VRAM */
#define TABLES		0x0000000280000000ull	/* the tables that lead there, from level 1 on */
#define PAGES		8
#define FRAMES		4
#define LEVELS		3
#define MEMORY		0x2800000u	/* of the frames, in VRAM: that of SMT_DATA first */
#define OTHER_TABLE	0x3f00000u	/* one for level 1 with the frames the other way round */
#define BYTES		(64u << 10)

static struct sm_test *machine[2];
static uint64_t with_trails, faults, runs;

static uint64_t *word(struct sm_test *s, uint64_t va, int level)
{
	uint64_t at = ptmem_root(s->pt);

	for (int l = PPU_PT_LEVELS - 1; l > level; l--)
		at = *(uint64_t *)(s->vram + at + (va >> PPU_PT_SHIFT(l)) % PPU_PT_ENTRIES * 8) & PPU_PTE_ADDR;
	return (uint64_t *)(s->vram + at + (va >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES * 8);
}

static uint64_t leaf(unsigned frame)
{
	return PPU_PTE_VALID | PPU_PTE_LARGE | (MEMORY + frame % FRAMES * PPU_LARGE_SIZE);
}

/* The words as they were in the beginning. */
struct words {
	uint64_t *at[LEVELS], was[LEVELS];
};
static struct words words[2];

static struct sm_test *prepare(int kind, unsigned engine, struct words *w)
{
	struct sm_test *s = epair_machine(kind, engine);
	uint64_t *other = (uint64_t *)(s->vram + OTHER_TABLE);

	for (unsigned i = 0; i < PAGES; i++)
		ptmem_map(s->pt, LARGE + i * PPU_LARGE_SIZE, MEMORY + i % FRAMES * PPU_LARGE_SIZE, PPU_LARGE_SIZE, 0, true);
	for (int level = 1; level <= LEVELS; level++) {
		uint64_t *at = word(s, LARGE, level);

		w->at[level - 1] = at;
		w->was[level - 1] = *at;
		smt_map(s, TABLES + (uint64_t)level * PPU_PAGE_SIZE, (uint64_t)((uint8_t *)at - s->vram) & ~(PPU_PAGE_SIZE - 1),
			PPU_PAGE_SIZE, 0);
	}
	ck_assert_uint_eq(w->was[0], leaf(0));
	for (unsigned i = 0; i < PAGES; i++)
		other[(LARGE >> PPU_LARGE_SHIFT) % PPU_PT_ENTRIES + i] = leaf(PAGES - 1 - i);
	return s;
}

static void again(struct sm_test *s, struct words *w)
{
	for (unsigned i = 1; i < LEVELS; i++)
		*w->at[i] = w->was[i];
	for (unsigned i = 0; i < PAGES; i++)
		w->at[0][i] = leaf(i);
	s->core->xlat_gen++;
}

/* A page that nobody waits at any more is forgotten when there are many. */
static void unwatch(struct sm_test *s, struct ppu_phys p)
{
	ppu_mem_unwatch(s->core, p);
	for (struct ppu_phys q = { 0 }; ppu_mem_watched(s->core, p); q.addr += PPU_PAGE_SIZE) {
		ppu_mem_watch(s->core, q);
		ppu_mem_unwatch(s->core, q);
	}
}

/* ---- trails by themselves ---- */

/* Whatever stands in the tables: a trail that holds says what a walk says. */
static bool true_trail(struct sm_test *s, uint64_t va)
{
	const struct ppu_trail *t = &s->core->sms[0].trail[PPU_TRAIL_INDEX(va)];
	struct ppu_xlat x = { 0 };

	if (t->ctx != &s->ctx || !ppu_trail_holds(t, &s->ctx, va))
		return false;
	for (unsigned acc = PPU_ACC_READ; acc <= PPU_ACC_WRITE; acc++) {
		int err = ppu_mmu_translate(s->core, &s->ctx, va & ~(PPU_PAGE_SIZE - 1), acc, PPU_XL_NULL, &x);

		ck_assert_int_eq(!err, acc == PPU_ACC_READ || (t->flags & PPU_TLB_WRITE));
		ck_assert_uint_eq(t->flags & ~PPU_TLB_WRITE, 0);
		if (err)
			continue;
		ck_assert_uint_eq(x.level, 1);
		ck_assert(!x.watched && !x.phys.sys && !(x.pte & PPU_PTE_NULL));
		ck_assert_uint_eq(x.phys.addr, t->addr + (va & (PPU_LARGE_SIZE - 1) & ~(PPU_PAGE_SIZE - 1)));
		ck_assert_ptr_eq(x.host, s->vram + x.phys.addr);
	}
	return true;
}

static uint64_t random_leaf(struct irnd *r)
{
	static const uint64_t flags[] = { PPU_PTE_READONLY, PPU_PTE_NOEXEC, PPU_PTE_UNCACHED, PPU_PTE_NULL, PPU_PTE_PRIV,
					  PPU_PTE_SYS, 1ull << 60, 1ull << 8, PPU_PTE_VALID, PPU_PTE_LARGE, PPU_PAGE_SIZE };
	uint64_t pte = leaf(irnd(r, FRAMES));

	if (!irnd(r, 3))
		pte ^= flags[irnd(r, 11)];
	if (!irnd(r, 8))
		pte = (pte & ~PPU_PTE_ADDR) | (SMT_VRAM - PPU_LARGE_SIZE + irnd(r, 3) * PPU_LARGE_SIZE);
	return irnd(r, 20) ? pte : PPU_PTE_VALID | PPU_PTE_LARGE | PPU_PTE_NULL;
}

static uint64_t random_table(struct irnd *r, const struct words *w, int level)
{
	uint64_t pte = level == 2 && irnd(r, 2) ? PPU_PTE_VALID | OTHER_TABLE : w->was[level - 1];

	return irnd(r, 2) ? pte : pte ^ 1ull << irnd(r, irnd(r, 2) ? 12 : 64);
}

START_TEST(never_lies)
{
	struct irnd r = { .state = 0x123456789 };
	struct words w;
	struct sm_test *s = prepare(EPAIR_PLAIN, EPAIR_INTERPRET, &w);
	struct ppu_sm *sm = &s->core->sms[0];
	unsigned hold = 0, not = 0;

	for (unsigned i = 0; i < 40000; i++) {
		uint64_t va = LARGE + irnd(&r, PAGES) * PPU_LARGE_SIZE + irnd(&r, 512) * PPU_PAGE_SIZE;
		struct ppu_phys p = { .addr = MEMORY + (uint64_t)irnd(&r, FRAMES) * PPU_LARGE_SIZE + irnd(&r, 9) * PPU_PAGE_SIZE };
		bool watched = !irnd(&r, 8);

		if (watched)
			ppu_mem_watch(s->core, p);
		ppu_trails_clear(sm);
		for (unsigned n = irnd(&r, 3); n; n--) {
			int level = 1 + (int)irnd(&r, LEVELS) * !irnd(&r, 3);

			if (level == 1)
				w.at[0][irnd(&r, PAGES)] = random_leaf(&r);
			else if (level <= LEVELS)
				*w.at[level - 1] = random_table(&r, &w, level);
		}
		ppu_trails_note(sm, &s->ctx, va);
		hold += true_trail(s, va);
		/* As the next access of another page finds it, when somebody has written the tables meanwhile. */
		if (irnd(&r, 2))
			w.at[0][irnd(&r, PAGES)] = random_leaf(&r);
		if (!irnd(&r, 4))
			*w.at[1] = random_table(&r, &w, 2);
		if (!irnd(&r, 4))
			*w.at[2] = random_table(&r, &w, 3);
		not += !true_trail(s, va ^ PPU_PAGE_SIZE);
		if (watched)
			unwatch(s, p);
		if (irnd(&r, 2))
			again(s, &w);
	}
	ck_assert_uint_gt(hold, 8000);
	ck_assert_uint_gt(not, 8000);
	again(s, &w);
	smt_free(s);
}
END_TEST

START_TEST(which)
{
	struct words w;
	struct sm_test *s = prepare(EPAIR_PLAIN, EPAIR_INTERPRET, &w);
	struct ppu_sm *sm = &s->core->sms[0];
	uint64_t far = LARGE + PPU_LARGE_SIZE - 4;

	ppu_trails_note(sm, &s->ctx, SMT_DATA);		/* small */
	ck_assert(!true_trail(s, SMT_DATA));
	ppu_trails_note(sm, &s->ctx, PPU_VA_KERNEL_END);
	ck_assert(!true_trail(s, PPU_VA_KERNEL_END));
	ppu_trails_note(sm, &s->ctx, far);
	ck_assert(true_trail(s, far) && true_trail(s, LARGE));
	ck_assert(!ppu_trail_holds(&sm->trail[PPU_TRAIL_INDEX(far)], &s->other, far));
	ck_assert(!ppu_trail_holds(&sm->trail[PPU_TRAIL_INDEX(far)], &s->ctx, far + PPU_LARGE_SIZE));
	/* Arrays a power of two apart have places of their own. */
	for (unsigned shift = PPU_LARGE_SHIFT; shift < 36; shift++)
		ck_assert_uint_ne(PPU_TRAIL_INDEX(LARGE), PPU_TRAIL_INDEX(LARGE + (1ull << shift)));
	ppu_lsu_flush(sm);
	ck_assert(!true_trail(s, far));
	smt_free(s);
}
END_TEST

#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
/* ---- what host code calls ---- */

static struct ppu_run run;
static struct ppu_used used;
static struct ppu_warp *warp;
static struct ppu_cta cta;

static uint8_t *known(struct sm_test *s, uint64_t va, bool write)
{
	return (write ? ppu_calls_fill_known_written : ppu_calls_fill_known)(&s->core->sms[0], warp, va, &run, &used);
}

static struct ppu_tlbe *entry(struct sm_test *s, uint64_t va)
{
	return &s->core->sms[0].tlb[PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT)];
}

/* A page whose entry is that of LARGE, in another frame. */
static uint64_t rival(void)
{
	for (uint64_t va = LARGE + PPU_LARGE_SIZE;; va += PPU_PAGE_SIZE)
		if (PPU_TLB_INDEX(va >> PPU_PAGE_SHIFT) == PPU_TLB_INDEX(LARGE >> PPU_PAGE_SHIFT))
			return va;
}

START_TEST(fills)
{
	struct words w;
	struct sm_test *s = prepare(EPAIR_PLAIN, EPAIR_INTERPRET, &w);
	struct ppu_sm *sm = &s->core->sms[0];
	uint64_t va = LARGE + 5 * PPU_PAGE_SIZE, other = rival();

	warp = &sm->warp[0];
	warp->cta = &cta;
	cta.task = &s->task;
	memset(&run, 0, sizeof(run));
	memset(&used, 0, sizeof(used));
	ppu_lsu_flush(sm);
	ck_assert_ptr_null(known(s, va, false));		/* nobody knows */
	ck_assert_uint_eq(entry(s, va)->page, ~0ull);
	ck_assert_uint_eq(run.fills.n, 0);
	ppu_trails_note(sm, &s->ctx, LARGE);
	ppu_trails_note(sm, &s->ctx, other);
	ck_assert_ptr_eq(known(s, va + 8, false), s->vram + MEMORY + 5 * PPU_PAGE_SIZE);
	ck_assert_uint_eq(entry(s, va)->page, va >> PPU_PAGE_SHIFT);
	ck_assert_ptr_eq(entry(s, va)->ctx, &s->ctx);
	ck_assert_uint_eq(ppu_tlb_phys(entry(s, va)).addr, MEMORY + 5 * PPU_PAGE_SIZE);
	ck_assert_uint_eq(entry(s, va)->flags, PPU_TLB_WRITE);
	ck_assert_uint_eq(sm->ctr[PPU_CTR_TLB_MISSES], 1);
	ck_assert_uint_eq(run.fills.n, 1);
	/* A page that is there and that a store cannot have is the handler's. */
	ck_assert_ptr_null(known(s, va, true));
	ck_assert_ptr_eq(known(s, LARGE, true), s->vram + MEMORY);
	/* One that puts out another page. */
	ck_assert_ptr_nonnull(known(s, other, false));
	ck_assert_ptr_nonnull(known(s, LARGE, false));
	ck_assert_uint_eq(run.fills.n, 4);
	/* Not if the segment has used it, if it is dirty, or part of a span. */
	used.bytes = 16;
	used.page[1] = LARGE >> PPU_PAGE_SHIFT;
	ck_assert_ptr_null(known(s, other, false));
	used.bytes = 8;
	entry(s, LARGE)->flags |= PPU_TLB_DIRTY;
	ck_assert_ptr_null(known(s, other, false));
	entry(s, LARGE)->flags &= ~(uint32_t)PPU_TLB_DIRTY;
	ck_assert_ptr_nonnull(known(s, LARGE + PPU_PAGE_SIZE, false));
	ppu_spans_learn(sm, &s->ctx, LARGE);
	ck_assert(sm->spans);
	ck_assert_ptr_null(known(s, other, false));
	ppu_spans_clear(sm);
	ck_assert_ptr_nonnull(known(s, other, false));
	ck_assert_uint_eq(entry(s, other)->page, other >> PPU_PAGE_SHIFT);
	/* All of it is taken back. */
	ppu_calls_unfill(sm, &run);
	ck_assert_uint_eq(entry(s, va)->page, ~0ull);
	ck_assert_uint_eq(entry(s, LARGE)->page, ~0ull);
	ck_assert_uint_eq(sm->ctr[PPU_CTR_TLB_MISSES], 0);
	/* As many as can be taken back. */
	for (unsigned i = 0; i < PPU_FILLS; i++)
		ck_assert_ptr_nonnull(known(s, LARGE + i * PPU_PAGE_SIZE, false));
	ck_assert_ptr_null(known(s, LARGE + PPU_FILLS * PPU_PAGE_SIZE, false));
	ppu_calls_unfill(sm, &run);
	/* Read-only. */
	*w.at[0] |= PPU_PTE_READONLY;
	ck_assert_ptr_null(known(s, va, false));
	ppu_trails_note(sm, &s->ctx, LARGE);
	ck_assert_ptr_null(known(s, va, true));
	ck_assert_ptr_nonnull(known(s, va, false));
	ck_assert_uint_eq(entry(s, va)->flags, 0);
	smt_free(s);
}
END_TEST

/* All vector registers and sets of lanes, before and behind a call. */
static struct state {
	uint8_t v[32][64];
	uint64_t k[8];
} before __attribute__((aligned(64))), behind __attribute__((aligned(64)));

#define EACH8(op, a) op(a, 0) op(a, 1) op(a, 2) op(a, 3) op(a, 4) op(a, 5) op(a, 6) op(a, 7)
#define LOAD_Y(x, i)	"vmovdqu " #i "*64(%[in]), %%ymm" #i "\n\t"
#define KEEP_Y(x, i)	"vmovdqu %%ymm" #i ", " #i "*64(%[out])\n\t"
#define LOAD_Z(x, i)	"vmovdqu64 (" #x #i ")*64(%[in]), %%zmm" #x #i "\n\t"
#define KEEP_Z(x, i)	"vmovdqu64 %%zmm" #x #i ", (" #x #i ")*64(%[out])\n\t"
#define LOAD_K(x, i)	"kmovq 2048+" #i "*8(%[in]), %%k" #i "\n\t"
#define KEEP_K(x, i)	"kmovq %%k" #i ", 2048+" #i "*8(%[out])\n\t"
#define MORE_Y(op)	op(, 8) op(, 9) op(, 10) op(, 11) op(, 12) op(, 13) op(, 14) op(, 15)
#define ALL_Z(op)	EACH8(op, ) op(, 8) op(, 9) EACH8(op, 1) op(1, 8) op(1, 9) EACH8(op, 2) op(2, 8) op(2, 9) op(3, 0) op(3, 1)

/* fn(rdi, rsi, rdx, rcx, r8) on a stack of its own part: below this function's may lie what it needs. */
#define CALL(load, keep) \
	__asm__ volatile("mov %%rsp, %%rbx\n\tsub $512, %%rsp\n\tand $-64, %%rsp\n\t" load "call *%[fn]\n\t" keep \
			 "vzeroupper\n\tmov %%rbx, %%rsp" \
			 : "+a"(host), "+D"(a0), "+S"(a1), "+d"(a2), "+c"(a3), "+r"(a4) \
			 : [fn] "r"(fn), [in] "r"(in), [out] "r"(out) \
			 : "rbx", "r9", "r10", "r11", "memory", "cc")

static uint8_t *with_vectors(struct sm_test *s, uint64_t va, bool write, bool evex)
{
	register void *fn __asm__("r12") = write ? (void *)ppu_calls_fill_known_written : (void *)ppu_calls_fill_known;
	register struct state *in __asm__("r13") = &before;
	register struct state *out __asm__("r14") = &behind;
	register void *a4 __asm__("r8") = &used;
	void *a0 = &s->core->sms[0], *a1 = warp, *a3 = &run;
	uint8_t *host = NULL;
	uint64_t a2 = va;

	if (evex)
		CALL(ALL_Z(LOAD_Z) EACH8(LOAD_K, ), ALL_Z(KEEP_Z) EACH8(KEEP_K, ));
	else
		CALL(EACH8(LOAD_Y, ) MORE_Y(LOAD_Y), EACH8(KEEP_Y, ) MORE_Y(KEEP_Y));
	return host;
}

START_TEST(vectors_stay)
{
	bool evex = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512f");
	struct words w;
	struct sm_test *s = prepare(EPAIR_PLAIN, EPAIR_INTERPRET, &w);
	struct ppu_sm *sm = &s->core->sms[0];

	warp = &sm->warp[0];
	warp->cta = &cta;
	cta.task = &s->task;
	memset(&used, 0, sizeof(used));
	for (unsigned i = 0; i < sizeof(before); i++)
		((uint8_t *)&before)[i] = (uint8_t)(1 + i * 7 + i / 64);
	for (unsigned wide = 0; wide <= evex; wide++)
		for (unsigned i = 0; i < 4; i++) {		/* it knows, or not; to write, or not */
			uint64_t va = LARGE + i * PPU_PAGE_SIZE;
			uint8_t *host;

			ppu_lsu_flush(sm);
			memset(&run, 0, sizeof(run));
			if (i & 1)
				ppu_trails_note(sm, &s->ctx, va);
			memset(&behind, 0, sizeof(behind));
			host = with_vectors(s, va, i & 2, wide);
			ck_assert_ptr_eq(host, i & 1 ? s->vram + MEMORY + i * PPU_PAGE_SIZE : NULL);
			for (unsigned k = 0; k < (wide ? 32 : 16); k++)
				ck_assert_mem_eq(before.v[k], behind.v[k], wide ? 64 : 32);
			for (unsigned k = 0; k < 8 && wide; k++)
				ck_assert_uint_eq(before.k[k], behind.k[k]);
		}
	smt_free(s);
}
END_TEST
#endif

/* ---- programs ---- */

/* rd8: an address among the large pages, in the round r3, for the thread r2. */
static unsigned address(char *t, size_t n, struct irnd *r, unsigned bytes)
{
	unsigned frames = 1 + irnd(r, PAGES), len;

	len = (unsigned)snprintf(t, n, "mul.u32 r4, r3, %u\nadd.u32 r4, r4, %u\n", irnd(r, 3) ? 1 + irnd(r, 1000) : 0, irnd(r, 4096));
	switch (irnd(r, 8)) {
	case 0:		/* some lanes in another page */
		len += (unsigned)snprintf(t + len, n - len, "shr.u32 r5, r2, %u\nadd.u32 r4, r4, r5\n", 3 + irnd(r, 4));
		break;
	case 1:		/* each in another page */
		len += (unsigned)snprintf(t + len, n - len, "mad.u32 r4, r2, %u, r4\n", 1 + irnd(r, 600));
		break;
	}
	return len + (unsigned)snprintf(t + len, n - len, "rem.u32 r4, r4, %u\nmadw.u32 rd8, r4, 4096, rd6\n"
					"madw.u32 rd8, r2, %u, rd8\n", frames * 512, bytes);
}

/* In some round a word of the tables is another one. */
static unsigned table_word(char *t, size_t n, struct irnd *r, const struct words *w)
{
	int level = irnd(r, 4) ? 1 : 2 + (int)irnd(r, 2);
	unsigned index = (unsigned)(LARGE >> PPU_PT_SHIFT(level)) % PPU_PT_ENTRIES + (level == 1 ? irnd(r, PAGES) : 0);
	uint64_t v = level == 1 ? random_leaf(r) : random_table(r, w, level);

	/* Mostly one that is right. */
	if (irnd(r, 3))
		v = level == 1 ? leaf(irnd(r, FRAMES)) : level == 2 ? PPU_PTE_VALID | OTHER_TABLE : w->was[2];
	return (unsigned)snprintf(t, n, "setp.eq.u32 p1, r3, %u\nmovi64 rd14, %llu\nmovi64 rd16, %llu\n@p1 st.global.u64 [rd14], rd16\n",
				  irnd(r, 30), (unsigned long long)(TABLES + (uint64_t)level * PPU_PAGE_SIZE + index * 8),
				  (unsigned long long)v);
}

static unsigned statement(char *t, size_t n, struct irnd *r, const struct words *w)
{
	unsigned kind = irnd(r, 12), len, i;

	if (!kind)
		return table_word(t, n, r, w);
	len = address(t, n, r, kind == 1 ? 8 : kind == 2 ? 16 : 4);
	switch (kind) {
	case 1:
		return len + (unsigned)snprintf(t + len, n - len, "ld.global.u64 rd10, [rd8]\nmad.u32 r0, r0, 3, r10\n"
						"mad.u32 r0, r0, 5, r11\n");
	case 2:
		return len + (unsigned)snprintf(t + len, n - len, "ld.global.b128 rq20, [rd8]\nmad.u32 r0, r0, 3, r21\n"
						"mad.u32 r0, r0, 5, r23\n");
	case 3: case 4: case 5: case 6:
		return len + (unsigned)snprintf(t + len, n - len, "mad.u32 r5, r0, 5, r2\nst.global.u32 [rd8], r5\n");
	case 7:
		for (i = 0; i < 3; i++)
			len += (unsigned)snprintf(t + len, n - len, "ld.global.u32 r%u, [rd8+%u]\n", 10 + i, 4 * irnd(r, 700));
		return len + (unsigned)snprintf(t + len, n - len, "mad.u32 r0, r0, 3, r10\nmad.u32 r0, r0, 3, r11\n"
						"mad.u32 r0, r0, 3, r12\n");
	default:
		return len + (unsigned)snprintf(t + len, n - len, "ld.global.u32 r10, [rd8]\nmad.u32 r0, r0, 3, r10\n");
	}
}

static void program(char *t, size_t n, struct irnd *r, const struct words *w)
{
	unsigned len, i;

	len = (unsigned)snprintf(t, n, "s2r r2, %%tid.x\nmov.u32 r0, 0\nmov.u32 r3, 0\nmovi64 rd6, %llu\nagain:\n",
				 (unsigned long long)LARGE);
	for (i = 1 + irnd(r, 5); i; i--)
		len += statement(t + len, n - len, r, w);
	snprintf(t + len, n - len, "add.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, %u\n@p0 bra again\nmovi64 rd6, %llu\n"
		 "madw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n", 2 + irnd(r, 40), (unsigned long long)SMT_DATA);
}

static bool has_trail(const struct sm_test *s)
{
	for (unsigned i = 0; i < s->core->num_sms; i++)
		for (unsigned k = 0; k < PPU_TRAILS; k++)
			if (s->core->sms[i].trail[k].ctx)
				return true;
	return false;
}

static void one(uint64_t seed, int kind)
{
	static const unsigned threads[] = { 64, 32, 256, 45, 13, 7 };
	struct irnd r = { .state = seed * 0x9e3779b97f4a7c15ull | 1 };
	unsigned block = threads[irnd(&r, 6)], launches = 1 + irnd(&r, 3);
	struct ppu_phys p = { .addr = MEMORY + irnd(&r, FRAMES * 512) * PPU_PAGE_SIZE };
	bool ok = true, faulted = false, watched = !irnd(&r, 4);
	char text[8192];

	program(text, sizeof(text), &r, &words[0]);
	for (int k = 0; k < 2; k++) {
		epair_prepare(machine[k], seed, BYTES);
		again(machine[k], &words[k]);
		memset(machine[k]->vram + MEMORY + BYTES, (int)seed, FRAMES * PPU_LARGE_SIZE - BYTES);
		machine[k]->cut = kind == EPAIR_CUT ? 1 + seed % 5 : 0;
		machine[k]->cut_random = seed | 1;
		smt_load(machine[k], text);
	}
	for (unsigned i = 0; ok && i < launches && !faulted; i++) {
		for (int k = 0; k < 2; k++) {
			if (watched && i == 1)
				ppu_mem_watch(machine[k]->core, p);
			ok &= epair_run(machine[k], 1 + (unsigned)(seed % 3), block, 0);
			if (watched && i == 1)
				unwatch(machine[k], p);
		}
		ok = ok && epair_same(machine[0], machine[1], BYTES);
		if (ok && memcmp(machine[0]->vram + MEMORY, machine[1]->vram + MEMORY, FRAMES * PPU_LARGE_SIZE)) {
			snprintf(epair_why, sizeof(epair_why), "large pages differ");
			ok = false;
		}
		faulted = machine[0]->faulted;
		with_trails += has_trail(machine[1]);
		/* Words that the program has written stay, or not; without the device being told. */
		for (int k = 0; k < 2 && i + 1 < launches && seed % 2; k++) {
			again(machine[k], &words[k]);
			machine[k]->core->xlat_gen--;
		}
	}
	runs++;
	faults += faulted;
	ck_assert_msg(ok, "seed %llu, machine %d, %u threads: %s\n%s", (unsigned long long)seed, kind, block, epair_why, text);
}

/* _i: the machine */
START_TEST(random_programs)
{
	const char *n = getenv("PPU_TRAIL_PROGRAMS"), *first = getenv("PPU_TRAIL_SEED");
	uint64_t want = (n ? strtoull(n, NULL, 0) : 400) / EPAIR_MACHINES + 1, at = first ? strtoull(first, NULL, 0) : 1;

	with_trails = faults = runs = 0;
	machine[0] = prepare(_i, EPAIR_INTERPRET, &words[0]);
	machine[1] = prepare(_i, EPAIR_TRANSLATE, &words[1]);
	for (uint64_t i = 0; i < want; i++)
		one(at + i * EPAIR_MACHINES + (uint64_t)_i, _i);
	/* What is timed misses in the handlers. */
	if (_i != EPAIR_TIMED && epair_translates() && runs >= 20)
		ck_assert_uint_gt(with_trails, _i == EPAIR_LATE || _i == EPAIR_CUT ? 0 : runs / 4);
	ck_assert_uint_lt(faults, runs * 3 / 4 + 10);
	smt_free(machine[0]);
	smt_free(machine[1]);
}
END_TEST

/* Two contexts with the same addresses, one after the other, with nothing said to the device between. */
START_TEST(contexts)
{
	const char *text = "s2r r2, %tid.x\nmov.u32 r3, 0\nmov.u32 r0, 0\nmovi64 rd6, 0x240000000\nagain: madw.u32 rd8, r3, 4096, rd6\n"
			   "madw.u32 rd8, r2, 4, rd8\nld.global.u32 r10, [rd8]\nmad.u32 r0, r0, 3, r10\nadd.u32 r3, r3, 1\n"
			   "setp.lt.u32 p0, r3, 40\n@p0 bra again\nmovi64 rd6, 0x200000000\nmadw.u32 rd6, r2, 4, rd6\n"
			   "st.global.u32 [rd6], r0\nexit\n";

	for (int k = 0; k < 2; k++) {
		struct sm_test *s = machine[k] = prepare(EPAIR_PLAIN, k ? EPAIR_TRANSLATE : EPAIR_INTERPRET, &words[k]);

		epair_prepare(s, 3, BYTES);
		smt_load(s, text);
		ck_assert(epair_run(s, 1, 64, 0));
		if (k && epair_translates())
			ck_assert(has_trail(s));
		smt_other_context(s, 0);
		ptmem_map(s->other_pt, LARGE, MEMORY + PPU_LARGE_SIZE, PPU_LARGE_SIZE, 0, true);
		for (unsigned i = 0; i < PPU_LARGE_SIZE / 4; i++)
			((uint32_t *)(s->vram + MEMORY + PPU_LARGE_SIZE))[i] = i * 17;
		ck_assert(epair_run(s, 1, 64, 0));
		ck_assert(!s->faulted);
	}
	ck_assert_msg(epair_same(machine[0], machine[1], BYTES), "%s", epair_why);
	smt_free(machine[0]);
	smt_free(machine[1]);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_trails");
	TCase *t = tcase_create("trails"), *random = tcase_create("random");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	tcase_set_timeout(t, 0);
	tcase_set_timeout(random, 0);
	tcase_add_test(t, never_lies);
	tcase_add_test(t, which);
#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
	tcase_add_test(t, fills);
	if (__builtin_cpu_supports("avx2"))
		tcase_add_test(t, vectors_stay);
#endif
	if (!ppu_config_engine_note(&cfg)) {
		tcase_add_test(t, contexts);
		tcase_add_loop_test(random, random_programs, 0, EPAIR_MACHINES);
	}
	suite_add_tcase(su, t);
	suite_add_tcase(su, random);
	return run_suite(su);
}
