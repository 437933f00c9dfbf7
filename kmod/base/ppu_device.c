// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: bringing the device up and down.
 */

#include <linux/aer.h>
#include <linux/capability.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "core/driver.h"

/* For the driver core.  Accesses to memory do nothing when the device is gone. */

static u32 ppu_bus_rd(void *dev, u32 reg)
{
	return ppu_rd(dev, reg);
}

static void ppu_bus_wr(void *dev, u32 reg, u32 val)
{
	ppu_wr(dev, reg, val);
}

static u64 ppu_bus_mem_rd(void *dev, u64 addr)
{
	struct ppu_device *ppu = dev;
	u64 val = 0;
	int idx;

	if (!ppu_try_enter(ppu, &idx))
		return 0;
	val = readq(ppu->vram_io + addr);
	ppu_try_exit(ppu, idx);
	return val;
}

static void ppu_bus_mem_wr(void *dev, u64 addr, u64 val)
{
	struct ppu_device *ppu = dev;
	int idx;

	if (!ppu_try_enter(ppu, &idx))
		return;
	writeq(val, ppu->vram_io + addr);
	ppu_try_exit(ppu, idx);
}

static void ppu_bus_mem_order(void *dev)
{
	/* VRAM is write-combined. */
	wmb();
}

const struct ppu_bus ppu_bus = {
	.rd = ppu_bus_rd,
	.wr = ppu_bus_wr,
	.mem_rd = ppu_bus_mem_rd,
	.mem_wr = ppu_bus_mem_wr,
	.mem_order = ppu_bus_mem_order,
};

static void ppu_read_caps(struct ppu_device *ppu)
{
	struct ppu_caps *c = &ppu->caps;

	c->version = ppu_rd(ppu, PPU_REG_VERSION);
	c->channels = min_t(u32, ppu_rd(ppu, PPU_REG_CAP_CHANNELS), PPU_MAX_CHANNELS);
	c->copy_engines = ppu_rd(ppu, PPU_REG_CAP_COPY_ENGINES);
	c->gpcs = ppu_rd(ppu, PPU_REG_CAP_GPCS);
	c->sms_per_gpc = ppu_rd(ppu, PPU_REG_CAP_SMS_PER_GPC);
	c->sms = c->gpcs * c->sms_per_gpc;
	c->warps_per_sm = ppu_rd(ppu, PPU_REG_CAP_WARPS_PER_SM);
	c->warp_size = ppu_rd(ppu, PPU_REG_CAP_WARP_SIZE);
	c->ctas_per_sm = ppu_rd(ppu, PPU_REG_CAP_CTAS_PER_SM);
	c->task_slots = ppu_rd(ppu, PPU_REG_CAP_TASK_SLOTS);
	c->task_records = ppu_rd(ppu, PPU_REG_CAP_TASK_RECORDS);
	c->device_priorities = ppu_rd(ppu, PPU_REG_CAP_DEVICE_PRIORITIES);
	c->tokq_entries = ppu_rd(ppu, PPU_REG_CAP_TOKENQ_ENTRIES);
	c->shared_per_sm = ppu_rd(ppu, PPU_REG_CAP_SHARED_PER_SM);
	c->shared_per_cta = ppu_rd(ppu, PPU_REG_CAP_SHARED_PER_CTA);
	c->regs_per_sm = ppu_rd(ppu, PPU_REG_CAP_REGS_PER_SM);
	c->ring_max = ppu_rd(ppu, PPU_REG_CAP_RING_MAX);
	c->watches = min_t(u32, ppu_rd(ppu, PPU_REG_CAP_WATCHES), PPU_MAX_WATCHES);
	c->features = ppu_rd(ppu, PPU_REG_CAP_FEATURES);
	c->timeslice_ns = ppu_rd(ppu, PPU_REG_CAP_TIMESLICE_NS);
	c->window_ns = ppu_rd(ppu, PPU_REG_CAP_WINDOW_NS);
	c->sm_clock_khz = ppu_rd(ppu, PPU_REG_CAP_SM_CLOCK_KHZ);
	c->save_per_sm = ppu_rd(ppu, PPU_REG_CAP_SAVE_BYTES_PER_SM);
}

