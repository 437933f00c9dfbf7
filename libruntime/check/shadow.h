/* SPDX-License-Identifier: MIT */
/*
 * A set of bytes of the device's address space: one bit for each, in a tree by address.  Pages that are wholly in the
 * set, or wholly out of it, take no memory of their own.
 */
#ifndef PPU_CHECK_SHADOW_H
#define PPU_CHECK_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CHK_PAGE_SHIFT	12
#define CHK_PAGE	(1u << CHK_PAGE_SHIFT)

struct chk_page {
	uint64_t bit[CHK_PAGE / 64];
};

/* All zeroes: the empty set. */
struct chk_shadow {
	void **top;
	uint64_t last;			/* page number that was looked up last, + 1, and what it has */
	const struct chk_page *page;
};

/* Puts bytes into the set or takes them out.  False: no memory; then the set has more bytes than it should. */
bool chk_shadow_set(struct chk_shadow *s, uint64_t va, uint64_t bytes, bool in);
/* Are all of these bytes in the set? */
bool chk_shadow_all(struct chk_shadow *s, uint64_t va, uint64_t bytes);
/* Is any of these bytes in the set? */
bool chk_shadow_any(struct chk_shadow *s, uint64_t va, uint64_t bytes);
/* Is no byte of this page in the set? */
bool chk_shadow_empty(struct chk_shadow *s, uint64_t va);
void chk_shadow_free(struct chk_shadow *s);

#pragma GCC visibility pop
#endif
