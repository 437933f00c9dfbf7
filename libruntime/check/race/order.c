/* SPDX-License-Identifier: MIT */
/*
 * In which order pieces of work are done, as the program asked for it: the runtime says of each piece what its stream waited
 * for, as a number for each channel, and what the host has waited for.  Work of one channel is in order, even if it is
 * different streams': who waits for a number has waited for those before.
 *
 * What threads and device-owned queues launch is seen only when it starts.  So it counts as behind everything that was done
 * before then, and everything of tasks that have ended by then; and what comes after its end is behind it.  In the same way work
 * counts whose stream has waited for a word in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "check/host/host.h"
#include "check/race/inner.h"
#include "check/race/race.h"

#define KEEP 256u		/* pieces of work of each channel whose order is remembered */

struct chan {
	uint32_t hw;
	const volatile uint64_t *done;		/* the number of the last piece that is */
	uint64_t last;
	uint64_t *behind[KEEP];		/* by seq % KEEP */
	struct chk_stack *called;	/* by seq % KEEP, of copies */
	/* What tasks that have ended learned while they ran, and of which piece of work the first of them was. */
	uint64_t *learned, learned_by;
	struct rc_set *far;
	uint64_t far_by;
	uint64_t word_by;		/* the first that waited for a word; 0: none */
};

struct launch {
	uint64_t id;
	uint32_t chan;
	uint64_t seq;
	bool started;			/* others with this id are launched by threads or queues */
};
#define LAUNCHES 4096u

struct rc_order {
	struct chan chan[CHK_MAX_CHAN];
	uint64_t host[CHK_MAX_CHAN];	/* what the host knows to be done */
	struct launch launch[LAUNCHES];	/* by number */
	struct rc_task **task;		/* all, since the host knew last that all was done */
	uint32_t num_tasks, cap_tasks, alive;
	struct rc_task *last;		/* that was looked for */
	struct rc_task *by_host;	/* what the host does, since it gave work last; NULL: nothing yet */
	uint64_t given;			/* how often it did, and 1 */
	uint32_t heard;			/* stamp: what was before, the host knows; 0: none */
	struct rc_block *block;
	uint32_t num_blocks, cap_blocks;
	uint32_t now, old;		/* stamps: the next one's; before `old` all is behind */
};

static struct rc_order *order_of(struct chk_ctx *c)
{
	if (!c->order) {
		c->order = calloc(1, sizeof(*c->order));
		if (c->order)
			c->order->now = c->order->old = c->order->given = 1;
	}
	return c->order;
}

static uint64_t *behind_new(void)
{
	return calloc(CHK_MAX_CHAN, sizeof(uint64_t));
}

static void add(uint64_t *to, const uint64_t *from)
{
	for (unsigned i = 0; from && i < CHK_MAX_CHAN; i++)
		if (to[i] < from[i])
			to[i] = from[i];
}

/* What piece n of a channel is behind.  Of one that is forgotten: what the oldest that is remembered is. */
static const uint64_t *behind_of(const struct chan *c, uint64_t n)
{
	if (n + KEEP <= c->last)
		n = c->last - KEEP + 1;
	return c->behind[n % KEEP];
}

/* ---- what the runtime says ---------------------------------------------------------------------- */

void chk_race_chan(struct chk_ctx *c, unsigned index, uint32_t hw, const volatile uint64_t *done)
{
	struct rc_order *o = order_of(c);

	if (!o)
		return;
	o->chan[index].hw = hw;
	o->chan[index].done = done;
}

