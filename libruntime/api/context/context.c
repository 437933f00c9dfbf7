/* SPDX-License-Identifier: MIT */
/* Contexts: one address space, its channels, waiting, and what became of faults. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/limit.h"
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/launch/devcalls.h"
#include "api/launch/module.h"
#include "api/launch/queue.h"
#include "api/memory/copyprio.h"
#include "api/memory/mem.h"
#include "api/memory/va.h"
#include "api/stream/chan.h"
#include "api/stream/event.h"
#include "api/stream/hostfn.h"
#include "api/stream/slot.h"
#include "api/stream/stream.h"
#include "backend/backend.h"

#define CHECK_NS	500000000ull	/* a long wait looks at all channels this often */

const struct be_limits rt_no_limit = { UINT64_MAX, UINT64_MAX };

/* ---- slots ---------------------------------------------------------------------------------- */

static ppuResult slots_new(struct ppuCtx_st *ctx)
{
	struct rt_slots *s = calloc(1, sizeof(*s));
	void *p;
	int rc;

	if (!s)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	rc = ctx->be->bo_alloc(ctx->vm, RT_SEM_BO, BE_SYSTEM, &s->bo);
	if (rc)
		goto fail;
	rc = rt_va_alloc(RT_SEM_BO, PPU_PAGE_SIZE, &s->va);
	if (rc)
		goto fail_bo;
	rc = ctx->be->bo_map(s->bo, (void *)(uintptr_t)s->va, &p);
	if (!rc)
		rc = ctx->be->bind(ctx->vm, s->bo, s->va, RT_SEM_BO, BE_BIND_NOEXEC);
	if (rc)
		goto fail_va;
	for (uint32_t i = 0; i < RT_SEM_BO / 16; i++)
		s->free[s->num_free++] = (uint16_t)(RT_SEM_BO / 16 - 1 - i);
	s->next = ctx->slots;
	ctx->slots = s;
	return PPU_SUCCESS;
fail_va:
	rt_va_free(s->va, RT_SEM_BO, true);
fail_bo:
	ctx->be->bo_free(s->bo);
fail:
	free(s);
	return rt_errno(rc, "allocating semaphores");
}

ppuResult rt_slot_alloc(struct ppuCtx_st *ctx, struct rt_slot *slot)
{
	ppuResult res;

	for (struct rt_retired_slot **p = &ctx->retired; *p; ) {
		struct rt_retired_slot *r = *p;

		if (rt_done(ctx, &r->need)) {
			rt_slot_unused(r->slot);
			*p = r->next;
			free(r);
		} else {
			p = &r->next;
		}
	}
	for (int round = 0; round < 2; round++) {
		for (struct rt_slots *s = ctx->slots; s; s = s->next) {
			if (!s->num_free)
				continue;
			slot->home = s;
			slot->index = s->free[--s->num_free];
			rt_slot_ptr(*slot)[0] = 0;
			rt_slot_ptr(*slot)[1] = 0;
			return PPU_SUCCESS;
		}
		res = slots_new(ctx);
		if (res)
			return res;
	}
	return rt_error(PPU_ERROR_OUT_OF_RESOURCES);
}

void rt_slot_unused(struct rt_slot slot)
{
	slot.home->free[slot.home->num_free++] = (uint16_t)slot.index;
}

void rt_slot_retire(struct ppuCtx_st *ctx, struct rt_slot slot, const struct rt_need *need)
{
	struct rt_retired_slot *r = malloc(sizeof(*r));

	if (!r)
		return;		/* the slot is lost until the context ends */
	r->slot = slot;
	r->need = *need;
	r->next = ctx->retired;
	ctx->retired = r;
}

/* ---- life ----------------------------------------------------------------------------------- */

