// SPDX-License-Identifier: MIT
/*
 * Races in global memory, for ppu_race.sh: programs of our own after the classes of the papers about race detectors for GPUs.
 * `races` lists them, "NAME CLASS"; `races NAME` runs one with its mistake, `races NAME clean` without.
 */
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda/atomic>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define OK(call) do { \
	cudaError_t error = (call); \
	if (error) { \
		printf("%s: %s\n", #call, cudaGetErrorString(error)); \
		exit(1); \
	} \
} while (0)

static bool bad;

static int *ints(int n)
{
	int *p;

	OK(cudaMalloc(&p, n * sizeof(int)));
	OK(cudaMemset(p, 0, n * sizeof(int)));
	return p;
}

static void finish()
{
	OK(cudaDeviceSynchronize());
}

/* ---- without synchronisation ---- */

__global__ void one_word(int *p, bool wrong)
{
	if (!threadIdx.x)
		p[wrong ? 0 : blockIdx.x] = blockIdx.x + 1;
}

__global__ void no_atomic(int *p, bool wrong)
{
	if (wrong)
		++*p;
	else
		atomicAdd(p, 1);
}

/* The largest, by looking first. */
__global__ void guard(int *p, bool wrong)
{
	int v = blockIdx.x * blockDim.x + threadIdx.x + 1;

	if (!wrong)
		atomicMax(p, v);
	else if (*p < v)
		*p = v;
}

/* The last one of a block writes what the first one of the next block has. */
__global__ void bounds(int *p, bool wrong)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	p[i] = i + 1;
	if (wrong && threadIdx.x == blockDim.x - 1)
		p[i + 1] = -i;
}

__global__ void one_byte(unsigned char *p, bool wrong)
{
	if (!threadIdx.x)
		p[wrong ? 5 : 5 + blockIdx.x] = blockIdx.x + 1;
}

__global__ void mixed(int *p, bool wrong)
{
	if (blockIdx.x)
		atomicAdd(p, 1);
	else if (wrong)
		p[1] = *p;
	else
		p[1] = *(volatile int *)p;
}

/* ---- in a block ---- */

__global__ void no_barrier(int *p, bool wrong)
{
	int *mine = p + blockIdx.x * blockDim.x, t = threadIdx.x;

	mine[t] = t + 1;
	if (!wrong)
		__syncthreads();
	p[1024 + blockIdx.x * blockDim.x + t] = mine[(t + 32) % blockDim.x];
}

__global__ void no_second_barrier(int *p, bool wrong)
{
	int *mine = p + blockIdx.x * blockDim.x, t = threadIdx.x, v = 0;

	for (int i = 0; i < 3; i++) {
		mine[t] = t + i + 1;
		__syncthreads();
		v += mine[(t + 32) % blockDim.x];
		if (!wrong)
			__syncthreads();
	}
	p[1024 + blockIdx.x * blockDim.x + t] = v;
}

__global__ void no_warp_barrier(int *p, bool wrong)
{
	int *mine = p + blockIdx.x * blockDim.x, t = threadIdx.x;

	mine[t] = t + 1;
	if (!wrong)
		__syncwarp();
	p[1024 + blockIdx.x * blockDim.x + t] = mine[t ^ 1];
}

/* Elements of 8 and of 16 bytes of a warp's threads; then one of them writes its own, or another thread's. */
__global__ void wide_elements(int *p, bool wrong)
{
	unsigned long long *two = (unsigned long long *)p + 64 * blockIdx.x;
	uint4 *four = (uint4 *)(p + 256) + 64 * blockIdx.x;
	int t = threadIdx.x;

	two[t] = t;
	four[t] = make_uint4(t, t, t, t);
	if (t == 3) {
		two[wrong ? 5 : 3] = 9;
		four[wrong ? 5 : 3].z = 9;
	}
}

/* ---- a message from block 0 to block 1 ---- */

