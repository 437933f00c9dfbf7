/* SPDX-License-Identifier: MIT */
/* Lists the devices and their properties. */
#include "common.h"

int main(void)
{
	ppuDeviceProp p;
	int n, ok;
	uint64_t t0, t1;

	CHECK(ppuDeviceGetCount(&n));
	for (int i = 0; i < n; i++) {
		CHECK(ppuDeviceGetProperties(&p, i));
		printf("device %d: %s, backend %s, %s\n", i, p.name, p.backend, p.location);
		printf("  %u GPCs, %u SMs, %u warps each, %u registers and %u bytes of shared memory each\n",
		       p.gpcs, p.sms, p.warps_per_sm, p.regs_per_sm, p.shared_per_sm);
		printf("  %llu MiB of VRAM, %u copy engines, %u channels, %u device priorities\n",
		       (unsigned long long)p.vram_bytes >> 20, p.copy_engines, p.channels,
		       p.device_priorities);
	}
	CHECK(ppuDeviceGetProperties(&p, 0));
	CHECK(ppuDeviceGetTime(0, &t0));
	CHECK(ppuMemset(device_alloc(4096), 0, 4, 1024));	/* in process, time runs only while there is work */
	CHECK(ppuDeviceGetTime(0, &t1));
	ok = n >= 1 && p.sms && p.warp_size == 32 && p.vram_bytes && p.copy_engines && t1 > t0;
	return finish(ok, "device query: %d device(s), %u SMs, hardware version %u.%u", n, p.sms,
		      p.hw_version >> 16, p.hw_version & 0xffff);
}
