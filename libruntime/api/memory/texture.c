/* SPDX-License-Identifier: MIT */
/* Texture objects: a description in device memory, whose address is the handle. */
#include <stddef.h>
#include <string.h>

#include <ppu.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/memory/copy.h"
#include "api/memory/mem.h"
#include "compiler/devabi/devlib.h"

#define MAX_EXTENT	65536u
/* Like RT_MEMORY_MODULE: device memory that the user must not free. */
#define RT_MEMORY_TEXTURE ((ppuMemoryType)(RT_MEMORY_MODULE + 1))

/* The constants of the header must be those that the device-side library reads. */
_Static_assert(PPU_TEXTURE_F32 == (int)PPU_TEXEL_F32 && PPU_TEXTURE_U16 == (int)PPU_TEXEL_U16 &&
	       PPU_TEXTURE_F16 == (int)PPU_TEXEL_F16, "formats");
_Static_assert(PPU_TEXTURE_BORDER == (int)PPU_ADDRESS_BORDER && PPU_TEXTURE_WRAP == (int)PPU_ADDRESS_WRAP &&
	       PPU_TEXTURE_MIRROR == (int)PPU_ADDRESS_MIRROR, "address modes");

static const uint8_t channel_bytes[PPU_TEXEL_FORMATS] = {
	[PPU_TEXEL_U8] = 1, [PPU_TEXEL_S8] = 1, [PPU_TEXEL_U16] = 2, [PPU_TEXEL_S16] = 2, [PPU_TEXEL_U32] = 4,
	[PPU_TEXEL_S32] = 4, [PPU_TEXEL_F16] = 2, [PPU_TEXEL_F32] = 4,
};

static bool is_float(const ppuTextureDesc *d)
{
	return d->format >= PPU_TEXTURE_F16 || d->normalized_read;
}

/* What is in device memory, and the number of bytes from the first to the last of each level. */
struct made {
	struct ppu_texture t;
	struct ppu_texture_level level[PPU_TEXTURE_LEVELS - 1];
	uint64_t bytes[PPU_TEXTURE_LEVELS];
};
_Static_assert(offsetof(struct made, level) == sizeof(struct ppu_texture), "the levels follow the texture");

/* Fills in what zero stands for, and checks. */
static ppuResult extent(const ppuTextureDesc *d, const ppuTextureLevel *from, struct ppu_texture_level *l, uint64_t *bytes)
{
	uint64_t row, pitch, slice, channel = channel_bytes[d->format];

	if (!from->width || from->width > MAX_EXTENT * 4096ull || from->height > MAX_EXTENT || from->depth > MAX_EXTENT)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "a texture of %ux%ux%u is impossible", from->width, from->height,
			       from->depth);
	row = (uint64_t)from->width * d->channels * channel;
	pitch = from->pitch ? from->pitch : row;
	l->width = from->width;
	l->height = from->height ? from->height : 1;
	l->depth = from->depth ? from->depth : 1;
	slice = from->slice_pitch ? from->slice_pitch : pitch * l->height;
	if (pitch < row || pitch > UINT32_MAX || pitch % channel || slice < pitch * (l->height - 1) + row ||
	    slice > 1ull << 40 || slice % channel)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "rows of %llu bytes do not fit a pitch of %llu and slices of %llu",
			       (unsigned long long)row, (unsigned long long)pitch, (unsigned long long)slice);
	*bytes = slice * (l->depth - 1) + pitch * (l->height - 1) + row;
	l->data = (uintptr_t)from->data;
	l->pitch = (uint32_t)pitch;
	l->slice_pitch = slice;
	return PPU_SUCCESS;
}

static ppuResult describe_levels(const ppuTextureDesc *d, struct made *m)
{
	const ppuTextureLevel first = { d->data, d->width, d->height, d->depth, 0, d->pitch, d->slice_pitch };
	struct ppu_texture_level l = { 0 };
	struct ppu_texture *t = &m->t;
	ppuResult res = PPU_SUCCESS;

	if (d->num_levels >= PPU_TEXTURE_LEVELS || (d->num_levels && !d->levels) ||
	    (unsigned)d->level_filter > PPU_TEXTURE_LINEAR || (d->level_filter == PPU_TEXTURE_LINEAR && !is_float(d)))
		return rt_fail(PPU_ERROR_INVALID_VALUE,
			       "a texture has at most %d levels, and a filter between them needs floating point results",
			       PPU_TEXTURE_LEVELS);
	for (unsigned i = 0; !res && i < d->num_levels; i++)
		res = extent(d, &d->levels[i], &m->level[i], &m->bytes[i + 1]);
	if (!res)
		res = extent(d, &first, &l, &m->bytes[0]);
	t->data = l.data;
	t->slice_pitch = l.slice_pitch;
	t->width = l.width;
	t->height = l.height;
	t->depth = l.depth;
	t->pitch = l.pitch;
	t->num_levels = 1 + d->num_levels;
	t->mip_linear = d->level_filter == PPU_TEXTURE_LINEAR;
	t->bias = d->level_bias;
	t->min_level = d->min_level;
	t->max_level = d->max_level;
	return res;
}

