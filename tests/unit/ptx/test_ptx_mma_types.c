/* SPDX-License-Identifier: MIT */
/*
 * mma with every type of factors.  Where each element is, is written down shape by shape, as PTX's manual does it; the
 * products are loops in C that add in ascending order.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "ptx_matrix.h"
#include "run_suite.h"
#include "rt_ok.h"

enum { A = 0, B = 8, C = 12, SLOTS = 16, D = 4, KMAX = 256 };
static const struct form forms[] = {
	{ "m16n8k16", "f32", TH, TH, "", 16, 16, 8 }, { "m16n8k8", "f16", TH, TH, "", 16, 8, 8 },
	{ "m16n8k16", "f32", TB, TB, "", 16, 16, 8 }, { "m16n8k8", "f32", TB, TB, "", 16, 8, 8 },
	{ "m16n8k4", "f32", T32, T32, "", 16, 4, 8 }, { "m16n8k8", "f32", T32, T32, "", 16, 8, 8 },
	{ "m8n8k4", "f64", TD, TD, "", 8, 4, 8 }, { "m16n8k4", "f64", TD, TD, "", 16, 4, 8 }, { "m16n8k8", "f64", TD, TD, "", 16, 8, 8 },
	{ "m16n8k16", "f64", TD, TD, "", 16, 16, 8 }, { "m8n8k4", "f64", TD, TD, ".rn", 8, 4, 8 },
	{ "m8n8k4", "f64", TD, TD, ".rz", 8, 4, 8 }, { "m16n8k8", "f64", TD, TD, ".rm", 16, 8, 8 }, { "m16n8k4", "f64", TD, TD, ".rp", 16, 4, 8 },
	{ "m8n8k16", "s32", S8, S8, "", 8, 16, 8 }, { "m8n8k16", "s32", U8, S8, ".satfinite", 8, 16, 8 },
	{ "m16n8k16", "s32", S8, U8, "", 16, 16, 8 }, { "m16n8k16", "s32", U8, U8, ".satfinite", 16, 16, 8 },
	{ "m16n8k32", "s32", S8, S8, ".satfinite", 16, 32, 8 }, { "m16n8k32", "s32", U8, S8, "", 16, 32, 8 },
	{ "m16n8k32", "s32", U8, U8, "", 16, 32, 8 }, { "m16n8k32", "s32", S8, U8, ".satfinite", 16, 32, 8 },
	{ "m8n8k32", "s32", S4, S4, "", 8, 32, 8 }, { "m8n8k32", "s32", U4, S4, ".satfinite", 8, 32, 8 },
	{ "m16n8k32", "s32", S4, U4, "", 16, 32, 8 }, { "m16n8k32", "s32", U4, U4, ".satfinite", 16, 32, 8 },
	{ "m16n8k64", "s32", S4, S4, ".satfinite", 16, 64, 8 }, { "m16n8k64", "s32", U4, U4, "", 16, 64, 8 },
	{ "m16n8k64", "s32", U4, S4, "", 16, 64, 8 },
	{ "m8n8k128", "s32", B1, B1, ".xor.popc", 8, 128, 8 }, { "m8n8k128", "s32", B1, B1, ".and.popc", 8, 128, 8 },
	{ "m16n8k128", "s32", B1, B1, ".xor.popc", 16, 128, 8 }, { "m16n8k256", "s32", B1, B1, ".xor.popc", 16, 256, 8 },
	{ "m16n8k256", "s32", B1, B1, ".and.popc", 16, 256, 8 },
	{ "m16n8k32", "f32", E4, E4, "", 16, 32, 8 }, { "m16n8k32", "f32", E5, E4, "", 16, 32, 8 }, { "m16n8k32", "f16", E4, E5, "", 16, 32, 8 },
	{ "m16n8k16", "f32", E5, E5, "", 16, 16, 8 }, { "m16n8k16", "f16", E4, E4, "", 16, 16, 8 },
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

static u64 in[32][SLOTS], out[32][D];

/* ---- where element i of lane 4g + t is ---- */