void chk_race_work(struct chk_ctx *c, const uint64_t *need, unsigned n, unsigned index, uint64_t seq, const struct chk_stack *s)
{
	struct rc_order *o = order_of(c);
	struct chan *ch = o ? &o->chan[index] : NULL;
	uint64_t *b;

	if (!o)
		return;
	b = ch->behind[seq % KEEP];
	if (!b)
		b = ch->behind[seq % KEEP] = behind_new();
	if (!ch->called)
		ch->called = calloc(KEEP, sizeof(*ch->called));
	if (!b || !ch->called)
		return;
	memcpy(b, o->host, sizeof(o->host));
	if (ch->last)
		add(b, ch->behind[ch->last % KEEP]);
	for (unsigned i = 0; i < n && i < CHK_MAX_CHAN; i++) {
		if (!need[i])
			continue;
		add(b, behind_of(&o->chan[i], need[i]));
		if (b[i] < need[i])
			b[i] = need[i];
	}
	b[RC_HOST] = o->given++;
	o->by_host = NULL;
	if (o->heard && !ch->word_by)
		ch->word_by = seq;
	ch->last = seq;
	if (b[index] < seq)
		b[index] = seq;
	if (s)
		ch->called[seq % KEEP] = *s;
	else
		ch->called[seq % KEEP].n = 0;
	chk_host_close(c);
}

void chk_race_launch(struct chk_ctx *c, uint64_t id, unsigned index, uint64_t seq)
{
	struct rc_order *o = order_of(c);

	if (o)
		o->launch[id % LAUNCHES] = (struct launch){ .id = id, .chan = index, .seq = seq };
}

static void task_free(struct rc_task *t)
{
	free(t->behind);
	rc_set_drop(t->far);
	free(t);
}

/* Nothing runs, and the host knows it: what comes is behind everything. */
static void forget(struct chk_ctx *c, struct rc_order *o)
{
	for (uint32_t i = 0; i < o->num_tasks; i++)
		task_free(o->task[i]);
	o->num_tasks = o->num_blocks = 0;
	o->last = o->by_host = NULL;
	o->heard = 0;
	o->old = ++o->now;
	for (unsigned i = 0; i < CHK_MAX_CHAN; i++) {
		rc_set_drop(o->chan[i].far);
		o->chan[i].far = NULL;
		free(o->chan[i].learned);
		o->chan[i].learned = NULL;
	}
	rc_words_free(c);
}

void chk_race_host(struct chk_ctx *c, const uint64_t *done, unsigned n)
{
	struct rc_order *o = order_of(c);
	bool all = true;

	if (!o)
		return;
	for (unsigned i = 0; i < n && i < CHK_MAX_CHAN; i++) {
		if (!done[i])
			continue;
		add(o->host, behind_of(&o->chan[i], done[i]));
		if (o->host[i] < done[i])
			o->host[i] = done[i];
	}
	for (unsigned i = 0; i < CHK_MAX_CHAN; i++)
		all &= o->host[i] >= o->chan[i].last;
	if (all)
		chk_host_open(c);
	if (all && !o->alive && o->num_tasks)
		forget(c, o);
}

/* ---- tasks -------------------------------------------------------------------------------------- */

static struct rc_task *task_new(struct chk_ctx *c, struct rc_order *o, uint32_t chan, uint64_t seq)
{
	struct rc_task *t;

	if (o->num_tasks == o->cap_tasks) {
		uint32_t cap = o->cap_tasks * 2 + 64;
		struct rc_task **v = realloc(o->task, cap * sizeof(struct rc_task *));

		if (!v)
			return NULL;
		o->task = v;
		o->cap_tasks = cap;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->behind = behind_new();
	if (!t->behind) {
		free(t);
		return NULL;
	}
	t->ctx = c;
	t->number = o->num_tasks;
	t->chan = chan;
	t->seq = seq;
	o->task[o->num_tasks++] = t;
	o->alive++;
	return t;
}

/* What is known where its work begins. */
static void begin(struct rc_order *o, struct rc_task *t)
{
	const struct chan *own = &o->chan[t->chan];

	add(t->behind, behind_of(own, t->seq));
	for (unsigned i = 0; i < CHK_MAX_CHAN; i++) {
		const struct chan *c = &o->chan[i];

		t->late |= c->word_by && t->behind[i] >= c->word_by;
		if (c->far && t->behind[i] > c->far_by - (i != t->chan))
			t->far = rc_set_join(t->far, c->far);
		if (c->learned && t->behind[i] > c->learned_by - (i != t->chan))
			add(t->behind, c->learned);
	}
}

struct rc_task *rc_task_start(struct chk_ctx *c, const struct ppu_seen_task *s)
{
	struct rc_order *o = order_of(c);
	struct launch *l = o ? &o->launch[s->id % LAUNCHES] : NULL;
	struct rc_task *t;

