/* SPDX-License-Identifier: MIT */
/*
 * Random programs, compiled with the optimising passes, with few registers and with tokens, must compute the same as
 * with plain translation (opt_level 1). Whether each instruction is translated correctly is tested by test_ptx_int.c
 * and its neighbours. PPU_PTX_SEEDS=n tries n programs.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "ppu_image.h"
#include "ptx_random.h"
#include "run_suite.h"
#include "rt_ok.h"

typedef uint32_t u32;

#define THREADS	PTX_RANDOM_THREADS

static void run(const char *text, const struct ppu_ptx_options *o, void *din, void *dout, u32 (*out)[64])
{
	struct ppu_image *img;
	struct ppu_log log;
	uint8_t *bytes;
	size_t len;
	ppuFunction f;
	ppuModule m;

	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "random.ptx", o, &img, &log), "%s", log.text);
	ck_assert_msg(!ppu_image_finish(img, &ppu_device_library, &log), "%s", log.text);
	ck_assert_int_eq(ppu_image_write(img, &bytes, &len), 0);
	OK(ppuModuleLoadData(&m, bytes, len, &(ppuModuleOptions){ .kind = PPU_MODULE_BINARY }));
	OK(ppuModuleGetFunction(&f, m, "k"));
	OK(ppuMemset(dout, 0, 4, THREADS * 64));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, (void *[]){ &din, &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, THREADS * 256));
	OK(ppuModuleUnload(m));
	free(bytes);
	ppu_image_free(img);
	ppu_log_free(&log);
}

START_TEST(test_same)
{
	static const struct ppu_ptx_options how[] = {
		{ .opt_level = 1 }, { .verify = 1 }, { .verify = 1, .max_regs = 16 }, { .opt_level = 1, .max_regs = 16 },
	};
	static u32 in[THREADS * 8], want[THREADS][64], got[THREADS][64];
	const char *env = getenv("PPU_PTX_SEEDS");
	u32 n = env ? (u32)strtoul(env, NULL, 0) : 24, s, k, t, w;
	void *din, *dout;
	ppuCtx ctx;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core", .props = _i ? "branch-first=1" : NULL }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuMalloc(&din, sizeof(in)));
	OK(ppuMalloc(&dout, sizeof(got)));
	for (s = 1; s <= n; s++) {
		char *text;

		text = ptx_random(s * 7919 + (u32)_i, in);
		OK(ppuMemcpy(din, in, sizeof(in)));
		run(text, &how[0], din, dout, want);
		for (k = 1; k < sizeof(how) / sizeof(how[0]); k++) {
			run(text, &how[k], din, dout, got);
			if (!memcmp(got, want, sizeof(want)))
				continue;
			fputs(text, stderr);
			for (t = 0; t < THREADS; t++)
				for (w = 0; w < 64; w++)
					ck_assert_msg(got[t][w] == want[t][w],
						      "seed %u, options %u, thread %u, word %u: got %08x, expected %08x (program above)", s, k,
						      t, w, got[t][w], want[t][w]);
		}
		free(text);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_random");
	TCase *t = tcase_create("random");

	tcase_set_timeout(t, 300);
	tcase_add_loop_test(t, test_same, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