static void place_a(const struct form *f, int bits, int g, int t, int i, int *row, int *col)
{
	*row = g;
	switch (bits * 1000 + f->m * f->k) {
	case 64000 + 32:	*col = t; break;
	case 64000 + 64:
	case 32000 + 64:	*row = i == 0 ? g : g + 8; *col = t; break;
	case 64000 + 128:
	case 32000 + 128:	*row = i == 0 || i == 2 ? g : g + 8; *col = i < 2 ? t : t + 4; break;
	case 64000 + 256:	*row = i % 2 == 0 ? g : g + 8; *col = i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t; break;
	case 16000 + 128:	*row = i < 2 ? g : g + 8; *col = t * 2 + (i & 1); break;
	case 16000 + 256:	*row = i < 2 || (i >= 4 && i < 6) ? g : g + 8; *col = t * 2 + (i & 1) + (i >= 4 ? 8 : 0); break;
	case 8000 + 128:	*col = t * 4 + i; break;
	case 8000 + 256:	*row = i < 4 ? g : g + 8; *col = t * 4 + (i & 3); break;
	case 8000 + 512:	*row = i < 4 || (i >= 8 && i < 12) ? g : g + 8; *col = t * 4 + (i & 3) + (i >= 8 ? 16 : 0); break;
	case 4000 + 256:	*col = t * 8 + i; break;
	case 4000 + 512:	*row = i < 8 ? g : g + 8; *col = t * 8 + (i & 7); break;
	case 4000 + 1024:	*row = i < 8 || (i >= 16 && i < 24) ? g : g + 8; *col = t * 8 + (i & 7) + (i >= 16 ? 32 : 0); break;
	case 1000 + 1024:	*col = t * 32 + i; break;
	case 1000 + 2048:	*row = i < 32 ? g : g + 8; *col = t * 32 + (i & 31); break;
	case 1000 + 4096:	*row = i < 32 || (i >= 64 && i < 96) ? g : g + 8; *col = t * 32 + (i & 31) + (i >= 64 ? 128 : 0); break;
	default: ck_abort_msg("%s has no table", f->shape);
	}
}

static int place_b(const struct form *f, int bits, int t, int i)
{
	switch (bits * 1000 + f->k) {
	case 64004: case 32004:	return t;
	case 64008: case 64016:	return t + i * 4;
	case 32008:		return i ? t + 4 : t;
	case 16008:		return t * 2 + i;
	case 16016:		return t * 2 + (i & 1) + (i >= 2 ? 8 : 0);
	case 8016:		return t * 4 + i;
	case 8032:		return t * 4 + (i & 3) + (i >= 4 ? 16 : 0);
	case 4032:		return t * 8 + i;
	case 4064:		return t * 8 + (i & 7) + (i >= 8 ? 32 : 0);
	case 1128:		return t * 32 + i;
	case 1256:		return t * 32 + (i & 31) + (i >= 32 ? 128 : 0);
	default: ck_abort_msg("%s has no table", f->shape); return 0;
	}
}

static u64 element(const u64 *slot, enum type t, int i)
{
	unsigned bits = types[t].bits, per = bits == 64 ? 1 : 32 / bits;

	return bits == 64 ? slot[i] : slot[(unsigned)i / per] >> ((unsigned)i % per * bits) & (bits == 32 ? ~0u : (1u << bits) - 1);
}

static double fetch_c(const struct form *f, const u64 *slot, int i)
{
	if (!strcmp(f->d, "f64"))
		return f64_of(slot[i]);
	if (!strcmp(f->d, "f16"))
		return value(TH, slot[i / 2] >> (i % 2 * 16) & 0xffff);
	return !strcmp(f->d, "f32") ? (double)f32_of(slot[i]) : (double)(int32_t)slot[i];
}

/* ---- the kernel ---- */

static void list(FILE *o, char what, int n)
{
	int i;

	fputc('{', o);
	for (i = 0; i < n; i++)
		fprintf(o, "%s%%%c%d", i ? ", " : "", what, i);
	fputc('}', o);
}

static void load(FILE *o, char what, bool wide, int first, int n)
{
	int i;

	for (i = 0; i < n; i++)
		fprintf(o, "ld.global.u%d %%%c%d, [%%in+%d];\n", wide ? 64 : 32, what, i, 8 * (first + i));
}

struct counts { int a, b, c; };

static struct counts registers(const struct form *f)
{
	int per = types[f->a].bits == 64 ? 1 : 32 / (int)types[f->a].bits;