	if (!o)
		return NULL;
	t = task_new(c, o, l->id == s->id ? l->chan : 0, l->id == s->id ? l->seq : 0);
	if (!t)
		return NULL;
	t->seen = *s;
	t->loose = s->depth > 1 || l->id != s->id || l->started;
	if (l->id == s->id) {
		begin(o, t);
		l->started = true;
	}
	t->start = ++o->now;
	o->last = t;
	return t;
}

/* A task may wait long after it was launched. */
void rc_task_begins(struct chk_ctx *c, struct rc_task *t)
{
	if (!t->begun)
		t->start = ++c->order->now;
	t->begun = true;
}

struct rc_task *rc_task_of(struct chk_ctx *c, const struct ppu_seen_task *s)
{
	struct rc_order *o = order_of(c);

	if (!o)
		return NULL;
	if (o->last && o->last->seen.serial == s->serial && !o->last->ended)
		return o->last;
	for (uint32_t i = o->num_tasks; i--; ) {
		struct rc_task *t = o->task[i];

		if (!t->copy && !t->ended && t->seen.serial == s->serial)
			return o->last = t;
	}
	return rc_task_start(c, s);
}

static void end(struct rc_order *o, struct rc_task *t)
{
	t->ended = true;
	o->alive--;
	o->now++;
}

void rc_task_end(struct chk_ctx *c, const struct ppu_seen_task *s)
{
	struct rc_order *o = order_of(c);
	struct rc_task *t = o ? rc_task_of(c, s) : NULL;

	if (t)
		end(o, t);
}

void rc_task_leaves(struct chk_ctx *c, struct rc_task *t, struct rc_set *far)
{
	struct chan *ch = &c->order->chan[t->chan];

	if (!far || far == t->far)
		return;
	if (!ch->far)
		ch->far_by = t->seq;
	ch->far = rc_set_join(ch->far, far);
}

void rc_task_learns(struct chk_ctx *c, struct rc_task *t, const struct rc_task *other)
{
	struct chan *ch = &c->order->chan[t->chan];
	uint64_t own = t->behind[other->chan];

	add(t->behind, other->behind);
	if (t->behind[other->chan] == other->seq && own < other->seq)	/* what it does itself is known thread by thread */
		t->behind[other->chan] = other->seq - (other->seq > 0);
	if (!ch->learned) {
		ch->learned = behind_new();
		ch->learned_by = t->seq;
	}
	if (!ch->learned)
		return;
	own = ch->learned[t->chan];
	add(ch->learned, t->behind);
	ch->learned[t->chan] = own;
}

struct rc_task *rc_copy_start(struct chk_ctx *c, const struct ppu_seen_copy *copy)
{
	struct rc_order *o = order_of(c);
	struct chan *ch = NULL;
	struct rc_task *t;

