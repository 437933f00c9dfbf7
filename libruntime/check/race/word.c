/* SPDX-License-Identifier: MIT */
/*
 * Words by which threads tell each other, by strong accesses (atomics, volatile, relaxed and so on): a release tells who
 * reads the word strongly afterwards; so does another strong write after a fence, but only of what was before the fence.
 *
 * Scope: what is told with the scope of a block is for this block only, and who reads with that scope learns what its own
 * block told.  What others would have learned is kept beside, so that a race can be explained by it.
 */
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"
#include "check/race/race.h"

#define BUCKETS	4096u
#define MOST	(1u << 20)		/* words of a context; then several share one, and some races are missed */
#define TASKS	4u

struct near {				/* told to a block only */
	struct near *next;
	uint32_t cta;
	struct rc_set *told;
};

struct rc_word {
	struct rc_word *next;
	uint64_t at;
	struct rc_set *told;
	struct near *near;
	uint32_t last;			/* block that told last */
	const struct rc_task *task[TASKS];	/* that told */
};

struct rc_words {
	struct rc_word *bucket[BUCKETS];
	uint32_t n;
};

bool chk_race_strict;

static void words_free(struct rc_word *w)
{
	struct rc_word *next;

	for (; w; w = next) {
		struct near *n;

		next = w->next;
		while ((n = w->near)) {
			w->near = n->next;
			rc_set_drop(n->told);
			free(n);
		}
		rc_set_drop(w->told);
		free(w);
	}
}

void rc_words_of(struct rc_cta *c)
{
	words_free(c->telling);
	c->telling = NULL;
}

void rc_words_free(struct chk_ctx *c)
{
	for (unsigned i = 0; c->words && c->words->n && i < BUCKETS; i++)
		words_free(c->words->bucket[i]);
	free(c->words);
	c->words = NULL;
}

static struct rc_word *find(struct rc_word **list, uint64_t at, bool make)
{
	struct rc_word *w;

	for (w = *list; w && w->at != at; w = w->next)
		;
	if (w || !make)
		return w;
	w = calloc(1, sizeof(*w));
	if (w) {
		w->at = at;
		w->next = *list;
		*list = w;
	}
	return w;
}

static struct rc_word *global_word(struct chk_ctx *c, uint64_t at, bool make)
{
	struct rc_word **list, *w;

	if (!c->words && make)
		c->words = calloc(1, sizeof(*c->words));
	if (!c->words)
		return NULL;
	list = &c->words->bucket[(at >> 2) * 0x9e3779b97f4a7c15ull >> 52];
	w = find(list, at, false);
	if (w || (!make && c->words->n < MOST))
		return w;
	if (c->words->n >= MOST)
		return *list;
	w = find(list, at, true);
	c->words->n += w != NULL;
	return w;
}

static struct near *near_of(struct rc_word *w, uint32_t cta, bool make)
{
	struct near *n;

	for (n = w->near; n && n->cta != cta; n = n->next)
		;
	if (n || !make)
		return n;
	n = calloc(1, sizeof(*n));
	if (n) {
		n->cta = cta;
		n->next = w->near;
		w->near = n;
	}
	return n;
}

static void note_task(struct rc_word *w, const struct rc_task *t)
{
	for (unsigned i = 0; i < TASKS; i++)
		if (w->task[i] == t)
			return;
	memmove(&w->task[1], &w->task[0], (TASKS - 1) * sizeof(w->task[0]));
	w->task[0] = t;
}

/* ---- reads ------------------------------------------------------------------------------------- */

/* near: its own block told it. */
static void learn(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t t, struct rc_set *told, bool near)
{
	struct rc_thread *th = &c->thread[t];
	struct rc_set **waits = near ? &th->waits : &th->waits_far;

	if (!chk_race_strict || a->order == PPU_MO_ACQUIRE || a->order >= PPU_MO_ACQ_REL)
		rc_learn(c, t, told);
	else
		*waits = rc_set_join(*waits, told);
}

static void reads(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t t, struct rc_word *w)
{
	struct rc_thread *th = &c->thread[t];
	bool near = a->space == PPU_SPACE_SHARED || w->last == c->number;

	if (near || a->scope != PPU_SCOPE_CTA) {
		learn(c, a, t, w->told, near);
		for (unsigned i = 0; w->told && i < TASKS && w->task[i]; i++)
			if (w->task[i] != c->task)
				rc_task_learns(c->ctx, c->task, w->task[i]);
	} else {
		th->would = rc_set_join(th->would, w->told);
	}
	for (struct near *n = w->near; n; n = n->next)
		if (n->cta == c->number)
			learn(c, a, t, n->told, true);
		else
			th->would = rc_set_join(th->would, n->told);
}

/* ---- writes ------------------------------------------------------------------------------------ */

static void tell(const struct rc_cta *c, uint32_t t, const struct rc_known *k, struct rc_set **to)
{
	struct rc_set *told = rc_told(c, t, k);

	*to = rc_set_join(*to, told);
	rc_set_drop(told);
}

static void writes(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t t, struct rc_word *w)
{
	struct rc_thread *th = &c->thread[t];
	bool releases = a->order >= PPU_MO_RELEASE, shared = a->space == PPU_SPACE_SHARED;
	const struct rc_known *all = releases ? &th->now : th->fence ? &th->fence[shared ? RC_CTA_FENCE : RC_GPU_FENCE] : NULL;
	const struct rc_known *near = releases ? &th->now : th->fence ? &th->fence[RC_CTA_FENCE] : NULL;
	struct near *n;

	if (all && all->clock && (shared || a->scope != PPU_SCOPE_CTA)) {
		tell(c, t, all, &w->told);
		w->last = c->number;
		note_task(w, c->task);
		if (all->clock == near->clock)
			near = NULL;
	}
	n = near && near->clock && !shared ? near_of(w, c->number, true) : NULL;
	if (n)
		tell(c, t, near, &n->told);
	if (releases)
		th->now.clock++;
}

static bool will_tell(const struct rc_thread *th, const struct ppu_seen_access *a)
{
	return a->kind != PPU_SEEN_READ && (a->order >= PPU_MO_RELEASE || th->fence);
}

void rc_through_word(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t t, uint64_t at)
{
	bool tells = will_tell(&c->thread[t], a);

	for (uint64_t word = at & ~3ull; word < at + a->bytes; word += 4) {
		struct rc_word *w = a->space == PPU_SPACE_SHARED ? find(&c->telling, word, tells) : global_word(c->ctx, word, tells);

		if (!w)
			continue;
		if (a->kind != PPU_SEEN_WRITE)
			reads(c, a, t, w);
		if (tells)
			writes(c, a, t, w);
	}
}

void rc_word_told(struct chk_ctx *ctx, uint64_t at, uint64_t bytes, uint32_t block, uint32_t clock, struct rc_task *task)
{
	for (uint64_t word = at & ~3ull; word < at + bytes; word += 4) {
		struct rc_word *w = global_word(ctx, word, true);

		if (!w)
			continue;
		w->told = rc_set_put(w->told, block, rc_entry_new(NULL, 1, 0, clock));
		note_task(w, task);
	}
}

bool rc_word_tells(struct chk_ctx *ctx, uint64_t at)
{
	struct rc_word *w = global_word(ctx, at & ~3ull, false);

	for (unsigned i = 0; w && i < TASKS && w->task[i]; i++)
		if (w->task[i]->chan != RC_HOST)
			return true;
	return false;
}
