// SPDX-License-Identifier: MIT
/*
 * Mistakes for ppu-check to find (tests/unit/cuda/ppu_check.sh): each by its name, and next to it the same without the
 * mistake.
 *
 *   planted              all of them without mistakes, as a test
 *   planted NAME         with the mistake
 *   planted NAME clean   without
 */
#include "../../cuda/test.h"
#include "planted.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

static bool bad;

__global__ void fill(int *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] = i;
}

__global__ void bytes(char *p, int n)
{
	if (threadIdx.x < n)
		p[threadIdx.x] = 1;
}

/* Each thread of blocks of three dimensions has a word; the last but one thread of the last block is at the end. */
__global__ void cube(int *p, int n)
{
	int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
	int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
	int i = b * (blockDim.x * blockDim.y * blockDim.z) + t;

	if (i < n)
		p[i] = i;	/* of a cube */
}

__global__ void sum(const int *p, int n, int *out)
{
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		atomicAdd(out, p[i]);
}

__global__ void odd(char *p, int by)
{
	*(int *)(p + by) = 1;
}

__global__ void in_shared(int *out, int at)
{
	extern __shared__ int s[];

	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x + at];
}

__device__ int table[5];

__global__ void variable(int i)
{
	table[i] = 1;
}

/* ---- races in shared memory ---- */

__global__ void neighbours(int *out, bool wait)
{
	__shared__ int s[64];
	int t = threadIdx.x;

	s[t] = t;
	if (wait)
		__syncthreads();
	out[t] = s[(t + 32) % 64];	/* another warp's */
}

__global__ void again(int *out, bool wait)
{
	__shared__ int s[64];
	int t = threadIdx.x, sum = 0;

	for (int i = 0; i < 3; i++) {
		s[t] = t + i;
		__syncthreads();
		sum += s[63 - t];
		if (wait)
			__syncthreads();
	}
	out[t] = sum;
}

__global__ void one_warp(int *out, bool wait)
{
	__shared__ int s[32];
	int t = threadIdx.x;

	s[t] = t;
	if (wait)
		__syncwarp();
	out[t] = s[31 - t];
}

__global__ void one_word(int *out, bool atomic)
{
	__shared__ int s;

	if (!threadIdx.x)
		s = 0;
	__syncthreads();
	if (atomic)
		atomicAdd(&s, 1);
	else
		s = s + threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s;
}

__global__ void flag(int *out, bool fence)
{
	__shared__ int data, ready;

	if (!threadIdx.x)
		ready = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		data = 7;
		if (fence)
			__threadfence_block();
		atomicExch(&ready, 1);
	} else if (threadIdx.x == 32) {
		while (!atomicAdd(&ready, 0))
			;
		out[0] = data;
	}
}

/* Only what is before the fence is told. */
__global__ void late_data(int *out, bool early)
{
	__shared__ int data[2];
	__shared__ volatile int ready;

	if (!threadIdx.x)
		ready = 0;
	__syncthreads();
	if (threadIdx.x == 0) {
		data[0] = 1;
		if (early)
			data[1] = 2;
		__threadfence_block();
		if (!early)
			data[1] = 2;	/* after the fence */
		ready = 1;
	} else if (threadIdx.x == 32) {
		while (!ready)
			;
		__threadfence_block();
		out[0] = data[0] + data[1];
	}
}

/* Bytes of one word, by different threads: no race. */
__global__ void by_byte(int *out, bool apart)
{
	__shared__ char s[64];

	s[apart ? threadIdx.x : threadIdx.x / 2] = threadIdx.x;
	__syncthreads();
	out[threadIdx.x] = s[threadIdx.x];
}

/* Whoever reads the upper half of s, reads what nobody wrote if only the lower half of the threads writes. */
__global__ void lower_half(int *out, int writers)
{
	__shared__ int s[64];
	int t = threadIdx.x;

	if (t < writers)
		s[t] = t;
	__syncthreads();
	out[t] = s[63 - t];
}

__global__ void look(const int *p, int *out)
{
	*out = *p;	/* one word */
}

__global__ void look_at_byte(const char *p, int *out)
{
	*out = *p;
}

