/* SPDX-License-Identifier: MIT */
/*
 * Scenes for tests of copy priorities through the runtime: streams of all priorities on the core backend, and what the
 * device's trace says about their copies.
 */
#ifndef RT_SCENE_H
#define RT_SCENE_H

#include "rt_spy.h"

#define KB		1024u
#define MB		(1024u * 1024u)
#define MAX_RANKS	10
#define MAX_STREAMS	48
#define US		1000u

/* Bit 0: stream numbers rise with urgency; bit 1: internal numbers fall; bit 2: semaphores in system memory. */
#define CONVENTIONS	8

/*
 * One scene: as many stream priorities as internal ones, ranks 1 (least) to P.  Stream s[r] is of rank r;
 * more streams may be added.
 */
struct scene {
	char trace[32];
	unsigned ranks, convention, num;
	ppuStream s[MAX_STREAMS];
	unsigned hw[MAX_STREAMS];
	void *sem[MAX_RANKS + 1];
	char *dev, *pinned;
};

/* The numbers of a rank. */
int scene_stream_priority(const struct scene *sc, unsigned rank);
int scene_internal_priority(const struct scene *sc, unsigned rank);
/* One more stream; its index in s[]. */
unsigned scene_add(struct scene *sc, unsigned rank);
/* perchan: copy channels of each priority, as digits ("14": one of rank 1, four of rank 2). */
void scene_new(struct scene *sc, const char *props, const char *perchan, unsigned convention, const char *more);
/* Shuts the runtime down. */
struct rt_trace scene_end(struct scene *sc);
/* The present value of the semaphore of a rank. */
uint64_t scene_sem(const struct scene *sc, unsigned rank);
/* bytes of pinned memory to the device. */
void scene_copy(struct scene *sc, unsigned stream, size_t bytes);
/* The rank whose semaphore is at an address, 0: none. */
unsigned scene_rank_of_sem(const struct scene *sc, uint64_t addr);
/* Copies by stream and number in it, in the order they were complete: "1.0 2.0 1.1". */
const char *scene_completion(const struct scene *sc, const struct rt_trace *t);
/* The values a semaphore had, its first 0 included. */
const char *scene_values(const struct scene *sc, const struct rt_trace *t, unsigned rank);
size_t scene_count(const struct rt_trace *t, unsigned event);
/* The decisions about priorities, one word each; gate: blocked at an acquire of a priority semaphore. */
const char *scene_decisions(const struct scene *sc, const struct rt_trace *t);
/* CP-28: from a dec to the inc of the same channel's next copy no other channel has an event. */
void scene_check_no_gap(const struct scene *sc, const struct rt_trace *t, unsigned stream, unsigned rank);
/* "spin" (u32 loops) or "step" (x[i] = x[i] * 3 + 1 on a u32 *); NULL: load the module first. */
void scene_launch(const char *name, ppuStream s, void *arg);

#endif
