/* SPDX-License-Identifier: MIT */
/* Arrays, and the texture and surface objects that read them. */
#include <string.h>
#include "cudart.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}

/* ---- formats -------------------------------------------------------------------------------- */

static const struct {
	enum cudaChannelFormatKind kind;
	int bits;
	CUarray_format format;
} formats[] = {
	{ cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8 },
	{ cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16 },
	{ cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32 },
	{ cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8 },
	{ cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16 },
	{ cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32 },
	{ cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF },
	{ cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT },
};
#define NUM_FORMATS (sizeof(formats) / sizeof(*formats))

/* All channels of a format must be alike.  Three channels are accepted here, but refused when an array is made. */
static cudaError_t to_driver(const struct cudaChannelFormatDesc *d, CUarray_format *format, unsigned int *channels)
{
	const int bits[4] = { d->x, d->y, d->z, d->w };

	*channels = 0;
	while (*channels < 4 && bits[*channels])
		++*channels;
	for (unsigned int i = 0; i < 4; i++)
		if (bits[i] != (i < *channels ? d->x : 0))
			return cudaErrorInvalidChannelDescriptor;
	for (size_t i = 0; i < NUM_FORMATS && *channels; i++) {
		if (formats[i].kind == d->f && formats[i].bits == d->x) {
			*format = formats[i].format;
			return cudaSuccess;
		}
	}
	return cudaErrorInvalidChannelDescriptor;
}

static int bits_of(CUarray_format format, enum cudaChannelFormatKind *kind)
{
	for (size_t i = 0; i < NUM_FORMATS; i++) {
		if (formats[i].format == format) {
			*kind = formats[i].kind;
			return formats[i].bits;
		}
	}
	*kind = cudaChannelFormatKindNone;
	return 0;
}

static struct cudaChannelFormatDesc from_driver(CUarray_format format, unsigned int channels)
{
	struct cudaChannelFormatDesc d = { 0 };
	int bits = bits_of(format, &d.f);

	d.x = bits;
	d.y = channels > 1 ? bits : 0;
	d.z = channels > 2 ? bits : 0;
	d.w = channels > 3 ? bits : 0;
	return d;
}

/* ---- arrays --------------------------------------------------------------------------------- */

cudaError_t i_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
				struct cudaExtent extent, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { extent.width, extent.height, extent.depth, 0, 0, flags };
	CUarray a;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!array || !desc)
		return cudaErrorInvalidValue;
	e = to_driver(desc, &d.Format, &d.NumChannels);
	if (!e)
		e = crt_error(cuArray3DCreate_v2(&a, &d));
	if (!e)
		*array = (cudaArray_t)a;
	return e;
}

cudaError_t i_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
			      size_t height, unsigned int flags)
{
	return i_cudaMalloc3DArray(array, desc, (struct cudaExtent){ width, height, 0 }, flags);
}

cudaError_t i_cudaMallocMipmappedArray(cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc,
				       struct cudaExtent extent, unsigned int levels, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { extent.width, extent.height, extent.depth, 0, 0, flags };
	CUmipmappedArray a;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!array || !desc)
		return cudaErrorInvalidValue;
	e = to_driver(desc, &d.Format, &d.NumChannels);
	if (!e)
		e = crt_error(cuMipmappedArrayCreate(&a, &d, levels));
	if (!e)
		*array = (cudaMipmappedArray_t)a;
	return e;
}

cudaError_t i_cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array, unsigned int number)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuMipmappedArrayGetLevel((CUarray *)level, (CUmipmappedArray)(uintptr_t)array, number));
}

cudaError_t i_cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	cudaError_t e = crt_enter();

	return e || !array ? e : crt_error(cuMipmappedArrayDestroy((CUmipmappedArray)array));
}

cudaError_t i_cudaFreeArray(cudaArray_t array)
{
	cudaError_t e = crt_enter();

	return e || !array ? e : crt_error(cuArrayDestroy((CUarray)array));
}

cudaError_t i_cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
			       cudaArray_t array)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	cudaError_t e = crt_enter();

	if (!e)
		e = crt_error(cuArray3DGetDescriptor_v2(&d, (CUarray)array));
	if (e)
		return e;
	if (desc)
		*desc = from_driver(d.Format, d.NumChannels);
	if (extent)
		*extent = (struct cudaExtent){ d.Width, d.Height, d.Depth };
	if (flags)
		*flags = d.Flags;
	return cudaSuccess;
}

