/* SPDX-License-Identifier: MIT */
/* The version of CUDA that this driver claims. */
#include <stdlib.h>

#include "cuda/context/device.h"
#include "cuda/context/error.h"

/* "13.0" or "13" as 13000; 0: it is not a version. */
static int parse(const char *text)
{
	char *end;
	long major = strtol(text, &end, 10), minor = 0;

	if (*end == '.')
		minor = strtol(end + 1, &end, 10);
	return *end || major < 2 || major > 99 || minor < 0 || minor > 9 ? 0 : (int)(1000 * major + 10 * minor);
}

CUresult cu_version(int *version)
{
	const char *text = getenv("PPU_CUDA_VERSION");
	int v = text ? parse(text) : PPU_CUDA_DRIVER_VERSION;

	*version = v ? v : PPU_CUDA_DRIVER_VERSION;
	return v ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult i_cuDriverGetVersion(int *version)
{
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	cu_version(version);
	return CUDA_SUCCESS;
}
