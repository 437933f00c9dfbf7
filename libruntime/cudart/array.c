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

/* All channels that are there are alike; three of them are refused when an array is made. */
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

static cudaError_t resource_to_driver(struct drv_resource *out, const struct cudaResourceDesc *r)
{
	struct drv_resource d = { .type = (int)r->resType };
	cudaError_t e = cudaSuccess;

	switch (r->resType) {
	case cudaResourceTypeArray:
		d.res.array = r->res.array.array;
		break;
	case cudaResourceTypeMipmappedArray:
		d.res.array = r->res.mipmap.mipmap;
		break;
	case cudaResourceTypeLinear:
		d.res.linear.ptr = (uintptr_t)r->res.linear.devPtr;
		d.res.linear.bytes = r->res.linear.sizeInBytes;
		e = to_driver(&r->res.linear.desc, &d.res.linear.format, &d.res.linear.channels);
		break;
	case cudaResourceTypePitch2D:
		d.res.pitch.ptr = (uintptr_t)r->res.pitch2D.devPtr;
		d.res.pitch.width = r->res.pitch2D.width;
		d.res.pitch.height = r->res.pitch2D.height;
		d.res.pitch.pitch = r->res.pitch2D.pitchInBytes;
		e = to_driver(&r->res.pitch2D.desc, &d.res.pitch.format, &d.res.pitch.channels);
		break;
	default:
		e = cudaErrorInvalidValue;
	}
	*out = d;
	return e;
}

static void resource_from_driver(struct cudaResourceDesc *out, const struct drv_resource *d)
{
	*out = (struct cudaResourceDesc){ .resType = (enum cudaResourceType)d->type };
	switch (out->resType) {
	case cudaResourceTypeLinear:
		out->res.linear.devPtr = (void *)(uintptr_t)d->res.linear.ptr;
		out->res.linear.desc = from_driver(d->res.linear.format, d->res.linear.channels);
		out->res.linear.sizeInBytes = d->res.linear.bytes;
		break;
	case cudaResourceTypePitch2D:
		out->res.pitch2D.devPtr = (void *)(uintptr_t)d->res.pitch.ptr;
		out->res.pitch2D.desc = from_driver(d->res.pitch.format, d->res.pitch.channels);
		out->res.pitch2D.width = d->res.pitch.width;
		out->res.pitch2D.height = d->res.pitch.height;
		out->res.pitch2D.pitchInBytes = d->res.pitch.pitch;
		break;
	default:
		out->res.array.array = d->res.array;
	}
}

static struct cudaChannelFormatDesc texels_of(const struct cudaResourceDesc *r)
{
	struct cudaChannelFormatDesc d = { 0 };

	if (r->resType == cudaResourceTypeLinear)
		d = r->res.linear.desc;
	else if (r->resType == cudaResourceTypePitch2D)
		d = r->res.pitch2D.desc;
	else if (r->resType == cudaResourceTypeArray)
		i_cudaGetChannelDesc(&d, r->res.array.array);
	return d;
}

static cudaError_t texture_to_driver(struct drv_texture *d, const struct cudaTextureDesc *t,
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
	*d = (struct drv_texture){
		.address = { (int)t->addressMode[0], (int)t->addressMode[1], (int)t->addressMode[2] },
		.filter = (int)t->filterMode, .max_anisotropy = t->maxAnisotropy,
		.mipmap_filter = (int)t->mipmapFilterMode, .level_bias = t->mipmapLevelBias,
		.min_level = t->minMipmapLevelClamp, .max_level = t->maxMipmapLevelClamp,
		.flags = (normalized || texels.f == cudaChannelFormatKindFloat ? 0 : DRV_TEXTURE_INTEGERS) |
			 (t->normalizedCoords ? DRV_TEXTURE_NORMALIZED : 0) | (t->sRGB ? DRV_TEXTURE_SRGB : 0),
	};
	memcpy(d->border, t->borderColor, sizeof(d->border));
	return cudaSuccess;
}

cudaError_t i_cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *resource,
				      const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view)
{
	struct drv_resource r;
	struct drv_texture t;
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
	return e ? e : DRV_CALL(drv_tex_create, texture, &r, &t, NULL);
}

cudaError_t i_cudaDestroyTextureObject(cudaTextureObject_t texture)
{
	cudaError_t e = crt_enter();

	return e || !texture ? e : DRV_CALL(drv_tex_destroy, texture);
}

cudaError_t i_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t texture)
{
	struct drv_resource r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!resource)
		return cudaErrorInvalidValue;
	e = DRV_CALL(drv_tex_resource, &r, texture);
	if (!e)
		resource_from_driver(resource, &r);
	return e;
}

cudaError_t i_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc, cudaTextureObject_t texture)
{
	struct drv_texture t;
	struct drv_resource r;
	struct cudaResourceDesc resource;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!desc)
		return cudaErrorInvalidValue;
	e = DRV_CALL(drv_tex_desc, &t, texture);
	if (!e)
		e = DRV_CALL(drv_tex_resource, &r, texture);
	if (e)
		return e;
	resource_from_driver(&resource, &r);
	*desc = (struct cudaTextureDesc){
		.addressMode = { (enum cudaTextureAddressMode)t.address[0], (enum cudaTextureAddressMode)t.address[1],
				 (enum cudaTextureAddressMode)t.address[2] },
		.filterMode = (enum cudaTextureFilterMode)t.filter,
		.readMode = t.flags & DRV_TEXTURE_INTEGERS ||
			    texels_of(&resource).f == cudaChannelFormatKindFloat ? cudaReadModeElementType :
			    cudaReadModeNormalizedFloat,
		.sRGB = !!(t.flags & DRV_TEXTURE_SRGB), .normalizedCoords = !!(t.flags & DRV_TEXTURE_NORMALIZED),
		.maxAnisotropy = t.max_anisotropy, .mipmapFilterMode = (enum cudaTextureFilterMode)t.mipmap_filter,
		.mipmapLevelBias = t.level_bias, .minMipmapLevelClamp = t.min_level,
		.maxMipmapLevelClamp = t.max_level,
	};
	memcpy(desc->borderColor, t.border, sizeof(t.border));
	return cudaSuccess;
}

cudaError_t i_cudaCreateSurfaceObject(cudaSurfaceObject_t *surface, const struct cudaResourceDesc *resource)
{
	struct drv_resource r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!surface || !resource || resource->resType != cudaResourceTypeArray)
		return cudaErrorInvalidValue;
	e = resource_to_driver(&r, resource);
	return e ? e : DRV_CALL(drv_surf_create, surface, &r);
}

cudaError_t i_cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
	cudaError_t e = crt_enter();

	return e || !surface ? e : DRV_CALL(drv_surf_destroy, surface);
}

cudaError_t i_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t surface)
{
	struct drv_resource r;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!resource)
		return cudaErrorInvalidValue;
	e = DRV_CALL(drv_surf_resource, &r, surface);
	if (!e)
		resource_from_driver(resource, &r);
	return e;
}
