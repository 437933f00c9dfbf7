/* SPDX-License-Identifier: MIT */
/*
 * Cooperative groups: threads that work together, as objects.  Blocks, clusters of blocks, tiles of a warp, the lanes that
 * happen to be here, and the grid of a cooperative launch.  Reductions and scans are in cooperative_groups/.
 *
 * Tiles of more than 32 threads are in cooperative_groups/large_tile.h.  There are no grids over several devices.
 */
#ifndef PPU_COOPERATIVE_GROUPS_H
#define PPU_COOPERATIVE_GROUPS_H

#if defined(__CUDA__) && defined(__cplusplus)

#define PPU_CG_ static __inline__ __attribute__((device, always_inline, unused))
#define PPU_CG_MEMBER_ __inline__ __attribute__((device, always_inline))

namespace cooperative_groups {

namespace ppu {

PPU_CG_ unsigned int lane()
{
	unsigned int v;

	__asm__("mov.u32 %0, %%laneid;" : "=r"(v));
	return v;
}

PPU_CG_ unsigned int lanes_below()
{
	unsigned int v;

	__asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(v));
	return v;
}

PPU_CG_ unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

PPU_CG_ unsigned int thread_in_block()
{
	return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/* The lane of the member with this rank. */
PPU_CG_ unsigned int lane_of(unsigned int mask, unsigned int rank)
{
	unsigned int v;

	__asm__("fns.b32 %0, %1, 0, %2;" : "=r"(v) : "r"(mask), "r"(rank + 1));
	return v;
}

/* Shuffles values of any size, word by word: each lane reads `lane`. */
template <class T> PPU_CG_ T take(unsigned int mask, const T &value, unsigned int lane)
{
	unsigned int words[(sizeof(T) + 3) / 4] = {};
	T result;

	__builtin_memcpy(words, &value, sizeof(T));
	for (unsigned int i = 0; i < sizeof(words) / 4; i++)
		words[i] = (unsigned int)__shfl_sync(mask, (int)words[i], (int)lane);
	__builtin_memcpy(&result, words, sizeof(T));
	return result;
}

/* The lanes of the mask whose value is the same as this lane's. */
template <class T> PPU_CG_ unsigned int same(unsigned int mask, const T &value)
{
	unsigned int words[(sizeof(T) + 3) / 4] = {}, result = mask;

	__builtin_memcpy(words, &value, sizeof(T));
	for (unsigned int i = 0; i < sizeof(words) / 4; i++)
		result &= __match_any_sync(mask, words[i]);
	return result;
}

enum kind { WARP, BLOCK };

template <bool condition, class T> struct if_ {};
template <class T> struct if_<true, T> { using type = T; };

} /* namespace ppu */

/* A group of any kind. */
class thread_group {
protected:
	ppu::kind kind_;
	unsigned int mask_;	/* kind WARP: its lanes */

	PPU_CG_MEMBER_ thread_group(ppu::kind kind, unsigned int mask) : kind_(kind), mask_(mask) {}

public:
	PPU_CG_MEMBER_ void sync() const
	{
		if (kind_ == ppu::BLOCK)
			__syncthreads();
		else
			__syncwarp(mask_);
	}
	PPU_CG_MEMBER_ unsigned int num_threads() const
	{
		return kind_ == ppu::BLOCK ? ppu::block_threads() : (unsigned int)__popc((int)mask_);
	}
	PPU_CG_MEMBER_ unsigned int size() const { return num_threads(); }
	PPU_CG_MEMBER_ unsigned int thread_rank() const
	{
		return kind_ == ppu::BLOCK ? ppu::thread_in_block() :
		       (unsigned int)__popc((int)(mask_ & ppu::lanes_below()));
	}
	PPU_CG_MEMBER_ unsigned int ppu_mask() const { return mask_; }
	PPU_CG_MEMBER_ bool ppu_is_block() const { return kind_ == ppu::BLOCK; }
};

namespace ppu { struct meeting; }
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory;

class thread_block : public thread_group {
	ppu::meeting *memory_;	/* nullptr: the program gave none */

