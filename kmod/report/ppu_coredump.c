// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: device coredumps (/sys/class/devcoredump) of channels that stopped
 * with an error.
 *
 * The kernel keeps one dump of a device until somebody has read it, or for some minutes.  A dump
 * is text.  A worker makes it, because this takes the channel's lock, and at most one dump is made
 * in ppu_coredump_interval_ms.
 */

#include <linux/devcoredump.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/sysfs.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include <hw/ppu_cmd.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_devq.h"
#include "channel/ppu_runtime.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_vm.h"
#include "report/ppu_coredump.h"
#include "report/ppu_fault.h"

static unsigned int ppu_coredump_interval_ms = 10000;
module_param_named(coredump_interval_ms, ppu_coredump_interval_ms, uint, 0600);
MODULE_PARM_DESC(coredump_interval_ms, "least time between two device coredumps");

/* A VM with more mappings than fit is cut off. */
#define PPU_DUMP_SIZE		SZ_128K
/* Ring entries shown before and after GP_GET. */
#define PPU_DUMP_AROUND		16

/* Reads a ring entry.  Device-owned queues have their ring in VRAM. */
static bool ppu_dump_read(struct ppu_channel *chan, u32 i, struct ppu_gpfifo_entry *e)
{
	u64 offset = i * sizeof(*e);
	const void *entry;
	bool vmapped;

	if (chan->ring->placement == DRM_PPU_PLACEMENT_VRAM) {
		memcpy_fromio(e, chan->ppu->vram_io + ppu_bo_addr(chan->ring, offset, NULL),
			      sizeof(*e));
		return true;
	}
	entry = ppu_bo_map_page(chan->ring, offset, &vmapped);
	if (!entry)
		return false;
	*e = *(const struct ppu_gpfifo_entry *)entry;
	ppu_bo_unmap_page((void *)entry, vmapped);
	return true;
}

static void ppu_dump_ring(struct drm_printer *p, struct ppu_channel *chan, u32 get)
{
	struct ppu_gpfifo_entry e;
	u32 n = chan->ring_entries;
	u32 first = n > 2 * PPU_DUMP_AROUND ? (get + n - PPU_DUMP_AROUND) % n : 0;
	u32 count = min(n, 2u * PPU_DUMP_AROUND), k;

	drm_puts(p, "ring:\n");
	for (k = 0; k < count; k++) {
		u32 i = (first + k) % n;

		if (!ppu_dump_read(chan, i, &e))
			return;
		drm_printf(p, "  %6u: va %#llx length %u flags %#x%s\n", i, e.va, e.length,
			   e.flags, i == get ? "  <- GP_GET" : "");
	}
}

static void ppu_dump_devq(struct drm_printer *p, struct ppu_channel *chan)
{
	struct ppu_devq_look look;

	if (chan->type != DRM_PPU_CHANNEL_DEVICE_QUEUE)
		return;
	ppu_devq_look(chan, &look);
	drm_printf(p, "queue: soft %llu shadow %llu X %llu Y %llu\n", look.soft, look.shadow,
		   look.x, look.y);
}

static void ppu_dump_channel(struct drm_printer *p, struct ppu_channel *chan)
{
	const struct ppu_failure *f = &chan->failure;
	struct ppu_device *ppu = chan->ppu;
	int chid = chan->chid;
	/* The device's GP_GET, unless the failure has stored it. */
	u32 get = f->error ? f->get : ppu_ch_rd(ppu, chid, PPU_REG_CH_GET);

	drm_printf(p, "channel: %d (id %u), %s, %s-submit, priority %u\n", chid, chan->id,
		   ppu_channel_type_name(chan), ppu_channel_submit_name(chan), chan->priority);
	drm_printf(p, "process: %s[%d]\n", chan->vm->quota->comm, pid_nr(chan->vm->quota->owner));
	drm_printf(p, "state: %#x, error %u %s: %s\n", f->cause, f->error, ppu_err_name(f->error),
		   ppu_err_text(f->error));
	drm_printf(p, "error va: %#llx\n", f->va);
	if (chan->destroyed)
		drm_puts(p, "was to be destroyed, and does not stop\n");
	drm_printf(p, "GP_GET %u GP_PUT %u of %u entries at %#llx\n", get,
		   ppu_ch_rd(ppu, chid, PPU_REG_CH_PUT), chan->ring_entries,
		   chan->ring_map->start);
	drm_printf(p, "status %#x, runtime %llu ns, slices %u, tasks %u, submitted %llu, completed %llu\n",
		   ppu_ch_rd(ppu, chid, PPU_REG_CH_STATUS), ppu_runtime(chan),
		   ppu_ch_rd(ppu, chid, PPU_REG_CH_SLICES),
		   ppu_ch_rd(ppu, chid, PPU_REG_CH_TASKS), chan->seqno_submitted,
		   READ_ONCE(chan->seqno_completed));
	ppu_dump_devq(p, chan);
	if (get < chan->ring_entries)
		ppu_dump_ring(p, chan, get);
}

