/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: open files.
 */
#ifndef __PPU_FILE_H__
#define __PPU_FILE_H__

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/xarray.h>

#include <uapi/drm/ppu_drm.h>

struct drm_device;
struct drm_file;
struct ppu_device;
struct ppu_quota;

#define PPU_NUM_CHANNEL_TYPES	(DRM_PPU_CHANNEL_DEVICE_QUEUE + 1)

/**
 * struct ppu_file - one open file
 */
struct ppu_file {
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @drm: DRM's side of it. */
	struct drm_file *drm;
	/** @client_id: number of the file, never used again. */
	u64 client_id;
	/** @vms: struct ppu_vm by id. */
	struct xarray vms;
	/** @channels: struct ppu_channel by id. */
	struct xarray channels;
	/** @next_channel: ids come round, so that who is late does not mean another channel. */
	u32 next_channel;
	/** @groups: struct ppu_group by id. */
	struct xarray groups;
	/** @sems: struct ppu_sem by id. */
	struct xarray sems;
	/** @events: struct ppu_eventfd by id. */
	struct xarray events;
	/** @quota: account of the process that opened it. */
	struct ppu_quota *quota;
	/** @runtime_lock: protects @running and @runtime_ns: no engine time is in both. */
	struct mutex runtime_lock;
	/** @running: struct ppu_channel.runtime_link. */
	struct list_head running;
	/** @runtime_ns: engine time of destroyed channels, by type. */
	u64 runtime_ns[PPU_NUM_CHANNEL_TYPES];
};

int ppu_file_open(struct drm_device *drm, struct drm_file *filp);
void ppu_file_free(struct ppu_file *file);
void ppu_file_init_tables(struct ppu_file *file);

#endif
