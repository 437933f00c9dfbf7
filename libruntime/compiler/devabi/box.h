/* SPDX-License-Identifier: MIT */
/* Boxes of bytes, and the work of one thread of the kernels that copy and fill them. */
#ifndef BOX_H
#define BOX_H

#include "compiler/devabi/dev.h"

#define THREADS		128u	/* of a block of these kernels */

/* A box of bytes. */
struct box {
	u64 data, pitch, slice;
};
struct extent {
	u64 width, height, depth;	/* bytes, rows, slices */
};


DEV u64 first(void)
{
	return (u64)ctaid_x() * THREADS + tid_x();
}

DEV u64 step(void)
{
	return (u64)(u32)__nvvm_read_ptx_sreg_nctaid_x() * THREADS;
}

/* Threads walk through the units of all rows, unit by unit of 1, 4 or 8 bytes. */
template <typename T>
DEV void copy(const struct box *to, const struct box *from, const struct extent *e)
{
	u64 row = e->width / sizeof(T), all = row * e->height * e->depth, i;

	for (i = first(); i < all; i += step()) {
		u64 x = i % row, y = i / row % e->height, z = i / row / e->height;

		*(T *)(to->data + z * to->slice + y * to->pitch + x * sizeof(T)) =
			*(const T *)(from->data + z * from->slice + y * from->pitch + x * sizeof(T));
	}
}

template <typename T>
DEV void fill(const struct box *to, const struct extent *e, T value)
{
	u64 row = e->width / sizeof(T), all = row * e->height * e->depth, i;

	for (i = first(); i < all; i += step())
		*(T *)(to->data + i / row / e->height * to->slice + i / row % e->height * to->pitch +
		       i % row * sizeof(T)) = value;
}

#endif