	PPU_CG_MEMBER_ thread_block(ppu::meeting *memory = nullptr) : thread_group(ppu::BLOCK, 0), memory_(memory) {}
	friend PPU_CG_MEMBER_ thread_block this_thread_block();
	template <unsigned int M> friend PPU_CG_MEMBER_ thread_block this_thread_block(block_tile_memory<M> &memory);

public:
	PPU_CG_MEMBER_ ppu::meeting *ppu_memory() const { return memory_; }
	/* Known without looking: these hide the general ones. */
	static PPU_CG_MEMBER_ void sync() { __syncthreads(); }
	static PPU_CG_MEMBER_ unsigned int thread_rank() { return ppu::thread_in_block(); }
	static PPU_CG_MEMBER_ unsigned int num_threads() { return ppu::block_threads(); }
	static PPU_CG_MEMBER_ unsigned int size() { return num_threads(); }
	static PPU_CG_MEMBER_ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
	static PPU_CG_MEMBER_ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
	static PPU_CG_MEMBER_ dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
	static PPU_CG_MEMBER_ dim3 group_dim() { return dim_threads(); }
};

PPU_CG_MEMBER_ thread_block this_thread_block() { return thread_block(); }

/* The blocks of a cluster, which see each other's shared memory.  Without clusters a block is one by itself. */
class cluster_group {
	PPU_CG_MEMBER_ cluster_group() {}
	friend PPU_CG_MEMBER_ cluster_group this_cluster();

#define PPU_CG_WORD_(name, sreg) \
	static PPU_CG_MEMBER_ unsigned int name() \
	{ \
		unsigned int v; \
\
		__asm__("mov.u32 %0, %%" sreg ";" : "=r"(v)); \
		return v; \
	}
	PPU_CG_WORD_(id_x, "cluster_ctaid.x") PPU_CG_WORD_(id_y, "cluster_ctaid.y") PPU_CG_WORD_(id_z, "cluster_ctaid.z")
	PPU_CG_WORD_(dim_x, "cluster_nctaid.x") PPU_CG_WORD_(dim_y, "cluster_nctaid.y") PPU_CG_WORD_(dim_z, "cluster_nctaid.z")

public:
	struct arrival_token {};

	static PPU_CG_MEMBER_ arrival_token barrier_arrive()
	{
		__asm__ volatile("barrier.cluster.arrive;" : : : "memory");
		return arrival_token();
	}
	static PPU_CG_MEMBER_ void barrier_wait() { __asm__ volatile("barrier.cluster.wait;" : : : "memory"); }
	static PPU_CG_MEMBER_ void barrier_wait(arrival_token &&) { barrier_wait(); }
	static PPU_CG_MEMBER_ void sync()
	{
		barrier_arrive();
		barrier_wait();
	}
	PPU_CG_WORD_(block_rank, "cluster_ctarank") PPU_CG_WORD_(num_blocks, "cluster_nctarank")
#undef PPU_CG_WORD_
	static PPU_CG_MEMBER_ dim3 block_index() { return dim3(id_x(), id_y(), id_z()); }
	static PPU_CG_MEMBER_ dim3 dim_blocks() { return dim3(dim_x(), dim_y(), dim_z()); }
	static PPU_CG_MEMBER_ dim3 thread_index()
	{
		return dim3(id_x() * blockDim.x + threadIdx.x, id_y() * blockDim.y + threadIdx.y, id_z() * blockDim.z + threadIdx.z);
	}
	static PPU_CG_MEMBER_ dim3 dim_threads()
	{
		return dim3(dim_x() * blockDim.x, dim_y() * blockDim.y, dim_z() * blockDim.z);
	}
	static PPU_CG_MEMBER_ unsigned int thread_rank() { return block_rank() * ppu::block_threads() + ppu::thread_in_block(); }
	static PPU_CG_MEMBER_ unsigned int num_threads() { return num_blocks() * ppu::block_threads(); }
	static PPU_CG_MEMBER_ unsigned int size() { return num_threads(); }

