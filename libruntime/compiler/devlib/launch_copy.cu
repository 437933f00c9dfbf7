/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills by threads, in a stream: kernels of the library that are launched like any other.
 * They count as launches, and are children of the kernel that asked for them.
 */
#include "compiler/devabi/box.h"
#include "compiler/devabi/cdp.h"

extern "C" __attribute__((global, weak)) void __ppu_cdp_copy(struct ppu_box to, struct ppu_box from, struct ppu_extent e, u32 unit)
{
	copy_box(&to, &from, &e, unit);
}

extern "C" __attribute__((global, weak)) void __ppu_cdp_fill(struct ppu_box to, struct ppu_extent e, u32 unit, u32 value)
{
	if (unit == 8)
		fill<u64>(&to, &e, 0x0101010101010101ull * (u8)value);
	else if (unit == 4)
		fill<u32>(&to, &e, 0x01010101u * (u8)value);
	else
		fill<u8>(&to, &e, (u8)value);
}

static __device__ void (*const copy_kernel)(struct ppu_box, struct ppu_box, struct ppu_extent, u32) = __ppu_cdp_copy;
static __device__ void (*const fill_kernel)(struct ppu_box, struct ppu_extent, u32, u32) = __ppu_cdp_fill;

DEV u64 bits_of(const struct ppu_box *b, const struct ppu_extent *e)
{
	return b->data | e->width | (e->height > 1 || e->depth > 1 ? b->pitch : 0) | (e->depth > 1 ? b->slice : 0);
}

DEV void *prepare(const void *kernel, const struct ppu_extent *e)
{
	u64 blocks = (e->width * e->height * e->depth + PPU_BOX_BLOCK_BYTES - 1) / PPU_BOX_BLOCK_BYTES;
	struct dim3 grid = { blocks < PPU_BOX_BLOCKS ? (u32)blocks : PPU_BOX_BLOCKS, 1, 1 }, block = { PPU_BOX_THREADS, 1, 1 };

	return __cudaCDP2GetParameterBufferV2(kernel, grid, block, 0);
}

DEV bool fits(const struct ppu_box *b, const struct ppu_extent *e)
{
	return b->data && (e->height < 2 || b->pitch >= e->width) &&
	       (e->depth < 2 || b->slice >= b->pitch * e->height);
}

static __device__ __attribute__((noinline)) int start_copy(const struct ppu_box *to, const struct ppu_box *from,
							   const struct ppu_extent *e, stream_t stream)
{
	struct ppu_box_copy *p;

	if (!e->width || !e->height || !e->depth)
		return 0;
	if (!fits(to, e) || !fits(from, e))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	p = (struct ppu_box_copy *)prepare((const void *)copy_kernel, e);
	if (!p)
		return __ppu_cdp_error(CDP_PENDING);
	p->to = *to;
	p->from = *from;
	p->e = *e;
	p->unit = ppu_box_unit(bits_of(to, e) | bits_of(from, e));
	return __cudaCDP2LaunchDeviceV2(p, stream);
}

static __device__ __attribute__((noinline)) int start_fill(const struct ppu_box *to, const struct ppu_extent *e, int value,
							   stream_t stream)
{
	struct ppu_box_fill *p;

	if (!e->width || !e->height || !e->depth)
		return 0;
	if (!fits(to, e))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	p = (struct ppu_box_fill *)prepare((const void *)fill_kernel, e);
	if (!p)
		return __ppu_cdp_error(CDP_PENDING);
	p->to = *to;
	p->e = *e;
	p->unit = ppu_box_unit(bits_of(to, e));
	p->value = (u32)value;
	return __cudaCDP2LaunchDeviceV2(p, stream);
}

/* cudaMemcpyKind: between device addresses.  Host memory that threads can reach has a device address, too. */
#define KIND_DEVICE	3u
#define KIND_DEFAULT	4u

CDP_FN(int, MemcpyAsync, (void *dst, const void *src, u64 bytes, u32 kind, stream_t stream), (dst, src, bytes, kind, stream))
{
	const struct ppu_box to = { (u64)dst, bytes, bytes }, from = { (u64)src, bytes, bytes };
	const struct ppu_extent e = { bytes, 1, 1 };

	if (kind != KIND_DEVICE && kind != KIND_DEFAULT)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	return start_copy(&to, &from, &e, stream);
}

CDP_FN(int, Memcpy2DAsync, (void *dst, u64 dpitch, const void *src, u64 spitch, u64 width, u64 height, u32 kind, stream_t stream),
       (dst, dpitch, src, spitch, width, height, kind, stream))
{
	const struct ppu_box to = { (u64)dst, dpitch, dpitch * height }, from = { (u64)src, spitch, spitch * height };
	const struct ppu_extent e = { width, height, 1 };

	if (kind != KIND_DEVICE && kind != KIND_DEFAULT)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	return start_copy(&to, &from, &e, stream);
}

/* cudaPitchedPtr, cudaPos, cudaExtent, cudaMemcpy3DParms. */
struct pitched {
	u64 ptr, pitch, xsize, ysize;
};
struct pos {
	u64 x, y, z;
};
struct copy3d {
	u64 src_array;
	struct pos src_pos;
	struct pitched src;
	u64 dst_array;
	struct pos dst_pos;
	struct pitched dst;
	struct ppu_extent extent;
	u32 kind;
};

DEV struct ppu_box box_of(const struct pitched *p, const struct pos *at)
{
	u64 slice = p->pitch * p->ysize;
	struct ppu_box b = { p->ptr + at->z * slice + at->y * p->pitch + at->x, p->pitch, slice };

	return b;
}

CDP_FN(int, Memcpy3DAsync, (const struct copy3d *p, stream_t stream), (p, stream))
{
	struct ppu_box to, from;

	if (!p || (p->kind != KIND_DEVICE && p->kind != KIND_DEFAULT))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	if (p->src_array || p->dst_array)
		return __ppu_cdp_error(CDP_UNSUPPORTED);
	to = box_of(&p->dst, &p->dst_pos);
	from = box_of(&p->src, &p->src_pos);
	return start_copy(&to, &from, &p->extent, stream);
}

CDP_FN(int, MemsetAsync, (void *dst, int value, u64 bytes, stream_t stream), (dst, value, bytes, stream))
{
	const struct ppu_box to = { (u64)dst, bytes, bytes };
	const struct ppu_extent e = { bytes, 1, 1 };

	return start_fill(&to, &e, value, stream);
}

CDP_FN(int, Memset2DAsync, (void *dst, u64 pitch, int value, u64 width, u64 height, stream_t stream),
       (dst, pitch, value, width, height, stream))
{
	const struct ppu_box to = { (u64)dst, pitch, pitch * height };
	const struct ppu_extent e = { width, height, 1 };

	return start_fill(&to, &e, value, stream);
}

CDP_FN(int, Memset3DAsync, (struct pitched dst, int value, struct ppu_extent e, stream_t stream), (dst, value, e, stream))
{
	const struct pos origin = { 0, 0, 0 };
	const struct ppu_box to = box_of(&dst, &origin);

	return start_fill(&to, &e, value, stream);
}
