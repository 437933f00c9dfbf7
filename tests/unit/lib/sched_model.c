/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_regs.h>
#include "sched_model.h"

enum state { IDLE, READY, RUNNING, SEM_WAIT, ENGINE_WAIT, BUSY, TURN };
enum { CLASSES = PPU_CLASS_COPY + 1, PRIOS = PPU_QUEUE_PRIO_MAX + 1, NOBODY = -1 };

struct alarm {
	bool on;
	uint64_t time, order;
};

struct chan {
	const struct sw_chan *w;
	enum state state;
	unsigned get, put, pos;		/* entries counted from the first one; command of the entry */
	bool fetched, paused, group_paused;
	uint64_t ready_since, listed_since, waits_since;	/* counters, not times */
	bool listed;			/* waits for an engine */
	int engine;
	const struct sw_cmd *gate[128];
	unsigned gates;
	const struct sw_cmd *waits_for;
	bool blocked;
	uint32_t reason;
	uint64_t block_va, block_value;
	uint64_t runtime, copies, busy_since;
	unsigned slices, preempts;
};

struct engine {
	unsigned cls;
	int holder, drain_ctx, heirs;	/* heirs: last holder, of whose group others take over the slice */
	bool busy, expired;
	uint64_t since, drain_since;
	unsigned drain_runs;
	struct alarm slice, done;
};

struct model {
	const struct workload *w;
	struct sw_trace *t;
	uint64_t now, counter;
	struct chan ch[SW_CHANS];
	struct engine e[SW_ENGINES];
	struct alarm host;
	uint64_t free_at;
	int run, last;
	unsigned run_len;
	uint64_t sem[SW_CTXS][SW_SEMS], changed[SW_CTXS][SW_SEMS];	/* changed: when, 0: no */
	uint64_t turn[SW_CTXS][PRIOS], owner_turn[SW_CTXS][PRIOS];
	uint64_t used[SW_CTXS][CLASSES], clock[SW_CTXS][CLASSES];	/* clock: of an owner's contexts */
	uint64_t owner_used[SW_CTXS][CLASSES], owner_clock[CLASSES][PRIOS];
	unsigned present[SW_CTXS][CLASSES], owner_present[SW_CTXS][CLASSES];
};

static void emit(struct model *m, unsigned event, unsigned unit, uint32_t a, uint64_t b, uint64_t c,
		 uint64_t d)
{
	struct sw_trace *t = m->t;

	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 1024;
		t->v = realloc(t->v, t->cap * sizeof(*t->v));
		if (!t->v)
			abort();
	}
	t->v[t->n++] = (struct ppu_trace_rec){ m->now, (uint16_t)event, (uint16_t)unit, a, b, c, d };
}

static void set(struct model *m, struct alarm *a, uint64_t time)
{
	*a = (struct alarm){ true, time, m->counter++ };
}

static unsigned id(struct model *m, const struct chan *c)
{
	return (unsigned)(c - m->ch);
}

static uint64_t *word(struct model *m, const struct chan *c, const struct sw_cmd *k)
{
	return &m->sem[c->w->ctx][k->sem];
}

static uint64_t word_va(struct model *m, const struct chan *c, const struct sw_cmd *k)
{
	return m->w->sem_va[c->w->ctx][k->sem];
}

static bool passes(struct model *m, const struct chan *c, const struct sw_cmd *k)
{
	uint64_t v = *word(m, c, k);

	switch (k->sem_op) {
	case PPU_SEM_OP_EQ: return v == k->value;
	case PPU_SEM_OP_GE: return v >= k->value;
	case PPU_SEM_OP_ZERO: return v == 0;
	case PPU_SEM_OP_NE: return v != k->value;
	}
	abort();
}

static unsigned owner(struct model *m, const struct chan *c)
{
	return m->w->owner[c->w->ctx];
}

/* ---- blocking, waking ------------------------------------------------------------------------------ */

static void unblock(struct model *m, struct chan *c)
{
	if (c->blocked)
		emit(m, PPU_TR_UNBLOCK, id(m, c), c->reason, c->block_va, c->block_value, 0);
	c->blocked = false;
}

