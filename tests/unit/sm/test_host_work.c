/* SPDX-License-Identifier: MIT */
/*
 * How much host code works: of loops that have been translated, how many instructions of the host are executed in host code
 * for a hundred instructions of a warp, and how often host code is left in a thousand.  Results do not depend on it,
 * speed does: so other tests do not notice when a load looks for its page each time, or when a span is never found.
 *
 * The processor's trap flag stops it after each instruction.  AVX-512 is not used, so that the numbers are the same on each
 * host; where nothing is translated there is nothing to count.
 */
#define _GNU_SOURCE
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include "core/sm/translate/code_memory.h"
#include "core/sm/translate/region.h"
#include "engine_pair.h"
#include "run_suite.h"

#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
enum { FIRST_WINDOWS = 5, WINDOWS = 2 };	/* that are not counted, and that are */

/* rd4: this thread's word of a row, r2: its index, rd10: where memory begins.  p1 belongs to the loop, and r6. */
#define LOOP(before, body) \
	"s2r r2, %tid.x\nld.param.u64 rd10, [0]\nmadw.u32 rd4, r2, 4, rd10\n" before "mov.u32 r6, 30000\n" \
	"L: " body "sub.u32 r6, r6, 1\nsetp.ne.u32 p1, r6, 0\n@p1 bra L\nexit\n"

/*
 * The numbers are those of today.  Fewer is better: then write the smaller number here.  More is a mistake, or the price of
 * something: then say of what.
 */
static const struct { const char *name, *text; unsigned work, left; } loops[] = {
	{ "nothing", LOOP("", ""), 1401, 5 },
	{ "integers", LOOP("", "add.u32 r8, r8, r2\nxor.u32 r9, r8, r2\nshl.u32 r8, r9, 3\nmad.u32 r8, r8, 5, r9\n"), 892, 5 },
	{ "floats", LOOP("", "fma.f32 r8, r8, r9, r9\nmul.f32 r9, r8, r8\nadd.f32 r8, r8, 1.0\n"), 1125, 5 },
	{ "doubles", LOOP("", "add.f64 rd8, rd8, rd4\nmul.f64 rd12, rd8, rd8\n"), 1451, 9 },
	{ "row of loads", LOOP("", "ld.global.u32 r8, [rd4]\nld.global.u32 r9, [rd4+128]\nadd.u32 r8, r8, r9\n"), 1883, 10 },
	{ "row of stores", LOOP("", "st.global.u32 [rd4], r6\nst.global.u32 [rd4+128], r6\n"), 3082, 18 },
	{ "one word for all", LOOP("", "ld.global.u32 r8, [rd10]\nadd.u32 r8, r8, r9\n"), 1961, 8 },
	{ "words of a page", LOOP("madw.u32 rd4, r2, 68, rd10\n", "ld.global.u32 r8, [rd4]\nadd.u32 r8, r8, r9\n"), 13322, 8 },
	{ "words of many pages", LOOP("madw.u32 rd4, r2, 8196, rd10\n", "ld.global.u32 r8, [rd4]\nadd.u32 r8, r8, r9\n"), 27304, 8 },
	{ "stores to many pages", LOOP("madw.u32 rd4, r2, 8196, rd10\n", "st.global.u32 [rd4], r6\n"), 1585, 204 },
	{ "page after page", LOOP("mov.u32 r12, 512\n", "ld.global.u32 r8, [rd4]\nmadw.u32 rd4, r12, 1, rd4\n"), 3613, 50 },
	{ "words of other pages each time", LOOP("", "shl.u32 r8, r6, 12\nmad.u32 r8, r2, 32768, r8\nand.u32 r8, r8, 0xffffc\n"
	  "madw.u32 rd4, r8, 1, rd10\nld.global.u32 r9, [rd4]\n"), 16771, 6 },
	{ "pointers", LOOP("", "ld.global.u32 r8, [rd4]\nand.u32 r8, r8, 4092\nmadw.u32 rd4, r8, 1, rd10\n"), 11192, 7 },
	{ "bytes", LOOP("", "ld.global.u8 r8, [rd4]\nadd.u32 r8, r8, r9\n"), 12687, 8 },	/* as words of a page */
	{ "four words", LOOP("madw.u32 rd4, r2, 16, rd10\n", "ld.global.v4.u32 rq12, [rd4]\nadd.u32 r8, r12, r15\n"), 3250, 8 },
	{ "shared memory", LOOP("shl.u32 r9, r2, 2\n", "st.shared.u32 [r9], r6\nld.shared.u32 r8, [r9+128]\n"), 5497, 10 },
	{ "scattered in shared memory", LOOP("mul.u32 r9, r2, 36\n", "ld.shared.u32 r8, [r9]\nadd.u32 r8, r8, r9\n"), 2532, 8 },
	{ "sums", LOOP("", "atom.global.add.u32 rz, [rd4], r6\n"), 1097, 204 },
	{ "sums at one word", LOOP("", "atom.global.add.u32 rz, [rd10], r6\n"), 1097, 204 },
	{ "half of the lanes", LOOP("setp.lt.u32 p2, r2, 16\n", "@p2 add.u32 r8, r8, r2\n@p2 ld.global.u32 r9, [rd4]\n"), 1479, 168 },
	{ "branch of all", LOOP("", "and.u32 r8, r6, 1\nsetp.ne.u32 p2, r8, 0\n@p2 bra M\n"
	  "add.u32 r9, r9, 1\nM: xor.u32 r9, r9, r8\n"), 1284, 5 },
	{ "branch of some", LOOP("setp.lt.u32 p2, r2, 16\n", "ssy N\n@p2 bra M\n"
	  "add.u32 r9, r9, 1\nM: sync N\nN: xor.u32 r9, r9, r8\n"), 1811, 356 },
	{ "shuffles", LOOP("", "shfl.down r8, r9, 1, 31\nadd.u32 r8, r8, r9\n"), 1416, 6 },
	{ "special registers", LOOP("", "s2r r8, %laneid\ns2r r9, %ctaid.x\n"), 852, 5 },
};

