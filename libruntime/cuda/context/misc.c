/* SPDX-License-Identifier: MIT */
/* The profiler's calls, which do nothing. */
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
