/* SPDX-License-Identifier: MIT */
/*
 * Loads on both engines (test_engines.c has random programs): each size, space, and shape of addresses, alone and in
 * groups, in warps with inactive lanes, with what stands around them in a segment (translate/fuse.h).  The addresses come
 * from a table, so one program meets all shapes.  Without sanitizers all combinations are run, with them some.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "load_scene.h"
#include "run_suite.h"

static void fails(const struct load_scene *sc, const char *body)
{
	ck_abort_msg("%s\n%s: %s", body, load_scene_say(sc), epair_why);
}

/* ---- one load, and groups of one size ---- */

static const struct {
	const char *type;
	unsigned bytes, rows;
} access_of[] = { { "u8", 1, 1 }, { "s8", 1, 1 }, { "u16", 2, 1 }, { "s16", 2, 1 }, { "u32", 4, 1 }, { "v2.u32", 8, 2 },
		  { "v4.u32", 16, 4 }, { "u64", 8, 2 }, { "v2.u64", 16, 4 }, { "b128", 16, 4 }, { "s64", 8, 2 }, { "v2.u8", 2, 2 },
		  { "v2.s8", 2, 2 }, { "v4.u8", 4, 4 }, { "v4.s8", 4, 4 }, { "v2.u16", 4, 2 }, { "v2.s16", 4, 2 }, { "v4.u16", 8, 4 },
		  { "v4.s16", 8, 4 } };
#define ACCESSES	(sizeof(access_of) / sizeof(access_of[0]))

static const int steps[][SCENE_GROUP] = {
	{ 0, SCENE_END }, { 5, SCENE_END }, { -4, SCENE_END }, { 0, 1, SCENE_END }, { 0, -1, 3, SCENE_END }, { 2, 0, -2, 1, SCENE_END },
	{ -8, -5, -6, -7, -4, SCENE_END },
	{ 0, 32, 64, SCENE_END }, { 100, 0, 50, SCENE_END }, { 0, SCENE_FAR, -SCENE_FAR, SCENE_END },
};
#define STEPS	(sizeof(steps) / sizeof(steps[0]))

static void group_body(char *body, size_t n, unsigned acc, enum scene_space sp, const int *step)
{
	const unsigned b = access_of[acc].bytes, words = access_of[acc].rows;
	unsigned len = 0, d = 8;

	for (unsigned i = 0; i < 5 && step[i] != SCENE_END; i++, d += 4) {
		len += (unsigned)snprintf(body + len, n - len, "ld.%s.%s %s%u, [%s56%+d]\n", scene_space_name[sp],
			access_of[acc].type, words == 4 ? "rq" : words == 2 ? "rd" : "r", d, scene_narrow(sp) ? "r" : "rd",
			scene_bytes(step[i], b));
		if (i == 1)
			len += (unsigned)snprintf(body + len, n - len, "add.u32 r30, r30, r%u\n", d);
	}
	snprintf(body + len, n - len, "xor.u32 r31, r31, r8\nadd.u32 r29, r29, r31\n");
}

/* often: of the combinations that would be left out, some more are run. */
static void shapes_of(struct load_scene *sc, const char *body, const int *step, bool often)
{
	unsigned mask = 0, n = 0;

	for (int shape = 0; shape < SCENE_SHAPES; shape++)
		for (unsigned k = 0; k < 3; k++, mask++) {
			sc->t[0].shape = shape;
			sc->t[0].imm = scene_anchor(sc->t[0].space, shape, step, sc->t[0].bytes);
			sc->mask[0] = k ? scene_masks[mask % SCENE_MASKS] : ~0u;
			sc->mask[1] = k == 2 ? ~0u : scene_masks[(mask + 3) % SCENE_MASKS];
			sc->threads = mask % 5 == 4 ? 13 : mask % 5 == 3 ? 45 : 64;
			if ((!scene_left_out("PPU_LOADS_EVERY") || (often && n++ % 4 == 3)) && !load_scene_run(sc))
				fails(sc, body);
		}
}

/* _i: the size */
START_TEST(groups)
{
	static char text[SCENE_TEXT];
	char body[1024];

	load_scene_start(EPAIR_PLAIN);
	for (enum scene_space sp = 0; sp < SCENE_SPACES; sp++)
		for (unsigned g = 0; g < STEPS; g++) {
			const unsigned b = access_of[_i].bytes;
			struct load_scene sc = { .text = text, .seed = 3, .shared = g == 4 ? 144 : g == 6 ? 68 : 4096, .params = g == 5 ? 72 : 256 };

			/* Parameters end where there are so many shapes that do not fit. */
			sc.t[0] = (struct scene_table){ sp, 0, b, 0 };
			sc.t[1] = sc.t[2] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
			group_body(body, sizeof(body), (unsigned)_i, sp, steps[g]);
			load_scene_program(text, scene_fill(sp) | ((g + sp) % 2 ? SCENE_WARM : 0), sc.shared, 3, body);
			shapes_of(&sc, body, steps[g], false);
		}
	/* Worth little if all ended early, and as little if none did. */
	ck_assert_uint_gt(scene_runs, 20);
	ck_assert_uint_gt(scene_faults, scene_runs / 20);
	ck_assert_uint_lt(scene_faults, scene_runs * 3 / 4);
	load_scene_end();
}
END_TEST

/* ---- addresses that are a parameter and an index (translate/fuse_index.c) ---- */

