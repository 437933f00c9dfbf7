/* SPDX-License-Identifier: MIT */
/* What a pool is, for the files that make it up. */
#ifndef PPU_CUDA_POOLBLOCK_INT_H
#define PPU_CUDA_POOLBLOCK_INT_H

#include <pthread.h>
#include <stdint.h>
#include "cuda/context/object.h"
#include "cuda/memory/ipc.h"
#include "cuda/memory/pool.h"

#pragma GCC visibility push(hidden)

struct block {
	uint64_t va, bytes;
	bool used;
	ppuStream stream;	/* the stream in which the block was freed */
	ppuEvent freed;		/* recorded when it was freed; NULL: any stream may use the block */
	struct cu_offer offer;	/* if it has a kind: for other processes */
	struct cu_import import;	/* of a pool of another process */
	struct block *next;
};

struct CUmemPoolHandle_st {
	struct cu_obj obj;
	CUdevice device;
	bool is_default;
	struct CUctx_st *ctx;		/* the blocks' context, no reference; use in another context empties the pool */
	unsigned long long ctx_id;
	struct block *blocks;
	uint64_t threshold, limit;	/* limit 0: none */
	uint64_t used, used_high, reserved, reserved_high;
	int reuse[3];
	CUmemAccess_flags access;
	bool shareable, imported;
	uint64_t shared_id;		/* 0: no file stands for it yet */
	struct CUmemPoolHandle_st *next;	/* list of all pools, also of those whose handle has ended */
};

extern pthread_mutex_t cu_pool_lock;	/* guards pools and blocks */

CUresult cu_pool_find(CUmemoryPool pool, struct CUmemPoolHandle_st **p);	/* with a reference */
/* Locked. */
struct CUmemPoolHandle_st *cu_pool_new(CUdevice device);
struct block *cu_pool_block_at(CUdeviceptr ptr, bool inside, struct CUmemPoolHandle_st **pool);	/* one in use */
void cu_pool_add(struct CUmemPoolHandle_st *pool, struct block *b);
/* The block leaves its pool: nobody in another process may have it any more.  The context lives on, or ends with its memory. */
void cu_pool_unshare(const struct CUmemPoolHandle_st *pool, struct block *b, bool lives_on);

#pragma GCC visibility pop
#endif
