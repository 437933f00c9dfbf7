/* SPDX-License-Identifier: MIT */
/* Mipmapped arrays: an array for each level, which belongs to the whole. */
#include <ppu.h>
#include "cuda/memory/array.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"

static void release(void *obj)
{
	struct CUmipmappedArray_st *m = obj;

	for (unsigned int i = 0; i < m->num_levels; i++) {
		cu_obj_withdraw(m->level[i]);
		cu_obj_put(m->level[i]);
	}
}

static size_t half(size_t n)
{
	return n > 1 ? n / 2 : n;
}

/* The levels down to one element. */
static unsigned int most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d, bool layers)
{
	size_t n = d->Width > d->Height ? d->Width : d->Height;
	unsigned int levels = 1;

	for (n = !layers && d->Depth > n ? d->Depth : n; n > 1; n /= 2)
		levels++;
	return levels;
}

CUresult i_cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels)
{
	struct CUmipmappedArray_st *m;
	CUDA_ARRAY3D_DESCRIPTOR d;
	struct CUctx_st *c;
	bool layers;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	m = array && desc ? cu_obj_new(CU_MIPMAP, sizeof(*m), c, release) : NULL;
	cu_obj_put(c);
	if (!m)
		return array && desc ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
	d = *desc;
	layers = d.Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
	levels = levels < 1 ? 1 : levels;
	levels = levels > most_levels(&d, layers) ? most_levels(&d, layers) : levels;
	for (unsigned int i = 0; !r && i < levels; i++) {
		r = levels > CU_ARRAY_LEVELS ? CUDA_ERROR_INVALID_VALUE : cu_array_make(&m->level[i], &d, true);
		m->num_levels += !r;
		d.Width = half(d.Width);
		d.Height = half(d.Height);
		d.Depth = layers ? d.Depth : half(d.Depth);
	}
	if (r) {
		cu_obj_put(m);
	} else {
		cu_obj_publish(m);
		*array = m;
	}
	return r;
}

CUresult i_cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray array, unsigned int number)
{
	struct CUmipmappedArray_st *m;
	CUresult r = level ? cu_obj_find(array, CU_MIPMAP, &m) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	if (number < m->num_levels)
		*level = m->level[number];
	else
		r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(m);
	return r;
}

CUresult i_cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	return cu_obj_destroy(array, CU_MIPMAP);
}
