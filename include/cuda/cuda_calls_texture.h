/* SPDX-License-Identifier: MIT */
/* More of the list in cuda_calls.h: textures and surfaces, as objects and as references of modules. */
#ifndef PPU_CUDA_CALLS_TEXTURE_H
#define PPU_CUDA_CALLS_TEXTURE_H

#define CU_CALLS_TEXTURE(C, P, V) \
C(cuTexObjectCreate, cuTexObjectCreate, 5000, (CUtexObject *, texture), (const CUDA_RESOURCE_DESC *, resource), \
	(const CUDA_TEXTURE_DESC *, desc), (const CUDA_RESOURCE_VIEW_DESC *, view)) \
C(cuTexObjectDestroy, cuTexObjectDestroy, 5000, (CUtexObject, texture)) \
C(cuTexObjectGetResourceDesc, cuTexObjectGetResourceDesc, 5000, (CUDA_RESOURCE_DESC *, desc), \
	(CUtexObject, texture)) \
C(cuTexObjectGetTextureDesc, cuTexObjectGetTextureDesc, 5000, (CUDA_TEXTURE_DESC *, desc), (CUtexObject, texture)) \
C(cuTexObjectGetResourceViewDesc, cuTexObjectGetResourceViewDesc, 5000, (CUDA_RESOURCE_VIEW_DESC *, desc), \
	(CUtexObject, texture)) \
C(cuSurfObjectCreate, cuSurfObjectCreate, 5000, (CUsurfObject *, surface), (const CUDA_RESOURCE_DESC *, resource)) \
C(cuSurfObjectDestroy, cuSurfObjectDestroy, 5000, (CUsurfObject, surface)) \
C(cuSurfObjectGetResourceDesc, cuSurfObjectGetResourceDesc, 5000, (CUDA_RESOURCE_DESC *, desc), \
	(CUsurfObject, surface)) \
/* references: .texref and .surfref variables of modules */ \
C(cuModuleGetTexRef, cuModuleGetTexRef, 2000, (CUtexref *, ref), (CUmodule, module), (const char *, name)) \
C(cuModuleGetSurfRef, cuModuleGetSurfRef, 3010, (CUsurfref *, ref), (CUmodule, module), (const char *, name)) \
C(cuTexRefCreate, cuTexRefCreate, 2000, (CUtexref *, ref)) \
C(cuTexRefDestroy, cuTexRefDestroy, 2000, (CUtexref, ref)) \
C(cuTexRefSetArray, cuTexRefSetArray, 2000, (CUtexref, ref), (CUarray, array), (unsigned int, flags)) \
C(cuTexRefSetMipmappedArray, cuTexRefSetMipmappedArray, 5000, (CUtexref, ref), (CUmipmappedArray, array), \
	(unsigned int, flags)) \
C(cuTexRefGetMipmappedArray, cuTexRefGetMipmappedArray, 5000, (CUmipmappedArray *, array), (CUtexref, ref)) \
C(cuTexRefSetAddress_v2, cuTexRefSetAddress, 3020, (size_t *, offset), (CUtexref, ref), (CUdeviceptr, ptr), \
	(size_t, bytes)) \
C(cuTexRefSetAddress2D_v3, cuTexRefSetAddress2D, 4010, (CUtexref, ref), (const CUDA_ARRAY_DESCRIPTOR *, desc), \
	(CUdeviceptr, ptr), (size_t, pitch)) \
C(cuTexRefSetFormat, cuTexRefSetFormat, 2000, (CUtexref, ref), (CUarray_format, format), (int, channels)) \
C(cuTexRefSetAddressMode, cuTexRefSetAddressMode, 2000, (CUtexref, ref), (int, dim), (CUaddress_mode, mode)) \
C(cuTexRefSetFilterMode, cuTexRefSetFilterMode, 2000, (CUtexref, ref), (CUfilter_mode, mode)) \
C(cuTexRefSetFlags, cuTexRefSetFlags, 2000, (CUtexref, ref), (unsigned int, flags)) \
C(cuTexRefSetBorderColor, cuTexRefSetBorderColor, 8000, (CUtexref, ref), (float *, color)) \
C(cuTexRefSetMaxAnisotropy, cuTexRefSetMaxAnisotropy, 5000, (CUtexref, ref), (unsigned int, max)) \
C(cuTexRefSetMipmapFilterMode, cuTexRefSetMipmapFilterMode, 5000, (CUtexref, ref), (CUfilter_mode, mode)) \
C(cuTexRefSetMipmapLevelBias, cuTexRefSetMipmapLevelBias, 5000, (CUtexref, ref), (float, bias)) \
C(cuTexRefSetMipmapLevelClamp, cuTexRefSetMipmapLevelClamp, 5000, (CUtexref, ref), (float, min), (float, max)) \
C(cuTexRefGetAddress_v2, cuTexRefGetAddress, 3020, (CUdeviceptr *, ptr), (CUtexref, ref)) \
C(cuTexRefGetArray, cuTexRefGetArray, 2000, (CUarray *, array), (CUtexref, ref)) \
C(cuTexRefGetAddressMode, cuTexRefGetAddressMode, 2000, (CUaddress_mode *, mode), (CUtexref, ref), (int, dim)) \
C(cuTexRefGetFilterMode, cuTexRefGetFilterMode, 2000, (CUfilter_mode *, mode), (CUtexref, ref)) \
C(cuTexRefGetFormat, cuTexRefGetFormat, 2000, (CUarray_format *, format), (int *, channels), (CUtexref, ref)) \
C(cuTexRefGetFlags, cuTexRefGetFlags, 2000, (unsigned int *, flags), (CUtexref, ref)) \
C(cuTexRefGetBorderColor, cuTexRefGetBorderColor, 8000, (float *, color), (CUtexref, ref)) \
C(cuTexRefGetMaxAnisotropy, cuTexRefGetMaxAnisotropy, 5000, (int *, max), (CUtexref, ref)) \
C(cuTexRefGetMipmapFilterMode, cuTexRefGetMipmapFilterMode, 5000, (CUfilter_mode *, mode), (CUtexref, ref)) \
C(cuTexRefGetMipmapLevelBias, cuTexRefGetMipmapLevelBias, 5000, (float *, bias), (CUtexref, ref)) \
C(cuTexRefGetMipmapLevelClamp, cuTexRefGetMipmapLevelClamp, 5000, (float *, min), (float *, max), (CUtexref, ref)) \
C(cuSurfRefSetArray, cuSurfRefSetArray, 3010, (CUsurfref, ref), (CUarray, array), (unsigned int, flags)) \
C(cuSurfRefGetArray, cuSurfRefGetArray, 3010, (CUarray *, array), (CUsurfref, ref))

#endif
