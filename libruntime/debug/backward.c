/* SPDX-License-Identifier: MIT */
/* Commands that go back in time, or look what was there. */
#include <stdlib.h>
#include <string.h>

#include "debug/state.h"

static const char beginning[] = "There is nothing before that: the program did something to the device, or the thread began.";

static void arrived(const char *note)
{
	if (note)
		dbg_say("%s", note);
	dbg_show_stop();
}

void dbg_cmd_goto(const char *args)
{
	struct dbg_value v;
	const char *err = dbg_eval(args, NULL, 0, &v, NULL);
	bool went;

	if (err) {
		dbg_say("goto NUMBER: \"info position\" says where the device is.");
		return;
	}
	dbg.far = true;
	went = dbg_go((struct dbg_moment){ .n = (uint64_t)v.i });
	dbg.far = false;
	if (!went)
		return;
	if (dbg.stop.why == DBG_ARRIVED || dbg.stop.why == DBG_INTERRUPTED)
		dbg_focus_on(dbg.last.sm, dbg.last.slot, (uint32_t)__builtin_ctz(dbg.last.lanes));
	arrived(NULL);
}

/* ---- the last instruction, or line, of the thread in focus --------------------------------------------------------- */

struct run {				/* instructions of the thread with the same line */
	bool any, open;			/* open: it may have begun earlier */
	uint64_t start;
	struct dbg_line line;
};

struct back {
	struct dbg_scan s;
	bool by_line, over_calls;
	unsigned depth;
	struct run now, all;		/* in what is scanned now, and behind it */
	uint32_t sm, slot;
};

static void back_insn(struct dbg_scan *s, uint64_t n, const struct ppu_seen_insn *i)
{
	struct back *b = (struct back *)s;
	struct dbg_line line = { NULL, 0 };
	struct ppu_look_warp w;

	if (!(i->lanes >> dbg.focus.lane & 1) || !dbg_is_focus(i))
		return;
	if (b->over_calls && dbg.ops->look_warp(dbg.dev, i->sm, i->slot, &w) && dbg_depth(&w, dbg.focus.lane) > b->depth)
		return;
	if (b->by_line)
		line = dbg_line_of(dbg_code_of(i->inst, i->task_id).img, i->pc);
	if (!b->now.any || !b->by_line || !dbg_same_line(&line, &b->now.line))
		b->now = (struct run){ .start = n, .line = line, .open = !b->now.any };
	b->now.any = true;
}

/* Joins what was just scanned with what lies behind it. */
static bool back_enough(struct dbg_scan *s)
{
	struct back *b = (struct back *)s;

	if (b->now.any && !b->all.any)
		b->all = b->now;
	else if (b->now.any && dbg_same_line(&b->now.line, &b->all.line) && b->by_line)
		b->all = b->now;
	else if (b->now.any)
		b->all.open = false;
	b->now = (struct run){ 0 };
	return b->all.any && (!b->all.open || !b->by_line);
}

/* One step back.  False: there is none. */
static bool step_back(bool by_line, bool over_calls)
{
	struct back b = { .s = { .insn = back_insn }, .by_line = by_line, .over_calls = over_calls };
	struct dbg_moment from = dbg.stop.at;
	struct dbg_focus focus = dbg.focus;
	struct dbg_warp f;

	if (dbg_focused(&f))
		b.depth = dbg_depth(&f.w, dbg.focus.lane);
	dbg_scan_back(&b.s, back_enough);
	dbg_go(b.all.any ? (struct dbg_moment){ .n = b.all.start } : from);
	dbg.focus = focus;
	return b.all.any;
}

static void steps_back(const char *args, bool by_line, bool over_calls)
{
	unsigned long n = *args ? strtoul(args, NULL, 0) : 1;
	bool went = true;

	if (!dbg.focus.is) {
		dbg_say("No thread is in focus that could make a step.");
		return;
	}
	if (!dbg_may_go_back())
		return;
	while (n-- && went)
		went = step_back(by_line, over_calls);
	arrived(went ? NULL : beginning);
}

