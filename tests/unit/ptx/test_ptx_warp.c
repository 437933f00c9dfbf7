/* SPDX-License-Identifier: MIT */
/*
 * Instructions of whole warps and CTAs, special registers, control flow in odd shapes: each form of PTX is executed.
 * Rows: HW-40, HW-51, HW-52, HW-53, SIMT-10, SIMT-44, SIMT-64.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "run_suite.h"
#include "rt_ok.h"

typedef uint32_t u32;
typedef uint64_t u64;

#define MAX_THREADS 4096

static ppuCtx ctx;
static u32 in[MAX_THREADS], out[MAX_THREADS];

static void start(void)
{
	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
}

/* Run a body that leaves its result in %d; %x is in[thread], %lane the lane, %i the thread in the grid. */
static ppuResult run_body(const char *body, ppuDim3 grid, ppuDim3 block)
{
	static const char head[] =
		".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 %in, %out, %o, %l<8>;\n.reg .b32 %x, %d, %e, %lane, %i, %t<16>;\n.reg .b16 %h<8>;\n"
		".reg .pred %p<8>;\n.reg .f32 %f<8>;\n"
		"ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t0, %tid.x;\nmov.u32 %t1, %tid.y;\n"
		"mov.u32 %t2, %ntid.x;\nmad.lo.u32 %t0, %t1, %t2, %t0;\nmov.u32 %t1, %tid.z;\nmov.u32 %t3, %ntid.y;\n"
		"mul.lo.u32 %t1, %t1, %t3;\nmad.lo.u32 %t0, %t1, %t2, %t0;\nmov.u32 %t4, %ntid.z;\n"
		"mul.lo.u32 %t4, %t4, %t3;\nmul.lo.u32 %t4, %t4, %t2;\nmov.u32 %t5, %ctaid.x;\n"
		"mad.lo.u32 %i, %t5, %t4, %t0;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %in, %in, %o;\nadd.u64 %out, %out, %o;\n"
		"ld.global.u32 %x, [%in];\nmov.u32 %lane, %laneid;\nmov.u32 %d, 0xdead;\n";
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	void *din, *dout;
	ppuModule m;
	ppuFunction fn;
	ppuResult res;

	fprintf(f, "%s%s\nst.global.u32 [%%out], %%d;\nret;\n}\n", head, body);
	fclose(f);
	OK(ppuMalloc(&din, sizeof(in)));
	OK(ppuMalloc(&dout, sizeof(out)));
	OK(ppuMemcpy(din, in, sizeof(in)));
	OK(ppuMemset(dout, 0, 4, MAX_THREADS));
	OK(ppuModuleLoadData(&m, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuModuleGetFunction(&fn, m, "k"));
	OK(ppuLaunchKernel(fn, grid, block, 0, NULL, (void *[]){ &din, &dout }, NULL, 0));
	res = ppuCtxSynchronize();
	if (!res) {
		OK(ppuMemcpy(out, dout, sizeof(out)));
		OK(ppuModuleUnload(m));
		OK(ppuFree(din));
		OK(ppuFree(dout));
	}
	free(text);
	return res;
}

static void warp(const char *body)
{
	OK(run_body(body, ppuDim(1, 1, 1), ppuDim(32, 1, 1)));
}

static u32 seed;
static void randomise(u32 s, unsigned bits)
{
	unsigned i;

	seed = s;
	for (i = 0; i < MAX_THREADS; i++) {
		seed = seed * 1664525u + 1013904223u;
		in[i] = seed >> (32 - bits);
	}
}

#define EACH_LANE(what, expression) do { \
	for (u32 i = 0; i < 32; i++) { \
		u32 x = in[i], want_ = (u32)(expression); \
		(void)x; \
		ck_assert_msg(out[i] == want_, "%s: lane %u: got %08x, expected %08x", what, i, out[i], want_); \
	} \
} while (0)

/* ---- votes, match, redux, shuffles ---- */

static u32 ballot(u32 bit, u32 mask)
{
	u32 r = 0, k;

	for (k = 0; k < 32; k++)
		r |= (in[k] >> bit & 1) << k;
	return r & mask;
}

