// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: fdinfo of an open file, with the keys of the kernel's
 * Documentation/gpu/drm-usage-stats.rst.
 */

#include <linux/seq_file.h>

#include <drm/drm_file.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "channel/ppu_runtime.h"
#include "memory/ppu_gem.h"
#include "report/ppu_fdinfo.h"

/** struct ppu_usage - memory of one region */
struct ppu_usage {
	/** @total: bytes of the objects that have a handle. */
	u64 total;
	/** @shared: bytes of those that have another handle, or are exported. */
	u64 shared;
	/** @out: bytes of those that were moved out of it. */
	u64 out;
	/** @dontneed: bytes of those that are in it, and whose contents may be dropped. */
	u64 dontneed;
};

static void ppu_file_memory(struct drm_file *filp, struct ppu_usage *usage)
{
	struct drm_gem_object *obj;
	int id;

	spin_lock(&filp->table_lock);
	idr_for_each_entry(&filp->object_idr, obj, id) {
		struct ppu_bo *bo = to_ppu_bo(obj);
		struct ppu_usage *u = &usage[bo->placement];

		u->total += obj->size;
		if (obj->handle_count > 1 || obj->dma_buf)
			u->shared += obj->size;
		if (READ_ONCE(bo->out))
			u->out += obj->size;
		else if (READ_ONCE(bo->dontneed))
			u->dontneed += obj->size;
	}
	spin_unlock(&filp->table_lock);
}

/* Objects that were moved out of VRAM are in no region: the kernel can swap them. */
static void ppu_show_region(struct seq_file *m, const char *region, const struct ppu_usage *u)
{
	seq_printf(m, "drm-total-%s:\t%llu KiB\n", region, u->total >> 10);
	seq_printf(m, "drm-shared-%s:\t%llu KiB\n", region, u->shared >> 10);
	seq_printf(m, "drm-resident-%s:\t%llu KiB\n", region, (u->total - u->out) >> 10);
	seq_printf(m, "drm-purgeable-%s:\t%llu KiB\n", region, u->dontneed >> 10);
	/* The older name of drm-resident. */
	seq_printf(m, "drm-memory-%s:\t%llu KiB\n", region, (u->total - u->out) >> 10);
}

/** ppu_show_fdinfo - &file_operations.show_fdinfo */
void ppu_show_fdinfo(struct seq_file *m, struct file *f)
{
	struct drm_file *filp = f->private_data;
	struct ppu_file *file = filp->driver_priv;
	struct ppu_device *ppu = file->ppu;
	struct ppu_usage usage[] = {
		[DRM_PPU_PLACEMENT_SYSTEM] = {},
		[DRM_PPU_PLACEMENT_VRAM] = {},
	};

	ppu_file_memory(filp, usage);
	seq_puts(m, "drm-driver:\tppu\n");
	seq_printf(m, "drm-pdev:\t%s\n", pci_name(ppu->pci));
	seq_printf(m, "drm-client-id:\t%llu\n", file->client_id);
	seq_printf(m, "drm-engine-compute:\t%llu ns\n",
		   ppu_runtime_file(file, DRM_PPU_CHANNEL_COMPUTE));
	seq_printf(m, "drm-engine-copy:\t%llu ns\n", ppu_runtime_file(file, DRM_PPU_CHANNEL_COPY));
	seq_printf(m, "drm-engine-queue:\t%llu ns\n",
		   ppu_runtime_file(file, DRM_PPU_CHANNEL_DEVICE_QUEUE));
	seq_printf(m, "drm-engine-capacity-copy:\t%u\n", ppu->caps.copy_engines);
	ppu_show_region(m, "vram", &usage[DRM_PPU_PLACEMENT_VRAM]);
	ppu_show_region(m, "memory", &usage[DRM_PPU_PLACEMENT_SYSTEM]);
}
