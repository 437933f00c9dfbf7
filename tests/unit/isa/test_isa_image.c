/* SPDX-License-Identifier: MIT */
/* Native images: file format, linking, totals over the call graph, hostile files. */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ppu_image.h>
#include <hw/ppu_isa_check.h>
#include "compiler/obj/image.h"
#include "run_suite.h"

static struct ppu_image *assemble(const char *text)
{
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_assemble(text, strlen(text), "t.ppus", &img, &log), "%s", log.text);
	ppu_log_free(&log);
	return img;
}

static const char rich[] =
	".file 0 \"a.cu\"\n.file 1 \"b.h\"\n.extern other weak\n"
	".global g 40 32 managed = .word 1 2 3 .addr g+8\n.const c 16 8 static = .code f .zero 8\n"
	".shared s 100 16\n"
	".kernel k threads=64 reqntid=8,8,1 local=48\n.param a u64\n.param b 24 8\n"
	".loc 0 1 2\nmovi64 rd2, g+4\nmov.u32 r4, s\n.loc 1 7 1\ncal r5, f\ncal r5, other\nexit\n"
	".func f frame=32 recursive\nret r5\n";

START_TEST(file_keeps_everything)
{
	struct ppu_image *img = assemble(rich), *back;
	uint8_t *bytes, *bytes2;
	size_t len, len2;
	char *text, *text2;

	ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
	ck_assert_int_eq(ppu_image_read(bytes, len, &back, NULL), 0);
	ck_assert_int_eq(ppu_image_write(back, &bytes2, &len2), 0);
	ck_assert_uint_eq(len, len2);
	ck_assert_int_eq(memcmp(bytes, bytes2, len), 0);
	ck_assert_int_eq(ppu_disassemble(img, &text), 0);
	ck_assert_int_eq(ppu_disassemble(back, &text2), 0);
	ck_assert_str_eq(text, text2);
	ck_assert_uint_eq(back->symbols[0].kind, PPU_SYM_UNDEF);
	ck_assert_uint_eq(ppu_image_find(back, "g")->flags, PPU_SYMF_GLOBAL | PPU_SYMF_MANAGED);
	ck_assert_uint_eq(ppu_image_find(back, "k")->reqntid[1], 8);
	ck_assert_uint_eq(back->data_align, 32);
	ck_assert_ptr_null(ppu_image_find(back, "nobody"));
	free(text);
	free(text2);
	free(bytes);
	free(bytes2);
	ppu_image_free(img);
	ppu_image_free(back);
}
END_TEST

/* Every truncation and many mutations of a file: it is refused or usable, and nothing crashes. */
START_TEST(hostile_files)
{
	struct ppu_image *img = assemble(rich), *back, *dst;
	uint8_t *bytes, *copy;
	size_t len, i;
	uint32_t seed = 7, accepted = 0;
	struct ppu_log log;

	ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
	ppu_image_free(img);
	for (i = 0; i < len; i++) {
		copy = malloc(i ? i : 1);
		memcpy(copy, bytes, i);
		ck_assert_int_lt(ppu_image_read(copy, i, &back, NULL), 0);
		ck_assert_ptr_null(back);
		free(copy);
	}
	copy = malloc(len);
	for (i = 0; i < 60000; i++) {
		unsigned k, n = 1 + i % 3;

		memcpy(copy, bytes, len);
		for (k = 0; k < n; k++) {
			static const uint8_t values[] = { 0, 1, 2, 4, 0x7f, 0x80, 0xff, 0x10 };

			seed = seed * 1664525u + 1013904223u;
			copy[(seed >> 8) % len] = values[seed >> 3 & 7];
		}
		ppu_log_init(&log);
		if (!ppu_image_read(copy, len, &back, &log)) {
			char *text;
			uint8_t *again;
			size_t alen;

			accepted++;
			if (back->data_bytes < 1 << 20) {
				ck_assert_int_eq(ppu_disassemble(back, &text), 0);
				free(text);
				ck_assert_int_eq(ppu_image_write(back, &again, &alen), 0);
				free(again);
				dst = ppu_image_new();
				if (!ppu_image_link(dst, back, &log) && !ppu_image_link(dst, back, &log))
					ppu_image_finish(dst, &ppu_device_library, &log);
				ppu_image_free(dst);
			}
			ppu_image_free(back);
		} else {
			ck_assert_uint_eq(log.errors, 1);
		}
		ppu_log_free(&log);
	}
	free(copy);
	free(bytes);
	ck_assert_uint_gt(accepted, 1000);
}
END_TEST

