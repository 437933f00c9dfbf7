/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Semaphores: the words somebody waits for, and those who wait.
 *
 * A word is an aligned 8-byte granule of physical memory with at least one waiter; a 32-bit waiter
 * looks at one half.  Words are found by address (a single store) or by their page (a range written
 * by a copy engine), so a write costs nothing to waiters of other words.  For every waiter of a word
 * its condition was false when the word held `last`; when the word changes, all are evaluated, and
 * those whose condition holds are woken, oldest first.
 *
 * While the host interface executes an indivisible run of commands (A-CP-6, CP-28) changed words are
 * only marked; ppu_sem_flush() evaluates them at the run's end.
 *
 * Words and pages come from a pool that is as large as it can ever have to be, so nobody's wait fails for want of
 * memory.
 */
#include <string.h>
#include <hw/ppu_cmd.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/base/trace.h"
#include "core/memory/ctx.h"
#include "core/memory/refmap.h"
#include "core/memory/sem.h"
#include "core/memory/watch.h"

#define HASH_SIZE 4096
#define FEW_WORDS 32			/* longest range that is looked up word by word */

struct ppu_sem_word {
	struct ppu_phys p;		/* of the granule */
	uint64_t va;			/* for traces: as its first waiter named it; of a watch: physical */
	uint64_t last;
	struct ppu_waiter *first, *tail;
	struct ppu_sem_word *hash_next;
	struct ppu_sem_word *prev, *next;		/* all words, in order of creation */
	struct ppu_sem_word *page_prev, *page_next;	/* of one page */
	struct ppu_sem_word *dirty_next;
	bool dirty, in_use, has32;
};

struct sem_page {
	uint64_t key;
	struct ppu_sem_word *first, *tail;
	struct sem_page *hash_next;
};

struct ppu_sems {
	struct ppu_sem_word *words[HASH_SIZE], *first, *tail, *dirty, *dirty_tail;
	struct sem_page *pages[HASH_SIZE];
	struct ppu_waiter *armed, *armed_tail;
	uint32_t num_words;
	/* The pool: never used so far, from these numbers on; used before and free again. */
	struct ppu_sem_word *word_pool, *free_words;
	struct sem_page *page_pool, *free_pages;
	uint32_t fresh_words, fresh_pages, pool_size;
	unsigned hold;			/* evaluate later: we are inside a walk over waiters */
	uint64_t stamp;
};

bool ppu_sem_compare(unsigned op, uint64_t word, uint64_t value, bool is32)
{
	if (is32) {
		word = (uint32_t)word;
		value = (uint32_t)value;
	}
	switch (op) {
	case PPU_SEM_OP_EQ: return word == value;
	case PPU_SEM_OP_GE: return word >= value;
	case PPU_SEM_OP_ZERO: return word == 0;
	case PPU_SEM_OP_NE: return word != value;
	case PPU_SEM_OP_CIRC_GE:
		return is32 ? (int32_t)((uint32_t)word - (uint32_t)value) >= 0
			    : (int64_t)(word - value) >= 0;
	case PPU_SEM_OP_ANYBIT: return (word & value) != 0;
	case PPU_SEM_OP_NOR: return (word | value) != (is32 ? UINT32_MAX : UINT64_MAX);
	}
	return false;
}

static uint64_t word_key(struct ppu_phys p)
{
	return (p.addr & ~7ull) | p.sys;
}

static uint64_t page_key(struct ppu_phys p)
{
	return (p.addr & ~(PPU_PAGE_SIZE - 1)) | p.sys;
}

static struct ppu_sem_word **word_bucket(struct ppu_sems *s, struct ppu_phys p)
{
	return &s->words[ppu_hash64(word_key(p)) % HASH_SIZE];
}

static struct ppu_sem_word *find_word(struct ppu_sems *s, struct ppu_phys p)
{
	struct ppu_sem_word *w = *word_bucket(s, p);

	while (w && word_key(w->p) != word_key(p))
		w = w->hash_next;
	return w;
}

static struct sem_page **find_page(struct ppu_sems *s, struct ppu_phys p)
{
	struct sem_page **pg = &s->pages[ppu_hash64(page_key(p)) % HASH_SIZE];

