/* SPDX-License-Identifier: MIT */
/* Assembler language: golden text, errors with their places, whole modules. */
#include <check.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <ppu_image.h>
#include "compiler/asm/text.h"
#include "run_suite.h"

/* Text as written, and the canonical text it disassembles to (NULL: the same). */
static const struct {
	const char *in, *out;
} golden[] = {
	{ "nop", NULL },
	{ "@!p0 add.s32 r4, r5, -7", NULL },
	{ "@p3 add.s32 r4, r5, r6", NULL },
	{ "add.ftz.rz.f32 r4, |r5|, -|r6|", "add.rz.ftz.f32 r4, |r5|, -|r6|" },
	{ "add.f32.ftz.rz r4, -r5, 1.5", "add.rz.ftz.f32 r4, -r5, 1.5" },
	{ "add.f32 r4, r5, 0x3fc00000", "add.f32 r4, r5, 1.5" },
	{ "add.f64 rd4, rd6, 1.0", "add.f64 rd4, rd6, 0x3ff00000" },
	{ "add.f16 r4, r5, 1.0", "add.f16 r4, r5, 0x3c00" },
	{ "add.f16x2 r4, r5, -2.0", "add.f16x2 r4, r5, 0xc000c000" },
	{ "add.bf16 r4, r5, 1.0", "add.bf16 r4, r5, 0x3f80" },
	{ "add.co.u32 r4, p1, r5, r6", NULL },
	{ "add.ci.co.u64 rd4, p1, rd6, 100, !p2", "add.co.ci.u64 rd4, p1, rd6, 100, !p2" },
	{ "madhi.sat.s32 r1, r2, r3, r4", NULL },
	{ "madw.u32 rd2, r4, 12, rd6", NULL },
	{ "fma.relu.f16x2 r1, r2, r3, -r4", NULL },
	{ "min.nan.xorsign_abs.f32 r1, r2, r3", NULL },
	{ "mov.u32 r1, 0xffffffff", "mov.u32 r1, -1" },
	{ "mov.u64 rd1, -2147483648", "mov.u64 rd1, -0x80000000" },
	{ "movi64 rd250, 0xfedcba9876543210", NULL },
	{ "movi64 rd2, 1.0", "movi64 rd2, 0x3ff0000000000000" },
	{ "s2r r1, %tid.x", NULL },
	{ "s2r rd2, %globaltimer", NULL },
	{ "sel.u64 rd2, rd4, 0, !p3", NULL },
	{ "setp.lt.s32 p1, r2, 5", NULL },
	{ "setp.geu.or.f32 p1, p2, r2, r3, !p4", NULL },
	{ "set.lt.f64.u32 r1, rd2, rd4", NULL },
	{ "plop.xor p1, p2, !p3", NULL },
	{ "plop.mov pt, !pt, pt", NULL },
	{ "p2r r1, 0x7fff", NULL },
	{ "r2p r1, 0xf", NULL },
	{ "lop3.u32 r1, r2, r3, 7, 0xe8", NULL },
	{ "shf.r.clamp.u32 r1, r2, r3, 5", NULL },
	{ "shf.l.u32 r1, r2, r3, r4", NULL },
	{ "cvt.rz.s32.f32 r1, -|r2|", NULL },
	{ "cvt.rint.rm.f32.f32 r1, r2", "cvt.rint.rm.f32.f32 r1, r2" },
	{ "cvt.sat.u8.s64 r1, rd2", NULL },
	{ "cvt2.relu.f16x2 r1, r2, r3", NULL },
	{ "cvta.shared r2, r4", "!a register pair (rd2) is expected" },
	{ "cvta.shared rd2, r4", NULL },
	{ "cvta.to.shared r2, rd4", "cvta.shared.to r2, rd4" },
	{ "isspacep.global p1, rd2", NULL },
	{ "testp.subnormal.f64 p1, rd2", NULL },
	{ "ld.global.v4.u32 rq4, [rd8+16]", NULL },
	{ "ld.v2.u16 rd4, [rd8-2]", NULL },
	{ "ld.param.u64 rd4, [8]", NULL },
	{ "ld.acquire.sys.global.u32 r4, [rd8]", "ld.global.acquire.sys.u32 r4, [rd8]" },
	{ "st.shared.b128 [r4], rq8", NULL },
	{ "st.volatile.local.u8 [r4+1], r5", "st.local.volatile.u8 [r4+1], r5" },
	{ "atom.global.add.u32 rz, [rd4], r5", NULL },
	{ "atom.shared.cas.acq_rel.u64 rd2, [r4+8], rd6, rd8", NULL },
	{ "membar.sc.sys", NULL },
	{ "membar", NULL },
	{ "prefetch.global [rd4+128]", NULL },
	{ "bra 12", NULL },
	{ "ret r9", NULL },
	{ "cal r9, 5", NULL },
	{ "calx r9, r10", NULL },
	{ "push.brk 7", NULL },
	{ "disable.r9 7", NULL },
	{ "nanosleep 100", NULL },
	{ "bar.sync 0", NULL },
	{ "bar.sync r4", NULL },
	{ "bar.arrive 1, 64", NULL },
	{ "bar.arrive r1, r2", NULL },
	{ "bar.popc r1, 15, 96, !p2", NULL },
	{ "bar.or p1, r2, r3, p4", NULL },
	{ "vote.any p1, r2, !p3", NULL },
	{ "vote.all.active pt, p3", NULL },
	{ "vote.ballot.active r1, p3", NULL },
	{ "shfl.bfly r1, p2, r3, 16, 31", NULL },
	{ "shfl.idx.full r1, r3, r4, r5", NULL },
	{ "shfl.up.mask r1, r3, r4, 0, r6", NULL },
	{ "match.all.u64 r1, p2, rd4, r6", NULL },
	{ "redux.xor.u32 r1, r2, r3", NULL },
	{ "warpsync 0xffffffff", "warpsync -1" },
	{ "tlaunch r1, rd2", NULL },
	{ "tsync r1", NULL },
	{ ".insn 0x0000000000000077, 0x0", ".insn 0x0000000000000077, 0x0000000000000000" },
	/* refused; ! and a piece of the message */
	{ "foo r1", "!no instruction is called 'foo'" },
	{ "add.b32 r1, r2, r3", "!does not take the suffix .b32" },
	{ "add r1, r2, r3", "!illegal type" },
	{ "add.u32 r1, r2", "!a source operand is missing" },
	{ "add.u32 r1, r2, r3, r4", "!one operand too many" },
	{ "add.u32 r1, r2, r255", "!registers are r0 to r254" },
	{ "add.u64 r1, rd2, rd4", "!a register pair (rd1) is expected" },
	{ "add.u32 r1, r2, 1.5", "!needs a floating type" },
	{ "add.u32 r1, r2, 0x100000000", "!does not fit in 32 bits" },
	{ "add.u64 rd2, rd4, 0x80000000", "!sign-extended" },
	{ "add.u32.ftz r1, r2, r3", "!no ftz here" },
	{ "add.u32 r1, -r2, r3", "!integer operand" },
	{ "setp.u32 p1, r2, r3", "!needs a suffix of the kind .eq" },
	{ "setp.num.s32 p1, r2, r3", "!needs a floating type" },
	{ "mad.u32 r1, r2, 3, 4", "!two immediate operands" },
	{ "ld.global.u32 r1, [r2]", "!is a pair (rd2)" },
	{ "ld.shared.u32 r1, [rd2]", "!32 bits wide" },
	{ "ld.global.v4.u64 rz, [rd8]", "!at most 128 bits" },
	{ "ld.global.release.u32 r4, [rd8]", "!memory order does not fit" },
	{ "ld.global.u32 r4, [rd8", "!']' is expected" },
	{ "s2r r1, %nope", "!no such special register" },
	{ "s2r %tid.x, r1", "!a register is expected" },
	{ "bra nowhere", "!'nowhere' is not defined" },
	{ "bar.sync 16", "!barriers are 0 to 15" },
	{ "tex r1, r2, r3, r4", "!texture" },
	{ "push 4", "!needs a suffix of the kind .sync" },
	{ ".kernel", "!a name is expected" },
	{ ".kernel k regs=400", "!a number from 0 to 255" },
	{ ".global x 4 = .word 1 2", "!more values than the variable has room for" },
	{ "/* open", "!comment is not closed" },
	{ "x: x: nop", "!label 'x' is defined twice" },
	{ ".global a 4 4\n.global a 4 4", "!'a' is defined twice" },
	{ ".kernel k regs=2\nmov.u32 r5, 1\nexit", "!uses r5 but says regs=2" },
	{ ".kernel k regs=5\nmov.u32 r5, 1\nexit", "!uses r5 but says regs=5" },
	{ ".kernel k insns=3\nnop\nexit", "!'k' has fewer instructions than insns= says" },
	{ ".func f\nnop\nnop\nnop\nret r2\n.kernel k insns=3\nnop\nexit", "!'k' has fewer instructions than insns= says" },
	{ ".func f\n.kernel k\nexit", "!'f' has no instructions" },
	{ ".kernel k\nexit\n.func f", "!'f' has no instructions" },
};

