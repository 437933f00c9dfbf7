/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work distribution unit: the task table, whose slots hold the running tasks, and the placement of
 * their CTAs on the SMs.
 *
 * A waiting task takes a free slot.  When there is none it evicts a task of strictly lower priority
 * (HW-23): that one starts no more CTAs, and when its resident ones are done its slot is free and it
 * stands at the head of its list, to go on with its next CTA.
 *
 * CTAs go out in order of priority, to the SM with the fewest, in turns over the GPCs.  Each GPC
 * accepts one CTA in cost_cta_ns.  All decisions are made in one event, so that no caller is in
 * the middle of something.
 */
#include <stdlib.h>
#include <string.h>
#include "task.h"

struct slot {
	struct ppu_task *t;		/* NULL: free */
	uint64_t seq;			/* order in which slots were given */
	bool evicting;
};

struct ppu_wdu {
	struct slot *slots;
	uint32_t num_free, num_evicting;
	uint64_t next_seq;
	uint32_t rotor;			/* SM position where the next search starts */
	uint64_t *gpc_free;		/* when each GPC can accept another CTA */
	uint32_t *order;		/* scratch of place() */
	struct ppu_event pass_ev;
};

/* Positions go round the GPCs: 0 is GPC 0 SM 0, 1 is GPC 1 SM 0, ... */
static unsigned sm_at(const struct ppu_core *core, uint32_t pos)
{
	return pos % core->cfg.gpcs * core->cfg.sms_per_gpc + pos / core->cfg.gpcs;
}

static void free_slot(struct ppu_core *core, struct slot *s)
{
	struct ppu_wdu *w = core->wdu;

	if (s->evicting)
		w->num_evicting--;
	s->evicting = false;
	s->t = NULL;
	w->num_free++;
}

static void lose_slot(struct ppu_core *core, struct slot *s)
{
	struct ppu_task *t = s->t;

	free_slot(core, s);
	ppu_tmu_give_back(core, t);
}

/* Lowest priority below that of the newcomer; of these the one that came last. */
static struct slot *victim(struct ppu_core *core, uint32_t priority)
{
	struct slot *best = NULL;
	uint32_t i;

	for (i = 0; i < core->cfg.task_slots; i++) {
		struct slot *s = &core->wdu->slots[i];

		if (!s->t || s->evicting || s->t->priority >= priority)
			continue;
		if (!best || s->t->priority < best->t->priority ||
		    (s->t->priority == best->t->priority && s->seq > best->seq))
			best = s;
	}
	return best;
}

static void assign(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;
	struct ppu_task *t = ppu_tmu_next(core, NULL);
	uint32_t reserved = 0, i;

	while (t) {
		if (w->num_free) {
			for (i = 0; w->slots[i].t; i++)
				;
			w->slots[i].t = t;
			w->slots[i].seq = w->next_seq++;
			w->num_free--;
			ppu_tmu_take(core, t, i);
			reserved = 0;
			t = ppu_tmu_next(core, NULL);
		} else if (core->cfg.task_policy) {
			break;
		} else if (reserved < w->num_evicting) {
			reserved++;		/* it gets one that is being freed */
			t = ppu_tmu_next(core, t);
		} else {
			struct slot *s = victim(core, t->priority);

			if (!s)
				break;
			if (!s->t->live_ctas) {
				/* free at once: for the best, who may have been promised another */
				lose_slot(core, s);
				reserved = 0;
				t = ppu_tmu_next(core, NULL);
			} else {
				s->evicting = true;
				w->num_evicting++;
			}
		}
	}
	/* Evictions nobody needs any more; the best first. */
	while (w->num_evicting > reserved) {
		struct slot *best = NULL;

		for (i = 0; i < core->cfg.task_slots; i++)
			if (w->slots[i].evicting && (!best || w->slots[i].t->priority > best->t->priority))
				best = &w->slots[i];
		best->evicting = false;
		w->num_evicting--;
	}
}

