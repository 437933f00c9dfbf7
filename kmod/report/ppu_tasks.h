/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: the tasks on the device.
 */
#ifndef __PPU_TASKS_H__
#define __PPU_TASKS_H__

#include <linux/types.h>

struct drm_ppu_task;
struct drm_printer;
struct ppu_device;
struct ppu_file;

void ppu_tasks_print(struct drm_printer *p, struct ppu_device *ppu);
int ppu_tasks_list(struct ppu_device *ppu, struct ppu_file *file, struct drm_ppu_task *list,
		   u32 max);

#endif