/* ---- wrong use of barriers, masks and shuffles ---- */

__global__ void early(int *out, bool wrong)
{
	__shared__ int s[64];
	int t = threadIdx.x;

	if (wrong && t >= 40)
		return;
	s[t] = t;
	__syncthreads();
	out[t] = s[t ^ 1];
}

__global__ void branches(int *out, bool wrong)
{
	__shared__ int s[64];
	int t = threadIdx.x;

	s[t] = t;
	if (wrong && t % 32 < 16) {
		out[t] = 1;
		__syncthreads();	/* one half of the warp */
	} else {
		out[t] = 2;
		__syncthreads();	/* the other half */
	}
	out[t] += s[63 - t];
}

/* A warp may end before the others come. */
__global__ void early_warp(int *out, int n)
{
	__shared__ int s[64];
	int t = threadIdx.x;

	if (t >= n)
		return;
	s[t] = t;
	__syncthreads();		/* of who has not ended */
	out[t] = s[t ^ 1];
}

/* The second warp does one round more, and the first has ended by then. */
__global__ void round_more(int *out, bool wrong)
{
	int t = threadIdx.x;

#pragma unroll 1
	for (int i = 0; i < 2 + (wrong && t >= 32); i++)
		__syncthreads();	/* of a round more */
	out[t] = 1;
}

__global__ void early_of_some(int *out, int n)
{
	if (threadIdx.x >= n)
		return;
	asm volatile("bar.sync 1, 64;" : : : "memory");	/* of two warps */
	out[threadIdx.x] = 1;
}

/* The second warp does one round more. */
__global__ void rounds(int *out, bool wrong)
{
	__shared__ int s[64];
	int t = threadIdx.x;

	s[t] = 0;
#pragma unroll 1
	for (int i = 0; i < 2 + (wrong && t >= 32); i++) {
		s[t]++;
		__syncthreads();	/* of a round */
	}
	out[t] = s[63 - t];
	__syncthreads();
	out[t] += s[t ^ 1];
	__syncthreads();
}

__global__ void counts(int *out, bool wrong)
{
	if (threadIdx.x < 32)
		asm volatile("bar.sync 1, 64;" : : : "memory");
	else if (wrong)
		asm volatile("bar.sync 1, 96;" : : : "memory");
	else
		asm volatile("bar.sync 1, 64;" : : : "memory");
	out[threadIdx.x] = 1;
}

__global__ void odd_count(int *out, int n)
{
	asm volatile("bar.sync 1, %0;" : : "r"(n) : "memory");	/* by a register */
	out[threadIdx.x] = 1;
}

__global__ void number(int *out, int n)
{
	asm volatile("bar.sync %0;" : : "r"(n) : "memory");
	out[threadIdx.x] = 1;
}

__global__ void mixed(int *out, bool wrong)
{
	if (wrong && threadIdx.x < 32)
		__syncthreads();
	else
		out[threadIdx.x] = __syncthreads_count(threadIdx.x & 1);
}

__global__ void not_me(int *out, bool wrong)
{
	int t = threadIdx.x;

	if (t < 9)
		__syncwarp(wrong ? 0xff : 0x1ff);
	out[t] = t;
}

__global__ void half_a_vote(int *out, bool wrong)
{
	int t = threadIdx.x;

	if (!wrong || t < 16)
		out[t] = __ballot_sync(0xffffffff, t & 1);
	out[t] += t;			/* the others go on behind the vote */
}

__global__ void vote_after_return(int *out, int n)
{
	int t = threadIdx.x;

	if (t >= n)
		return;
	out[t] = __ballot_sync(0xffffffff, t & 1);
}

/* Of eight lanes, each adds the value of the one four behind it. */
__global__ void outside(int *out, bool wrong)
{
	int t = threadIdx.x, v = t;

	if (t < 8)
		v += __shfl_down_sync(0xff, v, 4, wrong ? 32 : 8);
	out[t] = v;
}

/* Shuffles of a loop that is unrolled, by the lanes that have a number. */
__global__ void half_a_sum(int *out, int n)
{
	int t = threadIdx.x, v = t;
	unsigned m = __ballot_sync(0xffffffff, t < n);

	if (t < n) {
		for (int i = 16; i; i /= 2)
			v += __shfl_down_sync(m, v, i);
		out[t] = v;
	}
}

