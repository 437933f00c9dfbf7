/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state that the files of the host interface share: made, reset, saved and restored. */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/host/group.h"
#include "core/host/host.h"
#include "core/host/hostif.h"
#include "core/host/hostsched.h"
#include "core/host/runlist.h"

bool ppu_host_ctx_create(struct ppu_core *core, struct ppu_ctx *ctx)
{
	ctx->host = ppu_alloc(1, sizeof(*ctx->host));
	if (!ctx->host)
		return false;
	for (unsigned cls = 0; cls < PPU_RUN_CLASSES; cls++)
		ctx->host->share[cls].of = ctx;
	for (unsigned i = 0; i < PPU_NUM_PRIO; i++) {
		ppu_chlist_init(&ctx->host->q[i].list);
		for (unsigned cls = 0; cls < PPU_RUN_CLASSES; cls++)
			ppu_chlist_init(&ctx->host->waiting[cls][i]);
	}
	return true;
}

/* An owner's account is saved with each of its contexts. */
static void io_owner(struct ppu_io *io, struct ppu_owner *o, unsigned cls)
{
	uint64_t used = o->host->share[cls].used, clock = o->host->clock[cls];

	ppu_io_u64(io, &used);
	ppu_io_u64(io, &clock);
	if (!io->loading)
		return;
	if (used >> 62 || clock >> 62 ||
	    (o->num_ctxs > 1 && (used != o->host->share[cls].used || clock != o->host->clock[cls])))
		ppu_io_fail(io, "the account of an owner is not possible");
	o->host->share[cls].used = used;
	o->host->clock[cls] = clock;
}

void ppu_host_ctx_io(struct ppu_core *core, struct ppu_io *io, struct ppu_ctx *ctx)
{
	for (unsigned cls = 0; cls < PPU_RUN_CLASSES; cls++) {
		ppu_io_u64(io, &ctx->host->share[cls].used);
		if (ctx->host->share[cls].used >> 62)
			ppu_io_fail(io, "a context has used an engine for too long");
		if (io->version >= 14)
			io_owner(io, ctx->owner, cls);
		else
			ctx->owner->host->share[cls].used = ctx->host->share[cls].used;
	}
}

/* ---- an owner's part --------------------------------------------------------------------------------- */

static bool owner_create(struct ppu_owner *owner)
{
	struct ppu_host_owner *o = owner->host = ppu_alloc(1, sizeof(*o));

	for (unsigned cls = 0; o && cls < PPU_RUN_CLASSES; cls++)
		o->share[cls].of = owner;
	return o;
}

bool ppu_host_owner_grow(struct ppu_owner *owner)
{
	struct ppu_host_owner *o;
	struct ppu_share **room;
	uint32_t max;

	if (!owner->host && !owner_create(owner))
		return false;
	o = owner->host;
	if (owner->num_ctxs <= o->max)
		return true;
	max = o->max ? 2 * o->max : 1;
	room = ppu_alloc((size_t)PPU_RUN_CLASSES * PPU_NUM_PRIO * max, sizeof(struct ppu_share *));
	if (!room)
		return false;
	for (unsigned i = 0; i < PPU_RUN_CLASSES * PPU_NUM_PRIO; i++) {
		struct ppu_heap *h = &o->ctxs[i / PPU_NUM_PRIO][i % PPU_NUM_PRIO];

		if (h->n)
			memcpy(room + (size_t)i * max, h->at, h->n * sizeof(struct ppu_share *));
		h->at = room + (size_t)i * max;
	}
	ppu_free(o->room);
	o->room = room;
	o->max = max;
	return true;
}

void ppu_host_owner_destroy(struct ppu_owner *owner)
{
	if (owner->host)
		ppu_free(owner->host->room);
	ppu_free(owner->host);
	owner->host = NULL;
}

void ppu_host_ctx_destroy(struct ppu_core *core, struct ppu_ctx *ctx)
{
	struct ppu_host *h = core->host;

	ppu_sched_forget_ctx(core, ctx);
	for (unsigned i = 0; i < h->num_engines; i++)
		if (h->engines[i].group_ctx == ctx)
			ppu_group_end(core, &h->engines[i]);
	ppu_free(ctx->host);
	ctx->host = NULL;
}

