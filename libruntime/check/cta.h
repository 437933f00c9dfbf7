/* SPDX-License-Identifier: MIT */
/* What tools know of the blocks that run, by task and number: a table in the tool.  By chk_lock. */
#ifndef PPU_CHECK_CTA_H
#define PPU_CHECK_CTA_H

#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_observe.h>

#pragma GCC visibility push(hidden)

/* For each lane i of a mask. */
#define FOR_LANES(i, mask) \
	for (uint32_t left_##i = (mask), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1); left_##i &= left_##i - 1)

/* The first member of what a tool keeps. */
struct chk_cta {
	struct chk_cta *next;
	uint64_t serial, index;
	uint32_t warps, shared_bytes;
};

struct chk_ctas {
	struct chk_cta *bucket[256];
	void (*drop)(struct chk_cta *c);	/* frees it; NULL: it has no memory but its own */
};

void *chk_cta_find(const struct chk_ctas *t, const struct ppu_seen_cta *s);	/* NULL: it is not there */
void chk_cta_add(struct chk_ctas *t, struct chk_cta *c, const struct ppu_seen_cta *s);
/* The block; if it was not there, with so many bytes in all, which are 0 but for struct chk_cta.  NULL: out of memory. */
void *chk_cta_of(struct chk_ctas *t, const struct ppu_seen_cta *s, size_t bytes);
void chk_cta_end(struct chk_ctas *t, const struct ppu_seen_cta *s);
/* All blocks of the task. */
void chk_cta_end_all(struct chk_ctas *t, const struct ppu_seen_task *task);

#pragma GCC visibility pop
#endif