#define MESSAGE(name, write_flag, fence, read_flag, behind) \
__global__ void name(int *p, bool wrong) \
{ \
	int *flag = p + 64; \
	if (threadIdx.x) \
		return; \
	if (!blockIdx.x) { \
		p[0] = 7; \
		fence; \
		write_flag; \
	} else { \
		while (!(read_flag)) \
			; \
		behind; \
		p[1] = p[0]; \
	} \
}
MESSAGE(no_fence, atomicExch(flag, 1), if (!wrong) __threadfence(), atomicAdd(flag, 0), __threadfence())
MESSAGE(fence_scope, atomicExch(flag, 1), if (wrong) __threadfence_block(); else __threadfence(), atomicAdd(flag, 0), __threadfence())
MESSAGE(atomic_scope, if (wrong) atomicExch_block(flag, 1); else atomicExch(flag, 1), __threadfence(), atomicAdd(flag, 0), __threadfence())
MESSAGE(reader_scope, atomicExch(flag, 1), __threadfence(), wrong ? atomicAdd_block(flag, 0) : atomicAdd(flag, 0), __threadfence())
MESSAGE(weak_flag, if (wrong) *flag = 1; else *(volatile int *)flag = 1, __threadfence(), *(volatile int *)flag, __threadfence())
MESSAGE(system_fence, *(volatile int *)flag = 1, if (!wrong) __threadfence_system(), *(volatile int *)flag, __threadfence_system())

/* Only with --strict: the fence behind the flag is for threads of the own block. */
MESSAGE(narrow_fence_behind, atomicExch(flag, 1), __threadfence(), atomicAdd(flag, 0), if (wrong) __threadfence_block(); else __threadfence())

/* Only with --strict: nothing orders what is read behind the flag. */
__global__ void no_fence_behind(int *p, bool wrong)
{
	int *flag = p + 64;

	if (threadIdx.x)
		return;
	if (!blockIdx.x) {
		p[0] = 7;
		__threadfence();
		atomicExch(flag, 1);
	} else {
		while (!atomicAdd(flag, 0))
			;
		if (!wrong)
			__threadfence();
		p[1] = p[0];
	}
}

/* The data is written behind the fence. */
__global__ void late_data(int *p, bool wrong)
{
	int *flag = p + 64;

	if (threadIdx.x)
		return;
	if (!blockIdx.x) {
		if (!wrong)
			p[0] = 7;
		__threadfence();
		if (wrong)
			p[0] = 7;
		atomicExch(flag, 1);
	} else {
		while (!atomicAdd(flag, 0))
			;
		__threadfence();
		p[1] = p[0];
	}
}

/* All of the block's work is told by its first thread. */
__global__ void told_without_barrier(int *p, bool wrong)
{
	int *flag = p + 256, t = threadIdx.x;

	if (!blockIdx.x) {
		p[t] = t + 1;
		if (!wrong)
			__syncthreads();
		if (!t) {
			__threadfence();
			atomicExch(flag, 1);
		}
	} else {
		if (!t)
			while (!atomicAdd(flag, 0))
				;
		__syncthreads();
		__threadfence();
		p[128 + t] = p[t];
	}
}

__global__ void last_block(int *p, bool wrong)
{
	__shared__ bool last;

	if (!threadIdx.x) {
		p[blockIdx.x] = blockIdx.x + 1;
		if (!wrong)
			__threadfence();
		last = atomicAdd(p + 64, 1) == (int)gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x < gridDim.x)
		atomicAdd(p + 65, p[threadIdx.x]);
}

/* From block to block: who is behind the second is behind the first. */
__global__ void chain(int *p, bool wrong)
{
	int b = blockIdx.x;

	if (threadIdx.x)
		return;
	while (b && !atomicAdd(p + 63 + b, 0))
		;
	__threadfence();
	p[b] = b ? p[0] + p[b - 1] : 1;
	if (!wrong || b)
		__threadfence();
	atomicExch(p + 64 + b, 1);
}

/* ---- --plain-volatile ---- */

/* The message itself is volatile: strong for PTX, so no race; plain for C++. */
__global__ void volatile_data(int *p, bool wrong)
{
	volatile int *data = p;
	int *flag = p + 64;

	if (threadIdx.x)
		return;
	if (!blockIdx.x) {
		data[0] = 7;
		if (!wrong)
			__threadfence();
		atomicExch(flag, 1);
	} else {
		while (!atomicAdd(flag, 0))
			;
		__threadfence();
		data[1] = data[0];
	}
}

