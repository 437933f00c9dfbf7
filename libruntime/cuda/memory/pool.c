/* SPDX-License-Identifier: MIT */
/*
 * Pools: memory that is allocated and freed in the order of streams.  A block that was freed in a stream can be
 * given out again in that stream at once, and elsewhere when the stream has reached the call that freed it.  Free
 * blocks beyond a pool's release threshold are given back when a program has waited for the context, and when
 * memory is short.
 */
#include <stdlib.h>

#include <ppu.h>
#include "cuda/memory/poolblock.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/graph.h"
#include "cuda/graph/work.h"
#include "cuda/memory/pointer.h"
#include "cuda/stream/stream.h"
#include "check/check.h"

#define MAX_DEVICES	32
#define UNIT		512u	/* sizes are multiples */

pthread_mutex_t cu_pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUmemPoolHandle_st *pools;
static struct CUmemPoolHandle_st *default_pool[MAX_DEVICES], *current_pool[MAX_DEVICES];

static void raise_to(uint64_t *mark, uint64_t now)
{
	if (now > *mark)
		*mark = now;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void block_free(struct CUmemPoolHandle_st *p, struct block *b, bool give_back)
{
	for (struct block **q = &p->blocks; *q; q = &(*q)->next) {
		if (*q == b) {
			*q = b->next;
			break;
		}
	}
	p->reserved -= b->bytes;
	if (b->used)
		p->used -= b->bytes;
	if (b->freed && give_back)
		ppuEventDestroy(b->freed);
	cu_pool_unshare(p, b, give_back);
	if (give_back && !p->imported)
		ppuFree((void *)(uintptr_t)b->va);
	free(b);
}

/* If the pool was last used in another context than c, the pool forgets its blocks.  They stay allocated until that
 * context ends. */
static void change_context(struct CUmemPoolHandle_st *p, const struct CUctx_st *c)
{
	if (p->ctx == c && p->ctx_id == c->id)
		return;
	while (p->blocks)
		block_free(p, p->blocks, false);
	p->ctx = (struct CUctx_st *)c;
	p->ctx_id = c->id;
}

void cu_pool_forget(const struct CUctx_st *c)
{
	pthread_mutex_lock(&cu_pool_lock);
	for (struct CUmemPoolHandle_st *p = pools; p; p = p->next)
		while (p->ctx == c && p->ctx_id == c->id && p->blocks)
			block_free(p, p->blocks, false);
	pthread_mutex_unlock(&cu_pool_lock);
}

static bool is_idle(const struct block *b)
{
	return !b->freed || ppuEventQuery(b->freed) == PPU_SUCCESS;
}

static bool reusable(const struct block *b, uint64_t bytes, ppuStream stream)
{
	/* The checker wants that freed memory is not used again soon. */
	if (chk_on() || b->used || b->bytes < bytes || b->bytes > 2 * bytes + (1u << 20))
		return false;
	/* Nor can it say who reads what nobody has written, while others may still read what was there before. */
	return (b->stream == stream && !chk_wants_unwritten()) || is_idle(b);
}

void cu_pool_add(struct CUmemPoolHandle_st *p, struct block *b)
{
	b->next = p->blocks;
	p->blocks = b;
	p->reserved += b->bytes;
	raise_to(&p->reserved_high, p->reserved);
	if (b->used) {
		p->used += b->bytes;
		raise_to(&p->used_high, p->used);
	}
}

static struct block *block_new(struct CUmemPoolHandle_st *p, uint64_t bytes)
{
	struct block *b = calloc(1, sizeof(*b));
	void *mem;

	if (!b || ppuMalloc(&mem, bytes)) {
		free(b);
		return NULL;
	}
	b->va = (uintptr_t)mem;
	b->bytes = bytes;
	cu_pool_add(p, b);
	return b;
}

/* Gives free blocks back until at most `keep` bytes are reserved. */
static void trim(struct CUmemPoolHandle_st *p, uint64_t keep)
{
	struct block *b = p->blocks, *next;

	for (; b && p->reserved > keep; b = next) {
		next = b->next;
		if (!b->used && is_idle(b))
			block_free(p, b, true);
	}
}

/* In this stream it may be used again, although kernels and copies that were given to it before still use it. */
static struct block *best_behind(struct CUmemPoolHandle_st *p, uint64_t bytes, ppuStream stream)
{
	for (struct block *b = p->blocks; b; b = b->next)
		if (!b->used && b->bytes >= bytes && b->stream == stream)
			return b;
	return NULL;
}

/* Takes the free block that fits best, or a new one, of `bytes`, of which the program wants `asked`. */
static CUresult take(struct CUmemPoolHandle_st *p, uint64_t asked, uint64_t bytes, ppuStream stream, CUdeviceptr *ptr)
{
	struct block *best = NULL;

	if (p->limit && p->used + bytes > p->limit)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (struct block *b = p->blocks; b; b = b->next)
		if (reusable(b, bytes, stream) && (!best || b->bytes < best->bytes))
			best = b;
	if (!best)
		best = block_new(p, bytes);
	if (!best) {
		trim(p, 0);
		best = block_new(p, bytes);
	}
	if (!best && chk_wants_unwritten())
		best = best_behind(p, bytes, stream);
	if (!best)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (chk_wants_unwritten() && is_idle(best))
		chk_pool_again(best->va, asked, bytes);
	if (best->freed)
		ppuEventDestroy(best->freed);
	best->freed = NULL;
	best->used = true;
	p->used += best->bytes;
	raise_to(&p->used_high, p->used);
	*ptr = best->va;
	return CUDA_SUCCESS;
}

struct block *cu_pool_block_at(CUdeviceptr ptr, bool inside, struct CUmemPoolHandle_st **pool)
{
	for (struct CUmemPoolHandle_st *p = pools; p; p = p->next) {
		for (struct block *b = p->blocks; b; b = b->next) {
			if (b->used && (b->va == ptr || (inside && ptr > b->va && ptr - b->va < b->bytes))) {
				*pool = p;
				return b;
			}
		}
	}
	return NULL;
}

CUmemoryPool cu_pool_of(CUdeviceptr ptr)
{
	struct CUmemPoolHandle_st *p = NULL;

	pthread_mutex_lock(&cu_pool_lock);
	cu_pool_block_at(ptr, true, &p);
	pthread_mutex_unlock(&cu_pool_lock);
	return p;
}

/* Locked.  The block is free from event ev of the stream on; ev NULL: at once. */
static void retire(struct CUmemPoolHandle_st *p, struct block *b, ppuStream stream, ppuEvent ev)
{
	b->used = false;
	b->stream = stream;
	b->freed = ev;
	p->used -= b->bytes;
	if (chk_on())
		chk_pool_free(b->va);
}

void cu_pool_idle(const struct CUctx_st *c)
{
	pthread_mutex_lock(&cu_pool_lock);
	for (struct CUmemPoolHandle_st *p = pools; p; p = p->next)
		if (p->ctx == c && p->ctx_id == c->id)
			trim(p, p->used + p->threshold < p->used ? UINT64_MAX : p->used + p->threshold);
	pthread_mutex_unlock(&cu_pool_lock);
}

CUresult cu_pool_free(const struct CUctx_st *c, CUdeviceptr ptr, bool *was)
{
	struct CUmemPoolHandle_st *p;
	struct block *b;
	bool ours = false;
	CUresult r;

	pthread_mutex_lock(&cu_pool_lock);
	*was = cu_pool_block_at(ptr, false, &p);
	if (*was)
		ours = p->ctx == c && p->ctx_id == c->id;
	pthread_mutex_unlock(&cu_pool_lock);
	if (!ours)
		return *was ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	r = cu_result(ppuCtxSynchronize());	/* cuMemFree waits */
	pthread_mutex_lock(&cu_pool_lock);
	b = cu_pool_block_at(ptr, false, &p);
	if (b)
		retire(p, b, NULL, NULL);
	pthread_mutex_unlock(&cu_pool_lock);
	return r;
}

/* ---- pools ---------------------------------------------------------------------------------- */

struct CUmemPoolHandle_st *cu_pool_new(CUdevice device)
{
	struct CUmemPoolHandle_st *p = cu_obj_new(CU_POOL, sizeof(*p), NULL, NULL);

	if (!p)
		return NULL;
	p->device = device;
	p->access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	for (int i = 0; i < 3; i++)
		p->reuse[i] = 1;
	cu_obj_ref(p);		/* the list's, which is never dropped: blocks may be in use after the handle's end */
	p->next = pools;
	pools = p;
	cu_obj_publish(p);
	return p;
}

/* Locked. */
static struct CUmemPoolHandle_st *default_of(CUdevice device)
{
	if (!default_pool[device]) {
		default_pool[device] = cu_pool_new(device);
		if (default_pool[device])
			default_pool[device]->is_default = true;
	}
	return default_pool[device];
}

static CUresult device_pool(CUmemoryPool *pool, CUdevice device, bool current)
{
	CUresult r = cu_device(device, NULL);

	if (r)
		return r;
	if (!pool || device >= MAX_DEVICES)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&cu_pool_lock);
	*pool = current && current_pool[device] ? current_pool[device] : default_of(device);
	pthread_mutex_unlock(&cu_pool_lock);
	return *pool ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult i_cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return device_pool(pool, device, false);
}

