/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ordered event list: what happens when.
 *
 * State: struct ppu_events, private to event.c; the events themselves live in their owners.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time, as core->now.
 */
#ifndef PPU_EVENT_H
#define PPU_EVENT_H

#include "core/core.h"

/* Priorities of events at one time, lowest number first. */
enum ppu_evprio {
	PPU_EVP_SM_APPLY,	/* effects of an SM window */
	PPU_EVP_CE,		/* copy engine completion */
	PPU_EVP_TASK,
	PPU_EVP_HOST,		/* host interface and scheduler */
	PPU_EVP_SM_WINDOW,	/* start of the next SM window */
};
/* An event is embedded in its owner.  It is in the list at most once. */
struct ppu_event {
	void (*fn)(struct ppu_core *core, void *arg);
	void *arg;
	uint64_t when, seq;
	uint32_t prio;
	int32_t index;		/* place in the heap, -1: not scheduled */
};
/* A unit that is created makes room for n events of its own.  False: out of memory. */
bool ppu_events_reserve(struct ppu_core *core, uint32_t n);
void ppu_event_init(struct ppu_event *ev, enum ppu_evprio prio,
		    void (*fn)(struct ppu_core *, void *), void *arg);
/* Moves the event if it is in the list already. */
void ppu_event_schedule(struct ppu_core *core, struct ppu_event *ev, uint64_t when);
void ppu_event_cancel(struct ppu_core *core, struct ppu_event *ev);
/* For the function of an event that is not done: it is called again, before any other event, as soon as whoever waits
 * for the core's lock has had it. */
void ppu_event_again(struct ppu_core *core, struct ppu_event *ev);
static inline bool ppu_event_pending(const struct ppu_event *ev) { return ev->index >= 0; }
/* For the run loop: the event that comes next, NULL when the list is empty. */
struct ppu_event *ppu_event_first(const struct ppu_core *core);

/* Saves whether an event is scheduled, when, and its sequence number (order is kept). */
void ppu_io_event(struct ppu_core *core, struct ppu_io *io, struct ppu_event *ev);

PPU_UNIT(events);

#endif
