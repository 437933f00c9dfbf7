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
