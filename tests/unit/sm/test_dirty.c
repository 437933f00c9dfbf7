/* SPDX-License-Identifier: MIT */
/*
 * Live migration copies the pages of VRAM that were reported as written.  Whatever way an SM writes a page, the page
 * is reported by the end of the window.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/smsave.h"
#include "core/sm/translate/translate.h"
#include "one_cta.h"
#include "run_suite.h"

#define MANY_VA		0x0000000400000000ull	/* more pages than the TLB has entries */
#define MANY_BASE	0x3200000u
#define MANY_PAGES	2048u

static uint8_t reported[SMT_VRAM / PPU_PAGE_SIZE];
static unsigned reports;

static void on_dirty(void *opaque, uint64_t off, uint64_t len)
{
	ck_assert(off < SMT_VRAM && len <= SMT_VRAM - off && len);
	for (uint64_t p = off / PPU_PAGE_SIZE; p <= (off + len - 1) / PPU_PAGE_SIZE; p++)
		reported[p] = 1;
	reports++;
}

/* Parts of VRAM that an SM writes, as they were when the window began. */
static struct part {
	uint8_t *now, *old;
	size_t bytes;
} part[4];
static unsigned parts;

static void watch(uint8_t *p, size_t bytes)
{
	part[parts] = (struct part){ p, malloc(bytes), bytes };
	memcpy(part[parts++].old, p, bytes);
}

/* Returns how many pages have changed; all of them were reported. */
static unsigned look(const char *what)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < parts; i++) {
		struct part *p = &part[i];

		for (size_t k = 0; k < p->bytes; k += PPU_PAGE_SIZE) {
			uint64_t page = (uint64_t)(p->now + k - s->vram) / PPU_PAGE_SIZE;

			if (!memcmp(p->now + k, p->old + k, PPU_PAGE_SIZE))
				continue;
			changed++;
			ck_assert_msg(reported[page], "%s: page %llx was written and not reported", what,
				      (unsigned long long)page);
			memcpy(p->old + k, p->now + k, PPU_PAGE_SIZE);
		}
	}
	memset(reported, 0, sizeof(reported));
	return changed;
}

static void machine(const char *with)
{
	parts = reports = 0;
	memset(reported, 0, sizeof(reported));
	s->ports.vram_dirty = on_dirty;
	s->cfg.window_ns = 1000;
	s->cfg.store_delay_ns = strstr(with, "delay") ? 300 : 0;
	s->cfg.store_reorder = strstr(with, "reorder") != NULL;
	s->task.launch.local_per_thread = 64;
	smt_start(s);
}

/* Runs a program; returns the sum of the pages that changed in each window. */
static unsigned pages(const char *text, uint32_t block)
{
	unsigned changed = 0;
	bool more;

	if (s->task.prog)
		smt_finish(s);
	smt_load(s, text);
	smt_launch(s, 1, block);
	ck_assert(!s->faulted);
	if (!parts) {
		/* where token queues and local memory are, a CTA tells */
		struct ppu_warp *w = &s->core->sms[0].warp[0];

		ck_assert(smt_window(s));
		watch(s->data, SMT_DATA_BYTES);
		watch((uint8_t *)((uintptr_t)w->q.ent & ~(uintptr_t)(PPU_PAGE_SIZE - 1)), 64 << 10);
		watch(w->local, 32 * 32 * 1024);
		memset(reported, 0, sizeof(reported));
	}
	do {
		more = smt_window(s);
		changed += look(text);
	} while (more);
	ck_assert_msg(!s->faulted, "%s: fault %u pc %u", text, s->fault.code, s->fault.pc);
	smt_finish(s);
	return changed;
}

