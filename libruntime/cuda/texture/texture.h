/* SPDX-License-Identifier: MIT */
#ifndef PPU_CU_TEXTURE_H
#define PPU_CU_TEXTURE_H

#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)
/* Makes libppu's description of a texture (desc NULL: of a surface). */
CUresult cu_texture_describe(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *desc, ppuTextureDesc *t);
#pragma GCC visibility pop

#endif
