/* SPDX-License-Identifier: MIT */
/* More of the list in cuda_calls.h: maps of tensors. */
#ifndef PPU_CUDA_CALLS_TENSOR_H
#define PPU_CUDA_CALLS_TENSOR_H

#define CU_CALLS_TENSOR(C, P, V) \
C(cuTensorMapEncodeTiled, cuTensorMapEncodeTiled, 12000, (CUtensorMap *, map), (CUtensorMapDataType, type), \
	(cuuint32_t, rank), (void *, address), (const cuuint64_t *, size), (const cuuint64_t *, strides), \
	(const cuuint32_t *, box), (const cuuint32_t *, steps), (CUtensorMapInterleave, interleave), \
	(CUtensorMapSwizzle, swizzle), (CUtensorMapL2promotion, promotion), (CUtensorMapFloatOOBfill, fill)) \
C(cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2col, 12000, (CUtensorMap *, map), (CUtensorMapDataType, type), \
	(cuuint32_t, rank), (void *, address), (const cuuint64_t *, size), (const cuuint64_t *, strides), \
	(const int *, lower), (const int *, upper), (cuuint32_t, channels), (cuuint32_t, pixels), \
	(const cuuint32_t *, steps), (CUtensorMapInterleave, interleave), (CUtensorMapSwizzle, swizzle), \
	(CUtensorMapL2promotion, promotion), (CUtensorMapFloatOOBfill, fill)) \
C(cuTensorMapReplaceAddress, cuTensorMapReplaceAddress, 12000, (CUtensorMap *, map), (void *, address))

#endif
