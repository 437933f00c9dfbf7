/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: channels that are controlled together.
 */
#ifndef __PPU_GROUP_H__
#define __PPU_GROUP_H__

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct drm_device;
struct drm_file;
struct ppu_channel;
struct ppu_device;
struct ppu_file;

/**
 * struct ppu_group - channels that are controlled together
 *
 * Everything but @kref and @stop_work is protected by ppu_device.chan_lock.
 */
struct ppu_group {
	/** @kref: references. */
	struct kref kref;
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @id: in the file, and in the device for the channels of one VM. */
	u32 id;
	/** @channels: struct ppu_channel.group_link. */
	struct list_head channels;
	/** @policy: enum drm_ppu_group_policy. */
	u32 policy;
	/** @timeslice_us: time slice of its channels; 0: their own. */
	u32 timeslice_us;
	/** @disabled: its channels must not fetch. */
	bool disabled;
	/** @preempting: PREEMPTs in progress, during which its channels must not fetch. */
	unsigned int preempting;
	/** @stopped: final. */
	bool stopped;
	/** @closed: destroyed. */
	bool closed;
	/** @first_channel: id of the channel that failed first, 0: none. */
	u32 first_channel;
	/** @first_error: PPU_ERR_* of @first_channel. */
	u32 first_error;
	/** @first_innocent: that channel was stopped for another one's error. */
	bool first_innocent;
	/** @stop_work: stops the members after an error. */
	struct work_struct stop_work;
};

/* Does the device know groups?  If not, the driver does the same to each member. */
#define ppu_has_groups(ppu)	((ppu)->caps.features & PPU_FEAT_GROUPS)

/* Must its channels not fetch?  ppu_device.chan_lock is held. */
static inline bool ppu_group_holds(const struct ppu_group *group)
{
	return group->disabled || group->preempting || group->stopped;
}

struct ppu_group *ppu_group_lookup(struct ppu_file *file, u32 id);
void ppu_group_put(struct ppu_group *group);
void ppu_group_close_all(struct ppu_file *file);
int ppu_group_join(struct ppu_group *group, struct ppu_channel *chan);
void ppu_group_update(struct ppu_group *group);
void ppu_group_leave(struct ppu_channel *chan);
void ppu_group_channel_failed(struct ppu_channel *chan);
int ppu_ioctl_group_create(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_group_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_group_control(struct drm_device *drm, void *data, struct drm_file *filp);
int ppu_ioctl_group_query(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
