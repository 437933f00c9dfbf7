/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills.  A call names the kind of memory each side has; a side that is said to be device memory
 * must be memory of ours, any other address is taken for the program's own.
 */
#include "cu.h"

/* Bytes from the first to the last one of a box; false: more than an address can say. */
static bool extent(const struct cu_side *s, size_t width, size_t height, size_t depth, uint64_t *bytes)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow((uint64_t)(height - 1), s->pitch, &rows) &&
	       !__builtin_mul_overflow((uint64_t)(depth - 1), s->slice, &slices) &&
	       !__builtin_add_overflow(rows, slices, bytes) && !__builtin_add_overflow(*bytes, width, bytes) &&
	       !__builtin_add_overflow(*bytes, s->at, &rows);
}

CUresult cu_copy(const struct cu_side *dst, const struct cu_side *src, size_t width, size_t height, size_t depth,
		 CUstream stream, bool wait)
{
	struct cu_stream_use u;
	uint64_t n;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	if (width && height && depth &&
	    (!dst->at || !src->at || !extent(dst, width, height, depth, &n) || !extent(src, width, height, depth, &n)))
		r = CUDA_ERROR_INVALID_VALUE;
	if (!width || !height)
		depth = 0;
	for (size_t z = 0; !r && z < depth; z++) {
		void *d = (void *)(uintptr_t)(dst->at + z * dst->slice);
		const void *s = (const void *)(uintptr_t)(src->at + z * src->slice);

		if (height == 1)
			r = cu_result(ppuMemcpyAsync(d, s, width, u.ppu));
		else
			r = cu_result(ppuMemcpy2DAsync(d, dst->pitch, s, src->pitch, width, height, u.ppu));
	}
	if (!r && wait)
		r = cu_result(ppuStreamSynchronize(u.ppu));
	cu_stream_put(&u);
	return r;
}

enum { ANY = 0, DST = 1, SRC = 2 };	/* which sides must be memory of ours */

static CUresult flat(uint64_t dst, uint64_t src, size_t bytes, int device, CUstream stream, bool wait)
{
	struct cu_side d = { dst, bytes, bytes }, s = { src, bytes, bytes };
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (bytes && ((device & DST && !cu_is_ours(dst, NULL)) || (device & SRC && !cu_is_ours(src, NULL))))
		r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(c);
	return r ? r : cu_copy(&d, &s, bytes, 1, 1, stream, wait);
}

CUresult i_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return flat(dst, src, bytes, ANY, 0, true);
}

CUresult i_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return flat(dst, src, bytes, ANY, stream, false);
}

CUresult i_cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return flat(dst, (uintptr_t)src, bytes, DST, 0, true);
}

CUresult i_cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return flat((uintptr_t)dst, src, bytes, SRC, 0, true);
}

CUresult i_cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return flat(dst, src, bytes, DST | SRC, 0, true);
}

CUresult i_cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	return flat(dst, (uintptr_t)src, bytes, DST, stream, false);
}

CUresult i_cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return flat((uintptr_t)dst, src, bytes, SRC, stream, false);
}

CUresult i_cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return flat(dst, src, bytes, DST | SRC, stream, false);
}

/* Between two contexts only where they are the same one: there are no peers. */
CUresult i_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx, size_t bytes,
			     CUstream stream)
{
	struct CUctx_st *d, *s;
	CUresult r = cu_ready();

	if (r)
		return r;
	d = cu_obj_get(dst_ctx, CU_CTX);
	s = cu_obj_get(src_ctx, CU_CTX);
	r = !d || !s ? CUDA_ERROR_INVALID_CONTEXT : d != s ? CUDA_ERROR_NOT_SUPPORTED :
	    flat(dst, src, bytes, DST | SRC, stream, false);
	cu_obj_put(d);
	cu_obj_put(s);
	return r;
}

CUresult i_cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx, size_t bytes)
{
	CUresult r = i_cuMemcpyPeerAsync(dst, dst_ctx, src, src_ctx, bytes, 0);

	return r ? r : i_cuStreamSynchronize(0);
}

