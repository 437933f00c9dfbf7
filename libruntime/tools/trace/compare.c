/* SPDX-License-Identifier: MIT */
/*
 * Do two traces show the same work? Each trace is divided into units; inside a unit the order of events does not depend
 * on who was faster: what a channel did, its copies, a task, a block of threads, a warp, the values of a semaphore. The
 * units of both traces are compared event by event. Times are not compared, and addresses are treated as names: when an
 * address of the reference appears for the first time, any address of the run may stand for it; from then on it has to
 * be the same address every time, and that address may stand for no other one.
 */
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_isa.h>
#include "trace.h"

struct unit {
	enum unit_kind kind;
	uint64_t id[3];
	uint32_t *rec;
	size_t num, cap, done;	/* done: how many records were found to be equal */
	bool diverged;
};

struct side {
	const struct model *m;
	const struct choice *lanes;
	const struct events *ignored;
	struct unit *unit;
	size_t num, cap;
	struct map *by[UNIT_KINDS];	/* key -> unit + 1 */
	uint32_t *unit_of;		/* of each record; NO_REC: not compared */
	struct map *task;		/* a task's id -> the task's unit + 1 */
	struct map *tasks;		/* channel -> number of tasks it has had */
	struct map *slot;		/* SM << 8 | warp slot -> unit of the warp's block + 1 */
	struct map *first;		/* SM << 8 | warp slot -> first slot of the block */
	struct map *names;		/* address -> index in `name` + 1 */
	uint64_t *name;			/* the address that stands for it on the other side */
	size_t num_names, cap_names;
};

struct work {
	struct difference *d;
	struct side side[SIDES];
	uint64_t *equiv;		/* for each record of the run: the time at which the reference had got as far */
	uint64_t when;			/* time of the difference in d, in the reference's time */
};

/* ---- what is compared of a record ------------------------------------------------------------------- */

static const char *command_args(uint64_t op)
{
	switch (op) {
	case PPU_CMD_SEM_ACQUIRE:
	case PPU_CMD_SEM_RELEASE:
	case PPU_CMD_FILL:
		return "-vav";
	case PPU_CMD_SEM_INC:
	case PPU_CMD_SEM_DEC:
	case PPU_CMD_TIMESTAMP:
	case PPU_CMD_LAUNCH:
	case PPU_CMD_FILL_2D:
		return "-va-";
	case PPU_CMD_COPY:
	case PPU_CMD_COPY_2D:
		return "-vaa";
	case PPU_CMD_QUEUE_REFRESH:
		return "-vv-";
	default:	/* The cookie of INTR is not compared: the driver chooses it freely. */
		return "-v--";
	}
}

const char *compared_args(const struct rec *r)
{
	static const char *const args[PPU_TR_MAX] = {
		[PPU_TR_CH_ENABLE] = "v---", [PPU_TR_CH_DISABLE] = "v---", [PPU_TR_SEM_WRITE] = "--vv",
		[PPU_TR_BLOCK] = "vav-", [PPU_TR_UNBLOCK] = "vav-", [PPU_TR_SLICE_START] = "vv--",
		[PPU_TR_SLICE_PASS] = "vvv-", [PPU_TR_GROUP_CMD] = "vv--", [PPU_TR_SLICE_EXPIRE] = "v---", [PPU_TR_CE_START] = "--va", [PPU_TR_CE_DONE] = "--v-",
		[PPU_TR_INTR] = "v---", [PPU_TR_FAULT] = "va-v", [PPU_TR_CH_ERROR] = "v-a-", [PPU_TR_WATCH] = "--av",
		[PPU_TR_TASK_ACCEPT] = "va-v", [PPU_TR_TASK_SCHED] = "v--v", [PPU_TR_TASK_EVICT] = "v---",
		[PPU_TR_TASK_RESUME] = "v--v", [PPU_TR_TASK_DONE] = "v---", [PPU_TR_TASK_PEND] = "v---",
		[PPU_TR_TASK_ABORT] = "v---", [PPU_TR_CHILD_LAUNCH] = "v---", [PPU_TR_CTA_START] = "v--v",
		[PPU_TR_CTA_DONE] = "v---", [PPU_TR_TASK_SUSPEND] = "v---", [PPU_TR_CTA_SAVE] = "v--v",
		[PPU_TR_CTA_RESTORE] = "v--v", [PPU_TR_BAR_ARRIVE] = "pvvv", [PPU_TR_BAR_RELEASE] = "pvv-",
	};

	if (r->event == PPU_TR_CMD)
		return command_args(r->b);
	if (r->event >= PPU_TR_DIV_PUSH && !args[r->event])
		return "pvvv";
	return args[r->event] ? args[r->event] : "----";
}

