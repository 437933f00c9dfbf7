/* SPDX-License-Identifier: MIT */
/*
 * Memory.  Small allocations are parts of large buffers (chunks), large ones have a buffer of their
 * own; the table of allocations, by address, tells what a pointer is.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include "api/memory/mem.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/memory/hostmem.h"
#include "api/memory/peer.h"
#include "api/memory/va.h"
#include "api/memory/vmm.h"
#include "api/stream/hostfn.h"
#include "backend/backend.h"
#include "check/check.h"
#include "common/range.h"

#define MIN_ALIGN	256u

struct rt_chunk {
	struct rt_chunk *next;
	enum rt_heap heap;
	struct be_bo *bo;
	uint64_t va, size;
	struct ppu_range range;		/* by address */
};

/* A freed block that its chunk does not have back yet. */
struct rt_kept {
	struct rt_kept *next;
	struct rt_alloc a;
};

static const struct {
	uint64_t chunk;
	enum be_place place;
	unsigned flags;
} heaps[RT_HEAPS] = {
	[RT_HEAP_DATA] = { 4 << 20, BE_VRAM, BE_BIND_NOEXEC },
	[RT_HEAP_CODE] = { 1 << 20, BE_VRAM, 0 },
	[RT_HEAP_HOST] = { 1 << 20, BE_SYSTEM, BE_BIND_NOEXEC },
};

static void changed(struct ppuCtx_st *ctx, enum rt_heap heap)
{
	if (heap == RT_HEAP_DATA)
		__atomic_add_fetch(&ctx->chunk_changes, 1, __ATOMIC_RELEASE);
}

static void chunk_free(struct ppuCtx_st *ctx, struct rt_chunk *c)
{
	for (struct rt_chunk **p = &ctx->chunks[c->heap]; *p; p = &(*p)->next) {
		if (*p == c) {
			*p = c->next;
			break;
		}
	}
	rt_va_disown(c->va);
	ctx->be->unbind(ctx->vm, c->va, c->size);
	rt_peer_va_free(c->va, c->size, heaps[c->heap].place == BE_SYSTEM);
	ctx->be->bo_free(c->bo);
	ppu_range_fini(&c->range);
	changed(ctx, c->heap);
	free(c);
}

struct be_bo *rt_chunk_of(const struct rt_alloc *a, size_t *offset, size_t *size)
{
	*offset = a->va - a->chunk->va;
	*size = a->chunk->size;
	return a->chunk->bo;
}

void rt_chunks(struct ppuCtx_st *ctx, void (*fn)(void *arg, uint64_t va, uint64_t size, struct be_bo *bo), void *arg)
{
	for (struct rt_chunk *c = ctx->chunks[RT_HEAP_DATA]; c; c = c->next)
		fn(arg, c->va, c->size, c->bo);
}

static bool in_system(const struct ppuCtx_st *ctx, enum rt_heap heap)
{
	return heaps[heap].place == BE_SYSTEM || (heap == RT_HEAP_DATA && ctx->peers_elsewhere && ctx->be->peers_in_system);
}

