/* SPDX-License-Identifier: MIT */
/*
 * Channels and their command memory; jobs.
 *
 * A job is one command block: [acquires] commands [release of the timeline], in one ring entry or cut into
 * several.  The memory and the ring slot of a job are free again once the timeline has its number.  For the
 * ring slot, GP_GET must also be past it, and GP_GET moves an instant after the release.  So one slot more is
 * left unused, or GP_GET itself is read.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ppu.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include "api/stream/chan.h"
#include "api/stream/names.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/need.h"
#include "api/context/wait.h"
#include "api/memory/mem.h"
#include "api/stream/slot.h"
#include "api/stream/stream.h"
#include "backend/backend.h"
#include "check/check.h"

#define ALIGN		256u

/* Words of the longest job with the present channels: dependencies, a copy's gates, its inc and dec. */
static uint32_t max_words(const struct ppuCtx_st *ctx)
{
	return (ctx->num_chan + ctx->copy.semaphores) * PPU_CMD_SIZE_SEM_ACQUIRE + PPU_CMD_SIZE_SEM_INC +
	       PPU_CMD_SIZE_SEM_DEC + RT_JOB_COMMANDS + PPU_CMD_SIZE_SEM_RELEASE;
}

static ppuResult chan_new(struct ppuCtx_st *ctx, unsigned cls, unsigned number)
{
	struct rt_chan *c = calloc(1, sizeof(*c));
	const struct be_ops *be = ctx->be;
	ppuResult res;
	int rc;

	if (!c)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	c->ctx = ctx;
	c->index = ctx->num_chan;
	c->cls = cls;
	c->number = number;
	if (cls == PPU_CLASS_COPY)
		c->priority = ctx->copy.conf.of_channel[number];
	c->pb_bytes = rt_opt.pushbuf_bytes;
	c->entry = calloc(rt_opt.ring_entries, sizeof(*c->entry));
	if (!c->entry) {
		free(c);
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	}
	res = rt_slot_alloc(ctx, &c->word);
	if (res)
		goto fail;
	rc = be->sem_create(ctx->vm, c->word.home->bo, c->word.index * 16, &c->sem);
	if (rc) {
		res = rt_errno(rc, "creating a semaphore");
		goto fail_slot;
	}
	res = rt_alloc(ctx, RT_HEAP_HOST, c->pb_bytes, PPU_PAGE_SIZE, PPU_MEMORY_UNREGISTERED, &c->pb_va);
	if (res)
		goto fail_sem;
	c->pb = (uint8_t *)(uintptr_t)c->pb_va;
	rc = be->chan_create(ctx->vm, cls, rt_opt.ring_entries, 0, &c->be);
	if (rc) {
		res = rc == -ENOSPC && cls == PPU_CLASS_COMPUTE ? rt_local_missing(ctx, ctx->be->vm_limit(ctx->vm, BE_VM_LOCAL)) :
								 PPU_SUCCESS;
		if (!res)
			res = rc == -ENOSPC ? rt_fail(PPU_ERROR_OUT_OF_RESOURCES, "no channel is left, or no device memory for one") :
					      rt_errno(rc, "creating a channel");
		goto fail_pb;
	}
	if (ctx->check && chk_orders())
		chk_chan(ctx->check, c->index, c->be->hw_channel, rt_slot_ptr(c->word));
	ctx->chan[ctx->num_chan++] = c;
	*(cls == PPU_CLASS_COPY ? &ctx->copies[number] : &ctx->compute[number]) = c;
	return PPU_SUCCESS;
fail_pb:
	rt_free(ctx, c->pb_va);
fail_sem:
	be->sem_destroy(c->sem);
fail_slot:
	rt_slot_unused(c->word);
fail:
	free(c->entry);
	free(c);
	return res;
}

/* At the context's end only. */
void rt_chan_free(struct rt_chan *c)
{
	if (c->be) {
		c->ctx->be->chan_free(c->be);
		c->ctx->be->sem_destroy(c->sem);
	}
	free(c->entry);
	free(c);
}

void rt_chan_kick_any(struct ppuCtx_st *ctx)
{
	for (unsigned i = 0; i < ctx->num_chan; i++) {
		if (ctx->chan[i]->be) {
			ctx->be->chan_kick(ctx->chan[i]->be);
			break;
		}
	}
}

