/* SPDX-License-Identifier: MIT */
/* Images inside containers. */
#ifndef PPU_CUDA_FATBIN_INT_H
#define PPU_CUDA_FATBIN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

/* An image that a PPU can load: PTX text or a binary of ours.  Containers are taken apart. */
struct cu_image {
	const void *data;
	size_t bytes;
	bool ptx;
	void *owned;			/* to be freed, or NULL */
};
/* bytes 0: the image says itself how long it is. */
CUresult cu_image_find(struct cu_image *img, const void *data, size_t bytes);

#pragma GCC visibility pop
#endif
