/* SPDX-License-Identifier: MIT */
/*
 * Code that a copy engine puts into memory while the CPU runs what was there before, in the guest.  TAP.
 *
 * The CPU of the guest is an emulator that keeps translations of code.  What a device writes must end them, as what a
 * CPU writes does.
 */
#include <cpuid.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/check.h"

#define ROUNDS		200
#define CALLS		50	/* so that the code is translated, and its translation found again */
#define PAGE		4096u
#define FUNCTIONS	2u

/* mov $number, %eax; ret */
static void put_function(uint8_t *at, uint32_t number)
{
	at[0] = 0xb8;
	memcpy(at + 1, &number, sizeof(number));
	at[5] = 0xc3;
}

static uint32_t call(void *page)
{
	unsigned int a, b, c, d;
	uint32_t (*function)(void) = (uint32_t (*)(void))(uintptr_t)page;

	__cpuid(0, a, b, c, d);		/* what a CPU needs before it runs bytes that were changed */
	return function();
}

static void t_copied(void)
{
	uint8_t both[FUNCTIONS * PAGE] = { 0 };
	void *page, *vram;
	int stale = 0;
	ppuStream stream;

	OK(ppuInit(NULL));
	OK(ppuStreamCreate(&stream, 0, 0));
	OK(ppuMalloc(&vram, sizeof(both)));
	OK(ppuMallocHost(&page, PAGE));
	CHECK(!mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC));
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		put_function(both + i * PAGE, 1000 + i);
	OK(ppuMemcpy(vram, both, sizeof(both)));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		OK(ppuMemcpyAsync(page, (uint8_t *)vram + i % FUNCTIONS * PAGE, PAGE, stream));
		OK(ppuStreamSynchronize(stream));
		for (int k = 0; k < CALLS; k++)
			stale += call(page) != 1000 + i % FUNCTIONS;
	}
	if (stale)
		printf("# %d of %d calls ran code that had been overwritten\n", stale, ROUNDS * CALLS);
	CHECK(!stale);
}

int main(void)
{
	static const struct system_test tests[] = {
		{ "the CPU runs the bytes that a copy engine wrote last", t_copied },
	};

	return run_each(tests, sizeof(tests) / sizeof(tests[0]));
}
