/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work distribution unit: the task table, whose slots hold the running tasks, and the placement of
 * their CTAs on the SMs.
 *
 * A waiting task takes a free slot.  When there is none, the waiting task evicts the weakest task that it
 * beats (rank.c): one of strictly lower priority (HW-23), or of a context whose slice is over.  The CTAs of
 * the evicted task are saved where they are (preempt-level 1), its slot is free at once, and it stands at the
 * head of its list.  Where CTAs cannot be saved, the evicted task starts no more CTAs, and loses the slot when
 * its resident CTAs are done.  In the same way a task with a slot makes room on an SM: only as many CTAs of
 * weaker tasks are saved as the task needs, and these CTAs come back when there is room.
 *
 * A CTA that waits for its children is saved and leaves its SM; a task that cannot go on at all gives
 * its slot back.
 *
 * CTAs go out in order of turn and priority, saved ones before new ones, to the SM with the fewest, in
 * turns over the GPCs.  Each GPC accepts one CTA in cost_cta_ns, and saves or restores one in
 * cost_evict_ns.  All decisions are made in one event, so that no caller is in the middle of something.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/sm/smsave.h"
#include "core/tasks/gpc.h"
#include "core/tasks/smexc.h"
#include "core/tasks/task.h"
#include "core/tasks/taskq.h"
#include "core/tasks/tmu.h"
#include "core/tasks/wdu.h"

struct slot {
	struct ppu_task *t;		/* NULL: free */
	uint64_t seq;			/* order in which slots were given */
	bool evicting;			/* free when its resident CTAs are done, or can be saved */
	bool short_of_room;		/* has CTAs that found no SM in the last pass */
};

struct ppu_wdu {
	struct slot *slots;
	uint32_t num_free, num_evicting;
	uint64_t next_seq;
	/* SMs by position.  Positions go round the GPCs: 0 is GPC 0 SM 0, 1 is GPC 1 SM 0, ... */
	uint32_t *sm_at;
	uint32_t rotor;			/* SM position where the next search starts */
	uint32_t least;			/* no SM has fewer CTAs, while place() runs */
	uint64_t *gpc_free;		/* when each GPC can accept another CTA */
	uint32_t *order;		/* scratch of place() */
	struct ppu_event pass_ev;
};

static void free_slot(struct ppu_core *core, struct slot *s)
{
	struct ppu_wdu *w = core->wdu;

	if (s->evicting)
		w->num_evicting--;
	s->evicting = s->short_of_room = false;
	s->t = NULL;
	w->num_free++;
}

static void lose_slot(struct ppu_core *core, struct slot *s)
{
	struct ppu_task *t = s->t;

	free_slot(core, s);
	ppu_tmu_give_back(core, t);
}

/* The GPC is busy for another `cost` ns.  Returns until when. */
static uint64_t occupy(struct ppu_core *core, unsigned sm, uint64_t cost)
{
	uint64_t *busy = &core->wdu->gpc_free[sm / core->cfg.sms_per_gpc];

	if (*busy < core->now)
		*busy = core->now;
	return *busy += cost;
}

/* A task runs while a warp of it can run: not while all wait for the driver. */
static void update_running(struct ppu_core *core, struct ppu_task *t)
{
	ppu_tmu_running(core, t, t->live_ctas && (!ppu_gpc_has_exceptions(core, t) || ppu_sm_task_runs(core, &t->sm)));
}

/* ---- saving ---------------------------------------------------------------------------------------- */

static bool in_cluster(const struct ppu_cta_rec *r)
{
	return PPU_CLUSTER_CTAS(r->task->sm.launch.cluster) > 1;
}

/* The driver is about to move tokens of one of its warps: the CTA has to stay up to the answer. */
static bool served(struct ppu_core *core, const struct ppu_cta_rec *r)
{
	unsigned sm, warp;

	return ppu_smexc_served(core, &sm, &warp) && (int)sm == r->sm && ppu_sm_warp_cta(core, sm, warp) == r->slot;
}

