/* SPDX-License-Identifier: MIT */
/*
 * A table of PTX instruction forms, each executed and compared with a reference in C.
 *
 * A form is a text with %d %a %b %c for its operands, and a signature: the type letters of d, a, b and c.  Letters: h w
 * q = 16, 32, 64 bits; H the same as h, E and D as w and q, but never a constant; f d = float, double (constants are
 * written 0f, 0d); p = predicate.  Every form becomes a kernel that executes it with registers and then with constants
 * in place of each operand and of several: constants for which the instruction set has no field must be put into
 * registers by the compiler.
 *
 * Text may use the registers %h0..7 %t0..7 %l0..7 %p0..7 (16, 32, 64 bits, predicates) as it likes.
 */
#ifndef PTX_FORMS_H
#define PTX_FORMS_H

#include <check.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "run_suite.h"
#include "rt_ok.h"

typedef uint64_t u64;
typedef uint32_t u32;
typedef int64_t s64;
typedef int32_t s32;

struct form;
typedef u64 form_fn(const struct form *f, u64 a, u64 b, u64 c);
/* Is `got` a right result when the reference says `want`?  NULL: equal, NaNs all alike. */
typedef bool form_ok(const struct form *f, u64 got, u64 want);

struct form {
	char text[600], sig[5];
	form_fn *ref;
	form_ok *ok;
	unsigned bits;		/* of the operands' type */
	bool sign;
	int op, mode;		/* for the reference */
};

#define FORM_THREADS	64
#define FORM_MAX	2500
#define FORM_VARIANTS	12

static struct form forms[FORM_MAX];
static unsigned num_forms;
static const char *form_prologue = "";	/* what the forms need at module level */

__attribute__((format(printf, 7, 8)))
static struct form *form(const char *sig, form_fn *ref, unsigned bits, bool sign, int op, int mode,
			 const char *fmt, ...)
{
	struct form *f = &forms[num_forms++];
	va_list ap;

	ck_assert_uint_lt(num_forms, FORM_MAX);
	memset(f, 0, sizeof(*f));
	va_start(ap, fmt);
	ck_assert_int_lt(vsnprintf(f->text, sizeof(f->text), fmt, ap), (int)sizeof(f->text));
	va_end(ap);
	strcpy(f->sig, sig);
	f->ref = ref;
	f->bits = bits;
	f->sign = sign;
	f->op = op;
	f->mode = mode;
	return f;
}

static inline unsigned form_bits(char letter)
{
	switch (letter) {
	case 'h': case 'H': return 16;
	case 'q': case 'd': case 'D': return 64;
	case 'p': return 1;
	default: return 32;
	}
}

static inline u64 mask(unsigned bits) { return bits >= 64 ? ~0ull : (1ull << bits) - 1; }
static inline s64 sx(u64 v, unsigned bits)
{
	return bits >= 64 ? (s64)v : (s64)(v << (64 - bits)) >> (64 - bits);
}

/* ---- constants of the variants ---- */

struct form_variant {
	bool imm[3];
	unsigned which;		/* of two constants */
};

static const struct form_variant form_variants[FORM_VARIANTS] = {
	{ { 0, 0, 0 }, 0 }, { { 0, 1, 0 }, 0 }, { { 0, 1, 0 }, 1 }, { { 1, 0, 0 }, 0 }, { { 1, 0, 0 }, 1 },
	{ { 0, 0, 1 }, 0 }, { { 0, 0, 1 }, 1 }, { { 0, 1, 1 }, 0 }, { { 1, 1, 0 }, 1 }, { { 1, 1, 1 }, 0 },
	{ { 1, 1, 1 }, 1 }, { { 1, 0, 1 }, 1 },
};