/* The sizes that a file may say of its data and shared memory: up to the largest, and not one more. */
START_TEST(bounds_of_sizes)
{
	static const struct { unsigned at, bytes; uint64_t v; const char *says; } t[] = {
		{ 0, 8, 24, NULL }, { 0, 8, 23, "too much data" }, { 0, 8, PPU_IMAGE_DATA_MAX, NULL },
		{ 0, 8, PPU_IMAGE_DATA_MAX + 1, "too much data" }, { 0, 8, ~0ull, "too much data" },
		{ 8, 8, 1, NULL }, { 8, 8, 64, NULL }, { 8, 8, 0, "bad alignment" }, { 8, 8, 24, "bad alignment" },
		{ 8, 8, PPU_IMAGE_ALIGN_MAX, NULL }, { 8, 8, 2 * PPU_IMAGE_ALIGN_MAX, "bad alignment" },
		{ 16, 4, 0, NULL }, { 16, 4, PPU_IMAGE_SHARED_MAX, NULL }, { 16, 4, PPU_IMAGE_SHARED_MAX + 1, "too much shared" },
		{ 20, 4, 1, "reserved" }, { 20, 4, 1u << 31, "reserved" },
	};
	struct ppu_image *img = assemble(".kernel k\nexit\n"), *back;
	static uint8_t data[24] = { [23] = 7 };
	uint8_t info[24] = { 24, [8] = 32, [16] = 0x40, 0x44 }, *bytes, *at, was[24];
	struct ppu_log log;
	size_t len;

	free(img->data);
	img->data = data;
	img->data_bytes = 24;
	img->data_align = 32;
	img->shared_module_bytes = 0x4440;
	ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
	img->data = NULL;
	img->data_bytes = 0;
	ppu_image_free(img);
	at = memmem(bytes, len, info, sizeof(info));
	ck_assert_ptr_nonnull(at);
	memcpy(was, at, sizeof(was));
	for (unsigned i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		memcpy(at, was, sizeof(was));
		memcpy(at + t[i].at, &t[i].v, t[i].bytes);
		ppu_log_init(&log);
		ck_assert_msg(!ppu_image_read(bytes, len, &back, &log) == !t[i].says, "%u: %s", i, log.text);
		if (t[i].says)
			ck_assert_msg(strstr(log.text, t[i].says) != NULL, "%u: %s", i, log.text);
		else
			ppu_image_free(back);
		ppu_log_free(&log);
	}
	free(bytes);
}
END_TEST

START_TEST(link_resolves)
{
	struct ppu_image *a = assemble(
		".extern add1\n.extern tab\n.global local_a 4 4 static = .word 7\n.shared sa 16 16\n"
		".kernel main regs=4\nL: bra L\ncal r3, add1\nmovi64 rd2, tab+8\nmov.u32 r1, sa\nexit\n");
	struct ppu_image *b = assemble(
		".global tab 16 16 = .quad 1 .addr add1_ptr\n.global add1_ptr 8 8 = .code add1\n"
		".shared sb 32 16\n.global local_a 4 4 static = .word 9\n"
		".func helper static\nret r9\n"
		".func add1 frame=16\nX: bra X\ncal r9, helper\nmov.u32 r40, sb+4\nbar.sync 5\nret r3\n");
	struct ppu_image *img = ppu_image_new();
	struct ppu_symbol *s;
	struct ppu_log log;
	uint32_t f;

	ppu_log_init(&log);
	ck_assert_int_eq(ppu_image_link(img, a, &log), 0);
	ck_assert_int_lt(ppu_image_finish(img, &ppu_device_library, &log), 0);
	ck_assert_ptr_nonnull(strstr(log.text, "error: add1: undefined"));
	ppu_log_free(&log);
	ck_assert_int_eq(ppu_image_link(img, b, &log), 0);
	ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
	s = ppu_image_find(img, "add1");
	f = (uint32_t)s->value;
	ck_assert_uint_eq(f, 6);
	ck_assert_uint_eq(PPU_GET(&img->code[1], IMM), f);	/* cal add1 */
	ck_assert_uint_eq(PPU_GET(&img->code[f], IMM), f);	/* X: bra X, moved */
	ck_assert_uint_eq(PPU_GET(&img->code[f + 1], IMM), 5);	/* cal helper */
	ck_assert_uint_eq(PPU_GET(&img->code[f + 2], IMM), 128 + 4);	/* sb after sa */
	ck_assert_uint_eq(ppu_image_find(img, "tab")->value, 16);
	ck_assert_uint_eq(img->data[ppu_image_find(img, "add1_ptr")->value], f);
	s = ppu_image_find(img, "main");
	ck_assert_uint_eq(s->regs, 41);
	ck_assert_uint_eq(s->barriers, 6);
	ck_assert_uint_eq(s->local_bytes, 16);
	ck_assert_uint_eq(s->recursive, 0);
	/* twice the same strong symbol */
	ck_assert_int_lt(ppu_image_link(img, b, &log), 0);
	ck_assert_ptr_nonnull(strstr(log.text, "defined twice"));
	ppu_log_free(&log);
	ppu_image_free(a);
	ppu_image_free(b);
	ppu_image_free(img);
}
END_TEST

