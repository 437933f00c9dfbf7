/* SPDX-License-Identifier: MIT */
/*
 * Memory of the program's own that it registered.  What the kernel driver cannot pin (ppuHostRegister()
 * says so), shared mappings of files above all, is registered for copies only: copies go through staging buffers as before,
 * and no kernel can reach the memory.  Programs that register memory to copy faster go on; a program that asks
 * for the device's address gets NOT_SUPPORTED.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <ppu.h>
#include "cuda/memory/hostmem.h"
#include "cuda/context/context.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/memory/pointer.h"

struct registered {
	uint64_t va, bytes;
	unsigned int flags;
	bool mapped;
	struct CUctx_st *ctx;		/* with a reference */
	unsigned long long ctx_id;
	struct registered *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registered *list;

/* Locked.  Forgets registered memory whose context is gone. */
static void sweep(void)
{
	struct registered **p = &list, *r;

	while ((r = *p)) {
		if (!r->ctx->dead && r->ctx->id == r->ctx_id) {
			p = &r->next;
			continue;
		}
		*p = r->next;
		cu_obj_put(r->ctx);
		free(r);
	}
}

static struct registered *overlapping(uint64_t va, uint64_t bytes)
{
	struct registered *r = list;

	while (r && (va + bytes <= r->va || va >= r->va + r->bytes))
		r = r->next;
	return r;
}

bool cu_is_registered(const void *ptr, unsigned int *flags, CUdeviceptr *device)
{
	const struct registered *r;

	pthread_mutex_lock(&lock);
	sweep();
	r = overlapping((uintptr_t)ptr, 1);
	if (r && flags)
		*flags = r->flags;
	if (r && device)
		*device = r->mapped ? (uintptr_t)ptr : 0;
	pthread_mutex_unlock(&lock);
	return r;
}

/* Locked. */
static CUresult enrol(struct CUctx_st *c, void *ptr, size_t bytes, unsigned int flags)
{
	struct registered *r;
	ppuResult res;

	sweep();
	if (overlapping((uintptr_t)ptr, bytes))
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	r = calloc(1, sizeof(*r));
	if (!r)
		return CUDA_ERROR_OUT_OF_MEMORY;
	res = ppuHostRegister(ptr, bytes, 0);
	if (res && (res != PPU_ERROR_NOT_SUPPORTED || flags & CU_MEMHOSTREGISTER_DEVICEMAP)) {
		free(r);
		return cu_result(res);
	}
	/* Memory that could be pinned is always mapped. */
	*r = (struct registered){ (uintptr_t)ptr, bytes, flags | (res ? 0 : CU_MEMHOSTREGISTER_DEVICEMAP), !res, c,
				  c->id, list };
	cu_obj_ref(c);
	list = r;
	return CUDA_SUCCESS;
}

CUresult i_cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned int flags)
{
	unsigned int known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!ptr || !bytes || (uintptr_t)ptr + bytes < bytes)
		r = CUDA_ERROR_INVALID_VALUE;
	else if (flags & (CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY))
		r = CUDA_ERROR_NOT_SUPPORTED;
	else if (flags & ~known || cu_is_ours((uintptr_t)ptr, NULL))
		r = cu_is_registered(ptr, NULL, NULL) ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED :
		    CUDA_ERROR_INVALID_VALUE;
	if (!r) {
		pthread_mutex_lock(&lock);
		r = enrol(c, ptr, bytes, flags);
		pthread_mutex_unlock(&lock);
	}
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemHostUnregister(void *ptr)
{
	struct registered *reg = NULL;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!ptr)
		r = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	sweep();
	for (struct registered **p = &list; !r && *p; p = &(*p)->next) {
		if ((*p)->va == (uintptr_t)ptr) {
			reg = *p;
			*p = reg->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	if (!r && !reg)
		r = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	if (reg) {
		if (reg->mapped)
			r = cu_result(ppuHostUnregister(ptr));
		cu_obj_put(reg->ctx);
		free(reg);
	}
	cu_obj_put(c);
	return r;
}
