/* SPDX-License-Identifier: MIT */
/* Threads of the library's own, which the program does not know. */
#ifndef PPU_THREAD_H
#define PPU_THREAD_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

/* A thread that gets no signals: they are for threads that the program knows.  0 or an errno. */
int ppu_thread_start(pthread_t *thread, void *(*fn)(void *arg), void *arg);

#pragma GCC visibility pop
#endif
