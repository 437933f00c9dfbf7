/* SPDX-License-Identifier: MIT */
/* What a texture object does with coordinates and texels. */
#ifndef PPU_TEXTURE_TYPES_H
#define PPU_TEXTURE_TYPES_H

#define cudaTextureType1D		0x01
#define cudaTextureType2D		0x02
#define cudaTextureType3D		0x03
#define cudaTextureTypeCubemap		0x0c
#define cudaTextureType1DLayered	0xf1
#define cudaTextureType2DLayered	0xf2
#define cudaTextureTypeCubemapLayered	0xfc

enum cudaTextureAddressMode {
	cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };

struct cudaTextureDesc {
	enum cudaTextureAddressMode addressMode[3];
	enum cudaTextureFilterMode filterMode;
	enum cudaTextureReadMode readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned int maxAnisotropy;
	enum cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
};
typedef unsigned long long cudaTextureObject_t;

#ifdef __cplusplus
/* CUDA 12 removed references to textures.  Only the name is here, for headers that mention it. */
template <class T, int dim, cudaTextureReadMode mode> struct texture;
#endif

#endif
