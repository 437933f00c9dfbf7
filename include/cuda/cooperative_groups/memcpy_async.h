/* SPDX-License-Identifier: MIT */
/* Copies by a group, element by element: they are done when wait() returns, and may be earlier. */
#ifndef PPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define PPU_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDA__) && defined(__cplusplus)

namespace cooperative_groups {

template <class G, class T> PPU_CG_ void memcpy_async(const G &g, T *dst, const T *src, size_t bytes)
{
	char *d = (char *)dst;
	const char *s = (const char *)src;
	size_t words = 0;

	if (!(((size_t)d | (size_t)s) & 3)) {
		words = bytes / 4;
		for (size_t i = g.thread_rank(); i < words; i += g.size())
			((unsigned int *)d)[i] = ((const unsigned int *)s)[i];
	}
	for (size_t i = 4 * words + g.thread_rank(); i < bytes; i += g.size())
		d[i] = s[i];
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
