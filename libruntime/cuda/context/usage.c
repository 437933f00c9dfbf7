/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <ppu.h>
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/usage.h"

CUresult ppu_cuda_usage(CUdevice device, struct cu_usage *usage)
{
	ppuDeviceProp p;
	CUresult r = cu_device(device, &p);
	size_t total, avail;
	ppuResult res;

	if (r)
		return r;
	*usage = (struct cu_usage){
		.sms = p.sms, .cores_per_sm = p.cores_per_sm, .copy_engines = p.copy_engines,
		.pci_vendor = p.pci_vendor, .pci_device = p.pci_device,
	};
	res = ppuDeviceGetTime(device, &usage->device_ns);
	if (!res)
		res = ppuDeviceGetMemInfo(device, &avail, &total);
	if (res)
		return cu_result(res);
	usage->vram_total = total;
	usage->vram_free = avail;
	if (!strcmp(p.backend, "drm")) {
		snprintf(usage->pdev, sizeof(usage->pdev), "%s", p.location);
		return CUDA_SUCCESS;
	}
	res = ppuDeviceGetCounter(device, "sm_busy_ns", &usage->sm_busy_ns);
	if (!res)
		res = ppuDeviceGetCounter(device, "copy_busy_ns", &usage->copy_busy_ns);
	return cu_result(res);
}