static void ppu_dump(struct drm_printer *p, struct ppu_channel *chan)
{
	struct ppu_device *ppu = chan->ppu;
	int idx;

	lockdep_assert_held(&chan->lock);

	drm_puts(p, "PPU coredump, version 1\n");
	drm_printf(p, "kernel: %s\n", init_utsname()->release);
	drm_printf(p, "driver: %u.%u\n", DRM_PPU_MAJOR, DRM_PPU_MINOR);
	drm_printf(p, "device: %s, hardware %#x\n", pci_name(ppu->pci), ppu->caps.version);
	if (ppu_enter(ppu, &idx)) {
		drm_printf(p, "time: %llu ns of the device\n", ppu_device_time(ppu));
		ppu_dump_channel(p, chan);
		ppu_exit(ppu, idx);
	}
	drm_puts(p, "faults:\n");
	ppu_fault_print_all(p, chan->vm);
	ppu_vm_print(p, chan->vm);
}

/* Looking for the last dump and making one are two steps for the kernel's device coredumps. */
static DEFINE_MUTEX(ppu_coredump_lock);

/*
 * The kernel's device coredumps forget a dump that was read before they take away the link from
 * the device to the dump, and complain if a new dump finds that link in its way.
 */
static bool ppu_coredump_in_the_way(struct device *dev)
{
	struct kernfs_node *link = sysfs_get_dirent(dev->kobj.sd, "devcoredump");

	sysfs_put(link);
	return link;
}

/*
 * Gives @data away: this function frees it in the end.  The driver's leaving the device waits for
 * it: the dump is linked into the device's directory, which may go afterwards.
 */
static void ppu_coredump_give(struct drm_device *drm, void *data, size_t size)
{
	int idx;

	if (!drm_dev_enter(drm, &idx)) {
		vfree(data);
		return;
	}
	mutex_lock(&ppu_coredump_lock);
	if (ppu_coredump_in_the_way(drm->dev))
		vfree(data);
	else
		dev_coredumpv(drm->dev, data, size, GFP_KERNEL);
	mutex_unlock(&ppu_coredump_lock);
	drm_dev_exit(idx);
}

static void ppu_coredump_make(struct ppu_channel *chan)
{
	struct drm_print_iterator iter = { .remain = PPU_DUMP_SIZE };
	struct drm_printer p = drm_coredump_printer(&iter);
	void *data = vzalloc(PPU_DUMP_SIZE);

	if (!data)
		return;
	iter.data = data;
	ppu_dump(&p, chan);
	ppu_coredump_give(&chan->ppu->drm, data, PPU_DUMP_SIZE - iter.remain);
}

static void ppu_coredump_work(struct work_struct *work)
{
	struct ppu_channel *chan = container_of(work, struct ppu_channel, dump_work);

	mutex_lock(&chan->lock);
	if (!chan->destroyed)
		ppu_coredump_make(chan);
	mutex_unlock(&chan->lock);
	ppu_channel_put(chan);
}

/** ppu_coredump_init - make it possible to dump a channel */
void ppu_coredump_init(struct ppu_channel *chan)
{
	INIT_WORK(&chan->dump_work, ppu_coredump_work);
}

/* May there be a dump now?  If so, there may be none for a while. */
static bool ppu_coredump_permit(struct ppu_device *ppu)
{
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&ppu->events_lock, flags);
	ok = !ppu->dumped || time_after_eq(jiffies, ppu->last_dump +
					   msecs_to_jiffies(ppu_coredump_interval_ms));
	if (ok) {
		ppu->dumped = true;
		ppu->last_dump = jiffies;
	}
	spin_unlock_irqrestore(&ppu->events_lock, flags);
	return ok;
}

/** ppu_coredump_queue - the channel stopped with an error: dump it soon; any context */
void ppu_coredump_queue(struct ppu_channel *chan)
{
	if (!ppu_coredump_permit(chan->ppu))
		return;
	kref_get(&chan->kref);
	if (!queue_work(chan->ppu->wq, &chan->dump_work))
		ppu_channel_put(chan);
}

/** ppu_coredump_now - the channel does not stop, and will be gone soon; its lock is held */
void ppu_coredump_now(struct ppu_channel *chan)
{
	if (ppu_coredump_permit(chan->ppu))
		ppu_coredump_make(chan);
}
