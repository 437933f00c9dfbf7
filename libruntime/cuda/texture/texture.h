/* SPDX-License-Identifier: MIT */
#ifndef PPU_CU_TEXTURE_H
#define PPU_CU_TEXTURE_H

#include <ppu.h>
#include "cuda/context/calls.h"
#include "cuda/memory/array.h"

#pragma GCC visibility push(hidden)
/* libppu's description of a texture, and where it keeps the levels behind the first. */
struct cu_texture {
	ppuTextureDesc desc;
	ppuTextureLevel levels[CU_ARRAY_LEVELS - 1];
};

/* Makes it (desc NULL: of a surface). */
CUresult cu_texture_describe(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *desc, struct cu_texture *t);
#pragma GCC visibility pop

#endif