	/* The same variable in the shared memory of another block; whose a variable is. */
	template <class T> static PPU_CG_MEMBER_ T *map_shared_rank(T *address, int rank)
	{
		unsigned long long to;

		__asm__("mapa.u64 %0, %1, %2;" : "=l"(to) : "l"((unsigned long long)address), "r"(rank));
		return (T *)to;
	}
	static PPU_CG_MEMBER_ unsigned int query_shared_rank(const void *address)
	{
		unsigned int rank;

		__asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
		return rank;
	}
};

PPU_CG_MEMBER_ cluster_group this_cluster() { return cluster_group(); }

/* The blocks of a cooperative launch. */
class grid_group {
	PPU_CG_MEMBER_ grid_group() {}
	friend PPU_CG_MEMBER_ grid_group this_grid();

	/* A cooperative launch gives the address of { its size, a counter }. */
	static PPU_CG_MEMBER_ unsigned int *workspace()
	{
		unsigned int low, high;

		__asm__("mov.b32 %0, %%envreg2;" : "=r"(low));
		__asm__("mov.b32 %0, %%envreg1;" : "=r"(high));
		return (unsigned int *)((unsigned long long)high << 32 | low);
	}

public:
	PPU_CG_MEMBER_ bool is_valid() const { return workspace() != nullptr; }