	for (unsigned i = 0; o && i < CHK_MAX_CHAN; i++)
		if (o->chan[i].done && o->chan[i].hw == copy->chan)
			ch = &o->chan[i];
	if (!ch)
		return NULL;
	t = task_new(c, o, (uint32_t)(ch - o->chan), __atomic_load_n(ch->done, __ATOMIC_ACQUIRE) + 1);
	if (!t)
		return NULL;
	t->copy = copy->fill ? "fill" : "copy";
	if (ch->called)
		t->called = ch->called[t->seq % KEEP];
	begin(o, t);
	t->start = o->now;
	return t;
}

/* Told as soon as the program asks for it: who reads the word before that is done learns too much. */
void chk_race_word(struct chk_ctx *c, unsigned index, uint64_t seq, uint64_t at, uint64_t bytes, bool waits)
{
	struct rc_order *o = order_of(c);
	struct rc_task *t = o && !waits ? task_new(c, o, index, seq) : NULL;
	uint32_t block;

	if (o && waits && !o->chan[index].word_by)
		o->chan[index].word_by = seq;
	if (!t)
		return;
	t->copy = "store";
	begin(o, t);
	block = rc_block_new(c, t, 0);
	if (block)
		rc_word_told(c, at, bytes, block, 1, t);
	end(o, t);
}

void rc_copy_end(struct chk_ctx *c, struct rc_task *t)
{
	end(c->order, t);
}

uint32_t rc_block_new(struct chk_ctx *c, struct rc_task *t, uint64_t index)
{
	struct rc_order *o = c->order;

	if (o->num_blocks + 1 >= o->cap_blocks) {
		uint32_t cap = o->cap_blocks * 2 + 1024;
		struct rc_block *v = realloc(o->block, cap * sizeof(*v));

		if (!v)
			return 0;
		o->block = v;
		o->cap_blocks = cap;
	}
	o->block[++o->num_blocks] = (struct rc_block){ t, index };
	return o->num_blocks;
}

const struct rc_block *rc_block(const struct chk_ctx *c, uint32_t number)
{
	return &c->order->block[number];
}

uint32_t rc_now(const struct chk_ctx *c)
{
	return c->order->now;
}

bool rc_is_old(const struct chk_ctx *c, const struct rc_seen *s)
{
	return s->stamp < c->order->old;
}

bool rc_task_behind(const struct chk_ctx *c, const struct rc_task *t, const struct rc_seen *s)
{
	const struct rc_task *other = rc_block(c, s->cta)->task;

	if (other == t)
		return false;
	if (t->late && s->stamp < t->start)
		return true;
	if ((t->loose || other->loose) && (s->stamp < t->start || other->ended))
		return true;
	return other->seq && t->behind[other->chan] >= other->seq && (other->seq != t->seq || other->chan != t->chan);
}

/* ---- the host ----------------------------------------------------------------------------------- */

struct rc_task *rc_host_task(struct chk_ctx *c)
{
	struct rc_order *o = c->order;

	if (!o)
		return NULL;
	if (!o->by_host) {
		o->by_host = task_new(c, o, RC_HOST, o->given);
		if (!o->by_host)
			return NULL;
		o->by_host->copy = "host";
		end(o, o->by_host);
	}
	add(o->by_host->behind, o->host);
	return o->by_host;
}

/* Streams that the host has waited for: what they learned on their way. */
static bool host_was_told(const struct rc_order *o, const struct rc_task *other, const struct rc_seen *s)
{
	for (unsigned i = 0; i < RC_HOST; i++) {
		const struct chan *c = &o->chan[i];
		const struct rc_entry *e = c->far && o->host[i] >= c->far_by ? rc_set_find(c->far, s->cta) : NULL;

		if (c->word_by && o->host[i] >= c->word_by)
			return true;
		if (e && rc_entry_clock(e, s->thread) >= s->clock)
			return true;
		if (c->learned && o->host[i] >= c->learned_by && c->learned[other->chan] >= other->seq)
			return true;
	}
	return false;
}

bool rc_host_behind(const struct chk_ctx *c, const struct rc_seen *s)
{
	const struct rc_order *o = c->order;
	const struct rc_task *t;

	if (!s->clock || s->host || rc_is_old(c, s) || s->stamp < o->heard)
		return true;
	t = rc_block(c, s->cta)->task;
	return t->loose || o->host[t->chan] >= t->seq || host_was_told(o, t, s);
}

void rc_host_learns(struct chk_ctx *c)
{
	c->order->heard = ++c->order->now;
}

void rc_task_heard_host(struct chk_ctx *c, struct rc_task *t)
{
	struct rc_order *o = c->order;

	if (t->behind[RC_HOST] >= o->given)
		return;
	t->behind[RC_HOST] = o->given++;
	o->by_host = NULL;
}

void rc_order_free(struct chk_ctx *c)
{
	struct rc_order *o = c->order;

	if (!o)
		return;
	forget(c, o);
	for (unsigned i = 0; i < CHK_MAX_CHAN; i++) {
		for (unsigned k = 0; k < KEEP; k++)
			free(o->chan[i].behind[k]);
		free(o->chan[i].called);
	}
	free(o->task);
	free(o->block);
	free(o);
	c->order = NULL;
}