/* The first form of the instruction has no mask: the other lane is somewhere else. */
__global__ void elsewhere(int *out, bool wrong)
{
	int t = threadIdx.x, v = t;

	if (t == (wrong ? 0 : t))
		asm volatile("shfl.bfly.b32 %0, %0, 1, 31;" : "+r"(v));
	out[t] = v;
}

/* Lanes 4 to 7 take part, but are not in the mask that they name. */
__global__ void not_named(int *out, bool wrong)
{
	int t = threadIdx.x;

	if (t < 8)
		t = __shfl_xor_sync(wrong ? 0xf : 0xff, t, 4);
	out[threadIdx.x] = t;
}

__global__ void after_return(int *out, int n)
{
	int t = threadIdx.x;

	if (t >= n)
		return;
	out[t] = __shfl_xor_sync(0xffffffff, t, 1);
}

__global__ void crossed(int *out, bool wrong)
{
	bool swap = wrong && threadIdx.x >= 32;

	if (swap)
		asm volatile("bar.sync 2;" : : : "memory");
	asm volatile("bar.sync 1;" : : : "memory");
	if (!swap)
		asm volatile("bar.sync 2;" : : : "memory");
	out[threadIdx.x] = 1;
}

__global__ void lane_and_block(int *out, bool wrong)
{
	int t = threadIdx.x;

	if (wrong && t == 1)
		__syncthreads();	/* lane 1 */
	if (t < 2)
		__syncwarp(3);
	if (!wrong || t != 1)
		__syncthreads();
	out[t] = 1;
}

__global__ void too_few(int *out)
{
	asm volatile("bar.sync 1, 64;" : : : "memory");
	out[threadIdx.x] = 1;
}

/* ---- numbers that go wrong: v has one number for each thread ---- */

__global__ void divide(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = 1 / v[t];
}

/* Without a branch: 1 / 0 is computed, and not taken; and what follows from it. */
__global__ void guarded(const float *v, float *out, float least)
{
	int t = threadIdx.x;
	float x = v[t];

	out[t] = x > least ? 1 / x * 3 : 0;
}

__global__ void root(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = sqrtf(v[t]) + 1;
}

__global__ void fused(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = fmaf(v[t], 10, 1);
}

__global__ void in_double(const float *v, float *out)
{
	int t = threadIdx.x;
	double d = v[t] * 1e150;	/* no mistake yet */

	out[t] = d * d > 1;
}

__global__ void to_half(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = __half2float(__float2half(v[t]));
}

/* Half of them are masked, as in a row of attention: a sum with an infinity is none that goes wrong. */
template <class T> __device__ void fuse(float v, float *out, float most)
{
	int t = threadIdx.x;
	T x = v;

	out[t] = __hfma(x, x, t < 16 ? T(0.0f) : T(most));
}

__global__ void half_fused(const float *v, float *out)
{
	fuse<__half>(v[threadIdx.x], out, -INFINITY);
}

__global__ void brain_fused(const float *v, float *out)
{
	fuse<__nv_bfloat16>(v[threadIdx.x], out, -INFINITY);
}

/* The upper half of two. */
__global__ void halves(const float *v, float *out)
{
	int t = threadIdx.x;
	unsigned int h = __half_raw(__float2half(v[t])).x << 16 | 0x3c00, twice;	/* 1.0 is the lower one */

	asm volatile("add.rn.f16x2 %0, %1, %1;" : "=r"(twice) : "r"(h));
	out[t] = twice;
}

__global__ void brains(const float *v, float *out)
{
	int t = threadIdx.x;
	__nv_bfloat16 b = __float2bfloat16(v[t]);

	out[t] = __bfloat162float(__hmul(b, b));
}

__global__ void tiny(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = v[t] * 1e-30f;
}

__global__ void logarithm(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = logf(v[t]);
}

/* The first instruction is one of the header that has threadIdx: it says nothing about whose lines these are. */
__global__ void lines(const float *v, float *out)
{
	if (threadIdx.x >= 20)
		return;
	float x = v[threadIdx.x], a = 1 / x;	/* the first line */
	float b = 3 / (x + x);			/* the second line */
	float c = logf(x * 5);			/* the third line */

	out[threadIdx.x] = a + b > c;
}

