/* SPDX-License-Identifier: MIT */
/* A context: its lock, its waiting, and who owns what in it. */
#ifndef PPU_API_CONTEXT_H
#define PPU_API_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <ppu.h>
#include "api/context/need.h"
#include "api/context/object.h"
#include "api/memory/copyprio.h"
#include "api/memory/mem.h"
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

struct chk_ctx;
struct prof_ctx;
struct ppuEvent_st;
struct ppuFunction_st;
struct ppuMem_st;
struct ppuModule_st;
struct ppuStream_st;
struct rt_chan;
struct rt_chunk;
struct rt_device;
struct rt_devlib;
struct rt_kept;
struct rt_lane;
struct rt_peer;
struct rt_queue;
struct rt_retired_slot;
struct rt_slots;
struct rt_words;

struct ppuCtx_st {
	struct rt_obj obj;
	pthread_mutex_t lock;
	struct rt_device *device;
	const struct be_ops *be;
	struct be_vm *vm;
	uint32_t stack;			/* PPU_LIMIT_LOCAL_BYTES: least that recursive kernels get */
	bool dead;
	ppuResult broken;		/* sticky */
	char *detail;
	struct ppuCtx_st *next;		/* list of all */

	struct rt_chan *chan[RT_MAX_CHAN];	/* in the order they were made */
	unsigned num_chan;
	struct rt_chan *compute[RT_MAX_COMPUTE], *copies[RT_MAX_COPY];	/* by number, NULL: not made yet */
	struct rt_copyprio copy;
	struct rt_lane *lane[RT_MAX_LANE];
	pthread_cond_t host_cond;	/* a host function was given or is done, or the context is dead */
	uint64_t host_done;
	struct rt_words *words;		/* word.c; NULL: no stream ever waited for one */
	uint32_t next_slot;		/* assignment of streams to channels */
	struct ppuStream_st *streams;	/* all but the default one */
	struct ppuStream_st *null_stream, *load_stream;
	/* what the default stream must wait for on behalf of destroyed blocking streams */
	struct rt_need orphans;

	struct rt_slots *slots;
	struct rt_retired_slot *retired;

	struct rt_chunk *chunks[RT_HEAPS];
	uint64_t chunk_changes;		/* how often a chunk that peers may use has come or gone */
	bool peers_elsewhere;		/* contexts of other devices may use the data */
	struct rt_peer *peers;		/* peer.c: whose memory this context may use; NULL: nobody's */
	struct ppuCtx_st *next_with_peers;
	struct rt_alloc *allocs;	/* by address */
	size_t num_allocs, cap_allocs;

	struct ppuModule_st *modules;
	struct ppuFunction_st **funcs;	/* by number, for faults */
	uint32_t num_funcs, cap_funcs, launches;
	struct ppuEvent_st *events;
	struct rt_devlib *devlib;	/* printf, assert, malloc of kernels */
	bool can_nest;			/* a module can launch kernels */
	uint64_t cdp_va;		/* struct ppu_cdp_ctx; 0: no module launches */
	struct ppuGraph_st *graphs;	/* graph.c: those that threads can launch */
	struct ppuModule_st *graph_module;	/* its kernels; NULL: not loaded yet */
	bool depth_chosen;		/* PPU_LIMIT_NESTING_DEPTH was set */
	uint32_t reserve_chosen;	/* PPU_LIMIT_NESTING_RESERVE; 0: not set */
	uint32_t reserve;		/* levels whose device priorities a stream priority keeps for itself (SP-19) */
	struct rt_queue *queues;	/* device-owned */
	struct ppuMem_st *mems;		/* vmm.c */
	uint64_t coop_va;		/* coop.c: barrier of cooperative kernels, 0: not made yet */
	struct rt_need coop;		/* what the last cooperative kernel stands for */
	struct chk_ctx *check;		/* PPU_CHECK; NULL: nothing is checked */
	struct prof_ctx *prof;		/* PPU_PROF; NULL: nothing is counted */
	struct rt_kept *kept, *kept_last;	/* mem.c: freed, and kept from being used again, oldest first */
	uint64_t kept_bytes;
};

ppuResult rt_ctx_create(struct rt_device *dev, unsigned flags, struct ppuCtx_st **ctx);
void rt_ctx_destroy(struct ppuCtx_st *ctx);	/* ends it; the caller's reference stays */

#pragma GCC visibility pop
#endif
