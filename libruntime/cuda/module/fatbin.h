/* SPDX-License-Identifier: MIT */
/* Images inside containers. */
#ifndef PPU_CUDA_FATBIN_INT_H
#define PPU_CUDA_FATBIN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

/* An image that a PPU can load: PTX text, or a PPUB binary. */
struct cu_image {
	const void *data;
	size_t bytes;
	bool ptx;
	void *owned;			/* the caller frees it; may be NULL */
};
/* Finds an image in data, which may be a container.  bytes 0: unknown; the data says itself how long it is. */
CUresult cu_image_find(struct cu_image *img, const void *data, size_t bytes);

#pragma GCC visibility pop
#endif
