/* SPDX-License-Identifier: MIT */
/* Large PTX programs of many shapes: see ptx_large.h. */
#include <stdio.h>
#include <stdlib.h>
#include "ptx_large.h"

#define REGS	200

struct gen {
	FILE *f;
	unsigned lines, seed;
};

static unsigned rnd(struct gen *g, unsigned n)
{
	g->seed = g->seed * 1664525u + 1013904223u;
	return (g->seed >> 9) % n;
}

static void kernel(struct gen *g, unsigned regs)
{
	fprintf(g->f, ".entry big(.param .u64 p)\n{\n.reg .b32 %%r<%u>;\n.reg .pred %%p<9>;\n.reg .b64 %%rd<9>;\n"
		"ld.param.u64 %%rd1, [p];\nmov.u32 %%r0, %%tid.x;\n", regs);
}

/* A kernel with the registers r0 to r199 loaded. */
static void loaded(struct gen *g, unsigned regs)
{
	kernel(g, regs);
	for (unsigned i = 1; i < REGS; i++)
		fprintf(g->f, "ld.global.u32 %%r%u, [%%rd1+%u];\n", i, i * 4);
}

static void stored(struct gen *g)
{
	for (unsigned i = 0; i < REGS; i++)
		fprintf(g->f, "st.global.u32 [%%rd1+%u], %%r%u;\n", i * 4, i);
	fputs("ret;\n}\n", g->f);
}

static void some(struct gen *g)
{
	fprintf(g->f, "%s %%r%u, %%r%u, %%r%u;\n", rnd(g, 2) ? "add.u32" : "xor.b32", rnd(g, 128), rnd(g, 128),
		rnd(g, 128));
}

static void straight(struct gen *g)
{
	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines; i++)
		some(g);
	stored(g);
}

/* Branches forward, some in others. */
static void branches(struct gen *g)
{
	unsigned deep = 0, label = 0, open[64];

	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines; i++) {
		unsigned what = rnd(g, 8);

		if (!what && deep < 60) {
			open[deep++] = label;
			fprintf(g->f, "setp.lt.s32 %%p1, %%r%u, %%r%u;\n@%%p1 bra L%u;\n", rnd(g, 128), rnd(g, 128),
				label++);
		} else if (what == 1 && deep) {
			fprintf(g->f, "L%u:\n", open[--deep]);
		} else {
			some(g);
		}
	}
	while (deep)
		fprintf(g->f, "L%u:\n", open[--deep]);
	stored(g);
}

/* Branches to one place at the end, from everywhere. */
static void one_label(struct gen *g)
{
	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines; i += 3) {
		fprintf(g->f, "setp.eq.u32 %%p1, %%r%u, %u;\n@%%p1 bra LAST;\n", rnd(g, 128), i);
		some(g);
	}
	fputs("LAST:\n", g->f);
	stored(g);
}

/* Nested branches forward, as deep as the program is long. */
static void nested_ifs(struct gen *g)
{
	unsigned n = g->lines / 5;

	loaded(g, REGS);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "setp.eq.u32 %%p1, %%r%u, %u;\n@%%p1 bra L%u;\n", rnd(g, 128), i, i);
		some(g);
	}
	for (unsigned i = n; i-- > 0;) {
		fprintf(g->f, "L%u:\n", i);
		some(g);
	}
	stored(g);
}

/* Loops one behind the other. */
static void loops(struct gen *g)
{
	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines / 6; i++) {
		fprintf(g->f, "mov.u32 %%r198, %%r%u;\nT%u:\n", rnd(g, 128), i);
		some(g);
		fprintf(g->f, "sub.u32 %%r198, %%r198, 1;\nsetp.ne.u32 %%p1, %%r198, 0;\n@%%p1 bra T%u;\n", i);
	}
	stored(g);
}

/* Loops in each other, each with a counter of its own. */
static void nest(struct gen *g)
{
	unsigned n = g->lines / 7;

	loaded(g, REGS + n);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "mov.u32 %%r%u, 0;\nT%u:\n", REGS + i, i);
		some(g);
	}
	for (unsigned i = n; i-- > 0;) {
		fprintf(g->f, "add.u32 %%r%u, %%r%u, 1;\nsetp.lt.u32 %%p1, %%r%u, %%r%u;\n@%%p1 bra T%u;\n", REGS + i,
			REGS + i, REGS + i, i % 100, i);
		some(g);
	}
	stored(g);
}

