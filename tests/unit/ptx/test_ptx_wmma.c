/* SPDX-License-Identifier: MIT */
/*
 * wmma with f16 factors: all shapes, layouts, accumulator types, spaces and strides, against a
 * matrix product in C that adds in the documented order.
 */
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

#define K	16
#define PAD	8	/* elements by which a stride may exceed the line */

static const struct { const char *name; int m, n; } shapes[] = {
	{ "m16n16k16", 16, 16 }, { "m32n8k16", 32, 8 }, { "m8n32k16", 8, 32 },
};

struct combo {
	int shape, acol, bcol, ccol, dcol, c16, d16, shared, stride;
};

static const char *reg8(const char *prefix, int n)
{
	static char buf[4][200];
	static int turn;
	char *s = buf[turn++ & 3];
	int k, len = 0;

	for (k = 0; k < n; k++)
		len += snprintf(s + len, 200 - (size_t)len, "%s%%%s%d", k ? ", " : "{", prefix, k);
	snprintf(s + len, 200 - (size_t)len, "}");
	return s;
}

static const char *layout(int col)
{
	return col ? "col" : "row";
}

static char *kernel(const struct combo *c)
{
	const char *sh = shapes[c->shape].name, *ct = c->c16 ? "f16" : "f32", *dt = c->d16 ? "f16" : "f32";
	const char *space = c->shared == 2 && c->ccol ? "" : c->shared ? ".shared" : "";	/* a variable has its own */
	int m = shapes[c->shape].m, n = shapes[c->shape].n;
	char *text = NULL, sa[20] = "", sb[20] = "", sc[20] = "", sd[20] = "";
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (c->stride) {
		snprintf(sa, sizeof(sa), ", %d", (c->acol ? m : K) + PAD);
		snprintf(sb, sizeof(sb), ", %d", (c->bcol ? K : n) + PAD);
		snprintf(sc, sizeof(sc), ", %s", c->acol ? "%c0" : "%s");	/* the first destination, too */
		snprintf(sd, sizeof(sd), ", %d", (c->dcol ? m : n) + PAD);
	}
	fprintf(f, ".version 6.5\n.target sm_70\n.address_size 64\n"
		".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n"
		".reg .b32 %%a<8>, %%b<8>, %%c<8>, %%d<8>, %%s, %%t<8>;\n.reg .b64 %%l<8>;\n.reg .pred %%p;\n"
		".shared .align 32 .b8 sa[4096];\n"
		"ld.param.u64 %%l1, [a];\nld.param.u64 %%l2, [b];\nld.param.u64 %%l3, [c];\nld.param.u64 %%l4, [d];\n"
		"mov.u32 %%s, %d;\nmov.u32 %%c0, %%s;\n", (c->ccol ? m : n) + PAD);
	if (c->shared)		/* bring a there; a 32-bit address */
		fprintf(f, "mov.u32 %%t0, %%tid.x;\nshl.b32 %%t0, %%t0, 5;\nmov.u32 %%t1, sa;\nadd.u32 %%t1, %%t1, %%t0;\n"
			"cvt.u64.u32 %%l5, %%t0;\nadd.u64 %%l5, %%l5, %%l1;\n"
			"ld.global.v4.u32 {%%t2, %%t3, %%t4, %%t5}, [%%l5];\nst.shared.v4.u32 [%%t1], {%%t2, %%t3, %%t4, %%t5};\n"
			"ld.global.v4.u32 {%%t2, %%t3, %%t4, %%t5}, [%%l5+16];\nst.shared.v4.u32 [%%t1+16], {%%t2, %%t3, %%t4, %%t5};\n"
			"ld.global.v4.u32 {%%t2, %%t3, %%t4, %%t5}, [%%l5+1024];\nst.shared.v4.u32 [%%t1+1024], {%%t2, %%t3, %%t4, %%t5};\n"
			"ld.global.v4.u32 {%%t2, %%t3, %%t4, %%t5}, [%%l5+1040];\nst.shared.v4.u32 [%%t1+1040], {%%t2, %%t3, %%t4, %%t5};\n"
			"bar.sync 0;\nmov.u32 %%t6, sa;\n");
	fprintf(f, "wmma.load.a.sync.aligned.%s.%s%s.f16 %s, [%s]%s;\n", layout(c->acol), sh, space, reg8("a", 8),
		c->shared == 2 ? "sa" : c->shared ? "%t6" : "%l1", sa);
	fprintf(f, "wmma.load.b.sync.aligned.%s.%s.global.f16 %s, [%%l2]%s;\n", layout(c->bcol), sh, reg8("b", 8), sb);
	fprintf(f, "wmma.load.c.sync.aligned.%s.%s.%s %s, [%%l3]%s;\n", layout(c->ccol), sh, ct, reg8("c", c->c16 ? 4 : 8), sc);
	fprintf(f, "wmma.mma.sync.aligned.%s.%s.%s.%s.%s %s, %s, %s, %s;\n", layout(c->acol), layout(c->bcol), sh, dt, ct,
		reg8("d", c->d16 ? 4 : 8), reg8("a", 8), reg8("b", 8), reg8("c", c->c16 ? 4 : 8));
	fprintf(f, "setp.lt.u64 %%p, %%l4, 1;\n@!%%p wmma.store.d.sync.aligned.%s.%s.global.%s [%%l4], %s%s;\nret;\n}\n",
		layout(c->dcol), sh, dt, reg8("d", c->d16 ? 4 : 8), sd);
	fclose(f);
	return text;
}

