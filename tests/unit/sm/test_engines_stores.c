/* SPDX-License-Identifier: MIT */
/*
 * Stores on both engines: each size, space, and shape of addresses, alone and in groups, in warps with inactive lanes, to
 * pages that are read-only or that somebody waits at, with lanes that meet in one word, and with loads before and behind
 * them.  test_engines_loads.c does the same for loads; random bodies of both stand there.
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

/* ---- one store, and groups of one size ---- */

static const struct {
	const char *type;
	unsigned bytes, rows;
} access_of[] = { { "u8", 1, 1 }, { "u16", 2, 1 }, { "u32", 4, 1 }, { "v2.u32", 8, 2 }, { "v4.u32", 16, 4 }, { "u64", 8, 2 },
		  { "v2.u64", 16, 4 }, { "b128", 16, 4 }, { "s32", 4, 1 }, { "v2.u16", 4, 2 }, { "v4.u8", 4, 4 }, { "v2.u8", 2, 2 },
		  { "v4.s8", 4, 4 }, { "v4.u16", 8, 4 } };
#define ACCESSES	(sizeof(access_of) / sizeof(access_of[0]))

static const enum scene_space spaces[] = { SP_GLOBAL, SP_SHARED, SP_GENERIC, SP_GENERIC_SHARED, SP_GENERIC_LOCAL, SP_GENERIC_PARAM };
#define SPACES	(sizeof(spaces) / sizeof(spaces[0]))

static const int steps[][SCENE_GROUP] = {
	{ 0, SCENE_END }, { 5, SCENE_END }, { -4, SCENE_END }, { 0, 1, SCENE_END }, { 1, 0, 3, SCENE_END },
	{ 0, 1, 2, 3, 4, SCENE_END }, { 0, SCENE_FAR, -SCENE_FAR, SCENE_END },
};
#define STEPS	(sizeof(steps) / sizeof(steps[0]))

/* What stands before, between and behind the stores: nothing, arithmetic, or loads, which the stores may change. */
enum { BARE, COMPUTES, LOADS, LOADS_BETWEEN, KINDS };

static void store_body(char *body, size_t n, unsigned acc, enum scene_space sp, const int *step, unsigned kind)
{
	const unsigned b = access_of[acc].bytes;
	const char *space = scene_space_name[sp], *a = scene_narrow(sp) ? "r56" : "rd56";
	const char *reg = access_of[acc].rows == 4 ? "rq" : access_of[acc].rows == 2 ? "rd" : "r";
	unsigned len = 0;

	if (kind == COMPUTES)
		len += (unsigned)snprintf(body + len, n - len, "add.u32 r8, r8, r32\nmul.f32 r9, r1, r2\n@p0 xor.u32 r12, r8, r9\n");
	if (kind >= LOADS)
		len += (unsigned)snprintf(body + len, n - len, "ld.%s.u8 r8, [%s%+d]\nadd.u32 r9, r8, r9\nld.global.u32 r10, [rd58]\n",
					  space, a, scene_bytes(step[0], b));
	for (unsigned i = 0; i < 6 && step[i] != SCENE_END; i++) {
		len += (unsigned)snprintf(body + len, n - len, "st.%s.%s [%s%+d], %s%u\n", space, access_of[acc].type, a,
					  scene_bytes(step[i], b), reg, 8 + 4 * (i % 4));
		if (kind == COMPUTES)
			len += (unsigned)snprintf(body + len, n - len, "sub.u32 r%u, r%u, 3\n", 8 + 4 * (i % 4), 9 + 4 * (i % 4));
		if (kind == LOADS_BETWEEN)
			len += (unsigned)snprintf(body + len, n - len, "ld.%s.u8 r%u, [%s%+d]\nadd.u32 r9, r9, r12\n", i % 2 ? "global" : space,
						  12 + i % 2, i % 2 ? "rd58" : a, i % 2 ? 4 : scene_bytes(step[i], b));
	}
	snprintf(body + len, n - len, kind == BARE ? "" : "add.u32 r29, r29, r9\n");
}

