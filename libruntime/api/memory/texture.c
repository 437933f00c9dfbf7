/* SPDX-License-Identifier: MIT */
/* Texture objects: a description in device memory, whose address is the handle. */
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

/* Fills in what zero stands for, and checks. *bytes: number of bytes from the first to the last. */
static ppuResult describe(const ppuTextureDesc *d, struct ppu_texture *t, uint64_t *bytes)
{
	uint64_t row, pitch, slice;
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
	if (!d->width || d->width > MAX_EXTENT * 4096ull || d->height > MAX_EXTENT || d->depth > MAX_EXTENT)
		return rt_fail(PPU_ERROR_INVALID_VALUE, "a texture of %ux%ux%u is impossible", d->width, d->height, d->depth);
	row = (uint64_t)d->width * d->channels * channel_bytes[d->format];
	pitch = d->pitch ? d->pitch : row;
	t->width = d->width;
	t->height = d->height ? d->height : 1;
	t->depth = d->depth ? d->depth : 1;
	slice = d->slice_pitch ? d->slice_pitch : pitch * t->height;
	if (pitch < row || pitch > UINT32_MAX || pitch % channel_bytes[d->format] || slice < pitch * (t->height - 1) + row ||
	    slice > 1ull << 40 || slice % channel_bytes[d->format])
		return rt_fail(PPU_ERROR_INVALID_VALUE, "rows of %llu bytes do not fit a pitch of %llu and slices of %llu",
			       (unsigned long long)row, (unsigned long long)pitch, (unsigned long long)slice);
	*bytes = slice * (t->depth - 1) + pitch * (t->height - 1) + row;
	t->data = (uintptr_t)d->data;
	t->pitch = (uint32_t)pitch;
	t->slice_pitch = slice;
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

static ppuResult create(struct ppuCtx_st *ctx, const struct ppu_texture *t, uint64_t bytes, uint64_t *va)
{
	struct rt_rect r = { 0, (uintptr_t)t, sizeof(*t), sizeof(*t), sizeof(*t), 1 };
	ppuMemoryType type;
	ppuResult res = rt_enter(ctx);

	if (res)
		return res;
	res = rt_classify(ctx, (const void *)(uintptr_t)t->data, bytes, &type);
	if (!res && type == PPU_MEMORY_UNREGISTERED)
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "a texture lies in device memory or pinned host memory");
	if (!res && t->data % channel_bytes[t->format])
		res = rt_fail(PPU_ERROR_INVALID_VALUE, "the texture's data is not aligned to its channels");
	if (!res)
		res = rt_alloc(ctx, RT_HEAP_DATA, sizeof(*t), 0, RT_MEMORY_TEXTURE, va);
	rt_leave(ctx);
	if (res)
		return res;
	r.dst = *va;
	return rt_copy(ctx->load_stream, &r, true);
}

ppuResult ppuTextureCreate(ppuTexture *texture, const ppuTextureDesc *desc)
{
	struct ppu_texture t = { 0 };
	struct ppuCtx_st *ctx;
	uint64_t bytes = 0, va;
	ppuResult res;

	if (!texture || !desc)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = describe(desc, &t, &bytes);
	if (res)
		return res;
	res = rt_current(&ctx);
	if (res)
		return res;
	res = create(ctx, &t, bytes, &va);
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
