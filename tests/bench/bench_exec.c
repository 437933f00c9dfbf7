/* SPDX-License-Identifier: MIT */
/*
 * Host time of the execution functions alone, for 32 lanes: no decoding, no scheduling.
 *
 *   bench_exec          classes of instructions, on the best instruction set of this host
 *   bench_exec all      every case, on every instruction set this host has
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/exec/exec.h"

static uint32_t rows[64][PPU_LANES] __attribute__((aligned(64)));

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

#pragma GCC diagnostic ignored "-Woverride-init"
#define INSN(o, ...) { .op = PPU_OP_##o, .pd = 15, .pe = 15, .ps = 15, __VA_ARGS__ }
#define T(x) .t = PPU_T_##x
static const struct {
	const char *name;
	struct ppu_dinsn di;
	uint32_t mask;
	bool head;		/* in the short list */
	bool f64;		/* operands are doubles */
} cases[] = {
	{ "mov.u32", INSN(MOV, T(U32)), ~0u, 1, 0 },
	{ "mov.u32 #", INSN(MOV, T(U32), .bi = 1), ~0u, 0, 0 },
	{ "mov.u64", INSN(MOV, T(U64)), ~0u, 0, 0 },
	{ "sel.u32", INSN(SEL, T(U32), .ps = 1), ~0u, 1, 0 },
	{ "add.u32", INSN(ADD, T(U32)), ~0u, 1, 0 },
	{ "add.u32 #", INSN(ADD, T(U32), .bi = 1, .imm = 4), ~0u, 0, 0 },
	{ "add.u32, 16 lanes", INSN(ADD, T(U32)), 0x55555555, 1, 0 },
	{ "add.u32 carry in and out", INSN(ADD, T(U32), .m = 3, .ps = 1, .pd = 1), ~0u, 0, 0 },
	{ "add.u64", INSN(ADD, T(U64)), ~0u, 1, 0 },
	{ "add.u64 #", INSN(ADD, T(U64), .bi = 1, .imm = 4), ~0u, 0, 0 },
	{ "mul.u32", INSN(MUL, T(U32)), ~0u, 1, 0 },
	{ "mul.u64", INSN(MUL, T(U64)), ~0u, 0, 0 },
	{ "mulhi.u32", INSN(MULHI, T(U32)), ~0u, 0, 0 },
	{ "mulhi.u64", INSN(MULHI, T(U64)), ~0u, 0, 0 },
	{ "mulw.s32 #", INSN(MULW, T(S32), .bi = 1, .imm = 4), ~0u, 1, 0 },
	{ "mad.u32", INSN(MAD, T(U32)), ~0u, 1, 0 },
	{ "madw.u32 #", INSN(MADW, T(U32), .bi = 1, .imm = 4), ~0u, 0, 0 },
	{ "and.u32", INSN(AND, T(U32)), ~0u, 1, 0 },
	{ "lop3.u32", INSN(LOP3, T(U32), .y = 0x96), ~0u, 0, 0 },
	{ "shl.u32 #", INSN(SHL, T(U32), .bi = 1, .imm = 3), ~0u, 1, 0 },
	{ "shl.u64 #", INSN(SHL, T(U64), .bi = 1, .imm = 3), ~0u, 0, 0 },
	{ "shr.s32", INSN(SHR, T(S32)), ~0u, 0, 0 },
	{ "shf.l", INSN(SHF, T(U32)), ~0u, 0, 0 },
	{ "bfe.u32 #", INSN(BFE, T(U32), .bi = 1, .imm = 0x0804), ~0u, 0, 0 },
	{ "bfi.u32", INSN(BFI, T(U32)), ~0u, 0, 0 },
	{ "prmt", INSN(PRMT, T(U32)), ~0u, 0, 0 },
	{ "popc.u32", INSN(POPC, T(U32)), ~0u, 0, 0 },
	{ "clz.u32", INSN(CLZ, T(U32)), ~0u, 0, 0 },
	{ "dp4a", INSN(DP4A, T(U32), .u = PPU_T_U32), ~0u, 0, 0 },
	{ "div.u32", INSN(DIV, T(U32)), ~0u, 1, 0 },
	{ "rem.s32", INSN(REM, T(S32)), ~0u, 0, 0 },
	{ "div.u64", INSN(DIV, T(U64)), ~0u, 0, 0 },
	{ "setp.lt.u32", INSN(SETP, T(U32), .m = PPU_CMP_LT, .pd = 2), ~0u, 1, 0 },
	{ "setp.lt.u32 #", INSN(SETP, T(U32), .m = PPU_CMP_LT, .pd = 2, .bi = 1), ~0u, 0, 0 },
	{ "setp.lt.s64", INSN(SETP, T(S64), .m = PPU_CMP_LT, .pd = 2), ~0u, 0, 0 },
	{ "setp.lt.f32", INSN(SETP, T(F32), .m = PPU_CMP_LT, .pd = 2), ~0u, 1, 0 },
	{ "setp.lt.f64", INSN(SETP, T(F64), .m = PPU_CMP_LT, .pd = 2), ~0u, 0, 1 },
	{ "plop.and", INSN(PLOP, .pd = 2, .ps = 1, .raw_a = 3), ~0u, 0, 0 },
	{ "add.f32", INSN(ADD, T(F32)), ~0u, 1, 0 },
	{ "add.ftz.f32", INSN(ADD, T(F32), .ftz = 1), ~0u, 0, 0 },
	{ "mul.f32 #", INSN(MUL, T(F32), .bi = 1, .imm = 0x3f900000), ~0u, 0, 0 },
	{ "fma.f32", INSN(FMA, T(F32)), ~0u, 1, 0 },
	{ "fma.ftz.f32", INSN(FMA, T(F32), .ftz = 1), ~0u, 0, 0 },
	{ "fma.f32 -a", INSN(FMA, T(F32), .na = 1), ~0u, 0, 0 },
	{ "fma.f32, 16 lanes", INSN(FMA, T(F32)), 0x55555555, 0, 0 },
	{ "fma.rm.f32", INSN(FMA, T(F32), .rnd = PPU_RND_RM), ~0u, 1, 0 },
	{ "min.f32", INSN(MIN, T(F32)), ~0u, 1, 0 },
	{ "div.f32", INSN(DIV, T(F32)), ~0u, 1, 0 },
	{ "div.approx.f32", INSN(DIV, T(F32), .m = 1), ~0u, 0, 0 },
	{ "rcp.approx.ftz.f32", INSN(RCP, T(F32), .m = 1, .ftz = 1), ~0u, 0, 0 },
	{ "sqrt.f32", INSN(SQRT, T(F32)), ~0u, 1, 0 },
	{ "rsqrt.f32", INSN(RSQRT, T(F32)), ~0u, 1, 0 },
	{ "sin.f32", INSN(SIN, T(F32)), ~0u, 1, 0 },
	{ "ex2.f32", INSN(EX2, T(F32)), ~0u, 1, 0 },
	{ "ex2.ftz.f32", INSN(EX2, T(F32), .ftz = 1), ~0u, 0, 0 },
	{ "lg2.f32", INSN(LG2, T(F32)), ~0u, 1, 0 },
	{ "tanh.f32", INSN(TANH, T(F32)), ~0u, 0, 0 },
	{ "add.f64", INSN(ADD, T(F64)), ~0u, 1, 1 },
	{ "fma.f64", INSN(FMA, T(F64)), ~0u, 1, 1 },
	{ "fma.rz.f64", INSN(FMA, T(F64), .rnd = PPU_RND_RZ), ~0u, 0, 1 },
	{ "div.f64", INSN(DIV, T(F64)), ~0u, 1, 1 },
	{ "cvt.f32.s32", INSN(CVT, T(F32), .u = PPU_T_S32), ~0u, 1, 0 },
	{ "cvt.rzi.s32.f32", INSN(CVT, T(S32), .u = PPU_T_F32, .rnd = 1), ~0u, 1, 0 },
	{ "cvt.rni.u32.f32", INSN(CVT, T(U32), .u = PPU_T_F32), ~0u, 0, 0 },
	{ "cvt.s64.s32", INSN(CVT, T(S64), .u = PPU_T_S32), ~0u, 1, 0 },
	{ "cvt.u16.u32", INSN(CVT, T(U16), .u = PPU_T_U32), ~0u, 0, 0 },
	{ "cvt.f64.f32", INSN(CVT, T(F64), .u = PPU_T_F32), ~0u, 0, 0 },
	{ "cvt.f32.f64", INSN(CVT, T(F32), .u = PPU_T_F64), ~0u, 0, 1 },
	{ "cvt.rmi.f32.f32", INSN(CVT, T(F32), .u = PPU_T_F32, .rnd = 2, .y = 1), ~0u, 0, 0 },
	{ "cvt.sat.f32.f32", INSN(CVT, T(F32), .u = PPU_T_F32, .sat = 1), ~0u, 0, 0 },
	{ "cvt.f16.f32", INSN(CVT, T(F16), .u = PPU_T_F32), ~0u, 1, 0 },
	{ "cvt.f32.f16", INSN(CVT, T(F32), .u = PPU_T_F16), ~0u, 0, 0 },
	{ "cvt.f32.u64", INSN(CVT, T(F32), .u = PPU_T_U64), ~0u, 0, 0 },
	{ "add.f16x2", INSN(ADD, T(F16X2)), ~0u, 0, 0 },
	{ "fma.f16x2", INSN(FMA, T(F16X2)), ~0u, 1, 0 },
	{ "fma.bf16x2", INSN(FMA, T(BF16X2)), ~0u, 0, 0 },
	{ "cvt2.f16x2", INSN(CVT2, T(F16X2), .u = PPU_T_F32), ~0u, 0, 0 },
};

