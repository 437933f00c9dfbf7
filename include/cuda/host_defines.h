/* SPDX-License-Identifier: MIT */
/* The words of CUDA C++: attributes for clang, nothing for other compilers. */
#ifndef PPU_HOST_DEFINES_H
#define PPU_HOST_DEFINES_H

#define CUDARTAPI
#define CUDART_CB

#ifdef __CUDA__
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
/* clang ignores the attribute, and the host would see another variable than the kernel. */
#define __managed__ _Pragma("GCC error \"__managed__ variables are not supported with clang: use cudaMallocManaged\"")
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/*
 * The blocks of a cluster; a direction that is left out has 1.  An older clang has no such attribute, so the size comes to the PTX
 * compiler as a number of blocks that no SM has (.minnctapersm).  Of two launch_bounds clang takes the first:
 * __cluster_dims__ stands before __launch_bounds__.
 */
#if __has_attribute(cluster_dims)
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#else
#define PPU_CLUSTER_(x, y, z, ...) __attribute__((launch_bounds(0, 0x10000000 + (x) + (y) * 0x100 + (z) * 0x10000)))
#define __cluster_dims__(...) PPU_CLUSTER_(__VA_ARGS__, 1, 1, 1)
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif

/* Only in CUDA sources: in others, the C++ library may have these words in an __attribute__ of its own. */
#ifdef __CUDA__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#endif
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__

#endif
