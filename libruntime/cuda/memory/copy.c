/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills.  A call names the kind of memory of each side.  A side that is said to be device memory
 * must be memory of libppu; any other address is taken for the program's own.  Every copy is a box of bytes.
 */
#include <stdint.h>
#include <string.h>

#include <ppu.h>
#include "cuda/memory/copy.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/work.h"
#include "cuda/memory/array.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"

/* One side of a box of height rows times depth slices; pitch and slice in bytes. */
struct side {
	uint64_t at, pitch, slice;
};

struct box_side {
	size_t x, y, z;
	CUmemorytype type;
	uint64_t host, device;
	CUarray array;
	size_t pitch, rows;	/* rows of a slice; 0: as many as the box has */
};

/* Bytes from the first to the last one of a box; false: more than an address can say. */
static bool extent(const struct side *s, size_t width, size_t height, size_t depth)
{
	uint64_t rows, slices, bytes;

	return !__builtin_mul_overflow((uint64_t)(height - 1), s->pitch, &rows) &&
	       !__builtin_mul_overflow((uint64_t)(depth - 1), s->slice, &slices) &&
	       !__builtin_add_overflow(rows, slices, &bytes) && !__builtin_add_overflow(bytes, width, &bytes) &&
	       !__builtin_add_overflow(bytes, s->at, &rows);
}

/* The address of a box's first byte; false: more than an address can say. */
static bool first_byte(uint64_t base, const struct box_side *b, struct side *s)
{
	uint64_t z, y;

	return !__builtin_mul_overflow((uint64_t)b->z, s->slice, &z) && !__builtin_mul_overflow((uint64_t)b->y, s->pitch, &y) &&
	       !__builtin_add_overflow(base, z, &s->at) && !__builtin_add_overflow(s->at, y, &s->at) &&
	       !__builtin_add_overflow(s->at, b->x, &s->at);
}

/* Finds where a side begins.  No reference is kept: the program must not destroy an array that a copy uses. */
static CUresult locate(const struct box_side *b, size_t width, size_t height, size_t depth, struct side *s)
{
	size_t row_end, last_row, pitch, rows;
	uint64_t base = b->type == CU_MEMORYTYPE_HOST ? b->host : b->device;

	if (__builtin_add_overflow(b->x, width, &row_end) || __builtin_add_overflow(b->y, height, &last_row))
		return CUDA_ERROR_INVALID_VALUE;
	pitch = b->pitch ? b->pitch : row_end;
	rows = b->rows ? b->rows : last_row;
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
	} else if (row_end > pitch && (height > 1 || depth > 1)) {
		return CUDA_ERROR_INVALID_VALUE;
	} else if (b->type == CU_MEMORYTYPE_DEVICE && !cu_is_anyones(base)) {
		return CUDA_ERROR_INVALID_VALUE;
	}
	if (!base)
		return CUDA_ERROR_INVALID_VALUE;
	s->pitch = pitch;
	if (__builtin_mul_overflow(pitch, rows, &s->slice) || !first_byte(base, b, s))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static struct box_side dst_of(const CUDA_MEMCPY3D *m)
{
	return (struct box_side){ m->dstXInBytes, m->dstY, m->dstZ, m->dstMemoryType, (uintptr_t)m->dstHost,
				  m->dstDevice, m->dstArray, m->dstPitch, m->dstHeight };
}

static struct box_side src_of(const CUDA_MEMCPY3D *m)
{
	return (struct box_side){ m->srcXInBytes, m->srcY, m->srcZ, m->srcMemoryType, (uintptr_t)m->srcHost,
				  m->srcDevice, m->srcArray, m->srcPitch, m->srcHeight };
}

/* Finds the box's two sides; *depth 0: there is nothing to copy. */
static CUresult sides(const CUDA_MEMCPY3D *m, struct side *d, struct side *s, size_t *depth)
{
	size_t width = m->WidthInBytes, height = m->Height;
	struct box_side to = dst_of(m), from = src_of(m);
	CUresult r;

	*depth = width && height ? m->Depth : 0;
	if (m->srcLOD || m->dstLOD)
		return CUDA_ERROR_INVALID_VALUE;
	if (!*depth)
		return CUDA_SUCCESS;
	r = locate(&to, width, height, *depth, d);
	if (!r)
		r = locate(&from, width, height, *depth, s);
	if (!r && (!extent(d, width, height, *depth) || !extent(s, width, height, *depth)))
		r = CUDA_ERROR_INVALID_VALUE;
	return r;
}