/* Nests of some loops in one big loop. */
static void small_nests(struct gen *g)
{
	unsigned deep = 10, label = 0;

	loaded(g, REGS);
	fputs("TOP:\n", g->f);
	for (unsigned i = 0; i < g->lines; i += 5 * deep) {
		for (unsigned k = 0; k < deep; k++, label++) {
			fprintf(g->f, "mov.u32 %%r%u, 0;\nT%u:\n", 150 + k, label);
			some(g);
		}
		for (unsigned k = deep; k-- > 0;)
			fprintf(g->f, "add.u32 %%r%u, %%r%u, 1;\nsetp.lt.u32 %%p1, %%r%u, %%r%u;\n@%%p1 bra T%u;\n",
				150 + k, 150 + k, 150 + k, k, label - deep + k);
	}
	fputs("setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra TOP;\n", g->f);
	stored(g);
}

/* Loops in each other without counters; lanes may leave in the middle, to behind the next loop or behind all. */
static void nest_leave(struct gen *g, int all)
{
	unsigned n = g->lines / 7;

	loaded(g, REGS);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "T%u:\n", i);
		some(g);
		fprintf(g->f, "setp.lt.u32 %%p2, %%r%u, %%r%u;\n", rnd(g, 128), rnd(g, 128));
		if (all)
			fputs("@%p2 bra OUT;\n", g->f);
		else
			fprintf(g->f, "@%%p2 bra B%u;\n", i ? i - 1 : 0);
	}
	for (unsigned i = n; i-- > 0;) {
		fprintf(g->f, "setp.lt.u32 %%p1, %%r%u, %%r%u;\n@%%p1 bra T%u;\nB%u:\n", rnd(g, 128), rnd(g, 128), i, i);
		some(g);
	}
	fputs("OUT:\n", g->f);
	stored(g);
}

static void nest_break(struct gen *g)
{
	nest_leave(g, 0);
}

static void nest_out(struct gen *g)
{
	nest_leave(g, 1);
}

/* Loops with one header: lines jump back to it from everywhere. */
static void one_header(struct gen *g)
{
	loaded(g, REGS);
	fputs("TOP:\n", g->f);
	for (unsigned i = 0; i < g->lines; i += 3) {
		some(g);
		fprintf(g->f, "setp.eq.u32 %%p1, %%r%u, %u;\n@%%p1 bra TOP;\n", rnd(g, 128), i);
	}
	stored(g);
}

/* Loops in each other with jumps into their middle. */
static void entries(struct gen *g)
{
	unsigned n = g->lines / 8;

	loaded(g, REGS);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "setp.lt.u32 %%p2, %%r%u, %%r%u;\n@%%p2 bra M%u;\nT%u:\n", rnd(g, 128), rnd(g, 128), i, i);
		some(g);
	}
	for (unsigned i = n; i-- > 0;) {
		fprintf(g->f, "M%u:\n", i);
		some(g);
		fprintf(g->f, "setp.lt.u32 %%p1, %%r%u, %%r%u;\n@%%p1 bra T%u;\n", rnd(g, 128), rnd(g, 128), i);
	}
	stored(g);
}

/* Jumps anywhere. */
static void jumps(struct gen *g)
{
	unsigned n = g->lines / 4;

	loaded(g, REGS);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "L%u:\nsetp.lt.u32 %%p2, %%r%u, %%r%u;\n@%%p2 bra L%u;\n", i, rnd(g, 128), rnd(g, 128),
			rnd(g, n));
		some(g);
	}
	stored(g);
}

/* What a lane knows of its number moves one register a turn. */
static void against(struct gen *g)
{
	unsigned n = g->lines / 4;

	loaded(g, REGS + n + 1);
	for (unsigned i = 0; i <= n; i++)
		fprintf(g->f, "mov.u32 %%r%u, %u;\n", REGS + i, i);
	fputs("TOP:\n", g->f);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "mov.u32 %%r%u, %%r%u;\n", REGS + i, REGS + i + 1);
		if (i % 8 == 0)
			fprintf(g->f, "setp.lt.u32 %%p2, %%r%u, 7;\n@%%p2 bra L%u;\nbar.sync 0;\nL%u:\n", REGS + i, i, i);
	}
	fprintf(g->f, "add.u32 %%r%u, %%r%u, %%r0;\nsetp.lt.u32 %%p1, %%r%u, %%r2;\n@%%p1 bra TOP;\n", REGS + n, REGS,
		REGS);
	stored(g);
}