static void ctx_release(struct rt_obj *obj)
{
	struct ppuCtx_st *ctx = (struct ppuCtx_st *)obj;

	rt_queues_free(ctx);
	for (unsigned i = 0; i < ctx->num_chan; i++)
		rt_chan_free(ctx->chan[i]);
	rt_host_free(ctx);
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
			res = slots_new(ctx);
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
	/* Their handles end with the context. */
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
		rt_module_unload(m);	/* takes it off the list */
		if (rt_obj_withdraw(&m->obj))
			rt_obj_put(&m->obj);
	}
	pthread_mutex_unlock(&ctx->lock);
	rt_host_join(ctx);
}

ppuResult rt_enter(struct ppuCtx_st *ctx)
{
	ppuResult res = PPU_SUCCESS;

	pthread_mutex_lock(&ctx->lock);
	if (ctx->dead)
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	else if (ctx->broken)
		res = rt_fail(ctx->broken, "%s", ctx->detail ? ctx->detail : ppuGetErrorString(ctx->broken));
	if (res)
		pthread_mutex_unlock(&ctx->lock);
	return res;
}

/* ---- waiting -------------------------------------------------------------------------------- */

bool rt_done(struct ppuCtx_st *ctx, const struct rt_need *need)
{
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (need->seq[i] && !rt_chan_done(ctx->chan[i], need->seq[i]))
			return false;
	return true;
}

void rt_merge(struct ppuCtx_st *ctx, struct rt_need *to, const struct rt_need *from)
{
	for (unsigned i = 0; i < ctx->num_chan; i++)
		if (to->seq[i] < from->seq[i])
			to->seq[i] = from->seq[i];
}

void rt_everything(struct ppuCtx_st *ctx, struct rt_need *need)
{
	memset(need, 0, sizeof(*need));
	for (unsigned i = 0; i < ctx->num_chan; i++)
		need->seq[i] = ctx->chan[i]->seq;
}

static ppuResult wait_chan(struct ppuCtx_st *ctx, struct rt_chan *c, uint64_t seq,
			   const struct be_limits *lim)
{
	if (!c->be)
		return rt_host_wait(ctx, c, seq, lim);
	while (!rt_chan_done(c, seq)) {
		uint64_t host_done = ctx->host_done, now, slice = ppu_be_now() + CHECK_NS;
		struct be_limits l = {
			.device_ns = lim->device_ns,
			.host_ns = slice < lim->host_ns ? slice : lim->host_ns,
		};
		ppuResult res;
		int rc;

		rt_leave(ctx);
		rc = ctx->be->sem_wait(c->sem, rt_slot_ptr(c->word), seq, &l, c->be);
		pthread_mutex_lock(&ctx->lock);
		if (ctx->dead)
			return rt_error(PPU_ERROR_INVALID_CONTEXT);
		if (!rc)
			break;
		res = rt_check(ctx);
		if (res)
			return res;
		if (rc == -EDEADLK && rt_host_may_go_on(ctx, host_done, lim->host_ns))
			rc = -ETIME;
		if (rc == -ETIME) {
			if (ppu_be_now() >= lim->host_ns)
				return rt_error(PPU_ERROR_TIMEOUT);
			if (lim->device_ns != UINT64_MAX &&
			    !ctx->be->time(ctx->device->dev, &now) && now >= lim->device_ns)
				return rt_error(PPU_ERROR_TIMEOUT);
			continue;
		}
		if (rc == -EINTR)
			continue;
		ctx->broken = rc == -EDEADLK ? PPU_ERROR_DEADLOCK : rc == -ENODEV ?
			      PPU_ERROR_DEVICE_LOST : PPU_ERROR_CHANNEL;
		return rt_error(ctx->broken);
	}
	return PPU_SUCCESS;
}

ppuResult rt_wait(struct ppuCtx_st *ctx, const struct rt_need *wanted, const struct be_limits *lim)
{
	struct rt_need need = *wanted;	/* whose it is may change and go while this waits */
	ppuResult res = rt_done(ctx, &need) ? PPU_SUCCESS : rt_host_refuse();

	for (unsigned i = 0; i < ctx->num_chan && !res; i++)
		if (need.seq[i])
			res = wait_chan(ctx, ctx->chan[i], need.seq[i], lim);
	rt_devlib_flush(ctx);
	return res;
}