void dbg_cmd_reverse_stepi(const char *args)
{
	steps_back(args, false, false);
}

void dbg_cmd_reverse_step(const char *args)
{
	steps_back(args, true, false);
}

void dbg_cmd_reverse_next(const char *args)
{
	steps_back(args, true, true);
}

/* ---- the last stop ------------------------------------------------------------------------------------------------- */

struct hits {
	struct dbg_scan s;
	bool any;
	uint64_t n;
	struct dbg_point *point;	/* NULL: found */
	struct dbg_found found;
	uint32_t sm, slot, lane;
};

static void note_hit(struct hits *h, uint64_t n, struct dbg_point *p, const struct ppu_seen_insn *i, uint32_t lane)
{
	if (p)
		*h = (struct hits){ .s = h->s, .any = true, .n = n, .point = p, .sm = i->sm, .slot = i->slot, .lane = lane };
}

static void hit_insn(struct dbg_scan *s, uint64_t n, const struct ppu_seen_insn *i)
{
	uint32_t lane = 0;
	struct dbg_point *p = dbg.points ? dbg_break_at(i, &lane) : NULL;

	note_hit((struct hits *)s, n, p, i, lane);
}

static void hit_access(struct dbg_scan *s, uint64_t n, const struct ppu_seen_access *a)
{
	uint32_t lane = 0;
	struct dbg_point *p = dbg.points ? dbg_watch_hit(a, &lane) : NULL;

	note_hit((struct hits *)s, n, p, &dbg.last, lane);
}

static void hit_found(struct dbg_scan *s, uint64_t n, const struct dbg_found *f)
{
	struct hits *h = (struct hits *)s;

	*h = (struct hits){ .s = h->s, .any = true, .n = n, .found = *f };
}

static bool hit_enough(struct dbg_scan *s)
{
	return ((struct hits *)s)->any;
}

void dbg_cmd_reverse_continue(const char *args)
{
	struct hits h = { .s = { .insn = hit_insn, .access = hit_access, .found = hit_found } };

	if (!dbg_may_go_back())
		return;
	dbg_scan_back(&h.s, hit_enough);
	dbg_go((struct dbg_moment){ .n = h.any ? h.n : dbg.save[0].n });
	if (h.any && !h.point) {
		dbg.focus = h.found.focus;
		dbg.stop.why = DBG_FOUND;
		dbg.stop.found = h.found;
	} else if (h.any) {
		dbg_focus_on(h.sm, h.slot, h.lane);
		dbg.stop.why = h.point->kind == DBG_BREAK ? DBG_AT_BREAK : DBG_AT_WATCH;
		dbg.stop.point = h.point;
	} else {
		dbg_focus_on(dbg.last.sm, dbg.last.slot, (uint32_t)__builtin_ctz(dbg.last.lanes));
	}
	arrived(h.any ? NULL : "Nothing stops before that.  This is the first instruction since the program did something to the device.");
}

/* ---- who wrote it last ----------------------------------------------------------------------------------------------- */

struct write {
	struct dbg_scan s;
	struct dbg_memory m;
	uint8_t old[16];
	bool any, copy, atomic, fill;
	uint64_t n, from, value, was;
	struct dbg_code code;
	uint32_t pc;
	char who[160];
};

static void write_insn(struct dbg_scan *s, uint64_t n, const struct ppu_seen_insn *i)
{
	struct write *w = (struct write *)s;

	if (i->op == PPU_OP_ST || i->op == PPU_OP_ATOM)
		dbg_read_memory(&w->m, w->old);
}

static void write_access(struct dbg_scan *s, uint64_t n, const struct ppu_seen_access *a)
{
	struct write *w = (struct write *)s;
	uint32_t lanes = a->kind == PPU_SEEN_READ ? 0 : dbg_lanes_at(&w->m, a);
	struct dbg_warp f;
	uint8_t now[16] = { 0 };

	if (!lanes || !dbg_look(dbg.last.sm, dbg.last.slot, &f))
		return;
	dbg_read_memory(&w->m, now);
	w->any = true;
	w->copy = false;
	w->atomic = a->kind == PPU_SEEN_ATOMIC;
	w->n = n;
	w->was = dbg_word(w->old, w->m.bytes);
	w->value = dbg_word(now, w->m.bytes);
	w->code = f.code;
	w->pc = a->at.pc;
	dbg_thread_text(&f, 31u - (uint32_t)__builtin_clz(lanes), w->who, sizeof(w->who));
}

