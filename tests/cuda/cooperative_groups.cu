/* SPDX-License-Identifier: MIT */
/* Cooperative groups of every kind, and their functions, against what a CPU computes. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include "test.h"

namespace cg = cooperative_groups;

struct triple {
	double a;
	/* Plain char has a sign on some hosts only: the kernels, and so the trace, would be others. */
	signed char b;
	int c;
};

/* x -> m x + c; one after the other: what comes first matters. */
struct affine {
	unsigned int m, c;
};
struct then {
	__host__ __device__ affine operator()(const affine &a, const affine &b) const { return { a.m * b.m, a.c * b.m + b.c }; }
};

static unsigned int *out;

__global__ void blocks(unsigned int *out)
{
	cg::thread_block b = cg::this_thread_block();
	cg::thread_group any = b;
	__shared__ unsigned int seen;

	if (b.thread_rank() == 0)
		seen = 0;
	b.sync();
	atomicAdd(&seen, 1);
	cg::sync(any);
	if (seen == b.size() && any.size() == b.num_threads() && any.thread_rank() == b.thread_rank() &&
	    b.group_index().x == blockIdx.x && b.thread_index().y == threadIdx.y && b.group_dim().x == blockDim.x)
		atomicAdd(&out[blockIdx.x], b.thread_rank() + 1);
}

template <unsigned int N> __global__ void tiles(unsigned int *out)
{
	auto block = cg::this_thread_block();
	auto t = cg::tiled_partition<N>(block);
	unsigned int i = block.thread_rank(), *o = out + i * 16;
	triple v = { i + 0.5, (signed char)i, (int)i * 3 }, w = t.shfl(v, N - 1);
	int same;

	o[0] = t.thread_rank();
	o[1] = t.meta_group_rank();
	o[2] = t.meta_group_size();
	o[3] = cg::reduce(t, i, cg::plus<unsigned int>());
	o[4] = (unsigned int)cg::reduce(t, -(int)i, cg::less<int>());
	o[5] = cg::inclusive_scan(t, i);
	o[6] = cg::exclusive_scan(t, i, cg::plus<unsigned int>());
	o[7] = t.ballot(i % 3 == 0);
	o[8] = t.shfl_down(i, 1);
	o[9] = t.shfl_up(i, 1);
	o[10] = t.shfl_xor(i, 1);
	o[11] = w.a == (i | (N - 1)) + 0.5 && w.b == (signed char)(i | (N - 1)) && w.c == (int)(i | (N - 1)) * 3;
	o[12] = t.match_any(i / 2);
	o[13] = t.match_all(i / 32, same) == (N == 32 ? ~0u : (1u << (N % 32)) - 1) && same;
	o[14] = (unsigned int)t.any(i == 5) + 2u * (unsigned int)t.all(i < 16);
	o[15] = t.num_threads() == N && t.size() == N;
	t.sync();
}

template <unsigned int N> static void try_tiles()
{
	const unsigned int threads = 64;

	tiles<N><<<1, dim3(16, 4)>>>(out);
	OK(cudaDeviceSynchronize());
	for (unsigned int i = 0; i < threads; i++) {
		unsigned int first = i / N * N, last = first + N - 1, *o = out + i * 16, sum = 0, upto = 0, b = 0, m = 0, five = 0;

		for (unsigned int k = 0; k < N; k++) {
			sum += first + k;
			upto += first + k <= i ? first + k : 0;
			b |= ((first + k) % 3 == 0 ? 1u : 0) << k;
			m |= ((first + k) / 2 == i / 2 ? 1u : 0) << k;
			five |= first + k == 5;
		}
		CHECK(o[0] == i % N && o[1] == i / N && o[2] == threads / N);
		CHECK(o[3] == sum && (int)o[4] == -(int)last && o[5] == upto && o[6] == upto - i);
		CHECK(o[7] == b && o[8] == (i == last ? i : i + 1) && o[9] == (i == first ? i : i - 1));
		CHECK(o[10] == (N == 1 ? i : (i ^ 1)) && o[11] && o[12] == m && o[13] && o[15]);
		CHECK(o[14] == five + (last < 16 ? 2 : 0));
	}
}

