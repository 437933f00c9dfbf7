/* SPDX-License-Identifier: MIT */
/*
 * Back in time.  Every so many instructions the device's state is saved, between two of its events.  A moment in the past is
 * reached by loading the last state before it and running on from there.  To leave the midst of an event, the rest of it is
 * done first, unseen, and then undone like everything else.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/state.h"

#define MOST_SAVES	128u		/* then every other one goes, and the next ones are twice as far apart */

/* ---- saves --------------------------------------------------------------------------------------------------- */

static void thin_out(void)
{
	unsigned kept = 1;

	for (unsigned i = 1; i < dbg.saves; i++) {
		if (i % 2)
			dbg.ops->forget(dbg.dev, kept);
		else
			dbg.save[kept++] = dbg.save[i];
	}
	dbg.saves = kept;
	dbg.interval *= 2;
}

static void save(void)
{
	if (dbg.no_record)
		return;
	if (dbg.saves == MOST_SAVES)
		thin_out();
	if (dbg.saves == dbg.saves_cap) {
		struct dbg_save *v = realloc(dbg.save, MOST_SAVES * sizeof(*v));

		if (!v)
			return;
		dbg.save = v;
		dbg.saves_cap = MOST_SAVES;
	}
	if (!dbg.ops->save(dbg.dev))
		dbg.save[dbg.saves++] = (struct dbg_save){ dbg.count, dbg.changed, dbg.seen };
	else
		dbg.saves = 0;		/* those before are not whole any more */
}

void dbg_begin(void *arg)
{
	dbg.saves = 0;
	dbg.interval = dbg.least_interval;
	dbg.first = dbg.count;
	dbg_freeze_begin();
	dbg_check_begin();
	if (!dbg.mute)
		save();
}

/* Between events, the debugger's turn: after an event whose rest was unseen, or when everything was looked at. */
static void between(enum dbg_moment_kind kind)
{
	dbg.stop = (struct dbg_stop){ .why = DBG_BETWEEN, .at = { .n = dbg.count, .kind = kind } };
	dbg.unwind = false;
	dbg_hand_over();
	dbg.stop = (struct dbg_stop){ .why = DBG_BETWEEN };
}

static bool scan_is_over(void)
{
	return !dbg.mute && dbg.mode == DBG_SCAN && dbg.count >= dbg.scan->end;
}

static bool is_target(void)
{
	return dbg.mode == DBG_SEEK && dbg.target.kind == DBG_AT_EVENT && dbg.target.n == dbg.count &&
	       dbg.target.time == dbg.ops->now(dbg.dev);
}

/* Those who run wait for others, and no command will change that. */
static bool stays_frozen(bool frozen)
{
	if (!frozen)
		return false;
	return dbg.mode == DBG_RUN ? !dbg_freeze_is_due() : dbg.mode == DBG_SEEK && dbg.far && dbg.changed == dbg.changes;
}

void dbg_event(void *arg)
{
	bool frozen;

	for (;;) {
		if (dbg.unwind || scan_is_over()) {
			between(DBG_BEFORE_INSN);
			continue;
		}
		if (dbg.mute)
			return;
		frozen = dbg_frozen();
		if (!is_target() && !stays_frozen(frozen))
			break;
		dbg.stop = (struct dbg_stop){
			.why = is_target() ? DBG_ARRIVED : DBG_FROZEN, .at = { dbg.count, DBG_AT_EVENT, dbg.ops->now(dbg.dev) },
		};
		dbg_hand_over();
		dbg.stop = (struct dbg_stop){ .why = DBG_BETWEEN };
	}
	dbg_freeze_event();
	/* No state is saved where such a moment may be: it lies before it. */
	if (!frozen && dbg.saves && dbg.count - dbg.save[dbg.saves - 1].n >= dbg.interval)
		save();
}

void dbg_leave(void *arg)
{
	while (dbg.unwind || scan_is_over())
		between(DBG_AT_LEAVE);
	if (dbg.mute || dbg.count == dbg.first)
		return;
	if (!(dbg.mode == DBG_RUN && dbg.catch_host) &&
	    !(dbg.mode == DBG_SEEK && dbg.target.kind == DBG_AT_LEAVE && dbg.target.n == dbg.count))
		return;
	dbg.stop.why = dbg.mode == DBG_RUN ? DBG_HOST_GOES_ON : DBG_ARRIVED;
	dbg.stop.at = (struct dbg_moment){ .n = dbg.count, .kind = DBG_AT_LEAVE };
	dbg_hand_over();
	dbg.stop = (struct dbg_stop){ .why = DBG_BETWEEN };
}

/* ---- going ------------------------------------------------------------------------------------------------------ */

/* To a place between two events. */
static void leave_event(void)
{
	if (!dbg.stop.inside)
		return;
	dbg.mute = dbg.unwind = true;
	dbg_resume();
}

/* False: memory is short, and the device is where it can go on, behind the event. */
static bool load(unsigned number)
{
	int rc;

	leave_event();
	rc = dbg.ops->restore(dbg.dev, number);
	dbg.mute = false;
	if (rc) {
		dbg.saves = 0;
		dbg_say("Memory is short: what was saved is not whole.");
		return false;
	}
	dbg.count = dbg.save[number].n;
	dbg.saves = number + 1;
	dbg_freeze_back(dbg.save[number].changed);
	dbg.seen = dbg.save[number].seen;
	return true;
}

/* The last save at or before this instruction. */
static unsigned save_before(uint64_t n)
{
	unsigned i = dbg.saves - 1;

	while (i && dbg.save[i].n > n)
		i--;
	return i;
}

bool dbg_may_go_back(void)
{
	if (dbg.saves)
		return true;
	if (dbg.no_record)
		dbg_say("Nothing was saved: --forward-only.");
	else if (dbg.stop.why == DBG_OPENED)
		dbg_say("No kernel has run.");
	else
		dbg_say("There is no way back: the program has done something to the device since, or memory is short.");
	return false;
}

bool dbg_go(struct dbg_moment to)
{
	dbg.step = DBG_NO_STEP;
	if (to.n <= dbg.stop.at.n || !dbg.stop.inside || to.kind != DBG_BEFORE_INSN) {
		if (!dbg_may_go_back())
			return false;
		if (to.n < dbg.save[0].n) {
			dbg_say("The program has done something to the device at %llu: there is no way back behind it.",
				(unsigned long long)dbg.save[0].n);
			return false;
		}
		if (!load(save_before(to.n)))
			return false;
	}
	dbg.mode = DBG_SEEK;
	dbg.target = to;
	dbg_resume();
	dbg.mode = DBG_RUN;
	return true;
}

/* From the last save on, then from the one before it and so on. */
void dbg_scan_back(struct dbg_scan *s, bool (*enough)(struct dbg_scan *s))
{
	uint64_t end = dbg.stop.at.n;

	dbg.scan = s;
	for (;;) {
		unsigned i = save_before(end ? end - 1 : 0);

		if (!load(i))
			return;
		s->end = end;
		if (end > dbg.save[i].n) {
			dbg.mode = DBG_SCAN;
			dbg_resume();
			dbg.mode = DBG_RUN;
		}
		if (enough(s) || !i)
			break;
		end = dbg.save[i].n;
	}
}

void dbg_cmd_interval(const char *args)
{
	unsigned long long n = strtoull(args, NULL, 0);

	if (n)
		dbg.interval = dbg.least_interval = n;
	dbg_say("The state is saved after %llu instructions, at the end of an event of the device.", (unsigned long long)dbg.interval);
}
