/* SPDX-License-Identifier: MIT */
/*
 * NVTX 3: as nvToolsExt.h, without a library to link.  ppu-prof brings the library along; without it each function does
 * nothing.
 */
#ifndef PPU_NVTX3_NVTOOLSEXT_H
#define PPU_NVTX3_NVTOOLSEXT_H

#include <nvtx3/bits.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVTX_DECLARE(type, name, params, args, none) \
	type ppu_##name params __asm__(#name) __attribute__((weak)); \
	static inline __attribute__((unused)) type name params { return ppu_##name ? ppu_##name args : none; }
#define NVTX_DECLARE_VOID(name, params, args) \
	void ppu_##name params __asm__(#name) __attribute__((weak)); \
	static inline __attribute__((unused)) void name params { if (ppu_##name) ppu_##name args; }
PPU_NVTX_CALLS(NVTX_DECLARE, NVTX_DECLARE_VOID)
#undef NVTX_DECLARE
#undef NVTX_DECLARE_VOID

#ifdef __cplusplus
}
#endif

#endif
