/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Channel groups: whose turn it is inside of a group, and where a group stands among other channels. */
#include "core/base/guest_error.h"
#include "core/base/io.h"
#include "core/base/trace.h"
#include "core/host/group.h"
#include "core/host/hostsched.h"
#include "core/host/runlist.h"
#include "core/memory/ctx.h"

static bool may_use(const struct ppu_chan *ch, uint32_t mask)
{
	return !ch->engine_mask || (ch->engine_mask & mask);
}

struct ppu_chan *ppu_group_waiting(struct ppu_core *core, const struct ppu_ctx *ctx, uint32_t group, unsigned cls,
				   uint32_t mask)
{
	for (unsigned prio = PPU_NUM_PRIO; prio-- > 0;) {
		uint32_t i = ctx->host->waiting[cls][prio].first;

		for (; i != PPU_NO_CH; i = ppu_chan(core, i)->next)
			if (ppu_chan(core, i)->group == group && may_use(ppu_chan(core, i), mask))
				return ppu_chan(core, i);
	}
	return NULL;
}

static void behind(struct ppu_core *core, struct ppu_ctx *ctx, uint32_t group, struct ppu_runlist *r)
{
	uint32_t i = ctx->host->waiting[r->cls][r->prio].first, next;
	uint64_t end = core->host->stamp;

	for (; i != PPU_NO_CH && ppu_chan(core, i)->stamp < end; i = next) {
		struct ppu_chan *ch = ppu_chan(core, i);

		next = ch->next;
		if (ch->group != group)
			continue;
		ppu_runlist_del(core, r, ch);
		ch->stamp = core->host->stamp++;
		ppu_runlist_add(core, r, ch);
	}
}

void ppu_group_behind(struct ppu_core *core, struct ppu_ctx *ctx, uint32_t group, unsigned cls)
{
	if (!ctx->host->share[cls].present)
		return;
	for (unsigned prio = 0; prio < PPU_NUM_PRIO; prio++) {
		struct ppu_runlist *r = &core->host->runlist[cls][prio];

		/* A context that is never absent from the runlist keeps the account of what it has used. */
		ppu_runlist_enter(ctx, r);
		behind(core, ctx, group, r);
		ppu_runlist_exit(ctx, cls);
	}
}

/* ---- the slice of a group ------------------------------------------------------------------------- */

bool ppu_group_keep(struct ppu_core *core, struct ppu_engine *eng, const struct ppu_chan *ch, uint32_t mask)
{
	if (!ch->group || eng->expired || !ppu_group_waiting(core, ch->ctx, ch->group, eng->cls, mask))
		return false;
	eng->group_ctx = ch->ctx;
	eng->group = ch->group;
	eng->group_from = ppu_chid(core, ch);
	return true;
}

void ppu_group_pass(struct ppu_core *core, struct ppu_engine *eng, const struct ppu_chan *ch)
{
	PPU_TRACE(core, SLICE_PASS, ppu_chid(core, ch), eng->cls, eng->slice_event.when - core->now, eng->group,
		  eng->group_from);
	eng->group_ctx = NULL;
}

void ppu_group_end(struct ppu_core *core, struct ppu_engine *eng)
{
	ppu_event_cancel(core, &eng->slice_event);
	ppu_group_behind(core, eng->group_ctx, eng->group, eng->cls);
	eng->group_ctx = NULL;
}

/* ---- commands to a group -------------------------------------------------------------------------- */

bool ppu_group_paused(struct ppu_core *core, const struct ppu_chan *ch)
{
	for (unsigned i = 0; ch->group && i < core->cfg.channels; i++) {
		const struct ppu_chan *m = ppu_chan(core, i);

		if (m != ch && ppu_group_member(m, ch->ctx, ch->group))
			return m->paused & PPU_PAUSED_GROUP;
	}
	return false;
}

static void pause(struct ppu_core *core, struct ppu_chan *ch)
{
	ppu_chan_pause(core, ch, PPU_PAUSED_GROUP);
}

static void resume(struct ppu_core *core, struct ppu_chan *ch)
{
	ppu_chan_resume(core, ch, PPU_PAUSED_GROUP);
}

static void stop(struct ppu_core *core, struct ppu_chan *ch)
{
	ppu_chan_stop(core, ch);
}

void ppu_group_command(struct ppu_core *core, const struct ppu_chan *ch, uint32_t cmd)
{
	void (*const each)(struct ppu_core *, struct ppu_chan *) =
		cmd == PPU_CH_CMD_GROUP_PAUSE ? pause : cmd == PPU_CH_CMD_GROUP_RESUME ? resume : stop;
	/* Not ch->ctx: the channel may have stopped with an error when its driver does not know yet. */
	struct ppu_ctx *ctx = ppu_ctx_find(core, ch->inst);
	uint32_t group = ch->group;

	if (!group) {
		ppu_guest_error(core, "channel %u: command %u to the group of a channel that has none", ppu_chid(core, ch), cmd);
		return;
	}
	PPU_TRACE(core, GROUP_CMD, ppu_chid(core, ch), cmd, group, 0, 0);
	for (unsigned i = 0; i < core->cfg.channels; i++)
		if (ppu_group_member(ppu_chan(core, i), ctx, group))
			each(core, ppu_chan(core, i));
}

void ppu_group_io(struct ppu_core *core, struct ppu_io *io, struct ppu_engine *eng)
{
	ppu_io_ctx(core, io, &eng->group_ctx);
	ppu_io_u32(io, &eng->group);
	ppu_io_u32(io, &eng->group_from);
	if (eng->group_ctx && (!eng->group || eng->holder != PPU_NO_CH || eng->group_from >= core->cfg.channels))
		ppu_io_fail(io, "an engine is kept for a group that cannot have it");
}