/* For the case that no more can be made: the existing channel of the class with the nearest priority. */
static struct rt_chan *share(struct ppuCtx_st *ctx, unsigned cls, unsigned number)
{
	int want = cls == PPU_CLASS_COPY ? ctx->copy.conf.of_channel[number] : 0;
	struct rt_chan *best = NULL;

	for (unsigned i = 0; i < ctx->num_chan; i++) {
		struct rt_chan *c = ctx->chan[i];

		if (c->cls == cls && (!best || abs(c->priority - want) < abs(best->priority - want)))
			best = c;
	}
	return best;
}

ppuResult rt_chan_pick(struct ppuStream_st *s, unsigned cls, struct rt_chan **out)
{
	struct ppuCtx_st *ctx = s->ctx;
	bool copy = cls == PPU_CLASS_COPY;
	unsigned number = copy ? s->copy_chan : s->slot % rt_opt.compute_channels;
	struct rt_chan **c = copy ? &ctx->copies[number] : &ctx->compute[number];
	ppuResult res;

	if (!*c) {
		res = chan_new(ctx, cls, number);
		if (res == PPU_ERROR_OUT_OF_RESOURCES || res == PPU_ERROR_OUT_OF_DEVICE_MEMORY) {
			*out = share(ctx, cls, number);
			if (*out)
				return PPU_SUCCESS;
		}
		if (res)
			return res;
	}
	*out = *c;
	return PPU_SUCCESS;
}

unsigned rt_last_class(struct ppuStream_st *s, unsigned cls)
{
	return s->last_chan < 0 ? cls : s->ctx->chan[s->last_chan]->cls;
}

static void retire(struct rt_chan *c)
{
	while (c->num && rt_chan_done(c, c->entry[c->tail].seq)) {
		c->pb_tail = c->entry[c->tail].pb_end;
		c->tail = (c->tail + 1) % c->be->entries;
		c->num--;
	}
}

static uint64_t place(const struct rt_chan *c, uint32_t bytes)
{
	uint64_t at = (c->pb_head + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);

	if (at % c->pb_bytes + bytes > c->pb_bytes)
		at += c->pb_bytes - at % c->pb_bytes;
	return at;
}

/* Waits until a block of that size and that many ring slots are free. */
static ppuResult make_room(struct rt_chan *c, uint32_t bytes, unsigned entries)
{
	struct ppuCtx_st *ctx = c->ctx;
	ppuResult res;

	for (unsigned tries = 0; ; tries++) {
		bool ring, pb;

		retire(c);
		pb = place(c, bytes) + bytes - c->pb_tail <= c->pb_bytes;
		ring = c->num + entries + 2 <= c->be->entries;
		if (!ring) {
			uint32_t n = c->be->entries;

			ring = (c->put + n - ctx->be->chan_get(c->be)) % n + entries + 1 <= n;
		}
		if (ring && pb)
			return PPU_SUCCESS;
		if (c->num) {
			struct rt_need need = { { 0 } };

			need.seq[c->index] = c->entry[c->tail].seq;
			res = rt_wait(ctx, &need, &rt_no_limit);
		} else {
			/* GP_GET will follow in a moment. */
			rt_leave(ctx);
			if (ctx->be->poll)
				ctx->be->poll(ctx->device->dev);
			else
				usleep(tries < 10 ? 20 : 1000);
			pthread_mutex_lock(&ctx->lock);
			res = ctx->dead ? rt_error(PPU_ERROR_INVALID_CONTEXT) :
			      tries > 100 ? rt_check(ctx) : PPU_SUCCESS;
		}
		if (res)
			return res;
	}
}

void rt_emit64(struct rt_job *j, uint64_t v)
{
	*j->w++ = (uint32_t)v;
	*j->w++ = (uint32_t)(v >> 32);
}

void rt_emit(struct rt_job *j, uint32_t header, const uint32_t *operands, unsigned n)
{
	*j->w++ = header;
	for (unsigned i = 0; i < n; i++)
		*j->w++ = operands[i];
}