/* ---- boxes ---------------------------------------------------------------------------------- */

struct box_side {
	size_t x, y, z;
	CUmemorytype type;
	uint64_t host, device;
	CUarray array;
	size_t pitch, rows;	/* rows of a slice; 0: as many as the box has */
};

/* Where a side begins.  The array stays alive through its context's user. */
static CUresult locate(const struct box_side *b, size_t width, size_t height, size_t depth, struct cu_side *s)
{
	size_t pitch = b->pitch ? b->pitch : b->x + width, rows = b->rows ? b->rows : b->y + height;
	uint64_t base = b->type == CU_MEMORYTYPE_HOST ? b->host : b->device;

	if (b->type == CU_MEMORYTYPE_ARRAY) {
		struct CUarray_st *a = cu_obj_get(b->array, CU_ARRAY);

		if (!a)
			return CUDA_ERROR_INVALID_HANDLE;
		base = (uintptr_t)a->mem;
		pitch = a->pitch;
		rows = a->height;
		if (b->x > a->width || width > a->width - b->x || b->y > a->height || height > a->height - b->y ||
		    b->z > a->depth || depth > a->depth - b->z)
			base = 0;
		cu_obj_put(a);
	} else if (b->type != CU_MEMORYTYPE_HOST && b->type != CU_MEMORYTYPE_DEVICE && b->type != CU_MEMORYTYPE_UNIFIED) {
		return CUDA_ERROR_INVALID_VALUE;
	} else if (b->x + width > pitch && (height > 1 || depth > 1)) {
		return CUDA_ERROR_INVALID_VALUE;
	} else if (b->type == CU_MEMORYTYPE_DEVICE && !cu_is_ours(base, NULL)) {
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (!base)
		return CUDA_ERROR_INVALID_VALUE;
	s->pitch = pitch;
	if (__builtin_mul_overflow(pitch, rows, &s->slice))
		return CUDA_ERROR_INVALID_VALUE;
	s->at = base + b->z * s->slice + b->y * pitch + b->x;
	return CUDA_SUCCESS;
}

static CUresult box(const struct box_side *dst, const struct box_side *src, size_t width, size_t height, size_t depth,
		    CUstream stream, bool wait)
{
	struct cu_side d, s;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (width && height && depth) {
		r = locate(dst, width, height, depth, &d);
		if (!r)
			r = locate(src, width, height, depth, &s);
		if (!r)
			r = cu_copy(&d, &s, width, height, depth, stream, wait);
	}
	cu_obj_put(c);
	return r;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *m, CUstream stream, bool wait)
{
	struct box_side d, s;

	if (!m)
		return CUDA_ERROR_INVALID_VALUE;
	d = (struct box_side){ m->dstXInBytes, m->dstY, 0, m->dstMemoryType, (uintptr_t)m->dstHost, m->dstDevice,
			       m->dstArray, m->dstPitch, 0 };
	s = (struct box_side){ m->srcXInBytes, m->srcY, 0, m->srcMemoryType, (uintptr_t)m->srcHost, m->srcDevice,
			       m->srcArray, m->srcPitch, 0 };
	return box(&d, &s, m->WidthInBytes, m->Height, 1, stream, wait);
}

CUresult i_cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_2d(copy, 0, true);
}

CUresult i_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy)
{
	return copy_2d(copy, 0, true);
}

CUresult i_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream)
{
	return copy_2d(copy, stream, false);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *m, CUstream stream, bool wait)
{
	struct box_side d, s;

	if (!m || m->srcLOD || m->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	d = (struct box_side){ m->dstXInBytes, m->dstY, m->dstZ, m->dstMemoryType, (uintptr_t)m->dstHost,
			       m->dstDevice, m->dstArray, m->dstPitch, m->dstHeight };
	s = (struct box_side){ m->srcXInBytes, m->srcY, m->srcZ, m->srcMemoryType, (uintptr_t)m->srcHost,
			       m->srcDevice, m->srcArray, m->srcPitch, m->srcHeight };
	return box(&d, &s, m->WidthInBytes, m->Height, m->Depth, stream, wait);
}

CUresult i_cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	return copy_3d(copy, 0, true);
}

