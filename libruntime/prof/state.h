/* SPDX-License-Identifier: MIT */
/* Inside the profiler.  All of it under prof_lock. */
#ifndef PPU_PROF_STATE_H
#define PPU_PROF_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <hw/ppu_observe.h>
#include "prof/prof.h"
#include "prof/sums.h"

#pragma GCC visibility push(hidden)

struct prof_insn {
	uint64_t sum[PROF_SUMS];
	struct prof_more more;
};

/* What was loaded as one: a copy of its image, which stays when the program has unloaded it. */
struct prof_module {
	struct prof_module *next;
	uint32_t number;
	const struct ppu_image *of;	/* NULL: unloaded */
	struct ppu_image *img;
};

/* A kernel of a module, with what all its launches did. */
struct prof_kernel {
	struct prof_kernel *next;
	uint32_t number;
	struct prof_module *mod;
	char *name;
	uint32_t entry, regs, shared, local;
	struct prof_insn *insn;		/* of the module; NULL: it has not run */
};

/* What a task counts while it runs. */
struct prof_live {
	struct prof_live *next;
	struct ppu_seen_count *count;
	struct prof_insn *insn;
	uint32_t n;
};

struct prof_sm {
	uint32_t ctas;
	uint64_t since, active;		/* cycles */
};

struct prof_launch {
	struct prof_launch *next;	/* in the order of calls; those that kernels launch where they were accepted */
	uint32_t number, id;		/* over all contexts; in its context */
	struct prof_kernel *kernel;
	uint32_t context, stream, depth, range;
	bool begun, over, unknown;
	uint32_t grid[3], block[3], regs, shared, local;
	uint64_t accepted, done;	/* device time, ns */
	uint64_t first, last;		/* cycles: the first block may begin, the last has ended */
	uint64_t blocks, warps, life, issue, most_warps;
	uint64_t sms, active;		/* how many had a block, and cycles for which they had one, added up */
	uint64_t sum[PROF_SUMS];
	/* while it runs */
	struct prof_launch *running;
	uint64_t serial;
	struct prof_live *live;
	struct prof_sm *sm;
};

struct prof_stream {
	const void *stream;		/* NULL: gone */
};

struct prof_ctx {
	struct prof_ctx *next;
	uint64_t inst;
	uint32_t number;
	struct prof_kernel **kernel;	/* by number */
	uint32_t num_kernels;
	struct prof_stream *stream;
	uint32_t num_streams;
};

struct prof_copy {
	uint64_t begin, end, bytes;
	bool fill;
};

extern pthread_mutex_t prof_lock;
extern ppuDeviceProp prof_device;
extern struct prof_module *prof_modules;
extern struct prof_kernel *prof_kernels;
extern struct prof_launch *prof_launches;
extern struct prof_copy *prof_copies;
extern size_t prof_num_copies;

/* module.c: the profiler's kernel of an image; NULL: no memory.  The image has gone. */
struct prof_kernel *prof_module_kernel(const struct ppu_image *img, const struct ppu_symbol *sym);
void prof_module_gone(const struct ppu_image *img);
void prof_modules_free(void);
/* An instruction at which the lanes that its guard chooses go elsewhere. */
bool prof_is_branch(const struct ppu_insn *in);

/* launch.c */
void prof_launch_add(struct prof_ctx *c, uint32_t id, uint32_t kernel, uint32_t stream);
void prof_launch_start(struct prof_ctx *c, const struct ppu_seen_task *t);
/* Its first block starts, and there is where to count; false: nothing of it is counted. */
bool prof_launch_counts(struct prof_launch *l, uint32_t insns);
void prof_launch_end(const struct ppu_seen_task *t);
struct prof_launch *prof_launch_running(uint64_t serial);
void prof_launch_copy(const struct ppu_seen_copy *c);
void prof_launches_free(void);

/* access.c, turn.c */
void prof_access(struct prof_launch *l, const struct ppu_seen_access *a);
void prof_cta_start(struct prof_launch *l, const struct ppu_seen_cta *c);
void prof_cta_end(struct prof_launch *l, const struct ppu_seen_cta *c);
void prof_turn_begin(struct prof_launch *l, const struct ppu_seen_turn *t);
void prof_turn_end(struct prof_launch *l, const struct ppu_seen_turn *t);
void prof_turn_barrier(struct prof_launch *l, const struct ppu_seen_barrier *b);
void prof_turn_awake(const struct ppu_seen_warp *at, uint64_t cycle);
void prof_turns_end(const struct ppu_seen_task *t);

/* nvtx.c: the range that this thread is in; 0: none. */
uint32_t prof_range(void);
void prof_range_ready(void);
void prof_ranges_write(FILE *f);

/* write.c: all that is known; counters: the device's. */
void prof_write(FILE *f, const uint64_t *counters);

#pragma GCC visibility pop
#endif
