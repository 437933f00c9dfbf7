/* SPDX-License-Identifier: MIT */
/* Texture and surface objects.  The handle is libppu's; this file keeps the description of each object. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "cuda/texture/texture.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/memory/array.h"
#include "cuda/memory/format.h"

struct object {
	unsigned long long handle;
	bool surface;
	struct CUctx_st *ctx;		/* with a reference */
	unsigned long long ctx_id;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC desc;
	CUDA_RESOURCE_VIEW_DESC view;
	bool has_view;
	struct object *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *list;

/* ---- descriptions --------------------------------------------------------------------------- */

static bool format_of(CUarray_format f, ppuTextureFormat *out)
{
	switch (f) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
		*out = PPU_TEXTURE_U8;
		return true;
	case CU_AD_FORMAT_SIGNED_INT8:
		*out = PPU_TEXTURE_S8;
		return true;
	case CU_AD_FORMAT_UNSIGNED_INT16:
		*out = PPU_TEXTURE_U16;
		return true;
	case CU_AD_FORMAT_SIGNED_INT16:
		*out = PPU_TEXTURE_S16;
		return true;
	case CU_AD_FORMAT_UNSIGNED_INT32:
		*out = PPU_TEXTURE_U32;
		return true;
	case CU_AD_FORMAT_SIGNED_INT32:
		*out = PPU_TEXTURE_S32;
		return true;
	case CU_AD_FORMAT_HALF:
		*out = PPU_TEXTURE_F16;
		return true;
	case CU_AD_FORMAT_FLOAT:
		*out = PPU_TEXTURE_F32;
		return true;
	default:
		return false;
	}
}

static CUresult from_array(CUarray handle, ppuTextureDesc *t, CUarray_format *format)
{
	struct CUarray_st *a;
	CUresult r = cu_obj_find(handle, CU_ARRAY, &a);

	if (r)
		return r;
	t->data = a->mem;
	t->width = (uint32_t)a->desc.Width;
	t->height = (uint32_t)a->desc.Height;
	t->depth = (uint32_t)a->desc.Depth;
	t->pitch = a->pitch;
	t->slice_pitch = a->pitch * a->height;
	t->channels = a->desc.NumChannels;
	*format = a->desc.Format;
	cu_obj_put(a);
	return CUDA_SUCCESS;
}

static CUresult from_mipmap(CUmipmappedArray handle, struct cu_texture *t, CUarray_format *format)
{
	struct CUmipmappedArray_st *m;
	CUresult r = cu_obj_find(handle, CU_MIPMAP, &m);

	if (r)
		return r;
	r = from_array(m->level[0], &t->desc, format);
	for (unsigned int i = 1; !r && i < m->num_levels; i++) {
		ppuTextureDesc l = { 0 };

		r = from_array(m->level[i], &l, format);
		t->levels[i - 1] = (ppuTextureLevel){ l.data, l.width, l.height, l.depth, 0, l.pitch, l.slice_pitch };
	}
	t->desc.num_levels = m->num_levels - 1;
	t->desc.levels = t->levels;
	cu_obj_put(m);
	return r;
}

