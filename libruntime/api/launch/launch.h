/* SPDX-License-Identifier: MIT */
/* Launches. */
#ifndef PPU_API_LAUNCH_H
#define PPU_API_LAUNCH_H

#include <ppu.h>
#include <hw/ppu_tmd.h>

#pragma GCC visibility push(hidden)

struct ppuFunction_st;

/* Unlocked.  Checks a launch as ppuLaunchClusterKernel() does, and fills in its TMD, but for the parameters' address. */
ppuResult rt_launch_describe(struct ppuFunction_st *f, ppuDim3 grid, ppuDim3 block, ppuDim3 cluster, size_t dynamic,
			     struct ppu_tmd *t);

#pragma GCC visibility pop
#endif