CUresult i_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	return device_pool(pool, device, true);
}

CUresult cu_pool_find(CUmemoryPool pool, struct CUmemPoolHandle_st **p)
{
	CUresult r = cu_obj_find(pool, CU_POOL, p);

	return r == CUDA_ERROR_INVALID_HANDLE ? CUDA_ERROR_INVALID_VALUE : r;
}

CUresult i_cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = cu_device(device, NULL);

	if (!r)
		r = cu_pool_find(pool, &p);
	if (r)
		return r;
	if (p->device != device || device >= MAX_DEVICES || p->imported) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		pthread_mutex_lock(&cu_pool_lock);
		current_pool[device] = p;
		pthread_mutex_unlock(&cu_pool_lock);
	}
	cu_obj_put(p);
	return r;
}

/* CUDA 13's names for a device's pools: by a location, and by what the memory is. */
static CUresult located(const CUmemLocation *location, CUmemAllocationType type)
{
	if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return location ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
	return type == CU_MEM_ALLOCATION_TYPE_PINNED ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult i_cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	CUresult r = located(location, type);

	return r ? r : i_cuDeviceGetDefaultMemPool(pool, location->id);
}

CUresult i_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
	CUresult r = located(location, type);

	return r ? r : i_cuDeviceGetMemPool(pool, location->id);
}