static void shapes_of(struct load_scene *sc, const char *body, const int *step)
{
	unsigned mask = 0;

	for (int shape = 0; shape < SCENE_SHAPES; shape++)
		for (unsigned k = 0; k < 4; k++, mask++) {
			sc->t[0].shape = shape;
			sc->t[0].imm = scene_anchor(sc->t[0].space, shape, step, sc->t[0].bytes);
			sc->t[1].shape = k == 3 ? SH_STRIDE : SH_MIX;
			sc->mask[0] = k ? scene_masks[mask % SCENE_MASKS] : ~0u;
			sc->mask[1] = k == 2 ? ~0u : scene_masks[(mask + 3) % SCENE_MASKS];
			sc->threads = mask % 5 == 4 ? 13 : mask % 5 == 3 ? 45 : 64;
			/* Most shapes lie in pages 3 and 4. */
			sc->watch = k == 3 ? 1u << (mask / 4 % 2 ? 3 : mask % 20) : 0;
			if (!scene_left_out("PPU_STORES_EVERY") && !load_scene_run(sc))
				fails(sc, body);
		}
}

/* _i: the size */
START_TEST(groups)
{
	static char text[SCENE_TEXT];
	char body[1024];

	load_scene_start(EPAIR_PLAIN);
	for (unsigned k = 0; k < SPACES; k++)
		for (unsigned g = 0; g < STEPS; g++)
			for (unsigned kind = 0; kind < KINDS; kind++) {
				const enum scene_space sp = spaces[k];
				const unsigned b = access_of[_i].bytes;
				struct load_scene sc = { .text = text, .seed = 3, .shared = g == 4 ? 144 : g == 6 ? 68 : 1024, .params = 256 };

				sc.t[0] = (struct scene_table){ sp, 0, b, 0 };
				sc.t[1] = sc.t[2] = (struct scene_table){ SP_GLOBAL, SH_ROW, 4, 0 };
				store_body(body, sizeof(body), (unsigned)_i, sp, steps[g], kind);
				load_scene_program(text, scene_fill(sp) | (sp == SP_GLOBAL ? 0 : SCENE_SHOW) | ((g + k) % 2 ? SCENE_WARM : 0),
						   sc.shared, 1 + (g + kind) % 3, body);
				shapes_of(&sc, body, steps[g]);
			}
	/* Worth little if all ended early, and as little if none did. */
	ck_assert_uint_gt(scene_runs, 20);
	ck_assert_uint_gt(scene_faults, scene_runs / 20);
	ck_assert_uint_lt(scene_faults, scene_runs * 3 / 4);
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
	uint32_t watch;
} fixed[] = {
	/* Lanes that meet: the highest is last, also where two stores meet. */
	{ "st.global.u32 [rd56], r8\nst.global.u32 [rd58], r9\nst.global.u32 [rd56+4], r10\n",
	  { { SP_GLOBAL, SH_MIX, 4, 0 }, { 0, SH_BACK, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	{ "st.global.u32 [rd56], r8\nst.global.u64 [rd58], rd10\nst.global.u8 [rd60], r12\n",
	  { { SP_GLOBAL, SH_HALF, 4, 0 }, { 0, SH_MIX_8, 8, 0 }, { 0, SH_HALF, 1, 0 } }, 3, false, 0 },
	{ "st.shared.u32 [r56], r8\nst.shared.u32 [r56+4], r9\nst.shared.u64 [r56+8], rd10\nst.shared.u16 [r56], r12\n",
	  { { SP_SHARED, SH_EIGHTS, 8, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	/* A load before the store sees what was there, one behind it what is there now. */
	{ "ld.global.u32 r8, [rd56]\nadd.u32 r8, r8, 1\nst.global.u32 [rd58], r8\nld.global.u32 r9, [rd56]\nld.global.u32 r10, [rd58]\n"
	  "st.global.u32 [rd56], r9\nld.global.u32 r11, [rd56+4]\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ODD_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false, 0 },
	{ "ld.shared.u32 r8, [r56]\nadd.u32 r8, r8, r0\nst.shared.u32 [r56+4], r8\nld.shared.u32 r9, [r56]\nst.shared.u32 [r56], r9\n"
	  "ld.shared.u32 r10, [r56+8]\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false, 0 },
	/* Stores of one space and loads of the other by turns. */
	{ "ld.global.u32 r8, [rd58]\nst.shared.u32 [r56], r8\nld.global.u32 r9, [rd60]\nst.shared.u32 [r56+4], r9\nld.shared.u32 r10, [r56]\n"
	  "st.global.u32 [rd58], r10\nld.shared.u32 r11, [r56+8]\nst.global.u32 [rd60], r11\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_MIX, 4, 0 } }, 3, false, 0 },
	/* What is stored or where is computed in the same segment, and is changed behind the store. */
	{ "add.f32 r8, r1, r2\nsub.f32 r9, r8, r8\nst.global.u32 [rd56], r8\nmul.f32 r8, r9, r3\nst.global.u32 [rd56+4], r8\n"
	  "add.u64 rd56, rd56, 64\nst.global.u32 [rd56], r9\nadd.u32 r9, r9, 1\nmov.u32 r57, 2\nst.global.u32 [rd56+4], r57\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	{ "div.f32 r8, rz, rz\nneg.f32 r9, r8\nst.global.v2.u32 [rd56], rd8\nst.global.u32 [rd58], rz\nst.global.v4.u32 [rd60], rq8\n",
	  { { SP_GLOBAL, SH_ROW, 8, 0 }, { 0, SH_WIDE, 4, 0 }, { 0, SH_SCATTER, 16, 0 } }, 3, false, 0 },
	/* The data is the address. */
	{ "st.global.u64 [rd56], rd56\nst.global.u32 [rd58], r58\nst.global.u32 [rd58+4], r59\n",
	  { { SP_GLOBAL, SH_ROW, 8, 0 }, { 0, SH_WIDE, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	/* The second, third store of a segment faults: the first has stored, registers are written. */
	{ "add.u32 r0, r0, 1\nst.global.u32 [rd56], r0\nadd.u32 r2, r1, r0\nst.global.u32 [rd58], r2\nld.global.u32 r3, [rd60]\nxor.u32 r4, r4, r3\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_LAST_GONE, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 1, true, 0 },
	{ "add.u32 r0, r0, 1\nst.global.u32 [rd56], r0\nadd.u32 r2, r1, r0\nst.global.u32 [rd58], r2\nld.shared.u32 r5, [rz+8]\nst.global.u32 [rd60], r2\nxor.u32 r4, r4, r3\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_SCATTER, 4, 0 }, { 0, SH_READ_ONLY, 4, 0 } }, 1, true, 0 },
	{ "ld.global.u32 r8, [rd60]\nst.global.u32 [rd56], r8\nst.shared.u32 [rz+1024], r0\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 1, true, 0 },
	{ "st.global.u32 [rd56], r8\nst.shared.u32 [rz+1018], r0\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 1, true, 0 },
	{ "st.global.u32 [rd56], r8\nst.param.u32 [rz+8], r0\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 1, true, 0 },
	/* The load before the store faults: no page may be dirty. */
	{ "st.shared.u32 [rz], r8\nld.global.u32 r3, [rd58]\nst.global.u32 [rd56], r8\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_ONE_OFF_2, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 1, true, 0 },
	/* Loads find the page first, so that the TLB has it; then it is written, and read again. */
	{ "ld.global.u32 r8, [rd56]\nst.global.u32 [rd56], r0\nld.global.u32 r9, [rd58]\nst.global.u32 [rd58], r1\n",
	  { { SP_GLOBAL, SH_SCATTER_PAGES, 4, 0 }, { 0, SH_STRIDE, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	/* Pages that the TLB does not have, in the first and in other lanes, of loads and stores. */
	{ "ld.global.u32 r8, [rd56]\nst.global.u32 [rd58], r8\nst.global.u32 [rd60], r8\n",
	  { { SP_GLOBAL, SH_EIGHTS, 4, 0 }, { 0, SH_PAGES_OF_EIGHT, 4, 0 }, { 0, SH_TWO_PAGES, 4, 0 } }, 3, false, 0 },
	{ "st.global.u32 [rd56], r8\nadd.u64 rd56, rd56, 4096\nst.global.u32 [rd56], r9\nadd.u64 rd56, rd56, 4096\nst.global.u64 [rd56], rd10\n"
	  "add.u64 rd58, rd58, 4096\nld.global.u32 r12, [rd58]\n",
	  { { SP_GLOBAL, SH_ENDS_PAGE, 8, 0 }, { 0, SH_EIGHTS, 4, 0 }, { 0, SH_TWO_PAGES, 4, 0 } }, 4, false, 0 },
	/* Pages that somebody waits at, after and before others. */
	{ "st.global.u32 [rd56], r8\nadd.u32 r0, r0, r8\nst.global.u32 [rd58], r9\nst.global.u32 [rd60], r0\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_STRIDE, 4, 0 }, { 0, SH_SCATTER_FIRST, 4, 0 } }, 2, false, 1 << 3 },
	{ "st.global.u32 [rd56], r8\nadd.u32 r0, r0, r8\nst.global.u32 [rd58], r9\nst.global.u32 [rd60], r0\n",
	  { { SP_GLOBAL, SH_ROW, 4, 0 }, { 0, SH_EIGHTS, 4, 0 }, { 0, SH_SCATTER_FIRST, 4, 0 } }, 2, false, 1 << 4 | 1 },
	/* Stores under a guard, and guards that a segment writes. */
	{ "setp.lt.u32 p0, r0, r1\n@p0 st.global.u32 [rd56], r8\nst.global.u32 [rd58], r9\n@!p0 st.global.u32 [rd58], r10\n@p0 add.u32 r8, r8, 1\n"
	  "st.global.u32 [rd56+4], r8\n@!pt st.global.u32 [rd56], r0\n",
	  { { SP_GLOBAL, SH_MIX, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 4, false, 0 },
	/* More stores and more groups than a segment may have. */
	{ "st.global.u8 [rd56], r0\nst.global.u16 [rd56+2], r1\nst.global.u32 [rd56+4], r2\nst.global.u64 [rd56+8], rd3\nst.global.b128 [rd56+16], rq5\n"
	  "st.u8 [rd58+1], r9\nst.u16 [rd58], r10\nst.u32 [rd58+4], r11\nst.u64 [rd58+8], rd12\nst.b128 [rd58+16], rq14\n"
	  "st.global.u8 [rd60+3], r18\nst.global.u16 [rd60+6], r19\nst.global.u32 [rd60], r20\nst.global.u64 [rd60+16], rd21\n"
	  "st.global.u32 [rd60+4], r20\nst.global.u32 [rd60+8], r21\nst.global.u32 [rd60+12], r22\nst.global.b128 [rd60+32], rq24\n"
	  "st.shared.u32 [rz+4], r0\nst.shared.u32 [rz+8], r1\nst.shared.b128 [rz+16], rq4\nst.shared.u8 [rz+2], r20\n",
	  { { SP_GLOBAL, SH_ROW, 16, 0 }, { 0, SH_SCATTER, 16, 0 }, { 0, SH_WIDE, 16, 0 } }, 3, false, 0 },
	/* Sums in shared memory, of lanes that meet; what they find and leave; one that faults behind a store. */
	{ "atom.shared.add.u32 rz, [r56], r8\natom.shared.add.s32 rz, [r56+4], r9\nst.shared.u32 [r56+8], r10\n"
	  "atom.shared.add.u32 rz, [r56+8], r11\nld.shared.u32 r12, [r56]\nadd.u32 r12, r12, 1\natom.shared.add.u32 rz, [r56], r12\n",
	  { { SP_SHARED, SH_WIDE, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	{ "ld.global.u8 r8, [rd58]\nshl.u32 r8, r8, 2\natom.shared.add.u32 rz, [r8], r9\natom.shared.add.u32 r13, [r8], r9\n"
	  "@p0 atom.shared.add.u32 rz, [r8], r9\natom.shared.add.u32 rz, [r56], rz\natom.shared.max.u32 rz, [r56], r9\n",
	  { { SP_SHARED, SH_EQUAL, 4, 0 }, { 0, SH_SCATTER, 1, 0 }, { 0, SH_ROW, 4, 0 } }, 3, false, 0 },
	{ "st.global.u32 [rd58], r8\natom.shared.add.u32 rz, [r56], r9\natom.shared.add.u32 rz, [r56+996], r10\nst.global.u32 [rd60], r9\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 2, true, 0 },
	{ "st.global.u32 [rd58], r8\natom.shared.add.u32 rz, [r56], r9\nadd.u32 r9, r9, 1\natom.shared.add.u32 rz, [r56+2], r9\n",
	  { { SP_SHARED, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 2, true, 0 },
	/* A segment that fails again and again, then not any more. */
	{ "setp.lt.u32 p0, r43, 150\nsetp.lt.u32 p1, r43, 400\nsel.u32 r56, r56, r58, p0\nsel.u32 r57, r57, r59, p0\nbra on\n"
	  "on: add.u32 r0, r0, r8\nst.global.u32 [rd56], r0\n",
	  { { SP_GLOBAL, SH_STRIDE, 4, 0 }, { 0, SH_ROW, 4, 0 }, { 0, SH_ROW, 4, 0 } }, 500, false, 0 },
};

START_TEST(texts)
{
	static char text[SCENE_TEXT];

	for (int kind = EPAIR_PLAIN; kind < EPAIR_MACHINES; kind++) {
		load_scene_start(kind);
		for (unsigned m = 0; m < SCENE_MASKS * 2; m++) {
			struct load_scene sc = { .text = text, .seed = 5 + m, .shared = 1024, .params = 256, .threads = m % 3 ? 64 : 45,
						 .watch = fixed[_i].watch };

			memcpy(sc.t, fixed[_i].t, sizeof(sc.t));
			sc.mask[0] = scene_masks[m % SCENE_MASKS];
			sc.mask[1] = sc.mask[2] = m & 1 ? ~0u : scene_masks[(m + 5) % SCENE_MASKS];
			sc.cut = kind == EPAIR_CUT;
			sc.window_ns = kind == EPAIR_CUT ? 700 + 400 * m : 0;
			sc.after = kind == EPAIR_MIXED ? 2 + m : 0;
			load_scene_program(text, (strstr(fixed[_i].body, "shared") ? SCENE_SHOW | SCENE_FILL : 0) | (m % 4 ? 0 : SCENE_WARM), 1024, fixed[_i].times,
					   fixed[_i].body);
			if (!load_scene_run(&sc))
				fails(&sc, fixed[_i].body);
			if (sc.watch && !m)
				ck_assert_uint_gt(scene_pair[0]->num_stores, 0);
		}
		/* The mask may leave the lane out that would fault. */
		ck_assert_uint_le(scene_faults, fixed[_i].faults ? scene_runs : 0);
		ck_assert_uint_ge(scene_faults, fixed[_i].faults ? scene_runs / 2 : 0);
		load_scene_end();
	}
}
END_TEST

/* ---- pages that share an entry of the TLB ---- */

/* Page numbers from SMT_DATA on whose entries are the same: 512 * 14 + 90 pages on, see PPU_TLB_INDEX(). */
#define RIVAL		((512ull * 14 + 90) << PPU_PAGE_SHIFT)
#define PAGE(n)		(SMT_DATA + ((uint64_t)(n) << PPU_PAGE_SHIFT))

/*
 * r2: lane, r3: number; rd4: page 0, rd6: its rival; rd10, rd12: pages 1 and 2, rd14: page 3, rd16: its rival, all by the
 * lane.  Results go behind page 8 through rd20.  Each may be a page of the first, the other or the last lanes.
 */
static const char *const rivals[] = {
	/* The page of the load is lost to the store, or the other way round. */
	"ld.global.u32 r22, [rd4]\nst.global.u32 [rd6], r3\n",
	"st.global.u32 [rd4], r3\nst.global.u32 [rd6], r2\n",
	"st.global.u32 [rd4], r3\nld.global.u32 r22, [rd6]\nst.global.u32 [rd4+4], r2\n",
	/* Lanes from 16 on go to another page than those before, which loses its entry to them. */
	"bar.sync 0\nsetp.lt.u32 p1, r2, 16\nsel.u64 rd26, rd14, rd16, p1\nbar.sync 0\nst.global.u32 [rd26], r3\nst.global.u32 [rd10], r2\n",
	/* A store of late lanes puts out what early lanes of a later store, or of an earlier load, have used. */
	"bar.sync 0\nsetp.lt.u32 p1, r2, 16\nsel.u64 rd26, rd10, rd16, p1\nsetp.lt.u32 p2, r2, 8\nsel.u64 rd28, rd14, rd12, p2\n"
	"bar.sync 0\nst.global.u32 [rd26], r3\nst.global.u32 [rd28], r2\n",
	"bar.sync 0\nsetp.lt.u32 p1, r2, 16\nsel.u64 rd26, rd10, rd16, p1\nsetp.lt.u32 p2, r2, 8\nsel.u64 rd28, rd14, rd12, p2\n"
	"bar.sync 0\nld.global.u32 r22, [rd28]\nst.global.u32 [rd26], r3\n",
	"bar.sync 0\nsetp.lt.u32 p1, r2, 16\nsel.u64 rd26, rd10, rd16, p1\nsetp.lt.u32 p2, r2, 8\nsel.u64 rd28, rd14, rd12, p2\n"
	"bar.sync 0\nld.global.u32 r22, [rd26]\nld.global.u32 r23, [rd28]\nst.global.u32 [rd28+4], r3\n",
	/* A gather uses the page, and late lanes of the load before put it out. */
	"ld.global.u32 r22, [rd14]\nld.global.u32 r22, [rd10]\nld.global.u32 r22, [rd12]\nbar.sync 0\nsetp.lt.u32 p1, r2, 16\n"
	"sel.u64 rd26, rd10, rd16, p1\nand.u32 r24, r2, 57\nsetp.eq.u32 p2, r24, 0\n"
	"sel.u64 rd28, rd14, rd12, p2\nbar.sync 0\nld.global.u32 r22, [rd26]\nld.global.u32 r23, [rd28]\n",
	/* A page that is read-only behind all this. */
	"st.global.u32 [rd4], r3\nst.global.u32 [rd14], r3\nadd.u32 r22, r2, 7\nst.global.u32 [rd18], r22\n",
};

/* _i: which, without and with the pages in the TLB before */
START_TEST(pages)
{
	const unsigned which = (unsigned)_i / 2;
	char text[1600];
	bool ok = true;

	load_scene_start(EPAIR_PLAIN);
	snprintf(text, sizeof(text), "s2r r2, %%tid.x\nmovi64 rd4, %llu\nmovi64 rd6, %llu\nmovi64 rd10, %llu\nmovi64 rd12, %llu\n"
		 "movi64 rd14, %llu\nmovi64 rd16, %llu\nmovi64 rd18, %llu\nmovi64 rd20, %llu\nmadw.u32 rd4, r2, 4, rd4\nmadw.u32 rd6, r2, 4, rd6\n"
		 "madw.u32 rd10, r2, 4, rd10\nmadw.u32 rd12, r2, 4, rd12\nmadw.u32 rd14, r2, 4, rd14\nmadw.u32 rd16, r2, 4, rd16\n"
		 "madw.u32 rd20, r2, 16, rd20\nmov.u32 r22, 0\nmad.u32 r3, r2, 77, r2\n"
		 "mov.u32 r23, 0\nmov.u32 r24, 0\n%s%sadd.u32 r23, r23, r2\n"
		 "st.global.u32 [rd20], r22\nst.global.u32 [rd20+4], r23\nst.global.u32 [rd20+8], r24\nexit\n",
		 PAGE(0), PAGE(0) + RIVAL, PAGE(1), PAGE(2), PAGE(3), PAGE(3) + RIVAL, SMT_RO, PAGE(8),
		 _i % 2 ? "ld.global.u32 r24, [rd4]\nst.global.u32 [rd10], r2\nst.global.u32 [rd14+8], r2\nbar.sync 0\n" : "", rivals[which]);
	for (int k = 0; k < 2; k++) {
		struct sm_test *s = scene_pair[k];

		for (unsigned n = 0; n < 4; n += 3)
			smt_map(s, PAGE(n) + RIVAL, (uint64_t)(s->data - s->vram) + (16 + n) * PPU_PAGE_SIZE, PPU_PAGE_SIZE, 0);
		epair_prepare(s, 5, 128 << 10);
		smt_load(s, text);
		ok &= epair_run(s, 1, 64, 0);
		ck_assert_int_eq(s->faulted, which + 1 == sizeof(rivals) / sizeof(rivals[0]));
	}
	ck_assert_msg(ok && epair_same(scene_pair[0], scene_pair[1], 128 << 10), "%s", epair_why);
	load_scene_end();
}
END_TEST

int main(void)
{
	Suite *su = suite_create("engines_stores");
	TCase *t = tcase_create("stores");
	struct ppu_config cfg = { .engine = EPAIR_TRANSLATE };

	if (ppu_config_engine_note(&cfg)) {
		printf("there is nothing to compare: %s\n", ppu_config_engine_note(&cfg));
		return 77;
	}
	tcase_set_timeout(t, 0);
	tcase_add_loop_test(t, groups, 0, (int)ACCESSES);
	tcase_add_loop_test(t, texts, 0, sizeof(fixed) / sizeof(fixed[0]));
	tcase_add_loop_test(t, pages, 0, 2 * sizeof(rivals) / sizeof(rivals[0]));
	suite_add_tcase(su, t);
	return run_suite(su);
}