static void block(struct model *m, struct chan *c, uint32_t reason, uint64_t va, uint64_t value)
{
	if (c->blocked && c->reason == reason && c->block_va == va && c->block_value == value)
		return;
	unblock(m, c);
	c->blocked = true;
	c->reason = reason;
	c->block_va = va;
	c->block_value = value;
	emit(m, PPU_TR_BLOCK, id(m, c), reason, va, value, 0);
}

static void kick(struct model *m)
{
	if (!m->host.on)
		set(m, &m->host, m->free_at > m->now ? m->free_at : m->now);
}

static bool held(const struct chan *c)
{
	return c->paused || c->group_paused;
}

/* Is the channel among those that the host interface serves? */
static bool queued(const struct chan *c)
{
	return c->state == READY && !held(c);
}

static void ready(struct model *m, struct chan *c)
{
	bool first = true, first_of_owner = true;

	if (held(c)) {
		c->state = READY;
		return;
	}
	for (unsigned i = 0; i < m->w->chans; i++)
		if (&m->ch[i] != c && queued(&m->ch[i]) && m->ch[i].w->prio == c->w->prio) {
			first &= m->ch[i].w->ctx != c->w->ctx;
			first_of_owner &= owner(m, &m->ch[i]) != owner(m, c);
		}
	if (first)
		m->turn[c->w->ctx][c->w->prio] = m->counter++;
	if (first_of_owner)
		m->owner_turn[owner(m, c)][c->w->prio] = m->counter++;
	c->state = READY;
	c->ready_since = m->counter++;
	kick(m);
}

static void wait_for(struct model *m, struct chan *c, const struct sw_cmd *k)
{
	c->state = SEM_WAIT;
	c->waits_for = k;
	c->waits_since = m->counter++;
}

/* Of the channels whose condition the word meets, the one that has waited longest. */
static struct chan *next_to_wake(struct model *m, unsigned ctx, int sem)
{
	struct chan *best = NULL;

	for (unsigned i = 0; i < m->w->chans; i++) {
		struct chan *c = &m->ch[i];

		if (c->state == SEM_WAIT && c->w->ctx == ctx && c->waits_for->sem == sem &&
		    passes(m, c, c->waits_for) && (!best || c->waits_since < best->waits_since))
			best = c;
	}
	return best;
}

/* Words wake their waiters in the order in which they were changed. */
static void wake(struct model *m)
{
	for (;;) {
		uint64_t *first = NULL;
		struct chan *c;

		for (unsigned i = 0; i < SW_CTXS * SW_SEMS; i++) {
			uint64_t *when = &m->changed[i / SW_SEMS][i % SW_SEMS];

			if (*when && (!first || *when < *first))
				first = when;
		}
		if (!first)
			return;
		*first = 0;
		while ((c = next_to_wake(m, (unsigned)(first - m->changed[0]) / SW_SEMS,
					 (int)((first - m->changed[0]) % SW_SEMS))))
			ready(m, c);
	}
}

/* A word gets a value. Its waiters check it now, or at the end of a run of commands (A-CP-6, CP-28). */
static void store(struct model *m, unsigned ctx, int sem, uint64_t value, unsigned kind, unsigned unit)
{
	uint64_t old = m->sem[ctx][sem];
	bool waited = false;

	for (unsigned i = 0; i < m->w->chans; i++)
		waited |= m->ch[i].state == SEM_WAIT && m->ch[i].w->ctx == ctx &&
			  m->ch[i].waits_for->sem == sem;
	m->sem[ctx][sem] = value;
	if (kind == PPU_TRW_COMMAND || (waited && old != value))
		emit(m, PPU_TR_SEM_WRITE, unit, kind, m->w->sem_va[ctx][sem], old, value);
	if (waited && old != value && !m->changed[ctx][sem])
		m->changed[ctx][sem] = 1 + m->counter++;
	if (m->run == NOBODY)
		wake(m);
}

