/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check/host/host.h"

#define MANY	64u		/* accesses to a page that are seen, until work is given the next time */

struct page {
	uint64_t last;		/* where, and 1: a write.  A loop that waits for a word counts once */
	uint16_t seen;
	uint16_t calls;		/* system calls that use it now */
	bool open;		/* until it is closed with the others */
};

struct host_range {
	struct chk_ctx *ctx;
	uint64_t va, end;
	struct page *page;
	bool closed, changed;	/* changed: a page is open */
};

static struct host_range **all;		/* by address */
static size_t num, cap;
static uint64_t lowest = UINT64_MAX, highest;

static struct page *page_of(const struct host_range *r, uint64_t va)
{
	return &r->page[(va - r->va) / HOST_PAGE];
}

static bool protect(uint64_t va, uint64_t end, int prot)
{
	return !mprotect((void *)(uintptr_t)va, end - va, prot);
}

/* The first range that ends behind va. */
static size_t place_of(uint64_t va)
{
	size_t lo = 0, hi = num;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (all[mid]->end > va)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

struct host_range *host_range(uint64_t va)
{
	size_t i = place_of(va);

	return i < num && all[i]->va <= va ? all[i] : NULL;
}

struct chk_ctx *host_context(const struct host_range *r)
{
	return r->ctx;
}

uint64_t host_range_end(const struct host_range *r)
{
	return r->end;
}

bool host_near(uint64_t va, uint64_t bytes)
{
	return va < __atomic_load_n(&highest, __ATOMIC_RELAXED) && va + bytes > __atomic_load_n(&lowest, __ATOMIC_RELAXED);
}

void chk_host_add(struct chk_ctx *c, uint64_t va, uint64_t bytes)
{
	struct host_range *r = chk_host_watches() ? calloc(1, sizeof(*r)) : NULL;
	uint64_t size = host_page(bytes + HOST_PAGE - 1);
	size_t at = place_of(va);

	if (r && num == cap) {
		struct host_range **v = realloc(all, (cap * 2 + 16) * sizeof(*v));

		if (v) {
			all = v;
			cap = cap * 2 + 16;
		}
	}
	if (r)
		r->page = calloc(size / HOST_PAGE, sizeof(*r->page));
	if (!r || !r->page || num == cap) {
		free(r ? r->page : NULL);
		free(r);
		return;
	}
	r->ctx = c;
	r->va = va;
	r->end = va + size;
	memmove(all + at + 1, all + at, (num++ - at) * sizeof(*all));
	all[at] = r;
	if (va < lowest)
		__atomic_store_n(&lowest, va, __ATOMIC_RELAXED);
	if (r->end > highest)
		__atomic_store_n(&highest, r->end, __ATOMIC_RELAXED);
}

static void open_range(struct host_range *r)
{
	if (r->closed)
		protect(r->va, r->end, PROT_READ | PROT_WRITE);
	for (uint64_t va = r->va; va < r->end && r->changed; va += HOST_PAGE) {
		page_of(r, va)->open = false;
		page_of(r, va)->seen = 0;
	}
	r->closed = r->changed = false;
}

static void drop(size_t i)
{
	struct host_range *r = all[i];

	memmove(all + i, all + i + 1, (--num - i) * sizeof(*all));
	free(r->page);
	free(r);
}

void chk_host_remove(uint64_t va)
{
	struct host_range *r = host_range(va);

	if (!r || r->va != va)
		return;
	open_range(r);
	drop(place_of(va));
}

void chk_host_forget(const struct chk_ctx *c)
{
	for (size_t i = num; i--; )
		if (all[i]->ctx == c)
			drop(i);
}

static void close_range(struct host_range *r)
{
	uint64_t from = r->va;

	for (uint64_t va = r->va; va < r->end; va += HOST_PAGE) {
		struct page *p = page_of(r, va);

		*p = (struct page){ .calls = p->calls };
		if (p->calls) {		/* the kernel is about to use it */
			if (va > from)
				protect(from, va, PROT_NONE);
			from = va + HOST_PAGE;
		}
	}
	if (r->end > from)
		protect(from, r->end, PROT_NONE);
	r->closed = true;
	r->changed = false;
}

void chk_host_close(const struct chk_ctx *c)
{
	if (!num || !host_take_signals())
		return;
	for (size_t i = 0; i < num; i++)
		if (all[i]->ctx == c && (!all[i]->closed || all[i]->changed))
			close_range(all[i]);
}

void chk_host_open(const struct chk_ctx *c)
{
	for (size_t i = 0; i < num; i++)
		if (all[i]->ctx == c && all[i]->closed)
			open_range(all[i]);
}

bool chk_host_unseen(uint64_t va)
{
	struct host_range *r = num ? host_range(va) : NULL;

	return r && !host_is_closed(r, va);
}

bool host_is_closed(const struct host_range *r, uint64_t va)
{
	return r->closed && !page_of(r, va)->open;
}

void host_let(struct host_range *r, uint64_t va, bool calls)
{
	uint64_t at = host_page(va);

	page_of(r, va)->calls += calls;
	/* Too many pieces of memory with rights of their own: then it is open as a whole, and not watched. */
	if (r->closed && !protect(at, at + HOST_PAGE, PROT_READ | PROT_WRITE))
		open_range(r);
}

void host_close_again(uint64_t va, bool calls)
{
	uint64_t at = host_page(va);
	struct host_range *r = host_range(va);
	struct page *p = r ? page_of(r, va) : NULL;

	if (!r)
		return;
	if (calls && p->calls)
		p->calls--;
	if (host_is_closed(r, va) && !p->calls)
		protect(at, at + HOST_PAGE, PROT_NONE);
}

bool host_count(struct host_range *r, uint64_t va, bool writes)
{
	struct page *p = page_of(r, va);
	uint64_t what = va << 1 | writes;

	p->seen += p->last != what;
	p->last = what;
	r->changed = true;
	p->open |= p->seen >= MANY;
	return p->open;
}