static u64 form_const(char letter, unsigned operand, unsigned which)
{
	static const u64 w[2][3] = { { 11, 5, 3 }, { 0xfffffff7, 0x80000001, 0x12345678 } };
	static const u64 q[2][3] = { { 11, 5, 3 }, { 0x123456789abcdef1, 0x8000000000000001, ~0ull - 6 } };
	static const u64 f[2][3] = { { 0x3fc00000, 0x40400000, 0xbf000000 }, { 0x3f8ccccd, 0x80000001, 0x7f7fffff } };
	static const u64 d[2][3] = { { 0x3ff8000000000000, 0x4008000000000000, 0xbfe0000000000000 },
				     { 0x400921fb54442d18, 0x8000000000000001, 0x3ff199999999999a } };

	switch (letter) {
	case 'h': return w[which][operand] & 0xffff;
	case 'q': return q[which][operand];
	case 'f': return f[which][operand];
	case 'd': return d[which][operand];
	case 'p': return which;
	default: return w[which][operand];
	}
}

static inline bool form_has_const(char letter)
{
	return letter && !strchr("HEDp", letter);
}

/* Does this variant test anything that the other variants do not? */
static inline bool form_variant_ok(const struct form *f, const struct form_variant *v)
{
	unsigned n = (unsigned)strlen(f->sig) - 1, k;

	for (k = 0; k < 3; k++)
		if (v->imm[k] && (k >= n || !form_has_const(f->sig[k + 1])))
			return false;
	return true;
}

/* ---- the module ---- */

static void form_operand(FILE *o, const struct form *f, unsigned k, const struct form_variant *v)
{
	char letter = f->sig[k + 1];
	u64 c;

	if (!v->imm[k]) {
		fprintf(o, "%%%c%c", letter == 'p' ? 'P' : form_bits(letter) == 16 ? 'H' :
			form_bits(letter) == 64 ? 'L' : 'W', "abc"[k]);
		return;
	}
	c = form_const(letter, k, v->which);
	if (letter == 'f')
		fprintf(o, "0f%08X", (u32)c);
	else if (letter == 'd')
		fprintf(o, "0d%016llX", (unsigned long long)c);
	else
		fprintf(o, "%lld", (long long)(letter == 'q' ? (s64)c : (s64)c));
}

static void form_text(FILE *o, const struct form *f, const struct form_variant *v)
{
	const char *p;

	for (p = f->text; *p; p++) {
		if (p[0] == '%' && p[1] == 'd' && (p[2] < '0' || p[2] > '9')) {
			fputs(form_bits(f->sig[0]) == 1 ? "%Pd" : form_bits(f->sig[0]) == 16 ? "%Hd" :
			      form_bits(f->sig[0]) == 64 ? "%Ld" : "%Wd", o);
			p++;
		} else if (p[0] == '%' && p[1] >= 'a' && p[1] <= 'c' && (p[2] < 'a' || p[2] > 'z')) {
			form_operand(o, f, (unsigned)(p[1] - 'a'), v);
			p++;
		} else {
			fputc(*p, o);
		}
	}
}

static void form_store(FILE *o, const struct form *f, unsigned variant)
{
	switch (form_bits(f->sig[0])) {
	case 1: fputs("selp.b64 %Ld, 1, 0, %Pd;\n", o); break;
	case 16: fputs("cvt.u64.u16 %Ld, %Hd;\n", o); break;
	case 32: fputs("cvt.u64.u32 %Ld, %Wd;\n", o); break;
	default: break;
	}
	fprintf(o, "st.global.u64 [%%out+%u], %%Ld;\n", variant * FORM_THREADS * 8);
}