static bool can_save_cta(struct ppu_core *core, const struct ppu_cta_rec *r)
{
	return r->image_bytes && !served(core, r) && ppu_sm_can_save(core, (unsigned)r->sm, (unsigned)r->slot);
}

/* The next CTA of the cluster of r from this slot on, on its SM; NULL: no more. */
static struct ppu_cta_rec *of_cluster(struct ppu_core *core, const struct ppu_cta_rec *r, unsigned sm, unsigned *slot)
{
	uint32_t ctas = PPU_CLUSTER_CTAS(r->task->sm.launch.cluster);
	uint64_t cluster = ppu_cluster_order(&r->task->sm.launch, r->index) / ctas;

	for (; *slot < core->cfg.ctas_per_sm; (*slot)++) {
		struct ppu_cta_rec *o = ppu_ctas_at(core, sm, *slot);

		if (o && o->task == r->task && ppu_cluster_order(&o->task->sm.launch, o->index) / ctas == cluster)
			return o;
	}
	return NULL;
}

/* A cluster is saved as a whole. */
static bool can_save(struct ppu_core *core, const struct ppu_cta_rec *r)
{
	const struct ppu_cta_rec *o;
	unsigned slot;

	if (!in_cluster(r))
		return can_save_cta(core, r);
	for (slot = 0; (o = of_cluster(core, r, (unsigned)r->sm, &slot)); slot++)
		if (!can_save_cta(core, o))
			return false;
	return true;
}

static void save_cta(struct ppu_core *core, struct ppu_cta_rec *r, unsigned reason)
{
	struct ppu_task *t = r->task;
	unsigned sm = (unsigned)r->sm, slot = (unsigned)r->slot;
	/* A cluster comes back as a whole, so it may whenever there is room. */
	bool waits = !in_cluster(r) && ppu_sm_cta_waits(core, sm, slot);

	ppu_gpc_withdraw(core, sm, slot);
	ppu_sm_save_cta(core, sm, slot, r->image, reason);
	core->wdu->least = 0;
	occupy(core, sm, core->cfg.cost_evict_ns);
	ppu_ctas_saved(core, r, waits);
	t->live_ctas--;
	update_running(core, t);
}

/* Saves a CTA, or the CTAs of its cluster that have not ended. */
static void save(struct ppu_core *core, struct ppu_cta_rec *r, unsigned reason)
{
	unsigned sm = (unsigned)r->sm, slot;
	struct ppu_cta_rec first, *o;

	if (!in_cluster(r)) {
		save_cta(core, r, reason);
		return;
	}
	first = *r;
	for (slot = 0; (o = of_cluster(core, &first, sm, &slot)); slot++)
		save_cta(core, o, reason);
}

/* Saves all CTAs of a task, off the SMs.  False: some cannot be saved now. */
static bool save_all(struct ppu_core *core, struct ppu_task *t)
{
	unsigned sm, slot;

	for (sm = 0; sm < core->num_sms && t->live_ctas; sm++)
		for (slot = 0; slot < core->cfg.ctas_per_sm; slot++) {
			struct ppu_cta_rec *r = ppu_ctas_at(core, sm, slot);

			if (r && r->task == t && can_save(core, r))
				save(core, r, PPU_TRC_EVICTED);
		}
	return !t->live_ctas;
}

void ppu_wdu_cta_waits(struct ppu_core *core, struct ppu_task *t, unsigned sm, unsigned slot)
{
	struct ppu_cta_rec *r = ppu_ctas_at(core, sm, slot);

	if (!r || r->task != t || !ppu_sm_cta_waits(core, sm, slot) || !can_save(core, r))
		return;
	save(core, r, PPU_TRC_CHILDREN);
	ppu_wdu_kick(core);
}

/* ---- slots ----------------------------------------------------------------------------------------- */

/* Is a weaker than b?  The weakest slot is taken first. */
static bool weaker(const struct ppu_core *core, const struct slot *a, const struct slot *b)
{
	uint32_t la = ppu_rank_level(core, a->t->sm.priority), lb = ppu_rank_level(core, b->t->sm.priority);
	int turn = ppu_rank_compare(a->t->sm.ctx, b->t->sm.ctx);

	if (turn)
		return turn > 0;
	return la != lb ? la < lb : a->seq > b->seq;
}