START_TEST(test_votes)
{
	static const u32 masks[] = { 0xffffffff, 0x0000ffff, 0xaaaaaaaa, 0x80000001 };
	char body[600];
	unsigned k, b;

	start();
	for (k = 0; k < 4; k++)
		for (b = 0; b < 4; b++) {
			u32 m = masks[k], v;

			randomise(k * 4 + b + 1, 8);
			if (b == 2)
				memset(in, 0xff, 128);
			if (b == 3)
				memset(in, 0, 128);
			v = ballot(b, m);
			snprintf(body, sizeof(body), "bfe.u32 %%t1, %%x, %u, 1;\nsetp.ne.u32 %%p1, %%t1, 0;\nmov.u32 %%d, 0;\n"
				 "mov.u32 %%t2, %u;\nshr.u32 %%t3, %%t2, %%lane;\nand.b32 %%t3, %%t3, 1;\nsetp.eq.u32 %%p2, %%t3, 0;\n"
				 "@%%p2 bra END;\nvote.sync.all.pred %%p3, %%p1, %u;\nvote.sync.any.pred %%p4, %%p1, %%t2;\n"
				 "vote.sync.uni.pred %%p5, %%p1, %%t2;\nvote.sync.ballot.b32 %%d, %%p1, %%t2;\n"
				 "vote.ballot.sync.b32 %%t6, !%%p1, %%t2;\nselp.u32 %%t7, 1, 0, %%p3;\nselp.u32 %%t8, 2, 0, %%p4;\n"
				 "selp.u32 %%t9, 4, 0, %%p5;\nadd.u32 %%t7, %%t7, %%t8;\nadd.u32 %%t7, %%t7, %%t9;\n"
				 "mad.lo.u32 %%d, %%d, 31, %%t6;\nmad.lo.u32 %%d, %%d, 31, %%t7;\nEND:", b, m, m);
			warp(body);
			EACH_LANE("votes", !(m >> i & 1) ? 0 : (v * 31 + (~v & m)) * 31 + (v == m ? 1 : 0) + (v ? 2 : 0) +
				  (v == m || !v ? 4 : 0));
		}
	randomise(99, 8);
	warp("and.b32 %t1, %x, 1;\nsetp.ne.u32 %p1, %t1, 0;\nvote.ballot.b32 %d, %p1;\nactivemask.b32 %t2;\nadd.u32 %d, %d, %t2;\n"
	     "vote.any.pred %p2, %p1;\n@%p2 add.u32 %d, %d, 5;\nvote.all.pred %p3, %p1;\n@!%p3 add.u32 %d, %d, 7;");
	EACH_LANE("old votes", ballot(0, ~0u) + ~0u + 12);
	/* inside a divergent branch the active lanes are those of the side */
	warp("setp.lt.u32 %p1, %lane, 10;\n@%p1 bra A;\nmul.lo.u32 %t5, %x, 3;\nst.global.u32 [%out], %t5;\nactivemask.b32 %d;\nbra B;\n"
	     "A:\nmul.lo.u32 %t5, %x, 7;\nst.global.u32 [%out], %t5;\nactivemask.b32 %d;\nB:");
	EACH_LANE("activemask", i < 10 ? 0x3ff : ~0x3ffu);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_match_redux)
{
	static const char *const op[] = { "add.u32", "min.u32", "max.u32", "add.s32", "min.s32", "max.s32", "and.b32", "or.b32", "xor.b32" };
	char body[300];
	unsigned k;

	start();
	randomise(5, 2);
	warp("match.any.sync.b32 %d, %x, 0xffffffff;");
	EACH_LANE("match.any", ({ u32 r = 0; for (u32 m = 0; m < 32; m++) r |= (u32)(in[m] == x) << m; r; }));
	warp("mov.b64 %l1, {%lane, %x};\nand.b64 %l1, %l1, 0xffffffff00000003;\nmatch.any.sync.b64 %d, %l1, -1;");
	EACH_LANE("match.any.b64", ({ u32 r = 0; for (u32 m = 0; m < 32; m++) r |= (u32)(in[m] == x && (m & 3) == (i & 3)) << m; r; }));
	warp("match.all.sync.b32 %d|%p1, %x, 0xffffffff;\n@%p1 add.u32 %d, %d, 1;\nmov.u32 %t1, 9;\nmatch.all.sync.b32 %t2|%p2, %t1, 0xffffffff;\n"
	     "@%p2 xor.b32 %d, %d, %t2;");
	EACH_LANE("match.all", ~0u);
	for (k = 0; k < 9; k++) {
		randomise(k + 20, 32);
		snprintf(body, sizeof(body), "redux.sync.%s %%d, %%x, 0xffffffff;", op[k]);
		warp(body);
		EACH_LANE(op[k], ({
			u32 r = in[0];

			for (u32 j = 1; j < 32; j++)
				r = k == 0 || k == 3 ? r + in[j] : k == 1 ? (in[j] < r ? in[j] : r) : k == 2 ? (in[j] > r ? in[j] : r) :
				    k == 4 ? ((int)in[j] < (int)r ? in[j] : r) : k == 5 ? ((int)in[j] > (int)r ? in[j] : r) :
				    k == 6 ? r & in[j] : k == 7 ? r | in[j] : r ^ in[j];
			r; }));
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* PTX's own definition of shfl. */
static u32 shuffle(int mode, u32 lane, u32 b, u32 c, bool *pred)
{
	u32 bval = b & 31, cval = c & 31, seg = c >> 8 & 31;
	int max = (int)((lane & seg) | (cval & ~seg)), min = (int)(lane & seg), j;

	j = mode == 0 ? (int)lane - (int)bval : mode == 1 ? (int)(lane + bval) : mode == 2 ? (int)(lane ^ bval) :
	    min | (int)(bval & ~seg);
	*pred = mode == 0 ? j >= max : j <= max;
	return *pred ? (u32)j : lane;
}

START_TEST(test_shuffles)
{
	static const char *const mode[] = { "up", "down", "bfly", "idx" };
	static const u32 clamp[] = { 0x1f, 0, 0x1800 | 0x1f, 0x1000 | 0x1f, 0x1800, 0x0807 };
	char body[500];
	unsigned m, c, b, form;

	start();
	for (m = 0; m < 4; m++)
		for (c = 0; c < 6; c++)
			for (b = 0; b < 35; b += 1 + b / 4)
				for (form = 0; form < 4; form++) {
					randomise(m + c + b, 16);
					snprintf(body, sizeof(body), "mov.u32 %%t1, %u;\nmov.u32 %%t2, %u;\nmov.u32 %%t3, -1;\n"
						 "shfl.sync.%s.b32 %%d|%%p1, %%x, %s, %s, %s;\n@%%p1 add.u32 %%d, %%d, 0x10000;", b, clamp[c],
						 mode[m], form & 1 ? "%t1" : b == 0 ? "0" : "%t1", form & 2 ? "%t2" : "%t2", form & 1 ? "%t3" : "0xffffffff");
					if (form == 2)	/* constants */
						snprintf(body, sizeof(body), "shfl.sync.%s.b32 %%d|%%p1, %%x, %u, %u, -1;\n"
							 "@%%p1 add.u32 %%d, %%d, 0x10000;", mode[m], b, clamp[c]);
					if (form == 3)	/* before sm_70 */
						snprintf(body, sizeof(body), "shfl.%s.b32 %%d|%%p1, %%x, %u, %u;\n@%%p1 add.u32 %%d, %%d, 0x10000;",
							 mode[m], b, clamp[c]);
					warp(body);
					EACH_LANE(body, ({ bool p; u32 from = shuffle((int)m, i, b, clamp[c], &p); in[from] + (p ? 0x10000 : 0); }));
				}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* ---- barriers ---- */

START_TEST(test_barriers)
{
	u32 sum = 0, any;

	start();
	randomise(3, 8);
	/* a neighbour's value through shared memory, two barriers, named ones, counts */
	OK(run_body(".shared .u32 s[128];\nmov.u32 %t1, s;\nmad.lo.u32 %t2, %t0, 4, %t1;\nst.shared.u32 [%t2], %x;\nbar.sync 0;\n"
		    "add.u32 %t3, %t0, 33;\nrem.u32 %t3, %t3, 128;\nmad.lo.u32 %t3, %t3, 4, %t1;\nld.shared.u32 %d, [%t3];\n"
		    "barrier.sync 0;\nst.shared.u32 [%t2], %d;\nbarrier.sync.aligned 3;\nld.shared.u32 %d, [%t3];\n"
		    "mov.u32 %t4, 5;\nbar.sync %t4, 128;\nadd.u32 %d, %d, %x;", ppuDim(2, 1, 1), ppuDim(128, 1, 1)));
	for (u32 i = 0; i < 256; i++)
		ck_assert_uint_eq(out[i], in[i / 128 * 128 + (i % 128 + 66) % 128] + in[i]);
	/* reductions */
	any = 0;
	for (u32 i = 0; i < 96; i++) {
		sum += in[i] & 1;
		any |= in[i] == 77;
	}
	OK(run_body("and.b32 %t1, %x, 1;\nsetp.ne.u32 %p1, %t1, 0;\nbar.red.popc.u32 %d, 0, %p1;\nsetp.eq.u32 %p2, %x, 77;\n"
		    "bar.red.or.pred %p3, 1, %p2;\n@%p3 add.u32 %d, %d, 1000;\nbar.red.and.pred %p4, 2, 96, !%p2;\n@%p4 add.u32 %d, %d, 2000;\n"
		    "barrier.red.popc.aligned.u32 %t3, 0, !%p1;\nmad.lo.u32 %d, %t3, 100000, %d;", ppuDim(1, 1, 1), ppuDim(96, 1, 1)));
	for (u32 i = 0; i < 96; i++)
		ck_assert_uint_eq(out[i], sum + (any ? 1000 : 2000) + (96 - sum) * 100000);
	/* the first warp produces, the second consumes */
	OK(run_body(".shared .u32 s[32];\nmov.u32 %t1, s;\nand.b32 %t2, %t0, 31;\nmad.lo.u32 %t2, %t2, 4, %t1;\nsetp.lt.u32 %p1, %t0, 32;\n"
		    "@!%p1 bra CONSUMER;\nst.shared.u32 [%t2], %x;\nbar.arrive 1, 64;\nmov.u32 %d, 1;\nbra END;\n"
		    "CONSUMER:\nbar.sync 1, 64;\nld.shared.u32 %d, [%t2];\nEND:", ppuDim(1, 1, 1), ppuDim(64, 1, 1)));
	for (u32 i = 0; i < 64; i++)
		ck_assert_uint_eq(out[i], i < 32 ? 1 : in[i - 32]);
	/* lanes that came apart meet at bar.warp.sync */
	warp(".shared .u32 s[32];\nmov.u32 %t1, s;\nmad.lo.u32 %t2, %lane, 4, %t1;\nand.b32 %t3, %x, 3;\nmov.u32 %t4, 0;\n"
	     "LOOP:\nsetp.ge.u32 %p1, %t4, %t3;\n@%p1 bra DONE;\nadd.u32 %t4, %t4, 1;\nbra LOOP;\nDONE:\nst.shared.u32 [%t2], %t4;\n"
	     "bar.warp.sync 0xffffffff;\nxor.b32 %t5, %lane, 31;\nmad.lo.u32 %t5, %t5, 4, %t1;\nld.shared.u32 %d, [%t5];");
	EACH_LANE("bar.warp.sync", in[31 - i] & 3);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* ---- special registers ---- */

START_TEST(test_thread_registers)
{
	start();
	OK(run_body("mov.u32 %d, %tid.x;\nmov.u32 %t8, %tid.y;\nmad.lo.u32 %d, %t8, 10, %d;\nmov.u32 %t8, %tid.z;\nmad.lo.u32 %d, %t8, 100, %d;\n"
		    "mov.u32 %t8, %ctaid.x;\nmad.lo.u32 %d, %t8, 1000, %d;\nmov.u32 %t8, %nctaid.x;\nmad.lo.u32 %d, %t8, 10000, %d;\n"
		    "mov.u32 %t8, %ntid.y;\nmad.lo.u32 %d, %t8, 100000, %d;", ppuDim(3, 1, 1), ppuDim(8, 4, 2)));
	for (u32 i = 0; i < 192; i++)
		ck_assert_uint_eq(out[i], i % 8 + i / 8 % 4 * 10 + i / 32 % 2 * 100 + i / 64 * 1000 + 30000 + 400000);
	OK(run_body("mov.u32 %d, %laneid;\nmov.u32 %t8, %warpid;\nmad.lo.u32 %d, %t8, 100, %d;\nmov.b32 %t8, %lanemask_eq;\npopc.b32 %t8, %t8;\n"
		    "mov.u32 %t9, %lanemask_lt;\npopc.b32 %t9, %t9;\nadd.u32 %t8, %t8, %t9;\nmov.u32 %t9, %lanemask_le;\npopc.b32 %t9, %t9;\n"
		    "add.u32 %t8, %t8, %t9;\nmov.u32 %t9, %lanemask_gt;\npopc.b32 %t9, %t9;\nmad.lo.u32 %t8, %t9, 100, %t8;\nmov.u32 %t9, %lanemask_ge;\n"
		    "popc.b32 %t9, %t9;\nadd.u32 %t8, %t8, %t9;\nmad.lo.u32 %d, %t8, 10000, %d;", ppuDim(1, 1, 1), ppuDim(64, 1, 1)));
	for (u32 i = 0; i < 64; i++) {
		u32 l = i % 32;

		ck_assert_uint_eq(out[i] % 100, l);
		ck_assert_uint_eq(out[i] / 10000, 1 + l + (l + 1) + (31 - l) * 100 + (32 - l));
	}
	/* sources of other types and widths; WARP_SZ; registers that are constant here */
	warp("cvt.u64.u32 %l1, %tid.x;\ncvt.u32.u64 %d, %l1;\ncvt.rn.f32.u32 %f1, %ntid.x;\ncvt.rzi.u32.f32 %t8, %f1;\nadd.u32 %d, %d, %t8;\n"
	     "mov.u16 %h1, %tid.x;\ncvt.u32.u16 %t8, %h1;\nadd.u32 %d, %d, %t8;\nadd.u32 %d, %d, WARP_SZ;\nmov.u64 %l2, %gridid;\n"
	     "mov.u32 %t8, %nwarpid;\nmin.u32 %t8, %t8, 1;\nadd.u32 %d, %d, %t8;\nmov.u32 %t8, %smid;\nmov.u32 %t9, %nsmid;\n"
	     "setp.lt.u32 %p1, %t8, %t9;\n@%p1 add.u32 %d, %d, 1;\nmov.u32 %t8, %dynamic_smem_size;\nadd.u32 %d, %d, %t8;\n"
	     "mov.u32 %t8, %cluster_nctarank;\nadd.u32 %d, %d, %t8;\nmov.b32 %t8, %envreg30;\nadd.u32 %d, %d, %t8;\nmov.u32 %t8, %pm0;\nadd.u32 %d, %d, %t8;\n"
	     "mov.u32 %t8, %nclusterid.x;\nadd.u32 %d, %d, %t8;");
	EACH_LANE("registers", 2 * i + 32 + 32 + 1 + 1 + 1 + 1);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_time)
{
	start();
	warp("mov.u64 %l1, %clock64;\nmov.u32 %t8, %clock;\nmov.u64 %l2, %globaltimer;\nmov.u32 %t10, %globaltimer_lo;\nmov.u32 %t11, %globaltimer_hi;\n"
	     "nanosleep.u32 2000;\nmov.u64 %l3, %globaltimer;\nmov.u64 %l4, %clock64;\nmov.u32 %t9, %clock_hi;\nmov.u32 %t9, %clock;\n"
	     "sub.u64 %l5, %l3, %l2;\ncvt.u32.u64 %d, %l5;\nsetp.le.u64 %p1, %l4, %l1;\n@%p1 mov.u32 %d, 0;\nsub.u32 %t9, %t9, %t8;\n"
	     "setp.eq.u32 %p2, %t9, 0;\n@%p2 mov.u32 %d, 0;\nmov.b64 %l6, {%t10, %t11};\nsetp.gt.u64 %p3, %l6, %l3;\n@%p3 mov.u32 %d, 0;\n"
	     "setp.lt.u64 %p4, %l6, %l2;\n@%p4 mov.u32 %d, 0;");
	for (u32 i = 0; i < 32; i++)
		ck_assert_uint_ge(out[i], 2000);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* A body in which so many values are needed at once that others leave their registers; more is true of each value. */
static char *crowded(const char *before, const char *after)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fprintf(f, ".reg .b32 %%v<300>;\n%s", before);
	for (unsigned k = 0; k < 300; k++)
		fprintf(f, "ld.volatile.global.u32 %%v%u, [%%in];\n", k);
	for (unsigned k = 0; k < 300; k++)
		fprintf(f, "st.volatile.global.u32 [%%out], %%v%u;\n", k);
	fputs(after, f);
	fclose(f);
	return text;
}

/* Registers whose value changes are read where the program reads them, not again where the value is needed. */
START_TEST(values_of_that_moment)
{
	static const struct { const char *before, *after; u32 least, most; } v[] = {
		/* Lanes 10 to 31 are active at first, then 20 to 31. */
		{ "setp.lt.u32 %p1, %lane, 10;\nsetp.lt.u32 %p2, %lane, 20;\n@%p1 bra END;\nactivemask.b32 %e;\n@%p2 bra END;\n",
		  "mov.u32 %d, %e;\nEND:", 0xfffffc00, 0xfffffc00 },
		{ "mov.u32 %e, %clock;\n", "mov.u32 %t9, %clock;\nsub.u32 %d, %t9, %e;", 600, 1000000 },
		{ "mov.u64 %l1, %clock64;\n", "mov.u64 %l2, %clock64;\nsub.u64 %l3, %l2, %l1;\ncvt.u32.u64 %d, %l3;", 600, 1000000 },
		{ "mov.u64 %l1, %globaltimer;\n", "mov.u64 %l2, %globaltimer;\nsub.u64 %l3, %l2, %l1;\ncvt.u32.u64 %d, %l3;",
		  600, 1000000 },
		{ "mov.u32 %e, %globaltimer_lo;\n", "mov.u32 %t9, %globaltimer_lo;\nsub.u32 %d, %t9, %e;", 600, 1000000 },
	};

	start();
	for (unsigned k = 0; k < sizeof(v) / sizeof(v[0]); k++) {
		char *body = crowded(v[k].before, v[k].after);

		warp(body);
		for (u32 i = 20; i < 32; i++)
			ck_assert_msg(out[i] >= v[k].least && out[i] <= v[k].most, "%s: lane %u: %x", v[k].before, i, out[i]);
		free(body);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* ---- control flow ---- */

START_TEST(test_control)
{
	start();
	randomise(8, 16);
	/* a guarded exit: those lanes store nothing more */
	warp("and.b32 %t1, %x, 1;\nsetp.eq.u32 %p1, %t1, 0;\nst.global.u32 [%out], 5;\n@%p1 exit;\nmov.u32 %d, 6;");
	EACH_LANE("exit", x & 1 ? 6 : 5);
	/* brx.idx with an index that repeats targets, and falls */
	warp("ts: .branchtargets A, B, A, C;\nand.b32 %t1, %x, 3;\nmov.u32 %d, 0;\nbrx.idx %t1, ts;\nA: add.u32 %d, %d, 1;\nB: add.u32 %d, %d, 10;\n"
	     "C: add.u32 %d, %d, 100;");
	EACH_LANE("brx.idx", (x & 3) == 3 ? 100 : (x & 3) == 1 ? 110 : 111);
	/* bra.uni, a jump into a loop's middle, a backward goto out of two loops */
	warp("and.b32 %t1, %x, 15;\nmov.u32 %d, 0;\nmov.u32 %t2, 0;\nbra.uni MIDDLE;\nTOP: add.u32 %d, %d, 3;\nMIDDLE: add.u32 %t2, %t2, 1;\nmov.u32 %t3, 0;\n"
	     "INNER: add.u32 %d, %d, %t2;\nsetp.gt.u32 %p2, %d, 200;\n@%p2 bra OUT;\nadd.u32 %t3, %t3, 1;\nsetp.lt.u32 %p3, %t3, %t1;\n@%p3 bra INNER;\n"
	     "setp.lt.u32 %p1, %t2, %t1;\n@%p1 bra TOP;\nOUT:");
	EACH_LANE("irregular", ({
		u32 n = x & 15, d = 0, a = 0, b;

		for (;;) {
			a++;
			b = 0;
			do {
				d += a;
				if (d > 200)
					goto out;
			} while (++b < n);
			if (a >= n)
				break;
			d += 3;
		}
	out:
		d; }));
	/* two loops, left from the inner one at a different time by each lane, after more rounds than the queue has entries */
	warp("mov.u32 %d, 0;\nmov.u32 %t2, 0;\nmad.lo.u32 %t4, %lane, 37, 5;\nOUTER: mov.u32 %t3, 0;\nINNER: add.u32 %d, %d, 1;\n"
	     "setp.eq.u32 %p1, %d, %t4;\n@%p1 bra OUT;\nadd.u32 %t3, %t3, 1;\nsetp.lt.u32 %p2, %t3, 2;\n@%p2 bra INNER;\n"
	     "add.u32 %t2, %t2, 1;\nsetp.lt.u32 %p3, %t2, 600;\n@%p3 bra OUTER;\nOUT: add.u32 %d, %d, %t2;");
	EACH_LANE("two loops", 37 * i + 5 + (37 * i + 4) / 2);
	/* three loops, of which the innermost leaves one, two or all */
	warp("mov.u32 %d, 0;\nmov.u32 %t2, 0;\nTHIRD: mov.u32 %t5, 0;\nSECOND: mov.u32 %t3, 0;\nFIRST: add.u32 %d, %d, 1;\n"
	     "mul.lo.u32 %t4, %lane, 40;\nsetp.gt.u32 %p1, %d, %t4;\n@%p1 bra OUT;\nand.b32 %t6, %d, 7;\nand.b32 %t7, %lane, 7;\n"
	     "setp.eq.u32 %p2, %t6, %t7;\n@%p2 bra NEXT;\nadd.u32 %t3, %t3, 1;\nsetp.lt.u32 %p3, %t3, 3;\n@%p3 bra FIRST;\n"
	     "add.u32 %t5, %t5, 1;\nsetp.lt.u32 %p4, %t5, 2;\n@%p4 bra SECOND;\nNEXT: add.u32 %t2, %t2, 1;\n"
	     "setp.lt.u32 %p5, %t2, 2000;\n@%p5 bra THIRD;\nOUT:");
	EACH_LANE("three loops", 40 * i + 1);
	/* a branch on a constant predicate and unreachable code */
	warp("mov.u32 %d, 1;\nbra L1;\nmov.u32 %d, 2;\nL2: mov.u32 %d, 3;\nL1: setp.eq.u32 %p1, 0, 1;\n@%p1 bra L2;\nadd.u32 %d, %d, 40;");
	EACH_LANE("constant", 41);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/*
 * SIMT-17: The lanes leave both loops from the inner one, and the outer one has no other end.  The token is pushed before
 * both: one for each round would not fit into the queue.  YIELD would pop them, so it does nothing here.
 */
START_TEST(test_left_from_within)
{
	OK(ppuInit(&(ppuInitOptions){ .backend = "core", .props = "yield-suppress=1" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	warp("mov.u32 %d, 0;\nmov.u32 %t8, 0;\nmad.lo.u32 %t10, %lane, 37, 5;\nOUTER: mov.u32 %t9, 0;\nINNER: add.u32 %d, %d, 1;\n"
	     "setp.eq.u32 %p1, %d, %t10;\n@%p1 bra OUT;\nadd.u32 %t9, %t9, 1;\nsetp.lt.u32 %p2, %t9, 2;\n@%p2 bra INNER;\n"
	     "add.u32 %t8, %t8, 1;\nbra OUTER;\nOUT: add.u32 %d, %d, %t8;");
	EACH_LANE("two loops", 37 * i + 5 + (37 * i + 4) / 2);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/*
 * SIMT-17: a loop with two entries, which the warp takes by turns, inside another loop.  The lanes leave it one after the
 * other and meet behind it in each round: the token is pushed before both entries, and inside the outer loop.
 */
START_TEST(test_two_entries)
{
	OK(ppuInit(&(ppuInitOptions){ .backend = "core", .props = "yield-suppress=1" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	warp("mov.u32 %d, 0;\nmov.u32 %t8, 0;\nOUTER: mov.u32 %t9, 0;\nand.b32 %t10, %t8, 1;\nsetp.eq.u32 %p1, %t10, 0;\n@%p1 bra B;\n"
	     "A: add.u32 %d, %d, 0x10000;\nB: add.u32 %t9, %t9, 1;\nsetp.gt.u32 %p2, %t9, %lane;\n@!%p2 bra A;\n"
	     "activemask.b32 %t11;\nsetp.eq.u32 %p3, %t11, -1;\n@%p3 add.u32 %d, %d, 1;\n"
	     "add.u32 %t8, %t8, 1;\nsetp.lt.u32 %p4, %t8, 10;\n@%p4 bra OUTER;");
	EACH_LANE("two entries", (10 * i + 5) << 16 | 10);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/*
 * SIMT-64, SIMT-44: a function with a loop that yields, called from two places by groups that have separated; one group
 * cannot leave the function before the other one has entered it. Both groups return to their own call.
 */
START_TEST(test_yield_in_function)
{
	static const char text[] =
		".version 6.3\n.target sm_70\n.address_size 64\n.global .u32 flag;\n"
		".func (.param .b32 r) wait(.param .b32 a)\n{\n.reg .b32 %a, %v;\n.reg .pred %p;\nld.param.b32 %a, [a];\n"
		"L: ld.volatile.global.u32 %v, [flag];\nsetp.lt.u32 %p, %v, %a;\n@%p bra L;\nadd.u32 %a, %a, 1;\nst.param.b32 [r], %a;\nret;\n}\n"
		".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<6>;\n.reg .b64 %l<4>;\n.reg .pred %p;\nld.param.u64 %l1, [out];\n"
		"mov.u32 %r1, %tid.x;\nmul.wide.u32 %l2, %r1, 4;\nadd.u64 %l1, %l1, %l2;\nsetp.lt.u32 %p, %r1, 10;\n@%p bra FIRST;\n"
		"{ .param .b32 a, r; st.param.b32 [a], 0; call (r), wait, (a); ld.param.b32 %r2, [r]; }\n"
		"red.global.add.u32 [flag], 1;\nadd.u32 %r2, %r2, 100;\nbra JOIN;\n"
		"FIRST: { .param .b32 a, r; st.param.b32 [a], 22; call (r), wait, (a); ld.param.b32 %r2, [r]; }\nadd.u32 %r2, %r2, 200;\n"
		"JOIN: add.u32 %r2, %r2, %r1;\nst.global.u32 [%l1], %r2;\nret;\n}\n";
	ppuModule m;
	ppuFunction f;
	void *dout;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core", .props = _i ? "branch-first=1" : NULL }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&m, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuMalloc(&dout, 128));
	OK(ppuModuleGetFunction(&f, m, "k"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, 128));
	EACH_LANE("yield in a function", i < 10 ? 23 + 200 + i : 1 + 100 + i);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* trap ends the kernel with its error, brkpt does nothing. */
START_TEST(test_trap)
{
	start();
	warp("brkpt;\nmov.u32 %d, 12;\npmevent 3;");
	EACH_LANE("brkpt", 12);
	ck_assert_int_eq(run_body("setp.eq.u32 %p1, %lane, 7;\n@%p1 trap;", ppuDim(1, 1, 1), ppuDim(32, 1, 1)), PPU_ERROR_TRAP);
	ck_assert_msg(strstr(ppuGetLastErrorDetail(), "lane 7") != NULL, "%s", ppuGetLastErrorDetail());
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* HW-52: special registers cannot be written; nor can PTX read ones that do not exist. */
START_TEST(test_refused)
{
	static const char *const bad[] = { "mov.u32 %tid.x, %t1;", "mov.u32 %d, %nonsense;", "add.u32 %laneid, %t1, 1;",
		"bar.sync 16;", "bar.sync 0, 33;", "shfl.sync.up.b32 %d, %x, 1, 31;", "vote.all.pred %p1, %p2, 5;" };
	unsigned k;

	start();
	for (k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		char text[300], log[1000];
		ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .log = log, .log_bytes = sizeof(log), .name = "r.ptx" };
		ppuModule m;

		snprintf(text, sizeof(text), ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .b32 %%d, %%x, %%t<4>;\n"
			 ".reg .pred %%p<4>;\n%s\nret;\n}\n", bad[k]);
		ck_assert_msg(ppuModuleLoadData(&m, text, 0, &o) == PPU_ERROR_COMPILE, "%s", bad[k]);
		ck_assert_msg(!strncmp(log, "r.ptx:7:", 8) && !strchr(strchr(log, '\n') + 1, '\n'), "%s: %s", bad[k], log);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_warp");
	TCase *t = tcase_create("warp");

	tcase_set_timeout(t, 200);
	tcase_add_test(t, test_votes);
	tcase_add_test(t, test_match_redux);
	tcase_add_test(t, test_shuffles);
	tcase_add_test(t, test_barriers);
	tcase_add_test(t, test_thread_registers);
	tcase_add_test(t, test_time);
	tcase_add_test(t, values_of_that_moment);
	tcase_add_test(t, test_control);
	tcase_add_test(t, test_left_from_within);
	tcase_add_test(t, test_two_entries);
	tcase_add_loop_test(t, test_yield_in_function, 0, 2);
	tcase_add_test(t, test_trap);
	tcase_add_test(t, test_refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
