/* SPDX-License-Identifier: MIT */
/*
 * Elements of arrays on both engines: where all lanes' indices lie in the span that words were found in last, no lane's
 * address is made (select_load.c); loads whose indices differ by what is the same for all lanes share distances (fuse_index.c);
 * what the next round of a loop will load is fetched ahead (select_chase.c), and rows whose begins were loaded (select_rows.c).
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "engine_pair.h"
#include "ptmem.h"
#include "run_suite.h"

#define ARRAY		0x0000000240000000ull	/* pages that lie in a row in SMT_DATA's memory, from page DATA_PAGE on */
#define PAGES		8u
#define DATA_PAGE	64u
#define OTHER_PAGE	96u			/* and those of another context */

/* Thread r2, round r3 of 64; rd6: the array; r4: an index scattered over the lanes.  r0 gets what r10 and r11 become. */
#define BEGIN(more) "s2r r2, %tid.x\nmov.u32 r0, 0\nmov.u32 r3, 0\nmovi64 rd6, 0x240000000\n" more
#define AGAIN "again: mad.u32 r4, r2, 977, r3\nmul.u32 r4, r4, 1237\nand.u32 r4, r4, 8191\n"
/* All pages are in the TLB. */
#define HEAD(more) BEGIN(more) \
	"warm: madw.u32 rd8, r3, 4096, rd6\nld.global.u32 r10, [rd8]\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, 8\n" \
	"@p0 bra warm\nmov.u32 r3, 0\n" AGAIN
#define TAIL \
	"mad.u32 r0, r0, 3, r10\nmad.u32 r0, r0, 3, r11\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, 64\n@p0 bra again\n" \
	"movi64 rd6, 0x200000000\nmadw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n"

/* r5: 1 in lanes 8 to 15 of each 16, in the others 0; r16: the number among eight. */
#define HALVES "shr.u32 r5, r2, 3\nand.u32 r5, r5, 1\nand.u32 r16, r2, 7\n"
#define LOADS "madw.u32 rd8, r12, 4, rd6\nmadw.u32 rd14, r4, 4, rd6\nld.global.u32 r10, [rd8]\nld.global.u32 r11, [rd14]\n"

static struct sm_test *machine[2];

static const struct program {
	const char *what, *text;
} programs[] = {
	/* Each eight lanes have a line of their own, or one for each lane: of 16, these are 1, 8 or 9. */
	{ "eight lanes in a row, then eight anywhere", HEAD("")
	  HALVES "mov.u32 r17, 1\nsub.u32 r17, r17, r5\nmul.u32 r12, r4, r5\nmad.u32 r12, r16, r17, r12\n" LOADS TAIL },
	{ "eight lanes anywhere, then eight in a row", HEAD("")
	  HALVES "mov.u32 r17, 1\nsub.u32 r17, r17, r5\nmul.u32 r12, r4, r17\nmad.u32 r12, r16, r5, r12\n" LOADS TAIL },
	{ "eight lanes in a row, and eight far away", HEAD("") HALVES "mad.u32 r12, r5, 4000, r16\n" LOADS TAIL },
	{ "all lanes anywhere", HEAD("") "xor.u32 r12, r4, 1365\n" LOADS TAIL },
	{ "some lanes that have ended, with indices of no element",
	  HEAD("and.u32 r5, r2, 3\nsetp.eq.u32 p1, r5, 1\n@p1 mov.u32 r2, 0x7f000000\n@p1 exit\n")
	  "xor.u32 r12, r4, 1365\n" LOADS TAIL },
	/* What is jumped over looks as if all lanes had 5 in r21. */
	{ "a distance that is each lane's own",
	  HEAD("mul.u32 r21, r2, 3\nand.u32 r21, r21, 7\nbra over\nmov.u32 r21, 5\nover: mov.u32 r22, 0\n")
	  "add.u32 r4, r2, r3\nadd.u32 r12, r4, r21\n"
	  "madw.u32 rd14, r4, 4, rd6\nmadw.u32 rd8, r12, 4, rd6\nld.global.u32 r11, [rd14]\nld.global.u32 r10, [rd8]\n" TAIL },
	{ "a distance that some lanes have, and the first has not",
	  HEAD("and.u32 r21, r2, 31\nmin.u32 r21, r21, 1\nbra over\nmov.u32 r21, 5\nover: mov.u32 r22, 0\n")
	  "add.u32 r4, r2, r3\nadd.u32 r12, r4, r21\n"
	  "madw.u32 rd14, r4, 4, rd6\nmadw.u32 rd8, r12, 4, rd6\nld.global.u32 r11, [rd14]\nld.global.u32 r10, [rd8]\n" TAIL },
};