/* Two lines of a header, reached from one line. */
__global__ void header(const float *v, float *out)
{
	out[threadIdx.x] = planted_sum(v[threadIdx.x]);	/* of the header */
}

/* On its way the library computes 2^54 times its argument. */
__global__ void large_logarithm(const double *v, float *out)
{
	int t = threadIdx.x;

	out[t] = log(v[t]);
}

__global__ void power(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = powf(v[t], v[0]);
}

/*
 * Numbers that the library's functions multiply or subtract on their way, so that infinities and subnormal numbers come up
 * which are not in the result.
 */
__global__ void several(const float *v, float *out)
{
	int t = threadIdx.x, n, m;
	float s, c, x = __int_as_float(t & 1 ? 0x7f800000 : 0x000116c2);	/* infinity, 1e-40 */
	double d = __longlong_as_double(t & 1 ? 0x7e37e43c8800759c : 0x40000000), whole, sine, cosine;	/* 1e300 */

	out[t] = modff(x, &s) > s;
	out[t] += frexp(d, &n) > n + ilogb(d);
	sincospif(t & 1 ? 1 : x, &s, &c);
	out[t] += s > c;
	sincospi(d, &sine, &cosine);
	out[t] += sine > cosine;
	out[t] += modf(d, &whole) > norm3d(d, 1, 2);
	out[t] += rnorm3d(d, 1, 2) > norm4d(d, 1, 2, 3);
	out[t] += remquo(d, 3, &n) > remquof(t & 1 ? 1e38f : x, v[t], &m);
}

/* exp(v - largest), as of a row of which all is masked. */
__global__ void masked(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = expf(v[t] - v[0]);
}

/* What follows from the first NaN is not told, nor is what another kernel loads. */
__global__ void follow(const float *v, float *out)
{
	int t = threadIdx.x;
	float x = v[t] - 1;

	x = sqrtf(x);			/* here */
	x = x * 2 + 1;
	x = x / 3;
	out[t] = x;
}

__global__ void given(const float *v, float *out)
{
	int t = threadIdx.x;
	float x = v[t];

	x = x + 1;			/* the first that computes with it */
	x = x * 2;
	out[t] = x;
}

__global__ void difference(const float *v, float *out)
{
	int t = threadIdx.x;

	out[t] = v[t] - 1000000;
}

__global__ void tile(const float *v, float *out)
{
	using namespace nvcuda::wmma;
	fragment<matrix_a, 16, 16, 16, __half, row_major> a;
	fragment<matrix_b, 16, 16, 16, __half, row_major> b;
	fragment<accumulator, 16, 16, 16, __half> c;

	fill_fragment(a, __float2half(v[0]));
	fill_fragment(b, __float2half(v[0]));
	fill_fragment(c, __float2half(0));
	mma_sync(c, a, b, c);
	out[threadIdx.x] = __half2float(c.x[0]) > 1;
}

static std::vector<void *> made;	/* what a case leaves */

static int *ints(int n)
{
	int *p;

	OK(cudaMalloc(&p, n * sizeof(int)));
	OK(cudaMemset(p, 0, n * sizeof(int)));
	made.push_back(p);
	return p;
}

static void give_back(int *p)
{
	OK(cudaFree(p));
	made.erase(std::find(made.begin(), made.end(), p));
}

/* What the device makes an error of is an error of the next call; the checker has told of it before. */
static void finish()
{
	if (!bad)
		OK(cudaDeviceSynchronize());
	else
		cudaDeviceSynchronize();
}

static void overrun()
{
	int *p = ints(15);

	fill<<<1, 32>>>(p, 15 + bad);
	finish();
	give_back(p);
}

static void one_byte()
{
	char *p;

	OK(cudaMalloc(&p, 13));
	made.push_back(p);
	bytes<<<1, 32>>>(p, 13 + bad);
	finish();
}

static void underrun()
{
	int *p = ints(16);

	ints(16);
	fill<<<1, 1>>>(p - bad, 1);
	finish();
}

