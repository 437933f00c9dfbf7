/* SPDX-License-Identifier: MIT */
/* Fetches through texture objects: clang's headers have the instructions, this file has the functions' names. */
#ifndef PPU_TEXTURE_INDIRECT_FUNCTIONS_H
#define PPU_TEXTURE_INDIRECT_FUNCTIONS_H

#if defined(__cplusplus) && defined(__CUDA__) && defined(__nv_tex_surf_handler)
#define CUDART_DEV_ static __inline__ __attribute__((device, always_inline, unused))
/* name, clang's name, (parameters), (arguments) */
#define CUDART_STRIP_(...) __VA_ARGS__
#define CUDART_TEX_(name, word, params, args) \
template <class T> CUDART_DEV_ T name(cudaTextureObject_t t, CUDART_STRIP_ params) \
{ \
	T r; \
	__nv_tex_surf_handler(word, &r, t, CUDART_STRIP_ args); \
	return r; \
} \
template <class T> CUDART_DEV_ void name(T *r, cudaTextureObject_t t, CUDART_STRIP_ params) \
{ \
	__nv_tex_surf_handler(word, r, t, CUDART_STRIP_ args); \
}

CUDART_TEX_(tex1Dfetch, "__itex1Dfetch", (int x), (x))
CUDART_TEX_(tex1D, "__itex1D", (float x), (x))
CUDART_TEX_(tex2D, "__itex2D", (float x, float y), (x, y))
CUDART_TEX_(tex3D, "__itex3D", (float x, float y, float z), (x, y, z))
CUDART_TEX_(tex1DLayered, "__itex1DLayered", (float x, int layer), (x, layer))
CUDART_TEX_(tex2DLayered, "__itex2DLayered", (float x, float y, int layer), (x, y, layer))
CUDART_TEX_(texCubemap, "__itexCubemap", (float x, float y, float z), (x, y, z))
CUDART_TEX_(texCubemapLayered, "__itexCubemapLayered", (float x, float y, float z, int layer), (x, y, z, layer))
CUDART_TEX_(texCubemapLod, "__itexCubemapLod", (float x, float y, float z, float level), (x, y, z, level))
CUDART_TEX_(tex2Dgather, "__itex2Dgather", (float x, float y, int channel = 0), (x, y, channel))
CUDART_TEX_(tex1DLod, "__itex1DLod", (float x, float level), (x, level))
CUDART_TEX_(tex2DLod, "__itex2DLod", (float x, float y, float level), (x, y, level))
CUDART_TEX_(tex3DLod, "__itex3DLod", (float x, float y, float z, float level), (x, y, z, level))
CUDART_TEX_(tex1DLayeredLod, "__itex1DLayeredLod", (float x, int layer, float level), (x, layer, level))
CUDART_TEX_(tex2DLayeredLod, "__itex2DLayeredLod", (float x, float y, int layer, float level), (x, y, layer, level))
CUDART_TEX_(tex1DGrad, "__itex1DGrad", (float x, float dx, float dy), (x, dx, dy))
CUDART_TEX_(tex2DGrad, "__itex2DGrad_v2", (float x, float y, float2 dx, float2 dy), (x, y, &dx, &dy))
CUDART_TEX_(tex3DGrad, "__itex3DGrad_v2", (float x, float y, float z, float4 dx, float4 dy), (x, y, z, &dx, &dy))
CUDART_TEX_(tex2DLayeredGrad, "__itex2DLayeredGrad_v2", (float x, float y, int layer, float2 dx, float2 dy),
	    (x, y, layer, &dx, &dy))
CUDART_TEX_(texCubemapGrad, "__itexCubemapGrad_v2", (float x, float y, float z, float4 dx, float4 dy), (x, y, z, &dx, &dy))
#undef CUDART_TEX_
#endif

#include "surface_indirect_functions.h"

#endif
