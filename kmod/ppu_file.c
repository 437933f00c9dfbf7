// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: open files.
 */

#include <linux/slab.h>

#include <drm/drm_file.h>

#include "base/ppu_device.h"
#include "base/ppu_quota.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_group.h"
#include "memory/ppu_vm.h"
#include "ppu_file.h"
#include "sync/ppu_eventfd.h"
#include "sync/ppu_sem.h"
#include "sync/ppu_sem_fence.h"

/**
 * ppu_file_open - &drm_driver.open
 * @drm: device
 * @filp: open file
 *
 * Return: 0 or a negative error.
 */
int ppu_file_open(struct drm_device *drm, struct drm_file *filp)
{
	static atomic64_t last_client_id;
	struct ppu_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL);
	if (!file)
		return -ENOMEM;

	file->ppu = to_ppu(drm);
	file->quota = ppu_quota_open(file->ppu);
	if (!file->quota) {
		kfree(file);
		return -ENOMEM;
	}
	file->drm = filp;
	file->client_id = atomic64_inc_return(&last_client_id);
	xa_init_flags(&file->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->channels, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->groups, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->sems, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->events, XA_FLAGS_ALLOC1);
	filp->driver_priv = file;
	return 0;
}

/**
 * ppu_file_postclose - &drm_driver.postclose
 * @drm: device
 * @filp: open file
 *
 * The file is closed, perhaps because its process was killed, perhaps after the
 * device went away.  Channels before what they use; but before them what waits
 * for their fences, which are about to signal.
 */
void ppu_file_postclose(struct drm_device *drm, struct drm_file *filp)
{
	struct ppu_file *file = filp->driver_priv;

	ppu_eventfd_close_all(file);
	ppu_sem_fence_cancel(file, NULL);
	ppu_vm_close_binds(file);
	ppu_channel_close_all(file);
	ppu_group_close_all(file);
	ppu_sem_close_all(file);
	ppu_vm_close_all(file);
	xa_destroy(&file->events);
	xa_destroy(&file->sems);
	xa_destroy(&file->groups);
	xa_destroy(&file->channels);
	xa_destroy(&file->vms);
	ppu_quota_put(file->quota);
	kfree(file);
}