static uint64_t in_vram(const struct sm_test *s, unsigned page)
{
	return (uint64_t)(s->data - s->vram) + page * PPU_PAGE_SIZE;
}

static void prepare(int k)
{
	struct sm_test *s = machine[k] = epair_machine(EPAIR_PLAIN, k ? EPAIR_TRANSLATE : EPAIR_INTERPRET);

	for (unsigned i = 0; i < PAGES; i++)
		smt_map(s, ARRAY + i * PPU_PAGE_SIZE, in_vram(s, DATA_PAGE + i), PPU_PAGE_SIZE, 0);
	epair_prepare(s, 7, SMT_DATA_BYTES);
}

static void same(const char *what)
{
	ck_assert_msg(epair_same(machine[0], machine[1], SMT_DATA_BYTES), "%s: %s", what, epair_why);
	ck_assert_msg(!machine[0]->faulted, "%s", what);
	smt_free(machine[0]);
	smt_free(machine[1]);
}

START_TEST(one_program)
{
	for (int k = 0; k < 2; k++) {
		prepare(k);
		smt_load(machine[k], programs[_i].text);
		ck_assert(epair_run(machine[k], 1, 64, 0));
	}
	same(programs[_i].what);
}
END_TEST

/*
 * The span of another context, with the same addresses: its own memory must be read.  A page that this context has in the TLB
 * has put out the other one's, and so cut its span; so nothing is read before.
 */
START_TEST(another_context)
{
	static const char *const text[] = {
		BEGIN("") AGAIN "xor.u32 r12, r4, 1365\n" LOADS TAIL,
		/* addresses that are no array's */
		BEGIN("mov.u32 r19, 0\n") AGAIN
			"xor.u32 r12, r4, 1365\nmadw.u32 rd8, r12, 4, rd6\nmadw.u32 rd14, r4, 4, rd6\n"
			"madw.u32 rd8, r19, 1, rd8\nmadw.u32 rd14, r19, 1, rd14\nld.global.u32 r10, [rd8]\n"
			"ld.global.u32 r11, [rd14]\n" TAIL,
	};

	for (int k = 0; k < 2; k++) {
		prepare(k);
		smt_load(machine[k], text[_i]);
		ck_assert(epair_run(machine[k], 1, 64, 0));
		smt_other_context(machine[k], 0);
		for (unsigned i = 0; i < PAGES; i++)
			ptmem_map(machine[k]->other_pt, ARRAY + i * PPU_PAGE_SIZE, in_vram(machine[k], OTHER_PAGE + i), PPU_PAGE_SIZE,
				  0, false);
		ck_assert(epair_run(machine[k], 1, 64, 0));
	}
	same("another context");
}
END_TEST

/*
 * Elements through an index that a loop goes along: lanes beside one another, each of eight for itself, far from one another, and
 * up to the last word of the array, behind which there is nothing.
 */