void rt_emit_va(struct rt_job *j, uint32_t header, uint64_t va)
{
	*j->w++ = header;
	rt_emit64(j, va);
}

ppuResult rt_job_open_cut(struct rt_job *j, struct ppuStream_st *s, unsigned cls, uint32_t data_bytes,
			  unsigned entries)
{
	uint32_t data = (data_bytes + ALIGN - 1) & ~(ALIGN - 1), words;
	struct rt_chan *c;
	uint64_t at;
	ppuResult res;

	res = rt_chan_pick(s, cls, &c);
	if (res)
		return res;
	if (entries >= c->be->entries)
		return rt_fail(PPU_ERROR_OUT_OF_RESOURCES, "this takes %u entries of a channel's ring, which has %u (ring_entries)",
			       entries, c->be->entries);
	do {	/* while make_room() waits, others may make channels */
		words = max_words(s->ctx);
		res = make_room(c, data + words * 4, entries);
		if (res)
			return res;
	} while (words != max_words(s->ctx));
	/* From here on the lock is held until the end of the job. */
	at = place(c, data + words * 4);
	c->pb_head = at;
	j->stream = s;
	j->chan = c;
	j->data = c->pb + at % c->pb_bytes;
	j->data_end = j->data + data;
	j->data_va = c->pb_va + at % c->pb_bytes;
	j->start = j->w = (uint32_t *)j->data_end;
	j->start_va = j->data_va + data;
	j->num_cuts = 0;
	j->kernel = NULL;
	return PPU_SUCCESS;
}

ppuResult rt_job_open(struct rt_job *j, struct ppuStream_st *s, unsigned cls, uint32_t data_bytes)
{
	return rt_job_open_cut(j, s, cls, data_bytes, 1);
}

void rt_job_depend(struct rt_job *j)
{
	struct ppuStream_st *s = j->stream;
	struct ppuCtx_st *ctx = s->ctx;

	rt_stream_join(s);
	for (unsigned i = 0; i < ctx->num_chan; i++) {
		uint64_t seq = s->need.seq[i];

		/* The channel's own earlier work is done before this job anyway. */
		if (!seq || i == j->chan->index || rt_chan_done(ctx->chan[i], seq))
			continue;
		rt_emit_va(j, PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
					  PPU_CMDF_SEM_OP(PPU_SEM_OP_GE)), rt_slot_va(ctx->chan[i]->word));
		rt_emit64(j, seq);
	}
}

ppuResult rt_job_begin(struct rt_job *j, struct ppuStream_st *s, unsigned cls, uint32_t data_bytes)
{
	ppuResult res = rt_job_open(j, s, cls, data_bytes);

	if (!res)
		rt_job_depend(j);
	return res;
}

void rt_job_cut(struct rt_job *j)
{
	j->cut[j->num_cuts++] = j->w;
}

/* Writes the next ring entry: the commands between two places. */
static void put_entry(struct rt_job *j, const uint32_t *from, const uint32_t *to)
{
	struct rt_chan *c = j->chan;
	volatile struct ppu_gpfifo_entry *e = &c->be->ring[c->put];

	e->va = j->start_va + (uint64_t)(from - j->start) * sizeof(*from);
	e->length = (uint32_t)(to - from);
	e->flags = 0;
	c->entry[c->put].seq = c->seq;
	c->entry[c->put].pb_end = c->pb_head;
	c->num++;
	c->put = (c->put + 1) % c->be->entries;
}

void rt_job_end(struct rt_job *j)
{
	struct ppuStream_st *s = j->stream;
	struct rt_chan *c = j->chan;
	const uint32_t *from = j->start;
	uint32_t first = c->put;

	c->seq++;
	rt_emit_va(j, PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0), rt_slot_va(c->word));
	rt_emit64(j, c->seq);
	c->pb_head += (uint64_t)((uint8_t *)j->w - j->data);
	for (unsigned i = 0; i < j->num_cuts; from = j->cut[i++])
		put_entry(j, from, j->cut[i]);
	put_entry(j, from, j->w);
	rt_stream_stands(s, c, c->seq);
	s->last_chan = (int)c->index;
	if (rt_names_on)
		rt_names_job(j, first);
	c->ctx->be->chan_put(c->be, c->put);
}