__global__ void volatile_beside_atomic(int *p, bool wrong)
{
	if (!blockIdx.x || !wrong)
		atomicExch(p, 1);
	else
		*(volatile int *)p = 2;
}

/* A flag of C++ is atomic, a volatile one is not. */
__global__ void relaxed_flag(int *p, bool wrong)
{
	cuda::atomic<int> *flag = (cuda::atomic<int> *)(p + 64);

	if (threadIdx.x)
		return;
	if (!blockIdx.x) {
		p[0] = 7;
		__threadfence_system();
		if (wrong)
			*(volatile int *)(p + 64) = 1;
		else
			flag->store(1, cuda::memory_order_relaxed);
	} else {
		while (!(wrong ? *(volatile int *)(p + 64) : flag->load(cuda::memory_order_relaxed)))
			;
		__threadfence_system();
		p[1] = p[0];
	}
}

/* ---- locks ---- */

#define LOCK(name, take, give) \
__global__ void name(int *p, bool wrong) \
{ \
	int *lock = p + 64; \
	if (threadIdx.x) \
		return; \
	take; \
	++*p; \
	give; \
}
#define TAKE while (atomicCAS(lock, 0, 1)); __threadfence()
#define TAKE_BLOCK while (atomicCAS_block(lock, 0, 1)); __threadfence()
LOCK(lock_no_fence, TAKE, if (!wrong) __threadfence(); atomicExch(lock, 0))
LOCK(lock_scope, if (wrong) { TAKE_BLOCK; } else { TAKE; }, __threadfence(); if (wrong) atomicExch_block(lock, 0); else atomicExch(lock, 0))
LOCK(lock_fence_scope, TAKE, if (wrong) __threadfence_block(); else __threadfence(); atomicExch(lock, 0))
/* Only with --strict. */
LOCK(lock_narrow_fence_behind, while (atomicCAS(lock, 0, 1)); if (wrong) __threadfence_block(); else __threadfence(), __threadfence(); atomicExch(lock, 0))
LOCK(two_locks, int *l = lock + (wrong ? blockIdx.x : 0); while (atomicCAS(l, 0, 1)); __threadfence(), __threadfence(); atomicExch(l, 0))

/* Threads of one block may use its scope. */
__global__ void lock_in_block(int *p, bool wrong)
{
	int *mine = p + 2 * blockIdx.x, *lock = p + 64 + blockIdx.x;

	if (threadIdx.x % 32)
		return;
	while (atomicCAS_block(lock, 0, 1))
		;
	__threadfence_block();
	++*mine;
	if (!wrong)
		__threadfence_block();
	atomicExch_block(lock, 0);
}

/* ---- grids ---- */

__global__ void grid(int *p, bool wrong)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;

	for (int r = 0; r < 3; r++) {
		p[i] = i + r + 1;
		if (!wrong)
			cg::this_grid().sync();
		p[1024 + i] = p[n - 1 - i];
		cg::this_grid().sync();
	}
}

/* ---- streams, copies, fills, the host ---- */

__global__ void add(int *p, int n, int v)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		p[i] += v;
}

static cudaStream_t one, two;

static void two_streams()
{
	OK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
	finish();
}

/* What the second stream waits for. */
static void order(bool right)
{
	cudaEvent_t e;

	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	OK(cudaEventRecord(e, right ? one : two));
	OK(cudaStreamWaitEvent(two, e, 0));
}

static void streams()
{
	int *p = ints(256);

	two_streams();
	add<<<2, 128, 0, one>>>(p, 256, 1);
	order(!bad);
	add<<<2, 128, 0, two>>>(p, 256, 2);
	finish();
}

static void event_too_early()
{
	int *p = ints(256);

	two_streams();
	if (bad)
		order(true);
	add<<<2, 128, 0, one>>>(p, 256, 1);
	if (!bad)
		order(true);
	add<<<2, 128, 0, two>>>(p, 256, 2);
	finish();
}

static void host_waits()
{
	int *p = ints(256);

	two_streams();
	add<<<2, 128, 0, one>>>(p, 256, 1);
	OK(cudaStreamSynchronize(bad ? two : one));
	add<<<2, 128, 0, two>>>(p, 256, 2);
	finish();
}

