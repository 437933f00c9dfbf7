/* SPDX-License-Identifier: MIT */
/* The window of addresses that all contexts share. */
#ifndef PPU_API_VA_H
#define PPU_API_VA_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

int rt_va_alloc(uint64_t size, uint64_t align, uint64_t *va);
void rt_va_free(uint64_t va, uint64_t size, bool mapped);
bool rt_va_inside(const void *p);	/* device or pinned memory, of whatever context */

#pragma GCC visibility pop
#endif