/* ---- shares of the engines ------------------------------------------------------------------------- */

static void charge(struct model *m, unsigned ctx, unsigned cls, uint64_t ns)
{
	m->used[ctx][cls] += ns;
	m->owner_used[m->w->owner[ctx]][cls] += ns;
}

static void enter(struct model *m, const struct sw_chan *c)
{
	unsigned o = m->w->owner[c->ctx];

	if (!m->present[c->ctx][c->cls]++ && m->used[c->ctx][c->cls] < m->clock[o][c->cls])
		m->used[c->ctx][c->cls] = m->clock[o][c->cls];
	if (!m->owner_present[o][c->cls]++ && m->owner_used[o][c->cls] < m->owner_clock[c->cls][c->prio])
		m->owner_used[o][c->cls] = m->owner_clock[c->cls][c->prio];
}

static void leave(struct model *m, const struct sw_chan *c, unsigned cls)
{
	m->present[c->ctx][cls]--;
	m->owner_present[m->w->owner[c->ctx]][cls]--;
}

static void serve(struct model *m, const struct sw_chan *c, unsigned cls)
{
	unsigned o = m->w->owner[c->ctx];

	if (m->clock[o][cls] < m->used[c->ctx][cls])
		m->clock[o][cls] = m->used[c->ctx][cls];
	if (m->owner_clock[cls][c->prio] < m->owner_used[o][cls])
		m->owner_clock[cls][c->prio] = m->owner_used[o][cls];
}

/* ---- engines ------------------------------------------------------------------------------------------ */

/* Engine commands are launches in compute channels, fills in copy channels: one class a channel. */
static bool may_use(const struct chan *c, const struct model *m, unsigned e)
{
	return c->w->cls == m->e[e].cls && (!e || !c->w->mask || c->w->mask & 1u << (e - 1));
}

static void list(struct model *m, struct chan *c)
{
	enter(m, c->w);
	c->listed = true;
	c->listed_since = m->counter++;
}

static void unlist(struct model *m, struct chan *c)
{
	if (c->listed)
		leave(m, c->w, c->w->cls);
	c->listed = false;
}

/* ---- groups ------------------------------------------------------------------------------------------- */

static bool same_group(const struct sw_chan *a, const struct sw_chan *b)
{
	return a->group && a->group == b->group && a->ctx == b->ctx;
}

/* Of the members that wait for engine e: the one of highest priority that waits longest. */
static struct chan *member(struct model *m, unsigned e, const struct sw_chan *of)
{
	struct chan *b = NULL;

	for (unsigned i = 0; i < m->w->chans; i++) {
		struct chan *c = &m->ch[i];

		if (c->listed && same_group(c->w, of) && may_use(c, m, e) &&
		    (!b || c->w->prio > b->w->prio ||
		     (c->w->prio == b->w->prio && c->listed_since < b->listed_since)))
			b = c;
	}
	return b;
}

/* A group had its slice: its members wait behind all others now, in the order in which they waited. */
static void group_had_slice(struct model *m, unsigned cls, const struct sw_chan *of)
{
	uint64_t now = m->counter;

	for (;;) {
		struct chan *oldest = NULL;

		for (unsigned i = 0; i < m->w->chans; i++) {
			struct chan *c = &m->ch[i];

			if (c->listed && c->w->cls == cls && same_group(c->w, of) && c->listed_since < now &&
			    (!oldest || c->listed_since < oldest->listed_since))
				oldest = c;
		}
		if (!oldest)
			return;
		oldest->listed_since = m->counter++;
	}
}

static void no_heirs(struct model *m, struct engine *e)
{
	e->slice.on = false;
	group_had_slice(m, e->cls, m->ch[e->heirs].w);
	e->heirs = NOBODY;
}

/* ---- who holds an engine -------------------------------------------------------------------------------- */

static void pay(struct model *m, struct engine *e)
{
	charge(m, m->ch[e->holder].w->ctx, e->cls, m->now - e->since);
	e->since = m->now;
}