static struct slot *victim(struct ppu_core *core, const struct ppu_task *t)
{
	struct slot *best = NULL;
	uint32_t i;

	for (i = 0; i < core->cfg.task_slots; i++) {
		struct slot *s = &core->wdu->slots[i];

		if (s->t && !s->evicting && ppu_rank_beats(core, t, s->t) && (!best || weaker(core, s, best)))
			best = s;
	}
	return best;
}

static void give_slot(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i;

	for (i = 0; w->slots[i].t; i++)
		;
	w->slots[i].t = t;
	w->slots[i].seq = w->next_seq++;
	w->num_free--;
	ppu_tmu_take(core, t, i);
}

/* Frees the slots that are being evicted, if their CTAs are gone or can be saved by now. */
static void finish_evictions(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i;

	for (i = 0; i < core->cfg.task_slots && w->num_evicting; i++)
		if (w->slots[i].evicting && save_all(core, w->slots[i].t))
			lose_slot(core, &w->slots[i]);
}

/* Cancels the evictions that the waiting task t (NULL: no task waits) has no use for. */
static void cancel_evictions(struct ppu_core *core, const struct ppu_task *t)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i;

	for (i = 0; i < core->cfg.task_slots && w->num_evicting; i++)
		if (w->slots[i].evicting && !(t && ppu_rank_beats(core, t, w->slots[i].t))) {
			w->slots[i].evicting = false;
			w->num_evicting--;
		}
}

static void assign(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t left = core->cfg.task_slots;	/* evictions: the strongest comes first, so each slot changes once */
	struct ppu_task *t;
	struct slot *s;

	finish_evictions(core);
	while ((t = ppu_tmu_next(core))) {
		if (w->num_free) {
			give_slot(core, t);
			continue;
		}
		cancel_evictions(core, t);
		if (w->num_evicting)
			break;			/* t gets the slot that is being evicted */
		s = left-- ? victim(core, t) : NULL;
		if (!s)
			break;
		if (save_all(core, s->t)) {
			lose_slot(core, s);
		} else {
			s->evicting = true;
			w->num_evicting++;
		}
	}
	if (!t)
		cancel_evictions(core, NULL);
}

/* Tasks that cannot go on leave their slots.  True: some tasks did. */
static bool leave_slots(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;
	struct ppu_cta_gap gap;
	bool any = false;
	uint32_t i;

	for (i = 0; i < core->cfg.task_slots; i++) {
		struct slot *s = &w->slots[i];
		struct ppu_task *t = s->t;

		if (!t || t->live_ctas || t->ready_ctas || (t->next_cta < t->avail_ctas && ppu_ctas_room(core, t, &gap)))
			continue;
		any = true;
		if (t->saved_ctas || t->next_cta == t->avail_ctas) {
			free_slot(core, s);
			ppu_tmu_suspend(core, t, t->saved_ctas ? PPU_TRS_CHILDREN : PPU_TRS_QUEUE);
		} else {
			/* Other tasks of the same level have the room in the save area, and t waits for
			 * it. */
			lose_slot(core, s);
		}
	}
	return any;
}

/* ---- SMs ------------------------------------------------------------------------------------------- */

/* Of an order by number (sm_order.h): CTAs on one SM, so that it decides which of their warps goes on. */
static int first_sm(struct ppu_core *core, const struct ppu_task *t)
{
	for (uint32_t pos = 0; pos < core->num_sms; pos++)
		if (ppu_sm_can_start(core, core->wdu->sm_at[pos], &t->sm))
			return (int)core->wdu->sm_at[pos];
	return -1;
}

