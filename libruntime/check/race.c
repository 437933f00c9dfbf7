/* SPDX-License-Identifier: MIT */
/*
 * racecheck: data races in shared memory.  Two accesses of different threads of a block to one byte race if one of them
 * writes, neither happens before the other, and not both are strong (atomic, volatile, relaxed and so on).
 *
 * What happens before what: each thread has a clock, which moves on whenever others may have got to know what it did.
 * An access is (thread, clock).  A thread knows of each thread of its block up to which clock it is behind it: from
 *
 *   barriers		all that have arrived tell all that go on
 *   warps		lanes that wait for each other (bar.warp.sync, shuffles, votes with a mask) tell each other
 *   strong accesses	a release tells who reads the word strongly afterwards; so does another strong write after a fence, but only
 *			of what was before the fence
 *
 * A barrier makes one table of clocks for all threads that it lets go, which they share until they learn more.  What
 * lanes of a warp tell each other is kept in 32 clocks of each lane.
 *
 * Kept for each word, or for each byte of words that somebody accessed in part: the last write and two reads.  So of three
 * threads that read, and a fourth that writes, one pair is found for sure, not each.  Two writes of the same value are no
 * finding.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hw/ppu_isa.h>
#include "check/cta.h"
#include "check/race.h"

struct table {				/* of clocks, by thread */
	uint32_t refs;
	uint32_t clock[];
};

struct seen {				/* an access; clock 0: none */
	uint32_t clock, pc;
	uint16_t thread;
	uint8_t strong, kind;
};

struct cell {				/* of a byte; of the four bytes of a word that is not split, the first one's */
	struct seen write, read[2];
	uint32_t value;			/* that was written */
};

struct word {				/* through which threads tell each other */
	struct word *next;
	uint32_t off;
	struct table *told;
};

struct known {			/* of a thread: what is behind it */
	uint32_t clock;			/* the thread's own */
	struct table *base;		/* NULL: nothing yet */
	uint32_t warp[PPU_OBSERVE_LANES];
};

struct thread {
	struct known now;
	struct known fence;		/* at its last one; clock 0: there was none */
};

struct chk_race_cta {
	struct chk_cta is;
	uint32_t threads;
	struct cell *cell;
	uint8_t *split;			/* by word: its bytes have cells of their own */
	struct word *words;
	struct thread thread[];
};

/* ---- who knows what ---------------------------------------------------------------------------- */

static void drop(struct table *t)
{
	if (t && !--t->refs)
		free(t);
}

static struct table *share(struct table *t)
{
	if (t)
		t->refs++;
	return t;
}

static struct table *table_new(const struct chk_race_cta *c)
{
	struct table *t = calloc(1, sizeof(*t) + c->threads * sizeof(t->clock[0]));

	if (t)
		t->refs = 1;
	return t;
}

static void raise_to(uint32_t *clock, uint32_t to)
{
	if (*clock < to)
		*clock = to;
}

static void add_table(const struct chk_race_cta *c, struct table *to, const struct table *from)
{
	for (uint32_t i = 0; from && i < c->threads; i++)
		raise_to(&to->clock[i], from->clock[i]);
}

/* What thread t knows of its warp, and what it did itself. */
static void add_warp(const struct chk_race_cta *c, struct table *to, uint32_t t, const struct known *k)
{
	uint32_t first = t & ~(PPU_OBSERVE_LANES - 1u);

	for (uint32_t l = 0; l < PPU_OBSERVE_LANES && first + l < c->threads; l++)
		raise_to(&to->clock[first + l], k->warp[l]);
	raise_to(&to->clock[t], k->clock);
}

static void learn(const struct chk_race_cta *c, struct known *k, struct table *t)
{
	struct table *n;

	if (!t || k->base == t)
		return;
	if (!k->base) {
		k->base = share(t);
		return;
	}
	n = table_new(c);
	if (!n)
		return;
	add_table(c, n, k->base);
	add_table(c, n, t);
	drop(k->base);
	k->base = n;
}

