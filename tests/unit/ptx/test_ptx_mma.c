/* SPDX-License-Identifier: MIT */
/* mma, ldmatrix and cp.async of newer targets, against loops in C. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "ptx_float.h"
#include "run_suite.h"
#include "rt_ok.h"

typedef uint32_t u32;

static ppuCtx ctx;
static u32 in[32][12], out[32][4];

/* A body with the thread's 12 words in %a0..%a11 and its address in %in; results in %d0..%d3. */
static void run(const char *body)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	void *din, *dout;
	ppuModule m;
	ppuFunction fn;

	fprintf(f, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 %%in, %%all, %%out, %%l<8>;\n.reg .b32 %%a<12>, %%d<4>, %%lane, %%t<12>;\n.reg .b16 %%h<4>;\n.reg .pred %%p;\n"
		".shared .align 16 .b8 s[2048];\n"
		"ld.param.u64 %%all, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%lane, %%tid.x;\nmad.wide.u32 %%in, %%lane, 48, %%all;\n"
		"mad.wide.u32 %%out, %%lane, 16, %%out;\nld.global.v4.u32 {%%a0, %%a1, %%a2, %%a3}, [%%in];\n"
		"ld.global.v4.u32 {%%a4, %%a5, %%a6, %%a7}, [%%in+16];\nld.global.v4.u32 {%%a8, %%a9, %%a10, %%a11}, [%%in+32];\n"
		"mov.u32 %%d0, 0;\nmov.u32 %%d1, 0;\nmov.u32 %%d2, 0;\nmov.u32 %%d3, 0;\n%s\n"
		"st.global.v4.u32 [%%out], {%%d0, %%d1, %%d2, %%d3};\nret;\n}\n", body);
	fclose(f);
	OK(ppuMalloc(&din, sizeof(in)));
	OK(ppuMalloc(&dout, sizeof(out)));
	OK(ppuMemcpy(din, in, sizeof(in)));
	OK(ppuModuleLoadData(&m, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuModuleGetFunction(&fn, m, "k"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &din, &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, sizeof(out)));
	OK(ppuFree(din));
	OK(ppuFree(dout));
	OK(ppuModuleUnload(m));
	free(text);
}

static u32 seed = 3;
static u32 rnd(void)
{
	return seed = seed * 1664525u + 1013904223u, seed >> 8;
}

static u32 small(int k)		/* a number of format k */
{
	return (u32)encode(k, (fx)((int)(rnd() % 2048) - 1024) / 256, RN, false);
}

static float value(int k, u32 v)
{
	bool inf;

	return (float)decode(k, v, &inf);
}

static u32 pair(u32 word, unsigned which)
{
	return word >> (16 * which) & 0xffff;
}