	while (*pg && (*pg)->key != page_key(p))
		pg = &(*pg)->hash_next;
	return pg;
}

bool ppu_sem_load(struct ppu_core *core, struct ppu_phys p, uint64_t *v)
{
	uint64_t len = 8;
	const uint64_t *host = (const uint64_t *)ppu_mem_map(core, p, &len, false);

	if (!host || len < 8)
		return false;
	*v = __atomic_load_n(host, __ATOMIC_ACQUIRE);
	return true;
}

static bool holds(const struct ppu_waiter *w, uint64_t word)
{
	if (w->is32 && (w->addr & 4))
		word >>= 32;
	return ppu_sem_compare(w->op, word, w->value, w->is32);
}

static void put_word(struct ppu_core *core, struct ppu_sem_word *w);

/*
 * Frees the words that nobody waits for.  They are those that were written, and then lost their waiters, while a
 * run of commands goes on; to evaluate them would wake nobody.
 */
static void put_unused(struct ppu_core *core)
{
	struct ppu_sems *s = core->sems;
	struct ppu_sem_word *w, *next, **at = &s->dirty;

	s->dirty_tail = NULL;
	while ((w = *at)) {
		if (w->first) {
			s->dirty_tail = w;
			at = &w->dirty_next;
		} else {
			*at = w->dirty_next;
			w->dirty = false;
		}
	}
	for (w = s->first; w; w = next) {
		next = w->next;
		put_word(core, w);
	}
}

static struct ppu_sem_word *take_word(struct ppu_core *core)
{
	struct ppu_sems *s = core->sems;
	struct ppu_sem_word *w;

	if (!s->free_words && s->fresh_words == s->pool_size)
		put_unused(core);
	w = s->free_words;
	if (w)
		s->free_words = w->hash_next;
	else
		w = &s->word_pool[s->fresh_words++];
	memset(w, 0, sizeof(*w));
	return w;
}

/* There are as many pages as words, so there is one. */
static struct sem_page *take_page(struct ppu_sems *s)
{
	struct sem_page *page = s->free_pages;

	if (page)
		s->free_pages = page->hash_next;
	else
		page = &s->page_pool[s->fresh_pages++];
	memset(page, 0, sizeof(*page));
	return page;
}

static struct ppu_sem_word *new_word(struct ppu_core *core, struct ppu_phys p, uint64_t va)
{
	struct ppu_sems *s = core->sems;
	struct ppu_sem_word *w = take_word(core), **b;
	struct sem_page **pg;

	w->p = (struct ppu_phys){ p.addr & ~7ull, p.sys };
	w->va = va & ~7ull;
	b = word_bucket(s, p);
	w->hash_next = *b;
	*b = w;
	w->prev = s->tail;
	*(s->tail ? &s->tail->next : &s->first) = w;
	s->tail = w;
	pg = find_page(s, p);
	if (!*pg) {
		*pg = take_page(s);
		(*pg)->key = page_key(p);
	}
	w->page_prev = (*pg)->tail;
	*((*pg)->tail ? &(*pg)->tail->page_next : &(*pg)->first) = w;
	(*pg)->tail = w;
	s->num_words++;
	ppu_mem_watch(core, w->p);
	return w;
}

/* Frees a word nobody waits for. */
static void put_word(struct ppu_core *core, struct ppu_sem_word *w)
{
	struct ppu_sems *s = core->sems;
	struct ppu_sem_word **b;
	struct sem_page **pg, *page;

	if (w->first || w->dirty || w->in_use)
		return;
	for (b = word_bucket(s, w->p); *b != w; b = &(*b)->hash_next)
		;
	*b = w->hash_next;
	*(w->prev ? &w->prev->next : &s->first) = w->next;
	*(w->next ? &w->next->prev : &s->tail) = w->prev;
	pg = find_page(s, w->p);
	page = *pg;
	*(w->page_prev ? &w->page_prev->page_next : &page->first) = w->page_next;
	*(w->page_next ? &w->page_next->page_prev : &page->tail) = w->page_prev;
	if (!page->first) {
		*pg = page->hash_next;
		page->hash_next = s->free_pages;
		s->free_pages = page;
	}
	s->num_words--;
	ppu_mem_unwatch(core, w->p);
	w->hash_next = s->free_words;
	s->free_words = w;
}