/* The SM with the fewest CTAs, of those that have room; the first one behind the rotor. */
static int pick_sm(struct ppu_core *core, const struct ppu_task *t)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i, pos, load, least = UINT32_MAX, best_load = 0, best_pos = 0, n = core->num_sms;
	int best = -1;

	if (core->cfg.order)
		return first_sm(core, t);
	for (i = 0; i < n; i++) {
		unsigned sm;

		pos = w->rotor + i < n ? w->rotor + i : w->rotor + i - n;
		sm = w->sm_at[pos];
		load = ppu_sm_num_ctas(core, sm);
		least = load < least ? load : least;
		if (best >= 0 && load >= best_load)
			continue;
		if (!ppu_sm_can_start(core, sm, &t->sm))
			continue;
		best = (int)sm;
		best_pos = pos;
		best_load = load;
		if (load <= w->least)
			break;		/* nobody has fewer */
	}
	if (i == n)
		w->least = least;
	if (best >= 0)
		w->rotor = best_pos + 1 < n ? best_pos + 1 : 0;
	return best;
}

/* The CTAs on an SM that may be saved in favour of t. *weakest: the slot of the CTA that goes first. */
static uint32_t weaker_ctas(struct ppu_core *core, unsigned sm, const struct ppu_task *t, unsigned *weakest)
{
	const struct slot *worst = NULL;
	uint32_t mask = 0;
	unsigned i;

	for (i = 0; i < core->cfg.ctas_per_sm; i++) {
		struct ppu_cta_rec *r = ppu_ctas_at(core, sm, i);
		const struct slot *s;

		if (!r || !ppu_rank_beats(core, t, r->task) || !can_save(core, r))
			continue;
		mask |= 1u << i;
		s = &core->wdu->slots[r->task->slot];
		if (!worst || weaker(core, s, worst)) {
			worst = s;
			*weakest = i;
		}
	}
	return mask;
}

/* Saves weaker CTAs, until a CTA of t can start on the SM, and no more. */
static void clear_room(struct ppu_core *core, unsigned sm, const struct ppu_task *t)
{
	unsigned slot = 0;

	while (!ppu_sm_can_start(core, sm, &t->sm)) {
		weaker_ctas(core, sm, t, &slot);
		save(core, ppu_ctas_at(core, sm, slot), PPU_TRC_EVICTED);
	}
}

/* Finds an SM that has room for a CTA of t once weaker CTAs have left, and makes this room. */
static int make_room(struct ppu_core *core, const struct ppu_task *t)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i, n = core->num_sms;

	for (i = 0; i < n; i++) {
		unsigned sm = w->sm_at[(w->rotor + i) % n], slot = 0;
		uint32_t mask = weaker_ctas(core, sm, t, &slot);

		if (!mask || !ppu_sm_can_start_without(core, sm, &t->sm, mask))
			continue;
		clear_room(core, sm, t);
		w->rotor = (w->rotor + i + 1) % n;
		return (int)sm;
	}
	return -1;
}

/* Does the SM have a CTA of an owner whose turn comes before that of t's owner? */
static bool taken(struct ppu_core *core, unsigned sm, const struct ppu_task *t)
{
	unsigned i;

	for (i = 0; i < core->cfg.ctas_per_sm; i++) {
		const struct ppu_cta_rec *r = ppu_ctas_at(core, sm, i);

		if (r && r->task->sm.ctx->owner != t->sm.ctx->owner && ppu_rank_compare(r->task->sm.ctx, t->sm.ctx) < 0)
			return true;
	}
	return false;
}

/* Saves the CTAs of owners whose turns come after that of t's owner, as far as they can be saved. */
static void clear_sm(struct ppu_core *core, unsigned sm, const struct ppu_task *t)
{
	unsigned i;

	for (i = 0; i < core->cfg.ctas_per_sm; i++) {
		struct ppu_cta_rec *r = ppu_ctas_at(core, sm, i);

		if (r && r->task->sm.ctx->owner != t->sm.ctx->owner &&
		    ppu_rank_compare(t->sm.ctx, r->task->sm.ctx) < 0 && can_save(core, r))
			save(core, r, PPU_TRC_EVICTED);
	}
}

/*
 * Owners take turns.  The one whose turn it is has the SMs that it uses for itself: beside warps that never wait, its own
 * would get a small part of the cycles only.  Its CTAs go to the SM with the fewest CTAs that must stay, as if the
 * weaker ones were not there: otherwise they would crowd where somebody has left already.
 */
