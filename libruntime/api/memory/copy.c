/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills.  The copy engines move everything; ordinary host memory goes through a few
 * pinned staging slots, filled and emptied by the CPU while the engines work on the others.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_cmd.h>
#include "api/memory/copy.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/need.h"
#include "api/context/wait.h"
#include "api/memory/copyprio.h"
#include "api/memory/foreign.h"
#include "api/memory/mem.h"
#include "api/stream/chan.h"
#include "api/stream/hostfn.h"
#include "api/stream/stream.h"
#include "check/check.h"

struct rt_stage *rt_stage_new(void)
{
	struct rt_stage *stage = calloc(1, sizeof(*stage));

	if (stage)
		pthread_mutex_init(&stage->lock, NULL);
	return stage;
}

/* The stage's memory is freed with the memory of the context. */
void rt_stage_free(struct rt_stage *stage)
{
	if (stage)
		pthread_mutex_destroy(&stage->lock);
	free(stage);
}

/* One job per call (more jobs only for absurd widths).  Locked. */
static ppuResult engine_copy(struct ppuStream_st *s, const struct rt_rect *r)
{
	struct rt_rect p = *r;

	while (p.rows) {
		bool flat = p.rows == 1 || p.width > UINT32_MAX;
		uint64_t rows = flat ? 1 : p.rows < UINT32_MAX ? p.rows : UINT32_MAX;
		struct rt_job job;
		ppuResult res = rt_copy_begin(&job, s);
		uint32_t op[10] = {
			(uint32_t)p.src, (uint32_t)(p.src >> 32), (uint32_t)p.dst, (uint32_t)(p.dst >> 32),
		};

		if (res)
			return res;
		if (flat) {
			op[4] = (uint32_t)p.width;
			op[5] = (uint32_t)(p.width >> 32);
			rt_emit(&job, PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0), op, 6);
		} else {
			op[4] = (uint32_t)p.src_pitch;
			op[5] = (uint32_t)(p.src_pitch >> 32);
			op[6] = (uint32_t)p.dst_pitch;
			op[7] = (uint32_t)(p.dst_pitch >> 32);
			op[8] = (uint32_t)p.width;
			op[9] = (uint32_t)rows;
			rt_emit(&job, PPU_CMD_HDR(PPU_CMD_COPY_2D, PPU_CMD_SIZE_COPY_2D, 0), op, 10);
		}
		rt_copy_end(&job);
		p.rows -= rows;
		p.src += rows * p.src_pitch;
		p.dst += rows * p.dst_pitch;
	}
	return PPU_SUCCESS;
}

static void cpu_copy(const struct rt_rect *r)
{
	for (uint64_t i = 0; i < r->rows; i++)
		memcpy((void *)(uintptr_t)(r->dst + i * r->dst_pitch),
		       (const void *)(uintptr_t)(r->src + i * r->src_pitch), r->width);
}

/*
 * The part of r from *row, *col on that fits a staging slot: whole rows, or a piece of one row.
 * Advances *row, *col.
 */
static struct rt_rect piece(const struct rt_rect *r, uint64_t *row, uint64_t *col)
{
	struct rt_rect p = *r;

	p.src += *row * r->src_pitch + *col;
	p.dst += *row * r->dst_pitch + *col;
	if (r->width <= RT_STAGE_BYTES) {
		p.rows = RT_STAGE_BYTES / r->width;
		if (p.rows > r->rows - *row)
			p.rows = r->rows - *row;
		*row += p.rows;
	} else {
		p.rows = 1;
		p.width = r->width - *col < RT_STAGE_BYTES ? r->width - *col : RT_STAGE_BYTES;
		*col += p.width;
		if (*col == r->width) {
			*col = 0;
			++*row;
		}
	}
	return p;
}

/* A slot of the set `of` (a bit mask) that is free; RT_STAGE_SLOTS: none is. */
static unsigned free_slot(struct ppuCtx_st *ctx, const struct rt_stage *stage, unsigned of)
{
	for (unsigned i = 0; i < RT_STAGE_SLOTS; i++) {
		unsigned k = (stage->next + i) % RT_STAGE_SLOTS;

		if (of >> k & 1 && rt_done(ctx, &stage->need[k]))
			return k;
	}
	return RT_STAGE_SLOTS;
}

/*
 * A slot to copy from: a free one if there is one.  Otherwise one that this copy has used already (`used`),
 * because work that is under way in the other slots may wait for a host function.
 */
