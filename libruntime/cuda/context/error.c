/* SPDX-License-Identifier: MIT */
/* Errors: libppu's results as CUDA's. */
#include <stdarg.h>
#include <stdio.h>

#include <ppu.h>
#include "cuda/context/error.h"

static __thread bool libppu_knows;	/* libppu failed in this call, and knows why */
static __thread char why[512];

void cu_why_forget(void)
{
	libppu_knows = false;
	why[0] = 0;
}

void cu_why_set(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
}

const char *cu_why(void)
{
	return libppu_knows ? ppuGetLastErrorDetail() : why;
}

CUresult cu_result(ppuResult res)
{
	if (res)
		libppu_knows = true;
	switch (res) {
	case PPU_SUCCESS:
		return CUDA_SUCCESS;
	case PPU_ERROR_INVALID_VALUE:
	case PPU_ERROR_INVALID_ADDRESS:
	case PPU_ERROR_INVALID_CONFIGURATION:
		return CUDA_ERROR_INVALID_VALUE;
	case PPU_ERROR_INVALID_HANDLE:
		return CUDA_ERROR_INVALID_HANDLE;
	case PPU_ERROR_INVALID_DEVICE:
		return CUDA_ERROR_INVALID_DEVICE;
	case PPU_ERROR_NO_DEVICE:
		return CUDA_ERROR_NO_DEVICE;
	case PPU_ERROR_NOT_INITIALIZED:
		return CUDA_ERROR_NOT_INITIALIZED;
	case PPU_ERROR_OUT_OF_DEVICE_MEMORY:
	case PPU_ERROR_OUT_OF_HOST_MEMORY:
	case PPU_ERROR_OUT_OF_RESOURCES:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case PPU_ERROR_INVALID_CONTEXT:
		return CUDA_ERROR_INVALID_CONTEXT;
	case PPU_ERROR_NOT_SUPPORTED:
		return CUDA_ERROR_NOT_SUPPORTED;
	case PPU_ERROR_NOT_READY:
		return CUDA_ERROR_NOT_READY;
	case PPU_ERROR_TIMEOUT:
		return CUDA_ERROR_TIMEOUT;
	case PPU_ERROR_NOT_FOUND:
		return CUDA_ERROR_NOT_FOUND;
	case PPU_ERROR_FILE:
		return CUDA_ERROR_FILE_NOT_FOUND;
	case PPU_ERROR_INVALID_IMAGE:
		return CUDA_ERROR_INVALID_IMAGE;
	case PPU_ERROR_COMPILE:
		return CUDA_ERROR_INVALID_PTX;
	case PPU_ERROR_LAUNCH_RESOURCES:
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	case PPU_ERROR_BUSY:
	case PPU_ERROR_ALREADY:
	case PPU_ERROR_PERMISSION:
		return CUDA_ERROR_NOT_PERMITTED;
	case PPU_ERROR_ILLEGAL_ADDRESS:
	case PPU_ERROR_COPY_FAULT:
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	case PPU_ERROR_MISALIGNED_ADDRESS:
		return CUDA_ERROR_MISALIGNED_ADDRESS;
	case PPU_ERROR_ILLEGAL_INSTRUCTION:
		return CUDA_ERROR_ILLEGAL_INSTRUCTION;
	case PPU_ERROR_STACK_OVERFLOW:
		return CUDA_ERROR_HARDWARE_STACK_ERROR;
	case PPU_ERROR_ASSERT:
		return CUDA_ERROR_ASSERT;
	case PPU_ERROR_LAUNCH_TIMEOUT:
	case PPU_ERROR_DEADLOCK:
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	case PPU_ERROR_LAUNCH_DEPTH:	/* only the Runtime API has a name for it: cudaErrorLaunchMaxDepthExceeded */
		return (CUresult)65;
	case PPU_ERROR_TRAP:
	case PPU_ERROR_LAUNCH_FAILED:
	case PPU_ERROR_CHANNEL:
		return CUDA_ERROR_LAUNCH_FAILED;
	case PPU_ERROR_DEVICE_LOST:
		return CUDA_ERROR_DEVICE_UNAVAILABLE;
	case PPU_ERROR_SYSTEM:
		return CUDA_ERROR_OPERATING_SYSTEM;
	default:
		return CUDA_ERROR_UNKNOWN;
	}
}

static const struct {
	CUresult code;
	const char *name, *text;
} results[] = {
#define R(name, code, text) { name, #name, text },
	CU_RESULTS(R)
#undef R
};

const char *cu_error_name(CUresult res)
{
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (results[i].code == res)
			return results[i].name;
	return NULL;
}

CUresult i_cuGetErrorName(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = cu_error_name(error);
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult i_cuGetErrorString(CUresult error, const char **text)
{
	if (!text)
		return CUDA_ERROR_INVALID_VALUE;
	*text = NULL;
	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (results[i].code == error)
			*text = results[i].text;
	return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
