/* SPDX-License-Identifier: MIT */
/* What the library on the device asks of the host: printf, assert, malloc. */
#ifndef PPU_API_DEVCALLS_H
#define PPU_API_DEVCALLS_H

#include <stdbool.h>
#include <ppu.h>

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct ppuModule_st;

ppuResult rt_devlib_new(struct ppuCtx_st *ctx);
void rt_devlib_free(struct ppuCtx_st *ctx);
/* Unlocked.  Point the library's variables in a module's data to the context's states. */
ppuResult rt_devlib_bind(struct ppuModule_st *mod, uint8_t *data);
/* Locked; drops the lock to write.  Print what kernels printed. */
void rt_devlib_flush(struct ppuCtx_st *ctx);
/* rt_devlib_is_assert(): is the instruction in the library's failed assertion? rt_devlib_assertion(): its
 * text, once flushed. */
bool rt_devlib_is_assert(const struct ppuModule_st *mod, uint32_t pc);
const char *rt_devlib_assertion(const struct ppuCtx_st *ctx);
/* Locked.  PPU_LIMIT_PRINTF_BYTES and _HEAP_BYTES. */
ppuResult rt_devlib_get_limit(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t *value);
ppuResult rt_devlib_set_limit(struct ppuCtx_st *ctx, ppuLimit limit, uint64_t value);

#pragma GCC visibility pop
#endif