static int chunk_new(struct ppuCtx_st *ctx, enum rt_heap heap, uint64_t size, struct rt_chunk **out)
{
	struct rt_chunk *c = calloc(1, sizeof(*c));
	bool host = heaps[heap].place == BE_SYSTEM;
	uint64_t align = size >= PPU_LARGE_SIZE ? PPU_LARGE_SIZE : PPU_PAGE_SIZE;
	void *p;
	int rc;

	if (!c)
		return -ENOMEM;
	c->heap = heap;
	c->size = (size + PPU_PAGE_SIZE - 1) & ~(PPU_PAGE_SIZE - 1);
	rc = ctx->be->bo_alloc(ctx->vm, c->size, in_system(ctx, heap) ? BE_SYSTEM : BE_VRAM, &c->bo);
	if (rc)
		goto fail;
	rc = rt_va_alloc(c->size, align, &c->va);
	if (rc)
		goto fail_bo;
	if (host)
		rc = ctx->be->bo_map(c->bo, (void *)(uintptr_t)c->va, &p);
	if (!rc)
		rc = ppu_range_init(&c->range, c->va, c->size);
	if (!rc)
		rc = ctx->be->bind(ctx->vm, c->bo, c->va, c->size, heaps[heap].flags);
	if (!rc) {
		rc = rt_va_own(ctx, c->va, c->size, host);
		if (rc)
			ctx->be->unbind(ctx->vm, c->va, c->size);
	}
	if (rc)
		goto fail_va;
	c->next = ctx->chunks[heap];
	ctx->chunks[heap] = c;
	changed(ctx, heap);
	*out = c;
	return 0;
fail_va:
	ppu_range_fini(&c->range);
	rt_va_free(c->va, c->size, host);
fail_bo:
	ctx->be->bo_free(c->bo);
fail:
	free(c);
	return rc;
}

