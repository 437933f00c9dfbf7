/* SPDX-License-Identifier: MIT */
/* Reductions in groups of one warp and in tiles of several: all threads of the group get the result. */
#ifndef PPU_COOPERATIVE_GROUPS_REDUCE_H
#define PPU_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups {

#define PPU_CG_OPERATION_(name, expression) \
template <class T = void> struct name { \
	PPU_CG_MEMBER_ T operator()(const T &a, const T &b) const { return expression; } \
}; \
template <> struct name<void> { \
	template <class T> PPU_CG_MEMBER_ T operator()(const T &a, const T &b) const { return expression; } \
};
PPU_CG_OPERATION_(plus, a + b)
PPU_CG_OPERATION_(less, b < a ? b : a)
PPU_CG_OPERATION_(greater, a < b ? b : a)
PPU_CG_OPERATION_(bit_and, a & b)
PPU_CG_OPERATION_(bit_or, a | b)
PPU_CG_OPERATION_(bit_xor, a ^ b)
#undef PPU_CG_OPERATION_

template <unsigned int N, class P, class T, class F>
PPU_CG_ typename ppu::if_<(N <= 32), T>::type reduce(const thread_block_tile<N, P> &g, T value, F &&op)
{
	for (unsigned int d = N / 2; d; d /= 2) {
		T other = g.shfl_xor(value, d);

		/* The lower of the two is always on the left, so all lanes compute the same. */
		value = g.thread_rank() & d ? op(other, value) : op(value, other);
	}
	return value;
}

/* Each warp by itself, and then all results in the order of the warps. */
template <unsigned int N, class P, class T, class F>
PPU_CG_ typename ppu::if_<(N > 32), T>::type reduce(const thread_block_tile<N, P> &g, T value, F &&op)
{
	T own = reduce(thread_block_tile<32>(0, 1), value, op), result = own;

	g.ppu_meet(own, [&] __attribute__((device)) (unsigned int i, const T &v) { result = i ? op(result, v) : v; });
	return result;
}

template <class T, class F> PPU_CG_ T reduce(const coalesced_group &g, T value, F &&op)
{
	unsigned int n = g.num_threads(), rank = g.thread_rank();

	for (unsigned int d = 1; d < n; d *= 2) {
		T other = g.shfl_down(value, d);

		if (rank + d < n)
			value = op(value, other);
	}
	return g.shfl(value, 0);
}

} /* namespace cooperative_groups */

#endif
#endif
