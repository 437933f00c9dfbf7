/* SPDX-License-Identifier: MIT */
/*
 * wmma with factors other than f16: what is loaded, multiplied and stored again, for all layouts, strides and spaces,
 * against a matrix product in C that adds in ascending order.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include "ppu.h"
#include "ptx_matrix.h"
#include "run_suite.h"
#include "rt_ok.h"

enum { BYTES = 8192 };

static const struct form forms[] = {
	{ "m16n16k16", "s32", S8, S8, "", 16, 16, 16 }, { "m16n16k16", "s32", U8, U8, ".satfinite", 16, 16, 16 },
	{ "m32n8k16", "s32", U8, U8, "", 32, 16, 8 }, { "m32n8k16", "s32", S8, S8, ".satfinite", 32, 16, 8 },
	{ "m8n32k16", "s32", S8, S8, "", 8, 16, 32 }, { "m8n32k16", "s32", U8, U8, ".satfinite", 8, 16, 32 },
	{ "m16n16k16", "f32", TB, TB, "", 16, 16, 16 }, { "m32n8k16", "f32", TB, TB, "", 32, 16, 8 },
	{ "m8n32k16", "f32", TB, TB, "", 8, 16, 32 }, { "m16n16k8", "f32", T32, T32, "", 16, 8, 16 },
	{ "m8n8k4", "f64", TD, TD, "", 8, 4, 8 }, { "m8n8k4", "f64", TD, TD, ".rz", 8, 4, 8 },
	{ "m8n8k4", "f64", TD, TD, ".rp", 8, 4, 8 }, { "m8n8k32", "s32", S4, S4, "", 8, 32, 8 },
	{ "m8n8k32", "s32", U4, U4, ".satfinite", 8, 32, 8 }, { "m8n8k128", "s32", B1, B1, "xor.popc", 8, 128, 8 },
	{ "m8n8k128", "s32", B1, B1, "and.popc", 8, 128, 8 },
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

/* ---- matrices in memory ---- */

struct matrix {
	uint8_t bytes[BYTES];
	int rows, columns, stride, bits;
	bool col;
};

static u64 get(const struct matrix *m, int r, int c)
{
	int at = (m->col ? c * m->stride + r : r * m->stride + c) * m->bits;
	u64 v = 0;

	memcpy(&v, m->bytes + at / 8, (size_t)(m->bits + 7) / 8);
	return m->bits < 8 ? v >> (at % 8) & ((1u << m->bits) - 1) : v;
}

/* Strides stay multiples of 16 bytes, as PTX wants them. */
static void make(struct matrix *m, int rows, int columns, int bits, bool col, bool padded)
{
	m->rows = rows;
	m->columns = columns;
	m->bits = bits;
	m->col = col;
	m->stride = (col ? rows : columns) + (padded ? 128 / bits : 0);
	ck_assert_int_le((col ? columns : rows) * m->stride * bits, BYTES * 8);
}

static void fill_factors(struct matrix *m, enum type t, int wild)
{
	u64 v;
	size_t k, step = t == TD ? 8 : 4;

	for (k = 0; k < BYTES; k += step) {
		v = factors(t, wild);
		memcpy(m->bytes + k, &v, step);
	}
}

static void fill_sums(struct matrix *m, const char *type, int wild)
{
	size_t k, step = m->bits == 64 ? 8 : 4;
	u64 v;

	for (k = 0; k < BYTES; k += step) {
		v = addend(type, wild);
		memcpy(m->bytes + k, &v, step);
	}
}

static double number(const char *type, u64 v)
{
	return !strcmp(type, "f64") ? f64_of(v) : !strcmp(type, "f32") ? (double)f32_of(v) : (double)(int32_t)v;
}

/* ---- the kernel ---- */

static const char *layout(bool col)
{
	return col ? "col" : "row";
}

static const char *list(char what, int n)
{
	static char buf[8][200];
	static int turn;
	char *s = buf[turn++ & 7];
	int k, len = 0;

	for (k = 0; k < n; k++)
		len += snprintf(s + len, 200 - (size_t)len, "%s%%%c%d", k ? ", " : "{", what, k);
	snprintf(s + len, 200 - (size_t)len, "}");
	return s;
}

struct place {
	char stride[4][20];
	bool shared;
};

