/* SPDX-License-Identifier: MIT */
/* Commands that let the device run. */
#include <stdlib.h>
#include <string.h>

#include "debug/state.h"

void dbg_stopped(void)
{
	struct dbg_point *p = dbg.stop.point;

	switch (dbg.stop.why) {
	case DBG_STEPPED: case DBG_AT_BREAK: case DBG_AT_WATCH: case DBG_FAULTED: case DBG_INTERRUPTED: case DBG_TRAPS:
		dbg_focus_on(dbg.stop.sm, dbg.stop.slot, dbg.stop.lane);
		break;
	case DBG_FOUND:
		if (dbg.stop.found.focus.is)
			dbg.focus = dbg.stop.found.focus;
		break;
	default:
		break;
	}
	dbg_show_stop();
	if (p && p->temporary && dbg.stop.why == DBG_AT_BREAK) {
		dbg.stop.point = NULL;
		dbg_point_remove(p);
	}
}

/* Where the focus is, for steps that are relative to that. */
static bool note_place(void)
{
	struct dbg_warp f;

	if (!dbg_focused(&f) || !(f.w.live >> dbg.focus.lane & 1)) {
		dbg_say("No thread is in focus that could make a step.");
		return false;
	}
	dbg.step_line = dbg_line_of(f.code.img, f.w.addr[dbg.focus.lane]);
	dbg.step_depth = dbg_depth(&f.w, dbg.focus.lane);
	return true;
}

/* The same for all lanes of the block. */
static void note_block(void)
{
	struct dbg_warp f, w;

	memset(dbg.step_from, 0, sizeof(dbg.step_from));
	if (!dbg_focused(&f))
		return;
	for (uint32_t i = 0; i < f.c.seen.warps && i < PPU_OBSERVE_WARPS; i++) {
		if (!dbg_look(f.sm, f.c.warp[i], &w))
			continue;
		FOR_LANES(lane, w.w.live) {
			dbg.step_from[i][lane].line = dbg_line_of(w.code.img, w.w.addr[lane]);
			dbg.step_from[i][lane].depth = dbg_depth(&w.w, lane);
		}
	}
}

/* False: it cannot, and that was told. */
static bool run(enum dbg_step step, bool alone)
{
	bool can = dbg_freeze_wanted(step != DBG_NO_STEP, alone, dbg.step_whose == DBG_BLOCKS);

	if (can) {
		dbg.step = step;
		dbg.step_began = dbg.count;
		dbg.mode = DBG_RUN;
		dbg_resume();
		dbg.step = DBG_NO_STEP;
	}
	dbg.step_whose = DBG_THREADS;
	return can;
}

static unsigned long times(const char *args)
{
	unsigned long n = *args ? strtoul(args, NULL, 0) : 1;

	return n ? n : 1;
}

/* "warp" or "block", and "alone", which may stand before the number. */
static enum dbg_whose take_words(const char **args, bool *alone)
{
	static const char *const names[] = { [DBG_THREADS] = "alone", [DBG_WARPS] = "warp", [DBG_BLOCKS] = "block" };
	enum dbg_whose whose = DBG_THREADS;
	int i;

	*alone = false;
	do {
		size_t n = 0;

		for (i = DBG_BLOCKS; i >= DBG_THREADS; i--) {
			n = strlen(names[i]);
			if (!strncmp(*args, names[i], n) && (!(*args)[n] || (*args)[n] == ' '))
				break;
		}
		if (i < DBG_THREADS)
			break;
		*alone |= i == DBG_THREADS;
		whose = i == DBG_THREADS ? whose : (enum dbg_whose)i;
		*args += n + strspn(*args + n, " \t");
	} while (true);
	return whose;
}

static void steps(enum dbg_step step, const char *args)
{
	bool alone;
	enum dbg_whose whose = take_words(&args, &alone);

	for (unsigned long n = times(args); n; n--) {
		if (!note_place())
			return;
		dbg.step_whose = whose;
		if (whose != DBG_THREADS)
			note_block();
		if (!run(step != DBG_STEP_INSN && !dbg.step_line.file ? DBG_STEP_INSN : step, alone))
			return;
		if (dbg.stop.why != DBG_STEPPED)
			break;
	}
	dbg_stopped();
}

void dbg_cmd_continue(const char *args)
{
	struct dbg_point *p = dbg.stop.point;
	bool alone;

	dbg.step_whose = take_words(&args, &alone);
	if (*args && p)
		p->ignore = (unsigned)times(args) - 1;
	if (run(DBG_NO_STEP, alone))
		dbg_stopped();
}

void dbg_cmd_stepi(const char *args)
{
	steps(DBG_STEP_INSN, args);
}

void dbg_cmd_step(const char *args)
{
	steps(DBG_STEP_LINE, args);
}

void dbg_cmd_next(const char *args)
{
	steps(DBG_NEXT, args);
}

void dbg_cmd_finish(const char *args)
{
	bool alone;

	take_words(&args, &alone);
	if (!note_place())
		return;
	if (!dbg.step_depth) {
		dbg_say("The thread is in no function that was called: \"continue\" runs to the end of the kernel.");
		return;
	}
	if (run(DBG_FINISH, alone))
		dbg_stopped();
}
