/* SPDX-License-Identifier: MIT */
/*
 * Texture and surface references: a .texref or .surfref variable of a module holds the handle of a texture.
 * Each call that changes a bound reference makes a new texture and writes its handle to the variable.  A
 * reference from cuTexRefCreate has no variable.
 */
#include <stdint.h>
#include <string.h>

#include <ppu.h>
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/memory/format.h"
#include "cuda/module/module.h"
#include "cuda/texture/texture.h"

struct CUtexref_st {
	struct cu_obj obj;
	uint64_t variable;		/* its address; 0: none, made by cuTexRefCreate */
	bool surface, bound;
	ppuTexture texture;		/* 0: none */
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC desc;
	CUarray_format format;
	int channels;
};

static void release(void *obj)
{
	struct CUtexref_st *t = obj;

	if (t->texture && cu_obj_alive(t))
		ppuTextureDestroy(t->texture);
}

/* Makes a reference as a module has it at first: texels by index, clamped, read as they are. */
static CUresult make(struct CUtexref_st **out)
{
	struct CUtexref_st *t;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	t = cu_obj_new(CU_TEXREF, sizeof(*t), c, release);
	cu_obj_put(c);
	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (int i = 0; i < 3; i++)
		t->desc.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
	t->format = CU_AD_FORMAT_FLOAT;
	t->channels = 1;
	t->desc.maxAnisotropy = 1;
	*out = t;
	return CUDA_SUCCESS;
}

static CUresult of_module(struct CUtexref_st **ref, CUmodule module, const char *name, bool surface)
{
	struct CUtexref_st *t;
	struct CUmod_st *m;
	size_t bytes;
	void *var;
	CUresult r = ref && name ? cu_obj_find(module, CU_MODULE, &m) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	r = cu_result(ppuModuleGetGlobal(&var, &bytes, m->ppu, name));
	if (!r && bytes != sizeof(ppuTexture))
		r = CUDA_ERROR_NOT_FOUND;
	/* A variable has one reference, which lives as long as the module. */
	for (unsigned int i = 0; !r && i < m->num_refs; i++) {
		if (m->refs[i]->variable == (uintptr_t)var) {
			*ref = m->refs[i];
			cu_obj_put(m);
			return CUDA_SUCCESS;
		}
	}
	if (!r)
		r = make(&t);
	if (!r) {
		t->surface = surface;
		t->variable = (uintptr_t)var;
		r = cu_module_add_ref(m, t);
		if (r) {
			cu_obj_put(t);
		} else {
			cu_obj_publish(t);
			*ref = t;
		}
	}
	cu_obj_put(m);
	return r;
}

CUresult i_cuModuleGetTexRef(CUtexref *ref, CUmodule module, const char *name)
{
	return of_module(ref, module, name, false);
}

CUresult i_cuModuleGetSurfRef(CUsurfref *ref, CUmodule module, const char *name)
{
	return of_module((CUtexref *)ref, module, name, true);
}

CUresult i_cuTexRefCreate(CUtexref *ref)
{
	CUresult r = ref ? make(ref) : CUDA_ERROR_INVALID_VALUE;

	if (!r)
		cu_obj_publish(*ref);
	return r;
}

static CUresult find(const void *ref, struct CUtexref_st **t)
{
	return cu_obj_find(ref, CU_TEXREF, t);
}

CUresult i_cuTexRefDestroy(CUtexref ref)
{
	struct CUtexref_st *t;
	CUresult r = find(ref, &t);

	if (r)
		return r;
	if (t->variable)
		r = CUDA_ERROR_INVALID_VALUE;	/* the reference belongs to its module */
	cu_obj_put(t);
	return r ? r : cu_obj_destroy(ref, CU_TEXREF);
}

/* ---- binding -------------------------------------------------------------------------------- */

/* Mipmaps want normalized coordinates, which programs may ask for after they have set the array. */
static bool is_incomplete(const struct CUtexref_st *t)
{
	return t->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY && !(t->desc.flags & CU_TRSF_NORMALIZED_COORDINATES);
}

