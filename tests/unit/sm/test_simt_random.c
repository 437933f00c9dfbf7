/* SPDX-License-Identifier: MIT */
/*
 * Random programs: the SM against a reference that runs each thread alone.
 *
 * For one thread, SSY, PBRK, PUSH and YIELD do nothing, SYNC, BRK, CONT, DISABLE are branches, and CAL and RET use
 * their register. Whatever a program does with these instructions, structured or not, every thread must leave the same
 * results as when it runs alone, and no thread may get lost.
 *
 * The programs and the reference are lib/simt_prog.c.
 *
 * A program that fails is reduced as long as it still fails, and printed in the form of simt_corpus.txt. The programs
 * of that file run first: append the new one when the cause is found.
 *
 *   PPU_RANDOM_PROGRAMS=100000 PPU_RANDOM_SEED=7 build/unit-fast/test_simt_random
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "simt_prog.h"
#include "sm_test.h"
#include "run_suite.h"

#define CORPUS		"tests/unit/sm/simt_corpus.txt"

/* ---- one program on the device ------------------------------------------------------------------------------ */

static char why[256];
static unsigned compared;	/* programs whose results were compared */

/* False: the device differs from the reference; `why` says how. */
static bool agrees(struct sm_test *s, const struct prog *p)
{
	static char text[SIMT_TEXT_BYTES];
	struct ppu_config *cfg = &s->core->cfg;
	struct thread t[MAX_THREADS];

	if (!simt_reference(p, t))
		return true;
	cfg->branch_first = p->branch_first;
	cfg->yield_every = p->yield_every;
	cfg->yield_merge = p->yield_merge;
	cfg->yield_random = p->yield_random;
	simt_emit(p, text);
	memset(s->data, 0, MAX_THREADS * RESULT_BYTES);
	s->task.launch.regs_per_thread = 48;
	s->limit = s->cfg.sm_clock_khz < 1000000 ? 2000000000 : 20000000;
	smt_load(s, text);
	if (!smt_run(s, 1, p->threads)) {
		if (s->faulted && s->fault.code == PPU_ERR_TOKQ_OVERFLOW)
			return true;
		snprintf(why, sizeof(why), "%s %u at pc %u lane %u", s->faulted ? "fault" : "hangs", s->fault.code,
			 s->fault.pc, s->fault.lane);
		return false;
	}
	compared++;
	for (uint32_t i = 0; i < p->threads; i++) {
		const uint32_t *got = smt_u32(s) + i * RESULT_BYTES / 4;
		uint32_t want[REGS + 1];

		simt_wanted(&t[i], want);
		if (memcmp(want, got, sizeof(want))) {
			snprintf(why, sizeof(why), "thread %u of %u differs (came to the end %u times, not %u)", i,
				 p->threads, got[REGS], want[REGS]);
			return false;
		}
	}
	return true;
}

/* ---- programs as lines, and smaller ones -------------------------------------------------------------------- */
/* False: no more programs. */
static bool parse(FILE *f, struct prog *p)
{
	char line[256], name[16];

	memset(p, 0, sizeof(*p));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "program %u %u %u %u %u %u", &p->n, &p->threads, &p->branch_first, &p->yield_every,
			   &p->yield_merge, &p->yield_random) == 6)
			break;
	if (!p->n)
		return false;
	ck_assert(p->n <= MAX_OPS && p->threads <= MAX_THREADS);
	for (uint32_t i = 0; i < p->n; i++) {
		unsigned v[5], k;

		ck_assert(fgets(line, sizeof(line), f) != NULL);
		ck_assert_int_eq(sscanf(line, "%15s %u %u %u %u %u %u", name, &v[0], &v[1], &v[2], &v[3], &v[4],
					&p->op[i].imm), 7);
		k = simt_op_by_name(name);
		ck_assert_msg(k < NUM_WHATS, "%s: no operation '%s'", CORPUS, name);
		p->op[i].what = (uint8_t)k;
		p->op[i].d = (uint8_t)v[0];
		p->op[i].a = (uint8_t)v[1];
		p->op[i].b = (uint8_t)v[2];
		p->op[i].guard = (uint8_t)v[3];
		p->op[i].sub = (uint8_t)v[4];
	}
	return true;
}

