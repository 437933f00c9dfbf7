/* SPDX-License-Identifier: MIT */
/*
 * The world around the insertion protocol of libruntime/compiler/devabi/insert.h, for the model checker: the memory of
 * one device-owned queue, the host interface that runs it, and the CPU's channel that launches.
 *
 * Memory is a row of words.  A word of the ring or of the command memory is fresh from the time a thread stores it
 * until the host interface has left the entry. A fetch of a word that is not fresh, or a store to a word that is fresh,
 * breaks the safety invariant (WQ-56).
 */
#ifndef MODEL_DEVQ_WORLD_H
#define MODEL_DEVQ_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "explore.h"

#define MAX_COUNT	9
#define MAX_KERNEL	3	/* threads of the launching kernel */
#define MAX_NESTED	2	/* threads of a kernel that a block starts */
#define MAX_GROUPS	4	/* most groups of a thread in one launch */
#define MAX_LAUNCHES	6
#define PIECE_WORDS	8	/* words in the command memory of an entry */

/*
 * Mistakes of the host's side, which is not compiled from the real source here. The numbers are traps: 10 is TRAP-10.
 */
enum mistake {
	NO_MISTAKE,
	STALL_ALL,		/* 1: a blocked queue stalls the CPU's channel, too */
	NO_REFRESH,		/* 10: PUT and shadow are never moved */
	SHADOW_FIRST,		/* 10: shadow is moved before PUT */
	SHADOW_FAR,		/* 10: shadow is moved beyond GET + count - 1 */
	WAIT_FOR_ROOM,		/* 12: the launching kernel waits for room */
	WFI_NO_CHILDREN,	/* 19 */
	GET_EARLY,		/* 20: GET leaves an entry whose Acquire waits */
	COUNT_32,		/* 8: counters of 32 bits */
	OPEN_FIRST,		/* 5 and WQ-38: the ring is opened before the first Acquire is there */
	NUM_MISTAKES
};
extern const char *const mistake_names[NUM_MISTAKES];

/* What a thread does in each launch. */
struct script {
	uint8_t groups[MAX_GROUPS];	/* number of blocks in each group, 0: no more groups */
	bool finish;			/* the thread calls finish() at its end */
	bool spawn;			/* the first block of the thread's first group starts the nested kernel */
};

struct scenario {
	const char *name;
	unsigned count, launches;
	uint64_t first;			/* GP_GET at the start, counted without wrapping */
	bool weak;			/* one store of each thread may be late, up to the next fence */
	bool assist;			/* the device refreshes whenever GET moves */
	bool no_auto, no_spare;		/* flags of the queue that are off */
	unsigned kernel;		/* threads of the launching kernel */
	struct script thread[MAX_KERNEL];
	unsigned nested;		/* threads of the kernel that a block starts */
	struct script child[MAX_NESTED];
	const char *fails;		/* NULL, or a part of the sentence with which the scenario must fail */
};

struct model_result devq_check(const struct scenario *s, enum mistake mistake, uint64_t max_states, bool path);

#endif
