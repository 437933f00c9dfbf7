/* SPDX-License-Identifier: MIT */
/* Copies by a group, element by element: they are done when wait() returns, and may be earlier. */
#ifndef PPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define PPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

#include "../crt/ppu_copy.h"

namespace cooperative_groups {

template <class G, class T> PPU_CG_ void memcpy_async(const G &g, T *dst, const T *src, size_t bytes)
{
	ppu_copy_by(g, dst, src, bytes);
}

/* With the numbers of elements that each side has: the smaller one counts. */
template <class G, class T>
PPU_CG_ void memcpy_async(const G &g, T *dst, size_t dst_count, const T *src, size_t src_count)
{
	memcpy_async(g, dst, src, sizeof(T) * (dst_count < src_count ? dst_count : src_count));
}

template <class G> PPU_CG_ void wait(const G &g) { g.sync(); }
template <unsigned int N, class G> PPU_CG_ void wait_prior(const G &g) { g.sync(); }

} /* namespace cooperative_groups */

#endif
#endif