/* ---- matrices in memory ---- */

struct matrix {
	uint8_t bytes[4096];
	int rows, columns, col, stride, half;
};

static int place(const struct matrix *m, int r, int c)
{
	return (m->col ? c * m->stride + r : r * m->stride + c) * (m->half ? 2 : 4);
}

static float get(const struct matrix *m, int r, int c)
{
	bool inf;
	uint16_t h;
	float f;

	if (m->half) {
		memcpy(&h, m->bytes + place(m, r, c), 2);
		return (float)decode(F16, h, &inf);
	}
	memcpy(&f, m->bytes + place(m, r, c), 4);
	return f;
}

static u32 seed = 7;

static void make(struct matrix *m, int rows, int columns, int col, int half, int padded)
{
	int r, c;

	memset(m, 0, sizeof(*m));
	m->rows = rows;
	m->columns = columns;
	m->col = col;
	m->half = half;
	m->stride = (col ? rows : columns) + (padded ? PAD : 0);
	for (r = 0; r < rows; r++)
		for (c = 0; c < columns; c++) {
			float f;
			uint16_t h;

			seed = seed * 1664525u + 1013904223u;
			f = (float)(int)(seed >> 16) / 8192.0f - 4.0f;
			h = (uint16_t)encode(F16, f, RN, false);
			memcpy(m->bytes + place(m, r, c), half ? (void *)&h : (void *)&f, half ? 2 : 4);
		}
}

static void *upload(const struct matrix *m)
{
	void *p;

	OK(ppuMalloc(&p, sizeof(m->bytes)));
	OK(ppuMemcpy(p, m->bytes, sizeof(m->bytes)));
	return p;
}

