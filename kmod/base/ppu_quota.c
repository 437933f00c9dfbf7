// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: what one process may have.
 *
 * All files that a process has opened share one account.  What is charged is released when the
 * object is freed.  This may be after the file was closed and the process is gone, so accounts are
 * reference counted.
 */

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <drm/drm_print.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_quota.h"

#define PPU_LIMIT(name, value, text) \
	static unsigned int ppu_##name = value; \
	module_param_named(name, ppu_##name, uint, 0600); \
	MODULE_PARM_DESC(name, text)

PPU_LIMIT(max_vms, 64, "VMs of a process");
PPU_LIMIT(max_channels, 256, "channels of a process");
PPU_LIMIT(max_kernel_channels, 16, "kernel-submit channels of a process");
PPU_LIMIT(max_groups, 256, "channel groups of a process");
PPU_LIMIT(max_sems, 16384, "semaphores of a process");
PPU_LIMIT(max_events, 1024, "registered events of a process");
PPU_LIMIT(max_fences, 1024, "pending SEM_IMPORT_FENCE and SEM_EXPORT_FENCE of a process");
PPU_LIMIT(max_binds, 1024, "pending asynchronous VM_BINDs of a process");
PPU_LIMIT(max_watches, 256, "entries of the device's watch table of a process");
PPU_LIMIT(max_system_mb, 0, "MiB of system memory of a process, 0: three quarters of all");
PPU_LIMIT(max_vram_mb, 0, "MiB of VRAM of a process, 0: all");
PPU_LIMIT(max_mappings, 262144, "mappings of a process");
PPU_LIMIT(max_entries, 1048576, "entries of queued jobs of a process");

static u64 ppu_limit_system(void)
{
	u64 ram = (u64)totalram_pages() << PAGE_SHIFT;

	return ppu_max_system_mb ? (u64)ppu_max_system_mb << 20 : ram / 4 * 3;
}

/** ppu_quota_limit - how much of a resource a process may have */
u64 ppu_quota_limit(struct ppu_device *ppu, enum drm_ppu_resource res)
{
	switch (res) {
	case DRM_PPU_RES_VMS:
		return ppu_max_vms;
	case DRM_PPU_RES_CHANNELS:
		return min(ppu_max_channels, ppu->caps.channels);
	case DRM_PPU_RES_KERNEL_CHANNELS:
		return ppu_max_kernel_channels;
	case DRM_PPU_RES_GROUPS:
		return ppu_max_groups;
	case DRM_PPU_RES_SEMS:
		return ppu_max_sems;
	case DRM_PPU_RES_EVENTS:
		return ppu_max_events;
	case DRM_PPU_RES_FENCES:
		return ppu_max_fences;
	case DRM_PPU_RES_BINDS:
		return ppu_max_binds;
	case DRM_PPU_RES_WATCHES:
		return min(ppu_max_watches, ppu->caps.watches);
	case DRM_PPU_RES_SYSTEM:
		return ppu_limit_system();
	case DRM_PPU_RES_VRAM:
		return ppu_max_vram_mb ? (u64)ppu_max_vram_mb << 20 : ppu->vram_size;
	case DRM_PPU_RES_MAPPINGS:
		return ppu_max_mappings;
	case DRM_PPU_RES_ENTRIES:
		return ppu_max_entries;
	}
	return 0;
}

static void ppu_quota_free(struct kref *kref)
{
	struct ppu_quota *quota = container_of(kref, struct ppu_quota, kref);
	unsigned int i;

	list_del(&quota->link);
	mutex_unlock(&quota->ppu->quota_lock);
	for (i = 0; i < PPU_NUM_RESOURCES; i++)
		drm_WARN_ON(&quota->ppu->drm, atomic64_read(&quota->used[i]));
	put_pid(quota->owner);
	kfree(quota);
}

/** ppu_quota_put - drop a reference; NULL is fine */
void ppu_quota_put(struct ppu_quota *quota)
{
	if (quota)
		kref_put_mutex(&quota->kref, ppu_quota_free, &quota->ppu->quota_lock);
}

/** ppu_quota_get - take another reference */
struct ppu_quota *ppu_quota_get(struct ppu_quota *quota)
{
	kref_get(&quota->kref);
	return quota;
}

/**
 * ppu_quota_open - the account of the calling process
 * @ppu: device
 *
 * Return: account with a reference, or NULL if there is no memory.
 */
struct ppu_quota *ppu_quota_open(struct ppu_device *ppu)
{
	struct pid *owner = task_tgid(current);
	struct ppu_quota *quota;

	mutex_lock(&ppu->quota_lock);
	list_for_each_entry(quota, &ppu->quotas, link) {
		if (quota->owner == owner) {
			kref_get(&quota->kref);
			goto out;
		}
	}
	quota = kzalloc(sizeof(*quota), GFP_KERNEL_ACCOUNT);
	if (!quota)
		goto out;
	kref_init(&quota->kref);
	quota->ppu = ppu;
	quota->owner = get_pid(owner);
	get_task_comm(quota->comm, current->group_leader);
	list_add(&quota->link, &ppu->quotas);
out:
	mutex_unlock(&ppu->quota_lock);
	return quota;
}

/**
 * ppu_quota_charge - charge for an object that is to be made
 * @quota: account; NULL: nobody pays
 * @res: what
 * @amount: how much
 *
 * Return: 0, or -ENOSPC at the limit.
 */
int ppu_quota_charge(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount)
{
	if (!quota)
		return 0;
	if ((u64)atomic64_add_return(amount, &quota->used[res]) <=
	    ppu_quota_limit(quota->ppu, res))
		return 0;
	atomic64_sub(amount, &quota->used[res]);
	drm_dbg_driver(&quota->ppu->drm, "resource %u: at the limit of the process\n", res);
	return -ENOSPC;
}

/** ppu_quota_release - undo a charge: the object is gone, or could not be made */
void ppu_quota_release(struct ppu_quota *quota, enum drm_ppu_resource res, u64 amount)
{
	if (quota)
		atomic64_sub(amount, &quota->used[res]);
}
