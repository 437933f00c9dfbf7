/* SPDX-License-Identifier: MIT */
/*
 * Maps of tensors: what a program says of a tensor is checked and written into 128 bytes, which only the device-side
 * library reads (compiler/devabi/tensor.h).  Nothing here touches a device.
 */
#include <stdint.h>
#include <string.h>

#include "compiler/devabi/tensor.h"
#include "cuda/context/calls.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"

_Static_assert(sizeof(struct ppu_tensor_map) == sizeof(CUtensorMap), "a map has 128 bytes");

#define MAX_SIZE	(1ull << 32)
#define MAX_STRIDE	(1ull << 40)
#define MAX_BOX		256
#define MAX_PIXELS	1024
#define MAX_STEP	8

static const struct {
	uint8_t shift;
	bool nan;
} types[] = {
#define T(name, ptx, shift, nan) { shift, nan },
	PPU_TENSOR_TYPES(T)
#undef T
};

#define REFUSE(...)	do { cu_why_set(__VA_ARGS__); return CUDA_ERROR_INVALID_VALUE; } while (0)
#define LACKS(...)	do { cu_why_set(__VA_ARGS__); return CUDA_ERROR_NOT_SUPPORTED; } while (0)

struct tensor {
	CUtensorMapDataType type;
	cuuint32_t rank;
	void *address;
	const cuuint64_t *size, *strides;
	const cuuint32_t *steps;
	CUtensorMapInterleave interleave;
	CUtensorMapSwizzle swizzle;
	CUtensorMapL2promotion promotion;
	CUtensorMapFloatOOBfill fill;
};

static CUresult check_dimensions(const struct tensor *t)
{
	for (unsigned int d = 0; d < t->rank; d++) {
		if (!t->size[d] || t->size[d] > MAX_SIZE)
			REFUSE("dimension %u has %llu elements; 1 to 2^32 are possible", d, t->size[d]);
		if (d && (!t->strides[d - 1] || t->strides[d - 1] % 16 || t->strides[d - 1] >= MAX_STRIDE))
			REFUSE("the stride of dimension %u is %llu bytes, not a multiple of 16 below 2^40", d, t->strides[d - 1]);
		if (d && (!t->steps[d] || t->steps[d] > MAX_STEP))
			REFUSE("the element stride of dimension %u is %u, not 1 to %u", d, t->steps[d], MAX_STEP);
	}
	return CUDA_SUCCESS;
}

