/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include "ptx_random.h"

typedef uint32_t u32;

#define REGS	24
#define WIDE	6
#define PREDS	5

static u32 seed;
static u32 rnd(u32 n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 9) % n;
}

struct gen {
	FILE *f;
	unsigned labels, loops, depth;
};

/* A source: a register, sometimes a constant (some of them special). */
static const char *src(void)
{
	static const u32 special[] = { 0, 1, 2, 8, 31, 32, 0xff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff };
	static char buf[8][16];
	static int turn;
	char *s = buf[turn++ & 7];

	if (rnd(4))
		snprintf(s, 16, "%%r%u", rnd(REGS));
	else
		snprintf(s, 16, "%u", rnd(3) ? special[rnd(12)] : rnd(100000));
	return s;
}

static void guard(struct gen *g)
{
	if (!rnd(5))
		fprintf(g->f, "@%s%%p%u ", rnd(2) ? "!" : "", rnd(PREDS));
}

static void insn(struct gen *g)
{
	static const char *const two[] = { "add.u32", "sub.u32", "mul.lo.u32", "and.b32", "or.b32", "xor.b32", "min.s32",
		"max.u32", "shl.b32", "shr.s32", "shr.u32", "mul.hi.u32", "div.u32", "rem.s32", "add.s32", "mul.hi.s32" };
	static const char *const three[] = { "mad.lo.u32", "mad.hi.u32", "bfe.u32", "bfe.s32", "shf.l.wrap.b32", "prmt.b32", "sad.u32" };
	static const char *const one[] = { "not.b32", "neg.s32", "abs.s32", "popc.b32", "clz.b32", "brev.b32", "mov.u32", "mov.u32" };
	static const char *const cmp[] = { "eq", "ne", "lt", "le", "gt", "ge" };
	unsigned d = rnd(REGS), p;

	guard(g);
	switch (rnd(14)) {
	case 0: case 1: case 2: case 3:
		fprintf(g->f, "%s %%r%u, %s, %s;\n", two[rnd(16)], d, src(), src());
		break;
	case 4: case 5:
		fprintf(g->f, "%s %%r%u, %s, %s, %s;\n", three[rnd(7)], d, src(), src(), src());
		break;
	case 6:
		fprintf(g->f, "%s %%r%u, %s;\n", one[rnd(8)], d, src());
		break;
	case 7:
		p = rnd(PREDS);
		fprintf(g->f, "setp.%s.%s32 %%p%u|%%p%u, %s, %s;\n", cmp[rnd(6)], rnd(2) ? "s" : "u", p, (p + 1) % PREDS, src(), src());
		break;
	case 8:
		fprintf(g->f, "selp.b32 %%r%u, %s, %s, %s%%p%u;\n", d, src(), src(), rnd(2) ? "!" : "", rnd(PREDS));
		break;
	case 9:
		fprintf(g->f, "%s.pred %%p%u, %%p%u, %s%%p%u;\n", rnd(3) ? rnd(2) ? "and" : "or" : "xor", rnd(PREDS), rnd(PREDS),
			rnd(2) ? "!" : "", rnd(PREDS));
		break;
	case 10:
		fprintf(g->f, "mad.wide.u32 %%l%u, %s, %s, %%l%u;\n", rnd(WIDE), src(), src(), rnd(WIDE));
		break;
	case 11:
		fprintf(g->f, "%s.b64 %%l%u, %%l%u, %%l%u;\n", rnd(2) ? "xor" : "and", rnd(WIDE), rnd(WIDE), rnd(WIDE));
		break;
	case 12:
		fprintf(g->f, "mov.b64 {%%r%u, %%r%u}, %%l%u;\n", d, (d + 1) % REGS, rnd(WIDE));
		break;
	default:	/* through local memory, and a value of the input */
		if (rnd(2))
			fprintf(g->f, "st.local.u32 [mem+%u], %%r%u;\n", rnd(8) * 4, d);
		else if (rnd(2))
			fprintf(g->f, "ld.local.u32 %%r%u, [mem+%u];\n", d, rnd(8) * 4);
		else
			fprintf(g->f, "ld.global.u32 %%r%u, [%%in+%u];\n", d, rnd(8) * 4);
	}
}

static void body(struct gen *g, unsigned n);

