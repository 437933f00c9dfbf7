/* SPDX-License-Identifier: MIT */
/* Types of the Driver API: textures and surfaces.  Included by cuda.h. */
#ifndef PPU_CUDA_TEXTURE_H
#define PPU_CUDA_TEXTURE_H

/* Flags of arrays. */
#define CUDA_ARRAY3D_LAYERED		0x01
#define CUDA_ARRAY3D_SURFACE_LDST	0x02
#define CUDA_ARRAY3D_CUBEMAP		0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER	0x08

typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUsurfref_st *CUsurfref;

typedef enum CUaddress_mode_enum {
	CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER
} CUaddress_mode;
typedef enum CUfilter_mode_enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR } CUfilter_mode;
#define CU_TRSA_OVERRIDE_FORMAT		0x01
#define CU_TRSF_READ_AS_INTEGER		0x01
#define CU_TRSF_NORMALIZED_COORDINATES	0x02
#define CU_TRSF_SRGB			0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP	0x40

typedef enum CUresourcetype_enum {
	CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D
} CUresourcetype;
typedef struct CUDA_RESOURCE_DESC_st {
	CUresourcetype resType;
	union {
		struct {
			CUarray hArray;
		} array;
		struct {
			CUmipmappedArray hMipmappedArray;
		} mipmap;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned int numChannels;
			size_t sizeInBytes;
		} linear;
		struct {
			CUdeviceptr devPtr;
			CUarray_format format;
			unsigned int numChannels;
			size_t width, height, pitchInBytes;
		} pitch2D;
		struct {
			int reserved[32];
		} reserved;
	} res;
	unsigned int flags;
} CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st {
	CUaddress_mode addressMode[3];
	CUfilter_mode filterMode;
	unsigned int flags, maxAnisotropy;
	CUfilter_mode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
	int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st {
	int format;
	size_t width, height, depth;
	unsigned int firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

#endif
