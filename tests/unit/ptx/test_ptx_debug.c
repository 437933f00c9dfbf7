/* SPDX-License-Identifier: MIT */
/*
 * Debug sections of PTX: they come into the image when somebody asks for them, and change nothing otherwise; the reader
 * (libruntime/debug/dwarf.c) stays inside of them, whatever they are.
 */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu_image.h"
#include "debug/dwarf.h"
#include "run_suite.h"

/* kernel k(n): x = n + 1 in a register, a[2] in local memory. */
static const char text[] =
	".version 7.0\n.target sm_70, debug\n.address_size 64\n"
	".entry k(.param .u32 n)\n{\n"
	".local .align 4 .b8 depot[16];\n.reg .b32 %r<4>;\n.reg .b64 %rd<2>;\n"
	".loc 1 1 0\nbegin:\n.loc 1 2 0\n"
	"mov.u64 %rd1, depot;\nld.param.u32 %r1, [n];\n"
	"t0:\nadd.s32 %r2, %r1, 1;\n"
	"t1:\nst.local.u32 [%rd1+4], %r2;\n"
	"t2:\nret;\nend:\n}\n"
	".file 1 \"k.cu\"\n"
	".section .debug_loc\n{\n.b64 t1\n.b64 t2\n.b8 5\n.b8 0\n.b8 144\n.b8 178\n.b8 228\n.b8 149\n.b8 1\n.b64 0\n.b64 0\n}\n"
	".section .debug_abbrev\n{\n"
	".b8 1,17,1,0,0\n"				/* unit */
	".b8 2,46,1,17,1,18,1,3,8,0,0\n"		/* function: low, high, name */
	".b8 3,52,0,3,8,73,19,2,10,0,0\n"		/* variable: name, type, location */
	".b8 4,52,0,3,8,73,19,2,6,0,0\n"		/* the same with a list */
	".b8 5,36,0,3,8,11,11,62,11,0,0\n"		/* base type: name, bytes, encoding */
	".b8 6,1,1,73,19,0,0\n.b8 7,33,0,47,11,0,0\n"	/* array, its dimension */
	".b8 8,15,0,73,19,0,0\n.b8 9,22,0,3,8,73,19,0,0\n"	/* pointer, typedef */
	".b8 10,19,1,3,8,11,11,0,0\n.b8 11,13,0,3,8,73,19,56,10,0,0\n"	/* structure, member */
	".b8 0\n}\n"
	".section .debug_info\n{\n.b32 unit_end-unit_start\n"
	"unit_start: .b8 2,0\n.b32 .debug_abbrev\n.b8 8\n"
	".b8 1\n"
	"int_type: .b8 5,105,110,116,0,4,5\n"
	"array_type: .b8 6\n.b32 int_type\n.b8 7,1,0\n"
	"pointer_type: .b8 8\n.b32 array_type\n"
	"name_type: .b8 9,84,0\n.b32 pointer_type\n"
	"struct_type: .b8 10,83,0,12\n.b8 11,102,0\n.b32 int_type\n.b8 2,35,8\n.b8 0\n"
	".b8 2\n.b64 begin\n.b64 end\n.b8 107,0\n"
	".b8 4,120,0\n.b32 int_type\n.b32 .debug_loc\n"
	".b8 3,97,0\n.b32 array_type\n.b8 11,3\n.b64 depot\n.b8 35,4\n"
	".b8 0,0\nunit_end:\n}\n";

static struct ppu_image *compile(bool debug)
{
	struct ppu_ptx_options o = { .debug = debug, .verify = 1 };
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "k.ptx", &o, &img, &log), "%s", log.text);
	ppu_log_free(&log);
	return img;
}

/* The child of that name; of the unit, or of the function k. */
static struct dw_die named(const struct ppu_debug *d, const char *of, const char *name)
{
	struct dw_die die, child;
	uint32_t at = 0;

	ck_assert(dw_unit(d, &at, &die));
	if (of)
		die = named(d, NULL, of);
	for (bool is = dw_child(d, &die, &child); is; is = dw_brother(d, &child))
		if (child.name && !strcmp(child.name, name))
			return child;
	ck_abort_msg("there is no %s", name);
}

