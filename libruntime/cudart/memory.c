/* SPDX-License-Identifier: MIT */
/* Memory: allocations, pools, attributes of pointers. */
#include "cudart.h"

static CUdeviceptr addr(const void *p)
{
	return (uintptr_t)p;
}

/* An allocation of 0 bytes succeeds, with a null pointer. */
static cudaError_t none(void **ptr)
{
	*ptr = NULL;
	return cudaSuccess;
}

cudaError_t i_cudaMalloc(void **ptr, size_t bytes)
{
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr)
		return cudaErrorInvalidValue;
	if (!bytes)
		return none(ptr);
	e = crt_error(cuMemAlloc_v2(&p, bytes));
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height)
{
	const unsigned int element = 16;	/* the widest access, so that the pitch suits all accesses */
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr || !pitch)
		return cudaErrorInvalidValue;
	if (!width || !height) {
		*pitch = 0;
		return none(ptr);
	}
	e = crt_error(cuMemAllocPitch_v2(&p, pitch, width, height, element));
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaMalloc3D(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
	struct cudaPitchedPtr p = { NULL, 0, extent.width, extent.height };
	size_t rows;
	cudaError_t e;

	if (!pitched)
		return cudaErrorInvalidValue;
	if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
		return cudaErrorMemoryAllocation;
	e = i_cudaMallocPitch(&p.ptr, &p.pitch, extent.width, rows);
	if (!e)
		*pitched = p;
	return e;
}

cudaError_t i_cudaHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr)
		return cudaErrorInvalidValue;
	return bytes ? crt_error(cuMemHostAlloc(ptr, bytes, flags)) : none(ptr);
}

cudaError_t i_cudaMallocHost(void **ptr, size_t bytes)
{
	return i_cudaHostAlloc(ptr, bytes, cudaHostAllocDefault);
}

cudaError_t i_cudaMallocManaged(void **ptr, size_t bytes, unsigned int flags)
{
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr || !bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuMemAllocManaged, &p, bytes, flags);
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaFree(void *ptr)
{
	cudaError_t e = crt_enter();

	return e || !ptr ? e : crt_error(cuMemFree_v2(addr(ptr)));
}

cudaError_t i_cudaFreeHost(void *ptr)
{
	cudaError_t e = crt_enter();

	return e || !ptr ? e : crt_error(cuMemFreeHost(ptr));
}

cudaError_t i_cudaHostRegister(void *ptr, size_t bytes, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemHostRegister_v2, ptr, bytes, flags);
}

cudaError_t i_cudaHostUnregister(void *ptr)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemHostUnregister, ptr);
}

cudaError_t i_cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!device)
		return cudaErrorInvalidValue;
	e = crt_error(cuMemHostGetDevicePointer_v2(&p, host, flags));
	if (!e)
		*device = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaHostGetFlags(unsigned int *flags, void *ptr)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuMemHostGetFlags(flags, ptr));
}

cudaError_t i_cudaMemGetInfo(size_t *free, size_t *total)
{
	size_t f, t;
	cudaError_t e = crt_enter();

	if (!e)
		e = crt_error(cuMemGetInfo_v2(&f, &t));
	if (!e && free)
		*free = f;
	if (!e && total)
		*total = t;
	return e;
}

/* A pointer that libppu does not know is host memory, which is no error. */
cudaError_t i_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
	struct cudaPointerAttributes a = { cudaMemoryTypeUnregistered, cudaInvalidDeviceId, NULL, (void *)ptr };
	CUmemorytype type;
	CUdeviceptr p;
	CUresult r;
	int managed = 0;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!attributes)
		return cudaErrorInvalidValue;
	r = cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, addr(ptr));
	if (r && r != CUDA_ERROR_INVALID_VALUE)
		return crt_error(r);
	if (!r) {
		a.type = type == CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
		if (!cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, addr(ptr)) && managed)
			a.type = cudaMemoryTypeManaged;
		cuPointerGetAttribute(&a.device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, addr(ptr));
		if (!cuPointerGetAttribute(&p, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, addr(ptr)))
			a.devicePointer = (void *)(uintptr_t)p;
		if (a.type == cudaMemoryTypeDevice)
			a.hostPointer = NULL;
	}
	*attributes = a;	/* CUDA 13's struct has reserved room behind these members */
	return cudaSuccess;
}

/* ---- managed memory ------------------------------------------------------------------------- */

cudaError_t i_cudaMemAdvise(const void *ptr, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemAdvise, addr(ptr), bytes, (CUmem_advise)advice, device);
}

cudaError_t i_cudaMemPrefetchAsync(const void *ptr, size_t bytes, int device, cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPrefetchAsync, addr(ptr), bytes, device, crt_stream(stream));
}

cudaError_t i_cudaMemRangeGetAttribute(void *data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
				       const void *ptr, size_t bytes)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemRangeGetAttribute, data, data_bytes, (CUmem_range_attribute)attribute, addr(ptr), bytes);
}

CRT_FORWARD(cudaMemRangeGetAttributes, cuMemRangeGetAttributes,
	    (void **data, size_t *data_bytes, enum cudaMemRangeAttribute *attributes, size_t count, const void *ptr, size_t bytes),
	    data, data_bytes, (CUmem_range_attribute *)attributes, count, addr(ptr), bytes)

cudaError_t i_cudaStreamAttachMemAsync(cudaStream_t stream, void *ptr, size_t bytes, unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuStreamAttachMemAsync, crt_stream(stream), addr(ptr), bytes, flags);
}

/* ---- in the order of a stream --------------------------------------------------------------- */

cudaError_t i_cudaMallocAsync(void **ptr, size_t bytes, cudaStream_t stream)
{
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr)
		return cudaErrorInvalidValue;
	if (!bytes)
		return none(ptr);
	e = CRT_CALL(cuMemAllocAsync, &p, bytes, crt_stream(stream));
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaFreeAsync(void *ptr, cudaStream_t stream)
{
	cudaError_t e = crt_enter();

	return e || !ptr ? e : CRT_CALL(cuMemFreeAsync, addr(ptr), crt_stream(stream));
}

cudaError_t i_cudaMallocFromPoolAsync(void **ptr, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr)
		return cudaErrorInvalidValue;
	if (!bytes)
		return none(ptr);
	e = CRT_CALL(cuMemAllocFromPoolAsync, &p, bytes, pool, crt_stream(stream));
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolCreate, pool, CRT_SAME(const CUmemPoolProps *, props));
}

cudaError_t i_cudaMemPoolDestroy(cudaMemPool_t pool)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolDestroy, pool);
}

cudaError_t i_cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolTrimTo, pool, keep);
}

cudaError_t i_cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolSetAttribute, pool, (CUmemPool_attribute)attribute, value);
}

cudaError_t i_cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolGetAttribute, pool, (CUmemPool_attribute)attribute, value);
}

cudaError_t i_cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolSetAccess, pool, CRT_SAME(const CUmemAccessDesc *, list), count);
}

cudaError_t i_cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
				   struct cudaMemLocation *location)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolGetAccess, (CUmemAccess_flags *)flags, pool,
				CRT_SAME(CUmemLocation *, location));
}

cudaError_t i_cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuDeviceGetDefaultMemPool, pool, device);
}

cudaError_t i_cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuDeviceGetMemPool, pool, device);
}

cudaError_t i_cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuDeviceSetMemPool, device, pool);
}