/* r2 thread, rd10 data, rd4 a word for each thread, rd12 a page for each thread, rd14 three pages for all */
#define ADDRESSES \
	"nanosleep 1500\n" PROLOGUE "mul.u32 r12, r2, 4096\nmov.u32 r13, 0\nadd.u64 rd12, rd10, rd12\n" \
	"rem.u32 r14, r2, 3\nmul.u32 r14, r14, 4100\nmul.u32 r16, r2, 12\nadd.u32 r14, r14, r16\nmov.u32 r15, 0\n" \
	"add.u64 rd14, rd10, rd14\nmov.u32 r6, 1\nadd.u32 r20, r2, 1\nadd.u32 r21, r2, 2\nadd.u32 r22, r2, 3\n" \
	"add.u32 r23, r2, 4\nmov.u32 r8, 0\nsetp.lt.u32 p1, r2, 7\n"

static const struct {
	const char *text;
	unsigned pages;
} stores[] = {
	/* consecutive, one for all, some lanes, wide, narrow, vectors */
	{ "st.global.u32 [rd4+8192], r20\n", 1 },
	{ "st.global.u32 [rd10+12288], r20\n", 1 },
	{ "@p1 st.global.u32 [rd4+16384], r20\n", 1 },
	{ "st.global.u64 [rd10+20480], rd20\n", 1 },
	{ "add.u64 rd4, rd4, rd4\nsub.u64 rd4, rd4, rd10\nst.global.u64 [rd4+24576], rd20\n", 1 },
	{ "st.global.u8 [rd10+28672], r20\n", 1 },
	{ "st.global.v4.u32 [rd10+32768], rq20\n", 1 },
	/* generic addresses */
	{ "st.u32 [rd4+36864], r20\n", 1 },
	/* scattered: three pages, a page for each lane, halves, with few lanes, over a page's end */
	{ "st.global.u32 [rd14+40960], r20\n", 3 },
	{ "st.global.u32 [rd12+8], r20\n", 32 },
	{ "st.global.u16 [rd12+8], r21\n", 32 },
	{ "@p1 st.global.u32 [rd12+16], r20\n", 7 },
	{ "st.global.u32 [rd4+65500], r20\n", 2 },
	/* atomics: one address, words, pages; every width */
	{ "atom.global.add.u32 rz, [rd10+69632], r6\n", 1 },
	{ "atom.global.add.u32 r7, [rd4+73728], r6\n", 1 },
	{ "atom.global.exch.u32 r7, [rd12+24], r20\n", 32 },
	{ "atom.global.add.u64 rz, [rd10+77824], rd20\n", 1 },
	{ "atom.global.add.f32 rz, [rd12+32], r6\n", 32 },
	{ "@p1 atom.global.or.u32 rz, [rd12+40], r23\n", 7 },
	{ "atom.global.cas.u16 rz, [rd10+81920], r8, r6\n", 1 },
	{ "atom.global.exch.b128 rz, [rd10+86016], rq20\n", 1 },
	/* local memory: a word for all lanes, an address for each */
	{ "st.local.u32 [r8+16], r20\n", 1 },
	{ "st.local.u64 [r8+24], rd20\n", 2 },
	{ "and.u32 r9, r2, 3\nmul.u32 r9, r9, 4\nst.local.u32 [r9+32], r21\n", 2 },
	/* tokens, at the front and at the back */
	{ "ssy L\nL: nop\n", 1 },
	{ "yield\n", 1 },
	{ "ssy L\n@p1 bra M\nsync L\nM: sync L\nL: nop\n", 1 },
};

static void each_store(const char *with)
{
	char text[2048];

	machine(with);
	for (unsigned i = 0; i < sizeof(stores) / sizeof(stores[0]); i++) {
		unsigned n;

		snprintf(text, sizeof(text), "%s%snanosleep 3000\nexit\n", ADDRESSES, stores[i].text);
		n = pages(text, 32);
		ck_assert_msg(n >= 1 && n <= stores[i].pages, "%s%s: %u pages", with, stores[i].text, n);
	}
	while (parts)
		free(part[--parts].old);
}

START_TEST(every_store_is_reported)
{
	each_store("");
	smt_free(s);
	s = smt_new();
	each_store("delay ");
	smt_free(s);
	s = smt_new();
	each_store("delay reorder ");
}
END_TEST

