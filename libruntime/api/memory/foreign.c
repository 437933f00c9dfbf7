/* SPDX-License-Identifier: MIT */
/* Copies of which a side is memory of a context that this one may not use: through memory of the host, piece by piece. */
#include <stdlib.h>

#include <ppu.h>
#include "api/memory/foreign.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/memory/copy.h"
#include "api/memory/va.h"
#include "api/stream/stream.h"

#define PIECE	(4u << 20)

bool rt_is_foreign(struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes)
{
	const struct ppuCtx_st *owner;
	bool mapped;

	owner = rt_va_inside((void *)(uintptr_t)va) ? rt_va_owner(va, bytes, &mapped) : NULL;
	return owner && owner != ctx && !mapped;
}

/* A stream in which this side can be copied, with a reference to its context. */
static ppuResult side(struct ppuStream_st *s, uint64_t va, struct ppuStream_st **out)
{
	struct ppuCtx_st *owner = s->ctx;
	bool mapped = true;

	*out = s;
	if (rt_is_foreign(s->ctx, va, 1))
		owner = rt_obj_get(rt_va_owner(va, 1, &mapped), RT_CTX);
	if (!owner)
		return rt_fail(PPU_ERROR_INVALID_ADDRESS, "%#llx is memory of a context that has ended", (unsigned long long)va);
	if (owner == s->ctx)
		rt_obj_ref(&owner->obj);
	else
		*out = owner->null_stream;
	return PPU_SUCCESS;
}

static ppuResult through(void *buffer, const struct rt_rect *r, struct ppuStream_st *from, struct ppuStream_st *to)
{
	uint64_t rows = r->width < PIECE ? PIECE / r->width : 1;
	ppuResult res = PPU_SUCCESS;

	for (uint64_t row = 0; row < r->rows && !res; row += rows) {
		uint64_t n = r->rows - row < rows ? r->rows - row : rows;

		for (uint64_t col = 0; col < r->width && !res; col += PIECE) {
			uint64_t width = r->width - col < PIECE ? r->width - col : PIECE;
			struct rt_rect in = { (uintptr_t)buffer, r->src + row * r->src_pitch + col, width, r->src_pitch, width, n };
			struct rt_rect out = { r->dst + row * r->dst_pitch + col, (uintptr_t)buffer, r->dst_pitch, width, width, n };

			res = rt_copy(from, &in, true);
			if (!res)
				res = rt_copy(to, &out, true);
		}
	}
	return res;
}

/* What the stream has to do before. */
static ppuResult before(struct ppuStream_st *s)
{
	struct rt_need need;
	ppuResult res = rt_enter(s->ctx);

	if (res)
		return res;
	rt_stream_join(s);
	need = s->need;
	res = rt_wait(s->ctx, &need, &rt_no_limit);
	rt_leave(s->ctx);
	return res;
}

ppuResult rt_copy_foreign(struct ppuStream_st *s, const struct rt_rect *r)
{
	void *buffer = malloc(PIECE);
	struct ppuStream_st *from = NULL, *to = NULL;
	ppuResult res = buffer ? before(s) : rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);

	if (!res)
		res = side(s, r->src, &from);
	if (!res) {
		res = side(s, r->dst, &to);
		if (!res) {
			res = through(buffer, r, from, to);
			rt_obj_put(&to->ctx->obj);
		}
		rt_obj_put(&from->ctx->obj);
	}
	free(buffer);
	return res;
}