	return (struct counts){ f->m * f->k / 32 / per, f->k * 8 / 32 / per, f->m * 8 / 32 / (strcmp(f->d, "f16") ? 1 : 2) };
}

static char *kernel(const struct form *f)
{
	bool wide = types[f->a].bits == 64;
	struct counts n = registers(f);
	char *text = NULL;
	size_t len;
	FILE *o = open_memstream(&text, &len);
	int i;

	fprintf(o, ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 %%in, %%out, %%all;\n.reg .b%d %%a<8>, %%b<4>, %%c<4>, %%d<4>;\n.reg .b32 %%lane;\n.reg .pred %%p;\n"
		"ld.param.u64 %%all, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%lane, %%tid.x;\n"
		"mad.wide.u32 %%in, %%lane, %d, %%all;\nmad.wide.u32 %%out, %%lane, %d, %%out;\nsetp.lt.u32 %%p, %%lane, 32;\n",
		wide ? 64 : 32, SLOTS * 8, D * 8);
	load(o, 'a', wide, A, n.a);
	load(o, 'b', wide, B, n.b);
	load(o, 'c', wide, C, n.c);
	fprintf(o, "@%%p mma.sync.aligned.%s.row.col.%s.%s.%s.%s%s ", f->shape, f->d, types[f->a].name, types[f->b].name, f->d, f->more);
	list(o, 'd', n.c);
	fputs(", ", o);
	list(o, 'a', n.a);
	fputs(", ", o);
	list(o, 'b', n.b);
	fputs(", ", o);
	list(o, 'c', n.c);
	fputs(";\n", o);
	for (i = 0; i < n.c; i++)
		fprintf(o, "st.global.u%d [%%out+%d], %%d%d;\n", wide ? 64 : 32, 8 * i, i);
	fputs("ret;\n}\n", o);
	fclose(o);
	return text;
}

static void launch(ppuFunction fn)
{
	void *din, *dout;

	OK(ppuMalloc(&din, sizeof(in)));
	OK(ppuMalloc(&dout, sizeof(out)));
	OK(ppuMemcpy(din, in, sizeof(in)));
	OK(ppuMemcpy(dout, out, sizeof(out)));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &din, &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, sizeof(out)));
	OK(ppuFree(din));
	OK(ppuFree(dout));
}

static void fill(const struct form *f, int wild)
{
	struct counts n = registers(f);
	int l, i;

	for (l = 0; l < 32; l++) {
		for (i = 0; i < n.a; i++)
			in[l][A + i] = factors(f->a, wild);
		for (i = 0; i < n.b; i++)
			in[l][B + i] = factors(f->b, wild);
		for (i = 0; i < n.c; i++)
			in[l][C + i] = addend(f->d, wild);
	}
}

static void check(const struct form *f, int wild)
{
	static double a[16][KMAX], b[8][KMAX];
	int bits = (int)types[f->a].bits, l, i, row, col, special = 0;

	for (l = 0; l < 32; l++) {
		for (i = 0; i < f->m * f->k / 32; i++) {
			place_a(f, bits, l / 4, l % 4, i, &row, &col);
			a[row][col] = value(f->a, element(&in[l][A], f->a, i));
		}
		for (i = 0; i < f->k * 8 / 32; i++)
			b[l / 4][place_b(f, bits, l % 4, i)] = value(f->b, element(&in[l][B], f->b, i));
	}
	for (l = 0; l < 32; l++)
		for (i = 0; i < f->m * 8 / 32; i++) {
			double want, got = fetch_c(f, out[l], i);

			row = f->m == 8 || i < 2 ? l / 4 : l / 4 + 8;
			col = l % 4 * 2 + (i & 1);
			want = reference(f, a[row], b[col], fetch_c(f, &in[l][C], i));
			special += !isfinite(want);
			ck_assert_msg(same(got, want), "%s %s %s %s%s, inputs %d: row %d column %d: got %.17g, expected %.17g", f->shape, f->d,
				      types[f->a].name, types[f->b].name, f->more, wild, row, col, got, want);
		}
	ck_assert_msg(special < f->m * 8 || wild, "no finite results");
}

