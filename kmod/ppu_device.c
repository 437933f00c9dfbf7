// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: bringing the device up and down, and telling user space about it.
 */

#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>

#include <drm/drm_managed.h>

#include "ppu_drv.h"

/* For the driver core.  What is done to memory does nothing when the device is gone. */

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
	struct ppu_device *pdev = dev;
	u64 val = 0;
	int idx;

	if (!drm_dev_enter(&pdev->drm, &idx))
		return 0;
	val = readq(pdev->vram_io + addr);
	drm_dev_exit(idx);
	return val;
}

static void ppu_bus_mem_wr(void *dev, u64 addr, u64 val)
{
	struct ppu_device *pdev = dev;
	int idx;

	if (!drm_dev_enter(&pdev->drm, &idx))
		return;
	writeq(val, pdev->vram_io + addr);
	drm_dev_exit(idx);
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

static void ppu_read_caps(struct ppu_device *pdev)
{
	struct ppu_caps *c = &pdev->caps;

	c->version = ppu_rd(pdev, PPU_REG_VERSION);
	c->channels = min_t(u32, ppu_rd(pdev, PPU_REG_CAP_CHANNELS), PPU_MAX_CHANNELS);
	c->copy_engines = ppu_rd(pdev, PPU_REG_CAP_COPY_ENGINES);
	c->gpcs = ppu_rd(pdev, PPU_REG_CAP_GPCS);
	c->sms_per_gpc = ppu_rd(pdev, PPU_REG_CAP_SMS_PER_GPC);
	c->sms = c->gpcs * c->sms_per_gpc;
	c->warps_per_sm = ppu_rd(pdev, PPU_REG_CAP_WARPS_PER_SM);
	c->warp_size = ppu_rd(pdev, PPU_REG_CAP_WARP_SIZE);
	c->ctas_per_sm = ppu_rd(pdev, PPU_REG_CAP_CTAS_PER_SM);
	c->task_slots = ppu_rd(pdev, PPU_REG_CAP_TASK_SLOTS);
	c->task_records = ppu_rd(pdev, PPU_REG_CAP_TASK_RECORDS);
	c->device_priorities = ppu_rd(pdev, PPU_REG_CAP_DEVICE_PRIORITIES);
	c->tokq_entries = ppu_rd(pdev, PPU_REG_CAP_TOKENQ_ENTRIES);
	c->shared_per_sm = ppu_rd(pdev, PPU_REG_CAP_SHARED_PER_SM);
	c->shared_per_cta = ppu_rd(pdev, PPU_REG_CAP_SHARED_PER_CTA);
	c->regs_per_sm = ppu_rd(pdev, PPU_REG_CAP_REGS_PER_SM);
	c->ring_max = ppu_rd(pdev, PPU_REG_CAP_RING_MAX);
	c->watches = min_t(u32, ppu_rd(pdev, PPU_REG_CAP_WATCHES), PPU_MAX_WATCHES);
	c->features = ppu_rd(pdev, PPU_REG_CAP_FEATURES);
	c->timeslice_ns = ppu_rd(pdev, PPU_REG_CAP_TIMESLICE_NS);
	c->window_ns = ppu_rd(pdev, PPU_REG_CAP_WINDOW_NS);
	c->sm_clock_khz = ppu_rd(pdev, PPU_REG_CAP_SM_CLOCK_KHZ);
	c->save_per_sm = ppu_rd(pdev, PPU_REG_CAP_SAVE_BYTES_PER_SM);
}

static int ppu_identify(struct ppu_device *pdev)
{
	struct drm_device *drm = &pdev->drm;
	u64 need;

	if (ppu_rd(pdev, PPU_REG_ID) != PPU_ID_MAGIC) {
		drm_err(drm, "no PPU behind BAR %d\n", PPU_BAR_REGS);
		return -ENODEV;
	}

	ppu_read_caps(pdev);
	if (pdev->caps.version >> 16 != PPU_HW_VERSION >> 16) {
		drm_err(drm, "hardware version %#x is not supported\n", pdev->caps.version);
		return -ENODEV;
	}

	need = PPU_BAR0_USERD + (u64)pdev->caps.channels * PPU_USERD_STRIDE;
	if (!pdev->caps.channels || pci_resource_len(pdev->pdev, PPU_BAR_REGS) < need) {
		drm_err(drm, "BAR %d is too small for %u channels\n", PPU_BAR_REGS,
			pdev->caps.channels);
		return -ENODEV;
	}

	return 0;
}

static int ppu_map_bars(struct ppu_device *pdev)
{
	struct pci_dev *pci = pdev->pdev;
	struct device *dev = &pci->dev;
	int ret;

	ret = pcim_enable_device(pci);
	if (ret)
		return ret;

	ret = pcim_iomap_regions(pci, BIT(PPU_BAR_REGS), "ppu");
	if (ret)
		return ret;
	pdev->regs = pcim_iomap_table(pci)[PPU_BAR_REGS];
	pdev->regs_phys = pci_resource_start(pci, PPU_BAR_REGS);

	pdev->vram_phys = pci_resource_start(pci, PPU_BAR_VRAM);
	pdev->vram.size = pci_resource_len(pci, PPU_BAR_VRAM);
	if (!pdev->vram.size ||
	    !devm_request_mem_region(dev, pdev->vram_phys, pdev->vram.size, "ppu vram"))
		return -EBUSY;
	pdev->vram_io = devm_ioremap_wc(dev, pdev->vram_phys, pdev->vram.size);
	if (!pdev->vram_io)
		return -ENOMEM;

	/* Memory is reached page by page: no segment is too long. */
	dma_set_max_seg_size(dev, UINT_MAX);
	return dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
}

/**
 * ppu_device_reset - put the whole device back to its initial state
 * @pdev: device
 *
 * VRAM keeps its contents.
 */
void ppu_device_reset(struct ppu_device *pdev)
{
	ppu_wr(pdev, PPU_REG_RESET, 1);
	/* posted write */
	ppu_rd(pdev, PPU_REG_ID);
}

/**
 * ppu_device_quiesce - make the device stop all work and all DMA
 * @pdev: device
 */
void ppu_device_quiesce(struct ppu_device *pdev)
{
	ppu_wr(pdev, PPU_REG_INTR_ENABLE, 0);
	ppu_device_reset(pdev);
	pci_clear_master(pdev->pdev);
}

static void ppu_destroy_wq(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

static void ppu_device_release(struct drm_device *drm, void *data)
{
	struct ppu_device *pdev = to_ppu(drm);

	drm_WARN_ON(drm, !list_empty(&pdev->events));
	drm_WARN_ON(drm, !list_empty(&pdev->bridges));
	drm_WARN_ON(drm, !xa_empty(&pdev->vms));
	drm_WARN_ON(drm, !ida_is_empty(&pdev->chids));
	xa_destroy(&pdev->vms);
	ida_destroy(&pdev->chids);
	ppu_vram_fini(pdev);
	mutex_destroy(&pdev->drain_lock);
	drm_WARN_ON(drm, !list_empty(&pdev->quotas));
	mutex_destroy(&pdev->quota_lock);
	drm_WARN_ON(drm, !list_empty(&pdev->mapped));
	mutex_destroy(&pdev->mapped_lock);
}

static int ppu_device_init_sw(struct ppu_device *pdev)
{
	struct drm_device *drm = &pdev->drm;
	int ret;

	spin_lock_init(&pdev->hw_lock);
	spin_lock_init(&pdev->chan_lock);
	spin_lock_init(&pdev->events_lock);
	INIT_LIST_HEAD(&pdev->events);
	spin_lock_init(&pdev->bridges_lock);
	INIT_LIST_HEAD(&pdev->bridges);
	init_waitqueue_head(&pdev->stop_wq);
	init_waitqueue_head(&pdev->jobs_wq);
	xa_init(&pdev->vms);
	ida_init(&pdev->chids);
	mutex_init(&pdev->vram.lock);
	mutex_init(&pdev->drain_lock);
	mutex_init(&pdev->quota_lock);
	INIT_LIST_HEAD(&pdev->quotas);
	mutex_init(&pdev->mapped_lock);
	INIT_LIST_HEAD(&pdev->mapped);

	ret = drmm_add_action_or_reset(drm, ppu_device_release, pdev);
	if (ret)
		return ret;

	pdev->wq = alloc_workqueue("ppu", WQ_UNBOUND, 0);
	if (!pdev->wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, pdev->wq);
	if (ret)
		return ret;

	pdev->bind_wq = alloc_workqueue("ppu-bind", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!pdev->bind_wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, pdev->bind_wq);
	if (ret)
		return ret;

	pdev->sched_wq = alloc_ordered_workqueue("ppu-tdr", 0);
	if (!pdev->sched_wq)
		return -ENOMEM;
	return drmm_add_action_or_reset(drm, ppu_destroy_wq, pdev->sched_wq);
}

/**
 * ppu_device_init - map, identify and reset the device
 * @pdev: device
 *
 * Return: 0 or a negative error; everything is undone by devm and drmm.
 */
int ppu_device_init(struct ppu_device *pdev)
{
	int ret;

	ret = ppu_device_init_sw(pdev);
	if (ret)
		return ret;

	ret = ppu_map_bars(pdev);
	if (ret)
		return ret;

	ret = ppu_identify(pdev);
	if (ret)
		return ret;

	pdev->chans = drmm_kcalloc(&pdev->drm, pdev->caps.channels, sizeof(*pdev->chans),
				   GFP_KERNEL);
	if (!pdev->chans)
		return -ENOMEM;

	ret = ppu_vram_init(pdev);
	if (ret)
		return ret;

	ret = ppu_watch_init(pdev);
	if (ret)
		return ret;

	ppu_device_reset(pdev);
	pci_set_master(pdev->pdev);
	return 0;
}

/**
 * ppu_device_time - device time
 * @pdev: device, which must not be unplugged
 *
 * Return: nanoseconds.
 */
u64 ppu_device_time(struct ppu_device *pdev)
{
	return ppu_rd64(pdev, PPU_REG_TIME_LO);
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

static u64 ppu_pci_location(struct pci_dev *pci)
{
	return (u64)pci_domain_nr(pci->bus) << 16 | pci_dev_id(pci);
}

int ppu_ioctl_get_param(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *pdev = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_get_param *args = data;
	const struct ppu_caps *c = &pdev->caps;

	if (PPU_CHECK(pdev, args->index))
		return -EINVAL;

	switch (args->param) {
	case DRM_PPU_PARAM_PCI_ID:
		args->value = (u32)pdev->pdev->device << 16 | pdev->pdev->vendor;
		break;
	case DRM_PPU_PARAM_HW_VERSION:
		args->value = c->version;
		break;
	case DRM_PPU_PARAM_HW_FEATURES:
		args->value = c->features;
		break;
	case DRM_PPU_PARAM_PCI_LOCATION:
		args->value = ppu_pci_location(pdev->pdev);
		break;
	case DRM_PPU_PARAM_VA_BITS:
		args->value = PPU_VA_BITS;
		break;
	case DRM_PPU_PARAM_PAGE_SIZES:
		args->value = PPU_PAGE_SIZE | PPU_LARGE_SIZE;
		break;
	case DRM_PPU_PARAM_VRAM_SIZE:
		args->value = pdev->vram.size;
		break;
	case DRM_PPU_PARAM_VRAM_AVAIL:
		args->value = ppu_vram_avail(pdev);
		break;
	case DRM_PPU_PARAM_NUM_GPCS:
		args->value = c->gpcs;
		break;
	case DRM_PPU_PARAM_NUM_SMS:
		args->value = c->sms;
		break;
	case DRM_PPU_PARAM_NUM_COPY_ENGINES:
		args->value = c->copy_engines;
		break;
	case DRM_PPU_PARAM_MAX_CHANNELS:
		args->value = c->channels;
		break;
	case DRM_PPU_PARAM_MAX_CHANNELS_PER_FILE:
		args->value = ppu_quota_limit(pdev, DRM_PPU_RES_CHANNELS);
		break;
	case DRM_PPU_PARAM_GPFIFO_MIN_ENTRIES:
		args->value = 3;
		break;
	case DRM_PPU_PARAM_GPFIFO_MAX_ENTRIES:
		args->value = c->ring_max;
		break;
	case DRM_PPU_PARAM_TIMESLICE_MIN_US:
		args->value = PPU_TIMESLICE_MIN_US;
		break;
	case DRM_PPU_PARAM_TIMESLICE_MAX_US:
		args->value = ppu_max_timeslice_us();
		break;
	case DRM_PPU_PARAM_TIMESLICE_DEFAULT_US:
		args->value = c->timeslice_ns / 1000;
		break;
	case DRM_PPU_PARAM_MAX_QUEUE_PRIORITY:
		args->value = ppu_max_priority();
		break;
	case DRM_PPU_PARAM_NUM_DEVICE_PRIORITIES:
		args->value = c->device_priorities;
		break;
	case DRM_PPU_PARAM_TIMESTAMP_HZ:
		args->value = NSEC_PER_SEC;
		break;
	case DRM_PPU_PARAM_HAS_DEVICE_QUEUES:
		args->value = !!(c->features & PPU_FEAT_DEVQ);
		break;
	case DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST:
		args->value = !!(c->features & PPU_FEAT_DEVQ_ASSIST);
		break;
	case DRM_PPU_PARAM_RESET_COUNT:
		args->value = atomic_read(&pdev->reset_count);
		break;
	case DRM_PPU_PARAM_CLIENT_ID:
		args->value = file->client_id;
		break;
	case DRM_PPU_PARAM_MAX_NESTING_DEPTH:
		args->value = PPU_MAX_DEPTH;
		break;
	case DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD:
		args->value = PPU_LOCAL_MAX;
		break;
	default:
		return -EINVAL;
	}

	return 0;
}

/* Copies an answer of @size bytes to the user's buffer, whatever its size. */
static int ppu_query_put(struct drm_ppu_query *args, const void *answer, u32 size)
{
	void __user *to = u64_to_user_ptr(args->ptr);
	u32 room = args->size;

	args->size = size;
	if (!args->ptr)
		return 0;
	if (copy_to_user(to, answer, min(room, size)))
		return -EFAULT;
	if (room > size && clear_user(to + size, room - size))
		return -EFAULT;
	return 0;
}

static int ppu_query_engines(struct ppu_device *pdev, struct drm_ppu_query *args)
{
	const struct drm_ppu_engine_info info[] = {
		{
			.channel_type = DRM_PPU_CHANNEL_COMPUTE,
			.count = 1,
			.queue_priorities = PPU_QUEUE_PRIO_MAX + 1,
		}, {
			.channel_type = DRM_PPU_CHANNEL_COPY,
			.count = pdev->caps.copy_engines,
			.queue_priorities = PPU_QUEUE_PRIO_MAX + 1,
		},
	};

	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_regions(struct ppu_device *pdev, struct drm_ppu_query *args)
{
	const struct drm_ppu_mem_region info[] = {
		{
			.placement = DRM_PPU_PLACEMENT_SYSTEM,
			.min_page = PPU_PAGE_SIZE,
		}, {
			.placement = DRM_PPU_PLACEMENT_VRAM,
			.size = pdev->vram.size,
			.avail = ppu_vram_avail(pdev),
			.min_page = PPU_PAGE_SIZE,
		},
	};

	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_sm(struct ppu_device *pdev, struct drm_ppu_query *args)
{
	struct drm_ppu_sm_config info = {
		.gpcs = pdev->caps.gpcs,
		.sms_per_gpc = pdev->caps.sms_per_gpc,
		.warps_per_sm = pdev->caps.warps_per_sm,
		.warp_size = pdev->caps.warp_size,
		.ctas_per_sm = pdev->caps.ctas_per_sm,
		.regs_per_sm = pdev->caps.regs_per_sm,
		.shared_per_sm = pdev->caps.shared_per_sm,
		.shared_per_cta = pdev->caps.shared_per_cta,
		.token_queue_entries = pdev->caps.tokq_entries,
		.task_slots = pdev->caps.task_slots,
		.task_records = pdev->caps.task_records,
		.sm_clock_khz = pdev->caps.sm_clock_khz,
		.window_ns = pdev->caps.window_ns,
	};
	int idx;

	if (!drm_dev_enter(&pdev->drm, &idx))
		return -ENODEV;
	info.cores_per_sm = ppu_rd(pdev, PPU_REG_CAP_CORES_PER_SM);
	info.dp_units_per_sm = ppu_rd(pdev, PPU_REG_CAP_DP_UNITS_PER_SM);
	info.sfus_per_sm = ppu_rd(pdev, PPU_REG_CAP_SFUS_PER_SM);
	info.lsus_per_sm = ppu_rd(pdev, PPU_REG_CAP_LSUS_PER_SM);
	info.partitions = ppu_rd(pdev, PPU_REG_CAP_PARTITIONS);
	drm_dev_exit(idx);

	return ppu_query_put(args, &info, sizeof(info));
}

static int ppu_query_timestamps(struct ppu_device *pdev, struct drm_ppu_query *args)
{
	struct drm_ppu_timestamps info = {};
	unsigned long flags;
	int idx;

	if (!drm_dev_enter(&pdev->drm, &idx))
		return -ENODEV;
	spin_lock_irqsave(&pdev->hw_lock, flags);
	info.cpu_ns = ktime_get_ns();
	info.gpu_ns = ppu_rd64_locked(pdev, PPU_REG_TIME_LO);
	info.delta_ns = ktime_get_ns() - info.cpu_ns;
	spin_unlock_irqrestore(&pdev->hw_lock, flags);
	drm_dev_exit(idx);

	return ppu_query_put(args, &info, sizeof(info));
}

static int ppu_query_counters(struct ppu_device *pdev, struct drm_ppu_query *args)
{
	u64 info[PPU_CTR_COUNT];
	unsigned long flags;
	unsigned int i;
	int idx;

	if (!drm_dev_enter(&pdev->drm, &idx))
		return -ENODEV;
	spin_lock_irqsave(&pdev->hw_lock, flags);
	for (i = 0; i < PPU_CTR_COUNT; i++) {
		ppu_wr(pdev, PPU_REG_DBG_SEL, i);
		info[i] = ppu_rd64_locked(pdev, PPU_REG_DBG_DATA_LO);
	}
	spin_unlock_irqrestore(&pdev->hw_lock, flags);
	drm_dev_exit(idx);

	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_limits(struct ppu_device *pdev, struct ppu_file *file,
			    struct drm_ppu_query *args)
{
	struct drm_ppu_limit info[PPU_NUM_RESOURCES];
	unsigned int i;

	for (i = 0; i < PPU_NUM_RESOURCES; i++) {
		info[i].limit = ppu_quota_limit(pdev, i);
		info[i].used = atomic64_read(&file->quota->used[i]);
	}
	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_tasks(struct ppu_device *pdev, struct ppu_file *file,
			   struct drm_ppu_query *args)
{
	struct drm_ppu_task *list;
	int n, ret;

	n = ppu_tasks_list(pdev, file, &list, args->size / sizeof(*list));
	if (n < 0)
		return n;
	ret = ppu_query_put(args, list, n * sizeof(*list));
	kvfree(list);
	return ret;
}

int ppu_ioctl_query(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *pdev = to_ppu(drm);
	struct drm_ppu_query *args = data;

	switch (args->type) {
	case DRM_PPU_QUERY_ENGINES:
		return ppu_query_engines(pdev, args);
	case DRM_PPU_QUERY_MEM_REGIONS:
		return ppu_query_regions(pdev, args);
	case DRM_PPU_QUERY_SM_CONFIG:
		return ppu_query_sm(pdev, args);
	case DRM_PPU_QUERY_TIMESTAMPS:
		return ppu_query_timestamps(pdev, args);
	case DRM_PPU_QUERY_COUNTERS:
		return ppu_query_counters(pdev, args);
	case DRM_PPU_QUERY_LIMITS:
		return ppu_query_limits(pdev, filp->driver_priv, args);
	case DRM_PPU_QUERY_TASKS:
		return ppu_query_tasks(pdev, filp->driver_priv, args);
	default:
		return -EINVAL;
	}
}
