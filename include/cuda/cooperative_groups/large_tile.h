/* SPDX-License-Identifier: MIT */
/*
 * Tiles of several warps: 64, 128, 256, 512 or 1024 neighbouring threads of a block.  Their warps meet in shared memory that
 * the program gives with this_thread_block(), or in memory of this header's own.  cooperative_groups.h includes this.
 *
 * All threads of the block make the tiles together.  Tiles of several sizes may be used at the same time.
 */
#ifndef PPU_COOPERATIVE_GROUPS_LARGE_TILE_H
#define PPU_COOPERATIVE_GROUPS_LARGE_TILE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups {

namespace ppu {

/*
 * What a warp brings to a meeting, and a counter of those who have come.  The counter of a tile is that of the warp in its
 * middle: so each tile of each size has one of its own.
 */
enum { MEETING_WORDS_ = 8, MEETING_COUNT_ = 0x100 };
struct meeting {
	unsigned int words[MEETING_WORDS_];
	unsigned int count;	/* warps that have come; from MEETING_COUNT_ on: how often all were there */
};

PPU_CG_ void meeting_begin(meeting *m, unsigned int warps)
{
	for (unsigned int i = thread_in_block(); i < warps; i += block_threads())
		m[i].count = 0;
	__syncthreads();
}

/* For programs that give no memory. */
PPU_CG_ meeting *meeting_place()
{
	__shared__ unsigned int place[32 * sizeof(meeting) / 4];

	/* Who is still in a meeting of tiles that were made before comes here later. */
	__syncthreads();
	meeting_begin((meeting *)place, 32);
	return (meeting *)place;
}

} /* namespace ppu */

/* Shared memory for the tiles of a block of at most so many threads. */
template <unsigned int MaxBlockSize> struct block_tile_memory {
	static constexpr unsigned int ppu_warps()
	{
		unsigned int n = 1;

		while (n * 32 < MaxBlockSize)
			n *= 2;
		return n;
	}
	ppu::meeting ppu_meeting[ppu_warps()];
};

template <unsigned int M> PPU_CG_MEMBER_ thread_block this_thread_block(block_tile_memory<M> &memory)
{
	ppu::meeting_begin(memory.ppu_meeting, memory.ppu_warps());
	return thread_block(memory.ppu_meeting);
}