/* More values than there are registers, all of them for long. */
static void pressure(struct gen *g)
{
	unsigned n = g->lines / 2;

	kernel(g, n);
	for (unsigned i = 1; i < n; i++)
		fprintf(g->f, "ld.global.u32 %%r%u, [%%rd1+%u];\n", i, i * 4);
	for (unsigned i = 0; i < n; i++)
		fprintf(g->f, "st.global.u32 [%%rd1+%u], %%r%u;\n", i * 4, i);
	fputs("ret;\n}\n", g->f);
}

/* A window of values moves along: 300 live at each place. */
static void window(struct gen *g)
{
	unsigned n = g->lines, w = 300;

	kernel(g, n + w);
	for (unsigned i = 1; i < w; i++)
		fprintf(g->f, "ld.global.u32 %%r%u, [%%rd1+%u];\n", i, i * 4);
	for (unsigned i = 0; i < n; i++)
		fprintf(g->f, "add.u32 %%r%u, %%r%u, %%r%u;\n", i + w, i, i + 1 + rnd(g, w - 1));
	for (unsigned i = 0; i < w; i++)
		fprintf(g->f, "st.global.u32 [%%rd1+%u], %%r%u;\n", i * 4, n + i);
	fputs("ret;\n}\n", g->f);
}

/* Four values in a row, in different rows. */
static void vectors(struct gen *g)
{
	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines / 3; i++) {
		unsigned a = rnd(g, 128), b = rnd(g, 128);

		fprintf(g->f, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%rd1+%u];\n", a, (a + 7) % 128,
			(a + 9) % 128, (a + 3) % 128, i * 16);
		fprintf(g->f, "st.global.v4.u32 [%%rd1+%u], {%%r%u, %%r%u, %%r%u, %%r%u};\n", i * 16, b, (b + 1) % 128,
			(b + 1) % 128, (b + 50) % 128);
		some(g);
	}
	stored(g);
}

/* Copies of copies, additions to additions. */
static void chain(struct gen *g)
{
	unsigned n = g->lines / 3;

	kernel(g, 3 * n + 9);
	for (unsigned i = 0; i < n; i++)
		fprintf(g->f, "mov.b32 %%r%u, %%r%u;\nadd.u32 %%r%u, %%r%u, 4;\nshl.b32 %%r%u, %%r%u, 1;\n", 3 * i + 1,
			3 * i, 3 * i + 2, 3 * i + 1, 3 * i + 3, 3 * i + 2);
	fprintf(g->f, "st.global.u32 [%%rd1], %%r%u;\nret;\n}\n", 3 * n);
}

/* Results that nobody reads, used by each other. */
static void dead(struct gen *g)
{
	unsigned n = g->lines / 2;

	kernel(g, n + 9);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "mad.lo.u32 %%r%u, %%r%u, %%r%u, 3;\n", i + 1, i, i / 2);
		if (i % 10 == 9)
			fprintf(g->f, "setp.lt.u32 %%p1, %%r%u, 9;\n@%%p1 bra L%u;\nL%u:\n", i, i, i);
	}
	fputs("ret;\n}\n", g->f);
}

/* Guards, and exits in the middle. */
static void guards(struct gen *g)
{
	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines / 3; i++) {
		fprintf(g->f, "setp.lt.u32 %%p%u, %%r%u, %u;\n@%%p%u ", i % 8, rnd(g, 128), i, rnd(g, 8));
		some(g);
		if (i % 16)
			fprintf(g->f, "@!%%p%u st.global.u32 [%%rd1+%u], %%r%u;\n", rnd(g, 8), i * 4, rnd(g, 128));
		else
			fprintf(g->f, "@%%p%u ret;\n", rnd(g, 8));
	}
	stored(g);
}

/* One switch over many places. */
static void many_ways(struct gen *g)
{
	unsigned n = g->lines / 3;

	loaded(g, REGS);
	fputs("ts: .branchtargets L0", g->f);
	for (unsigned i = 1; i < n; i++)
		fprintf(g->f, ", L%u", i);
	fputs(";\nbrx.idx %r0, ts;\n", g->f);
	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, "L%u:\n", i);
		some(g);
		fputs(i % 2 ? "bra.uni LAST;\n" : "", g->f);
	}
	fputs("LAST:\n", g->f);
	stored(g);
}