static void in_a_cube()
{
	const dim3 grid(2, 3, 2), block(5, 4, 3);
	int *p = ints(12 * 60 - 2);

	cube<<<grid, block>>>(p, 12 * 60 - 2 + bad);
	finish();
	give_back(p);
}

static void read_overrun()
{
	int *p = ints(100), *out = ints(1);

	sum<<<1, 64>>>(p, 100 + bad, out);
	finish();
}

static void atomic_overrun()
{
	int *p = ints(100), *out = ints(1);

	sum<<<1, 64>>>(p, 100, out + bad);
	finish();
}

static void null()
{
	fill<<<1, 1>>>(bad ? NULL : ints(1), 1);
	finish();
}

static void after_free()
{
	int *p = ints(16), *q = ints(16);

	give_back(p);
	fill<<<1, 16>>>(bad ? p : q, 16);
	finish();
}

static void after_free_again()
{
	int *p = ints(16), *q;

	give_back(p);
	q = ints(16);			/* would get the same memory */
	fill<<<1, 16>>>(bad ? p : q, 16);
	finish();
}

/* More than the quarantine has room for. */
static void large_after_free()
{
	int *p = ints(80 << 18), *q;

	give_back(p);
	q = ints(80 << 18);
	fill<<<1, 16>>>(bad ? p : q, 16);
	finish();
}

/* When memory is short, what the quarantine has is used: small blocks of a chunk, too. */
static void short_of_memory()
{
	std::vector<char *> small(3);
	size_t total, size;
	char *p;

	for (char *&s : small)
		OK(cudaMalloc(&s, 1 << 20));
	bytes<<<1, 1>>>(small[0], 1);	/* the module needs memory */
	OK(cudaMemGetInfo(&size, &total));
	for (; size >= 4096; size /= 2)
		while (cudaMalloc(&p, size) == cudaSuccess)
			made.push_back(p);
	cudaGetLastError();
	for (char *s : small)
		OK(cudaFree(s));
	OK(cudaMalloc(&p, 1 << 20));
	made.push_back(p);
	bytes<<<1, 2>>>(p + (1 << 20) - 1, 1 + bad);
	finish();
}

/* Memory that was another block's: what is missed is the one that is there now. */
static void place_again()
{
	int *old = ints(48 << 18), *more, *p;

	give_back(old);
	more = ints(48 << 18);		/* the quarantine is full now, and the old block's room free */
	give_back(more);
	p = ints(40 << 18);
	fill<<<1, 1>>>(p + (40 << 18) - !bad, 1);
	finish();
}

static void pool()
{
	cudaStream_t s;
	char *p;

	OK(cudaStreamCreate(&s));
	OK(cudaMallocAsync(&p, 100, s));
	bytes<<<1, 128, 0, s>>>(p, 100 + bad);
	OK(cudaFreeAsync(p, s));
	finish();
}

static void pool_after_free()
{
	cudaStream_t s;
	char *p;

	OK(cudaStreamCreate(&s));
	OK(cudaMallocAsync(&p, 64, s));
	bytes<<<1, 64, 0, s>>>(p, 64);
	if (bad)
		OK(cudaFreeAsync(p, s));
	bytes<<<1, 64, 0, s>>>(p, 64);
	if (!bad)
		OK(cudaFreeAsync(p, s));
	finish();
}

static void misaligned()
{
	odd<<<1, 1>>>((char *)ints(16), bad ? 2 : 4);
	finish();
}

static void shared()
{
	in_shared<<<1, 32, 33 * sizeof(int)>>>(ints(32), 1 + bad);
	finish();
}

static void module_variable()
{
	variable<<<1, 1>>>(4 + bad);
	finish();
}

/* So far behind it that it would be another block's. */
static void far_from_variable()
{
	variable<<<1, 1>>>(4);
	ints(16);
	variable<<<1, 1>>>(bad ? 5 + 256 / sizeof(int) : 3);
	finish();
}

static void copy_range()
{
	int host[17] = { 0 };
	int *p = ints(16);

	if (bad)
		cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
	else
		OK(cudaMemcpy(p, host, 64, cudaMemcpyHostToDevice));
}

