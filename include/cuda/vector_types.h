/* SPDX-License-Identifier: MIT */
/* Short vectors and dim3.  Vectors of two and four are aligned so that a GPU loads them at once, up to 16 bytes. */
#ifndef PPU_VECTOR_TYPES_H
#define PPU_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__	/* programs and their helper headers ask for this name */

#include "host_defines.h"

/* (name, element, alignment of two, of four) */
#define CUDART_VECTORS(V) \
V(char, signed char, 2, 4) \
V(uchar, unsigned char, 2, 4) \
V(short, short, 4, 8) \
V(ushort, unsigned short, 4, 8) \
V(int, int, 8, 16) \
V(uint, unsigned int, 8, 16) \
V(long, long, 16, 16) \
V(ulong, unsigned long, 16, 16) \
V(longlong, long long, 16, 16) \
V(ulonglong, unsigned long long, 16, 16) \
V(float, float, 8, 16) \
V(double, double, 16, 16)

#define CUDART_V_(name, type, align2, align4) \
	struct name##1 { type x; }; \
	struct __align__(align2) name##2 { type x, y; }; \
	struct name##3 { type x, y, z; }; \
	struct __align__(align4) name##4 { type x, y, z, w; }; \
	typedef struct name##1 name##1; \
	typedef struct name##2 name##2; \
	typedef struct name##3 name##3; \
	typedef struct name##4 name##4;
CUDART_VECTORS(CUDART_V_)
#undef CUDART_V_

struct dim3 {
	unsigned int x, y, z;
#if defined(__cplusplus) && __cplusplus >= 201103L
	__host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
		: x(vx), y(vy), z(vz) {}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
	__host__ __device__ constexpr operator uint3() const { return uint3{ x, y, z }; }
#elif defined(__cplusplus)
	dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
#endif
};
typedef struct dim3 dim3;

#endif