static uint8_t *code;		/* of the program that runs */
static uint32_t code_bytes;
static uint64_t executed, left;

/* What is called from host code comes back here; then host code is stopped again. */
void *host_work_back __attribute__((visibility("hidden")));
void host_work_resume(void);
__asm__(".globl host_work_resume\n.hidden host_work_resume\n"
	"host_work_resume:\n"
	"\tpushq host_work_back(%rip)\n"
	"\tpushfq\n"
	"\torl $0x100, (%rsp)\n"
	"\tpopfq\n"
	"\tret\n");

/* After an instruction of host code.  What it calls, or where it returns to, runs without stops. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;
	void **sp = (void **)reg[REG_RSP];

	if ((uint64_t)reg[REG_RIP] - (uintptr_t)code < code_bytes) {
		executed++;
		return;
	}
	if ((uintptr_t)*sp - (uintptr_t)code < code_bytes) {
		host_work_back = *sp;
		*sp = (void *)host_work_resume;
	} else if (reg[REG_RIP] == (greg_t)(uintptr_t)host_work_resume || !executed) {
		return;
	}
	left++;
	reg[REG_EFL] &= ~0x100;
}

/* What stands in the place of host code: begins to stop the processor, and goes to where it would have gone. */
static void *entrance(size_t *size)
{
	uint64_t to = (uintptr_t)code;
	uint8_t x[] = {
		0x9c,						/* pushfq */
		0x81, 0x0c, 0x24, 0x00, 0x01, 0x00, 0x00,	/* orl $0x100, (%rsp) */
		0x4c, 0x8d, 0x1d, 0xf1, 0xff, 0xff, 0xff,	/* lea this(%rip), %r11 */
		0x4c, 0x29, 0xd9,				/* sub %r11, %rcx: the target */
		0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0,		/* mov $code, %r11 */
		0x4c, 0x01, 0xd9,				/* add %r11, %rcx */
		0x9d,						/* popfq */
		0x41, 0xff, 0xe3,				/* jmp *%r11 */
	};
	void *made;

	memcpy(x + 20, &to, 8);
	made = ppu_code_memory(x, sizeof(x), size);
	ck_assert_ptr_nonnull(made);
	return made;
}

/* Some code more or less at the ends of the counted time is no difference. */
static bool about(uint64_t got, uint64_t want) { return got <= want + want / 50 + 1 && got + want / 10 + 1 >= want; }

/* Not in the first windows: what is translated or noted at the first time is not counted. */
START_TEST(work)
{
	struct sigaction act = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };
	struct sm_test *s = epair_machine(EPAIR_SMALL_WINDOWS, EPAIR_TRANSLATE);
	struct ppu_region *region;
	uint64_t insns, n;
	size_t size;

	s->core->cfg.engine_without = 1;
	epair_prepare(s, 5, SMT_DATA_BYTES);
	smt_load(s, loops[_i].text);
	smt_param64(s, 0, SMT_DATA);
	smt_launch(s, 1, 32);
	for (unsigned i = 0; i < FIRST_WINDOWS; i++)
		ck_assert(smt_window(s));
	region = s->task.prog->region;
	if (region) {
		ck_assert(!region->evex);
		code = region->code;
		code_bytes = region->code_bytes;
		insns = s->core->ctr[PPU_CTR_WARP_INSNS];
		ck_assert_int_eq(sigaction(SIGTRAP, &act, NULL), 0);
		region->code = entrance(&size);
		for (unsigned i = 0; i < WINDOWS; i++)
			ck_assert(smt_window(s));
		ppu_code_memory_free(region->code, size);
		region->code = code;
		n = s->core->ctr[PPU_CTR_WARP_INSNS] - insns;
		ck_assert_uint_gt(n, 100);
		executed = executed * 100 / n;
		left = left * 1000 / n;
		ck_assert_msg(about(executed, loops[_i].work) && about(left, loops[_i].left), "%s: %lu and %lu instead of %u and %u",
			      loops[_i].name, executed, left, loops[_i].work, loops[_i].left);
	}
	ck_assert(!s->faulted);
	smt_finish(s);
	smt_free(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("host work");
	TCase *t = tcase_create("host work");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, work, 0, (int)(sizeof(loops) / sizeof(loops[0])));
	suite_add_tcase(s, t);
	return run_suite(s);
}
#else
int main(void)
{
	puts("ok 1 - nothing is translated here");
	return 0;
}
#endif
