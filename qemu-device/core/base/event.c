/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ordered event list: a binary heap of events that live in their owners.
 * Order: time, then priority, then the order of scheduling.  Each unit reserves the places of its events
 * when it is created: scheduling needs no memory.
 */
#include <assert.h>
#include "core/base/alloc.h"
#include "core/base/event.h"
#include "core/base/io.h"

struct ppu_events {
	struct ppu_event **heap;
	uint32_t n, cap;
	uint64_t next_seq;
	struct ppu_event *again;	/* comes first; not saved: in a device that was loaded it takes its turn */
};

static bool before(const struct ppu_event *a, const struct ppu_event *b)
{
	if (a->when != b->when)
		return a->when < b->when;
	if (a->prio != b->prio)
		return a->prio < b->prio;
	return a->seq < b->seq;
}

static void put(struct ppu_events *e, uint32_t i, struct ppu_event *ev)
{
	e->heap[i] = ev;
	ev->index = (int32_t)i;
}

static void sift_up(struct ppu_events *e, uint32_t i)
{
	struct ppu_event *ev = e->heap[i];

	while (i > 0) {
		uint32_t up = (i - 1) / 2;

		if (!before(ev, e->heap[up]))
			break;
		put(e, i, e->heap[up]);
		i = up;
	}
	put(e, i, ev);
}

static void sift_down(struct ppu_events *e, uint32_t i)
{
	struct ppu_event *ev = e->heap[i];

	for (;;) {
		uint32_t kid = 2 * i + 1;

		if (kid >= e->n)
			break;
		if (kid + 1 < e->n && before(e->heap[kid + 1], e->heap[kid]))
			kid++;
		if (!before(e->heap[kid], ev))
			break;
		put(e, i, e->heap[kid]);
		i = kid;
	}
	put(e, i, ev);
}

bool ppu_events_reserve(struct ppu_core *core, uint32_t n)
{
	struct ppu_events *e = core->events;
	struct ppu_event **heap = ppu_realloc(e->heap, (size_t)(e->cap + n) * sizeof(*heap));

	if (!heap)
		return false;
	e->heap = heap;
	e->cap += n;
	return true;
}

void ppu_event_init(struct ppu_event *ev, enum ppu_evprio prio,
		    void (*fn)(struct ppu_core *, void *), void *arg)
{
	ev->fn = fn;
	ev->arg = arg;
	ev->prio = prio;
	ev->when = 0;
	ev->seq = 0;
	ev->index = -1;
}

void ppu_event_cancel(struct ppu_core *core, struct ppu_event *ev)
{
	struct ppu_events *e = core->events;
	uint32_t i = (uint32_t)ev->index;

	if (ev->index < 0)
		return;
	if (e->again == ev)
		e->again = NULL;
	ev->index = -1;
	e->n--;
	if (i == e->n)
		return;
	put(e, i, e->heap[e->n]);
	sift_up(e, i);
	sift_down(e, (uint32_t)e->heap[i]->index);
}

static void insert(struct ppu_core *core, struct ppu_event *ev)
{
	struct ppu_events *e = core->events;

	assert(e->n < e->cap);		/* every unit has reserved */
	put(e, e->n, ev);
	sift_up(e, e->n++);
}

void ppu_event_schedule(struct ppu_core *core, struct ppu_event *ev, uint64_t when)
{
	ppu_event_cancel(core, ev);
	if (when == PPU_TIME_NEVER)
		return;
	ev->when = when < core->now ? core->now : when;
	ev->seq = core->events->next_seq++;
	insert(core, ev);
}

void ppu_event_again(struct ppu_core *core, struct ppu_event *ev)
{
	/* Its place in the order stays: nothing has happened yet that others could see. */
	if (!ppu_event_pending(ev)) {
		ev->when = core->now;
		insert(core, ev);
	}
	core->events->again = ev;
}

struct ppu_event *ppu_event_first(const struct ppu_core *core)
{
	const struct ppu_events *e = core->events;

	return e->again ? e->again : e->n ? e->heap[0] : NULL;
}

void ppu_io_event(struct ppu_core *core, struct ppu_io *io, struct ppu_event *ev)
{
	bool pending = ppu_event_pending(ev);
	uint64_t when = ev->when, seq = ev->seq;

	ppu_io_bool(io, &pending);
	if (!pending)
		return;
	ppu_io_u64(io, &when);
	ppu_io_u64(io, &seq);
	if (!io->loading || io->failed)
		return;
	if (when < core->now || when >> 63 || seq >= core->events->next_seq || ppu_event_pending(ev)) {
		ppu_io_fail(io, "an event lies in the past");
		return;
	}
	ev->when = when;
	ev->seq = seq;
	insert(core, ev);
}

int ppu_events_create(struct ppu_core *core)
{
	core->events = ppu_alloc(1, sizeof(*core->events));
	return core->events ? 0 : -1;
}

void ppu_events_destroy(struct ppu_core *core)
{
	if (core->events)
		ppu_free(core->events->heap);
	ppu_free(core->events);
	core->events = NULL;
}

void ppu_events_reset(struct ppu_core *core)
{
	struct ppu_events *e = core->events;

	while (e->n)
		e->heap[--e->n]->index = -1;
	e->again = NULL;
}

/* Events are saved by their owners; here only the order counter. */
void ppu_events_io(struct ppu_core *core, struct ppu_io *io)
{
	ppu_io_u64(io, &core->events->next_seq);
}
