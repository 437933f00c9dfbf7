/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills.  All of them are queued in a stream; functions without Async in their name then wait for it.
 */
#include <stdlib.h>
#include "cudart.h"

static CUdeviceptr addr(const void *p)
{
	return (uintptr_t)p;
}

static cudaError_t wait_for(CUstream stream, bool wait)
{
	return wait ? crt_error(cuStreamSynchronize(stream)) : cudaSuccess;
}

static cudaError_t check_kind(enum cudaMemcpyKind kind)
{
	return (unsigned int)kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
}

static cudaError_t flat(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream,
			bool wait)
{
	CUstream s = crt_stream(stream);
	cudaError_t e = check_kind(kind);
	CUresult r;

	if (!e)
		e = crt_enter();
	if (e)
		return e;
	switch (kind) {
	case cudaMemcpyHostToDevice:
		r = cuMemcpyHtoDAsync_v2(addr(dst), src, bytes, s);
		break;
	case cudaMemcpyDeviceToHost:
		r = cuMemcpyDtoHAsync_v2(dst, addr(src), bytes, s);
		break;
	case cudaMemcpyDeviceToDevice:
		r = cuMemcpyDtoDAsync_v2(addr(dst), addr(src), bytes, s);
		break;
	default:		/* the addresses say which memory is meant */
		r = cuMemcpyAsync(addr(dst), addr(src), bytes, s);
	}
	return r ? crt_error(r) : wait_for(s, wait);
}

cudaError_t i_cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	return flat(dst, src, bytes, kind, 0, true);
}

cudaError_t i_cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	return flat(dst, src, bytes, kind, stream, false);
}

/* ---- between devices ------------------------------------------------------------------------ */

cudaError_t i_cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
				  cudaStream_t stream)
{
	int n;
	cudaError_t e = i_cudaGetDeviceCount(&n);

	if (e)
		return e;
	if (dst_device < 0 || dst_device >= n || src_device < 0 || src_device >= n)
		return cudaErrorInvalidDevice;
	return flat(dst, src, bytes, cudaMemcpyDeviceToDevice, stream, false);
}

cudaError_t i_cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes)
{
	cudaError_t e = i_cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, 0);

	return e ? e : wait_for(0, true);
}

/* ---- variables ------------------------------------------------------------------------------ */

static cudaError_t in_symbol(const void *symbol, size_t offset, size_t bytes, void **at)
{
	CUdeviceptr p;
	size_t room;
	cudaError_t e = crt_variable(symbol, &p, &room);

	if (e)
		return e;
	if (offset > room || bytes > room - offset)
		return cudaErrorInvalidValue;
	*at = (void *)(uintptr_t)(p + offset);
	return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *src, size_t bytes, size_t offset,
			     enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	void *at;
	cudaError_t e;

	if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	e = in_symbol(symbol, offset, bytes, &at);
	return e ? e : flat(at, src, bytes, kind, stream, wait);
}

static cudaError_t from_symbol(void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
			       cudaStream_t stream, bool wait)
{
	void *at;
	cudaError_t e;

	if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	e = in_symbol(symbol, offset, bytes, &at);
	return e ? e : flat(dst, at, bytes, kind, stream, wait);
}

cudaError_t i_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
				 enum cudaMemcpyKind kind)
{
	return to_symbol(symbol, src, bytes, offset, kind, 0, true);
}

cudaError_t i_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return to_symbol(symbol, src, bytes, offset, kind, stream, false);
}

cudaError_t i_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
				   enum cudaMemcpyKind kind)
{
	return from_symbol(dst, symbol, bytes, offset, kind, 0, true);
}

cudaError_t i_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
					enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return from_symbol(dst, symbol, bytes, offset, kind, stream, false);
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* One side of a copy: an array, or memory with a pitch.  x in bytes. */
struct side {
	CUarray array;
	const void *ptr;
	size_t x, y, z, pitch, rows;
};

static CUmemorytype type_of(const struct side *s, bool device, enum cudaMemcpyKind kind)
{
	return s->array ? CU_MEMORYTYPE_ARRAY : kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED :
	       device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
}