static void fill(bool f64)
{
	uint32_t x = 12345;

	for (unsigned i = 0; i < 64; i++)
		for (unsigned l = 0; l < PPU_LANES; l++) {
			x = x * 1664525 + 1013904223;
			/* f64: ordinary values in the upper words */
			rows[i][l] = f64 && i % 2 ? 0x3ff00000 | x >> 12 : 0x3f800000 | x >> 9;
		}
}

/* Best of several, ns a call; eight destinations take turns, sources are not written. */
static double measure(struct ppu_dinsn di, uint32_t mask, bool f64)
{
	struct ppu_vregs v = { .row = rows, .pred = { 0, 0x0f0f3355, 0, 0x12345678 } };
	struct ppu_dinsn insn[8];
	double best = 1e9;
	unsigned n = 4000;

	v.pred[15] = ~0u;
	fill(f64);
	for (unsigned i = 0; i < 8; i++) {
		insn[i] = di;
		insn[i].a = (uint16_t)(2 * (i % 4));
		insn[i].b = (uint16_t)(8 + 2 * (i % 3));
		insn[i].c = (uint16_t)(16 + 2 * (i % 2));
		insn[i].d = (uint16_t)(32 + 2 * i);
	}
	for (unsigned k = 0; k < 12; k++) {
		double t = now();

		for (unsigned r = 0; r < n; r++)
			for (unsigned i = 0; i < 8; i++) {
				const struct ppu_dinsn *p = &insn[i];

				__asm__ volatile("" : "+r"(p) : : "memory");
				p->fn(&v, p, mask);
			}
		t = (now() - t) / (n * 8.0);
		best = t < best ? t : best;
		if (best * n * 8 > 5e6)
			n = n / 4 + 1;
	}
	return best;
}

