/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: work that the kernel submits.
 */
#ifndef __PPU_SUBMIT_H__
#define __PPU_SUBMIT_H__

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct ppu_channel;

#define PPU_JOB_TIMEOUT_MS	10000u
#define PPU_JOB_TIMEOUT_MAX_MS	600000u
#define PPU_JOB_TIMEOUT_UNPRIV_MS	30000u	/* without CAP_SYS_NICE: others wait for it */

int ppu_submit_init(struct ppu_channel *chan);
void ppu_submit_fini(struct ppu_channel *chan);
void ppu_submit_retire(struct ppu_channel *chan);
void ppu_submit_fail(struct ppu_channel *chan, int err);
int ppu_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
