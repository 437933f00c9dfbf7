/* SPDX-License-Identifier: MIT */
/*
 * Who accessed which word of global memory last.  Memory has lines of 32 words.  A line that warps access word by word, each
 * lane the next one, or copies as a whole, has one cell for all; others get a cell for each word.  There are at most MOST
 * of those; then the oldest is forgotten, so that a race with what was accessed long ago can be missed.
 */
#include <stdlib.h>
#include <string.h>

#include "check/race/inner.h"

#define BUCKETS	(1u << 14)
#define LINES	(RC_PAGE / RC_LINE)
#define WORDS	(RC_LINE / 4)
#define MOST	(1u << 19)		/* lines: 1 GiB of cells */

struct page {
	struct page *next;
	uint64_t number;
	struct rc_line line[LINES];
};

struct rc_pages {
	struct page *bucket[BUCKETS];
	struct page *last;
	struct rc_line *turn[MOST];	/* those with cells of their own */
	uint32_t next;
};

static void unite(struct rc_line *l)
{
	for (unsigned i = 0; l->bytes && i < WORDS; i++)
		free(l->bytes[i]);
	free(l->bytes);
	free(l->cell);
	l->bytes = NULL;
	l->cell = NULL;
}

static struct page *page_of(struct chk_ctx *c, uint64_t va)
{
	uint64_t number = va >> RC_PAGE_SHIFT;
	struct rc_pages *all = c->pages;
	struct page **at, *p;

	if (!all)
		all = c->pages = calloc(1, sizeof(*all));
	if (!all)
		return NULL;
	if (all->last && all->last->number == number)
		return all->last;
	at = &all->bucket[number * 0x9e3779b97f4a7c15ull >> 50];
	for (p = *at; p && p->number != number; p = p->next)
		;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return NULL;
		p->number = number;
		p->next = *at;
		*at = p;
	}
	return all->last = p;
}

struct rc_line *rc_line(struct chk_ctx *c, uint64_t va)
{
	struct page *p = page_of(c, va);

	return p ? &p->line[va % RC_PAGE / RC_LINE] : NULL;
}

void rc_line_unite(struct rc_line *l)
{
	unite(l);
	memset(&l->all, 0, sizeof(l->all));
}

static struct rc_seen of_word(const struct rc_seen *s, unsigned word)
{
	struct rc_seen one = *s;

	if (s->row)
		one.thread = (uint16_t)(s->thread + (word >> (s->row - 1)));
	one.row = 0;
	return one;
}

static bool take_apart(struct rc_pages *all, struct rc_line *l)
{
	struct rc_line **turn = &all->turn[all->next];

	l->cell = malloc(WORDS * sizeof(*l->cell));
	if (!l->cell)
		return false;
	for (unsigned i = 0; i < WORDS; i++)
		l->cell[i] = (struct rc_cell){
			.write = of_word(&l->all.write, i),
			.read = { of_word(&l->all.read[0], i), of_word(&l->all.read[1], i) },
			.value = l->value ? l->value[i] : 0,
		};
	if (*turn && *turn != l && (*turn)->cell)
		rc_line_unite(*turn);
	*turn = l;
	all->next = (all->next + 1) % MOST;
	return true;
}

/* Of the host one byte was seen, where its access begins. */
static void not_here(struct rc_seen *s, unsigned byte)
{
	if (s->host && s->thread != RC_WORD && s->thread != byte)
		s->clock = 0;
}

/* From now on each byte of the word has its own cell. */
static struct rc_cell *split(struct rc_line *l, unsigned word)
{
	struct rc_cell *b;

	if (!l->bytes)
		l->bytes = calloc(WORDS, sizeof(struct rc_cell *));
	if (!l->bytes)
		return NULL;
	b = l->bytes[word];
	if (b)
		return b;
	b = l->bytes[word] = malloc(4 * sizeof(*b));
	for (uint32_t i = 0; b && i < 4; i++) {
		b[i] = l->cell[word];
		b[i].value = l->cell[word].value >> 8 * i & 0xff;
		not_here(&b[i].write, i);
		not_here(&b[i].read[0], i);
		not_here(&b[i].read[1], i);
	}
	return b;
}

struct rc_cell *rc_cells(struct chk_ctx *c, uint64_t va, uint32_t n, uint32_t *num)
{
	struct rc_line *l = rc_line(c, va);
	unsigned word = va % RC_LINE / 4;
	struct rc_cell *b;

	*num = 1;
	if (!l || (!l->cell && !take_apart(c->pages, l)))
		return NULL;
	if (n == 4 && !(l->bytes && l->bytes[word]))
		return &l->cell[word];
	*num = n;
	b = split(l, word);
	return b ? b + va % 4 : NULL;
}

void rc_pages_free(struct chk_ctx *c)
{
	struct rc_pages *all = c->pages;
	struct page *p;

	for (unsigned i = 0; all && i < BUCKETS; i++) {
		while ((p = all->bucket[i])) {
			all->bucket[i] = p->next;
			for (unsigned k = 0; k < LINES; k++) {
				unite(&p->line[k]);
				free(p->line[k].value);
			}
			free(p);
		}
	}
	free(all);
	c->pages = NULL;
}
