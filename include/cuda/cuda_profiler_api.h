/* SPDX-License-Identifier: MIT */
/* cudaProfilerStart and cudaProfilerStop are in the list of all functions. */
#ifndef PPU_CUDA_PROFILER_API_H
#define PPU_CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
