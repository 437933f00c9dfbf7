/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: where errors of a channel are written down.
 */
#ifndef __PPU_NOTIFIER_H__
#define __PPU_NOTIFIER_H__

#include <linux/types.h>

struct drm_file;
struct drm_ppu_notification;
struct ppu_bo;
struct ppu_channel;

/**
 * struct ppu_notifier - where an error of a channel is written down
 */
struct ppu_notifier {
	/** @bo: object, NULL: the channel has none. */
	struct ppu_bo *bo;
	/** @slot: the driver's view. */
	struct drm_ppu_notification *slot;
	/** @vmapped: @slot is a mapping of its own. */
	bool vmapped;
};

int ppu_notifier_init(struct ppu_channel *chan, struct drm_file *filp, u32 handle, u64 offset);
void ppu_notifier_fini(struct ppu_channel *chan);
void ppu_notifier_write(struct ppu_channel *chan);

#endif