static int pick_in_turn(struct ppu_core *core, const struct ppu_task *t)
{
	uint32_t i, n = core->num_sms, best_load = UINT32_MAX, best_pos = 0;
	struct ppu_wdu *w = core->wdu;

	if (ppu_rank_kept_out(core, t->sm.ctx))
		return -1;
	for (i = 0; i < n; i++) {
		uint32_t pos = (w->rotor + i) % n, mask, load;
		unsigned sm = w->sm_at[pos], slot = 0;
		bool room = ppu_sm_can_start(core, sm, &t->sm);

		mask = weaker_ctas(core, sm, t, &slot);
		/* Of SMs with equally many, first one where nobody has to leave. */
		load = 2 * (ppu_sm_num_ctas(core, sm) - (uint32_t)__builtin_popcount(mask)) + (mask != 0);
		if (load >= best_load || taken(core, sm, t) ||
		    !(room || (mask && ppu_sm_can_start_without(core, sm, &t->sm, mask))))
			continue;
		best_load = load;
		best_pos = pos;
	}
	if (best_load == UINT32_MAX)
		return -1;
	clear_sm(core, w->sm_at[best_pos], t);
	clear_room(core, w->sm_at[best_pos], t);
	w->rotor = (best_pos + 1) % n;
	return (int)w->sm_at[best_pos];
}

static int find_sm(struct ppu_core *core, const struct ppu_task *t)
{
	int sm;

	if (ppu_rank_turns(core))
		return pick_in_turn(core, t);
	sm = pick_sm(core, t);
	return sm < 0 ? make_room(core, t) : sm;
}

/* Starts the next CTA of t.  Returns 0 or PPU_ERR_*: then nothing has started. */
static unsigned start_cta(struct ppu_core *core, struct ppu_task *t, unsigned sm, struct ppu_cta_gap *gap)
{
	uint8_t entry[PPU_QUEUE_ENTRY_MAX];
	struct ppu_cta_rec *r;
	uint64_t when;
	int slot;

	if (t->queue && !ppu_taskq_entry(core, t, entry))
		return PPU_ERR_TASK_QUEUE;
	r = ppu_ctas_start(core, t, gap);
	if (!r)
		return PPU_ERR_TASK_MEMORY;
	when = occupy(core, sm, core->cfg.cost_cta_ns);
	slot = ppu_sm_start_cta(core, sm, &t->sm, r->index, when, t->queue ? entry : NULL);
	if (slot < 0) {
		ppu_ctas_end(core, r);
		return (unsigned)-slot;
	}
	ppu_ctas_place(core, r, sm, (unsigned)slot);
	t->next_cta++;
	t->live_ctas++;
	ppu_rank_started(t->sm.ctx, when);
	update_running(core, t);
	return t->queue && !ppu_taskq_taken(core, t) ? PPU_ERR_TASK_QUEUE : 0;
}

static unsigned restore_cta(struct ppu_core *core, struct ppu_task *t, unsigned sm)
{
	struct ppu_cta_rec *r = ppu_ctas_ready(core, t);
	uint64_t when = occupy(core, sm, core->cfg.cost_evict_ns);
	int slot = ppu_sm_restore_cta(core, sm, &t->sm, r->index, r->children, r->image, when);

	if (slot < 0)
		return (unsigned)-slot;
	ppu_ctas_pop_ready(core, t);
	ppu_ctas_place(core, r, sm, (unsigned)slot);
	t->saved_ctas--;
	t->live_ctas++;
	ppu_rank_started(t->sm.ctx, when);
	update_running(core, t);
	return 0;
}

/* Starts the next CTA of t, or those of the next cluster. */
static unsigned start(struct ppu_core *core, struct ppu_task *t, unsigned sm, struct ppu_cta_gap *gap)
{
	uint32_t left = PPU_CLUSTER_CTAS(t->sm.launch.cluster);
	unsigned err = 0;

	while (left-- && !err)
		err = start_cta(core, t, sm, gap);
	return err;
}

