/* SPDX-License-Identifier: MIT */
/*
 * What the driver API (cuda/memory/tensor.c) writes into a CUtensorMap, and the device-side library (devlib/tensor.cu)
 * reads.  The layout is our own: programs treat a map as 128 opaque bytes.
 */
#ifndef PPU_TENSOR_H
#define PPU_TENSOR_H

#include "compiler/devabi/devlib.h"

#define PPU_TENSOR_MAGIC	0x54555050u
#define PPU_TENSOR_DIMS		5
#define PPU_TENSOR_ALIGN	64	/* of a map */
#define PPU_TENSOR_SHARED_ALIGN	128	/* of the box in shared memory */

/*
 * Element types, by the driver API's numbers: name, the number in tensormap.replace, log2 of the bytes, whether elements
 * out of bounds can be NaN.
 */
#define PPU_TENSOR_TYPES(T) \
T(U8, 0, 0, 0) T(U16, 1, 1, 0) T(U32, 2, 2, 0) T(S32, 3, 2, 0) T(U64, 4, 3, 0) T(S64, 5, 3, 0) T(F16, 6, 1, 1) \
T(F32, 7, 2, 1) T(F64, 9, 3, 1) T(BF16, 10, 1, 1) T(F32_FTZ, 8, 2, 1) T(TF32, 11, 2, 1) T(TF32_FTZ, 12, 2, 1)

enum {
#define T(name, ptx, shift, nan) PPU_TENSOR_##name,
	PPU_TENSOR_TYPES(T)
#undef T
	PPU_TENSOR_NUM_TYPES
};

enum { PPU_TENSOR_SWIZZLE_NONE, PPU_TENSOR_SWIZZLE_32, PPU_TENSOR_SWIZZLE_64, PPU_TENSOR_SWIZZLE_128 };

struct ppu_tensor_map {
	u32 magic;
	u8 type, rank, interleave, swizzle;
	u8 nan;				/* fill with NaN, not with zeros */
	u8 im2col;
	u8 pad0[6];
	u64 address;
	u64 stride[PPU_TENSOR_DIMS - 1];	/* bytes, of dimensions 1.. */
	u32 last[PPU_TENSOR_DIMS];	/* the size - 1 */
	u16 box[PPU_TENSOR_DIMS];	/* im2col: channels, pixels */
	u8 step[PPU_TENSOR_DIMS];	/* between elements that are copied; of dimension 0 it is not used */
	u8 pad1;
	short lower[PPU_TENSOR_DIMS - 2], upper[PPU_TENSOR_DIMS - 2];	/* im2col: corners of the box, of dimensions 1.. */
	u32 pad2[6];
};

/* What a copy does: one word. */
#define PPU_TENSOR_RANK		0x7
#define PPU_TENSOR_STORE	0x8	/* from shared memory */
#define PPU_TENSOR_IM2COL	0x10
#define PPU_TENSOR_OP_SHIFT	8	/* the operation of a copy that reduces */
#define PPU_TENSOR_MASK_SHIFT	16	/* of a copy to several CTAs: which */

enum {
	PPU_REDUCE_NONE, PPU_REDUCE_ADD, PPU_REDUCE_MIN, PPU_REDUCE_MAX, PPU_REDUCE_INC, PPU_REDUCE_DEC, PPU_REDUCE_AND,
	PPU_REDUCE_OR, PPU_REDUCE_XOR
};

/* Fields that tensormap.replace writes. */
enum {
	PPU_TENSOR_SET_ADDRESS, PPU_TENSOR_SET_RANK, PPU_TENSOR_SET_BOX, PPU_TENSOR_SET_DIM, PPU_TENSOR_SET_STRIDE,
	PPU_TENSOR_SET_STEP, PPU_TENSOR_SET_TYPE, PPU_TENSOR_SET_INTERLEAVE, PPU_TENSOR_SET_SWIZZLE, PPU_TENSOR_SET_FILL
};

#endif