static const struct chase {
	const char *what, *first;	/* rd20: where the lane's indices begin */
	bool flat;			/* all indices are the same */
} chases[] = {
	{ "lanes in a row", "madw.u32 rd20, r2, 4, rd6\n", false },
	{ "one lane of eight", "and.u32 r5, r2, 7\nsetp.ne.u32 p1, r5, 3\n@p1 exit\nmadw.u32 rd20, r2, 64, rd6\n", false },
	{ "some lanes", "and.u32 r5, r2, 5\nsetp.eq.u32 p1, r5, 1\n@p1 exit\nmadw.u32 rd20, r2, 4, rd6\n", false },
	{ "lanes anywhere", "mad.u32 r5, r2, 977, r3\nand.u32 r5, r5, 4095\nmadw.u32 rd20, r5, 4, rd6\n", false },
	{ "lanes anywhere in a page", "mul.u32 r5, r2, 977\nand.u32 r5, r5, 511\nmadw.u32 rd20, r5, 4, rd6\n", false },
	{ "lanes anywhere in a page, some", "setp.gt.u32 p1, r2, 40\n@p1 exit\nmul.u32 r5, r2, 977\nand.u32 r5, r5, 511\n"
		"madw.u32 rd20, r5, 4, rd6\n", false },
	{ "lanes anywhere up to the end of a page", "mul.u32 r5, r2, 977\nand.u32 r5, r5, 511\nadd.u32 r5, r5, 490\n"
		"madw.u32 rd20, r5, 4, rd6\n", false },
	{ "lanes anywhere, some", "setp.gt.u32 p1, r2, 40\n@p1 exit\nmad.u32 r5, r2, 977, r3\nand.u32 r5, r5, 4095\n"
		"madw.u32 rd20, r5, 4, rd6\n", false },
	{ "over the end of a page", "add.u32 r5, r2, 980\nmadw.u32 rd20, r5, 4, rd6\n", false },
	{ "up to the end", "and.u32 r5, r2, 31\nadd.u32 r5, r5, 8120\nmadw.u32 rd20, r5, 4, rd6\n", false },
	{ "the same for all", "madw.u32 rd20, r3, 4, rd6\n", false },
	/* The first lanes' elements are beside one another, their indices are not. */
	{ "lanes anywhere, with one element", "mad.u32 r5, r2, 977, r3\nand.u32 r5, r5, 4095\nmadw.u32 rd20, r5, 4, rd6\n", true },
};

START_TEST(through_an_index)
{
	static const char *const turn[] = {
		/* an element of an array, and an address that is no array's */
		"again: ld.global.u32 r10, [rd20]\nmadw.u32 rd8, r10, 4, rd6\nld.global.u32 r11, [rd8]\n",
		"again: ld.global.u32 r10, [rd20]\nmadw.u32 rd8, r10, 4, rd24\nld.global.u32 r11, [rd8]\n",
		/* two of each, whose indices share an address */
		"again: ld.global.u32 r10, [rd20]\nld.global.u32 r12, [rd20+4]\nmadw.u32 rd8, r10, 4, rd6\n"
		"madw.u32 rd14, r12, 4, rd6\nld.global.u32 r11, [rd8]\nld.global.u32 r13, [rd14]\nmad.u32 r0, r0, 5, r13\n",
	};
	const struct chase *c = &chases[_i / 3];
	char text[2048];

	snprintf(text, sizeof(text), "%s%s%s%s", BEGIN("and.u32 r22, r2, 3\nmadw.u32 rd24, r22, 4, rd6\n"), c->first,
		 turn[_i % 3], "add.u64 rd20, rd20, 4\nmad.u32 r0, r0, 3, r11\nadd.u32 r3, r3, 1\nsetp.lt.u32 p0, r3, 40\n"
		 "@p0 bra again\nmovi64 rd6, 0x200000000\nmadw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n");
	for (int k = 0; k < 2; k++) {
		uint32_t *word;

		prepare(k);
		word = (uint32_t *)(machine[k]->data + DATA_PAGE * PPU_PAGE_SIZE);
		for (uint32_t i = 0; i < PAGES * PPU_PAGE_SIZE / 4; i++)
			word[i] = c->flat ? 5 : i % 3 ? i * 37 % 1999 : i * 977 % 8185;
		smt_load(machine[k], text);
		ck_assert(epair_run(machine[k], 1, 64, 0));
	}
	same(c->what);
}
END_TEST

