/* SPDX-License-Identifier: MIT */
/* Kernels whose threads work together.  test_ptx_exec.c has the expected results. */
#include "dev.h"

#ifdef __NVCC__
#define SYNC()		__syncthreads()
#define BLOCK		blockIdx.x
#define BLOCK_SIZE	blockDim.x
#define BLOCKS		gridDim.x
#else
/* Not the builtin, because clang 14 moves loads of shared variables across the builtin. */
#define SYNC()		asm volatile("bar.sync 0;" ::: "memory")
#define BLOCK		((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define BLOCK_SIZE	((u32)__nvvm_read_ptx_sreg_ntid_x())
#define BLOCKS		((u32)__nvvm_read_ptx_sreg_nctaid_x())
#endif

INLINE u32 shfl_down(u32 v, u32 d)
{
	u32 r;
	asm volatile("shfl.sync.down.b32 %0, %1, %2, 31, -1;" : "=r"(r) : "r"(v), "r"(d));
	return r;
}

INLINE u32 shfl_xor(u32 v, u32 d)
{
	u32 r;
	asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(r) : "r"(v), "r"(d));
	return r;
}

INLINE u32 ballot(u32 p)
{
	u32 r;
	asm volatile("{ .reg .pred q; setp.ne.u32 q, %1, 0; vote.sync.ballot.b32 %0, q, -1; }" : "=r"(r) : "r"(p));
	return r;
}

INLINE u32 atomic_add(u32 *p, u32 v)
{
	u32 r;
	asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(p), "r"(v) : "memory");
	return r;
}

INLINE u32 atomic_cas(u32 *p, u32 a, u32 b)
{
	u32 r;
	asm volatile("atom.cas.b32 %0, [%1], %2, %3;" : "=r"(r) : "l"(p), "r"(a), "r"(b) : "memory");
	return r;
}

