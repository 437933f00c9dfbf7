/* SPDX-License-Identifier: MIT */
/*
 * The work of the PTX compiler and of the linker, counted and not measured: their files are compiled with
 * -fsanitize-coverage=trace-pc for this test, which calls the function below at every basic block. Twice the lines, or
 * loops nested twice as deep, take about twice the blocks; a pass that grows with the square takes four times as many.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include "ptx_large.h"
#include "run_suite.h"

enum { LINES = 10000 };

static unsigned long long blocks;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* Compiles and links; returns the blocks, *insns the instructions of the result. */
static unsigned long long work(unsigned shape, unsigned lines, unsigned *insns)
{
	struct ppu_image *img = NULL;
	struct ppu_log log;
	size_t len;
	char *text = ptx_large(shape, lines, &len);

	ppu_log_init(&log);
	blocks = 0;
	ck_assert_msg(!ppu_ptx_compile(text, len, ptx_large_name(shape), NULL, &img, &log), "%s", log.text);
	ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
	*insns = img->num_insns;
	ppu_image_free(img);
	ppu_log_free(&log);
	free(text);
	return blocks;
}

/*
 * The result may grow a little faster than the lines (spilled values), and the work with it. Loops in each other that are
 * all entered in the middle take more: each jump is looked at for each loop that it enters.
 */
START_TEST(twice_the_lines)
{
	const char *name = ptx_large_name((unsigned)_i);
	double most = strcmp(name, "entries") ? 2.5 : 3, times;
	unsigned a, b;
	unsigned long long small = work((unsigned)_i, LINES, &a), big = work((unsigned)_i, 2 * LINES, &b);

	ck_assert_msg(small > LINES, "the compiler is not built for counting");
	ck_assert_uint_ge(b, a + a / 2);
	times = (double)big / (double)small;
	ck_assert_msg(times < most, "%s: %llu blocks for %d lines, %llu for twice as many: %.2f times", name, small, LINES,
		      big, times);
}
END_TEST

START_TEST(fifty_thousand_lines)
{
	unsigned long long small, big;
	unsigned a, b;

	small = work((unsigned)_i, 5000, &a);
	big = work((unsigned)_i, 50000, &b);
	ck_assert_uint_gt(b, 50000 / 8);
	ck_assert_msg(big < 12 * small, "%s: %llu blocks for 5,000 lines, %llu for 50,000", ptx_large_name((unsigned)_i),
		      small, big);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_cost");
	TCase *t = tcase_create("cost");
	unsigned shapes = 0;

	while (ptx_large_name(shapes))
		shapes++;
	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, twice_the_lines, 0, (int)shapes);
	tcase_add_loop_test(t, fifty_thousand_lines, 0, 3);	/* straight, branches, one_label */
	suite_add_tcase(s, t);
	return run_suite(s);
}
