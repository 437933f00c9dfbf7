/* SPDX-License-Identifier: MIT */
/* Shuffles and votes on both engines: each mode with constants of many kinds, in whole warps and in others. */
#include <check.h>
#include <stdio.h>
#include "engine_pair.h"
#include "insn_random.h"
#include "run_suite.h"

#define VALUE	"s2r r2, %%tid.x\nmovi64 rd6, 0x200001000\nmadw.u32 rd6, r2, 4, rd6\nshl.u32 r5, r2, 3\nxor.u32 r5, r5, 0x1234\n" \
		"mov.u32 r3, 7\n"
#define STORE	"st.global.u32 [rd6], r3\nadd.u64 rd6, rd6, 4096\nmov.u32 r3, 0\n@p2 mov.u32 r3, 1\nst.global.u32 [rd6], r3\nexit\n"

static struct sm_test *pair[2];

static void both(const char *text)
{
	static const uint32_t threads[] = { 32, 19, 64 };

	for (unsigned t = 0; t < 3; t++) {
		bool ok = true;

		for (int k = 0; k < 2; k++) {
			epair_prepare(pair[k], 1, IRND_DATA);
			smt_load(pair[k], text);
			ok &= epair_run(pair[k], 1, threads[t], 0);
			ck_assert(!pair[k]->faulted);
		}
		ck_assert_msg(ok && epair_same(pair[0], pair[1], IRND_DATA), "%u threads: %s\n%s", threads[t], epair_why, text);
	}
}

/* A mode, and how all lanes take part. */
START_TEST(shuffles)
{
	static const char *const mode[] = { "up", "down", "bfly", "idx" };
	static const unsigned by[] = { 0, 1, 3, 7, 8, 11, 16, 24, 31, 33 };
	static const unsigned range[] = { 31, 0, 7, 0x181f, 0x1807, 0x1000 };
	char text[1024];

	for (unsigned b = 0; b < sizeof(by) / sizeof(by[0]); b++)
		for (unsigned c = 0; c < sizeof(range) / sizeof(range[0]); c++) {
			snprintf(text, sizeof(text), VALUE "shfl.%s%s r3, p2, r5, %u, %u\n" STORE, mode[_i / 2],
				 _i % 2 ? ".full" : "", by[b], range[c]);
			both(text);
		}
	/* some lanes only: the others keep what they have */
	snprintf(text, sizeof(text), VALUE "setp.gt.u32 p1, r2, 12\n@p1 bra L\nshfl.%s r3, p2, r5, 9, 31\nL: " STORE, mode[_i / 2]);
	both(text);
	/* what a mask leaves out, in a warp whose lanes are all there and in another */
	snprintf(text, sizeof(text), VALUE "mov.u32 r4, 0x3ff\nshfl.%s.mask r3, p2, r5, 9, 31, r4\n" STORE, mode[_i / 2]);
	both(text);
	snprintf(text, sizeof(text), VALUE "mov.u32 r4, 0x3ff\nsetp.gt.u32 p1, r2, 9\n@p1 exit\n"
		 "shfl.%s.mask r3, p2, r5, 9, 31, r4\n" STORE, mode[_i / 2]);
	both(text);
	/* the result is the source */
	snprintf(text, sizeof(text), VALUE "shfl.%s%s r5, p2, r5, 9, 31\nmov.u32 r3, r5\n" STORE, mode[_i / 2],
		 _i % 2 ? ".full" : "");
	both(text);
}
END_TEST

START_TEST(votes)
{
	static const char *const form[] = { "vote.all%s p2, %s", "vote.any%s p2, %s", "vote.uni%s p2, %s",
					    "vote.ballot%s r3, %s" };
	static const char *const yes[] = { "p1", "!p1" };
	static const unsigned below[] = { 0, 1, 16, 31, 32, 64 };
	/* all, half of the lanes, all but one, and not the same in all lanes */
	static const char *const members[] = { NULL, "mov.u32 r4, 0xffffffff\n", "mov.u32 r4, 0xffff\n",
					       "mov.u32 r4, 0xfffffffe\n",
					       "mov.u32 r4, 0xffff\nsetp.gt.u32 p3, r2, 15\n@p3 mov.u32 r4, 0xffff0000\n" };
	char text[1024], vote[64], args[32];

	for (unsigned b = 0; b < sizeof(below) / sizeof(below[0]); b++)
		for (unsigned m = 0; m < sizeof(members) / sizeof(members[0]); m++)
			for (unsigned y = 0; y < 2; y++) {
				snprintf(args, sizeof(args), "%s%s", m ? "r4, " : "", yes[y]);
				snprintf(vote, sizeof(vote), form[_i], m ? "" : ".active", args);
				snprintf(text, sizeof(text), VALUE "setp.lt.u32 p1, r2, %u\n%s%s\n" STORE, below[b],
					 m ? members[m] : "", vote);
				both(text);
			}
}
END_TEST

static void start(void)
{
	pair[0] = epair_machine(EPAIR_PLAIN, EPAIR_INTERPRET);
	pair[1] = epair_machine(EPAIR_PLAIN, EPAIR_TRANSLATE);
}

static void end(void)
{
	smt_free(pair[0]);
	smt_free(pair[1]);
}

int main(void)
{
	Suite *s = suite_create("engines_cross");
	TCase *t = tcase_create("cross");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 0;
	}
	tcase_set_timeout(t, 300);
	tcase_add_checked_fixture(t, start, end);
	tcase_add_loop_test(t, shuffles, 0, 8);
	tcase_add_loop_test(t, votes, 0, 4);
	suite_add_tcase(s, t);
	return run_suite(s);
}
