/* SPDX-License-Identifier: MIT */
/*
 * A CTA leaves its SM and comes back to another one: every part of its state is the same, and each part has been in
 * use when it was compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/smsave.h"
#include "cta_text.h"
#include "one_cta.h"
#include "run_suite.h"

#define IMAGE	(SMT_VRAM - (1u << 20))

/*
 * Divergence, YIELD, barriers of all kinds, shared and local memory, calls, member masks, predicates, atomics,
 * parameters, sleeping, lanes that end, a warp that ends first.
 */
static const char everything[] =
	"s2r r2, %tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd20, r2, 4, rd10\n"
	"ld.param.u32 r16, [8]\n"
	"mov.u32 r8, 0\nmov.u32 r9, 1\nmov.u32 r5, 0\n"
	"and.u32 r6, r2, 7\n"
	"loop: add.u32 r5, r5, 1\n"
	"atom.shared.add.u32 rz, [r8], r9\n"
	"yield\n"
	"setp.lt.u32 p1, r5, r6\n"
	"@p1 bra loop\n"
	"st.local.u32 [r8+16], r5\n"
	"setp.gt.u32 p2, r5, 3\n"
	"bar.popc r7, 0, p2\n"
	"st.local.u32 [r8+20], r7\n"
	"setp.ge.u32 p3, r2, 64\n@p3 bar.arrive 3, 96\n@p3 exit\n"
	"ssy L\n"
	"and.u32 r6, r2, 1\n"
	"setp.eq.u32 p1, r6, 0\n"
	"@p1 bra E\n"
	"cal r14, f\n"
	"warpsync 0xffffffff\n"
	"sync L\n"
	"E: nanosleep 2500\n"
	"add.u32 r9, r9, 3\n"
	"warpsync 0xffffffff\n"
	"sync L\n"
	"L: ld.shared.u32 r6, [r8]\n"
	"bar.sync 1, 64\nbar.sync 3, 96\n"
	"shfl.bfly.full r7, r5, 1, 31\n"
	"add.u32 r6, r6, r7\n"
	"ld.local.u32 r7, [r8+20]\n"
	"mad.u32 r6, r7, 1000, r6\n"
	"mad.u32 r6, r9, 100000, r6\n"
	"add.u32 r3, r6, r16\n"
	"and.u32 r7, r2, 3\n"
	"setp.eq.u32 p1, r7, 3\n"
	"@p1 exit\n"
	"yield\n"
	"bar.sync 2\n"
	"st.global.u32 [rd20], r3\n"
	"exit\n"
	"f: add.u32 r9, r9, 5\n"
	"yield\n"
	"add.u32 r9, r9, 5\n"
	"ret r14\n";

static unsigned moves;

/* Saves the CTA in the slot of an SM and restores it on the other one. */
static void move(unsigned sm, unsigned slot)
{
	struct ppu_sm *from = &s->core->sms[sm], *to = &s->core->sms[!sm];
	uint64_t index = from->cta[slot].index, bytes = ppu_sm_image_bytes(s->core, &s->task.launch);
	char *before = cta_text(from, &from->cta[slot]), *after;
	int got;

	ppu_sm_save_cta(s->core, sm, slot, IMAGE, 0);
	/* nothing of it may be left where it will be */
	for (unsigned i = 0; i < s->cfg.warps_per_sm; i++)
		if (to->warp[i].state == PPU_WARP_FREE) {
			struct ppu_warp *w = &to->warp[i];

			memset(w->bar_val, 0x5a, sizeof(w->bar_val));
			memset(w->wait, 0x5a, sizeof(w->wait));
			memset(w->lane_ycount, 0x5a, sizeof(w->lane_ycount));
			if (w->rows)
				memset(w->rows, 0x5a, 32 * 128);
		}
	got = ppu_sm_restore_cta(s->core, !sm, &s->task, index, 0, IMAGE, s->now);
	ck_assert_int_ge(got, 0);
	after = cta_text(to, &to->cta[got]);
	ck_assert_msg(!*cta_text_differs(before, after), "at %llu ns, pc %u: %s", (unsigned long long)s->now,
		      to->warp[to->cta[got].warp[0]].pc, cta_text_differs(before, after));
	free(before);
	free(after);
	memset(s->vram + IMAGE, 0xee, bytes);
	moves++;
}