static void form_kernel(FILE *o, unsigned index)
{
	const struct form *f = &forms[index];
	unsigned v;

	fprintf(o, ".visible .entry k%u(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b16 %%h<8>, %%Ha, %%Hb, %%Hc, %%Hd;\n.reg .b32 %%t<8>, %%Wa, %%Wb, %%Wc, %%Wd;\n"
		".reg .b64 %%l<8>, %%La, %%Lb, %%Lc, %%Ld, %%in, %%out, %%o;\n.reg .pred %%p<8>, %%Pa, %%Pb, %%Pc, %%Pd;\n"
		"ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%t0, %%tid.x;\n"
		"mul.wide.u32 %%o, %%t0, 8;\nadd.u64 %%out, %%out, %%o;\nadd.u64 %%in, %%in, %%o;\n"
		"ld.global.u64 %%La, [%%in];\nld.global.u64 %%Lb, [%%in+%u];\nld.global.u64 %%Lc, [%%in+%u];\n"
		"cvt.u16.u64 %%Ha, %%La;\ncvt.u16.u64 %%Hb, %%Lb;\ncvt.u16.u64 %%Hc, %%Lc;\n"
		"cvt.u32.u64 %%Wa, %%La;\ncvt.u32.u64 %%Wb, %%Lb;\ncvt.u32.u64 %%Wc, %%Lc;\n"
		"and.b64 %%l0, %%La, 1;\nsetp.ne.u64 %%Pa, %%l0, 0;\nand.b64 %%l0, %%Lb, 1;\nsetp.ne.u64 %%Pb, %%l0, 0;\n"
		"and.b64 %%l0, %%Lc, 1;\nsetp.ne.u64 %%Pc, %%l0, 0;\n", index, FORM_THREADS * 8, FORM_THREADS * 16);
	for (v = 0; v < FORM_VARIANTS; v++) {
		if (!form_variant_ok(f, &form_variants[v]))
			continue;
		fputs("{\n", o);
		form_text(o, f, &form_variants[v]);
		fputs("\n}\n", o);
		form_store(o, f, v);
	}
	fputs("ret;\n}\n", o);
}

static char *form_module(unsigned first, unsigned end)
{
	char *text = NULL;
	size_t len;
	FILE *o = open_memstream(&text, &len);
	unsigned k;

	fputs(".version 8.0\n.target sm_90\n.address_size 64\n", o);
	fputs(form_prologue, o);
	for (k = first; k < end; k++)
		form_kernel(o, k);
	fclose(o);
	return text;
}

/* ---- inputs: special values of every width, and random ones ---- */

static u64 form_rnd(u64 *s)
{
	*s = *s * 6364136223846793005ull + 1442695040888963407ull;
	return *s ^ *s >> 29;
}

static u64 form_input(u64 *seed)
{
	static const u32 s32v[] = {
		0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
		0xffffffff, 0x80000001, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
		0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3effffff, 0x3f000000, 0x40490fdb,
		0x4effffff, 0x4f000000, 0xcf000000, 0x5f000000, 0x477fe000, 0x33800000, 0x42fe0000,
		0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x0001, 0x03ff, 0x0400, 0x3fc0, 0x7f80, 0x3c003c00,
	};
	static const u64 s64v[] = {
		0, 1, ~0ull, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 63, 64, 65, 0x100000000,
		0xffffffff00000000, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000,
		0xfff0000000000000, 0x7ff8000000000000, 0x000fffffffffffff, 0x0010000000000000,
		0x7fefffffffffffff, 0x41dfffffffc00000, 0x43e0000000000000, 0xc3e0000000000000,
		0x3810000000000000, 0x47efffffe0000000, 0x40effc0000000000, 0x3fe0000000000000,
	};
	u64 r = form_rnd(seed);

	switch (r >> 60) {
	case 0: case 1: case 2: case 3: case 4: case 5:
		return s32v[(r >> 8) % (sizeof(s32v) / sizeof(s32v[0]))] | (r & 1 ? form_rnd(seed) << 32 : 0);
	case 6: case 7: case 8:
		return s64v[(r >> 8) % (sizeof(s64v) / sizeof(s64v[0]))];
	case 9:
		return r & 0x3f;
	case 10:	/* a moderate float and a moderate half */
		return (r & 0x007fffff) | (u64)(0x78 + (r >> 40 & 15)) << 23 | (r >> 50 & 1) << 31;
	case 11:	/* a moderate double */
		return (r & 0x000fffffffffffff) | (u64)(0x3f8 + (r >> 53 & 15)) << 52;
	default:
		return form_rnd(seed) ^ r << 17;
	}
}

/* ---- running ---- */