static CUDA_MEMCPY3D describe(const struct side *dst, const struct side *src, size_t width, size_t height,
			      size_t depth, enum cudaMemcpyKind kind)
{
	bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;

	return (CUDA_MEMCPY3D){
		.srcXInBytes = src->x, .srcY = src->y, .srcZ = src->z, .srcMemoryType = type_of(src, from_device, kind),
		.srcHost = src->ptr, .srcDevice = addr(src->ptr), .srcArray = src->array, .srcPitch = src->pitch,
		.srcHeight = src->rows,
		.dstXInBytes = dst->x, .dstY = dst->y, .dstZ = dst->z, .dstMemoryType = type_of(dst, to_device, kind),
		.dstHost = (void *)dst->ptr, .dstDevice = addr(dst->ptr), .dstArray = dst->array,
		.dstPitch = dst->pitch, .dstHeight = dst->rows,
		.WidthInBytes = width, .Height = height, .Depth = depth,
	};
}

static cudaError_t box(const struct side *dst, const struct side *src, size_t width, size_t height, size_t depth,
		       enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	CUstream s = crt_stream(stream);
	CUDA_MEMCPY3D c;
	cudaError_t e = check_kind(kind);

	if (!e)
		e = crt_enter();
	if (e)
		return e;
	if (!width || !height || !depth)
		return cudaSuccess;
	c = describe(dst, src, width, height, depth, kind);
	e = crt_error(cuMemcpy3DAsync_v2(&c, s));
	return e ? e : wait_for(s, wait);
}

static cudaError_t pitched(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
			   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	struct side d = { .ptr = dst, .pitch = dst_pitch }, s = { .ptr = src, .pitch = src_pitch };

	if (width > dst_pitch || width > src_pitch)
		return cudaErrorInvalidPitchValue;
	return box(&d, &s, width, height, 1, kind, stream, wait);
}

cudaError_t i_cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
			   size_t height, enum cudaMemcpyKind kind)
{
	return pitched(dst, dst_pitch, src, src_pitch, width, height, kind, 0, true);
}

cudaError_t i_cudaMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
				size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return pitched(dst, dst_pitch, src, src_pitch, width, height, kind, stream, false);
}

/* Positions and widths count elements of the array, or bytes if the side is no array. */
static cudaError_t side_3d(struct side *s, cudaArray_t array, const struct cudaPitchedPtr *p,
			   const struct cudaPos *pos)
{
	size_t element = 1, x;

	if (!array == !p->ptr)
		return cudaErrorInvalidValue;
	if (array) {
		element = crt_array_element(array);
		if (!element)
			return cudaErrorInvalidResourceHandle;
	}
	if (__builtin_mul_overflow(pos->x, element, &x))
		return cudaErrorInvalidValue;
	*s = (struct side){ (CUarray)array, p->ptr, x, pos->y, pos->z, p->pitch, p->ysize };
	return cudaSuccess;
}

/* Are there several rows, and does a row of `width` bytes from x on not fit in the pitch? */
static bool too_wide(const struct side *s, size_t width, const struct cudaExtent *extent)
{
	return !s->array && (width > s->pitch || s->x > s->pitch - width) && extent->height && extent->depth &&
	       (extent->height > 1 || extent->depth > 1);
}

static cudaError_t sides_3d(const struct cudaMemcpy3DParms *c, struct side *d, struct side *s, size_t *width)
{
	size_t element = 1;
	cudaError_t e;

	if (!c)
		return cudaErrorInvalidValue;
	e = check_kind(c->kind);
	if (!e)
		e = crt_enter();
	if (!e)
		e = side_3d(d, c->dstArray, &c->dstPtr, &c->dstPos);
	if (!e)
		e = side_3d(s, c->srcArray, &c->srcPtr, &c->srcPos);
	if (e)
		return e;
	if (d->array || s->array) {
		element = crt_array_element(d->array ? c->dstArray : c->srcArray);
		if (d->array && s->array && crt_array_element(c->srcArray) != element)
			return cudaErrorInvalidValue;
	}
	if (__builtin_mul_overflow(c->extent.width, element, width))
		return cudaErrorInvalidValue;
	if (too_wide(d, *width, &c->extent) || too_wide(s, *width, &c->extent))
		return cudaErrorInvalidPitchValue;
	return cudaSuccess;
}