static uint32_t shared_of(const struct ppu_image *img, const char *kernel)
{
	return ppu_image_find(img, kernel)->shared_bytes;
}

/*
 * HW-54: the offsets of movable variables depend on which kernels can reach them; fixed variables stay below. When an
 * image is written, read, listed and finished again, the offsets are the same.
 */
START_TEST(shared_places)
{
	struct ppu_image *a = assemble(
		".extern f\n.shared own 100 4 movable static\n.shared dyn 0 32 movable static\n"
		".kernel k1\nmov.u32 r1, own\nmov.u32 r1, dyn\ncal r4, f\nexit\n"
		".kernel k2\nmov.u32 r1, dyn\nexit\n");
	struct ppu_image *b = assemble(
		".shared mine 60 64 movable static\n.shared both 8 8 movable static\n"
		".func f\nmov.u32 r9, both\nmov.u32 r9, mine\ncal r4, f\nret r4\n"
		".kernel k3\nmov.u32 r1, both\nexit\n.kernel k4 shared=48\ncal r4, g\nexit\n"
		".func g shared=500\nret r4\n");
	struct ppu_image *img = ppu_image_new(), *back;
	struct ppu_log log;
	uint32_t dyn, k1;
	uint8_t *bytes;
	size_t len;
	char *text;

	ppu_log_init(&log);
	ck_assert_int_eq(ppu_image_link(img, a, &log), 0);
	ck_assert_int_eq(ppu_image_link(img, b, &log), 0);
	for (unsigned again = 0; again < 3; again++) {
		ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
		dyn = PPU_GET(&img->code[1], IMM);
		k1 = shared_of(img, "k1");
		/*
		 * both at 0: three kernels use it; own and mine follow, without overlap; k1 and k2 use dyn, so it has
		 * one offset
		 */
		ck_assert_uint_eq(PPU_GET(&img->code[ppu_image_find(img, "f")->value], IMM), 0);
		ck_assert_uint_eq(PPU_GET(&img->code[0], IMM), 8);
		ck_assert_uint_eq(PPU_GET(&img->code[ppu_image_find(img, "f")->value + 1], IMM), 128);
		ck_assert_uint_eq(dyn, 192);
		ck_assert_uint_eq(PPU_GET(&img->code[ppu_image_find(img, "k2")->value], IMM), dyn);
		ck_assert_uint_eq(k1, dyn);
		ck_assert_uint_eq(shared_of(img, "k2"), dyn);
		ck_assert_uint_eq(shared_of(img, "k3"), 8);
		ck_assert_uint_eq(shared_of(img, "k4"), 500);
		if (again) {
			ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
			ppu_image_free(img);
			ck_assert_int_eq(ppu_image_read(bytes, len, &img, NULL), 0);
			free(bytes);
		} else {
			ck_assert_int_eq(ppu_disassemble(img, &text), 0);
			ck_assert_msg(!ppu_assemble(text, strlen(text), "again", &back, &log), "%s%s", log.text, text);
			free(text);
			ppu_image_free(img);
			img = back;
		}
	}
	ppu_log_free(&log);
	ppu_image_free(a);
	ppu_image_free(b);
	ppu_image_free(img);
}
END_TEST