/* Index of the first allocation above va. */
static size_t above(const struct ppuCtx_st *ctx, uint64_t va)
{
	size_t lo = 0, hi = ctx->num_allocs;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (ctx->allocs[mid].va <= va)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct rt_alloc *rt_find(struct ppuCtx_st *ctx, const void *p)
{
	uint64_t va = (uintptr_t)p;
	size_t i = above(ctx, va);

	if (!i || va - ctx->allocs[i - 1].va >= ctx->allocs[i - 1].room)
		return NULL;
	return &ctx->allocs[i - 1];
}

static bool room_for_one(struct ppuCtx_st *ctx)
{
	size_t cap = ctx->cap_allocs ? 2 * ctx->cap_allocs : 64;
	struct rt_alloc *n;

	if (ctx->num_allocs < ctx->cap_allocs)
		return true;
	n = realloc(ctx->allocs, cap * sizeof(*n));
	if (!n)
		return false;
	ctx->allocs = n;
	ctx->cap_allocs = cap;
	return true;
}

ppuResult rt_alloc_add(struct ppuCtx_st *ctx, const struct rt_alloc *a)
{
	size_t at = above(ctx, a->va);

	if (!room_for_one(ctx))
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	memmove(ctx->allocs + at + 1, ctx->allocs + at, (ctx->num_allocs - at) * sizeof(*ctx->allocs));
	ctx->allocs[at] = *a;
	ctx->num_allocs++;
	return PPU_SUCCESS;
}

/* Memory that the program asked for, unlike the runtime's own. */
static bool is_programs(ppuMemoryType type)
{
	return type == PPU_MEMORY_DEVICE || type == PPU_MEMORY_HOST;
}

/* A module's variables are the program's, too. */
static uint64_t with_red_zone(const struct ppuCtx_st *ctx, enum rt_heap heap, uint64_t bytes, ppuMemoryType type)
{
	bool has = is_programs(type) || (type == RT_MEMORY_MODULE && heap != RT_HEAP_CODE);

	return has ? bytes + chk_red_zone(ctx->check, bytes) : bytes;
}

/* Room in a chunk that is there, or in a new one. */
static int find_room(struct ppuCtx_st *ctx, enum rt_heap heap, uint64_t room, uint64_t align, struct rt_chunk **out,
		     uint64_t *va)
{
	uint64_t size = heaps[heap].chunk;
	struct rt_chunk *c = NULL;
	int rc = -ENOSPC;

	if (room <= size / 2) {
		for (c = ctx->chunks[heap]; c; c = c->next) {
			*out = c;
			if (c->range.avail >= room && !ppu_range_alloc(&c->range, room, align, va))
				return 0;
		}
		/* A new chunk, a smaller one when memory is short. */
		for (; !c && size >= room && size >= (64 << 10); size /= 4) {
			rc = chunk_new(ctx, heap, size, &c);
			if (rc != -ENOSPC)
				break;
		}
	}
	if (!c)
		rc = chunk_new(ctx, heap, align > PPU_PAGE_SIZE ? room + align : room, &c);
	*out = c;
	return rc ? rc : ppu_range_alloc(&c->range, room, align, va);
}

ppuResult rt_alloc(struct ppuCtx_st *ctx, enum rt_heap heap, uint64_t bytes, uint64_t align,
		   ppuMemoryType type, uint64_t *va)
{
	uint64_t unit = heap == RT_HEAP_HOST ? PPU_PAGE_SIZE : MIN_ALIGN;
	uint64_t room = (with_red_zone(ctx, heap, bytes, type) + unit - 1) & ~(unit - 1);
	struct rt_chunk *c;
	int rc;

	if (align < unit)
		align = unit;
	if (room < bytes || room > (1ull << 40))
		return rt_error(heap == RT_HEAP_HOST ? PPU_ERROR_OUT_OF_HOST_MEMORY :
				PPU_ERROR_OUT_OF_DEVICE_MEMORY);
	if (!room_for_one(ctx))
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	do {
		rc = find_room(ctx, heap, room, align, &c, va);
	} while (rc == -ENOSPC && rt_release_kept(ctx));
	if (rc)
		return rc == -ENOSPC || heap == RT_HEAP_HOST ?
		       rt_fail(heap == RT_HEAP_HOST ? PPU_ERROR_OUT_OF_HOST_MEMORY :
			       PPU_ERROR_OUT_OF_DEVICE_MEMORY, "no room for %llu bytes",
			       (unsigned long long)bytes) : rt_errno(rc, "allocating memory");
	if (ctx->check)
		chk_alloc(ctx->check, *va, bytes, room, is_programs(type) ? CHK_USER : CHK_INTERNAL);
	if (ctx->check && type == PPU_MEMORY_HOST)
		chk_shared_with_host(ctx->check, *va, bytes);
	if (ctx->check && type == PPU_MEMORY_DEVICE)
		chk_fresh(ctx->check, *va, bytes);
	return rt_alloc_add(ctx, &(struct rt_alloc){ *va, bytes, room, type, c, NULL, NULL });
}

static void release(struct ppuCtx_st *ctx, const struct rt_alloc *a)
{
	struct rt_chunk *c = a->chunk;

	ppu_range_free(&c->range, a->va, a->room);
	/* Keep one empty chunk of the usual size for the next allocation. */
	if (c->range.avail == c->size) {
		bool spare = false;

		for (struct rt_chunk *o = ctx->chunks[c->heap]; o; o = o->next)
			spare |= o != c && o->range.avail == o->size;
		if (spare || c->size != heaps[c->heap].chunk)
			chunk_free(ctx, c);
	}
}

/* The block that was freed first goes back to its chunk. */
static void release_oldest(struct ppuCtx_st *ctx)
{
	struct rt_kept *k = ctx->kept;

	ctx->kept = k->next;
	ctx->kept_bytes -= k->a.room;
	release(ctx, &k->a);
	free(k);
}

bool rt_release_kept(struct ppuCtx_st *ctx)
{
	bool any = ctx->kept;

	while (ctx->kept)
		release_oldest(ctx);
	return any;
}

/* The checker wants that freed memory is not used again soon: who still has its address is noticed.  The block that was
 * freed last is kept, however large it is. */
static bool keep(struct ppuCtx_st *ctx, const struct rt_alloc *a)
{
	uint64_t most = chk_quarantine(ctx->check);
	struct rt_kept *k;

	if (!is_programs(a->type) || !most)
		return false;
	k = malloc(sizeof(*k));
	if (!k)
		return false;
	k->next = NULL;
	k->a = *a;
	if (ctx->kept)
		ctx->kept_last->next = k;
	else
		ctx->kept = k;
	ctx->kept_last = k;
	ctx->kept_bytes += a->room;
	while (ctx->kept != k && ctx->kept_bytes > most)
		release_oldest(ctx);
	return true;
}

/* Gives an allocation's room back.  Its table entry is gone already. */
static void give_back(struct ppuCtx_st *ctx, const struct rt_alloc *a)
{
	if (ctx->check)
		chk_free(ctx->check, a->va);
	if (!ctx->check || !keep(ctx, a))
		release(ctx, a);
}

struct rt_alloc rt_alloc_take(struct ppuCtx_st *ctx, struct rt_alloc *a)
{
	struct rt_alloc copy = *a;
	size_t at = (size_t)(a - ctx->allocs);

	ctx->num_allocs--;
	memmove(a, a + 1, (ctx->num_allocs - at) * sizeof(*a));
	return copy;
}

void rt_free(struct ppuCtx_st *ctx, uint64_t va)
{
	struct rt_alloc *a = rt_find(ctx, (void *)(uintptr_t)va), copy;

	if (!a || a->va != va)
		return;
	copy = rt_alloc_take(ctx, a);
	give_back(ctx, &copy);
}

void rt_heap_fini(struct ppuCtx_st *ctx)
{
	rt_release_kept(ctx);
	for (size_t i = 0; i < ctx->num_allocs; i++) {
		if (ctx->allocs[i].user)
			rt_unregister(ctx, &ctx->allocs[i]);
		else if (ctx->allocs[i].mem)
			rt_unmap(ctx, &ctx->allocs[i]);
	}
	rt_mems_fini(ctx);
	for (unsigned h = 0; h < RT_HEAPS; h++)
		while (ctx->chunks[h])
			chunk_free(ctx, ctx->chunks[h]);
	free(ctx->allocs);
	ctx->allocs = NULL;
}

/* How many bytes are accessible from p on: those of the allocation, and of mappings right behind a
 * mapping. */
static uint64_t reach(struct ppuCtx_st *ctx, const struct rt_alloc *a, uint64_t p, uint64_t enough)
{
	uint64_t end = a->va + a->bytes;

	while (a && a->mem && end - p < enough) {
		a = rt_find(ctx, (void *)(uintptr_t)end);
		if (a && a->mem)
			end += a->bytes;
		else
			a = NULL;
	}
	return end - p;
}

ppuResult rt_classify(struct ppuCtx_st *ctx, const void *p, uint64_t bytes, ppuMemoryType *type)
{
	struct rt_alloc *a;
	bool mapped;

	a = rt_find(ctx, p);
	if (!rt_va_inside(p)) {
		/* Memory that is registered only in part goes through staging. */
		*type = a && a->va + a->bytes - (uintptr_t)p >= bytes ? PPU_MEMORY_HOST : PPU_MEMORY_UNREGISTERED;
		return PPU_SUCCESS;
	}
	if (!a && rt_peer_of(ctx, (uintptr_t)p, bytes)) {
		*type = PPU_MEMORY_DEVICE;
		return PPU_SUCCESS;
	}
	/* Another context's pinned memory is ordinary memory to this one. */
	if (!a && rt_va_owner((uintptr_t)p, bytes, &mapped) && mapped) {
		*type = PPU_MEMORY_UNREGISTERED;
		return PPU_SUCCESS;
	}
	if (!a || a->type == PPU_MEMORY_UNREGISTERED ||
	    (uintptr_t)p - a->va > a->bytes || reach(ctx, a, (uintptr_t)p, bytes) < bytes)
		return rt_fail(PPU_ERROR_INVALID_ADDRESS,
			       "%p + %llu is not inside one allocation of this context", p,
			       (unsigned long long)bytes);
	*type = a->type >= RT_MEMORY_MODULE ? PPU_MEMORY_DEVICE : a->type;
	return PPU_SUCCESS;
}

/* ---- the calls ------------------------------------------------------------------------------ */

static ppuResult get(void **ptr, size_t bytes, enum rt_heap heap, ppuMemoryType type)
{
	struct ppuCtx_st *ctx;
	uint64_t va = 0;
	ppuResult res;

	if (!ptr)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		if (bytes)
			res = rt_alloc(ctx, heap, bytes, 0, type, &va);
		rt_leave(ctx);
	}
	if (!res) {
		*ptr = (void *)(uintptr_t)va;
		if (va && type == PPU_MEMORY_HOST)
			memset(*ptr, 0, bytes);
	}
	rt_obj_put(&ctx->obj);
	return res;
}

