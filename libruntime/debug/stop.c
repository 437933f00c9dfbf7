/* SPDX-License-Identifier: MIT */
/* What the device calls: why it stops, or what is looked for while it does something again. */
#include <string.h>

#include "debug/state.h"

#define LOOK_EVERY	0xfffu		/* instructions between two looks whether somebody wants to interrupt */
#define MOST_ALONE	(1u << 20)	/* instructions of a step while others stand still: perhaps they are waited for */

void dbg_stop_at(enum dbg_why why, enum dbg_moment_kind kind, bool inside)
{
	dbg.stop.why = why;
	dbg.stop.at = (struct dbg_moment){ .n = dbg.count, .kind = kind, .time = kind == DBG_IN_CHECK ? dbg.seen - 1 : 0 };
	dbg.stop.inside = inside;
	dbg_hand_over();
	dbg.stop = (struct dbg_stop){ .why = DBG_BETWEEN };
}

static void at(uint32_t sm, uint32_t slot, uint32_t lane)
{
	dbg.stop.sm = sm;
	dbg.stop.slot = slot;
	dbg.stop.lane = lane;
}

/* ---- instructions --------------------------------------------------------------------------------------------- */

/* The lane is about to execute: is its step done? */
static bool step_done(const struct ppu_seen_insn *i, uint32_t lane)
{
	struct dbg_line line;
	struct dbg_warp w;
	unsigned depth;

	if (dbg.step == DBG_STEP_INSN)
		return true;
	if (!dbg_look(i->sm, i->slot, &w))
		return false;
	depth = dbg_depth(&w.w, lane);
	if (dbg.step == DBG_FINISH)
		return depth < dbg.step_depth;
	if (dbg.step == DBG_NEXT && depth > dbg.step_depth)
		return false;
	line = dbg_line_of(w.code.img, i->pc);
	return line.file && (!dbg_same_line(&line, &dbg.step_line) || depth < dbg.step_depth);
}

/* The lane whose step is done, or DBG_LANES. */
static uint32_t stepped_lane(const struct ppu_seen_insn *i)
{
	if (!dbg.step || !dbg.focus.is || i->cta != dbg.focus.cta || i->serial != dbg.focus.serial)
		return DBG_LANES;
	if (dbg.step_whose == DBG_THREADS)
		return i->lanes >> dbg.focus.lane & 1 && dbg_is_focus(i) && step_done(i, dbg.focus.lane) ? dbg.focus.lane : DBG_LANES;
	if (i->warp >= PPU_OBSERVE_WARPS || (dbg.step_whose == DBG_WARPS && !dbg_is_focus(i)))
		return DBG_LANES;
	/* Lanes that are not together may have begun at different lines. */
	FOR_LANES(lane, i->lanes) {
		dbg.step_line = dbg.step_from[i->warp][lane].line;
		dbg.step_depth = dbg.step_from[i->warp][lane].depth;
		if (step_done(i, lane))
			return lane;
	}
	return DBG_LANES;
}

static void hit(struct dbg_point *p, uint32_t sm, uint32_t slot, uint32_t lane)
{
	p->hits++;
	dbg.stop.point = p;
	at(sm, slot, lane);
}

static void run_insn(const struct ppu_seen_insn *i)
{
	uint32_t lane = (uint32_t)__builtin_ctz(i->lanes);
	struct dbg_point *p = dbg.points ? dbg_break_at(i, &lane) : NULL;
	uint32_t stepped;

	if (p && p->ignore) {
		p->ignore--;
		p->hits++;
		p = NULL;
	}
	if (p) {
		hit(p, i->sm, i->slot, lane);
		dbg_stop_at(DBG_AT_BREAK, DBG_BEFORE_INSN, true);
	} else if ((stepped = stepped_lane(i)) < DBG_LANES) {
		at(i->sm, i->slot, stepped);
		dbg_stop_at(DBG_STEPPED, DBG_BEFORE_INSN, true);
	} else if (i->op == PPU_OP_TRAP || i->op == PPU_OP_BRKPT) {
		at(i->sm, i->slot, (uint32_t)__builtin_ctz(i->lanes));
		dbg_stop_at(DBG_TRAPS, DBG_BEFORE_INSN, true);
	} else if (!(dbg.count & LOOK_EVERY) && dbg_interrupted()) {
		at(i->sm, i->slot, (uint32_t)__builtin_ctz(i->lanes));
		dbg_stop_at(DBG_INTERRUPTED, DBG_BEFORE_INSN, true);
	} else if (dbg.who.some && dbg.step && dbg.count - dbg.step_began >= MOST_ALONE) {
		dbg_stop_at(DBG_SPINS, DBG_BEFORE_INSN, true);
	}
}

/* True: this is the moment that was looked for, and the user has seen it. */
static bool arrive(enum dbg_moment_kind kind)
{
	if (dbg.mode != DBG_SEEK || dbg.target.n != dbg.count || dbg.target.kind != kind)
		return false;
	dbg_stop_at(DBG_ARRIVED, kind, true);
	return true;
}