/* Too much shared memory is an error that names the kernel; the offset does not wrap. */
START_TEST(shared_too_much)
{
	struct ppu_image *img = assemble(
		".shared one 600000 4 movable\n.shared two 600000 4 movable\n"
		".kernel fits\nmov.u32 r1, one\nexit\n.kernel large\nmov.u32 r1, one\nmov.u32 r1, two\nexit\n");
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_int_lt(ppu_image_finish(img, &ppu_device_library, &log), 0);
	ck_assert_ptr_nonnull(strstr(log.text, "error: large: the shared variables"));
	ck_assert_int_lt(ppu_image_finish(img, &ppu_device_library, NULL), 0);
	ppu_log_free(&log);
	ppu_image_free(img);
}
END_TEST

START_TEST(weak_gives_way)
{
	struct ppu_image *weak = assemble(".global v 4 4 weak = .word 1\n");
	struct ppu_image *strong = assemble(".global v 4 4 = .word 2\n");
	unsigned order;

	for (order = 0; order < 2; order++) {
		struct ppu_image *img = ppu_image_new();

		ck_assert_int_eq(ppu_image_link(img, order ? weak : strong, NULL), 0);
		ck_assert_int_eq(ppu_image_link(img, order ? strong : weak, NULL), 0);
		ck_assert_uint_eq(img->data[ppu_image_find(img, "v")->value], 2);
		ppu_image_free(img);
	}
	ppu_image_free(weak);
	ppu_image_free(strong);
}
END_TEST

START_TEST(call_graph)
{
	struct ppu_image *img = assemble(
		".kernel leaf frame=8\nexit\n"
		".kernel deep frame=16\ncal r5, f1\ncal r5, f2\nexit\n"
		".kernel rec\ncal r5, \"r1\"\nexit\n"
		".kernel ptr frame=4\nmovi64 rd2, f2\ncalx r9, r2\nexit\n"
		".func f1 frame=100\ncal r6, f2\nret r5\n"
		".func f2 frame=50\nmov.u32 r77, 1\nret r6\n"
		".func \"r1\" frame=10\ncal r6, \"r2\"\nret r5\n"
		".func \"r2\" frame=20\nmov.u32 r99, 1\n@p0 cal r7, \"r1\"\nret r6\n");
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
	ck_assert_uint_eq(ppu_image_find(img, "leaf")->local_bytes, 8);
	ck_assert_uint_eq(ppu_image_find(img, "deep")->local_bytes, 166);
	ck_assert_uint_eq(ppu_image_find(img, "deep")->regs, 78);
	ck_assert_uint_eq(ppu_image_find(img, "ptr")->local_bytes, 54);
	ck_assert_uint_eq(ppu_image_find(img, "ptr")->regs, 78);
	ck_assert_uint_eq(ppu_image_find(img, "rec")->recursive, 1);
	ck_assert_uint_eq(ppu_image_find(img, "rec")->regs, 100);
	ck_assert_uint_eq(ppu_image_find(img, "deep")->recursive, 0);
	ppu_image_free(img);
	ppu_log_free(&log);
}
END_TEST

/* A library of two modules; only the first module uses the second. */
static unsigned made[2];

static unsigned toy_find(const char *function)
{
	return !strcmp(function, "put") || !strcmp(function, "last") ? 0 : !strcmp(function, "below") ? 1 : 2;
}

static int toy_image(unsigned module, struct ppu_image **img, struct ppu_log *log)
{
	static const char *const text[] = {
		".extern below\n.func put weak frame=32\ncal r5, below\nret r4\n.func last weak\nexit\n",
		".func below weak frame=8\nmov.u32 r60, 1\nret r5\n",
	};

	made[module]++;
	return ppu_assemble(text[module], strlen(text[module]), "toy", img, log);
}

static int toy_is_queue(const char *function)
{
	return !strcmp(function, "put");
}