static void give_back(struct model *m, struct chan *c)
{
	struct engine *e;

	if (c->engine == NOBODY)
		return;
	e = &m->e[c->engine];
	pay(m, e);
	leave(m, c->w, e->cls);
	if (!e->expired && member(m, (unsigned)c->engine, c->w))
		e->heirs = e->holder;
	else
		e->expired = e->slice.on = false;
	c->engine = e->holder = NOBODY;
	kick(m);
}

static void new_slice(struct model *m, struct chan *c)
{
	struct engine *e = &m->e[c->engine];
	uint64_t ns = c->w->slice ? c->w->slice : m->w->timeslice;

	c->slices++;
	e->expired = false;
	serve(m, c->w, e->cls);
	set(m, &e->slice, m->now + ns);
	emit(m, PPU_TR_SLICE_START, id(m, c), e->cls, ns, 0, 0);
}

static void take(struct model *m, struct chan *c, unsigned e)
{
	enter(m, c->w);
	unlist(m, c);
	c->engine = (int)e;
	m->e[e].holder = (int)id(m, c);
	m->e[e].since = m->now;
	if (m->e[e].heirs == NOBODY) {
		new_slice(m, c);
		return;
	}
	c->slices++;
	serve(m, c->w, c->w->cls);
	emit(m, PPU_TR_SLICE_PASS, id(m, c), c->w->cls, m->e[e].slice.time - m->now, c->w->group,
	     (unsigned)m->e[e].heirs);
	m->e[e].heirs = NOBODY;
}

/* Highest priority, then the context that has used least, then whoever waits longest, of one owner. */
static struct chan *best_of(struct model *m, unsigned e, unsigned min_prio, unsigned of)
{
	struct chan *b = NULL;

	for (unsigned i = 0; i < m->w->chans; i++) {
		struct chan *c = &m->ch[i];
		uint64_t cu, bu;

		if (!c->listed || c->w->prio < min_prio || !may_use(c, m, e) || owner(m, c) != of)
			continue;
		if (b) {
			if (c->w->prio < b->w->prio)
				continue;
			cu = m->used[c->w->ctx][c->w->cls];
			bu = m->used[b->w->ctx][b->w->cls];
			if (c->w->prio == b->w->prio &&
			    (cu > bu || (cu == bu && c->listed_since > b->listed_since)))
				continue;
		}
		b = c;
	}
	return b;
}

/* Of the owners: highest priority, then whoever has used least, then whoever waits longest. */
static struct chan *best(struct model *m, unsigned e, unsigned min_prio)
{
	struct chan *b = NULL;

	for (unsigned o = 0; o < SW_CTXS; o++) {
		struct chan *c = best_of(m, e, min_prio, o);
		uint64_t cu, bu;

		if (!c)
			continue;
		if (b) {
			cu = m->owner_used[o][c->w->cls];
			bu = m->owner_used[owner(m, b)][b->w->cls];
			if (c->w->prio < b->w->prio || (c->w->prio == b->w->prio &&
			    (cu > bu || (cu == bu && c->listed_since > b->listed_since))))
				continue;
		}
		b = c;
	}
	return b;
}

/* Who gets an engine that nobody holds. */
static struct chan *next(struct model *m, unsigned e)
{
	struct chan *c = best(m, e, 0), *heir;

	if (m->e[e].heirs == NOBODY)
		return c;
	heir = member(m, e, m->ch[m->e[e].heirs].w);
	if (heir && heir->w->prio == c->w->prio)
		return heir;
	no_heirs(m, &m->e[e]);
	return best(m, e, 0);
}

static bool others_first(struct model *m, unsigned e, struct chan *c)
{
	struct chan *o;

	if (best(m, e, c->w->prio + 1))
		return true;
	o = m->e[e].expired ? best(m, e, c->w->prio) : NULL;
	if (o && owner(m, o) != owner(m, c))
		return m->owner_used[owner(m, o)][o->w->cls] <= m->owner_used[owner(m, c)][c->w->cls];
	return o && m->used[o->w->ctx][o->w->cls] <= m->used[c->w->ctx][c->w->cls];
}