static char *kernel(const struct form *f, const struct matrix *m, const struct place *p)
{
	int bits = (int)types[f->a].bits, wide = bits == 64, per = wide ? 1 : 32 / bits;
	int na = f->m * f->k / 32 / per, nb = f->n * f->k / 32 / per, nc = f->m * f->n / 32;
	bool bit = f->a == B1;
	char *text = NULL;
	size_t len;
	FILE *o = open_memstream(&text, &len);

	fprintf(o, ".version 8.0\n.target sm_80\n.address_size 64\n"
		".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n{\n"
		".reg .b%d %%a<8>, %%b<8>, %%c<8>, %%d<8>;\n.reg .b32 %%s, %%t<8>;\n.reg .b64 %%l<8>;\n.reg .pred %%p;\n"
		".shared .align 32 .b8 sa[%d];\n"
		"ld.param.u64 %%l1, [a];\nld.param.u64 %%l2, [b];\nld.param.u64 %%l3, [c];\nld.param.u64 %%l4, [d];\n"
		"mov.u32 %%t0, %%tid.x;\nmov.u32 %%t1, sa;\nmad.lo.u32 %%t1, %%t0, 256, %%t1;\nmad.wide.u32 %%l5, %%t0, 256, %%l1;\n"
		"mov.u32 %%t2, 0;\nloop:\nld.global.u32 %%t3, [%%l5];\nst.shared.u32 [%%t1], %%t3;\nadd.u64 %%l5, %%l5, 4;\n"
		"add.u32 %%t1, %%t1, 4;\nadd.u32 %%t2, %%t2, 4;\nsetp.lt.u32 %%p, %%t2, 256;\n@%%p bra loop;\nbar.sync 0;\n"
		"mov.u32 %%s, %d;\n", wide ? 64 : 32, BYTES, m[2].stride);
	fprintf(o, "wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%s]%s;\n", layout(m[0].col), f->shape, p->shared ? ".shared" : ".global",
		types[f->a].name, list('a', na), p->shared ? "sa" : "%l1", p->stride[0]);
	fprintf(o, "wmma.load.b.sync.aligned.%s.%s.%s %s, [%%l2]%s;\n", layout(m[1].col), f->shape, types[f->b].name, list('b', nb),
		p->stride[1]);
	fprintf(o, "wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%l3]%s;\n", layout(m[2].col), f->shape, f->d, list('c', nc),
		p->stride[2]);
	fprintf(o, "wmma.mma.%s%ssync.aligned.%s.%s.%s.%s.%s.%s.%s%s %s, %s, %s, %s;\n", bit ? f->more : "", bit ? "." : "",
		layout(m[0].col), layout(m[1].col), f->shape, f->d, types[f->a].name, types[f->b].name, f->d, bit ? "" : f->more,
		list('d', nc), list('a', na), list('b', nb), list('c', nc));
	fprintf(o, "setp.ne.u64 %%p, %%l4, 0;\n@%%p wmma.store.d.sync.aligned.%s.%s.global.%s [%%l4], %s%s;\nret;\n}\n",
		layout(m[3].col), f->shape, f->d, list('d', nc), p->stride[3]);
	fclose(o);
	return text;
}

static void launch(const char *text, struct matrix *m)
{
	ppuModule mod;
	ppuFunction fn;
	void *p[4];
	int i;

	for (i = 0; i < 4; i++) {
		OK(ppuMalloc(&p[i], BYTES));
		OK(ppuMemcpy(p[i], m[i].bytes, BYTES));
	}
	OK(ppuModuleLoadData(&mod, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	OK(ppuModuleGetFunction(&fn, mod, "k"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &p[0], &p[1], &p[2], &p[3] }, NULL, 0));
	OK(ppuMemcpy(m[3].bytes, p[3], BYTES));
	for (i = 0; i < 4; i++)
		OK(ppuFree(p[i]));
	OK(ppuModuleUnload(mod));
}

static void check(const struct form *f, const struct matrix *m, unsigned turn)
{
	double a[128], b[128];
	int r, c, k;

	for (r = 0; r < f->m; r++)
		for (c = 0; c < f->n; c++) {
			double want, got = number(f->d, get(&m[3], r, c));

			for (k = 0; k < f->k; k++) {
				a[k] = value(f->a, get(&m[0], r, k));
				b[k] = value(f->b, get(&m[1], k, c));
			}
			want = reference(f, a, b, number(f->d, get(&m[2], r, c)));
			ck_assert_msg(same(got, want), "%s %s %s%s, turn %u (a %s b %s c %s d %s): row %d column %d: got %.17g, expected %.17g",
				      f->shape, f->d, types[f->a].name, f->more, turn, layout(m[0].col), layout(m[1].col),
				      layout(m[2].col), layout(m[3].col), r, c, got, want);
		}
}

static void one(const struct form *f, unsigned turn)
{
	static struct matrix m[4];
	struct place p = { .shared = turn >> 4 & 1 };
	int bits = (int)types[f->a].bits, sum = bits == 64 ? 64 : 32, k, wild = (int)(turn % 3);
	bool narrow = bits < 8, padded = turn >> 5 & 1;
	char *text;

	make(&m[0], f->m, f->k, bits, !narrow && (turn & 1), padded);
	make(&m[1], f->k, f->n, bits, narrow || (turn & 2), padded);
	make(&m[2], f->m, f->n, sum, turn >> 2 & 1, padded);
	make(&m[3], f->m, f->n, sum, turn >> 3 & 1, padded);
	fill_factors(&m[0], f->a, wild);
	fill_factors(&m[1], f->b, wild);
	fill_sums(&m[2], f->d, wild);
	memset(m[3].bytes, 0x5a, BYTES);
	for (k = 0; k < 4 && padded; k++)
		snprintf(p.stride[k], sizeof(p.stride[k]), k == 2 ? ", %%s" : ", %d", m[k].stride);
	text = kernel(f, m, &p);
	launch(text, m);
	check(f, m, turn);
	free(text);
}

START_TEST(every_form)
{
	ppuCtx ctx;
	unsigned turn;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	for (turn = 0; turn < 64; turn++)
		one(&forms[_i], turn);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_wmma_types");
	TCase *t = tcase_create("forms");

	tcase_set_timeout(t, 200);
	tcase_add_loop_test(t, every_form, 0, FORMS);
	suite_add_tcase(s, t);
	return run_suite(s);
}
