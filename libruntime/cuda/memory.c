/* SPDX-License-Identifier: MIT */
/* Allocations and what is known of a pointer. */
#include <pthread.h>
#include <stdlib.h>
#include "cu.h"

/* Host allocations with their flags, for cuMemHostGetFlags. */
struct host_alloc {
	void *ptr;
	unsigned int flags;
	struct host_alloc *next;
};
static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_alloc *host_list;

bool cu_is_ours(CUdeviceptr ptr, ppuPointerAttributes *attr)
{
	ppuPointerAttributes unused;

	if (!attr)
		attr = &unused;
	return ptr && !ppuPointerGetAttributes(attr, (void *)(uintptr_t)ptr) && attr->type != PPU_MEMORY_UNREGISTERED;
}

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
	r = !ptr || !bytes ? CUDA_ERROR_INVALID_VALUE : cu_result(ppuMalloc(&p, bytes));
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
		r = cu_result(ppuMallocPitch(&p, pitch, width, height));
	if (!r)
		*ptr = (uintptr_t)p;
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemFree_v2(CUdeviceptr ptr)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = cu_result(ppuFree((void *)(uintptr_t)ptr));
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr ptr)
{
	ppuPointerAttributes a;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

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

static CUresult host_alloc(void **ptr, size_t bytes, unsigned int flags)
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
	*ptr = h->ptr;
	pthread_mutex_lock(&host_lock);
	h->next = host_list;
	host_list = h;
	pthread_mutex_unlock(&host_lock);
	return CUDA_SUCCESS;
}

CUresult i_cuMemHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
	unsigned int known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = !ptr || !bytes || flags & ~known ? CUDA_ERROR_INVALID_VALUE :
	    host_alloc(ptr, bytes, flags | CU_MEMHOSTALLOC_DEVICEMAP);	/* all of it is always mapped */
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
	CUresult r = cu_current(&c);

	if (r)
		return r;
	pthread_mutex_lock(&host_lock);
	for (struct host_alloc **p = &host_list; *p; p = &(*p)->next) {
		if ((*p)->ptr == ptr) {
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

/* One address for both sides. */
CUresult i_cuMemHostGetDevicePointer_v2(CUdeviceptr *dptr, void *ptr, unsigned int flags)
{
	ppuPointerAttributes a;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!dptr || flags || !cu_is_ours((uintptr_t)ptr, &a) || a.type != PPU_MEMORY_HOST)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		*dptr = (uintptr_t)ptr;
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemHostGetFlags(unsigned int *flags, void *ptr)
{
	CUresult r = cu_ready();

	if (r)
		return r;
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

/* ---- pointers ------------------------------------------------------------------------------- */

/* One attribute of a pointer that is ours; *value has the type the attribute asks for. */
static CUresult pointer_attribute(void *value, CUpointer_attribute what, CUdeviceptr ptr, struct CUctx_st *c,
				  const ppuPointerAttributes *a)
{
	switch (what) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)value = c;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)value = a->type == PPU_MEMORY_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)value = ptr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (a->type != PPU_MEMORY_HOST)
			return CUDA_ERROR_INVALID_VALUE;
		*(void **)value = (void *)(uintptr_t)ptr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(int *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
		*(unsigned long long *)value = (uintptr_t)a->base;	/* unique among living allocations */
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = c->device;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)value = (uintptr_t)a->base;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)value = a->bytes;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(int *)value = 1;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(unsigned long long *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(int *)value = 3;	/* read and write */
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(void **)value = NULL;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
		return CUDA_ERROR_NOT_SUPPORTED;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult i_cuPointerGetAttribute(void *value, CUpointer_attribute what, CUdeviceptr ptr)
{
	ppuPointerAttributes a;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	r = !value || !cu_is_ours(ptr, &a) ? CUDA_ERROR_INVALID_VALUE : pointer_attribute(value, what, ptr, c, &a);
	cu_obj_put(c);
	return r;
}

/* For memory of somebody else the values are zeros, and the call succeeds. */
static CUresult no_attribute(void *value, CUpointer_attribute what)
{
	switch (what) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_MAPPED:
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(int *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = CU_DEVICE_INVALID;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_CONTEXT:
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(unsigned long long *)value = 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult i_cuPointerGetAttributes(unsigned int num, CUpointer_attribute *what, void **values, CUdeviceptr ptr)
{
	ppuPointerAttributes a;
	struct CUctx_st *c;
	bool ours;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!num || !what || !values)
		r = CUDA_ERROR_INVALID_VALUE;
	ours = cu_is_ours(ptr, &a);
	for (unsigned int i = 0; !r && i < num; i++) {
		r = ours ? pointer_attribute(values[i], what[i], ptr, c, &a) : no_attribute(values[i], what[i]);
		/* What a kind of memory has not, it has as zero here. */
		if (ours && r == CUDA_ERROR_INVALID_VALUE)
			r = no_attribute(values[i], what[i]);
	}
	cu_obj_put(c);
	return r;
}

CUresult i_cuPointerSetAttribute(const void *value, CUpointer_attribute what, CUdeviceptr ptr)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	/* Copies from and to this memory are ordered anyway. */
	if (!value || what != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !cu_is_ours(ptr, NULL))
		r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(c);
	return r;
}