static ppuResult take_slot(struct ppuCtx_st *ctx, struct rt_stage *stage, unsigned used, unsigned *slot)
{
	unsigned k = free_slot(ctx, stage, ~0u);

	if (k == RT_STAGE_SLOTS) {
		k = stage->next % RT_STAGE_SLOTS;
		while (used && !(used >> k & 1))
			k = (k + 1) % RT_STAGE_SLOTS;
	}
	stage->next = k + 1;
	*slot = k;
	return rt_wait(ctx, &stage->need[k], &rt_no_limit);
}

/* Locked, with the stage's lock.  from_host: the source is ordinary memory, else the destination. */
static ppuResult staged_copy(struct ppuStream_st *s, struct rt_stage *stage, const struct rt_rect *r,
			     bool from_host)
{
	struct ppuCtx_st *ctx = s->ctx;
	struct rt_rect out[RT_STAGE_SLOTS], host, dev;
	uint64_t row = 0, col = 0, va;
	/* Copies to the host: the slots under way, oldest first; `used` is the set of them, else of all. */
	unsigned fifo[RT_STAGE_SLOTS], first = 0, pending = 0, used = 0;
	ppuResult res = PPU_SUCCESS;

	if (!stage->mem) {
		res = rt_alloc(ctx, RT_HEAP_HOST, RT_STAGE_SLOTS * (uint64_t)RT_STAGE_BYTES, 0,
			       PPU_MEMORY_UNREGISTERED, &va);
		if (res)
			return res;
		stage->mem = (void *)(uintptr_t)va;
	}
	while (!res && (row < r->rows || pending)) {
		unsigned k;
		uint64_t slot;

		if (row == r->rows || (pending && free_slot(ctx, stage, ~used) == RT_STAGE_SLOTS)) {
			k = fifo[first];
			res = rt_wait(ctx, &stage->need[k], &rt_no_limit);
			if (!res) {
				rt_leave(ctx);
				cpu_copy(&out[k]);
				pthread_mutex_lock(&ctx->lock);
				if (ctx->dead)
					res = rt_error(PPU_ERROR_INVALID_CONTEXT);
			}
			used &= ~(1u << k);
			first = (first + 1) % RT_STAGE_SLOTS;
			pending--;
			continue;
		}
		if (pending) {
			k = free_slot(ctx, stage, ~used);
			stage->next = k + 1;
		} else {
			res = take_slot(ctx, stage, used, &k);
			if (res)
				break;
		}
		used |= 1u << k;
		slot = (uintptr_t)stage->mem + k * (uint64_t)RT_STAGE_BYTES;
		host = dev = piece(r, &row, &col);
		if (from_host) {
			host.dst = dev.src = slot;
			host.dst_pitch = dev.src_pitch = dev.width;
			rt_leave(ctx);
			cpu_copy(&host);
			pthread_mutex_lock(&ctx->lock);
			if (ctx->dead)
				return rt_error(PPU_ERROR_INVALID_CONTEXT);
		} else {
			dev.dst = host.src = slot;
			dev.dst_pitch = host.src_pitch = dev.width;
			out[k] = host;
			fifo[(first + pending++) % RT_STAGE_SLOTS] = k;
		}
		if (dev.dst_pitch == dev.width && dev.src_pitch == dev.width) {
			dev.width *= dev.rows;
			dev.rows = 1;
		}
		res = engine_copy(s, &dev);
		if (!res)
			stage->need[k] = s->need;
	}
	return res;
}

/*
 * Locked, before the stage's lock is taken.  Work ahead of the copy may wait for a host function, and so for
 * anything in the program, such as a copy that needs the same stage.  So the copy waits here for that work,
 * without the stage's lock, unless the copy only fills free slots.
 */
static ppuResult before_stage(struct ppuStream_st *s, const struct rt_rect *r, bool from_host)
{
	ppuResult res = rt_host_refuse();

	bool fits = from_host && r->width * r->rows <= RT_STAGE_SLOTS * (uint64_t)RT_STAGE_BYTES;
	struct rt_need need;

	if (res || fits || !rt_host_used(s->ctx))
		return res;
	rt_stream_join(s);
	need = s->need;
	return rt_wait(s->ctx, &need, &rt_no_limit);
}

/* The bytes from the first to the last of rows that are a pitch apart.  False: more than an address can
 * say. */
static bool extent(uint64_t at, uint64_t pitch, uint64_t width, uint64_t rows, uint64_t *bytes)
{
	uint64_t end;

	return !__builtin_mul_overflow(rows - 1, pitch, bytes) && !__builtin_add_overflow(*bytes, width, bytes) &&
	       !__builtin_add_overflow(at, *bytes, &end);
}