START_TEST(every_form)
{
	const struct form *f = &forms[_i];
	char *text = kernel(f);
	ppuModule m;
	ppuFunction fn;
	ppuCtx ctx;
	int round;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&m, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuModuleGetFunction(&fn, m, "k"));
	for (round = 0; round < 9; round++) {
		fill(f, round % 3);
		launch(fn);
		check(f, round % 3);
	}
	OK(ppuModuleUnload(m));
	OK(ppuCtxDestroy(ctx));
	free(text);
}
END_TEST

/* Combinations that PTX does not have give a message with the position. */
START_TEST(refused)
{
	static const char *const bad[][2] = {
		{ "mma.sync.aligned.m16n8k16.row.col.s32.s8.s4.s32 {%r0}, {%r0}, {%r0}, {%r0};", "has no form with factors of .s8 and .s4" },
		{ "mma.sync.aligned.m16n8k16.row.col.s32.s16.s16.s32 {%r0}, {%r0}, {%r0}, {%r0};", "has no form with factors of .s16 and .s16" },
		{ "mma.sync.aligned.m16n8k16.row.col.f32.s8.s8.f32 {%r0}, {%r0}, {%r0}, {%r0};", "with factors of .s8 has d and c of .s32" },
		{ "mma.sync.aligned.m16n8k8.row.col.f16.tf32.tf32.f16 {%r0}, {%r0}, {%r0}, {%r0};", "with factors of .tf32 has d and c of .f32" },
		{ "mma.sync.aligned.m8n8k4.row.col.f32.f64.f64.f32 {%r0}, {%r0}, {%r0}, {%r0};", "with factors of .f64 has d and c of .f64" },
		{ "mma.sync.aligned.m16n8k32.row.col.s32.e4m3.e4m3.s32 {%r0}, {%r0}, {%r0}, {%r0};", "has d and c of .f16 or .f32" },
		{ "mma.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r0}, {%r0}, {%r0}, {%r0};", "'mma' with factors of .s8 has no such shape" },
		{ "mma.sync.aligned.m16n8k16.row.row.s32.s8.s8.s32 {%r0}, {%r0}, {%r0}, {%r0};", "'mma' of this shape is .row.col" },
		{ "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%r0}, {%r0}, {%r0}, {%r0};", "this fragment has 4 registers" },
		{ "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r0, %r1}, %r0, {%r0, %r1};", "this fragment has 1 register" },
		{ "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r0, %r1}, %r0, %r0, {%r0, %r1};", "needs .and.popc or .xor.popc" },
		{ "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.or.popc {%r0, %r1}, %r0, %r0, {%r0, %r1};", "does not take '.or' here" },
		{ "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32.xor.popc {%r0, %r1}, %r0, %r0, {%r0, %r1};", "with factors of .b1 only" },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32.satfinite {%r0}, {%r0}, {%r0}, {%r0};", "takes .satfinite with factors of" },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32.rn {%r0}, {%r0}, {%r0}, {%r0};", "takes a rounding with factors of .f64 only" },
		{ "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16 {%r0}, {%r0}, {%r0}, {%r0};", "needs the types of d, a, b and c" },
		{ "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%r0, %r1}, {%r0}, {%r0}, {%r0, %r1};", "has 32 bits, this operand needs 64" },
		{ "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0}, {%r0}, {%r0}, {%r0}, %r0, 0;",
		  "products of sparse matrices are not supported" },
		{ "add.s4 %r0, %r0, %r0;", "'add' does not take '.s4' here" },
		{ ".reg .s4 %x;", "error" },
	};
	unsigned i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[500], log[3000];
		ppuModuleOptions o = { .kind = PPU_MODULE_PTX, .log = log, .log_bytes = sizeof(log), .name = "w.ptx" };
		ppuModule m;

		OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
		snprintf(text, sizeof(text), ".version 7.0\n.target sm_80\n.address_size 64\n.entry k()\n{\n"
			 ".reg .b32 %%r<9>;\n.reg .b64 %%l<2>;\n%s\nret;\n}\n", bad[i][0]);
		ck_assert_int_eq(ppuModuleLoadData(&m, text, 0, &o), PPU_ERROR_COMPILE);
		ck_assert_msg(!strncmp(log, "w.ptx:8:", 8) && strstr(log, bad[i][1]), "%s: %s", bad[i][0], log);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_mma_types");
	TCase *t = tcase_create("forms");

	tcase_set_timeout(t, 100);
	tcase_add_loop_test(t, every_form, 0, FORMS);
	tcase_add_test(t, refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