INLINE void store_volatile(u32 *p, u32 v)
{
	asm volatile("st.volatile.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}

INLINE u32 load_volatile(const u32 *p)
{
	u32 r;
	asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(r) : "l"(p) : "memory");
	return r;
}

/* out[0] += sum of in[0..n) */
KERNEL co_reduce(u32 *out, const u32 *in, u32 n)
{
	SHARED u32 part[32];
	u32 t = LANE_TID, s = 0;
	for (u32 i = BLOCK * BLOCK_SIZE + t; i < n; i += BLOCK_SIZE * BLOCKS)
		s += in[i];
	for (u32 d = 16; d; d >>= 1)
		s += shfl_down(s, d);
	if ((t & 31) == 0)
		part[t / 32] = s;
	SYNC();
	if (t < 32) {
		s = t < (BLOCK_SIZE + 31) / 32 ? part[t] : 0;
		for (u32 d = 16; d; d >>= 1)
			s += shfl_xor(s, d);
		if (t == 0)
			atomic_add(out, s);
	}
}

/* out[b] = how many elements of in[] have in % 64 == b */
KERNEL co_histogram(u32 *out, const u32 *in, u32 n)
{
	SHARED u32 bins[64];
	u32 t = LANE_TID;
	for (u32 b = t; b < 64; b += BLOCK_SIZE)
		bins[b] = 0;
	SYNC();
	for (u32 i = BLOCK * BLOCK_SIZE + t; i < n; i += BLOCK_SIZE * BLOCKS)
		atomic_add(&bins[in[i] % 64], 1);
	SYNC();
	for (u32 b = t; b < 64; b += BLOCK_SIZE)
		atomic_add(&out[b], bins[b]);
}

/* c = a * b, dim a multiple of 16, blocks of 256 threads (16 x 16); tiles in static shared memory */
KERNEL co_matmul(float *c, const float *a, const float *b, u32 dim)
{
	SHARED float ta[16][17], tb[16][17];
	u32 x = LANE_TID % 16, y = LANE_TID / 16;
	u32 tiles = dim / 16, row = BLOCK / tiles * 16 + y, col = BLOCK % tiles * 16 + x;
	float s = 0;
	for (u32 k = 0; k < dim; k += 16) {
		ta[y][x] = a[row * dim + k + x];
		tb[y][x] = b[(k + y) * dim + col];
		SYNC();
		for (u32 j = 0; j < 16; j++)
			s += ta[y][j] * tb[j][x];
		SYNC();
	}
	c[row * dim + col] = s;
}

/* Each block sorts BLOCK_SIZE elements of in[], in dynamic shared memory (bitonic). */
extern SHARED u32 dynamic[];

KERNEL co_bitonic(u32 *out, const u32 *in, u32 n)
{
	u32 t = LANE_TID, i = BLOCK * BLOCK_SIZE + t;
	dynamic[t] = in[i];
	SYNC();
	for (u32 k = 2; k <= BLOCK_SIZE; k <<= 1)
		for (u32 j = k >> 1; j; j >>= 1) {
			u32 o = t ^ j;
			if (o > t) {
				u32 a = dynamic[t], b = dynamic[o];
				if ((a > b) == !(t & k)) {
					dynamic[t] = b;
					dynamic[o] = a;
				}
			}
			SYNC();
		}
	out[i] = dynamic[t];
}

/* Inclusive prefix sum within a block; static and dynamic shared memory together. */
KERNEL co_scan(u32 *out, const u32 *in, u32 n)
{
	SHARED u32 total[3];
	u32 t = LANE_TID, i = BLOCK * BLOCK_SIZE + t, from = 0;
	dynamic[t] = in[i];
	if (t < 3)
		total[t] = t;
	SYNC();
	for (u32 d = 1; d < BLOCK_SIZE; d <<= 1) {
		u32 v = t >= d ? dynamic[from + t - d] : 0;
		v += dynamic[from + t];
		dynamic[BLOCK_SIZE - from + t] = v;
		from = BLOCK_SIZE - from;
		SYNC();
	}
	out[i] = dynamic[from + t] + total[0] + total[1] + total[2] - 3;
}

/* Gravity of n bodies in one dimension, in doubles: exact enough to be compared bit for bit. */
KERNEL co_nbody(double *force, const double *pos, u32 n)
{
	SHARED double tile[64];
	u32 t = LANE_TID, i = BLOCK * BLOCK_SIZE + t;
	double x = i < n ? pos[i] : 0, f = 0;
	for (u32 base = 0; base < n; base += 64) {
		tile[t] = base + t < n ? pos[base + t] : 0;
		SYNC();
		for (u32 k = 0; k < 64 && base + k < n; k++) {
			double d = tile[k] - x;
			double q = d * d + 0.01;
			f += d / (q * q);
		}
		SYNC();
	}
	if (i < n)
		force[i] = f;
}

/* Lanes leave a data-dependent loop at different times, and then must be together again. */
KERNEL co_together(u32 *out, const u32 *in, u32 n)
{
	u32 i = THREAD, v = in[i] % 1000 + 1, steps = 0;
	while (v != 1) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		steps++;
	}
	out[i] = ballot(steps & 1) + shfl_xor(steps, 1);
}

/* 32 lanes of one warp, and all warps, take a spin lock in turn. */
KERNEL co_lock(u32 *out, u32 *lock, u32 n)
{
	u32 done = 0;
	while (!done) {
		if (atomic_cas(lock, 0, 1) == 0) {
			store_volatile(out, load_volatile(out) + 1);
			asm volatile("membar.gl;" ::: "memory");
			store_volatile(lock, 0);
			done = 1;
		}
	}
}

/* Lane 0 waits for lane 1, which is on the other side of the branch. */
KERNEL co_wait(u32 *out, u32 *flag, u32 n)
{
	u32 t = LANE_TID % 32;
	if (t == 0) {
		while (!load_volatile(&flag[THREAD / 32]))
			;
		out[THREAD / 32] = 7;
	} else if (t == 1) {
		store_volatile(&flag[THREAD / 32], 1);
	}
}