/* rt_classify() for a call of the program. */
static ppuResult classify(struct ppuCtx_st *ctx, uint64_t at, uint64_t bytes, const char *access, ppuMemoryType *type)
{
	ppuResult res = rt_classify(ctx, (void *)(uintptr_t)at, bytes, type);

	/* Inside for us may still be more than the program asked for. */
	if (ctx->check && (res || (*type != PPU_MEMORY_UNREGISTERED && !chk_range_ok(ctx->check, at, bytes))))
		chk_bad_range(ctx->check, access, at, bytes);
	return res;
}

/* Locked. Not so: another context's device memory, and this one is not its peer. */
static bool reachable(struct ppuCtx_st *ctx, uint64_t at, uint64_t bytes)
{
	ppuMemoryType type;

	return !rt_classify(ctx, (void *)(uintptr_t)at, bytes, &type) || !rt_is_foreign(ctx, at, bytes);
}

ppuResult rt_copy(struct ppuStream_st *s, const struct rt_rect *given, bool wait)
{
	struct ppuCtx_st *ctx = s->ctx;
	struct rt_stage *stage = NULL;
	struct rt_rect r = *given;
	uint64_t dst_bytes, src_bytes;
	ppuMemoryType dst, src;
	ppuResult res;

	if (!r.width || !r.rows)
		return PPU_SUCCESS;
	if (!r.dst || !r.src || (r.rows > 1 && (r.dst_pitch < r.width || r.src_pitch < r.width)) ||
	    r.width > (1ull << 47) || r.rows > (1ull << 47) / r.width ||
	    !extent(r.dst, r.dst_pitch, r.width, r.rows, &dst_bytes) ||
	    !extent(r.src, r.src_pitch, r.width, r.rows, &src_bytes))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (r.rows > 1 && r.dst_pitch == r.width && r.src_pitch == r.width) {
		r.width *= r.rows;
		r.rows = 1;
	}
	for (;;) {
		unsigned chan;

		res = rt_enter(ctx);
		if (res)
			goto out;
		if (!stage && (!reachable(ctx, r.dst, dst_bytes) || !reachable(ctx, r.src, src_bytes))) {
			rt_leave(ctx);
			return rt_copy_foreign(s, &r);
		}
		res = classify(ctx, r.dst, dst_bytes, "write", &dst);
		if (!res)
			res = classify(ctx, r.src, src_bytes, "read", &src);
		if (res || stage || (dst != PPU_MEMORY_UNREGISTERED) == (src != PPU_MEMORY_UNREGISTERED))
			break;
		/* The stage's lock is the outer lock. */
		res = before_stage(s, &r, src == PPU_MEMORY_UNREGISTERED);
		chan = s->copy_chan;
		rt_leave(ctx);
		if (res)
			goto out;
		stage = ctx->copy.level[ctx->copy.conf.of_channel[chan]].stage;
		pthread_mutex_lock(&stage->lock);
	}
	if (res) {
		;
	} else if (dst == PPU_MEMORY_UNREGISTERED && src == PPU_MEMORY_UNREGISTERED) {
		struct rt_need need;

		rt_stream_join(s);
		need = s->need;
		res = rt_wait(ctx, &need, &rt_no_limit);
		if (!res)
			cpu_copy(&r);
		wait = false;
	} else if (dst == PPU_MEMORY_UNREGISTERED || src == PPU_MEMORY_UNREGISTERED) {
		res = staged_copy(s, stage, &r, src == PPU_MEMORY_UNREGISTERED);
	} else {
		res = engine_copy(s, &r);
	}
	if (!res && wait) {
		struct rt_need need = s->need;

		res = rt_wait(ctx, &need, &rt_no_limit);
	}
	rt_leave(ctx);
out:
	if (stage)
		pthread_mutex_unlock(&stage->lock);
	return res;
}

static ppuResult copy(const struct rt_rect *r, ppuStream stream, bool wait)
{
	struct ppuStream_st *s;
	ppuResult res = rt_stream(stream, &s);

	if (!res) {
		res = rt_copy(s, r, wait);
		rt_stream_put(s);
	}
	return res;
}

static struct rt_rect linear(void *dst, const void *src, size_t bytes)
{
	return (struct rt_rect){ (uintptr_t)dst, (uintptr_t)src, bytes, bytes, bytes, 1 };
}

ppuResult ppuMemcpy(void *dst, const void *src, size_t bytes)
{
	struct rt_rect r = linear(dst, src, bytes);

	return copy(&r, NULL, true);
}

ppuResult ppuMemcpyAsync(void *dst, const void *src, size_t bytes, ppuStream stream)
{
	struct rt_rect r = linear(dst, src, bytes);

	return copy(&r, stream, false);
}

ppuResult ppuMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
		      size_t height)
{
	struct rt_rect r = { (uintptr_t)dst, (uintptr_t)src, dst_pitch, src_pitch, width, height };

	return copy(&r, NULL, true);
}

