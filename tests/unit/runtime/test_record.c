/* SPDX-License-Identifier: MIT */
/*
 * What a debugger of the device may count on: there is a way back while the program only looks how far the device is, and
 * none behind what the program did.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench_main.h"
#include "rt_ok.h"
#include "run_suite.h"
#include "api/context/context.h"
#include "api/context/init.h"
#include "backend/backend.h"

static const char ptx[] =
	".version 6.3\n.target sm_60\n.address_size 64\n"
	".visible .entry told(.param .u64 at)\n{\n.reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\n"
	"ld.param.u64 %rd1, [at];\nL: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;\n"
	"st.global.u32 [%rd1+4], 7; ret;\n}\n";

static const struct be_ops *be;
static struct be_dev *dev;
static volatile uint32_t *word;
static unsigned begins, leaves;
static bool saves;

static void begun(void *arg)
{
	begins++;
	if (saves)
		ck_assert_int_eq(be->debug->save(dev), 0);
}

static void between(void *arg)
{
}

static void left(void *arg)
{
	leaves++;
}

static void others(void *arg, const struct ppu_observer *o)
{
}

static const struct be_debugger debugger = { .begin = begun, .event = between, .leave = left, .also = others };

/* A kernel waits for the word, and the debugger has come. */
static void start(bool save)
{
	ppuInitOptions o = { .backend = "core", .props = "gpcs=1 sms-per-gpc=1 vram=64M" };
	ppuModuleOptions kind = { .kind = PPU_MODULE_PTX, .name = "record" };
	void *params[] = { &word };
	ppuFunction f;
	char file[16];
	ppuModule m;
	ppuCtx ctx;

	saves = save;
	begins = leaves = 0;
	/* No debugger is behind this file: the test is the debugger. */
	snprintf(file, sizeof(file), "%d", open("/dev/null", O_RDWR));
	setenv("PPU_DEBUG", file, 1);
	OK(ppuInit(&o));
	unsetenv("PPU_DEBUG");
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuMallocHost((void **)&word, 4096));
	word[0] = word[1] = 0;
	OK(ppuModuleLoadData(&m, ptx, sizeof(ptx) - 1, &kind));
	OK(ppuModuleGetFunction(&f, m, "told"));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, params, NULL, 0));
	be = ctx->be;
	dev = ctx->device->dev;
	ck_assert_int_eq(be->debug->attach(dev, &debugger), 0);
	ck_assert(be->poll(dev));
	ck_assert_uint_eq(begins, 1);
	ck_assert_uint_eq(leaves, 1);
}

static void end(void)
{
	word[0] = 1;
	OK(ppuCtxSynchronize());
	ck_assert_uint_eq(word[1], 7);
	be->debug->attach(dev, NULL);
	OK(ppuShutdown());
}

START_TEST(looking_is_no_act)
{
	uint64_t then, now;

	start(true);
	then = be->debug->now(dev);
	for (unsigned i = 2; i < 5; i++) {
		ck_assert(be->poll(dev));
		ck_assert_uint_eq(begins, 1);
		ck_assert_uint_eq(leaves, i);
	}
	now = be->debug->now(dev);
	ck_assert_uint_gt(now, then);
	ck_assert_int_eq(be->debug->restore(dev, 0), 0);
	ck_assert_uint_lt(be->debug->now(dev), then);
	end();
}
END_TEST

/* What the program writes would be lost. */
START_TEST(writing_is)
{
	start(true);
	ck_assert(be->poll(dev));
	word[2] = 5;
	be->poll(dev);
	ck_assert_uint_eq(begins, 2);
	ck_assert_int_eq(be->debug->restore(dev, 0), 0);
	ck_assert_uint_eq(word[2], 5);
	end();
}
END_TEST

/* Without a saved state nobody could know whether the program has written. */
START_TEST(without_a_save)
{
	start(false);
	for (unsigned i = 2; i < 5; i++) {
		ck_assert(be->poll(dev));
		ck_assert_uint_eq(begins, i);
		ck_assert_uint_eq(leaves, i);
	}
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("record");
	TCase *c = tcase_create("record");

	tcase_set_timeout(c, 60);
	tcase_add_test(c, looking_is_no_act);
	tcase_add_test(c, writing_is);
	tcase_add_test(c, without_a_save);
	suite_add_tcase(s, c);
	return run_suite(s);
}
