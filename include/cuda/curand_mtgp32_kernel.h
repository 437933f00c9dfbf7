/* SPDX-License-Identifier: MIT */
/*
 * The last file that clang's headers include, so it has what must come behind these headers.
 *
 * In clang 14, shuffles of unsigned long long call themselves for ever; those below go through long long.
 */
#ifndef PPU_CURAND_MTGP32_KERNEL_H
#define PPU_CURAND_MTGP32_KERNEL_H

#if defined(__CUDA__) && defined(__cplusplus)
#define CUDART_SHUFFLE_(name, type) \
template <class T> static __inline__ __attribute__((device, always_inline, unused)) \
auto ppu##name(unsigned int mask, T v, type lane, int width = 32) -> decltype(::name(mask, v, lane, width)) \
{ \
	return ::name(mask, v, lane, width); \
} \
static __inline__ __attribute__((device, always_inline, unused)) \
unsigned long long ppu##name(unsigned int mask, unsigned long long v, type lane, int width = 32) \
{ \
	return (unsigned long long)::name(mask, (long long)v, lane, width); \
}
CUDART_SHUFFLE_(__shfl_sync, int)
CUDART_SHUFFLE_(__shfl_up_sync, unsigned int)
CUDART_SHUFFLE_(__shfl_down_sync, unsigned int)
CUDART_SHUFFLE_(__shfl_xor_sync, int)
#undef CUDART_SHUFFLE_
#define __shfl_sync(...) ppu__shfl_sync(__VA_ARGS__)
#define __shfl_up_sync(...) ppu__shfl_up_sync(__VA_ARGS__)
#define __shfl_down_sync(...) ppu__shfl_down_sync(__VA_ARGS__)
#define __shfl_xor_sync(...) ppu__shfl_xor_sync(__VA_ARGS__)
#endif

#endif