static CUresult from_resource(const CUDA_RESOURCE_DESC *r, struct cu_texture *made, CUarray_format *format)
{
	ppuTextureDesc *t = &made->desc;
	size_t texel;

	switch (r->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		return from_array(r->res.array.hArray, t, format);
	case CU_RESOURCE_TYPE_LINEAR:
		*format = r->res.linear.format;
		texel = cu_format_bytes(*format) * r->res.linear.numChannels;
		if (!texel || r->res.linear.sizeInBytes / texel > UINT32_MAX)
			return CUDA_ERROR_INVALID_VALUE;
		t->data = (const void *)(uintptr_t)r->res.linear.devPtr;
		t->width = (uint32_t)(r->res.linear.sizeInBytes / texel);
		t->channels = r->res.linear.numChannels;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_PITCH2D:
		*format = r->res.pitch2D.format;
		if (r->res.pitch2D.width > UINT32_MAX || r->res.pitch2D.height > UINT32_MAX || !r->res.pitch2D.height)
			return CUDA_ERROR_INVALID_VALUE;
		t->data = (const void *)(uintptr_t)r->res.pitch2D.devPtr;
		t->width = (uint32_t)r->res.pitch2D.width;
		t->height = (uint32_t)r->res.pitch2D.height;
		t->pitch = r->res.pitch2D.pitchInBytes;
		t->channels = r->res.pitch2D.numChannels;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return from_mipmap(r->res.mipmap.hMipmappedArray, made, format);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult address_of(CUaddress_mode mode, ppuTextureAddress *out)
{
	static const ppuTextureAddress modes[] = {
		[CU_TR_ADDRESS_MODE_WRAP] = PPU_TEXTURE_WRAP, [CU_TR_ADDRESS_MODE_CLAMP] = PPU_TEXTURE_CLAMP,
		[CU_TR_ADDRESS_MODE_MIRROR] = PPU_TEXTURE_MIRROR, [CU_TR_ADDRESS_MODE_BORDER] = PPU_TEXTURE_BORDER,
	};

	if ((unsigned int)mode > CU_TR_ADDRESS_MODE_BORDER)
		return CUDA_ERROR_INVALID_VALUE;
	*out = modes[mode];
	return CUDA_SUCCESS;
}

static CUresult sampling(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d, CUarray_format format,
			 ppuTextureDesc *t)
{
	unsigned int known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
			     CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
	bool small_integer = format < CU_AD_FORMAT_HALF && cu_format_bytes(format) < 4;
	CUresult res = CUDA_SUCCESS;

	if (d->flags & ~known || (unsigned int)d->filterMode > CU_TR_FILTER_MODE_LINEAR)
		return CUDA_ERROR_INVALID_VALUE;
	/* Filtering across the edges of a cube map is another filter, which there is none of. */
	if (d->flags & CU_TRSF_SEAMLESS_CUBEMAP && d->filterMode == CU_TR_FILTER_MODE_LINEAR)
		return CUDA_ERROR_NOT_SUPPORTED;
	t->normalized_read = small_integer && !(d->flags & CU_TRSF_READ_AS_INTEGER);
	/* Other formats than these have no curve, and the flag means nothing. */
	t->srgb = d->flags & CU_TRSF_SRGB && t->normalized_read && format == CU_AD_FORMAT_UNSIGNED_INT8;
	if (r->resType == CU_RESOURCE_TYPE_LINEAR) {	/* fetched by index only; outside there are zeros */
		for (int i = 0; i < 3; i++)
			t->address[i] = PPU_TEXTURE_BORDER;
		return CUDA_SUCCESS;
	}
	for (int i = 0; !res && i < 3; i++)
		res = address_of(d->addressMode[i], &t->address[i]);
	t->filter = d->filterMode == CU_TR_FILTER_MODE_LINEAR ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT;
	t->normalized_coordinates = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
	memcpy(t->border, d->borderColor, sizeof(t->border));
	if (r->resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
		return res;
	/* The interface wants normalized coordinates of a mipmap. */
	if ((unsigned int)d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR || !t->normalized_coordinates)
		return CUDA_ERROR_INVALID_VALUE;
	t->level_filter = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT;
	t->level_bias = d->mipmapLevelBias;
	t->min_level = d->minMipmapLevelClamp;
	t->max_level = d->maxMipmapLevelClamp;
	return res;
}

CUresult cu_texture_describe(const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d, struct cu_texture *t)
{
	CUarray_format format;
	CUresult res;

	memset(t, 0, sizeof(*t));
	if (r->flags)
		return CUDA_ERROR_INVALID_VALUE;
	res = from_resource(r, t, &format);
	if (!res && !format_of(format, &t->desc.format))
		res = CUDA_ERROR_INVALID_VALUE;
	if (!res && d)
		res = sampling(r, d, format, &t->desc);
	return res;
}

/* ---- objects -------------------------------------------------------------------------------- */

static CUresult create(unsigned long long *handle, bool surface, const CUDA_RESOURCE_DESC *resource,
		       const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct object *o;
	struct CUctx_st *c;
	struct cu_texture t;
	ppuTexture texture;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	o = calloc(1, sizeof(*o));
	r = handle && resource ? cu_texture_describe(resource, desc, &t) : CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = o ? cu_result(ppuTextureCreate(&texture, &t.desc)) : CUDA_ERROR_OUT_OF_MEMORY;
	if (r) {
		free(o);
		cu_obj_put(c);
		return r;
	}
	*o = (struct object){ .handle = texture, .surface = surface, .ctx = c, .ctx_id = c->id, .resource = *resource,
			      .has_view = view };
	if (desc)
		o->desc = *desc;
	if (view)
		o->view = *view;
	pthread_mutex_lock(&lock);
	o->next = list;
	list = o;
	pthread_mutex_unlock(&lock);
	*handle = texture;
	return CUDA_SUCCESS;
}

/* A view that shows the resource as it is has no effect; other views are not supported. */
CUresult i_cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *desc,
			     const CUDA_RESOURCE_VIEW_DESC *view)
{
	if (!desc)
		return CUDA_ERROR_INVALID_VALUE;
	if (view && (view->format || view->firstMipmapLevel || view->lastMipmapLevel || view->firstLayer || view->lastLayer))
		return CUDA_ERROR_NOT_SUPPORTED;
	return create(texture, false, resource, desc, view);
}

CUresult i_cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
	if (!resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	return create(surface, true, resource, NULL, NULL);
}

/* Locked.  Finds an object.  Objects whose context has ended are removed. */
static struct object **place(unsigned long long handle, bool surface)
{
	struct object **p = &list, *o;

	while ((o = *p)) {
		if (o->ctx->dead || o->ctx->id != o->ctx_id) {	/* ended with its context */
			*p = o->next;
			cu_obj_put(o->ctx);
			free(o);
			continue;
		}
		if (o->handle == handle && o->surface == surface)
			break;
		p = &o->next;
	}
	return p;
}

static CUresult destroy(unsigned long long handle, bool surface)
{
	struct object **p, *o = NULL;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	p = place(handle, surface);
	if (*p && (*p)->ctx == c) {
		o = *p;
		*p = o->next;
	}
	pthread_mutex_unlock(&lock);
	r = o ? cu_result(ppuTextureDestroy(handle)) : CUDA_ERROR_INVALID_VALUE;
	if (o)
		cu_obj_put(o->ctx);
	free(o);
	cu_obj_put(c);
	return r;
}

CUresult i_cuTexObjectDestroy(CUtexObject texture)
{
	return destroy(texture, false);
}

CUresult i_cuSurfObjectDestroy(CUsurfObject surface)
{
	return destroy(surface, true);
}

/* Calls that return one part of an object's description. */
#define PART(call, Type, surface, part, there) \
CUresult i_##call(Type *out, unsigned long long handle) \
{ \
	struct object *o; \
	CUresult r = out ? cu_ready() : CUDA_ERROR_INVALID_VALUE; \
	if (r) \
		return r; \
	pthread_mutex_lock(&lock); \
	o = *place(handle, surface); \
	if (o && (there)) \
		*out = o->part; \
	else \
		r = CUDA_ERROR_INVALID_VALUE; \
	pthread_mutex_unlock(&lock); \
	return r; \
}
PART(cuTexObjectGetResourceDesc, CUDA_RESOURCE_DESC, false, resource, true)
PART(cuTexObjectGetTextureDesc, CUDA_TEXTURE_DESC, false, desc, true)
PART(cuTexObjectGetResourceViewDesc, CUDA_RESOURCE_VIEW_DESC, false, view, o->has_view)
PART(cuSurfObjectGetResourceDesc, CUDA_RESOURCE_DESC, true, resource, true)