static int ppu_identify(struct ppu_device *ppu)
{
	struct drm_device *drm = &ppu->drm;
	u64 need;

	if (ppu_rd(ppu, PPU_REG_ID) != PPU_ID_MAGIC) {
		drm_err(drm, "no PPU behind BAR %d\n", PPU_BAR_REGS);
		return -ENODEV;
	}

	ppu_read_caps(ppu);
	if (ppu->caps.version >> 16 != PPU_HW_VERSION >> 16) {
		drm_err(drm, "hardware version %#x is not supported\n", ppu->caps.version);
		return -ENODEV;
	}

	need = PPU_BAR0_USERD + (u64)ppu->caps.channels * PPU_USERD_STRIDE;
	if (!ppu->caps.channels || pci_resource_len(ppu->pci, PPU_BAR_REGS) < need) {
		drm_err(drm, "BAR %d is too small for %u channels\n", PPU_BAR_REGS,
			ppu->caps.channels);
		return -ENODEV;
	}

	return 0;
}

static int ppu_map_bars(struct ppu_device *ppu)
{
	struct pci_dev *pci = ppu->pci;
	struct device *dev = &pci->dev;
	int ret;

	ret = pcim_enable_device(pci);
	if (ret)
		return ret;

	ret = pcim_iomap_regions(pci, BIT(PPU_BAR_REGS), "ppu");
	if (ret)
		return ret;
	ppu->regs = pcim_iomap_table(pci)[PPU_BAR_REGS];
	ppu->regs_phys = pci_resource_start(pci, PPU_BAR_REGS);

	ppu->vram_phys = pci_resource_start(pci, PPU_BAR_VRAM);
	ppu->vram_size = pci_resource_len(pci, PPU_BAR_VRAM);
	if (!ppu->vram_size ||
	    !devm_request_mem_region(dev, ppu->vram_phys, ppu->vram_size, "ppu vram"))
		return -EBUSY;
	ppu->vram_io = devm_ioremap_wc(dev, ppu->vram_phys, ppu->vram_size);
	if (!ppu->vram_io)
		return -ENOMEM;

	/* The device reaches memory page by page, so no segment is too long. */
	dma_set_max_seg_size(dev, UINT_MAX);
	return dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
}

/**
 * ppu_device_reset - put the whole device back to its initial state
 * @ppu: device
 *
 * VRAM keeps its contents.
 */
void ppu_device_reset(struct ppu_device *ppu)
{
	ppu_wr(ppu, PPU_REG_RESET, 1);
	/* Read back, because the write is posted. */
	ppu_rd(ppu, PPU_REG_ID);
}

/**
 * ppu_device_want_reset - the device does not do what it is told: have it reset soon; any context
 * @ppu: device
 * @since: ppu_device.reset_count before that was found
 */
void ppu_device_want_reset(struct ppu_device *ppu, int since)
{
	int old = atomic_read(&ppu->reset_wanted);

	while (old <= since)
		if (atomic_try_cmpxchg(&ppu->reset_wanted, &old, since + 1))
			break;
	queue_work(ppu->wq, &ppu->reset_work);
}

/**
 * ppu_device_wait_reset - return when a reset that was wanted is over
 * @ppu: device
 *
 * The caller is in no section, and holds no lock that somebody in a section may wait for.
 */
void ppu_device_wait_reset(struct ppu_device *ppu)
{
	flush_work(&ppu->reset_work);
}

/**
 * ppu_device_quiesce - make the device stop all work and all DMA
 * @ppu: device
 */
void ppu_device_quiesce(struct ppu_device *ppu)
{
	ppu_wr(ppu, PPU_REG_INTR_ENABLE, 0);
	ppu_device_reset(ppu);
	pci_clear_master(ppu->pci);
}