CUresult cu_run_copy(const CUDA_MEMCPY3D *m, const struct cu_stream_use *u)
{
	struct side to, from;
	size_t depth;
	CUresult r = sides(m, &to, &from, &depth);

	for (size_t z = 0; !r && z < depth; z++) {
		void *d = (void *)(uintptr_t)(to.at + z * to.slice);
		const void *s = (const void *)(uintptr_t)(from.at + z * from.slice);

		if (m->Height == 1)
			r = cu_result(ppuMemcpyAsync(d, s, m->WidthInBytes, u->ppu));
		else
			r = cu_result(ppuMemcpy2DAsync(d, to.pitch, s, from.pitch, m->WidthInBytes, m->Height,
						       u->ppu));
	}
	return r;
}

/* Device memory, and host memory that has a device address. */
static bool reachable(CUmemorytype type, const void *host)
{
	return type != CU_MEMORYTYPE_HOST || cu_is_anyones((uintptr_t)host);
}

bool cu_copy_by_kernel(const CUDA_MEMCPY3D *m)
{
	return reachable(m->srcMemoryType, m->srcHost) && reachable(m->dstMemoryType, m->dstHost);
}

CUresult cu_copy_node(const CUDA_MEMCPY3D *m, ppuGraphNode *n)
{
	struct side to, from;
	size_t depth;
	CUresult r = cu_copy_by_kernel(m) ? sides(m, &to, &from, &depth) : CUDA_ERROR_NOT_SUPPORTED;

	if (r || !depth)
		return r;
	*n = (ppuGraphNode){
		.kind = PPU_GRAPH_COPY, .width = m->WidthInBytes, .height = m->Height, .depth = depth,
		.dst = to.at, .dst_pitch = to.pitch, .dst_slice = to.slice,
		.src = from.at, .src_pitch = from.pitch, .src_slice = from.slice,
	};
	return CUDA_SUCCESS;
}

static CUresult copy_3d(const CUDA_MEMCPY3D *m, CUstream stream, bool wait)
{
	struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_MEMCPY };
	struct side d, s;
	struct CUctx_st *c;
	size_t depth;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = m ? sides(m, &d, &s, &depth) : CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(c);
	if (r || !depth)
		return r;
	op.copy = *m;
	return cu_op_submit(&op, stream, wait);
}

CUresult i_cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy)
{
	return copy_3d(copy, 0, true);
}

CUresult i_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream)
{
	return copy_3d(copy, stream, false);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *m, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D c;

	if (!m)
		return CUDA_ERROR_INVALID_VALUE;
	c = (CUDA_MEMCPY3D){
		.dstXInBytes = m->dstXInBytes, .dstY = m->dstY, .dstMemoryType = m->dstMemoryType,
		.dstHost = m->dstHost, .dstDevice = m->dstDevice, .dstArray = m->dstArray, .dstPitch = m->dstPitch,
		.srcXInBytes = m->srcXInBytes, .srcY = m->srcY, .srcMemoryType = m->srcMemoryType,
		.srcHost = m->srcHost, .srcDevice = m->srcDevice, .srcArray = m->srcArray, .srcPitch = m->srcPitch,
		.WidthInBytes = m->WidthInBytes, .Height = m->Height, .Depth = 1,
	};
	return copy_3d(&c, stream, wait);
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

/* ---- lines ---------------------------------------------------------------------------------- */

/* One side of a line. */
struct end {
	CUmemorytype type;
	uint64_t at;		/* an address, or an offset in bytes in the first row of an array */
	CUarray array;
};

static struct end host(const void *p)
{
	return (struct end){ CU_MEMORYTYPE_HOST, (uintptr_t)p, NULL };
}

static struct end device(CUdeviceptr p)
{
	return (struct end){ CU_MEMORYTYPE_DEVICE, p, NULL };
}

static struct end any(CUdeviceptr p)
{
	return (struct end){ CU_MEMORYTYPE_UNIFIED, p, NULL };
}

static struct end array(CUarray a, size_t offset)
{
	return (struct end){ CU_MEMORYTYPE_ARRAY, offset, a };
}

static CUresult line(struct end d, struct end s, size_t bytes, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D c = { .dstMemoryType = d.type, .dstArray = d.array, .srcMemoryType = s.type, .srcArray = s.array,
			    .WidthInBytes = bytes, .Height = 1, .Depth = 1 };

	if (d.array || d.type == CU_MEMORYTYPE_ARRAY)
		c.dstXInBytes = d.at;
	else if (d.type == CU_MEMORYTYPE_HOST)
		c.dstHost = (void *)(uintptr_t)d.at;
	else
		c.dstDevice = d.at;
	if (s.array || s.type == CU_MEMORYTYPE_ARRAY)
		c.srcXInBytes = s.at;
	else if (s.type == CU_MEMORYTYPE_HOST)
		c.srcHost = (const void *)(uintptr_t)s.at;
	else
		c.srcDevice = s.at;
	return copy_3d(&c, stream, wait);
}

CUresult i_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return line(any(dst), any(src), bytes, 0, true);
}