CUresult i_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
	CUresult r = located(location, type);

	return r ? r : i_cuDeviceSetMemPool(location->id, pool);
}

CUresult i_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!pool || !props || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (props->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || props->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_NOT_SUPPORTED;
	r = cu_device(props->location.id, NULL);
	if (r)
		return r;
	pthread_mutex_lock(&cu_pool_lock);
	p = cu_pool_new(props->location.id);
	if (p) {
		p->limit = props->maxSize;
		p->shareable = props->handleTypes;
	}
	pthread_mutex_unlock(&cu_pool_lock);
	*pool = p;
	return p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult i_cuMemPoolDestroy(CUmemoryPool pool)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = cu_pool_find(pool, &p);

	if (r)
		return r;
	pthread_mutex_lock(&cu_pool_lock);
	if (p->is_default) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		for (int d = 0; d < MAX_DEVICES; d++)
			if (current_pool[d] == p)
				current_pool[d] = NULL;		/* the default pool is the current one again */
		p->threshold = 0;
		cu_obj_withdraw(p);
	}
	pthread_mutex_unlock(&cu_pool_lock);
	cu_obj_put(p);
	return r;
}

CUresult i_cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	struct CUmemPoolHandle_st *p;
	struct CUctx_st *c;
	CUresult r = cu_pool_find(pool, &p);

	if (r)
		return r;
	r = cu_current(&c);
	if (!r) {
		pthread_mutex_lock(&cu_pool_lock);
		if (p->ctx == c && p->ctx_id == c->id)
			trim(p, keep);
		pthread_mutex_unlock(&cu_pool_lock);
		cu_obj_put(c);
	}
	cu_obj_put(p);
	return r;
}

static CUresult attribute(struct CUmemPoolHandle_st *p, CUmemPool_attribute a, void *value, bool set)
{
	uint64_t *v = value, *high = a == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH ? &p->reserved_high : &p->used_high;
	int *reuse;

	switch (a) {
	case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
	case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
		reuse = &p->reuse[a - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
		if (set)
			*reuse = *(int *)value != 0;
		else
			*(int *)value = *reuse;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		if (set)
			p->threshold = *v;
		else
			*v = p->threshold;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		if (set)
			return CUDA_ERROR_INVALID_VALUE;
		*v = a == CU_MEMPOOL_ATTR_USED_MEM_CURRENT ? p->used : p->reserved;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (!set)
			*v = *high;
		else if (*v)
			return CUDA_ERROR_INVALID_VALUE;	/* 0 sets a high mark to the present value */
		else
			*high = high == &p->used_high ? p->used : p->reserved;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult attribute_call(CUmemoryPool pool, CUmemPool_attribute a, void *value, bool set)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = value ? cu_pool_find(pool, &p) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	pthread_mutex_lock(&cu_pool_lock);
	r = attribute(p, a, value, set);
	pthread_mutex_unlock(&cu_pool_lock);
	cu_obj_put(p);
	return r;
}

CUresult i_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute a, void *value)
{
	return attribute_call(pool, a, value, false);
}

CUresult i_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute a, void *value)
{
	return attribute_call(pool, a, value, true);
}