/* What tiles and pixels have in common; row: elements of a row in shared memory. */
static CUresult check(const CUtensorMap *map, const struct tensor *t, unsigned int row)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!map || (uintptr_t)map % PPU_TENSOR_ALIGN)
		REFUSE("the map is not aligned to %u bytes", PPU_TENSOR_ALIGN);
	if (t->rank < 1 || t->rank > PPU_TENSOR_DIMS)
		REFUSE("a tensor has 1 to %u dimensions, not %u", PPU_TENSOR_DIMS, t->rank);
	if (!t->size || !t->steps || (t->rank > 1 && !t->strides))
		REFUSE("sizes, strides or element strides are missing");
	if ((unsigned int)t->type > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B || (unsigned int)t->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
	    (unsigned int)t->swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B || (unsigned int)t->promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
	    (unsigned int)t->fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
		REFUSE("the type, interleave, swizzle, promotion or fill is none");
	if ((unsigned int)t->type >= PPU_TENSOR_NUM_TYPES || t->swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
		LACKS("elements of 4 and 6 bits and swizzles of more than 16 bytes are of compute capability 10.0");
	if (t->interleave)
		LACKS("interleaved tensors are not supported; describe the tensor with a dimension for the channels of a slice");
	if (t->fill && !types[t->type].nan)
		REFUSE("integers cannot be filled with NaN");
	if ((uintptr_t)t->address % 16)
		REFUSE("the tensor is not aligned to 16 bytes");
	if (!row || row > MAX_BOX || (row << types[t->type].shift) % 16)
		REFUSE("a row of the box has %u elements: 1 to %u are possible, of a multiple of 16 bytes", row, MAX_BOX);
	if (t->swizzle && row << types[t->type].shift > 16u << t->swizzle)
		REFUSE("a row of the box is wider than the swizzle, %u bytes", 16u << t->swizzle);
	return check_dimensions(t);
}

static struct ppu_tensor_map encoded(const struct tensor *t)
{
	struct ppu_tensor_map m = {
		.magic = PPU_TENSOR_MAGIC, .type = (u8)t->type, .rank = (u8)t->rank, .swizzle = (u8)t->swizzle, .nan = (u8)t->fill,
		.address = (uintptr_t)t->address,
	};

	for (unsigned int d = 0; d < t->rank; d++) {
		m.last[d] = (u32)(t->size[d] - 1);
		m.step[d] = (u8)t->steps[d];
		if (d)
			m.stride[d - 1] = t->strides[d - 1];
	}
	return m;
}

CUresult i_cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *size,
				  const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps,
				  CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
				  CUtensorMapFloatOOBfill fill)
{
	const struct tensor t = { type, rank, address, size, strides, steps, interleave, swizzle, promotion, fill };
	struct ppu_tensor_map m;
	CUresult r;

	if (!box)
		REFUSE("the box is missing");
	r = check(map, &t, box[0]);
	if (r)
		return r;
	m = encoded(&t);
	for (unsigned int d = 0; d < rank; d++) {
		if (!box[d] || box[d] > MAX_BOX)
			REFUSE("dimension %u of the box is %u, not 1 to %u", d, box[d], MAX_BOX);
		m.box[d] = (u16)box[d];
	}
	memcpy(map, &m, sizeof(m));
	return CUDA_SUCCESS;
}

CUresult i_cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *size,
				   const cuuint64_t *strides, const int *lower, const int *upper, cuuint32_t channels, cuuint32_t pixels,
				   const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				   CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	static const int limits[PPU_TENSOR_DIMS + 1] = { [3] = 1 << 15, [4] = 1 << 7, [5] = 1 << 4 };
	const struct tensor t = { type, rank, address, size, strides, steps, interleave, swizzle, promotion, fill };
	struct ppu_tensor_map m;
	CUresult r;

	if (rank < 3 || !lower || !upper)
		REFUSE("im2col needs 3 to %u dimensions, and two corners", PPU_TENSOR_DIMS);
	if (!pixels || pixels > MAX_PIXELS)
		REFUSE("a column has 1 to %u pixels, not %u", MAX_PIXELS, pixels);
	r = check(map, &t, channels);
	if (r)
		return r;
	m = encoded(&t);
	m.im2col = 1;
	m.box[0] = (u16)channels;
	m.box[1] = (u16)pixels;
	for (unsigned int d = 0; d < rank - 2; d++) {
		if (lower[d] < -limits[rank] || lower[d] >= limits[rank] || upper[d] < -limits[rank] || upper[d] >= limits[rank])
			REFUSE("the corners of a box of this rank are -%d to %d", limits[rank], limits[rank] - 1);
		if ((int64_t)size[d + 1] - 1 + upper[d] < lower[d])
			REFUSE("the box is empty in dimension %u", d + 1);
		m.lower[d] = (short)lower[d];
		m.upper[d] = (short)upper[d];
	}
	memcpy(map, &m, sizeof(m));
	return CUDA_SUCCESS;
}

CUresult i_cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
	struct ppu_tensor_map m;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!map || (uintptr_t)map % PPU_TENSOR_ALIGN || (uintptr_t)address % 16)
		REFUSE("the map is not aligned to %u bytes, or the tensor not to 16", PPU_TENSOR_ALIGN);
	memcpy(&m, map, sizeof(m));
	if (m.magic != PPU_TENSOR_MAGIC)
		REFUSE("this is no map of cuTensorMapEncode...");
	m.address = (uintptr_t)address;
	memcpy(map, &m, sizeof(m));
	return CUDA_SUCCESS;
}