CUresult i_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	return copy_3d(copy, stream, false);
}

/* ---- one row of an array -------------------------------------------------------------------- */

/* A range of a one-dimensional array, or of the first row of another. */
static CUresult row(CUarray array, size_t offset, size_t bytes, uint64_t *at)
{
	struct CUarray_st *a = cu_obj_get(array, CU_ARRAY);
	CUresult r = CUDA_SUCCESS;

	if (!a)
		return CUDA_ERROR_INVALID_HANDLE;
	if (offset > a->width || bytes > a->width - offset)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		*at = (uintptr_t)a->mem + offset;
	cu_obj_put(a);
	return r;
}

CUresult i_cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream)
{
	uint64_t at;
	CUresult r = row(dst, offset, bytes, &at);

	return r ? r : flat(at, (uintptr_t)src, bytes, ANY, stream, false);
}

CUresult i_cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream)
{
	uint64_t at;
	CUresult r = row(src, offset, bytes, &at);

	return r ? r : flat((uintptr_t)dst, at, bytes, ANY, stream, false);
}

CUresult i_cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes)
{
	uint64_t at;
	CUresult r = row(dst, offset, bytes, &at);

	return r ? r : flat(at, (uintptr_t)src, bytes, ANY, 0, true);
}

CUresult i_cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes)
{
	uint64_t at;
	CUresult r = row(src, offset, bytes, &at);

	return r ? r : flat((uintptr_t)dst, at, bytes, ANY, 0, true);
}

CUresult i_cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
	uint64_t at;
	CUresult r = row(dst, offset, bytes, &at);

	return r ? r : flat(at, src, bytes, SRC, 0, true);
}

CUresult i_cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
	uint64_t at;
	CUresult r = row(src, offset, bytes, &at);

	return r ? r : flat(dst, at, bytes, DST, 0, true);
}

CUresult i_cuMemcpyAtoA_v2(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t bytes)
{
	uint64_t to, from;
	CUresult r = row(dst, dst_offset, bytes, &to);

	if (!r)
		r = row(src, src_offset, bytes, &from);
	return r ? r : flat(to, from, bytes, ANY, 0, true);
}

/* ---- fills ---------------------------------------------------------------------------------- */

static CUresult fill(CUdeviceptr dst, size_t pitch, uint64_t value, unsigned int element, size_t width, size_t height,
		     CUstream stream, bool wait)
{
	struct cu_stream_use u;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	if (width && height) {
		if (!cu_is_ours(dst, NULL) || dst % element || (height > 1 && (pitch % element || pitch / element < width)))
			r = CUDA_ERROR_INVALID_VALUE;
		else if (height == 1)
			r = cu_result(ppuMemsetAsync((void *)(uintptr_t)dst, value, element, width, u.ppu));
		else
			r = cu_result(ppuMemset2DAsync((void *)(uintptr_t)dst, pitch, value, element, width, height,
						       u.ppu));
		if (!r && wait)
			r = cu_result(ppuStreamSynchronize(u.ppu));
	}
	cu_stream_put(&u);
	return r;
}

#define FILLS(bits, type) \
CUresult i_cuMemsetD##bits##_v2(CUdeviceptr dst, type value, size_t count) \
{ \
	return fill(dst, 0, value, bits / 8, count, 1, 0, true); \
} \
CUresult i_cuMemsetD##bits##Async(CUdeviceptr dst, type value, size_t count, CUstream stream) \
{ \
	return fill(dst, 0, value, bits / 8, count, 1, stream, false); \
} \
CUresult i_cuMemsetD2D##bits##_v2(CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height) \
{ \
	return fill(dst, pitch, value, bits / 8, width, height, 0, true); \
} \
CUresult i_cuMemsetD2D##bits##Async(CUdeviceptr dst, size_t pitch, type value, size_t width, size_t height, \
				    CUstream stream) \
{ \
	return fill(dst, pitch, value, bits / 8, width, height, stream, false); \
}
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned int)
