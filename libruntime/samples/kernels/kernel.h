/* SPDX-License-Identifier: MIT */
/*
 * What CUDA C needs so that clang compiles it for nvptx64 without any SDK.
 */
#ifndef KERNEL_H
#define KERNEL_H

#define __global__	__attribute__((global))
#define __device__	__attribute__((device))
#define __shared__	__attribute__((shared))
#define __constant__	__attribute__((constant))
#define KERNEL		extern "C" __global__ void
#define INLINE		static inline __attribute__((always_inline)) __device__

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;

#define threadIdx_x	((u32)__nvvm_read_ptx_sreg_tid_x())
#define threadIdx_y	((u32)__nvvm_read_ptx_sreg_tid_y())
#define blockIdx_x	((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define blockIdx_y	((u32)__nvvm_read_ptx_sreg_ctaid_y())
#define blockDim_x	((u32)__nvvm_read_ptx_sreg_ntid_x())
#define blockDim_y	((u32)__nvvm_read_ptx_sreg_ntid_y())
#define gridDim_x	((u32)__nvvm_read_ptx_sreg_nctaid_x())

/* Not the builtin, because clang 14 moves loads of shared variables across the builtin. */
INLINE void syncthreads(void)
{
	asm volatile("bar.sync 0;" ::: "memory");
}

INLINE u32 atomic_add(u32 *p, u32 v)
{
	return (u32)__nvvm_atom_add_gen_i((int *)p, (int)v);
}

/* The value of the lane that is `delta` further up; all 32 lanes must take part. */
INLINE u32 shfl_down(u32 v, u32 delta)
{
	u32 r;

	asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;" : "=r"(r) : "r"(v), "r"(delta));
	return r;
}

#endif