cudaError_t crt_copy_3d(CUDA_MEMCPY3D *out, const struct cudaMemcpy3DParms *copy)
{
	struct side d, s;
	size_t width;
	cudaError_t e = sides_3d(copy, &d, &s, &width);

	if (!e)
		*out = describe(&d, &s, width, copy->extent.height, copy->extent.depth, copy->kind);
	return e;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *c, cudaStream_t stream, bool wait)
{
	struct side d, s;
	size_t width;
	cudaError_t e = sides_3d(c, &d, &s, &width);

	return e ? e : box(&d, &s, width, c->extent.height, c->extent.depth, c->kind, stream, wait);
}

cudaError_t i_cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
	return copy_3d(copy, 0, true);
}

cudaError_t i_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
	return copy_3d(copy, stream, false);
}

cudaError_t i_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *copy, cudaStream_t stream)
{
	struct cudaMemcpy3DParms c;

	if (!copy)
		return cudaErrorInvalidValue;
	c = (struct cudaMemcpy3DParms){ copy->srcArray, copy->srcPos, copy->srcPtr, copy->dstArray, copy->dstPos,
					copy->dstPtr, copy->extent, cudaMemcpyDeviceToDevice };
	return copy_3d(&c, stream, false);
}

cudaError_t i_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
	cudaError_t e = i_cudaMemcpy3DPeerAsync(copy, 0);

	return e ? e : wait_for(crt_stream(0), true);
}

/* ---- arrays --------------------------------------------------------------------------------- */

cudaError_t i_cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
				       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct side d = { .array = (CUarray)dst, .x = x, .y = y }, s = { .ptr = src, .pitch = pitch };

	if (!dst)
		return cudaErrorInvalidResourceHandle;
	if (width > pitch)
		return cudaErrorInvalidPitchValue;
	return box(&d, &s, width, height, 1, kind, stream, false);
}

cudaError_t i_cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
				  size_t height, enum cudaMemcpyKind kind)
{
	cudaError_t e = i_cudaMemcpy2DToArrayAsync(dst, x, y, src, pitch, width, height, kind, 0);

	return e ? e : wait_for(crt_stream(0), true);
}

cudaError_t i_cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
					 size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct side d = { .ptr = dst, .pitch = pitch }, s = { .array = (CUarray)(uintptr_t)src, .x = x, .y = y };

	if (!src)
		return cudaErrorInvalidResourceHandle;
	if (width > pitch)
		return cudaErrorInvalidPitchValue;
	return box(&d, &s, width, height, 1, kind, stream, false);
}

cudaError_t i_cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
				    size_t height, enum cudaMemcpyKind kind)
{
	cudaError_t e = i_cudaMemcpy2DFromArrayAsync(dst, pitch, src, x, y, width, height, kind, 0);

	return e ? e : wait_for(crt_stream(0), true);
}

cudaError_t i_cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
				       size_t src_x, size_t src_y, size_t width, size_t height,
				       enum cudaMemcpyKind kind)
{
	struct side d = { .array = (CUarray)dst, .x = dst_x, .y = dst_y };
	struct side s = { .array = (CUarray)(uintptr_t)src, .x = src_x, .y = src_y };

	if (!dst || !src)
		return cudaErrorInvalidResourceHandle;
	return box(&d, &s, width, height, 1, kind, 0, true);
}

/*
 * Copies consecutive bytes that may go over the ends of an array's rows: the rest of the first row, whole rows, a
 * part of the last row.  Either `from` or `to` is memory, and the other is NULL.
 */
static cudaError_t run(cudaArray_t array, size_t x, size_t y, void *to, const void *from, size_t bytes,
		       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct cudaExtent extent;
	size_t row;
	cudaError_t e = crt_enter();

	if (!e)
		e = i_cudaArrayGetInfo(NULL, &extent, NULL, array);
	if (e)
		return e;
	row = extent.width * crt_array_element(array);
	if (x >= row && bytes)
		return cudaErrorInvalidValue;
	for (size_t done = 0, n, rows; !e && done < bytes; done += n * rows) {
		n = x || bytes - done < row ? row - x : row;
		n = n < bytes - done ? n : bytes - done;
		rows = n == row ? (bytes - done) / row : 1;
		if (to)
			e = i_cudaMemcpy2DFromArrayAsync((char *)to + done, n, array, x, y, n, rows, kind, stream);
		else
			e = i_cudaMemcpy2DToArrayAsync(array, x, y, (const char *)from + done, n, n, rows, kind,
						       stream);
		x = 0;
		y += rows;
	}
	return e;
}

