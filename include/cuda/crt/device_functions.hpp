/* SPDX-License-Identifier: MIT */
/* Functions of the device that clang's headers do not have, because they expect them in the SDK's headers. */
#ifndef PPU_CRT_DEVICE_FUNCTIONS_HPP
#define PPU_CRT_DEVICE_FUNCTIONS_HPP

#include "ppu_cache_hints.h"
#include "ppu_dpx.h"

#define CUDART_DEV_ static __inline__ __attribute__((device, always_inline, unused))

CUDART_DEV_ void __nanosleep(unsigned int ns)
{
	__asm__ __volatile__("nanosleep.u32 %0;" : : "r"(ns) : "memory");
}

CUDART_DEV_ int __dp4a(int a, int b, int c)
{
	int r;

	__asm__("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

CUDART_DEV_ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int r;

	__asm__("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

#endif