START_TEST(test_mma)
{
	static const struct { const char *text; int k, ab; bool d16, c16; } form[] = {
		{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%a4, %a5}, {%a6, %a7, %a8, %a9};", 16, F16, 0, 0 },
		{ "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1, %a2, %a3}, {%a4, %a5}, {%a6, %a7, %a8, %a9};", 16, BF16, 0, 0 },
		{ "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%d0, %d1}, {%a0, %a1, %a2, %a3}, {%a4, %a5}, {%a6, %a7};", 16, F16, 1, 1 },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1}, {%a4}, {%a6, %a7, %a8, %a9};", 8, F16, 0, 0 },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%d0, %d1, %d2, %d3}, {%a0, %a1}, {%a4}, {%a6, %a7, %a8, %a9};", 8, BF16, 0, 0 },
		{ "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%d0, %d1}, {%a0, %a1}, %a4, {%a6, %a7};", 8, F16, 1, 1 },
	};
	float a[16][16], b[16][8], c[16][8];
	unsigned l, r, e, i;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++) {
		for (r = 0; r < 6; r++)
			in[l][r] = small(form[_i].ab) | small(form[_i].ab) << 16;
		for (; r < 10; r++) {
			float v = (float)((int)(rnd() % 4096) - 2048) / 64;

			memcpy(&in[l][r], &v, 4);
			if (form[_i].c16)
				in[l][r] = small(F16) | small(F16) << 16;
		}
	}
	/* where the manual of PTX says each lane's elements are */
	for (l = 0; l < 32; l++) {
		for (e = 0; e < (form[_i].k == 16 ? 8u : 4u); e++)
			a[l / 4 + (e / 2 % 2 ? 8 : 0)][l % 4 * 2 + (e & 1) + (e >= 4 ? 8 : 0)] = value(form[_i].ab, pair(in[l][e / 2], e & 1));
		for (e = 0; e < (form[_i].k == 16 ? 4u : 2u); e++)
			b[l % 4 * 2 + (e & 1) + (e >= 2 ? 8 : 0)][l / 4] = value(form[_i].ab, pair(in[l][4 + e / 2], e & 1));
		for (e = 0; e < 4; e++) {
			float v;

			memcpy(&v, &in[l][6 + e], 4);
			c[l / 4 + (e >= 2 ? 8 : 0)][l % 4 * 2 + (e & 1)] = form[_i].c16 ? value(F16, pair(in[l][6 + e / 2], e & 1)) : v;
		}
	}
	run(form[_i].text);
	for (l = 0; l < 32; l++)
		for (e = 0; e < 4; e++) {
			unsigned row = l / 4 + (e >= 2 ? 8 : 0), col = l % 4 * 2 + (e & 1);
			float want = c[row][col], got;

			for (i = 0; i < (unsigned)form[_i].k; i++)
				want = fmaf(a[row][i], b[i][col], want);
			memcpy(&got, &out[l][e], 4);
			if (form[_i].d16) {
				want = value(F16, (u32)encode(F16, want, RN, false));
				got = value(F16, pair(out[l][e / 2], e & 1));
			}
			ck_assert_msg(got == want, "%s: row %u column %u: got %g, expected %g", form[_i].text, row, col, got, want);
		}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* m8n8k4: four products at once; where the manual of PTX says each lane's elements are. */