cudaError_t i_cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return src ? run(dst, x, y, NULL, src, bytes, kind, stream) : cudaErrorInvalidValue;
}

cudaError_t i_cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
				       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return dst ? run((cudaArray_t)(uintptr_t)src, x, y, dst, NULL, bytes, kind, stream) : cudaErrorInvalidValue;
}

cudaError_t i_cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
				enum cudaMemcpyKind kind)
{
	cudaError_t e = i_cudaMemcpyToArrayAsync(dst, x, y, src, bytes, kind, 0);

	return e ? e : wait_for(crt_stream(0), true);
}

cudaError_t i_cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
				  enum cudaMemcpyKind kind)
{
	cudaError_t e = i_cudaMemcpyFromArrayAsync(dst, src, x, y, bytes, kind, 0);

	return e ? e : wait_for(crt_stream(0), true);
}

/* The copy goes through the host, because the rows of the two arrays may end at different places. */
cudaError_t i_cudaMemcpyArrayToArray(cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
				     size_t src_x, size_t src_y, size_t bytes, enum cudaMemcpyKind kind)
{
	void *buffer = malloc(bytes ? bytes : 1);
	cudaError_t e = buffer ? check_kind(kind) : cudaErrorMemoryAllocation;

	if (!e)
		e = i_cudaMemcpyFromArray(buffer, src, src_x, src_y, bytes, cudaMemcpyDeviceToHost);
	if (!e)
		e = i_cudaMemcpyToArray(dst, dst_x, dst_y, buffer, bytes, cudaMemcpyHostToDevice);
	free(buffer);
	return e;
}

/* ---- fills ---------------------------------------------------------------------------------- */

static cudaError_t fill(void *dst, int value, size_t bytes, cudaStream_t stream, bool wait)
{
	CUstream s = crt_stream(stream);
	cudaError_t e = crt_enter();

	if (e || !bytes)
		return e;
	e = crt_error(cuMemsetD8Async(addr(dst), (unsigned char)value, bytes, s));
	return e ? e : wait_for(s, wait);
}

static cudaError_t fill_2d(void *dst, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream,
			   bool wait)
{
	CUstream s = crt_stream(stream);
	cudaError_t e = crt_enter();

	if (e || !width || !height)
		return e;
	if (width > pitch && height > 1)
		return cudaErrorInvalidValue;
	e = crt_error(cuMemsetD2D8Async(addr(dst), pitch, (unsigned char)value, width, height, s));
	return e ? e : wait_for(s, wait);
}

static cudaError_t fill_3d(struct cudaPitchedPtr p, int value, struct cudaExtent x, cudaStream_t stream, bool wait)
{
	cudaError_t e = crt_enter();
	size_t slice = 0, end;

	if (!x.width || !x.height)
		x.depth = 0;
	/* A slice has bytes, and the last one has an address, so the loop ends. */
	if (!e && x.depth > 1 && (x.height > p.ysize || x.width > p.pitch || __builtin_mul_overflow(p.pitch, p.ysize, &slice) ||
				  __builtin_mul_overflow(slice, x.depth, &end) ||
				  __builtin_add_overflow((uintptr_t)p.ptr, end, &end)))
		e = cudaErrorInvalidValue;
	for (size_t z = 0; !e && z < x.depth; z++)
		e = fill_2d((char *)p.ptr + z * slice, p.pitch, value, x.width, x.height, stream, false);
	return e ? e : wait_for(crt_stream(stream), wait);
}

cudaError_t i_cudaMemset(void *dst, int value, size_t bytes)
{
	return fill(dst, value, bytes, 0, true);
}

cudaError_t i_cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream)
{
	return fill(dst, value, bytes, stream, false);
}

cudaError_t i_cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height)
{
	return fill_2d(dst, pitch, value, width, height, 0, true);
}

cudaError_t i_cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	return fill_2d(dst, pitch, value, width, height, stream, false);
}

cudaError_t i_cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent)
{
	return fill_3d(p, value, extent, 0, true);
}

cudaError_t i_cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent, cudaStream_t stream)
{
	return fill_3d(p, value, extent, stream, false);
}
