/* SPDX-License-Identifier: MIT */
/* What a kernel can be launched with. */
#ifndef PPU_API_FUNCTION_H
#define PPU_API_FUNCTION_H

#include <ppu.h>
#include <ppu_image.h>

#pragma GCC visibility push(hidden)

/* Most threads a block of a kernel can have. */
uint32_t rt_max_threads(const struct ppu_symbol *kernel, const ppuDeviceProp *prop);
/* Most dynamic shared memory of a block. */
uint32_t rt_max_dynamic(const struct ppu_symbol *kernel, const ppuDeviceProp *prop);

struct ppuFunction_st;
/* The cluster of a launch as the TMD has it; cluster: as the program says, 0: it says nothing. */
ppuResult rt_cluster(const struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, ppuDim3 cluster, size_t dynamic, uint32_t *tmd);

#pragma GCC visibility pop
#endif
