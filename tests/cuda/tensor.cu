/* SPDX-License-Identifier: MIT */
/* Copies of boxes of tensors as programs make them: maps as parameters, cuda/barrier, cuda/ptx. */
// ppu-nvcc: -lcuda
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include "test.h"

typedef cuda::barrier<cuda::thread_scope_block> barrier;
namespace cde = cuda::device::experimental;
namespace ptx = cuda::ptx;

enum { W = 64, H = 48, TW = 32, TH = 8 };

/* Each block transposes its box in place and adds one: in by one copy, out by another. */
__global__ void add_one(const __grid_constant__ CUtensorMap map)
{
	__shared__ alignas(128) int box[TH][TW];
	__shared__ barrier bar;
	barrier::arrival_token token;
	int x = blockIdx.x * TW, y = blockIdx.y * TH;

	if (!threadIdx.x) {
		init(&bar, blockDim.x);
		cde::fence_proxy_async_shared_cta();
	}
	__syncthreads();
	if (!threadIdx.x) {
		cde::cp_async_bulk_tensor_2d_global_to_shared(&box, &map, x, y, bar);
		token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(box));
	} else {
		token = bar.arrive();
	}
	bar.wait(token);
	for (int i = threadIdx.x; i < TW * TH; i += blockDim.x)
		box[i / TW][i % TW] += 1 + (int)blockIdx.y;
	cde::fence_proxy_async_shared_cta();
	__syncthreads();
	if (!threadIdx.x) {
		cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &box);
		cde::cp_async_bulk_commit_group();
		cde::cp_async_bulk_wait_group_read<0>();
	}
}

/* A tiled product of matrices, two stages of boxes with swizzled rows, as libraries do it with cuda::ptx. */
enum { N = 64, K = 32 };

__global__ void multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c)
{
	__shared__ alignas(1024) float as[2][16][K], bs[2][16][K];	/* rows of 128 bytes */
	__shared__ uint64_t full[2];
	int row = threadIdx.x / 16, col = threadIdx.x % 16;
	float sum = 0;

	if (!threadIdx.x) {
		ptx::mbarrier_init(&full[0], 1);
		ptx::mbarrier_init(&full[1], 1);
	}
	__syncthreads();
	for (int k = 0; k < N / K + 1; k++) {
		if (!threadIdx.x && k < N / K) {
			uint64_t *o = &full[k & 1];
			const int32_t from_a[] = { k * K, (int32_t)blockIdx.y * 16 }, from_b[] = { k * K, (int32_t)blockIdx.x * 16 };

			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, o, sizeof(as[0]) + sizeof(bs[0]));
			ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, as[k & 1], &a, from_a, o);
			ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, bs[k & 1], &b, from_b, o);
		}
		if (k) {
			int s = ~k & 1;

			while (!ptx::mbarrier_try_wait_parity(&full[s], (k - 1) / 2 & 1))
				;
			for (int i = 0; i < K; i++)	/* chunks of four floats change places by the row */
				sum += as[s][row][(i / 4 ^ row % 8) * 4 + i % 4] * bs[s][col][(i / 4 ^ col % 8) * 4 + i % 4];
		}
		__syncthreads();
	}
	c[(blockIdx.y * 16 + row) * N + blockIdx.x * 16 + col] = sum;
}

/* All blocks add their numbers to one row. */
__global__ void total(const __grid_constant__ CUtensorMap map, int *plain)
{
	__shared__ alignas(128) int mine[32];
	const int32_t at[] = { 0, 0 };

	mine[threadIdx.x] = (int)(blockIdx.x * threadIdx.x);
	ptx::fence_proxy_async();
	__syncthreads();
	if (!threadIdx.x) {
		ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, mine);
		ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, plain, mine, sizeof(mine));
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
	}
}