static void copy_from_pool()
{
	char host[101], *p;

	OK(cudaMallocAsync(&p, 100, 0));
	OK(cudaMemcpy(host, p, 100 + bad, cudaMemcpyDeviceToHost));
	OK(cudaFreeAsync(p, 0));
	finish();
}

static void fill_range()
{
	int *p = ints(16);

	if (bad)
		cudaMemset(p + 1, 0, 64);
	else
		OK(cudaMemset(p + 1, 0, 60));
}

static void double_free()
{
	int *p = ints(16);

	give_back(p);
	if (bad)
		cudaFree(p);
}

static void invalid_free()
{
	int *p = ints(16);

	if (bad)
		cudaFree(p + 1);
	give_back(p);
}

/* A constructor of a file that is being loaded waits for us: the dynamic loader is busy all the time. */
static void *load(void *file)
{
	return dlopen((const char *)file, RTLD_NOW);
}

static void loading()
{
	char *file = getenv("PLANTED_LOAD"), c;
	int *p = ints(16), go[2], done[2];
	pthread_t t;

	if (!file)
		return;
	if (pipe(go) || pipe(done) || setenv("PLANTED_GO", std::to_string(go[1]).c_str(), 1) ||
	    setenv("PLANTED_DONE", std::to_string(done[0]).c_str(), 1) || pthread_create(&t, NULL, load, file) ||
	    read(go[0], &c, 1) != 1)
		abort();
	fill<<<1, 32>>>(p, 16 + bad);
	finish();
	give_back(p);
	if (write(done[1], &c, 1) != 1 || pthread_join(t, NULL))
		abort();
}

static void leak()
{
	int *p = ints(16);

	if (bad)
		made.clear();
	(void)p;
}

/* Freed when the program ends, after main(). */
static struct late_owner {
	int *p;
	~late_owner() { if (p && !bad) cudaFree(p); }
} owner;

static void leak_at_end()
{
	OK(cudaMalloc(&owner.p, 64));
}

/* Each context's first allocation. */
static void leaks_of_contexts()
{
	for (int i = 0; i < 2; i++) {
		CUdeviceptr p;
		CUcontext c;

		if (cuInit(0) || cuCtxCreate(&c, 0, 0) || cuMemAlloc(&p, 64) || (!bad && cuMemFree(p)) || cuCtxDestroy(c))
			abort();
	}
}

static void many_leaks()
{
	for (int i = 0; i < 1005; i++)
		ints(1);
	if (bad)
		made.clear();
}

static void in_a_loop()
{
	int *p = ints(16);

	for (int i = 0; bad && i < 50; i++)
		cudaFree(p + 1);
}

#define RACE(kernel, threads) \
static void race_##kernel() \
{ \
	kernel<<<2, threads>>>(ints(64), !bad); \
	finish(); \
}
RACE(neighbours, 64)
RACE(again, 64)
RACE(one_warp, 32)
RACE(one_word, 64)
RACE(flag, 64)
RACE(late_data, 64)
RACE(by_byte, 64)

/* Memory that nobody has written. */
static int *new_ints(int n)
{
	int *p;

	OK(cudaMalloc(&p, n * sizeof(int)));
	made.push_back(p);
	return p;
}

static void init_never()
{
	int *p = new_ints(64), *out = ints(1);

	if (!bad)
		fill<<<1, 64>>>(p, 64);
	sum<<<1, 32>>>(p, 64, out);
	finish();
}

static void init_last_byte()
{
	int *p = new_ints(4), *out = ints(1);

	OK(cudaMemcpy(p, "0123456789abcde", bad ? 13 : 14, cudaMemcpyHostToDevice));
	look_at_byte<<<1, 1>>>((char *)p + 13, out);
	finish();
}

static void init_word()
{
	int *p = new_ints(4), *out = ints(1);

	OK(cudaMemset(p, 1, bad ? 7 : 8));
	look<<<1, 1>>>(p + 1, out);
	finish();
}

/* What is copied is as unwritten as it was, and the copy itself is no mistake. */
static void init_copied()
{
	int *p = new_ints(5000), *q = ints(5000), *out = ints(1);

	if (!bad)
		OK(cudaMemset(p + 4999, 1, 4));
	OK(cudaMemcpy(q, p, 5000 * sizeof(int), cudaMemcpyDeviceToDevice));
	look<<<1, 1>>>(q + 4999, out);
	finish();
}

