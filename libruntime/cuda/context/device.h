/* SPDX-License-Identifier: MIT */
/* Devices. */
#ifndef PPU_CUDA_DEVICE_INT_H
#define PPU_CUDA_DEVICE_INT_H

#include <ppu.h>
#include "cuda/context/calls.h"

#pragma GCC visibility push(hidden)

CUresult cu_ready(void);			/* cuInit was called */
/* What cuDriverGetVersion says.  An error: the environment names no version, and this is the default. */
CUresult cu_version(int *version);
CUresult cu_device(CUdevice device, ppuDeviceProp *prop);

#pragma GCC visibility pop
#endif