/* The map gets another address on the device, and is used by the next kernel. */
__global__ void move(const __grid_constant__ CUtensorMap map, CUtensorMap *to, int *address)
{
	__shared__ CUtensorMap mine;

	if (!threadIdx.x) {
		mine = map;
		ptx::tensormap_replace_global_address(ptx::space_shared, &mine, address);
		ptx::tensormap_replace_global_dim(ptx::space_shared, &mine, ptx::n32_t<1>(), 1);
		ptx::tensormap_replace_global_stride(ptx::space_shared, &mine, ptx::n32_t<0>(), 512);
	}
	__syncwarp();
	ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, to, &mine, ptx::n32_t<128>());
}

__global__ void read(const CUtensorMap *map, int *out)
{
	__shared__ alignas(128) int box[TH][TW];
	__shared__ barrier bar;

	ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, ptx::n32_t<128>());
	if (!threadIdx.x) {
		init(&bar, 1);
		cde::cp_async_bulk_tensor_2d_global_to_shared(box, map, -1, 0, bar);
		bar.wait(cuda::device::barrier_arrive_tx(bar, 1, sizeof(box)));
	}
	__syncthreads();
	for (int i = threadIdx.x; i < TW * TH; i += blockDim.x)
		out[i] = box[i / TW][i % TW];
}

typedef CUresult encode_fn(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
			   const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static encode_fn *encode;

static CUtensorMap map_of(void *p, CUtensorMapDataType type, cuuint64_t w, cuuint64_t h, cuuint32_t bw, cuuint32_t bh, CUtensorMapSwizzle swizzle)
{
	const cuuint64_t size[] = { w, h }, stride[] = { 4 * w };
	const cuuint32_t box[] = { bw, bh }, step[] = { 1, 1 };
	CUtensorMap m;

	CHECK(encode(&m, type, 2, p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
		     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
	return m;
}

static void try_product(float *a, float *b, float *c)
{
	for (int i = 0; i < N * N; i++) {
		a[i] = (float)(i * 7 % 11);
		b[i] = (float)(i * 5 % 13);
	}
	multiply<<<dim3(N / 16, N / 16), 256>>>(map_of(a, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, N, N, K, 16, CU_TENSOR_MAP_SWIZZLE_128B),
						map_of(b, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, N, N, K, 16, CU_TENSOR_MAP_SWIZZLE_128B), c);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < N * N; i++) {
		float want = 0;

		for (int k = 0; k < N; k++)
			want += a[i / N * N + k] * b[i % N * N + k];
		CHECK(c[i] == want);
	}
}

int main()
{
	cudaDriverEntryPointQueryResult found;
	CUtensorMap *moved;
	void *entry;
	int *p, *q;

	OK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
	encode = (encode_fn *)entry;
	OK(cudaMallocManaged(&p, 1 << 16));
	OK(cudaMallocManaged(&q, 1 << 16));
	OK(cudaMalloc(&moved, sizeof(*moved)));
	for (int i = 0; i < W * H; i++)
		p[i] = i;
	p[W * H] = -1;
	/* the last row of boxes hangs out of the tensor */
	add_one<<<dim3(W / TW, H / TH), 64>>>(map_of(p, CU_TENSOR_MAP_DATA_TYPE_INT32, W, H - 3, TW, TH, CU_TENSOR_MAP_SWIZZLE_NONE));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < W * H; i++)
		CHECK(p[i] == (i / W < H - 3 ? i + 1 + i / W / TH : i));
	move<<<1, 32>>>(map_of(p, CU_TENSOR_MAP_DATA_TYPE_INT32, W, H, TW, TH, CU_TENSOR_MAP_SWIZZLE_NONE), moved, p + W);
	read<<<1, 64>>>(moved, q);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < TW * TH; i++)
		CHECK(q[i] == (i >= 1 && i < TW ? p[W + i - 1] : 0));
	OK(cudaMemset(p, 0, 256));
	total<<<5, 32>>>(map_of(p, CU_TENSOR_MAP_DATA_TYPE_INT32, 32, 1, 32, 1, CU_TENSOR_MAP_SWIZZLE_NONE), p + 32);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 32; i++)
		CHECK(p[i] == 10 * i && p[32 + i] == 4 * i);
	try_product((float *)p, (float *)p + N * N, (float *)q);
	puts("tensors: ok");
	return 0;
}