/* Tiles of several warps: with memory of the program's, with the header's own, and parts of other tiles. */
template <unsigned int N, int how> __global__ void large(unsigned int *out)
{
	__shared__ cg::block_tile_memory<512> memory;
	auto block = how == 0 ? cg::this_thread_block(memory) : cg::this_thread_block();
	auto whole = cg::tiled_partition<512>(block);
	auto t = cg::tiled_partition<N>(block);
	auto part = cg::tiled_partition<N>(whole);
	unsigned int i = block.thread_rank(), *o = out + i * 16;
	triple v = { i + 0.5, (signed char)i, (int)i * 3 }, w = t.shfl(v, N - 3);

	o[0] = t.thread_rank();
	o[1] = t.meta_group_rank();
	o[2] = t.meta_group_size();
	o[3] = cg::reduce(t, i, cg::plus<unsigned int>());
	o[4] = (unsigned int)cg::reduce(t, -(int)i, cg::less<int>());
	o[5] = cg::inclusive_scan(how == 2 ? part : cg::tiled_partition<N>(whole), i);
	o[6] = cg::exclusive_scan(t, i, cg::plus<unsigned int>());
	o[7] = (unsigned int)t.any(i == 5) + 2u * (unsigned int)t.all(i < N);
	o[8] = w.a == (i | (N - 1)) - 2 + 0.5 && w.b == (signed char)((i | (N - 1)) - 2) && w.c == ((int)(i | (N - 1)) - 2) * 3;
	o[9] = t.num_threads() == N && t.size() == N && part.meta_group_size() == 512 / N && part.meta_group_rank() == o[1];
	o[10] = cg::reduce(whole, 1u, cg::plus<unsigned int>());
	o[11] = cg::tiled_partition<32>(t).meta_group_rank() * 100 + cg::tiled_partition<32>(t).meta_group_size();
	/* Tiles that go their own ways meet often. */
	for (unsigned int k = 0; k <= t.meta_group_rank(); k++)
		t.sync();
	/* The order of the values is that of the threads. */
	o[14] = cg::inclusive_scan(t, affine{ 3, i }, then()).c;
	o[15] = cg::exclusive_scan(t, affine{ 3, i }, then()).c;
	o[13] = 0;
	cg::invoke_one(t, [&] { o[13] = 1; });
}

template <unsigned int N, int how> static void try_large()
{
	const unsigned int threads = 512;

	large<N, how><<<1, dim3(32, 16)>>>(out);
	OK(cudaDeviceSynchronize());
	for (unsigned int i = 0; i < threads; i++) {
		unsigned int first = i / N * N, last = first + N - 1, *o = out + i * 16;

		CHECK(o[0] == i % N && o[1] == i / N && o[2] == threads / N);
		CHECK(o[3] == (first + last) * N / 2 && (int)o[4] == -(int)last && o[5] == (first + i) * (i - first + 1) / 2);
		CHECK(o[6] == o[5] - i && o[7] == !first + (last < N ? 2u : 0) && o[8] && o[9] && o[10] == 512);
		CHECK(o[11] == i % N / 32 * 100 + N / 32 && o[13] == (i == first));
		affine all = { 1, 0 }, before = { 0, 0 }, upto = { 0, 0 };
		for (unsigned int k = first; k <= last; k++) {
			before = k == i && k != first ? all : before;
			all = then()(all, affine{ 3, k });
			upto = k == i ? all : upto;
		}
		CHECK(o[14] == upto.c && o[15] == before.c);
	}
}

/* A block that is no multiple of the tile: 96 threads. */
__global__ void incomplete(unsigned int *out)
{
	auto t = cg::tiled_partition<64>(cg::this_thread_block());
	unsigned int i = threadIdx.x;

	out[i] = cg::reduce(t, i, cg::plus<unsigned int>());
}

/* Every third lane, and parts of these. */
__global__ void coalesced(unsigned int *out)
{
	unsigned int i = threadIdx.x, *o = out + i * 12;

	if (i % 3)
		return;
	cg::coalesced_group g = cg::coalesced_threads();
	cg::coalesced_group odd = cg::binary_partition(g, i & 1), label = cg::labeled_partition(g, i % 4);
	cg::thread_group four = cg::tiled_partition(g, 4);
	cg::coalesced_group part = cg::tiled_partition(g, 4);

	o[0] = g.size();
	o[1] = g.thread_rank();
	o[2] = g.shfl(i, 2);
	o[3] = g.shfl_down(i, 2);
	o[4] = g.shfl_up(i, 2);
	o[5] = g.ballot(i > 9);
	o[6] = cg::reduce(g, i, cg::plus<>());
	o[7] = cg::inclusive_scan(g, i);
	o[8] = odd.size() * 100 + odd.thread_rank() + 1000 * odd.meta_group_rank() + 10000 * odd.meta_group_size();
	o[9] = label.size() * 100 + label.thread_rank() + 10000 * label.meta_group_size();
	o[10] = four.size() * 100 + four.thread_rank();
	o[11] = cg::reduce(part, i, cg::greater<unsigned int>());
	g.sync();
}