/* The first 32 are written, and then 16 to 47. */
static void init_overlap()
{
	int *p = new_ints(64), *out = ints(1);

	OK(cudaMemset(p, 1, 32 * sizeof(int)));
	OK(cudaMemcpy(p + 16, p, 32 * sizeof(int), cudaMemcpyDeviceToDevice));
	look<<<1, 1>>>(p + 47 + bad, out);
	finish();
}

static void init_between_rows()
{
	char rows[3][8] = { };
	int *p = new_ints(3 * 4), *out = ints(1);

	OK(cudaMemcpy2D(p, 16, rows, 8, 8, 3, cudaMemcpyHostToDevice));
	look<<<1, 1>>>(p + 9 + bad, out);
	finish();
}

static void init_atomic()
{
	int one = 1, *p = ints(1), *out = new_ints(1);

	OK(cudaMemcpy(p, &one, 4, cudaMemcpyHostToDevice));
	if (!bad)
		OK(cudaMemset(out, 0, 4));
	sum<<<1, 1>>>(p, 1, out);
	finish();
}

static void init_after_free()
{
	int *p = ints(64), *out = ints(1);

	give_back(p);
	p = new_ints(64);
	if (!bad)
		OK(cudaMemset(p, 0, 64 * sizeof(int)));
	look<<<1, 1>>>(p + 63, out);
	finish();
}

static void init_shared()
{
	lower_half<<<2, 64>>>(ints(64), bad ? 32 : 64);
	finish();
}

/* Memory that the CPU writes counts as written. */
static void init_managed()
{
	int *p, *out = bad ? new_ints(2) : ints(2);

	OK(cudaMallocManaged(&p, 64));
	made.push_back(p);
	p[3] = 1;
	look<<<1, 1>>>(p + 3, out);
	look<<<1, 1>>>(out + 1, out);
	finish();
}

#define SYNC(name, kernel, threads, wrong, right) \
static void sync_##name() \
{ \
	kernel<<<2, threads>>>(ints(128), bad ? (wrong) : (right)); \
	finish(); \
}
SYNC(exited, early, 64, true, false)
SYNC(warp_exited, early_warp, 64, 32, 64)
SYNC(round_more, round_more, 64, true, false)
SYNC(exited_of_some, early_of_some, bad ? 64 : 50, 48, 50)
SYNC(branches, branches, 64, true, false)
SYNC(rounds, rounds, 64, true, false)
SYNC(counts, counts, 64, true, false)
SYNC(odd_count, odd_count, 64, 48, 64)
SYNC(number, number, 64, 16, 15)
SYNC(mixed, mixed, 64, true, false)
SYNC(not_me, not_me, 32, true, false)
SYNC(half_a_vote, half_a_vote, 32, true, false)
SYNC(strict, vote_after_return, 32, 16, 32)
SYNC(outside, outside, 32, true, false)
SYNC(half_a_sum, half_a_sum, 32, 20, 32)
SYNC(elsewhere, elsewhere, 32, true, false)
SYNC(not_named, not_named, 32, true, false)
SYNC(ended, after_return, 32, 15, 16)
SYNC(no_thread, after_return, bad ? 31 : 32, 32, 32)
SYNC(crossed, crossed, 64, true, false)
SYNC(lane_and_block, lane_and_block, 64, true, false)

static void sync_too_few()
{
	too_few<<<1, bad ? 32 : 64>>>(ints(64));
	finish();
}

/* A number for each thread of a warp: thread 5 gets another one if it is to go wrong. */
template <class T> static T *numbers(T right, T wrong)
{
	T v[32], *p;

	std::fill(v, v + 32, right);
	if (bad)
		v[5] = wrong;
	OK(cudaMalloc(&p, sizeof(v)));
	OK(cudaMemcpy(p, v, sizeof(v), cudaMemcpyHostToDevice));
	made.push_back(p);
	return p;
}

