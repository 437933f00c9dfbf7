/* SPDX-License-Identifier: MIT */
/* Clusters of blocks: sizes of the kernel and of the launch, shared memory of other blocks, barriers in two halves. */
#include <cooperative_groups.h>
#include "test.h"

namespace cg = cooperative_groups;

/* A histogram whose bins are spread over the blocks of the cluster. */
__global__ void histogram(unsigned int *bins, unsigned int per_block, const unsigned int *input, unsigned int n)
{
	extern __shared__ unsigned int mine[];
	cg::cluster_group cluster = cg::this_cluster();
	unsigned int first = blockIdx.x * blockDim.x + threadIdx.x;

	for (unsigned int i = threadIdx.x; i < per_block; i += blockDim.x)
		mine[i] = 0;
	cluster.sync();
	for (unsigned int i = first; i < n; i += blockDim.x * gridDim.x) {
		unsigned int *theirs = cluster.map_shared_rank(mine, (int)(input[i] / per_block));

		atomicAdd(theirs + input[i] % per_block, 1);
	}
	cluster.sync();
	for (unsigned int i = threadIdx.x; i < per_block; i += blockDim.x)
		atomicAdd(&bins[cluster.block_rank() * per_block + i], mine[i]);
}

/* The size belongs to the kernel: an ordinary launch has it. */
__global__ void __cluster_dims__(2, 2) corners(unsigned int *out)
{
	__shared__ unsigned int me;
	cg::cluster_group c = cg::this_cluster();
	unsigned int block = blockIdx.y * gridDim.x + blockIdx.x, sum = 0;

	if (!threadIdx.x)
		me = block + 1;
	c.sync();
	for (unsigned int i = 0; i < c.num_blocks(); i++) {
		unsigned int *theirs = c.map_shared_rank(&me, (int)i);

		sum += *theirs * (c.query_shared_rank(theirs) == i);
	}
	if (c.query_shared_rank(&me) != c.block_rank() || c.num_threads() != 4 * blockDim.x ||
	    c.thread_rank() != c.block_rank() * blockDim.x + threadIdx.x || c.block_index().y != blockIdx.y % 2 ||
	    c.thread_index().x != blockIdx.x % 2 * blockDim.x + threadIdx.x || c.dim_blocks().y != 2 ||
	    c.dim_threads().x != 2 * blockDim.x)
		sum = 0;
	c.sync();
	atomicAdd(&out[block], sum);
}

/* Rounds of a stencil: each block gives its border to both neighbours, and counts meanwhile. */
template <int N> __global__ void __cluster_dims__(N, 1, 1) __launch_bounds__(64) stencil(unsigned int *cells, int rounds)
{
	__shared__ unsigned int row[2][66];
	auto c = cg::this_cluster();
	unsigned int left = (c.block_rank() + N - 1) % N, right = (c.block_rank() + 1) % N, i = threadIdx.x + 1;
	unsigned int *cell = &cells[blockIdx.x * 64 + threadIdx.x];

	row[0][i] = *cell;
	for (int r = 0; r < rounds; r++) {
		unsigned int *now = row[r & 1], *next = row[~r & 1];

		c.sync();
		if (!threadIdx.x)
			c.map_shared_rank(now, (int)left)[65] = now[1];
		if (threadIdx.x == 63)
			c.map_shared_rank(now, (int)right)[0] = now[64];
		auto token = c.barrier_arrive();
		unsigned int own = now[i] * 2;
		c.barrier_wait(static_cast<decltype(token) &&>(token));
		next[i] = own + now[i - 1] + now[i + 1];
	}
	*cell = row[rounds & 1][i];
	c.sync();
}

static unsigned int *a, *b;

static void try_histogram(int blocks)
{
	cudaLaunchAttribute attribute = {};
	cudaLaunchConfig_t config = {};
	unsigned int want[512] = {}, per_block = 64;
	int clusters, most;

	config.gridDim = dim3(2 * blocks);
	config.blockDim = dim3(96);
	config.dynamicSmemBytes = per_block * sizeof(unsigned int);
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	for (unsigned int i = 0; i < 3000; i++)
		want[b[i] = (i * 2654435761u >> 9) % (64 * blocks)]++;
	OK(cudaMemset(a, 0, 2048));
	OK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
	CHECK(clusters > 0);
	OK(cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config));
	CHECK(most == 8);
	OK(cudaLaunchKernelEx(&config, histogram, a, per_block, (const unsigned int *)b, 3000u));
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 512; i++)
		CHECK(a[i] == want[i]);
	config.gridDim = dim3(2 * blocks + 1);
	if (blocks > 1)
		CHECK(cudaLaunchKernelEx(&config, histogram, a, per_block, (const unsigned int *)b, 3000u) != cudaSuccess);
	attribute.val.clusterDim.x = 32;
	config.gridDim = dim3(32);
	CHECK(cudaLaunchKernelEx(&config, histogram, a, per_block, (const unsigned int *)b, 3000u) == cudaErrorInvalidClusterSize);
	cudaGetLastError();
}

template <int N> static void try_stencil()
{
	static unsigned int want[2][16 * 64];

	for (int i = 0; i < 16 * 64; i++)
		a[i] = want[0][i] = i * 7 % 13;
	stencil<N><<<16, 64>>>(a, 5);
	OK(cudaDeviceSynchronize());
	for (int r = 0; r < 5; r++)
		for (int i = 0; i < 16 * 64; i++) {
			int base = i / (64 * N) * (64 * N), at = i - base;

			want[~r & 1][i] = 2 * want[r & 1][i] + want[r & 1][base + (at + 64 * N - 1) % (64 * N)] +
					  want[r & 1][base + (at + 1) % (64 * N)];
		}
	for (int i = 0; i < 16 * 64; i++)
		CHECK(a[i] == want[1][i]);
}

int main()
{
	cudaFuncAttributes attributes;

	OK(cudaMallocManaged(&a, 1 << 16));
	OK(cudaMallocManaged(&b, 1 << 16));
	for (int blocks = 1; blocks <= 8; blocks *= 2)
		try_histogram(blocks);
	OK(cudaMemset(a, 0, 4096));
	corners<<<dim3(4, 6), 40>>>(a);
	OK(cudaDeviceSynchronize());
	for (unsigned int y = 0; y < 6; y++)
		for (unsigned int x = 0; x < 4; x++)
			CHECK(a[4 * y + x] == 40 * (4 * (4 * (y / 2 * 2) + x / 2 * 2 + 1) + 10));
	corners<<<dim3(3, 6), 40>>>(a);
	CHECK(cudaGetLastError() != cudaSuccess);
	OK(cudaFuncGetAttributes(&attributes, corners));
	CHECK(attributes.requiredClusterHeight == 2 && attributes.requiredClusterDepth == 1);
	try_stencil<1>();
	try_stencil<2>();
	try_stencil<8>();
	return 0;
}