START_TEST(golden_text)
{
	const char *in = golden[_i].in, *out = golden[_i].out;
	struct ppu_image *img;
	struct ppu_log log;
	char buf[256];

	ppu_log_init(&log);
	if (out && out[0] == '!') {
		ck_assert_int_lt(ppu_assemble(in, strlen(in), "t", &img, &log), 0);
		ck_assert_msg(strstr(log.text, out + 1) != NULL, "%s: %s", in, log.text);
		ck_assert_msg(!strncmp(log.text, "t:", 2) && strstr(log.text, ": error: "), "%s", log.text);
		ck_assert_uint_gt(log.errors, 0);
	} else {
		ck_assert_msg(!ppu_assemble(in, strlen(in), "t", &img, &log), "%s", log.text);
		ck_assert_uint_eq(img->num_insns, 1);
		ppu_disasm_insn(&img->code[0], 0, buf, sizeof(buf));
		ck_assert_str_eq(buf, out ? out : in);
		ppu_image_free(img);
	}
	ppu_log_free(&log);
}
END_TEST

static struct ppu_image *assemble(const char *text)
{
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_assemble(text, strlen(text), "t.ppus", &img, &log), "%s", log.text);
	ppu_log_free(&log);
	return img;
}

START_TEST(error_positions)
{
	const char *text = "nop\n  add.u32 r1, r2, q7\n// c\n/* a\nb */ mov.u32 rd1, 4\n\tbra x\n";
	struct ppu_image *img;
	struct ppu_log log;

	ppu_log_init(&log);
	ck_assert_int_lt(ppu_assemble(text, strlen(text), "f.ppus", &img, &log), 0);
	ck_assert_str_eq(log.text, "f.ppus:5:14: error: a 32-bit register (r1) is expected\n");
	ppu_log_free(&log);
	ppu_log_init(&log);
	text = "nop\n  add.u32 r1, r2, q7\n";
	ck_assert_int_lt(ppu_assemble(text, strlen(text), "f.ppus", &img, &log), 0);
	ck_assert_str_eq(log.text, "f.ppus:2:19: error: 'q7' is not defined (use .extern for symbols of other modules)\n");
	ppu_log_free(&log);
}
END_TEST

