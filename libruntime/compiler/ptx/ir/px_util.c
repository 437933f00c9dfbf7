/* SPDX-License-Identifier: MIT */
/* Arena, interned names, messages. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/ptx/ir/px_util.h"

#define CHUNK_BYTES	(256u << 10)

/* With the address sanitizer nobody may touch what is between two objects, or behind the last one. */
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define GAP		16
#define FENCE(p, n)	ASAN_POISON_MEMORY_REGION(p, n)
#define UNFENCE(p, n)	ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define GAP		0
#define FENCE(p, n)	((void)(p))
#define UNFENCE(p, n)	((void)(p))
#endif

struct px_chunk {
	struct px_chunk *next;
	size_t size;			/* of the objects behind it */
};

static void new_chunk(struct px_arena *a, size_t need)
{
	size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;
	struct px_chunk *c = calloc(1, sizeof(*c) + size);

	if (!c)
		longjmp(*a->oom, 1);
	c->next = a->chunks;
	c->size = size;
	a->chunks = c;
	a->next = (char *)(c + 1);
	a->end = a->next + size;
	FENCE(a->next, size);
}

void *px_alloc(struct px_arena *a, size_t size)
{
	size_t room;
	void *p;

	if (size > SIZE_MAX / 2)
		longjmp(*a->oom, 1);
	room = ((size + 15) & ~(size_t)15) + GAP;
	if ((size_t)(a->end - a->next) < room)
		new_chunk(a, room);
	p = a->next;
	a->next += room;
	UNFENCE(p, size);
	return p;
}

void px_arena_free(struct px_arena *a)
{
	struct px_chunk *c = a->chunks, *next;

	for (; c; c = next) {
		next = c->next;
		UNFENCE(c + 1, c->size);
		free(c);
	}
	a->chunks = NULL;
	a->next = a->end = NULL;
}

void *px_grow(struct px_arena *a, void *old, uint32_t count, uint32_t *cap, size_t elem)
{
	uint32_t n = *cap ? *cap * 2 : 8;
	void *p;

	if (n < *cap)
		longjmp(*a->oom, 1);
	p = px_alloc(a, n * elem);
	if (count)
		memcpy(p, old, count * elem);
	*cap = n;
	return p;
}

static void rehash(struct px *px)
{
	uint32_t size = px->names_size ? px->names_size * 2 : 1024, i;
	struct px_str **t = px_alloc(&px->arena, size * sizeof(*t)), *s, *next;

	for (i = 0; i < px->names_size; i++)
		for (s = px->names[i]; s; s = next) {
			next = s->chain;
			s->chain = t[s->hash & (size - 1)];
			t[s->hash & (size - 1)] = s;
		}
	px->names = t;
	px->names_size = size;
}

struct px_str *px_intern(struct px *px, const char *s, size_t len)
{
	uint32_t h = 2166136261u;
	struct px_str *p;
	char *copy;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	h ^= h >> 15;
	if (px->names_count * 2 >= px->names_size)
		rehash(px);
	for (p = px->names[h & (px->names_size - 1)]; p; p = p->chain)
		if (p->hash == h && p->len == len && !memcmp(p->s, s, len))
			return p;
	p = px_alloc(&px->arena, sizeof(*p));
	copy = px_alloc(&px->arena, len + 1);
	memcpy(copy, s, len);
	p->s = copy;
	p->len = (uint32_t)len;
	p->hash = h;
	p->chain = px->names[h & (px->names_size - 1)];
	px->names[h & (px->names_size - 1)] = p;
	px->names_count++;
	return p;
}

static void message(struct px *px, struct px_loc loc, const char *kind, const char *fmt, va_list ap)
{
	char text[512];

	vsnprintf(text, sizeof(text), fmt, ap);
	ppu_log_printf(px->log, "%s:%u:%u: %s: %s\n", px->file, loc.line, loc.col, kind, text);
}

void px_error(struct px *px, struct px_loc loc, const char *fmt, ...)
{
	va_list ap;

	if (px->give_up)
		return;
	va_start(ap, fmt);
	message(px, loc, "error", fmt, ap);
	va_end(ap);
	if (++px->log->errors >= PX_MAX_ERRORS) {
		ppu_log_printf(px->log, "%s: error: too many errors, the rest is not shown\n",
			       px->file);
		px->give_up = true;
	}
}

void px_warn(struct px *px, struct px_loc loc, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	message(px, loc, "warning", fmt, ap);
	va_end(ap);
	px->log->warnings++;
}
