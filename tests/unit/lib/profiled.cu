/* SPDX-License-Identifier: MIT */
/* Kernels whose every number can be found by hand, for ppu_prof.sh: one or some by the name of what they show. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda_runtime.h>
#include <nvtx3/nvtx3.hpp>

#define N	4096		/* threads: 16 blocks of 8 warps, so each of 15 SMs has one */
#define BLOCK	256

/* ---- global memory ------------------------------------------------------------------------------ */

__global__ void strided(const float *in, float *out, int stride, int offset)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i * stride + offset];
}

__global__ void wide(const float4 *in, float4 *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	float4 v;

	/* The compiler may make two halves of it. */
	asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(in + i));
	asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(out + i), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w));
}

__global__ void transpose_naive(const float *in, float *out, int n)
{
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;

	out[x * n + y] = in[y * n + x];
}

template <int PITCH> __global__ void transpose_tile(const float *in, float *out, int n)
{
	__shared__ float tile[32 * PITCH];
	int x = blockIdx.x * 32, y = blockIdx.y * 32;

	for (int i = threadIdx.y; i < 32; i += 8)
		tile[i * PITCH + threadIdx.x] = in[(y + i) * n + x + threadIdx.x];
	__syncthreads();
	for (int i = threadIdx.y; i < 32; i += 8)
		out[(x + i) * n + y + threadIdx.x] = tile[threadIdx.x * PITCH + i];
}

/* ---- shared memory -------------------------------------------------------------------------------- */

template <typename T> __global__ void banks(T *out, int stride)
{
	__shared__ T s[32 * 33];

	s[threadIdx.x * stride] = (T)threadIdx.x;
	__syncthreads();
	out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* Lane l of a warp does l % width + 1 rounds. */
__global__ void rounds(int *out, int width)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

	for (int k = threadIdx.x % width; k >= 0; k--)
		sum = sum * 3 + k;
	out[i] = sum;
}

__global__ void barriers(int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = 0; k < n; k++)
		__syncthreads();
	out[i] = n;
}

/* The first warp of a block works, the others wait for it. */
__global__ void late(int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = i;

	for (int k = 0; k < (threadIdx.x < 32 ? n : 1); k++)
		sum = sum * 5 + k;
	__syncthreads();
	out[i] = sum;
}

__global__ void votes(int *out, int width)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicAdd(&out[i / width], 1);
}

__global__ void local_array(int *out, int at)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, v[16];

	for (int k = 0; k < 16; k++)
		v[k] = i * k;
	out[i] = v[(at + i) % 16];
}

__global__ void registers(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = in[i] * 3;
}

/* ---- arithmetic and branches ----------------------------------------------------------------------- */

__global__ void flops(float *f, double *d)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	f[i] = fmaf(f[i], 3, 5) * 7;
	d[i] = fma(d[i], 3, 5);
}

/* Nobody goes into the second. */
__global__ void covered(int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i % 2) {
		for (int k = 0; k < n; k++)
			out[i] = out[i] * 3 + k;
	}
	if (n > 100) {
		for (int k = 0; k < n; k++)
			out[i] = out[i] * 5 + k;
	}
}

__global__ void never(int *out)
{
	out[threadIdx.x] = 1;
}

/* ---- programs -------------------------------------------------------------------------------------- */

static void *memory(size_t bytes)
{
	void *p;

	if (cudaMalloc(&p, bytes) || cudaMemset(p, 0, bytes))
		exit(3);
	return p;
}

static void says_occupancy(const void *kernel, int block, size_t dynamic)
{
	int blocks = 0;

	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, dynamic);
	printf("blocks %d\n", blocks);
}

static void two_streams(int *out, int n)
{
	cudaStream_t a, b;

	cudaStreamCreate(&a);
	cudaStreamCreate(&b);
	for (int k = 0; k < 2; k++) {
		late<<<1, BLOCK, 0, a>>>(out, n);
		late<<<1, BLOCK, 0, b>>>(out + BLOCK, n * 8);
	}
	cudaDeviceSynchronize();
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
}

static void some(const int *in, int *out, int n)
{
	NVTX3_FUNC_RANGE();

	for (int k = 0; k < n; k++)
		registers<<<N / BLOCK, BLOCK>>>(in, out);
}

