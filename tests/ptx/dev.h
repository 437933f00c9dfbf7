/* SPDX-License-Identifier: MIT */
/*
 * One source for three compilers: clang and nvcc make PTX of it, the host compiler makes the
 * reference that the tests compare with (PTX_HOST: kernels are called once per thread).
 */
#ifndef DEV_H
#define DEV_H

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;
typedef unsigned short u16;

#ifdef PTX_HOST
#define KERNEL		static void
#define FN		static __attribute__((noinline, unused))
#define INLINE		static inline __attribute__((unused))
#define CONST		static const
#define GLOBAL		static
static u32 host_thread;
#define THREAD		host_thread
#define POPC(x)		((u32)__builtin_popcount(x))
#define CLZ(x)		((x) ? (u32)__builtin_clz(x) : 32u)
#define MULHI(a, b)	((u32)((u64)(a) * (b) >> 32))
#elif defined(__NVCC__)
#define KERNEL		extern "C" __global__ void
#define FN		static __device__ __noinline__
#define INLINE		static __device__ __forceinline__
#define CONST		static __constant__
#define GLOBAL		static __device__
#define THREAD		(blockIdx.x * blockDim.x + threadIdx.x)
#define LANE_TID	threadIdx.x
#define POPC(x)		((u32)__popc(x))
#define CLZ(x)		((u32)__clz(x))
#define MULHI(a, b)	__umulhi(a, b)
#define SHARED		__shared__
#else
#define __global__	__attribute__((global))
#define __device__	__attribute__((device))
#define __shared__	__attribute__((shared))
#define __constant__	__attribute__((constant))
#define KERNEL		extern "C" __global__ void
#define FN		static __attribute__((noinline)) __device__
#define INLINE		static inline __attribute__((always_inline)) __device__
#define CONST		static __constant__ const
#define GLOBAL		static __device__
#define LANE_TID	((u32)__nvvm_read_ptx_sreg_tid_x())
#define THREAD		((u32)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + \
			       __nvvm_read_ptx_sreg_tid_x()))
#define POPC(x)		((u32)__builtin_popcount(x))
#define CLZ(x)		((x) ? (u32)__builtin_clz(x) : 32u)
#define MULHI(a, b)	((u32)((u64)(a) * (b) >> 32))
#define SHARED		__shared__
#endif

#endif
