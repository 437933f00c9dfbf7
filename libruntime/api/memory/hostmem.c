/* SPDX-License-Identifier: MIT */
/*
 * Registering: existing memory of the process becomes pinned memory of a context, at its own address.
 * The memory gets an entry in the table of allocations, like memory that the runtime has allocated.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include "api/memory/hostmem.h"
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

static uint64_t page_floor(uint64_t va)
{
	return va & ~(PPU_PAGE_SIZE - 1);
}

static uint64_t page_ceil(uint64_t va)
{
	return page_floor(va + PPU_PAGE_SIZE - 1);
}

/* May the process read and write all of [from, to)?  The device will access it without such a check. */
static bool accessible(uint64_t from, uint64_t to)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], perms[8];
	uint64_t lo, hi;

	if (!f)
		return false;
	while (from < to && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &lo, &hi, perms) != 3 || hi <= from)
			continue;
		if (lo > from || perms[0] != 'r' || perms[1] != 'w')
			break;
		from = hi;
	}
	fclose(f);
	return from >= to;
}

static bool shares_a_page(const struct ppuCtx_st *ctx, uint64_t lo, uint64_t hi)
{
	for (size_t i = 0; i < ctx->num_allocs; i++) {
		const struct rt_alloc *a = &ctx->allocs[i];

		if (a->user && page_floor(a->va) < hi && page_ceil(a->va + a->bytes) > lo)
			return true;
	}
	return false;
}

/* Locked. */
static ppuResult enrol(struct ppuCtx_st *ctx, uint64_t va, uint64_t bytes)
{
	struct rt_alloc a = { .va = va, .bytes = bytes, .room = bytes, .type = PPU_MEMORY_HOST };
	uint64_t lo = page_floor(va), hi = page_ceil(va + bytes);
	ppuResult res;
	int rc;

	if (shares_a_page(ctx, lo, hi))
		return rt_fail(PPU_ERROR_INVALID_VALUE, "0x%" PRIx64 " + %" PRIu64 " shares a page with memory that is "
			       "registered already", va, bytes);
	if (!accessible(lo, hi))
		return rt_fail(PPU_ERROR_INVALID_ADDRESS, "0x%" PRIx64 " + %" PRIu64 " is not memory of the process that "
			       "it may read and write", va, bytes);
	rc = ctx->be->bo_user(ctx->vm, (void *)(uintptr_t)lo, hi - lo, &a.user);
	if (rc == -EOPNOTSUPP)
		return rt_fail(PPU_ERROR_NOT_SUPPORTED, "the kernel driver cannot pin this memory (a shared mapping of a file?); "
			       "allocate it with ppuMallocHost()");
	if (rc)
		return rt_errno(rc, "pinning memory");
	rc = ctx->be->bind(ctx->vm, a.user, lo, hi - lo, BE_BIND_NOEXEC);
	res = rc ? rt_errno(rc, "mapping pinned memory") : rt_alloc_add(ctx, &a);
	if (res) {
		if (!rc)
			ctx->be->unbind(ctx->vm, lo, hi - lo);
		ctx->be->bo_free(a.user);
	} else if (ctx->check) {
		chk_alloc(ctx->check, va, bytes, bytes, CHK_HOST);
	}
	return res;
}

void rt_unregister(struct ppuCtx_st *ctx, const struct rt_alloc *a)
{
	uint64_t lo = page_floor(a->va);

	if (ctx->check)
		chk_free(ctx->check, a->va);
	ctx->be->unbind(ctx->vm, lo, page_ceil(a->va + a->bytes) - lo);
	ctx->be->bo_free(a->user);
}

ppuResult ppuHostRegister(void *ptr, size_t bytes, unsigned flags)
{
	uint64_t va = (uintptr_t)ptr;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!ptr || !bytes || flags)
		return rt_error(PPU_ERROR_INVALID_VALUE);
	if (va < PPU_VA_USER_START || bytes > PPU_VA_USER_END - PPU_PAGE_SIZE ||
	    va > PPU_VA_USER_END - PPU_PAGE_SIZE - bytes || rt_va_inside(ptr))
		return rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p + %zu is not ordinary memory", ptr, bytes);
	res = rt_current(&ctx);
	if (res)
		return res;
	res = rt_enter(ctx);
	if (!res) {
		res = enrol(ctx, va, bytes);
		rt_leave(ctx);
	}
	rt_obj_put(&ctx->obj);
	return res;
}

ppuResult ppuHostUnregister(void *ptr)
{
	struct ppuCtx_st *ctx;
	struct rt_alloc *a, copy;
	ppuResult res = rt_host_refuse();

	if (!res)
		res = rt_current(&ctx);
	if (res)
		return res;
	pthread_mutex_lock(&ctx->lock);
	a = rt_find(ctx, ptr);
	if (ctx->dead) {
		res = rt_error(PPU_ERROR_INVALID_CONTEXT);
	} else if (!a || !a->user || a->va != (uintptr_t)ptr) {
		res = rt_fail(PPU_ERROR_INVALID_ADDRESS, "%p is not the start of registered memory", ptr);
	} else {
		copy = rt_alloc_take(ctx, a);
		res = ctx->broken ? rt_check(ctx) : rt_wait_all(ctx);
		if (!ctx->dead || !res)
			rt_unregister(ctx, &copy);
	}
	rt_leave(ctx);
	rt_obj_put(&ctx->obj);
	return res;
}
