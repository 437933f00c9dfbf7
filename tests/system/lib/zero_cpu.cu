/* SPDX-License-Identifier: MIT */
/* Kernels of tests/system/zero_cpu.c. The words are in pinned memory of the CPU; the CPU and the device read them. */
#include "compiler/devabi/dev.h"
#include "ppu_queue.h"

#define KERNEL	extern "C" __attribute__((global)) void

struct args {
	volatile u32 *words;
	u32 *count;
};

/* Says "I am here" in word n, and waits for the word behind it. */
DEV void meet(volatile u32 *words, u32 n)
{
	words[n] = 1;
	while (!words[n + 1])
		;
}

KERNEL leaf(volatile u32 *words, u32 *count)
{
	u32 old;

	asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(count) : "memory");
}

KERNEL last(volatile u32 *words, u32 *count)
{
	meet(words, 2);
}

KERNEL first(volatile u32 *words, u32 *count, u32 n)
{
	struct args a = { words, count };
	u32 failed = 0;

	meet(words, 0);
	for (u32 i = 0; i < n; i++)
		failed |= ppuQueueLaunch(PPU_KERNEL(leaf), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
	failed |= ppuQueueLaunch(PPU_KERNEL(last), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
	words[4] = failed;
}
