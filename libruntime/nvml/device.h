/* SPDX-License-Identifier: MIT */
/* What libnvidia-ml knows of each device. */
#ifndef PPU_NVML_DEVICE_H
#define PPU_NVML_DEVICE_H

#include <stdbool.h>

#include "cuda/cuda.h"
#include "cuda/nvml.h"
#include "cuda/context/usage.h"
#include "usage/clients.h"

#define NVML_EXPORT __attribute__((visibility("default")))
#define NVML_DEVICES 32

#pragma GCC visibility push(hidden)

/* What a device has done up to a moment: the files that use it, by process; malloc()ed. */
struct nvml_sample {
	struct cu_usage usage;
	struct usage_client *list;
	unsigned n;
};

struct nvmlDevice_st {
	int index;
	/* What the last question for rates saw; the lock of nvml.c guards these. */
	struct nvml_sample rates, processes;
};

/* The code for one of libcuda's. */
nvmlReturn_t nvml_result(CUresult r);
/* SUCCESS if the library is initialised and the handle is one of its own. */
nvmlReturn_t nvml_check(nvmlDevice_t device);
/* The state of libnvidia-ml: nvmlInit() and samples. */
void nvml_lock(void);
void nvml_unlock(void);

/* What `device` has done; sample_free() when done with it. */
nvmlReturn_t nvml_sample(nvmlDevice_t device, struct nvml_sample *s);
void nvml_sample_free(struct nvml_sample *s);

#pragma GCC visibility pop
#endif
