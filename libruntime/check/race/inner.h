/* SPDX-License-Identifier: MIT */
/*
 * Inside racecheck.
 *
 *   order.c	work of streams: tasks, copies and fills, which of them is behind which; blocks by number
 *   thread.c	blocks that run, and what their threads know of each other
 *   word.c	words by which threads tell each other
 *   page.c	who accessed which word of global memory last
 *   race.c	accesses, and whether they race
 *   row.c	those of warps that access a line of memory, each lane the next word
 *   copied.c	copies and fills
 *   host.c	accesses of the host to memory that it shares with the device
 *   tell.c	findings
 */
#ifndef PPU_CHECK_RACE_INNER_H
#define PPU_CHECK_RACE_INNER_H

#include <stdbool.h>
#include <stdint.h>
#include <hw/ppu_isa.h>
#include <hw/ppu_observe.h>
#include "check/cta.h"
#include "check/race/know.h"
#include "check/state.h"

#pragma GCC visibility push(hidden)

#define RC_COPIED	3u		/* kind of a write by a copy or fill; others are PPU_SEEN_* */

/* An access; clock 0: none. */
struct rc_seen {
	uint32_t clock, cta, stamp, pc;	/* the block by number; at what time (struct rc_order) */
	uint16_t thread;
	uint8_t kind : 3;		/* PPU_SEEN_*, RC_COPIED */
	uint8_t host : 1;		/* by the host: pc is a number of host.c, thread the byte of the word, RC_WORD: all */
	uint8_t row : 4;		/* of a whole line: 1 + n, the next 2^n words are the next thread's; 0: all are one's */
	uint8_t strong;			/* 0; 1 + PPU_SCOPE_* */
};

/* Of a word, or of a byte of a word that somebody accessed in part. */
struct rc_cell {
	struct rc_seen write, read[2];
	uint32_t value;			/* that was written */
};

/* ---- order.c ----------------------------------------------------------------------------------- */

/* A piece of a stream's work that accesses memory: a grid, a copy, a fill. */
struct rc_task {
	struct ppu_seen_task seen;
	const struct chk_ctx *ctx;
	uint32_t number;
	uint32_t chan;			/* which piece of work of which channel */
	uint64_t seq;
	uint64_t *behind;		/* by channel: up to which number it is behind */
	struct rc_set *far;		/* what its threads know from the start */
	uint32_t start;			/* stamp */
	bool begun, ended;		/* begun: a block has */
	bool loose;			/* a thread or a queue launched it, and nobody sees in which order */
	bool late;			/* its stream has waited for a word, and nobody sees for whom */
	const char *copy;		/* "copy", "fill", "host"; NULL: a grid */
	uint32_t block;			/* of the host: its number; 0: none yet */
	struct chk_stack called;	/* of a copy */
};

struct rc_block {			/* by number */
	struct rc_task *task;
	uint64_t index;
};

struct rc_order;			/* of a context */
struct rc_task *rc_task_start(struct chk_ctx *c, const struct ppu_seen_task *t);
struct rc_task *rc_task_of(struct chk_ctx *c, const struct ppu_seen_task *t);
void rc_task_begins(struct chk_ctx *c, struct rc_task *t);
void rc_task_end(struct chk_ctx *c, const struct ppu_seen_task *t);
struct rc_task *rc_copy_start(struct chk_ctx *c, const struct ppu_seen_copy *copy);
void rc_copy_end(struct chk_ctx *c, struct rc_task *t);
uint32_t rc_block_new(struct chk_ctx *c, struct rc_task *t, uint64_t index);	/* 0: no memory */
const struct rc_block *rc_block(const struct chk_ctx *c, uint32_t number);
/* The time that accesses are stamped with. */
uint32_t rc_now(const struct chk_ctx *c);
/* Is that access of another block behind all that t does, by the order of tasks? */
bool rc_task_behind(const struct chk_ctx *c, const struct rc_task *t, const struct rc_seen *s);
/*
 * What the host does itself between two calls that give work is a task, too, of a channel that is none.  NULL: no memory, or
 * nothing is under way.
 */
#define RC_HOST		(CHK_MAX_CHAN - 1)
struct rc_task *rc_host_task(struct chk_ctx *c);
/* Is the host's next access behind that one? */
bool rc_host_behind(const struct chk_ctx *c, const struct rc_seen *s);
/* The host has read what was told to all: it is behind everything up to now, and so is work that it gives. */
void rc_host_learns(struct chk_ctx *c);
/* A task has read what the host may have told. */
void rc_task_heard_host(struct chk_ctx *c, struct rc_task *t);
/* Was the access before a time when the host knew that all was done? */
bool rc_is_old(const struct chk_ctx *c, const struct rc_seen *s);
/* t is from now on behind what `other` was behind when it began. */
void rc_task_learns(struct chk_ctx *c, struct rc_task *t, const struct rc_task *other);
/* What somebody in a task that goes knows: its later work does, too. */
void rc_task_leaves(struct chk_ctx *c, struct rc_task *t, struct rc_set *far);
void rc_order_free(struct chk_ctx *c);

