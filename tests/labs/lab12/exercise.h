/* SPDX-License-Identifier: MIT */
/* Shared by the parts of lab 12's exercise. */
#ifndef LAB12_EXERCISE_H
#define LAB12_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>
#include <labsync.h>

#define PAGE	4096u
#define BYTES	65536u

/* A function level reset of the device, as an administrator asks for it. 0 or -errno. */
int reset(void);
/* Does the buffer hold this value in all words? */
bool holds(const struct lw_buf *b, uint32_t value);
/* A copy from one buffer to the other. With `gate`, it begins only when that word of the file is 1. */
int submit_copy(struct lw *w, uint32_t chan, const struct lw_buf *from, const struct lw_buf *to, int gate, uint32_t out,
		uint64_t *seqno);

/* exercise_load.c, exercise_gone.c */
void test_load(void);
void test_gone(void);

#endif
