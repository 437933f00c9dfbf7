// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: open files.
 */

#include <linux/export.h>
#include <linux/slab.h>

#include <drm/drm_file.h>

#include <kunit/visibility.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"

/**
 * ppu_file_init_tables - make the tables of a file's objects, whose ids are never zero
 * @file: open file
 */
void ppu_file_init_tables(struct ppu_file *file)
{
	xa_init_flags(&file->vms, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->channels, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->groups, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->sems, XA_FLAGS_ALLOC1);
	xa_init_flags(&file->events, XA_FLAGS_ALLOC1);
}
EXPORT_SYMBOL_IF_KUNIT(ppu_file_init_tables);

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

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
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
	ppu_file_init_tables(file);
	mutex_init(&file->runtime_lock);
	INIT_LIST_HEAD(&file->running);
	filp->driver_priv = file;
	return 0;
}

/**
 * ppu_file_free - undo ppu_file_open(); all tables are empty
 * @file: open file
 */
void ppu_file_free(struct ppu_file *file)
{
	mutex_destroy(&file->runtime_lock);
	xa_destroy(&file->events);
	xa_destroy(&file->sems);
	xa_destroy(&file->groups);
	xa_destroy(&file->channels);
	xa_destroy(&file->vms);
	ppu_quota_put(file->quota);
	kfree(file);
}