static void pay_drain(struct model *m, struct engine *e)
{
	if (e->drain_ctx != NOBODY && e->holder == NOBODY)
		charge(m, (unsigned)e->drain_ctx, e->cls, m->now - e->drain_since);
	e->drain_since = m->now;
}

static void end_drain(struct model *m, struct engine *e)
{
	pay_drain(m, e);
	e->drain_ctx = NOBODY;
	e->drain_runs = 0;
}

static bool must_drain(struct model *m, struct engine *e, const struct chan *c)
{
	unsigned ready = 0, channels = 0;

	if (e->drain_ctx != (int)c->w->ctx) {
		end_drain(m, e);
		e->drain_ctx = (int)c->w->ctx;
	}
	for (unsigned i = 0; i < m->w->chans; i++)
		if (m->ch[i].w->ctx == c->w->ctx) {
			channels++;
			ready += queued(&m->ch[i]);
		}
	return ready && e->drain_runs < channels * PRIOS;
}

static const struct sw_cmd *closed_gate(struct model *m, const struct chan *c)
{
	for (unsigned i = 0; !m->w->literal && i < c->gates; i++)
		if (!passes(m, c, c->gate[i]))
			return c->gate[i];
	return NULL;
}

static void start(struct model *m, struct chan *c, unsigned e)
{
	const struct sw_entry *n = &c->w->entry[c->get];
	const struct sw_cmd *k = &n->cmd[c->pos];
	unsigned get = (c->w->start + c->get) % m->w->ring;
	uint64_t takes = m->w->cost_cmd;

	unblock(m, c);
	c->state = BUSY;
	c->busy_since = m->now;
	m->e[e].busy = true;
	if (k->op == PPU_CMD_LAUNCH) {
		emit(m, PPU_TR_CMD, id(m, c), get, k->op, k->va, 0);
		takes += m->w->cost_launch;
	} else {
		emit(m, PPU_TR_CMD, id(m, c), get, k->op, 0, k->va);
		emit(m, PPU_TR_CE_START, e - 1, id(m, c), c->copies, k->bytes, k->va);
		takes += m->w->cost_setup + (uint64_t)k->bytes * 1000 / m->w->mbps;
	}
	set(m, &m->e[e].done, m->now + takes);
}

/* One decision about engine e; false: no more to decide. */
static bool decide(struct model *m, unsigned i)
{
	struct engine *e = &m->e[i];
	struct chan *c = e->holder == NOBODY ? NULL : &m->ch[e->holder];
	const struct sw_cmd *gate;

	if (e->busy)
		return false;
	if (c) {
		pay(m, e);
		if (c->state == READY) {
			if (!e->expired || !best(m, i, 0))
				return false;
			c->preempts++;
			give_back(m, c);
			return true;
		}
		if (others_first(m, i, c)) {
			c->preempts++;
			list(m, c);
			give_back(m, c);
			block(m, c, PPU_TRB_ENGINE, 0, 0);
			return true;
		}
		if (e->expired)
			new_slice(m, c);
	} else {
		c = next(m, i);
		if (!c) {
			end_drain(m, e);
			return false;
		}
	}
	if (c->state == TURN) {
		if (c->engine == NOBODY)
			take(m, c, i);
		unblock(m, c);
		ready(m, c);
		return false;
	}
	if (must_drain(m, e, c))
		return false;
	gate = closed_gate(m, c);
	if (gate) {
		wait_for(m, c, gate);
		block(m, c, PPU_TRB_GATE, word_va(m, c, gate), gate->value);
		unlist(m, c);
		give_back(m, c);
		pay_drain(m, e);
		return true;
	}
	end_drain(m, e);
	if (c->engine == NOBODY)
		take(m, c, i);
	start(m, c, i);
	return true;
}

/* ---- the host ------------------------------------------------------------------------------------------- */

