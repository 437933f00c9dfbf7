/* SPDX-License-Identifier: MIT */
/* Launches. */
#ifndef PPU_API_LAUNCH_H
#define PPU_API_LAUNCH_H

#include <ppu.h>
#include <ppu_image.h>

#pragma GCC visibility push(hidden)

/* Most threads a block of a kernel can have. */
uint32_t rt_max_threads(const struct ppu_symbol *kernel, const ppuDeviceProp *prop);

#pragma GCC visibility pop
#endif
