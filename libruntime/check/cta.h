/* SPDX-License-Identifier: MIT */
/* What tools know of the blocks that run, by task and number: a table in the tool.  By chk_lock. */
#ifndef PPU_CHECK_CTA_H
#define PPU_CHECK_CTA_H

#include <stdint.h>
#include <hw/ppu_observe.h>

#pragma GCC visibility push(hidden)

/* The first member of what a tool keeps. */
struct chk_cta {
	struct chk_cta *next;
	uint64_t serial, index;
};

struct chk_ctas {
	struct chk_cta *bucket[256];
	void (*drop)(struct chk_cta *c);	/* frees it */
};

struct chk_cta *chk_cta_find(const struct chk_ctas *t, const struct ppu_seen_cta *s);	/* NULL: it is not there */
void chk_cta_add(struct chk_ctas *t, struct chk_cta *c, const struct ppu_seen_cta *s);
void chk_cta_end(struct chk_ctas *t, const struct ppu_seen_cta *s);
/* All blocks of the task. */
void chk_cta_end_all(struct chk_ctas *t, const struct ppu_seen_task *task);

#pragma GCC visibility pop
#endif