static uint64_t arg(const struct rec *r, unsigned i)
{
	const uint64_t args[] = { r->a, r->b, r->c, r->d };

	return args[i];
}

/* ---- taking a trace apart ----------------------------------------------------------------------------- */

static struct unit *unit(struct side *s, enum unit_kind kind, uint64_t key, const uint64_t id[3])
{
	uint32_t *at = map_at(s->by[kind], key, true);

	if (*at)
		return &s->unit[*at - 1];
	s->unit = grow(s->unit, &s->cap, s->num + 1, sizeof(*s->unit));
	s->unit[s->num] = (struct unit){ .kind = kind, .id = { id[0], id[1], id[2] } };
	*at = (uint32_t)++s->num;
	return &s->unit[s->num - 1];
}

static struct unit *simple(struct side *s, enum unit_kind kind, uint64_t id)
{
	return unit(s, kind, id, (uint64_t[3]){ id, 0, 0 });
}

/*
 * A task is named by its channel and by the channel's number of earlier tasks; tasks from before the trace have channel
 * 65535.
 */
static struct unit *task_unit(struct side *s, uint64_t task, const struct rec *accept)
{
	uint32_t *at = map_at(s->task, task, true), *count;
	uint64_t channel = accept ? accept->unit : 0xffff;
	struct unit *u;

	if (*at && !accept)
		return &s->unit[*at - 1];
	count = map_at(s->tasks, channel, true);
	u = unit(s, UNIT_TASK, channel << 48 | *count, (uint64_t[3]){ channel, *count, 0 });
	++*count;
	*at = (uint32_t)(u - s->unit) + 1;
	return u;
}

/* A warp whose block began before the trace is named by its SM and slot. */
#define NO_BLOCK (1ull << 63)

static uint64_t slot_key(const struct rec *r, uint64_t slot)
{
	return (uint64_t)r->unit << 8 | (slot & 0xff);
}

/* A block begins: until the next block at the same slots, warps there belong to it. */
static struct unit *block_unit(struct side *s, const struct rec *r)
{
	struct unit *t = task_unit(s, r->b, NULL), *u;
	uint64_t warps = r->d < MAX_WARPS ? r->d : MAX_WARPS, key = (uint64_t)(t - s->unit) << 32 | r->a;

	u = unit(s, UNIT_BLOCK, key, (uint64_t[3]){ t->id[0], t->id[1], r->a });
	if (r->event != PPU_TR_CTA_START && r->event != PPU_TR_CTA_RESTORE)
		return u;
	for (uint64_t w = r->c; w < r->c + warps && w < MAX_WARPS; w++) {
		*map_at(s->slot, slot_key(r, w), true) = (uint32_t)(u - s->unit) + 1;
		*map_at(s->first, slot_key(r, w), true) = (uint32_t)r->c;
	}
	return u;
}

static struct unit *warp_unit(struct side *s, const struct rec *r)
{
	uint64_t key = slot_key(r, r->a >> 24), warp;
	uint32_t *block = map_at(s->slot, key, false);
	const struct unit *b;

	if (!block)
		return unit(s, UNIT_WARP, NO_BLOCK | key, (uint64_t[3]){ NO_BLOCK, r->unit, r->a >> 24 });
	b = &s->unit[*block - 1];
	warp = (r->a >> 24) - *map_at(s->first, key, true);
	return unit(s, UNIT_WARP, (uint64_t)(*block - 1) << 8 | warp,
		    (uint64_t[3]){ b->id[0], b->id[1], b->id[2] << 8 | warp });
}

static struct unit *unit_of(struct side *s, uint32_t i)
{
	const struct rec *r = &s->m->t->rec[i];
	const char *what = event_unit(r->event);

	if (r->event == PPU_TR_TASK_ACCEPT)
		return task_unit(s, r->c, r);
	if (!strcmp(what, "channel"))
		return simple(s, UNIT_CHANNEL, r->unit);
	if (!strcmp(what, "engine"))
		return simple(s, UNIT_COPIES, r->a);
	if (!strcmp(what, "slot") || r->event == PPU_TR_CHILD_LAUNCH)
		return task_unit(s, r->c, NULL);
	if (r->event >= PPU_TR_DIV_PUSH)
		return warp_unit(s, r);
	if (!strcmp(what, "sm"))
		return block_unit(s, r);
	if (r->event == PPU_TR_SEM_WRITE)
		return simple(s, UNIT_SEM, model_sem(s->m, i)->id);
	if (r->event == PPU_TR_FAULT && model_lane(s->m, LANE_CHANNEL, r->c))
		return simple(s, UNIT_CHANNEL, r->c);
	return simple(s, UNIT_DEVICE, 0);
}

