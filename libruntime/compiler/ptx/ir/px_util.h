/* SPDX-License-Identifier: MIT */
/*
 * PTX compiler: what every file of it shares.
 *
 * One compilation is one struct px: an arena that owns every object, the interned names, the
 * module being built and the message log.  Nothing is global, nothing is freed one by one.
 */
#ifndef PX_UTIL_H
#define PX_UTIL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <ppu_image.h>

#define PX_ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PX_MAX_ERRORS		20	/* a compilation stops after so many */
#define PX_MAX_DATA		(1ull << 28)	/* bytes of global and constant data */
#define PX_MAX_SHARED		(1u << 20)	/* bytes of static shared memory */
#define PX_MAX_FRAME		(512u << 10)	/* bytes of local memory of one function */

struct px_chunk;
struct px_arena {
	struct px_chunk *chunks;
	char *next, *end;
	jmp_buf *oom;		/* taken when memory runs out */
};

void *px_alloc(struct px_arena *a, size_t size);	/* zeroed, 16-byte aligned, never NULL */
void px_arena_free(struct px_arena *a);

/* A growing array in an arena: PX_PUSH(arena, array, count, capacity, value). */
void *px_grow(struct px_arena *a, void *old, uint32_t count, uint32_t *cap, size_t elem);
#define PX_PUSH(a, v, n, cap, x) do { \
	if ((n) == (cap)) \
		(v) = px_grow(a, v, n, &(cap), sizeof(*(v))); \
	(v)[(n)++] = (x); \
} while (0)

struct px_sym;

/* An interned name: equal text is one object. */
struct px_str {
	struct px_str *chain;
	struct px_sym *sym;	/* innermost symbol of this name in the open scopes */
	const char *s;
	uint32_t len, hash;
	uint16_t mod;		/* enum px_mod of ".text", 0 none */
	uint16_t op;		/* PTX opcode number + 1, 0 none */
	uint16_t sreg;		/* special register + 1, 0 none */
	bool homed;		/* a register that debug sections name */
	uint64_t place;		/* what it is in debug sections: see struct ppu_debug; 0 unknown */
};

struct px_loc {
	uint32_t line, col;
};

struct px_object;

struct px {
	struct px_arena arena;
	struct px_str **names;	/* hash table */
	uint32_t names_size, names_count;
	const char *file;
	struct ppu_log *log;
	const struct ppu_ptx_options *opt;
	bool give_up;		/* too many errors */
	struct px_object *obj;
};

struct px_str *px_intern(struct px *px, const char *s, size_t len);

/* "file:line:col: error: ..."; counts and limits errors. */
void px_error(struct px *px, struct px_loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void px_warn(struct px *px, struct px_loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Numbers of the PTX program wrap around, as the machine's do; code that uses a number checks its range. */
static inline int64_t px_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline uint64_t px_align(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

#endif
