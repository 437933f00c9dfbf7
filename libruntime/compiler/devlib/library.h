/* SPDX-License-Identifier: MIT */
/* The device-side library as the linker sees it: ppu_device_library (ppu_image.h). */
#ifndef PPU_DEVLIB_LIBRARY_H
#define PPU_DEVLIB_LIBRARY_H

#include <ppu_image.h>

/* Functions the library defines, by number; NULL past the last. */
const char *ppu_library_function(unsigned index);
/* The PTX of the module that defines the function, which has kernels of the library, too. */
const char *ppu_library_text(const char *function);

#endif