static void ppu_destroy_wq(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

static void ppu_device_release(struct drm_device *drm, void *data)
{
	struct ppu_device *ppu = to_ppu(drm);

	drm_WARN_ON(drm, !list_empty(&ppu->events));
	drm_WARN_ON(drm, !list_empty(&ppu->sem_fences));
	drm_WARN_ON(drm, !xa_empty(&ppu->vms));
	drm_WARN_ON(drm, !ida_is_empty(&ppu->chids));
	xa_destroy(&ppu->vms);
	ida_destroy(&ppu->chids);
	mutex_destroy(&ppu->drain_lock);
	drm_WARN_ON(drm, !list_empty(&ppu->quotas));
	drm_WARN_ON(drm, !list_empty(&ppu->quota_users));
	mutex_destroy(&ppu->quota_lock);
	drm_WARN_ON(drm, !list_empty(&ppu->mapped));
	mutex_destroy(&ppu->mapped_lock);
	ppu_gate_fini(ppu);
}

static int ppu_device_init_sw(struct ppu_device *ppu)
{
	struct drm_device *drm = &ppu->drm;
	int ret = ppu_gate_init(ppu);

	if (ret)
		return ret;
	spin_lock_init(&ppu->hw_lock);
	spin_lock_init(&ppu->chan_lock);
	spin_lock_init(&ppu->events_lock);
	INIT_LIST_HEAD(&ppu->events);
	spin_lock_init(&ppu->sem_fences_lock);
	INIT_LIST_HEAD(&ppu->sem_fences);
	init_waitqueue_head(&ppu->stop_wq);
	init_waitqueue_head(&ppu->jobs_wq);
	xa_init(&ppu->vms);
	ida_init(&ppu->chids);
	mutex_init(&ppu->drain_lock);
	mutex_init(&ppu->recentre_lock);
	mutex_init(&ppu->quota_lock);
	INIT_LIST_HEAD(&ppu->quotas);
	INIT_LIST_HEAD(&ppu->quota_users);
	mutex_init(&ppu->mapped_lock);
	INIT_LIST_HEAD(&ppu->mapped);

	return drmm_add_action_or_reset(drm, ppu_device_release, ppu);
}

/* Work items may need anything else of the device: workqueues are made last, and end first. */
static int ppu_device_init_wqs(struct ppu_device *ppu)
{
	struct drm_device *drm = &ppu->drm;
	int ret;

	ppu->wq = alloc_workqueue("ppu", WQ_UNBOUND, 0);
	if (!ppu->wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->wq);
	if (ret)
		return ret;

	ppu->bind_wq = alloc_workqueue("ppu-bind", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!ppu->bind_wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->bind_wq);
	if (ret)
		return ret;

	ppu->bind_free_wq = alloc_workqueue("ppu-bind-free", WQ_UNBOUND, 0);
	if (!ppu->bind_free_wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->bind_free_wq);
	if (ret)
		return ret;

	ppu->sched_wq = alloc_ordered_workqueue("ppu-tdr", 0);
	if (!ppu->sched_wq)
		return -ENOMEM;
	return drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->sched_wq);
}

/**
 * ppu_device_init - map and identify the device
 * @ppu: device
 *
 * Return: 0 or a negative error; everything is undone by devm and drmm.
 */
int ppu_device_init(struct ppu_device *ppu)
{
	int ret;

	ret = ppu_device_init_sw(ppu);
	if (ret)
		return ret;

	ret = ppu_map_bars(ppu);
	if (ret)
		return ret;

	ret = ppu_identify(ppu);
	if (ret)
		return ret;

	ppu->chans = drmm_kcalloc(&ppu->drm, ppu->caps.channels, sizeof(*ppu->chans),
				  GFP_KERNEL);
	return ppu->chans ? 0 : -ENOMEM;
}

/**
 * ppu_device_start - reset the device, and let it reach memory
 * @ppu: device, whose units are set up
 *
 * Return: 0 or a negative error.
 */
int ppu_device_start(struct ppu_device *ppu)
{
	int ret = ppu_device_init_wqs(ppu);

	if (ret)
		return ret;
	ppu_device_reset(ppu);
	pci_set_master(ppu->pci);
	ppu_compat_report_errors(ppu->pci);
	/* For a reset after an error of the bus: the kernel restores nothing by itself then. */
	pci_save_state(ppu->pci);
	return 0;
}

/**
 * ppu_device_time - device time
 * @ppu: device, which must not be unplugged
 *
 * Return: nanoseconds.
 */
u64 ppu_device_time(struct ppu_device *ppu)
{
	return ppu_rd64(ppu, PPU_REG_TIME_LO);
}

/** ppu_max_priority - highest queue priority the caller may ask for */
u32 ppu_max_priority(void)
{
	return capable(CAP_SYS_NICE) ? PPU_QUEUE_PRIO_MAX : PPU_UNPRIV_QUEUE_PRIO;
}

/** ppu_max_timeslice_us - longest time slice the caller may ask for */
u32 ppu_max_timeslice_us(void)
{
	return capable(CAP_SYS_NICE) ? PPU_TIMESLICE_LIMIT_US : PPU_TIMESLICE_MAX_US;
}