/* What the assembler counts of a function that does not say it, and what one that says it may have. */
START_TEST(functions)
{
	struct ppu_image *img = assemble(".func f\nnop\nmov.u32 r0, 1\nret r2\n"
					 ".kernel a\nmov.u64 rd6, rd8\nbar.sync 3\nexit\n"
					 ".kernel b regs=20 insns=2 barriers=1\nmov.u32 r19, 1\nexit\nmov.u32 r30, 1\n"
					 ".kernel c insns=3\nbar.sync r4\nbar.sync 15\nexit\n"
					 ".kernel d\nmov.u32 r0, 1\nexit\n");
	static const struct { const char *name; uint32_t at, insns, regs, barriers; } want[] = {
		{ "f", 0, 3, 3, 0 }, { "a", 3, 3, 10, 4 }, { "b", 6, 2, 20, 1 }, { "c", 9, 3, 5, 16 }, { "d", 12, 2, 2, 0 },
	};

	ck_assert_uint_eq(img->num_symbols, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct ppu_symbol *f = &img->symbols[i];

		ck_assert_str_eq(f->name, want[i].name);
		ck_assert_uint_eq(f->value, want[i].at);
		ck_assert_uint_eq(f->num_insns, want[i].insns);
		ck_assert_msg(f->regs == want[i].regs, "%s: %u registers", f->name, f->regs);
		ck_assert_msg(f->barriers == want[i].barriers, "%s: %u barriers", f->name, f->barriers);
	}
	ppu_image_free(img);
}
END_TEST

