// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: VRAM in the accounts of processes.
 *
 * Some VRAM can be moved out (objects), some is fixed (page tables, areas, what has semaphores).
 * Processes together may have more than there is, but what is fixed must leave room for all that
 * any single process has: otherwise a VM that was moved out could never come back, and who rings
 * its doorbell would wait for ever.
 */

#include <linux/list.h>
#include <linux/mutex.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_quota.h"
#include "base/ppu_quota_vram.h"

/* Does what each process can have moved out fit beside all that is fixed? */
static bool ppu_quota_fits(struct ppu_device *ppu)
{
	struct ppu_quota *quota;

	lockdep_assert_held(&ppu->quota_lock);

	list_for_each_entry(quota, &ppu->quotas, link) {
		u64 used = atomic64_read(&quota->used[DRM_PPU_RES_VRAM]);

		if (ppu->vram_fixed + used - quota->vram_fixed > ppu->vram_size)
			return false;
	}
	return true;
}

static void ppu_quota_add_fixed(struct ppu_quota *quota, s64 bytes)
{
	lockdep_assert_held(&quota->ppu->quota_lock);

	quota->vram_fixed += bytes;
	quota->ppu->vram_fixed += bytes;
}

/**
 * ppu_quota_charge_vram - charge for VRAM that is to be allocated
 * @quota: account; NULL: nobody pays
 * @bytes: how much
 * @fixed: it cannot be moved out
 *
 * Return: 0, or -ENOSPC at the limit, or if there were no room for everybody any more.
 */
int ppu_quota_charge_vram(struct ppu_quota *quota, u64 bytes, bool fixed)
{
	struct ppu_device *ppu;
	int ret;

	if (!quota)
		return 0;
	ppu = quota->ppu;
	mutex_lock(&ppu->quota_lock);
	ret = ppu_quota_charge(quota, DRM_PPU_RES_VRAM, bytes);
	if (ret)
		goto out;
	if (fixed)
		ppu_quota_add_fixed(quota, bytes);
	if (ppu_quota_fits(ppu))
		goto out;
	if (fixed)
		ppu_quota_add_fixed(quota, -(s64)bytes);
	ppu_quota_release(quota, DRM_PPU_RES_VRAM, bytes);
	ret = -ENOSPC;
out:
	mutex_unlock(&ppu->quota_lock);
	return ret;
}

/** ppu_quota_release_vram - undo ppu_quota_charge_vram(); @fixed: it is fixed by now */
void ppu_quota_release_vram(struct ppu_quota *quota, u64 bytes, bool fixed)
{
	if (!quota)
		return;
	mutex_lock(&quota->ppu->quota_lock);
	if (fixed)
		ppu_quota_add_fixed(quota, -(s64)bytes);
	ppu_quota_release(quota, DRM_PPU_RES_VRAM, bytes);
	mutex_unlock(&quota->ppu->quota_lock);
}

/**
 * ppu_quota_fix_vram - VRAM that is paid for shall not be moved out any more
 * @quota: account
 * @bytes: how much
 *
 * Return: 0, or -ENOSPC: there were no room for everybody any more.
 */
int ppu_quota_fix_vram(struct ppu_quota *quota, u64 bytes)
{
	struct ppu_device *ppu = quota->ppu;
	int ret = 0;

	mutex_lock(&ppu->quota_lock);
	ppu_quota_add_fixed(quota, bytes);
	if (!ppu_quota_fits(ppu)) {
		ppu_quota_add_fixed(quota, -(s64)bytes);
		ret = -ENOSPC;
	}
	mutex_unlock(&ppu->quota_lock);
	return ret;
}