cudaError_t i_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	return desc ? i_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array) : cudaErrorInvalidValue;
}

size_t crt_array_element(cudaArray_const_t array)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	enum cudaChannelFormatKind kind;

	if (cuArray3DGetDescriptor_v2(&d, (CUarray)(uintptr_t)array))
		return 0;
	return (size_t)bits_of(d.Format, &kind) / 8 * d.NumChannels;
}

/* ---- texture and surface objects ------------------------------------------------------------ */

static cudaError_t resource_to_driver(CUDA_RESOURCE_DESC *out, const struct cudaResourceDesc *r)
{
	CUDA_RESOURCE_DESC d = { .resType = (CUresourcetype)r->resType };
	cudaError_t e = cudaSuccess;

	switch (r->resType) {
	case cudaResourceTypeArray:
		d.res.array.hArray = (CUarray)r->res.array.array;
		break;
	case cudaResourceTypeMipmappedArray:
		d.res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
		break;
	case cudaResourceTypeLinear:
		d.res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
		d.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		e = to_driver(&r->res.linear.desc, &d.res.linear.format, &d.res.linear.numChannels);
		break;
	case cudaResourceTypePitch2D:
		d.res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
		d.res.pitch2D.width = r->res.pitch2D.width;
		d.res.pitch2D.height = r->res.pitch2D.height;
		d.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
		e = to_driver(&r->res.pitch2D.desc, &d.res.pitch2D.format, &d.res.pitch2D.numChannels);
		break;
	default:
		e = cudaErrorInvalidValue;
	}
	*out = d;
	return e;
}

static void resource_from_driver(struct cudaResourceDesc *out, const CUDA_RESOURCE_DESC *d)
{
	*out = (struct cudaResourceDesc){ .resType = (enum cudaResourceType)d->resType };
	switch (out->resType) {
	case cudaResourceTypeLinear:
		out->res.linear.devPtr = (void *)(uintptr_t)d->res.linear.devPtr;
		out->res.linear.desc = from_driver(d->res.linear.format, d->res.linear.numChannels);
		out->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
		break;
	case cudaResourceTypePitch2D:
		out->res.pitch2D.devPtr = (void *)(uintptr_t)d->res.pitch2D.devPtr;
		out->res.pitch2D.desc = from_driver(d->res.pitch2D.format, d->res.pitch2D.numChannels);
		out->res.pitch2D.width = d->res.pitch2D.width;
		out->res.pitch2D.height = d->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
		break;
	case cudaResourceTypeMipmappedArray:
		out->res.mipmap.mipmap = (cudaMipmappedArray_t)d->res.mipmap.hMipmappedArray;
		break;
	default:
		out->res.array.array = (cudaArray_t)d->res.array.hArray;
	}
}

static struct cudaChannelFormatDesc texels_of(const struct cudaResourceDesc *r)
{
	struct cudaChannelFormatDesc d = { 0 };
	cudaArray_t first;

	if (r->resType == cudaResourceTypeLinear)
		d = r->res.linear.desc;
	else if (r->resType == cudaResourceTypePitch2D)
		d = r->res.pitch2D.desc;
	else if (r->resType == cudaResourceTypeArray)
		i_cudaGetChannelDesc(&d, r->res.array.array);
	else if (!i_cudaGetMipmappedArrayLevel(&first, r->res.mipmap.mipmap, 0))
		i_cudaGetChannelDesc(&d, first);
	return d;
}

/* The member is new in CUDA 12: programs of CUDA 11 have less behind the pointer. */
static unsigned int seamless(const struct cudaTextureDesc *t)
{
	int version;

	i_cudaRuntimeGetVersion(&version);
	return version >= 12000 && t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0;
}

