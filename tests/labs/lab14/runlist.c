/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lab 14: the core's unit host/runlist.c (see there for what the core wants of it), with a policy where the core's own
 * has fair queueing.  Lists of who waits, and who has used how much, are kept here; what is decided, the policy decides.
 *
 * Only copies are left to the policy; those who wait for other engines or for records go first come, first served.
 * A client is a channel with a context of its own.
 */
#include <string.h>
#include "core/host/hostsched.h"
#include "core/host/runlist.h"
#include "machine.h"

#define MAX_CHANNELS	64
/* What a policy's slice may be, and still be added to a time. */
#define MAX_SLICE	1000000000000ull

static struct waiting {
	struct ppu_chan *v[MAX_CHANNELS];	/* oldest first */
	uint32_t n;
} lists[PPU_RUN_CLASSES][PPU_NUM_PRIO];

static struct request_time {
	uint64_t since;
	uint64_t runtime, copies;		/* what the engine did for the channel before this request */
	uint32_t get;				/* the ring entry of the request */
} times[MAX_CHANNELS];

static struct ppu_core *the_core;
const struct policy *the_policy = &round_robin;

static struct ppu_share *share(struct ppu_ctx *ctx, unsigned cls)
{
	return &ctx->host->share[cls];
}

static struct waiting *list_of(const struct ppu_runlist *r)
{
	return &lists[r->cls][r->prio];
}

/* The times of a channel's current request.  When there is another one now, the policy is told that the last one is done. */
static struct request_time *time_of(struct ppu_chan *ch)
{
	struct request_time *t = &times[ppu_chid(the_core, ch)];

	if (t->get != ch->get) {
		the_policy->ended(ppu_chid(the_core, ch), (uint32_t)(ch->copies - t->copies), ch->runtime - t->runtime);
		t->get = ch->get;
		t->runtime = ch->runtime;
		t->copies = ch->copies;
	}
	return t;
}

/* What the policy may know of a channel. */
static struct policy_client view(struct ppu_chan *ch)
{
	const struct ppu_config *cfg = &the_core->cfg;
	struct request_time *t = time_of(ch);
	struct policy_client c = {
		.client = ppu_chid(the_core, ch), .since = t->since, .done_ns = ch->runtime - t->runtime,
		.done_copies = (uint32_t)(ch->copies - t->copies),
		.requests = (ch->put + ch->entries - ch->get) % ch->entries,
		.used_ns = share(ch->ctx, PPU_CLASS_COPY)->used,
	};

	/* A paused channel and one between two commands have no command yet whose length could be known. */
	if (ch->state == CH_ENGINE)
		c.next_ns = cfg->cost_cmd_ns + cfg->cost_ce_setup_ns + ch->copy.width * ch->copy.rows * 1000 / cfg->cost_ce_mbps;
	return c;
}

static struct ppu_chan *channel_of(const struct ppu_ctx *ctx)
{
	for (uint32_t i = 0; i < the_core->cfg.channels; i++)
		if (ppu_chan(the_core, i)->ctx == ctx)
			return ppu_chan(the_core, i);
	return NULL;
}

/* ---- who waits -------------------------------------------------------------------------------------------- */

void ppu_runlist_enter(struct ppu_ctx *ctx, const struct ppu_runlist *r)
{
	struct ppu_share *s = share(ctx, r->cls);

	if (!s->present++ && s->used < r->clock)
		s->used = r->clock;
}

void ppu_runlist_present(struct ppu_ctx *ctx, unsigned cls)
{
	share(ctx, cls)->present++;
}

void ppu_runlist_exit(struct ppu_ctx *ctx, unsigned cls)
{
	share(ctx, cls)->present--;
}

void ppu_runlist_link(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	struct waiting *w = list_of(r);
	uint32_t i = w->n++;

	for (; i && w->v[i - 1]->stamp > ch->stamp; i--)
		w->v[i] = w->v[i - 1];
	w->v[i] = ch;
	core->host->occupied[r->cls] |= 1ull << r->prio;
}

