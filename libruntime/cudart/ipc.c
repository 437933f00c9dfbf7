/* SPDX-License-Identifier: MIT */
/* Memory and events of other processes. */
#include <string.h>
#include "cudart.h"

cudaError_t i_cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *ptr)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuIpcGetMemHandle((CUipcMemHandle *)handle, (uintptr_t)ptr));
}

cudaError_t i_cudaIpcOpenMemHandle(void **ptr, cudaIpcMemHandle_t handle, unsigned int flags)
{
	CUipcMemHandle h;
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr)
		return cudaErrorInvalidValue;
	memcpy(&h, &handle, sizeof(h));
	e = crt_error(cuIpcOpenMemHandle_v2(&p, h, flags));
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaIpcCloseMemHandle(void *ptr)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuIpcCloseMemHandle((uintptr_t)ptr));
}

cudaError_t i_cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
	cudaError_t e = crt_enter();

	return e ? e : crt_error(cuIpcGetEventHandle((CUipcEventHandle *)handle, (CUevent)event));
}

cudaError_t i_cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
	CUipcEventHandle h;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	memcpy(&h, &handle, sizeof(h));
	return crt_error(cuIpcOpenEventHandle((CUevent *)event, h));
}

cudaError_t i_cudaMemPoolExportToShareableHandle(void *out, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
						 unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolExportToShareableHandle, out, pool, (CUmemAllocationHandleType)type, flags);
}

cudaError_t i_cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *from, enum cudaMemAllocationHandleType type,
						   unsigned int flags)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolImportFromShareableHandle, pool, from, (CUmemAllocationHandleType)type, flags);
}

cudaError_t i_cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *ptr)
{
	cudaError_t e = crt_enter();

	return e ? e : CRT_CALL(cuMemPoolExportPointer, CRT_SAME(CUmemPoolPtrExportData *, data), (uintptr_t)ptr);
}

cudaError_t i_cudaMemPoolImportPointer(void **ptr, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data)
{
	CUdeviceptr p;
	cudaError_t e = crt_enter();

	if (e)
		return e;
	if (!ptr)
		return cudaErrorInvalidValue;
	e = CRT_CALL(cuMemPoolImportPointer, &p, pool, CRT_SAME(CUmemPoolPtrExportData *, data));
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}