static ppuResult describe(const ppuTextureDesc *d, struct made *m)
{
	struct ppu_texture *t = &m->t;
	ppuResult res;
	unsigned i;

	if ((unsigned)d->format >= PPU_TEXEL_FORMATS ||
	    (d->channels != 1 && d->channels != 2 && d->channels != 4) || (unsigned)d->filter > PPU_TEXTURE_LINEAR ||
	    (d->normalized_read && d->format > PPU_TEXTURE_S16))
		return rt_fail(PPU_ERROR_INVALID_VALUE,
			       "a texture has 1, 2 or 4 channels of a known format; only 8- and 16-bit integers can be read normalized");
	if (d->srgb && (d->format != PPU_TEXTURE_U8 || !d->normalized_read))
		return rt_fail(PPU_ERROR_INVALID_VALUE, "the curve of sRGB is for channels of 8 bits that are read normalized");
	for (i = 0; i < 3; i++)
		if ((unsigned)d->address[i] >= PPU_ADDRESS_MODES)
			return rt_fail(PPU_ERROR_INVALID_VALUE, "address mode %u is unknown", (unsigned)d->address[i]);
	if (d->filter == PPU_TEXTURE_LINEAR && !is_float(d))
		return rt_fail(PPU_ERROR_INVALID_VALUE, "a linear filter needs floating point results: f16, f32, or a normalized read");
	res = describe_levels(d, m);
	if (res)
		return res;
	t->format = (u32)d->format;
	t->channels = d->channels;
	for (i = 0; i < 3; i++)
		t->address[i] = (u32)d->address[i];
	t->linear = d->filter == PPU_TEXTURE_LINEAR;
	t->normalized = d->normalized_coordinates != 0;
	t->normalized_read = d->normalized_read != 0;
	t->srgb = d->srgb != 0;
	memcpy(t->border, d->border, sizeof(t->border));
	return PPU_SUCCESS;
}

/* Is the memory of a level what a texture can lie in? */
static ppuResult memory_fits(struct ppuCtx_st *ctx, const struct made *m, unsigned level)
{
	uint64_t data = level ? m->level[level - 1].data : m->t.data;
	ppuMemoryType type;
	ppuResult res = rt_classify(ctx, (const void *)(uintptr_t)data, m->bytes[level], &type);

	if (!res && type == PPU_MEMORY_UNREGISTERED)
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "a texture lies in device memory or pinned host memory");
	if (!res && data % channel_bytes[m->t.format])
		res = rt_fail(PPU_ERROR_INVALID_VALUE, "the texture's data is not aligned to its channels");
	return res;
}

static ppuResult create(struct ppuCtx_st *ctx, const struct made *m, uint64_t *va)
{
	const size_t size = sizeof(m->t) + (m->t.num_levels - 1) * sizeof(m->level[0]);
	struct rt_rect r = { 0, (uintptr_t)m, size, size, size, 1 };
	ppuResult res = rt_enter(ctx);

	if (res)
		return res;
	for (unsigned i = 0; !res && i < m->t.num_levels; i++)
		res = memory_fits(ctx, m, i);
	if (!res)
		res = rt_alloc(ctx, RT_HEAP_DATA, size, 0, RT_MEMORY_TEXTURE, va);
	rt_leave(ctx);
	if (res)
		return res;
	r.dst = *va;
	return rt_copy(ctx->load_stream, &r, true);
}

ppuResult ppuTextureCreate(ppuTexture *texture, const ppuTextureDesc *desc)
{
	struct made m = { 0 };
	struct ppuCtx_st *ctx;
	uint64_t va;
	ppuResult res;

	if (!texture || !desc)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = describe(desc, &m);
	if (res)
		return res;
	res = rt_current(&ctx);
	if (res)
		return res;
	res = create(ctx, &m, &va);
	if (!res)
		*texture = va;
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuTextureDestroy(ppuTexture texture)
{
	struct rt_alloc *a;
	struct ppuCtx_st *ctx;
	ppuResult res = rt_current(&ctx);

	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		res = rt_wait_all(ctx);		/* kernels may be reading it */
		a = rt_find(ctx, (const void *)(uintptr_t)texture);
		if (!res && (!a || a->va != texture || a->type != RT_MEMORY_TEXTURE))
			res = rt_fail(PPU_ERROR_INVALID_HANDLE, "0x%llx is no texture of this context",
				      (unsigned long long)texture);
		if (!res)
			rt_free(ctx, texture);
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}