/* Fewer threads, plain settings, fewer operations, as long as it fails. */
static void reduce(struct sm_test *s, struct prog *p)
{
	struct prog q;
	bool better = true;

#define TRY(change) do { \
	q = *p; \
	change; \
	if (memcmp(&q, p, sizeof(q)) && !agrees(s, &q)) { \
		*p = q; \
		better = true; \
	} \
} while (0)
	while (better) {
		better = false;
		TRY(q.threads /= 2; if (!q.threads) q.threads = 1);
		TRY(q.threads -= q.threads > 1);
		TRY(q.branch_first = 0);
		TRY(q.yield_every = 1);
		TRY(q.yield_merge = 1);
		TRY(q.yield_random = 65536);
		for (uint32_t i = p->n; i-- > 0;) {
			TRY(simt_drop_op(&q, i));
			if (i < p->n)
				TRY(q.op[i].guard = 0);
		}
	}
#undef TRY
	agrees(s, p);
}

static void failed(struct sm_test *s, struct prog *p, const char *title)
{
	reduce(s, p);
	simt_print(stderr, p, title);
	ck_abort_msg("%s: %s; reduced to %u operations, above in the form of " CORPUS, title, why, p->n);
}

#define CUT 2	/* the third machine */

static struct sm_test *machine(int i)
{
	struct sm_test *s = smt_new();

	s->cfg.tokq_entries = i ? 4096 : 1000;
	s->cfg.tokq_driver = i == 1;
	if (i == CUT) {	/* SP-4: preempted at random instructions, restored on another SM */
		s->cfg.sms_per_gpc = 2;
		s->cfg.tokq_entries = 256;
		s->cfg.sm_clock_khz = 10000;	/* 100 ns are one cycle */
		s->cut_random = 1;
	}
	smt_start(s);
	s->core->ports.trace = NULL;
	return s;
}

/* Programs that failed once. */
START_TEST(corpus)
{
	struct sm_test *s = machine(_i);
	FILE *f = fopen(CORPUS, "r");
	unsigned n = 0;
	struct prog p;

	ck_assert_msg(f != NULL, "%s is not there", CORPUS);
	for (; parse(f, &p); n++)
		if (!agrees(s, &p)) {
			char title[32];

			snprintf(title, sizeof(title), "corpus %u", n);
			failed(s, &p, title);
		}
	fclose(f);
	ck_assert_uint_gt(n, 0);
	smt_free(s);
}
END_TEST

START_TEST(random_programs)
{
	const char *n = getenv("PPU_RANDOM_PROGRAMS"), *first = getenv("PPU_RANDOM_SEED");
	/* half of the programs on each of the first two machines, and some more preempted */
	uint64_t count = (n ? strtoull(n, NULL, 0) : 4000) / 2, seed = first ? strtoull(first, NULL, 0) : 1;
	struct sm_test *s = machine(_i);
	unsigned used[NUM_WHATS] = { 0 };
	struct prog p;

	compared = 0;
	if (_i == CUT) {
		count /= 5;
		s->cut_random = seed;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t k = seed + i + (_i ? 1000000000 : 0);

		if (_i == CUT) {
			s->cfg.window_ns = 100 * (1 + i % 40);
			s->cut = 1 + i % 7;
		}
		simt_generate(&p, k);
		for (uint32_t j = 0; j < p.n; j++)
			used[p.op[j].what]++;
		if (!agrees(s, &p)) {
			char title[32];

			snprintf(title, sizeof(title), "seed %llu", (unsigned long long)k);
			failed(s, &p, title);
		}
	}
	/* few queues overflow, and the reference can run every program */
	ck_assert_uint_ge(compared, count - count / 20);
	for (unsigned i = 0; count >= 500 && i < NUM_WHATS; i++)
		ck_assert_msg(used[i] > 0, "no program has operation %u", i);
	if (_i == CUT)
		ck_assert_uint_gt(s->num_cuts, count * 5);
	smt_free(s);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("simt_random");
	TCase *t = tcase_create("random");

	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, corpus, 0, 2);
	tcase_add_loop_test(t, random_programs, 0, CUT + 1);
	suite_add_tcase(su, t);
	return run_suite(su);
}