#define FLOAT(name, right, wrong) \
static void float_##name() \
{ \
	name<<<1, 32>>>(numbers(right, wrong), (float *)ints(32)); \
	finish(); \
}
FLOAT(divide, 2.0f, 0.0f)
FLOAT(root, 4.0f, -4.0f)
FLOAT(fused, 1e37f, 1e38f)
FLOAT(in_double, 1e-20f, 1e10f)
FLOAT(to_half, 65504.0f, 65520.0f)
FLOAT(half_fused, 2.0f, 300.0f)
FLOAT(brain_fused, 2.0f, 2e19f)
FLOAT(halves, 30000.0f, 40000.0f)
FLOAT(brains, 1e19f, 2e19f)
FLOAT(tiny, 1e-5f, 1e-10f)
FLOAT(logarithm, 3.0f, 0.0f)
FLOAT(lines, 2.0f, 0.0f)
FLOAT(header, 2.0f, 0.0f)
FLOAT(several, 3.0f, 0.0f)
FLOAT(large_logarithm, 1e300, -1.0)
FLOAT(power, 3.0f, 1e20f)
FLOAT(given, 1.0f, NAN)
FLOAT(difference, 500000.0f, 1000000.5f)

static void float_guarded()
{
	guarded<<<1, 32>>>(numbers(0.0f, 0.0f), (float *)ints(32), bad ? -1 : 0);
	finish();
}

static void float_masked()
{
	masked<<<1, 1>>>(numbers(bad ? -INFINITY : 1.0f, 0.0f), (float *)ints(32));
	finish();
}

static void float_follow()
{
	float *out = (float *)ints(32);

	follow<<<1, 32>>>(numbers(1.0f, 0.5f), out);
	given<<<1, 32>>>(out, (float *)ints(32));
	finish();
}

static void float_tile()
{
	tile<<<1, 32>>>(numbers(bad ? 100.0f : 50.0f, 0.0f), (float *)ints(32));
	finish();
}

static const struct {
	const char *name;
	void (*run)();
} cases[] = {
#define C(name) { #name, name },
	C(overrun) C(one_byte) C(underrun) C(in_a_cube) C(read_overrun) C(atomic_overrun) C(null) C(after_free) C(after_free_again) C(place_again) C(large_after_free) C(short_of_memory) C(pool)
	C(pool_after_free) C(misaligned) C(shared) C(module_variable) C(far_from_variable)
	C(copy_range) C(copy_from_pool)
	C(fill_range) C(double_free)
	C(invalid_free) C(loading) C(leak) C(leak_at_end) C(leaks_of_contexts) C(many_leaks)
	C(in_a_loop) C(race_neighbours) C(race_again) C(race_one_warp) C(race_one_word) C(race_flag) C(race_late_data)
	C(race_by_byte)
	C(init_never) C(init_last_byte) C(init_word) C(init_copied) C(init_overlap) C(init_between_rows) C(init_atomic)
	C(init_after_free) C(init_shared) C(init_managed)
	C(sync_exited) C(sync_exited_of_some) C(sync_warp_exited) C(sync_round_more) C(sync_branches) C(sync_rounds) C(sync_counts) C(sync_odd_count) C(sync_number) C(sync_mixed) C(sync_not_me)
	C(sync_half_a_vote) C(sync_strict) C(sync_outside) C(sync_half_a_sum) C(sync_elsewhere) C(sync_not_named) C(sync_ended) C(sync_no_thread) C(sync_crossed)
	C(sync_lane_and_block) C(sync_too_few)
	C(float_divide) C(float_guarded) C(float_root) C(float_fused) C(float_in_double) C(float_to_half) C(float_halves) C(float_brains)
	C(float_tiny) C(float_logarithm) C(float_large_logarithm) C(float_power) C(float_given) C(float_difference) C(float_masked)
	C(float_follow) C(float_tile) C(float_several) C(float_half_fused) C(float_brain_fused) C(float_lines) C(float_header)
};

int main(int argc, char **argv)
{
	bad = argc == 2;
	for (const auto &c : cases)
		if (argc < 2 || !strcmp(argv[1], c.name)) {
			c.run();
			for (void *p : made)
				cudaFree(p);
			made.clear();
		}
	puts("done");
	return 0;
}