#ifdef __clang__
#define OPTIMIZE_3
#else
#define OPTIMIZE_3 __attribute__((optimize("O3")))
#endif
/* The host's own rate: fused multiply-adds of one core in registers, ns for 32 lanes. */
__attribute__((target("avx2,fma"))) OPTIMIZE_3 static double peak(void)
{
	typedef float vec __attribute__((vector_size(32)));
	vec acc[10], x, y;
	double best = 1e9;

	for (unsigned i = 0; i < 10; i++)
		for (unsigned j = 0; j < 8; j++)
			acc[i][j] = (float)(i + j);
	for (unsigned j = 0; j < 8; j++) {
		x[j] = 0.9f;
		y[j] = 0.1f;
	}
	for (unsigned k = 0; k < 10; k++) {
		double t = now();

		for (unsigned r = 0; r < 100000; r++) {
#define STEP(i) __asm__ volatile("vfmadd213ps %2, %1, %0" : "+x"(acc[i]) : "x"(x), "x"(y))
			STEP(0); STEP(1); STEP(2); STEP(3); STEP(4);
			STEP(5); STEP(6); STEP(7); STEP(8); STEP(9);
#undef STEP
		}
		t = (now() - t) / 100000 / 10 * 4;
		best = t < best ? t : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	static const unsigned levels[] = { 4, 3, 1 };
	bool all = argc > 1 && !strcmp(argv[1], "all");
	unsigned best = ppu_exec_level();
	double ref = best >= 3 ? peak() : 0;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned n = 0; n < 3; n++) {
			struct ppu_dinsn di = cases[i].di;
			double t;

			if (levels[n] > best || (!all && (!cases[i].head || levels[n] != best)))
				continue;
			if (!ppu_exec_select_level(&di, levels[n])) {
				fprintf(stderr, "%s: no such instruction\n", cases[i].name);
				return 1;
			}
			t = measure(di, cases[i].mask, cases[i].f64);
			printf("{\"name\": \"exec: %s", cases[i].name);
			if (all)
				printf(", level %u", levels[n]);
			printf("\", \"value\": %.2f, \"unit\": \"ns\"", t);
			if (ref > 0)
				printf(", \"reference\": %.3f, \"ratio\": %.1f", ref, t / ref);
			printf("}\n");
			fflush(stdout);
		}
	return 0;
}
