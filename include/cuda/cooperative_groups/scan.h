/* SPDX-License-Identifier: MIT */
/* Prefix sums, or those of another operation, in groups of one warp and in tiles of several. */
#ifndef PPU_COOPERATIVE_GROUPS_SCAN_H
#define PPU_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups {

template <class G, class T, class F> PPU_CG_ T inclusive_scan(const G &g, T value, F &&op)
{
	unsigned int n = g.num_threads(), rank = g.thread_rank();

	for (unsigned int d = 1; d < n; d *= 2) {
		T other = g.shfl_up(value, d);

		if (rank >= d)
			value = op(other, value);
	}
	return value;
}

namespace ppu {

/* What the warps before this one have. */
template <unsigned int N, class P, class T, class F>
PPU_CG_ bool scan_before(const thread_block_tile<N, P> &g, const T &last, T &before, F &&op)
{
	unsigned int own = g.thread_rank() / 32;
	bool any = false;

	g.ppu_meet(last, [&] __attribute__((device)) (unsigned int i, const T &v) {
		if (i < own)
			before = any ? op(before, v) : v;
		any = any || i < own;
	});
	return any;
}

} /* namespace ppu */

template <unsigned int N, class P, class T, class F>
PPU_CG_ typename ppu::if_<(N > 32), T>::type inclusive_scan(const thread_block_tile<N, P> &g, T value, F &&op)
{
	T own = inclusive_scan(thread_block_tile<32>(0, 1), value, op), before = own;

	return ppu::scan_before(g, ppu::take(~0u, own, 31), before, op) ? op(before, own) : own;
}

template <class G, class T> PPU_CG_ T inclusive_scan(const G &g, T value)
{
	return inclusive_scan(g, value, plus<T>());
}

/* The first thread gets T(). */
template <class G, class T, class F> PPU_CG_ T exclusive_scan(const G &g, T value, F &&op)
{
	T before = g.shfl_up(inclusive_scan(g, value, op), 1);

	return g.thread_rank() ? before : T();
}

template <unsigned int N, class P, class T, class F>
PPU_CG_ typename ppu::if_<(N > 32), T>::type exclusive_scan(const thread_block_tile<N, P> &g, T value, F &&op)
{
	thread_block_tile<32> warp(0, 1);
	T own = inclusive_scan(warp, value, op), above = warp.shfl_up(own, 1), before = own;
	bool any = ppu::scan_before(g, warp.shfl(own, 31), before, op);

	if (!warp.thread_rank())
		return any ? before : T();
	return any ? op(before, above) : above;
}

template <class G, class T> PPU_CG_ T exclusive_scan(const G &g, T value)
{
	return exclusive_scan(g, value, plus<T>());
}

} /* namespace cooperative_groups */

#endif
#endif