static cudaError_t texture_to_driver(CUDA_TEXTURE_DESC *d, const struct cudaTextureDesc *t,
				     const struct cudaResourceDesc *r)
{
	struct cudaChannelFormatDesc texels = texels_of(r);
	bool normalized = t->readMode == cudaReadModeNormalizedFloat;

	if (texels.f != cudaChannelFormatKindFloat) {
		if (normalized && texels.x > 16)
			return cudaErrorInvalidNormSetting;
		if (!normalized && t->filterMode == cudaFilterModeLinear)
			return cudaErrorInvalidFilterSetting;
	}
	*d = (CUDA_TEXTURE_DESC){
		.addressMode = { (CUaddress_mode)t->addressMode[0], (CUaddress_mode)t->addressMode[1],
				 (CUaddress_mode)t->addressMode[2] },
		.filterMode = (CUfilter_mode)t->filterMode, .maxAnisotropy = t->maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode, .mipmapLevelBias = t->mipmapLevelBias,
		.minMipmapLevelClamp = t->minMipmapLevelClamp, .maxMipmapLevelClamp = t->maxMipmapLevelClamp,
		.flags = (normalized || texels.f == cudaChannelFormatKindFloat ? 0 : CU_TRSF_READ_AS_INTEGER) |
			 (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (t->sRGB ? CU_TRSF_SRGB : 0) |
			 seamless(t),
	};
	memcpy(d->borderColor, t->borderColor, sizeof(d->borderColor));
	return cudaSuccess;
}

cudaError_t i_cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
				      const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view)
{
	CUDA_RESOURCE_DESC r;
	CUDA_TEXTURE_DESC t;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!texture || !resource || !desc)
		return cudaErrorInvalidValue;
	if (view)
		return cudaErrorNotSupported;
	e = resource_to_driver(&r, resource);
	if (!e)
		e = texture_to_driver(&t, desc, resource);
	return e ? e : CRT_CALL(cuTexObjectCreate, texture, &r, &t, NULL);
}

cudaError_t i_cudaDestroyTextureObject(cudaTextureObject_t texture)
{
	cudaError_t e = crt_enter();

	return e || !texture ? e : CRT_CALL(cuTexObjectDestroy, texture);
}

cudaError_t i_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture)
{
	CUDA_RESOURCE_DESC r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!resource)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuTexObjectGetResourceDesc, &r, texture);
	if (!e)
		resource_from_driver(resource, &r);
	return e;
}

cudaError_t i_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc, cudaTextureObject_t texture)
{
	CUDA_TEXTURE_DESC t;
	CUDA_RESOURCE_DESC r;
	struct cudaResourceDesc resource;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!desc)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuTexObjectGetTextureDesc, &t, texture);
	if (!e)
		e = CRT_CALL(cuTexObjectGetResourceDesc, &r, texture);
	if (e)
		return e;
	resource_from_driver(&resource, &r);
	*desc = (struct cudaTextureDesc){
		.addressMode = { (enum cudaTextureAddressMode)t.addressMode[0],
				 (enum cudaTextureAddressMode)t.addressMode[1],
				 (enum cudaTextureAddressMode)t.addressMode[2] },
		.filterMode = (enum cudaTextureFilterMode)t.filterMode,
		.readMode = t.flags & CU_TRSF_READ_AS_INTEGER ||
			    texels_of(&resource).f == cudaChannelFormatKindFloat ? cudaReadModeElementType :
			    cudaReadModeNormalizedFloat,
		.sRGB = !!(t.flags & CU_TRSF_SRGB), .normalizedCoords = !!(t.flags & CU_TRSF_NORMALIZED_COORDINATES),
		.maxAnisotropy = t.maxAnisotropy, .mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmapFilterMode,
		.mipmapLevelBias = t.mipmapLevelBias, .minMipmapLevelClamp = t.minMipmapLevelClamp,
		.maxMipmapLevelClamp = t.maxMipmapLevelClamp,
	};
	memcpy(desc->borderColor, t.borderColor, sizeof(t.borderColor));
	return cudaSuccess;
}

cudaError_t i_cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource)
{
	CUDA_RESOURCE_DESC r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!surface || !resource || resource->resType != cudaResourceTypeArray)
		return cudaErrorInvalidValue;
	e = resource_to_driver(&r, resource);
	return e ? e : CRT_CALL(cuSurfObjectCreate, surface, &r);
}

cudaError_t i_cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
	cudaError_t e = crt_enter();

	return e || !surface ? e : CRT_CALL(cuSurfObjectDestroy, surface);
}

cudaError_t i_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface)
{
	CUDA_RESOURCE_DESC r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!resource)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuSurfObjectGetResourceDesc, &r, surface);
	if (!e)
		resource_from_driver(resource, &r);
	return e;
}