/* A page is reported in each window in which it is written, not only in the first. */
START_TEST(again_in_each_window)
{
	machine("");
	ck_assert_uint_ge(pages(ADDRESSES "mov.u32 r7, 0\nloop: add.u32 r7, r7, 1\nst.global.u32 [rd4+8192], r7\nst.local.u32 [r8], r7\n"
				"yield\nnanosleep 1100\nsetp.lt.u32 p1, r7, 9\n@p1 bra loop\nexit\n", 32), 18);
	while (parts)
		free(part[--parts].old);
}
END_TEST

/*
 * The same by host code, which keeps where it has written lately: after the end of a window these pages are not dirty.  The last
 * instructions of a window are interpreted, so there are more pages than they write.
 */
START_TEST(again_by_host_code)
{
	/* r9: eight pages, one after the other */
	static const char *const body[] = {
		"madw.u32 rd24, r9, 4096, rd4\nst.global.u32 [rd24+8192], r7\n",
		"mad.u32 r16, r9, 1024, r2\nmadw.u32 rd24, r16, 4, rd10\nst.global.u32 [rd24+8192], r7\n",
		"mul.u32 r16, r2, 128\nmad.u32 r16, r9, 4096, r16\nmadw.u32 rd24, r16, 1, rd10\nst.global.u32 [rd24+8192], r7\n",
		"madw.u32 rd24, r9, 4096, rd4\n@p1 st.global.u32 [rd24+8192], r7\n",
	};

	for (unsigned i = 0; i < sizeof(body) / sizeof(body[0]); i++) {
		char text[1024];

		if (i) {
			smt_free(s);
			s = smt_new();
		}
		s->cfg.engine = PPU_ENGINE_TRANSLATE;
		machine("");
		s->core->cfg.window_ns = s->cfg.window_ns = 10000;
		snprintf(text, sizeof(text), "%smov.u32 r7, 0\nloop: add.u32 r7, r7, 1\nand.u32 r9, r7, 7\n%ssetp.lt.u32 p2, r7, 20000\n"
			 "@p2 bra loop\nexit\n", ADDRESSES, body[i]);
		ck_assert_uint_ge(pages(text, 32), 8 * 9);
		if (ppu_translate_missing(0) == NULL)
			ck_assert_uint_gt(s->core->sms[0].host_insns, 20000);
		while (parts)
			free(part[--parts].old);
	}
}
END_TEST

/* More pages than the TLB has entries, in one window: those whose entries are taken are reported too. */
START_TEST(entries_that_are_taken)
{
	static const char *const access[] = { "st.global.u32 [rd12], r6\n", "atom.global.add.u32 rz, [rd12], r6\n" };

	s->cfg.window_ns = 1000000;
	for (unsigned i = 0; i < 2; i++) {
		char text[1024];

		if (i) {
			smt_free(s);
			s = smt_new();
		}
		machine("");
		s->core->cfg.window_ns = s->cfg.window_ns = 1000000;
		smt_map(s, MANY_VA, MANY_BASE, MANY_PAGES * PPU_PAGE_SIZE, 0);
		snprintf(text, sizeof(text), "movi64 rd12, 0x400000000\nmovi64 rd14, 4096\nmov.u32 r6, 1\nmov.u32 r7, 0\n"
			 "loop: %sadd.u64 rd12, rd12, rd14\nadd.u32 r7, r7, 1\nsetp.lt.u32 p1, r7, 2048\n@p1 bra loop\nexit\n",
			 access[i]);
		run(text, 1);
		for (unsigned p = 0; p < MANY_PAGES; p++) {
			ck_assert_uint_eq(*(uint32_t *)(s->vram + MANY_BASE + p * PPU_PAGE_SIZE), 1);
			ck_assert_msg(reported[MANY_BASE / PPU_PAGE_SIZE + p], "page %u is not reported", p);
		}
	}
}
END_TEST

