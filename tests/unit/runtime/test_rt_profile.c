/* SPDX-License-Identifier: MIT */
/*
 * Profiles: the counts of kernels whose behaviour is known (HW-64, HW-65, HW-66 caches, HW-70, HW-73 transactions by
 * GPC, HW-41 lanes, SIMT-5 divergence, HW-53 barriers).
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include "ppu.h"
#include "run_suite.h"
#include "rt_ok.h"

#define HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

/* Loads a word per thread, `stride` words apart. */
static const char loads[] = HEAD
".visible .entry loads(.param .u64 p, .param .u32 stride)\n{\n"
".reg .b32 %r<4>; .reg .b64 %d<3>;\n"
"ld.param.u64 %d0, [p]; ld.param.u32 %r0, [stride]; mov.u32 %r1, %tid.x; mul.lo.u32 %r1, %r1, %r0;\n"
"mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d0, %d1; ld.global.u32 %r2, [%d1]; ld.global.u32 %r3, [%d1];\n"
"add.u32 %r2, %r2, %r3; st.global.u32 [%d1], %r2; ret;\n}\n";

/* Odd lanes spin 20 times; atomics, a barrier, a nap. */
static const char busy[] = HEAD
".visible .entry split(.param .u64 p)\n{\n"
".reg .b32 %r<4>; .reg .b64 %d<2>; .reg .pred %q<2>;\n"
"ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %q0, %r1, 0; mov.u32 %r2, 0;\n"
"@%q0 bra $even; $loop: add.u32 %r2, %r2, 1; st.volatile.global.u32 [%d0], %r2; setp.lt.u32 %q1, %r2, 20; @%q1 bra $loop;\n"
"$even: atom.global.add.u32 %r3, [%d0+64], 1; ret;\n}\n"
".visible .entry nap()\n{\nnanosleep.u32 5000; ret;\n}\n"
".visible .entry late()\n{\n.reg .b32 %r; .reg .pred %q; mov.u32 %r, %tid.x; setp.lt.u32 %q, %r, 32; @%q nanosleep.u32 5000; bar.sync 0; ret;\n}\n"
".visible .entry meet()\n{\nbar.sync 0; bar.sync 0; ret;\n}\n";

static ppuModule mod;
static void *buf;

static ppuFunction begin(const char *props, const char *text, const char *name)
{
	ppuInitOptions o = { .backend = "core", .props = props };
	ppuFunction f;

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&mod, text, 0, NULL));
	OK(ppuModuleGetFunction(&f, mod, name));
	OK(ppuMalloc(&buf, 1 << 20));
	OK(ppuMemset(buf, 0, 4, (1 << 20) / 4));
	return f;
}

static double get(const ppuProfile *p, const char *name)
{
	double v;

	OK(ppuProfileGet(p, name, &v));
	return v;
}

static ppuProfile run(ppuFunction f, uint32_t ctas, uint32_t threads, void **args)
{
	ppuProfile p;

	OK(ppuProfileBegin(&p));
	OK(ppuLaunchKernel(f, ppuDim(ctas, 1, 1), ppuDim(threads, 1, 1), 0, NULL, args, NULL, 0));
	OK(ppuProfileEnd(&p));
	return p;
}

/* Neighbours share a line, or none does: HW-64 (L1 of an SM), HW-66 (L2). */
START_TEST(caches_and_coalescing)
{
	ppuFunction f = begin("gpcs=1 sms-per-gpc=1 cache-model=1", loads, "loads");
	uint32_t stride = _i ? 32 : 1, lines = _i ? 32 : 1;
	ppuProfile p = run(f, 1, 32, (void *[]){ &buf, &stride });

	ck_assert_double_eq(get(&p, "memory_instructions"), 3);
	ck_assert_double_eq(get(&p, "lines_per_access"), lines);
	ck_assert_double_eq(get(&p, "l1_misses"), lines);
	ck_assert_double_eq(get(&p, "l1_hits"), lines);
	ck_assert_double_eq(get(&p, "l1_hit_rate"), 0.5);
	ck_assert_double_eq(get(&p, "l2_hit_rate") > 0, 1);	/* the stores find what the loads left */
	ck_assert_double_gt(get(&p, "instruction_hit_rate"), 0);
	ck_assert_double_gt(p.device_ns, 0);
	OK(ppuShutdown());
}
END_TEST