/* Functions that call each other. */
static void functions(struct gen *g)
{
	unsigned n = g->lines / 13;

	for (unsigned i = 0; i < n; i++) {
		fprintf(g->f, ".func (.param .b32 o) f%u(.param .b32 x)\n{\n.reg .b32 %%r<4>;\nld.param.b32 %%r1, [x];\n", i);
		if (i)
			fprintf(g->f, "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r1;\n"
				"call (b), f%u, (a);\nld.param.b32 %%r1, [b]; }\n", i % 7 ? i - 1 : i / 2);
		fputs("add.u32 %r1, %r1, 1;\nst.param.b32 [o], %r1;\nret;\n}\n", g->f);
	}
	kernel(g, 9);
	fprintf(g->f, "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %%r0;\ncall (b), f%u, (a);\n"
		"ld.param.b32 %%r1, [b]; }\nst.global.u32 [%%rd1], %%r1;\nret;\n}\n", n - 1);
}

/* Calls of one function. */
static void calls(struct gen *g)
{
	fputs(".func (.param .b32 o) f(.param .b32 x)\n{\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\n"
	      "add.u32 %r1, %r1, 1;\nst.param.b32 [o], %r1;\nret;\n}\n", g->f);
	loaded(g, REGS);
	for (unsigned i = 0; i < g->lines / 4; i++) {
		fprintf(g->f, "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %%r%u;\ncall (b), f, (a);\n"
			"ld.param.b32 %%r%u, [b]; }\n", rnd(g, 128), rnd(g, 128));
	}
	stored(g);
}

/* Variables of each kind, and their addresses. */
static void variables(struct gen *g)
{
	unsigned n = g->lines / 8;

	for (unsigned i = 0; i < n; i++)
		fprintf(g->f, ".global .u32 g%u = %u;\n.const .u32 c%u = %u;\n.shared .align 4 .b8 s%u[4];\n", i, i, i, i, i);
	kernel(g, 9);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = rnd(g, n);

		fprintf(g->f, ".local .align 4 .b8 l%u[4];\nld.global.u32 %%r1, [g%u];\nld.const.u32 %%r2, [c%u];\n"
			"st.shared.u32 [s%u], %%r1;\nst.local.u32 [l%u], %%r2;\n", i, k, k, k, i);
	}
	fputs("ret;\n}\n", g->f);
}

/* Kernels with shared memory of their own and dynamic shared memory, and lines of a source. */
static void kernels(struct gen *g)
{
	fputs(".file 1 \"a.cu\"\n.extern .shared .align 16 .b8 dyn[];\n", g->f);
	for (unsigned i = 0; i < g->lines / 12; i++)
		fprintf(g->f, ".entry k%u(.param .u64 p)\n{\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n.shared .align 4 .b8 own[%u];\n"
			".loc 1 %u 3\nmov.u32 %%r1, dyn;\nld.shared.u32 %%r2, [%%r1];\nst.shared.u32 [own], %%r2;\n"
			".loc 1 %u 7\nld.param.u64 %%rd1, [p];\nst.global.u32 [%%rd1], %%r2;\nret;\n}\n", i, 4 + i % 9 * 4, i,
			i + 1);
}

static const struct {
	const char *name;
	void (*make)(struct gen *g);
} shapes[] = {
	{ "straight", straight }, { "branches", branches }, { "one_label", one_label }, { "nested_ifs", nested_ifs },
	{ "loops", loops }, { "nest", nest }, { "small_nests", small_nests }, { "nest_break", nest_break },
	{ "nest_out", nest_out }, { "one_header", one_header }, { "entries", entries }, { "jumps", jumps },
	{ "against", against }, { "pressure", pressure }, { "window", window }, { "vectors", vectors },
	{ "chain", chain }, { "dead", dead }, { "guards", guards }, { "many_ways", many_ways },
	{ "functions", functions }, { "calls", calls }, { "variables", variables }, { "kernels", kernels },
};

const char *ptx_large_name(unsigned shape)
{
	return shape < sizeof(shapes) / sizeof(shapes[0]) ? shapes[shape].name : NULL;
}

char *ptx_large(unsigned shape, unsigned lines, size_t *len)
{
	char *out = NULL;
	struct gen g = { .f = open_memstream(&out, len), .lines = lines, .seed = 7 };

	fputs(".version 7.0\n.target sm_80\n.address_size 64\n", g.f);
	shapes[shape].make(&g);
	fclose(g.f);
	return out;
}
