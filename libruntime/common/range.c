/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "range.h"

int ppu_range_init(struct ppu_range *r, uint64_t start, uint64_t size)
{
	r->cap = 8;
	r->num = size ? 1 : 0;
	r->pieces = 0;
	r->avail = size;
	r->free = calloc(r->cap, sizeof(*r->free));
	if (!r->free)
		return -ENOMEM;
	r->free[0] = (struct ppu_extent){ start, size };
	return 0;
}

void ppu_range_fini(struct ppu_range *r)
{
	free(r->free);
	memset(r, 0, sizeof(*r));
}

/*
 * Makes room for all free extents that there can be with one more piece.  Between two of them lies a piece, so there is
 * one more than pieces at most.  So to give a piece back never needs memory.
 */
static int reserve(struct ppu_range *r)
{
	struct ppu_extent *n;

	if (r->pieces + 2 <= r->cap)
		return 0;
	n = realloc(r->free, 2 * r->cap * sizeof(*n));
	if (!n)
		return -ENOMEM;
	r->free = n;
	r->cap *= 2;
	return 0;
}

static void insert(struct ppu_range *r, size_t at, struct ppu_extent e)
{
	memmove(r->free + at + 1, r->free + at, (r->num - at) * sizeof(*r->free));
	r->free[at] = e;
	r->num++;
}

static void drop(struct ppu_range *r, size_t at)
{
	r->num--;
	memmove(r->free + at, r->free + at + 1, (r->num - at) * sizeof(*r->free));
}

int ppu_range_alloc(struct ppu_range *r, uint64_t size, uint64_t align, uint64_t *start)
{
	if (reserve(r))
		return -ENOMEM;
	for (size_t i = 0; i < r->num; i++) {
		struct ppu_extent *e = &r->free[i];
		uint64_t at = (e->start + align - 1) & ~(align - 1);
		uint64_t skip = at - e->start;
		uint64_t tail;

		if (at < e->start || skip > e->size || e->size - skip < size)
			continue;
		tail = e->size - skip - size;
		if (skip && tail) {
			insert(r, i + 1, (struct ppu_extent){ at + size, tail });
			r->free[i].size = skip;
		} else if (skip) {
			e->size = skip;
		} else if (tail) {
			e->start = at + size;
			e->size = tail;
		} else {
			drop(r, i);
		}
		r->avail -= size;
		r->pieces++;
		*start = at;
		return 0;
	}
	return -ENOMEM;
}

void ppu_range_free(struct ppu_range *r, uint64_t start, uint64_t size)
{
	size_t lo = 0, hi = r->num;
	bool left, right;

	if (!size)
		return;
	while (lo < hi) {	/* first extent after start */
		size_t mid = (lo + hi) / 2;

		if (r->free[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	left = lo > 0 && r->free[lo - 1].start + r->free[lo - 1].size == start;
	right = lo < r->num && start + size == r->free[lo].start;
	if (left && right) {
		r->free[lo - 1].size += size + r->free[lo].size;
		drop(r, lo);
	} else if (left) {
		r->free[lo - 1].size += size;
	} else if (right) {
		r->free[lo].start = start;
		r->free[lo].size += size;
	} else {
		insert(r, lo, (struct ppu_extent){ start, size });
	}
	r->avail += size;
	r->pieces--;
}