static bool is_behind(const struct chk_race_cta *c, uint32_t t, const struct seen *s)
{
	const struct known *k = &c->thread[t].now;

	if (!s->clock || s->thread == t || (k->base && k->base->clock[s->thread] >= s->clock))
		return true;
	return (t ^ s->thread) < PPU_OBSERVE_LANES && k->warp[s->thread % PPU_OBSERVE_LANES] >= s->clock;
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void end(struct chk_cta *is)
{
	struct chk_race_cta *c = (struct chk_race_cta *)is;
	struct word *w;

	while ((w = c->words)) {
		c->words = w->next;
		drop(w->told);
		free(w);
	}
	for (uint32_t i = 0; i < c->threads; i++) {
		drop(c->thread[i].now.base);
		drop(c->thread[i].fence.base);
	}
	free(c->cell);
	free(c->split);
	free(c);
}

static struct chk_ctas ctas = { .drop = end };

static struct chk_race_cta *cta_of(const struct ppu_seen_cta *s)
{
	struct chk_race_cta *c = chk_cta_find(&ctas, s);
	const uint32_t *b = s->task.block;
	uint32_t n = b[0] * b[1] * b[2];

	if (c)
		return c;
	c = calloc(1, sizeof(*c) + n * sizeof(c->thread[0]));
	if (!c)
		return NULL;
	c->threads = n;
	c->cell = calloc(s->task.shared_bytes + 4, sizeof(*c->cell));
	c->split = calloc(s->task.shared_bytes / 4 + 1, 1);
	for (uint32_t i = 0; i < n; i++)
		c->thread[i].now.clock = 1;
	if (!c->cell || !c->split) {
		end(&c->is);
		return NULL;
	}
	chk_cta_add(&ctas, &c->is, s);
	return c;
}

void chk_race_cta_end(const struct ppu_seen_cta *s)
{
	chk_cta_end(&ctas, s);
}

void chk_race_task_end(const struct ppu_seen_task *t)
{
	chk_cta_end_all(&ctas, t);
}

/* ---- who waits for whom ------------------------------------------------------------------------ */

void chk_race_barrier(struct chk_ctx *ctx, const struct ppu_seen_barrier *b)
{
	struct chk_race_cta *c = cta_of(b->cta);
	struct table *t = c ? table_new(c) : NULL, *last = NULL;

	if (!t)
		return;
	for (uint32_t w = 0; w < b->cta->warps; w++) {
		FOR_LANES(l, b->arrived[w]) {
			const struct known *k = &c->thread[w * PPU_OBSERVE_LANES + l].now;

			if (k->base != last)	/* most have the same one */
				add_table(c, t, k->base);
			last = k->base;
			add_warp(c, t, w * PPU_OBSERVE_LANES + l, k);
		}
	}
	for (uint32_t w = 0; w < b->cta->warps; w++) {
		FOR_LANES(l, b->arrived[w])
			c->thread[w * PPU_OBSERVE_LANES + l].now.clock++;
		FOR_LANES(l, b->waiting[w])
			learn(c, &c->thread[w * PPU_OBSERVE_LANES + l].now, t);
	}
	drop(t);
}

void chk_race_warp(struct chk_ctx *ctx, const struct ppu_seen_warp *at, uint32_t lanes)
{
	struct chk_race_cta *c = cta_of(at->cta);
	struct thread *th = c ? &c->thread[at->warp * PPU_OBSERVE_LANES] : NULL;
	uint32_t all[PPU_OBSERVE_LANES] = { 0 };
	struct table *base = NULL;
	bool same = true, any = false;

	if (!c)
		return;
	FOR_LANES(l, lanes) {
		for (unsigned k = 0; k < PPU_OBSERVE_LANES; k++)
			raise_to(&all[k], th[l].now.warp[k]);
		raise_to(&all[l], th[l].now.clock);
		same &= !any || base == th[l].now.base;
		base = th[l].now.base;
		any = true;
	}
	base = same ? NULL : table_new(c);
	if (base)
		FOR_LANES(l, lanes)
			add_table(c, base, th[l].now.base);
	FOR_LANES(l, lanes) {
		memcpy(th[l].now.warp, all, sizeof(all));
		th[l].now.clock++;
		if (base) {
			drop(th[l].now.base);
			th[l].now.base = share(base);
		}
	}
	drop(base);
}

void chk_race_fence(struct chk_ctx *ctx, const struct ppu_seen_warp *at, uint32_t lanes)
{
	struct chk_race_cta *c = cta_of(at->cta);

	if (!c)
		return;
	FOR_LANES(l, lanes) {
		struct thread *th = &c->thread[at->warp * PPU_OBSERVE_LANES + l];

		drop(th->fence.base);
		th->fence = th->now;
		share(th->fence.base);
		th->now.clock++;
	}
}

static struct word *word_of(struct chk_race_cta *c, uint32_t off, bool make)
{
	struct word *w;

	for (w = c->words; w && w->off != off; w = w->next)
		;
	if (w || !make)
		return w;
	w = calloc(1, sizeof(*w));
	if (w) {
		w->off = off;
		w->next = c->words;
		c->words = w;
	}
	return w;
}

/* A strong access: who reads gets to know, who writes tells. */
static void through_word(struct chk_race_cta *c, const struct ppu_seen_access *a, uint32_t t, uint32_t off)
{
	struct thread *th = &c->thread[t];
	const struct known *what = a->order >= PPU_MO_RELEASE ? &th->now : &th->fence;
	bool tells = a->kind != PPU_SEEN_READ && what->clock;
	struct word *w;
	struct table *n;

	off &= ~3u;
	w = word_of(c, off, tells);
	if (!w)
		return;
	if (a->kind != PPU_SEEN_WRITE)
		learn(c, &th->now, w->told);
	if (!tells)
		return;
	n = table_new(c);
	if (!n)
		return;
	add_table(c, n, w->told);
	add_table(c, n, what->base);
	add_warp(c, n, t, what);
	drop(w->told);
	w->told = n;
	th->now.clock++;
}

/* ---- accesses ---------------------------------------------------------------------------------- */

static const char *const does[] = { [PPU_SEEN_READ] = "read", [PPU_SEEN_WRITE] = "write", [PPU_SEEN_ATOMIC] = "atomic" };

/* The same for both orders. */
static uint64_t pair(uint32_t one, uint32_t two)
{
	return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

static void tell(struct chk_ctx *ctx, const struct ppu_seen_access *a, uint32_t lane, uint32_t bytes,
		 const struct cell *cell, const struct seen *other)
{
	struct ppu_seen_warp at = a->at;
	struct chk_place one, two;
	char against[96];
	struct chk_finding f = {
		.kind = CHK_RACE, .place = &one, .other = &two, .other_does = against, .access = does[a->kind],
		.space = "shared", .address = a->addr[lane], .bytes = a->bytes, .same = pair(a->at.pc, other->pc),
	};
	int n;

	chk_place_of(ctx, &a->at, 1u << lane, &one);
	at.warp = other->thread / PPU_OBSERVE_LANES;
	at.pc = other->pc;
	chk_place_of(ctx, &at, 1u << other->thread % PPU_OBSERVE_LANES, &two);
	n = snprintf(f.what, sizeof(f.what), "%s of %u byte%s of shared memory at 0x%llx", does[a->kind], a->bytes,
		     a->bytes == 1 ? "" : "s", (unsigned long long)a->addr[lane]);
	if (a->kind == PPU_SEEN_WRITE)
		snprintf(f.what + n, sizeof(f.what) - (size_t)n, ", value 0x%x", a->value[0][lane]);
	n = snprintf(against, sizeof(against), "%s that is not ordered with it", does[other->kind]);
	if (other == &cell->write && other->kind == PPU_SEEN_WRITE)
		snprintf(against + n, sizeof(against) - (size_t)n, "; %s became 0x%x", bytes == 1 ? "the byte" : "the word",
			 cell->value);
	chk_report(&f);
}

/* Byte k of what a lane writes. */
static uint8_t value_of(const struct ppu_seen_access *a, uint32_t lane, uint32_t k)
{
	uint32_t row = a->element < 4 ? k / a->element : k / 4, byte = a->element < 4 ? k % a->element : k % 4;

	return (uint8_t)(a->value[row][lane] >> 8 * byte);
}

static void note_read(const struct chk_race_cta *c, struct cell *cell, const struct seen *me)
{
	/* A read that is behind this one says no more than this one does. */
	unsigned i = cell->read[0].thread == me->thread || is_behind(c, me->thread, &cell->read[0]) ? 0 : 1;

	cell->read[i] = *me;
}

/* n: bytes of the cell; k: of the access, where it begins.  True: a race was told. */
static bool one_cell(struct chk_ctx *ctx, struct chk_race_cta *c, const struct ppu_seen_access *a, uint32_t lane,
		     uint32_t k, uint32_t n, const struct seen *me)
{
	struct cell *cell = &c->cell[a->addr[lane] + k];
	const struct seen *bad = NULL;
	bool writes = a->kind == PPU_SEEN_WRITE, same;
	uint32_t value = 0;

	for (uint32_t i = 0; writes && i < n; i++)
		value |= (uint32_t)value_of(a, lane, k + i) << 8 * i;
	same = writes && cell->write.kind == PPU_SEEN_WRITE && cell->value == value;
	if (!is_behind(c, me->thread, &cell->write) && !(me->strong && cell->write.strong) && !same)
		bad = &cell->write;
	for (unsigned i = 0; i < 2 && !bad && a->kind != PPU_SEEN_READ; i++)
		if (!is_behind(c, me->thread, &cell->read[i]) && !(me->strong && cell->read[i].strong))
			bad = &cell->read[i];
	if (bad)
		tell(ctx, a, lane, n, cell, bad);
	if (a->kind == PPU_SEEN_READ) {
		note_read(c, cell, me);
	} else {
		cell->write = *me;
		cell->value = value;
	}
	return bad;
}

/* From now on each byte of the word has its own cell. */
static void split(struct chk_race_cta *c, uint64_t word)
{
	struct cell *cell = &c->cell[4 * word];

	if (c->split[word])
		return;
	c->split[word] = 1;
	for (uint32_t i = 1; i < 4; i++) {
		cell[i] = cell[0];
		cell[i].value = cell[0].value >> 8 * i & 0xff;
	}
	cell[0].value &= 0xff;
}

static void one_lane(struct chk_ctx *ctx, struct chk_race_cta *c, const struct ppu_seen_access *a, uint32_t lane,
		     const struct seen *me)
{
	uint32_t k, n;

	if (a->bytes < 4)
		split(c, a->addr[lane] / 4);
	for (k = 0; k < a->bytes; k += n) {
		n = c->split[(a->addr[lane] + k) / 4] ? 1 : 4;
		if (one_cell(ctx, c, a, lane, k, n, me))
			return;
	}
}

void chk_race_access(struct chk_ctx *ctx, const struct ppu_seen_access *a)
{
	struct chk_race_cta *c = a->space == PPU_SPACE_SHARED && !a->fault ? cta_of(a->at.cta) : NULL;
	bool strong = a->order != PPU_MO_WEAK || a->kind == PPU_SEEN_ATOMIC;

	if (!c)
		return;
	FOR_LANES(l, a->lanes) {
		uint32_t t = a->at.warp * PPU_OBSERVE_LANES + l;
		struct seen me = { c->thread[t].now.clock, a->at.pc, (uint16_t)t, strong, (uint8_t)a->kind };

		if (strong && a->kind != PPU_SEEN_WRITE)	/* what it reads is told before */
			through_word(c, a, t, (uint32_t)a->addr[l]);
		one_lane(ctx, c, a, l, &me);
		if (strong && a->kind == PPU_SEEN_WRITE)
			through_word(c, a, t, (uint32_t)a->addr[l]);
	}
}