/* Loads, and stores to shared memory, are not reported. */
START_TEST(nothing_else_is_reported)
{
	machine("");
	s->task.launch.local_per_thread = 0;
	s->task.launch.shared_bytes = 4096;
	run(PROLOGUE "ld.global.u32 r3, [rd4]\nshl.u32 r7, r2, 2\nst.shared.u32 [r7], r3\natom.shared.add.u32 rz, [r7], r3\n"
	    "ld.global.u32 r3, [rd4+8192]\nexit\n", 32);
	ck_assert_uint_eq(reports, 0);
}
END_TEST

/* What a warp wrote into its local memory and its token queue is reported once, however long the warp stays. */
START_TEST(reported_once)
{
	char text[512];
	unsigned n[2];

	machine("");
	for (unsigned i = 0; i < 2; i++) {
		snprintf(text, sizeof(text),
			 "s2r r2, %%tid.x\nmov.u32 r3, 0\nmov.u32 r9, %u\nst.local.u32 [r3], r2\nsetp.lt.u32 p1, r2, 7\n"
			 "push.sync J\n@p1 bra A\nnop\nA: sync J\nJ:\nL: nanosleep 900\nsub.u32 r9, r9, 1\n"
			 "setp.ne.u32 p2, r9, 0\n@p2 bra L\nexit\n", i ? 40 : 4);
		if (i)
			smt_finish(s);
		reports = 0;
		run(text, 32);
		n[i] = reports;
	}
	ck_assert_uint_ge(n[0], 2);
	ck_assert_uint_eq(n[1], n[0]);
}
END_TEST

/* What a CTA brings back to an SM, in the first window there: its tokens, and its local memory. */
START_TEST(brought_back)
{
	uint64_t where = SMT_VRAM - (8 << 20);
	struct ppu_warp *w;

	machine("");
	smt_load(s, "s2r r2, %tid.x\nmov.u32 r3, 0\nst.local.u32 [r3], r2\nsetp.lt.u32 p1, r2, 7\npush.sync J\n@p1 bra A\n"
		 "nanosleep 9000\nA: nanosleep 9000\nsync J\nJ: exit\n");
	smt_launch(s, 1, 32);
	for (unsigned i = 0; i < 3; i++)
		ck_assert(smt_window(s));
	w = &s->core->sms[0].warp[0];
	ck_assert(w->cta && ppu_tokq_count(&w->q) && ppu_sm_can_save(s->core, 0, 0));
	watch((uint8_t *)((uintptr_t)w->q.ent & ~(uintptr_t)(PPU_PAGE_SIZE - 1)), PPU_PAGE_SIZE);
	watch((uint8_t *)((uintptr_t)w->local & ~(uintptr_t)(PPU_PAGE_SIZE - 1)), PPU_PAGE_SIZE);
	ppu_sm_save_cta(s->core, 0, 0, where, 0);
	/* somebody else was there meanwhile */
	for (unsigned i = 0; i < 2; i++) {
		memset(part[i].now, 0xa5, PPU_PAGE_SIZE);
		memset(part[i].old, 0xa5, PPU_PAGE_SIZE);
	}
	memset(reported, 0, sizeof(reported));
	ck_assert_int_ge(ppu_sm_restore_cta(s->core, 0, &s->task, 0, 0, where, s->now), 0);
	ck_assert_uint_eq(look("a CTA brought back"), 2);
	while (smt_window(s))
		;
	ck_assert(!s->faulted);
	smt_finish(s);
	while (parts)
		free(part[--parts].old);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("dirty");
	TCase *t = tcase_create("dirty");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, every_store_is_reported);
	tcase_add_test(t, again_in_each_window);
	tcase_add_test(t, again_by_host_code);
	tcase_add_test(t, entries_that_are_taken);
	tcase_add_test(t, nothing_else_is_reported);
	tcase_add_test(t, reported_once);
	tcase_add_test(t, brought_back);
	suite_add_tcase(su, t);
	return run_suite(su);
}