/* A third stream is still at work, so the host does not know of everything that it is done. */
static void host_waits_for_one()
{
	int *p = ints(256), *q = ints(256);
	cudaStream_t three;

	OK(cudaStreamCreateWithFlags(&three, cudaStreamNonBlocking));
	two_streams();
	add<<<2, 128, 0, one>>>(p, 256, 1);
	add<<<2, 128, 0, three>>>(q, 256, 1);
	OK(cudaStreamSynchronize(bad ? two : one));
	add<<<2, 128, 0, two>>>(p, 256, 2);
	finish();
}

static void default_stream()
{
	int *p = ints(256);

	OK(cudaStreamCreateWithFlags(&one, bad ? cudaStreamNonBlocking : cudaStreamDefault));
	finish();
	add<<<2, 128, 0, one>>>(p, 256, 1);
	add<<<2, 128>>>(p, 256, 2);
	finish();
}

static void copy_out()
{
	int *p = ints(2048), *host;

	OK(cudaMallocHost(&host, 8192));
	two_streams();
	add<<<16, 128, 0, one>>>(p, 2048, 1);
	order(!bad);
	OK(cudaMemcpyAsync(host, p, 8192, cudaMemcpyDeviceToHost, two));
	finish();
}

__global__ void sleep()
{
	for (int i = 0; i < 100; i++)
		__nanosleep(1000);
}

static void copy_later()
{
	int *p = ints(2048), *host;

	OK(cudaMallocHost(&host, 8192));
	two_streams();
	add<<<16, 128, 0, one>>>(p, 2048, 1);
	order(!bad);
	sleep<<<1, 1, 0, two>>>();
	OK(cudaMemcpyAsync(host, p, 8192, cudaMemcpyDeviceToHost, two));
	finish();
}

static void copy_in()
{
	int *p = ints(2048), *host;

	OK(cudaMallocHost(&host, 8192));
	two_streams();
	OK(cudaMemcpyAsync(p, host, 8192, cudaMemcpyHostToDevice, one));
	order(!bad);
	add<<<16, 128, 0, two>>>(p, 2048, 1);
	finish();
}

static void fill()
{
	int *p = ints(4096);

	two_streams();
	OK(cudaMemsetAsync(p, 1, 16384, one));
	order(!bad);
	add<<<32, 128, 0, two>>>(p, 4096, 1);
	finish();
}

/* Memory of a pool is a stream's until another waits for it. */
static void pool()
{
	int *p;

	two_streams();
	OK(cudaMallocAsync(&p, 1024, one));
	OK(cudaMemsetAsync(p, 0, 1024, one));
	order(!bad);
	add<<<2, 128, 0, two>>>(p, 256, 1);
	finish();
	OK(cudaFreeAsync(p, one));
	finish();
}

static void pool_again()
{
	int *p, *q;

	two_streams();
	OK(cudaMallocAsync(&p, 1024, one));
	add<<<2, 128, 0, one>>>(p, 256, 1);
	if (bad) {
		OK(cudaFreeAsync(p, two));
		OK(cudaMallocAsync(&q, 1024, two));
		add<<<2, 128, 0, two>>>(q, 256, 1);
	} else {
		OK(cudaFreeAsync(p, one));
		OK(cudaMallocAsync(&q, 1024, one));
		add<<<2, 128, 0, one>>>(q, 256, 1);
	}
	finish();
}

/* A stream waits for a word that another one stores. */
static void word()
{
	int *p = ints(256);

	two_streams();
	add<<<2, 128, 0, one>>>(p, 128, 1);
	if (cuStreamWriteValue32(one, (CUdeviceptr)(p + 200), 1, 0) ||
	    (!bad && cuStreamWaitValue32(two, (CUdeviceptr)(p + 200), 1, CU_STREAM_WAIT_VALUE_GEQ)))
		exit(1);
	add<<<2, 128, 0, two>>>(p, 128, 2);
	finish();
}

/* A kernel waits for another one that runs at the same time. */
__global__ void producer(int *p, bool wrong)
{
	p[0] = 7;
	if (!wrong)
		__threadfence();
	atomicExch(p + 64, 1);
}

