/* SPDX-License-Identifier: MIT */
/*
 * ppu-check: what the runtime tells its checker.  With PPU_CHECK=TOOL in the environment, and the device inside the
 * process, a checker watches the memory accesses of kernels (hw/ppu_observe.h) and what calls do to memory.
 *
 * A context has a struct chk_ctx, or NULL when nothing is checked; all functions but chk_open() are for contexts that have
 * one.  They may be called with any of the runtime's locks held: the checker's own lock is the innermost, and the dynamic
 * loader is asked for nothing.
 */
#ifndef PPU_CHECK_H
#define PPU_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <ppu_image.h>
#include "backend/backend.h"
#include "check/block.h"

#pragma GCC visibility push(hidden)

struct chk_ctx;

/* When a device was opened.  inside(): is this an address that only the runtime gives out?  0; or -EINVAL and *err, a malloc'ed
 * sentence: PPU_CHECK asks for what is not there. */
int chk_open(const struct be_ops *be, struct be_dev *dev, bool (*inside)(const void *p), char **err);
/* Before the device is closed. */
void chk_close(const struct be_ops *be, struct be_dev *dev);
/* Is memory checked, so that none should be used again soon? */
bool chk_on(void);
/* Does anybody want to know which memory nobody has written? */
bool chk_wants_unwritten(void);

/* NULL: nothing is checked, or no memory. */
struct chk_ctx *chk_ctx_new(const struct be_ops *be, struct be_vm *vm);
/* Tells of leaks, if that was asked for. */
void chk_ctx_end(struct chk_ctx *c);

/* How many bytes more an allocation of the program takes: nobody's, so that one byte too far is noticed. */
uint64_t chk_red_zone(const struct chk_ctx *c, uint64_t bytes);
/* Freed memory that the runtime should keep from being used again. */
uint64_t chk_quarantine(const struct chk_ctx *c);

/* room: with the red zone. */
void chk_alloc(struct chk_ctx *c, uint64_t va, uint64_t bytes, uint64_t room, enum chk_what what);
/* Of what was just allocated: the host has it at the same address, and a mapping of its own that may be protected. */
void chk_shared_with_host(struct chk_ctx *c, uint64_t va, uint64_t bytes);
/* This thread calls the program's functions in the order of a stream. */
void chk_host_functions(void);
/* Of what was just allocated: nobody has written it, and only threads, copies and fills can. */
void chk_fresh(struct chk_ctx *c, uint64_t va, uint64_t bytes);
void chk_free(struct chk_ctx *c, uint64_t va);
/* Somebody asked to free what is not the start of an allocation. */
void chk_bad_free(struct chk_ctx *c, uint64_t va);
/* A call wants these bytes, which begin inside one allocation: do they end where the program's part of it does, or before? */
bool chk_range_ok(struct chk_ctx *c, uint64_t va, uint64_t bytes);
/* A call wants these bytes, which are not inside one allocation. */
void chk_bad_range(struct chk_ctx *c, const char *access, uint64_t va, uint64_t bytes);

/* Pools: of the block that begins there, the program has so many bytes; and the program freed it in the order of a
 * stream, so that launches from now on must not use it. */
void chk_pool_alloc(uint64_t va, uint64_t bytes);
void chk_pool_free(uint64_t va);
/* The program got so many bytes of the block that begins there, and nobody uses what it was before: initcheck. */
void chk_pool_again(uint64_t va, uint64_t bytes, uint64_t room);

/* The next launch has this number; its tasks' ids end with it.  threads: of each block. */
void chk_launch(struct chk_ctx *c, uint32_t launch, uint64_t blocks, uint32_t threads);

/*
 * What is in which order, for those who look for races.  A piece of work is a number of a channel, and is done in order.
 * It waits for numbers of other channels, by their index; the host does, too.
 */
#define CHK_MAX_CHAN	97u		/* and one that is none: what the host does itself */
bool chk_orders(void);			/* does anybody want to know? */
/* hw: the device's number; done: where the device writes the number of the last piece of work that is done. */
void chk_chan(struct chk_ctx *c, unsigned index, uint32_t hw, const volatile uint64_t *done);
/* stack: somebody wants to know which call this comes from. */
void chk_work(struct chk_ctx *c, const uint64_t *need, unsigned n, unsigned index, uint64_t seq, bool stack);
void chk_work_launch(struct chk_ctx *c, uint64_t id, unsigned index, uint64_t seq);
/* That piece of work stores a word, or waits for what somebody stores there. */
void chk_word(struct chk_ctx *c, unsigned index, uint64_t seq, uint64_t at, uint64_t bytes, bool waits);
void chk_host_knows(struct chk_ctx *c, const uint64_t *done, unsigned n);
/* A kernel got a number, by which tasks name it; img NULL: it has gone. */
void chk_kernel(struct chk_ctx *c, uint32_t number, const struct ppu_image *img, const char *name);
/* A module's variables lie in the memory that was allocated there: they take its place. */
void chk_variables(struct chk_ctx *c, const struct ppu_image *img, uint64_t data_va);
void chk_variables_gone(struct chk_ctx *c, const struct ppu_image *img, uint64_t data_va);

#pragma GCC visibility pop
#endif
