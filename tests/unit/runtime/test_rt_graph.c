/* SPDX-License-Identifier: MIT */
/*
 * Graphs that threads launch, through libppu: kernels, copies and fills by a handle that the program chose, and what is
 * refused.  tests/cuda/graph_device.cu tries the tails at length.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <ppu.h>
#include "run_suite.h"
#include "rt_ok.h"

#define TAIL	0x0100000000000000ull	/* cudaStreamGraphTailLaunch */
#define AT_ONCE	0x0200000000000000ull	/* cudaStreamGraphFireAndForget */

static const char ptx[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".extern .func (.param .b32 r) cudaGraphLaunch(.param .b64 a, .param .b64 b);\n"
	/* *to = 100 * *to + n, and which graph it is in */
	".visible .entry append(.param .u64 to, .param .u32 n)\n{\n\t.reg .b64 %rd<3>;\n\t.reg .b32 %r<3>;\n"
	"\tld.param.u64 %rd0, [to];\n\tld.param.u32 %r0, [n];\n\tld.global.u32 %r1, [%rd0];\n\tmad.lo.u32 %r1, %r1, 100, %r0;\n"
	"\tst.global.u32 [%rd0], %r1;\n\tmov.u64 %rd1, %current_graph_exec;\n\tst.global.u64 [%rd0+8], %rd1;\n\tret;\n}\n"
	".visible .entry go(.param .u64 to, .param .u64 graph, .param .u64 how)\n{\n\t.reg .b64 %rd<4>;\n\t.reg .b32 %r<3>;\n"
	"\tld.param.u64 %rd0, [to];\n\tld.param.u64 %rd1, [graph];\n\tld.param.u64 %rd2, [how];\n"
	"\t{\n\t.param .b64 p0;\n\tst.param.b64 [p0+0], %rd1;\n\t.param .b64 p1;\n\tst.param.b64 [p1+0], %rd2;\n\t.param .b32 r0;\n"
	"\tcall.uni (r0), cudaGraphLaunch, (p0, p1);\n\tld.param.b32 %r0, [r0+0];\n\t}\n"
	"\tst.global.u32 [%rd0+16], %r0;\n\tret;\n}\n";

struct words {
	uint32_t number, pad;
	uint64_t graph;
	uint32_t error;
	uint8_t room[256];
};

static ppuCtx ctx;
static ppuModule module;
static struct words *words;

static void begin(void)
{
	ppuInitOptions o = { .backend = "core" };
	ppuModuleOptions mo = { .kind = PPU_MODULE_PTX, .name = "test.ptx" };

	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&module, ptx, 0, &mo));
	OK(ppuMallocHost((void **)&words, sizeof(*words)));
	memset(words, 0, sizeof(*words));
}

static ppuFunction function(const char *name)
{
	ppuFunction f;

	OK(ppuModuleGetFunction(&f, module, name));
	return f;
}

/* The parameters of `append`; each node has its own. */
struct append {
	struct words *to;
	uint32_t n;
} __attribute__((packed));

static ppuGraphNode appending(struct append *a, uint32_t n)
{
	*a = (struct append){ words, n };
	return (ppuGraphNode){ .kind = PPU_GRAPH_KERNEL, .function = function("append"), .grid = ppuDim(1, 1, 1),
			       .block = ppuDim(1, 1, 1), .packed = a, .packed_bytes = sizeof(*a) };
}

static uint32_t go(uint64_t graph, uint64_t how)
{
	void *params[] = { &words, &graph, &how };

	OK(ppuLaunchKernel(function("go"), ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, params, NULL, 0));
	OK(ppuCtxSynchronize());
	return words->error;
}

START_TEST(nodes_in_order)
{
	struct append a[3];
	ppuGraphNode n[5];
	ppuGraph g, h;

	begin();
	for (unsigned i = 0; i < 2; i++)
		n[i] = appending(&a[i], i + 1);
	n[2] = (ppuGraphNode){ .kind = PPU_GRAPH_FILL, .dst = (uintptr_t)words->room, .dst_pitch = 8, .dst_slice = 24, .width = 6,
			       .height = 3, .depth = 1, .value = 0xabcd, .element = 2 };
	n[3] = (ppuGraphNode){ .kind = PPU_GRAPH_COPY, .dst = (uintptr_t)words->room + 101, .dst_pitch = 9, .dst_slice = 18,
			       .src = (uintptr_t)words->room, .src_pitch = 8, .src_slice = 8, .width = 7, .height = 2, .depth = 2 };
	n[4] = appending(&a[2], 3);
	OK(ppuGraphCreate(&g, 77, n, 5));
	memset(a, 0, sizeof(a));		/* they are copied */
	OK(ppuGraphCreate(&h, 78, n + 2, 1));
	OK(ppuGraphLaunch(g, NULL));
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(words->number, 10203);
	ck_assert_uint_eq(words->graph, 77);
	for (unsigned i = 0; i < 24; i++)
		ck_assert_uint_eq(words->room[i], i % 8 < 6 ? (i % 2 ? 0xab : 0xcd) : 0);
	for (unsigned z = 0; z < 2; z++)
		for (unsigned y = 0; y < 2; y++)
			for (unsigned x = 0; x < 9; x++)
				ck_assert_uint_eq(words->room[101 + z * 18 + y * 9 + x], x < 7 ? words->room[(z + y) * 8 + x] : 0);
	ck_assert_uint_eq(words->room[100], 0);
	/* By a thread, and again; the other graph is in the list, too, and takes itself out. */
	words->number = 0;
	ck_assert_uint_eq(go(77, AT_ONCE), 0);
	ck_assert_uint_eq(words->number, 10203);
	ck_assert_uint_eq(go(77, AT_ONCE), 0);
	ck_assert_uint_eq(go(78, AT_ONCE), 0);
	OK(ppuGraphDestroy(h));
	ck_assert_uint_eq(go(78, AT_ONCE), 1);
	ck_assert_uint_eq(go(77, AT_ONCE), 0);
	OK(ppuGraphCreate(&h, 79, n + 2, 1));
	OK(ppuGraphDestroy(g));
	ck_assert_uint_eq(go(77, AT_ONCE), 1);
	ck_assert_uint_eq(go(79, AT_ONCE), 0);
	ck_assert_uint_eq(go(79, 0), 1);	/* no stream for graphs */
	ck_assert_uint_eq(go(79, 4), 1);
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuGraphDestroy(g));
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuGraphLaunch(g, NULL));
	OK(ppuCtxDestroy(ctx));
	ppuGraphDestroy(h);			/* its memory went with the context */
	ppuShutdown();
}
END_TEST

