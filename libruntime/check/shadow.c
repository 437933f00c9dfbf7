/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "check/shadow.h"

#define TOP_BITS	11		/* addresses have 47 bits */
#define MID_BITS	12
#define LEAF_BITS	12
#define MID_SHIFT	(CHK_PAGE_SHIFT + LEAF_BITS)
#define TOP_SHIFT	(MID_SHIFT + MID_BITS)

static struct chk_page full;		/* stands for each page that is wholly in a set; all ones are implied */

/* The place of a page in the tree.  NULL: there is none, or no memory to make one. */
static struct chk_page **place(struct chk_shadow *s, uint64_t va, bool make)
{
	uint64_t t = va >> TOP_SHIFT;
	void **mid, **leaf;

	if (t >> TOP_BITS)
		return NULL;
	if (!s->top && make)
		s->top = calloc(1u << TOP_BITS, sizeof(*s->top));
	if (!s->top)
		return NULL;
	mid = s->top[t];
	if (!mid && make)
		mid = s->top[t] = calloc(1u << MID_BITS, sizeof(*mid));
	if (!mid)
		return NULL;
	mid += va >> MID_SHIFT & ((1u << MID_BITS) - 1);
	if (!*mid && make)
		*mid = calloc(1u << LEAF_BITS, sizeof(*leaf));
	leaf = *mid;
	return leaf ? (struct chk_page **)&leaf[va >> CHK_PAGE_SHIFT & ((1u << LEAF_BITS) - 1)] : NULL;
}

/* A page of its own, for one that changes in part. */
static struct chk_page *own(struct chk_page **p)
{
	struct chk_page *n;

	if (*p && *p != &full)
		return *p;
	n = malloc(sizeof(*n));
	if (!n)
		return NULL;
	memset(n, *p ? 0xff : 0, sizeof(*n));
	*p = n;
	return n;
}

static void change(struct chk_page *p, unsigned from, unsigned to, bool in)
{
	for (; from < to && from % 64; from++)
		p->bit[from / 64] = (p->bit[from / 64] & ~(1ull << from % 64)) | (uint64_t)in << from % 64;
	for (; from + 64 <= to; from += 64)
		p->bit[from / 64] = in ? ~0ull : 0;
	for (; from < to; from++)
		p->bit[from / 64] = (p->bit[from / 64] & ~(1ull << from % 64)) | (uint64_t)in << from % 64;
}

bool chk_shadow_set(struct chk_shadow *s, uint64_t va, uint64_t bytes, bool in)
{
	bool ok = true;

	s->last = 0;
	while (bytes) {
		unsigned off = va % CHK_PAGE, n = CHK_PAGE - off;
		struct chk_page **p = place(s, va, in), *mine;

		if (n > bytes)
			n = (unsigned)bytes;
		if (!p) {
			ok &= !in;
		} else if (n == CHK_PAGE) {
			if (*p != &full)
				free(*p);
			*p = in ? &full : NULL;
		} else if (*p != (in ? &full : NULL)) {
			mine = own(p);
			if (mine)
				change(mine, off, off + n, in);
			ok &= mine != NULL;
		}
		va += n;
		bytes -= n;
	}
	return ok;
}

static const struct chk_page *look(struct chk_shadow *s, uint64_t va)
{
	uint64_t number = (va >> CHK_PAGE_SHIFT) + 1;

	if (s->last != number) {
		struct chk_page **p = place(s, va, false);

		s->page = p ? *p : NULL;
		s->last = number;
	}
	return s->page;
}

/* The bits of word i of a page that stand for bytes from..to - 1. */
static uint64_t wanted(unsigned i, unsigned from, unsigned to)
{
	uint64_t want = ~0ull;

	if (i == from / 64)
		want &= ~0ull << from % 64;
	if (to - i * 64 < 64)
		want &= (1ull << to % 64) - 1;
	return want;
}

/* Bytes from..to - 1 of a page, which may be NULL: are all of them in the set? */
static bool page_all(const struct chk_page *p, unsigned from, unsigned to)
{
	uint64_t missing = 0;

	if (!p || p == &full)
		return p;
	for (unsigned i = from / 64; i * 64 < to; i++)
		missing |= ~p->bit[i] & wanted(i, from, to);
	return !missing;
}

static bool page_any(const struct chk_page *p, unsigned from, unsigned to)
{
	uint64_t any = 0;

	if (!p || p == &full)
		return p;
	for (unsigned i = from / 64; i * 64 < to; i++)
		any |= p->bit[i] & wanted(i, from, to);
	return any;
}

/* Does the test answer so for any page of these bytes? */
static inline bool answers(struct chk_shadow *s, uint64_t va, uint64_t bytes, bool answer,
			   bool (*test)(const struct chk_page *p, unsigned from, unsigned to))
{
	while (bytes) {
		unsigned off = va % CHK_PAGE, n = CHK_PAGE - off;

		if (n > bytes)
			n = (unsigned)bytes;
		if (test(look(s, va), off, off + n) == answer)
			return true;
		va += n;
		bytes -= n;
	}
	return false;
}

bool chk_shadow_all(struct chk_shadow *s, uint64_t va, uint64_t bytes)
{
	return !answers(s, va, bytes, false, page_all);
}

bool chk_shadow_any(struct chk_shadow *s, uint64_t va, uint64_t bytes)
{
	return answers(s, va, bytes, true, page_any);
}

bool chk_shadow_empty(struct chk_shadow *s, uint64_t va)
{
	return !page_any(look(s, va), 0, CHK_PAGE);
}

void chk_shadow_free(struct chk_shadow *s)
{
	for (unsigned t = 0; s->top && t < 1u << TOP_BITS; t++) {
		void **mid = s->top[t];

		for (unsigned m = 0; mid && m < 1u << MID_BITS; m++) {
			struct chk_page **leaf = mid[m];

			for (unsigned l = 0; leaf && l < 1u << LEAF_BITS; l++)
				if (leaf[l] != &full)
					free(leaf[l]);
			free(leaf);
		}
		free(mid);
	}
	free(s->top);
	memset(s, 0, sizeof(*s));
}