START_TEST(test_mma_quads)
{
	bool d16 = _i & 1, acol = _i & 2, brow = _i & 4;
	float a[4][8][4], b[4][4][8], c[4][8][8];
	unsigned l, p, i, part, row, col, k;
	char body[800];
	const char *t = d16 ? "f16" : "f32";

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		for (i = 0; i < 12; i++)
			in[l][i] = i < 4 || d16 ? small(F16) | small(F16) << 16 : (u32)bits32((float)((int)(rnd() % 4096) - 2048) / 64);
	for (l = 0; l < 32; l++) {
		p = l % 16 / 4;
		for (i = 0; i < 4; i++) {
			row = acol ? (l < 16 ? i % 4 : i % 4 + 4) : l < 16 ? l % 4 : l % 4 + 4;
			a[p][row][acol ? l % 4 : i] = value(F16, pair(in[l][i / 2], i & 1));
			col = brow ? (l < 16 ? i : i + 4) : l < 16 ? l % 4 : l % 4 + 4;
			b[p][brow ? l % 4 : i][col] = value(F16, pair(in[l][2 + i / 2], i & 1));
		}
		for (i = 0; i < 8; i++) {
			row = d16 ? l % 4 : (l & 1) + (i & 2);
			col = d16 ? i : (i & 4) + (l & 2) + (i & 1);
			c[p][l < 16 ? row : row + 4][col] = d16 ? value(F16, pair(in[l][4 + i / 2], i & 1)) : f32_of(in[l][4 + i]);
		}
	}
	for (part = 0; part < (d16 ? 1 : 2); part++) {
		snprintf(body, sizeof(body), "{\n.reg .b32 %%e<8>;\nmma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s {%%e0, %%e1, %%e2, %%e3%s}, "
			 "{%%a0, %%a1}, {%%a2, %%a3}, {%%a4, %%a5, %%a6, %%a7%s};\nmov.b32 %%d0, %%e%u;\nmov.b32 %%d1, %%e%u;\n"
			 "mov.b32 %%d2, %%e%u;\nmov.b32 %%d3, %%e%u;\n}\n", acol ? "col" : "row", brow ? "row" : "col", t, t,
			 d16 ? "" : ", %e4, %e5, %e6, %e7", d16 ? "" : ", %a8, %a9, %a10, %a11", 4 * part, 4 * part + 1, 4 * part + 2,
			 4 * part + 3);
		run(body);
		for (l = 0; l < 32; l++)
			for (i = d16 ? 0 : 4 * part; i < (d16 ? 8 : 4 * part + 4); i++) {
				float want, got = d16 ? value(F16, pair(out[l][i / 2], i & 1)) : f32_of(out[l][i % 4]);

				p = l % 16 / 4;
				row = (d16 ? l % 4 : (l & 1) + (i & 2)) + (l < 16 ? 0 : 4);
				col = d16 ? i : (i & 4) + (l & 2) + (i & 1);
				want = c[p][row][col];
				for (k = 0; k < 4; k++)
					want = fmaf(a[p][row][k], b[p][k][col], want);
				if (d16)
					want = value(F16, (u32)encode(F16, want, RN, false));
				ck_assert_msg(got == want, "%s%s%s product %u row %u column %u: got %g, expected %g", t, acol ? " a.col" : "",
					      brow ? " b.row" : "", p, row, col, got, want);
			}
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Four matrices of 8 x 8 halves lie at 48 bytes from row to row. */
static const char fill[] =
	"mov.u32 %t0, s;\nmad.lo.u32 %t1, %lane, 48, %t0;\nst.shared.v4.u32 [%t1], {%a0, %a1, %a2, %a3};\nbar.sync 0;\n";

static void check_loaded(unsigned n, unsigned trans, const char *what)
{
	unsigned l, k;

	for (l = 0; l < 32; l++)
		for (k = 0; k < n; k++) {
			u32 want = trans ? pair(in[8 * k + l % 4 * 2][l / 8], l / 4 & 1) |
				   pair(in[8 * k + l % 4 * 2 + 1][l / 8], l / 4 & 1) << 16 : in[8 * k + l / 4][l % 4];

			ck_assert_msg(out[l][k] == want, "x%u%s%s lane %u matrix %u: got %08x, expected %08x", n,
				      trans ? ".trans" : "", what, l, k, out[l][k], want);
		}
}

START_TEST(test_ldmatrix)
{
	char body[600];
	unsigned n, trans, l, k;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		for (k = 0; k < 12; k++)
			in[l][k] = rnd() ^ rnd() << 16;
	for (trans = 0; trans < 2; trans++)
		for (n = 1; n <= 4; n *= 2) {
			snprintf(body, sizeof(body), "%s%sldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 {%%d0%s%s}, [%s];", fill,
				 n == 2 ? "cvt.u64.u32 %l1, %t1;\nsub.u64 %l1, %l1, 16;\n" : "", n, trans ? ".trans" : "", n > 1 ? ", %d1" : "",
				 n > 2 ? ", %d2, %d3" : "", n == 2 ? "%l1+16" : "%t1");
			run(body);
			check_loaded(n, trans, "");
		}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Every destination may be the address register. */
START_TEST(test_ldmatrix_over_address)
{
	char body[600];
	unsigned n, trans, l, k;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		for (k = 0; k < 12; k++)
			in[l][k] = rnd() ^ rnd() << 16;
	for (trans = 0; trans < 2; trans++)
		for (n = 1; n <= 4; n *= 2)
			for (k = 0; k < n; k++) {
				snprintf(body, sizeof(body), "%smov.u32 %%d%u, %%t1;\n"
					 "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 {%%d0%s%s}, [%%d%u];", fill, k, n,
					 trans ? ".trans" : "", n > 1 ? ", %d1" : "", n > 2 ? ", %d2, %d3" : "", k);
				run(body);
				check_loaded(n, trans, " over its address");
			}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* The same places, stored to: nothing beside them changes. */
START_TEST(test_stmatrix)
{
	char body[900];
	unsigned n, trans, l, k;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		for (k = 0; k < 12; k++)
			in[l][k] = rnd() ^ rnd() << 16;
	for (trans = 0; trans < 2; trans++)
		for (n = 1; n <= 4; n *= 2) {
			snprintf(body, sizeof(body), "mov.u32 %%t0, s;\nmad.lo.u32 %%t1, %%lane, 48, %%t0;\n"
				 "st.shared.v4.u32 [%%t1], {%%a11, %%a11, %%a11, %%a11};\nbar.sync 0;\n%s"
				 "stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%s], {%%a0%s%s};\nbar.sync 0;\n"
				 "ld.shared.v4.u32 {%%d0, %%d1, %%d2, %%d3}, [%%t1];", n == 2 ? "cvt.u64.u32 %l1, %t1;\n" : "", n,
				 trans ? ".trans" : "", n == 2 ? "%l1" : "%t1", n > 1 ? ", %a1" : "", n > 2 ? ", %a2, %a3" : "");
			run(body);
			for (l = 0; l < 32; l++)
				for (k = 0; k < 8; k++) {
					u32 want = pair(in[l][11], k & 1), got = pair(out[l][k / 2], k & 1);

					if (l / 8 < n && !trans)
						want = pair(in[l % 8 * 4 + k / 2][l / 8], k & 1);
					else if (l / 8 < n)
						want = pair(in[k * 4 + l % 8 / 2][l / 8], l & 1);
					ck_assert_msg(got == want, "x%u%s row %u element %u: got %04x, expected %04x", n,
						      trans ? ".trans" : "", l, k, got, want);
				}
		}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_movmatrix)
{
	unsigned l, k;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		in[l][0] = rnd() ^ rnd() << 16;
	run("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;");
	for (l = 0; l < 32; l++)
		for (k = 0; k < 2; k++) {
			unsigned row = l % 4 * 2 + k, col = l / 4;
			u32 want = pair(in[row * 4 + col / 2][0], col & 1), got = pair(out[l][0], k);

			ck_assert_msg(got == want, "lane %u element %u: got %04x, expected %04x", l, k, got, want);
		}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_refused)
{
	static const char *const bad[][2] = {
		{ "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%r0};", "'stmatrix' has the form" },
		{ "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r1], {%r0};", "stmatrix of this shape is of sm_100" },
		{ "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0}, [%r1];", "ldmatrix of this shape is of sm_100" },
		{ "redux.sync.min.f32 %r0, %r1, -1;", "redux of floats is of sm_100" },
		{ "fma.rn.oob.f16 %r0, %r0, %r0, %r0;", "fma.oob is not supported" },
		{ "st.bulk.weak.shared::cta [%r0], 16, 0;", "st.bulk is of sm_100" },
		{ "ldmatrix.sync.aligned.x2.shared.b16 {%r0, %r0}, [%r1];", "'ldmatrix' has the form" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [12];", "an address in shared memory was expected" },
		{ "mma.sync.aligned.m8n8k4.row.f16.f16.f16.f16 {%r0}, {%r0}, {%r0}, {%r0};", "needs the layouts of a and b" },
		{ "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {%r0}, {%r0}, {%r0}, {%r0};", "has c of the type of d" },
		{ "movmatrix.sync.aligned.m8n8.b16 %r0, %r1;", "'movmatrix' has the form" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%p1];", "an address register must have 32 or 64 bits" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%h1];", "an address register must have 32 or 64 bits" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%q1];", "an address register must have 32 or 64 bits" },
		{ "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%p1], {%r0};", "an address register must have 32 or 64 bits" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [lo+4];", "'lo' is not in the state space that the instruction names" },
		{ "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [gl+4];", "'gl' is not in the state space that the instruction names" },
		{ "ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [lo+4];", "'lo' is not in shared memory" },
		{ "stmatrix.sync.aligned.m8n8.x1.b16 [gl], {%r0};", "'gl' is not in shared memory" },
		{ "stmatrix.sync.aligned.m8n8.x1.shared.b16 [k], {%r0};", "'k' is not a variable" },
		{ "ldmatrix.sync.aligned.m8n8.x2.x4.shared.b16 {%r0, %r1}, [%r1];", "'ldmatrix' takes one number of matrices, this has 2" },
		{ "stmatrix.sync.aligned.m8n8.x1.shared.shared::cta.b16 [%r1], {%r0};", "'stmatrix' takes one state space, this has 2" },
		{ "mma.sync.aligned.m16n8k16.m16n8k8.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r0, %r1}, {%r2}, {%r0, %r1};", "'mma' takes one shape, this has 2" },
	};
	unsigned i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[700], log[2000];
		ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .log = log, .log_bytes = sizeof(log), .name = "w.ptx" };
		ppuModule m;

		OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
		snprintf(text, sizeof(text), ".version 7.8\n.target sm_90\n.address_size 64\n.global .b32 gl[9]; .entry k()\n{\n"
			 ".reg .b32 %%r<9>; .reg .b16 %%h<2>; .reg .b128 %%q<2>; .reg .pred %%p<2>;\n.local .b32 lo[9];\n%s\nret;\n}\n", bad[i][0]);
		ck_assert_int_eq(ppuModuleLoadData(&m, text, 0, &o), PPU_ERROR_COMPILE);
		ck_assert_msg(!strncmp(log, "w.ptx:8:", 8) && strstr(log, bad[i][1]), "%s", log);
	}
}
END_TEST

START_TEST(test_cp_async)
{
	static const int sizes[] = { 4, 8, 16 };
	char body[700];
	unsigned k, l, b;
	int src;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		for (k = 0; k < 12; k++)
			in[l][k] = rnd() ^ rnd() << 16;
	for (k = 0; k < 3; k++)
		for (src = -1; src <= sizes[k]; src++) {
			char size[40] = "";

			if (src >= 0)
				snprintf(size, sizeof(size), src & 1 ? ", %d" : ", %%t5", src);
			snprintf(body, sizeof(body), "mov.u32 %%t5, %d;\nmov.u32 %%t0, s;\nmad.lo.u32 %%t1, %%lane, 32, %%t0;\n"
				 "st.shared.v4.u32 [%%t1+16], {%%a11, %%a11, %%a11, %%a11};\nsetp.ne.u32 %%p, %%lane, 9;\n"
				 "@%%p cp.async.%s.shared.global [%%t1+16], [%%in+16], %d%s;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
				 "cp.async.wait_all;\nbar.sync 0;\nld.shared.v4.u32 {%%d0, %%d1, %%d2, %%d3}, [%%t1+16];", src,
				 sizes[k] == 16 ? "cg" : "ca", sizes[k], size);
			run(body);
			for (l = 0; l < 32; l++) {
				u32 want[4] = { in[l][11], in[l][11], in[l][11], in[l][11] };

				for (b = 0; l != 9 && b < (unsigned)sizes[k]; b++)
					((uint8_t *)want)[b] = src < 0 || (int)b < src ? ((uint8_t *)&in[l][4])[b] : 0;
				ck_assert_msg(!memcmp(out[l], want, 16), "%d bytes of %d, lane %u: got %08x %08x %08x %08x", src, sizes[k], l,
					      out[l][0], out[l][1], out[l][2], out[l][3]);
			}
		}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* An ignore-src predicate: zeros where it holds. */
START_TEST(test_cp_async_ignored)
{
	unsigned l, k, neg;
	char body[700];

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (l = 0; l < 32; l++)
		for (k = 0; k < 12; k++)
			in[l][k] = rnd() ^ rnd() << 16;
	for (neg = 0; neg < 2; neg++) {
		snprintf(body, sizeof(body), "mov.u32 %%t0, s;\nmad.lo.u32 %%t1, %%lane, 32, %%t0;\n"
			 "st.shared.v4.u32 [%%t1+16], {%%a11, %%a11, %%a11, %%a11};\nsetp.lt.u32 %%p, %%lane, 9;\n"
			 "cp.async.cg.shared.global [%%t1+16], [%%in+16], 16, %s%%p;\ncp.async.wait_all;\n"
			 "ld.shared.v4.u32 {%%d0, %%d1, %%d2, %%d3}, [%%t1+16];", neg ? "!" : "");
		run(body);
		for (l = 0; l < 32; l++)
			for (k = 0; k < 4; k++)
				ck_assert_uint_eq(out[l][k], (l < 9) == !neg ? 0 : in[l][4 + k]);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_mma");
	TCase *t = tcase_create("mma");

	tcase_set_timeout(t, 100);
	tcase_add_loop_test(t, test_mma, 0, 6);
	tcase_add_loop_test(t, test_mma_quads, 0, 8);
	tcase_add_test(t, test_ldmatrix);
	tcase_add_test(t, test_ldmatrix_over_address);
	tcase_add_test(t, test_stmatrix);
	tcase_add_test(t, test_movmatrix);
	tcase_add_test(t, test_refused);
	tcase_add_test(t, test_cp_async);
	tcase_add_test(t, test_cp_async_ignored);
	suite_add_tcase(s, t);
	return run_suite(s);
}
