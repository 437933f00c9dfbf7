/* SPDX-License-Identifier: MIT */
/* The profiler's calls, which do nothing, and tables that the vendor's libraries share, which do not exist here. */
#include "cuda/context/calls.h"

CUresult i_cuProfilerInitialize(const char *config, const char *output, CUoutput_mode mode)
{
	(void)config;
	(void)output;
	(void)mode;
	return CUDA_ERROR_PROFILER_DISABLED;
}

CUresult i_cuProfilerStart(void)
{
	return CUDA_SUCCESS;
}

CUresult i_cuProfilerStop(void)
{
	return CUDA_SUCCESS;
}

CUresult i_cuGetExportTable(const void **table, const CUuuid *id)
{
	if (!table || !id)
		return CUDA_ERROR_INVALID_VALUE;
	*table = NULL;
	return CUDA_ERROR_NOT_FOUND;
}
