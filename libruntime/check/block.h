/* SPDX-License-Identifier: MIT */
/* What a context has allocated, and what it had: blocks by address. */
#ifndef PPU_CHECK_BLOCK_H
#define PPU_CHECK_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "check/stack.h"

#pragma GCC visibility push(hidden)

enum chk_what {
	CHK_USER,			/* the program's, by a call */
	CHK_HOST,			/* the program's own memory, registered */
	CHK_MAPPED,			/* memory mapped to a reserved address */
	CHK_VARIABLE,			/* of a module */
	CHK_INTERNAL,			/* the runtime's */
};

struct chk_block {
	uint64_t va, bytes;
	uint32_t number;		/* of the allocation, from 1 */
	enum chk_what what;
	bool dead, late;		/* late: freed in the order of a stream, so used no more by later launches */
	uint32_t launch;		/* late: the last launch before */
	char *name;			/* of a variable */
	struct chk_stack made, freed;
};

struct chk_span {
	uint64_t from, to;
};

struct chk_blocks {
	struct chk_block *v;		/* that there are, by address */
	size_t n, cap;
	struct chk_block *dead;		/* the last ones that were freed, in turn */
	struct chk_span *theirs;	/* what of each nobody else got since */
	size_t num_dead, next_dead;
	uint32_t numbers;
};

/* room: bytes that are no other block's from now on, what may be around it included.  NULL: no memory. */
struct chk_block *chk_block_add(struct chk_blocks *b, uint64_t va, uint64_t bytes, uint64_t room, enum chk_what what);
struct chk_block *chk_block_at(const struct chk_blocks *b, uint64_t va);	/* that begins there; NULL: none */
/* The last one that begins there or below; NULL: none. */
const struct chk_block *chk_block_below(const struct chk_blocks *b, uint64_t va);
/* It is dead now; stack: freed there. */
void chk_block_end(struct chk_blocks *b, struct chk_block *block, const struct chk_stack *stack);
/* It is no block any more, and never was one. */
void chk_block_forget(struct chk_blocks *b, struct chk_block *block);
/* The dead one that was freed last and has this byte, which nobody else got since; NULL: none is remembered. */
const struct chk_block *chk_block_dead(const struct chk_blocks *b, uint64_t va);
/* The one that has this byte, or is nearest to it, on either side; NULL: there is none. */
const struct chk_block *chk_block_near(const struct chk_blocks *b, uint64_t va);
/* "3 bytes after the 64 bytes at 0x... (allocation 2)" */
void chk_block_relation(const struct chk_block *block, uint64_t va, char *buf, size_t len);
void chk_blocks_free(struct chk_blocks *b);

#pragma GCC visibility pop
#endif