/* On the way to a moment that may never come. */
static void seek_insn(const struct ppu_seen_insn *i)
{
	if (arrive(DBG_BEFORE_INSN) || !dbg.far || dbg.count & LOOK_EVERY || !dbg_interrupted())
		return;
	at(i->sm, i->slot, (uint32_t)__builtin_ctz(i->lanes));
	dbg_stop_at(DBG_INTERRUPTED, DBG_BEFORE_INSN, true);
}

static bool writes(uint32_t op)
{
	return op == PPU_OP_ST || op == PPU_OP_ATOM;
}

static void see_insn(void *arg, const struct ppu_seen_insn *i)
{
	if (dbg.mute)
		return;
	dbg.inst = i->inst;
	dbg.last = *i;
	if (dbg.mode == DBG_RUN)
		run_insn(i);
	else if (dbg.mode == DBG_SEEK)
		seek_insn(i);
	else if (dbg.count >= dbg.scan->end)
		dbg.mute = dbg.unwind = true;
	else if (dbg.scan->insn)
		dbg.scan->insn(dbg.scan, dbg.count, i);
	if (dbg.mute)
		return;
	dbg.last = *i;
	if (dbg.stores && writes(i->op))
		dbg_watch_before();
	dbg_freeze_insn();
	dbg.count++;
}

/* ---- the rest ------------------------------------------------------------------------------------------------- */

static void see_access(void *arg, const struct ppu_seen_access *a)
{
	struct dbg_point *p;
	uint32_t lane = 0;

	dbg_check_access(a);
	if (dbg.mute)
		return;
	if (dbg.mode == DBG_SCAN) {
		if (dbg.scan->access)
			dbg.scan->access(dbg.scan, dbg.count - 1, a);
		return;
	}
	if (arrive(DBG_IN_ACCESS) || dbg.mode != DBG_RUN || !(dbg.stores || dbg.loads))
		return;
	p = dbg_watch_hit(a, &lane);
	if (p && p->ignore) {
		p->ignore--;
		p->hits++;
	} else if (p) {
		hit(p, dbg.last.sm, dbg.last.slot, lane);
		dbg_stop_at(DBG_AT_WATCH, DBG_IN_ACCESS, true);
	}
}

static void see_fault(void *arg, const struct ppu_seen_fault *f)
{
	if (dbg.mute)
		return;
	if (arrive(DBG_IN_FAULT) || dbg.mode != DBG_RUN)
		return;
	at(f->sm, f->slot, f->lane < DBG_LANES ? f->lane : 0);
	dbg.stop.error = f->error;
	dbg.stop.address = f->va;
	dbg_stop_at(DBG_FAULTED, DBG_IN_FAULT, true);
}

static void see_task(const struct ppu_seen_task *t, enum dbg_why why)
{
	if (dbg.mute)
		return;
	if (arrive(DBG_IN_TASK) || dbg.mode != DBG_RUN)
		return;
	if (dbg.step && why == DBG_KERNEL_ENDED && t->serial == dbg.focus.serial) {
		dbg_stop_at(DBG_THREAD_ENDED, DBG_IN_TASK, true);
		return;
	}
	if (!(why == DBG_KERNEL_BEGAN ? dbg.catch_begin : dbg.catch_end))
		return;
	dbg.stop.task_id = t->id;
	dbg.stop.inst = dbg.inst = t->inst;
	dbg_stop_at(why, DBG_IN_TASK, true);
}

static void see_task_start(void *arg, const struct ppu_seen_task *t)
{
	dbg_check_task(t, false);
	see_task(t, DBG_KERNEL_BEGAN);
}

static void see_task_end(void *arg, const struct ppu_seen_task *t)
{
	dbg_check_task(t, true);
	see_task(t, DBG_KERNEL_ENDED);
}

/* The thread that is stepped ends with its block. */
static void see_cta_end(void *arg, const struct ppu_seen_cta *c)
{
	dbg_check_cta_end(c);
	if (dbg.mute || dbg.mode != DBG_RUN || !dbg.step || !dbg.focus.is || c->task.serial != dbg.focus.serial ||
	    c->index != dbg.focus.cta)
		return;
	dbg_stop_at(DBG_THREAD_ENDED, DBG_IN_TASK, true);
}

static void see_copy(void *arg, const struct ppu_seen_copy *c)
{
	dbg_check_copy(c);
	if (!dbg.mute && dbg.mode == DBG_SCAN && dbg.scan->copy)
		dbg.scan->copy(dbg.scan, dbg.count, c);
}

const struct ppu_observer dbg_observer = {
	.spaces = 1 << PPU_SPACE_GLOBAL | 1 << PPU_SPACE_SHARED | 1 << PPU_SPACE_LOCAL | 1 << PPU_SPACE_PARAM,
	.insn = see_insn, .access = see_access, .fault = see_fault, .task_start = see_task_start, .task_end = see_task_end,
	.cta_end = see_cta_end, .copy = see_copy,
};
