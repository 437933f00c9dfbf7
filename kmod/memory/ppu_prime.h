/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: objects that are shared with other drivers.
 */
#ifndef __PPU_PRIME_H__
#define __PPU_PRIME_H__

struct dma_buf;
struct drm_device;
struct drm_gem_object;

struct dma_buf *ppu_bo_export(struct drm_gem_object *obj, int flags);
struct drm_gem_object *ppu_gem_prime_import(struct drm_device *drm, struct dma_buf *dma_buf);

#endif