static int pick_sm(struct ppu_core *core, const struct ppu_task *t)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t i, pos, load, best_load = 0, best_pos = 0, n = core->num_sms;
	int best = -1;

	for (i = 0; i < n; i++) {
		unsigned sm;

		pos = w->rotor + i < n ? w->rotor + i : w->rotor + i - n;
		sm = sm_at(core, pos);
		load = ppu_sm_num_ctas(core, sm);
		if (best >= 0 && load >= best_load)
			continue;
		if (!ppu_sm_can_start(core, sm, t))
			continue;
		best = (int)sm;
		best_pos = pos;
		best_load = load;
		if (!load)
			break;
	}
	if (best >= 0)
		w->rotor = best_pos + 1 < n ? best_pos + 1 : 0;
	return best;
}

static void start_cta(struct ppu_core *core, struct ppu_task *t, unsigned sm)
{
	struct ppu_wdu *w = core->wdu;
	uint64_t *busy = &w->gpc_free[sm / core->cfg.sms_per_gpc];

	if (*busy < core->now)
		*busy = core->now;
	*busy += core->cfg.cost_cta_ns;
	if (!t->live_ctas++)
		ppu_tmu_running(core, t, true);
	ppu_sm_start_cta(core, sm, t, t->next_cta++, *busy);
	t->next_cta_lo = (uint32_t)t->next_cta;
}

static void place(struct ppu_core *core)
{
	struct ppu_wdu *w = core->wdu;
	uint32_t n = 0, i, k, blocked = 0;
	bool any = false;

	/* slots with CTAs to start, by priority, then age */
	for (i = 0; i < core->cfg.task_slots; i++) {
		const struct slot *s = &w->slots[i];

		if (!s->t || s->evicting || s->t->next_cta >= s->t->num_ctas)
			continue;
		for (k = n++; k > 0; k--) {
			const struct slot *o = &w->slots[w->order[k - 1]];

			if (o->t->priority > s->t->priority ||
			    (o->t->priority == s->t->priority && o->seq < s->seq))
				break;
			w->order[k] = w->order[k - 1];
		}
		w->order[k] = i;
	}
	for (i = 0; i < n; i++) {
		struct ppu_task *t = w->slots[w->order[i]].t;
		int sm;

		/* No room is taken from a task of higher priority that waits for some. */
		if (blocked && t->priority < blocked - 1)
			break;
		while (t->next_cta < t->num_ctas && (sm = pick_sm(core, t)) >= 0) {
			start_cta(core, t, (unsigned)sm);
			any = true;
		}
		if (t->next_cta < t->num_ctas && !blocked)
			blocked = t->priority + 1;
	}
	if (any)
		ppu_gpc_wake(core);
}

static void pass(struct ppu_core *core, void *arg)
{
	if (!ppu_tmu_paused(core))
		assign(core);
	place(core);
}

void ppu_wdu_kick(struct ppu_core *core)
{
	if (!ppu_event_pending(&core->wdu->pass_ev))
		ppu_event_schedule(core, &core->wdu->pass_ev, core->now);
}

void ppu_wdu_cta_done(struct ppu_core *core, struct ppu_task *t, unsigned sm)
{
	struct ppu_wdu *w = core->wdu;
	struct slot *s;

	if (t->slot < 0 || !t->live_ctas)
		return;
	s = &w->slots[t->slot];
	core->ctr[PPU_CTR_CTAS]++;
	t->done_ctas++;
	if (!--t->live_ctas)
		ppu_tmu_running(core, t, false);
	if (t->done_ctas == t->num_ctas) {
		free_slot(core, s);
		t->slot = -1;
		ppu_tmu_code_done(core, t);
	} else if (s->evicting && !t->live_ctas) {
		lose_slot(core, s);
	}
	ppu_wdu_kick(core);
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
	struct ppu_wdu *w = core->wdu = calloc(1, sizeof(*w));

	if (!w)
		return -1;
	w->slots = calloc(core->cfg.task_slots, sizeof(*w->slots));
	w->order = calloc(core->cfg.task_slots, sizeof(*w->order));
	w->gpc_free = calloc(core->cfg.gpcs, sizeof(*w->gpc_free));
	if (!w->slots || !w->order || !w->gpc_free)
		return -1;
	ppu_event_init(&w->pass_ev, PPU_EVP_TASK, pass, NULL);
	w->num_free = core->cfg.task_slots;
	return 0;
}

void ppu_wdu_destroy(struct ppu_core *core)
{
	if (!core->wdu)
		return;
	free(core->wdu->slots);
	free(core->wdu->order);
	free(core->wdu->gpc_free);
	free(core->wdu);
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
