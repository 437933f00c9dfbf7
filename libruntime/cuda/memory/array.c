/* SPDX-License-Identifier: MIT */
/* Arrays: rows of device memory behind a handle.  Programs reach them by copies, kernels as textures and surfaces. */
#include <ppu.h>
#include "cuda/memory/array.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/memory/format.h"

static void release(void *obj)
{
	const struct CUarray_st *a = obj;

	cu_free_in(a->obj.ctx, a->obj.ctx_id, a->mem);
}

/* Cube maps are six squares, or in layers a multiple of six; gathers are from arrays of two dimensions. */
static bool flags_fit(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;

	if (d->Flags & CUDA_ARRAY3D_CUBEMAP &&
	    (d->Width != d->Height || !d->Depth || d->Depth % 6 || (!layered && d->Depth != 6)))
		return false;
	return !(d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) || (d->Height && (!d->Depth || layered || d->Flags & CUDA_ARRAY3D_CUBEMAP));
}

CUresult cu_array_make(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d, bool level)
{
	size_t element = cu_format_bytes(d->Format) * d->NumChannels, bytes;
	struct CUarray_st *a;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	a = NULL;
	if (!array || !element || !d->Width || (d->NumChannels != 1 && d->NumChannels != 2 && d->NumChannels != 4) ||
	    (d->Depth && !d->Height && !(d->Flags & CUDA_ARRAY3D_LAYERED)) ||
	    (d->Flags & CUDA_ARRAY3D_LAYERED && !d->Depth) || d->Width > (1u << 30) / element ||
	    d->Height > 1u << 24 || d->Depth > 1u << 20 || !flags_fit(d))
		r = CUDA_ERROR_INVALID_VALUE;
	else if (d->Flags & ~(unsigned int)(CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_CUBEMAP |
					    CUDA_ARRAY3D_TEXTURE_GATHER))
		r = CUDA_ERROR_NOT_SUPPORTED;
	else if (!(a = cu_obj_new(CU_ARRAY, sizeof(*a), c, NULL)))
		r = CUDA_ERROR_OUT_OF_MEMORY;
	if (r) {
		cu_obj_put(c);
		return r;
	}
	a->desc = *d;
	a->element = element;
	a->width = d->Width * element;
	a->height = d->Height ? d->Height : 1;
	a->depth = d->Depth ? d->Depth : 1;
	r = __builtin_mul_overflow(a->height, a->depth, &bytes) ? CUDA_ERROR_OUT_OF_MEMORY :
	    cu_result(ppuMallocPitch(&a->mem, &a->pitch, a->width, bytes));
	if (r) {
		cu_obj_put(a);
	} else {
		a->obj.release = release;
		a->level = level;
		if (level)
			cu_obj_ref(a);
		cu_obj_publish(a);
		*array = a;
	}
	cu_obj_put(c);
	return r;
}

CUresult i_cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	return desc ? cu_array_make(array, desc, false) : CUDA_ERROR_INVALID_VALUE;
}

CUresult i_cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { 0 };

	if (!desc)
		return CUDA_ERROR_INVALID_VALUE;
	d.Width = desc->Width;
	d.Height = desc->Height;
	d.Format = desc->Format;
	d.NumChannels = desc->NumChannels;
	return cu_array_make(array, &d, false);
}

CUresult i_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray array)
{
	struct CUarray_st *a;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!desc)
		return CUDA_ERROR_INVALID_VALUE;
	a = cu_obj_get(array, CU_ARRAY);
	if (!a)
		return CUDA_ERROR_INVALID_HANDLE;
	*desc = a->desc;
	cu_obj_put(a);
	return CUDA_SUCCESS;
}

CUresult i_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *desc, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	CUresult r = desc ? i_cuArray3DGetDescriptor_v2(&d, array) : CUDA_ERROR_INVALID_VALUE;

	if (!r)
		*desc = (CUDA_ARRAY_DESCRIPTOR){ d.Width, d.Height, d.Format, d.NumChannels };
	return r;
}

CUresult i_cuArrayDestroy(CUarray array)
{
	struct CUarray_st *a;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	a = cu_obj_get(array, CU_ARRAY);
	r = a && a->obj.ctx == c && !a->level && cu_obj_withdraw(a) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
	cu_obj_put(a);
	cu_obj_put(c);
	return r;
}
