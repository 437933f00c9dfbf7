/* SPDX-License-Identifier: MIT */
/* Lab 3 in the guest: shared by the parts of the exercise. */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lab_uapi.h"

#define PAGE		4096u
#define REGION		(LAB_DMA_BYTES + 4 * PAGE)	/* the program's memory for copies */
#define NOBODY		0xee				/* the value of memory that no copy may touch */

/* The ioctl; returns 0 or -errno. */
int dma(const void *user, uint64_t vram, uint64_t bytes, bool to_vram);
/* The window as BAR2 shows it; NULL if no copy has arrived anywhere. */
extern volatile uint8_t *window;
void find_window(void);

/* REGION bytes: in pages that lie anywhere, or (large) in pieces as large as possible. */
uint8_t *memory(bool large);
/* Writes bytes that depend on the place and on seed, and that are never NOBODY. */
void fill(volatile uint8_t *at, size_t bytes, unsigned int seed);
size_t wrong_bytes(const volatile uint8_t *at, size_t bytes, unsigned int seed);
size_t touched_bytes(const volatile uint8_t *at, size_t bytes);	/* how many are not NOBODY any more */
void nobody(volatile uint8_t *at, size_t bytes);

/* A copy made by another thread. */
struct copy {
	pthread_t thread;
	const void *user;
	uint64_t vram, bytes;
	bool to_vram;
	volatile bool done;
	volatile int ret;
};

void copy_start(struct copy *c);
/* Has the copy ended within this many seconds? Then its thread is joined. */
bool copy_wait(struct copy *c, unsigned int seconds);
/* After hold() the device starts nothing; after release() it goes on. */
void hold(void);
void release(void);
/* Starts a copy that is submitted and held. Returns false if it was never submitted; then it is over. */
bool copy_held(struct copy *c);
void set_timeout(unsigned int ms);
extern unsigned int patience;		/* the time limit of copies that are to succeed */
unsigned int pinned(void);

void shapes(bool compared);	/* exercise_shapes.c */
void rights(void);		/* exercise_rights.c */
void access_while_held(void);	/* exercise_held.c */
void two_threads(void);
void time_limit(void);
void failing_dma(void);		/* exercise_fail.c */
void failing_kernel(void);
void failing_probe(void);
void messages(void);

#endif
