/* SPDX-License-Identifier: MIT */
/* make_int4() and the like. */
#ifndef PPU_VECTOR_FUNCTIONS_H
#define PPU_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__	/* programs and their helper headers ask for this name */

#include "vector_types.h"

#define CUDART_MAKE_ static __inline__ __host__ __device__ __attribute__((unused))
#define CUDART_V_(name, type, align2, align4) \
	CUDART_MAKE_ name##1 make_##name##1(type x) { name##1 v; v.x = x; return v; } \
	CUDART_MAKE_ name##2 make_##name##2(type x, type y) { name##2 v; v.x = x; v.y = y; return v; } \
	CUDART_MAKE_ name##3 make_##name##3(type x, type y, type z) { \
		name##3 v; v.x = x; v.y = y; v.z = z; return v; } \
	CUDART_MAKE_ name##4 make_##name##4(type x, type y, type z, type w) { \
		name##4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; }
CUDART_VECTORS(CUDART_V_)
#undef CUDART_V_

#endif
