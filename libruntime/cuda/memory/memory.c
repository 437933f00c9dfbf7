/* SPDX-License-Identifier: MIT */
/* Allocations. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <ppu.h>
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/graph.h"
#include "cuda/memory/ipc.h"
#include "cuda/memory/hostmem.h"
#include "cuda/memory/managed.h"
#include "cuda/memory/pointer.h"
#include "cuda/memory/pool.h"

/* Host allocations with their flags, for cuMemHostGetFlags. */
struct host_alloc {
	void *ptr;
	unsigned int flags;
	unsigned long long ctx_id;
	struct host_alloc *next;
};
static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_alloc *host_list;

CUresult i_cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
	struct CUctx_st *c;
	size_t f, t;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = cu_result(ppuMemGetInfo(&f, &t));
	if (!r && free_bytes)
		*free_bytes = f;
	if (!r && total)
		*total = t;
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes)
{
	struct CUctx_st *c;
	void *p;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = !ptr || !bytes ? CUDA_ERROR_INVALID_VALUE : cu_capture_unsafe();
	if (!r)
		r = cu_result(ppuMalloc(&p, bytes));
	if (!r)
		*ptr = (uintptr_t)p;
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemAllocPitch_v2(CUdeviceptr *ptr, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	struct CUctx_st *c;
	void *p;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!ptr || !pitch || !width || !height || (element != 4 && element != 8 && element != 16))
		r = CUDA_ERROR_INVALID_VALUE;
	else
		r = cu_capture_unsafe();
	if (!r)
		r = cu_result(ppuMallocPitch(&p, pitch, width, height));
	if (!r)
		*ptr = (uintptr_t)p;
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemFree_v2(CUdeviceptr ptr)
{
	bool was = false;
	struct CUctx_st *c;
	CUresult r = cu_current_of(&c, ptr);

	if (r)
		return r;
	r = ptr ? cu_capture_unsafe() : CUDA_SUCCESS;
	if (!r)
		r = cu_pool_free(c, ptr, &was);
	if (!r && !was)
		r = cu_managed_free(c, ptr, &was);
	if (!r && !was)
		cu_ipc_freed(ptr);
	if (!r && !was && !cu_graph_owns(ptr))		/* a graph's memory is freed with the graph */
		r = cu_result(ppuFree((void *)(uintptr_t)ptr));
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr)
{
	ppuPointerAttributes a;
	struct CUctx_st *c;
	CUresult r = cu_current_of(&c, ptr);

	if (r)
		return r;
	if (!cu_is_ours(ptr, &a))
		r = CUDA_ERROR_NOT_FOUND;
	if (!r && base)
		*base = (uintptr_t)a.base;
	if (!r && bytes)
		*bytes = a.bytes;
	cu_obj_put(c);
	return r;
}

/* ---- pinned host memory --------------------------------------------------------------------- */

static CUresult host_alloc(const struct CUctx_st *c, void **ptr, size_t bytes, unsigned int flags)
{
	struct host_alloc *h = calloc(1, sizeof(*h));
	CUresult r;

	if (!h)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = cu_result(ppuMallocHost(&h->ptr, bytes));
	if (r) {
		free(h);
		return r;
	}
	h->flags = flags;
	h->ctx_id = c->id;
	*ptr = h->ptr;
	pthread_mutex_lock(&host_lock);
	h->next = host_list;
	host_list = h;
	pthread_mutex_unlock(&host_lock);
	return CUDA_SUCCESS;
}

void cu_host_forget(const struct CUctx_st *c)
{
	struct host_alloc **p = &host_list, *h;

	pthread_mutex_lock(&host_lock);
	while ((h = *p)) {
		if (h->ctx_id == c->id) {
			*p = h->next;
			free(h);
		} else {
			p = &h->next;
		}
	}
	pthread_mutex_unlock(&host_lock);
}

CUresult i_cuMemHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
	unsigned int known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = !ptr || !bytes || flags & ~known ? CUDA_ERROR_INVALID_VALUE :
	    host_alloc(c, ptr, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);	/* pinned memory is always mapped */
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemAllocHost_v2(void **ptr, size_t bytes)
{
	return i_cuMemHostAlloc(ptr, bytes, 0);
}

CUresult i_cuMemFreeHost(void *ptr)
{
	struct host_alloc *h = NULL;
	struct CUctx_st *c;
	CUresult r = cu_current_of(&c, (uintptr_t)ptr);

	if (r)
		return r;
	pthread_mutex_lock(&host_lock);
	for (struct host_alloc **p = &host_list; *p; p = &(*p)->next) {
		if ((*p)->ptr == ptr && (*p)->ctx_id == c->id) {
			h = *p;
			*p = h->next;
			break;
		}
	}
	pthread_mutex_unlock(&host_lock);
	r = h ? cu_result(ppuFreeHost(ptr)) : CUDA_ERROR_INVALID_VALUE;
	free(h);
	cu_obj_put(c);
	return r;
}

/* Host and device have the same address for pinned memory. */
CUresult i_cuMemHostGetDevicePointer_v2(CUdeviceptr *dptr, void *ptr, unsigned int flags)
{
	ppuPointerAttributes a;
	struct CUctx_st *c;
	CUdeviceptr at;
	CUresult r = cu_current_of(&c, (uintptr_t)ptr);

	if (r)
		return r;
	if (!dptr || flags)
		r = CUDA_ERROR_INVALID_VALUE;
	else if (cu_is_registered(ptr, NULL, &at))
		r = at ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
	else if (!cu_is_ours((uintptr_t)ptr, &a) || a.type != PPU_MEMORY_HOST)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		at = (uintptr_t)ptr;
	if (!r)
		*dptr = at;
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemHostGetFlags(unsigned int *flags, void *ptr)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	if (flags && cu_is_registered(ptr, flags, NULL))
		return CUDA_SUCCESS;
	r = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&host_lock);
	for (struct host_alloc *h = host_list; flags && h; h = h->next) {
		if (h->ptr == ptr) {
			*flags = h->flags;
			r = CUDA_SUCCESS;
		}
	}
	pthread_mutex_unlock(&host_lock);
	return r;
}
