/* SPDX-License-Identifier: MIT */
/* Shared by the parts of lab 5's exercise. */
#ifndef LAB5_EXERCISE_H
#define LAB5_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>

#define CHANNELS	64	/* LAB_CHANNELS */
#define SLOTS		1024
#define SLOT_BYTES	64

/*
 * Used by all tests of a file: one buffer with a block in each slot, and one with words that the
 * blocks write. Word 0 counts, word 1 is the gate at which some blocks wait, the others are for results.
 */
struct pad {
	int fd;
	uint32_t blocks, data;		/* handles */
	volatile uint32_t *text;	/* the blocks, mapped */
	volatile uint64_t *word;	/* the words, mapped */
	uint64_t va;			/* GPU address of the words */
};

#define COUNT	0
#define GATE	1
#define FIRST	8

#define SHORT	5000000000ll	/* ns; a wait for what may never come */

/* Makes the buffers for an open file; false: they cannot be made (lab 4). */
bool pad_open(struct pad *p, int fd);
void pad_close(struct pad *p);

/* Each writes a block into a slot, and returns its number of words. "COUNT + 1" adds 1 to the word COUNT. */
uint32_t block_count(struct pad *p, unsigned int slot);				/* COUNT + 1 */
uint32_t block_store(struct pad *p, unsigned int slot, unsigned int word, uint64_t value);	/* store, COUNT + 1 */
uint32_t block_gate(struct pad *p, unsigned int slot);				/* wait for GATE == 1, COUNT + 1 */
uint32_t block_cookie_gate(struct pad *p, unsigned int slot, uint32_t cookie);	/* INTR, then as block_gate() */
uint32_t block_bad(struct pad *p, unsigned int slot);				/* not a command */
int submit(struct pad *p, uint32_t chan, unsigned int slot, uint32_t words, uint64_t *seqno);

/* Opens the gate and tells the channel to look: the device does not notice a plain store by itself. */
void open_gate(struct pad *p, int chid);

/* The hardware channels that are enabled, as bits; number 0, the copy channel's, is left out. */
uint64_t enabled(void);
/* Makes a channel, and finds its hardware number: -1 if none was enabled. Returns 0 or -errno. */
int make_channel(int fd, uint32_t class, uint32_t entries, uint32_t *id, int *chid);
uint32_t ch_reg(int chid, uint32_t reg);

/* exercise_ring.c */
void test_one(struct pad *p);
void test_wrap(struct pad *p);
void test_full(struct pad *p);
void test_doorbell(struct pad *p);
void test_threads(struct pad *p);
void test_order(struct pad *p);

/* exercise_wait.c */
void test_completion(struct pad *p);
void test_errors(struct pad *p);
void test_arguments(struct pad *p);
void test_asleep(struct pad *p);
void test_lost(struct pad *p);

/* exercise_end.c */
void test_destroy(struct pad *p);
void test_close(void);
void test_removal(void);

#endif