static void try_coalesced()
{
	coalesced<<<1, 32>>>(out);
	OK(cudaDeviceSynchronize());
	for (unsigned int r = 0; r < 11; r++) {
		unsigned int i = 3 * r, *o = out + i * 12, labels[4] = { 0 }, before = 0;

		for (unsigned int k = 0; k < 11; k++)
			labels[3 * k % 4]++;
		for (unsigned int k = 0; k < r; k++)
			before += 3 * k % 4 == i % 4;
		CHECK(o[0] == 11 && o[1] == r && o[2] == 6 && o[3] == (r + 2 < 11 ? i + 6 : i) && o[4] == (r >= 2 ? i - 6 : i));
		CHECK(o[5] == 0x7f0 && o[6] == 165 && o[7] == 3 * r * (r + 1) / 2);
		CHECK(o[8] == (i & 1 ? 500 : 600) + r / 2 + (i & 1 ? 0 : 1000) + 20000);
		CHECK(o[9] == labels[i % 4] * 100 + before + 40000);
		CHECK(o[10] == (r < 8 ? 400 : 300) + r % 4 && o[11] == (r < 8 ? r / 4 * 12 + 9 : 30));
	}
}

/* Each block needs what all others wrote, again and again. */
__global__ void grid(unsigned int *data, int rounds)
{
	cg::grid_group g = cg::this_grid();
	unsigned long long n = g.size(), i = g.thread_rank();

	for (int r = 0; r < rounds; r++) {
		unsigned int v = data[(i + blockDim.x + 1) % n];

		g.sync();
		data[i] = v + 1;
		g.sync();
	}
	if (!g.is_valid() || g.num_blocks() != gridDim.x || g.block_rank() != blockIdx.x)
		data[i] = 0;
}

static void try_grid()
{
	const unsigned int n = 4 * 40;
	int rounds = 5;
	void *args[] = { &out, &rounds };

	for (int launch = 0; launch < 2; launch++) {
		for (unsigned int i = 0; i < n; i++)
			out[i] = 1000 * i;
		OK(cudaLaunchCooperativeKernel(grid, dim3(4), dim3(40), args));
		OK(cudaDeviceSynchronize());
		for (unsigned int i = 0; i < n; i++)
			CHECK(out[i] == 1000 * ((i + 41 * 5) % n) + 5);
	}
}

__global__ void copies(unsigned int *out)
{
	__shared__ char s[203];
	auto b = cg::this_thread_block();

	cg::memcpy_async(b, s, (const char *)out, 203);
	cg::wait(b);
	cg::memcpy_async(b, (char *)out + 401, (const char *)s, sizeof(s));
	cg::wait(b);
}

/* A grid that waits for itself without a cooperative launch is an error, not a wait without end. */
static void try_wrong()
{
	grid<<<2, 32>>>(out, 1);
	CHECK(cudaDeviceSynchronize() != cudaSuccess);
}

int main()
{
	OK(cudaMallocManaged(&out, 1 << 16));
	blocks<<<3, dim3(8, 10)>>>(out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 3; i++)
		CHECK(out[i] == 80 * 81 / 2);
	try_tiles<1>();
	try_tiles<2>();
	try_tiles<8>();
	try_tiles<16>();
	try_tiles<32>();
	try_large<64, 0>();
	try_large<128, 1>();
	try_large<256, 2>();
	try_large<512, 0>();
	incomplete<<<1, 96>>>(out);
	OK(cudaDeviceSynchronize());
	for (unsigned int i = 0; i < 96; i++)
		CHECK(out[i] == (i < 64 ? 63 * 64 / 2 : (64 + 95) * 16));
	try_coalesced();
	try_grid();
	for (int i = 0; i < 203; i++)
		((char *)out)[i] = (char)i;
	copies<<<1, 64>>>(out);
	OK(cudaDeviceSynchronize());
	for (int i = 0; i < 203; i++)
		CHECK(((char *)out)[401 + i] == (char)i);
	try_wrong();
	return 0;
}
