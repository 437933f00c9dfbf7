/* SPDX-License-Identifier: MIT */
/*
 * Addresses and memory as separate objects: ranges of the window are reserved, pieces of device memory are
 * made, and pieces are mapped to ranges.  A mapping is an entry in the context's table of allocations; copies
 * may run over mappings that lie side by side.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include "api/memory/vmm.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/fault.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/memory/mem.h"
#include "api/memory/va.h"
#include "api/stream/hostfn.h"
#include "backend/backend.h"
#include "check/check.h"

/* Ranges handed out, of all contexts. */
struct reservation {
	uint64_t va, bytes;
	struct reservation *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations;

static bool pages(uint64_t v)
{
	return v && !(v & (PPU_PAGE_SIZE - 1));
}

ppuResult ppuAddressReserve(void **ptr, size_t bytes, size_t align)
{
	struct reservation *r;
	int rc;

	if (!ptr || !pages(bytes) || (align & (align - 1)))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	r = calloc(1, sizeof(*r));
	if (!r)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	rc = rt_va_alloc(bytes, align < PPU_PAGE_SIZE ? PPU_PAGE_SIZE : align, &r->va);
	if (rc) {
		free(r);
		return rt_fail(PPU_ERROR_OUT_OF_RESOURCES, "no %zu addresses in a row are left", bytes);
	}
	r->bytes = bytes;
	pthread_mutex_lock(&lock);
	r->next = reservations;
	reservations = r;
	pthread_mutex_unlock(&lock);
	*ptr = (void *)(uintptr_t)r->va;
	return PPU_SUCCESS;
}

ppuResult ppuAddressFree(void *ptr, size_t bytes)
{
	struct reservation **p, *r = NULL;

	pthread_mutex_lock(&lock);
	for (p = &reservations; *p; p = &(*p)->next) {
		if ((*p)->va == (uintptr_t)ptr && (*p)->bytes == bytes) {
			r = *p;
			*p = r->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	if (!r)
		return rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p + %zu is no reserved range", ptr, bytes);
	rt_va_free(r->va, r->bytes, false);
	free(r);
	return PPU_SUCCESS;
}

static bool reserved(uint64_t va, uint64_t bytes)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	for (const struct reservation *r = reservations; r; r = r->next)
		found |= va >= r->va && va - r->va < r->bytes && r->bytes - (va - r->va) >= bytes;
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- memory --------------------------------------------------------------------------------- */

static void mem_release(struct rt_obj *obj)
{
	free(obj);
}

/* Locked.  One user less, handle or mapping.  The last one frees the memory. */
static void drop(struct ppuCtx_st *ctx, struct ppuMem_st *m)
{
	if (--m->users)
		return;
	for (struct ppuMem_st **p = &ctx->mems; *p; p = &(*p)->next) {
		if (*p == m) {
			*p = m->next;
			break;
		}
	}
	ctx->be->bo_free(m->bo);
	rt_obj_put(&m->obj);
}

static ppuResult no_export(void)
{
	return rt_fail(PPU_ERROR_NOT_SUPPORTED, "this memory cannot be shared with another process");
}

/* fd: the memory of another process; -1: new memory. */
static ppuResult create(struct ppuCtx_st *ctx, size_t bytes, int fd, struct ppuMem_st **out)
{
	struct ppuMem_st *m;
	int rc;

	if (fd >= 0 && !ctx->be->bo_import)
		return no_export();
	m = calloc(1, sizeof(*m));
	if (!m)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	do {
		rc = fd < 0 ? ctx->be->bo_alloc(ctx->vm, bytes, BE_VRAM, &m->bo) :
			      ctx->be->bo_import(ctx->vm, fd, bytes, &m->bo);
	} while (rc == -ENOSPC && rt_release_kept(ctx));
	if (rc) {
		free(m);
		return fd >= 0 ? rt_errno(rc, "taking over memory of another process") :
		       rt_fail(PPU_ERROR_OUT_OF_DEVICE_MEMORY, "no room for %zu bytes", bytes);
	}
	rt_obj_init(&m->obj, RT_MEM, mem_release);
	m->ctx = ctx;
	m->bytes = bytes;
	m->users = 1;
	m->imported = fd >= 0;
	m->next = ctx->mems;
	ctx->mems = m;
	rt_obj_publish(&m->obj);
	*out = m;
	return PPU_SUCCESS;
}

static ppuResult make(ppuMem *mem, size_t bytes, int fd)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!mem || !pages(bytes))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		res = create(ctx, bytes, fd, mem);
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuMemCreate(ppuMem *mem, size_t bytes)
{
	return make(mem, bytes, -1);
}

ppuResult ppuMemImport(ppuMem *mem, int fd, size_t bytes)
{
	return fd < 0 ? rt_error(PPU_ERROR_INVALID_VALUE) : make(mem, bytes, fd);
}

/* Finds memory by its handle.  Locks its context, and takes a reference to both. */
static ppuResult enter(ppuMem handle, struct ppuMem_st **mem)
{
	struct ppuMem_st *m = rt_obj_get(handle, RT_MEM);

	*mem = m;
	if (!m)
		return rt_fail(PPU_ERROR_INVALID_HANDLE, "%p is no piece of memory", (void *)handle);
	rt_obj_ref(&m->ctx->obj);
	pthread_mutex_lock(&m->ctx->lock);
	return PPU_SUCCESS;
}

static void leave(struct ppuMem_st *m)
{
	struct ppuCtx_st *ctx = m->ctx;

	rt_leave(ctx);
	rt_obj_put(&m->obj);
	rt_obj_put(&ctx->obj);
}

ppuResult ppuMemRelease(ppuMem handle)
{
	struct ppuMem_st *m;
	ppuResult res = enter(handle, &m);

	if (res)
		return res;
	if (!rt_obj_withdraw(&m->obj))
		res = rt_error(PPU_ERROR_INVALID_HANDLE);
	else if (!m->ctx->dead)
		drop(m->ctx, m);
	leave(m);
	return res;
}

ppuResult ppuMemExport(ppuMem handle, int *fd)
{
	struct ppuMem_st *m;
	ppuResult res;

	if (!fd)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = enter(handle, &m);
	if (res)
		return res;
	if (m->ctx->dead)
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	else
		res = m->ctx->be->bo_export ? rt_errno(m->ctx->be->bo_export(m->bo, fd), "exporting memory") : no_export();
	leave(m);
	return res;
}

/* Locked. */
static ppuResult export_at(struct ppuCtx_st *ctx, const void *ptr, int *fd, size_t *offset, size_t *buffer, uint64_t *bytes)
{
	const struct rt_alloc *a = rt_find(ctx, ptr);
	struct be_bo *bo = NULL;

	if (a && a->chunk)
		bo = rt_chunk_of(a, offset, buffer);
	/* A module's memory ends with the module, and nobody asks its users. */
	if (!bo || a->va != (uintptr_t)ptr || (a->type != PPU_MEMORY_DEVICE && a->type != PPU_MEMORY_HOST))
		return rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p is not the start of an allocation of this context", ptr);
	*bytes = a->bytes;
	return ctx->be->bo_export ? rt_errno(ctx->be->bo_export(bo, fd), "exporting memory") : no_export();
}

ppuResult ppuPointerExport(const void *ptr, int *fd, size_t *offset, size_t *buffer, uint64_t *bytes)
{
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!fd || !offset || !buffer || !bytes)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		res = export_at(ctx, ptr, fd, offset, buffer, bytes);
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}

/* ---- mappings ------------------------------------------------------------------------------- */

static ppuResult map(struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes, struct ppuMem_st *m, bool read_only)
{
	struct rt_alloc a = { .va = va, .bytes = bytes, .room = bytes, .type = PPU_MEMORY_DEVICE, .mem = m };
	ppuResult res;
	int rc;

	if (bytes > m->bytes || !reserved(va, bytes))
		return rt_fail(PPU_ERROR_INVALID_ADDRESS, "0x%" PRIx64 " + %" PRIu64
			       " is no part of a reserved range or larger than the memory", va, bytes);
	for (uint64_t at = va; at < va + bytes; at += PPU_PAGE_SIZE)
		if (rt_find(ctx, (void *)(uintptr_t)at))
			return rt_fail(PPU_ERROR_INVALID_ADDRESS, "0x%" PRIx64 " is mapped already", at);
	rc = ctx->be->bind(ctx->vm, m->bo, va, bytes, BE_BIND_NOEXEC | (read_only ? BE_BIND_READONLY : 0));
	if (rc)
		return rt_errno(rc, "mapping memory");
	res = rt_alloc_add(ctx, &a);
	if (res)
		ctx->be->unbind(ctx->vm, va, bytes);
	else
		m->users++;
	if (!res && ctx->check)
		chk_alloc(ctx->check, va, bytes, bytes, CHK_MAPPED);
	return res;
}

ppuResult ppuMemMap(void *ptr, size_t bytes, ppuMem handle, int read_only)
{
	struct ppuMem_st *m;
	ppuResult res;

	if (!pages((uintptr_t)ptr) || !pages(bytes))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = enter(handle, &m);
	if (res)
		return res;
	res = m->ctx->dead ? rt_error(PPU_ERROR_INVALID_CONTEXT) : rt_check(m->ctx);
	if (!res)
		res = map(m->ctx, (uintptr_t)ptr, bytes, m, read_only);
	leave(m);
	return res;
}

void rt_unmap(struct ppuCtx_st *ctx, const struct rt_alloc *a)
{
	if (ctx->check)
		chk_free(ctx->check, a->va);
	ctx->be->unbind(ctx->vm, a->va, a->bytes);
	drop(ctx, a->mem);
}

ppuResult ppuMemUnmap(void *ptr, ppuMem handle)
{
	struct ppuCtx_st *ctx;
	struct rt_alloc *a, copy;
	struct ppuMem_st *m;
	ppuResult res = rt_host_refuse();

	if (!res)
		res = enter(handle, &m);
	if (res)
		return res;
	ctx = m->ctx;
	a = rt_find(ctx, ptr);
	if (ctx->dead) {
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	} else if (!a || a->mem != m || a->va != (uintptr_t)ptr) {
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p is not the start of a mapping of this memory", ptr);
	} else {
		copy = rt_alloc_take(ctx, a);
		res = ctx->broken ? rt_check(ctx) : rt_wait_all(ctx);
		if (!ctx->dead)
			rt_unmap(ctx, &copy);
	}
	leave(m);
	return res;
}

void rt_mems_fini(struct ppuCtx_st *ctx)
{
	struct ppuMem_st *m;

	while ((m = ctx->mems)) {
		ctx->mems = m->next;
		rt_obj_withdraw(&m->obj);
		ctx->be->bo_free(m->bo);
		rt_obj_put(&m->obj);
	}
}