/* Both SMs stand at the end of the window, or where an instruction ended behind it. */
static void level(void)
{
	struct ppu_sm *a = &s->core->sms[0], *b = &s->core->sms[1];
	uint64_t end = ppu_sm_cycle_at(s->core, s->now), c = a->cycle > b->cycle ? a->cycle : b->cycle;

	a->cycle = b->cycle = c > end ? c : end;
}

static void run_and_move(const char *text, uint32_t grid, uint32_t block)
{
	smt_load(s, text);
	smt_launch(s, grid, block);
	while (smt_window(s)) {
		bool there[2];

		level();
		there[0] = s->core->sms[0].cta[0].task;
		there[1] = s->core->sms[1].cta[0].task;
		if (there[0] && there[1])
			continue;
		for (unsigned sm = 0; sm < 2; sm++)
			if (there[sm] && ppu_sm_can_save(s->core, sm, 0)) {
				move(sm, 0);
				break;
			}
	}
	ck_assert_msg(!s->faulted, "fault %u pc %u", s->fault.code, s->fault.pc);
	ck_assert(!s->timed_out);
	smt_finish(s);
}

static void machine(void)
{
	s->cfg.sms_per_gpc = 2;
	s->cfg.sm_clock_khz = 100000;	/* an instruction in 10 ns, ten in a window */
	s->cfg.window_ns = 100;
	s->cfg.ctas_per_sm = 1;
	s->task.launch.shared_bytes = 64;
	s->task.launch.local_per_thread = 32;
	memcpy(s->params + 8, &(uint32_t){ 7000000 }, 4);
}

static uint32_t wanted(unsigned i)
{
	uint32_t sum = 0, own, high = 0;

	for (unsigned k = 0; k < 96; k++) {
		sum += (k & 7) ? k & 7 : 1;
		high += ((k & 7) ? k & 7 : 1) > 3;
	}
	own = ((i ^ 1) & 7) ? (i ^ 1) & 7 : 1;
	return sum + own + high * 1000 + (1 + (i & 1 ? 10 : 3)) * 100000 + 7000000;
}

START_TEST(moved_all_the_time)
{
	static const struct {
		uint32_t tokq, driver, every, merge, random, first;
	} v[] = {
		{ 256, 0, 1, 1, 65536, 0 }, { 12, 1, 1, 0, 65536, 0 }, { 256, 0, 3, 1, 65536, 1 },
		{ 64, 0, 2, 1, 30000, 0 }, { 12, 0, 1, 0, 65536, 1 },
	};

	for (unsigned k = 0; k < sizeof(v) / sizeof(v[0]); k++) {
		if (k) {
			smt_free(s);
			s = smt_new();
		}
		machine();
		s->cfg.tokq_entries = v[k].tokq;
		s->cfg.tokq_driver = v[k].driver;
		s->cfg.yield_every = v[k].every;
		s->cfg.yield_merge = v[k].merge;
		s->cfg.yield_random = v[k].random;
		s->cfg.branch_first = v[k].first;
		s->cfg.trace_classes = k & 1 ? 31 : 7;
		smt_start(s);
		run_and_move(everything, 1, 96);
		for (unsigned i = 0; i < 64; i++)
			if ((i & 3) != 3)
				ck_assert_uint_eq(smt_u32(s)[i], wanted(i));
		run_and_move("s2r r2, %ctaid_linear\nsetp.eq.u32 p1, r2, 0\n@p1 exit\nnanosleep 900\nnop\nexit\n", 2, 32);
	}
	ck_assert_uint_gt(moves, 300);
	ck_assert_msg(!*cta_text_unused(), "never in use: %s", cta_text_unused());
}
END_TEST

/* The lanes of a CTA in each window, as text, and what is left at the end. */
static char *history(const char *text, uint32_t block, uint32_t classes, uint64_t *barriers)
{
	char *out = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&out, &len);

	smt_free(s);
	s = smt_new();
	machine();
	s->cfg.trace_classes = classes;
	smt_start(s);
	smt_load(s, text);
	smt_launch(s, 1, block);
	while (smt_window(s)) {
		const struct ppu_sm *sm = &s->core->sms[s->core->sms[1].cta[0].task != NULL];
		char *t;

		if (!sm->cta[0].task)
			continue;
		t = cta_text(sm, &sm->cta[0]);
		fprintf(f, "at %llu cycle %llu\n%s", (unsigned long long)s->now, (unsigned long long)sm->cycle, t);
		free(t);
	}
	fprintf(f, "end %u %u %llu\n", s->faulted, s->fault.pc, (unsigned long long)s->now);
	for (unsigned i = 0; i < block; i++)
		fprintf(f, "%u\n", smt_u32(s)[i]);
	*barriers = s->core->ctr[PPU_CTR_BARRIERS];
	smt_finish(s);
	fclose(f);
	return out;
}

