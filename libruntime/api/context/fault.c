/* SPDX-License-Identifier: MIT */
/* Why work is not going on: faults of kernels, errors of channels. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ppu.h>
#include "api/context/fault.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/launch/devcalls.h"
#include "api/launch/module.h"
#include "api/launch/queue.h"
#include "api/stream/chan.h"
#include "backend/backend.h"

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
	case PPU_ERR_CLUSTER_CTA:
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
	case PPU_ERR_LAUNCH_DEPTH:
		return PPU_ERROR_LAUNCH_DEPTH;
	case PPU_ERR_COPY_FAULT:
	case PPU_ERR_COPY_ARGS:
		return PPU_ERROR_COPY_FAULT;
	}
	return code >= PPU_ERR_MMU_UNMAPPED ? PPU_ERROR_LAUNCH_FAILED : PPU_ERROR_CHANNEL;
}

/* A TRAP inside the assertion function of the device-side library is a failed assertion. */
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
		n += (size_t)snprintf(buf + n, len - n, ", %s at 0x%llx",
				      r->code == PPU_ERR_LAUNCH_DEPTH ? "TMD" : access[r->access & 3],
				      (unsigned long long)r->va);
	if (n < len && r->channel != PPU_FAULT_NO_CHANNEL)
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

ppuResult rt_check_done(struct ppuCtx_st *ctx)
{
	return ctx->can_nest ? rt_check(ctx) : PPU_SUCCESS;
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
	/* The error of a queue stops a channel, too, so look at queues first: they have the cause. */
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
