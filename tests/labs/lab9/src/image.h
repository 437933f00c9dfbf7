/* SPDX-License-Identifier: MIT */
/* Lab 9, given: loads an image of ppu-cc into VRAM. */
#ifndef IMAGE_H
#define IMAGE_H

#include "hw.h"

/* Reads code and kernels from the file into hw->code, hw->insns, hw->kernels. 0 or -errno. */
int image_load(struct hw *hw, const char *path);

#endif
