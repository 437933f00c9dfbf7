/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver: what one process, and one user, may have.
 */
#ifndef __PPU_QUOTA_H__
#define __PPU_QUOTA_H__

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include <uapi/drm/ppu_drm.h>

struct pid;
struct ppu_device;

#define PPU_NUM_RESOURCES	(DRM_PPU_RES_ENTRIES + 1)

/**
 * struct ppu_quota_user - what the processes of one user have together
 */
struct ppu_quota_user {
	/** @link: in ppu_device.quota_users. */
	struct list_head link;
	/** @uid: who it is. */
	kuid_t uid;
	/** @processes: accounts of its processes; under ppu_device.quota_lock. */
	unsigned int processes;
	/** @used: by enum drm_ppu_resource. */
	atomic64_t used[PPU_NUM_RESOURCES];
};

/**
 * struct ppu_quota - what one process has, in all the files it opened
 */
struct ppu_quota {
	/** @kref: references. */
	struct kref kref;
	/** @ppu: the device. */
	struct ppu_device *ppu;
	/** @link: in ppu_device.quotas. */
	struct list_head link;
	/** @id: number of the account, which no other one gets. */
	u64 id;
	/** @owner: the process. */
	struct pid *owner;
	/** @user: whose process it is. */
	struct ppu_quota_user *user;
	/** @comm: name of the process when it came, for messages. */
	char comm[TASK_COMM_LEN];
	/** @used: by enum drm_ppu_resource. */
	atomic64_t used[PPU_NUM_RESOURCES];
	/** @vram_fixed: of its VRAM, what cannot be moved out; under ppu_device.quota_lock. */
	u64 vram_fixed;
};

u64 ppu_quota_limit(struct ppu_device *ppu, enum drm_ppu_resource res);
u64 ppu_quota_user_limit(struct ppu_device *ppu, enum drm_ppu_resource res);
struct ppu_quota *ppu_quota_open(struct ppu_device *ppu);
struct ppu_quota *ppu_quota_get(struct ppu_quota *quota);
void ppu_quota_put(struct ppu_quota *quota);
int ppu_quota_charge(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount);
void ppu_quota_release(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount);

#endif