ppuResult rt_wait_all(struct ppuCtx_st *ctx)
{
	struct rt_need need;

	rt_everything(ctx, &need);
	return rt_wait(ctx, &need, &rt_no_limit);
}

/* ---- faults --------------------------------------------------------------------------------- */

static const struct {
	uint32_t code;
	const char *name, *text;
} err_list[] = {
#define E(name, code, scope, text) { code, #name, text },
	PPU_ERRS(E)
#undef E
};

static const char *err_text(uint32_t code)
{
	for (unsigned i = 0; i < sizeof(err_list) / sizeof(err_list[0]); i++)
		if (err_list[i].code == code)
			return err_list[i].text;
	return "unknown fault";
}

static ppuResult err_result(uint32_t code)
{
	switch (code) {
	case PPU_ERR_MMU_UNMAPPED:
	case PPU_ERR_MMU_READONLY:
	case PPU_ERR_MMU_PRIV:
	case PPU_ERR_MMU_BAD_PTE:
	case PPU_ERR_WINDOW_RANGE:
	case PPU_ERR_PARAM_WRITE:
	case PPU_ERR_ATOMIC_SPACE:
		return PPU_ERROR_ILLEGAL_ADDRESS;
	case PPU_ERR_MMU_NOEXEC:
	case PPU_ERR_ILLEGAL_INSN:
	case PPU_ERR_BAD_PC:
		return PPU_ERROR_ILLEGAL_INSTRUCTION;
	case PPU_ERR_MISALIGNED:
		return PPU_ERROR_MISALIGNED_ADDRESS;
	case PPU_ERR_STACK_OVERFLOW:
		return PPU_ERROR_STACK_OVERFLOW;
	case PPU_ERR_WATCHDOG:
		return PPU_ERROR_LAUNCH_TIMEOUT;
	case PPU_ERR_TRAP:
		return PPU_ERROR_TRAP;
	case PPU_ERR_ASSERT:
		return PPU_ERROR_ASSERT;
	case PPU_ERR_DEADLOCK:
		return PPU_ERROR_DEADLOCK;
	case PPU_ERR_COPY_FAULT:
	case PPU_ERR_COPY_ARGS:
		return PPU_ERROR_COPY_FAULT;
	}
	return code >= PPU_ERR_MMU_UNMAPPED ? PPU_ERROR_LAUNCH_FAILED : PPU_ERROR_CHANNEL;
}

/* A TRAP inside the device-side library's assertion is one that failed. */
static bool is_assertion(struct ppuCtx_st *ctx, const struct ppu_fault_rec *r)
{
	uint32_t number = (uint32_t)(r->task_id >> 32);
	const struct ppuFunction_st *fn = number && number <= ctx->num_funcs ? ctx->funcs[number - 1] : NULL;

	return r->code == PPU_ERR_TRAP && fn && r->pc != ~0u && rt_devlib_is_assert(fn->mod, r->pc);
}

