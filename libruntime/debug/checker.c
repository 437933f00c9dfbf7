/* SPDX-License-Identifier: MIT */
/*
 * ppu-check beside the debugger: what the device shows goes to the checker, too, and its findings stop the device.
 *
 * The checker cannot go back, so it sees everything once: what is done again is counted (dbg.seen) and kept from it up to where
 * it has been before (dbg.checked), and from there on it sees what it would have seen without the way back.  Findings are
 * kept with their numbers, so they stop the device again when it comes there again.  If another thing is done there than
 * before, because others stand still or run now, what the checker knows is of a history that is no more: then it looks no more.
 */
#include <stdlib.h>
#include <string.h>

#include "check/report.h"
#include "compiler/obj/image.h"
#include "debug/state.h"

static struct dbg_found *found;
static unsigned founds;
/* What is shown to the checker now by this thread, and what it told; calls of the program have findings in other threads. */
static __thread bool showing;
static __thread struct dbg_found *told;

static void note(const char *kind, const struct chk_finding *f)
{
	struct dbg_found n = { .n = dbg.seen - 1 };
	const struct chk_place *p = f->place;

	if (!showing || told)
		return;
	snprintf(n.what, sizeof(n.what), "%s: %s", kind, f->what);
	if (p) {
		n.place = true;
		n.pc = p->pc;
		memcpy(n.thread, p->thread, sizeof(n.thread));
	}
	if (!PPU_GROW(found, founds)) {
		found[founds - 1] = n;
		told = &found[founds - 1];
	}
}

/* False: the checker has seen it, or sees nothing any more. */
static bool is_new(void)
{
	uint64_t n = dbg.seen++;

	if (n < dbg.checked || dbg.blind)
		return false;
	dbg.checked = n + 1;
	return true;
}

static struct dbg_found *found_here(void)
{
	for (unsigned i = 0; i < founds; i++)
		if (found[i].n == dbg.seen - 1)
			return &found[i];
	return NULL;
}

/* Which thread it is, if it is one of this block. */
static void name_thread(struct dbg_found *f, const struct ppu_seen_cta *c)
{
	const uint32_t *b = c ? c->task.block : NULL, *t = f->thread;
	uint32_t number;

	if (!b || !f->place || f->focus.is)
		return;
	number = t[0] + b[0] * (t[1] + b[1] * t[2]);
	f->focus = (struct dbg_focus){
		.is = true, .sm = dbg.last.sm, .slot = dbg.last.slot, .lane = number % DBG_LANES, .serial = c->task.serial,
		.cta = c->index, .warp = number / DBG_LANES,
	};
}

/* The checker has looked, now or before. */
static void looked(const struct ppu_seen_cta *c)
{
	struct dbg_found *f = founds ? found_here() : NULL;

	told = NULL;
	if (dbg.mode == DBG_SEEK && dbg.target.kind == DBG_IN_CHECK && dbg.target.time == dbg.seen - 1) {
		dbg_stop_at(DBG_ARRIVED, DBG_IN_CHECK, true);
		return;
	}
	if (!f || !dbg.catch_checker || dbg.mute)
		return;
	name_thread(f, c);
	if (dbg.mode == DBG_SCAN && dbg.scan->found) {
		dbg.scan->found(dbg.scan, dbg.count ? dbg.count - 1 : 0, f);
	} else if (dbg.mode == DBG_RUN) {
		dbg.stop.found = *f;
		dbg_stop_at(DBG_FOUND, DBG_IN_CHECK, true);
	}
}

/* In the rest of an event that will be undone nothing is shown.  When the debugger has gone, everything is. */
#define SHOW(member, c, ...) do { \
	if (!dbg.checker || !dbg.checker->member || (dbg.mute && !dbg.gone)) \
		return; \
	if (is_new()) { \
		showing = true; \
		dbg.checker->member(dbg.checker->arg, __VA_ARGS__); \
		showing = false; \
	} \
	looked(c); \
} while (0)

void dbg_check_access(const struct ppu_seen_access *a)
{
	bool faults = a->fault && a->lanes >> (a->fault_lane % DBG_LANES) & 1;

	if (dbg.checker && !(dbg.checker->spaces >> a->space & 1) && !faults)
		return;
	SHOW(access, a->at.cta, a);
}

void dbg_check_copy(const struct ppu_seen_copy *c)
{
	SHOW(copy, NULL, c);
}

void dbg_check_task(const struct ppu_seen_task *t, bool end)
{
	if (end)
		SHOW(task_end, NULL, t);
	else
		SHOW(task_start, NULL, t);
}

void dbg_check_cta_end(const struct ppu_seen_cta *c)
{
	SHOW(cta_end, c, c);
}

static void see_fence(void *arg, const struct ppu_seen_warp *at, uint32_t lanes, uint32_t scope)
{
	SHOW(fence, at->cta, at, lanes, scope);
}

static void see_barrier(void *arg, const struct ppu_seen_barrier *b)
{
	SHOW(barrier, b->cta, b);
}

static void see_warp(void *arg, const struct ppu_seen_warp *at, uint32_t lanes)
{
	SHOW(warp_sync, at->cta, at, lanes);
}

static void see_sync(void *arg, const struct ppu_seen_sync *s)
{
	SHOW(sync, s->at.cta, s);
}

static void see_stuck(void *arg, const struct ppu_seen_stuck *s)
{
	SHOW(stuck, s->at.cta, s);
}

static void see_float(void *arg, const struct ppu_seen_float *f)
{
	SHOW(arithmetic, f->at.cta, f);
}

static void see_choice(void *arg, const struct ppu_seen_warp *at, uint32_t first, uint32_t second)
{
	SHOW(choose, at->cta, at, first, second);
}

static void see_call(void *arg, const struct ppu_seen_call *s)
{
	SHOW(call, s->at.cta, s);
}

/* The device shows what the debugger wants to see, and what the checker does. */
void dbg_check_also(void *arg, const struct ppu_observer *o)
{
	struct ppu_observer *all = &dbg.port.observer;

	*all = dbg_observer;
	dbg.checker = o;
	dbg.catch_checker = o != NULL;
	chk_told = o ? note : NULL;
	if (!o)
		return;
	all->spaces |= o->spaces;
	all->floats = o->floats;
#define ALSO(member, fn) all->member = o->member ? fn : NULL
	ALSO(fence, see_fence);
	ALSO(barrier, see_barrier);
	ALSO(warp_sync, see_warp);
	ALSO(sync, see_sync);
	ALSO(stuck, see_stuck);
	ALSO(arithmetic, see_float);
	ALSO(choose, see_choice);
	ALSO(call, see_call);
#undef ALSO
}

void dbg_check_begin(void)
{
	dbg_check_another();		/* the program goes on while the device is where it was before */
	dbg.seen = dbg.checked = 0;
	founds = 0;
}

/* From here on another thing is done than was seen before. */
void dbg_check_another(void)
{
	unsigned n = 0;

	if (!dbg.checker || dbg.seen >= dbg.checked)
		return;
	dbg.blind = dbg.tell_blind = true;
	for (unsigned i = 0; i < founds; i++)
		if (found[i].n < dbg.seen)
			found[n++] = found[i];
	founds = n;
}