static const char module[] =
	".file 0 \"vadd.cu\"\n"
	".extern other\n"
	".global table 16 8 = .byte 0x01 0x00 0x00 0x00 0xfe 0xff 0xff 0xff 0x30 .zero 7\n"
	".global \"r5\" 4 4 static at=64 = .byte 0x05 .zero 3\n"
	".const ptrs 24 8 = .addr table+4 .code helper .zero 8\n"
	".shared tile 256 16\n"
	"\n"
	".kernel vadd insns=12 regs=12 frame=16 local=32 shared=256 barriers=2 threads=256 reqntid=16,16,1 params=20\n"
	"\t.param $0 8 8 0\n"
	"\t.param $1 8 8 8\n"
	"\t.param $2 4 4 16\n"
	"\t.loc 0 3 1\n"
	"\tld.param.u32 r5, [16]\n"
	"\tmovi64 rd2, table\n"
	"\tmovi64 rd2, \"r5\"-4\n"
	"\tmovi64 rd2, helper\n"
	"\tmov.u32 r4, tile+8\n"
	"\tld.shared.u32 r4, [r4+tile]\n"
	"\tssy .L8\n"
	"\t.loc 0 4 7\n"
	".L7:\n"
	"\t@p1 bra .L7\n"
	".L8:\n"
	"\tsync .L8\n"
	"\tcal r9, helper\n"
	"\tcal r9, other\n"
	"\texit\n"
	"\n"
	".func helper static weak insns=1 regs=10 frame=0 local=0 shared=0 barriers=0 recursive\n"
	".L12:\n"
	"\tret r9\n";

START_TEST(module_text_is_a_fixed_point)
{
	struct ppu_image *img = assemble(module), *again;
	char *text, *text2;
	uint8_t *bytes;
	size_t len;

	ck_assert_int_eq(ppu_disassemble(img, &text), 0);
	again = assemble(text);
	ck_assert_int_eq(ppu_disassemble(again, &text2), 0);
	ck_assert_str_eq(text, text2);
	ck_assert_uint_eq(again->num_insns, 13);
	ck_assert_uint_eq(again->num_relocs, img->num_relocs);
	ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
	free(bytes);
	free(text);
	free(text2);
	ppu_image_free(img);
	ppu_image_free(again);
}
END_TEST

START_TEST(directives)
{
	struct ppu_image *img = assemble(
		".const msg 6 1 = .ascii \"hi\\n\\x41\\\"\"\n"
		".global f 16 = .float 1.5 -0.0 .double 2.0\n"
		".kernel k  // a comment\n"
		".param a u64 ; .param b u8\n.param c f32\n"
		".param d 12 4\n"
		"ld.param.u32 r7, [c]\n ld.param.u32 r7, [r3 + d + 4]\n"
		"top: @p0 bra top ; bra end\n"
		"end: exit\n.end\n"
		".kernel k2\ntop: bra top\nbar.sync 3\n");
	const struct ppu_symbol *k = ppu_image_find(img, "k"), *k2 = ppu_image_find(img, "k2");

	ck_assert_int_eq(memcmp(img->data, "hi\nA\"\0", 6), 0);
	ck_assert_uint_eq(ppu_image_find(img, "f")->value, 6);
	ck_assert_uint_eq(k->num_params, 4);
	ck_assert_uint_eq(k->params[1].offset, 8);
	ck_assert_uint_eq(k->params[2].offset, 12);
	ck_assert_uint_eq(k->params[3].offset, 16);
	ck_assert_uint_eq(k->param_bytes, 28);
	ck_assert_uint_eq(k->regs, 8);
	ck_assert_uint_eq(k->num_insns, 5);
	ck_assert_uint_eq(k2->value, 5);
	ck_assert_uint_eq(k2->num_insns, 2);
	ck_assert_uint_eq(k2->barriers, 4);
	ck_assert_uint_eq(k2->regs, 2);
	ck_assert_uint_eq(PPU_GET(&img->code[0], IMM), 12);
	ck_assert_uint_eq(PPU_GET(&img->code[1], IMM), 20);
	ck_assert_uint_eq(PPU_GET(&img->code[2], IMM), 2);
	ck_assert_uint_eq(PPU_GET(&img->code[3], IMM), 4);
	ck_assert_uint_eq(PPU_GET(&img->code[5], IMM), 5);
	/* the assembler's own line table */
	ck_assert_str_eq(img->files[0], "t.ppus");
	ck_assert_uint_eq(img->num_lines, 7);
	ck_assert_uint_eq(img->lines[0].line, 7);
	ck_assert_uint_eq(img->lines[3].line, 9);
	ppu_image_free(img);
}
END_TEST