static void describe(struct ppuCtx_st *ctx, const struct ppu_fault_rec *r, char *buf, size_t len)
{
	static const char *const access[] = { "read", "write", "atomic", "execute" };
	uint32_t number = (uint32_t)(r->task_id >> 32);
	const struct ppuFunction_st *fn = number && number <= ctx->num_funcs ? ctx->funcs[number - 1] : NULL;
	const char *inside;
	char where[512] = "";
	size_t n;

	n = (size_t)snprintf(buf, len, "%s", err_text(r->code));
	if (fn) {
		if (r->pc != ~0u)
			rt_module_where(fn->mod, r->pc, where, sizeof(where));
		n += (size_t)snprintf(buf + n, n < len ? len - n : 0, "; kernel %s%s%s%s", fn->sym->name,
				      *where ? " (" : "", where, *where ? ")" : "");
	}
	inside = fn && r->pc != ~0u ? rt_module_function(fn->mod, r->pc) : NULL;
	if (n < len && inside && strcmp(inside, fn->sym->name))
		n += (size_t)snprintf(buf + n, len - n, ", in function %s", inside);
	if (n < len && r->pc != ~0u)
		n += (size_t)snprintf(buf + n, len - n, ", pc %u", r->pc);
	if (n < len && r->lane != PPU_FAULT_NO_LANE)
		n += (size_t)snprintf(buf + n, len - n, ", lane %u", r->lane);
	if (n < len && r->unit == PPU_UNIT_SM)
		n += (size_t)snprintf(buf + n, len - n, ", block (%u,%u,%u), warp slot %u of SM %u",
				      r->cta[0], r->cta[1], r->cta[2], r->warp, r->unit_index);
	if (n < len && r->va)
		n += (size_t)snprintf(buf + n, len - n, ", %s at 0x%llx", access[r->access & 3],
				      (unsigned long long)r->va);
	if (n < len && r->channel != 0xffff)
		snprintf(buf + n, len - n, ", %s %u", rt_queue_has(ctx, r->channel) ? "device-owned queue" : "channel",
			 r->channel);
}

static void check_chan(struct ppuCtx_st *ctx, struct be_chan *chan, const char *what, char *buf, size_t len)
{
	struct be_chan_state st;

	if (ctx->be->chan_state(chan, &st)) {
		if (st.gone)
			ctx->broken = PPU_ERROR_DEVICE_LOST;
		return;
	}
	if (!st.error)
		return;
	ctx->broken = err_result(st.error);
	snprintf(buf, len, "%s; %s %u, ring entry %u, address 0x%llx", err_text(st.error), what, chan->hw_channel,
		 st.get, (unsigned long long)st.va);
}

ppuResult rt_check(struct ppuCtx_st *ctx)
{
	struct ppu_fault_rec recs[64];
	unsigned n = 64;
	char buf[1024] = "";
	int faulted;

	if (ctx->broken)
		goto out;
	faulted = ctx->be->vm_faults(ctx->vm, recs, &n);
	if (faulted == -ENODEV) {
		ctx->broken = PPU_ERROR_DEVICE_LOST;
		goto out;
	}
	for (unsigned i = 0; i < n && !ctx->broken; i++) {
		if (recs[i].code == PPU_ERR_NONE || recs[i].code == PPU_ERR_CTX_STOPPED)
			continue;
		if (is_assertion(ctx, &recs[i]))
			recs[i].code = PPU_ERR_ASSERT;
		ctx->broken = err_result(recs[i].code);
		describe(ctx, &recs[i], buf, sizeof(buf));
	}
	/* A queue's error stops a channel, too: the cause comes first. */
	for (const struct rt_queue *q = ctx->queues; q && !ctx->broken; q = q->next)
		check_chan(ctx, q->be.chan, "device-owned queue", buf, sizeof(buf));
	for (unsigned i = 0; i < ctx->num_chan && !ctx->broken; i++)
		if (ctx->chan[i]->be)
			check_chan(ctx, ctx->chan[i]->be, "channel", buf, sizeof(buf));
	if (!ctx->broken && faulted == 1)
		ctx->broken = PPU_ERROR_LAUNCH_FAILED;
	if (ctx->broken == PPU_ERROR_ASSERT) {
		char why[sizeof(buf)];

		rt_devlib_flush(ctx);
		snprintf(why, sizeof(why), "%s", buf);
		snprintf(buf, sizeof(buf), "%s %.480s", rt_devlib_assertion(ctx), why);
	}
	if (ctx->broken && *buf)
		ctx->detail = strdup(buf);
out:
	if (!ctx->broken)
		return PPU_SUCCESS;
	return rt_fail(ctx->broken, "%s", ctx->detail ? ctx->detail : ppuGetErrorString(ctx->broken));
}

/* ---- the calls ------------------------------------------------------------------------------ */

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