CUresult i_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return line(any(dst), any(src), bytes, stream, false);
}

CUresult i_cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return line(device(dst), host(src), bytes, 0, true);
}

CUresult i_cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return line(host(dst), device(src), bytes, 0, true);
}

CUresult i_cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return line(device(dst), device(src), bytes, 0, true);
}

CUresult i_cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	return line(device(dst), host(src), bytes, stream, false);
}

CUresult i_cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return line(host(dst), device(src), bytes, stream, false);
}

CUresult i_cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return line(device(dst), device(src), bytes, stream, false);
}

CUresult i_cuMemcpyHtoA_v2(CUarray dst, size_t offset, const void *src, size_t bytes)
{
	return line(array(dst, offset), host(src), bytes, 0, true);
}

CUresult i_cuMemcpyAtoH_v2(void *dst, CUarray src, size_t offset, size_t bytes)
{
	return line(host(dst), array(src, offset), bytes, 0, true);
}

CUresult i_cuMemcpyHtoAAsync_v2(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream stream)
{
	return line(array(dst, offset), host(src), bytes, stream, false);
}

CUresult i_cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t offset, size_t bytes, CUstream stream)
{
	return line(host(dst), array(src, offset), bytes, stream, false);
}

CUresult i_cuMemcpyDtoA_v2(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
	return line(array(dst, offset), device(src), bytes, 0, true);
}

CUresult i_cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
	return line(device(dst), array(src, offset), bytes, 0, true);
}

CUresult i_cuMemcpyAtoA_v2(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t bytes)
{
	return line(array(dst, dst_offset), array(src, src_offset), bytes, 0, true);
}

/* ---- between contexts: addresses say which context they belong to ------------------------------ */

static CUresult both(CUcontext dst, CUcontext src)
{
	struct CUctx_st *d, *s;
	CUresult r = cu_ready();

	if (r)
		return r;
	d = cu_obj_get(dst, CU_CTX);
	s = cu_obj_get(src, CU_CTX);
	r = d && s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
	cu_obj_put(d);
	cu_obj_put(s);
	return r;
}

CUresult i_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx, size_t bytes,
			     CUstream stream)
{
	CUresult r = both(dst_ctx, src_ctx);

	return r ? r : line(device(dst), device(src), bytes, stream, false);
}

CUresult i_cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx, size_t bytes)
{
	CUresult r = both(dst_ctx, src_ctx);

	return r ? r : line(device(dst), device(src), bytes, 0, true);
}

static CUresult copy_peer(const CUDA_MEMCPY3D_PEER *m, CUstream stream, bool wait)
{
	CUDA_MEMCPY3D c;
	CUresult r = m ? both(m->dstContext, m->srcContext) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	_Static_assert(sizeof(c) == sizeof(*m), "the same members but for the contexts");
	memcpy(&c, m, sizeof(c));
	c.reserved0 = c.reserved1 = NULL;
	return copy_3d(&c, stream, wait);
}

CUresult i_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy)
{
	return copy_peer(copy, 0, true);
}

CUresult i_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream)
{
	return copy_peer(copy, stream, false);
}

/* ---- fills ---------------------------------------------------------------------------------- */

static CUresult check_fill(const CUDA_MEMSET_NODE_PARAMS *f)
{
	unsigned int element = f->elementSize;

	if (element != 1 && element != 2 && element != 4)
		return CUDA_ERROR_INVALID_VALUE;
	if (!f->width || !f->height)
		return CUDA_SUCCESS;
	return !cu_is_ours(f->dst, NULL) || f->dst % element ||
	       (f->height > 1 && (f->pitch % element || f->pitch / element < f->width)) ? CUDA_ERROR_INVALID_VALUE :
	       CUDA_SUCCESS;
}

CUresult cu_run_fill(const CUDA_MEMSET_NODE_PARAMS *f, const struct cu_stream_use *u)
{
	void *dst = (void *)(uintptr_t)f->dst;
	CUresult r = check_fill(f);

	if (r || !f->width || !f->height)
		return r;
	return cu_result(f->height == 1 ? ppuMemsetAsync(dst, f->value, f->elementSize, f->width, u->ppu) :
			 ppuMemset2DAsync(dst, f->pitch, f->value, f->elementSize, f->width, f->height, u->ppu));
}

static CUresult fill(CUdeviceptr dst, size_t pitch, unsigned int value, unsigned int element, size_t width,
		     size_t height, CUstream stream, bool wait)
{
	struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_MEMSET };
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	op.fill = (CUDA_MEMSET_NODE_PARAMS){ dst, pitch, value, element, width, height };
	r = check_fill(&op.fill);
	cu_obj_put(c);
	return r ? r : cu_op_submit(&op, stream, wait);
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
