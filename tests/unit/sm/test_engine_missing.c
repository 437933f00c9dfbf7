/* SPDX-License-Identifier: MIT */
/*
 * Hosts that cannot have host code: libzydis is not installed, or the process may not have executable memory. Programs
 * are interpreted with the same results; whoever asked for engine=translate is told, whoever did not is not.
 */
#define _GNU_SOURCE
#include <check.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "run_suite.h"
#include "sm_test.h"

/* ---- what is missing: these stand before the C library's ---- */

static bool no_library, no_code;
static unsigned without;		/* the property x-engine-without */

void *dlopen(const char *file, int mode)
{
	static void *(*libc)(const char *file, int mode);

	if (no_library && file && strstr(file, "Zydis"))
		return NULL;
	if (!libc)
		*(void **)&libc = dlsym(RTLD_NEXT, "dlopen");
	return libc(file, mode);
}

int mprotect(void *addr, size_t len, int prot)
{
	if (no_code && (prot & PROT_EXEC))
		return -1;
	return (int)syscall(SYS_mprotect, addr, len, prot);
}

/* ---- */

#define CTAS	128
#define THREADS	64

/* A kernel that is hot by any measure.  True: it became host code. */
static bool translates(const char *engine)
{
	static const char text[] =
		"s2r r2, %tid.x\ns2r r3, %ctaid.x\nshl.u32 r3, r3, 6\nadd.u32 r2, r2, r3\nld.param.u64 rd10, [0]\n"
		"madw.u32 rd4, r2, 4, rd10\nmov.u32 r6, 0\nmov.u32 r7, 0\n"
		"loop: mad.u32 r7, r7, 3, r2\nadd.u32 r6, r6, 1\nsetp.lt.u32 p1, r6, 20\n@p1 bra loop\n"
		"st.global.u32 [rd4], r7\nexit\n";
	struct sm_test *s = smt_new();
	bool translated;

	ck_assert_int_eq(ppu_config_set(&s->cfg, "engine", engine, &(char *){ NULL }), 0);
	s->cfg.engine_without = without;
	smt_start(s);
	smt_param64(s, 0, SMT_DATA);
	smt_load(s, text);
	smt_launch(s, CTAS, THREADS);
	while (smt_window(s))
		;
	translated = s->task.prog->region != NULL;
	smt_finish(s);
	ck_assert(!s->faulted);
	ck_assert_uint_eq(s->done_ctas, CTAS);
	for (uint32_t i = 0; i < CTAS * THREADS; i++) {
		uint32_t x = 0;

		for (int k = 0; k < 20; k++)
			x = x * 3 + i;
		ck_assert_uint_eq(smt_u32(s)[i], x);
	}
	smt_free(s);
	return translated;
}

static const char *note(unsigned engine)
{
	struct ppu_config cfg;

	ppu_config_init(&cfg);
	cfg.engine = engine;
	cfg.engine_without = without;
	return ppu_config_engine_note(&cfg);
}

/* Only who asks for translation is told that there is none; then every engine interprets. */
static void check_missing(const char *word)
{
	ck_assert_ptr_null(note(0));
	ck_assert_ptr_null(note(1));
	ck_assert_ptr_nonnull(note(2));
	ck_assert_msg(strstr(note(2), word) != NULL, "%s", note(2));
	ck_assert(!translates("auto"));
	ck_assert(!translates("interpret"));
	ck_assert(!translates("translate"));
}

/* First, because a library that has been found is not looked for again. */
START_TEST(library)
{
	no_library = true;
	check_missing("libzydis");
	no_library = false;
	ck_assert_ptr_null(note(2));
	ck_assert(translates("translate"));
}
END_TEST

START_TEST(executable_memory)
{
	no_code = true;
	check_missing("executable memory");
}
END_TEST

/* As if the processor had less: without AVX-512 there is host code, without AVX2 none. */
START_TEST(masked)
{
	without = 1;
	ck_assert_ptr_null(note(2));
	ck_assert(translates("translate"));
	without = 2;
	check_missing("no AVX2");
	without = 0;
}
END_TEST

START_TEST(nothing)
{
	for (unsigned i = 0; i < 3; i++)
		ck_assert_ptr_null(note(i));
	ck_assert(translates("auto"));
	ck_assert(!translates("interpret"));
	ck_assert(translates("translate"));
}
END_TEST

/* Other processors, and builds without libzydis' headers. */
START_TEST(everything)
{
	check_missing("");
}
END_TEST

/* True: the packages of scripts/setup are there, and so host code has to be possible. */
static bool host_can(void)
{
#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
	return false;
#endif
}

int main(void)
{
	Suite *su = suite_create("engine_missing");
	TCase *t = tcase_create("missing");

	if (host_can()) {
		tcase_add_test(t, library);
		tcase_add_test(t, executable_memory);
		tcase_add_test(t, nothing);
		tcase_add_test(t, masked);
	} else {
		tcase_add_test(t, everything);
	}
	suite_add_tcase(su, t);
	return run_suite(su);
}