template <unsigned int N> class thread_block_tile<N, void, true> {
	static_assert(N <= 1024 && !(N & (N - 1)), "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

	ppu::meeting *memory_;
	unsigned int meta_rank_, meta_size_;

	static PPU_CG_MEMBER_ unsigned int warp() { return ppu::thread_in_block() / 32; }
	static PPU_CG_MEMBER_ unsigned int first() { return warp() & ~(N / 32 - 1); }
	/* The last tile of a block may have fewer. */
	static PPU_CG_MEMBER_ unsigned int warps()
	{
		unsigned int rest = (ppu::block_threads() + 31) / 32 - first();

		return rest < N / 32 ? rest : N / 32;
	}

public:
	PPU_CG_MEMBER_ thread_block_tile(ppu::meeting *memory, unsigned int meta_rank, unsigned int meta_size)
		: memory_(memory), meta_rank_(meta_rank), meta_size_(meta_size) {}
	PPU_CG_MEMBER_ ppu::meeting *ppu_memory() const { return memory_; }
	static PPU_CG_MEMBER_ unsigned int thread_rank() { return ppu::thread_in_block() & (N - 1); }
	static constexpr PPU_CG_MEMBER_ unsigned int num_threads() { return N; }
	static constexpr PPU_CG_MEMBER_ unsigned int size() { return N; }
	PPU_CG_MEMBER_ unsigned int meta_group_rank() const { return meta_rank_; }
	PPU_CG_MEMBER_ unsigned int meta_group_size() const { return meta_size_; }

	PPU_CG_MEMBER_ void sync() const
	{
		unsigned int *count = &memory_[first() + N / 64].count, n = warps();

		__syncwarp();
		if (!ppu::lane()) {
			unsigned int before;

			__threadfence_block();
			before = atomicAdd(count, 1u);
			if ((before & (ppu::MEETING_COUNT_ - 1)) + 1 == n)
				atomicAdd(count, ppu::MEETING_COUNT_ - n);	/* all are here: the count begins again */
			else
				while (!((*(volatile unsigned int *)count ^ before) & ~(ppu::MEETING_COUNT_ - 1u)))
					__nanosleep(20);
			__threadfence_block();
		}
		__syncwarp();
	}

	/* Each warp gives a value, and sees those of all: see(i, value) is called for i = 0 .. warps - 1. */
	template <class T, class F> PPU_CG_MEMBER_ void ppu_meet(const T &value, F &&see) const
	{
		static_assert(sizeof(T) <= ppu::MEETING_WORDS_ * 4, "values that tiles of several warps exchange have at most 32 bytes");
		unsigned int words[(sizeof(T) + 3) / 4] = {}, n = warps();
		T seen = value;

		__builtin_memcpy(words, &value, sizeof(T));
		if (!ppu::lane())
			for (unsigned int k = 0; k < sizeof(words) / 4; k++)
				memory_[warp()].words[k] = words[k];
		sync();
		for (unsigned int i = 0; i < n; i++) {
			for (unsigned int k = 0; k < sizeof(words) / 4; k++)
				words[k] = memory_[first() + i].words[k];
			__builtin_memcpy(&seen, words, sizeof(T));
			see(i, seen);
		}
		sync();		/* before the words are written again */
	}

	template <class T> PPU_CG_MEMBER_ T shfl(T value, int rank) const
	{
		unsigned int r = (unsigned int)rank & (N - 1);
		T result = value, mine = ppu::take(~0u, value, r & 31);

		ppu_meet(mine, [&] __attribute__((device)) (unsigned int i, const T &v) { if (i == r / 32) result = v; });
		return result;
	}
	PPU_CG_MEMBER_ int any(int p) const
	{
		int result = 0;

		ppu_meet(__any_sync(~0u, p), [&] __attribute__((device)) (unsigned int, int v) { result |= v; });
		return result;
	}
	PPU_CG_MEMBER_ int all(int p) const
	{
		int result = 1;

		ppu_meet(__all_sync(~0u, p), [&] __attribute__((device)) (unsigned int, int v) { result &= v; });
		return result;
	}
};

/* A tile that knows what it is a part of. */
template <unsigned int N, class Parent> class thread_block_tile<N, Parent, true> : public thread_block_tile<N, void> {
public:
	PPU_CG_MEMBER_ thread_block_tile(ppu::meeting *memory, unsigned int meta_rank, unsigned int meta_size)
		: thread_block_tile<N, void>(memory, meta_rank, meta_size) {}
};

template <unsigned int N>
PPU_CG_ typename ppu::if_<(N > 32), thread_block_tile<N, thread_block>>::type tiled_partition(const thread_block &b)
{
	return thread_block_tile<N, thread_block>(b.ppu_memory() ? b.ppu_memory() : ppu::meeting_place(),
						  ppu::thread_in_block() / N, (ppu::block_threads() + N - 1) / N);
}

template <unsigned int N, unsigned int M, class P>
PPU_CG_ typename ppu::if_<(N > 32), thread_block_tile<N, thread_block_tile<M, P>>>::type
tiled_partition(const thread_block_tile<M, P> &g)
{
	static_assert(N <= M, "a part is not larger than the whole");
	return thread_block_tile<N, thread_block_tile<M, P>>(g.ppu_memory(), (ppu::thread_in_block() & (M - 1)) / N, M / N);
}

/* The names of CUDA 11. */
namespace experimental {

template <unsigned int BytesPerThread = 8, unsigned int MaxBlockSize = 1024>
using block_tile_memory = ::cooperative_groups::block_tile_memory<MaxBlockSize>;
using ::cooperative_groups::this_thread_block;
using ::cooperative_groups::thread_block_tile;
using ::cooperative_groups::tiled_partition;

} /* namespace experimental */

} /* namespace cooperative_groups */

#endif
#endif
