/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: arrays of user space, and tables of ids.
 */
#ifndef __PPU_UOBJ_H__
#define __PPU_UOBJ_H__

#include <linux/types.h>

#include <uapi/drm/ppu_drm.h>

struct xarray;

void *ppu_uobj_get_array(const struct drm_ppu_array *in, u32 min_stride, u32 obj_size, u32 max);
int ppu_uobj_put(const struct drm_ppu_array *out, u32 index, const void *obj, u32 obj_size);
void *ppu_uobj_take(struct xarray *table, u32 id);

#endif
