/* SPDX-License-Identifier: MIT */
/*
 * What a program is told about a fault, word for word, and which error it gets for each code of the device.  The fault
 * records are this test's, by a backend whose vm_faults() and chan_state() are replaced.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <hw/ppu_fault.h>
#include "api/context/context.h"
#include "api/context/fault.h"
#include "backend/backend.h"
#include "run_suite.h"
#include "rt_ok.h"

static struct ppu_fault_rec rec[2];
static unsigned num;
static int answer;
static struct be_chan_state chan;
static struct be_ops ops;

static int faults(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n)
{
	(void)vm;
	ck_assert_uint_ge(*n, num);
	memcpy(recs, rec, num * sizeof(*rec));
	*n = num;
	return answer;
}

static int state(struct be_chan *c, struct be_chan_state *st)
{
	(void)c;
	*st = chan;
	return chan.gone ? -ENODEV : 0;
}

static const char text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry first()\n{\nret;\n}\n.visible .entry second()\n{\nret;\n}\n";

/* A context whose faults this test invents; @launched: with a channel. */
static ppuCtx begin(bool launched)
{
	ppuFunction f[2];
	ppuModule m;
	ppuCtx ctx;

	OK(ppuInit(&(ppuInitOptions){ .backend = "core" }));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&m, text, 0, NULL));
	OK(ppuModuleGetFunction(&f[0], m, "first"));
	OK(ppuModuleGetFunction(&f[1], m, "second"));
	if (launched)
		OK(ppuLaunchKernel(f[0], ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, NULL, NULL, 0));
	OK(ppuCtxSynchronize());
	ops = *ctx->be;
	ops.vm_faults = faults;
	ops.chan_state = state;
	ctx->be = &ops;
	return ctx;
}

static ppuResult looked(ppuCtx ctx)
{
	ppuResult res;

	pthread_mutex_lock(&ctx->lock);
	res = rt_check(ctx);
	pthread_mutex_unlock(&ctx->lock);
	return res;
}

#define NOWHERE	.pc = ~0u, .lane = PPU_FAULT_NO_LANE, .channel = PPU_FAULT_NO_CHANNEL
#define KERNEL(n) .task_id = (uint64_t)(n) << 32 | 5

static const struct {
	struct ppu_fault_rec rec;
	const char *says;
} told[] = {
	{ { .code = PPU_ERR_DMA_FAULT, NOWHERE }, "system memory could not be reached (bus master off, no RAM there)" },
	{ { .code = 999, NOWHERE }, "unknown fault" },
	{ { .code = PPU_ERR_WATCHDOG, KERNEL(2), NOWHERE },
	  "the task ran longer than its watchdog allows; kernel second" },
	{ { .code = PPU_ERR_WATCHDOG, KERNEL(3), NOWHERE }, "the task ran longer than its watchdog allows" },
	{ { .code = PPU_ERR_COPY_FAULT, .unit = PPU_UNIT_CE, .unit_index = 1, .va = 0x1000, .access = PPU_ACC_WRITE,
	    .pc = ~0u, .lane = PPU_FAULT_NO_LANE, .channel = 77 },
	  "a copy touched an address that is not mapped or not writable, write at 0x1000, channel 77" },
	{ { .code = PPU_ERR_LAUNCH_DEPTH, .va = 0x2000, .access = PPU_ACC_WRITE, NOWHERE },
	  "a task at the greatest nesting depth of its context launched a task, TMD at 0x2000" },
	{ { .code = PPU_ERR_MMU_READONLY, .unit = PPU_UNIT_SM, .unit_index = 3, .warp = 9, .cta = { 4, 5, 6 }, .pc = 0,
	    .lane = 31, .va = 8, .access = PPU_ACC_ATOMIC, .channel = 0, KERNEL(1) },
	  "a thread wrote to read-only memory; kernel first, pc 0, lane 31, block (4,5,6), warp slot 9 of SM 3, atomic at "
	  "0x8, channel 0" },
	{ { .code = PPU_ERR_MMU_NOEXEC, .unit = PPU_UNIT_SM, .pc = 1, .lane = 0, .va = 16, .access = PPU_ACC_EXEC,
	    .channel = PPU_FAULT_NO_CHANNEL },
	  "instructions were fetched from memory that may not be executed, pc 1, lane 0, block (0,0,0), warp slot 0 of SM 0, "
	  "execute at 0x10" },
	{ { .code = PPU_ERR_ILLEGAL_INSN, .unit = PPU_UNIT_TASK, .pc = 7, .lane = PPU_FAULT_NO_LANE, .access = PPU_ACC_READ,
	    .va = 1, .channel = 3 },
	  "illegal instruction, pc 7, read at 0x1, channel 3" },
};