static void end_run(struct model *m, uint64_t cost)
{
	struct chan *c = &m->ch[m->run];

	m->run = NOBODY;
	m->free_at = m->now + cost;
	set(m, &m->host, m->free_at);
	for (unsigned i = 0; i <= m->w->engines; i++)
		if (m->e[i].drain_ctx != NOBODY && m->w->owner[m->e[i].drain_ctx] == owner(m, c))
			m->e[i].drain_runs++;
	wake(m);
}

/* A command is done: false when the channel has nothing left. */
static bool command_done(struct model *m, struct chan *c)
{
	unsigned get;

	if (++c->pos < c->w->entry[c->get].n)
		return true;
	c->pos = 0;
	c->fetched = false;
	c->get++;
	get = (c->w->start + c->get) % m->w->ring;
	emit(m, PPU_TR_GET, id(m, c), get, 0, 0, 0);
	if (c->get == c->put)
		emit(m, PPU_TR_EMPTY, id(m, c), get, 0, 0, 0);
	return c->get != c->put;
}

static void reached_engine(struct model *m, struct chan *c)
{
	bool free = false;

	c->state = ENGINE_WAIT;
	if (c->engine != NOBODY)
		return;
	list(m, c);
	for (unsigned i = 0; i <= m->w->engines; i++)
		free |= m->e[i].holder == NOBODY && may_use(c, m, i);
	if (!free)
		block(m, c, PPU_TRB_ENGINE, 0, 0);
}

/* The commands that need no engine; false: the channel must wait. */
static bool execute(struct model *m, struct chan *c, const struct sw_cmd *k)
{
	unsigned get = (c->w->start + c->get) % m->w->ring;
	bool sem = k->op != PPU_CMD_NOP, value = k->op == PPU_CMD_SEM_ACQUIRE || k->op == PPU_CMD_SEM_RELEASE;

	switch (k->op) {
	case PPU_CMD_SEM_ACQUIRE:
		if (!passes(m, c, k)) {
			wait_for(m, c, k);
			block(m, c, PPU_TRB_ACQUIRE, word_va(m, c, k), k->value);
			give_back(m, c);
			return false;
		}
		if (k->gate)
			c->gate[c->gates++] = k;
		break;
	case PPU_CMD_SEM_RELEASE:
		store(m, c->w->ctx, k->sem, k->value, PPU_TRW_COMMAND, id(m, c));
		break;
	case PPU_CMD_SEM_INC:
		store(m, c->w->ctx, k->sem, *word(m, c, k) + 1, PPU_TRW_COMMAND, id(m, c));
		break;
	case PPU_CMD_SEM_DEC:
		store(m, c->w->ctx, k->sem, *word(m, c, k) - 1, PPU_TRW_COMMAND, id(m, c));
		break;
	case PPU_CMD_FILL:
	case PPU_CMD_LAUNCH:
		reached_engine(m, c);
		return false;
	}
	unblock(m, c);
	emit(m, PPU_TR_CMD, id(m, c), get, k->op, sem ? word_va(m, c, k) : 0, value ? k->value : 0);
	return true;
}

static void step(struct model *m)
{
	struct chan *c = &m->ch[m->run];
	const struct sw_entry *n = &c->w->entry[c->get];

	if (held(c) || m->run_len == m->w->run_limit) {
		end_run(m, 0);
		ready(m, c);
		return;
	}
	m->run_len++;
	if (!c->fetched) {
		c->fetched = true;
		emit(m, PPU_TR_ENTRY, id(m, c), (c->w->start + c->get) % m->w->ring, n->va, n->words, 0);
		c->runtime += m->w->cost_fetch;
		set(m, &m->host, m->now + m->w->cost_fetch);
		return;
	}
	c->runtime += m->w->cost_cmd;
	if (!execute(m, c, &n->cmd[c->pos])) {
		end_run(m, m->w->cost_cmd);
	} else if (!command_done(m, c)) {
		give_back(m, c);
		c->state = IDLE;
		end_run(m, m->w->cost_cmd);
	} else {
		set(m, &m->host, m->now + m->w->cost_cmd);
	}
}

