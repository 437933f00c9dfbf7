/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: files in debugfs.
 */
#ifndef __PPU_DEBUGFS_H__
#define __PPU_DEBUGFS_H__

struct drm_minor;

#ifdef CONFIG_DEBUG_FS
void ppu_debugfs_init(struct drm_minor *minor);
#endif

#endif
