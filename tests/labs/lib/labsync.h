/* SPDX-License-Identifier: MIT */
/*
 * For the exercise programs of labs 6, 8 and 12: syncobjs, sync files, another driver's fence, and a set of
 * buffers and channels (struct lw). Functions return 0 or -errno unless they say otherwise; those that begin with
 * lw_ end the program with a sentence when something fails that is the subject of an earlier lab.
 */
#ifndef LABSYNC_H
#define LABSYNC_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "labdrm.h"

/* --- syncobjs and sync files ----------------------------------------------------------------- */

int ls_new(int fd, uint32_t *handle);
int ls_close(int fd, uint32_t handle);
int ls_wait(int fd, uint32_t handle, int64_t timeout_ns);	/* relative; 0: only look; -ETIME */
int ls_signal(int fd, uint32_t handle);				/* signalled by the CPU */
int ls_export(int fd, uint32_t handle);				/* a sync file, or -errno */
int ls_import(int fd, int sync, uint32_t *handle);		/* a new syncobj with the sync file's fence */
int ls_status(int sync);					/* 0 active, 1 signalled, < 0 the fence's error */
bool ls_names(int sync, char *driver, char *timeline);		/* 32 bytes each */
bool ls_poll(int sync, int timeout_ms);				/* has it become readable? */

/* Fences of vgem, a driver without hardware. Each is pending until it is signalled, for 10 s at most. */
struct ls_foreign {
	int fd, dmabuf;
	uint32_t handle, fence;
};

int ls_foreign(struct ls_foreign *f);		/* a sync file, or -errno */
void ls_foreign_signal(struct ls_foreign *f);
void ls_foreign_end(struct ls_foreign *f);

/* --- a submission in a thread of its own ------------------------------------------------------ */

struct ls_thread {
	int fd, ret;
	uint32_t chan, handle, in, out;
	uint64_t offset, words;
	pthread_t thread;
	_Atomic int tid, done;
};

void ls_submit_start(struct ls_thread *t);
/* ls_submit_state() waits until the ioctl is done, or sleeps: a signal can end it (ASLEEP) or cannot (DEAF). */
enum ls_state { LS_ASLEEP, LS_DONE, LS_DEAF };
enum ls_state ls_submit_state(struct ls_thread *t);
int ls_submit_end(struct ls_thread *t);		/* what the ioctl returned */

/* --- a program that sleeps on a sync file -------------------------------------------------------- */

struct ls_sleeper {
	int sync;
	pthread_t thread;
	_Atomic int tid, done;
};

void ls_sleep_start(struct ls_sleeper *s, int sync);	/* returns when it sleeps in poll(), or when it need not */
bool ls_sleep_end(struct ls_sleeper *s);		/* has it been woken within 10 s? */

/* --- buffers and channels ----------------------------------------------------------------------- */

struct lw_buf {
	uint32_t handle;
	uint64_t va;
	volatile uint32_t *p;
	size_t bytes;
};

/* An open file. Commands are put one after the other into `block`. */
struct lw {
	int fd;
	uint64_t next_va;		/* from lab 7 on: the address at which the next buffer is bound */
	struct lw_buf block;
	struct ld_block b;
	uint32_t begin;			/* word at which the present block begins */
	struct lw_buf words;		/* semaphores of the exercise, 8 bytes each */
	struct lw_buf all[16];		/* to be unmapped by lw_close() */
	unsigned int num;
};

void lw_open(struct lw *w);
void lw_close(struct lw *w);
struct lw_buf lw_buf(struct lw *w, size_t bytes, uint32_t fill);
uint32_t lw_chan(struct lw *w, uint32_t class, uint32_t priority, uint32_t slice_us);
/* Word i of the exercise's semaphores. lw_word(): its GPU address; lw_set(): the CPU sets its value. */
uint64_t lw_word(struct lw *w, unsigned int i);
void lw_set(struct lw *w, unsigned int i, uint64_t value);
/* lw_begin(), commands by ld_*(&w->b, ..), then lw_submit(): -errno or 0. lw_block_va(): of the present block. */
void lw_begin(struct lw *w);
uint64_t lw_block_va(struct lw *w);
int lw_submit(struct lw *w, uint32_t chan, uint32_t in, uint32_t out, uint64_t *seqno);
/* How many channels are waiting for a semaphore? */
unsigned int lw_blocked(void);

#endif
