/* SPDX-License-Identifier: MIT */
/* Prefix sums, or those of another operation, in groups of one warp. */
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

template <class G, class T> PPU_CG_ T exclusive_scan(const G &g, T value)
{
	return exclusive_scan(g, value, plus<T>());
}

} /* namespace cooperative_groups */

#endif
#endif
