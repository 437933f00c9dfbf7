/* SPDX-License-Identifier: MIT */
/*
 * A device-owned queue for tests. Three kinds of writers make the stores that threads would make: SEM_RELEASE commands
 * of a channel that the CPU fills (each stores eight bytes, so that a whole insertion can be queued); the CPU, which
 * maps the queue; and real threads. All three make the same stores.
 */
#ifndef PPU_CONFORMANCE_DEVQ_H
#define PPU_CONFORMANCE_DEVQ_H

#include <hw/ppu_devq.h>

#include "harness.h"

struct devq {
	struct chan *c;			/* the channel whose VM the queue is in, and which launches */
	uint32_t id, hw, count;
	struct drm_ppu_channel_create args;
	char *cpu;			/* the CPU's view */
	struct bo code;			/* blocks of the queue's work */
	uint32_t used;			/* number of words in blocks */
	uint64_t soft;			/* what has been inserted */
	unsigned launches;
};

/* Returns 0 or errno; args: arguments of CHANNEL_CREATE that differ from the usual ones. */
int devq_try(struct chan *c, uint32_t count, const struct drm_ppu_channel_create *args,
	     struct drm_ppu_channel_create *out);
struct devq devq_new(struct chan *c, uint32_t count, uint32_t flags, uint32_t initial_get);
struct devq devq_new_args(struct chan *c, uint32_t count, const struct drm_ppu_channel_create *args);
void devq_free(struct devq *q);
struct drm_ppu_channel_query devq_query(const struct devq *q);
/* The CPU's pointer to the word of the queue at GPU address va. */
volatile uint64_t *devq_word(const struct devq *q, uint64_t va);

/* A block of the queue's work: commands between begin and end. */
struct cmds devq_block(struct devq *q);
void devq_block_end(struct devq *q, const struct cmds *b);
void cmd_refresh(struct cmds *c, uint32_t hw_channel);

/* One store that a thread would make. */
struct store {
	uint64_t va, value;
};

#define DEVQ_MAX_STORES 32

/* Steps 460 to 466 of method 450 (WQ-43..WQ-47) for n entries; returns the number of stores. */
unsigned devq_insert(struct devq *q, const struct cmds *blocks, unsigned n, struct store *s);
/* The last insertion of launch q->launches: WFI, Y, and the next X. */
unsigned devq_insert_end(struct devq *q, struct store *s);
void cmd_stores(struct cmds *c, const struct store *s, unsigned n);

/*
 * One nested launch of `groups` groups of two entries (one work that adds 1 to the word at count_va, one
 * Acquire) and its end, as commands of c; not submitted.  refresh: with QUEUE_REFRESH before.
 */
void devq_launch(struct devq *q, unsigned groups, bool refresh, uint64_t count_va);

#endif