	/*
	 * The counter's upper bit turns around when all blocks have come: block 0 adds what is missing to this bit when
	 * each of the others adds 1.
	 */
	PPU_CG_MEMBER_ void sync() const
	{
		unsigned int *at = workspace();

		if (!at)
			__trap();	/* not a cooperative launch: others would never come */
		__syncthreads();
		if (!ppu::thread_in_block()) {
			unsigned int all = gridDim.x * gridDim.y * gridDim.z, before;
			bool first = !(blockIdx.x | blockIdx.y | blockIdx.z);

			__threadfence();
			before = atomicAdd(at + 1, first ? 0x80000000u - (all - 1) : 1u);
			while (!((*(volatile unsigned int *)(at + 1) ^ before) & 0x80000000u))
				__nanosleep(100);
			__threadfence();
		}
		__syncthreads();
	}
	static PPU_CG_MEMBER_ unsigned long long num_blocks()
	{
		return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
	}
	static PPU_CG_MEMBER_ unsigned long long block_rank()
	{
		return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
	}
	static PPU_CG_MEMBER_ unsigned long long num_threads() { return num_blocks() * ppu::block_threads(); }
	static PPU_CG_MEMBER_ unsigned long long size() { return num_threads(); }
	static PPU_CG_MEMBER_ unsigned long long thread_rank()
	{
		return block_rank() * ppu::block_threads() + ppu::thread_in_block();
	}
	static PPU_CG_MEMBER_ dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
	static PPU_CG_MEMBER_ dim3 group_dim() { return dim_blocks(); }
	static PPU_CG_MEMBER_ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

PPU_CG_MEMBER_ grid_group this_grid() { return grid_group(); }

/* Lanes of one warp.  Ranks are in the order of the lanes. */
class coalesced_group : public thread_group {
	unsigned int meta_rank_, meta_size_;

public:
	PPU_CG_MEMBER_ coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
		: thread_group(ppu::WARP, mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
	PPU_CG_MEMBER_ unsigned int meta_group_size() const { return meta_size_; }
	PPU_CG_MEMBER_ unsigned int meta_group_rank() const { return meta_rank_; }

	template <class T> PPU_CG_MEMBER_ T shfl(T value, int rank) const
	{
		return ppu::take(mask_, value, ppu::lane_of(mask_, (unsigned int)rank % num_threads()));
	}
	/* Without a member so far up or down, a lane keeps its own value. */
	template <class T> PPU_CG_MEMBER_ T shfl_up(T value, unsigned int delta) const
	{
		unsigned int r = thread_rank();

		return ppu::take(mask_, value, delta > r ? ppu::lane() : ppu::lane_of(mask_, r - delta));
	}
	template <class T> PPU_CG_MEMBER_ T shfl_down(T value, unsigned int delta) const
	{
		unsigned int r = thread_rank(), n = num_threads();

		return ppu::take(mask_, value, delta >= n - r ? ppu::lane() : ppu::lane_of(mask_, r + delta));
	}
	PPU_CG_MEMBER_ int any(int p) const { return __any_sync(mask_, p); }
	PPU_CG_MEMBER_ int all(int p) const { return __all_sync(mask_, p); }
	PPU_CG_MEMBER_ unsigned int ballot(int p) const { return ranks(__ballot_sync(mask_, p)); }
	template <class T> PPU_CG_MEMBER_ unsigned int match_any(T value) const
	{
		return ranks(ppu::same(mask_, value));
	}
	template <class T> PPU_CG_MEMBER_ unsigned int match_all(T value, int &p) const
	{
		p = __all_sync(mask_, ppu::same(mask_, value) == mask_);
		return p ? ranks(mask_) : 0;
	}

private:
	/* Bits of lanes become bits of ranks. */
	PPU_CG_MEMBER_ unsigned int ranks(unsigned int lanes) const
	{
		unsigned int result = 0, bit = 1;

		for (unsigned int rest = mask_; rest; rest &= rest - 1, bit <<= 1)
			if (lanes & rest & (0u - rest))
				result |= bit;
		return result;
	}
};

PPU_CG_ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* Tiles of one warp; large_tile.h has the others. */
template <unsigned int N, class Parent = void, bool large = (N > 32)> class thread_block_tile;

/* N neighbouring threads of a block, where N is a power of two. */
template <unsigned int N> class thread_block_tile<N, void, false> : public thread_group {
	static_assert(N && !(N & (N - 1)), "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 or 1024 threads");

protected:
	unsigned int meta_rank_, meta_size_;

	static PPU_CG_MEMBER_ unsigned int lanes()
	{
		return N == 32 ? ~0u : ((1u << (N % 32)) - 1) << (ppu::lane() & ~(N - 1));
	}

public:
	PPU_CG_MEMBER_ thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
		: thread_group(ppu::WARP, lanes()), meta_rank_(meta_rank), meta_size_(meta_size) {}
	PPU_CG_MEMBER_ void sync() const { __syncwarp(mask_); }
	static PPU_CG_MEMBER_ unsigned int thread_rank() { return ppu::lane() & (N - 1); }
	static constexpr PPU_CG_MEMBER_ unsigned int num_threads() { return N; }
	static constexpr PPU_CG_MEMBER_ unsigned int size() { return N; }
	PPU_CG_MEMBER_ unsigned int meta_group_rank() const { return meta_rank_; }
	PPU_CG_MEMBER_ unsigned int meta_group_size() const { return meta_size_; }

	template <class T> PPU_CG_MEMBER_ T shfl(T value, int rank) const
	{
		return ppu::take(mask_, value, first() + ((unsigned int)rank & (N - 1)));
	}
	template <class T> PPU_CG_MEMBER_ T shfl_up(T value, unsigned int delta) const
	{
		unsigned int r = thread_rank();

		return ppu::take(mask_, value, first() + (delta > r ? r : r - delta));
	}
	template <class T> PPU_CG_MEMBER_ T shfl_down(T value, unsigned int delta) const
	{
		unsigned int r = thread_rank();

		return ppu::take(mask_, value, first() + (delta >= N - r ? r : r + delta));
	}
	template <class T> PPU_CG_MEMBER_ T shfl_xor(T value, unsigned int bits) const
	{
		unsigned int r = thread_rank();

		return ppu::take(mask_, value, first() + ((r ^ bits) < N ? r ^ bits : r));
	}
	PPU_CG_MEMBER_ int any(int p) const { return __any_sync(mask_, p); }
	PPU_CG_MEMBER_ int all(int p) const { return __all_sync(mask_, p); }
	PPU_CG_MEMBER_ unsigned int ballot(int p) const { return __ballot_sync(mask_, p) >> first(); }
	template <class T> PPU_CG_MEMBER_ unsigned int match_any(T value) const
	{
		return ppu::same(mask_, value) >> first();
	}
	template <class T> PPU_CG_MEMBER_ unsigned int match_all(T value, int &p) const
	{
		p = __all_sync(mask_, ppu::same(mask_, value) == mask_);
		return p ? mask_ >> first() : 0;
	}

private:
	static PPU_CG_MEMBER_ unsigned int first() { return ppu::lane() & ~(N - 1); }
};

/* A tile that knows what it is a part of. */
template <unsigned int N, class Parent> class thread_block_tile<N, Parent, false> : public thread_block_tile<N, void> {
public:
	PPU_CG_MEMBER_ thread_block_tile(unsigned int meta_rank, unsigned int meta_size)
		: thread_block_tile<N, void>(meta_rank, meta_size) {}
};

template <unsigned int N>
PPU_CG_ typename ppu::if_<(N <= 32), thread_block_tile<N, thread_block>>::type tiled_partition(const thread_block &)
{
	return thread_block_tile<N, thread_block>(ppu::thread_in_block() / N, (ppu::block_threads() + N - 1) / N);
}

template <unsigned int N, unsigned int M, class P>
PPU_CG_ typename ppu::if_<(N <= 32), thread_block_tile<N, thread_block_tile<M, P>>>::type
tiled_partition(const thread_block_tile<M, P> &)
{
	static_assert(N <= M, "a part is not larger than the whole");
	return thread_block_tile<N, thread_block_tile<M, P>>((ppu::thread_in_block() & (M - 1)) / N, M / N);
}

/* Parts of a group whose size is known when the program runs. */
PPU_CG_ coalesced_group tiled_partition(const coalesced_group &g, unsigned int n)
{
	unsigned int part = g.thread_rank() / n, mask = 0, rank = 0;

	for (unsigned int rest = g.ppu_mask(); rest; rest &= rest - 1, rank++)
		if (rank / n == part)
			mask |= rest & (0u - rest);
	return coalesced_group(mask, part, (g.num_threads() + n - 1) / n);
}

PPU_CG_ thread_group tiled_partition(const thread_group &g, unsigned int n)
{
	if (!g.ppu_is_block())
		return tiled_partition(coalesced_group(g.ppu_mask()), n);
	if (!n || n > 32 || (n & (n - 1)))
		__trap();
	return coalesced_group(n == 32 ? ~0u : ((1u << n) - 1) << (ppu::lane() & ~(n - 1)), ppu::thread_in_block() / n,
			       (ppu::block_threads() + n - 1) / n);
}

/* The threads of a warp's group that give the same label. */
template <class G, class T> PPU_CG_ coalesced_group labeled_partition(const G &g, T label)
{
	unsigned int mask = ppu::same(g.ppu_mask(), label);
	unsigned int leader = (unsigned int)__ffs((int)mask) - 1;
	unsigned int leaders = __ballot_sync(g.ppu_mask(), leader == ppu::lane());

	return coalesced_group(mask, (unsigned int)__popc((int)(leaders & ((1u << leader) - 1))),
			       (unsigned int)__popc((int)leaders));
}

/* Those with a true predicate are the first part if there is one of each. */
template <class G> PPU_CG_ coalesced_group binary_partition(const G &g, bool p)
{
	unsigned int yes = __ballot_sync(g.ppu_mask(), p);

	return p ? coalesced_group(yes, 0, 1 + (yes != g.ppu_mask())) :
	       coalesced_group(g.ppu_mask() & ~yes, yes != 0, 1 + (yes != 0));
}

template <class G> PPU_CG_ void sync(const G &g) { g.sync(); }
template <class G> PPU_CG_ auto thread_rank(const G &g) -> decltype(g.thread_rank()) { return g.thread_rank(); }
template <class G> PPU_CG_ auto group_size(const G &g) -> decltype(g.size()) { return g.size(); }

/* One thread of the group calls the function. */
template <class G, class F, class... A> PPU_CG_ void invoke_one(const G &g, F &&f, A &&...args)
{
	if (g.thread_rank() == 0)
		static_cast<F &&>(f)(static_cast<A &&>(args)...);
}

} /* namespace cooperative_groups */

#include "cooperative_groups/large_tile.h"

#endif
#endif