#define GUARDS	"setp.lt.u32 p0, r32, 45\nsetp.gt.u32 p1, r32, 20\nbra on\non: "
#define INDEX(n)	"ld.param.u64 rd34, [0]\nsub.u64 rd44, rd56, rd34\nshr.s64 rd44, rd44, " #n "\n"
static const struct {
	const char *body;
	unsigned bytes;
} indexed[] = {
	/* A sum in one, in two, the other way round; nobody else needs it, or somebody does. */
	{ INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n", 4 },
	{ INDEX(2) "madw.u32 rd46, r44, 4, rd34\nld.global.s32 r8, [rd46]\n", 4 },
	{ INDEX(2) "mulw.u32 rd46, r44, 4\nadd.u64 rd46, rd46, rd34\nld.u32 r8, [rd46]\n", 4 },
	{ INDEX(2) "mulw.s32 rd46, r44, 4\nadd.s64 rd48, rd34, rd46\nld.global.u32 r8, [rd48]\nxor.u32 r9, r46, r49\n", 4 },
	/* The address takes the place of the index, and stays there, or not. */
	{ INDEX(2) "madw.s32 rd44, r44, 4, rd34\nld.global.u32 r44, [rd44]\nmov.u32 r45, 5\n", 4 },
	{ INDEX(2) "madw.s32 rd44, r44, 4, rd34\nld.global.u32 r8, [rd44]\nadd.u32 r44, r44, 1\n", 4 },
	{ GUARDS INDEX(2) "madw.s32 rd44, r44, 4, rd34\nld.global.u32 r8, [rd44]\n@p0 mov.u32 r45, 9\n", 4 },
	/* Something else does, before the load, or before the second one. */
	{ INDEX(2) "madw.s32 rd46, r44, 4, rd34\nmov.u32 r44, 3\nld.global.u32 r8, [rd46]\nadd.u32 r9, r9, r44\n", 4 },
	{ GUARDS INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n@p0 add.u32 r44, r44, 1\nld.global.u32 r9, [rd46+4]\n"
	  "add.u32 r10, r10, r44\n", 4 },
	{ INDEX(2) "madw.s32 rd46, r44, 4, rd34\nmov.u32 r34, 64\nld.global.u32 r8, [rd46]\nld.global.u32 r44, [rd46-4]\n"
	  "ld.global.u32 r9, [rd46+8]\n", 4 },
	{ GUARDS INDEX(2) "@p0 add.u32 r44, r44, 1\nmadw.s32 rd46, r44, 4, rd34\n@p1 add.u64 rd46, rd46, 4\nld.global.u32 r8, [rd46]\n", 4 },
	{ GUARDS INDEX(2) "@p0 add.u32 r44, r44, 1\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nmov.u32 r44, r8\n", 4 },
	{ GUARDS "ld.param.u64 rd34, [0]\nsub.u64 rd44, rd56, rd34\nshr.s64 rd44, rd44, 2\n@p0 movi64 rd34, 0\nmadw.s32 rd46, r44, 4, rd34\n"
	  "ld.global.u32 r8, [rd46]\nld.param.u64 rd34, [0]\n", 4 },
	{ INDEX(2) "add.u64 rd34, rd34, 64\nmadw.s32 rd46, r44, 4, rd34\nld.param.u64 rd34, [0]\nld.global.u32 r8, [rd46]\n", 4 },
	/* Neighbours by a number, by one that all lanes have, and by one that they have not. */
	{ INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nadd.s32 r48, r44, -1\nmadw.s32 rd48, r48, 4, rd34\n"
	  "ld.global.u32 r10, [rd48]\nadd.s32 r50, r44, 1\nmadw.s32 rd50, r50, 4, rd34\nld.global.u32 r12, [rd50]\n"
	  "s2r r52, %ntid.x\nadd.s32 r52, r52, r44\nmadw.s32 rd52, r52, 4, rd34\nld.global.u32 r14, [rd52]\n"
	  "s2r r54, %ntid.x\nsub.s32 r54, r44, r54\nmadw.s32 rd54, r54, 4, rd34\nld.global.u32 r16, [rd54]\n", 4 },
	{ INDEX(2) "add.u32 r48, r44, 7\nmadw.u32 rd48, r48, 4, rd34\nld.global.u32 r10, [rd48]\nadd.u32 r50, r44, 1\n"
	  "madw.u32 rd50, r50, 4, rd34\nld.global.u32 r12, [rd50]\nmadw.u32 rd52, r44, 4, rd34\nld.global.u32 r14, [rd52+8]\n", 4 },
	{ INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\ns2r r52, %laneid\nadd.s32 r52, r52, r44\n"
	  "madw.s32 rd52, r52, 4, rd34\nld.global.u32 r14, [rd52]\ns2r r54, %tid.x\nand.u32 r54, r54, 1\nsub.s32 r54, r44, r54\n"
	  "madw.s32 rd54, r54, 4, rd34\nld.global.u32 r16, [rd54]\n", 4 },
	{ GUARDS INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\ns2r r52, %tid.x\nadd.s32 r52, r44, r52\n"
	  "madw.s32 rd52, r52, 4, rd34\nld.global.u32 r14, [rd52]\nmov.u32 r54, r44\n@p0 add.s32 r54, r54, 1\n"
	  "madw.s32 rd54, r54, 4, rd34\nld.global.u32 r16, [rd54]\nadd.s32 r48, r44, 2\n@p1 add.s32 r48, r44, 3\n"
	  "madw.s32 rd48, r48, 4, rd34\nld.global.u32 r18, [rd48]\n", 4 },
	/* The guarded sum is the last that makes an index. */
	{ GUARDS INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n@p0 add.s32 r44, r44, 1\nmadw.s32 rd50, r44, 4, rd34\n"
	  "ld.global.u32 r10, [rd50]\n", 4 },
	/* The pair of an address is made by two instructions. */
	{ GUARDS INDEX(2) "madw.s32 rd46, r44, 4, rd34\n@p0 mov.u32 r47, 1\nld.global.u32 r8, [rd46]\n", 4 },
	/* All but one of the lanes may be neighbours, or far from each other by what a shift drops. */
	{ INDEX(2) "setp.eq.u32 p4, r32, 21\n@p4 add.u32 r44, r44, 0x40000000\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n", 4 },
	/* Indices that go beyond the greatest number; the addresses are those of the array and of what is 16 GiB away. */
	{ "ld.param.u64 rd34, [0]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmadw.s32 rd46, r44, 4, rd34\n"
	  "add.u64 rd46, rd46, 64\nld.global.u32 r8, [rd46]\n", 4 },
	{ "ld.param.u64 rd34, [0]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmadw.u32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46+64]\n", 4 },
	{ "ld.param.u64 rd34, [0]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0x7ffffff5\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n", 4 },
	{ "ld.param.u64 rd34, [0]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46+64]\n", 4 },
	/* The same from an address that is not that of 4 GiB: a window of lanes that wrap looks as if it were one. */
	{ "ld.param.u64 rd34, [8]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmadw.u32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n", 4 },
	{ "ld.param.u64 rd34, [8]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0x7ffffff5\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n", 4 },
	{ "ld.param.u64 rd34, [8]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n"
	  "ld.global.u32 r9, [rd46+8]\n", 4 },
	/* From the middle of the array: below it indices are negative, and sums of low words carry. */
	{ "ld.param.u64 rd34, [8]\nsub.u64 rd44, rd56, rd34\nshr.s64 rd44, rd44, 2\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n"
	  "add.s32 r48, r44, 1\nmadw.s32 rd48, r48, 4, rd34\nld.global.u32 r9, [rd48]\n", 4 },
	{ "ld.param.u64 rd34, [8]\nsub.u64 rd44, rd56, rd34\nshr.s64 rd44, rd44, 2\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\n"
	  "ld.global.u32 r9, [rd46+4]\n", 4 },
	/* Stores by the product, when the index is something else by then: its high word is not 0, or wraps with the base. */
	{ "ld.param.u64 rd34, [8]\nsub.u64 rd44, rd56, rd34\nshr.s64 rd44, rd44, 2\nmulw.s32 rd46, r44, 4\nadd.u64 rd48, rd34, rd46\n"
	  "ld.global.u32 r8, [rd48]\nadd.u32 r44, r8, 1\nld.param.u64 rd36, [8]\nadd.u64 rd50, rd36, rd46\nst.global.u32 [rd50], r44\n", 4 },
	{ INDEX(2) "mulw.s32 rd46, r44, 4\nadd.u64 rd48, rd34, rd46\nld.global.u32 r8, [rd48]\nadd.u32 r44, r8, r32\n"
	  "ld.param.u64 rd36, [0]\nadd.u64 rd50, rd36, rd46\nst.global.u32 [rd50+4], r44\n", 4 },
	{ "ld.param.u64 rd34, [8]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmulw.s32 rd46, r44, 4\nadd.u64 rd48, rd34, rd46\n"
	  "ld.global.u32 r8, [rd48]\nmov.u32 r44, r8\nld.param.u64 rd36, [8]\nadd.u64 rd50, rd36, rd46\nst.global.u32 [rd50], r32\n", 4 },
	{ "ld.param.u64 rd34, [0]\nand.u32 r44, r32, 31\nadd.u32 r44, r44, 0xfffffff5\nmulw.u32 rd46, r44, 4\nadd.u64 rd48, rd34, rd46\n"
	  "ld.global.u32 r8, [rd48+64]\nadd.u32 r44, r8, r32\nld.param.u64 rd36, [0]\nadd.u64 rd50, rd36, rd46\nst.global.u32 [rd50+64], r44\n", 4 },
	{ "and.u32 r44, r32, 31\nadd.u32 r44, r44, 0xffffffc0\nmulw.u32 rd46, r44, 4\nadd.u32 r44, r44, 77\nld.param.u64 rd36, [0]\n"
	  "add.u64 rd50, rd36, rd46\nst.global.u32 [rd50+256], r44\n", 4 },
	/* Other sizes, and factors that are none. */
	{ INDEX(3) "madw.s32 rd46, r44, 8, rd34\nld.global.u64 rd8, [rd46]\nadd.s32 r48, r44, 1\nmadw.s32 rd48, r48, 8, rd34\n"
	  "ld.global.v2.u32 rd10, [rd48]\nld.global.u64 rd12, [rd48+8]\n", 8 },
	{ INDEX(4) "madw.s32 rd46, r44, 16, rd34\nld.global.v4.u32 rq8, [rd46]\nld.global.b128 rq12, [rd46+16]\n", 16 },
	{ INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u64 rd8, [rd46]\nld.global.u16 r10, [rd46+2]\n", 8 },
	{ INDEX(3) "madw.s32 rd46, r44, 8, rd34\nld.global.u32 r8, [rd46]\nld.global.u32 r9, [rd46+4]\n", 8 },
	{ INDEX(2) "mulw.s32 rd46, r44, 3\nadd.u64 rd46, rd46, rd34\nmadw.s32 rd48, r44, r32, rd34\nadd.u64 rd50, rd34, 64\n"
	  "madw.s32 rd50, r44, 4, rd50\nld.global.u32 r8, [rd50]\n", 4 },
	/* The array's start, and what all lanes have, are from before the block. */
	{ INDEX(2) "s2r r52, %ntid.x\nbra kept\nkept: madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nadd.s32 r48, r44, r52\n"
	  "madw.s32 rd48, r48, 4, rd34\nld.global.u32 r10, [rd48]\nadd.s32 r50, r44, 5\nmadw.s32 rd50, r50, 4, rd34\n"
	  "ld.global.u32 r12, [rd50+4]\n", 4 },
	{ INDEX(3) "s2r r52, %ctaid.x\nadd.u32 r52, r52, 1\nbra kept\nkept: madw.s32 rd46, r44, 8, rd34\nld.global.u64 rd8, [rd46]\n"
	  "add.s32 r48, r52, r44\nmadw.s32 rd48, r48, 8, rd34\nld.global.v2.u32 rd10, [rd48]\nadd.s32 r50, r48, -2\n"
	  "mulw.s32 rd50, r50, 8\nadd.u64 rd50, rd50, rd34\nld.global.u64 rd12, [rd50]\n", 8 },
	{ "ld.param.u64 rd34, [8]\nsub.u64 rd44, rd56, rd34\nshr.s64 rd44, rd44, 3\nbra kept\nkept: madw.s32 rd46, r44, 8, rd34\n"
	  "ld.global.u64 rd8, [rd46]\nadd.s32 r48, r44, 1\nmadw.s32 rd48, r48, 8, rd34\nld.global.u64 rd10, [rd48]\n", 8 },
	{ INDEX(2) "bra kept\nkept: mulw.s32 rd46, r44, 4\nadd.u64 rd48, rd34, rd46\nld.global.u32 r8, [rd48]\nadd.u32 r8, r8, r32\n"
	  "st.global.u32 [rd48+4], r8\n", 4 },
	/* They look as if all lanes had the same, and have it the first time only: the start, its high word, and a sum. */
	{ INDEX(2) "mov.u32 r50, 0\nkept: madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nxor.u32 r9, r9, r8\nand.u32 r51, r32, 1\n"
	  "madw.u32 rd34, r51, 64, rd34\nadd.u32 r50, r50, 1\nsetp.lt.u32 p4, r50, 3\n@p4 bra kept\n", 4 },
	{ INDEX(2) "mov.u32 r50, 0\nkept: madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nxor.u32 r9, r9, r8\nand.u32 r51, r32, 16\n"
	  "shr.u32 r51, r51, 4\nadd.u32 r35, r35, r51\nadd.u32 r50, r50, 1\nsetp.lt.u32 p4, r50, 3\n@p4 bra kept\n", 4 },
	{ INDEX(2) "mov.u32 r50, 0\ns2r r52, %ntid.x\nkept: madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nadd.s32 r48, r44, r52\n"
	  "madw.s32 rd48, r48, 4, rd34\nld.global.u32 r10, [rd48]\nxor.u32 r9, r9, r10\nand.u32 r51, r32, 1\nadd.u32 r52, r52, r51\n"
	  "add.u32 r50, r50, 1\nsetp.lt.u32 p4, r50, 3\n@p4 bra kept\n", 4 },
	/* The start is not that of a whole element. */
	{ INDEX(2) "mov.u32 r50, 0\nkept: madw.s32 rd46, r44, 4, rd34\nld.global.u32 r8, [rd46]\nxor.u32 r9, r9, r8\nshr.u32 r51, r50, 1\n"
	  "madw.u32 rd34, r51, 2, rd34\nadd.u32 r50, r50, 1\nsetp.lt.u32 p4, r50, 3\n@p4 bra kept\n", 4 },
	/* What nobody needs: under guards, predicates, loads of parameters; what is needed by a guard or behind. */
	{ GUARDS INDEX(2) "madw.s32 rd46, r44, 4, rd34\n@p0 add.u32 r0, r1, r2\nadd.u32 r0, r3, 1\nsetp.lt.u32 p4, r0, r5\n@p4 add.u32 r6, r6, r0\n"
	  "setp.gt.u32 p4, p3, r6, r7\nsetp.ne.u32 p3, r44, 7\nld.param.u32 r48, [8]\nld.param.u32 r48, [12]\nld.global.u32 r8, [rd46]\n"
	  "@p4 mov.u32 r48, r8\nadd.u32 r9, r9, r48\nmov.u32 r44, r9\n", 4 },
};

/* _i: the body */
START_TEST(indices)
{
	static const int alone[SCENE_GROUP] = { 0, SCENE_END };
	static char text[SCENE_TEXT];

	load_scene_start(EPAIR_PLAIN);
	for (unsigned warm = 0; warm < 2; warm++) {
		struct load_scene sc = { .text = text, .seed = 4, .shared = 4096, .params = 256,
					 .base = SMT_DATA + 0x3204 };

		sc.t[0] = (struct scene_table){ SP_GLOBAL, 0, indexed[_i].bytes, 0 };
		sc.t[1] = sc.t[2] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
		load_scene_program(text, warm ? SCENE_WARM : 0, 4096, 3, indexed[_i].body);
		shapes_of(&sc, indexed[_i].body, alone, true);
	}
	load_scene_end();
}
END_TEST

/*
 * More pages to note than there is room for.  9: words of each lane in another page, which fill up the notes; others: of nine
 * groups that take each other's registers, even ones in one page, odd ones in the next, so each looks for its page again.
 */
START_TEST(many_pages)
{
	static const char order[] = "99999999999943276583212141412141812141814141814101218781414618141414274781874235678";
	static char text[SCENE_TEXT], body[12000];
	struct load_scene sc = { .text = text, .seed = 3, .shared = 4096, .params = 256, .threads = 32 };
	unsigned len = 0;

	for (int i = 0; i < 3; i++) {
		sc.t[i] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
		sc.mask[i] = 0x7fffffff;
	}
#define P(...) len += (unsigned)snprintf(body + len, sizeof(body) - len, __VA_ARGS__)
	P("and.u32 r28, r32, 31\nshr.u32 r23, r28, 3\nand.u32 r29, r28, 7\nmad.u32 r22, r23, 1024, r29\nadd.u32 r22, r22, 248\n"
	  "and.u32 r29, r28, 15\nshl.u32 r29, r29, 12\nadd.u32 r29, r29, 64\nsetp.ge.u32 p1, r28, 16\n@p1 and.u32 r29, r28, 1\n"
	  "@p1 shl.u32 r29, r29, 12\nmadw.u32 rd46, r29, 1, rd34\nshl.u32 r23, r32, 2\nsetp.ge.u32 p0, r32, 0\n@p0 bra on\nexit\n"
	  "on: ld.param.u64 rd34, [0]\nst.shared.u32 [r23], r22\nadd.u32 r44, r22, 0\nadd.u32 r45, r22, 8\n");
	for (int g = 0; g < 9; g++)
		P("madw.s32 rd%d, r%d, 16, rd34\n", 2 * g, 44 + g % 2);
	for (const char *c = order; *c; c++)
		if (*c == '9')
			P("ld.global.u32 r20, [rd46]\n");
		else
			P("ld.global.v4.u32 rq24, [rd%d]\n", 2 * (*c - '0'));
	P("nanosleep 1\n");
#undef P
	load_scene_start(EPAIR_PLAIN);
	load_scene_program(text, SCENE_WARM | SCENE_SHOW, sc.shared, 40, body);
	ck_assert_msg(load_scene_run(&sc), "%s", epair_why);
	load_scene_end();
}
END_TEST

/* So many values between two loads whose lanes lie alike that not all of them, and the distances, fit into registers.
 * _i: how many, from 2 on. */
START_TEST(many_values)
{
	static char text[SCENE_TEXT];
	char body[4096];
	unsigned len, i;

	load_scene_start(EPAIR_PLAIN);
	len = (unsigned)snprintf(body, sizeof(body), INDEX(2) "madw.s32 rd46, r44, 4, rd34\nld.global.u32 r29, [rd46]\n");
	for (i = 0; i < (unsigned)_i; i++)
		len += (unsigned)snprintf(body + len, sizeof(body) - len, "mad.u32 r%u, r29, %u, r32\n", i, 2 * i + 3);
	len += (unsigned)snprintf(body + len, sizeof(body) - len,
		"add.s32 r44, r44, 1\nmadw.s32 rd46, r44, 4, rd34\nld.global.u32 r28, [rd46]\n");
	for (i = 0; i < (unsigned)_i; i++)
		len += (unsigned)snprintf(body + len, sizeof(body) - len, "xor.u32 r%u, r%u, r28\n", i, i);
	for (unsigned shape = SH_EQUAL; shape <= SH_CROSS_8; shape++) {
		struct load_scene sc = { .text = text, .seed = 4, .threads = 64, .shared = 4096, .params = 256,
					 .mask = { ~0u, shape % 2 ? ~0u : 0xffff00ff } };

		sc.t[0] = (struct scene_table){ SP_GLOBAL, shape, 4, 0 };
		sc.t[1] = sc.t[2] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
		load_scene_program(text, 0, 4096, 2, body);
		if (!load_scene_run(&sc))
			fails(&sc, body);
	}
	load_scene_end();
}
END_TEST

/* ---- random bodies ---- */

/* _i: the machine */
START_TEST(bodies)
{
	const char *n = getenv("PPU_LOADS_BODIES"), *first = getenv("PPU_LOADS_SEED");
	uint64_t want = n ? strtoull(n, NULL, 0) : 40, at = first ? strtoull(first, NULL, 0) : 1;
	static struct ppu_insn code[SCENE_CODE];
	struct load_scene sc;

	load_scene_start(_i);
	for (uint64_t i = 0; i < want; i++) {
		uint64_t seed = at + i * EPAIR_MACHINES + (uint64_t)_i;
		struct irnd r = { .state = seed * 0x9e3779b97f4a7c15ull | 1 };

		load_scene_random(&sc, &r, code);
		if (_i == EPAIR_CUT) {
			sc.window_ns = 100 * (1 + (uint32_t)(seed % 60));
			sc.cut = 1 + seed % 5;
		}
		sc.after = _i == EPAIR_MIXED ? 1 + seed % 6 : 0;
		if (!load_scene_run(&sc)) {
			epair_show(code, sc.n);
			ck_abort_msg("seed %llu, machine %d: %s: %s", (unsigned long long)seed, _i, load_scene_say(&sc), epair_why);
		}
	}
	ck_assert_uint_lt(scene_faults, want * 3 / 4 + 10);
	load_scene_end();
}
END_TEST

/* ---- what is too rare among these ---- */

/* Each line runs with the shapes of its three addresses, all lanes and some of them. */
static const struct {
	const char *body;
	struct scene_table t[3];
	unsigned times;
	bool faults;
} fixed[] = {
	/* The base is the result of the load itself, of both words, and is changed between two loads. */
	{ "ld.global.u32 r57, [rd56+4]\nmov.u32 r57, 2\nmov.u32 r56, 64\nld.global.u32 r8, [rd56]\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "ld.global.u64 rd58, [rd58]\nld.global.u32 r8, [rd56]\nadd.u64 rd56, rd56, 4\nld.global.u32 r9, [rd56]\n"
	  "@p0 add.u64 rd56, rd56, 8\nld.global.u32 r10, [rd56]\nld.global.u32 r11, [rd56+4]\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "ld.shared.u32 r8, [r56]\nld.shared.u32 r56, [r56+4]\nand.u32 r56, r56, 0x7c\nld.shared.u32 r9, [r56]\n"
	  "ld.shared.u32 r10, [r56+64]\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	/* Faults after registers were written, in the third of three loads; lanes of the last eight only. */
	{ "add.u32 r0, r0, 1\nld.global.u32 r1, [rd56]\nadd.u32 r2, r1, r0\n@p0 add.u32 r3, r3, r2\nld.global.u32 r4, [rd58]\n"
	  "xor.u32 r5, r5, r4\nsetp.lt.u32 p0, r5, r4\nld.global.u32 r6, [rd60]\nadd.u32 r7, r7, r6\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_SCATTER, 4, 0 }, { 0, SH_LAST_GONE, 4, 0 } }, 1, true },
	/* The same without a fault: pages that the TLB does not have yet, in the 1st, 2nd and 3rd. */
	{ "add.u32 r0, r0, 1\nld.global.u32 r1, [rd56]\nadd.u32 r2, r1, r0\n@p0 add.u32 r3, r3, r2\nld.global.u32 r4, [rd58]\n"
	  "xor.u32 r5, r5, r4\nsetp.lt.u32 p0, r5, r4\nld.global.u32 r6, [rd60]\nadd.u32 r7, r7, r6\nmadw.u32 rd58, r0, 4, rd58\nmov.u32 r59, 2\nand.u32 r58, r58, 0xfff0\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_EIGHTS, 4, 0 }, { 0, SH_STRIDE, 4, 0 } }, 3, false },
	{ "add.u32 r0, r0, 1\nxor.u32 r1, r0, r1\nadd.u32 r2, r1, r2\nadd.u32 r3, r3, r2\nmul.u32 r4, r4, 3\nadd.u32 r5, r5, r4\n"
	  "add.u32 r6, r6, 7\nadd.u32 r7, r7, r6\nadd.u32 r8, r8, r7\nadd.u32 r9, r9, 9\nadd.u32 r10, r10, 10\nadd.u32 r11, r11, 11\n"
	  "add.u32 r12, r12, 12\nadd.u32 r13, r13, 13\nadd.u32 r14, r14, 14\nld.global.u32 r15, [rd56]\n"
	  "ld.global.u32 r16, [rd58]\nadd.u32 r17, r17, r16\nadd.u32 r18, r18, r17\nadd.u32 r19, r19, r18\n",
	  { { SP_GLOBAL, SH_SCATTER_PAGES, 4, 0 }, { 0, SH_STRIDE, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	/* Predicates: one to four are written, and are read in the segment. */
	{ "setp.lt.u32 p0, r0, r1\nld.global.u32 r8, [rd56]\nsetp.gt.s32 p1, r8, r2\nsel.u32 r9, r8, r1, p0\n"
	  "setp.ne.u32 p2, p3, r9, r8\nsel.u32 r10, r8, r9, p2\nsetp.ge.u32 p0, r10, r3\nsel.u32 r11, r8, r9, p0\n",
	  { { SP_GLOBAL, SH_MIX, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "@p0 setp.lt.u32 p1, p2, r0, r1, p3\nld.global.u32 r8, [rd56]\n@!p0 setp.gt.s32 p1, r8, r2\n@p1 add.u32 r9, r9, r8\n",
	  { { SP_GLOBAL, SH_MIX, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false },
	{ "setp.lt.s32 p1, r0, r3\n@p1 ld.global.u32 r7, [rd58]\n@p1 add.u32 r9, r9, r1\nld.global.u32 r8, [rd56]\n@!p1 add.u32 r9, r9, r8\n"
	  "@p2 mul.u32 r10, r9, r8\n@!p2 fma.f32 r11, r9, r8, r11\n@!pt add.u32 r12, r12, 1\n",
	  { { SP_GLOBAL, SH_MIX, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false },
	/* The place of a group is still known behind a thread index. */
	{ "ld.global.u32 r8, [rd56]\nld.global.u32 r9, [rd56+4]\ns2r r10, %tid.x\nld.global.u32 r11, [rd56+8]\ns2r r12, %tid.y\n"
	  "ld.global.u32 r13, [rd58]\nld.global.u32 r14, [rd58+4]\ns2r r15, %tid.z\nld.global.u32 r16, [rd58+4]\n"
	  "ld.global.u32 r17, [rd56+4]\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "ld.shared.u32 r8, [r56]\nld.shared.u32 r9, [r56+4]\ns2r r10, %tid.x\nld.shared.u32 r11, [r56+8]\nadd.u32 r12, r10, r11\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	/* A segment that fails again and again, then not any more. */
	{ "setp.lt.u32 p0, r43, 150\nsetp.lt.u32 p1, r43, 400\nsel.u32 r56, r56, r58, p0\nsel.u32 r57, r57, r59, p0\nbra on\n"
	  "on: ld.global.v4.u32 rq8, [rd56]\nadd.u32 r0, r0, r8\n",
	  { { SP_GLOBAL, SH_SCATTER, 16, 0 }, { 0, SH_ROW, 16, 0 }, { 0, SH_ROW, 4, 0 } }, 500, false },
	/* Results that nobody wants. */
	{ "ld.global.u32 rz, [rd56]\nld.global.u32 r8, [rd56+4]\nld.global.v2.u32 rz, [rd58]\nadd.u32 rz, r8, r8\nld.global.u32 r8, [rd56]\n",
	  { { SP_GLOBAL, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	/* Lanes 0 to 7 find their page, the others do not: what lanes 0 to 7 have written under a guard goes back. */
	{ "ld.global.u32 r20, [rd60]\nsetp.gt.u32 p0, r32, 2\nbra on\non: @p0 sub.u64 rd8, rd10, rd8\n@!p0 madw.s32 rd12, r0, r1, rd12\n"
	  "@p0 mul.f64 rd14, rd16, rd14\n@p0 xor.u32 r18, r18, r0\nadd.u64 rd22, rd22, rd8\nld.global.u32 r24, [rd58]\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_EIGHTS, 4, 0 }, { 0, SH_SCATTER_FIRST, 4, 0 } }, 2, false },
	/* More groups than a segment may have. */
	{ "ld.global.u8 r0, [rd56]\nld.global.u16 r1, [rd56]\nld.global.u32 r2, [rd56]\nld.global.u64 rd3, [rd56]\nld.global.b128 rq5, [rd56]\n"
	  "ld.u8 r9, [rd56+16]\nld.u16 r10, [rd56]\nld.u32 r11, [rd56]\nld.u64 rd12, [rd56]\nld.b128 rq14, [rd56]\n"
	  "ld.const.u8 r18, [rd56]\nld.const.u16 r19, [rd56+4]\nld.const.u32 r20, [rd56]\nld.const.u64 rd21, [rd56]\n"
	  "ld.const.b128 rq23, [rd56]\nld.global.s16 r27, [rd58]\nld.global.u32 r28, [rd58]\nld.u32 r29, [rd58]\n",
	  { { SP_GLOBAL, SH_ROW, 16, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	/* Two groups by turns, one of them in a row. */
	{ "ld.global.u32 r0, [rd56]\nld.global.u32 r1, [rd58]\nld.global.u32 r2, [rd56+4]\nld.global.u32 r3, [rd58+4]\n"
	  "ld.global.u32 r4, [rd56+8]\nld.global.u32 r5, [rd58+8]\nld.global.u32 r6, [rd56+12]\nld.global.u32 r7, [rd58+12]\n",
	  { { SP_GLOBAL, SH_SCATTER, 16, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "ld.global.u32 r0, [rd58]\nld.shared.u32 r1, [r56]\nld.global.u32 r2, [rd58+4]\nld.shared.u32 r3, [r56+4]\n"
	  "ld.global.u32 r4, [rd58+8]\nld.shared.u32 r5, [r56+8]\nld.global.u32 r6, [rd58+12]\nld.shared.u32 r7, [r56+12]\n",
	  { { SP_SHARED, SH_SCATTER, 16, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	/* The plain way, always: an address that is the second register of a result, between two loads that use it. */
	{ "ld.global.u8 r20, [rd58]\nld.shared.u32 r8, [r56]\nmulw.u32 rd55, r43, 4\nld.shared.u32 r9, [r56]\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_SCATTER, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false },
	/* The same for global memory: lanes 0 to 7 are in a row that ends in the next page, the others are elsewhere. */
	{ "and.u32 r20, r32, 31\nsetp.lt.u32 p1, r20, 8\nsel.u32 r56, r56, r58, p1\nsel.u32 r57, r57, r59, p1\nsetp.lt.u32 p0, r20, 32\n"
	  "bra on\non: @p0 ld.global.u32 r8, [rd56]\n",
	  { { SP_GLOBAL, SH_CROSS_7, 4, 0 }, { 0, SH_EQUAL, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false },
	/* One register, but not one group: other spaces, other alignment. */
	{ "ld.u32 r8, [rd56]\nld.global.u32 r9, [rd56+4]\n",
	  { { SP_GENERIC_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.shared.u32 r8, [r56]\nld.param.u32 r9, [r56+4]\nld.shared.u32 r10, [r56+8]\n",
	  { { SP_SHARED, SH_HALF, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "ld.global.u32 r8, [rd56]\nld.global.u32 r9, [rd56+2]\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.shared.u32 r8, [r56]\nld.shared.u32 r9, [r56+6]\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	/* Addresses that no register has. */
	{ "ld.shared.u32 r8, [rz+64]\nld.shared.v4.u32 rq12, [rz+128]\nld.param.u64 rd16, [rz+8]\nld.param.u32 r18, [rz+252]\n"
	  "ld.shared.u8 r19, [rz+67]\nld.param.s16 r20, [rz+254]\n",
	  { { SP_SHARED, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false },
	{ "ld.param.u32 r18, [rz+256]\n", { { 0, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.param.u64 rd16, [rz+8]\nld.param.u32 r18, [rz+256]\n",
	  { { 0, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.param.u64 rd18, [rz+252]\n", { { 0, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.shared.u32 r18, [rz+4096]\n", { { 0, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.shared.u32 r18, [rz+4090]\n", { { 0, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
	{ "ld.global.u32 r18, [rz+4090]\n", { { 0, SH_MIX, 4, 0 }, { 0, SH_ROW, 8, 0 }, { 0, SH_ROW, 4, 0 } }, 3, true },
};

START_TEST(texts)
{
	static char text[SCENE_TEXT];

	for (int kind = EPAIR_PLAIN; kind < EPAIR_MACHINES; kind++) {
		load_scene_start(kind);
		for (unsigned m = 0; m < SCENE_MASKS * 2; m++) {
			struct load_scene sc = { .text = text, .seed = 5 + m, .shared = 4096, .params = 256,
						 .threads = m % 3 ? 64 : 45 };

			memcpy(sc.t, fixed[_i].t, sizeof(sc.t));
			sc.mask[0] = scene_masks[m % SCENE_MASKS];
			sc.mask[1] = sc.mask[2] = m & 1 ? ~0u : scene_masks[(m + 5) % SCENE_MASKS];
			sc.cut = kind == EPAIR_CUT;
			sc.window_ns = kind == EPAIR_CUT ? 700 + 400 * m : 0;
			sc.after = kind == EPAIR_MIXED ? 2 + m : 0;
			load_scene_program(text, scene_fill(sc.t[0].space), 4096, fixed[_i].times, fixed[_i].body);
			if (!load_scene_run(&sc))
				fails(&sc, fixed[_i].body);
		}
		/* The mask may leave the lane out that would fault. */
		ck_assert_uint_le(scene_faults, fixed[_i].faults ? scene_runs : 0);
		ck_assert_uint_ge(scene_faults, fixed[_i].faults ? scene_runs * 3 / 4 : 0);
		load_scene_end();
	}
}
END_TEST

/* ---- the end of a window ---- */

/* Shared memory that ends inside an access (parameters cannot): all lanes before its end, and beyond. */
START_TEST(ends)
{
	static const char *const types[] = { "u64", "b128" };
	static char text[SCENE_TEXT];
	char body[256];

	load_scene_start(EPAIR_PLAIN);
	for (unsigned i = 0; i < 8; i++) {
		const unsigned bytes = i % 2 ? 16 : 8, size = 36 + 64 * (i / 2 % 2), last = size / bytes * bytes;
		struct load_scene sc = { .text = text, .seed = 3, .threads = 64, .shared = size, .params = 256, .mask = { ~0u, ~0u, ~0u } };

		for (unsigned k = 0; k < 3; k++)
			sc.t[k] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
		snprintf(body, sizeof(body), "mov.u32 r56, %u\nbra on\non: ld.shared.%s %s8, [r56]\n", i / 4 ? last : last - bytes,
			 types[i % 2], i % 2 ? "rq" : "rd");
		load_scene_program(text, 0, size, 2, body);
		if (!load_scene_run(&sc))
			fails(&sc, body);
		ck_assert_msg(scene_pair[0]->faulted == i / 4, "%u: %s", i, body);
	}
	load_scene_end();
}
END_TEST

/* ---- f64 ---- */

static const uint64_t numbers[] = {
	0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x3ff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
	0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff8000012345678,
	0x7fffffffffffffff, 0x4008000000000000, 0x3fd5555555555555, 0x36a0000000000000, 0x47efffffe0000000,
	0x47f0000000000000, 0x380fffffffffffff, 0x3690000000000000, 0x41dfffffffc00000, 0xc1e0000000000000,
	0x7fc000007f800001, 0xff80000100400000,
};
#define NUMBERS	(sizeof(numbers) / sizeof(numbers[0]))

/* rd0, rd2, rd4: numbers.  Results in rd6 to rd28. */
static const char *const f64_bodies[] = {
	"add.f64 rd6, rd0, rd2\nsub.f64 rd8, rd0, rd2\nmul.f64 rd10, rd0, rd2\ndiv.f64 rd12, rd0, rd2\nfma.f64 rd14, rd0, rd2, rd4\n"
	"fma.f64 rd16, -rd0, rd2, rd4\nfma.f64 rd18, rd0, -rd2, -rd4\nrcp.f64 rd20, rd0\nsqrt.f64 rd22, rd0\nneg.f64 rd24, rd0\n"
	"abs.f64 rd26, rd0\nadd.f64 rd28, rd6, rd8\n",
	"add.f64 rd6, -rd0, |rd2|\nsub.f64 rd8, |rd0|, -rd2\nmul.f64 rd10, -|rd0|, rd2\ndiv.f64 rd12, rd0, -|rd2|\n"
	"rcp.f64 rd14, -rd0\nsqrt.f64 rd16, |rd0|\nneg.f64 rd18, |rd0|\nabs.f64 rd20, -rd0\nadd.f64 rd22, rd0, 1.0\nmul.f64 rd24, rd2, -0.5\n"
	"fma.f64 rd26, rd0, 2.0, rd2\nfma.f64 rd28, rd0, rd2, 3.0\n",
	"setp.eq.f64 p0, p1, rd0, rd2\nsetp.ne.f64 p2, rd0, rd2\nsetp.lt.f64 p3, rd0, rd2\np2r r6, 0xf\n"
	"setp.le.f64 p0, rd0, rd2\nsetp.gt.f64 p1, rd0, rd2\nsetp.ge.f64 p2, rd0, rd2\nsetp.equ.f64 p3, rd0, rd2\np2r r7, 0xf\n"
	"setp.neu.f64 p0, rd0, rd2\nsetp.ltu.f64 p1, rd0, rd2\nsetp.leu.f64 p2, rd0, rd2\nsetp.gtu.f64 p3, rd0, rd2\np2r r8, 0xf\n"
	"setp.geu.f64 p0, rd0, rd2\nsetp.num.f64 p1, rd0, rd2\nsetp.nan.f64 p2, rd0, rd2\nsetp.lt.f64 p3, -rd0, |rd2|\np2r r9, 0xf\n"
	"setp.lt.f64 p0, rd0, 1.0\nsetp.geu.f64.xor p1, p2, -rd0, -1.0, p0\np2r r10, 0xf\n",
	"cvt.f32.f64 r6, rd0\ncvt.f32.f64 r7, rd2\ncvt.f64.f32 rd8, r0\ncvt.f64.f32 rd10, r3\ncvt.f64.s32 rd12, r0\ncvt.f64.s32 rd14, r1\n"
	"add.f32 r16, r6, r7\ncvt.f64.f32 rd18, r16\n@p0 add.f64 rd20, rd8, rd12\n@!p0 mul.f64 rd20, rd0, rd2\nadd.f32 r22, r0, r1\n"
	"cvt.f64.f32 rd24, r22\nsub.f32 r28, r0, r0\nadd.f32 r28, r28, r7\ncvt.f64.s32 rd28, r28\nsub.f64 rd26, rd24, rd18\nneg.f64 rd0, rd0\nadd.f64 rd2, rd2, rd2\n",
	"fma.f64 rd4, rd0, rd2, rd4\nfma.f64 rd4, rd0, rd0, rd4\nmul.f64 rd0, rd0, rd0\nadd.f64 rd2, rd4, rd2\nsqrt.f64 rd6, rd2\n"
	"xor.u32 r8, r6, r7\nadd.u64 rd10, rd6, rd4\n",
};

START_TEST(doubles)
{
	static char text[SCENE_TEXT];
	char body[2048];
	struct load_scene sc = { .text = text, .seed = 9, .threads = 64, .shared = 4096, .params = 256 };

	load_scene_start(EPAIR_PLAIN);
	for (unsigned k = 0; k < 3; k++)
		sc.t[k] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
	for (unsigned step = 0; step < NUMBERS * 2; step++) {
		unsigned len = 0;

		/* Where the numbers come from: a chain of moves, so that each lane has its own. */
		for (unsigned i = 0; i < 3; i++)
			len += (unsigned)snprintf(body + len, sizeof(body) - len, "movi64 rd%u, 0x%llx\n", 2 * i,
						  (unsigned long long)numbers[(step * (i + 1) + i * 7) % NUMBERS]);
		len += (unsigned)snprintf(body + len, sizeof(body) - len,
			"and.u32 r6, r32, 3\nsetp.eq.u32 p0, r6, 1\nsetp.eq.u32 p1, r6, 2\n@p0 movi64 rd2, 0x%llx\n@p1 movi64 rd0, 0x%llx\n"
			"@p1 movi64 rd4, 0x%llx\nsetp.gt.u32 p2, r32, 29\n@p2 movi64 rd2, 0x%llx\n%s", (unsigned long long)numbers[step * 5 % NUMBERS],
			(unsigned long long)numbers[step * 11 % NUMBERS], (unsigned long long)numbers[step * 3 % NUMBERS],
			(unsigned long long)numbers[step * 17 % NUMBERS], f64_bodies[_i]);
		load_scene_program(text, 0, 4096, 1, body);
		for (unsigned k = 0; k < 2; k++)
			sc.mask[k] = scene_masks[(step + k) % (step & 1 ? SCENE_MASKS : 1)];
		if (!load_scene_run(&sc))
			fails(&sc, body);
	}
	ck_assert_uint_eq(scene_faults, 0);
	load_scene_end();
}
END_TEST

/* ---- special registers ---- */

START_TEST(blocks)
{
	static const uint32_t x[] = { 1, 5, 8, 16, 31, 32, 33 }, yz[][2] = { { 1, 1 }, { 2, 1 }, { 1, 3 }, { 3, 2 }, { 2, 3 } };
	static const char *const names[] = { "tid", "ntid", "ctaid", "nctaid" };
	static const char *const others[] = { "laneid", "warpid", "nwarpid", "smid", "nsmid", "lanemask_eq", "lanemask_le",
		"lanemask_lt", "lanemask_ge", "lanemask_gt", "clock", "activemask", "depth", "dynamic_smem_size",
		"total_smem_size", "local_size", "priority", "ctaid_linear" };
	static char text[SCENE_TEXT];
	char body[2048];
	unsigned len = 0, r = 0;

	load_scene_start(EPAIR_PLAIN);
	for (unsigned i = 0; i < 12; i++)
		len += (unsigned)snprintf(body + len, sizeof(body) - len, "s2r r%u, %%%s.%c\n", r++, names[i / 3], "xyz"[i % 3]);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		len += (unsigned)snprintf(body + len, sizeof(body) - len, "s2r r%u, %%%s\n", r++, others[i]);
	ck_assert_uint_eq(r, 30);
	load_scene_program(text, 0, 4096, 2, body);
	for (unsigned i = 0; i < sizeof(x) / sizeof(x[0]); i++)
		for (unsigned k = 0; k < sizeof(yz) / sizeof(yz[0]); k++) {
			struct load_scene sc = { .text = text, .seed = 2, .shared = 4096, .params = 256, .mask = { ~0u, ~0u, ~0u },
						 .block = { x[i], yz[k][0], yz[k][1] }, .grid = { 2, 3, 1 + k % 2 } };

			sc.threads = x[i] * yz[k][0] * yz[k][1];
			if (!load_scene_run(&sc))
				fails(&sc, body);
		}
	ck_assert_uint_eq(scene_faults, 0);
	load_scene_end();
}
END_TEST

/* ---- two contexts ---- */

/* The TLB has the page of another context, at the same address. */
START_TEST(contexts)
{
	static const char *const body[] = {
		"ld.global.u32 r0, [rd4]\nst.global.u32 [rd6], r0\nexit\n",
		"and.u32 r3, r2, 7\nmadw.u32 rd4, r3, 20, rd4\nld.global.u32 r0, [rd4]\nadd.u32 r0, r0, r2\nst.global.u32 [rd6], r0\nexit\n",
	};
	char text[400];
	bool ok = true;

	load_scene_start(EPAIR_PLAIN);
	snprintf(text, sizeof(text), "s2r r2, %%tid.x\nmovi64 rd6, %llu\nmadw.u32 rd4, r2, 4, rd6\nmadw.u32 rd6, r2, 4, rd6\n"
		 "add.u64 rd6, rd6, 512\n%s", SMT_DATA, body[_i]);
	for (int k = 0; k < 2; k++) {
		struct sm_test *s = scene_pair[k];

		epair_prepare(s, 8, 64 << 10);
		smt_load(s, text);
		ok &= epair_run(s, 1, 64, 0);
		smt_other_context(s, 0x8000);
		ok &= epair_run(s, 1, 64, 0);
		ck_assert(!s->faulted);
		ck_assert_mem_ne(s->data + 0x8000 + 512, s->data + 0x1000 + 512, 128);
	}
	ck_assert_msg(ok && epair_same(scene_pair[0], scene_pair[1], 64 << 10), "%s", epair_why);
	load_scene_end();
}
END_TEST

/* ---- pages that share an entry of the TLB ---- */

/* Page numbers from SMT_DATA on whose entries are the same: 512 * 14 + 90 pages on, see PPU_TLB_INDEX(). */
#define RIVAL		((512ull * 14 + 90) << PPU_PAGE_SHIFT)
#define PAGE(n)		(SMT_DATA + ((uint64_t)(n) << PPU_PAGE_SHIFT))

/*
 * r2: lane; rd4: page 0; rd6: its rival; rd10: page 1, rd12: page 2, rd14: page 3, rd16: page 3's rival.  Results go behind
 * page 8 through rd20.
 */
static const char *const rivals[] = {
	/* The first load's page is lost to the second, and the third wants it. */
	"ld.global.u32 r22, [rd4]\nld.global.u32 r23, [rd6]\nld.global.u32 r24, [rd4+4]\n",
	/* The same, when the first page was there before. */
	"ld.global.u32 r22, [rd4]\nbar.sync 0\nld.global.u32 r25, [rd4+8]\nld.global.u32 r23, [rd6]\n"
	"ld.global.u32 r24, [rd4+4]\n",
	/* Lanes from 16 on of the first load put out what lanes below 8 of the second have used. */
	"ld.global.u32 r22, [rd14]\nld.global.u32 r22, [rd10]\nld.global.u32 r22, [rd12]\nbar.sync 0\n"
	"setp.lt.u32 p1, r2, 16\nsel.u64 rd26, rd10, rd16, p1\nsetp.lt.u32 p2, r2, 8\nsel.u64 rd28, rd14, rd12, p2\n"
	"bar.sync 0\nld.global.u32 r23, [rd26]\nld.global.u32 r24, [rd28]\n",
	/* A miss of the last eight lanes, and one of the first eight lanes of the load behind it. */
	"setp.lt.u32 p1, r2, 24\nsel.u64 rd26, rd10, rd16, p1\nbar.sync 0\nld.global.u32 r23, [rd26]\nld.global.u32 r24, [rd14]\n",
};

START_TEST(pages)
{
	char text[1200];
	bool ok = true;

	ck_assert_uint_eq(PPU_TLB_INDEX(PAGE(0) >> PPU_PAGE_SHIFT), PPU_TLB_INDEX((PAGE(0) + RIVAL) >> PPU_PAGE_SHIFT));
	ck_assert_uint_eq(PPU_TLB_INDEX(PAGE(3) >> PPU_PAGE_SHIFT), PPU_TLB_INDEX((PAGE(3) + RIVAL) >> PPU_PAGE_SHIFT));
	load_scene_start(EPAIR_PLAIN);
	snprintf(text, sizeof(text), "s2r r2, %%tid.x\nmovi64 rd4, %llu\nmovi64 rd6, %llu\nmovi64 rd10, %llu\nmovi64 rd12, %llu\n"
		 "movi64 rd14, %llu\nmovi64 rd16, %llu\nmovi64 rd20, %llu\nmadw.u32 rd20, r2, 16, rd20\nmov.u32 r22, 0\n"
		 "mov.u32 r23, 0\nmov.u32 r24, 0\n%sadd.u32 r23, r23, r2\n"
		 "st.global.u32 [rd20], r22\nst.global.u32 [rd20+4], r23\nst.global.u32 [rd20+8], r24\nexit\n",
		 PAGE(0), PAGE(0) + RIVAL, PAGE(1), PAGE(2), PAGE(3), PAGE(3) + RIVAL, PAGE(8), rivals[_i]);
	for (int k = 0; k < 2; k++) {
		struct sm_test *s = scene_pair[k];

		for (unsigned n = 0; n < 4; n += 3)
			smt_map(s, PAGE(n) + RIVAL, (uint64_t)(s->data - s->vram) + (16 + n) * PPU_PAGE_SIZE, PPU_PAGE_SIZE, 0);
		epair_prepare(s, 5, 128 << 10);
		smt_load(s, text);
		ok &= epair_run(s, 1, 64, 0);
		ck_assert(!s->faulted);
	}
	ck_assert_msg(ok && epair_same(scene_pair[0], scene_pair[1], 128 << 10), "%s", epair_why);
	load_scene_end();
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_loads");
	TCase *t = tcase_create("loads"), *random = tcase_create("random");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_set_timeout(random, 0);
	tcase_add_loop_test(t, groups, 0, (int)ACCESSES);
	tcase_add_loop_test(t, many_values, 2, 28);
	tcase_add_test(t, many_pages);
	tcase_add_loop_test(t, indices, 0, sizeof(indexed) / sizeof(indexed[0]));
	tcase_add_loop_test(random, bodies, 0, EPAIR_MACHINES);
	tcase_add_loop_test(t, texts, 0, sizeof(fixed) / sizeof(fixed[0]));
	tcase_add_loop_test(t, doubles, 0, sizeof(f64_bodies) / sizeof(f64_bodies[0]));
	tcase_add_test(t, ends);
	tcase_add_test(t, blocks);
	tcase_add_loop_test(t, contexts, 0, 2);
	tcase_add_loop_test(t, pages, 0, sizeof(rivals) / sizeof(rivals[0]));
	suite_add_tcase(su, t);
	suite_add_tcase(su, random);
	return run_suite(su);
}