static bool form_equal(const struct form *f, u64 got, u64 want)
{
	char l = f->sig[0];

	if (l == 'f' && (want & 0x7fffffff) > 0x7f800000)
		return got == 0x7fffffff || (got & 0x7fffffff) > 0x7f800000;
	if (l == 'd' && (want & ~(1ull << 63)) > 0x7ff0000000000000)
		return (got & ~(1ull << 63)) > 0x7ff0000000000000;
	return got == want;
}

static u64 form_arg(const struct form *f, unsigned k, const struct form_variant *v, u64 in)
{
	if (k + 1 >= strlen(f->sig))
		return in;
	return (v->imm[k] ? form_const(f->sig[k + 1], k, v->which) : in) & mask(form_bits(f->sig[k + 1]));
}

static void form_check(unsigned index, const u64 *in, const u64 *out)
{
	const struct form *f = &forms[index];
	unsigned v, t;

	for (v = 0; v < FORM_VARIANTS; v++) {
		const struct form_variant *var = &form_variants[v];

		for (t = 0; t < FORM_THREADS && form_variant_ok(f, var); t++) {
			u64 a = form_arg(f, 0, var, in[t]), b = form_arg(f, 1, var, in[FORM_THREADS + t]);
			u64 c = form_arg(f, 2, var, in[2 * FORM_THREADS + t]);
			u64 want = f->ref(f, a, b, c) & mask(form_bits(f->sig[0]));
			u64 got = out[v * FORM_THREADS + t];

			ck_assert_msg((f->ok ? f->ok : form_equal)(f, got, want),
				      "%s (variant %u): a %llx, b %llx, c %llx: got %llx, expected %llx", f->text, v,
				      (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,
				      (unsigned long long)got, (unsigned long long)want);
		}
	}
}

/* Compile, run and check all forms of the table. */
static void forms_run(unsigned rounds)
{
	enum { CHUNK = 100 };
	size_t bytes = (size_t)CHUNK * FORM_VARIANTS * FORM_THREADS * 8;
	ppuInitOptions o = { .backend = "core" };
	u64 *out = malloc(bytes), in[3 * FORM_THREADS], seed = 1;
	unsigned first, end, k, t, round;
	void *din, *dout;
	ppuModule m;
	ppuCtx ctx;

	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuMalloc(&din, sizeof(in)));
	OK(ppuMalloc(&dout, bytes));
	for (first = 0; first < num_forms; first = end) {
		char *text;

		end = first + CHUNK < num_forms ? first + CHUNK : num_forms;
		text = form_module(first, end);
		OK(ppuModuleLoadData(&m, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
		free(text);
		for (round = 0; round < rounds; round++) {
			for (t = 0; t < 3 * FORM_THREADS; t++)
				in[t] = form_input(&seed);
			OK(ppuMemcpy(din, in, sizeof(in)));
			for (k = first; k < end; k++) {
				char *to = (char *)dout + (size_t)(k - first) * FORM_VARIANTS * FORM_THREADS * 8;
				void *args[] = { &din, &to };
				ppuFunction fn;
				char name[16];

				snprintf(name, sizeof(name), "k%u", k);
				OK(ppuModuleGetFunction(&fn, m, name));
				OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(FORM_THREADS, 1, 1), 0, NULL, args, NULL, 0));
			}
			OK(ppuMemcpy(out, dout, bytes));
			for (k = first; k < end; k++)
				form_check(k, in, out + (size_t)(k - first) * FORM_VARIANTS * FORM_THREADS);
		}
		OK(ppuModuleUnload(m));
	}
	OK(ppuCtxDestroy(ctx));
	OK(ppuShutdown());
	free(out);
}

/* One test case per table, each in its own process. */
__attribute__((unused))
static int forms_main(const char *name, const TTest *const *tests, unsigned n)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("forms");
	unsigned k;

	tcase_set_timeout(t, 300);
	for (k = 0; k < n; k++)
		tcase_add_test(t, tests[k]);
	suite_add_tcase(s, t);
	return run_suite(s);
}

#endif
