/* SPDX-License-Identifier: MIT */
/*
 * Lab 9's grader in the guest. Each test resets the device, makes a queue with the student's queue_create(), and
 * fills it with the student's insert.h, in the kernels of work.cu. What is in memory and registers afterwards is
 * observed here; the device's trace shows in which order things happened.
 *
 * exercise SEED TEST...
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lablib.h"
#include "tests.h"

struct hw hw;
struct queue q;
uint64_t done;
static uint64_t seed;

uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % below;
}

volatile uint64_t *u64_at(uint64_t va)
{
	return hw_at(&hw, va);
}

/* Makes a fresh device. The channel that will be the queue's gets GET = get. */
void fresh(uint32_t get, uint64_t watchdog_ns)
{
	int err;

	hw_watch = NULL;
	err = hw_open(&hw, lab_bar_map(PPU_BAR_REGS, NULL), lab_bar_map(PPU_BAR_VRAM, NULL), "/lab/work.ppub",
		      watchdog_ns);
	if (err == -ENOEXEC)
		lab_fatal("Your insert.h must not have variables of its own outside functions: there is no memory for them.");
	if (err)
		lab_fatal("The grader's part of the driver does not come up (error %d).", err);
	hw_ch_write(&hw, 1, PPU_REG_CH_GET, get);
	hw_ch_write(&hw, 1, PPU_REG_CH_PUT, get);
	memset(&q, 0, sizeof(q));
	done = hw_alloc(&hw, 8, 4096);
}

/* Makes a fresh device with a queue. Returns false, and reports it, if queue_create() fails. */
bool with_queue(const char *test, uint32_t count, uint32_t get, uint64_t watchdog_ns)
{
	int err;

	lab_step("the test %s", test);
	fresh(get, watchdog_ns);
	err = queue_create(&hw, &q, count);
	if (err)
		lab_obs("stuck", "%s queue_create() returned %d", test, err);
	return !err;
}

/* Behind everything that was launched so far: a release that sets done to 1. */
void submit_done(void)
{
	uint32_t w[5] = { PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0), (uint32_t)done,
			  (uint32_t)(done >> 32), 1, 0 };

	hw_submit(&hw, hw_block(&hw, w, 5), 5);
}

bool through(const char *test)
{
	submit_done();
	return watch_done(&hw, &q, done, test, 40);
}

/* Writes an entry of a ring in VRAM; its block launches a kernel. */
void launch_entry(uint64_t entry, uint64_t tmd)
{
	uint32_t w[3] = { PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0), (uint32_t)tmd, (uint32_t)(tmd >> 32) };
	volatile struct ppu_gpfifo_entry *e = hw_at(&hw, entry);

	e->va = hw_block(&hw, w, 3);
	e->length = 3;
	e->flags = 0;
}

int main(int argc, char **argv)
{
	int i, k;

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	lab_enable();
	if (!lab_bar_map(PPU_BAR_REGS, NULL) || !lab_bar_map(PPU_BAR_VRAM, NULL))
		lab_fatal("The grader cannot map the device's BARs: is iomem=relaxed on the kernel's command line?");
	for (i = 2; i < argc; i++)
		for (k = 0; tests[k].name; k++)
			if (!strcmp(tests[k].name, argv[i]))
				tests[k].run();
	return 0;
}
