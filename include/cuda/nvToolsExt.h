/* SPDX-License-Identifier: MIT */
/*
 * NVTX: names for parts of a program, which ppu-prof tells its launches by.  With -lnvToolsExt; nvtx3/nvToolsExt.h needs no
 * library.
 */
#ifndef PPU_NVTOOLSEXT_H
#define PPU_NVTOOLSEXT_H

#include <nvtx3/bits.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVTX_DECLARE(type, name, params, args, none) type name params;
#define NVTX_DECLARE_VOID(name, params, args) void name params;
PPU_NVTX_CALLS(NVTX_DECLARE, NVTX_DECLARE_VOID)
#undef NVTX_DECLARE
#undef NVTX_DECLARE_VOID

#ifdef __cplusplus
}
#endif

#endif
