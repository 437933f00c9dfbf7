/* SPDX-License-Identifier: MIT */
/* Contexts: one address space and its channels, from creation to end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/devcalls.h"
#include "api/launch/module.h"
#include "api/launch/queue.h"
#include "api/memory/peer.h"
#include "api/memory/copyprio.h"
#include "api/memory/mem.h"
#include "api/memory/va.h"
#include "api/stream/chan.h"
#include "api/stream/event.h"
#include "api/stream/hostfn.h"
#include "api/stream/word.h"
#include "api/stream/slot.h"
#include "api/stream/stream.h"
#include "backend/backend.h"
#include "check/check.h"
#include "prof/prof.h"

static void ctx_release(struct rt_obj *obj)
{
	struct ppuCtx_st *ctx = (struct ppuCtx_st *)obj;

	if (ctx->check)
		chk_ctx_end(ctx->check);
	ctx->check = NULL;
	if (ctx->prof)
		prof_ctx_end(ctx->prof);
	ctx->prof = NULL;
	rt_queues_free(ctx);
	for (unsigned i = 0; i < ctx->num_chan; i++)
		rt_chan_free(ctx->chan[i]);
	rt_host_free(ctx);
	rt_words_free(ctx);
	rt_copyprio_free(ctx);
	rt_heap_fini(ctx);
	while (ctx->retired) {
		struct rt_retired_slot *r = ctx->retired;

		ctx->retired = r->next;
		free(r);
	}
	while (ctx->slots) {
		struct rt_slots *s = ctx->slots;

		ctx->slots = s->next;
		ctx->be->unbind(ctx->vm, s->va, RT_SEM_BO);
		rt_va_free(s->va, RT_SEM_BO, true);
		ctx->be->bo_free(s->bo);
		free(s);
	}
	if (ctx->vm)
		ctx->be->vm_destroy(ctx->vm);
	rt_devlib_free(ctx);
	free(ctx->null_stream);
	free(ctx->load_stream);
	free(ctx->funcs);
	free(ctx->detail);
	pthread_cond_destroy(&ctx->host_cond);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

ppuResult rt_ctx_create(struct rt_device *d, unsigned flags, struct ppuCtx_st **out)
{
	struct ppuCtx_st *ctx = calloc(1, sizeof(*ctx));
	uint32_t limits[BE_VM_LIMITS];
	pthread_condattr_t monotonic;
	ppuResult res = PPU_SUCCESS;
	int rc;

	if (!ctx)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	rt_obj_init(&ctx->obj, RT_CTX, ctx_release);
	pthread_mutex_init(&ctx->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&ctx->host_cond, &monotonic);
	pthread_condattr_destroy(&monotonic);
	ctx->device = d;
	ctx->be = d->be;
	rt_limits_init(ctx, limits);
	rc = ctx->be->vm_create(d->dev, limits, &ctx->vm);
	ctx->check = rc ? NULL : chk_ctx_new(ctx->be, ctx->vm);
	ctx->prof = rc ? NULL : prof_ctx_new(ctx->be, ctx->vm);
	if (rc) {
		res = rt_errno(rc, "creating a context");
	} else {
		res = rt_devlib_new(ctx);
	}
	if (!res)
		res = rt_copyprio_new(ctx, flags & PPU_CTX_NO_COPY_PRIORITIES);
	if (!res) {
		int least = d->prop.stream_priority_least;

		ctx->null_stream = rt_stream_new(ctx, PPU_STREAM_DEFAULT, least);
		ctx->load_stream = rt_stream_new(ctx, PPU_STREAM_NON_BLOCKING, least);
		if (!ctx->null_stream || !ctx->load_stream) {
			res = rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
		} else {
			ctx->null_stream->is_null = true;
			ctx->null_stream->slot = ctx->load_stream->slot = 0;
			ctx->load_stream->copy_chan = ctx->null_stream->copy_chan;
			ctx->copy.level[ctx->copy.lowest].next = 1;
			ctx->next_slot = 1;
			res = rt_slots_new(ctx);
		}
	}
	if (res) {
		rt_obj_put(&ctx->obj);
		return res;
	}
	*out = ctx;
	return PPU_SUCCESS;
}

void rt_ctx_destroy(struct ppuCtx_st *ctx)
{
	struct ppuStream_st *s;
	struct ppuEvent_st *e;
	struct ppuModule_st *m;

	pthread_mutex_lock(&ctx->lock);
	if (!ctx->dead)
		rt_devlib_flush(ctx);
	ctx->dead = true;
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (ctx->chan[i]->be)
			ctx->be->chan_stop(ctx->chan[i]->be);
	rt_queues_stop(ctx);
	pthread_cond_broadcast(&ctx->host_cond);
	/* The handles of streams and modules end with the context. */
	while ((s = ctx->streams)) {
		ctx->streams = s->next;
		if (rt_obj_withdraw(&s->obj))
			rt_obj_put(&s->obj);
	}
	while ((e = ctx->events)) {
		ctx->events = e->next;
		if (rt_obj_withdraw(&e->obj))
			rt_obj_put(&e->obj);
	}
	while ((m = ctx->modules)) {
		rt_module_unload(m);	/* takes the module off the list */
		if (rt_obj_withdraw(&m->obj))
			rt_obj_put(&m->obj);
	}
	pthread_mutex_unlock(&ctx->lock);
	rt_host_join(ctx);
	rt_words_join(ctx);
	rt_peers_end(ctx);
}

ppuResult ppuCtxSynchronize(void)
{
	struct ppuCtx_st *ctx;
	ppuResult res = rt_current(&ctx);

	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		res = rt_wait_all(ctx);
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}