static bool wanted(const struct side *s, const struct unit *u, uint32_t i)
{
	const struct rec *r = &s->m->t->rec[i];

	if (s->ignored->has[r->event])
		return false;
	switch (u->kind) {
	case UNIT_CHANNEL:
		/* NOPs are not compared. */
		return choice_has(s->lanes, LANE_CHANNEL, u->id[0]) && (r->event != PPU_TR_CMD || r->b != PPU_CMD_NOP);
	case UNIT_COPIES:
		return choice_has(s->lanes, LANE_ENGINE, r->unit);
	case UNIT_TASK:
		return r->event == PPU_TR_TASK_ACCEPT || r->event == PPU_TR_CHILD_LAUNCH ?
			choice_has(s->lanes, LANE_FRONT, 0) : choice_has(s->lanes, LANE_SLOT, r->unit);
	case UNIT_BLOCK:
	case UNIT_WARP:
		return choice_has(s->lanes, LANE_SM, r->unit);
	case UNIT_SEM:
		/*
		 * Other writes are in a trace only when somebody waits for the word, which depends on who was faster.
		 */
		return r->a == PPU_TRW_COMMAND && choice_has(s->lanes, LANE_SEM, u->id[0]);
	default:
		return true;
	}
}

static void take_apart(struct side *s, const struct model *m, const struct choice *lanes, const struct events *ignored)
{
	*s = (struct side){ .m = m, .lanes = lanes, .ignored = ignored };
	for (unsigned k = 0; k < UNIT_KINDS; k++)
		s->by[k] = map_new();
	s->task = map_new();
	s->tasks = map_new();
	s->slot = map_new();
	s->first = map_new();
	s->names = map_new();
	s->unit_of = grow(NULL, (size_t[]){ 0 }, m->t->num + 1, sizeof(*s->unit_of));
	for (uint32_t i = 0; i < m->t->num; i++) {
		struct unit *u = unit_of(s, i);

		s->unit_of[i] = NO_REC;
		if (!wanted(s, u, i))
			continue;
		s->unit_of[i] = (uint32_t)(u - s->unit);
		u->rec = grow(u->rec, &u->cap, u->num + 1, sizeof(*u->rec));
		u->rec[u->num++] = i;
	}
}

static void side_free(struct side *s)
{
	for (size_t k = 0; k < s->num; k++)
		free(s->unit[k].rec);
	for (unsigned k = 0; k < UNIT_KINDS; k++)
		map_free(s->by[k]);
	map_free(s->task);
	map_free(s->tasks);
	map_free(s->slot);
	map_free(s->first);
	map_free(s->names);
	free(s->unit);
	free(s->unit_of);
	free(s->name);
}

/* ---- addresses are names -------------------------------------------------------------------------------- */

/* The address that stands for this one on the other side; NULL: none yet. */
static uint64_t *other(struct side *s, uint64_t addr)
{
	uint32_t *at = map_at(s->names, addr, false);

	return at ? &s->name[*at - 1] : NULL;
}

static void bind(struct side *s, uint64_t addr, uint64_t to)
{
	s->name = grow(s->name, &s->cap_names, s->num_names + 1, sizeof(*s->name));
	s->name[s->num_names] = to;
	*map_at(s->names, addr, true) = (uint32_t)++s->num_names;
}

static uint64_t address(const struct side *s, uint32_t i, unsigned k)
{
	return (uint64_t)s->m->context_at[i] << 52 ^ arg(&s->m->t->rec[i], k);
}
#define PLAIN(addr) ((addr) & ((1ull << 52) - 1))

struct why {
	uint64_t expected, taken;
};

static bool same_address(struct work *w, const uint32_t rec[SIDES], unsigned k, struct why *why)
{
	struct side *ref = &w->side[SIDE_REF], *run = &w->side[SIDE_RUN];
	uint64_t a = address(ref, rec[SIDE_REF], k), b = address(run, rec[SIDE_RUN], k);
	uint64_t *there = other(ref, a), *back = other(run, b);

	/* 0 is nobody's address. */
	if (!PLAIN(a) || !PLAIN(b))
		return PLAIN(a) == PLAIN(b);
	if (there && back && *there == b)
		return true;
	if (there || back) {
		*why = (struct why){ there ? PLAIN(*there) : 0, there ? 0 : PLAIN(*back) };
		return false;
	}
	bind(ref, a, b);
	bind(run, b, a);
	return true;
}