/* Lists of waiters are in order of stamp.  A new waiter has the highest stamp. */
static void link_waiter(struct ppu_core *core, struct ppu_waiter *w, struct ppu_sem_word *word)
{
	struct ppu_sems *s = core->sems;
	struct ppu_waiter **head = w->ctx ? &w->ctx->sem.first : &s->armed;
	struct ppu_waiter **tail = w->ctx ? &w->ctx->sem.tail : &s->armed_tail;
	struct ppu_waiter *after = word->tail;

	while (after && after->stamp > w->stamp)
		after = after->prev;
	w->word = word;
	w->prev = after;
	w->next = after ? after->next : word->first;
	*(after ? &after->next : &word->first) = w;
	*(w->next ? &w->next->prev : &word->tail) = w;

	after = *tail;
	while (after && after->stamp > w->stamp)
		after = after->ctx_prev;
	w->ctx_prev = after;
	w->ctx_next = after ? after->ctx_next : *head;
	*(after ? &after->ctx_next : head) = w;
	*(w->ctx_next ? &w->ctx_next->ctx_prev : tail) = w;
	word->has32 |= w->is32;
}

void ppu_sem_unwait(struct ppu_core *core, struct ppu_waiter *w)
{
	struct ppu_sems *s = core->sems;
	struct ppu_sem_word *word = w->word;

	if (!word)
		return;
	*(w->prev ? &w->prev->next : &word->first) = w->next;
	*(w->next ? &w->next->prev : &word->tail) = w->prev;
	*(w->ctx_prev ? &w->ctx_prev->ctx_next : w->ctx ? &w->ctx->sem.first : &s->armed) = w->ctx_next;
	*(w->ctx_next ? &w->ctx_next->ctx_prev : w->ctx ? &w->ctx->sem.tail : &s->armed_tail) =
		w->ctx_prev;
	w->word = NULL;
	w->prev = w->next = w->ctx_prev = w->ctx_next = NULL;
	put_word(core, word);
}

static void mark_dirty(struct ppu_sems *s, struct ppu_sem_word *w)
{
	if (w->dirty)
		return;
	w->dirty = true;
	w->dirty_next = NULL;
	*(s->dirty ? &s->dirty_tail->dirty_next : &s->dirty) = w;
	s->dirty_tail = w;
}

static void trace_write(struct ppu_core *core, const struct ppu_sem_word *w, unsigned writer,
			unsigned unit, uint64_t new)
{
	if (!ppu_tracing(core))
		return;
	if (!w->has32) {
		PPU_TRACE(core, SEM_WRITE, unit, writer, w->va, w->last, new);
		return;
	}
	for (unsigned half = 0; half < 64; half += 32)
		if ((uint32_t)(w->last >> half) != (uint32_t)(new >> half))
			PPU_TRACE(core, SEM_WRITE, unit, writer, w->va + half / 8,
				  (uint32_t)(w->last >> half), (uint32_t)(new >> half));
}

/* Has the word changed since it was last evaluated?  The write of a host command is traced by the command. */
static void look(struct ppu_core *core, struct ppu_sem_word *w, unsigned writer, unsigned unit)
{
	uint64_t cur;

	if (!ppu_sem_load(core, w->p, &cur) || cur == w->last)
		return;
	if (writer != PPU_TRW_COMMAND)
		trace_write(core, w, writer, unit, cur);
	w->last = cur;
	mark_dirty(core->sems, w);
}

static void evaluate(struct ppu_core *core, struct ppu_sem_word *word)
{
	struct ppu_waiter *w, *next;
	uint64_t cur;

	if (!ppu_sem_load(core, word->p, &cur))
		cur = word->last;
	word->last = cur;
	word->in_use = true;
	for (w = word->first; w; w = next) {
		next = w->next;
		if (!holds(w, cur))
			continue;
		core->ctr[PPU_CTR_SEM_WAKES]++;
		w->wake(core, w, cur);
	}
	word->in_use = false;
	put_word(core, word);
}

void ppu_sem_flush(struct ppu_core *core)
{
	struct ppu_sems *s = core->sems;

	if (s->hold)
		return;
	s->hold++;
	while (s->dirty) {
		struct ppu_sem_word *w = s->dirty;

		s->dirty = w->dirty_next;
		w->dirty = false;
		evaluate(core, w);
	}
	s->hold--;
}