static ppuResult put(void *ptr, ppuMemoryType type)
{
	struct ppuCtx_st *ctx;
	struct rt_alloc *a, copy;
	ppuResult res;

	if (!ptr)
		return PPU_SUCCESS;
	res = rt_host_refuse();
	if (!res)
		res = rt_current(&ctx);
	if (res)
		return res;
	pthread_mutex_lock(&ctx->lock);
	a = rt_find(ctx, ptr);
	if (ctx->dead) {
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	} else if (!a || a->va != (uintptr_t)ptr || a->type != type || a->user || a->mem) {
		if (ctx->check)
			chk_bad_free(ctx->check, (uintptr_t)ptr);
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p is not the start of such an allocation", ptr);
	} else {
		copy = rt_alloc_take(ctx, a);
		res = ctx->broken ? rt_check(ctx) : rt_wait_all(ctx);
		if (!ctx->dead && (!res || ctx->broken))
			give_back(ctx, &copy);
	}
	rt_leave(ctx);
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuMalloc(void **ptr, size_t bytes)
{
	return get(ptr, bytes, RT_HEAP_DATA, PPU_MEMORY_DEVICE);
}

ppuResult ppuMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
	size_t p = (width + 255) & ~(size_t)255;
	ppuResult res;

	if (!pitch || p < width || (height && p > SIZE_MAX / height))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = ppuMalloc(ptr, p * height);
	if (!res)
		*pitch = p;
	return res;
}

