/* SPDX-License-Identifier: MIT */
/* The types that the compiler and the runtime know, for files that call neither: dim3, vectors, textures, errors. */
#ifndef PPU_CUDA_BUILTIN_TYPES_H
#define PPU_CUDA_BUILTIN_TYPES_H

#include "host_defines.h"
#include "vector_types.h"
#include "driver_types.h"
#include "texture_types.h"
#include "surface_types.h"

#endif