/* Makes a texture from the settings, and writes its handle to the variable. */
static CUresult bind(struct CUtexref_st *t)
{
	ppuTexture texture, old = t->texture;
	struct cu_texture d;
	CUresult r;

	if (!t->bound || is_incomplete(t))
		return CUDA_SUCCESS;
	r = cu_texture_describe(&t->resource, t->surface ? NULL : &t->desc, &d);
	if (!r)
		r = cu_result(ppuTextureCreate(&texture, &d.desc));
	if (r)
		return r;
	t->texture = texture;
	/* Launches that were made before still read the old texture, so wait for them. */
	r = cu_result(ppuCtxSynchronize());
	if (!r && t->variable)
		r = cu_result(ppuMemcpy((void *)(uintptr_t)t->variable, &texture, sizeof(texture)));
	if (old)
		ppuTextureDestroy(old);
	return r;
}

static CUresult bind_resource(struct CUtexref_st *t, const CUDA_RESOURCE_DESC *resource)
{
	CUDA_RESOURCE_DESC old = t->resource;
	bool bound = t->bound;
	CUresult r;

	t->resource = *resource;
	t->bound = true;
	r = bind(t);
	if (r) {
		t->resource = old;
		t->bound = bound;
	}
	return r;
}

/* The array, or the first level of what d says, has the format. */
static CUresult set_array_of(const void *ref, CUarray array, const CUDA_RESOURCE_DESC *d)
{
	CUDA_ARRAY3D_DESCRIPTOR desc;
	struct CUtexref_st *t;
	CUresult r = find(ref, &t);

	if (r)
		return r;
	r = i_cuArray3DGetDescriptor_v2(&desc, array);
	if (!r)
		r = bind_resource(t, d);
	if (!r) {
		t->format = desc.Format;
		t->channels = (int)desc.NumChannels;
	}
	cu_obj_put(t);
	return r;
}

static CUresult set_array(const void *ref, CUarray array, unsigned int flags, unsigned int wanted)
{
	const CUDA_RESOURCE_DESC d = { .resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = array };

	return flags != wanted ? CUDA_ERROR_INVALID_VALUE : set_array_of(ref, array, &d);
}

CUresult i_cuTexRefSetMipmappedArray(CUtexref ref, CUmipmappedArray array, unsigned int flags)
{
	const CUDA_RESOURCE_DESC d = { .resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = array };
	CUarray first;
	CUresult r = flags != CU_TRSA_OVERRIDE_FORMAT ? CUDA_ERROR_INVALID_VALUE : i_cuMipmappedArrayGetLevel(&first, array, 0);

	return r ? r : set_array_of(ref, first, &d);
}

CUresult i_cuTexRefSetArray(CUtexref ref, CUarray array, unsigned int flags)
{
	return set_array(ref, array, flags, CU_TRSA_OVERRIDE_FORMAT);
}

CUresult i_cuSurfRefSetArray(CUsurfref ref, CUarray array, unsigned int flags)
{
	return set_array(ref, array, flags, 0);
}

CUresult i_cuTexRefSetAddress_v2(size_t *offset, CUtexref ref, CUdeviceptr ptr, size_t bytes)
{
	CUDA_RESOURCE_DESC d = { .resType = CU_RESOURCE_TYPE_LINEAR };
	struct CUtexref_st *t;
	CUresult r = find(ref, &t);

	if (r)
		return r;
	d.res.linear.devPtr = ptr;
	d.res.linear.format = t->format;
	d.res.linear.numChannels = (unsigned int)t->channels;
	d.res.linear.sizeInBytes = bytes;
	r = bind_resource(t, &d);
	if (!r && offset)
		*offset = 0;		/* every address is aligned enough, so the offset is always 0 */
	cu_obj_put(t);
	return r;
}

CUresult i_cuTexRefSetAddress2D_v3(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *desc, CUdeviceptr ptr, size_t pitch)
{
	CUDA_RESOURCE_DESC d = { .resType = CU_RESOURCE_TYPE_PITCH2D };
	struct CUtexref_st *t;
	CUresult r = desc ? find(ref, &t) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	d.res.pitch2D.devPtr = ptr;
	d.res.pitch2D.format = desc->Format;
	d.res.pitch2D.numChannels = desc->NumChannels;
	d.res.pitch2D.width = desc->Width;
	d.res.pitch2D.height = desc->Height;
	d.res.pitch2D.pitchInBytes = pitch;
	r = bind_resource(t, &d);
	if (!r) {
		t->format = desc->Format;
		t->channels = (int)desc->NumChannels;
	}
	cu_obj_put(t);
	return r;
}

/* ---- settings ------------------------------------------------------------------------------- */