/* Brings back the first CTA of t that can go on; with it those of its cluster, which stand behind it. */
static unsigned restore(struct ppu_core *core, struct ppu_task *t, unsigned sm)
{
	uint32_t ctas = PPU_CLUSTER_CTAS(t->sm.launch.cluster);
	uint64_t cluster = ppu_cluster_order(&t->sm.launch, ppu_ctas_ready(core, t)->index) / ctas;
	const struct ppu_cta_rec *r;
	unsigned err;

	do {
		err = restore_cta(core, t, sm);
		r = ppu_ctas_ready(core, t);
	} while (!err && r && ctas > 1 && ppu_cluster_order(&t->sm.launch, r->index) / ctas == cluster);
	return err;
}

/* Slots that may have CTAs to place, now or after they lose CTAs to stronger tasks.  The strongest slot
 * comes first. */
static uint32_t order_slots(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t n = 0, i, k;

	for (i = 0; i < core->cfg.task_slots; i++) {
		struct slot *s = &w->slots[i];

		s->short_of_room = false;
		if (!s->t || s->evicting)
			continue;
		for (k = n++; k > 0 && weaker(core, &w->slots[w->order[k - 1]], s); k--)
			w->order[k] = w->order[k - 1];
		w->order[k] = i;
	}
	return n;
}

/* *bad: a task whose memory is not what it should be, or that needs host memory; returns the error. */
static unsigned place(struct ppu_core *core, struct ppu_task **bad)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t n = order_slots(core), i;
	const struct slot *blocked = NULL;
	struct ppu_cta_gap gap;
	unsigned err = 0;
	bool any = false;

	w->least = 0;		/* CTAs have ended */
	for (i = 0; i < n && !err; i++) {
		struct slot *s = &w->slots[w->order[i]];
		struct ppu_task *t = s->t;

		while (!err && !s->short_of_room && ppu_task_has_work(t) &&
		       (t->ready_ctas || ppu_ctas_room(core, t, &gap))) {
			int sm = -1;

			/* A task must not take room for which a stronger task waits. */
			if (!blocked || !ppu_rank_beats(core, blocked->t, t))
				sm = find_sm(core, t);
			if (sm < 0) {
				s->short_of_room = true;
				blocked = blocked ? blocked : s;
				continue;
			}
			*bad = t;
			any = true;
			err = t->ready_ctas ? restore(core, t, (unsigned)sm) : start(core, t, (unsigned)sm, &gap);
		}
	}
	if (any)
		ppu_gpc_wake(core);
	return err;
}

static void pass(struct ppu_core *core, void *arg)
{
	struct ppu_task *bad = NULL;
	unsigned err;
	uint32_t i;

	ppu_taskq_look(core);
	ppu_rank_count(core);
	do {
		if (!ppu_tmu_paused(core))
			assign(core);
		err = place(core, &bad);
	} while (!err && leave_slots(core) && !ppu_tmu_paused(core));
	for (i = 0; i < core->cfg.task_slots; i++) {
		const struct slot *s = &core->wdu->slots[i];

		if (s->t)
			ppu_rank_holds(s->t->sm.ctx, s->t->live_ctas, s->short_of_room);
	}
	ppu_rank_plan(core);
	if (err)
		ppu_tmu_fault(core, bad, err, 0);
}

void ppu_wdu_kick(struct ppu_core *core)
{
	if (!ppu_event_pending(&core->wdu->pass_ev))
		ppu_event_schedule(core, &core->wdu->pass_ev, core->now);
}

void ppu_wdu_cta_done(struct ppu_core *core, struct ppu_task *t, unsigned sm, unsigned slot)
{
	struct ppu_wdu *w = core->wdu;
	struct ppu_cta_rec *r = ppu_ctas_at(core, sm, slot);

	if (t->slot < 0 || !t->live_ctas || !r || r->task != t)
		return;
	core->ctr[PPU_CTR_CTAS]++;
	t->done_ctas++;
	t->live_ctas--;
	ppu_ctas_end(core, r);
	ppu_rank_ended(core, t->sm.ctx);
	update_running(core, t);
	if (t->done_ctas == t->num_ctas) {
		free_slot(core, &w->slots[t->slot]);
		t->slot = -1;
		ppu_tmu_code_done(core, t);
	}
	ppu_wdu_kick(core);
}

