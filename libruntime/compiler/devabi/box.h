/* SPDX-License-Identifier: MIT */
/* The work of one thread of the kernels that copy and fill boxes of bytes (devlib.h). */
#ifndef BOX_H
#define BOX_H

#include "compiler/devabi/dev.h"

DEV u64 first(void)
{
	return (u64)ctaid_x() * PPU_BOX_THREADS + tid_x();
}

DEV u64 step(void)
{
	return (u64)(u32)__nvvm_read_ptx_sreg_nctaid_x() * PPU_BOX_THREADS;
}

/* Threads walk through the units of all rows, unit by unit of 1, 4 or 8 bytes. */
template <typename T>
DEV void copy(const struct ppu_box *to, const struct ppu_box *from, const struct ppu_extent *e)
{
	u64 row = e->width / sizeof(T), all = row * e->height * e->depth, i;

	for (i = first(); i < all; i += step()) {
		u64 x = i % row, y = i / row % e->height, z = i / row / e->height;

		*(T *)(to->data + z * to->slice + y * to->pitch + x * sizeof(T)) =
			*(const T *)(from->data + z * from->slice + y * from->pitch + x * sizeof(T));
	}
}

DEV void copy_box(const struct ppu_box *to, const struct ppu_box *from, const struct ppu_extent *e, u32 unit)
{
	if (unit == 8)
		copy<u64>(to, from, e);
	else if (unit == 4)
		copy<u32>(to, from, e);
	else
		copy<u8>(to, from, e);
}

template <typename T>
DEV void fill(const struct ppu_box *to, const struct ppu_extent *e, T value)
{
	u64 row = e->width / sizeof(T), all = row * e->height * e->depth, i;

	for (i = first(); i < all; i += step())
		*(T *)(to->data + i / row / e->height * to->slice + i / row % e->height * to->pitch +
		       i % row * sizeof(T)) = value;
}

#endif