/* Barriers that nobody traces take a shorter way, and everything is the same at the end of every window. */
START_TEST(traced_or_not)
{
	static const char *const texts[] = {
		everything,
		/* whole warps only; values; several numbers in turn */
		PROLOGUE "mov.u32 r6, 0\nloop: bar.sync 0\nnanosleep 30\nbar.sync 1\nadd.u32 r6, r6, 1\nsetp.lt.u32 p1, r6, 6\n"
			"@p1 bra loop\nmov.u32 r3, r6\n" STORE3 "exit\n",
		/* some warps reduce where others only wait */
		PROLOGUE "setp.ge.u32 p1, r2, 32\nsetp.lt.u32 p2, r2, 45\nmov.u32 r3, 1\n@p1 bra R\nbar.sync 0\nbra E\n"
			"R: bar.popc r3, 0, p2\nE: " STORE3 "exit\n",
		PROLOGUE "setp.lt.u32 p1, r2, 32\nsetp.lt.u32 p2, r2, 45\nmov.u32 r3, 1\n@p1 bra R\nbar.sync 0\nbra E\n"
			"R: bar.popc r3, 0, p2\nE: " STORE3 "exit\n",
		/* a warp has ended, a warp arrives in parts */
		PROLOGUE "mov.u32 r3, 2\nsetp.ge.u32 p1, r2, 64\n@p1 exit\nsetp.ge.u32 p1, r2, 40\n@p1 nanosleep 500\n"
			"bar.sync 2\nsetp.lt.u32 p1, r2, 7\n@p1 bar.sync 3\n@!p1 bar.sync 3\n" STORE3 "exit\n",
		/* counts that do not agree, and a barrier that never opens */
		PROLOGUE "setp.ge.u32 p1, r2, 32\n@p1 bra B\nbar.sync 0\nexit\nB: nanosleep 100\nbar.sync 0, 96\nexit\n",
		PROLOGUE "setp.ge.u32 p1, r2, 32\n@p1 bra B\nbar.sync 0\nexit\nB: bar.sync 1\nexit\n",
		/* lanes that have yielded are waited for */
		PROLOGUE "and.u32 r6, r2, 1\nsetp.eq.u32 p1, r6, 0\nssy L\n@p1 bra A\nyield\nsync L\nA: sync L\n"
			"L: bar.sync 0\nmov.u32 r3, 5\n" STORE3 "exit\n",
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (uint32_t block = 64; block <= 96; block += 32) {
			uint64_t n, m;
			char *a = history(texts[i], block, 31, &n), *b = history(texts[i], block, 7, &m);

			ck_assert_msg(!*cta_text_differs(a, b), "program %u, %u threads: %s", i, block, cta_text_differs(a, b));
			ck_assert_uint_eq(n, m);
			free(a);
			free(b);
		}
}
END_TEST

/* The driver gave the token queue up, and the CTA is moved before the warp runs into that. */
START_TEST(moved_without_a_queue)
{
	machine();
	smt_start(s);
	for (unsigned asked = 0; asked < 2; asked++) {
		struct ppu_warp *w = &s->core->sms[0].warp[0];

		smt_load(s, "nanosleep 500\nnop\nexit\n");
		s->faulted = false;
		smt_launch(s, 1, 32);
		ck_assert(smt_window(s));
		ck_assert_int_eq(w->state, PPU_WARP_TIMED);
		level();
		w->q.ent = NULL;
		w->retried = asked;
		move(0, 0);
		w = &s->core->sms[1].warp[0];
		ck_assert_ptr_null(w->q.ent);
		while (smt_window(s))
			;
		ck_assert(s->faulted);
		ck_assert_uint_eq(s->fault.code, asked ? PPU_ERR_TOKQ_OVERFLOW : PPU_ERR_NO_TOKQ);
		smt_finish(s);
	}
}
END_TEST

int main(void)
{
	Suite *su = suite_create("cta_image");
	TCase *t = tcase_create("cta_image");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, moved_all_the_time);
	tcase_add_test(t, traced_or_not);
	tcase_add_test(t, moved_without_a_queue);
	suite_add_tcase(su, t);
	return run_suite(su);
}