/* ---- thread.c ---------------------------------------------------------------------------------- */

struct rc_known {			/* of a thread: what is behind it */
	uint32_t clock;			/* the thread's own */
	struct rc_table *base;		/* of its block; NULL: nothing yet */
	uint32_t warp[PPU_OBSERVE_LANES];
	struct rc_set *far;		/* of other blocks */
};

enum { RC_CTA_FENCE, RC_GPU_FENCE, RC_FENCES };

struct rc_thread {
	struct rc_known now;
	struct rc_known *fence;		/* at the last one of each scope; clock 0: none.  NULL: no fences yet */
	/*
	 * strict: what it was told, and no fence since.  By its own block: any fence does.  By others: one of a wider scope, or a
	 * barrier.
	 */
	struct rc_set *waits, *waits_far;
	struct rc_set *would;		/* what it would know, but for scopes that are too small */
};

struct rc_cta {
	struct chk_cta is;
	struct chk_ctx *ctx;
	struct rc_task *task;
	uint32_t number, threads;
	struct rc_cell *cell;		/* of shared memory, by word */
	struct rc_cell **bytes;		/* by word: those of its bytes; NULL: it is not split */
	uint32_t words;
	struct rc_word *telling;	/* words of shared memory by which threads tell each other */
	struct rc_thread thread[];
};

struct rc_cta *rc_cta_of(struct chk_ctx *ctx, const struct ppu_seen_cta *s);
bool rc_is_behind(const struct rc_cta *c, uint32_t t, const struct rc_seen *s);
/* What thread t knows, as others can be told it; and it learns what it is told. */
struct rc_set *rc_told(const struct rc_cta *c, uint32_t t, const struct rc_known *k);
void rc_learn(struct rc_cta *c, uint32_t t, struct rc_set *told);

/* ---- word.c ------------------------------------------------------------------------------------ */

void rc_through_word(struct rc_cta *c, const struct ppu_seen_access *a, uint32_t t, uint64_t at);
/* A copy or fill writes a word by which a stream or thread may wait. */
void rc_word_told(struct chk_ctx *ctx, uint64_t at, uint64_t bytes, uint32_t block, uint32_t clock, struct rc_task *task);
/* Has somebody on the device told something by that word? */
bool rc_word_tells(struct chk_ctx *ctx, uint64_t at);
void rc_words_of(struct rc_cta *c);		/* a block's words go */
void rc_words_free(struct chk_ctx *c);

/* ---- page.c ------------------------------------------------------------------------------------ */

struct rc_pages;
#define RC_PAGE_SHIFT	12
#define RC_PAGE		(1u << RC_PAGE_SHIFT)
#define RC_LINE		128u
struct rc_line {
	struct rc_cell all;		/* of all words, if they have no cells of their own */
	uint32_t *value;		/* that were written; NULL: not known */
	struct rc_cell *cell;
	struct rc_cell **bytes;		/* by word; NULL: none is split */
};
/* NULL: no memory. */
struct rc_line *rc_line(struct chk_ctx *c, uint64_t va);
/* Its words have no cells of their own any more, and nobody has accessed them. */
void rc_line_unite(struct rc_line *l);
/* The cells for n bytes from va, which do not leave a word: one, if the word is not split.  NULL: no memory. */
struct rc_cell *rc_cells(struct chk_ctx *c, uint64_t va, uint32_t n, uint32_t *num);
void rc_pages_free(struct chk_ctx *c);

/* ---- race.c ------------------------------------------------------------------------------------ */

bool rc_both_strong(const struct rc_seen *a, const struct rc_seen *b);

/* ---- host.c ------------------------------------------------------------------------------------ */

#define RC_WORD		4u	/* thread of an access of the host: the whole word */
/* Who accessed: number is the pc. */
const struct chk_stack *rc_host_stack(const struct chk_ctx *c, uint32_t number);
void rc_host_free(struct chk_ctx *c);

/* ---- row.c ------------------------------------------------------------------------------------- */

/* Done, without a race: me is of lane 0.  False: lane by lane, please. */
bool rc_row(struct rc_cta *c, const struct ppu_seen_access *a, const struct rc_seen *me);

/* ---- tell.c ------------------------------------------------------------------------------------ */

/* me races with `other`, which is one of the cell's; lane: of a. */
void rc_tell(const struct rc_cta *c, const struct ppu_seen_access *a, uint32_t lane, const struct rc_seen *me,
	     const struct rc_cell *cell, const struct rc_seen *other, uint32_t bytes);
void rc_tell_copy(struct chk_ctx *ctx, const struct rc_task *t, const struct ppu_seen_copy *copy, const struct rc_seen *me,
		  uint64_t va, const struct rc_cell *cell, const struct rc_seen *other);
void rc_tell_host(struct chk_ctx *ctx, const struct rc_seen *me, uint64_t va, uint64_t bytes, const struct rc_cell *cell,
		  const struct rc_seen *other);
void rc_pairs_free(struct chk_ctx *c);

#pragma GCC visibility pop
#endif