static void flush_unless_run(struct ppu_core *core)
{
	if (core->sems->dirty && !ppu_host_in_run(core))
		ppu_sem_flush(core);
}

bool ppu_sem_wait(struct ppu_core *core, struct ppu_waiter *w, struct ppu_phys p, uint64_t va)
{
	struct ppu_sems *s = core->sems;
	struct ppu_phys granule = { p.addr & ~7ull, p.sys };
	struct ppu_sem_word *word = find_word(s, p);
	uint64_t cur;

	if (!ppu_sem_load(core, granule, &cur))
		cur = 0;
	w->addr = p.addr;
	if (holds(w, cur))
		return false;
	if (!word) {
		word = new_word(core, p, va);
		word->last = cur;
	}
	w->stamp = s->stamp++;
	link_waiter(core, w, word);
	/* A plain store of the CPU may have changed the word unnoticed: the device sees the new value only
	 * now. */
	if (cur != word->last) {
		look(core, word, PPU_TRW_CPU, PPU_TR_NO_UNIT);
		flush_unless_run(core);
	}
	return true;
}

void ppu_sem_written(struct ppu_core *core, struct ppu_phys p, uint64_t len, unsigned writer,
		     unsigned unit)
{
	struct ppu_sems *s = core->sems;
	uint64_t end = p.addr + len;

	if (!len || !s->num_words || !ppu_mem_watched_range(core, p, len))
		return;
	if (len <= FEW_WORDS * 8) {
		struct ppu_phys at = { p.addr & ~7ull, p.sys };

		for (; at.addr < end; at.addr += 8) {
			struct ppu_sem_word *w = find_word(s, at);

			if (w)
				look(core, w, writer, unit);
		}
	} else {
		struct ppu_phys at = { p.addr & ~(PPU_PAGE_SIZE - 1), p.sys };

		for (; at.addr < end; at.addr += PPU_PAGE_SIZE) {
			struct sem_page *pg = *find_page(s, at);

			for (struct ppu_sem_word *w = pg ? pg->first : NULL; w; w = w->page_next)
				if (w->p.addr + 8 > p.addr && w->p.addr < end)
					look(core, w, writer, unit);
		}
	}
	flush_unless_run(core);
}

void ppu_sem_kick(struct ppu_core *core, struct ppu_ctx *ctx, unsigned unit)
{
	struct ppu_sems *s = core->sems;

	if (ctx) {
		for (struct ppu_waiter *w = ctx->sem.first; w; w = w->ctx_next)
			look(core, w->word, PPU_TRW_CPU, unit);
		for (struct ppu_waiter *w = s->armed; w; w = w->ctx_next)
			look(core, w->word, PPU_TRW_CPU, unit);
	} else {
		for (struct ppu_sem_word *w = s->first; w; w = w->next)
			look(core, w, PPU_TRW_CPU, unit);
	}
	flush_unless_run(core);
}

void ppu_sem_remap(struct ppu_core *core, struct ppu_ctx *ctx)
{
	struct ppu_sems *s = core->sems;

	if (ctx) {
		while (ctx->sem.first)
			ctx->sem.first->wake(core, ctx->sem.first, 0);
		return;
	}
	for (struct ppu_sem_word *word = s->first, *next; word; word = next) {
		struct ppu_waiter *w, *w_next;

		word->in_use = true;
		for (w = word->first; w; w = w_next) {
			w_next = w->next;
			if (w->ctx)
				w->wake(core, w, 0);
		}
		word->in_use = false;
		next = word->next;
		put_word(core, word);
	}
}

/* ---- unit -------------------------------------------------------------------------------------- */

int ppu_sems_create(struct ppu_core *core)
{
	struct ppu_sems *s = core->sems = ppu_alloc(1, sizeof(*s));

	if (!s)
		return -1;
	s->pool_size = ppu_mem_most_words(core) + 1;	/* one whose waiters are just being woken */
	s->word_pool = ppu_alloc(s->pool_size, sizeof(*s->word_pool));
	s->page_pool = ppu_alloc(s->pool_size, sizeof(*s->page_pool));
	return s->word_pool && s->page_pool ? ppu_watches_create(core) : -1;
}

