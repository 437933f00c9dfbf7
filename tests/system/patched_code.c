/* SPDX-License-Identifier: MIT */
/*
 * Code that one CPU overwrites while another CPU runs it, in the guest.  TAP.
 *
 * Linux does this to itself whenever it flips a static key. QEMU before 8.1 could keep the translation of bytes that
 * were overwritten while it translated them; a guest then took the same breakpoint for ever, about one boot in 200
 * beside a busy host. scripts/build-qemu corrects such a QEMU, and this test sees whether that worked.
 *
 * Without the correction, 98 of 100 numbers are stale. With it, a number can be stale when the host stops a CPU between
 * the notice of its write and the write itself: 1 of 360,000 beside other work. So a few are allowed.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/check.h"

#define ROUNDS	4000
#define FEW	3
#define PAGE	4096u
#define NUMBER	4	/* where the number that the function returns lies, in bytes */
#define FILLER	120	/* instructions that make the translation take its time */

static uint32_t (*function)(void);	/* the page, executable */
static _Atomic uint32_t *number;	/* the same page at another address, writable */
static _Atomic uint32_t calls, result;
static atomic_bool stop;

/* nop nop nop; mov $0, %eax; FILLER times lea 1(%rcx), %ecx; ret */
static void make_function(void)
{
	static const uint8_t start[] = { 0x90, 0x90, 0x90, 0xb8, 0, 0, 0, 0 }, filler[] = { 0x8d, 0x49, 0x01 };
	int fd = memfd_create("code", 0);
	uint8_t *p, *q;

	CHECK(fd >= 0 && !ftruncate(fd, PAGE));
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	q = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED && q != MAP_FAILED);
	memcpy(p, start, sizeof(start));
	for (int i = 0; i < FILLER; i++)
		memcpy(p + sizeof(start) + i * sizeof(filler), filler, sizeof(filler));
	p[sizeof(start) + FILLER * sizeof(filler)] = 0xc3;
	number = (_Atomic uint32_t *)(p + NUMBER);
	function = (uint32_t (*)(void))(uintptr_t)q;
}

static void *caller(void *arg)
{
	unsigned int a, b, c, d;

	while (!atomic_load(&stop)) {
		__cpuid(0, a, b, c, d);	/* what a CPU needs before it runs bytes that another CPU wrote */
		atomic_store(&result, function());
		atomic_fetch_add(&calls, 1);
	}
	return arg;
}

static void t_patched(void)
{
	uint32_t seed = 1;
	int stale = 0;
	pthread_t t;

	make_function();
	CHECK(!pthread_create(&t, NULL, caller, NULL));
	for (uint32_t i = 1; i <= ROUNDS; i++) {
		uint32_t from;

		/* The first number throws the translation away; the second falls into the making of the next one. */
		atomic_store(number, ~i);
		seed = seed * 1664525u + 1013904223u;
		for (uint32_t k = 0; k < seed >> 16 >> (i & 7); k++)
			__asm__ volatile ("");
		atomic_store(number, i);
		for (from = atomic_load(&calls); atomic_load(&calls) - from < 3;)
			;
		stale += atomic_load(&result) != i;
	}
	atomic_store(&stop, true);
	pthread_join(t, NULL);
	if (stale)
		printf("# %d of %d times the function was not what had been written\n", stale, ROUNDS);
	CHECK(stale <= FEW);
}

int main(void)
{
	static const struct system_test tests[] = {
		{ "a CPU runs the bytes that another CPU wrote last", t_patched },
	};

	return run_each(tests, sizeof(tests) / sizeof(tests[0]));
}
