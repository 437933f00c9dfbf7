/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: device-owned queues.
 */
#ifndef __PPU_CHANNEL_DEVQ_H__
#define __PPU_CHANNEL_DEVQ_H__

#include <linux/types.h>
#include <linux/workqueue.h>

#include <hw/ppu_devq.h>

struct drm_ppu_channel_create;
struct ppu_channel;
struct ppu_device;

/**
 * struct ppu_devq - what makes a channel a device-owned queue
 */
struct ppu_devq {
	/** @layout: of the object, struct ppu_channel.ring. */
	struct ppu_devq_layout layout;
	/** @initial_get: GP_GET and GP_PUT at the start. */
	u32 initial_get;
	/** @flags: DRM_PPU_DEVQ_*. */
	u32 flags;
	/** @owner: channel that is stopped when an error stops this one; or NULL. */
	struct ppu_channel *owner;
	/** @stop_work: stops @owner; holds a reference to the queue while queued. */
	struct work_struct stop_work;
	/** @refreshes: by the interrupt; under ppu_device.chan_lock. */
	u64 refreshes;
};

/**
 * struct ppu_devq_look - counters of a queue
 */
struct ppu_devq_look {
	/** @get: GP_GET that does not wrap. */
	u64 get;
	/** @soft: GP_PUT that threads count, does not wrap. */
	u64 soft;
	/** @shadow: the device's copy of GP_PUT in memory. */
	u64 shadow;
	/** @x: counter X. */
	u64 x;
	/** @y: counter Y. */
	u64 y;
};

int ppu_devq_check(struct ppu_device *ppu, const struct drm_ppu_channel_create *args);
int ppu_devq_alloc(struct ppu_channel *chan, const struct drm_ppu_channel_create *args);
int ppu_devq_init(struct ppu_channel *chan);
void ppu_devq_failed(struct ppu_channel *chan);
void ppu_devq_ring_low(struct ppu_channel *chan);
void ppu_devq_to_user(const struct ppu_channel *chan, struct drm_ppu_channel_create *args);
void ppu_devq_look(struct ppu_channel *chan, struct ppu_devq_look *look);
bool ppu_devq_rests(const struct ppu_channel *chan, u64 blocked_va);

#endif
