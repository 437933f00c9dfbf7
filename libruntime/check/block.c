/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/block.h"

#define KEEP_DEAD 4096

/* Index of the first block above va. */
static size_t above(const struct chk_blocks *b, uint64_t va)
{
	size_t lo = 0, hi = b->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (b->v[mid].va <= va)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Of a dead block that has lost its middle, the larger part is remembered. */
static void take_from(struct chk_span *s, uint64_t from, uint64_t to)
{
	uint64_t before = from > s->from ? from - s->from : 0, behind = s->to > to ? s->to - to : 0;

	if (from >= s->to || to <= s->from)
		return;
	if (before >= behind)
		s->to = s->from + before;
	else
		s->from = to;
}

struct chk_block *chk_block_add(struct chk_blocks *b, uint64_t va, uint64_t bytes, uint64_t room, enum chk_what what)
{
	size_t at;

	for (size_t i = 0; i < b->num_dead; i++)
		take_from(&b->theirs[i], va, va + room);
	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 64;
		struct chk_block *v = realloc(b->v, cap * sizeof(*v));

		if (!v)
			return NULL;
		b->v = v;
		b->cap = cap;
	}
	at = above(b, va);
	memmove(b->v + at + 1, b->v + at, (b->n - at) * sizeof(*b->v));
	memset(&b->v[at], 0, sizeof(b->v[at]));
	b->v[at].va = va;
	b->v[at].bytes = bytes;
	b->v[at].what = what;
	if (what != CHK_INTERNAL && what != CHK_VARIABLE)
		b->v[at].number = ++b->numbers;
	b->n++;
	return &b->v[at];
}

struct chk_block *chk_block_at(const struct chk_blocks *b, uint64_t va)
{
	size_t i = above(b, va);

	return i && b->v[i - 1].va == va ? &b->v[i - 1] : NULL;
}

const struct chk_block *chk_block_below(const struct chk_blocks *b, uint64_t va)
{
	size_t i = above(b, va);

	return i ? &b->v[i - 1] : NULL;
}

static void take_out(struct chk_blocks *b, struct chk_block *block)
{
	b->n--;
	memmove(block, block + 1, (size_t)(b->v + b->n - block) * sizeof(*block));
}

void chk_block_end(struct chk_blocks *b, struct chk_block *block, const struct chk_stack *stack)
{
	struct chk_block *d;
	size_t at;

	if (!b->dead)
		b->dead = calloc(KEEP_DEAD, sizeof(*b->dead));
	if (!b->theirs)
		b->theirs = calloc(KEEP_DEAD, sizeof(*b->theirs));
	if (b->dead && b->theirs) {
		at = b->next_dead++ % KEEP_DEAD;
		d = &b->dead[at];
		b->theirs[at] = (struct chk_span){ block->va, block->va + block->bytes };
		free(d->name);
		*d = *block;
		d->dead = true;
		if (!d->late)		/* it was freed when the program said so */
			d->freed = *stack;
		if (b->num_dead < KEEP_DEAD)
			b->num_dead++;
	} else {
		free(block->name);
	}
	take_out(b, block);
}

void chk_block_forget(struct chk_blocks *b, struct chk_block *block)
{
	free(block->name);
	take_out(b, block);
}

const struct chk_block *chk_block_dead(const struct chk_blocks *b, uint64_t va)
{
	for (size_t i = 0; i < b->num_dead; i++) {
		size_t at = (b->next_dead - 1 - i) % KEEP_DEAD;

		if (va >= b->theirs[at].from && va < b->theirs[at].to)
			return &b->dead[at];
	}
	return NULL;
}

static uint64_t distance(const struct chk_block *block, uint64_t va)
{
	return va < block->va ? block->va - va : va - block->va < block->bytes ? 0 : va - block->va - block->bytes + 1;
}

const struct chk_block *chk_block_near(const struct chk_blocks *b, uint64_t va)
{
	const struct chk_block *best = NULL;
	size_t i = above(b, va), k;

	/* Registered memory may lie anywhere, but blocks never overlap: only the neighbours can be near. */
	for (k = i ? i - 1 : 0; k < b->n && k <= i; k++)
		if (!best || distance(&b->v[k], va) < distance(best, va))
			best = &b->v[k];
	return best;
}

void chk_block_relation(const struct chk_block *block, uint64_t va, char *buf, size_t len)
{
	static const char *const kind[] = {
		[CHK_USER] = "allocation", [CHK_HOST] = "registered memory", [CHK_MAPPED] = "mapping",
		[CHK_VARIABLE] = "variable", [CHK_INTERNAL] = "memory of the runtime",
	};
	size_t n;

	if (va < block->va)
		n = (size_t)snprintf(buf, len, "%" PRIu64 " bytes before", block->va - va);
	else if (va - block->va < block->bytes)
		n = (size_t)snprintf(buf, len, "%" PRIu64 " bytes inside", va - block->va);
	else
		n = (size_t)snprintf(buf, len, "%" PRIu64 " bytes after", va - block->va - block->bytes);
	if (n < len)
		n += (size_t)snprintf(buf + n, len - n, " the %" PRIu64 " bytes at 0x%" PRIx64 ", %s", block->bytes, block->va,
				      kind[block->what]);
	if (n < len && block->name)
		snprintf(buf + n, len - n, " %s", block->name);
	else if (n < len && block->number)
		snprintf(buf + n, len - n, " %u", block->number);
}

void chk_blocks_free(struct chk_blocks *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->v[i].name);
	for (size_t i = 0; i < b->num_dead; i++)
		free(b->dead[i].name);
	free(b->v);
	free(b->dead);
	free(b->theirs);
	memset(b, 0, sizeof(*b));
}