static bool same(struct work *w, const uint32_t rec[SIDES], struct why *why)
{
	const struct rec *r = &w->side[SIDE_REF].m->t->rec[rec[SIDE_REF]];
	const struct rec *q = &w->side[SIDE_RUN].m->t->rec[rec[SIDE_RUN]];
	const char *args = compared_args(r);

	*why = (struct why){ 0, 0 };
	if (r->event != q->event)
		return false;
	/* Values are compared first: only records that agree in everything else may bind an address. */
	for (unsigned k = 0; k < 4; k++) {
		uint64_t mask = args[k] == 'p' ? PPU_PC_MAX : UINT64_MAX;

		if ((args[k] == 'v' || args[k] == 'p') && (arg(r, k) & mask) != (arg(q, k) & mask))
			return false;
	}
	for (unsigned k = 0; k < 4; k++)
		if (args[k] == 'a' && !same_address(w, rec, k, why))
			return false;
	return true;
}

/* ---- side by side ------------------------------------------------------------------------------------------ */

static uint32_t *task_at(struct side *s, const struct unit *u)
{
	return map_at(s->by[UNIT_TASK], u->id[0] << 48 | u->id[1], false);
}

static uint32_t *block_at(struct side *s, const struct unit *u, uint64_t number)
{
	uint32_t *task = task_at(s, u);

	return task ? map_at(s->by[UNIT_BLOCK], (uint64_t)(*task - 1) << 32 | number, false) : NULL;
}

static uint32_t *warp_at(struct side *s, const struct unit *u)
{
	uint32_t *block;

	if (u->id[0] == NO_BLOCK)
		return map_at(s->by[UNIT_WARP], NO_BLOCK | u->id[1] << 8 | u->id[2], false);
	block = block_at(s, u, u->id[2] >> 8);
	return block ? map_at(s->by[UNIT_WARP], (uint64_t)(*block - 1) << 8 | (u->id[2] & 0xff), false) : NULL;
}

static uint32_t *sem_at(struct work *w, const struct unit *u, unsigned from)
{
	uint64_t *name = other(&w->side[from], (uint64_t)SEM_CONTEXT(u->id[0]) << 52 ^ SEM_ADDR(u->id[0]));

	return name ? map_at(w->side[!from].by[UNIT_SEM], SEM_ID(*name >> 52, PLAIN(*name)), false) : NULL;
}

/* The unit of the other side that corresponds to one, NULL: none. */
static struct unit *peer(struct work *w, const struct unit *u, unsigned from)
{
	struct side *s = &w->side[!from];
	uint32_t *at;

	switch (u->kind) {
	case UNIT_TASK:
		at = task_at(s, u);
		break;
	case UNIT_BLOCK:
		at = block_at(s, u, u->id[2]);
		break;
	case UNIT_WARP:
		at = warp_at(s, u);
		break;
	case UNIT_SEM:
		at = sem_at(w, u, from);
		break;
	default:
		at = map_at(s->by[u->kind], u->id[0], false);
		break;
	}
	return at ? &s->unit[*at - 1] : NULL;
}

/*
 * Keeps the earlier difference, in the reference's time. A record that only the run has gets the time at which the
 * reference had got as far.
 */
static void differ(struct work *w, struct unit *u, struct unit *p, uint32_t ref, uint32_t run, struct why why)
{
	uint64_t when = ref != NO_REC ? w->side[SIDE_REF].m->t->rec[ref].time : UINT64_MAX;
	const struct unit *named = p ? p : u;
	size_t at = named->done;

	if (run != NO_REC && w->equiv[run] < when)
		when = w->equiv[run];
	if (w->d->any && when >= w->when)
		return;
	w->when = when;
	w->d->any = true;
	w->d->kind = named->kind;
	memcpy(w->d->id, named->id, sizeof(w->d->id));
	w->d->rec[SIDE_REF] = ref;
	w->d->rec[SIDE_RUN] = run;
	w->d->before[SIDE_REF] = u && at ? u->rec[at - 1] : NO_REC;
	w->d->before[SIDE_RUN] = p && at ? p->rec[at - 1] : NO_REC;
	w->d->expected = why.expected;
	w->d->taken = why.taken;
}

struct mismatch {
	struct unit *u, *p;
	uint32_t ref, run;
	struct why why;
};

/* Goes through the reference's records in order, without those of semaphores; returns where units differ. */
static struct mismatch *walk(struct work *w, bool sems, size_t *num)
{
	struct side *ref = &w->side[SIDE_REF];
	struct mismatch *list = NULL;
	size_t cap = 0;