/* A pool's own device has access; no other device can have it. */
CUresult i_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = count && !access ? CUDA_ERROR_INVALID_VALUE : cu_pool_find(pool, &p);

	if (r)
		return r;
	for (size_t i = 0; !r && i < count; i++)
		if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id != p->device ||
		    access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(p);
	return r;
}

CUresult i_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *location)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = flags && location ? cu_pool_find(pool, &p) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE || cu_device(location->id, NULL))
		r = CUDA_ERROR_INVALID_VALUE;
	else
		*flags = location->id == p->device ? p->access : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	cu_obj_put(p);
	return r;
}

/* ---- allocations ---------------------------------------------------------------------------- */

/* In a stream that is captured, the memory belongs to the graph. */
static CUresult capture_alloc(const struct cu_stream_use *u, CUdeviceptr *ptr, size_t bytes, bool *captured)
{
	struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
	void *mem;
	CUresult r = cu_result(ppuMalloc(&mem, bytes));

	if (r)
		return r;
	op.alloc = (CUDA_MEM_ALLOC_NODE_PARAMS){
		.poolProps = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
			       .location = { CU_MEM_LOCATION_TYPE_DEVICE, u->ctx->device } },
		.bytesize = bytes, .dptr = (uintptr_t)mem,
	};
	r = cu_capture_op(u, &op, captured);
	if (r || !*captured)
		ppuFree(mem);
	else
		*ptr = (uintptr_t)mem;
	return r;
}

static CUresult alloc(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	size_t room = (bytes + UNIT - 1) & ~(size_t)(UNIT - 1);
	struct CUmemPoolHandle_st *p;
	struct cu_stream_use u;
	bool captured = false;
	CUresult r;

	if (!ptr || !bytes || room < bytes)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	if (cu_capturing(&u))
		r = capture_alloc(&u, ptr, bytes, &captured);
	if (!r && !captured && !pool)
		r = device_pool(&pool, u.ctx->device, true);
	if (!r && !captured)
		r = cu_pool_find(pool, &p);
	if (!r && !captured) {
		pthread_mutex_lock(&cu_pool_lock);
		if (p->device != u.ctx->device || p->imported) {
			r = CUDA_ERROR_INVALID_VALUE;
		} else {
			change_context(p, u.ctx);
			r = take(p, bytes, room, u.ppu, ptr);
			if (!r && chk_on())
				chk_pool_alloc(*ptr, bytes);
		}
		pthread_mutex_unlock(&cu_pool_lock);
		cu_obj_put(p);
	}
	cu_stream_put(&u);
	return r;
}

CUresult i_cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
	return alloc(ptr, bytes, NULL, stream);
}

CUresult i_cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	return pool ? alloc(ptr, bytes, pool, stream) : CUDA_ERROR_INVALID_VALUE;
}

/* Records an event at the stream's present end. */
static CUresult marked(const struct cu_stream_use *u, ppuEvent *ev)
{
	CUresult r = cu_result(ppuEventCreate(ev, PPU_EVENT_DISABLE_TIMING));

	if (r)
		return r;
	r = cu_result(ppuEventRecord(*ev, u->ppu));
	if (r)
		ppuEventDestroy(*ev);
	return r;
}

static CUresult free_in(const struct cu_stream_use *u, CUdeviceptr ptr)
{
	struct CUmemPoolHandle_st *p;
	struct block *b;
	ppuEvent ev;
	CUresult r = marked(u, &ev);

	if (r)
		return r;
	pthread_mutex_lock(&cu_pool_lock);
	b = cu_pool_block_at(ptr, false, &p);
	if (b)
		retire(p, b, u->ppu, ev);
	pthread_mutex_unlock(&cu_pool_lock);
	if (b)
		return CUDA_SUCCESS;
	ppuEventDestroy(ev);
	if (cu_graph_owns(ptr))		/* this memory lives as long as its graph */
		return CUDA_SUCCESS;
	r = cu_result(ppuStreamSynchronize(u->ppu));	/* memory of no pool: wait, then free it */
	return r ? r : i_cuMemFree_v2(ptr);
}

CUresult i_cuMemFreeAsync(CUdeviceptr ptr, CUstream stream)
{
	struct cu_op op = { .type = CU_GRAPH_NODE_TYPE_MEM_FREE };
	struct cu_stream_use u;
	bool captured = false;
	CUresult r = cu_stream_get(stream, &u);

	if (r)
		return r;
	if (!cu_is_ours(ptr, NULL)) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		op.free = ptr;
		r = cu_capture_op(&u, &op, &captured);
		if (!r && !captured)
			r = free_in(&u, ptr);
	}
	cu_stream_put(&u);
	return r;
}