__global__ void consumer(int *p)
{
	while (!atomicAdd(p + 64, 0))
		;
	__threadfence();
	p[1] = p[0];
}

static void two_kernels()
{
	int *p = ints(256);

	two_streams();
	producer<<<1, 1, 0, one>>>(p, bad);
	consumer<<<1, 1, 0, two>>>(p);
	add<<<1, 1, 0, two>>>(p, 1, 1);		/* behind it, so behind the other, too */
	finish();
}

#define RUN(kernel, blocks, threads) \
static void run_##kernel() \
{ \
	kernel<<<blocks, threads>>>(ints(4096), bad); \
	finish(); \
}
RUN(one_word, 2, 32) RUN(no_atomic, 2, 1) RUN(guard, 2, 1) RUN(bounds, 4, 64) RUN(mixed, 2, 1)
RUN(no_barrier, 2, 128) RUN(no_second_barrier, 2, 128) RUN(no_warp_barrier, 2, 32) RUN(wide_elements, 2, 32)
RUN(no_fence, 2, 32) RUN(fence_scope, 2, 32) RUN(atomic_scope, 2, 32) RUN(reader_scope, 2, 32) RUN(weak_flag, 2, 32)
RUN(system_fence, 2, 32) RUN(no_fence_behind, 2, 32) RUN(late_data, 2, 32) RUN(told_without_barrier, 2, 64)
RUN(last_block, 8, 32) RUN(chain, 4, 32) RUN(lock_no_fence, 8, 32) RUN(lock_scope, 8, 32) RUN(lock_fence_scope, 8, 32)
RUN(two_locks, 8, 32) RUN(lock_in_block, 2, 128) RUN(narrow_fence_behind, 2, 32) RUN(lock_narrow_fence_behind, 8, 32)
RUN(volatile_data, 2, 32) RUN(volatile_beside_atomic, 2, 1) RUN(relaxed_flag, 2, 32)

static void run_one_byte()
{
	one_byte<<<2, 32>>>((unsigned char *)ints(64), bad);
	finish();
}

static void run_grid()
{
	int *p = ints(4096);
	void *args[] = { &p, &bad };

	OK(cudaLaunchCooperativeKernel((void *)grid, dim3(4), dim3(64), args));
	finish();
}

static const struct {
	const char *name, *kind;
	void (*run)();
} cases[] = {
#define C(name, kind) { #name, kind, run_##name },
#define H(name, kind) { #name, kind, name },
	C(one_word, "atomic") C(no_atomic, "atomic") C(guard, "atomic") C(bounds, "bounds") C(one_byte, "bounds") C(mixed, "strict")
	C(no_barrier, "barrier") C(no_second_barrier, "barrier") C(no_warp_barrier, "barrier") C(told_without_barrier, "barrier")
	C(grid, "barrier") C(wide_elements, "barrier")
	C(no_fence, "fence") C(late_data, "fence") C(system_fence, "fence") C(last_block, "fence") C(chain, "fence")
	C(lock_no_fence, "fence") C(lock_in_block, "fence") C(no_fence_behind, "strict")
	C(narrow_fence_behind, "strict_scope") C(lock_narrow_fence_behind, "strict_scope")
	C(volatile_data, "volatile") C(volatile_beside_atomic, "volatile") C(relaxed_flag, "volatile")
	C(fence_scope, "scope") C(atomic_scope, "scope") C(reader_scope, "scope") C(lock_scope, "scope")
	C(lock_fence_scope, "scope") C(two_locks, "lock") C(weak_flag, "weak")
	H(streams, "stream") H(event_too_early, "stream") H(host_waits, "stream") H(host_waits_for_one, "stream")
	H(default_stream, "stream") H(copy_out, "copy") H(copy_later, "copy")
	H(copy_in, "copy") H(fill, "copy") H(pool, "stream") H(pool_again, "stream") H(word, "stream") H(two_kernels, "fence")
};

int main(int argc, char **argv)
{
	bad = argc == 2;
	for (const auto &c : cases)
		if (argc < 2)
			printf("%s %s\n", c.name, c.kind);
		else if (!strcmp(argv[1], c.name))
			c.run();
	return 0;
}