/* HW-41: 20 threads are 20 lanes of 32.  SIMT-5: one branch parts them. */
START_TEST(lanes_simt_5_divergence)
{
	ppuFunction f = begin("gpcs=1 sms-per-gpc=1", busy, "split"), nap;
	ppuProfile p;
	double lanes;

	OK(ppuModuleGetFunction(&nap, mod, "nap"));
	p = run(nap, 1, 20, NULL);
	ck_assert_double_eq(get(&p, "lanes_per_instruction"), 20);
	ck_assert_double_eq(get(&p, "divergent_branches"), 0);
	p = run(f, 1, 32, (void *[]){ &buf });
	ck_assert_double_eq(get(&p, "atomic_instructions"), 1);	/* the lanes have met again */
	lanes = get(&p, "lanes_per_instruction");
	ck_assert_msg(lanes > 16 && lanes < 24, "%f lanes", lanes);
	ck_assert_double_le(get(&p, "divergent_branches"), 1);
	OK(ppuShutdown());
}
END_TEST

/* HW-53: two barriers of four warps each.  Why SMs did not issue: all warps slept, or some waited for another warp. */
START_TEST(stalls_at_barriers)
{
	ppuFunction meet = begin("gpcs=1 sms-per-gpc=1 window-ns=100000", busy, "meet"), nap, late;
	ppuProfile p;

	OK(ppuModuleGetFunction(&nap, mod, "nap"));
	p = run(meet, 1, 128, NULL);
	ck_assert_double_eq(get(&p, "barrier_waits"), 8);
	ck_assert_double_eq(get(&p, "stall_other_ns"), 0);
	p = run(nap, 1, 64, NULL);
	ck_assert_double_eq(get(&p, "barrier_waits"), 0);
	ck_assert_double_ge(get(&p, "stall_timed_ns"), 4000);
	ck_assert_double_le(get(&p, "stall_timed_ns"), 8000);
	ck_assert_double_eq(get(&p, "stall_other_ns"), 0);
	ck_assert_double_gt(get(&p, "stall_rate"), 0.5);
	OK(ppuModuleGetFunction(&late, mod, "late"));
	p = run(late, 1, 64, NULL);	/* one warp sleeps, the other waits for it */
	ck_assert_double_ge(get(&p, "stall_other_ns"), 4000);
	ck_assert_double_le(get(&p, "stall_timed_ns"), 3000);	/* before it starts */
	OK(ppuShutdown());
}
END_TEST

/* HW-73, HW-38: work and transactions of each GPC. */
START_TEST(traffic_by_gpc)
{
	ppuFunction f = begin("gpcs=3 sms-per-gpc=2 ctas-per-sm=1", loads, "loads");
	uint32_t stride = 0;
	ppuProfile p = run(f, 6, 32, (void *[]){ &buf, &stride });
	double all = 0, memory = 0;
	char name[40];

	for (unsigned i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "gpc%u_warp_instructions", i);
		ck_assert_double_eq(get(&p, name), i < 3 ? get(&p, "warp_instructions") / 3 : 0);
		all += get(&p, name);
		snprintf(name, sizeof(name), "gpc%u_memory", i);
		memory += get(&p, name);
	}
	ck_assert_double_gt(all, 0);
	ck_assert_double_eq(all, get(&p, "warp_instructions"));
	ck_assert_double_eq(memory, get(&p, "memory_reads") + get(&p, "memory_writes"));
	ck_assert_double_eq(memory, 72);	/* 3 accesses of 6 warps, one transaction for each 8 lanes */
	OK(ppuShutdown());
}
END_TEST

START_TEST(errors)
{
	ppuProfile p = { 0 };
	double v;

	begin("gpcs=1", busy, "nap");
	ck_assert_int_eq(ppuProfileBegin(NULL), PPU_ERROR_INVALID_VALUE);
	ck_assert_int_eq(ppuProfileEnd(&p), PPU_ERROR_INVALID_VALUE);	/* not begun */
	OK(ppuProfileBegin(&p));
	OK(ppuProfileEnd(&p));
	ck_assert_int_eq(ppuProfileGet(&p, "nonsense", &v), PPU_ERROR_NOT_FOUND);
	ck_assert_int_eq(ppuProfileGet(&p, "sm_busy", NULL), PPU_ERROR_INVALID_VALUE);
	OK(ppuProfileGet(&p, "lanes_per_instruction", &v));
	ck_assert(isnan(v));
	OK(ppuShutdown());
}
END_TEST

int main(void)
{
	Suite *su = suite_create("rt_profile");
	TCase *t = tcase_create("rt_profile");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, caches_and_coalescing, 0, 2);
	tcase_add_test(t, lanes_simt_5_divergence);
	tcase_add_test(t, stalls_at_barriers);
	tcase_add_test(t, traffic_by_gpc);
	tcase_add_test(t, errors);
	suite_add_tcase(su, t);
	return run_suite(su);
}