START_TEST(sections)
{
	struct ppu_image *img = compile(true);
	const struct ppu_debug *d = img->debug;
	struct dw_die die;
	uint64_t count;
	char buf[64];
	struct dw_block b;

	ck_assert_ptr_nonnull(d);
	die = named(d, NULL, "int");
	ck_assert_uint_eq(dw_size(d, die.at), 4);
	ck_assert_uint_eq(die.encoding, DW_SIGNED);
	die = named(d, NULL, "T");
	ck_assert_str_eq(dw_type_text(d, die.at, buf, sizeof(buf)), "T");
	ck_assert_uint_eq(dw_size(d, die.at), 8);
	die = named(d, NULL, "S");
	ck_assert_uint_eq(die.size, 12);
	ck_assert(dw_child(d, &die, &die));
	ck_assert_uint_eq(die.member, 8);
	die = named(d, "k", "a");
	ck_assert_uint_eq(dw_size(d, die.type), 8);
	ck_assert_str_eq(dw_type_text(d, die.type, buf, sizeof(buf)), "int [2]");
	ck_assert(dw_plain(d, die.type, &die) && dw_dimension(d, &die, 0, &count) && !dw_dimension(d, &die, 1, &count));
	die = named(d, "k", "a");
	ck_assert_uint_eq(die.location.n, 11);
	ck_assert_uint_eq(dw_word(die.location.p + 1, 8) >> PPU_DEBUG_KIND, PPU_DEBUG_FRAME);
	/* x is in %r2 between the labels t1 and t2, and there is a copy of that register. */
	die = named(d, NULL, "k");
	ck_assert_uint_eq(die.low >> PPU_DEBUG_KIND, PPU_DEBUG_MARK);
	ck_assert_uint_eq(die.high - die.low, 4);
	ck_assert(!dw_listed(d, named(d, "k", "x").list, 0, die.low + 1, &b));
	ck_assert(dw_listed(d, named(d, "k", "x").list, 0, die.low + 2, &b));
	ck_assert(!dw_listed(d, named(d, "k", "x").list, 0, die.low + 3, &b));
	ck_assert_uint_eq(d->num_homes, 1);
	ck_assert_str_eq(d->homes[0].name, "%r2");
	ck_assert_uint_eq(d->homes[0].bytes, 4);
	for (uint32_t i = 1; i < d->num_marks; i++)
		ck_assert(d->marks[i - 1].pc < d->marks[i].pc);
	/* The last instruction is behind the last label but one. */
	ck_assert_uint_eq(d->marks[d->num_marks - 1].mark, (uint32_t)die.high - 1);
	ppu_image_free(img);
}
END_TEST

/* Without the option the sections are passed over, and the code is what it was before somebody read them. */
START_TEST(without)
{
	struct ppu_image *with = compile(true), *img = compile(false);
	size_t len, plain_len;
	uint8_t *bytes, *plain;
	struct ppu_image *other;
	char *cut = strdup(text);

	ck_assert_ptr_null(img->debug);
	ck_assert(with->num_insns > img->num_insns);
	*strstr(cut, ".section") = 0;
	ck_assert(!ppu_ptx_compile(cut, strlen(cut), "k.ptx", NULL, &other, NULL));
	ck_assert(!ppu_image_write(img, &bytes, &len) && !ppu_image_write(other, &plain, &plain_len));
	ck_assert(len == plain_len && !memcmp(bytes, plain, len));
	free(bytes);
	free(plain);
	free(cut);
	ppu_image_free(other);
	ppu_image_free(img);
	ppu_image_free(with);
}
END_TEST

/* ---- whatever the bytes are ---------------------------------------------------------------------------------------- */

static void look_at(const struct ppu_debug *d, const struct dw_die *die)
{
	struct dw_block b;
	struct dw_die t;
	uint64_t count;
	char buf[40];

	dw_type_text(d, die->type, buf, sizeof(buf));
	dw_size(d, die->type);
	if (dw_plain(d, die->type, &t))
		dw_dimension(d, &t, 1, &count);
	for (uint64_t mark = 0; die->has_list && mark < 8; mark++)
		dw_listed(d, die->list, die->low, (uint64_t)PPU_DEBUG_MARK << PPU_DEBUG_KIND | mark, &b);
	if (die->name)
		ck_assert_uint_lt(strlen(die->name), 4096);
}

static unsigned walk(const struct ppu_debug *d, const struct dw_die *parent, unsigned deep)
{
	struct dw_die die;
	unsigned n = 0;

	for (bool is = deep < 8 && dw_child(d, parent, &die); is && n < 4096; is = dw_brother(d, &die)) {
		look_at(d, &die);
		n += 1 + walk(d, &die, deep + 1);
	}
	return n;
}

/* Each section is a block of its own size, so that a sanitizer notices a byte too much. */
START_TEST(hostile)
{
	struct ppu_image *img = compile(true);
	struct ppu_debug d;
	uint64_t seed = 1;

	for (unsigned round = 0; round < 30000; round++) {
		struct dw_die unit;

		memset(&d, 0, sizeof(d));
		for (unsigned i = 0; i < PPU_DEBUG_SECTIONS; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			d.bytes[i] = img->debug->bytes[i];
			if (d.bytes[i] && seed >> 60 == 0)
				d.bytes[i] = (uint32_t)(seed >> 32) % d.bytes[i];
			d.section[i] = malloc(d.bytes[i] ? d.bytes[i] : 1);
			memcpy(d.section[i], img->debug->section[i], d.bytes[i]);
			/* A unit that is cut off says so, or it would not be read at all. */
			if (i == PPU_DEBUG_INFO && d.bytes[i] > 4 && d.bytes[i] < 256)
				memcpy(d.section[i], &(uint32_t){ d.bytes[i] - 4 }, 4);
			for (unsigned k = 0; d.bytes[i] && k < 3; k++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				if (seed >> 62)
					d.section[i][(seed >> 32) % d.bytes[i]] = (uint8_t)(seed >> 24);
			}
		}
		for (uint32_t at = 0; dw_unit(&d, &at, &unit);)
			walk(&d, &unit, 0);
		for (unsigned i = 0; i < PPU_DEBUG_SECTIONS; i++)
			free(d.section[i]);
	}
	ppu_image_free(img);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_debug");
	TCase *tc = tcase_create("sections");

	tcase_add_test(tc, sections);
	tcase_add_test(tc, without);
	tcase_add_test(tc, hostile);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