int ppu_host_create(struct ppu_core *core)
{
	struct ppu_host *h = ppu_alloc(1, sizeof(*h));

	core->host = h;
	if (!h)
		return -1;
	h->num_engines = 1 + core->cfg.copy_engines;
	h->engines = ppu_alloc(h->num_engines, sizeof(*h->engines));
	if (!h->engines || !ppu_runlist_create(core) || !ppu_events_reserve(core, 1 + 2 * h->num_engines))
		return -1;
	ppu_event_init(&h->event, PPU_EVP_HOST, ppu_hostif_event, NULL);
	for (unsigned e = 0; e < h->num_engines; e++) {
		struct ppu_engine *eng = &h->engines[e];

		eng->cls = e ? PPU_CLASS_COPY : PPU_CLASS_COMPUTE;
		ppu_event_init(&eng->slice_event, PPU_EVP_HOST, ppu_sched_slice_over, eng);
		ppu_event_init(&eng->done_event, PPU_EVP_CE, ppu_sched_launch_done, eng);
	}
	return 0;
}

void ppu_host_destroy(struct ppu_core *core)
{
	if (core->host) {
		ppu_runlist_destroy(core);
		ppu_free(core->host->engines);
	}
	ppu_free(core->host);
	core->host = NULL;
}

/* Resets the host's lists.  The links inside channels and contexts need no reset here: the contexts go with
 * the channels. */
void ppu_host_reset(struct ppu_core *core)
{
	struct ppu_host *h = core->host;

	ppu_event_cancel(core, &h->event);
	for (unsigned e = 0; e < h->num_engines; e++) {
		struct ppu_engine *eng = &h->engines[e];

		ppu_event_cancel(core, &eng->slice_event);
		ppu_event_cancel(core, &eng->done_event);
		eng->holder = PPU_NO_CH;
		eng->busy = eng->expired = false;
		eng->drain_ctx = eng->group_ctx = NULL;
		eng->drain_runs = 0;
		eng->group = eng->group_from = 0;
		eng->since = eng->drain_since = 0;
	}
	h->paused = false;
	h->free_at = 0;
	h->run = h->last = PPU_NO_CH;
	h->run_count = 0;
	h->stamp = 0;
	memset(h->active, 0, sizeof(h->active));
	ppu_runlist_reset(core);
}

/* The contexts that have a turn, owner by owner, so that loading them one after the other gives the same turns. */
static struct ppu_ctx *first_of(const struct ppu_turn *owner, unsigned prio)
{
	const struct ppu_owner *o;

	if (!owner)
		return NULL;
	o = owner->of;
	return o->host->q[prio].ctxs.first->of;
}

static struct ppu_ctx *first_ctx(const struct ppu_host *h, unsigned prio)
{
	return first_of(h->active[prio].first, prio);
}

static struct ppu_ctx *next_ctx(const struct ppu_ctx *c, unsigned prio)
{
	const struct ppu_turn *next = c->host->q[prio].turn.next;

	return next ? next->of : first_of(c->owner->host->q[prio].turn.next, prio);
}

static const uint16_t where_states[CH_WHERES] = {
	[CH_NOWHERE] = 0xffff,
	[CH_IN_READY] = 1 << CH_READY,
	[CH_IN_RUNLIST] = 1 << CH_ENGINE | 1 << CH_TURN,
	[CH_IN_POOL] = 1 << CH_POOL,
};

/* Lists of channels are built again from the channels' stamps.  The turns of contexts were loaded in their
 * order. */
static void load_lists(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_host *h = core->host;

	for (unsigned i = 0; i < core->cfg.channels; i++) {
		struct ppu_chan *ch = ppu_chan(core, i);

		ch->prev = ch->next = PPU_NO_CH;
		if (ch->where != CH_NOWHERE &&
		    (!ch->enabled || ch->paused || ch->stamp >= h->stamp ||
		     !(where_states[ch->where] & 1 << ch->state))) {
			ppu_io_fail(io, "channel %u is in a list it cannot be in", i);
			return;
		}
		if (ch->engine >= 0 &&
		    (!ch->enabled || h->engines[ch->engine].holder != i ||
		     ch->where == CH_IN_RUNLIST || ch->where == CH_IN_POOL ||
		     !((1 << CH_READY | 1 << CH_ENGINE | 1 << CH_BUSY | 1 << CH_TURN) &
		       1 << ch->state))) {
			ppu_io_fail(io, "channel %u holds an engine it cannot hold", i);
			return;
		}
		if (ch->state == CH_BUSY && ch->engine < 0) {
			ppu_io_fail(io, "channel %u is busy without an engine", i);
			return;
		}
		switch (ch->where) {
		case CH_IN_READY:
			if (!ppu_host_queue_of(ch)->turn.active) {
				ppu_io_fail(io, "channel %u is ready, its context has no turn", i);
				return;
			}
			ppu_chlist_add(core, &ppu_host_queue_of(ch)->list, ch);
			ch->ctx->host->num_ready++;
			break;
		case CH_IN_RUNLIST:
			if (ch->run_class != PPU_CLASS_COMPUTE && ch->run_class != PPU_CLASS_COPY) {
				ppu_io_fail(io, "channel %u waits for no engine", i);
				return;
			}
			ppu_runlist_link(core, ppu_host_runlist_of(core, ch), ch);
			ppu_runlist_present(ch->ctx, ch->run_class);
			break;
		case CH_IN_POOL:
			ppu_runlist_link(core, ppu_host_pool(core), ch);
			ppu_runlist_present(ch->ctx, PPU_RUN_POOL);
			break;
		}
		if (ch->engine >= 0)
			ppu_runlist_present(ch->ctx, h->engines[ch->engine].cls);
	}
	for (unsigned prio = 0; prio < PPU_NUM_PRIO; prio++)
		for (const struct ppu_ctx *c = first_ctx(h, prio); c; c = next_ctx(c, prio))
			if (c->host->q[prio].list.first == PPU_NO_CH)
				ppu_io_fail(io, "a context has its turn and nothing ready");
}