/* Calls that set one thing: it is checked and kept, and has effect at once if the reference is bound. */
#define SETTING(call, check, put, ...) \
CUresult i_cuTexRefSet##call(CUtexref ref, __VA_ARGS__) \
{ \
	struct CUtexref_st *t; \
	CUresult r = find(ref, &t); \
	if (r) \
		return r; \
	if (check) { \
		put; \
		r = bind(t); \
	} else { \
		r = CUDA_ERROR_INVALID_VALUE; \
	} \
	cu_obj_put(t); \
	return r; \
}
SETTING(Format, cu_format_bytes(format) && (channels == 1 || channels == 2 || channels == 4),
	(t->format = format, t->channels = channels), CUarray_format format, int channels)
SETTING(AddressMode, dim >= 0 && dim < 3 && (unsigned int)mode <= CU_TR_ADDRESS_MODE_BORDER,
	t->desc.addressMode[dim] = mode, int dim, CUaddress_mode mode)
SETTING(FilterMode, (unsigned int)mode <= CU_TR_FILTER_MODE_LINEAR, t->desc.filterMode = mode, CUfilter_mode mode)
SETTING(Flags, !(flags & ~(unsigned int)(CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES)),
	t->desc.flags = flags, unsigned int flags)
SETTING(BorderColor, color, memcpy(t->desc.borderColor, color, sizeof(t->desc.borderColor)), float *color)
SETTING(MaxAnisotropy, max, t->desc.maxAnisotropy = max, unsigned int max)
SETTING(MipmapFilterMode, (unsigned int)mode <= CU_TR_FILTER_MODE_LINEAR, t->desc.mipmapFilterMode = mode,
	CUfilter_mode mode)
SETTING(MipmapLevelBias, true, t->desc.mipmapLevelBias = bias, float bias)
SETTING(MipmapLevelClamp, true, (t->desc.minMipmapLevelClamp = min, t->desc.maxMipmapLevelClamp = max), float min,
	float max)

#define ASKING(call, check, get, ...) \
CUresult i_##call(__VA_ARGS__, CUtexref ref) \
{ \
	struct CUtexref_st *t; \
	CUresult r = find(ref, &t); \
	if (r) \
		return r; \
	if (check) \
		get; \
	else \
		r = CUDA_ERROR_INVALID_VALUE; \
	cu_obj_put(t); \
	return r; \
}
ASKING(cuTexRefGetFilterMode, mode, *mode = t->desc.filterMode, CUfilter_mode *mode)
ASKING(cuTexRefGetFormat, format && channels, (*format = t->format, *channels = t->channels), CUarray_format *format,
       int *channels)
ASKING(cuTexRefGetFlags, flags, *flags = t->desc.flags, unsigned int *flags)
ASKING(cuTexRefGetBorderColor, color, memcpy(color, t->desc.borderColor, sizeof(t->desc.borderColor)), float *color)
ASKING(cuTexRefGetMaxAnisotropy, max, *max = (int)t->desc.maxAnisotropy, int *max)
ASKING(cuTexRefGetMipmapFilterMode, mode, *mode = t->desc.mipmapFilterMode, CUfilter_mode *mode)
ASKING(cuTexRefGetMipmapLevelBias, bias, *bias = t->desc.mipmapLevelBias, float *bias)
ASKING(cuTexRefGetMipmapLevelClamp, min && max,
       (*min = t->desc.minMipmapLevelClamp, *max = t->desc.maxMipmapLevelClamp), float *min, float *max)
ASKING(cuTexRefGetArray, array && t->bound && t->resource.resType == CU_RESOURCE_TYPE_ARRAY,
       *array = t->resource.res.array.hArray, CUarray *array)
ASKING(cuTexRefGetMipmappedArray, array && t->bound && t->resource.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
       *array = t->resource.res.mipmap.hMipmappedArray, CUmipmappedArray *array)
ASKING(cuTexRefGetAddress_v2, ptr && t->bound && t->resource.resType != CU_RESOURCE_TYPE_ARRAY &&
       t->resource.resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
       *ptr = t->resource.resType == CU_RESOURCE_TYPE_LINEAR ? t->resource.res.linear.devPtr :
	      t->resource.res.pitch2D.devPtr, CUdeviceptr *ptr)

CUresult i_cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref ref, int dim)
{
	struct CUtexref_st *t;
	CUresult r = mode && dim >= 0 && dim < 3 ? find(ref, &t) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*mode = t->desc.addressMode[dim];
	cu_obj_put(t);
	return CUDA_SUCCESS;
}

CUresult i_cuSurfRefGetArray(CUarray *array, CUsurfref ref)
{
	return i_cuTexRefGetArray(array, (CUtexref)ref);
}
