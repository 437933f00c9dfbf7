/* SPDX-License-Identifier: MIT */
/* Tests of the SM that run a program as one CTA (or as a grid) and expect no fault: their fixture and the words they share. */
#ifndef ONE_CTA_H
#define ONE_CTA_H

#include <check.h>
#include "sm_test.h"

/* rd4 = address of this thread's word; r2 = tid.x */
#define PROLOGUE \
	"s2r r2, %tid.x\n" \
	"ld.param.u64 rd10, [0]\n" \
	"madw.u32 rd4, r2, 4, rd10\n"
#define STORE3 "st.global.u32 [rd4], r3\n"

static struct sm_test *s;

static void setup(void)
{
	s = smt_new();
}

static void teardown(void)
{
	smt_free(s);
}

/* The program of a text, as a grid of one warp has it. */
static inline const struct ppu_program *decoded(const char *text)
{
	if (!s->core)
		smt_start(s);
	if (s->task.prog)
		smt_finish(s);
	smt_load(s, text);
	smt_launch(s, 1, 32);
	ck_assert(!s->faulted);
	return s->task.prog;
}

static inline void run_grid(const char *text, uint32_t grid, uint32_t block)
{
	if (!s->core)
		smt_start(s);
	smt_load(s, text);
	smt_run(s, grid, block);
	ck_assert_msg(!s->faulted, "fault %u lane %u pc %u va %llx", s->fault.code, s->fault.lane,
		      s->fault.pc, (unsigned long long)s->fault.va);
	ck_assert(!s->timed_out);
}

static inline void run(const char *text, uint32_t block)
{
	run_grid(text, 1, block);
}

#endif