ppuResult ppuMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
			   size_t width, size_t height, ppuStream stream)
{
	struct rt_rect r = { (uintptr_t)dst, (uintptr_t)src, dst_pitch, src_pitch, width, height };

	return copy(&r, stream, false);
}

/* ---- fills ---------------------------------------------------------------------------------- */

static ppuResult engine_fill(struct ppuStream_st *s, uint64_t dst, uint64_t pitch, uint64_t value,
			     unsigned log2, uint64_t width, uint64_t rows)
{
	while (rows) {
		bool flat = rows == 1 || width > UINT32_MAX;
		uint64_t n = flat ? 1 : rows < UINT32_MAX ? rows : UINT32_MAX;
		struct rt_job job;
		ppuResult res = rt_copy_begin(&job, s);

		if (res)
			return res;
		if (flat) {
			uint32_t op[] = {
				(uint32_t)dst, (uint32_t)(dst >> 32), (uint32_t)value,
				(uint32_t)(value >> 32), (uint32_t)width, (uint32_t)(width >> 32),
			};

			rt_emit(&job, PPU_CMD_HDR(PPU_CMD_FILL, PPU_CMD_SIZE_FILL,
						  PPU_CMDF_FILL_SIZE(log2)), op, 6);
		} else {
			uint32_t op[] = {
				(uint32_t)dst, (uint32_t)(dst >> 32), (uint32_t)pitch,
				(uint32_t)(pitch >> 32), (uint32_t)value, (uint32_t)(value >> 32),
				(uint32_t)width, (uint32_t)n,
			};

			rt_emit(&job, PPU_CMD_HDR(PPU_CMD_FILL_2D, PPU_CMD_SIZE_FILL_2D,
						  PPU_CMDF_FILL_SIZE(log2)), op, 8);
		}
		rt_copy_end(&job);
		rows -= n;
		dst += n * pitch;
	}
	return PPU_SUCCESS;
}

static ppuResult fill(void *dst, size_t pitch, uint64_t value, unsigned elem_bytes, size_t width,
		      size_t rows, ppuStream stream, bool wait)
{
	unsigned log2 = elem_bytes == 1 ? 0 : elem_bytes == 2 ? 1 : elem_bytes == 4 ? 2 : 3;
	struct ppuStream_st *s;
	ppuMemoryType type;
	uint64_t bytes, all;
	ppuResult res;

	if (elem_bytes != 1u << log2 || (uintptr_t)dst & (elem_bytes - 1))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (!width || !rows)
		return PPU_SUCCESS;
	bytes = (uint64_t)width * elem_bytes;
	if (!dst || width > (1ull << 44) || (rows > 1 && (pitch < bytes || pitch & (elem_bytes - 1))) ||
	    rows > (1ull << 47) / bytes || !extent((uintptr_t)dst, pitch, bytes, rows, &all))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (rows > 1 && pitch == bytes) {
		width *= rows;
		bytes *= rows;
		rows = 1;
	}
	res = rt_stream(stream, &s);
	if (res)
		return res;
	res = rt_enter(s->ctx);
	if (!res) {
		res = classify(s->ctx, (uintptr_t)dst, all, "write", &type);
		if (!res && type == PPU_MEMORY_UNREGISTERED)
			res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p is neither device nor pinned memory", dst);
		if (!res)
			res = engine_fill(s, (uintptr_t)dst, pitch, value, log2, width, rows);
		if (!res && wait) {
			struct rt_need need = s->need;

			res = rt_wait(s->ctx, &need, &rt_no_limit);
		}
		rt_leave(s->ctx);
	}
	rt_stream_put(s);
	return res;
}

ppuResult ppuMemset(void *dst, uint64_t value, unsigned elem_bytes, size_t count)
{
	return fill(dst, 0, value, elem_bytes, count, 1, NULL, true);
}

ppuResult ppuMemsetAsync(void *dst, uint64_t value, unsigned elem_bytes, size_t count,
			 ppuStream stream)
{
	return fill(dst, 0, value, elem_bytes, count, 1, stream, false);
}

ppuResult ppuMemset2D(void *dst, size_t pitch, uint64_t value, unsigned elem_bytes, size_t width,
		      size_t height)
{
	return fill(dst, pitch, value, elem_bytes, width, height, NULL, true);
}

ppuResult ppuMemset2DAsync(void *dst, size_t pitch, uint64_t value, unsigned elem_bytes,
			   size_t width, size_t height, ppuStream stream)
{
	return fill(dst, pitch, value, elem_bytes, width, height, stream, false);
}
