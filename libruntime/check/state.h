/* SPDX-License-Identifier: MIT */
/* Inside the checker: a context's state, and what its tools share.  All of it under chk_lock. */
#ifndef PPU_CHECK_STATE_H
#define PPU_CHECK_STATE_H

#include <pthread.h>
#include <hw/ppu_observe.h>
#include "check/check.h"
#include "check/report.h"
#include "check/shadow.h"

#pragma GCC visibility push(hidden)

struct chk_kernel {
	const struct ppu_image *img;	/* NULL: none has this number */
	const char *name;
};

struct chk_ctx {
	struct chk_ctx *next;
	uint64_t inst;			/* how tasks name it */
	unsigned number;		/* of the program's contexts, from 1 */
	uint32_t launch;		/* number of the last one */
	struct chk_shadow valid;	/* bytes that are inside allocations; of initcheck: whose first write is waited for */
	struct chk_shadow fresh;	/* initcheck: of these, those that nobody has written */
	struct chk_blocks blocks;
	bool leaks_told;
	size_t num_late;		/* blocks that are late */
	struct rc_order *order;		/* racecheck: race/inner.h */
	struct rc_words *words;
	struct rc_pages *pages;
	struct rc_pairs *pairs;
	struct rc_host *host;
	struct chk_kernel *kernels;	/* by number */
	uint32_t num_kernels;
};

extern pthread_mutex_t chk_lock;
extern bool (*chk_inside)(const void *p);

/* Names and lines of the warp's instruction, and the lowest of these lanes; the others are counted. */
void chk_place_of(const struct chk_ctx *c, const struct ppu_seen_warp *w, uint32_t lanes, struct chk_place *p);

/* memcheck.c */
void chk_memcheck(struct chk_ctx *c, const struct ppu_seen_access *a);
/* A finding about what these lanes do; and the begin of its sentence, returns how long that is. */
void chk_tell(struct chk_ctx *c, const struct ppu_seen_access *a, uint32_t lanes, struct chk_finding *f);
int chk_name_access(const struct ppu_seen_access *a, unsigned lane, struct chk_finding *f);
/* Most instructions access some bytes in a row, or few apart.  Returns from *at on how many, with those between; 0: more. */
uint64_t chk_span(const struct ppu_seen_access *a, uint64_t *at);
/* The memory that an address outside every allocation most likely belongs to; NULL: none is near. */
const struct chk_block *chk_suspect(const struct chk_ctx *c, uint64_t va, bool *dead);

#pragma GCC visibility pop
#endif