struct going {
	void *to;
	uint64_t graph, how;
} __attribute__((packed));

/* A node that launches another graph; the answer goes to the number at + 16. */
static ppuGraphNode going(struct going *p, unsigned at, uint64_t graph, uint64_t how)
{
	*p = (struct going){ (uint8_t *)words + at, graph, how };
	return (ppuGraphNode){ .kind = PPU_GRAPH_KERNEL, .function = function("go"), .grid = ppuDim(1, 1, 1),
			       .block = ppuDim(1, 1, 1), .packed = p, .packed_bytes = sizeof(*p) };
}

static uint32_t answer(unsigned at)
{
	uint32_t v;

	memcpy(&v, (uint8_t *)words + at + 16, sizeof(v));
	return v;
}

/* A graph is in one tail, and there once; one that runs is not launched at once.  The next launch finds everything as before. */
START_TEST(tail_once)
{
	struct append a;
	struct going p[3];
	ppuGraphNode n[3];
	ppuGraph g, h;

	begin();
	n[0] = appending(&a, 5);
	OK(ppuGraphCreate(&g, 80, n, 1));
	n[0] = going(&p[0], 32, 80, TAIL);
	n[1] = going(&p[1], 64, 80, TAIL);
	n[2] = going(&p[2], 96, 81, AT_ONCE);
	OK(ppuGraphCreate(&h, 81, n, 3));
	for (unsigned i = 1; i < 3; i++) {
		memset((uint8_t *)words + 32, 9, 96);
		OK(ppuGraphLaunch(h, NULL));
		OK(ppuCtxSynchronize());
		ck_assert_uint_eq(answer(32), 0);
		ck_assert_uint_eq(answer(64), 1);
		ck_assert_uint_eq(answer(96), 1);
		ck_assert_uint_eq(words->number, i == 1 ? 5 : 505);
	}
	OK(ppuGraphDestroy(g));
	OK(ppuGraphDestroy(h));
	ppuShutdown();
}
END_TEST

START_TEST(refused)
{
	struct append a;
	ppuGraphNode n;
	ppuGraph g;

	begin();
	n = appending(&a, 1);
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(NULL, 1, &n, 1));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(&g, 1, NULL, 1));
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(&g, 1, &n, 0));
	n.block = ppuDim(1025, 1, 1);
	FAILS(PPU_ERROR_INVALID_CONFIGURATION, ppuGraphCreate(&g, 1, &n, 1));
	n = appending(&a, 1);
	n.packed_bytes = 100;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(&g, 1, &n, 1));
	n.packed = NULL;
	n.packed_bytes = 0;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(&g, 1, &n, 1));
	n.function = (ppuFunction)&n;
	FAILS(PPU_ERROR_INVALID_HANDLE, ppuGraphCreate(&g, 1, &n, 1));
	n = (ppuGraphNode){ .kind = PPU_GRAPH_FILL, .dst = (uintptr_t)words, .width = 3, .height = 1, .depth = 1, .element = 3 };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(&g, 1, &n, 1));
	n = (ppuGraphNode){ .kind = PPU_GRAPH_COPY, .width = 3, .height = 0, .depth = 1 };
	FAILS(PPU_ERROR_INVALID_VALUE, ppuGraphCreate(&g, 1, &n, 1));
	/* Nothing of these is in the list. */
	ck_assert_uint_eq(go(1, AT_ONCE), 1);
	ppuShutdown();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("rt_graph");
	TCase *t = tcase_create("rt_graph");

	tcase_set_timeout(t, 300);
	tcase_add_test(t, nodes_in_order);
	tcase_add_test(t, tail_once);
	tcase_add_test(t, refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