static void check(const struct combo *k)
{
	int M = shapes[k->shape].m, N = shapes[k->shape].n, r, c, i;
	static struct matrix a, b, cm, d;
	char *text = kernel(k);
	void *p[4];
	ppuModule mod;
	ppuFunction f;

	make(&a, M, K, k->acol, 1, k->stride);
	make(&b, K, N, k->bcol, 1, k->stride);
	make(&cm, M, N, k->ccol, k->c16, k->stride);
	make(&d, M, N, k->dcol, k->d16, k->stride);
	p[0] = upload(&a);
	p[1] = upload(&b);
	p[2] = upload(&cm);
	p[3] = upload(&d);
	OK(ppuModuleLoadData(&mod, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuModuleGetFunction(&f, mod, "k"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL,
			   (void *[]){ &p[0], &p[1], &p[2], &p[3] }, NULL, 0));
	OK(ppuMemcpy(d.bytes, p[3], sizeof(d.bytes)));
	for (r = 0; r < M; r++)
		for (c = 0; c < N; c++) {
			float want = get(&cm, r, c);

			for (i = 0; i < K; i++)
				want = fmaf(get(&a, r, i), get(&b, i, c), want);
			if (k->d16) {
				bool inf;

				want = (float)decode(F16, encode(F16, want, RN, false), &inf);
			}
			ck_assert_msg(get(&d, r, c) == want, "%s a %s b %s c %s %s d %s %s, row %d column %d: got %g, expected %g",
				      shapes[k->shape].name, layout(k->acol), layout(k->bcol), layout(k->ccol),
				      k->c16 ? "f16" : "f32", layout(k->dcol), k->d16 ? "f16" : "f32", r, c, get(&d, r, c), want);
		}
	for (i = 0; i < 4; i++)
		OK(ppuFree(p[i]));
	OK(ppuModuleUnload(mod));
	free(text);
}

START_TEST(test_products)
{
	ppuInitOptions o = { .backend = "core" };
	ppuCtx ctx;
	int i;

	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (i = 0; i < 64; i++) {
		struct combo k = {
			.acol = i & 1, .bcol = i >> 1 & 1, .ccol = i >> 2 & 1, .dcol = (i >> 2 ^ i >> 4) & 1, .c16 = i >> 3 & 1,
			.d16 = i >> 4 & 1, .stride = i >> 5 & 1, .shape = _i, .shared = i % 3,
		};

		check(&k);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Every destination of f64 may be the address register. */
START_TEST(test_over_address)
{
	double data[64], got[64];
	char text[900];
	void *p[2];
	ppuModule mod;
	ppuFunction f;
	ppuCtx ctx;
	int i;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (i = 0; i < 64; i++)
		data[i] = i;
	OK(ppuMalloc(&p[0], sizeof(data)));
	OK(ppuMalloc(&p[1], sizeof(data)));
	for (i = 0; i < 4; i++) {
		const char *way = layout(i & 1);

		OK(ppuMemcpy(p[0], data, sizeof(data)));
		OK(ppuMemset(p[1], 0, 1, sizeof(data)));
		snprintf(text, sizeof(text), ".version 7.0\n.target sm_80\n.address_size 64\n"
			 ".visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .b64 %%l<3>, %%o;\n"
			 "ld.param.u64 %%l%d, [a];\nld.param.u64 %%o, [b];\n"
			 "wmma.load.c.sync.aligned.%s.m8n8k4.global.f64 {%%l1, %%l2}, [%%l%d], 8;\n"
			 "wmma.store.d.sync.aligned.%s.m8n8k4.global.f64 [%%o], {%%l1, %%l2}, 8;\nret;\n}\n",
			 1 + i / 2, way, 1 + i / 2, way);
		OK(ppuModuleLoadData(&mod, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
		OK(ppuModuleGetFunction(&f, mod, "k"));
		OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &p[0], &p[1] }, NULL, 0));
		OK(ppuMemcpy(got, p[1], sizeof(got)));
		ck_assert_mem_eq(got, data, sizeof(data));
		OK(ppuModuleUnload(mod));
	}
	OK(ppuFree(p[0]));
	OK(ppuFree(p[1]));
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Forms that are not supported give a message with the position. */
START_TEST(test_refused)
{
	static const char *const bad[][2] = {
		{ "wmma.load.a.sync.aligned.row.m16n16k8.global.f16 {%r0, %r1}, [%l0];", "'wmma' of this shape has no a and b of type .f16" },
		{ "wmma.load.a.sync.aligned.row.m16n16k16.global.u8 {%r0}, [%l0];", "this fragment has 2 registers" },
		{ "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0, %r1}, [%l0];", "this fragment has 8 registers" },
		{ "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.u8.s32 {%r0}, {%r0}, {%r0}, {%r0};", "this fragment has 8 registers" },
		{ "wmma.load.c.sync.aligned.row.m8n8k32.global.s32 {%r0, %r1}, [%l0], 8, 8;", "take a fragment, an address, and a stride" },
		{ "wmma.load.a.sync.aligned.row.m16n16k16.global.s4 {%r0}, [%l0];", "'wmma' of this shape has no a and b of type .s4" },
		{ "wmma.load.b.sync.aligned.row.m8n8k32.global.s4 {%r0}, [%l0];", "'wmma' of .s4 needs a of .row and b of .col" },
		{ "wmma.load.c.sync.aligned.row.m8n8k4.global.s32 {%r0, %r1}, [%l0];", "has no c and d of type .s32" },
		{ "wmma.load.d.sync.aligned.row.m8n8k4.global.f64 {%l0, %l1}, [%l0];", "this form of 'wmma' is not supported" },
		{ "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%r0, %r1}, {%r0}, {%r0}, {%r0, %r1};", "'wmma.mma' needs the layouts of a and b" },
		{ "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s8.s8.s32 {%r0, %r1}, {%r0}, {%r0}, {%r0, %r1};", "has no a and b of type .s8" },
		{ "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {%r0}, {%r0}, {%r0}, {%r0};", "takes .satfinite with factors of" },
		{ "wmma.mma.sync.aligned.row.col.m16n16k8.f16.tf32.tf32.f16 {%r0}, {%r0}, {%r0}, {%r0};", "with factors of .tf32 has d and c of .f32" },
		{ "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {%r0}, {%r0}, {%r0};", "'wmma.mma' takes 4 operands, this one has 3" },
		{ "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r0}, {%r0}, {%r0}, {%r0};", "this fragment has 4 registers" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r2}, [%p1], 128;", "an address register must have 32 or 64 bits" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r2}, [%h1], 128;", "an address register must have 32 or 64 bits" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {%r2}, [%q1], 128;", "an address register must have 32 or 64 bits" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.shared.b1 {%r2}, [gl+4], 128;", "'gl' is not in the state space that the instruction names" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r2}, [sh+4], 128;", "'sh' is not in the state space that the instruction names" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r2}, [lo+4], 128;", "'lo' is not in shared or global memory" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.b1 {%r2}, [k], 128;", "'k' is not a variable" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r2}, [k], 128;", "'k' is not a variable" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.shared.global.b1 {%r2}, [%l0], 128;", "'wmma' takes one state space, this has 2" },
		{ "wmma.load.a.sync.aligned.row.m8n8k128.m8n8k32.global.b1 {%r2}, [%l0], 128;", "'wmma' takes one shape, this has 2" },
	};
	unsigned i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[700], log[2000];
		ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .log = log, .log_bytes = sizeof(log), .name = "w.ptx" };
		ppuModule m;

		OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
		snprintf(text, sizeof(text), ".version 7.0\n.target sm_75\n.address_size 64\n.global .b32 gl[9]; .entry k()\n{\n"
			 ".reg .b32 %%r<9>; .reg .b16 %%h<2>; .reg .b128 %%q<2>; .reg .pred %%p<2>;\n"
			 ".reg .b64 %%l<2>; .local .b32 lo[9]; .shared .b32 sh[9];\n%s\nret;\n}\n", bad[i][0]);
		ck_assert_int_eq(ppuModuleLoadData(&m, text, 0, &o), PPU_ERROR_COMPILE);
		ck_assert_msg(!strncmp(log, "w.ptx:8:", 8) && strstr(log, bad[i][1]) && !strstr(strchr(log, '\n'), "error"),
			      "%s", log);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_wmma");
	TCase *t = tcase_create("wmma");

	tcase_set_timeout(t, 200);
	tcase_add_loop_test(t, test_products, 0, 3);
	tcase_add_test(t, test_over_address);
	tcase_add_test(t, test_refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