/* The channels have let go of their waiters already (reset order). */
void ppu_sems_reset(struct ppu_core *core)
{
	struct ppu_sems *s = core->sems;

	s->hold = 0;
	ppu_watches_reset(core);
	while (s->dirty) {
		struct ppu_sem_word *w = s->dirty;

		s->dirty = w->dirty_next;
		w->dirty = false;
		put_word(core, w);
	}
	while (s->first) {
		while (s->first->first)
			ppu_sem_unwait(core, s->first->first);
		if (s->first)
			put_word(core, s->first);
	}
	s->stamp = 0;
}

void ppu_sems_destroy(struct ppu_core *core)
{
	if (!core->sems)
		return;
	if (core->watches)
		ppu_sems_reset(core);
	ppu_watches_destroy(core);
	ppu_free(core->sems->word_pool);
	ppu_free(core->sems->page_pool);
	ppu_free(core->sems);
	core->sems = NULL;
}

/* Called by the unit that owns a waiter, after the words are loaded. */
void ppu_sem_io_waiter(struct ppu_core *core, struct ppu_io *io, struct ppu_waiter *w)
{
	bool waiting = w->word != NULL;
	uint8_t sys = waiting ? w->word->p.sys : 0;
	struct ppu_sem_word *word;

	ppu_io_bool(io, &waiting);
	if (!waiting)
		return;
	ppu_io_u64(io, &w->addr);
	ppu_io_u8(io, &sys);
	ppu_io_u64(io, &w->value);
	ppu_io_u64(io, &w->stamp);
	ppu_io_u8(io, &w->op);
	ppu_io_u8(io, &w->is32);
	if (!io->loading || io->failed)
		return;
	word = find_word(core->sems, (struct ppu_phys){ w->addr, sys });
	if (!word || w->op > PPU_SEM_OP_MAX || w->is32 > 1 || sys > 1 ||
	    w->addr % (w->is32 ? 4 : 8) || w->stamp >= core->sems->stamp) {
		ppu_io_fail(io, "a waiter without its word");
		return;
	}
	link_waiter(core, w, word);
}

void ppu_sems_io(struct ppu_core *core, struct ppu_io *io)
{
	struct ppu_sems *s = core->sems;
	struct ppu_sem_word *w = s->first;
	uint32_t n = s->num_words, dirty = 0;

	ppu_io_u64(io, &s->stamp);
	ppu_io_u32(io, &n);
	if (n > core->cfg.channels + core->cfg.watches + core->cfg.run_limit + core->cfg.task_records) {
		ppu_io_fail(io, "too many semaphore words");
		return;
	}
	for (uint32_t i = 0; i < n && !io->failed; i++) {
		struct ppu_sem_word t = { 0 };

		if (!io->loading)
			t = *w;
		ppu_io_u64(io, &t.p.addr);
		ppu_io_u8(io, &t.p.sys);
		ppu_io_u64(io, &t.va);
		ppu_io_u64(io, &t.last);
		ppu_io_bool(io, &t.has32);
		if (!io->loading) {
			w = w->next;
			continue;
		}
		if (io->failed || t.p.addr % 8 || t.p.sys > 1 || find_word(s, t.p)) {
			ppu_io_fail(io, "bad semaphore word");
			return;
		}
		w = new_word(core, t.p, t.va);
		w->last = t.last;
		w->has32 = t.has32;
	}
	for (w = s->dirty; w; w = w->dirty_next)
		dirty++;
	ppu_io_u32(io, &dirty);
	w = s->dirty;
	for (uint32_t i = 0; i < dirty && !io->failed; i++) {
		struct ppu_phys p = { 0 };

		if (!io->loading)
			p = w->p;
		ppu_io_u64(io, &p.addr);
		ppu_io_u8(io, &p.sys);
		if (!io->loading) {
			w = w->dirty_next;
			continue;
		}
		w = p.sys > 1 ? NULL : find_word(s, p);
		if (!w || w->dirty) {
			ppu_io_fail(io, "bad list of written words");
			return;
		}
		mark_dirty(s, w);
	}
	ppu_watches_io(core, io);
}