static bool served_before(struct model *m, const struct chan *c, const struct chan *b)
{
	uint64_t co = m->owner_turn[owner(m, c)][c->w->prio], bo = m->owner_turn[owner(m, b)][b->w->prio];
	uint64_t ct = m->turn[c->w->ctx][c->w->prio], bt = m->turn[b->w->ctx][b->w->prio];

	if (co != bo)
		return co < bo;
	return ct != bt ? ct < bt : c->ready_since < b->ready_since;
}

/* WQ-10, then owners in turn, then an owner's contexts in turn, then whoever is ready longest. */
static struct chan *pick(struct model *m)
{
	struct chan *b = NULL;
	bool more = false, owner_more = false;

	for (unsigned i = 0; i < m->w->chans; i++) {
		struct chan *c = &m->ch[i];

		if (!queued(c))
			continue;
		if (!b || c->w->prio > b->w->prio || (c->w->prio == b->w->prio && served_before(m, c, b)))
			b = c;
	}
	if (!b)
		return NULL;
	b->state = RUNNING;
	for (unsigned i = 0; i < m->w->chans; i++)
		if (queued(&m->ch[i]) && m->ch[i].w->prio == b->w->prio) {
			more |= m->ch[i].w->ctx == b->w->ctx;
			owner_more |= owner(m, &m->ch[i]) == owner(m, b);
		}
	if (more)
		m->turn[b->w->ctx][b->w->prio] = m->counter++;
	if (owner_more)
		m->owner_turn[owner(m, b)][b->w->prio] = m->counter++;
	return b;
}

static void host(struct model *m)
{
	struct chan *c;

	if (m->run == NOBODY) {
		for (unsigned i = 0; i <= m->w->engines; i++)
			while (decide(m, i))
				;
		c = pick(m);
		if (!c)
			return;
		m->run = (int)id(m, c);
		m->run_len = 0;
		if (m->last != m->run && m->w->cost_switch) {
			m->last = m->run;
			set(m, &m->host, m->now + m->w->cost_switch);
			return;
		}
		m->last = m->run;
	}
	step(m);
}

static void engine_done(struct model *m, unsigned i)
{
	struct engine *e = &m->e[i];
	struct chan *c = &m->ch[e->holder];
	const struct sw_cmd *k = &c->w->entry[c->get].cmd[c->pos];

	if (k->op == PPU_CMD_FILL) {
		if (k->sem >= 0)
			store(m, c->w->ctx, k->sem, k->value, PPU_TRW_CE, i - 1);
		emit(m, PPU_TR_CE_DONE, i - 1, id(m, c), c->copies++, k->bytes, 0);
	}
	e->busy = false;
	c->runtime += m->now - c->busy_since;
	c->gates = 0;
	kick(m);
	c->state = command_done(m, c) ? TURN : IDLE;
	if (c->state == IDLE || held(c))
		give_back(m, c);
}

/* PAUSE: no command after the one in progress. RESUME: the channel goes on where it was, queued behind the others. */
static void pause_channel(struct model *m, struct chan *c, bool *why)
{
	bool already = held(c);

	*why = true;
	if (already)
		return;
	if (c->state != BUSY) {
		unlist(m, c);
		give_back(m, c);
	}
	emit(m, PPU_TR_CH_DISABLE, id(m, c), PPU_TRD_PAUSE, 0, 0, 0);
}

static void resume_channel(struct model *m, struct chan *c, bool *why)
{
	bool was = *why;

	*why = false;
	if (!was || held(c))
		return;
	if (c->state == READY) {
		ready(m, c);
	} else if (c->state == ENGINE_WAIT || c->state == TURN) {
		list(m, c);
		kick(m);
	}
}

/* A command to a group is one to each of its members. */
static void group_command(struct model *m, const struct chan *c, bool pause)
{
	if (!c->w->group)
		return;
	emit(m, PPU_TR_GROUP_CMD, id(m, c), pause ? PPU_CH_CMD_GROUP_PAUSE : PPU_CH_CMD_GROUP_RESUME, c->w->group, 0,
	     0);
	for (unsigned i = 0; i < m->w->chans; i++)
		if (same_group(m->ch[i].w, c->w))
			(pause ? pause_channel : resume_channel)(m, &m->ch[i], &m->ch[i].group_paused);
}