static void write_copy(struct dbg_scan *s, uint64_t n, const struct ppu_seen_copy *c)
{
	struct write *w = (struct write *)s;

	if (w->m.at.space != PPU_SPACE_GLOBAL || c->inst != w->m.inst)
		return;
	for (uint64_t row = 0; row < c->rows; row++) {
		uint64_t to = c->dst + row * c->dst_pitch;

		if (to >= w->m.at.addr + w->m.bytes || w->m.at.addr >= to + c->width)
			continue;
		w->any = w->copy = true;
		w->fill = c->fill;
		w->n = n;
		w->from = c->src + row * c->src_pitch + (w->m.at.addr > to ? w->m.at.addr - to : 0);
	}
}

static bool write_enough(struct dbg_scan *s)
{
	return ((struct write *)s)->any;
}

static void tell_write(const struct write *w)
{
	char place[512];
	const char *space = dbg_space_name(w->m.at.space);
	unsigned long long at = w->m.at.addr, n = w->n;

	if (!w->any) {
		dbg_say("Nobody on the device has written %s 0x%llx since instruction %llu, where the program did something to it.", space,
			at, (unsigned long long)dbg.save[0].n);
		return;
	}
	if (w->copy) {
		if (w->fill)
			dbg_say("A fill by a copy engine wrote %s 0x%llx, before instruction %llu.", space, at, n);
		else
			dbg_say("A copy engine wrote %s 0x%llx with what was at 0x%llx, before instruction %llu.", space, at,
				(unsigned long long)w->from, n);
		return;
	}
	dbg_say("%s 0x%llx was last written by %s,", space, at, w->who);
	dbg_say("    %s: %s 0x%llx became 0x%llx.", dbg_place_text(w->code.img, w->pc, place, sizeof(place)),
		w->atomic ? "by an atomic operation," : "by a store,", (unsigned long long)w->was, (unsigned long long)w->value);
	dbg_say("    It was instruction %llu: \"goto %llu\" goes there.", n, n);
}

void dbg_cmd_last_write(const char *args)
{
	struct write w = { .s = { .insn = write_insn, .access = write_access, .copy = write_copy } };
	struct dbg_stop from = dbg.stop;
	struct dbg_focus focus = dbg.focus;
	struct dbg_warp f;
	bool has = dbg_focused(&f);
	const char *rest, *err = dbg_eval_address(args, has ? &f : NULL, dbg.focus.lane, &w.m.at, &rest);
	struct dbg_value v = { .i = 4 };

	if (!err && *rest == ',')
		err = dbg_eval(rest + 1, NULL, 0, &v, NULL);
	else if (!err && *rest)
		err = "this is no address";
	if (!err && w.m.at.space != PPU_SPACE_GLOBAL && !has)
		err = "no thread is in focus, whose memory it would be";
	if (!err && (v.i < 1 || v.i > 8))
		err = "1 to 8 bytes can be asked for";
	if (!err && w.m.at.space == PPU_SPACE_PARAM)
		err = "threads cannot write parameters";
	if (err) {
		dbg_say("last-write ADDRESS[, BYTES]: %s.", err);
		return;
	}
	if (!dbg_may_go_back())
		return;
	w.m.bytes = (uint32_t)v.i;
	w.m.inst = has ? f.c.seen.task.inst : dbg.inst;
	w.m.serial = focus.serial;
	w.m.cta = focus.cta;
	w.m.warp = focus.warp;
	w.m.lane = focus.lane;
	dbg_scan_back(&w.s, write_enough);
	tell_write(&w);
	dbg_go(from.at);
	dbg.focus = focus;
	dbg.stop = from;
}
