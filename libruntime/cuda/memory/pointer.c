/* SPDX-License-Identifier: MIT */
/* What libppu and this library know about a pointer. */
#include <stdint.h>

#include <ppu.h>
#include "cuda/memory/pointer.h"
#include "cuda/context/context.h"
#include "cuda/context/object.h"
#include "cuda/memory/ipc.h"
#include "cuda/memory/managed.h"
#include "cuda/memory/pool.h"

bool cu_is_ours(CUdeviceptr ptr, ppuPointerAttributes *attr)
{
	ppuPointerAttributes unused;

	if (!attr)
		attr = &unused;
	return ptr && !ppuPointerGetAttributes(attr, (void *)(uintptr_t)ptr) && attr->type != PPU_MEMORY_UNREGISTERED;
}

bool cu_is_owned(CUdeviceptr ptr, const struct CUctx_st *ctx)
{
	ppuPointerAttributes a;

	return cu_is_ours(ptr, &a) && a.ctx == ctx->ppu;
}

bool cu_is_anyones(CUdeviceptr ptr)
{
	struct CUctx_st *c, *back;
	bool is;

	if (cu_is_ours(ptr, NULL))
		return true;
	if (cu_current_of(&c, ptr))
		return false;
	is = cu_is_owned(ptr, c);
	cu_obj_put(c);
	if (!cu_current(&back))		/* it is libppu's current one again */
		cu_obj_put(back);
	return is;
}

/* One attribute of a pointer to libppu's memory; *value has the attribute's type. */
static CUresult pointer_attribute(void *value, CUpointer_attribute what, CUdeviceptr ptr, struct CUctx_st *c,
				  const ppuPointerAttributes *a)
{
	switch (what) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)value = c;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)value = a->type == PPU_MEMORY_HOST && !cu_is_managed(ptr) ? CU_MEMORYTYPE_HOST :
					 CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)value = ptr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		if (a->type != PPU_MEMORY_HOST)
			return CUDA_ERROR_INVALID_VALUE;
		*(void **)value = (void *)(uintptr_t)ptr;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(int *)value = cu_is_managed(ptr);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
		*(int *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		*(int *)value = cu_ipc_can(ptr, a);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		*(unsigned long long *)value = (uintptr_t)a->base;	/* unique among living allocations */
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = c->device;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		*(CUdeviceptr *)value = (uintptr_t)a->base;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
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
		*(CUmemoryPool *)value = cu_pool_of(ptr);
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
	CUresult r = cu_current_of(&c, ptr);

	if (r)
		return r;
	r = !value || !cu_is_ours(ptr, &a) ? CUDA_ERROR_INVALID_VALUE : pointer_attribute(value, what, ptr, c, &a);
	cu_obj_put(c);
	return r;
}

/* For memory that is not libppu's, the values are zeros and the call succeeds. */
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
	case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
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
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
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
	CUresult r = cu_current_of(&c, ptr);

	if (r)
		return r;
	if (!num || !what || !values)
		r = CUDA_ERROR_INVALID_VALUE;
	ours = cu_is_ours(ptr, &a);
	for (unsigned int i = 0; !r && i < num; i++) {
		r = ours ? pointer_attribute(values[i], what[i], ptr, c, &a) : no_attribute(values[i], what[i]);
		/* In this call, attributes that the kind of memory does not have are zero. */
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
	/* Accepted without effect: copies from and to this memory are ordered anyway. */
	if (!value || what != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !cu_is_ours(ptr, NULL))
		r = CUDA_ERROR_INVALID_VALUE;
	cu_obj_put(c);
	return r;
}