static void statement(struct gen *g)
{
	unsigned a = g->labels, k = g->loops;

	if (g->depth > 3 || rnd(5)) {
		insn(g);
		return;
	}
	g->depth++;
	g->labels += 2;
	switch (rnd(4)) {
	case 0:		/* if */
		fprintf(g->f, "@%s%%p%u bra L%u;\n", rnd(2) ? "!" : "", rnd(PREDS), a);
		body(g, 1 + rnd(6));
		break;
	case 1:		/* if, else; the test may jump out of the first side */
		fprintf(g->f, "@%%p%u bra L%u;\n", rnd(PREDS), a + 1);
		body(g, 1 + rnd(5));
		if (rnd(2))
			fprintf(g->f, "@%%p%u bra L%u;\n", rnd(PREDS), a);
		body(g, rnd(3));
		fprintf(g->f, "bra L%u;\nL%u:\n", a, a + 1);
		body(g, 1 + rnd(5));
		break;
	case 2:		/* a counted loop with a break; each lane has its own count */
		g->loops++;
		fprintf(g->f, "and.b32 %%n%u, %s, 7;\nL%u:\n", k, src(), a + 1);
		body(g, 1 + rnd(5));
		if (rnd(2))
			fprintf(g->f, "@%%p%u bra L%u;\n", rnd(PREDS), a);
		body(g, 1 + rnd(3));
		fprintf(g->f, "sub.u32 %%n%u, %%n%u, 1;\nsetp.gt.s32 %%q, %%n%u, 0;\n@%%q bra L%u;\n", k, k, k, a + 1);
		break;
	default:	/* a call */
		fprintf(g->f, "{ .param .b32 x, y, r; st.param.b32 [x], %%r%u; st.param.b32 [y], %%r%u; call (r), helper, (x, y); "
			"ld.param.b32 %%r%u, [r]; }\n", rnd(REGS), rnd(REGS), rnd(REGS));
	}
	fprintf(g->f, "L%u:\n", a);
	g->depth--;
}

static void body(struct gen *g, unsigned n)
{
	while (n--)
		statement(g);
}

static char *program(void)
{
	char *text = NULL;
	struct gen g = { 0 };
	size_t len;
	unsigned k;

	g.f = open_memstream(&text, &len);
	fputs(".version 7.0\n.target sm_70\n.address_size 64\n"
	      ".func (.param .b32 r) helper(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %a, %b;\n.reg .pred %p;\n"
	      "ld.param.b32 %a, [x];\nld.param.b32 %b, [y];\nsetp.lt.s32 %p, %a, %b;\n@%p bra LESS;\nsub.u32 %a, %a, %b;\nbra OUT;\n"
	      "LESS: mad.lo.u32 %a, %b, 3, %a;\nOUT: st.param.b32 [r], %a;\nret;\n}\n"
	      ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n", g.f);
	fprintf(g.f, ".reg .b32 %%r<%u>, %%n<500>;\n.reg .b64 %%l<%u>, %%in, %%out;\n.reg .pred %%p<%u>, %%q;\n.local .align 8 .b8 mem[32];\n",
		REGS, WIDE, PREDS);
	fputs("ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %in, %r0, 32, %in;\n"
	      "mad.wide.u32 %out, %r0, 256, %out;\n", g.f);
	for (k = 0; k < 8; k++)
		fprintf(g.f, "ld.global.u32 %%r%u, [%%in+%u];\nst.local.u32 [mem+%u], %%r%u;\n", k, k * 4, k * 4, k);
	for (k = 8; k < REGS; k++)
		fprintf(g.f, "xor.b32 %%r%u, %%r%u, %u;\n", k, k - 8, k * 77);
	for (k = 0; k < WIDE; k++)
		fprintf(g.f, "mov.b64 %%l%u, {%%r%u, %%r%u};\n", k, k, k + 1);
	for (k = 0; k < PREDS; k++)
		fprintf(g.f, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", k, k, k + 3);
	body(&g, 40);
	for (k = 0; k < REGS; k++)
		fprintf(g.f, "st.global.u32 [%%out+%u], %%r%u;\n", 4 * k, k);
	for (k = 0; k < WIDE; k++)
		fprintf(g.f, "st.global.u64 [%%out+%u], %%l%u;\n", 4 * REGS + 8 * k, k);
	for (k = 0; k < PREDS; k++)
		fprintf(g.f, "selp.u32 %%r0, 1, 0, %%p%u;\nst.global.u32 [%%out+%u], %%r0;\n", k, 4 * REGS + 8 * WIDE + 4 * k);
	fputs("ret;\n}\n", g.f);
	fclose(g.f);
	return text;
}

char *ptx_random(uint32_t first, uint32_t in[PTX_RANDOM_THREADS * 8])
{
	seed = first;
	for (unsigned t = 0; t < PTX_RANDOM_THREADS * 8; t++)
		in[t] = rnd(3) ? rnd(1u << 22) << 10 ^ rnd(1u << 22) : rnd(40) - 20;
	return program();
}