static const struct ppu_library toy = {
	.num_modules = 2, .find = toy_find, .image = toy_image, .is_queue = toy_is_queue,
	.queue_exit = "last", .thread_slot = "below", .thread_slot_bytes = 16,
};

/* The linker contains no library: it takes modules from the library it is given, each module once. */
START_TEST(library_is_given)
{
	struct ppu_image *img = assemble(".extern put\n.kernel a\ncal r4, put\nexit\n.kernel b\nexit\n"
					 ".kernel c\ncal r4, put\nexit\n");
	struct ppu_log log;
	struct ppu_symbol *a;

	ppu_log_init(&log);
	ck_assert_int_lt(ppu_image_finish(img, NULL, &log), 0);
	ck_assert_str_eq(log.text, "error: put: undefined\n");
	ck_assert_msg(!ppu_image_finish(img, &toy, &log), "%s", log.text);
	ck_assert_uint_eq(made[0], 1);
	ck_assert_uint_eq(made[1], 1);
	a = ppu_image_find(img, "a");
	ck_assert_uint_eq(a->regs, 61);
	ck_assert_uint_eq(a->local_bytes, 32 + 8 + toy.thread_slot_bytes);
	ck_assert(a->flags & PPU_SYMF_QUEUE);
	ck_assert_uint_eq(PPU_GET(&img->code[a->value + 1], OP), PPU_OP_BRA);	/* was exit */
	ck_assert_uint_eq(PPU_GET(&img->code[a->value + 1], IMM), ppu_image_find(img, "last")->value);
	ck_assert(!(ppu_image_find(img, "b")->flags & PPU_SYMF_QUEUE));
	ck_assert_uint_eq(ppu_image_find(img, "b")->local_bytes, 0);
	ppu_log_free(&log);
	ppu_image_free(img);
}
END_TEST

/* A frame of the largest size stays too large: the sum with the frames of the library does not wrap. */
START_TEST(largest_frame)
{
	struct ppu_image *img = assemble(".extern put\n.kernel a\ncal r4, put\nexit\n");
	struct ppu_log log;

	ppu_log_init(&log);
	ppu_image_find(img, "a")->frame_bytes = UINT32_MAX - 8;
	ck_assert_msg(!ppu_image_finish(img, &toy, &log), "%s", log.text);
	ck_assert_uint_eq(ppu_image_find(img, "a")->local_bytes, UINT32_MAX);
	ppu_log_free(&log);
	ppu_image_free(img);
	img = assemble(".extern below\n.kernel a\ncal r5, below\nexit\n");
	ppu_image_find(img, "a")->frame_bytes = UINT32_MAX - 16;
	ck_assert_msg(!ppu_image_finish(img, &toy, NULL), "not finished");
	ck_assert_uint_eq(ppu_image_find(img, "a")->local_bytes, UINT32_MAX);
	ppu_image_free(img);
}
END_TEST

/* Whatever the lengths of its sentences, a log is all of them: those that just fit, and those that do not by one. */
START_TEST(log_is_whole)
{
	char want[8192];

	for (unsigned step = 1; step < 40; step++) {
		struct ppu_log log;
		size_t n = 0;

		ppu_log_init(&log);
		for (unsigned k = 0; n + 100 < sizeof(want); k++) {
			int width = (int)(1 + k % step + (k % 3) * step);

			snprintf(want + n, sizeof(want) - n, "%*u", width, k % 10);
			n += (size_t)width;
			ppu_log_printf(&log, "%*u", width, k % 10);
			ck_assert_uint_eq(log.len, n);
			ck_assert_mem_eq(log.text, want, n + 1);
		}
		ppu_log_free(&log);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("isa_image");
	TCase *tc = tcase_create("image");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, file_keeps_everything);
	tcase_add_test(tc, hostile_files);
	tcase_add_test(tc, bounds_of_sizes);
	tcase_add_test(tc, link_resolves);
	tcase_add_test(tc, library_is_given);
	tcase_add_test(tc, largest_frame);
	tcase_add_test(tc, shared_places);
	tcase_add_test(tc, shared_too_much);
	tcase_add_test(tc, weak_gives_way);
	tcase_add_test(tc, call_graph);
	tcase_add_test(tc, log_is_whole);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