ppuResult ppuFree(void *ptr)
{
	return put(ptr, PPU_MEMORY_DEVICE);
}

ppuResult ppuMallocHost(void **ptr, size_t bytes)
{
	return get(ptr, bytes, RT_HEAP_HOST, PPU_MEMORY_HOST);
}

ppuResult ppuFreeHost(void *ptr)
{
	return put(ptr, PPU_MEMORY_HOST);
}

ppuResult ppuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!free_bytes || !total_bytes)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_mem_info(ctx->device, free_bytes, total_bytes);
	rt_obj_put(&ctx->obj);
	return res;
}

static bool describe(struct ppuCtx_st *ctx, const void *ptr, ppuPointerAttributes *attr)
{
	const struct rt_alloc *a = rt_find(ctx, ptr);

	if (!a || a->type == PPU_MEMORY_UNREGISTERED)
		return false;
	attr->type = a->type >= RT_MEMORY_MODULE ? PPU_MEMORY_DEVICE : a->type;
	attr->ctx = ctx;
	attr->base = (void *)(uintptr_t)a->va;
	attr->bytes = a->bytes;
	return true;
}

ppuResult ppuPointerGetAttributes(ppuPointerAttributes *attr, const void *ptr)
{
	struct ppuCtx_st *ctx, *peer = NULL;
	ppuResult res;
	bool known;

	if (!attr)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	memset(attr, 0, sizeof(*attr));
	res = rt_current(&ctx);
	if (res)
		return res;
	if (rt_peers_any(&ctx->peers))
		rt_peers_pull(ctx);	/* what cannot be had is no memory of ours */
	pthread_mutex_lock(&ctx->lock);
	known = describe(ctx, ptr, attr);
	if (!known) {
		peer = rt_peer_of(ctx, (uintptr_t)ptr, 1);
		if (peer)
			rt_obj_ref(&peer->obj);
	}
	rt_leave(ctx);
	if (peer) {
		pthread_mutex_lock(&peer->lock);
		known = describe(peer, ptr, attr);
		rt_leave(peer);
		rt_obj_put(&peer->obj);
	}
	if (!known && rt_va_inside(ptr))
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p is in no allocation of this context", ptr);
	rt_obj_put(&ctx->obj);
	return res;
}
