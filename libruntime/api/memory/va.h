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

/* Which context has a buffer with these bytes; NULL: none. The context may be about to end: rt_obj_get(). *mapped: the CPU
 * reaches it. */
struct ppuCtx_st;
int rt_va_own(const struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes, bool mapped);
void rt_va_disown(uint64_t va);
const struct ppuCtx_st *rt_va_owner(uint64_t va, uint64_t bytes, bool *mapped);

#pragma GCC visibility pop
#endif