void ppu_runlist_add(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	ppu_runlist_enter(ch->ctx, r);
	time_of(ch)->since = core->now;
	ppu_runlist_link(core, r, ch);
}

void ppu_runlist_del(struct ppu_core *core, struct ppu_runlist *r, struct ppu_chan *ch)
{
	struct waiting *w = list_of(r);
	uint32_t i = 0;

	while (w->v[i] != ch)
		i++;
	memmove(&w->v[i], &w->v[i + 1], (--w->n - i) * sizeof(w->v[0]));
	if (!w->n)
		core->host->occupied[r->cls] &= ~(1ull << r->prio);
	ppu_runlist_exit(ch->ctx, r->cls);
	if (r->cls == PPU_CLASS_COPY) {
		struct policy_client c = view(ch);
		uint64_t slice = the_policy->slice(&c, core->now);

		/* The core reads the length of a slice when it begins, which is next. */
		if (!slice || slice > MAX_SLICE)
			end_wrong("policy_slice() says %llu for client %u", (unsigned long long)slice, c.client);
		ch->timeslice = slice < UINT32_MAX ? (uint32_t)slice : UINT32_MAX;
		times[c.client].since = core->now;
	}
}

/* ---- who is next -------------------------------------------------------------------------------------------- */

static struct ppu_chan *ask(struct ppu_chan *const *may, uint32_t n)
{
	struct policy_client c[MAX_CHANNELS];
	uint32_t i;

	for (i = 0; i < n; i++)
		c[i] = view(may[i]);
	i = the_policy->pick(c, n, the_core->now);
	if (i >= n)
		end_wrong("policy_pick() says %u where %u clients wait", i, n);
	return may[i];
}

struct ppu_chan *ppu_runlist_best(struct ppu_core *core, struct ppu_runlist *r, uint32_t mask)
{
	struct ppu_chan *may[MAX_CHANNELS];
	const struct waiting *w = list_of(r);
	uint32_t n = 0;

	(void)core;
	for (uint32_t i = 0; i < w->n; i++)
		if (!w->v[i]->engine_mask || (w->v[i]->engine_mask & mask))
			may[n++] = w->v[i];
	if (!n || r->cls != PPU_CLASS_COPY)
		return n ? may[0] : NULL;
	return ask(may, n);
}

/* The core asks this when the slice of b's channel is over: may a's channel have the engine?  <= 0: yes. */
int ppu_runlist_compare(struct ppu_ctx *a, struct ppu_ctx *b, unsigned cls)
{
	struct policy_client next, has;

	if (cls != PPU_CLASS_COPY)
		return 0;
	next = view(channel_of(a));
	has = view(channel_of(b));
	return the_policy->yield(&has, &next, the_core->now) ? -1 : 1;
}

void ppu_runlist_serve(struct ppu_ctx *ctx, struct ppu_runlist *r)
{
	if (r->clock < share(ctx, r->cls)->used)
		r->clock = share(ctx, r->cls)->used;
}

void ppu_runlist_charge(struct ppu_core *core, struct ppu_ctx *ctx, unsigned cls, uint64_t use)
{
	struct ppu_chan *ch = cls == PPU_CLASS_COPY ? channel_of(ctx) : NULL;

	(void)core;
	share(ctx, cls)->used += use;
	if (ch)
		time_of(ch);		/* it may have begun another request */
}

bool ppu_runlist_create(struct ppu_core *core)
{
	the_core = core;
	return core->cfg.channels <= MAX_CHANNELS;
}

void ppu_runlist_reset(struct ppu_core *core)
{
	memset(core->host->occupied, 0, sizeof(core->host->occupied));
	memset(lists, 0, sizeof(lists));
	memset(times, 0, sizeof(times));
	for (unsigned cls = 0; cls < PPU_RUN_CLASSES; cls++)
		for (unsigned prio = 0; prio < PPU_NUM_PRIO; prio++) {
			struct ppu_runlist *r = &core->host->runlist[cls][prio];

			r->clock = 0;
			r->cls = (uint8_t)cls;
			r->prio = (uint8_t)prio;
		}
}

void ppu_runlist_destroy(struct ppu_core *core)
{
	(void)core;
}