/* Launches: one in none, two rounds of two in "some" in "round", and one in a range that is started and not pushed. */
static int ranges(const int *in, int *out)
{
	nvtxEventAttributes_t e = { NVTX_VERSION, NVTX_EVENT_ATTRIB_STRUCT_SIZE };
	int levels = 0;

	registers<<<N / BLOCK, BLOCK>>>(in, out);
	for (int k = 0; k < 2; k++) {
		e.messageType = NVTX_MESSAGE_TYPE_ASCII;
		e.message.ascii = "round";
		levels = levels * 10 + nvtxRangePushEx(&e);
		some(in, out, 2);
		nvtxMark("between");
		levels = levels * 10 + nvtxRangePop();
	}
	nvtxRangeId_t id = nvtxRangeStartW(L"the \u00e9nd");
	some(in, out, 0);
	registers<<<N / BLOCK, BLOCK>>>(in, out);
	nvtxRangeEnd(id);
	registers<<<N / BLOCK, BLOCK>>>(in, out);
	return levels;
}

/* A device once more, in this process and in a child. */
static void again(const int *in, int *out)
{
	registers<<<N / BLOCK, BLOCK>>>(in, out);
	cudaDeviceSynchronize();
	if (!fork()) {
		execl("/proc/self/exe", "profiled", "block", "64", (char *)NULL);
		_exit(5);
	}
	wait(NULL);
	cudaDeviceReset();
	in = (const int *)memory(N * sizeof(int));
	out = (int *)memory(N * sizeof(int));
	registers<<<N / BLOCK, BLOCK>>>(in, out);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int v = argc > 2 ? atoi(argv[2]) : 1, w = argc > 3 ? atoi(argv[3]) : 0;
	const int n = 256;
	float *in = (float *)memory(N * 33 * sizeof(double)), *out = (float *)memory(N * 33 * sizeof(double));

	if (!strcmp(what, "strided"))
		strided<<<N / BLOCK, BLOCK>>>(in, out, v, w);
	else if (!strcmp(what, "wide"))
		wide<<<N / BLOCK, BLOCK>>>((float4 *)in, (float4 *)out);
	else if (!strcmp(what, "transpose_naive"))
		transpose_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n);
	else if (!strcmp(what, "transpose_banks"))
		transpose_tile<32><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
	else if (!strcmp(what, "transpose_right"))
		transpose_tile<33><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
	else if (!strcmp(what, "banks"))
		banks<<<64, 32>>>((int *)out, v);
	else if (!strcmp(what, "banks8"))
		banks<<<64, 32>>>((double *)out, v);
	else if (!strcmp(what, "rounds"))
		rounds<<<N / BLOCK, BLOCK>>>((int *)out, v);
	else if (!strcmp(what, "barriers"))
		barriers<<<N / BLOCK, BLOCK>>>((int *)out, v);
	else if (!strcmp(what, "late"))
		late<<<N / BLOCK, BLOCK>>>((int *)out, v);
	else if (!strcmp(what, "votes"))
		votes<<<N / BLOCK, BLOCK>>>((int *)out, v);
	else if (!strcmp(what, "local"))
		local_array<<<N / BLOCK, BLOCK>>>((int *)out, v);
	else if (!strcmp(what, "block"))
		registers<<<64, v>>>((int *)in, (int *)out);
	else if (!strcmp(what, "grid"))
		registers<<<v, 64>>>((int *)in, (int *)out);
	else if (!strcmp(what, "flops"))
		flops<<<N / BLOCK, BLOCK>>>(in, (double *)out);
	else if (!strcmp(what, "covered"))
		covered<<<N / BLOCK, BLOCK>>>((int *)out, v);
	else if (!strcmp(what, "streams"))
		two_streams((int *)out, v);
	else if (!strcmp(what, "shared")) {
		registers<<<64, BLOCK, v>>>((int *)in, (int *)out);
		says_occupancy((const void *)registers, BLOCK, v);
	} else if (!strcmp(what, "launches")) {
		for (int k = 0; k < v; k++)
			registers<<<N / BLOCK, BLOCK>>>((int *)in, (int *)out);
	} else if (!strcmp(what, "again")) {
		again((int *)in, (int *)out);
	} else if (!strcmp(what, "dies")) {
		registers<<<N / BLOCK, BLOCK>>>((int *)in, (int *)out);
		abort();
	} else if (!strcmp(what, "all")) {
		transpose_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n);
		transpose_tile<32><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
		transpose_tile<33><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(in, out, n);
		flops<<<N / BLOCK, BLOCK>>>(in, (double *)out);
		rounds<<<N / BLOCK, BLOCK>>>((int *)out, 32);
	} else if (!strcmp(what, "ranges")) {
		printf("levels %d\n", ranges((int *)in, (int *)out));
	} else if (!strcmp(what, "none")) {
		never<<<0, 32>>>((int *)out);
		cudaGetLastError();
	} else {
		return 2;
	}
	if (cudaDeviceSynchronize()) {
		printf("%s\n", cudaGetErrorString(cudaGetLastError()));
		return 4;
	}
	return 0;
}