void ppu_wdu_no_more(struct ppu_core *core, struct ppu_task *t)
{
	ppu_wdu_drop(core, t);
	ppu_tmu_code_done(core, t);
}

void ppu_wdu_drop(struct ppu_core *core, struct ppu_task *t)
{
	if (t->slot < 0)
		return;
	free_slot(core, &core->wdu->slots[t->slot]);
	t->slot = -1;
}

/* ---- unit ---------------------------------------------------------------------------------------- */

int ppu_wdu_create(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu = ppu_alloc(1, sizeof(*w));
	uint32_t i;

	if (!w)
		return -1;
	w->slots = ppu_alloc(core->cfg.task_slots, sizeof(*w->slots));
	w->order = ppu_alloc(core->cfg.task_slots, sizeof(*w->order));
	w->gpc_free = ppu_alloc(core->cfg.gpcs, sizeof(*w->gpc_free));
	w->sm_at = ppu_alloc(core->num_sms, sizeof(*w->sm_at));
	if (!w->slots || !w->order || !w->gpc_free || !w->sm_at || !ppu_events_reserve(core, 1))
		return -1;
	ppu_event_init(&w->pass_ev, PPU_EVP_TASK, pass, NULL);
	for (i = 0; i < core->num_sms; i++)
		w->sm_at[i] = i % core->cfg.gpcs * core->cfg.sms_per_gpc + i / core->cfg.gpcs;
	w->num_free = core->cfg.task_slots;
	return 0;
}

void ppu_wdu_destroy(struct ppu_core *core)
{
	if (!core->wdu)
		return;
	ppu_free(core->wdu->slots);
	ppu_free(core->wdu->order);
	ppu_free(core->wdu->gpc_free);
	ppu_free(core->wdu->sm_at);
	ppu_free(core->wdu);
	core->wdu = NULL;
}

void ppu_wdu_reset(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;

	ppu_event_cancel(core, &w->pass_ev);
	memset(w->slots, 0, core->cfg.task_slots * sizeof(*w->slots));
	memset(w->gpc_free, 0, core->cfg.gpcs * sizeof(*w->gpc_free));
	w->num_free = core->cfg.task_slots;
	w->num_evicting = w->rotor = 0;
	w->next_seq = 0;
}

void ppu_wdu_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i;

	ppu_io_u64(io, &w->next_seq);
	ppu_io_u32(io, &w->rotor);
	for (i = 0; i < core->cfg.gpcs; i++)
		ppu_io_u64(io, &w->gpc_free[i]);
	for (i = 0; i < core->cfg.task_slots && !io->failed; i++) {
		struct slot *s = &w->slots[i];

		ppu_io_task(core, io, &s->t);
		ppu_io_u64(io, &s->seq);
		ppu_io_bool(io, &s->evicting);
		ppu_io_bool(io, &s->short_of_room);
		if (io->loading && s->evicting && !(s->t && s->t->live_ctas))
			ppu_io_fail(io, "slot %u is being freed for no reason", i);
		if (!io->loading || io->failed || !s->t)
			continue;
		if (s->t->state != PPU_TASK_ACTIVE || s->t->slot >= 0 || s->seq >= w->next_seq) {
			ppu_io_fail(io, "slot %u holds a task it cannot hold", i);
			s->t = NULL;
			return;
		}
		s->t->slot = (int32_t)i;
		w->num_free--;
		w->num_evicting += s->evicting;
	}
	ppu_io_event(core, io, &w->pass_ev);
	if (!io->loading || io->failed)
		return;
	if (w->rotor >= core->num_sms)
		ppu_io_fail(io, "there is no such SM");
	for (i = 0; i < core->cfg.task_records && !io->failed; i++) {
		struct ppu_task *t = ppu_tmu_task(core, i);

		if (t && t->state == PPU_TASK_ACTIVE && t->slot < 0)
			ppu_io_fail(io, "task %u runs without a slot", i);
	}
}