	*num = 0;
	for (uint32_t i = 0; i < ref->m->t->num; i++) {
		struct unit *u = ref->unit_of[i] != NO_REC ? &ref->unit[ref->unit_of[i]] : NULL, *p;
		struct mismatch x = { .ref = i, .run = NO_REC };

		if (!u || u->diverged || (u->kind == UNIT_SEM) != sems)
			continue;
		p = peer(w, u, SIDE_REF);
		/* No common command names this word, because the channels differ already. */
		if (sems && !p && w->d->any)
			continue;
		if (p && u->done < p->num)
			x.run = p->rec[u->done];
		if (x.run != NO_REC && same(w, (uint32_t[SIDES]){ i, x.run }, &x.why)) {
			w->equiv[x.run] = ref->m->t->rec[i].time;
			p->done = ++u->done;
			continue;
		}
		u->diverged = true;
		if (p)
			p->diverged = true;
		x.u = u;
		x.p = p;
		list = grow(list, &cap, *num + 1, sizeof(*list));
		list[(*num)++] = x;
	}
	return list;
}

/* How far the reference had got when the run did something that is not part of the common work. */
static void fill_equiv(struct work *w)
{
	uint64_t latest = 0;

	for (size_t i = 0; i < w->side[SIDE_RUN].m->t->num; i++) {
		latest = w->equiv[i] > latest ? w->equiv[i] : latest;
		w->equiv[i] = latest;
	}
}

/*
 * What the run does after the end of the reference's unit; words that only the run uses count only if nothing else
 * differs.
 */
static void surplus(struct work *w, bool sems, bool all)
{
	struct side *run = &w->side[SIDE_RUN];

	for (size_t k = 0; k < run->num; k++) {
		struct unit *p = &run->unit[k];

		if ((p->kind == UNIT_SEM) != sems || p->diverged || p->done >= p->num)
			continue;
		if (!all && !peer(w, p, SIDE_RUN))
			continue;
		differ(w, peer(w, p, SIDE_RUN), p, NO_REC, p->rec[p->done], (struct why){ 0, 0 });
	}
}

static uint32_t next_sem(const struct side *s, uint32_t k)
{
	while (k < s->num && (s->unit[k].kind != UNIT_SEM || !s->unit[k].num))
		k++;
	return k;
}

/* Words of which no command was compared (--lanes, --ignore) correspond to each other in order. */
static void pair_semaphores(struct work *w)
{
	struct side *ref = &w->side[SIDE_REF], *run = &w->side[SIDE_RUN];
	uint32_t i = next_sem(ref, 0), k = next_sem(run, 0);

	while (i < ref->num && k < run->num) {
		uint64_t a = ref->unit[i].id[0], b = run->unit[k].id[0];

		a = (uint64_t)SEM_CONTEXT(a) << 52 ^ SEM_ADDR(a);
		b = (uint64_t)SEM_CONTEXT(b) << 52 ^ SEM_ADDR(b);
		if (other(ref, a)) {
			i = next_sem(ref, i + 1);
		} else if (other(run, b)) {
			k = next_sem(run, k + 1);
		} else {
			bind(ref, a, b);
			bind(run, b, a);
		}
	}
}

static void pass(struct work *w, bool sems)
{
	bool all = !sems || !w->d->any;
	size_t n;
	struct mismatch *list;

	if (sems && all)
		pair_semaphores(w);
	list = walk(w, sems, &n);
	fill_equiv(w);
	for (size_t i = 0; i < n; i++)
		differ(w, list[i].u, list[i].p, list[i].ref, list[i].run, list[i].why);
	surplus(w, sems, all);
	free(list);
}

void compare(struct difference *d, const struct model model[SIDES], const struct choice *lanes,
	     const struct events *ignored)
{
	struct work w = { .d = d };
	struct side *ref = &w.side[SIDE_REF];
	size_t n = model[SIDE_RUN].t->num + 1;

	memset(d, 0, sizeof(*d));
	for (unsigned s = 0; s < SIDES; s++)
		take_apart(&w.side[s], &model[s], lanes, ignored);
	w.equiv = grow(NULL, (size_t[]){ 0 }, n, sizeof(*w.equiv));
	memset(w.equiv, 0, n * sizeof(*w.equiv));
	pass(&w, false);
	pass(&w, true);
	for (size_t k = 0; k < ref->num; k++) {
		d->units += ref->unit[k].num > 0;
		d->events += ref->unit[k].num;
	}
	for (unsigned s = 0; s < SIDES; s++)
		side_free(&w.side[s]);
	free(w.equiv);
}
