/* SPDX-License-Identifier: MIT */
/* Lab 9, given: an image of ppu-cc gets into VRAM. */
#ifndef IMAGE_H
#define IMAGE_H

#include "hw.h"

/* Code and kernels of the file: hw->code, hw->insns, hw->kernels. 0 or -errno. */
int image_load(struct hw *hw, const char *path);

#endif
