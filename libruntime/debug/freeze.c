/* SPDX-License-Identifier: MIT */
/*
 * Threads that stand still while others run.  Who runs changes at moments that can be found again: when an instruction is
 * begun, or between two events of the device.  All changes since the program did something to the device are kept: whoever
 * goes back and on again meets the same ones, so the same happens again.
 */
#include <string.h>

#include "compiler/obj/image.h"
#include "debug/state.h"

enum { LOCK_OFF, LOCK_STEP, LOCK_ON };
static const char *const lock_names[] = { [LOCK_OFF] = "off", [LOCK_STEP] = "step", [LOCK_ON] = "on" };

static int locking;			/* LOCK_* */
static bool of_block;			/* the block runs, not the warp only */

/* ---- who runs -------------------------------------------------------------------------------------------------- */

static bool same(const struct dbg_who *a, const struct dbg_who *b)
{
	return a->some == b->some && (!a->some || (a->only.serial == b->only.serial && a->only.cta == b->only.cta &&
						   a->only.warp == b->only.warp));
}

static void change_to(const struct dbg_who *who)
{
	dbg.who = *who;
	dbg.ops->only(dbg.dev, who->some ? &dbg.who.only : NULL);
}

static bool note(const struct dbg_change *c)
{
	if (PPU_GROW(dbg.change, dbg.changes))
		return false;
	dbg.change[dbg.changes - 1] = *c;
	dbg.changed = dbg.changes;
	return true;
}

/* time 0: an instruction is begun. */
static void moment(uint64_t time)
{
	struct dbg_change c = { dbg.count, time, dbg.want };

	if (dbg.mode != DBG_RUN) {
		while (dbg.changed < dbg.changes && dbg.change[dbg.changed].n == dbg.count && dbg.change[dbg.changed].time == time)
			change_to(&dbg.change[dbg.changed++].who);
	} else if (!same(&dbg.want, &dbg.who)) {
		dbg_check_another();
		if (!note(&c))
			dbg.saves = 0;		/* nobody could do this again */
		change_to(&dbg.want);
	}
}

void dbg_freeze_insn(void)
{
	moment(0);
}

void dbg_freeze_event(void)
{
	moment(dbg.ops->now(dbg.dev));
}

bool dbg_freeze_is_due(void)
{
	return !same(&dbg.want, &dbg.who);
}

void dbg_freeze_begin(void)
{
	dbg.base = dbg.who;
	dbg.changes = dbg.changed = 0;
}

void dbg_freeze_back(unsigned changed)
{
	dbg.changed = changed;
	change_to(changed ? &dbg.change[changed - 1].who : &dbg.base);
}

void dbg_freeze_end(void)
{
	dbg.want = (struct dbg_who){ .some = false };
	change_to(&dbg.want);
	dbg.changes = dbg.changed = 0;
}

/* ---- who waits for whom ------------------------------------------------------------------------------------------ */

static bool can_run(uint32_t sm, uint32_t slot)
{
	struct ppu_look_warp w;

	if (!dbg.ops->look_warp(dbg.dev, sm, slot, &w))
		return false;
	return w.state == PPU_LOOK_READY || w.state == PPU_LOOK_TIMED || w.state == PPU_LOOK_LAUNCH || w.state == PPU_LOOK_EXCEPTION;
}

struct place {
	uint32_t sm, slot;
	struct ppu_look_cta c;
};

static bool is_it(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	struct place *p = arg;

	if (c->seen.task.serial != dbg.who.only.serial || c->seen.index != dbg.who.only.cta)
		return false;
	*p = (struct place){ sm, slot, *c };
	return true;
}

/* The block that runs.  It mostly is where it was. */
static bool find(struct place *p)
{
	static uint32_t sm, slot;

	if (dbg.ops->look_cta(dbg.dev, sm, slot, &p->c) && is_it(sm, slot, &p->c, p))
		return true;
	if (!dbg_each_cta(is_it, p))
		return false;
	sm = p->sm;
	slot = p->slot;
	return true;
}

static bool others_can_run(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	for (uint32_t i = 0; i < c->seen.warps; i++)
		if (can_run(sm, c->warp[i]))
			return true;
	return false;
}

/* Nobody of those who may run can, and others could: they are waited for, or it is all over. */
bool dbg_frozen(void)
{
	struct place p;

	if (!dbg.who.some)
		return false;
	if (find(&p))
		for (uint32_t i = 0; i < p.c.seen.warps; i++)
			if ((dbg.who.only.warp == PPU_ONLY_BLOCK || dbg.who.only.warp == i) && can_run(p.sm, p.c.warp[i]))
				return false;
	return dbg_each_cta(others_can_run, NULL);
}

void dbg_show_frozen(void)
{
	const char *who = dbg.who.only.warp == PPU_ONLY_BLOCK ? "block" : "warp";
	struct ppu_look_warp w;
	struct place p;
	bool there = find(&p), waits = false;

	for (uint32_t i = 0; there && i < p.c.seen.warps; i++)
		if (dbg.who.only.warp == PPU_ONLY_BLOCK || dbg.who.only.warp == i)
			waits |= dbg.ops->look_warp(dbg.dev, p.sm, p.c.warp[i], &w) && w.live && w.state != PPU_LOOK_DONE;
	if (waits)
		dbg_say("The %s that alone runs waits for threads that stand still.", who);
	else
		dbg_say("The %s that alone ran has ended%s, and all others stand still.", who, there ? "" : " or left its SM");
	dbg_show_way_on();
}

void dbg_show_way_on(void)
{
	dbg_say(locking == LOCK_ON ? "\"set scheduler-locking off\" and then \"continue\" let them go on." : "\"continue\" lets them go on.");
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* False: nobody could run alone, and it was told. */
bool dbg_freeze_wanted(bool step, bool alone, bool block)
{
	struct dbg_warp f;

	/* Whatever came behind this, with others standing still, does not come any more. */
	if (dbg.changes > dbg.changed)
		dbg_check_another();
	dbg.changes = dbg.changed;
	dbg.want = (struct dbg_who){ .some = alone || locking == LOCK_ON || (step && locking == LOCK_STEP) };
	if (!dbg.want.some)
		return true;
	if (!dbg_focused(&f)) {
		dbg_say("No thread is in focus that could run alone: \"focus\", or \"set scheduler-locking off\".");
		return false;
	}
	dbg.want.only = (struct ppu_only){ dbg.focus.serial, dbg.focus.cta, block || of_block ? PPU_ONLY_BLOCK : dbg.focus.warp };
	return true;
}

void dbg_cmd_show(const char *args)
{
	dbg_say(locking == LOCK_OFF ? "scheduler-locking off: all threads run." :
		"scheduler-locking %s %s: %s only the %s in focus runs.", lock_names[locking], of_block ? "block" : "warp",
		locking == LOCK_STEP ? "while a step is made" : "always", of_block ? "block" : "warp");
}

void dbg_cmd_set(const char *args)
{
	char name[32] = "", mode[8] = "", unit[8] = "", more[2] = "";
	int n = sscanf(args, "%31s %7s %7s %1s", name, mode, unit, more), i = LOCK_ON;

	while (i >= 0 && strcmp(mode, lock_names[i]) != 0)
		i--;
	if (n < 2 || n > 3 || strcmp(name, "scheduler-locking") != 0 || i < 0 || (n == 3 && strcmp(unit, "warp") && strcmp(unit, "block"))) {
		dbg_say("set scheduler-locking off | on | step [warp | block]: who runs when a command lets the device run.");
		return;
	}
	locking = i;
	of_block = !strcmp(unit, "block");
	dbg_cmd_show("");
}