/*
 * Rows whose begins are loaded, of a matrix or of a graph: begins in a row that grow by little, by much, that shrink, that are the
 * same, the last ones at the end of a page and of the array; and a parameter that is no address.
 */
static const struct rows {
	const char *what;
	uint32_t first, by;		/* begins: first + by * i */
	uint64_t param;			/* the second array */
} rows[] = {
	{ "short rows", 100, 3, ARRAY },
	{ "rows of lines", 7, 16, ARRAY },
	{ "rows of pages", 0, 100, ARRAY },
	{ "rows that go backwards", 4000, (uint32_t)-9, ARRAY },
	{ "one row", 555, 0, ARRAY },
	{ "rows up to the end", 8192 - 65 * 16, 16, ARRAY },
	{ "the first page only", 0, 15, ARRAY },
	{ "another array that is nowhere", 100, 3, 0x7f00000000000004ull },
};

START_TEST(rows_that_begin)
{
	/* r12: where the lane's row begins; rd10 and rd24: the arrays, of which the second one is not read. */
	static const char *const first[] = {
		"", "and.u32 r5, r2, 7\nsetp.ne.u32 p1, r5, 2\n@p1 exit\n", "and.u32 r5, r2, 3\nsetp.eq.u32 p1, r5, 0\n@p1 exit\n",
	};
	const struct rows *w = &rows[_i / 6];
	char text[2048];

	snprintf(text, sizeof(text), "%s%s%s%s%s", BEGIN(""), first[_i % 3],
		 "madw.u32 rd8, r2, 4, rd6\nld.global.u32 r12, [rd8]\nld.global.u32 r14, [rd8+4]\nmad.u32 r0, r14, 7, r0\n"
		 "mov.u32 r20, 8\nld.param.u64 rd10, [16]\nld.param.u64 rd24, [24]\n",
		 _i % 6 < 3 ? "madw.u32 rd26, r12, 4, rd10\n" : "cvt.u64.u32 rd26, r12\nshl.u64 rd26, rd26, 2\nadd.s64 rd26, rd26, rd10\n",
		 "madw.u32 rd28, r12, 4, rd24\nagain: ld.global.u32 r10, [rd26]\nmad.u32 r0, r0, 3, r10\n"
		 "setp.gt.u32 p1, r20, 100\n@p1 ld.global.u32 r10, [rd28]\nadd.u64 rd26, rd26, 4\nadd.u32 r12, r12, 1\n"
		 "add.u32 r20, r20, -1\nsetp.ne.u32 p0, r20, 0\n@p0 bra again\nmovi64 rd6, 0x200000000\n"
		 "madw.u32 rd6, r2, 4, rd6\nst.global.u32 [rd6], r0\nexit\n");
	for (int k = 0; k < 2; k++) {
		uint32_t *word;

		prepare(k);
		smt_param64(machine[k], 16, ARRAY);
		smt_param64(machine[k], 24, w->param);
		word = (uint32_t *)(machine[k]->data + DATA_PAGE * PPU_PAGE_SIZE);
		for (uint32_t i = 0; i < 65; i++)
			word[i] = w->first + w->by * i;
		smt_load(machine[k], text);
		ck_assert(epair_run(machine[k], 1, 64, 0));
	}
	same(w->what);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_elements");
	TCase *t = tcase_create("elements");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	tcase_set_timeout(t, 0);
	if (!ppu_config_engine_note(&cfg)) {
		tcase_add_loop_test(t, one_program, 0, sizeof(programs) / sizeof(programs[0]));
		tcase_add_loop_test(t, another_context, 0, 2);
		tcase_add_loop_test(t, rows_that_begin, 0, 6 * sizeof(rows) / sizeof(rows[0]));
		tcase_add_loop_test(t, through_an_index, 0, 3 * sizeof(chases) / sizeof(chases[0]));
	}
	suite_add_tcase(su, t);
	return run_suite(su);
}