void ppu_host_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_host *h = core->host;

	ppu_io_event(core, io, &h->event);
	ppu_io_bool(io, &h->paused);
	ppu_io_u64(io, &h->free_at);
	ppu_io_u32(io, &h->run);
	ppu_io_u32(io, &h->last);
	ppu_io_u32(io, &h->run_count);
	ppu_io_u64(io, &h->stamp);
	for (unsigned i = 0; i < PPU_RUN_CLASSES * PPU_NUM_PRIO; i++) {
		uint64_t *clock = &h->runlist[i / PPU_NUM_PRIO][i % PPU_NUM_PRIO].clock;

		ppu_io_u64(io, clock);
		if (*clock >> 62)
			ppu_io_fail(io, "an engine was used for too long");
	}
	if (h->run != PPU_NO_CH &&
	    (h->run >= core->cfg.channels || ppu_chan(core, h->run)->state != CH_READY ||
	     ppu_chan(core, h->run)->where != CH_NOWHERE || !ppu_event_pending(&h->event))) {
		ppu_io_fail(io, "the current run is not possible");
		h->run = PPU_NO_CH;
	}
	for (unsigned e = 0; e < h->num_engines; e++) {
		struct ppu_engine *eng = &h->engines[e];

		ppu_io_u32(io, &eng->holder);
		ppu_io_bool(io, &eng->busy);
		ppu_io_bool(io, &eng->expired);
		ppu_io_event(core, io, &eng->slice_event);
		ppu_io_event(core, io, &eng->done_event);
		ppu_io_ctx(core, io, &eng->drain_ctx);
		ppu_io_u32(io, &eng->drain_runs);
		ppu_io_u64(io, &eng->since);
		ppu_io_u64(io, &eng->drain_since);
		if (io->version >= 10)
			ppu_group_io(core, io, eng);
		if (eng->since > core->now || eng->drain_since > core->now)
			ppu_io_fail(io, "engine %u was given away in the future", e);
		if (eng->holder != PPU_NO_CH &&
		    (eng->holder >= core->cfg.channels ||
		     ppu_chan(core, eng->holder)->engine != (int32_t)e ||
		     (ppu_chan(core, eng->holder)->state == CH_BUSY) != eng->busy))
			ppu_io_fail(io, "engine %u is held by a channel that does not know", e);
		if (eng->holder == PPU_NO_CH &&
		    (eng->busy || ppu_event_pending(&eng->slice_event) != !!eng->group_ctx ||
		     ppu_event_pending(&eng->done_event)))
			ppu_io_fail(io, "engine %u works for nobody", e);
		if (ppu_event_pending(&eng->done_event) && (e || !eng->busy))
			ppu_io_fail(io, "engine %u finishes nothing", e);
	}
	for (unsigned prio = 0; prio < PPU_NUM_PRIO; prio++) {
		struct ppu_ctx *c = first_ctx(h, prio);
		bool more = c != NULL;

		for (;;) {
			ppu_io_bool(io, &more);
			if (!more || io->failed)
				break;
			if (!io->loading) {
				ppu_io_ctx(core, io, &c);
				c = next_ctx(c, prio);
				more = c != NULL;
				continue;
			}
			c = NULL;
			ppu_io_ctx(core, io, &c);
			if (!c || c->host->q[prio].turn.active) {
				ppu_io_fail(io, "a context has its turn twice");
				break;
			}
			ppu_sched_activate(core, c, prio);
		}
	}
	if (io->loading && !io->failed)
		load_lists(core, io);
}
