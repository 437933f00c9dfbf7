/* SPDX-License-Identifier: MIT */
/* Options of the process, its devices, and the current context of each thread. */
#ifndef PPU_API_INIT_H
#define PPU_API_INIT_H

#include <stdbool.h>
#include <ppu.h>
#include "backend/backend.h"

#pragma GCC visibility push(hidden)

struct ppuCtx_st;
struct rt_copy_conf;
struct rt_prio_conf;

struct rt_device {
	const struct be_ops *be;
	struct be_dev *dev;
	ppuDeviceProp prop;
	struct ppuCtx_st *primary;
};
extern ppuInitOptions rt_opt;		/* resolved: no zero fields where a default exists */
extern struct rt_copy_conf rt_copy_conf;
extern struct rt_prio_conf rt_prio_conf;
ppuResult rt_init(void);
ppuResult rt_device(ppuDevice n, struct rt_device **dev);
int rt_devices(void);
/* For a backend that polls: lets all devices but this one work a little. False: they have nothing to do. */
bool rt_poll_others(const struct rt_device *dev);
/* VRAM of the device, in bytes. */
ppuResult rt_mem_info(const struct rt_device *dev, size_t *free_bytes, size_t *total_bytes);
/* The current context with a reference. */
ppuResult rt_current(struct ppuCtx_st **ctx);

#pragma GCC visibility pop
#endif
