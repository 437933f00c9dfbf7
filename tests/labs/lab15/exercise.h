/* SPDX-License-Identifier: MIT */
/* Lab 15: what the files of the exercise share. */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <stdint.h>
#include "lab15.h"

#define PAGE	4096u

int must_open(void);
int call(int fd, unsigned long cmd, void *arg);		/* 0 or -errno */
int create(int fd, uint32_t count, uint32_t size, uint32_t *id);
/* cmd: V_READ, V_WRITE, V_RUN */
int transfer(int fd, unsigned long cmd, uint32_t id, uint64_t offset, const void *user, uint32_t bytes);

/* exercise_closed.c */
void test_closed(int fd);

#endif
