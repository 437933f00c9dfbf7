/* SPDX-License-Identifier: MIT */
/*
 * Kernels that call the device-side library: printf, assert, malloc, memory functions.
 * lib.clang.ptx is this file, compiled with clang as tests/ptx/dev.h says.
 */
#include "dev.h"

extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void *malloc(unsigned long);
extern "C" __device__ void free(void *);
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
extern "C" __device__ void *memcpy(void *, const void *, unsigned long);
extern "C" __device__ void *memmove(void *, const void *, unsigned long);
extern "C" __device__ void *memset(void *, int, unsigned long);
extern "C" __device__ int memcmp(const void *, const void *, unsigned long);
extern "C" __device__ unsigned long strlen(const char *);

#define assert(e) ((e) ? (void)0 : __assertfail(#e, "lib.cu", __LINE__, __FUNCTION__, 1))

KERNEL lib_formats(u32 *out, const u32 *in, u32 n)
{
	int r;

	r = printf("int %d %i %5d|%-5d|%05d|%+d|% d\n", -1, 2, 3, 4, 5, 6, 7);
	r += printf("unsigned %u %o %x %X %#x %08x\n", 4000000000u, 8u, 0xbeefu, 0xBEEFu, 255u, 0xabcu);
	r += printf("long %ld %lld %lu %llx %zu\n", -5000000000l, -6ll, 5000000000ul, 0x123456789abcull, 7ul);
	r += printf("short %hd %hhd %hu\n", (short)-3, (signed char)-4, (unsigned short)65535);
	r += printf("float %f %.3f %10.2f|%-10.1f|%e %G %a\n", 1.5, 2.71828, -3.25, 4.75, 12345.678, 1e-10, 1.0);
	r += printf("float arg %f %f\n", 0.5f, (double)in[0]);
	r += printf("star %*d|%-*d|%.*f\n", 6, 42, 6, 43, 2, 3.14159);
	r += printf("char %c%c string %s|%10s|%-10s|%.2s percent %% end\n", 'o', 'k', "text", "right", "left", "cut");
	r += printf("pointer %p mixed %d %f %s %lld\n", (void *)0x1234abcd, 1, 2.0, "three", 4ll);
	r += printf("no arguments\n");
	r += printf("odd %y %", 1);
	r += printf("\nempty %s null %s\n", "", (char *)0);
	out[0] = r;
}

KERNEL lib_threads(u32 *out, const u32 *in, u32 n)
{
	u32 i = THREAD;

	if (i % 3 == 0)
		printf("thread %u has %x\n", i, in[i]);
	else if (i % 3 == 1)
		printf("other %u\n", i);
}

KERNEL lib_many(u32 *out, const u32 *in, u32 n)
{
	for (u32 k = 0; k < n; k++)
		printf("line %u of %u\n", k, n);
}

KERNEL lib_assert(u32 *out, const u32 *in, u32 n)
{
	u32 i = THREAD;

	out[i] = 1;
	assert(i != n);
}

KERNEL lib_heap(u32 *out, const u32 *in, u32 n)
{
	u32 i = THREAD, s = i * 2654435761u + 1, bad = 0, k, j;
	u32 *held[4] = { 0, 0, 0, 0 };
	u32 words[4] = { 0, 0, 0, 0 };

	for (k = 0; k < n; k++) {
		u32 which;

		s = s * 1664525u + 1013904223u;
		which = s >> 12 & 3;
		if (held[which]) {
			for (j = 0; j < words[which]; j++)
				bad += held[which][j] != (i << 16 | which << 8 | (words[which] & 255));
			free(held[which]);
			held[which] = 0;
		} else {
			words[which] = 1 + (s >> 20) % 40;
			held[which] = (u32 *)malloc(4 * words[which]);
			if (!held[which]) {
				bad += 1000;
				continue;
			}
			bad += (u64)held[which] & 15 ? 1 : 0;
			for (j = 0; j < words[which]; j++)
				held[which][j] = i << 16 | which << 8 | (words[which] & 255);
		}
	}
	for (k = 0; k < 4; k++)
		free(held[k]);
	out[i] = bad;
}

/* Allocates the whole heap in blocks of n bytes, twice: the number of blocks must be the same both times. */
KERNEL lib_exhaust(u32 *out, const u32 *in, u32 n)
{
	for (u32 round = 0; round < 2; round++) {
		void **list = 0, **p;
		u32 count = 0;

		while ((p = (void **)malloc(n))) {
			*p = list;
			list = p;
			count++;
		}
		while (list) {
			p = (void **)*list;
			free(list);
			list = p;
		}
		out[round] = count;
	}
	out[2] = malloc(0) != 0;
	free(0);
}

KERNEL lib_twice(u32 *out, const u32 *in, u32 n)
{
	void *p = malloc(100);

	free(p);
	out[0] = 1;
	free(p);
}

KERNEL lib_memory(u32 *out, const u32 *in, u32 n)
{
	static __device__ u8 a[256], b[256];
	u32 r = 0, k;

	memset(a, 7, n);
	for (k = 0; k < n; k++)
		r += a[k];
	for (k = 0; k < n; k++)
		a[k] = (u8)k;
	memcpy(b, a, n);
	r = r * 31 + (u32)memcmp(a, b, n);
	b[3] = 0;
	r = r * 31 + (u32)memcmp(a, b, n);
	r = r * 31 + (u32)memcmp(b, a, n);
	memmove(a + 1, a, n);
	r = r * 31 + a[n] + a[1];
	memmove(a, a + 2, n);
	r = r * 31 + a[0] + a[n - 3];
	r = r * 31 + (u32)strlen((const char *)in);
	out[0] = r;
}
