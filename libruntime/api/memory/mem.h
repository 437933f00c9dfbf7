/* SPDX-License-Identifier: MIT */
/* Allocations of a context, and which one an address is in. */
#ifndef PPU_API_MEM_H
#define PPU_API_MEM_H

#include <stdbool.h>
#include <ppu.h>

#pragma GCC visibility push(hidden)

struct be_bo;
struct ppuCtx_st;
struct ppuMem_st;
struct rt_chunk;

struct rt_alloc {
	uint64_t va, bytes, room;	/* bytes as asked for, room as taken from the chunk */
	ppuMemoryType type;
	struct rt_chunk *chunk;
	struct be_bo *user;		/* registered memory of the process; chunk is NULL then */
	struct ppuMem_st *mem;		/* vmm.c: the memory that is mapped there; chunk is NULL then */
};

/* Like device memory, but the user must not free it. */
#define RT_MEMORY_MODULE ((ppuMemoryType)16)

enum rt_heap { RT_HEAP_DATA, RT_HEAP_CODE, RT_HEAP_HOST, RT_HEAPS };

ppuResult rt_alloc(struct ppuCtx_st *ctx, enum rt_heap heap, uint64_t bytes, uint64_t align,
		   ppuMemoryType type, uint64_t *va);
void rt_free(struct ppuCtx_st *ctx, uint64_t va);
/* Memory is short: freed memory that the checker wanted to be kept.  False: there was none. */
bool rt_release_kept(struct ppuCtx_st *ctx);
void rt_heap_fini(struct ppuCtx_st *ctx);
/* The buffer of an allocation that has a chunk, where the allocation begins in it, and its size. */
struct be_bo *rt_chunk_of(const struct rt_alloc *a, size_t *offset, size_t *size);
/* Locked. Each buffer with data that peers may use. */
void rt_chunks(struct ppuCtx_st *ctx, void (*fn)(void *arg, uint64_t va, uint64_t size, struct be_bo *bo), void *arg);
ppuResult rt_alloc_add(struct ppuCtx_st *ctx, const struct rt_alloc *a);
struct rt_alloc rt_alloc_take(struct ppuCtx_st *ctx, struct rt_alloc *a);
struct rt_alloc *rt_find(struct ppuCtx_st *ctx, const void *p);
/* Tells where [p, p + bytes) lies.  INVALID_ADDRESS: it is in the runtime's window, but not inside one
 * allocation. */
ppuResult rt_classify(struct ppuCtx_st *ctx, const void *p, uint64_t bytes, ppuMemoryType *type);

#pragma GCC visibility pop
#endif