static void act(struct model *m, const struct sw_action *a)
{
	struct chan *c = &m->ch[a->chan];

	switch (a->kind) {
	case SW_STORE:
		store(m, c->w->ctx, a->sem, a->value, PPU_TRW_CPU, a->chan);
		return;
	case SW_PAUSE:
		pause_channel(m, c, &c->paused);
		return;
	case SW_RESUME:
		resume_channel(m, c, &c->paused);
		return;
	case SW_GROUP_PAUSE:
	case SW_GROUP_RESUME:
		group_command(m, c, a->kind == SW_GROUP_PAUSE);
		return;
	case SW_SUBMIT:
		break;
	}
	c->put = a->put;
	emit(m, PPU_TR_DOORBELL, a->chan, (c->w->start + c->put) % m->w->ring,
	     (c->w->start + c->get) % m->w->ring, 0, 0);
	if (c->state == IDLE && c->get != c->put)
		ready(m, c);
}

/* At one time: engines' ends, then host and slices, then in the order of scheduling. */
static bool sooner(const struct alarm *a, bool a_done, const struct alarm *b, bool b_done)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a_done != b_done ? a_done : a->order < b->order;
}

static void slice_over(struct model *m, struct engine *e)
{
	unsigned whose = (unsigned)(e->heirs == NOBODY ? e->holder : e->heirs);

	emit(m, PPU_TR_SLICE_EXPIRE, whose, e->cls, 0, 0, 0);
	if (e->heirs == NOBODY)
		e->expired = true;
	e->heirs = NOBODY;
	group_had_slice(m, e->cls, m->ch[whose].w);
	kick(m);
}

/* The next thing up to `until`; false: nothing. */
static bool one(struct model *m, uint64_t until)
{
	struct alarm *first = m->host.on ? &m->host : NULL;
	bool is_done = false;
	unsigned which = 0;

	for (unsigned i = 0; i <= m->w->engines; i++) {
		struct alarm *a[2] = { &m->e[i].slice, &m->e[i].done };

		for (unsigned k = 0; k < 2; k++)
			if (a[k]->on && (!first || sooner(a[k], k, first, is_done))) {
				first = a[k];
				is_done = k;
				which = i;
			}
	}
	if (!first || first->time > until)
		return false;
	first->on = false;
	m->now = first->time;
	if (first == &m->host) {
		host(m);
	} else if (is_done) {
		engine_done(m, which);
	} else {
		slice_over(m, &m->e[which]);
	}
	return true;
}

void sched_model(const struct workload *w, struct sw_trace *t, struct sw_end *end)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->w = w;
	m->t = t;
	m->run = m->last = NOBODY;
	m->counter = 1;
	for (unsigned i = 0; i < w->chans; i++) {
		m->ch[i].w = &w->chan[i];
		m->ch[i].engine = NOBODY;
	}
	for (unsigned i = 0; i <= w->engines; i++) {
		m->e[i].cls = i ? PPU_CLASS_COPY : PPU_CLASS_COMPUTE;
		m->e[i].holder = m->e[i].drain_ctx = m->e[i].heirs = NOBODY;
	}
	for (unsigned i = 0; i < w->actions; i++) {
		while (one(m, w->action[i].time))
			;
		m->now = w->action[i].time;
		act(m, &w->action[i]);
	}
	while (one(m, UINT64_MAX))
		;
	memcpy(end->sem, m->sem, sizeof(m->sem));
	for (unsigned i = 0; i < w->chans; i++) {
		end->get[i] = (w->chan[i].start + m->ch[i].get) % w->ring;
		end->runtime[i] = m->ch[i].runtime;
		end->slices[i] = m->ch[i].slices;
		end->preempts[i] = m->ch[i].preempts;
	}
	free(m);
}
