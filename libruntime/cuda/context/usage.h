/* SPDX-License-Identifier: MIT */
/*
 * What libnvidia-ml (libruntime/nvml) asks libcuda beside the API, so that both speak of the same device: of the one
 * inside the process there is a new one for each library that opens it.
 */
#ifndef PPU_CUDA_USAGE_H
#define PPU_CUDA_USAGE_H

#include <stdint.h>

#include "cuda/cuda.h"

struct cu_usage {
	uint64_t device_ns;			/* device time now */
	uint64_t vram_total, vram_free;		/* bytes */
	/* Of the device inside the process only, sums over the units; 0 with the driver, which counts by client. */
	uint64_t sm_busy_ns, copy_busy_ns;
	uint32_t sms, cores_per_sm, copy_engines;
	uint32_t pci_vendor, pci_device;
	char pdev[64];				/* PCI address; "" inside the process */
};

/* Thread safe, after cuInit().  The only symbol of libcuda that is not CUDA's. */
__attribute__((visibility("default"))) CUresult ppu_cuda_usage(CUdevice device, struct cu_usage *usage);

#endif