/* Each kind of data, at both ends of its range; what does not fit is refused. */
START_TEST(data_items)
{
	static const char *const bad[][2] = {
		{ ".byte 256", "value does not fit in 1 bytes" }, { ".byte -129", "value does not fit in 1 bytes" },
		{ ".half 65536", "value does not fit in 2 bytes" }, { ".half -32769", "value does not fit in 2 bytes" },
		{ ".word 0x100000000", "value does not fit in 4 bytes" }, { ".word -2147483649", "value does not fit in 4 bytes" },
		{ ".word 1.5", "an integer is expected" }, { ".quad 2.0", "an integer is expected" },
	};
	struct ppu_image *img = assemble(
		".global a 64 8 = .byte 1 -1 255 -128 .half 65535 -32768 .word -2 0xffffffff .quad -1 .float 1.5 -0.0 0x40490fdb "
		".double 2.5 -3 0x4000000000000001 .zero 2 .byte 7\n");
	const uint8_t first[] = { 1, 255, 255, 128, 255, 255, 0, 128, 254, 255, 255, 255, 255, 255, 255, 255 };
	const uint32_t floats[] = { 0x3fc00000, 0x80000000, 0x40490fdb };
	const uint64_t doubles[] = { 0x4004000000000000, 0xc008000000000000, 0x4000000000000001 };

	ck_assert_int_eq(memcmp(img->data, first, 16), 0);
	ck_assert_int_eq(memcmp(img->data + 16, &(uint64_t){ UINT64_MAX }, 8), 0);
	ck_assert_int_eq(memcmp(img->data + 24, floats, 12), 0);
	ck_assert_int_eq(memcmp(img->data + 36, doubles, 24), 0);
	ck_assert_int_eq(memcmp(img->data + 60, "\0\0\7\0", 4), 0);
	ppu_image_free(img);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ppu_log log;
		char text[80];

		ppu_log_init(&log);
		snprintf(text, sizeof(text), ".global a 64 8 = %s\n", bad[i][0]);
		ck_assert_msg(ppu_assemble(text, strlen(text), "t", &img, &log) != 0, "%s: accepted", bad[i][0]);
		ck_assert_msg(strstr(log.text, bad[i][1]) != NULL, "%s: %s", bad[i][0], log.text);
		ppu_log_free(&log);
	}
}
END_TEST

/* Random input gives an error and nothing worse. */
START_TEST(mutated_text)
{
	static const char chars[] = "rdp%[]+-.,:;\"\\/*@!|0x19 \n\t=abL$_";
	char text[sizeof(module)];
	uint32_t seed = 12345;
	unsigned i, k;

	for (i = 0; i < 20000; i++) {
		struct ppu_image *img;
		struct ppu_log log;
		char *out;

		memcpy(text, module, sizeof(module));
		for (k = 0; k < 1 + i % 4; k++) {
			seed = seed * 1664525u + 1013904223u;
			text[(seed >> 8) % (sizeof(module) - 1)] = chars[(seed >> 3) % (sizeof(chars) - 1)];
		}
		ppu_log_init(&log);
		if (!ppu_assemble(text, sizeof(module) - 1 - i % 7, "t", &img, &log)) {
			ck_assert_int_eq(ppu_disassemble(img, &out), 0);
			free(out);
			ppu_image_free(img);
		} else {
			ck_assert_uint_gt(log.errors, 0);
		}
		ppu_log_free(&log);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("isa_asm");
	TCase *tc = tcase_create("asm");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, golden_text, 0, sizeof(golden) / sizeof(golden[0]));
	tcase_add_test(tc, error_positions);
	tcase_add_test(tc, functions);
	tcase_add_test(tc, module_text_is_a_fixed_point);
	tcase_add_test(tc, directives);
	tcase_add_test(tc, data_items);
	tcase_add_test(tc, mutated_text);
	suite_add_tcase(s, tc);
	return run_suite(s);
}