START_TEST(told_word_for_word)
{
	ppuCtx ctx = begin(false);

	rec[0] = told[_i].rec;
	num = 1;
	ck_assert_int_ne(looked(ctx), PPU_SUCCESS);
	ck_assert_str_eq(ppuGetLastErrorDetail(), told[_i].says);
}
END_TEST

/* Every code of the device: by its number in include/hw/ppu_fault.h, written down here once more. */
static ppuResult wanted(unsigned code)
{
	switch (code) {
	case 32: case 33: case 34: case 36: case 38: case 39: case 52: case 57:
		return PPU_ERROR_ILLEGAL_ADDRESS;
	case 35: case 40: case 41:
		return PPU_ERROR_ILLEGAL_INSTRUCTION;
	case 37:
		return PPU_ERROR_MISALIGNED_ADDRESS;
	case 42:
		return PPU_ERROR_STACK_OVERFLOW;
	case 45:
		return PPU_ERROR_LAUNCH_TIMEOUT;
	case 46:
		return PPU_ERROR_TRAP;
	case 47:
		return PPU_ERROR_ASSERT;
	case 51:
		return PPU_ERROR_DEADLOCK;
	case 25:
		return PPU_ERROR_LAUNCH_DEPTH;
	case 13: case 14:
		return PPU_ERROR_COPY_FAULT;
	}
	return code < 32 ? PPU_ERROR_CHANNEL : PPU_ERROR_LAUNCH_FAILED;
}

START_TEST(error_of_each_code)
{
	ppuCtx ctx = begin(false);

	num = 1;
	for (unsigned code = 1; code < 60; code++) {
		if (code == PPU_ERR_CTX_STOPPED || code == PPU_ERR_ASSERT)
			continue;
		rec[0] = (struct ppu_fault_rec){ .code = (uint16_t)code, NOWHERE };
		ck_assert_msg(looked(ctx) == wanted(code), "code %u: %s", code, ppuGetErrorName(ctx->broken));
		ctx->broken = PPU_SUCCESS;
		free(ctx->detail);
		ctx->detail = NULL;
	}
}
END_TEST

/* The first record with a cause counts.  That the context was stopped is none, nor is an empty record. */
START_TEST(first_cause)
{
	ppuCtx ctx = begin(true);

	num = 2;
	rec[0] = (struct ppu_fault_rec){ .code = PPU_ERR_CTX_STOPPED, NOWHERE };
	rec[1] = (struct ppu_fault_rec){ .code = PPU_ERR_NONE, NOWHERE };
	ck_assert_int_eq(looked(ctx), PPU_SUCCESS);
	rec[1].code = PPU_ERR_BAD_BARRIER;
	rec[0].code = PPU_ERR_STACK_OVERFLOW;
	ck_assert_int_eq(looked(ctx), PPU_ERROR_STACK_OVERFLOW);
	ck_assert_str_eq(ppuGetLastErrorDetail(), "a thread's stack left its local memory");
	/* It stays, whatever is found later. */
	num = 0;
	ck_assert_int_eq(looked(ctx), PPU_ERROR_STACK_OVERFLOW);
	ck_assert_str_eq(ppuGetLastErrorDetail(), "a thread's stack left its local memory");
}
END_TEST

START_TEST(stopped_without_a_record)
{
	ppuCtx ctx = begin(true);

	num = 0;
	answer = 1;
	ck_assert_int_eq(looked(ctx), PPU_ERROR_LAUNCH_FAILED);
	ck_assert_str_eq(ppuGetLastErrorDetail(), ppuGetErrorString(PPU_ERROR_LAUNCH_FAILED));
}
END_TEST

START_TEST(error_of_a_channel)
{
	ppuCtx ctx = begin(true);

	chan = (struct be_chan_state){ .error = PPU_ERR_NULL_ENTRY, .get = 12, .va = 0xabc };
	ck_assert_int_eq(looked(ctx), PPU_ERROR_CHANNEL);
	ck_assert_str_eq(ppuGetLastErrorDetail(), "the ring entry at GP_GET was never written (null entry); channel 0, "
			 "ring entry 12, address 0xabc");
}
END_TEST

/* A device that is gone: found by the faults, or by the channel. */
START_TEST(gone)
{
	ppuCtx ctx = begin(true);

	if (_i)
		answer = -ENODEV;
	else
		chan.gone = true;
	ck_assert_int_eq(looked(ctx), PPU_ERROR_DEVICE_LOST);
	ck_assert_str_eq(ppuGetLastErrorDetail(), ppuGetErrorString(PPU_ERROR_DEVICE_LOST));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("faults");
	TCase *t = tcase_create("told");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, told_word_for_word, 0, (int)(sizeof(told) / sizeof(*told)));
	tcase_add_test(t, error_of_each_code);
	tcase_add_test(t, first_cause);
	tcase_add_test(t, stopped_without_a_record);
	tcase_add_test(t, error_of_a_channel);
	tcase_add_loop_test(t, gone, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
