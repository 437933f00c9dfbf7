/* SPDX-License-Identifier: MIT */
/* One thread's part of a copy by a group: what memcpy_async does, in cooperative_groups as in cuda/barrier and cuda/pipeline. */
#ifndef PPU_CUDA_COPY_H
#define PPU_CUDA_COPY_H

#define PPU_COPY_ static __inline__ __attribute__((host, device, always_inline, unused))

/* A group of one. */
struct ppu_alone {
	PPU_COPY_ unsigned int thread_rank() { return 0; }
	PPU_COPY_ unsigned int size() { return 1; }
};

/* Each thread copies bytes as far apart as the group has threads; words of 4 bytes where the addresses allow. */
template <class G> PPU_COPY_ void ppu_copy_by(const G &g, void *dst, const void *src, size_t bytes)
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

#undef PPU_COPY_
#endif
